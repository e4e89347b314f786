//! What the signature says of actions: what they are good for, and their numbers in SPIN's trails.

use evenhand_promela::PromelaModel;
use evenhand_system::signature::{ActionInfo, ActionRole};

use super::model;

const TEXT: &str = "bool end; byte x;
    active proctype P() { x = 1; L: x = 2; end }
    active proctype Q() { skip }
    never { do :: x == 9 -> break :: else od }";

#[test]
fn ends_and_claims_are_told_apart_from_steps() {
    let model = model(TEXT);
    let actions = &model.program.signature().actions;
    let roles: Vec<(&str, ActionRole)> = actions.iter().map(|a| (&*a.text, a.role)).collect();
    let of = |wanted: ActionRole| {
        let texts = roles.iter().filter(move |&&(_, role)| role == wanted);
        texts.map(|&(text, _)| text).collect::<Vec<_>>()
    };
    // The variable of that name is no end.
    assert_eq!(of(ActionRole::Step), ["x = 1", "x = 2", "end", "skip"]);
    assert_eq!(of(ActionRole::End), ["end", "end"]);
    let claim = of(ActionRole::Claim);
    assert!(claim.len() >= 3 && claim.contains(&"x == 9"), "{claim:?}");
    let process = |index: usize| actions[index].process.index();
    assert_eq!((process(0), process(actions.len() - 1)), (0, 2));
}

/// A label that a question is about may become a control state of its own, which gives actions
/// other numbers.
#[test]
fn numbers_in_trails_belong_to_the_actions_there_are() {
    let mut model = model("byte x; active proctype P() { x = 1; M: x = 2; L: goto M }");
    let numbers = |model: &PromelaModel| -> Vec<(String, u32)> {
        let actions = model.program.signature().actions.iter();
        let number = |a: &ActionInfo| (a.text.clone(), a.statement.expect("a number"));
        actions.map(number).collect()
    };
    let before = numbers(&model);
    let specs = [("just:P@L".to_string(), None)];
    model.fairness(&specs, 1).expect("it has a meaning");
    let after = numbers(&model);
    assert_eq!(after.len(), before.len() + 1);
    // SPIN counts the statements of the text, whatever they have become here.
    assert!(
        before.iter().all(|known| after.contains(known)),
        "{before:?} {after:?}"
    );
}
