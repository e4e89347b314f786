//! Random models.
//!
//! Everything that one module of SMV can say: variables of all types, frozen ones, arrays and
//! inputs, definitions, assignments of all three kinds with sets, constraints, and one more module
//! that is instantiated with arguments, as a part or as a process. Models are small: some hundred
//! states at most.

use super::expressions::{Scope, Type, Variable, expression, set};
use crate::promela_programs::random::Random;

pub(super) const SYMBOLS: &[&str] = &["red", "green", "blue", "grey"];

fn variable(random: &mut Random, name: String) -> Variable {
    let (typ, declared) = match random.below(7) {
        0 | 1 => (Type::Boolean, "boolean".to_string()),
        2 => {
            let low = random.below(4) as i64 - 2;
            let high = low + 1 + random.below(3) as i64;
            (Type::Integer, format!("{low}..{high}"))
        }
        3 => {
            let count = random.between(2, 3);
            let first = random.below(SYMBOLS.len() - count + 1);
            let names = SYMBOLS[first..first + count].join(", ");
            (Type::Symbolic, format!("{{{names}}}"))
        }
        4 => (Type::Integer, "{0, 2, 3}".to_string()),
        _ => {
            let (signed, bits) = (random.percent(50), random.between(1, 3));
            let sign = match (signed, random.percent(50)) {
                (true, _) => "signed ",
                (false, true) => "unsigned ",
                (false, false) => "",
            };
            (Type::Word(signed, bits), format!("{sign}word[{bits}]"))
        }
    };
    Variable {
        name,
        typ,
        declared,
    }
}

/// A model with frozen variables and one condition on them.
pub fn expression_model(seed: u64) -> String {
    let mut random = Random::new(seed);
    let variables: Vec<Variable> = (0..random.between(2, 4))
        .map(|n| variable(&mut random, format!("v{n}")))
        .collect();
    let scope = Scope {
        variables: &variables,
        next: &[],
        symbols: SYMBOLS,
    };
    let depth = random.between(2, 4);
    let condition = expression(&mut random, &scope, Type::Boolean, depth);
    let mut text = String::from("MODULE main\nCONSTANTS red, green, blue, grey;\nFROZENVAR\n");
    for v in &variables {
        text.push_str(&format!("  {} : {};\n", v.name, v.declared));
    }
    text.push_str(&format!("INIT {condition}\n"));
    text
}

/// A model.
pub fn model(seed: u64) -> String {
    let mut random = Random::new(seed);
    written(&mut random, true, true).0
}

/// A model, the variables of its states, and what is known of each step; with inputs and processes,
/// whose selection is an input, and with constraints, if asked for.
pub(super) fn written(
    random: &mut Random,
    with_inputs: bool,
    with_constraints: bool,
) -> (String, Vec<Variable>, Vec<Variable>) {
    let process = random.percent(25) && with_inputs;
    let has_module = process || random.percent(40);
    let mut state: Vec<Variable> = (0..random.between(2, 3))
        .map(|n| variable(random, format!("v{n}")))
        .collect();
    let count = if with_inputs { random.below(2) } else { 0 };
    let inputs: Vec<Variable> = (0..count)
        .map(|n| variable(random, format!("i{n}")))
        .collect();
    let mut text = String::new();
    let part = variable(random, "w".into());
    if has_module {
        text.push_str(&module(random, &part));
    }
    text.push_str("MODULE main\nCONSTANTS red, green, blue, grey;\nVAR\n");
    for v in &state {
        text.push_str(&format!("  {} : {};\n", v.name, v.declared));
    }
    let own = state.clone();
    if has_module {
        let kind = if process { "process " } else { "" };
        let scope = Scope {
            variables: &own,
            next: &[],
            symbols: SYMBOLS,
        };
        let flag = expression(random, &scope, Type::Boolean, 1);
        let first = &own[0].name;
        text.push_str(&format!("  m : {kind}part({flag}, {first});\n"));
        if random.percent(40) {
            text.push_str(&format!("  n : {kind}part(m.flag, {first});\n"));
        }
        state.push(Variable {
            name: "m.w".into(),
            ..part
        });
    }
    if random.percent(25) {
        // An array that is read at constant and variable indices.
        text.push_str("  a : array 0..1 of boolean;\n  k : 0..1;\n");
        let names = ["a[0]", "a[1]", "a[k]", "a[1 - k]"];
        state.extend(names.iter().map(|name| Variable {
            name: (*name).into(),
            typ: Type::Boolean,
            declared: String::new(),
        }));
    }
    if random.percent(25) {
        let frozen = variable(random, "f".into());
        text.push_str(&format!("FROZENVAR f : {};\n", frozen.declared));
        state.push(frozen);
    }
    for (n, v) in inputs.iter().enumerate() {
        let section = if n == 0 { "IVAR\n" } else { "" };
        text.push_str(&format!("{section}  {} : {};\n", v.name, v.declared));
    }
    let all: Vec<Variable> = [&state[..], &inputs].concat();
    text.push_str("ASSIGN\n");
    for v in &own {
        let initial = Scope {
            variables: &[],
            next: &[],
            symbols: SYMBOLS,
        };
        let steps = Scope {
            variables: &all,
            next: &[],
            symbols: SYMBOLS,
        };
        if random.percent(12) {
            let others: Vec<Variable> = own.iter().filter(|o| o.name != v.name).cloned().collect();
            let now = Scope {
                variables: if random.percent(90) { &others } else { &state },
                next: &[],
                symbols: SYMBOLS,
            };
            let value = value(random, &now, v, 2);
            text.push_str(&format!("  {} := {value};\n", v.name));
            continue;
        }
        if random.percent(70) {
            let value = value(random, &initial, v, 1);
            text.push_str(&format!("  init({}) := {value};\n", v.name));
        }
        if random.percent(75) {
            let value = value(random, &steps, v, 2);
            text.push_str(&format!("  next({}) := {value};\n", v.name));
        }
    }
    if with_constraints {
        constraints(random, &mut text, &state, &all);
    }
    let mut chosen = inputs;
    if process {
        chosen.push(Variable {
            name: "m.running".into(),
            typ: Type::Boolean,
            declared: String::new(),
        });
    }
    (text, state, chosen)
}

/// A value for a variable: an expression brought into its range, or a set.
fn value(random: &mut Random, scope: &Scope<'_>, v: &Variable, depth: usize) -> String {
    if !matches!(v.typ, Type::Word(..)) && random.percent(25) {
        return set(random, scope, v.typ, depth);
    }
    let e = expression(random, scope, v.typ, depth);
    match v.typ {
        Type::Integer if v.declared.starts_with('{') => {
            format!("{{0, 2, 3}} union {}", v.name).replace(&format!(" union {}", v.name), "")
        }
        Type::Integer if random.percent(90) => {
            let bounds: Vec<&str> = v.declared.split("..").collect();
            let (low, high) = (bounds[0], bounds.get(1).copied().unwrap_or("3"));
            format!("case ({e}) < {low} : {low}; ({e}) > {high} : {high}; TRUE : {e}; esac")
        }
        Type::Symbolic if random.percent(80) => {
            let names = v.declared.trim_matches(['{', '}']);
            let first = names.split(", ").next().unwrap_or(names);
            format!("({e}) in {} ? {e} : {first}", v.declared)
        }
        _ => e,
    }
}

fn constraints(random: &mut Random, text: &mut String, state: &[Variable], all: &[Variable]) {
    let scope = Scope {
        variables: all,
        next: state,
        symbols: SYMBOLS,
    };
    let now = Scope {
        variables: state,
        next: &[],
        symbols: SYMBOLS,
    };
    if random.percent(30) {
        let step = expression(random, &scope, Type::Boolean, 2);
        text.push_str(&format!("TRANS {step}\n"));
    }
    if random.percent(20) {
        let condition = expression(random, &now, Type::Boolean, 2);
        text.push_str(&format!("INVAR {condition};\n"));
    }
    if random.percent(20) {
        let condition = expression(random, &now, Type::Boolean, 2);
        text.push_str(&format!("INIT {condition}\n"));
    }
}

/// A module with a variable of its own that may change the argument `x`.
fn module(random: &mut Random, own: &Variable) -> String {
    let flag = Variable {
        name: "flag".into(),
        typ: Type::Boolean,
        declared: String::new(),
    };
    let list = [own.clone(), flag];
    let scope = Scope {
        variables: &list,
        next: &[],
        symbols: SYMBOLS,
    };
    let next = value(random, &scope, own, 2);
    let defined = expression(random, &scope, Type::Boolean, 1);
    format!(
        "MODULE part(flag, x)\nVAR w : {};\nDEFINE d := {defined};\nASSIGN next(w) := {next};\n",
        own.declared
    )
}
