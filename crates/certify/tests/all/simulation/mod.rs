//! Automata that accept all words on which a formula has a value: those of the translation are shown to, and
//! whatever is shown is true, however the automaton was damaged.
//!
//! `EVENHAND_CASES` sets the number of random formulas.

mod damage;

use std::time::{Duration, Instant};

use evenhand_automata::translate::{Options, translate};
use evenhand_automata::{Acceptance, Automaton, Bits, Builder, Cube, LassoWord, Letter, Literal};
use evenhand_automata::{
    Mark, MarkSet, Pair, Prop, State, accepts, complement, emptiness, product,
};
use evenhand_certify::{NotShown, Simulated, Tableau, Wanted, Words, accepts_all};
use evenhand_logic::random::{Random, Word};
use evenhand_logic::{FormulaId, Formulas, Node, Spelling, parse, print};
use evenhand_system::PropositionId;

fn cases(default: u64) -> u64 {
    let cases = std::env::var("EVENHAND_CASES").ok();
    cases
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(default)
}

/// Atom number n is this proposition.
fn proposition(atom: usize) -> PropositionId {
    PropositionId(3 * atom as u32 + 1)
}

fn propositions(count: usize) -> Vec<PropositionId> {
    (0..count).map(proposition).collect()
}

/// A formula, and the automaton of the words that break it.
struct Case {
    store: Formulas,
    formula: FormulaId,
    bad: Automaton,
    propositions: Vec<PropositionId>,
}

impl Case {
    fn new(mut store: Formulas, formula: FormulaId) -> Option<Case> {
        let negation = store.not(formula);
        let translation = translate(&mut store, negation, &Options::streett()).ok()?;
        let place = |&p: &FormulaId| match store.node(p) {
            Node::Atom(atom) => proposition(atom.index()),
            _ => unreachable!("no proposition is derived"),
        };
        let propositions = translation.propositions.iter().map(place).collect();
        Some(Case {
            store,
            formula,
            bad: translation.automaton,
            propositions,
        })
    }

    fn parse(text: &str) -> Case {
        let mut store = Formulas::new();
        let formula = parse(&mut store, text, Spelling::Any).expect(text);
        Case::new(store, formula).expect(text)
    }

    fn shown(&self, automaton: &Automaton) -> Result<Simulated, NotShown> {
        accepts_all(&Words {
            store: &self.store,
            formula: self.formula,
            value: false,
            atoms: &propositions(self.store.atoms().count()),
            automaton,
            propositions: &self.propositions,
        })
    }

    fn text(&self) -> String {
        print(&self.store, self.formula, Spelling::Any)
    }

    /// The tableau as an automaton over the same propositions.
    fn tableau(&self) -> Automaton {
        let atoms = propositions(self.store.atoms().count());
        let root = [(self.formula, false)];
        let wanted = Wanted {
            letters: &self.propositions,
            decisions: false,
        };
        let tableau = Tableau::new(&self.store, &root, &atoms, wanted, 1 << 12);
        automaton_of(
            &tableau.expect("small"),
            &self.propositions,
            self.bad.props(),
        )
    }

    /// Whether an automaton accepts all words that break the formula, by its complement.
    fn truly(&self, automaton: &Automaton) -> Option<bool> {
        let others = complement(automaton, 3000).ok()?;
        let missed = product(&self.tableau(), &others, 300_000).ok()?;
        let core = emptiness::accepting_core_within(&missed, 20_000).ok()?;
        Some(core.is_none())
    }
}

fn automaton_of(tableau: &Tableau, read: &[PropositionId], names: &[String]) -> Automaton {
    let acceptance = Acceptance::generalized_buchi(tableau.marks());
    let mut builder = Builder::new(names.to_vec(), acceptance);
    for _ in 0..tableau.len() {
        builder.add_state();
    }
    for &state in tableau.initial() {
        builder.add_initial(State(state));
    }
    for state in 0..tableau.len() {
        let mut cube = Cube::TRUE;
        for (place, &proposition) in read.iter().enumerate() {
            let positive = tableau.holds(state, proposition).expect("is read");
            let prop = Prop::new(place);
            cube = cube.with(Literal { prop, positive });
        }
        let has = |mark: &usize| tableau.marks_of(state) >> mark & 1 == 1;
        let marks: MarkSet = (0..tableau.marks()).filter(has).map(Mark::new).collect();
        for &target in tableau.successors(state) {
            builder.add_edge(State::new(state), &cube, &marks, State(target));
        }
    }
    builder.build()
}

/// A word for an automaton: which atom each of its propositions is follows from `propositions`.
fn lasso_word(word: &Word, propositions: &[PropositionId]) -> LassoWord {
    let letter = |bits: &u64| {
        let places = propositions.iter().enumerate();
        let holds = |p: &PropositionId| bits >> (p.0 / 3) & 1 == 1;
        let held: Bits = places.filter(|(_, p)| holds(p)).map(|(i, _)| i).collect();
        Letter(held)
    };
    let letters: Vec<Letter> = word.letters.iter().map(letter).collect();
    let (prefix, cycle) = letters.split_at(word.lasso.prefix);
    LassoWord {
        prefix: prefix.to_vec(),
        cycle: cycle.to_vec(),
    }
}

fn random_case(random: &mut Random, past: bool) -> Option<Case> {
    let mut store = Formulas::new();
    let (size, atoms) = (1 + random.below(8), 1 + random.below(3));
    for atom in 0..atoms {
        store.atom(&format!("p{atom}"));
    }
    let formula = random.formula(&mut store, size, atoms, past);
    Case::new(store, formula)
}

#[test]
fn the_tableau_has_the_words_of_the_formula() {
    let (mut agreed, mut satisfied) = (0, 0);
    for seed in 0..cases(400) {
        let mut random = Random::new(seed);
        let mut store = Formulas::new();
        for atom in 0..2 {
            store.atom(&format!("p{atom}"));
        }
        let size = 1 + random.below(6);
        let formula = random.formula(&mut store, size, 2, seed % 3 != 0);
        let value = random.below(2) == 0;
        let all = propositions(2);
        let wanted = Wanted {
            letters: &all,
            decisions: seed % 2 == 0,
        };
        let Ok(tableau) = Tableau::new(&store, &[(formula, value)], &all, wanted, 1000) else {
            continue;
        };
        let names = ["p0".to_string(), "p1".to_string()];
        let automaton = automaton_of(&tableau, &all, &names);
        for _ in 0..12 {
            let word = random.word(6, 2);
            let expected = word.satisfies(&store, formula) == value;
            let text = print(&store, formula, Spelling::Any);
            let found = accepts(&automaton, &lasso_word(&word, &all));
            assert_eq!(found, expected, "seed {seed}: {value} {text} on {word:?}");
            agreed += 1;
            satisfied += u32::from(expected);
        }
    }
    assert!(agreed > 3000 && satisfied > 1000, "{satisfied} of {agreed}");
}

/// What people ask for.
const USUAL: &[&str] = &[
    "G p",
    "F p",
    "G F p",
    "F G p",
    "p U q",
    "p W q",
    "p R q",
    "p M q",
    "G (p -> F q)",
    "G (p -> X q)",
    "G (p -> X F q)",
    "G (p -> (q U r))",
    "G (p -> (q W r))",
    "!p W q",
    "G (p -> X (!p W q))",
    "G F p -> G F q",
    "(G F p -> G F q) -> G (r -> F s)",
    "(G F p && G F q) -> G (r -> F s)",
    "(F G p -> G F q) -> G F r",
    "((G F p -> G F q) && (G F r -> G F s)) -> G (p -> F t)",
    "((G F p -> G F q) && (F G r -> G F s)) -> (G F t && G F u)",
    "G (p -> O q)",
    "G (p -> Y q)",
    "G (p -> (q S r))",
    "G (p -> Z H q)",
    "G F (p && Y q)",
    "G (p -> O (q && Y O r))",
    "G (p -> F (q && O r))",
    "H p -> G (q -> F r)",
    "G (p && q && r -> F (s || t))",
    "G (p1 -> F q1) && G (p2 -> F q2) && G (p3 -> F q3) && G (p4 -> F q4)",
    "F (p && X (q && X r))",
    "G (p -> F (q && F r))",
    "G (p -> (F q -> (!q U r)))",
    "G ((p && !q && F q) -> (r U q))",
    "G (p && !q -> (!r W q))",
    "F p -> (!p U (q || p))",
    "F G p || G F q",
    "F G p || F G q || G F r",
    "G F p && G F q && G F r",
    "X X X p",
    "G (p <-> X !p)",
    "true",
    "false",
    "p",
];

#[test]
fn what_people_ask_for_is_shown() {
    let (mut slowest, mut all) = ((Duration::ZERO, ""), Duration::ZERO);
    for text in USUAL {
        let case = Case::parse(text);
        let begun = Instant::now();
        let shown = case.shown(&case.bad);
        let time = begun.elapsed();
        println!("{text}: {shown:?}, {time:?}");
        assert!(shown.is_ok(), "{text}: {shown:?}");
        all += time;
        slowest = slowest.max((time, text));
    }
    println!("{} formulas: {all:?}, slowest {slowest:?}", USUAL.len());
}

#[test]
fn automata_of_the_translation_are_shown() {
    for past in [false, true] {
        let (mut shown, mut count, mut reasons) = (0, 0, Vec::new());
        let (mut slowest, mut time) = (Duration::ZERO, Duration::ZERO);
        for seed in 0..cases(1200) {
            let Some(case) = random_case(&mut Random::new(seed), past) else {
                continue;
            };
            count += 1;
            let begun = Instant::now();
            let answer = case.shown(&case.bad);
            slowest = slowest.max(begun.elapsed());
            time += begun.elapsed();
            match answer {
                Ok(_) => shown += 1,
                Err(why) => {
                    assert!(
                        !matches!(why, NotShown::Flawed(_)),
                        "{}: {why}",
                        case.text()
                    );
                    reasons.push((seed, why, case.text()));
                }
            }
        }
        println!("past {past}: {shown} of {count}, {time:?}, slowest {slowest:?}");
        for (seed, why, text) in reasons.iter().take(60) {
            println!("  {seed}: {why:?}: {text}");
        }
        assert!(shown * 100 >= count * 97, "past {past}: {shown} of {count}");
    }
}

#[test]
fn large_formulas_are_given_up_soon() {
    let (mut shown, mut given_up, mut slowest) = (0, 0, (Duration::ZERO, String::new()));
    for seed in 0..60 {
        let mut random = Random::new(seed + 900);
        let mut store = Formulas::new();
        let formula = random.formula(&mut store, 12 + seed as usize / 3, 6, seed % 2 == 0);
        let budget = evenhand_source::Budget::unlimited().effort(200_000);
        let Ok(Some(case)) = budget.run(|| Case::new(store, formula)) else {
            continue;
        };
        let begun = Instant::now();
        match case.shown(&case.bad) {
            Ok(_) => shown += 1,
            Err(_) => given_up += 1,
        }
        let text = case.text();
        slowest = slowest.max((begun.elapsed(), text));
    }
    println!("{shown} shown, {given_up} given up, slowest {slowest:?}");
    assert!(shown > 10 && given_up > 1, "{shown}, {given_up}");
    // Much less by far; the limit is for busy machines.
    assert!(slowest.0 < Duration::from_secs(5), "{slowest:?}");
}

/// An automaton of one state that reads everything, over p and q; marks 0 and 1 are set by these literals.
fn by_letters(acceptance: Acceptance, literals: [Literal; 2]) -> Automaton {
    let mut builder = Builder::new(vec!["p".into(), "q".into()], acceptance);
    let state = builder.add_state();
    builder.add_initial(state);
    builder.add_edge(state, &Cube::TRUE, &MarkSet::EMPTY, state);
    for (mark, literal) in literals.into_iter().enumerate() {
        builder.add_conditional(Mark::new(mark), literal);
    }
    builder.build()
}

/// The formula says nothing of q, so marks that depend on it may be there or not.
#[test]
fn marks_that_depend_on_other_propositions() {
    let mut store = Formulas::new();
    let formula = parse(&mut store, "G F p", Spelling::Any).expect("a formula");
    let shown = |automaton: &Automaton| {
        accepts_all(&Words {
            store: &store,
            formula,
            value: true,
            atoms: &propositions(1),
            automaton,
            propositions: &propositions(2),
        })
    };
    let literal = |prop: usize, positive: bool| {
        let prop = Prop::new(prop);
        Literal { prop, positive }
    };
    let (p, q) = (literal(0, true), literal(1, true));
    let pair = |request: usize, grant: usize| {
        let (request, grant) = (Mark::new(request), Mark::new(grant));
        Acceptance {
            pairs: vec![Pair { request, grant }],
            ..Acceptance::all()
        }
    };
    let lost = Err(NotShown::NoSimulation);
    // GF p is waited for, and comes; GF q need not come.
    let first = Acceptance::generalized_buchi(1);
    assert!(shown(&by_letters(first.clone(), [p, q])).is_ok());
    assert_eq!(shown(&by_letters(first, [q, p])), lost);
    let both = Acceptance::generalized_buchi(2);
    assert_eq!(shown(&by_letters(both.clone(), [p, q])), lost);
    assert!(shown(&by_letters(both, [p, p])).is_ok());
    // q asks and p grants; p asks and q need not grant; q asks itself.
    assert!(shown(&by_letters(pair(0, 1), [q, p])).is_ok());
    assert_eq!(shown(&by_letters(pair(0, 1), [p, q])), lost);
    assert!(shown(&by_letters(pair(0, 0), [q, q])).is_ok());
    // q asks, and only the absence of p grants.
    assert_eq!(shown(&by_letters(pair(0, 1), [q, p.negated()])), lost);
}
