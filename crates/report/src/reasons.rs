//! Why a run is fair and why it breaks the property, in sentences.
//!
//! A run may owe something to dozens of assumptions, one for each process; people read a sentence,
//! not dozens of lines. What has the same reason is told together, in the order of the assumptions.

use std::fmt::Write;

use evenhand_system::Kind;
use evenhand_verify::PropertyResult;
use evenhand_witness::{Counterexample, Evidence, Reason};

/// Why the run is fair.
pub(crate) fn write_fairness(text: &mut String, run: &Counterexample) {
    if run.evidence.is_empty() {
        return;
    }
    let mut groups: Vec<(Claim, Vec<String>)> = Vec::new();
    for evidence in &run.evidence {
        let (claim, subject) = claim(evidence);
        match groups.iter_mut().find(|(known, _)| *known == claim) {
            Some((_, subjects)) => {
                if !subjects.contains(&subject) {
                    subjects.push(subject);
                }
            }
            None => groups.push((claim, vec![subject])),
        }
    }
    let _ = writeln!(text, "  why this run is fair:");
    for (claim, subjects) in groups {
        let _ = writeln!(text, "    {}", sentence(claim, &subjects, run));
    }
}

/// Why the run satisfies one assumption, and the step that shows it.
#[cfg(feature = "html")]
pub(crate) fn told(evidence: &Evidence, run: &Counterexample) -> (String, Option<usize>) {
    let (claim, subject) = claim(evidence);
    let step = match evidence.reason {
        Reason::Taken(n) => Some(run.prefix.len() + n),
        Reason::Disabled(n) | Reason::Holds(n) => Some((run.prefix.len() + n).saturating_sub(1)),
        Reason::NeverEnabled | Reason::NeverAsked => None,
    };
    (sentence(claim, &[subject], run), step)
}

/// What an assumption is about, and what the run does about it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Claim {
    subject: Subject,
    reason: Reason,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Subject {
    /// A process moves.
    Process,
    /// A statement is executed.
    Statement,
    /// An expression holds.
    Expression,
}

/// The claim of an assumption, and how its subject is called. The text of an assumption is the
/// specification of the contract, made for one process: `strong:phil[0]`, `weak:phil[0]@eating`,
/// `just:EXPR`, `compassion:EXPR=>EXPR`.
fn claim(evidence: &Evidence) -> (Claim, String) {
    let text = evidence.assumption.as_str();
    let is_kind = |kind: &str| kind.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    let parts = text.split_once(':').filter(|(kind, _)| is_kind(kind));
    let Some((kind, rest)) = parts else {
        // As a model states it in its own words.
        let reason = evidence.reason;
        let subject = Subject::Process;
        return (Claim { subject, reason }, text.to_string());
    };
    let (subject, name) = match kind {
        "just" => (Subject::Expression, format!("`{}`", rest.trim())),
        "compassion" => {
            let (when, then) = rest.split_once("=>").unwrap_or((rest, rest));
            let part = match evidence.reason {
                Reason::NeverAsked => when,
                _ => then,
            };
            (Subject::Expression, format!("`{}`", part.trim()))
        }
        _ => match rest.split_once('@') {
            None => (Subject::Process, rest.to_string()),
            Some((process, label)) => {
                let name = format!("`{label}` of {process}");
                (Subject::Statement, name)
            }
        },
    };
    let reason = evidence.reason;
    (Claim { subject, reason }, name)
}

fn sentence(claim: Claim, subjects: &[String], run: &Counterexample) -> String {
    let many = subjects.len() > 1;
    let names = match claim.subject {
        Subject::Statement if many => format!("the statements at {}", listed(subjects)),
        Subject::Statement => format!("the statement at {}", listed(subjects)),
        Subject::Process | Subject::Expression => listed(subjects),
    };
    let choose = |one: &str, several: &str| if many { several } else { one }.to_string();
    let does = match claim.subject {
        Subject::Process => choose("moves", "move"),
        Subject::Statement => choose("is executed", "are executed"),
        Subject::Expression => choose("holds", "hold"),
    };
    let can = match claim.subject {
        Subject::Statement => "be executed",
        Subject::Process | Subject::Expression => "move",
    };
    let ended = run.stays();
    let before = |n: usize| match (n, (run.prefix.len() + n).saturating_sub(1)) {
        (0, _) if ended => "at the end".to_string(),
        (0, _) => "where the loop begins".to_string(),
        (_, step) => format!("after step {step}"),
    };
    match claim.reason {
        Reason::Taken(n) => format!("{names} {does} in step {}", run.prefix.len() + n),
        Reason::Disabled(n) => format!("{names} cannot {can} {}", before(n)),
        Reason::NeverEnabled if ended => format!("{names} cannot {can} any more"),
        Reason::NeverEnabled => format!("{names} can never {can} in the loop"),
        Reason::Holds(n) => format!("{names} {does} {}", before(n)),
        Reason::NeverAsked if ended => {
            format!(
                "{names} {} at the end",
                choose("does not hold", "do not hold")
            )
        }
        Reason::NeverAsked => format!("{names} never {does} in the loop"),
    }
}

/// `a`, `a and b`, `a, b and c`.
fn listed(names: &[String]) -> String {
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Why the run breaks the property, in sentences.
pub(crate) fn reasons(result: &PropertyResult, run: &Counterexample) -> Vec<String> {
    let finite = run.cycle.is_empty();
    match result.kind {
        Kind::Never if finite => vec!["the never claim accepts whatever follows".to_string()],
        Kind::Automaton if finite => vec!["the automaton of bad runs accepts it".to_string()],
        Kind::Progress => vec!["no process comes to a progress label in the loop".to_string()],
        Kind::Acceptance => vec!["some process comes to an accept label in the loop".to_string()],
        Kind::Never => vec!["the never claim accepts it".to_string()],
        Kind::Automaton => vec!["the automaton of bad runs accepts it".to_string()],
        _ => run.why.clone(),
    }
}

/// Why the run breaks the property.
pub(crate) fn write_reasons(text: &mut String, result: &PropertyResult, run: &Counterexample) {
    let reasons = reasons(result, run);
    if reasons.is_empty() {
        return;
    }
    let whatever = match run.cycle.is_empty() && result.kind != Kind::Ctl {
        true => ", whatever follows",
        false => "",
    };
    let _ = writeln!(text, "  why it breaks the property{whatever}:");
    for reason in reasons {
        let _ = writeln!(text, "    {reason}");
    }
}

#[cfg(test)]
mod tests {
    use evenhand_witness::{Evidence, Reason};

    use super::{Subject, claim};

    #[test]
    fn an_assumption_in_the_words_of_its_model_is_told_as_a_whole() {
        let of = |assumption: &str| {
            let (claim, name) = claim(&Evidence {
                assumption: assumption.to_string(),
                source: String::new(),
                reason: Reason::NeverEnabled,
            });
            (claim.subject == Subject::Statement, name)
        };
        for text in [
            "WF_x(\\E p \\in S : Inc(p))",
            "SF_x(A([f EXCEPT ![1] = @ + 1]))",
        ] {
            assert_eq!(of(text), (false, text.to_string()));
        }
        assert_eq!(of("weak:phil[0]"), (false, "phil[0]".to_string()));
        assert_eq!(of("spin-weak:phil[0]"), (false, "phil[0]".to_string()));
        assert!(of("strong:phil[0]@eating").0);
    }
}
