//! Classes of formulas, held against the definition in terms of words.
//!
//! What a finite word does to a formula is a function: from the truth of the temporal subformulas behind it to that
//! before it. There are finitely many, and they are composed as words are; the value at the start of `v v v …` is the
//! fixpoint of the function of `v`, the least for operators that promise, the greatest for others. So words `u v v v …`
//! are pairs of functions, and topology is a matter of looking at all of them. Nothing of this knows automata.
//!
//! `EVENHAND_CASES` sets the number of random formulas.

use evenhand_automata::translate::{Options, class};
use evenhand_logic::random::Random;
use evenhand_logic::{
    Binary, Class, FormulaId, Formulas, Node, Spelling, Unary, normal_form, parse, print,
};
use std::collections::HashMap;

/// What a word does: the truth of all temporal subformulas before it and of the formula itself, for each truth of the
/// temporal ones behind it.
type Action = Vec<u32>;

struct Words<'s> {
    store: &'s Formulas,
    parts: Vec<FormulaId>,
    temporal: Vec<FormulaId>,
    root: FormulaId,
}

/// Whether the formula holds, in an action.
const ROOT: u32 = 1 << 31;

impl Words<'_> {
    fn letter(&self, letter: usize) -> Action {
        (0..1u32 << self.temporal.len())
            .map(|behind| {
                let later = |f: FormulaId| {
                    let place = self.temporal.iter().position(|&g| g == f);
                    behind >> place.expect("temporal") & 1 == 1
                };
                let mut now: HashMap<FormulaId, bool> = HashMap::new();
                for &f in &self.parts {
                    let of = |g: &FormulaId| now[g];
                    let value = match self.store.node(f) {
                        Node::Constant(value) => *value,
                        Node::Atom(a) => letter >> a.index() & 1 == 1,
                        Node::Not(g) => !of(g),
                        Node::And(list) => list.iter().all(of),
                        Node::Or(list) => list.iter().any(of),
                        // What is next is asked of the value that is kept of the operand.
                        Node::Unary(Unary::Next, _) => later(f),
                        Node::Unary(Unary::Finally, g) => of(g) || later(f),
                        Node::Unary(Unary::Globally, g) => of(g) && later(f),
                        Node::Binary(op, g, h) => match op {
                            Binary::Until | Binary::WeakUntil => of(h) || of(g) && later(f),
                            Binary::Release | Binary::StrongRelease => of(h) && (of(g) || later(f)),
                            _ => panic!("no past here"),
                        },
                        _ => panic!("not in normal form"),
                    };
                    now.insert(f, value);
                }
                let mut word = u32::from(now[&self.root]) * ROOT;
                for (place, f) in self.temporal.iter().enumerate() {
                    // `X g` is remembered as what `g` is here, for the letter before.
                    let value = match self.store.node(*f) {
                        Node::Unary(Unary::Next, g) => now[g],
                        _ => now[f],
                    };
                    word |= u32::from(value) << place;
                }
                word
            })
            .collect()
    }

    fn then(&self, first: &Action, second: &Action) -> Action {
        let mask = (1 << self.temporal.len()) - 1;
        second
            .iter()
            .map(|&at| first[(at & mask) as usize])
            .collect()
    }

    /// Whether the formula holds on the word with this action, followed by the other for ever.
    fn holds(&self, before: &Action, cycle: &Action) -> bool {
        // Operands come first, so each value depends on earlier ones and itself.
        let mut at = 0u32;
        for (place, f) in self.temporal.iter().enumerate() {
            let promises = match self.store.node(*f) {
                Node::Unary(Unary::Globally, _) => false,
                Node::Binary(op, ..) => matches!(op, Binary::Until | Binary::StrongRelease),
                _ => true,
            };
            let guess = if promises { at } else { at | 1 << place };
            at |= cycle[guess as usize] & 1 << place;
        }
        let mask = (1 << self.temporal.len()) - 1;
        assert_eq!(cycle[at as usize] & mask, at, "no fixpoint");
        before[at as usize] & ROOT != 0
    }
}

/// The lowest class, by looking at all words; none if there are too many.
fn by_words(store: &Formulas, f: FormulaId, atoms: usize) -> Option<Class> {
    let parts = store.subformulas(f);
    let is_temporal = |g: &FormulaId| matches!(store.node(*g), Node::Unary(..) | Node::Binary(..));
    let temporal: Vec<FormulaId> = parts.iter().copied().filter(is_temporal).collect();
    if temporal.len() > 7 {
        return None;
    }
    let words = Words {
        store,
        parts,
        temporal,
        root: f,
    };
    let letters: Vec<Action> = (0..1 << atoms).map(|letter| words.letter(letter)).collect();
    let mut number: HashMap<Action, usize> = HashMap::new();
    let mut actions: Vec<Action> = Vec::new();
    let mut todo = letters.clone();
    while let Some(action) = todo.pop() {
        if number.contains_key(&action) {
            continue;
        }
        number.insert(action.clone(), actions.len());
        todo.extend(letters.iter().map(|letter| words.then(letter, &action)));
        actions.push(action);
        if actions.len() > 120 {
            return None;
        }
    }
    let count = actions.len();
    let then: Vec<Vec<usize>> = (actions.iter())
        .map(|a| actions.iter().map(|b| number[&words.then(a, b)]).collect())
        .collect();
    let idempotent: Vec<usize> = (0..count).filter(|&e| then[e][e] == e).collect();
    // `holds[s][e]`: on a word of `s` followed by words of `e` for ever.
    let holds: Vec<Vec<bool>> = (actions.iter())
        .map(|s| actions.iter().map(|e| words.holds(s, e)).collect())
        .collect();
    // A prefix decides if all that can follow agrees.
    let only = |s: usize, value: bool| {
        let then = &then[s];
        idempotent
            .iter()
            .all(|&e| holds[s][e] == value && then.iter().all(|&after| holds[after][e] == value))
    };
    let decided = |value: bool| {
        (0..count).all(|s| {
            let stays = idempotent.iter().filter(|&&e| then[s][e] == s);
            let mut those = stays.filter(|&&e| holds[s][e] == value);
            those.next().is_none() || only(s, value)
        })
    };
    // Words that go round `e` and come back to `f` again and again are like `f` for ever.
    let nested = |inner: bool| {
        (0..count).any(|s| {
            let stays: Vec<usize> = (idempotent.iter().copied())
                .filter(|&e| then[s][e] == s)
                .collect();
            stays.iter().any(|&e| {
                holds[s][e] == inner
                    && stays
                        .iter()
                        .any(|&f| then[e][f] == f && then[f][e] == f && holds[s][f] != inner)
            })
        })
    };
    Some(match (decided(false), decided(true)) {
        (true, _) => Class::Safety,
        (_, true) => Class::Guarantee,
        _ => match (nested(true), nested(false)) {
            (false, false) => Class::Obligation,
            (false, true) => Class::Recurrence,
            (true, false) => Class::Persistence,
            (true, true) => Class::Reactivity,
        },
    })
}

fn check(seed: u64, count: usize, constants: bool) -> HashMap<Class, usize> {
    let mut random = Random::new(seed);
    let mut seen: HashMap<Class, usize> = HashMap::new();
    for case in 0..count {
        let atoms = 1 + case % 2;
        let mut store = Formulas::new();
        for i in 0..atoms {
            store.atom(&format!("p{i}"));
        }
        let size = 1 + random.below(6);
        let f = match constants {
            true => random.formula_with_constants(&mut store, size / 2, atoms),
            false => random.formula(&mut store, size, atoms, false),
        };
        let normal = normal_form(&mut store, f, false);
        let Some(expected) = by_words(&store, normal, atoms) else {
            continue;
        };
        let text = print(&store, f, Spelling::Spot);
        let found = class(&mut store, f, &Options::default()).expect(&text);
        assert_eq!(found, Some(expected), "{text}");
        *seen.entry(expected).or_default() += 1;
    }
    seen
}

fn cases(default: usize) -> usize {
    std::env::var("EVENHAND_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(default)
}

#[test]
fn classes_are_those_of_the_words() {
    let mut seen = check(31, cases(600), false);
    for (class, more) in check(32, cases(400), true) {
        *seen.entry(class).or_default() += more;
    }
    println!("{seen:?}");
    assert_eq!(seen.len(), 6, "{seen:?}");
}

#[test]
fn classes_of_known_formulas() {
    for (text, expected) in [
        ("G (p -> X q)", Class::Safety),
        ("F p & false", Class::Safety),
        ("p U q", Class::Guarantee),
        ("F p & G q", Class::Obligation),
        ("G F p", Class::Recurrence),
        ("F G p", Class::Persistence),
        ("G F p -> G F q", Class::Reactivity),
        // Lower than their syntax shows.
        ("G (p | F q) & G !q", Class::Safety),
        ("G (p -> F (q & O p)) | F G (q & F !q)", Class::Recurrence),
        ("(G F p & F G !p) | F q", Class::Guarantee),
        ("(G F p & F G q) | G F (p & q)", Class::Recurrence),
        ("G (p -> F G p)", Class::Persistence),
        ("F (p & G F q) & G !q", Class::Safety),
    ] {
        let mut store = Formulas::new();
        let f = parse(&mut store, text, Spelling::Any).expect(text);
        let found = class(&mut store, f, &Options::default()).expect(text);
        assert_eq!(found, Some(expected), "{text}");
    }
}

/// What takes too long to decide is left open.
#[test]
fn limits_leave_the_class_open() {
    let parts: Vec<String> = (0..7)
        .map(|i| format!("(GF(p{i} & X X X q) -> GF(q & X X r{i}))"))
        .collect();
    let text = parts.join(" & ");
    let mut store = Formulas::new();
    let f = parse(&mut store, &text, Spelling::Any).expect("a formula");
    assert!(matches!(
        class(&mut store, f, &Options::default()),
        Ok(None) | Err(_)
    ));
}
