//! Why a formula is false on a lasso: the positions that decide it, in sentences.
//!
//! Beginning with "false at the start", the reason is pushed down into the formula: `G f` is false
//! because of the first position where `f` is, `f -> g` because `f` holds and `g` does not, `F f`
//! because `f` never holds from there on. It ends at formulas that talk about one position or about
//! all positions from one on; those are the sentences. Where several parts are each to blame (a
//! disjunction that is false), all are told. The reason why something is *true* is found in the same
//! way, for negations.

use std::collections::HashMap;

use evenhand_logic::{
    Binary, FormulaId, Formulas, Lasso, Node, Spelling, Unary, evaluate_everywhere, print,
};

/// How many sentences there are at most.
const MOST: usize = 8;

/// Why `formula` is false at the start of the lasso; `holds(position, atom)` is the word.
pub fn why_false(
    store: &Formulas,
    formula: FormulaId,
    lasso: Lasso,
    holds: &dyn Fn(usize, evenhand_logic::AtomId) -> bool,
) -> Vec<String> {
    let mut explainer = Explainer {
        store,
        lasso,
        holds,
        tables: HashMap::new(),
        sentences: Vec::new(),
    };
    explainer.explain(formula, 0, false);
    explainer.sentences
}

struct Explainer<'e> {
    store: &'e Formulas,
    lasso: Lasso,
    holds: &'e dyn Fn(usize, evenhand_logic::AtomId) -> bool,
    tables: HashMap<FormulaId, Vec<bool>>,
    sentences: Vec<String>,
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

    fn text(&self, f: FormulaId) -> String {
        print(self.store, f, Spelling::Spin)
    }

    /// "initially", "after step 3", "after step 5, in the loop".
    fn place(&self, at: usize) -> String {
        match (at, at >= self.lasso.prefix) {
            (0, false) => "initially".to_string(),
            (0, true) => "initially, in the loop".to_string(),
            (_, false) => format!("after step {at}"),
            (_, true) => format!("after step {at}, in the loop"),
        }
    }

    fn say(&mut self, sentence: String) {
        if self.sentences.len() < MOST && !self.sentences.contains(&sentence) {
            self.sentences.push(sentence);
        }
    }

    fn state(&mut self, f: FormulaId, at: usize, truth: bool) {
        let (text, place) = (self.text(f), self.place(at));
        let verb = if truth { "holds" } else { "does not hold" };
        self.say(format!("`{text}` {verb} {place}"));
    }

    fn always(&mut self, f: FormulaId, at: usize, truth: bool) {
        let (text, place) = (self.text(f), self.place(at));
        self.say(match truth {
            true => format!("`{text}` holds for ever from there on: {place}"),
            false => format!("`{text}` never holds again: from {}", from_words(&place)),
        });
    }

    /// Says why `f` has the value `truth` at a position.
    fn explain(&mut self, f: FormulaId, at: usize, truth: bool) {
        if self.sentences.len() >= MOST {
            return;
        }
        if self.store.properties(f).is_boolean() {
            return self.state(f, at, truth);
        }
        match self.store.node(f).clone() {
            Node::Constant(_) | Node::Atom(_) => self.state(f, at, truth),
            Node::Not(g) => self.explain(g, at, !truth),
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
            (Unary::Next, _) => {
                let next = match at + 1 < self.lasso.positions() {
                    true => at + 1,
                    false => self.lasso.prefix,
                };
                self.explain(g, next, truth);
            }
            // The past of a position in the loop depends on the turn: say it as it stands.
            (Unary::Yesterday | Unary::WeakYesterday | Unary::Once | Unary::Historically, _) => {
                let (text, place) = (self.text(g), self.place(at));
                let word = match operator {
                    Unary::Yesterday | Unary::WeakYesterday => "one step before",
                    Unary::Once => "there or before",
                    _ => "there and always before",
                };
                let verb = if truth { "holds" } else { "does not hold" };
                self.say(format!("`{text}` {verb} {word}: {place}"));
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

fn from_words(place: &str) -> String {
    match place.strip_prefix("initially") {
        Some(rest) => format!("the start on{rest}"),
        None => place.replacen("after", "the state after", 1) + " on",
    }
}
