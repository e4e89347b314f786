//! Fairness assumptions by their definitions, read again from their texts.
//!
//! An item is a set of participations: all of one process, those with a statement of one type or at
//! one label. It is taken by a step that contains one of them, and enabled in a state out of which
//! such a step leads. SPIN's weak fairness is about processes that can begin a step: an offer does
//! not enable the receiver of a handshake, but the handshake is a move of both. `spin-stopped` is
//! SPIN's weak fairness with a mistake that its verifier makes: a process that its `provided`
//! clause stops does not count as blocked. Nothing is simplified: what drops out elsewhere stays
//! here.

use std::collections::HashMap;

use evenhand::{ActionId, PropositionId, Signature};

use super::space::{Participant, Space, Step};

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

/// Expressions of the model's language that assumptions mention: what each is in the model.
pub type Expressions = HashMap<String, PropositionId>;

/// All expressions in assumptions and in `provided` clauses that have a meaning.
pub fn expressions(
    texts: &[String],
    program: &str,
    has_meaning: &dyn Fn(&str) -> bool,
) -> Vec<String> {
    let mut known = Vec::new();
    let mut add = |text: &str| {
        if !known.iter().any(|k| k == text) && has_meaning(text) {
            known.push(text.to_string());
        }
    };
    for text in texts {
        match text.split_once(':') {
            Some(("just", condition)) => add(condition),
            Some(("compassion", conditions)) => conditions.split("=>").for_each(&mut add),
            _ => {}
        }
    }
    for (_, clause) in clauses(program) {
        (0..MOST_PROCESSES).for_each(|pid| add(&clause_of(pid, clause)));
    }
    known
}

/// `provided` clauses are understood up to this process number.
const MOST_PROCESSES: u8 = 12;

/// A `provided` clause as an expression about one process.
fn clause_of(pid: u8, clause: &str) -> String {
    clause.replace("_pid", &pid.to_string())
}

/// Names of process types, with their `provided` clauses.
fn clauses(program: &str) -> Vec<(&str, &str)> {
    let clause = |line| -> Option<(&str, &str)> {
        let (head, clause) = str::split_once(line, ") provided ")?;
        let (name, _) = head.split_once("proctype ")?.1.split_once('(')?;
        Some((name, clause.trim_end().trim_end_matches('{')))
    };
    program.lines().filter_map(clause).collect()
}

/// A model as brute force sees it.
pub struct View<'v> {
    /// Its names.
    pub signature: &'v Signature,
    /// Its states.
    pub space: &'v Space,
    /// Its text.
    pub program: &'v str,
    /// What expressions are.
    pub expressions: &'v Expressions,
}

/// All assumptions that some texts make; none if an expression has no value somewhere.
///
/// # Panics
/// If a text has no meaning: texts are tried on the model before.
pub fn read(texts: &[String], view: &View<'_>) -> Option<Vec<Assumption>> {
    let space = view.space;
    let mut list = Vec::new();
    for text in texts {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        match kind {
            "just" => list.push(Assumption::Justice(view.states(rest)?)),
            "compassion" => {
                let (when, then) = rest.split_once("=>").expect("two conditions");
                let when = view.states(when)?;
                list.push(Assumption::Compassion(when, view.states(then)?));
            }
            "spin-weak" => {
                for pid in space.pids() {
                    let counts = |p: &Participant| p.pid.index() == usize::from(pid);
                    let enables = |p: &Participant| p.pid.index() == usize::from(pid) && p.is_first;
                    list.push(Assumption::Weak(Item::new(space, counts, enables)));
                }
            }
            "spin-stopped" => {
                let stopped = view.stopped()?;
                for pid in space.pids() {
                    let counts = |p: &Participant| p.pid.index() == usize::from(pid);
                    let enables = |p: &Participant| p.pid.index() == usize::from(pid) && p.is_first;
                    let mut item = Item::new(space, counts, enables);
                    for (enabled, stopped) in
                        item.enabled.iter_mut().zip(&stopped[usize::from(pid)])
                    {
                        *enabled |= stopped;
                    }
                    list.push(Assumption::Weak(item));
                }
            }
            "weak" | "strong" => {
                let target = Target::read(rest);
                for pid in space.pids() {
                    if target.pid.is_some_and(|wanted| wanted != pid) {
                        continue;
                    }
                    let counts = |p: &Participant| {
                        p.pid.index() == usize::from(pid) && target.has(view.signature, p.action)
                    };
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

impl View<'_> {
    fn states(&self, text: &str) -> Option<Vec<bool>> {
        self.space.states_where(*self.expressions.get(text)?)
    }

    /// For each process, in which states its `provided` clause stops it.
    fn stopped(&self) -> Option<Vec<Vec<bool>>> {
        let clauses: HashMap<&str, &str> = clauses(self.program).into_iter().collect();
        let is_stopped = |pid: u8, state: usize| {
            let name = self.space.names[state].get(usize::from(pid));
            let process = name.and_then(|name| name.split('[').next());
            let Some(clause) = process.and_then(|process| clauses.get(process)) else {
                return Some(false);
            };
            let proposition = self.expressions.get(&clause_of(pid, clause))?;
            let holds = self.space.truth.get(proposition)?.as_ref()?;
            Some(!holds[state])
        };
        let states = 0..self.space.states.len();
        let of_process = |pid| states.clone().map(|state| is_stopped(pid, state)).collect();
        self.space.pids().map(of_process).collect()
    }
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

    fn has(&self, signature: &Signature, action: ActionId) -> bool {
        let info = &signature.actions[action.index()];
        let of_type = signature.processes[info.process.index()] == self.name;
        (self.name.is_empty() || of_type)
            && self
                .label
                .is_none_or(|label| info.labels.iter().any(|l| l == label))
    }
}
