//! Bodies and their views may be used by several threads: asserted when this is compiled, and
//! tried.

use evenhand_system::compose::{Asynchronous, FairGraph, Valued};
use evenhand_system::model::{ModelAction, Steps};
use evenhand_system::relation::{Along, Enumerated};
use evenhand_system::{
    Explicit, Explorer, Foreign, GroupExplorer, Groups, Model, Program, Relation, Successors,
};

fn is_shared<T: Send + Sync + ?Sized>() {}
fn is_sent<T: Send + ?Sized>() {}

#[test]
fn bodies_are_shared_and_views_are_sent() {
    is_shared::<Program>();
    is_shared::<Relation>();
    is_shared::<Foreign<Enumerated>>();
    is_shared::<Foreign<Along>>();
    is_shared::<Foreign<Counter>>();
    is_shared::<Foreign<Valued<Asynchronous<Enumerated, FairGraph>>>>();
    is_shared::<Box<dyn Explicit>>();
    is_shared::<Box<dyn Groups>>();
    is_shared::<Box<dyn Model<State = u8>>>();
    is_sent::<Box<dyn Explorer>>();
    is_sent::<Box<dyn GroupExplorer>>();
    is_sent::<Successors>();
}

/// Counts to 100, a step of each of two processes at a time.
struct Counter;

impl Model for Counter {
    type State = u8;

    fn processes(&self) -> Vec<String> {
        vec!["one".into(), "two".into()]
    }

    fn actions(&self) -> Vec<ModelAction> {
        vec![ModelAction::new(0, "count"), ModelAction::new(1, "count")]
    }

    fn initial(&self) -> Vec<u8> {
        vec![0]
    }

    fn steps(&self, state: &u8, steps: &mut Steps<u8>) {
        if *state < 100 {
            let process = usize::from(*state % 2);
            steps.step(process, process, state + 1);
        }
    }
}

#[test]
fn several_threads_expand_the_same_system() {
    let system = Foreign::new(Counter).expect("a model");
    let body: &dyn Explicit = &system;
    let count = |mut explorer: Box<dyn Explorer + '_>| {
        let mut out = Successors::new();
        explorer.initial(&mut out);
        let mut states = 0;
        while !out.is_empty() {
            let state = out.state(0).to_vec();
            explorer.expand(&state, &mut out);
            states += 1;
        }
        states
    };
    let counts: Vec<usize> = std::thread::scope(|scope| {
        let start = |_| {
            let explorer = body.explorer(&[]);
            scope.spawn(move || count(explorer))
        };
        let threads: Vec<_> = (0..3).map(start).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined.map(|count| count.expect("no panic")).collect()
    });
    assert_eq!(counts, [101; 3]);
}
