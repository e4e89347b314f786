//! Why a formula is false on a lasso: the positions that decide it, in sentences.
//!
//! Beginning with "false at the start", the reason is pushed down into the formula: `G f` is false
//! because of the first position where `f` is, `f -> g` because `f` holds and `g` does not, `F f`
//! because `f` never holds from there on. It ends at formulas that talk about one position or about
//! all positions from one on; those are the sentences. Where several parts are each to blame (a
//! disjunction that is false), all are told. The reason why something is *true* is found in the
//! same way, for negations.

use std::collections::HashMap;

use evenhand_logic::{
    Binary, FormulaId, Formulas, Lasso, Node, Spelling, Unary, evaluate_everywhere, print,
};

/// How many sentences there are at most.
const MOST: usize = 8;

/// How many turns of the loop are told one by one at most.
const MOST_TURNS: usize = 8;

/// Why `formula` is false at the start of the lasso; `holds(position, atom)` is the word.
pub fn why_false(
    store: &Formulas,
    formula: FormulaId,
    lasso: Lasso,
    holds: &dyn Fn(usize, evenhand_logic::AtomId) -> bool,
) -> Vec<String> {
    // With past operators a position of the loop differs from turn to turn, for as many turns as
    // there are operators at most: the first turns are told as part of the way.
    let is_past = |f: &FormulaId| {
        use Binary::{Since, Trigger};
        use Unary::{Historically, Once, WeakYesterday, Yesterday};
        matches!(
            store.node(*f),
            Node::Unary(Yesterday | WeakYesterday | Once | Historically, _)
                | Node::Binary(Since | Trigger, ..)
        )
    };
    let turns = store
        .subformulas(formula)
        .iter()
        .filter(|f| is_past(f))
        .count();
    let unrolled = Lasso {
        prefix: lasso.prefix + turns.min(MOST_TURNS) * lasso.cycle,
        cycle: lasso.cycle,
    };
    let once = |at: usize, atom| match at < lasso.positions() {
        true => holds(at, atom),
        false => holds(
            lasso.prefix + (at - lasso.prefix) % lasso.cycle.max(1),
            atom,
        ),
    };
    let mut explainer = Explainer {
        store,
        lasso: unrolled,
        holds: &once,
        tables: HashMap::new(),
        sentences: Vec::new(),
        last: None,
        again: false,
    };
    explainer.name_part(formula);
    explainer.explain(formula, 0, false);
    explainer.sentences
}

struct Explainer<'e> {
    store: &'e Formulas,
    lasso: Lasso,
    holds: &'e dyn Fn(usize, evenhand_logic::AtomId) -> bool,
    tables: HashMap<FormulaId, Vec<bool>>,
    sentences: Vec<String>,
    /// The position of the last sentence.
    last: Option<usize>,
    /// Whether a position is one of infinitely many.
    again: bool,
}

impl Explainer<'_> {
    fn value(&mut self, f: FormulaId, at: usize) -> bool {
        let (store, lasso, holds) = (self.store, self.lasso, self.holds);
        let table = self
            .tables
            .entry(f)
            .or_insert_with(|| evaluate_everywhere(store, f, lasso, holds).unwrap_or_default());
        table.get(at).copied().unwrap_or(false)
    }

    /// The positions from one on, each once, nearest first.
    fn from(&self, at: usize) -> Vec<usize> {
        let (start, end) = (self.lasso.prefix, self.lasso.positions());
        (at..end).chain(start..at.max(start)).collect()
    }

    /// A formula as the user would write it: an expression of the model needs no parentheses.
    fn text(&self, f: FormulaId) -> String {
        match self.store.node(f) {
            Node::Atom(atom) => self.store.atom_info(*atom).text.clone(),
            _ => print(self.store, f, Spelling::Spin),
        }
    }

    /// "initially", "after step 3", "in each turn of the loop, after step 5".
    fn place(&self, at: usize) -> String {
        let place = match at {
            0 => "initially".to_string(),
            _ => format!("after step {at}"),
        };
        match self.again && self.lasso.cycle > 1 && at >= self.lasso.prefix {
            true => format!("in each turn of the loop, {place}"),
            false => place,
        }
    }

    fn say(&mut self, at: usize, sentence: String) {
        if self.sentences.len() < MOST && !self.sentences.contains(&sentence) {
            self.sentences.push(sentence);
            self.last = Some(at);
        }
    }

    fn state(&mut self, f: FormulaId, at: usize, truth: bool) {
        let (text, place) = (self.text(f), self.place(at));
        let verb = if truth { "holds" } else { "does not hold" };
        self.say(at, format!("{place}, `{text}` {verb}"));
    }

    /// Whether a formula is an atom without a text: what no person has asked is told to none.
    fn is_silent(&self, f: FormulaId) -> bool {
        match self.store.node(f) {
            Node::Atom(atom) => self.store.atom_info(*atom).text.is_empty(),
            _ => false,
        }
    }

    fn always(&mut self, f: FormulaId, at: usize, truth: bool) {
        if self.is_silent(f) {
            return;
        }
        // What is false again and again, or true again and again, is so somewhere in the loop.
        let again = match (self.store.node(f), truth) {
            (&Node::Unary(Unary::Globally, g), false) | (&Node::Unary(Unary::Finally, g), true) => {
                let mut turn = self.lasso.prefix..self.lasso.positions();
                turn.find(|&i| self.value(g, i) == truth).map(|i| (g, i))
            }
            _ => None,
        };
        if let Some((g, i)) = again {
            let before = std::mem::replace(&mut self.again, true);
            self.explain(g, i, truth);
            self.again = before;
            return;
        }
        let text = self.text(f);
        let since = match (at, self.last) {
            (_, Some(last)) if last == at => "from then on".to_string(),
            (0, _) => "from the start on".to_string(),
            _ => format!("from step {at} on"),
        };
        let verb = if truth { "always" } else { "never" };
        self.say(at, format!("{since}, `{text}` {verb} holds"));
    }

    /// Of a property that says several things, says which of them is broken: the one whose reason follows.
    fn name_part(&mut self, mut f: FormulaId) {
        while let Node::Implies(_, right) = *self.store.node(f) {
            f = right;
        }
        let Node::And(parts) = self.store.node(f) else {
            return;
        };
        let is_whole = |part: &&FormulaId| !self.store.properties(**part).is_boolean();
        let count = parts.iter().filter(is_whole).count();
        if count < 2 {
            return;
        }
        let broken = parts.iter().filter(|&&part| !self.value(part, 0));
        let broken: Vec<FormulaId> = broken.copied().collect();
        if let Some(&first) = broken.first() {
            let (text, all) = (self.text(first), parts.len());
            let more = match broken.len() {
                1 => String::new(),
                many => format!(", and {} more", many - 1),
            };
            // It is no position, so what follows does not refer to it.
            self.sentences
                .push(format!("of its {all} parts, `{text}` is broken{more}"));
        }
    }

    /// Says why `f` has the value `truth` at a position.
    fn explain(&mut self, f: FormulaId, at: usize, truth: bool) {
        if self.sentences.len() >= MOST || self.is_silent(f) {
            return;
        }
        match self.store.node(f).clone() {
            Node::Not(g) => self.explain(g, at, !truth),
            _ if self.store.properties(f).is_boolean() => self.state(f, at, truth),
            Node::Constant(_) | Node::Atom(_) => self.state(f, at, truth),
            Node::And(list) => self.parts(&list, at, truth, !truth),
            Node::Or(list) => self.parts(&list, at, truth, truth),
            Node::Implies(g, h) => match truth {
                false => {
                    self.explain(g, at, true);
                    self.explain(h, at, false);
                }
                true if self.value(h, at) => self.explain(h, at, true),
                true => self.explain(g, at, false),
            },
            Node::Iff(g, h) | Node::Xor(g, h) => {
                for part in [g, h] {
                    let value = self.value(part, at);
                    self.explain(part, at, value);
                }
            }
            Node::Unary(operator, g) => self.unary(operator, g, at, truth),
            Node::Binary(operator, g, h) => self.binary(f, operator, (g, h), at, truth),
            Node::Path(..) => {}
        }
    }

    /// A conjunction or disjunction: one part decides it, or all together.
    fn parts(&mut self, list: &[FormulaId], at: usize, truth: bool, one: bool) {
        for &part in list {
            if self.value(part, at) == truth {
                self.explain(part, at, truth);
                if one {
                    return;
                }
            }
        }
    }

    fn unary(&mut self, operator: Unary, g: FormulaId, at: usize, truth: bool) {
        let forward = self.from(at);
        match (operator, truth) {
            (Unary::Globally, false) | (Unary::Finally, true) => {
                let first = forward.into_iter().find(|&i| self.value(g, i) == truth);
                if let Some(first) = first {
                    self.explain(g, first, truth);
                }
            }
            (Unary::Globally, true) | (Unary::Finally, false) => self.always(g, at, truth),
            (Unary::Next, _) if at + 1 < self.lasso.positions() => self.explain(g, at + 1, truth),
            (Unary::Next, _) => {
                let (back, last) = (self.lasso.prefix, self.lasso.positions());
                if !self.store.properties(g).is_boolean() {
                    return self.explain(g, back, truth);
                }
                // The last step goes back: the state is known, but this is another time.
                let text = self.text(g);
                let verb = if truth { "holds" } else { "does not hold" };
                self.say(back, format!("after step {last}, `{text}` {verb}"));
            }
            // The past of a position in the loop depends on the turn: say it as it stands.
            (Unary::Yesterday | Unary::WeakYesterday | Unary::Once | Unary::Historically, _) => {
                let (text, place) = (self.text(g), self.place(at));
                let verb = match (operator, truth) {
                    (Unary::Yesterday, true) => "held one step before",
                    (Unary::Yesterday, false) => "did not hold one step before",
                    (Unary::WeakYesterday, true) => "held one step before, or there was none",
                    (Unary::WeakYesterday, false) => "did not hold one step before",
                    (Unary::Once, true) => "holds or held before",
                    (Unary::Once, false) => "does not hold and never held before",
                    (_, true) => "holds and always held before",
                    (_, false) => "does not hold or once did not hold before",
                };
                self.say(at, format!("{place}, `{text}` {verb}"));
            }
        }
    }

    fn binary(
        &mut self,
        f: FormulaId,
        operator: Binary,
        (g, h): (FormulaId, FormulaId),
        at: usize,
        truth: bool,
    ) {
        let forward = self.from(at);
        match operator {
            Binary::Until | Binary::WeakUntil if !truth => {
                for i in forward {
                    if !self.value(g, i) {
                        self.explain(g, i, false);
                        self.explain(h, i, false);
                        return;
                    }
                }
                self.always(h, at, false);
            }
            Binary::Until | Binary::WeakUntil => {
                match forward.into_iter().find(|&i| self.value(h, i)) {
                    Some(i) => self.explain(h, i, true),
                    None => self.always(g, at, true),
                }
            }
            Binary::Release | Binary::StrongRelease if !truth => {
                match forward.into_iter().find(|&i| !self.value(h, i)) {
                    Some(i) => self.explain(h, i, false),
                    None => self.always(g, at, false),
                }
            }
            _ => self.state(f, at, truth),
        }
    }
}
