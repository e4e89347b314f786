//! Translation, products, complements and reductions against each other: laws that hold for *all*
//! words.
//!
//! `EVENHAND_CASES` sets the number of random formulas.

use evenhand_automata::emptiness::{accepting_lasso, check_lasso, is_empty};
use evenhand_automata::reduce::{ReduceLimits, reduce};
use evenhand_automata::translate::{Options, translate};
use evenhand_automata::{
    Automaton, Letter, Prop, complement, degeneralize, determinize, expand_conditional_marks,
    minimise_weak, product, read_hoa, remove_fin, streett_to_tgba, write_hoa,
};
use evenhand_logic::random::Random;
use evenhand_logic::{FormulaId, Formulas, Lasso, Spelling, evaluate, parse};
use evenhand_source::FileId;

const LIMIT: usize = 20_000;

fn cases(default: usize) -> usize {
    let wanted = std::env::var("EVENHAND_CASES").ok();
    wanted.and_then(|v| v.parse().ok()).unwrap_or(default)
}

fn automaton(store: &mut Formulas, f: FormulaId, options: &Options) -> Automaton {
    translate(store, f, options).expect("small").automaton
}

/// No word is in both.
fn disjoint(a: &Automaton, b: &Automaton) -> bool {
    is_empty(&product(a, b, LIMIT).expect("small"))
}

#[test]
fn a_formula_and_its_negation_share_no_word_and_miss_none() {
    let mut random = Random::new(101);
    let mut complemented = 0;
    for case in 0..cases(150) {
        let mut store = Formulas::new();
        let f = random.formula(&mut store, 1 + case % 5, 2, case % 3 == 0);
        let not = store.not(f);
        for options in [Options::default(), Options::streett()] {
            let a = automaton(&mut store, f, &options);
            let b = automaton(&mut store, not, &options);
            assert!(disjoint(&a, &b));
            let (Ok(not_a), Ok(not_b)) = (complement(&a, 500), complement(&b, 500)) else {
                continue;
            };
            complemented += 1;
            assert!(disjoint(&a, &not_a) && disjoint(&b, &not_b));
            assert!(disjoint(&not_a, &not_b), "some word is in neither");
            let det = determinize(&a, 500).expect("as large as the complement");
            assert!(disjoint(&det, &b) && disjoint(&det, &not_a));
        }
    }
    assert!(complemented > cases(150));
}

#[test]
fn other_forms_have_the_same_words() {
    let mut random = Random::new(102);
    for case in 0..cases(150) {
        let mut store = Formulas::new();
        let f = random.formula(&mut store, 2 + case % 6, 3, false);
        let not = store.not(f);
        let a = automaton(&mut store, f, &Options::streett());
        let not_a = automaton(&mut store, not, &Options::default());
        let limits = ReduceLimits::default();
        let mut forms = vec![
            reduce(&a, &limits),
            expand_conditional_marks(&a, LIMIT).expect("small"),
            remove_fin(&a, LIMIT).expect("small"),
            streett_to_tgba(&a, LIMIT).expect("small").expect("Streett"),
        ];
        forms.push(degeneralize(&forms[2], LIMIT).expect("small"));
        forms.push(reduce(&forms[3], &limits));
        forms.extend(minimise_weak(&a, Some(&not_a), 500).unwrap_or(None));
        let text = write_hoa(&forms[1]).expect("no table");
        let read = read_hoa(&text, FileId(0));
        assert_eq!(read.diagnostics, []);
        forms.extend(read.automata);
        for form in &forms {
            // Nothing more; and nothing less, since what is missing would be in the product.
            assert!(disjoint(form, &not_a));
            if let Ok(rest) = complement(form, 500) {
                assert!(disjoint(&a, &rest));
            }
        }
    }
}

/// What an accepting run reads satisfies the formula, by the evaluator.
#[test]
fn accepting_runs_are_models() {
    let mut random = Random::new(103);
    for case in 0..cases(400) {
        let mut store = Formulas::new();
        let f = random.formula(&mut store, 2 + case % 8, 3, case % 3 == 0);
        for options in [Options::default(), Options::streett()] {
            let a = automaton(&mut store, f, &options);
            let Some(run) = accepting_lasso(&a) else {
                continue;
            };
            assert_eq!(check_lasso(&a, &run), Ok(()));
            let word = run.word();
            let letters: Vec<&Letter> = word.prefix.iter().chain(&word.cycle).collect();
            let shape = Lasso {
                prefix: word.prefix.len(),
                cycle: word.cycle.len(),
            };
            let name = |atom| store.atom_info(atom).text.clone();
            let holds = |position: usize, atom| {
                let place = a.props().iter().position(|p| *p == name(atom));
                place.is_some_and(|p| letters[position].holds(Prop::new(p)))
            };
            assert_eq!(evaluate(&store, f, shape, &holds), Ok(true));
        }
    }
}

/// The formula of the conclusion of Duret-Lutz, Poitrenaud and Couvreur (2009), through all forms.
#[test]
fn eight_pairs() {
    let text = "!(((G F p0 -> G F p1) & (G F p2 -> G F p0) & (G F p3 -> G F p2) & \
        (G F p4 -> G F p2) & (G F p5 -> G F p3) & (G F p6 -> G F (p5 | p4)) & \
        (G F p7 -> G F p6) & (G F p1 -> G F p7)) -> G F p8)";
    let mut store = Formulas::new();
    let f = parse(&mut store, text, Spelling::Any).expect("a formula");
    let a = automaton(&mut store, f, &Options::streett());
    assert!(a.state_count() <= 2 && a.acceptance().pairs.len() == 8);
    let pending = streett_to_tgba(&a, 4_000_000)
        .expect("small")
        .expect("Streett");
    assert!(pending.state_count() <= 514, "{}", pending.state_count());
    let guessed = remove_fin(&a, 10_000).expect("small");
    assert!(guessed.state_count() <= 512, "{}", guessed.state_count());
    assert!(!is_empty(&a) && !is_empty(&pending) && !is_empty(&guessed));
    let expanded = expand_conditional_marks(&a, 10_000).expect("small");
    assert!(write_hoa(&a).is_err() && write_hoa(&expanded).is_ok());
    assert!(expand_conditional_marks(&a, 10).is_err());
}
