//! Random specifications: modules and a configuration.
//!
//! The module `Spec` extends `Aux` and has instances of `Inner`, named and with parameters. Actions assign all variables
//! in random order and in random ways; now and then one is forgotten, or read too early. How a specification is
//! made is drawn first, so that each way to end is common.

use evenhand_source::SplitMix64;

use super::expressions::{Known, Level, Maker, Operator, Type};

/// The text of a specification: all modules in one file, and the configuration.
pub struct Text {
    /// The modules; `Spec` is the first.
    pub modules: String,
    /// The configuration.
    pub configuration: String,
}

/// The general operators of the module `Aux`.
const AUX: &str = "\
---- MODULE Aux ----
EXTENDS Integers, Sequences, FiniteSets, TLC
CONSTANTS P, m1, m2
LOCAL Least(S) == CHOOSE a0 \\in S : \\A c0 \\in S : a0 = c0 \\/ TRUE
Cut(s) == IF Len(s) > 2 THEN SubSeq(s, 1, 2) ELSE s
Twice(F(_), a) == F(F(a))
Fold(F(_, _), a, S) ==
  LET RECURSIVE Go(_, _)
      Go(b, T) == IF T = {} THEN b ELSE LET e == Least(T) IN Go(F(e, b), T \\ {e})
  IN Go(a, S)
RECURSIVE Sum(_)
Sum(S) == IF S = {} THEN 0 ELSE LET e == CHOOSE e \\in S : TRUE IN e + Sum(S \\ {e})
Count[n \\in 0..2] == IF n = 0 THEN 0 ELSE (2 * Count[n - 1] + 1) % 3
";

struct Writer {
    make: Maker,
    variables: Vec<(String, Type)>,
    /// Operators that are actions which assign all variables.
    actions: Vec<(String, Vec<Type>)>,
    text: String,
    deepest: usize,
    /// Numbers of instances of `Inner`: the variable that takes the place of its own, if it is one.
    instances: Vec<(String, Option<String>)>,
}

/// A random specification.
pub fn specification(seed: u64) -> Text {
    let mut random = SplitMix64::new(seed);
    let risk = match random.below(10) {
        0..=5 => 0,
        6 | 7 => 4,
        _ => 12,
    };
    let writer = Writer {
        make: Maker {
            random,
            level: Level::Constant,
            known: Vec::new(),
            operators: Vec::new(),
            assigned: Vec::new(),
            risk,
            general: false,
            names: 0,
        },
        variables: Vec::new(),
        actions: Vec::new(),
        text: String::new(),
        deepest: 3,
        instances: Vec::new(),
    };
    writer.write()
}

impl Writer {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn know(&mut self, name: &str, of: &Type, level: Level, variable: bool) {
        self.make.known.push(Known {
            name: name.to_string(),
            of: of.clone(),
            level,
            variable,
        });
    }

    /// Defines an operator of a level.
    fn define(&mut self, level: Level, letter: &str) -> Operator {
        let of = self.make.any_type(2);
        self.define_of(level, letter, of)
    }

    fn define_of(&mut self, level: Level, letter: &str, of: Type) -> Operator {
        let name = self.make.fresh(letter);
        let count = self.make.random.below(3);
        let params: Vec<(String, Type)> = (0..count)
            .map(|_| (self.make.fresh("a"), self.make.any_type(1)))
            .collect();
        let known = self.make.known.len();
        for (name, of) in &params {
            self.know(name, of, Level::Constant, false);
        }
        self.make.level = level;
        let mut body = self.make.expr(&of, self.deepest);
        if of == Type::Truth && !params.is_empty() && !body.contains('x') {
            body = format!("({body} = TRUE)");
        }
        self.make.known.truncate(known);
        let names: Vec<&str> = params.iter().map(|(name, _)| name.as_str()).collect();
        let head = match names.is_empty() {
            true => name.clone(),
            false => format!("{name}({})", names.join(", ")),
        };
        self.line(&format!("{head} == {body}"));
        Operator {
            name,
            params: params.into_iter().map(|(_, of)| of).collect(),
            of,
            level,
        }
    }

    fn write(mut self) -> Text {
        let aux = self.aux();
        let inner = self.inner();
        self.text.clear();
        let mut configuration = String::from("CONSTANTS\n  m1 = m1\n  m2 = m2\n");
        configuration.push_str(self.make.one(&[
            "  P = {m1, m2}\n",
            "  P = {m2, m1}\n",
            "  P <- Both\n",
        ]));
        self.line("---- MODULE Spec ----");
        self.line("EXTENDS Integers, Sequences, FiniteSets, TLC, Aux");
        self.line("CONSTANTS K, L(_)");
        self.line("Both == {m1, m2}");
        self.make.general = true;
        match self.make.chance(50) {
            true => {
                let number = self.make.random.below(3);
                configuration.push_str(&format!("  K = {number}\n"));
            }
            false => {
                self.make.level = Level::Constant;
                let value = self.make.expr(&Type::Number, 2);
                self.line(&format!("KDef == {value}"));
                configuration.push_str("  K <- KDef\n");
            }
        }
        let arg = self.make.fresh("a");
        self.make.level = Level::Constant;
        let body = self
            .make
            .with(&arg, &Type::Number, |make| make.expr(&Type::Number, 2));
        self.line(&format!("LDef({arg}) == {body}"));
        configuration.push_str("  L <- LDef\n");
        self.know("K", &Type::Number, Level::Constant, false);
        self.make.operators.push(Operator {
            name: "L".to_string(),
            params: vec![Type::Number],
            of: Type::Number,
            level: Level::Constant,
        });
        self.declare();
        for _ in 0..2 {
            let level = self.make.one(&[Level::Constant, Level::State]);
            let operator = self.define(level, "D");
            self.make.operators.push(operator);
        }
        if self.make.chance(20) {
            // A definition in whose place the configuration puts another one of the same type.
            let of = self.make.any_type(1);
            let params = self.make.operators.len();
            let operator = self.define_of(Level::State, "D", of);
            let mut other = String::new();
            std::mem::swap(&mut other, &mut self.text);
            let by = self.define_like(&operator);
            std::mem::swap(&mut other, &mut self.text);
            self.text.push_str(&other);
            configuration.push_str(&format!("  {} <- {by}\n", operator.name));
            self.make.operators.truncate(params);
            self.make.operators.push(operator);
        }
        self.instances();
        self.nested();
        self.initial();
        let actions = 1 + self.make.random.below(4);
        for _ in 0..actions {
            self.action();
        }
        self.next();
        self.asked(&mut configuration);
        self.line("====");
        let modules = format!("{}{aux}{inner}", self.text);
        Text {
            modules,
            configuration,
        }
    }

    /// Another definition with the parameters and the type of one.
    fn define_like(&mut self, operator: &Operator) -> String {
        let name = self.make.fresh("D");
        let params: Vec<String> = operator
            .params
            .iter()
            .map(|_| self.make.fresh("a"))
            .collect();
        let known = self.make.known.len();
        for (name, of) in params.iter().zip(&operator.params) {
            self.know(name, of, Level::Constant, false);
        }
        self.make.level = operator.level;
        let body = self.make.expr(&operator.of, 2);
        self.make.known.truncate(known);
        let head = match params.is_empty() {
            true => name.clone(),
            false => format!("{name}({})", params.join(", ")),
        };
        self.line(&format!("{head} == {body}"));
        name
    }

    fn aux(&mut self) -> String {
        self.text.push_str(AUX);
        // What the operators need comes from the modules that this one extends.
        self.make.general = true;
        self.make.operators.clear();
        let mut own = Vec::new();
        let local = self.make.fresh("H");
        self.line(&format!("LOCAL {local}(a1, b1) == (a1 + 2 * b1) % 3"));
        self.make.operators.push(Operator {
            name: local,
            params: vec![Type::Number, Type::Number],
            of: Type::Number,
            level: Level::Constant,
        });
        let operator = self.define_of(Level::Constant, "D", Type::Number);
        own.push(operator);
        self.line("====");
        self.make.operators = own;
        std::mem::take(&mut self.text)
    }

    fn inner(&mut self) -> String {
        let kept = (
            std::mem::take(&mut self.make.known),
            std::mem::take(&mut self.make.operators),
        );
        self.make.general = false;
        self.line("---- MODULE Inner ----");
        self.line("EXTENDS Integers, Sequences, FiniteSets, TLC");
        self.line("CONSTANTS C, G(_), P, m1, m2");
        self.line("VARIABLE v");
        self.know("C", &Type::Number, Level::Constant, false);
        self.know("v", &Type::Number, Level::State, true);
        self.make.operators.push(Operator {
            name: "G".to_string(),
            params: vec![Type::Number],
            of: Type::Number,
            level: Level::Constant,
        });
        self.make.level = Level::State;
        let local = self.make.expr(&Type::Number, 2);
        self.line(&format!("LOCAL Held == {local}"));
        self.know("Held", &Type::Number, Level::State, false);
        let value = self.make.expr(&Type::Number, 2);
        self.line(&format!("Val == {value}"));
        self.know("n", &Type::Number, Level::Constant, false);
        let fine = self.make.expr(&Type::Truth, 2);
        self.line(&format!("Fine(n) == {fine}"));
        let up = self.make.expr(&Type::Number, 2);
        self.line(&format!("Up(n) == v' = {up}"));
        let guard = self.make.expr(&Type::Truth, 1);
        self.line(&format!(
            "Move(n) == {guard} /\\ v' \\in {{n, (v + 1) % 3}}"
        ));
        self.line("====");
        (self.make.known, self.make.operators) = kept;
        self.make.general = true;
        std::mem::take(&mut self.text)
    }

    fn declare(&mut self) {
        let count = 2 + self.make.random.below(3);
        let mut most = 3;
        for number in 0..count {
            if most > 500 {
                break;
            }
            let of = match number {
                0 => Type::Number,
                _ => loop {
                    // All states together are few enough.
                    let of = self.make.any_type(2);
                    if Maker::size(&of) <= 40 && Maker::size(&of) * most <= 1500 {
                        break of;
                    }
                },
            };
            most *= Maker::size(&of);
            self.variables.push((format!("x{number}"), of));
        }
        let names: Vec<&str> = self
            .variables
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        let names = names.join(", ");
        self.line(&format!("VARIABLES {names}"));
        self.line(&format!("vars == <<{names}>>"));
        for (name, of) in self.variables.clone() {
            self.know(&name, &of, Level::State, true);
        }
    }

    fn instances(&mut self) {
        for name in ["I", "J"] {
            if self.make.chance(40) {
                continue;
            }
            let (value, variable) = match self.make.chance(60) {
                true => ("x0".to_string(), Some("x0".to_string())),
                false => {
                    self.make.level = Level::State;
                    (self.make.expr(&Type::Number, 2), None)
                }
            };
            let operator = self.make.one(&["L", "LDef", "LAMBDA u0 : (u0 + 2) % 3"]);
            self.make.level = Level::Constant;
            let number = self.make.expr(&Type::Number, 1);
            let (head, constant) = match name {
                "I" => ("I".to_string(), number),
                _ => ("J(c1)".to_string(), "c1".to_string()),
            };
            self.line(&format!(
                "{head} == INSTANCE Inner WITH v <- {value}, C <- {constant}, G <- {operator}"
            ));
            let path = match name {
                "I" => name.to_string(),
                _ => format!("J({})", self.make.expr(&Type::Number, 1)),
            };
            let operators = [
                ("Val", vec![], Type::Number),
                ("Fine", vec![Type::Number], Type::Truth),
            ];
            for (operator, params, of) in operators {
                self.make.operators.push(Operator {
                    name: format!("{path}!{operator}"),
                    params,
                    of,
                    level: Level::State,
                });
            }
            self.instances.push((path, variable));
        }
    }

    /// A module inside of the specification, and an instance without a name.
    fn nested(&mut self) {
        if self.make.chance(30) {
            self.line("---- MODULE Nest ----");
            self.line("CONSTANT Q");
            self.make.level = Level::State;
            self.know("Q", &Type::Number, Level::Constant, false);
            let operator = self.define_of(Level::State, "D", Type::Number);
            self.make.known.pop();
            self.line("====");
            self.make.level = Level::Constant;
            let value = self.make.expr(&Type::Number, 1);
            let name = match self.make.random.below(3) {
                0 => {
                    self.line(&format!("INSTANCE Nest WITH Q <- {value}"));
                    operator.name.clone()
                }
                1 => {
                    self.line(&format!("LOCAL INSTANCE Nest WITH Q <- {value}"));
                    operator.name.clone()
                }
                _ => {
                    self.line(&format!("N == INSTANCE Nest WITH Q <- {value}"));
                    format!("N!{}", operator.name)
                }
            };
            self.make.operators.push(Operator { name, ..operator });
        }
    }

    fn initial(&mut self) {
        self.line("Init ==");
        // Only variables that have a value may be read.
        let known = self.make.known.clone();
        let operators = self.make.operators.clone();
        self.make.known.retain(|known| !known.variable);
        self.make
            .operators
            .retain(|operator| operator.level == Level::Constant);
        self.make.level = Level::State;
        for (name, of) in self.variables.clone() {
            let line = match self.make.random.below(5) {
                0 => format!("{name} = {}", self.make.expr(&of, 1)),
                1 if Maker::size(&of) <= 9 => {
                    format!("{name} \\in {}", self.make.all_of(&of))
                }
                2 => {
                    let (a, b) = (self.make.expr(&of, 1), self.make.expr(&of, 1));
                    format!("{name} \\in {{{a}, {b}}}")
                }
                3 => {
                    let (a, b) = (self.make.expr(&of, 1), self.make.expr(&of, 1));
                    format!("({name} = {a} \\/ {name} = {b})")
                }
                _ => {
                    let bound = self.make.fresh("b");
                    let all = self.make.expr(&Type::Set(Box::new(Type::Number)), 1);
                    let value = self
                        .make
                        .with(&bound, &Type::Number, |make| make.expr(&of, 1));
                    format!("\\E {bound} \\in {all} \\cup {{0}} : {name} = {value}")
                }
            };
            self.line(&format!("  /\\ {line}"));
            self.know(&name, &of, Level::State, true);
        }
        if self.make.chance(20) {
            let test = self.make.expr(&Type::Truth, 2);
            self.line(&format!("  /\\ ({test} \\/ x0 = 0)"));
        }
        self.make.known = known;
        self.make.operators = operators;
    }

    /// A state-level expression below a prime; only what is global may be used there.
    fn primed(&mut self) -> String {
        let known = self.make.known.clone();
        let global = |known: &Known| known.variable || known.name == "K";
        self.make.known.retain(global);
        self.make.level = Level::State;
        let of = self.make.any_type(1);
        let (a, b) = (self.make.expr(&of, 1), self.make.expr(&of, 1));
        self.make.level = Level::Step;
        self.make.known = known;
        format!("({a})' = {b}")
    }

    /// Conjuncts that give values to these variables.
    fn assignments(&mut self, variables: &[(String, Type)], depth: usize) -> Vec<String> {
        let mut parts = Vec::new();
        let mut left = variables.to_vec();
        while !left.is_empty() {
            let place = self.make.random.below(left.len());
            let (name, of) = left.swap_remove(place);
            let inner = self.instances.clone();
            let own: Vec<_> = inner
                .into_iter()
                .filter(|(_, variable)| variable.as_ref() == Some(&name))
                .collect();
            if self.make.risk > 0 && self.make.chance(2) {
                // Forgotten.
                continue;
            }
            let part = match self.make.random.below(14) {
                0 | 1 => format!("UNCHANGED {name}"),
                8 | 9 if Maker::size(&of) <= 9 => {
                    format!("{name}' \\in {}", self.make.all_of(&of))
                }
                12 if self.make.chance(30) => {
                    // One part gives the value, another one reads it.
                    let (bound, value) = (self.make.fresh("b"), self.make.expr(&of, depth));
                    self.make.assigned.push(name.clone());
                    let test = self.make.expr(&Type::Truth, 1);
                    self.make.assigned.pop();
                    let first = self.make.expr(&Type::Truth, 1);
                    let (from, to) = self.make.one(&[(0, 1), (0, 2), (1, 3)]);
                    format!(
                        "\\A {bound} \\in {from}..{to} : IF {bound} = {to} THEN {name}' = {value} ELSE IF {bound} = {from} THEN {first} ELSE {test} \\/ {bound} = 1"
                    )
                }
                10 if of == Type::Number && self.make.chance(30) => {
                    let bound = self.make.fresh("b");
                    let small = self.make.random.below(3);
                    format!(
                        "\\A {bound} \\in {{0, 1, 2}} : ({name}' = {bound} \\/ {name}' # {small} \\/ {bound} > 1)"
                    )
                }
                11 if self.make.chance(40) => {
                    let test = self.make.expr(&Type::Truth, depth);
                    let (a, b) = (self.make.expr(&of, depth), self.make.expr(&of, depth));
                    format!("({test} => {name}' = {a}) /\\ {name}' \\in {{{a}, {b}}}")
                }
                10 if of == Type::Number => format!("{name}' = ({name} + 1) % 3"),
                2 => {
                    let (a, b) = (self.make.expr(&of, depth), self.make.expr(&of, depth));
                    format!("{name}' \\in {{{a}, {b}}}")
                }
                3 => {
                    let (a, b) = (self.make.expr(&of, depth), self.make.expr(&of, depth));
                    format!("({name}' = {a} \\/ {name}' = {b})")
                }
                4 => {
                    let test = self.make.expr(&Type::Truth, depth);
                    let a = self.make.expr(&of, depth);
                    format!("IF {test} THEN {name}' = {a} ELSE UNCHANGED {name}")
                }
                5 if !own.is_empty() => {
                    let (path, _) = self.make.one(&own);
                    let arg = self.make.expr(&Type::Number, 1);
                    let operator = self.make.one(&["Up", "Move"]);
                    format!("{path}!{operator}({arg})")
                }
                6 => {
                    let arg = self.make.expr(&of, depth);
                    format!("Put({name}, {arg})")
                }
                7 => {
                    let bound = self.make.fresh("d");
                    let value = self.make.expr(&of, depth);
                    format!("LET {bound} == {value} IN {name}' = {bound}")
                }
                _ => format!("{name}' = {}", self.make.expr(&of, depth)),
            };
            parts.push(part);
            self.make.assigned.push(name);
            if self.make.chance(20) {
                parts.push(self.make.expr(&Type::Truth, 1));
            }
            if self.make.chance(8) {
                let set = self.make.expr(&Type::Set(Box::new(Type::Number)), 1);
                let bound = self.make.fresh("b");
                let test = self
                    .make
                    .with(&bound, &Type::Number, |make| make.expr(&Type::Truth, 1));
                parts.push(format!("\\A {bound} \\in {set} : {test} \\/ {bound} < 5"));
            }
        }
        if self.make.chance(15) && self.make.assigned.len() == self.variables.len() {
            let test = self.primed();
            parts.push(format!("({test} \\/ x0' < 2)"));
        }
        parts
    }

    /// The body of an action that gives values to these variables.
    fn body(&mut self, variables: &[(String, Type)], depth: usize) -> String {
        self.make.level = Level::Step;
        let assigned = self.make.assigned.clone();
        let body = match self.make.random.below(if depth == 0 { 2 } else { 9 }) {
            0..=2 => {
                let mut parts = Vec::new();
                if self.make.chance(45) {
                    parts.push(self.make.expr(&Type::Truth, 2));
                }
                parts.extend(self.assignments(variables, 2));
                if self.make.risk > 0 && self.make.chance(4) && parts.len() > 1 {
                    // Something is read too early.
                    let place = self.make.random.below(parts.len() - 1);
                    parts.swap(place, place + 1);
                }
                let joined: Vec<String> = parts.iter().map(|part| format!("({part})")).collect();
                match joined.is_empty() {
                    true => "TRUE".to_string(),
                    false => joined.join(" /\\ "),
                }
            }
            3 => {
                let (a, b) = (
                    self.body(variables, depth - 1),
                    self.body(variables, depth - 1),
                );
                format!("({a}) \\/ ({b})")
            }
            4 => {
                let (name, of) = (self.make.fresh("b"), self.make.any_type(0));
                let set = self.make.expr(&Type::Set(Box::new(of.clone())), 2);
                self.know(&name, &of, Level::Constant, false);
                let body = self.body(variables, depth - 1);
                self.make.known.pop();
                format!("\\E {name} \\in {set} : {body}")
            }
            5 => {
                let test = self.make.expr(&Type::Truth, 2);
                let (a, b) = (
                    self.body(variables, depth - 1),
                    self.body(variables, depth - 1),
                );
                format!("IF {test} THEN {a} ELSE {b}")
            }
            6 => {
                let (p, q) = (
                    self.make.expr(&Type::Truth, 1),
                    self.make.expr(&Type::Truth, 1),
                );
                let a = self.body(variables, depth - 1);
                let b = self.body(variables, depth - 1);
                let c = self.body(variables, 0);
                format!("CASE {p} -> ({a}) [] {q} -> ({b}) [] OTHER -> ({c})")
            }
            7 => {
                let (name, of) = (self.make.fresh("d"), self.make.any_type(1));
                let value = self.make.expr(&of, 2);
                self.know(&name, &of, Level::Constant, false);
                let body = self.body(variables, depth - 1);
                self.make.known.pop();
                format!("LET {name} == {value} IN {body}")
            }
            _ => {
                let (a, b) = (self.make.fresh("b"), self.make.fresh("b"));
                let of = self.make.any_type(0);
                let set = self.make.expr(&Type::Set(Box::new(of.clone())), 1);
                self.know(&a, &of, Level::Constant, false);
                self.know(&b, &Type::Number, Level::Constant, false);
                let body = self.body(variables, depth - 1);
                self.make.known.truncate(self.make.known.len() - 2);
                match self.make.chance(50) {
                    true => format!("\\E {a} \\in {set}, {b} \\in 1..2 : {body}"),
                    false => format!("\\E <<{a}, {b}>> \\in {set} \\X {{0, 2}} : {body}"),
                }
            }
        };
        self.make.assigned = assigned;
        body
    }

    fn action(&mut self) {
        if self.actions.is_empty() {
            self.line("Put(u9, e9) == u9' = e9");
        }
        let name = self.make.fresh("Act");
        let params: Vec<(String, Type)> = match self.make.chance(40) {
            true => vec![(self.make.fresh("a"), self.make.any_type(0))],
            false => Vec::new(),
        };
        for (name, of) in &params {
            self.know(name, of, Level::Constant, false);
        }
        let split = self.make.chance(30) && self.variables.len() > 2;
        let body = match split {
            // Some variables first, the others behind.
            true => {
                let variables = self.variables.clone();
                let (first, second) = variables.split_at(1);
                let a = self.body(first, 1);
                self.make.assigned.clear();
                let b = self.body(second, 1);
                format!("({a}) /\\ ({b})")
            }
            false => {
                let variables = self.variables.clone();
                self.body(&variables, 2)
            }
        };
        self.make.assigned.clear();
        self.make
            .known
            .truncate(self.make.known.len() - params.len());
        let names: Vec<&str> = params.iter().map(|(name, _)| name.as_str()).collect();
        let head = match names.is_empty() {
            true => name.clone(),
            false => format!("{name}({})", names.join(", ")),
        };
        self.line(&format!("{head} == {body}"));
        self.actions
            .push((name, params.into_iter().map(|(_, of)| of).collect()));
    }

    fn next(&mut self) {
        self.line("Next ==");
        for (name, params) in self.actions.clone() {
            self.make.level = Level::State;
            let call = match params.first() {
                None => name,
                Some(of) if self.make.chance(50) => {
                    let bound = self.make.fresh("b");
                    format!(
                        "\\E {bound} \\in {} : {name}({bound})",
                        self.make.all_of(of)
                    )
                }
                Some(of) => format!("{name}({})", self.make.expr(of, 2)),
            };
            self.line(&format!("  \\/ {call}"));
        }
        if self.make.chance(50) {
            self.line("  \\/ UNCHANGED vars");
        }
        self.line("Spec == Init /\\ [][Next]_vars");
    }

    /// Invariants, properties, constraints.
    fn asked(&mut self, configuration: &mut String) {
        configuration.push_str(match self.make.chance(50) {
            true => "INIT Init\nNEXT Next\n",
            false => "SPECIFICATION Spec\n",
        });
        self.make.level = Level::State;
        let domains: Vec<String> = self
            .variables
            .iter()
            .map(|(name, of)| format!("{name} \\in {}", self.make.all_of(of)))
            .collect();
        self.line(&format!("TypeOk == {}", domains.join(" /\\ ")));
        configuration.push_str("INVARIANT TypeOk\n");
        let weak = match self.make.random.below(10) {
            0..=2 => return self.rest(configuration),
            3 => 1,
            _ => 3,
        };
        for number in 0..1 + self.make.random.below(2) {
            let mut parts: Vec<String> =
                (0..weak).map(|_| self.make.expr(&Type::Truth, 3)).collect();
            if weak > 1 {
                // Only some of the states can break it.
                let other = self.make.random.below(3);
                parts[0] = format!("x0 # {other}");
            }
            let enabled = match self.make.chance(15) {
                true => {
                    let actions: Vec<_> = self
                        .actions
                        .iter()
                        .filter(|(_, params)| params.is_empty())
                        .map(|(name, _)| name.clone())
                        .collect();
                    match actions.is_empty() {
                        true => String::new(),
                        false => format!(" \\/ ENABLED {}", self.make.one(&actions)),
                    }
                }
                false => String::new(),
            };
            self.line(&format!("Inv{number} == {}{enabled}", parts.join(" \\/ ")));
            configuration.push_str(&format!("INVARIANT Inv{number}\n"));
        }
        if self.make.chance(30) {
            self.make.level = Level::Step;
            self.make.assigned = self
                .variables
                .iter()
                .map(|(name, _)| name.clone())
                .collect();
            let parts: Vec<String> = (0..weak).map(|_| self.make.expr(&Type::Truth, 2)).collect();
            self.make.assigned.clear();
            self.line(&format!("Steps == [][{}]_vars", parts.join(" \\/ ")));
            configuration.push_str("PROPERTY Steps\n");
        }
        self.rest(configuration);
    }

    fn rest(&mut self, configuration: &mut String) {
        self.make.level = Level::State;
        if self.make.chance(20) {
            let (a, b) = (
                self.make.expr(&Type::Truth, 2),
                self.make.expr(&Type::Truth, 2),
            );
            self.line(&format!("Inside == {a} \\/ {b}"));
            configuration.push_str("CONSTRAINT Inside\n");
        }
        if self.make.chance(15) {
            self.make.level = Level::Step;
            self.make.assigned = self
                .variables
                .iter()
                .map(|(name, _)| name.clone())
                .collect();
            let (a, b) = (
                self.make.expr(&Type::Truth, 2),
                self.make.expr(&Type::Truth, 2),
            );
            self.make.assigned.clear();
            self.line(&format!("Along == {a} \\/ {b}"));
            configuration.push_str("ACTION_CONSTRAINT Along\n");
        }
        if self.make.chance(15) {
            self.make.level = Level::Constant;
            let parts: Vec<String> = (0..3).map(|_| self.make.expr(&Type::Truth, 2)).collect();
            self.line(&format!("ASSUME {}", parts.join(" \\/ ")));
        }
        if self.make.chance(30) {
            configuration.push_str("CHECK_DEADLOCK FALSE\n");
        }
    }
}
