//! Random programs: the states that a search has met are closed, and claims about them are accepted
//! exactly where the search has found no error.

use evenhand_certify::{Claim, Failure, States, check_closed};
use evenhand_explicit::safety::{SafetyOptions, nearest_errors};
use evenhand_explicit::search::{ErrorClass, Options, Progress};
use evenhand_explicit::space::{Interest, Space};
use evenhand_explicit::store::{Limits, PlainStore, StateId};
use evenhand_promela::Promela;
use evenhand_source::Files;
use evenhand_system::{Explicit, Fairness, Language, ReadOptions, Request};
use evenhand_testkit::promela_programs::Program;
use evenhand_testkit::promela_programs::random::Random;

use super::cases;

/// Larger programs say no more.
const MOST_STATES: u32 = 3000;

/// All states of a system, and whether one of them is an end; none if they are too many or a limit
/// was reached.
fn explored(system: &dyn Explicit) -> Option<(Vec<Vec<u8>>, bool)> {
    let interest = Interest {
        propositions: &[],
        fairness: &Fairness::default(),
    };
    let limits = Limits {
        states: MOST_STATES,
        ..Limits::default()
    };
    let mut space = Space::new(system, interest, PlainStore::with_limits(limits));
    space.initial().ok()?;
    let (mut states, mut has_end) = (Vec::new(), false);
    while states.len() < space.len() {
        let id = StateId::new(states.len() as u32);
        has_end |= space.outgoing(id).ok()?.is_end;
        let mut state = Vec::new();
        space.load(id, &mut state);
        states.push(state);
    }
    Some((states, has_end))
}

fn listed<'s>(states: impl IntoIterator<Item = &'s Vec<u8>>) -> States {
    let mut list = States::new();
    for state in states {
        list.add(state).expect("each state once");
    }
    list
}

#[test]
fn claims_are_accepted_where_they_are_true() {
    let cases = cases(200);
    let (mut compared, mut accepted, mut rejected) = (0, [0u64; 4], [0u64; 4]);
    for seed in 0..cases {
        let mut files = Files::new();
        let main = files.add("program.pml", Program::generate(seed).text());
        let Ok(read) = Promela.read(files, main, &ReadOptions::default()) else {
            continue;
        };
        let Ok(inquiry) = read.resolve(&Request::default()) else {
            continue;
        };
        let system = inquiry.body.explicit().expect("a program");
        let Some((states, has_end)) = explored(system) else {
            continue;
        };
        let options = SafetyOptions {
            paths: false,
            any_path: false,
            counts: false,
            budget: None,
            search: Options::default(),
        };
        let found = nearest_errors(system, &options, &mut |_: &Progress| true);
        assert_eq!(found.progress.states, states.len() as u64, "seed {seed}");
        let is_free = |class: ErrorClass| found.errors[class].is_none();
        let claims = [
            (Claim::NoErrors, is_free(ErrorClass::Fault)),
            (Claim::NoTraceErrors, is_free(ErrorClass::Trace)),
            (Claim::ProperEnds, is_free(ErrorClass::Deadlock)),
            (Claim::Total, !has_end),
        ];
        let mut all = listed(&states);
        for (place, (claim, is_true)) in claims.into_iter().enumerate() {
            let checked = check_closed(system, &mut all, &[claim], &mut |_| true);
            assert_eq!(
                checked.is_ok(),
                is_true,
                "seed {seed}: {claim:?} {checked:?}"
            );
            match is_true {
                true => accepted[place] += 1,
                false => rejected[place] += 1,
            }
        }
        // Every state can be reached, so none may be missing.
        let missing = Random::new(seed).below(states.len());
        let rest = states
            .iter()
            .enumerate()
            .filter(|&(place, _)| place != missing);
        let mut rest = listed(rest.map(|(_, state)| state));
        let without = check_closed(system, &mut rest, &[], &mut |_| true);
        assert!(
            matches!(without, Err(Failure::Flawed(_))),
            "seed {seed}: {without:?}"
        );
        compared += 1;
    }
    println!("{compared} programs: accepted {accepted:?}, rejected {rejected:?}");
    assert!(compared * 2 > cases, "{compared} programs");
    for place in [0, 2, 3] {
        assert!(accepted[place] * 50 > cases && rejected[place] * 50 > cases);
    }
}
