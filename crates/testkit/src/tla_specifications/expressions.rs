//! Random expressions of a type, as text.
//!
//! Numbers in values of variables stay below three and sequences no longer than two, so that there are few states.
//! With some risk an expression has no value for some of its arguments.

use evenhand_source::SplitMix64;

/// Types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// A small number.
    Number,
    /// A truth value.
    Truth,
    /// A string.
    Text,
    /// A model value.
    Model,
    /// A set.
    Set(Box<Type>),
    /// A function on one of the small sets.
    Map(Keys, Box<Type>),
    /// A record with the fields `p` and `q`.
    Record(Box<Type>, Box<Type>),
    /// A tuple of two.
    Pair(Box<Type>, Box<Type>),
    /// A sequence.
    Sequence(Box<Type>),
}

/// Domains of functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// `1..2`
    Numbers,
    /// Two strings.
    Texts,
    /// Two model values.
    Models,
}

impl Keys {
    /// The domain as text.
    pub fn set(self) -> &'static str {
        match self {
            Keys::Numbers => "1..2",
            Keys::Texts => "{\"a\", \"b\"}",
            Keys::Models => "P",
        }
    }

    fn of(self) -> Type {
        match self {
            Keys::Numbers => Type::Number,
            Keys::Texts => Type::Text,
            Keys::Models => Type::Model,
        }
    }

    fn members(self) -> [&'static str; 2] {
        match self {
            Keys::Numbers => ["1", "2"],
            Keys::Texts => ["\"a\"", "\"b\""],
            Keys::Models => ["m1", "m2"],
        }
    }
}

/// What an expression may speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Of constants.
    Constant,
    /// Also of variables.
    State,
    /// Also of the values behind a step, of those variables that have one already.
    Step,
}

/// A name with a type.
#[derive(Clone, Debug)]
pub struct Known {
    /// The name.
    pub name: String,
    /// Its type.
    pub of: Type,
    /// Where it may be used.
    pub level: Level,
    /// Whether it is a variable.
    pub variable: bool,
}

/// A defined operator.
#[derive(Clone, Debug)]
pub struct Operator {
    /// The name.
    pub name: String,
    /// The types of its arguments.
    pub params: Vec<Type>,
    /// The type of its value.
    pub of: Type,
    /// Where it may be used.
    pub level: Level,
}

/// Makes random texts.
pub struct Maker {
    /// Where everything random comes from.
    pub random: SplitMix64,
    /// What expressions may speak of.
    pub level: Level,
    /// Names that can be used.
    pub known: Vec<Known>,
    /// Operators that can be used.
    pub operators: Vec<Operator>,
    /// Variables that have a value behind the step.
    pub assigned: Vec<String>,
    /// How many of a hundred chances to go wrong are taken.
    pub risk: usize,
    /// Whether the general operators of the module `Aux` can be used.
    pub general: bool,
    /// How many names were made.
    pub names: usize,
}

impl Maker {
    /// Whether something of this probability happens.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.random.below(100) < percent
    }

    /// One of these.
    pub fn one<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.random.below(list.len())].clone()
    }

    fn wrong(&mut self) -> bool {
        let risk = self.risk;
        self.chance(risk)
    }

    /// A name that nobody has.
    pub fn fresh(&mut self, letter: &str) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    /// A type that is not too large.
    pub fn any_type(&mut self, depth: usize) -> Type {
        let small = [
            Type::Number,
            Type::Number,
            Type::Truth,
            Type::Text,
            Type::Model,
        ];
        if depth == 0 || self.chance(40) {
            return self.one(&small);
        }
        let inside = Box::new(self.any_type(depth - 1));
        match self.random.below(5) {
            0 => Type::Set(Box::new(self.one(&small))),
            1 => {
                let keys = self.keys();
                Type::Map(keys, inside)
            }
            2 => Type::Record(inside, Box::new(self.one(&small))),
            3 => Type::Pair(Box::new(self.one(&small)), inside),
            _ => Type::Sequence(Box::new(self.one(&small))),
        }
    }

    /// Some domain.
    pub fn keys(&mut self) -> Keys {
        self.one(&[Keys::Numbers, Keys::Texts, Keys::Models])
    }

    /// All values of a type, as a set.
    pub fn all_of(&self, of: &Type) -> String {
        match of {
            Type::Number => "0..2".to_string(),
            Type::Truth => "BOOLEAN".to_string(),
            Type::Text => "{\"a\", \"b\", \"c\"}".to_string(),
            Type::Model => "P".to_string(),
            Type::Set(inside) => format!("(SUBSET ({}))", self.all_of(inside)),
            Type::Map(keys, inside) => format!("[{} -> {}]", keys.set(), self.all_of(inside)),
            Type::Record(p, q) => format!("[p : {}, q : {}]", self.all_of(p), self.all_of(q)),
            Type::Pair(a, b) => format!("(({}) \\X ({}))", self.all_of(a), self.all_of(b)),
            Type::Sequence(inside) => {
                let inside = self.all_of(inside);
                format!("(UNION {{[1..n0 -> {inside}] : n0 \\in 0..2}})")
            }
        }
    }

    fn literal(&mut self, of: &Type) -> String {
        match of {
            Type::Number => self.random.below(3).to_string(),
            Type::Truth => self.one(&["TRUE", "FALSE"]).to_string(),
            Type::Text => self.one(&["\"a\"", "\"b\"", "\"c\""]).to_string(),
            Type::Model => self.one(&["m1", "m2"]).to_string(),
            Type::Set(inside) => {
                let count = self.random.below(3);
                let parts: Vec<_> = (0..count).map(|_| self.leaf(inside)).collect();
                format!("{{{}}}", parts.join(", "))
            }
            Type::Map(keys, inside) => {
                let (a, b) = (self.leaf(inside), self.leaf(inside));
                let [first, second] = keys.members();
                match keys {
                    Keys::Numbers if self.chance(50) => format!("<<{a}, {b}>>"),
                    _ => format!("({first} :> {a} @@ {second} :> {b})"),
                }
            }
            Type::Record(p, q) => {
                let (p, q) = (self.leaf(p), self.leaf(q));
                match self.chance(50) {
                    true => format!("[p |-> {p}, q |-> {q}]"),
                    false => format!("[q |-> {q}, p |-> {p}]"),
                }
            }
            Type::Pair(a, b) => format!("<<{}, {}>>", self.leaf(a), self.leaf(b)),
            Type::Sequence(inside) => {
                let count = self.random.below(3);
                let parts: Vec<_> = (0..count).map(|_| self.leaf(inside)).collect();
                format!("<<{}>>", parts.join(", "))
            }
        }
    }

    /// A name of this type, if there is one.
    fn name_of(&mut self, of: &Type) -> Option<String> {
        let level = self.level;
        let fitting = |known: &&Known| known.of == *of && known.level <= level;
        let names: Vec<Known> = self.known.iter().filter(fitting).cloned().collect();
        if names.is_empty() {
            return None;
        }
        let known = self.one(&names);
        let primed = level == Level::Step && known.variable && self.assigned.contains(&known.name);
        match primed && self.chance(50) {
            true => Some(format!("{}'", known.name)),
            false => Some(known.name),
        }
    }

    fn leaf(&mut self, of: &Type) -> String {
        if self.chance(85)
            && let Some(name) = self.name_of(of)
        {
            return name;
        }
        if *of != Type::Number
            && self.chance(60)
            && let Some(number) = self.name_of(&Type::Number)
        {
            // What depends on nothing teaches little.
            let small = self.random.below(3);
            match of {
                Type::Truth => return format!("({number} # {small})"),
                Type::Text => return format!("(IF {number} = {small} THEN \"a\" ELSE \"b\")"),
                Type::Model => return format!("(IF {number} > {small} THEN m1 ELSE m2)"),
                _ => {}
            }
        }
        self.literal(of)
    }

    /// How many values a type has.
    pub fn size(of: &Type) -> usize {
        match of {
            Type::Number | Type::Text => 3,
            Type::Truth | Type::Model => 2,
            Type::Set(inside) => 1 << Maker::size(inside).min(20),
            Type::Map(_, inside) => Maker::size(inside) * Maker::size(inside),
            Type::Record(a, b) | Type::Pair(a, b) => Maker::size(a) * Maker::size(b),
            Type::Sequence(inside) => {
                let inside = Maker::size(inside);
                1 + inside + inside * inside
            }
        }
    }

    /// An argument, or what a local name stands for. A formula that depends on nothing is a value there and not an action
    /// with branches, whatever TLC makes of it: only the number of generated states could tell.
    fn argument(&mut self, of: &Type, below: usize) -> String {
        let text = self.expr(of, below);
        match *of == Type::Truth && !text.contains('x') {
            true => format!("({text} = TRUE)"),
            false => text,
        }
    }

    /// Something with a name bound to it.
    pub fn with<T>(&mut self, name: &str, of: &Type, make: impl FnOnce(&mut Maker) -> T) -> T {
        self.known.push(Known {
            name: name.to_string(),
            of: of.clone(),
            level: Level::Constant,
            variable: false,
        });
        let made = make(self);
        self.known.pop();
        made
    }

    /// A random expression of a type.
    pub fn expr(&mut self, of: &Type, depth: usize) -> String {
        if depth == 0 || self.chance(12) {
            return self.leaf(of);
        }
        if self.chance(30) {
            return self.general(of, depth - 1);
        }
        let below = depth - 1;
        match of {
            Type::Number => self.number(below),
            Type::Truth => self.truth(below),
            Type::Text | Type::Model => self.leaf(of),
            Type::Set(inside) => self.set(inside, below),
            Type::Map(keys, inside) => self.map(*keys, inside, below),
            Type::Record(p, q) => self.record(p, q, below),
            Type::Pair(a, b) if self.chance(20) => {
                let (first, second) = (self.fresh("b"), self.fresh("b"));
                let (s, t) = (self.all_of(a), self.all_of(b));
                let test = self.with(&first, a, |this| {
                    this.with(&second, b, |this| this.expr(&Type::Truth, below))
                });
                let (x, y) = (self.leaf(a), self.leaf(b));
                format!(
                    "(CHOOSE <<{first}, {second}>> \\in ({s}) \\X ({t}) : {test} \\/ ({first} = {x} /\\ {second} = {y}))"
                )
            }
            Type::Pair(a, b) => match self.chance(60) {
                true => format!("<<{}, {}>>", self.expr(a, below), self.expr(b, below)),
                false => self.without_at(|this| {
                    let pair = this.expr(of, below);
                    let a = this.expr(a, below);
                    format!("[{pair} EXCEPT ![1] = {a}]")
                }),
            },
            Type::Sequence(inside) => self.sequence(inside, below),
        }
    }

    /// What an expression of any type may be.
    fn general(&mut self, of: &Type, below: usize) -> String {
        match self.random.below(12) {
            0 | 1 => {
                let condition = self.expr(&Type::Truth, below);
                let (yes, no) = (self.expr(of, below), self.expr(of, below));
                format!("(IF {condition} THEN {yes} ELSE {no})")
            }
            2 => {
                let (p, q) = (
                    self.expr(&Type::Truth, below),
                    self.expr(&Type::Truth, below),
                );
                let (a, b, c) = (self.expr(of, below), self.expr(of, below), self.leaf(of));
                match self.wrong() {
                    true => format!("(CASE {p} -> {a} [] {q} -> {b})"),
                    false => format!("(CASE {p} -> {a} [] {q} -> {b} [] OTHER -> {c})"),
                }
            }
            3 => {
                let inner = self.any_type(1);
                let name = self.fresh("d");
                let value = self.argument(&inner, below);
                let body = self.with(&name, &inner, |this| this.expr(of, below));
                format!("(LET {name} == {value} IN {body})")
            }
            4 => {
                // An operator with a parameter of its own.
                let (name, param) = (self.fresh("D"), self.fresh("e"));
                let inner = self.any_type(1);
                let body = self.with(&param, &inner, |this| this.expr(of, below));
                let arg = self.argument(&inner, below);
                format!("(LET {name}({param}) == {body} IN {name}({arg}))")
            }
            5 => {
                let name = self.fresh("b");
                let all = self.all_of(of);
                let other = self.expr(of, below);
                let test = self.with(&name, of, |this| this.expr(&Type::Truth, below));
                match self.wrong() {
                    true => format!("(CHOOSE {name} \\in {all} : {test})"),
                    false => format!("(CHOOSE {name} \\in {all} : {test} \\/ {name} = {other})"),
                }
            }
            6 | 7 => {
                let keys = self.keys();
                let map = self.expr(&Type::Map(keys, Box::new(of.clone())), below);
                let key = self.key(keys, below);
                format!("{map}[{key}]")
            }
            8 if self.chance(40) => {
                // Only one value of the function is needed.
                let (name, arg) = (self.fresh("d"), self.fresh("b"));
                let keys = self.keys();
                let body = self.with(&arg, &keys.of(), |this| this.expr(of, below));
                let key = self.key(keys, below);
                let map = format!("[{arg} \\in {} |-> {body}]", keys.set());
                match self.random.below(3) {
                    0 => format!("(LET {name} == {map} IN {name}[{key}])"),
                    1 => format!("(LET {name}({name}o) == {map} IN {name}(0)[{key}])"),
                    _ => {
                        let test = self.expr(&Type::Truth, below.min(1));
                        let other = self.leaf(&Type::Map(keys, Box::new(of.clone())));
                        format!("(IF {test} THEN {map} ELSE {other})[{key}]")
                    }
                }
            }
            8 => match self.chance(50) {
                true => {
                    let inner = self.any_type(0);
                    let pair = self.expr(&Type::Pair(Box::new(inner), Box::new(of.clone())), below);
                    format!("{pair}[2]")
                }
                false => {
                    let inner = self.any_type(0);
                    let record = Type::Record(Box::new(of.clone()), Box::new(inner));
                    let record = self.expr(&record, below);
                    format!("{record}.p")
                }
            },
            9 if self.general => {
                let name = self.fresh("l");
                let start = self.argument(of, below);
                let body = self.with(&name, of, |this| this.argument(of, below));
                format!("Twice(LAMBDA {name} : {body}, {start})")
            }
            10 if self.general => {
                let inner = self.any_type(0);
                let (a, b) = (self.fresh("l"), self.fresh("l"));
                let set = self.expr(&Type::Set(Box::new(inner.clone())), below.min(1));
                let start = self.expr(of, below);
                let body = self.with(&a, &inner, |this| {
                    this.with(&b, of, |this| this.expr(of, below.min(1)))
                });
                let fold = format!("Fold(LAMBDA {a}, {b} : {body}, {start}, {set})");
                // An operator that uses itself is a value here, not an action with branches.
                match of {
                    Type::Truth => format!("({fold} = TRUE)"),
                    _ => fold,
                }
            }
            _ => {
                let level = self.level;
                let fitting = |known: &&Operator| known.of == *of && known.level <= level;
                let known: Vec<Operator> = self.operators.iter().filter(fitting).cloned().collect();
                if known.is_empty() {
                    return self.leaf(of);
                }
                let operator = self.one(&known);
                self.call(&operator, below)
            }
        }
    }

    /// An operator with arguments.
    pub fn call(&mut self, operator: &Operator, below: usize) -> String {
        if operator.params.is_empty() {
            return operator.name.clone();
        }
        let params = operator.params.clone();
        let args: Vec<_> = params.iter().map(|of| self.argument(of, below)).collect();
        format!("{}({})", operator.name, args.join(", "))
    }

    /// Something in the domain of a function, or maybe not.
    fn key(&mut self, keys: Keys, below: usize) -> String {
        if self.wrong() {
            return self.expr(&keys.of(), below);
        }
        match (keys, self.chance(50)) {
            (_, true) => self.one(&keys.members()).to_string(),
            (Keys::Numbers, _) => format!("(1 + ({} % 2))", self.expr(&Type::Number, below)),
            (Keys::Models, _) => self.expr(&Type::Model, below),
            (Keys::Texts, _) => {
                let text = self.expr(&Type::Text, below);
                format!("(IF {text} = \"c\" THEN \"a\" ELSE {text})")
            }
        }
    }

    fn number(&mut self, below: usize) -> String {
        let number = Type::Number;
        match self.random.below(10) {
            0..=2 => {
                let sign = self.one(&["+", "-", "*"]);
                let (a, b) = (self.expr(&number, below), self.expr(&number, below));
                format!("(({a} {sign} {b}) % 3)")
            }
            3 => {
                let a = self.expr(&number, below);
                match self.wrong() {
                    true => format!("({a} \\div {})", self.leaf(&number)),
                    false => format!("((-{a}) \\div 2 + 2)"),
                }
            }
            4 => {
                let inside = self.any_type(0);
                let sequence = self.expr(&Type::Sequence(Box::new(inside)), below);
                format!("(Len({sequence}) % 3)")
            }
            5 => {
                let inside = self.any_type(0);
                let set = self.expr(&Type::Set(Box::new(inside)), below);
                format!("(Cardinality({set}) % 3)")
            }
            6 => {
                let sequence = self.expr(&Type::Sequence(Box::new(number)), below);
                match self.wrong() {
                    true => format!("Head({sequence})"),
                    false => format!("(IF {sequence} = <<>> THEN 1 ELSE Head({sequence}))"),
                }
            }
            7 if self.general => {
                let set = self.expr(&Type::Set(Box::new(number)), below);
                format!("(Sum({set}) % 3)")
            }
            8 if self.general => format!("Count[{}]", self.expr(&number, below)),
            9 if self.chance(50) => {
                // A function of two arguments.
                let (a, b) = (self.fresh("b"), self.fresh("b"));
                let body = self.with(&a, &Type::Number, |this| {
                    this.with(&b, &Type::Model, |this| this.expr(&Type::Number, below))
                });
                let (i, j) = (
                    self.expr(&number, below.min(1)),
                    self.expr(&Type::Model, below.min(1)),
                );
                match self.chance(50) {
                    true => format!("[{a} \\in 0..2, {b} \\in P |-> {body}][{i}, {j}]"),
                    false => format!("[<<{a}, {b}>> \\in (0..2) \\X P |-> {body}][<<{i}, {j}>>]"),
                }
            }
            _ => {
                // A function of its own, perhaps one that uses itself.
                let (name, arg) = (self.fresh("f"), self.fresh("g"));
                let body = self.with(&arg, &number, |this| this.expr(&Type::Number, below.min(1)));
                let key = self.leaf(&Type::Number);
                format!(
                    "(LET {name}[{arg} \\in 0..2] == IF {arg} = 0 THEN {body} ELSE ({name}[{arg} - 1] + 1) % 3 IN {name}[{key}])"
                )
            }
        }
    }

    fn truth(&mut self, below: usize) -> String {
        let truth = Type::Truth;
        match self.random.below(14) {
            0..=2 => {
                let of = self.any_type(1);
                let sign = self.one(&["=", "=", "#"]);
                let (a, b) = (self.expr(&of, below), self.expr(&of, below));
                match self.wrong() && self.chance(30) {
                    true => {
                        let of = self.any_type(1);
                        format!("({a} {sign} {})", self.expr(&of, below))
                    }
                    false => format!("({a} {sign} {b})"),
                }
            }
            3 | 4 => {
                let sign = self.one(&["<", ">", "<=", ">=", "\\leq"]);
                let (a, b) = (
                    self.expr(&Type::Number, below),
                    self.expr(&Type::Number, below),
                );
                let plus = self.one(&["", " + 1", " - 1"]);
                format!("({a} {sign} {b}{plus})")
            }
            5 => {
                let of = self.any_type(1);
                let a = self.expr(&of, below);
                let set = self.expr(&Type::Set(Box::new(of)), below);
                let sign = self.one(&["\\in", "\\notin"]);
                format!("({a} {sign} {set})")
            }
            6 => {
                let of = Type::Set(Box::new(self.any_type(0)));
                let (a, b) = (self.expr(&of, below), self.expr(&of, below));
                format!("({a} \\subseteq {b})")
            }
            7 | 8 => {
                let sign = self.one(&["/\\", "\\/", "=>", "<=>", "/\\", "\\/"]);
                let (a, b) = (self.expr(&truth, below), self.expr(&truth, below));
                format!("({a} {sign} {b})")
            }
            9 => format!("(~{})", self.expr(&truth, below)),
            10 => {
                let sign = self.one(&["\\A", "\\E"]);
                let (of, name) = (self.any_type(1), self.fresh("b"));
                let set = self.expr(&Type::Set(Box::new(of.clone())), below);
                let body = self.with(&name, &of, |this| this.expr(&Type::Truth, below));
                format!("({sign} {name} \\in {set} : {body})")
            }
            11 => {
                let sign = self.one(&["\\A", "\\E"]);
                let (a, b) = (self.fresh("b"), self.fresh("b"));
                let (s, t) = (self.any_type(0), self.any_type(0));
                let first = self.expr(&Type::Set(Box::new(s.clone())), below);
                let (bounds, t) = match self.random.below(3) {
                    0 => {
                        let second = self.expr(&Type::Set(Box::new(t.clone())), below);
                        (format!("{a} \\in {first}, {b} \\in {second}"), t)
                    }
                    1 => {
                        let second = self.expr(&Type::Set(Box::new(t.clone())), below);
                        (format!("<<{a}, {b}>> \\in ({first} \\X {second})"), t)
                    }
                    _ => (format!("{a}, {b} \\in {first}"), s.clone()),
                };
                let body = self.with(&a, &s, |this| {
                    this.with(&b, &t, |this| this.expr(&Type::Truth, below))
                });
                format!("({sign} {bounds} : {body})")
            }
            12 => {
                // The guard is what keeps this from having no value.
                let keys = self.keys();
                let map = self.expr(&Type::Map(keys, Box::new(Type::Truth)), below);
                let key = self.expr(&keys.of(), below);
                let guard = self.one(&["DOMAIN", ""]);
                match (guard, keys) {
                    ("DOMAIN", _) => format!("({key} \\in DOMAIN {map} /\\ {map}[{key}])"),
                    _ => format!("({key} \\notin {} \\/ {map}[{key}])", keys.set()),
                }
            }
            _ => {
                let a = self.expr(&truth, below);
                match self.wrong() {
                    true => format!("Assert({a} \\/ {}, \"no\")", self.leaf(&truth)),
                    false => {
                        let n = self.expr(&Type::Number, below);
                        let set = self.one(&["Nat", "Int", "1..2"]);
                        format!("({a} \\/ {n} \\in {set})")
                    }
                }
            }
        }
    }

    fn set(&mut self, inside: &Type, below: usize) -> String {
        let of = Type::Set(Box::new(inside.clone()));
        match self.random.below(9) {
            0 => {
                let (a, b) = (self.expr(inside, below), self.expr(inside, below));
                format!("{{{a}, {b}}}")
            }
            1 if self.chance(30) && matches!(inside, Type::Pair(..)) => {
                let Type::Pair(a, b) = inside else {
                    return self.leaf(&of);
                };
                let (first, second) = (self.fresh("b"), self.fresh("b"));
                let (s, t) = (self.all_of(a), self.all_of(b));
                let risk = std::mem::take(&mut self.risk);
                let test = self.with(&first, a, |this| {
                    this.with(&second, b, |this| this.expr(&Type::Truth, below))
                });
                self.risk = risk;
                format!("{{<<{first}, {second}>> \\in ({s}) \\X ({t}) : {test}}}")
            }
            1 | 2 => {
                let sign = self.one(&["\\cup", "\\cap", "\\"]);
                let (a, b) = (self.expr(&of, below), self.expr(&of, below));
                format!("({a} {sign} {b})")
            }
            3 | 4 => {
                let name = self.fresh("b");
                let set = match self.chance(50) {
                    true => self.all_of(inside),
                    false => self.expr(&of, below),
                };
                // TLC lists what `\in` looks into; here a filter is asked about one value, and so its condition has
                // a value for all of them.
                let risk = std::mem::take(&mut self.risk);
                let test = self.with(&name, inside, |this| this.expr(&Type::Truth, below));
                self.risk = risk;
                format!("{{{name} \\in {set} : {test}}}")
            }
            5 => {
                let (from, name) = (self.any_type(1), self.fresh("b"));
                let set = self.expr(&Type::Set(Box::new(from.clone())), below);
                let value = self.with(&name, &from, |this| this.expr(inside, below));
                format!("{{{value} : {name} \\in {set}}}")
            }
            6 => {
                let (a, b) = (self.fresh("b"), self.fresh("b"));
                let (s, t) = (self.any_type(0), self.any_type(0));
                let first = self.expr(&Type::Set(Box::new(s.clone())), below.min(1));
                let second = self.expr(&Type::Set(Box::new(t.clone())), below.min(1));
                let value = self.with(&a, &s, |this| {
                    this.with(&b, &t, |this| this.expr(inside, below))
                });
                match self.chance(50) {
                    true => format!("{{{value} : {a} \\in {first}, {b} \\in {second}}}"),
                    false => format!("{{{value} : <<{a}, {b}>> \\in {first} \\X {second}}}"),
                }
            }
            7 => {
                let keys = self.keys();
                let map = self.expr(&Type::Map(keys, Box::new(inside.clone())), below);
                let name = self.fresh("b");
                format!("{{{map}[{name}] : {name} \\in DOMAIN {map}}}")
            }
            _ => {
                let sets = self.expr(&Type::Set(Box::new(of.clone())), below.min(1));
                match inside {
                    Type::Set(one) => format!(
                        "(SUBSET {})",
                        self.expr(&Type::Set(one.clone()), below.min(1))
                    ),
                    _ => format!("(UNION {sets})"),
                }
            }
        }
    }

    /// Something in which `@` means nothing, or something else.
    fn without_at<T>(&mut self, make: impl FnOnce(&mut Maker) -> T) -> T {
        let kept = self.known.clone();
        self.known.retain(|known| known.name != "@");
        let made = make(self);
        self.known = kept;
        made
    }

    fn map(&mut self, keys: Keys, inside: &Type, below: usize) -> String {
        self.without_at(|this| this.map_inside(keys, inside, below))
    }

    fn map_inside(&mut self, keys: Keys, inside: &Type, below: usize) -> String {
        let of = Type::Map(keys, Box::new(inside.clone()));
        match self.random.below(5) {
            0 | 1 => {
                let name = self.fresh("b");
                let body = self.with(&name, &keys.of(), |this| this.expr(inside, below));
                format!("[{name} \\in {} |-> {body}]", keys.set())
            }
            2 => {
                let (first, second) = (self.expr(&of, below), self.expr(inside, below));
                format!("({} :> {second} @@ {first})", self.one(&keys.members()))
            }
            _ => {
                let map = self.expr(&of, below);
                let key = self.key(keys, below);
                let (path, inner) = match inside {
                    Type::Map(others, inner) if self.chance(70) => {
                        (format!("[{}]", self.key(*others, below)), (**inner).clone())
                    }
                    Type::Record(p, _) if self.chance(70) => (".p".to_string(), (**p).clone()),
                    Type::Pair(_, b) if self.chance(70) => ("[2]".to_string(), (**b).clone()),
                    _ => (String::new(), inside.clone()),
                };
                let value = self.with("@", &inner, |this| this.expr(&inner, below.max(1)));
                match self.chance(20) {
                    true => {
                        let again = self.one(&keys.members());
                        let other = self.with("@", inside, |this| this.expr(inside, below));
                        format!("[{map} EXCEPT ![{key}]{path} = {value}, ![{again}] = {other}]")
                    }
                    false => format!("[{map} EXCEPT ![{key}]{path} = {value}]"),
                }
            }
        }
    }

    fn record(&mut self, p: &Type, q: &Type, below: usize) -> String {
        self.without_at(|this| this.record_inside(p, q, below))
    }

    fn record_inside(&mut self, p: &Type, q: &Type, below: usize) -> String {
        let of = Type::Record(Box::new(p.clone()), Box::new(q.clone()));
        match self.random.below(4) {
            0 => {
                let (a, b) = (self.expr(p, below), self.expr(q, below));
                format!("[p |-> {a}, q |-> {b}]")
            }
            1 => {
                let record = self.expr(&of, below);
                let value = self.with("@", q, |this| this.expr(q, below.max(1)));
                format!("[{record} EXCEPT !.q = {value}]")
            }
            2 => {
                let record = self.expr(&of, below);
                let (a, b) = (self.expr(p, below), self.expr(q, below));
                format!("[{record} EXCEPT !.q = {b}, ![\"p\"] = {a}]")
            }
            _ => self.leaf(&of),
        }
    }

    fn sequence(&mut self, inside: &Type, below: usize) -> String {
        let of = Type::Sequence(Box::new(inside.clone()));
        match self.random.below(6) {
            0 if self.general => {
                let (sequence, value) = (self.expr(&of, below), self.expr(inside, below));
                format!("Cut(Append({sequence}, {value}))")
            }
            1 if self.general => {
                let (a, b) = (self.expr(&of, below), self.expr(&of, below));
                format!("Cut({a} \\o {b})")
            }
            2 => {
                let sequence = self.expr(&of, below);
                match self.wrong() {
                    true => format!("Tail({sequence})"),
                    false => format!("(IF Len({sequence}) = 0 THEN <<>> ELSE Tail({sequence}))"),
                }
            }
            3 => {
                let (sequence, name) = (self.expr(&of, below), self.fresh("l"));
                let test = self.with(&name, inside, |this| this.expr(&Type::Truth, below));
                format!("SelectSeq({sequence}, LAMBDA {name} : {test})")
            }
            4 => {
                let sequence = self.expr(&of, below);
                match self.wrong() {
                    true => format!("SubSeq({sequence}, 1, {})", self.leaf(&Type::Number)),
                    false => format!("SubSeq({sequence}, 2, Len({sequence}))"),
                }
            }
            _ => {
                let (a, b) = (self.expr(inside, below), self.expr(inside, below));
                let count = self.random.below(3);
                let parts = [a, b];
                format!("<<{}>>", parts[..count].join(", "))
            }
        }
    }
}
