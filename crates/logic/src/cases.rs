//! Cases by what is constant along a word.
//!
//! **Problem.** `G F p` holds everywhere on a word or nowhere. Below other temporal operators a tableau asks for it again
//! at every position, and combines what it was promised at each.
//!
//! **Idea.** Ask once: *f* is `(c & f with true for c) | (!c & f with false for c)`, and both rests are simpler. More
//! than that, what is constant is *known* in a case, at every position: subformulas that follow from it are
//! true, subformulas that contradict it are false, an `U` whose goal comes anyway is a `W`. In negation normal
//! form *f* is monotone in *c*, so `!c` may be left out of the second case where it helped with nothing.
//!
//! **Cost.** Exponential in the number of constants, hence a limit. All rules hold at every position of a word on
//! which the constants hold, and are exercised by random tests against [`crate::evaluate`].

use evenhand_source::spend;

use crate::formula::{Binary, FormulaId, Formulas, Map, Node, Unary};
use crate::simplify::Simplifier;

/// Passes with the same knowledge.
const MAX_PASSES: usize = 4;

/// Constants that may be known at once; more are not looked for.
const MAX_KNOWN: usize = 16;

impl Simplifier {
    /// Formulas whose disjunction is `f`, simplified: one for each choice of what is constant. At most `most`; none if
    /// there is nothing constant but `f` itself, or something about the past.
    pub fn cases(
        &mut self,
        store: &mut Formulas,
        f: FormulaId,
        most: usize,
    ) -> Option<Vec<FormulaId>> {
        let f = self.simplify(store, f);
        if store.properties(f).has_past() || constant(store, f, &[]).is_none_or(|c| c == f) {
            return None;
        }
        let mut cases: Vec<FormulaId> = Vec::new();
        let mut todo: Vec<(Vec<FormulaId>, FormulaId)> = vec![(Vec::new(), f)];
        let mut steps = 0;
        while let Some((mut known, f)) = todo.pop() {
            if f == FormulaId::FALSE {
                continue;
            }
            let next = match known.len() < MAX_KNOWN {
                true => constant(store, f, &known),
                false => None,
            };
            let Some(c) = next else {
                known.push(f);
                let case = self.and(store, known);
                cases.push(self.simplify(store, case));
                continue;
            };
            steps += 1;
            if cases.len() + todo.len() + 2 > most || steps > 4 * most {
                return None;
            }
            let not = self.negate(store, c);
            let without = self.assume(store, f, &known, Some(c));
            let mut more = known.clone();
            more.push(not);
            let denied = self.assume(store, f, &more, None);
            todo.push(match denied == without {
                true => (known.clone(), without),
                false => (more, denied),
            });
            known.push(c);
            let with = self.assume(store, f, &known, None);
            todo.push((known, with));
        }
        Some(self.weakest(store, cases))
    }

    /// Without what implies another one.
    fn weakest(&mut self, store: &mut Formulas, list: Vec<FormulaId>) -> Vec<FormulaId> {
        let mut kept: Vec<FormulaId> = Vec::new();
        for f in list {
            if f == FormulaId::FALSE || kept.iter().any(|&g| self.known_implies(store, f, g)) {
                continue;
            }
            kept.retain(|&g| !self.known_implies(store, g, f));
            kept.push(f);
        }
        kept
    }

    /// A formula that has the value of `f` at every position of a word on which all of `known` hold; with `false` for
    /// what is `denied`.
    fn assume(
        &mut self,
        store: &mut Formulas,
        f: FormulaId,
        known: &[FormulaId],
        denied: Option<FormulaId>,
    ) -> FormulaId {
        let knowledge = Knowledge::new(self, store, known);
        let mut current = f;
        for _ in 0..MAX_PASSES {
            let mut image: Map<FormulaId, FormulaId> = Map::default();
            for g in store.subformulas(current) {
                spend();
                let result = match denied == Some(g) {
                    true => FormulaId::FALSE,
                    false => self.known_value(store, g, &knowledge, &image),
                };
                image.insert(g, result);
            }
            let next = image.get(&current).copied().unwrap_or(current);
            let next = self.simplify(store, next);
            if next == current {
                break;
            }
            current = next;
        }
        current
    }

    /// A formula by what is known, given those of its operands.
    fn known_value(
        &mut self,
        store: &mut Formulas,
        f: FormulaId,
        knowledge: &Knowledge,
        image: &Map<FormulaId, FormulaId>,
    ) -> FormulaId {
        if matches!(store.node(f), Node::Constant(_)) {
            return f;
        }
        if self.follows(store, f, knowledge) {
            return FormulaId::TRUE;
        }
        let negation = self.negate(store, f);
        if self.follows(store, negation, knowledge) {
            return FormulaId::FALSE;
        }
        let of = |g: &FormulaId| image.get(g).copied().unwrap_or(*g);
        match store.node(f).clone() {
            Node::And(list) => {
                let list = list.iter().map(of).collect();
                self.and(store, list)
            }
            Node::Or(list) => {
                let list = list.iter().map(of).collect();
                self.or(store, list)
            }
            Node::Unary(operator, g) => self.unary(store, operator, of(&g)),
            Node::Binary(operator, g, h) => {
                let goal = match operator {
                    Binary::Until => Some((Binary::WeakUntil, of(&h))),
                    Binary::StrongRelease => Some((Binary::Release, of(&g))),
                    _ => None,
                };
                let weak = goal.filter(|&(_, goal)| {
                    let comes = store.finally(goal);
                    self.follows(store, comes, knowledge)
                });
                let operator = weak.map_or(operator, |(weak, _)| weak);
                self.binary(store, operator, of(&g), of(&h))
            }
            _ => f,
        }
    }

    /// Whether a formula holds at all positions, as far as syntax shows.
    fn follows(&mut self, store: &mut Formulas, f: FormulaId, knowledge: &Knowledge) -> bool {
        let mut any = |formulas: &[FormulaId], f: FormulaId| {
            formulas.iter().any(|&g| self.known_implies(store, g, f))
        };
        if any(&knowledge.known, f) {
            return true;
        }
        let (list, is_all) = match store.node(f) {
            Node::And(list) => (list.to_vec(), true),
            Node::Or(list) => (list.to_vec(), false),
            // What holds again and again comes once more.
            Node::Unary(Unary::Finally, g) => {
                let g = *g;
                let body = match store.node(g) {
                    Node::Unary(Unary::Globally, g) => return any(&[knowledge.always], *g),
                    _ => g,
                };
                return any(&knowledge.again, body);
            }
            Node::Unary(Unary::Globally, g) => match store.node(*g) {
                Node::Unary(Unary::Finally, g) => return any(&knowledge.again, *g),
                _ => return false,
            },
            _ => return false,
        };
        match is_all {
            true => list.iter().all(|&g| self.follows(store, g, knowledge)),
            false => list.iter().any(|&g| self.follows(store, g, knowledge)),
        }
    }
}

/// What is known at all positions of a word.
struct Knowledge {
    known: Vec<FormulaId>,
    /// Holds from some position on.
    always: FormulaId,
    /// Each holds at infinitely many positions.
    again: Vec<FormulaId>,
}

impl Knowledge {
    fn new(simplifier: &mut Simplifier, store: &mut Formulas, known: &[FormulaId]) -> Knowledge {
        let below = |store: &Formulas, f: FormulaId, outer: Unary, inner: Unary| {
            let Node::Unary(operator, g) = *store.node(f) else {
                return None;
            };
            match *store.node(g) {
                Node::Unary(second, h) if operator == outer && second == inner => Some(h),
                _ => None,
            }
        };
        let (mut always, mut often) = (Vec::new(), Vec::new());
        for &f in known {
            always.extend(below(store, f, Unary::Finally, Unary::Globally));
            often.extend(below(store, f, Unary::Globally, Unary::Finally));
        }
        let always = simplifier.and(store, always);
        let mut again = vec![always];
        for f in often {
            again.push(simplifier.and(store, vec![always, f]));
        }
        Knowledge {
            known: known.to_vec(),
            always,
            again,
        }
    }
}

/// What is constant along a word, not a combination of such, and not known yet: the first found from the outside.
fn constant(store: &Formulas, f: FormulaId, known: &[FormulaId]) -> Option<FormulaId> {
    let mut todo = vec![f];
    let mut seen = std::collections::BTreeSet::new();
    while let Some(g) = todo.pop() {
        spend();
        let node = store.node(g);
        let is_combined = matches!(node, Node::And(_) | Node::Or(_));
        if matches!(node, Node::Constant(_)) || !seen.insert(g) {
            continue;
        }
        if store.properties(g).is_suspendable() && !is_combined {
            if !known.contains(&g) {
                return Some(g);
            }
            continue;
        }
        todo.extend(node.operands());
    }
    None
}
