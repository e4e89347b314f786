//! Expressions.
//!
//! Values stay small on purpose: a loop that adds an arbitrary number to an `int` has four billion
//! states. Wrap-around is covered by updates whose orbit is short (`x = x + 64` on a byte has four
//! values), by narrow types, and by constants at the edge of a type.

use super::names::{COLOURS, Channel, MTYPES, Place, Signature, Type};
use super::random::Random;
use super::writer::Writer;

impl Writer<'_> {
    /// An index that is within the bounds of an array of this length.
    pub fn index(&mut self, length: usize, array: &str) -> String {
        let naturals: Vec<String> = (self.scope.counters.iter())
            .chain(self.scope.places_where(Type::is_natural))
            .filter(|place| place.length.is_none() && !place.before.starts_with(array))
            .map(|place| place.at(""))
            .collect();
        if self.style.hazards && !naturals.is_empty() && self.random.percent(30) {
            return self.random.pick(&naturals).clone();
        }
        match self.random.weighted(&[5, 3, 1]) {
            1 if !naturals.is_empty() => {
                format!("{} % {length}", self.random.pick(&naturals))
            }
            2 => format!("_pid % {length}"),
            _ => self.random.below(length).to_string(),
        }
    }

    /// A reference to a place, with an index where one is needed.
    pub fn refer(&mut self, place: &Place) -> String {
        match place.length {
            Some(length) => {
                let index = self.index(length, &place.before);
                place.at(&index)
            }
            None => place.at(""),
        }
    }

    /// A reference to a channel.
    pub fn refer_channel(&mut self, channel: &Channel) -> String {
        match channel.length {
            Some(length) => format!("{}[{}]", channel.name, self.index(length, &channel.name)),
            None => channel.name.clone(),
        }
    }

    /// A value of this type.
    pub fn value(&mut self, ty: Type, depth: usize) -> String {
        match ty {
            Type::Mtype => self.symbol(ty, &MTYPES),
            Type::Colour => self.symbol(ty, &COLOURS),
            _ => self.number(depth),
        }
    }

    fn symbol(&mut self, ty: Type, constants: &[&str]) -> String {
        let places: Vec<Place> = self
            .scope
            .places_where(|other| other == ty)
            .into_iter()
            .cloned()
            .collect();
        if places.is_empty() || self.random.percent(60) {
            return self.random.pick(constants).to_string();
        }
        let place = self.random.pick(&places).clone();
        self.refer(&place)
    }

    /// A number that is read from somewhere.
    pub fn read_number(&mut self) -> String {
        let places: Vec<Place> = (self.scope.counters.iter())
            .chain(self.scope.places_where(Type::is_number))
            .cloned()
            .collect();
        if places.is_empty() {
            return constant(self.random);
        }
        let place = self.random.pick(&places).clone();
        self.refer(&place)
    }

    /// A numeric expression.
    pub fn number(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.percent(55) {
            return match self.random.weighted(&[8, 10, 2, 1, 2]) {
                0 => constant(self.random),
                2 => "_pid".into(),
                3 => "_nr_pr".into(),
                4 => self.length(),
                _ => self.read_number(),
            };
        }
        let a = self.number(depth - 1);
        let b = self.number(depth - 1);
        let small = self.random.between(2, 4);
        match self.random.below(15) {
            0 | 1 => format!("({a} + {b})"),
            2 | 3 => format!("({a} - {b})"),
            4 => format!("({a} * {b})"),
            5 => format!("({a} % {small})"),
            6 if self.style.hazards => format!("({a} / {b})"),
            6 => format!("({a} / {small})"),
            7 => format!("({a} & {b})"),
            8 => format!("({a} | {b})"),
            9 => format!("({a} ^ {b})"),
            10 => format!("({a} << {})", self.random.below(3)),
            11 => format!("({a} >> {})", self.random.below(3)),
            12 => format!("(-{})", a.trim_start_matches('-')),
            13 => format!("(~{a})"),
            _ => format!("({} -> {a} : {b})", self.comparison(depth - 1)),
        }
    }

    fn length(&mut self) -> String {
        match self.any_channel(|_| true) {
            Some(channel) => format!("len({})", self.refer_channel(&channel)),
            None => constant(self.random),
        }
    }

    /// A channel in scope that passes the test.
    pub fn any_channel(&mut self, test: impl Fn(&Channel) -> bool) -> Option<Channel> {
        let fitting: Vec<&Channel> = self.scope.channels.iter().filter(|c| test(c)).collect();
        if fitting.is_empty() {
            return None;
        }
        Some((*self.random.pick(&fitting)).clone())
    }

    /// A comparison or another truth value that may stand inside any expression.
    pub fn comparison(&mut self, depth: usize) -> String {
        let symbols: Vec<Place> = self
            .scope
            .places_where(|ty| !ty.is_number())
            .into_iter()
            .cloned()
            .collect();
        if !symbols.is_empty() && self.random.percent(12) {
            let place = self.random.pick(&symbols).clone();
            let operator = *self.random.pick(&["==", "!="]);
            let right = self.value(place.ty, 0);
            return format!("({} {operator} {right})", self.refer(&place));
        }
        if self.random.percent(6)
            && let Some(remote) = self.remote_reference()
        {
            return remote;
        }
        let left = if depth == 0 || self.random.percent(65) {
            self.read_number()
        } else {
            self.number(depth)
        };
        // Variables start at 0 and stay small; most conditions should be true now and then.
        let (operator, low) = *self.random.pick(&[
            ("==", 0),
            ("==", 0),
            ("!=", 0),
            ("!=", 1),
            ("<", 1),
            ("<=", 0),
            (">", 0),
            (">=", 1),
        ]);
        let right = match self.random.weighted(&[88, 8, 4]) {
            0 => (low + self.random.weighted(&[5, 2, 1])).to_string(),
            1 => self.read_number(),
            _ => constant(self.random),
        };
        format!("({left} {operator} {right})")
    }

    /// `p[pid]@L0` or `p[pid]:x0 == 1`, of a process that starts by itself.
    fn remote_reference(&mut self) -> Option<String> {
        // SPIN wants a proctype to be declared before it is referred to.
        let known: Vec<Signature> = (self.signatures.iter().take(self.current))
            .filter(|s| s.first_pid.is_some() && s.labels + s.locals.len() > 0)
            .cloned()
            .collect();
        // A process created later may get the number of one that ended: SPIN then reads the bytes
        // of another type, Evenhand reports a run-time error.
        let numbers_are_reused = self.signatures.iter().any(|s| s.first_pid.is_none());
        if known.is_empty() || self.in_d_step || numbers_are_reused {
            return None;
        }
        let signature = self.random.pick(&known).clone();
        let pid = signature.first_pid? + self.random.below(signature.active);
        let chosen = self.random.below(signature.labels + signature.locals.len());
        Some(match signature.locals.get(chosen) {
            Some(local) => {
                let value = self.random.below(3);
                format!("({}[{pid}]:{local} == {value})", signature.name)
            }
            None => {
                let label = chosen - signature.locals.len();
                format!("({}[{pid}]@L{label})", signature.name)
            }
        })
    }

    /// A condition as a guard: comparisons, their combinations, questions to channels.
    pub fn condition(&mut self) -> String {
        let first = match self.random.weighted(&[12, 3, 3]) {
            1 => self.channel_predicate(),
            2 => self.poll(),
            _ => Some(self.comparison(1)),
        };
        let first = first.unwrap_or_else(|| self.comparison(1));
        if self.random.percent(75) {
            return first;
        }
        let second = self.comparison(0);
        match self.random.below(3) {
            0 => format!("({first} && {second})"),
            1 => format!("({first} || {second})"),
            _ => format!("!({second})"),
        }
    }

    fn channel_predicate(&mut self) -> Option<String> {
        let channel = self.any_channel(|c| c.capacity > 0)?;
        let question = *self.random.pick(&["full", "nfull", "empty", "nempty"]);
        Some(format!("{question}({})", self.refer_channel(&channel)))
    }

    fn poll(&mut self) -> Option<String> {
        let channel = self.any_channel(|c| c.capacity > 0)?;
        let name = self.refer_channel(&channel);
        let operator = if self.random.percent(70) { "?" } else { "??" };
        let patterns: Vec<String> = (channel.fields.iter())
            .map(|&ty| match self.random.below(3) {
                0 => "_".to_string(),
                1 => format!("eval({})", self.value(ty, 0)),
                _ => self.constant_of(ty),
            })
            .collect();
        Some(format!("({name}{operator}[{}])", patterns.join(", ")))
    }

    /// A constant of this type, for receives.
    pub fn constant_of(&mut self, ty: Type) -> String {
        match ty {
            Type::Mtype => self.random.pick(&MTYPES).to_string(),
            Type::Colour => self.random.pick(&COLOURS).to_string(),
            Type::Bit | Type::Bool => self.random.below(2).to_string(),
            _ => self.random.below(3).to_string(),
        }
    }

    /// An assignment to a place: mostly with a short orbit, see the top of this file.
    pub fn assignment(&mut self, place: &Place) -> String {
        let x = self.refer(place);
        let c = self.random.below(4);
        let m = self.random.between(2, 4);
        let choice = self.random.below(8);
        let right = match (place.ty, choice) {
            (Type::Mtype | Type::Colour, _) => self.value(place.ty, 0),
            (_, 0 | 1) => constant(self.random),
            (Type::Bit | Type::Bool, 2 | 3) => format!("1 - {x}"),
            (Type::Bit | Type::Bool, 4) => format!("!{x}"),
            (Type::Bit | Type::Bool, 5) => self.comparison(0),
            (Type::Unsigned(_) | Type::Bit | Type::Bool, 6) => {
                return format!("{x}{}", self.random.pick(&["++", "--"]));
            }
            (Type::Unsigned(_), 2..=5) => format!("{x} + {c}"),
            (_, 2..=4) => format!("({x} + 1) % {m}"),
            (Type::Byte, 5) => format!("{x} + {}", self.random.pick(&[64, 85, 128, 192])),
            (Type::Byte, 6) => format!("{x} * 2 + {}", c % 2),
            (Type::Short, 5) => format!("{x} * 256 + {c}"),
            (Type::Short, 6) => format!("{x} ^ {}", self.random.pick(&[16384, 32767, -1])),
            (Type::Int, 5) => format!("{x} * 65536 + {c}"),
            (Type::Int, 6) => format!("2147483647 * {x}"),
            (ty, _) => {
                let value = self.value(ty, 2);
                let narrow = matches!(ty, Type::Bit | Type::Bool | Type::Unsigned(_));
                if narrow || self.random.percent(10) {
                    value
                } else {
                    format!("{value} % {m}")
                }
            }
        };
        format!("{x} = {right}")
    }
}

/// A constant that is small most of the time.
pub fn constant(random: &mut Random) -> String {
    match random.weighted(&[90, 3, 3, 2, 2]) {
        1 => "255".into(),
        2 => "-1".into(),
        3 => "256".into(),
        4 => "32768".into(),
        _ => random.below(4).to_string(),
    }
}
