//! Which message is received where it was sent: the arrows of a message sequence chart.
//!
//! A handshake is one step of two processes: its arrow is level. A message through a buffer is sent in
//! one step and received in a later one. Which send belongs to a receive is not told by the model, since
//! channels may be sorted, read at random or lossy; so a receive is joined with the oldest message
//! of the same channel with the same fields that is still on its way. If the content of the channel, where
//! it is a variable of the state, does not shrink by the receive, the message was only looked at, and
//! stays on its way. What stays on its way to the end, and what is received from before the first step
//! (or from an earlier turn of the loop), is drawn as half an arrow.
//!
//! Linear in the number of steps times the messages on their way.

use evenhand_system::explicit::Value;
use evenhand_witness::{Passage, TraceStep};

/// An arrow of the chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arrow {
    /// Who sends, in which step; none if that is not seen.
    pub from: Option<(String, usize)>,
    /// Who receives, in which step; none if that is not seen.
    pub to: Option<(String, usize)>,
    /// The channel and the message.
    pub channel: String,
    /// The fields.
    pub fields: Vec<Value>,
}

/// The arrows of a run, in the order of their first step.
pub(super) fn arrows(steps: &[&TraceStep]) -> Vec<Arrow> {
    let mut arrows: Vec<Arrow> = Vec::new();
    // Positions of arrows in `arrows` whose message is on its way.
    let mut pending: Vec<usize> = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let before = number.checked_sub(1).map(|n| steps[n]);
        for passage in &step.messages {
            let here = Some((passage.process.clone(), number));
            let mut arrow = Arrow {
                from: None,
                to: None,
                channel: passage.channel.clone(),
                fields: passage.fields.clone(),
            };
            if let Some(partner) = &passage.partner {
                arrow.from = here;
                arrow.to = Some((partner.clone(), number));
                arrows.push(arrow);
            } else if passage.sent {
                arrow.from = here;
                pending.push(arrows.len());
                arrows.push(arrow);
            } else {
                let fits = |&&at: &&usize| {
                    arrows[at].channel == arrow.channel && arrows[at].fields == arrow.fields
                };
                match pending.iter().find(fits).copied() {
                    Some(at) if is_taken(passage, before, step) => {
                        arrows[at].to = here;
                        pending.retain(|&other| other != at);
                    }
                    _ => {
                        arrow.to = here;
                        arrows.push(arrow);
                    }
                }
            }
        }
    }
    arrows
}

/// Whether a receive takes the message out of its channel, as far as the states tell.
fn is_taken(passage: &Passage, before: Option<&TraceStep>, after: &TraceStep) -> bool {
    let content = |step: &TraceStep| {
        let mut found = step.state.iter().filter(|(n, _)| *n == passage.channel);
        match found.next() {
            Some((_, Value::List(list))) => Some(list.len()),
            _ => None,
        }
    };
    // In an atomic stretch other statements may fill the channel again.
    if after.messages.len() > 1 {
        return true;
    }
    match (before.and_then(content), content(after)) {
        (Some(before), Some(after)) => after < before,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_witness::StepKind;

    /// A step in which `process` sends (`true`) or receives a number; the channel then holds so many.
    fn step(process: &str, sent: bool, field: i64, length: usize) -> TraceStep {
        TraceStep {
            kind: StepKind::Step,
            process: Some(process.to_string()),
            processes: vec![process.to_string()],
            action: String::new(),
            span: None,
            body: None,
            substeps: Vec::new(),
            omitted: 0,
            printed: String::new(),
            message: None,
            messages: vec![Passage {
                process: process.to_string(),
                partner: None,
                sent,
                channel: "c".to_string(),
                fields: vec![Value::Number(field)],
            }],
            inputs: Vec::new(),
            state: vec![("c".to_string(), Value::List(vec![Value::Number(0); length]))],
            executed: Vec::new(),
        }
    }

    /// Each arrow as the numbers of its two steps.
    fn joined(steps: &[TraceStep]) -> Vec<(Option<usize>, Option<usize>)> {
        let steps: Vec<&TraceStep> = steps.iter().collect();
        let end = |end: Option<(String, usize)>| end.map(|(_, step)| step);
        let list = arrows(&steps).into_iter();
        list.map(|a| (end(a.from), end(a.to))).collect()
    }

    #[test]
    fn a_receive_takes_the_oldest_equal_message() {
        let run = [
            step("a", true, 1, 1),
            step("a", true, 2, 2),
            step("a", true, 1, 3),
            step("b", false, 2, 2),
            step("b", false, 1, 1),
        ];
        let expected = [(Some(0), Some(4)), (Some(1), Some(3)), (Some(2), None)];
        assert_eq!(joined(&run), expected);
    }

    #[test]
    fn a_message_from_before_and_one_that_is_only_looked_at() {
        let run = [
            step("b", false, 7, 0),
            step("a", true, 1, 1),
            step("b", false, 1, 1),
            step("b", false, 1, 0),
        ];
        let expected = [(None, Some(0)), (Some(1), Some(3)), (None, Some(2))];
        assert_eq!(joined(&run), expected);
    }

    #[test]
    fn a_handshake_is_level() {
        let mut run = [step("a", true, 1, 0)];
        run[0].messages[0].partner = Some("b".to_string());
        assert_eq!(joined(&run), [(Some(0), Some(0))]);
    }
}
