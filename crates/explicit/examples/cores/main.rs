//! What more cores would gain: the parts of a check, and a simulation with recorded times.
//!
//! `cargo run --release -p evenhand-explicit --example cores -- MODEL.pml PROPERTY [NAME=VALUE…] [fair:SPEC…]`
//!
//! The check runs in one thread, with a store that notes when it was asked for what (`recorder`). So for each state it is known
//! what it cost to execute the model and hash, to look its successors up, and what the decision did until it asked for
//! the next one. Then the decision is simulated with threads that expand ahead of it (`simulate`), waiting included.
//! *Bound* is what the shares alone allow: all threads busy, and nobody can take over what the decision does.

use evenhand_automata::{Automaton, Bits, Letter};
use evenhand_certify::ProductClaim;
use evenhand_explicit::emptiness::Statistics;
use evenhand_explicit::product::{Product, mark_count};
use evenhand_explicit::ranks::{Ranking, rank};
use evenhand_explicit::space::{Interest, Space};
use evenhand_explicit::store::StateId;
use evenhand_explicit::watch::Watch;
use evenhand_explicit::with_width;

#[path = "../shared/formula.rs"]
mod formula;
#[path = "../shared/question.rs"]
mod question;
mod recorder;
mod simulate;

use recorder::{Recorder, Recording, Trace};
use simulate::{Sharing, Way, simulate};

fn main() {
    let mut arguments = std::env::args().skip(1);
    question::with_claim(&mut arguments, |name, claim| {
        let interest = Interest {
            propositions: claim.propositions,
            fairness: claim.fairness,
        };
        let recorder = Recorder::default();
        let mut space = Space::new(claim.system, interest, recorder.store());
        with_width!(
            mark_count(&space, claim.automaton),
            W => check::<W>(&mut space, claim),
            else panic!("too many marks")
        );
        let trace = recorder.trace();
        let way = way(&trace, &mut space, claim);
        drop(space);
        table(name, &trace, &way);
    });
}

fn check<const W: usize>(space: &mut Space<'_, Recording>, claim: &ProductClaim<'_>) {
    let places = space.places_of(claim.propositions);
    let product = Product::<_, W>::new(space, claim.automaton, places, true);
    let mut product = product.expect("room for the marks");
    let mut observer = |_: &_| true;
    let mut watch = Watch::new(&mut observer, None, None);
    let ranking = rank(&mut product, &mut watch, &mut Statistics::default()).expect("no limit");
    assert!(matches!(ranking, Ranking::Empty(_)), "it does not hold");
}

/// What scouts know of the product, and where its automaton is when a state is asked for: a search of the product tells.
fn way(trace: &Trace, space: &mut Space<'_, Recording>, claim: &ProductClaim<'_>) -> Way {
    let places = space.places_of(claim.propositions);
    let moves = |letter: u32| {
        let held: Vec<usize> = space.letter(letter).collect();
        let props = places.iter().enumerate();
        let props = props.filter(|(_, place)| held.contains(place));
        moves(
            claim.automaton,
            &Letter(props.map(|(prop, _)| prop).collect::<Bits>()),
        )
    };
    let moves: Vec<Vec<Vec<u32>>> = (0..space.letter_count() as u32).map(moves).collect();
    let letter = |id| space.outgoing(StateId::new(id)).expect("a state").letter;
    let letters: Vec<u32> = (0..trace.states.len() as u32).map(letter).collect();
    let mut places = vec![usize::MAX; letters.len()];
    for (place, step) in trace.states.iter().enumerate() {
        places[step.state as usize] = place;
    }
    let states = claim.automaton.state_count();
    let mut seen = vec![false; letters.len() * states];
    let mut at = vec![u32::MAX; letters.len()];
    let initial = claim.automaton.initial().iter().rev();
    let mut stack: Vec<(u32, u32)> = initial.map(|q| (trace.states[0].state, q.0)).collect();
    while let Some((state, q)) = stack.pop() {
        if std::mem::replace(&mut seen[state as usize * states + q as usize], true) {
            continue;
        }
        let place = places[state as usize];
        if at[place] == u32::MAX {
            at[place] = q;
        }
        let targets = &moves[letters[state as usize] as usize][q as usize];
        for &successor in trace.states[place].successors.iter().rev() {
            let nodes = targets.iter().rev().map(|&target| (successor, target));
            stack.extend(nodes);
        }
    }
    let first =
        |of_letter: &Vec<Vec<u32>>| of_letter.iter().map(|all| all.first().copied()).collect();
    Way {
        next: moves.iter().map(first).collect(),
        letters,
        at: at
            .into_iter()
            .map(|q| if q == u32::MAX { 0 } else { q })
            .collect(),
    }
}

/// Where an automaton can go from each state.
fn moves(automaton: &Automaton, letter: &Letter) -> Vec<Vec<u32>> {
    let of_state = |state| {
        let edges = automaton.edges_from(state).iter();
        let edges = edges.filter(|edge| automaton.cube(edge.label).matches(letter));
        edges.map(|edge| edge.target.0).collect()
    };
    automaton.states().map(of_state).collect()
}

fn table(name: &str, trace: &Trace, way: &Way) {
    let sum = |part: fn(&recorder::Step) -> f64| trace.states.iter().map(part).sum::<f64>();
    let parts = [
        sum(|step| step.expanding),
        sum(|step| step.looking_up),
        sum(|step| step.deciding),
    ];
    let all: f64 = parts.iter().sum();
    let [expanding, looking_up, deciding] = parts.map(|part| part / all);
    println!(
        "{name}: {} states, {:.2} s; expansion {:.0}%, looking up {:.0}%, decision {:.0}%",
        trace.states.len(),
        all / 1e9,
        100.0 * expanding,
        100.0 * looking_up,
        100.0 * deciding,
    );
    println!("| threads | way | bound | simulated | speed-up | ahead | waiting |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for threads in [2, 3, 4, 8, 16, 32] {
        for (sharing, words, left) in [
            (Sharing::Scouts, "scouts", looking_up + deciding),
            (Sharing::Store, "shared store", deciding),
        ] {
            let bound = f64::max(left, 1.0 / f64::from(threads));
            let outcome = simulate(trace, way, sharing, threads as usize - 1);
            println!(
                "| {threads} | {words} | {bound:.2} | {:.2} | {:.2} | {:.0}% | {:.0}% |",
                outcome.time,
                1.0 / outcome.time,
                100.0 * outcome.ahead,
                100.0 * outcome.waiting,
            );
        }
    }
}
