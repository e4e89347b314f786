//! Whatever order the fixpoint is found in, and however it is trimmed: it is the same.

use evenhand::{Asking, Language, Options, Promela};
use evenhand_cluster::{Checkpoint, Order, Strategy};
use evenhand_testkit::promela_programs::temporal::TemporalProgram;

use crate::common::{cases, first_seed, processes, together, together_by};

#[test]
fn all_strategies_come_to_the_same() {
    let mut strategies = Vec::new();
    for order in [Order::Down, Order::Up, Order::Queue] {
        for (apart, patient) in [(false, false), (true, false), (false, true), (true, true)] {
            strategies.push(Strategy {
                order,
                apart,
                patient,
            });
        }
    }
    let clusters = processes(2, 1);
    let not_kept: &(dyn Fn(usize) -> Option<Checkpoint> + Sync) = &|_| None;
    let mut options = Options::default();
    options.limit_states = Some(2_000);
    let (mut holds, mut violated) = (0, 0);
    for seed in first_seed()..first_seed() + cases(12) {
        let case = TemporalProgram::generate(seed, 2, 4);
        let text = case.text();
        if evenhand::Model::parse("program.pml", &text, &Promela).is_err() {
            continue;
        }
        let text: (&str, &str, &'static dyn Language) = ("program.pml", &text, &Promela);
        for name in ["f0", "f1"] {
            let mut asking = Asking::default();
            asking.name_properties(&[name.to_string()]);
            asking.request.fair = case.assumptions.clone();
            let Ok(usual) = together(&clusters, text, &asking, &options) else {
                continue;
            };
            let usual = &usual.properties[0].verdict;
            (holds, violated) = (
                holds + u64::from(usual.holds()),
                violated + u64::from(usual.is_violated()),
            );
            for &strategy in &strategies {
                let other = together_by(&clusters, text, &asking, &options, (not_kept, strategy));
                let other = &other.expect("an answer").properties[0].verdict;
                let about = format!("{strategy:?}, {name} of\n{}", text.1);
                assert_eq!(usual.word(), other.word(), "{about}");
            }
        }
    }
    assert!(holds > 0 && violated > 0, "{holds} {violated}");
}
