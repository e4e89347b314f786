//! Random properties.
//!
//! Formulas of each kind that SMV has, over a few variables that may take any value. Parentheses
//! are left out often: whether a text has a meaning, and which, is for the tools to say.

use super::expressions::{Scope, Type, Variable, expression};
use crate::promela_programs::random::Random;

/// A model of free variables with one property of each kind.
pub fn property_model(seed: u64) -> String {
    let mut random = Random::new(seed);
    let random = &mut random;
    let variable = |name: &str, typ, declared: &str| Variable {
        name: name.into(),
        typ,
        declared: declared.into(),
    };
    let variables = [
        variable("p", Type::Boolean, "boolean"),
        variable("q", Type::Boolean, "boolean"),
        variable("n", Type::Integer, "0..2"),
    ];
    let scope = Scope {
        variables: &variables,
        next: &[],
        symbols: &["red", "blue"],
    };
    let mut text = String::from("MODULE main\nCONSTANTS red, blue;\nVAR\n");
    for v in &variables {
        text.push_str(&format!("  {} : {};\n", v.name, v.declared));
    }
    let depth = random.between(1, 3);
    match random.below(5) {
        0 => text.push_str(&format!("LTLSPEC {}\n", ltl(random, &scope, depth))),
        1 => text.push_str(&format!("CTLSPEC {}\n", ctl(random, &scope, depth))),
        2 => text.push_str(&format!("PSLSPEC {};\n", psl(random, depth))),
        3 => {
            let (p, q) = (ctl(random, &scope, 1), ctl(random, &scope, 1));
            let which = *random.pick(&["MIN", "MAX"]);
            text.push_str(&format!("COMPUTE {which} [{p}, {q}]\n"));
        }
        _ => {
            let p = expression(random, &scope, Type::Boolean, 2);
            let q = expression(random, &scope, Type::Boolean, 2);
            text.push_str(&format!(
                "JUSTICE {p}\nINVARSPEC {q};\nCOMPASSION ({p}, {q})\n"
            ));
        }
    }
    text
}

/// A model whose steps are drawn, with justice and compassion, and a formula of linear time to
/// decide.
pub fn verdict_model(seed: u64) -> String {
    let mut random = Random::new(seed);
    let random = &mut random;
    let variables = ["p", "q"].map(|name| Variable {
        name: name.into(),
        typ: Type::Boolean,
        declared: String::new(),
    });
    let variables = [
        variables[0].clone(),
        variables[1].clone(),
        Variable {
            name: "n".into(),
            typ: Type::Integer,
            declared: String::new(),
        },
    ];
    let scope = Scope {
        variables: &variables,
        next: &[],
        symbols: &["red", "blue"],
    };
    let mut text = String::from(
        "MODULE main\nCONSTANTS red, blue;\nVAR p : boolean; q : boolean; n : 0..2;\n",
    );
    text.push_str("ASSIGN\n");
    for name in ["p", "q"] {
        let test = expression(random, &scope, Type::Boolean, 1);
        let value = expression(random, &scope, Type::Boolean, 1);
        if random.percent(60) {
            text.push_str(&format!(
                "  init({name}) := {};\n",
                random.pick::<&str>(&["TRUE", "FALSE"])
            ));
        }
        text.push_str(&format!(
            "  next({name}) := case {test} : {{TRUE, FALSE}}; TRUE : {value}; esac;\n"
        ));
    }
    let test = expression(random, &scope, Type::Boolean, 1);
    text.push_str(&format!(
        "  init(n) := 0;\n  next(n) := case {test} : {{n, {}}}; n < 2 : n + 1; TRUE : 0; esac;\n",
        random.below(3)
    ));
    for _ in 0..random.below(3) {
        text.push_str(&format!(
            "JUSTICE {}\n",
            expression(random, &scope, Type::Boolean, 1)
        ));
    }
    for _ in 0..random.below(3) {
        let (p, q) = (
            expression(random, &scope, Type::Boolean, 1),
            expression(random, &scope, Type::Boolean, 1),
        );
        text.push_str(&format!("COMPASSION ({p}, {q})\n"));
    }
    let depth = random.between(1, 3);
    text.push_str(&format!("LTLSPEC {}\n", ltl(random, &scope, depth)));
    text
}

fn bracketed(random: &mut Random, text: String) -> String {
    match random.percent(60) {
        true => format!("({text})"),
        false => text,
    }
}

fn join(random: &mut Random, a: &str, b: &str) -> String {
    let operator = *random.pick(&["&", "|", "->", "<->", "xor", "xnor"]);
    format!("{a} {operator} {b}")
}

pub(super) fn ltl(random: &mut Random, scope: &Scope<'_>, depth: usize) -> String {
    if depth == 0 || random.percent(15) {
        return expression(random, scope, Type::Boolean, 1);
    }
    let a = ltl(random, scope, depth - 1);
    let text = match random.below(8) {
        0..=2 => {
            let operator = *random.pick(&["G", "F", "X", "Y", "Z", "H", "O", "!"]);
            format!("{operator} {a}")
        }
        3 => {
            let operator = *random.pick(&["G", "F", "H", "O"]);
            let low = random.below(3);
            format!("{operator} [{low}, {}] {a}", low + random.below(3))
        }
        4 | 5 => {
            let b = ltl(random, scope, depth - 1);
            let operator = *random.pick(&["U", "V", "S", "T"]);
            format!("{a} {operator} {b}")
        }
        _ => {
            let b = ltl(random, scope, depth - 1);
            join(random, &a, &b)
        }
    };
    bracketed(random, text)
}

pub(super) fn ctl(random: &mut Random, scope: &Scope<'_>, depth: usize) -> String {
    if depth == 0 || random.percent(15) {
        return expression(random, scope, Type::Boolean, 1);
    }
    let a = ctl(random, scope, depth - 1);
    let text = match random.below(8) {
        0..=2 => {
            let operator = *random.pick(&["AG", "AF", "AX", "EG", "EF", "EX", "!"]);
            format!("{operator} {a}")
        }
        3 => {
            let operator = *random.pick(&["EBF", "ABF", "EBG", "ABG"]);
            let low = random.below(3);
            format!("{operator} {low}..{} {a}", low + random.below(3))
        }
        4 | 5 => {
            let b = ctl(random, scope, depth - 1);
            let quantifier = *random.pick(&["A", "E"]);
            match random.percent(70) {
                true => format!("{quantifier} [{a} U {b}]"),
                false => format!("{quantifier} [{a} BU 0..{} {b}]", random.below(3)),
            }
        }
        _ => {
            let b = ctl(random, scope, depth - 1);
            join(random, &a, &b)
        }
    };
    bracketed(random, text)
}

fn psl(random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.percent(15) {
        return (*random.pick(&["p", "q", "n = 1", "(p & q)", "n > 0"])).to_string();
    }
    let a = psl(random, depth - 1);
    let b = psl(random, depth - 1);
    let text = match random.below(7) {
        0 | 1 => {
            let operator = *random.pick(&["always", "never", "eventually!", "next", "G", "F", "X"]);
            format!("{operator} {a}")
        }
        2 => format!("next[{}]({a})", random.below(3)),
        3 | 4 => {
            let operator = *random.pick(&[
                "until", "until!", "until!_", "until_", "before", "before!", "before!_", "before_",
            ]);
            format!("{a} {operator} {b}")
        }
        5 => {
            let operator = *random.pick(&["&", "|", "->", "<->", "&&", "||"]);
            format!("{a} {operator} {b}")
        }
        _ => format!("[{a} U {b}]"),
    };
    bracketed(random, text)
}
