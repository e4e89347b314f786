//! Fairness assumptions by their definitions, read again from their texts.
//!
//! An item is a set of participations: all of one process, those with a statement of one type or at
//! one label. It is taken by a step that contains one of them, and enabled in a state out of which
//! such a step leads. SPIN's weak fairness is about processes that can begin a step: of a handshake
//! only the sender counts. Nothing is simplified: what drops out elsewhere stays here.

use evenhand::Model;
use evenhand_system::signature::Signature;

use crate::space::{Participant, Space, Step};

/// What an assumption demands of a run.
pub enum Assumption {
    /// Not enabled for ever without being taken.
    Weak(Item),
    /// Not enabled again and again without being taken again and again.
    Strong(Item),
    /// States (by number) to be visited again and again.
    Justice(Vec<bool>),
    /// If the first are, so are the second.
    Compassion(Vec<bool>, Vec<bool>),
}

/// Something that can be enabled and taken.
pub struct Item {
    /// For each state.
    pub enabled: Vec<bool>,
    /// For each state, for each step out of it.
    pub taken: Vec<Vec<bool>>,
}

impl Item {
    fn new(
        space: &Space,
        counts: impl Fn(&Participant) -> bool,
        enables: impl Fn(&Participant) -> bool,
    ) -> Item {
        let takes = |step: &Step| step.participants.iter().any(&counts);
        let can = |step: &Step| step.participants.iter().any(&enables);
        let of_state = |steps: &Vec<Step>| steps.iter().map(takes).collect::<Vec<bool>>();
        Item {
            enabled: (space.steps.iter())
                .map(|steps| steps.iter().any(can))
                .collect(),
            taken: space.steps.iter().map(of_state).collect(),
        }
    }
}

/// All assumptions that some texts make; none if an expression has no value somewhere.
///
/// # Panics
/// If a text has no meaning: texts are tried on the model before.
pub fn read(texts: &[String], model: &mut Model, space: &Space) -> Option<Vec<Assumption>> {
    let mut list = Vec::new();
    for text in texts {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        match kind {
            "just" => list.push(Assumption::Justice(states(rest, model, space)?)),
            "compassion" => {
                let (when, then) = rest.split_once("=>").expect("two conditions");
                let when = states(when, model, space)?;
                list.push(Assumption::Compassion(when, states(then, model, space)?));
            }
            "spin-weak" => {
                for pid in space.pids() {
                    let counts = |p: &Participant| p.pid == pid && !p.is_partner;
                    let enables = |p: &Participant| p.pid == pid && p.is_first;
                    list.push(Assumption::Weak(Item::new(space, counts, enables)));
                }
            }
            "weak" | "strong" => {
                let target = Target::read(rest);
                let signature = model.signature();
                for pid in space.pids() {
                    if target.pid.is_some_and(|wanted| wanted != pid) {
                        continue;
                    }
                    let counts = |p: &Participant| p.pid == pid && target.has(signature, p.action);
                    let item = Item::new(space, counts, counts);
                    list.push(match kind {
                        "weak" => Assumption::Weak(item),
                        _ => Assumption::Strong(item),
                    });
                }
            }
            _ => panic!("unknown assumption `{text}`"),
        }
    }
    Some(list)
}

fn states(text: &str, model: &mut Model, space: &Space) -> Option<Vec<bool>> {
    let proposition = model.state_expression(text).expect("it was tried before");
    space.states_where(model.explicit(), proposition)
}

/// `NAME[pid]@LABEL`; all parts may be missing.
struct Target<'t> {
    name: &'t str,
    pid: Option<u8>,
    label: Option<&'t str>,
}

impl<'t> Target<'t> {
    fn read(text: &'t str) -> Target<'t> {
        let (process, label) = match text.split_once('@') {
            Some((process, label)) => (process, Some(label)),
            None => (text, None),
        };
        let (name, pid) = match process.trim_end_matches(']').split_once('[') {
            Some((name, pid)) => (name, Some(pid.parse().expect("a number"))),
            None => (process, None),
        };
        Target { name, pid, label }
    }

    fn has(&self, signature: &Signature, action: u32) -> bool {
        let info = &signature.actions[action as usize];
        let of_type = signature.processes[usize::from(info.process)] == self.name;
        (self.name.is_empty() || of_type)
            && self.label.is_none_or(|label| info.labels.iter().any(|l| l == label))
    }
}
