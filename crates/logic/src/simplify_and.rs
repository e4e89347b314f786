//! The rules for conjunctions; disjunctions are their duals. See [`crate::simplify`].
//!
//! Operands that others imply are dropped, contradicting ones make the whole `false`; operands with
//! the same outermost operator are joined (`G a & G b = G (a & b)`,
//! `(a U c) & (b W c) = (a & b) U c`, …); pairs that say together what another operator says alone
//! are replaced (`F g & (f W g) = f U g`).

use crate::formula::{Binary, FormulaId, Formulas, Map, Node, Unary};
use crate::simplify::Simplifier;

/// Beyond this many operands the quadratic comparisons are skipped.
const MAX_COMPARED: usize = 64;

impl Simplifier {
    /// The conjunction of simplified formulas.
    pub(crate) fn and(&mut self, store: &mut Formulas, list: Vec<FormulaId>) -> FormulaId {
        let flat = store.and(list);
        let Node::And(list) = store.node(flat).clone() else {
            return flat;
        };
        let mut list = list.to_vec();
        if list.len() <= MAX_COMPARED {
            match self.compare(store, list) {
                Some(rest) => list = rest,
                None => return FormulaId::FALSE,
            }
            if let Some(better) = self.pairs(store, &list) {
                return self.and(store, better);
            }
        }
        let joined = self.join(store, &list);
        if joined.len() < list.len() {
            return self.and(store, joined);
        }
        store.and(joined)
    }

    /// Drops what is implied; `None` on a contradiction.
    fn compare(&mut self, store: &mut Formulas, list: Vec<FormulaId>) -> Option<Vec<FormulaId>> {
        let mut kept: Vec<FormulaId> = Vec::new();
        for f in list {
            if kept.iter().any(|&g| self.known_implies(store, g, f)) {
                continue;
            }
            for &g in &kept {
                let Simplifier {
                    normal,
                    implications,
                    ..
                } = self;
                if implications.excludes(store, normal, f, g)
                    || implications.excludes(store, normal, g, f)
                {
                    return None;
                }
            }
            kept.retain(|&g| !self.known_implies(store, f, g));
            kept.push(f);
        }
        let booleans: Vec<FormulaId> = kept
            .iter()
            .copied()
            .filter(|&f| store.properties(f).is_boolean())
            .collect();
        if booleans.len() > 2 {
            let all = store.and(booleans);
            let diagram = self.implications.diagram(store, all);
            if diagram == crate::bdd::Bdd::FALSE && !self.implications.bdds.overflowed() {
                return None;
            }
        }
        Some(kept)
    }

    /// Two operands that are one in other words.
    fn pairs(&mut self, store: &mut Formulas, list: &[FormulaId]) -> Option<Vec<FormulaId>> {
        for (i, &f) in list.iter().enumerate() {
            for (j, &g) in list.iter().enumerate() {
                if i == j {
                    continue;
                }
                if let Some(both) = self.pair(store, f, g) {
                    let others = list.iter().enumerate();
                    let mut rest: Vec<FormulaId> = others
                        .filter(|&(k, _)| k != i && k != j)
                        .map(|(_, &h)| h)
                        .collect();
                    rest.extend(both);
                    return Some(rest);
                }
            }
        }
        None
    }

    fn pair(&mut self, store: &mut Formulas, f: FormulaId, g: FormulaId) -> Option<Vec<FormulaId>> {
        match (store.node(f).clone(), store.node(g).clone()) {
            // f & X G f = G f
            (_, Node::Unary(Unary::Next, x))
                if *store.node(x) == Node::Unary(Unary::Globally, f) =>
            {
                Some(vec![x])
            }
            (Node::Unary(Unary::Finally, a), Node::Binary(Binary::WeakUntil, b, c)) if a == c => {
                Some(vec![self.until(store, b, c)])
            }
            (Node::Unary(Unary::Finally, a), Node::Binary(Binary::Release, b, c)) if a == b => {
                Some(vec![self.binary(store, Binary::StrongRelease, b, c)])
            }
            (Node::Unary(Unary::Globally, a), Node::Binary(Binary::Until, b, c))
                if self.known_implies(store, a, b) =>
            {
                Some(vec![f, self.unary(store, Unary::Finally, c)])
            }
            (Node::Unary(Unary::Globally, a), Node::Binary(Binary::StrongRelease, b, c))
                if self.known_implies(store, a, c) =>
            {
                Some(vec![f, self.unary(store, Unary::Finally, b)])
            }
            _ => None,
        }
    }

    /// Joins operands with the same outermost operator.
    fn join(&mut self, store: &mut Formulas, list: &[FormulaId]) -> Vec<FormulaId> {
        let mut groups: Vec<(Group, Vec<FormulaId>)> = Vec::new();
        let mut places: Map<Group, usize> = Map::default();
        let mut rest = Vec::new();
        for &f in list {
            let Some((group, part)) = group(store, f) else {
                rest.push(f);
                continue;
            };
            match places.get(&group) {
                Some(&place) => groups[place].1.extend([f, part]),
                None => {
                    places.insert(group, groups.len());
                    groups.push((group, vec![f, part]));
                }
            }
        }
        for (group, members) in groups {
            if members.len() == 2 {
                rest.push(members[0]);
                continue;
            }
            let parts = members.iter().skip(1).step_by(2).copied().collect();
            let strong = members.iter().step_by(2).any(|&f| {
                matches!(
                    store.node(f),
                    Node::Binary(Binary::Until | Binary::StrongRelease, ..)
                )
            });
            let both = self.and(store, parts);
            rest.push(match group {
                Group::Next => self.unary(store, Unary::Next, both),
                Group::Globally => self.unary(store, Unary::Globally, both),
                Group::Persistent => {
                    let always = self.unary(store, Unary::Globally, both);
                    self.unary(store, Unary::Finally, always)
                }
                Group::Towards(goal) if strong => self.until(store, both, goal),
                Group::Towards(goal) => self.weak_until(store, both, goal),
                Group::Until(goal) if strong => {
                    self.binary(store, Binary::StrongRelease, goal, both)
                }
                Group::Until(goal) => self.binary(store, Binary::Release, goal, both),
            });
        }
        rest
    }
}

/// Operands that can be joined.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Group {
    Next,
    Globally,
    Persistent,
    /// `_ U goal`, `_ W goal`.
    Towards(FormulaId),
    /// `goal R _`, `goal M _`.
    Until(FormulaId),
}

fn group(store: &Formulas, f: FormulaId) -> Option<(Group, FormulaId)> {
    match *store.node(f) {
        Node::Unary(Unary::Next, a) => Some((Group::Next, a)),
        Node::Unary(Unary::Globally, a) if !store.properties(f).is_suspendable() => {
            Some((Group::Globally, a))
        }
        Node::Unary(Unary::Finally, a) => match *store.node(a) {
            Node::Unary(Unary::Globally, b) => Some((Group::Persistent, b)),
            _ => None,
        },
        Node::Binary(Binary::Until | Binary::WeakUntil, a, b) => Some((Group::Towards(b), a)),
        Node::Binary(Binary::Release | Binary::StrongRelease, a, b) => Some((Group::Until(a), b)),
        _ => None,
    }
}
