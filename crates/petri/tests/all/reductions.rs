//! Nets in which one order of steps, or one place, is easily left out wrongly.

use evenhand_source::SplitMix64;
use evenhand_verify::census::count;
use evenhand_verify::{Asking, Options, PropertyResult, Silent, Verdict};

use crate::common::{Ask, TestNet, ask, random_net, read, verdicts};

/// Asks where as few steps as possible are explored.
fn smaller(net: &TestNet, question: &Ask<'_>) -> Vec<PropertyResult> {
    let model = read(&net.pnml(), &[]).unwrap_or_else(|error| panic!("{error}"));
    let question = Ask {
        reduce: true,
        ..question.clone()
    };
    ask(&*model, &question)
}

type Arcs = Vec<(usize, u32, &'static str)>;

fn arcs(places: &[usize]) -> Arcs {
    places.iter().map(|&place| (place, 1, "normal")).collect()
}

/// One empties a place by a reset, another one puts a token there; neither keeps the other from firing, but a third one
/// only can if the token comes last.
#[test]
fn a_reset_does_not_commute() {
    let (reset, puts) = ((0, 2), (1, 3));
    for is_first in [true, false] {
        let mut takes_all = arcs(&[reset.0]);
        takes_all.push((4, 1, "reset"));
        let mut transitions = vec![
            (takes_all, arcs(&[reset.1])),
            (arcs(&[puts.0]), arcs(&[puts.1, 4])),
        ];
        if !is_first {
            transitions.reverse();
        }
        transitions.push((arcs(&[reset.1, puts.1, 4]), arcs(&[5])));
        let net = TestNet {
            initial: vec![1, 1, 0, 0, 0, 0],
            transitions,
        };
        let question = Ask {
            invariants: &["tokens(p5) <= 0"],
            ltl: &["[] tokens(p5) <= 0", "<> tokens(p5) >= 1"],
            ctl: &["E F tokens(p5) >= 1"],
            ..Ask::default()
        };
        let found = verdicts(&smaller(&net, &question));
        let expected = [Some(false), Some(false), Some(false), Some(true)];
        assert_eq!(found, expected, "{}", net.pnml());
    }
}

/// A line of places between two that are asked about: the steps in between are one, and the run has them all.
#[test]
fn a_line_of_places_is_one_step() {
    let length = 12;
    let step = |at: usize| (arcs(&[at]), arcs(&[at + 1]));
    let net = TestNet {
        initial: (0..=length)
            .map(|place| u32::from(place == 0) * 3)
            .collect(),
        transitions: (0..length).map(step).collect(),
    };
    let last = format!("tokens(p{length}) <= 2");
    let question = Ask {
        properties: &["deadlock"],
        invariants: &[&last],
        ..Ask::default()
    };
    let found = smaller(&net, &question);
    assert_eq!(verdicts(&found), [Some(false), Some(false)]);
    for result in &found {
        let Verdict::Violated(Some(run)) = &result.verdict else {
            panic!("{}: no run", result.name);
        };
        assert_eq!(run.prefix.len(), 3 * length + 1, "{}", result.name);
    }
    let whole = ask(
        &*read(&net.pnml(), &[]).unwrap_or_else(|error| panic!("{error}")),
        &question,
    );
    assert!(found[1].reduced && found[1].states * 4 < whole[1].states);
}

/// A run may end with a step that has waited: it is made up for.
#[test]
fn what_has_waited_is_fired_in_the_end() {
    // The second step cannot be made once its key is gone.
    let net = TestNet {
        initial: vec![1, 0, 1, 0, 0],
        transitions: vec![
            (arcs(&[0]), arcs(&[1])),
            (arcs(&[1, 2]), arcs(&[3])),
            (arcs(&[2]), arcs(&[4])),
        ],
    };
    let question = Ask {
        properties: &["deadlock"],
        ltl: &["<> tokens(p3) >= 1"],
        ..Ask::default()
    };
    let found = smaller(&net, &question);
    assert_eq!(verdicts(&found), [Some(false), Some(false)]);
}

/// The number of markings by sets is the number of markings.
#[test]
fn sets_have_as_many_markings() {
    let mut dice = SplitMix64::new(0x5e7);
    let mut compared = 0;
    while compared < 25 {
        let net = random_net(&mut dice, true);
        let Some((markings, _)) = net.graph(200).filter(|(all, _)| all.len() > 4) else {
            continue;
        };
        let model = read(&net.pnml(), &[]).unwrap_or_else(|error| panic!("{error}"));
        let inquiry = Asking::default().resolve(&*model);
        let body = inquiry.unwrap_or_else(|error| panic!("{error}")).body;
        let found = count(&body, &Options::default(), &mut Silent);
        let found = found.unwrap_or_else(|reason| panic!("{reason:?}"));
        let expected = Some(markings.len() as u128);
        assert_eq!(found.states.exact, expected, "{}", net.pnml());
        compared += 1;
    }
}
