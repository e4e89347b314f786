//! Words and runs of automata, for people and for programs.

use evenhand_automata::{Automaton, Bits, Cube, Lasso, LassoWord, Letter, Step, cube_text};
use serde_json::{Map, Value, json};

/// A letter as a conjunction of all propositions.
pub fn letter_text(automaton: &Automaton, letter: &Letter) -> String {
    let others = Bits::below(automaton.props().len()).difference(&letter.0);
    match Cube::new(letter.0.clone(), others) {
        Some(cube) => cube_text(automaton, &cube),
        None => String::new(),
    }
}

/// A word on one line: the letters of the prefix, then the cycle in braces.
pub fn word_text(automaton: &Automaton, word: &LassoWord) -> String {
    let letters = |list: &[Letter]| -> String {
        let texts: Vec<String> = list.iter().map(|l| letter_text(automaton, l)).collect();
        texts.join("; ")
    };
    let prefix = match word.prefix.is_empty() {
        true => String::new(),
        false => format!("{}; ", letters(&word.prefix)),
    };
    format!("{prefix}cycle {{ {} }}", letters(&word.cycle))
}

/// A word as lists of letters, each an object of truth values.
pub fn word_json(automaton: &Automaton, word: &LassoWord) -> Value {
    let letters = |list: &[Letter]| -> Vec<Value> {
        list.iter().map(|l| letter_json(automaton, l)).collect()
    };
    json!({ "prefix": letters(&word.prefix), "cycle": letters(&word.cycle) })
}

fn letter_json(automaton: &Automaton, letter: &Letter) -> Value {
    let mut values = Map::new();
    for (i, name) in automaton.props().iter().enumerate() {
        values.insert(name.clone(), json!(letter.0.contains(i)));
    }
    Value::Object(values)
}

/// A run, one step per line.
pub fn run_text(automaton: &Automaton, lasso: &Lasso) -> String {
    let mut text = String::new();
    let parts = [("prefix", &lasso.prefix), ("cycle", &lasso.cycle)];
    for (name, steps) in parts {
        if steps.is_empty() {
            continue;
        }
        text.push_str(&format!("  {name}:\n"));
        for step in steps {
            let edge = automaton.edge(step.edge);
            let marks = automaton.step_marks(edge, &step.letter);
            let marks: Vec<String> = marks.iter().map(|m| m.0.to_string()).collect();
            let marks = match marks.is_empty() {
                true => String::new(),
                false => format!(" {{{}}}", marks.join(" ")),
            };
            text.push_str(&format!(
                "    {} --[{}]--> {}{marks}\n",
                edge.source.0,
                letter_text(automaton, &step.letter),
                edge.target.0
            ));
        }
    }
    text
}

/// A run as the contract describes counterexamples: the first step is the initial state.
pub fn run_json(automaton: &Automaton, lasso: &Lasso) -> Value {
    let state = |s: u32| json!({ "state": s });
    let step = |step: &Step| {
        let edge = automaton.edge(step.edge);
        json!({
            "kind": "step",
            "action": cube_text(automaton, automaton.cube(edge.label)),
            "inputs": letter_json(automaton, &step.letter),
            "state": state(edge.target.0),
        })
    };
    let first = lasso.prefix.iter().chain(&lasso.cycle).next();
    let start = first.map_or(0, |s| automaton.edge(s.edge).source.0);
    let mut prefix = vec![json!({ "kind": "init", "state": state(start) })];
    prefix.extend(lasso.prefix.iter().map(step));
    let cycle: Vec<Value> = lasso.cycle.iter().map(step).collect();
    let length = lasso.prefix.len() + lasso.cycle.len();
    json!({
        "prefix": prefix,
        "cycle": cycle,
        "length": length,
        "lower_bound": 1,
        "shortest": length == 1,
        "replayed": true,
        "fairness_evidence": [],
    })
}
