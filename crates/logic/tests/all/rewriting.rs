//! Rewriting keeps the meaning: random formulas, judged by the evaluator.

use evenhand_logic::random::{Random, Word};
use evenhand_logic::{Class, FormulaId, Formulas, Lasso, Simplifier, Spelling, print};

fn cases(default: usize) -> usize {
    std::env::var("EVENHAND_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(default)
}

fn words(random: &mut Random, atoms: usize) -> Vec<Word> {
    let mut words: Vec<Word> = Word::all(
        Lasso {
            prefix: 1,
            cycle: 2,
        },
        atoms,
    )
    .collect();
    words.extend((0..40).map(|_| random.word(7, atoms)));
    words
}

fn same(store: &Formulas, f: FormulaId, g: FormulaId, words: &[Word]) {
    for word in words {
        assert_eq!(
            word.satisfies(store, f),
            word.satisfies(store, g),
            "{} against {} on {word:?}",
            print(store, f, Spelling::Spot),
            print(store, g, Spelling::Spot),
        );
    }
}

#[test]
fn simplification_keeps_the_meaning() {
    let mut random = Random::new(1);
    for case in 0..cases(3000) {
        let mut store = Formulas::new();
        for i in 0..2 {
            store.atom(&format!("p{i}")); // so that atom numbers are the bits of letters
        }
        let size = 1 + case % 9;
        let f = random.formula(&mut store, size, 2, case % 3 == 0);
        let words = words(&mut random, 2);
        let normal = evenhand_logic::normal_form(&mut store, f, false);
        let negation = evenhand_logic::normal_form(&mut store, f, true);
        let simple = Simplifier::default().simplify(&mut store, f);
        same(&store, f, normal, &words);
        same(&store, f, simple, &words);
        let not = store.not(f);
        same(&store, not, negation, &words);
    }
}

/// A formula holds just where one of its cases does.
#[test]
fn cases_are_a_disjunction() {
    let mut random = Random::new(7);
    let mut found = 0;
    for case in 0..cases(3000) {
        let mut store = Formulas::new();
        for i in 0..2 {
            store.atom(&format!("p{i}"));
        }
        let f = random.formula_with_constants(&mut store, 1 + case % 7, 2);
        let Some(list) = Simplifier::default().cases(&mut store, f, 64) else {
            continue;
        };
        found += 1;
        let all = store.or(list);
        same(&store, f, all, &words(&mut random, 2));
    }
    assert!(found * 4 > cases(3000), "{found}");
}

#[test]
fn implications_are_true() {
    let mut random = Random::new(2);
    let mut found = 0;
    for case in 0..cases(3000) {
        let mut store = Formulas::new();
        for i in 0..2 {
            store.atom(&format!("p{i}"));
        }
        let f = random.formula(&mut store, 1 + case % 4, 2, case % 3 == 0);
        let g = random.formula(&mut store, 1 + case % 5, 2, case % 3 == 0);
        if Simplifier::default().implies(&mut store, f, g) {
            found += 1;
            for word in words(&mut random, 2) {
                assert!(
                    !word.satisfies(&store, f) || word.satisfies(&store, g),
                    "{} does not imply {} on {word:?}",
                    print(&store, f, Spelling::Spot),
                    print(&store, g, Spelling::Spot),
                );
            }
        }
    }
    assert!(found > 20, "only {found} implications found");
}

/// Eventual and universal formulas behave as they are called, at every position.
#[test]
fn properties_hold_on_words() {
    let mut random = Random::new(3);
    for case in 0..cases(3000) {
        let mut store = Formulas::new();
        for i in 0..2 {
            store.atom(&format!("p{i}"));
        }
        let f = random.formula(&mut store, 1 + case % 6, 2, case % 3 == 0);
        let properties = store.properties(f);
        for _ in 0..20 {
            let word = random.word(6, 2);
            let holds = |i, a| word.holds(i, a);
            let truth = evenhand_logic::evaluate_everywhere(&store, f, word.lasso, &holds)
                .expect("no quantifiers");
            for i in 1..truth.len() {
                assert!(!properties.is_eventual() || !truth[i] || truth[i - 1]);
                assert!(!properties.is_universal() || !truth[i - 1] || truth[i]);
            }
            // Words that differ only in how often a letter is repeated are not told apart.
            if properties.is_syntactic_stutter_invariant() {
                let mut stretched = word.clone();
                let at = random.below(stretched.letters.len());
                let letter = stretched.letters[at];
                stretched.letters.insert(at, letter);
                match at < word.lasso.prefix {
                    true => stretched.lasso.prefix += 1,
                    false => stretched.lasso.cycle += 1,
                }
                assert_eq!(word.satisfies(&store, f), stretched.satisfies(&store, f));
            }
        }
    }
}

#[test]
fn classes_of_known_formulas() {
    let class = |text: &str| {
        let mut store = Formulas::new();
        let f = evenhand_logic::parse(&mut store, text, Spelling::Any).expect(text);
        store.properties(f).class()
    };
    assert_eq!(class("G (p -> X q)"), Class::Safety);
    assert_eq!(class("p W q"), Class::Safety);
    assert_eq!(class("!(p U q)"), Class::Safety);
    assert_eq!(class("p U q"), Class::Guarantee);
    assert_eq!(class("F p & G q"), Class::Obligation);
    assert_eq!(class("G F p"), Class::Recurrence);
    assert_eq!(class("G (p -> F q)"), Class::Recurrence);
    assert_eq!(class("G (p -> O q)"), Class::Safety);
    assert_eq!(class("F G p"), Class::Persistence);
    assert_eq!(class("G F p -> G F q"), Class::Reactivity);
}
