//! CTL* straight from its meaning, by other means than testers.
//!
//! That some fair run from an initial state passes state `s` with `f` true at that moment is a
//! question of linear time: is there a fair run with `F (at_s & f)`? It is answered by translating
//! that formula into an automaton and looking for an accepting cycle of the product. At the
//! beginning of runs it is `at_s & f`. Quantifiers inside are answered first, for every state, and
//! become sets of states.

use std::collections::BTreeMap;

use evenhand_automata::translate::{Options, translate};
use evenhand_explicit::emptiness::{Statistics, engines};
use evenhand_explicit::product::{Product, mark_count};
use evenhand_explicit::space::{Interest, Space};
use evenhand_explicit::store::PlainStore;
use evenhand_explicit::watch::Watch;
use evenhand_explicit::with_width;
use evenhand_logic::{
    FormulaId, Formulas, Lasso, Node, Quantifier, evaluate_everywhere, transplant,
};
use evenhand_system::PropositionId;

use super::kripke::{Kripke, Set};

/// The states where a formula holds: its outermost quantifiers at the beginning of runs, others
/// anywhere. The places of sets stand for the atoms.
pub fn holds(kripke: &Kripke, store: &Formulas, formula: FormulaId, start: bool) -> Set {
    match store.node(formula) {
        Node::Constant(value) => vec![*value; kripke.len()],
        Node::Atom(atom) => kripke.sets[atom.index()].clone(),
        Node::Not(f) => holds(kripke, store, *f, start).iter().map(|v| !v).collect(),
        Node::And(list) => join(kripke, store, list, start, |a, b| a && b),
        Node::Or(list) => join(kripke, store, list, start, |a, b| a || b),
        Node::Implies(f, g) => join(kripke, store, &[*f, *g], start, |a, b| !a || b),
        Node::Iff(f, g) => join(kripke, store, &[*f, *g], start, |a, b| a == b),
        Node::Xor(f, g) => join(kripke, store, &[*f, *g], start, |a, b| a != b),
        Node::Path(quantifier, body) => {
            let all = *quantifier == Quantifier::All;
            let (richer, mut own, mut body) = flatten(kripke, store, *body);
            if all {
                body = own.not(body);
            }
            let exists = (0..kripke.len()).map(|s| passes(&richer, &mut own, body, s, start));
            exists.map(|exists| exists != all).collect()
        }
        Node::Unary(..) | Node::Binary(..) => panic!("a temporal operator outside of a quantifier"),
    }
}

fn join(
    kripke: &Kripke,
    store: &Formulas,
    list: &[FormulaId],
    start: bool,
    with: fn(bool, bool) -> bool,
) -> Set {
    let mut sets = list.iter().map(|&f| holds(kripke, store, f, start));
    let first = sets.next().expect("operands");
    sets.fold(first, |all, next| {
        all.iter().zip(next).map(|(&a, b)| with(a, b)).collect()
    })
}

/// A system in which the quantified parts of a formula are sets, and the formula over them. Atom
/// `p3` is set 3.
pub fn flatten(
    kripke: &Kripke,
    store: &Formulas,
    body: FormulaId,
) -> (Kripke, Formulas, FormulaId) {
    let mut richer = kripke.clone();
    let mut own = Formulas::new();
    let mut known: BTreeMap<FormulaId, usize> = BTreeMap::new();
    let mut replace = |own: &mut Formulas, part: FormulaId| match store.node(part) {
        Node::Atom(atom) => Some(own.atom(&format!("p{}", atom.index()))),
        Node::Path(..) => {
            let place = *known.entry(part).or_insert_with(|| {
                richer.sets.push(holds(kripke, store, part, false));
                richer.sets.len() - 1
            });
            Some(own.atom(&format!("p{place}")))
        }
        _ => None,
    };
    let body = transplant(store, body, &mut own, &mut replace);
    (richer, own, body)
}

/// The set that an atom stands for.
fn place(store: &Formulas, atom: evenhand_logic::AtomId) -> usize {
    let text = &store.atom_info(atom).text;
    text[1..].parse().expect("an atom is the number of a set")
}

/// Whether some fair run has a formula at its beginning in a state, or anywhere when it passes it.
fn passes(kripke: &Kripke, store: &mut Formulas, f: FormulaId, state: usize, start: bool) -> bool {
    let mut kripke = kripke.clone();
    kripke
        .sets
        .push((0..kripke.len()).map(|s| s == state).collect());
    let here = store.atom(&format!("p{}", kripke.sets.len() - 1));
    let mut wanted = store.and([here, f]);
    if !start {
        wanted = store.finally(wanted);
    }
    let translated = translate(store, wanted, &Options::streett()).expect("a small automaton");
    let propositions: Vec<PropositionId> = translated
        .propositions
        .iter()
        .map(|&p| match store.node(p) {
            Node::Atom(atom) => PropositionId(place(store, *atom) as u32),
            other => panic!("{other:?}"),
        })
        .collect();
    let fairness = kripke.fairness();
    let system = kripke.system();
    let interest = Interest {
        propositions: &propositions,
        fairness: &fairness,
    };
    let mut space = Space::new(&system, interest, PlainStore::new());
    let automaton = &translated.automaton;
    with_width!(mark_count(&space, automaton), W => {
        let places = (0..propositions.len()).collect();
        let mut product = Product::<PlainStore, W>::new(&mut space, automaton, places, false)
            .unwrap_or_else(|_| panic!("a product"));
        let mut observer = |_: &_| true;
        let mut watch = Watch::new(&mut observer, None, None);
        let engine = engines::<W>()[0];
        let found = engine.search(&mut product, &mut watch, &mut Statistics::default());
        found.expect("no limit").is_some()
    }, else panic!("too many marks"))
}

/// For each state whether a fair lasso of at most so many states from an initial state has a
/// formula there (at its first position only, or anywhere): what is found this way certainly
/// exists.
pub fn seen(
    kripke: &Kripke,
    store: &Formulas,
    formula: FormulaId,
    start: bool,
    most: usize,
) -> Set {
    let mut found = vec![false; kripke.len()];
    let mut open: Vec<Vec<usize>> = kripke.initial.iter().map(|&s| vec![s]).collect();
    while let Some(path) = open.pop() {
        let last = path[path.len() - 1];
        for &next in &kripke.edges[last] {
            for entry in (0..path.len()).filter(|&entry| path[entry] == next) {
                if !kripke.is_fair(&path[entry..]) {
                    continue;
                }
                let lasso = Lasso {
                    prefix: entry,
                    cycle: path.len() - entry,
                };
                let value = |at: usize, atom| kripke.sets[place(store, atom)][path[at]];
                let truth = evaluate_everywhere(store, formula, lasso, &value);
                let truth = truth.expect("a formula of linear time");
                let counted = if start { 1 } else { path.len() };
                for (&state, _) in path.iter().zip(truth).take(counted).filter(|(_, t)| *t) {
                    found[state] = true;
                }
            }
            if path.len() < most {
                let longer = [&path[..], &[next]].concat();
                open.push(longer);
            }
        }
    }
    found
}
