//! Random questions that are no formulas of linear time: CTL* with past operators, never claims and
//! automata.
//!
//! Half of the formulas are patterns that people write, the others any tree in which temporal
//! operators stand under quantifiers. Claims and automata have few states, whose guards are the
//! given atoms; the acceptance of an automaton is any of the kinds that HOA has names for.

use super::random::Random;

/// A formula of CTL* over state expressions.
pub fn formula(random: &mut Random, atoms: &[String]) -> String {
    let mut tree = Tree { random, atoms };
    let [a, b, c] = [tree.atom(), tree.atom(), tree.atom()];
    match tree.random.below(22) {
        0 => format!("AG EF {a}"),
        1 => format!("AG ({a} -> AF {b})"),
        2 => format!("A (G F {a} -> G F {b})"),
        3 => format!("E (G F {a} && F G {b})"),
        4 => format!("EG {a}"),
        5 => format!("AF AG {a}"),
        6 => format!("E [{a} U {b}]"),
        7 => format!("A [{a} W {b}] || EX {c}"),
        8 => format!("AG ({a} -> E ({b} S {c}))"),
        9 => format!("EF ({a} && A (O {b}))"),
        10 => format!("!E (G F {a}) && EF AX {b}"),
        _ => {
            let quantifier = tree.quantifier();
            format!("{quantifier} ({})", tree.path(3))
        }
    }
}

struct Tree<'r> {
    random: &'r mut Random,
    atoms: &'r [String],
}

impl Tree<'_> {
    fn atom(&mut self) -> String {
        match self.random.percent(20) {
            true => format!("!{}", self.random.pick(self.atoms)),
            false => self.random.pick(self.atoms).clone(),
        }
    }

    fn quantifier(&mut self) -> &'static str {
        match self.random.percent(50) {
            true => "A",
            false => "E",
        }
    }

    /// A formula about a run.
    fn path(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.atom();
        }
        let f = self.path(depth - 1);
        match self.random.below(16) {
            0 | 1 => format!("F ({f})"),
            2 | 3 => format!("G ({f})"),
            4 => format!("X ({f})"),
            5 => format!("Y ({f})"),
            6 => format!("O ({f})"),
            7 => format!("H ({f})"),
            8 => format!("({f}) U ({})", self.path(depth - 1)),
            9 => format!("({f}) S ({})", self.path(depth - 1)),
            10 => format!("({f}) && ({})", self.path(depth - 1)),
            11 => format!("({f}) || ({})", self.path(depth - 1)),
            12 => format!("!({f})"),
            _ => format!("{} ({f})", self.quantifier()),
        }
    }
}

/// A never claim over state expressions.
pub fn never_claim(random: &mut Random, atoms: &[String]) -> String {
    let count = random.between(1, 3);
    let accepting: Vec<bool> = (0..count).map(|_| random.percent(50)).collect();
    let name = |at: usize| match accepting[at] {
        true => format!("accept_S{at}"),
        false => format!("S{at}"),
    };
    let ends = random.percent(15);
    let mut text = String::from("never {\n");
    for at in 0..count {
        text.push_str(&format!("{}:\n  if\n", name(at)));
        for _ in 0..random.between(1, 3) {
            let guard = match random.below(4) {
                0 => "true".to_string(),
                1 => format!("!({})", random.pick(atoms)),
                _ => random.pick(atoms).clone(),
            };
            let target = match ends && random.percent(20) {
                true => "done".to_string(),
                false => name(random.below(count)),
            };
            text.push_str(&format!("  :: {guard} -> goto {target}\n"));
        }
        text.push_str("  fi;\n");
    }
    if ends {
        text.push_str("done: skip\n");
    }
    text.push_str("}\n");
    text
}

/// An automaton in HOA format over state expressions.
pub fn automaton(random: &mut Random, atoms: &[String]) -> String {
    let acceptances = [
        (0, "0 t"),
        (1, "1 Inf(0)"),
        (2, "2 Inf(0)&Inf(1)"),
        (2, "2 Fin(0) | Inf(1)"),
        (3, "3 (Fin(0) | Inf(1)) & Inf(2)"),
        (1, "1 Fin(0)"),
        (2, "2 Fin(0) & Inf(1)"),
        (3, "3 Inf(0) | (Fin(1) & Inf(2))"),
    ];
    let &(marks, acceptance) = random.pick(&acceptances);
    let count = random.between(1, 3);
    let used = atoms.len().min(2);
    let names: Vec<String> = atoms[..used].iter().map(|a| format!("\"{a}\"")).collect();
    let mut text = format!(
        "HOA: v1\nStates: {count}\nStart: 0\nAP: {used} {}\nAcceptance: {acceptance}\n--BODY--\n",
        names.join(" ")
    );
    for state in 0..count {
        text.push_str(&format!("State: {state}\n"));
        for _ in 0..random.between(1, 3) {
            let prop = random.below(used.max(1));
            let label = match random.below(if used == 0 { 1 } else { 4 }) {
                0 => "t".to_string(),
                1 => format!("!{prop}"),
                _ => format!("{prop}"),
            };
            let set: Vec<String> = (0..marks)
                .filter(|_| random.percent(40))
                .map(|m: usize| m.to_string())
                .collect();
            let set = match set.is_empty() {
                true => String::new(),
                false => format!(" {{{}}}", set.join(" ")),
            };
            text.push_str(&format!("[{label}] {}{set}\n", random.below(count)));
        }
    }
    text.push_str("--END--\n");
    text
}
