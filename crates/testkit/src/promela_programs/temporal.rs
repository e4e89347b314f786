//! Random temporal questions: a program, formulas about it, and fairness assumptions.
//!
//! The programs are of two kinds: those of the other campaign, made smaller and livelier, and loops
//! made for fairness to matter. There are no assertions (SPIN would stop at them), and no label
//! that begins with `accept`, which SPIN counts together with the acceptance of the claim. The
//! formulas are without `X`, which SPIN refuses. They speak of globals, of what channels hold, and
//! of where processes are. Assumptions are of all kinds that the command line knows.

use super::Program;
use super::names::{Place, Signature, Type};
use super::random::Random;
use super::style::Style;
use super::tree;
use super::writer::Writer;

/// A program with questions about it.
#[derive(Clone, Debug)]
pub struct TemporalProgram {
    /// The program.
    pub program: Program,
    /// Formulas; the block of number `n` is called `f<n>`.
    pub formulas: Vec<String>,
    /// Fairness assumptions, each as for `--fair`.
    pub assumptions: Vec<String>,
    /// A few expressions about states.
    pub atoms: Vec<String>,
}

impl TemporalProgram {
    /// The program with its questions that belongs to a seed, always the same.
    pub fn generate(seed: u64, formulas: usize, assumptions: usize) -> Self {
        let mut random = Random::new(seed ^ 0x1f83_d9ab_fb41_bd6b);
        let style = Style::lively(&mut random);
        let of_machines = random.percent(65);
        let mut writer = Writer::new(&mut random, style);
        let pieces = match of_machines {
            true => writer.machines(),
            false => writer.program(),
        };
        let formulas = (0..formulas).map(|_| writer.formula()).collect();
        let assumptions = (0..assumptions).map(|_| writer.assumption()).collect();
        let atoms = (0..3).map(|_| writer.atom()).collect();
        let program = Program {
            seed,
            hazards: false,
            pieces,
        };
        TemporalProgram {
            program,
            formulas,
            assumptions,
            atoms,
        }
    }

    /// The program with its formulas as `ltl` blocks.
    pub fn text(&self) -> String {
        let mut text = tree::render(&self.program.pieces);
        for (number, formula) in self.formulas.iter().enumerate() {
            text.push_str(&format!("ltl f{number} {{ {formula} }}\n"));
        }
        text
    }
}

impl Writer<'_> {
    /// A formula: mostly one of the patterns that people write, sometimes any.
    fn formula(&mut self) -> String {
        let a = self.atom();
        let b = self.atom();
        let c = self.atom();
        // That somebody gets somewhere is what fairness is for.
        if let Some(place) = self.control_atom().filter(|_| self.random.percent(35)) {
            return match self.random.below(4) {
                0 => format!("<> {place}"),
                1 => format!("[] ({a} -> <> {place})"),
                2 => format!("([] <> {a}) -> ([] <> {place})"),
                _ => format!("[] <> {place}"),
            };
        }
        match self
            .random
            .weighted(&[14, 9, 9, 6, 5, 6, 6, 4, 4, 4, 4, 3, 3, 20])
        {
            0 => format!("[] ({a} -> <> {b})"),
            1 => format!("[] <> {a}"),
            2 => format!("<> [] {a}"),
            3 => format!("<> {a}"),
            4 => format!("[] {a}"),
            5 => format!("{a} U {b}"),
            6 => format!("([] <> {a}) -> ([] <> {b})"),
            7 => format!("(<> [] {a}) -> ([] <> {b})"),
            8 => format!("[] ({a} -> ({b} U {c}))"),
            9 => format!("<> ({a} && <> {b})"),
            10 => format!("!([] <> {a} && [] <> {b})"),
            11 => format!("{a} W {b}"),
            12 => format!("([] <> {a}) || (<> [] {b}) || <> {c}"),
            _ => self.tree(3),
        }
    }

    fn tree(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.percent(12) {
            return self.atom();
        }
        match self.random.weighted(&[3, 3, 3, 2, 2, 1, 1, 2]) {
            0 => format!("<> {}", self.operand(depth)),
            1 => format!("[] {}", self.operand(depth)),
            2 => format!("{} U {}", self.operand(depth), self.operand(depth)),
            3 => format!("{} && {}", self.operand(depth), self.operand(depth)),
            4 => format!("{} || {}", self.operand(depth), self.operand(depth)),
            5 => format!("{} W {}", self.operand(depth), self.operand(depth)),
            6 => format!("{} V {}", self.operand(depth), self.operand(depth)),
            _ => format!("!{}", self.operand(depth)),
        }
    }

    fn operand(&mut self, depth: usize) -> String {
        format!("({})", self.tree(depth - 1))
    }

    /// An expression about a state, in parentheses; now and then negated.
    fn atom(&mut self) -> String {
        let text = match self.random.weighted(&[6, 2, 3]) {
            1 => self.channel_atom(),
            2 => self.control_atom(),
            _ => None,
        };
        let text = text.unwrap_or_else(|| self.data_atom());
        match self.random.percent(15) {
            true => format!("(!{text})"),
            false => text,
        }
    }

    fn data_atom(&mut self) -> String {
        let global = |place: &&Place| place.before.starts_with(['g', 'r']);
        let places: Vec<Place> = self.scope.places.iter().filter(global).cloned().collect();
        if places.is_empty() {
            return "(_nr_pr > 1)".into();
        }
        let place = self.random.pick(&places).clone();
        let index = self.random.below(place.length.unwrap_or(1));
        let left = place.at(&index.to_string());
        if !place.ty.is_number() {
            return format!("({left} == {})", self.constant_of(place.ty));
        }
        let numbers: Vec<&Place> = places.iter().filter(|p| p.ty.is_number()).collect();
        if self.random.percent(12) {
            let other = *self.random.pick(&numbers);
            let other = other.at("0");
            return format!("({left} + {other} > {})", self.random.below(3));
        }
        let value = match place.ty {
            Type::Bit | Type::Bool => self.random.below(2),
            _ => self.random.weighted(&[4, 4, 2]),
        };
        let operator = self.random.pick(&["==", "==", "==", "!=", "<=", ">"]);
        format!("({left} {operator} {value})")
    }

    fn channel_atom(&mut self) -> Option<String> {
        let global = |channel: &&super::names::Channel| channel.name.starts_with('c');
        let channels: Vec<_> = self.scope.channels.iter().filter(global).cloned().collect();
        let channels: Vec<_> = channels.into_iter().filter(|c| c.capacity > 0).collect();
        if channels.is_empty() {
            return None;
        }
        let channel = self.random.pick(&channels).clone();
        let index = channel.length.map(|length| self.random.below(length));
        let index = index.map_or(String::new(), |index| format!("[{index}]"));
        let name = format!("{}{index}", channel.name);
        // SPIN has no `empty(…)` and `full(…)` here.
        Some(match self.random.percent(60) {
            true => format!("(len({name}) > 0)"),
            false => format!("(len({name}) == {})", channel.capacity),
        })
    }

    /// Where a process is, if its number is certain.
    fn control_atom(&mut self) -> Option<String> {
        let reused = self.signatures.iter().any(|s| s.first_pid.is_none());
        let known: Vec<Signature> = (self.signatures.iter())
            .filter(|s| s.first_pid.is_some() && s.labels > 0)
            .cloned()
            .collect();
        if known.is_empty() || reused {
            return None;
        }
        let signature = self.random.pick(&known).clone();
        let pid = signature.first_pid? + self.random.below(signature.active);
        let label = self.random.below(signature.labels);
        Some(format!("({}[{pid}]@L{label})", signature.name))
    }

    /// A fairness assumption.
    fn assumption(&mut self) -> String {
        let kind = *self.random.pick(&["weak", "strong"]);
        let signature = self.random.pick(&self.signatures).clone();
        let name = &signature.name;
        match self.random.weighted(&[2, 5, 3, 6, 4, 5]) {
            0 => kind.to_string(),
            1 => format!("{kind}:{name}"),
            2 => format!("{kind}:{name}[{}]", self.random.below(4)),
            3 if signature.labels > 0 => {
                format!("{kind}:{name}@L{}", self.random.below(signature.labels))
            }
            4 => format!("just:{}", self.atom()),
            _ => format!("compassion:{}=>{}", self.atom(), self.atom()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_depend_on_the_seed_alone() {
        let text = |seed| {
            let case = TemporalProgram::generate(seed, 3, 3);
            format!("{}{:?}", case.text(), case.assumptions)
        };
        assert_eq!(text(5), text(5));
        assert_ne!(text(5), text(6));
    }

    #[test]
    fn every_kind_of_question_occurs_and_no_accepting_label() {
        let mut text = String::new();
        for seed in 0..200 {
            let case = TemporalProgram::generate(seed, 3, 3);
            text.push_str(&case.text());
            text.push_str(&case.assumptions.join("\n"));
        }
        for construct in [
            "ltl f2",
            " U ",
            " W ",
            " V ",
            "[] <>",
            "<> []",
            "-> <>",
            "len(c",
            "]@L",
            "weak:p",
            "strong:p",
            "@L1",
            "just:",
            "compassion:",
            "=>",
            "[0] of",
            "atomic {",
            "timeout",
        ] {
            assert!(text.contains(construct), "no question uses {construct}");
        }
        assert!(!text.contains("accept"), "a label counts for the claim");
        // Assertions inside `d_step` are of the kind that cannot fail.
        for line in text.lines().filter(|line| line.contains("assert(")) {
            let harmless = line.contains(" <= 255 && ") && line.contains(" >= 0)");
            assert!(harmless || line.contains("assert(true)"), "{line}");
        }
    }
}
