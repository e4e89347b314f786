//! Damaged automata: what is shown of them is true.

use evenhand_automata::{Automaton, Literal, MarkSet, Pair, Prop, State, accepts};
use evenhand_certify::NotShown;
use evenhand_logic::random::Random;

use super::{cases, lasso_word, random_case};

/// What is done to an automaton.
fn damaged(automaton: &Automaton, random: &mut Random) -> Automaton {
    let kind = random.below(7);
    let victim = random.below(automaton.edge_count());
    let mut builder = automaton.like();
    for _ in automaton.states() {
        builder.add_state();
    }
    let mut initial = automaton.initial().to_vec();
    if kind == 5 && !initial.is_empty() {
        let place = random.below(initial.len());
        initial[place] = State::new(random.below(automaton.state_count()));
    }
    for state in initial {
        builder.add_initial(state);
    }
    let mut acceptance = automaton.acceptance().clone();
    let mut marks_of_all = MarkSet::EMPTY;
    if kind == 1 {
        // One more mark, on all edges but one or two.
        let mark = builder.add_mark();
        marks_of_all.insert(mark);
        acceptance.buchi.insert(mark);
    } else if kind == 6 {
        let (request, grant) = (builder.add_mark(), builder.add_mark());
        acceptance.pairs.push(Pair { request, grant });
        marks_of_all.insert(if random.below(2) == 0 { request } else { grant });
        builder.add_conditional(
            request,
            Literal {
                prop: Prop::new(0),
                positive: random.below(2) == 0,
            },
        );
    }
    builder.set_acceptance(acceptance);
    for (place, edge) in automaton.edges().iter().enumerate() {
        let (mut cube, mut marks) = (
            automaton.cube(edge.label).clone(),
            automaton.marks(edge.marks).clone(),
        );
        let mut target = edge.target;
        let is_hit = place == victim;
        if !is_hit || kind != 1 {
            marks.0.union_with(&marks_of_all.0);
        }
        match kind {
            0 if is_hit => continue,
            2 if is_hit => {
                let first = marks.iter().next();
                if let Some(mark) = first {
                    marks.remove(mark);
                }
            }
            3 if is_hit && !automaton.props().is_empty() => {
                let prop = Prop::new(random.below(automaton.props().len()));
                let positive = random.below(2) == 0;
                cube = cube.with(Literal { prop, positive });
            }
            4 if is_hit => target = State::new(random.below(automaton.state_count())),
            _ => {}
        }
        builder.add_edge(edge.source, &cube, &marks, target);
    }
    builder.build()
}

#[test]
fn what_is_shown_of_damaged_automata_is_true() {
    let (mut right, mut wrong, mut missed, mut unknown, mut words) = (0, 0, 0, 0, 0);
    for seed in 0..cases(2200) {
        let mut random = Random::new(seed + 50_000);
        let Some(case) = random_case(&mut random, seed % 2 == 0) else {
            continue;
        };
        if case.bad.edge_count() == 0 || case.bad.props().is_empty() {
            continue;
        }
        let automaton = damaged(&case.bad, &mut random);
        let shown = case.shown(&automaton);
        assert!(!matches!(shown, Err(NotShown::Flawed(_))), "{shown:?}");
        let truth = match case.bad.state_count() <= 6 {
            true => case.truly(&automaton),
            false => None,
        };
        let text = case.text();
        match (shown, truth) {
            (Ok(_), Some(false)) => panic!("seed {seed}: {text} was shown, and it is not true"),
            (Ok(_), Some(true)) => right += 1,
            (Err(_), Some(false)) => wrong += 1,
            (Err(_), Some(true)) => missed += 1,
            (_, None) => unknown += 1,
        }
        if shown.is_err() {
            continue;
        }
        for _ in 0..10 {
            let word = random.word(5, 3);
            if !word.satisfies(&case.store, case.formula) {
                let read = lasso_word(&word, &case.propositions);
                assert!(
                    accepts(&automaton, &read),
                    "seed {seed}: {text} on {word:?}"
                );
                words += 1;
            }
        }
    }
    println!("right {right}, wrong {wrong}, missed {missed}, unknown {unknown}; {words} words");
    assert!(right > 100 && wrong > 100, "right {right}, wrong {wrong}");
    assert!(missed * 10 < right, "right {right}, missed {missed}");
}
