//! Sends and receives, of every kind.

use super::names::{Channel, Place, Type};
use super::tree::Piece;
use super::writer::Writer;

impl Writer<'_> {
    /// A send statement, if there is a channel.
    pub fn send(&mut self) -> Option<String> {
        let channel = self.any_channel(|_| true)?;
        Some(self.send_to(&channel))
    }

    /// A send to this channel: `!`, `!!`, plain or in the form `c!type(rest)`.
    pub fn send_to(&mut self, channel: &Channel) -> String {
        let name = self.refer_channel(channel);
        let sorted = channel.capacity > 0 && self.random.percent(12);
        let operator = if sorted { "!!" } else { "!" };
        let arguments: Vec<String> = (channel.fields.iter())
            .map(|&ty| match self.random.weighted(&[6, 3, 1]) {
                0 => self.constant_of(ty),
                1 => self.value(ty, 0),
                _ => self.value(ty, 1),
            })
            .collect();
        format!("{name}{operator}{}", self.arguments(channel, &arguments))
    }

    /// A receive statement, if there is a channel.
    pub fn receive(&mut self) -> Option<String> {
        let channel = self.any_channel(|_| true)?;
        Some(self.receive_from(&channel))
    }

    /// A receive from this channel: `?`, `??`, `?<…>`, `??<…>`, with constants, variables,
    /// `eval` and `_`.
    pub fn receive_from(&mut self, channel: &Channel) -> String {
        // A constant index, for the reason given at `comparing_pattern`.
        let name = match channel.length {
            Some(length) => format!("{}[{}]", channel.name, self.random.below(length)),
            None => channel.name.clone(),
        };
        let buffered = channel.capacity > 0;
        let operator = if buffered && self.random.percent(20) {
            "??"
        } else {
            "?"
        };
        let compares = self.random.percent(18);
        let mut used: Vec<String> = Vec::new();
        let mut arguments: Vec<String> = Vec::new();
        for &ty in &channel.fields {
            // SPIN keeps a byte for a truth value that is alone in its message.
            let kept = match ty {
                Type::Bit | Type::Bool if channel.fields.len() == 1 => Type::Byte,
                other => other,
            };
            let pattern = if compares {
                self.comparing_pattern(ty)
            } else {
                self.pattern(kept, &mut used)
            };
            arguments.push(pattern);
        }
        if buffered && self.random.percent(10) {
            return format!("{name}{operator}<{}>", arguments.join(", "));
        }
        format!("{name}{operator}{}", self.arguments(channel, &arguments))
    }

    fn arguments(&mut self, channel: &Channel, arguments: &[String]) -> String {
        let message_type = matches!(channel.fields[0], Type::Mtype)
            && arguments.len() > 1
            && arguments[0].chars().all(|c| c.is_ascii_alphanumeric());
        if message_type && self.random.percent(50) {
            return format!("{}({})", arguments[0], arguments[1..].join(", "));
        }
        arguments.join(", ")
    }

    /// An argument of a receive that changes no variable. SPIN takes a receive back by putting the
    /// values of its arguments into the channel again, so `eval` must have the same value after
    /// the receive as before: no length of a channel, no variable received at the same time.
    fn comparing_pattern(&mut self, ty: Type) -> String {
        match self.random.weighted(&[6, 2, 2]) {
            0 if ty.is_number() && self.random.percent(15) => "eval(_pid)".into(),
            0 if ty.is_number() => format!("eval({})", self.read_number()),
            0 => format!("eval({})", self.value(ty, 0)),
            1 => self.constant_of(ty),
            _ => "_".into(),
        }
    }

    /// An argument of a receive into a variable, or a constant. For the reason above three things
    /// are avoided for which SPIN's search goes wrong: a variable that is used twice, an index that
    /// is received in the same statement, and a variable that is too small for the field.
    fn pattern(&mut self, ty: Type, used: &mut Vec<String>) -> String {
        match self.random.weighted(&[70, 20, 10]) {
            1 => return self.constant_of(ty),
            2 => return "_".into(),
            _ => {}
        }
        let places: Vec<Place> = (self.scope.places.iter())
            .filter(|place| place.ty.holds(ty))
            .filter(|place| ty.is_number() || place.ty == ty)
            .filter(|place| !used.contains(&place.before))
            .cloned()
            .collect();
        if places.is_empty() {
            return "_".into();
        }
        let place = self.random.pick(&places).clone();
        let index = place.length.map_or(0, |length| self.random.below(length));
        used.push(place.before.clone());
        place.at(&index.to_string())
    }

    /// The two sides of a conversation over a channel that was itself received.
    pub fn conversation(&mut self) -> Vec<Piece> {
        if self.random.percent(50) {
            if !self
                .locals
                .contains(&Piece::line("chan mine = [1] of { byte }"))
            {
                self.locals.push(Piece::line("chan mine = [1] of { byte }"));
            }
            let ask = self.maybe_end(Piece::line("registry!mine"));
            let hear = self.maybe_end(Piece::line("mine?_"));
            vec![ask, hear]
        } else {
            if !self.locals.contains(&Piece::line("chan who")) {
                self.locals.push(Piece::line("chan who"));
            }
            let listen = self.maybe_end(Piece::line("registry?who"));
            let answer = Piece::line(format!("who!{}", self.random.below(3)));
            let answer = self.maybe_end(answer);
            vec![listen, answer]
        }
    }
}
