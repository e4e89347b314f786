//! Random models, read here and by NuSMV: both accept or both refuse, with the same number of
//! states.

use std::time::Duration;

use evenhand_testkit::smv_models::nusmv::{Answer, find, reachable};
use evenhand_testkit::smv_models::{expression_model, model, property_model};

use crate::common::{cases, explored, load};

/// What became of a comparison.
#[derive(Debug, PartialEq)]
enum Outcome {
    /// Both count the same states.
    Same,
    /// Both refuse.
    Refused,
    /// They differ, and the table of explanations says why.
    Explained,
    /// NuSMV gives no answer, for a reason.
    Unknown(String),
    /// They differ.
    Differs(String),
}

fn compare(nusmv: &std::path::Path, text: &str, file: &std::path::Path) -> Outcome {
    std::fs::write(file, text).expect("a temporary file");
    let expected = reachable(nusmv, file, Duration::from_secs(20));
    let ours = load(text).map(|model| explored(model.relation, 100_000));
    match (&expected, &ours) {
        (Answer::None(reason), _) => Outcome::Unknown(reason.clone()),
        (Answer::Refused(_), Err(_)) => Outcome::Refused,
        (Answer::States(states), Ok(Ok((count, _)))) if *states == count.to_string() => {
            Outcome::Same
        }
        (Answer::Refused(reason), Ok(Ok(_))) if is_wider(text, reason) => Outcome::Explained,
        (Answer::States(_), Err(errors)) if is_lazy_word(text, errors) => Outcome::Explained,
        (Answer::States(_), Err(_)) if is_explained(nusmv, text, file) => Outcome::Explained,
        _ => Outcome::Differs(
            format!("NuSMV: {expected:?}\nhere: {ours:?}\n{text}").replace("SmvModel", "model"),
        ),
    }
}

/// NuSMV stops reading a conjunction of constraints that is false already, and so does not see that
/// a later assignment is out of range or a later `case` not exhaustive. Without those constraints
/// it refuses the model as well.
fn is_explained(nusmv: &std::path::Path, text: &str, file: &std::path::Path) -> bool {
    let is_constraint = |line: &&str| {
        let sections = ["TRANS ", "INIT ", "INVAR "];
        sections.iter().any(|section| line.starts_with(section))
    };
    let rest: Vec<&str> = text.lines().filter(|line| !is_constraint(line)).collect();
    let shorter = rest.join("\n");
    std::fs::write(file, &shorter).expect("a temporary file");
    let answer = reachable(nusmv, file, Duration::from_secs(20));
    matches!(answer, Answer::Refused(_)) && load(&shorter).is_err()
}

/// What NuSMV refuses in some places and accepts in others: `bool` of a truth value (refused in
/// definitions), words divided by a constant 0 whose value does not matter, and `? :` between
/// temporal formulas.
fn is_wider(text: &str, reason: &str) -> bool {
    let temporal = [
        "unexpected LTL operator",
        "unexpected CTL operator",
        "at token \"?\"",
    ];
    if text.contains('?') && temporal.iter().any(|said| reason.contains(said)) {
        return true;
    }
    reason.contains("illegal operand type of \"bool\" : boolean")
        || (reason.contains("Division by zero") && reason.contains("Expr_simplify"))
}

/// NuSMV keeps a word bit by bit, and where only some bits of it have no value it may accept what
/// asks for the others: `0ub2_11 -> w` is true in every bit of `w` that is 1, even if `w` has no
/// value. Here a word has a value as a whole.
fn is_lazy_word(text: &str, errors: &[String]) -> bool {
    let reasons = ["shift distance", "not exhaustive", "divides by zero"];
    let about_values = |e: &String| reasons.iter().any(|reason| e.contains(reason));
    let words = ["word", "0u", "0s", "0d", "const("];
    words.iter().any(|word| text.contains(word)) && errors.iter().all(about_values)
}

fn campaign(name: &str, seed: u64, count: u64, write: fn(u64) -> String) {
    let Some(nusmv) = find() else {
        println!("skipped: no NuSMV (set EVENHAND_NUSMV)");
        return;
    };
    let directory = std::env::temp_dir().join(format!("evenhand-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a temporary directory");
    let file = directory.join("model.smv");
    let (mut same, mut refused, mut explained, mut unknown) = (0, 0, 0, 0);
    let mut differences = Vec::new();
    for seed in seed..seed + count {
        match compare(&nusmv, &write(seed), &file) {
            Outcome::Same => same += 1,
            Outcome::Refused => refused += 1,
            Outcome::Explained => explained += 1,
            Outcome::Unknown(reason) => {
                unknown += 1;
                println!("seed {seed}: no answer of NuSMV: {reason}");
            }
            Outcome::Differs(text) => differences.push(format!("seed {seed}\n{text}")),
        }
    }
    let _ = std::fs::remove_dir_all(&directory);
    println!(
        "{name}: {same} the same, {refused} refused by both, {explained} explained, \
         {unknown} unknown"
    );
    let few: Vec<String> = differences.iter().take(5).cloned().collect();
    assert!(
        differences.is_empty(),
        "{} differences, such as\n{}",
        differences.len(),
        few.join("\n\n")
    );
    assert!(explained * 20 <= count + 40, "{explained} explained");
    assert!(same * 3 > count, "too few models are accepted: {same}");
}

/// The first seed.
fn first() -> u64 {
    let asked = std::env::var("EVENHAND_SEED").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(1)
}

#[test]
fn expressions_have_the_types_and_values_that_nusmv_gives_them() {
    campaign("smv-expressions", first(), cases(60), expression_model);
}

#[test]
fn models_have_the_states_that_nusmv_finds() {
    campaign("smv-models", first(), cases(60), model);
}

#[test]
fn properties_are_accepted_as_nusmv_does() {
    campaign("smv-properties", first(), cases(60), property_model);
}
