//! A run that ends is fair, whatever is assumed.

use evenhand_system::{Asking, Wanted};
use evenhand_verify::{Options, Silent, check};

/// A token goes from `a` to `b` and stays there; or round and round, elsewhere.
const NET: &str = "
typedef unsigned (0..1) token;
place a (0..1) token: 0;
place b (0..1) token;
place c (0..1) token;
trans stop in { place a: x; } out { place b: x; };
trans turn in { place a: x; } out { place c: x; };
trans back in { place c: x; } out { place a: x; };
";

fn holds(formula: &str, fair: &str) -> bool {
    let model = super::load(NET, &[]).expect("it is right");
    let mut asking = Asking::default();
    asking.request.properties = Wanted::Named(Vec::new());
    asking.request.linear = vec![formula.to_string()];
    asking.request.fair = vec![fair.to_string()];
    let report = check(&*model, &asking, &Options::default(), &mut Silent);
    let report = report.unwrap_or_else(|error| panic!("{fair}: {error}"));
    assert!(report.properties[0].verdict.is_decided());
    report.properties[0].verdict.holds()
}

#[test]
fn a_run_that_ends_is_fair_under_any_condition() {
    // The run that stops breaks it, although the condition does not hold where it stops.
    let never = "[] (place b equals empty)";
    assert!(!holds(never, "just:place c equals is token 0"));
    assert!(!holds(never, "just:!(place a equals empty)"));
    let compassion = "compassion:place c equals empty=>!(place a equals empty)";
    assert!(!holds(never, compassion));
    // The run that goes on must keep to it.
    let stops = "<> !(place b equals empty)";
    assert!(!holds(stops, "just:!(place c equals empty)"));
    assert!(holds(stops, "just:!(place b equals empty)"));
    assert!(holds(
        stops,
        "compassion:!(place c equals empty)=>!(place b equals empty)"
    ));
}
