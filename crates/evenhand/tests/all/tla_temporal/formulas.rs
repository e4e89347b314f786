//! Random specifications with fairness, and random temporal formulas about them.
//!
//! Everything that a formula or an assumption speaks of is also a definition with one parameter, so that brute force can
//! ask for its truth: `P0(n)` are predicates, `T0(n)` is `<<Act0(n)>>_vars`, `U0(n)` is `<<Act0(n)>>_x0`, and `S0(n)` is
//! `[Act0(n)]_vars`. `W0(n)` and `V0(n)` are weak and strong fairness of `Act0(n)`.

use evenhand_source::SplitMix64;

use evenhand_testkit::tla_specifications::expressions::{Known, Level, Maker, Type};
use evenhand_testkit::tla_specifications::plain::graph::Instance;

/// A temporal formula in its plainest form.
#[derive(Clone, Debug)]
pub enum Formula {
    State(Instance),
    Enabled(Instance),
    Step(Instance),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Always(Box<Formula>),
    Eventually(Box<Formula>),
}

impl Formula {
    /// The conjuncts that are about initial states, all states or all steps. TLC asks them of everything that is
    /// reached, also where no fair behaviour goes on from there.
    pub fn safety(&self) -> Vec<&Formula> {
        match self {
            Formula::And(parts) => parts.iter().flat_map(Formula::safety).collect(),
            Formula::Always(inside) if inside.is_predicate() => vec![self],
            Formula::Always(inside) if matches!(&**inside, Formula::Step(step) if step.name.starts_with('S')) =>
            {
                vec![self]
            }
            _ if self.is_predicate() => vec![self],
            _ => Vec::new(),
        }
    }

    fn is_predicate(&self) -> bool {
        match self {
            Formula::State(_) | Formula::Enabled(_) => true,
            Formula::Not(inside) => inside.is_predicate(),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().all(Formula::is_predicate),
            Formula::Step(_) | Formula::Always(_) | Formula::Eventually(_) => false,
        }
    }
}

/// A condition of fairness.
#[derive(Clone, Debug)]
pub struct Fair {
    pub strong: bool,
    pub action: Instance,
}

/// A specification, what it assumes and what is asked.
pub struct Case {
    pub text: String,
    pub configuration: String,
    pub fair: Vec<Fair>,
    /// Other formulas that the specification assumes.
    pub assumed: Vec<Formula>,
    pub formula: Formula,
    pub predicates: Vec<Instance>,
    pub actions: Vec<Instance>,
}

/// How many predicates and actions there are.
const PREDICATES: usize = 3;

struct Writer {
    make: Maker,
    actions: usize,
}

/// What stands for the parameter: a number, or a bound name with its value.
type Arg<'n> = (&'n str, i32);

fn instance(letter: &str, number: usize, arg: i32) -> Instance {
    Instance {
        name: format!("{letter}{number}"),
        arg,
    }
}

fn not(formula: Formula) -> Formula {
    Formula::Not(Box::new(formula))
}

fn always(formula: Formula) -> Formula {
    Formula::Always(Box::new(formula))
}

fn eventually(formula: Formula) -> Formula {
    Formula::Eventually(Box::new(formula))
}

/// One formula where another holds, and a third where not.
fn branch(test: Formula, yes: Formula, no: Formula) -> Formula {
    Formula::Or(vec![
        Formula::And(vec![test.clone(), yes]),
        Formula::And(vec![not(test), no]),
    ])
}

/// What fairness says.
fn fairness(fair: &Fair) -> Formula {
    let (enabled, taken) = (
        Formula::Enabled(fair.action.clone()),
        Formula::Step(fair.action.clone()),
    );
    match fair.strong {
        false => always(eventually(Formula::Or(vec![not(enabled), taken]))),
        true => Formula::Or(vec![
            eventually(always(not(enabled))),
            always(eventually(taken)),
        ]),
    }
}

/// A random case.
pub fn case(seed: u64) -> Case {
    let mut writer = Writer {
        make: Maker {
            random: SplitMix64::new(seed),
            level: Level::State,
            known: Vec::new(),
            operators: Vec::new(),
            assigned: Vec::new(),
            risk: 0,
            general: false,
            names: 0,
        },
        actions: 0,
    };
    writer.case()
}

impl Writer {
    fn case(&mut self) -> Case {
        let second = self.make.one(&[Type::Number, Type::Truth, Type::Text]);
        let variables = [("x0", Type::Number), ("x1", second)];
        let mut text = String::from(
            "---- MODULE Spec ----\nEXTENDS Integers, Sequences, FiniteSets, TLC\nCONSTANTS P, m1, m2\n\
             VARIABLES x0, x1\nvars == <<x0, x1>>\n",
        );
        for (name, of) in &variables {
            self.know(name, of, Level::State, true);
        }
        for number in 0..PREDICATES {
            self.know("n", &Type::Number, Level::Constant, false);
            let (small, depth) = (self.make.random.below(3), self.make.random.below(3));
            let body = match self.make.chance(60) {
                true => format!("x0 = ({small} + n) % 3"),
                false => self.make.expr(&Type::Truth, depth),
            };
            self.make.known.pop();
            text += &format!("P{number}(n) == {body}\n");
        }
        self.actions = 2 + self.make.random.below(2);
        for number in 0..self.actions {
            let body = self.action(&variables);
            text += &format!("Act{number}(n) == {body}\n");
            text += &format!("T{number}(n) == <<Act{number}(n)>>_vars\n");
            text += &format!("U{number}(n) == <<Act{number}(n)>>_x0\n");
            text += &format!("S{number}(n) == [Act{number}(n)]_vars\n");
            text += &format!("W{number}(n) == WF_vars(Act{number}(n))\n");
            text += &format!("V{number}(n) == (SF_vars(Act{number}(n)))\n");
        }
        let start = self.make.random.below(3);
        let all = self.make.all_of(&variables[1].1);
        text += &match self.make.chance(60) {
            true => format!("Init == x0 = {start} /\\ x1 = CHOOSE b0 \\in {all} : TRUE\n"),
            false => format!("Init == x0 = {start} /\\ x1 \\in {all}\n"),
        };
        text += &self.next();
        let (mut fair_text, fair) = self.fair();
        let mut assumed = Vec::new();
        if self.make.chance(15) {
            let ((text, inside), again) = (self.predicate(("0", 0)), self.make.chance(50));
            let (text, formula) = match again {
                true => (format!("[]<>({text})"), always(eventually(inside))),
                false => (format!("(<>[]({text}))"), eventually(always(inside))),
            };
            fair_text += &format!(" /\\ {text}");
            assumed.push(formula);
        }
        text += &format!("Spec == Init /\\ [][Next]_vars{fair_text}\n");
        let depth = 1 + self.make.random.below(3);
        let (asked, formula) = self.formula(depth, ("0", 0));
        text += &format!("Live == {asked}\n====\n");
        let arguments = |letter: &'static str, count: usize| {
            (0..count).flat_map(move |n| [0, 1].map(|arg| instance(letter, n, arg)))
        };
        let actions = ["T", "U", "S"].into_iter();
        Case {
            text,
            configuration: "CONSTANTS\n  m1 = m1\n  m2 = m2\n  P = {m1, m2}\nSPECIFICATION Spec\nPROPERTY Live\nCHECK_DEADLOCK FALSE\n"
                .to_string(),
            fair,
            assumed,
            formula,
            predicates: arguments("P", PREDICATES).collect(),
            actions: actions.flat_map(|l| arguments(l, self.actions)).collect(),
        }
    }

    fn know(&mut self, name: &str, of: &Type, level: Level, variable: bool) {
        self.make.known.push(Known {
            name: name.to_string(),
            of: of.clone(),
            level,
            variable,
        });
    }

    fn action(&mut self, variables: &[(&str, Type)]) -> String {
        self.know("n", &Type::Number, Level::Constant, false);
        self.make.level = Level::Step;
        let mut parts = Vec::new();
        match self.make.random.below(3) {
            0 => {
                let small = self.make.random.below(3);
                parts.push(format!("x0 = ({small} + n) % 3"));
            }
            1 => parts.push(self.make.expr(&Type::Truth, 1)),
            _ => {}
        }
        let primed = self.make.chance(15);
        for (name, of) in variables {
            let part = match (self.make.random.below(4), of) {
                (0, Type::Number) => format!("{name}' = ({name} + 1) % 3"),
                (0 | 1, _) => format!("UNCHANGED {name}"),
                (2, _) => {
                    let (a, b) = (self.make.expr(of, 1), self.make.expr(of, 1));
                    format!("{name}' \\in {{{a}, {b}}}")
                }
                _ => format!("{name}' = {}", self.make.expr(of, 1)),
            };
            parts.push(part);
            self.make.assigned.push((*name).to_string());
        }
        if primed {
            // Where it stands for a variable, that is its next value.
            parts.push("n' # 1".to_string());
        }
        self.make.assigned.clear();
        self.make.level = Level::State;
        self.make.known.pop();
        let parts: Vec<String> = parts.iter().map(|part| format!("({part})")).collect();
        parts.join(" /\\ ")
    }

    /// The next-state action. Fairness may be about actions that are whole disjuncts of it, for all arguments or for
    /// those that the state has chosen, behind a definition, or beside a condition.
    fn next(&mut self) -> String {
        let parts: Vec<String> = (0..self.actions).map(|n| format!("Act{n}(k0)")).collect();
        let (first, others) = (&parts[0], parts[1..].join(" \\/ "));
        let all = parts.join(" \\/ ");
        match self.make.random.below(8) {
            0 => format!("Next == \\E k0 \\in {{0, x0 % 2}} : {all}\n"),
            5 => {
                let first = first.replace("k0", "x0 % 2");
                format!("Next == {first} \\/ (\\E k0 \\in 0..1 : {others})\n")
            }
            1 => {
                format!("Next == (\\E k0 \\in 0..1 : {first}) \\/ (\\E k0 \\in {{1}} : {others})\n")
            }
            2 => format!("Some(k0) == {others}\nNext == \\E k0 \\in 0..1 : {first} \\/ Some(k0)\n"),
            3 => format!("Next == \\E k0 \\in 0..1 : (x0 # k0 /\\ {first}) \\/ {others}\n"),
            4 => format!("Next == \\E k0 \\in 0..1 : IF x0 = 1 THEN {first} ELSE {all}\n"),
            _ => format!("Next == \\E k0 \\in 0..1 : {all}\n"),
        }
    }

    /// Conjuncts about fairness, and what they mean.
    fn fair(&mut self) -> (String, Vec<Fair>) {
        let mut text = String::new();
        let mut all = Vec::new();
        for _ in 0..self.make.random.below(4) {
            let number = self.make.random.below(self.actions);
            let strong = self.make.chance(50);
            let word = if strong { "SF" } else { "WF" };
            let (letter, subscript) = self.make.one(&[("T", "vars"), ("T", "vars"), ("U", "x0")]);
            let said = format!("{word}_{subscript}(Act{number}(k1))");
            let shape = self.make.random.below(10);
            match shape {
                0..4 => {
                    // Guards that no state decides, parentheses, and another name for it.
                    let (said, args) = match shape {
                        0 => (format!("(k1 # 1) => {said}"), 0..1),
                        1 => (format!("IF k1 = 1 THEN ({said}) ELSE TRUE"), 1..2),
                        2 if letter == "T" => {
                            let letter = if strong { "V" } else { "W" };
                            (format!("{letter}{number}(k1)"), 0..2)
                        }
                        _ => (format!("k1 \\in 0..1 /\\ {said}"), 0..2),
                    };
                    text += &format!(" /\\ (\\A k1 \\in 0..1 : {said})");
                    for arg in args {
                        let action = instance(letter, number, arg);
                        all.push(Fair { strong, action });
                    }
                }
                _ => {
                    let arg = self.make.one(&[0, 1]);
                    let said = said.replace("k1", &arg.to_string());
                    text += &match shape {
                        4 => format!(" /\\ ({said})"),
                        _ => format!(" /\\ {said}"),
                    };
                    let action = instance(letter, number, arg);
                    all.push(Fair { strong, action });
                }
            }
        }
        (text, all)
    }

    fn predicate(&mut self, arg: Arg<'_>) -> (String, Formula) {
        let number = self.make.random.below(PREDICATES);
        if self.make.chance(12) {
            let number = self.make.random.below(self.actions);
            let text = format!("ENABLED <<Act{number}({})>>_vars", arg.0);
            return (
                format!("({text})"),
                Formula::Enabled(instance("T", number, arg.1)),
            );
        }
        let text = format!("P{number}({})", arg.0);
        (text, Formula::State(instance("P", number, arg.1)))
    }

    /// A formula, as text and as what it means.
    fn formula(&mut self, depth: usize, arg: Arg<'_>) -> (String, Formula) {
        if depth == 0 {
            return self.predicate(arg);
        }
        match self.make.random.below(14) {
            0 | 1 => {
                let (text, inside) = self.formula(depth - 1, arg);
                (format!("[]({text})"), always(inside))
            }
            2 | 3 => {
                let (text, inside) = self.formula(depth - 1, arg);
                (format!("<>({text})"), eventually(inside))
            }
            4 | 5 => {
                let ((a, p), (b, q)) = (self.predicate(arg), self.formula(depth - 1, arg));
                let answered = always(Formula::Or(vec![not(p), eventually(q)]));
                (format!("({a} ~> ({b}))"), answered)
            }
            6 => {
                let (text, inside) = self.predicate(arg);
                (format!("[]<>({text})"), always(eventually(inside)))
            }
            7 => {
                let (text, inside) = self.predicate(arg);
                (format!("<>[]({text})"), eventually(always(inside)))
            }
            8 => {
                let number = self.make.random.below(self.actions);
                let text = format!("<><<Act{number}({})>>_vars", arg.0);
                let formula = eventually(Formula::Step(instance("T", number, arg.1)));
                match self.make.chance(60) {
                    true => (format!("([]{text})"), always(formula)),
                    false => (format!("({text})"), formula),
                }
            }
            9 => {
                let number = self.make.random.below(self.actions);
                let text = format!("[][Act{number}({})]_vars", arg.0);
                let formula = always(Formula::Step(instance("S", number, arg.1)));
                match self.make.chance(60) {
                    true => (format!("(<>{text})"), eventually(formula)),
                    false => (format!("({text})"), formula),
                }
            }
            10 => {
                let number = self.make.random.below(self.actions);
                let strong = self.make.chance(50);
                let word = if strong { "SF" } else { "WF" };
                let text = format!("{word}_vars(Act{number}({}))", arg.0);
                let action = instance("T", number, arg.1);
                (text, fairness(&Fair { strong, action }))
            }
            11 => {
                let ((a, p), (b, q)) = (self.formula(depth - 1, arg), self.formula(depth - 1, arg));
                (format!("(({a}) /\\ ({b}))"), Formula::And(vec![p, q]))
            }
            12 => {
                let ((a, p), (b, q)) = (self.formula(depth - 1, arg), self.formula(depth - 1, arg));
                match self.make.random.below(5) {
                    0 => (format!("(({a}) \\/ ({b}))"), Formula::Or(vec![p, q])),
                    4 => {
                        let same = branch(p, q.clone(), not(q));
                        (format!("(({a}) <=> ({b}))"), same)
                    }
                    1 => (format!("(({a}) => ({b}))"), Formula::Or(vec![not(p), q])),
                    2 => {
                        let (c, r) = self.predicate(arg);
                        let text = format!("(IF {c} THEN {a} ELSE {b})");
                        (text, branch(r, p, q))
                    }
                    _ => {
                        // The guard of the second arm may be temporal.
                        let ((c, r), (d, s)) = (self.predicate(arg), self.predicate(arg));
                        let text = format!("(CASE {c} -> {a} [] ({b}) -> {d} [] OTHER -> []({c}))");
                        let other = always(r.clone());
                        (text, branch(r, p, branch(q, s, other)))
                    }
                }
            }
            _ if arg.0 == "0" => {
                // The same formula for two values of a name.
                let name = self.make.fresh("k");
                let kept = (self.make.random.clone(), self.make.names);
                let (mut text, mut first) = self.formula(depth - 1, (&name, 0));
                (self.make.random, self.make.names) = kept;
                let (_, second) = self.formula(depth - 1, (&name, 1));
                if self.make.chance(30) {
                    text = format!("({name} # 0) => ({text})");
                    first = Formula::And(Vec::new());
                }
                match self.make.chance(50) {
                    true => (
                        format!("(\\A {name} \\in 0..1 : {text})"),
                        Formula::And(vec![first, second]),
                    ),
                    false => (
                        format!("(\\E {name} \\in 0..1 : {text})"),
                        Formula::Or(vec![first, second]),
                    ),
                }
            }
            _ => {
                let (text, inside) = self.formula(depth - 1, arg);
                (format!("(~({text}))"), not(inside))
            }
        }
    }
}
