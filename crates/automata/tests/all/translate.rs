//! The translation, judged by the evaluator: an automaton accepts exactly the lasso words that
//! satisfy the formula. Acceptance is decided here by a few lines of their own, from the
//! definition.
//!
//! `EVENHAND_CASES` sets the number of random formulas.

use evenhand_automata::translate::{Limits, Options, Target, Translation, translate};
use evenhand_automata::{Automaton, Letter, MarkSet, beside, tight};
use evenhand_logic::random::{Random, Word};
use evenhand_logic::{Formulas, Lasso, Node, Spelling, parse, print};

fn cases(default: usize) -> usize {
    std::env::var("EVENHAND_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(default)
}

/// Is the word accepted? The graph of (state, position), its components, and refinement by pairs.
fn accepts(store: &Formulas, translation: &Translation, word: &Word) -> bool {
    let automaton = &translation.automaton;
    let length = word.letters.len();
    let letters: Vec<Letter> = (0..length)
        .map(|i| {
            let holds = |f| word_satisfies_boolean(store, f, word, i);
            let props = translation.propositions.iter().enumerate();
            Letter(props.filter(|(_, f)| holds(**f)).map(|(p, _)| p).collect())
        })
        .collect();
    let next = |i: usize| {
        if i + 1 < length {
            i + 1
        } else {
            word.lasso.prefix
        }
    };
    let node = |state: usize, i: usize| state * length + i;
    let mut edges: Vec<(usize, usize, MarkSet)> = Vec::new();
    for edge in automaton.edges() {
        for (i, letter) in letters.iter().enumerate() {
            if automaton.cube(edge.label).matches(letter) {
                edges.push((
                    node(edge.source.index(), i),
                    node(edge.target.index(), next(i)),
                    automaton.step_marks(edge, letter),
                ));
            }
        }
    }
    let mut reached = vec![false; automaton.state_count() * length];
    for state in automaton.initial() {
        reached[node(state.index(), 0)] = true;
    }
    loop {
        let before = reached.iter().filter(|r| **r).count();
        for (from, to, _) in &edges {
            if reached[*from] {
                reached[*to] = true;
            }
        }
        if reached.iter().filter(|r| **r).count() == before {
            break;
        }
    }
    edges.retain(|(from, _, _)| reached[*from]);
    accepting_cycle(automaton, edges)
}

fn word_satisfies_boolean(
    store: &Formulas,
    f: evenhand_logic::FormulaId,
    word: &Word,
    i: usize,
) -> bool {
    match store.node(f) {
        Node::Atom(a) => word.holds(i, *a),
        _ => {
            let one = Word {
                letters: vec![word.letters[i]],
                lasso: Lasso {
                    prefix: 0,
                    cycle: 1,
                },
            };
            one.satisfies(store, f)
        }
    }
}

/// Some strongly connected set of edges whose marks satisfy the condition (Büchi and Streett
/// parts).
fn accepting_cycle(automaton: &Automaton, edges: Vec<(usize, usize, MarkSet)>) -> bool {
    let count = 1 + edges.iter().map(|e| e.0.max(e.1)).max().unwrap_or(0);
    let component = components(count, &edges);
    let inside: Vec<_> = edges
        .into_iter()
        .filter(|e| component[e.0] == component[e.1])
        .collect();
    let mut groups: std::collections::BTreeMap<usize, Vec<(usize, usize, MarkSet)>> =
        std::collections::BTreeMap::new();
    for edge in inside {
        groups.entry(component[edge.0]).or_default().push(edge);
    }
    for group in groups.into_values() {
        let seen: MarkSet = group
            .iter()
            .flat_map(|e| e.2.iter().collect::<Vec<_>>())
            .collect();
        if automaton.acceptance().holds(&seen) {
            return true;
        }
        let bad: MarkSet = automaton
            .acceptance()
            .pairs
            .iter()
            .filter(|p| seen.contains(p.request) && !seen.contains(p.grant))
            .map(|p| p.request)
            .collect();
        if !bad.is_empty() {
            let rest = group
                .into_iter()
                .filter(|e| e.2.iter().all(|m| !bad.contains(m)));
            if accepting_cycle(automaton, rest.collect()) {
                return true;
            }
        }
    }
    false
}

/// Component numbers, by forward and backward reachability.
fn components(count: usize, edges: &[(usize, usize, MarkSet)]) -> Vec<usize> {
    let mut forward = vec![Vec::new(); count];
    let mut backward = vec![Vec::new(); count];
    for (from, to, _) in edges {
        forward[*from].push(*to);
        backward[*to].push(*from);
    }
    let reach = |from: usize, next: &[Vec<usize>]| {
        let mut seen = vec![false; count];
        let mut todo = vec![from];
        seen[from] = true;
        while let Some(v) = todo.pop() {
            for &w in &next[v] {
                if !std::mem::replace(&mut seen[w], true) {
                    todo.push(w);
                }
            }
        }
        seen
    };
    let mut component = vec![usize::MAX; count];
    for v in 0..count {
        if component[v] == usize::MAX && !forward[v].is_empty() {
            let (after, before) = (reach(v, &forward), reach(v, &backward));
            for w in 0..count {
                if after[w] && before[w] {
                    component[w] = v;
                }
            }
        }
        if component[v] == usize::MAX {
            component[v] = v;
        }
    }
    component
}

fn words(random: &mut Random, atoms: usize, long: usize) -> Vec<Word> {
    let shapes = [(0, 1), (1, 1), (0, 2), (1, 2)];
    let mut words: Vec<Word> = Vec::new();
    for (prefix, cycle) in shapes {
        if (prefix + cycle) * atoms <= 6 {
            words.extend(Word::all(Lasso { prefix, cycle }, atoms));
        }
    }
    words.extend((0..long).map(|_| random.word(8, atoms)));
    words
}

fn check(seed: u64, count: usize, past: bool, options: &Options) {
    let mut random = Random::new(seed);
    for case in 0..count {
        let mut store = Formulas::new();
        let atoms = 1 + case % 3;
        for i in 0..atoms {
            store.atom(&format!("p{i}")); // atom numbers are the bits of letters
        }
        let size = 1 + random.below(9);
        let f = random.formula(&mut store, size, atoms, past);
        let negation = store.not(f);
        let text = print(&store, f, Spelling::Spot);
        let positive = translate(&mut store, f, options).expect(&text);
        let negative = translate(&mut store, negation, options).expect(&text);
        for word in words(&mut random, atoms, 24) {
            let truth = word.satisfies(&store, f);
            assert_eq!(
                accepts(&store, &positive, &word),
                truth,
                "{text} on {word:?}"
            );
            assert_eq!(
                accepts(&store, &negative, &word),
                !truth,
                "!({text}) on {word:?}"
            );
        }
    }
}

#[test]
fn automata_accept_what_the_evaluator_accepts() {
    check(11, cases(600), false, &Options::default());
}

#[test]
fn automata_of_formulas_with_past() {
    check(12, cases(400), true, &Options::default());
}

/// Formulas on which earlier versions were wrong.
#[test]
fn regressions() {
    let texts = [
        "G (!p0 & X (F p1 & X !p1))",
        "!(((p2 R X H p2) -> p2) & (Z F p2 U p1))",
        "!O (X X O (p1 & (!p2 S (p0 | !p1))) M p1)",
        "G (p0 -> F p1)",
        "G F (p0 <-> X X p0)",
    ];
    let mut random = Random::new(18);
    for text in texts {
        let mut store = Formulas::new();
        for i in 0..3 {
            store.atom(&format!("p{i}"));
        }
        let f = parse(&mut store, text, Spelling::Spot).expect(text);
        let translation = translate(&mut store, f, &Options::default()).expect(text);
        for word in words(&mut random, 3, 200) {
            let truth = word.satisfies(&store, f);
            assert_eq!(
                accepts(&store, &translation, &word),
                truth,
                "{text} on {word:?}"
            );
        }
    }
}

/// The states and edges of the automaton of a formula, which is held against the evaluator.
fn size(text: &str) -> (usize, usize) {
    let mut store = Formulas::new();
    let atoms = 3 + usize::from(text.contains("p3"));
    for i in 0..atoms {
        store.atom(&format!("p{i}"));
    }
    let f = parse(&mut store, text, Spelling::Spot).expect(text);
    let translation = translate(&mut store, f, &Options::default()).expect(text);
    let mut random = Random::new(19);
    for word in words(&mut random, atoms, 200) {
        let truth = word.satisfies(&store, f);
        let found = accepts(&store, &translation, &word);
        assert_eq!(found, truth, "{text} on {word:?}");
    }
    let automaton = &translation.automaton;
    (automaton.state_count(), automaton.edge_count())
}

/// What is to come infinitely often is guessed, not followed wherever it may have begun: 3^n states otherwise.
#[test]
fn infinitely_often_something_that_takes_time() {
    for n in 1..=8 {
        let later = "X".repeat(n);
        for (text, most) in [
            (format!("GF(p0 <-> {later} p0)"), 2 * n + 1),
            (format!("GF(p0 xor {later} p1)"), 2 * n + 1),
            (format!("GF(p0 & {later} p1)"), n + 1),
            (
                format!("GF((p0 & {later} p1) | (p1 & {later} p2))"),
                2 * n + 1,
            ),
        ] {
            let (states, _) = size(&text);
            assert!(states <= most, "{text}: {states} states");
        }
    }
}

/// Promises that are the same by now are one state, however they were written.
#[test]
fn always_an_obligation() {
    for (text, states, edges) in [
        ("G((p0 & XFp1) -> XF(p1 & Fp2))", 4, 21),
        ("G((p0 & XFp1) -> X(!p1 U (p1 & Fp2)))", 4, 21),
        ("G(p0 -> X(G!p1 | F(p1 & XFp2)))", 5, 40),
        ("G(p0 -> (p1 W (p2 & Fp1)))", 4, 24),
    ] {
        let found = size(text);
        assert!(found.0 <= states && found.1 <= edges, "{text}: {found:?}");
    }
}

/// Parts that hold everywhere or nowhere, below other operators.
#[test]
fn formulas_with_constants() {
    let mut random = Random::new(21);
    for case in 0..cases(400) {
        let mut store = Formulas::new();
        for i in 0..3 {
            store.atom(&format!("p{i}"));
        }
        let size = 2 + random.below(7);
        let f = random.formula_with_constants(&mut store, size, 1 + case % 3);
        let text = print(&store, f, Spelling::Spot);
        let options = match case % 4 {
            0 => Options::streett(),
            _ => Options::default(),
        };
        let translation = translate(&mut store, f, &options).expect(&text);
        for word in words(&mut random, 3, 60) {
            let truth = word.satisfies(&store, f);
            let accepted = accepts(&store, &translation, &word);
            assert_eq!(accepted, truth, "{text} on {word:?}");
        }
    }
}

/// Combinations of what holds everywhere or nowhere, with nothing beside.
#[test]
fn combinations_of_constants() {
    let mut random = Random::new(22);
    for case in 0..cases(200) {
        let mut store = Formulas::new();
        for i in 0..3 {
            store.atom(&format!("p{i}"));
        }
        let mut clauses = Vec::new();
        for _ in 0..2 + random.below(3) {
            let mut choices = Vec::new();
            for _ in 0..1 + random.below(3) {
                let size = random.below(1 + case % 3);
                let f = random.formula(&mut store, size, 3, false);
                let (f, again) = match random.below(2) {
                    0 => (store.finally(f), true),
                    _ => (store.globally(f), false),
                };
                choices.push(match again {
                    true => store.globally(f),
                    false => store.finally(f),
                });
            }
            clauses.push(store.or(choices));
        }
        let f = store.and(clauses);
        let text = print(&store, f, Spelling::Spot);
        let translation = translate(&mut store, f, &Options::default()).expect(&text);
        for word in words(&mut random, 3, 60) {
            let truth = word.satisfies(&store, f);
            let accepted = accepts(&store, &translation, &word);
            assert_eq!(accepted, truth, "{text} on {word:?}");
        }
    }
}

/// What holds everywhere or nowhere is asked once: 564 to 1,006 states and 6,740 to 16,978 edges otherwise.
#[test]
fn constants_below_other_operators_are_asked_once() {
    for (text, states, edges) in [
        (
            "G((p3 <-> Fp2) U ((G(p2 M 1)) R ((F(!p2 R (p0 <-> FGp0))) U (p0 W p3))))",
            42,
            205,
        ),
        (
            "G((p1 <-> Fp0) U ((GFp3) R ((F(!p3 R (p2 <-> FGp2))) U (p2 W p1))))",
            42,
            205,
        ),
        (
            "G((p3 xor Fp2) U ((GFp2) R ((F(p2 R (p0 <-> GFp0))) U (p0 W p3))))",
            42,
            205,
        ),
        (
            "G((p3 <-> Fp2) U ((GF(p2 & p0)) R ((F(!p2 R (p0 <-> FGp3))) U (p0 W p3))))",
            42,
            205,
        ),
    ] {
        let found = size(text);
        assert!(found.0 <= states && found.1 <= edges, "{text}: {found:?}");
    }
}

/// As many states as there are minimal choices, and one that waits at most.
#[test]
fn combinations_of_constants_take_a_state_for_each_choice() {
    // Each term chooses for itself; a choice of `F G` in one satisfies the next; the same with what takes time.
    let own = |i: usize| format!("(GFa{i} | FGb{i})");
    let shared = |i: usize| format!("(GFp{i} | FGp{})", i + 1);
    let implied = |i: usize| format!("(GF(p{i} & q) -> GF(p{} & q))", i + 1);
    let negated = |i: usize| format!("(FG!p{i} | GF!p{})", i + 1);
    let fibonacci = |n: usize| [1, 2, 3, 5, 8, 13, 21, 34, 55, 89][n + 1];
    for n in 2..=8 {
        let all = |term: &dyn Fn(usize) -> String| (1..=n).map(term).collect::<Vec<_>>();
        for (terms, most) in [
            (all(&own), 1 << n),
            (all(&shared), fibonacci(n)),
            (all(&implied), n + 1),
            (all(&negated), fibonacci(n)),
        ] {
            let text = terms.join(" & ");
            let mut store = Formulas::new();
            let f = parse(&mut store, &text, Spelling::Spot).expect(&text);
            let effort = evenhand_source::Budget::unlimited().effort(100_000_000);
            let done = effort.run(|| translate(&mut store, f, &Options::default()));
            let states = done.map(|done| done.expect(&text).automaton.state_count());
            assert!(
                states.as_ref().is_ok_and(|&states| states <= most + 1),
                "{text}: {states:?}"
            );
        }
    }
}

/// The order in which states are found is another one where letters are negated; nothing else is.
#[test]
fn negated_letters_cost_what_letters_do() {
    let list =
        |letter: &str| -> Vec<String> { (1..=7).map(|n| format!("F {letter}p{n}")).collect() };
    for text in [
        list("!").join(" & "),
        list("").join(" & "),
        list("X !").join(" & "),
    ] {
        let mut store = Formulas::new();
        let f = parse(&mut store, &text, Spelling::Spot).expect(&text);
        let effort = evenhand_source::Budget::unlimited().effort(60_000_000);
        let done = effort.run(|| translate(&mut store, f, &Options::default()));
        let states = done.map(|done| done.expect(&text).automaton.state_count());
        assert!(
            states.is_ok_and(|states| states <= 129),
            "{text}: {states:?}"
        );
    }
}

#[test]
fn automata_without_reductions() {
    let options = Options {
        reduce: false,
        ..Options::default()
    };
    check(13, cases(300), false, &options);
}

#[test]
fn streett_automata_accept_what_the_evaluator_accepts() {
    for (seed, persistence, derived) in [(14, false, false), (15, true, false), (16, true, true)] {
        let options = Options {
            target: Target::Streett {
                persistence,
                derived,
            },
            ..Options::default()
        };
        check(seed, cases(150), seed == 15, &options);
    }
}

/// Conjunctions of fairness conditions with something else, which random formulas rarely are.
#[test]
fn fairness_conjuncts_become_marks() {
    let mut random = Random::new(17);
    let options = [
        Options::streett(),
        Options {
            target: Target::Streett {
                persistence: true,
                derived: true,
            },
            ..Options::default()
        },
    ];
    let conditions = [
        "G F p0 -> G F p1",
        "G F p1 -> G F !p0",
        "G F (p0 & p1) -> G F (p2 | !p0)",
        "G F (p0 | p2)",
        "G F (p0 xor p1)",
        "F G (p0 | p1)",
        "F G !(p0 & p2)",
        "G F p0 | G F p1 | F G !p2",
    ];
    for case in 0..cases(120) {
        let mut store = Formulas::new();
        for i in 0..3 {
            store.atom(&format!("p{i}"));
        }
        let mut parts = vec![random.formula(&mut store, case % 5, 3, case % 7 == 0)];
        for _ in 0..1 + random.below(3) {
            let text = conditions[random.below(conditions.len())];
            parts.push(parse(&mut store, text, Spelling::Any).expect(text));
        }
        let f = store.and(parts);
        let text = print(&store, f, Spelling::Spot);
        for options in &options {
            let translation = translate(&mut store, f, options).expect(&text);
            for word in words(&mut random, 3, 60) {
                let truth = word.satisfies(&store, f);
                let accepted = accepts(&store, &translation, &word);
                assert_eq!(accepted, truth, "{text} on {word:?}");
            }
        }
    }
}

/// Disjunctions of many parts, under operators that choose and beside assumptions.
#[test]
fn many_parts_are_a_union() {
    let mut random = Random::new(19);
    let shapes = [
        "F (p0 & G !p1)",
        "F G p2",
        "G F p1 & F G !p0",
        "F (p1 & X G p0)",
        "p0 & G p1",
        "X (p1 U p2)",
        "G (p0 | X p1)",
    ];
    for case in 0..cases(120) {
        let mut store = Formulas::new();
        for i in 0..3 {
            store.atom(&format!("p{i}"));
        }
        let mut parts = Vec::new();
        for _ in 0..2 + random.below(3) {
            let size = 1 + random.below(6);
            parts.push(random.formula(&mut store, size, 3, false));
        }
        for _ in 0..2 + random.below(4) {
            let text = shapes[random.below(shapes.len())];
            parts.push(parse(&mut store, text, Spelling::Any).expect(text));
        }
        let mut f = store.or(parts);
        match case % 4 {
            1 => f = store.finally(f),
            2 => {
                let assumed = parse(
                    &mut store,
                    "(G F p0 -> G F p2) & F G (p1 | p2)",
                    Spelling::Any,
                );
                let assumed = assumed.expect("a formula");
                f = store.and([assumed, f]);
            }
            3 => {
                let size = 1 + random.below(4);
                let more = random.formula(&mut store, size, 3, false);
                let more = store.finally(more);
                let beside = store.and([more, f]);
                f = store.next(beside);
            }
            _ => {}
        }
        let text = print(&store, f, Spelling::Spot);
        for options in [Options::default(), Options::streett()] {
            let translation = translate(&mut store, f, &options).expect(&text);
            for word in words(&mut random, 3, 40) {
                let truth = word.satisfies(&store, f);
                let accepted = accepts(&store, &translation, &word);
                assert_eq!(accepted, truth, "{text} on {word:?}");
            }
        }
    }
}

/// Tight automata beside each other accept what one of them accepts, whatever propositions each is about.
#[test]
fn tight_automata_beside_each_other() {
    let mut random = Random::new(20);
    for case in 0..cases(80) {
        let mut store = Formulas::new();
        for i in 0..3 {
            store.atom(&format!("p{i}"));
        }
        let mut parts = Vec::new();
        for part in 0..2 + random.below(3) {
            let size = 1 + random.below(5);
            // Some parts know only the first propositions.
            let atoms = 1 + (case + part) % 3;
            let f = random.formula(&mut store, size, atoms, false);
            parts.extend(tight(&mut store, f, 128).map(|found| (f, found)));
        }
        if parts.len() < 2 {
            continue;
        }
        let (formulas, parts): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        let any = store.or(formulas);
        let both = beside(&parts).expect("plain conditions");
        let text = print(&store, any, Spelling::Spot);
        for word in words(&mut random, 3, 40) {
            let truth = word.satisfies(&store, any);
            assert_eq!(accepts(&store, &both, &word), truth, "{text} on {word:?}");
        }
    }
}

/// A choice among n parts takes n states and one that waits.
#[test]
fn two_hundred_responses_take_a_state_each() {
    let mut store = Formulas::new();
    let mut parts = Vec::new();
    for i in 0..200 {
        let text = format!("G (p -> F q{i})");
        parts.push(parse(&mut store, &text, Spelling::Any).expect(&text));
    }
    let assumed = "(G F a -> G F b) & G F c";
    let assumed = parse(&mut store, assumed, Spelling::Any).expect(assumed);
    let all = store.and(parts);
    let all = store.implies(assumed, all);
    let broken = store.not(all);
    let translation = translate(&mut store, broken, &Options::streett()).expect("small");
    let automaton = translation.automaton;
    assert_eq!(automaton.state_count(), 201);
    assert_eq!(automaton.mark_count(), 4);
}

const EIGHT_PAIRS: &str = "!(((G F p0 -> G F p1) & (G F p2 -> G F p0) & (G F p3 -> G F p2) &
    (G F p4 -> G F p2) & (G F p5 -> G F p3) & (G F p6 -> G F (p5 | p4)) &
    (G F p7 -> G F p6) & (G F p1 -> G F p7)) -> G F p8)";

#[test]
fn eight_pairs_take_two_states() {
    let mut store = Formulas::new();
    let f = parse(&mut store, EIGHT_PAIRS, Spelling::Any).expect("a formula");
    let automaton = translate(&mut store, f, &Options::streett())
        .expect("small")
        .automaton;
    assert!(automaton.state_count() <= 2);
    assert!(automaton.edge_count() <= 3);
    assert_eq!(automaton.acceptance().pairs.len(), 8);
    // With FG as a ninth pair one state is enough.
    let options = Options {
        target: Target::Streett {
            persistence: true,
            derived: false,
        },
        ..Options::default()
    };
    let automaton = translate(&mut store, f, &options).expect("small").automaton;
    assert_eq!((automaton.state_count(), automaton.edge_count()), (1, 1));
    assert_eq!(automaton.acceptance().pairs.len(), 9);
}

#[test]
fn strong_fairness_costs_no_states_and_no_edges() {
    let hypotheses: Vec<String> = (0..32).map(|i| format!("(G F p{i} -> G F q{i})")).collect();
    let text = format!("!(({}) -> G (r -> F s))", hypotheses.join(" & "));
    let mut store = Formulas::new();
    let f = parse(&mut store, &text, Spelling::Any).expect("a formula");
    let start = std::time::Instant::now();
    let automaton = translate(&mut store, f, &Options::streett())
        .expect("small")
        .automaton;
    assert!(start.elapsed().as_millis() < 1000, "{:?}", start.elapsed());
    assert_eq!((automaton.state_count(), automaton.edge_count()), (2, 3));
    assert_eq!(automaton.acceptance().pairs.len(), 32);
    assert_eq!(automaton.conditionals().len(), 64);
}

#[test]
fn growing_past_a_limit_is_an_error() {
    let text = (0..12)
        .map(|i| format!("(G F p{i} -> G F q{i})"))
        .collect::<Vec<_>>()
        .join(" & ");
    let mut store = Formulas::new();
    let f = parse(&mut store, &text, Spelling::Any).expect("a formula");
    let options = Options {
        limits: Limits {
            states: 500,
            ..Limits::default()
        },
        ..Options::default()
    };
    let error = translate(&mut store, f, &options).expect_err("it is too large");
    assert!(error.to_string().contains("too large"), "{error}");
    let quantified = parse(&mut store, "A G p", Spelling::Any).expect("a formula");
    assert!(translate(&mut store, quantified, &options).is_err());
}

/// As deep as the parser allows: an automaton or an error, no stack overflow.
#[test]
fn deep_formulas_are_translated_or_refused() {
    let options = Options {
        limits: Limits {
            states: 600,
            edges: 20_000,
            nodes: 200_000,
        },
        ..Options::default()
    };
    let units = [
        ("X (p & ", "q"),
        ("(p U (q & ", "r"),
        ("F (q & ", "p"),
        ("G (p | ", "q"),
        ("!(p W ", "q"),
        ("(p S ", "q"),
        ("Y (p | ", "q"),
        ("(p & X q) R (", "r"),
    ];
    for (unit, end) in units {
        let mut store = Formulas::new();
        let levels = 990 / (unit.split_whitespace().count().max(2) + 1);
        let close = ")"
            .repeat(levels * unit.matches('(').count().max(1) - levels * unit.matches(')').count());
        let text = format!("{}{end}{close}", unit.repeat(levels));
        let f = parse(&mut store, &text, Spelling::Any).expect(unit);
        if let Err(error) = translate(&mut store, f, &options) {
            assert!(error.to_string().contains("too large"), "{error}");
        }
    }
}

/// The sizes recorded for Spot, where they are at hand: states in total and one by one.
#[test]
fn the_literature_is_small() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/corpora/ltl/sizes.csv"
    );
    let Ok(text) = std::fs::read_to_string(path) else {
        println!("skipped: no recorded sizes beside the repository");
        return;
    };
    let sets = ["dac", "eh", "sb", "beem", "liberouter", "rabinizer"];
    let (mut ours, mut theirs) = (0, 0);
    for line in text.lines() {
        let fields: Vec<&str> = line.splitn(9, ',').collect();
        let [set, _, "tgba", "ok", states, _, _, _, formula] = fields[..] else {
            continue;
        };
        if !sets.contains(&set.trim_end_matches("-neg")) {
            continue;
        }
        let mut store = Formulas::new();
        let f = parse(&mut store, formula.trim_matches('"'), Spelling::Spot).expect(formula);
        let translation = translate(&mut store, f, &Options::default()).expect(formula);
        let states: usize = states.parse().expect("a number");
        let count = translation.automaton.state_count();
        assert!(
            count <= 2 * states,
            "{formula}: {count} states against {states}"
        );
        ours += count;
        theirs += states;
    }
    assert_eq!(theirs, 1195);
    assert!(100 * ours <= 103 * theirs, "{ours} against {theirs}");
}
