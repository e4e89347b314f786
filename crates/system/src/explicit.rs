//! What every body offers to the explicit engines: initial states and complete successor lists.
//!
//! A successor list is handed over in one buffer that is used again for each state: packed states
//! back to back, for each the step that leads there and the fairness items it takes, and the items
//! enabled in the source. Fairness needs the complete list, and what is enabled is for the body to
//! say: engines read [`Successors::enabled`] and derive nothing themselves. For most bodies an item
//! is enabled iff some successor takes it ([`Successors::enable_taken`]), a process that is not
//! enabled as partner iff it begins a step.
//!
//! A body of another crate implements [`Explicit`] and [`Explorer`] and fills the list with
//! [`Successors::start`], [`Successors::push`], [`Successors::fault`] and [`Successors::enable`].

use std::fmt;

use crate::fairness::{AmountId, PropositionId, append};
use crate::fault::{Fault, FaultKind};
use crate::ids::{ActionId, ProcessId};
use crate::signature::{ItemSpec, Signature};

/// A system whose states can be enumerated, by several threads at once.
pub trait Explicit: Send + Sync {
    /// What the system is about.
    fn signature(&self) -> &Signature;

    /// A view that expands states, with marks for the given fairness items.
    fn explorer<'a>(&'a self, items: &[ItemSpec]) -> Box<dyn Explorer + 'a>;

    /// What runs that come to an end mean.
    fn finished_runs(&self) -> FinishedRuns {
        FinishedRuns::Stutter
    }

    /// Whether expanding a state does nothing but compute: it may be repeated, reordered, and done
    /// by several threads.
    fn is_pure(&self) -> bool {
        true
    }

    /// Whether expanding a state takes so much longer than keeping what leads out of it that nobody should do it twice.
    fn is_slow(&self) -> bool {
        false
    }

    /// Whether steps may consist of steps with states between them, which people count as generated.
    fn has_inner_states(&self) -> bool {
        false
    }

    /// Whether people count all states.
    fn counts_all(&self) -> bool {
        true
    }

    /// Whether a state is one of those that people count: a system may have states that only say what went wrong.
    fn is_counted(&self, state: &[u8]) -> bool {
        let _ = state;
        true
    }

    /// Whether states can leave the process: another one that has read the same text reads what
    /// [`Explorer::export`] writes.
    fn is_portable(&self) -> bool {
        false
    }

    /// Whoever decides has come to a state, and hears of what its expansion has met that nobody had settled before
    /// ([`Successors::unsettled`]): whether to go on. What a system makes of it depends on the states that were decided about, and not on
    /// those that others have expanded ahead.
    fn settle(&self, met: &[u32]) -> bool {
        let _ = met;
        true
    }

    /// Whether a proposition is about steps ([`Explorer::holds_on_step`]); otherwise about states.
    /// Engines evaluate propositions on states so far: a front-end must not hand them others.
    fn is_on_steps(&self, proposition: PropositionId) -> bool {
        let _ = proposition;
        false
    }
}

/// What runs that come to an end mean for properties of infinite runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FinishedRuns {
    /// They do not count: a run is infinite.
    Ignore,
    /// They stay where they end for ever.
    #[default]
    Stutter,
    /// Every state may be stayed in for ever, whether something is enabled or not, as in TLA+.
    Everywhere,
    /// They count as the finite runs that they are.
    Maximal,
}

/// Expands states; holds the buffers that doing so needs. A thread has its own.
pub trait Explorer: Send {
    /// The initial states, as successors of nothing.
    fn initial(&mut self, out: &mut Successors);

    /// The complete successor list of a state. A run-time error is an entry of
    /// [`Successors::faults`]; the search decides what it means.
    fn expand(&mut self, state: &[u8], out: &mut Successors);

    /// The successors by steps that one process begins without waiting for a `timeout`; whether these
    /// can be had without the others. What is enabled is not told.
    fn expand_process(&mut self, state: &[u8], process: ProcessId, out: &mut Successors) -> bool {
        let _ = (state, process, out);
        false
    }

    /// Whether it is easily seen that a process begins a step without waiting for a `timeout`, or meets an error
    /// where it tries to.
    fn surely_moves(&mut self, state: &[u8], process: ProcessId) -> bool {
        let _ = (state, process);
        false
    }

    /// Whether a proposition holds in a state.
    ///
    /// # Errors
    /// If the value cannot be computed, such as a division by zero.
    fn holds(&mut self, proposition: PropositionId, state: &[u8]) -> Result<bool, Fault>;

    /// The layout of a state, by number: where the same things are in states of one layout. None if nobody knows.
    fn layout(&self, state: &[u8]) -> Option<u32> {
        let _ = state;
        None
    }

    /// The places of the bytes that decide in all states of the layout of this one whether these propositions hold;
    /// none if nobody knows. More than necessary is allowed, fewer are not.
    fn deciding(&mut self, propositions: &[PropositionId], state: &[u8]) -> Option<Vec<usize>> {
        let _ = (propositions, state);
        None
    }

    /// Whether a proposition holds on a step: of a proposition about states, in front of it.
    ///
    /// # Errors
    /// If the value cannot be computed.
    fn holds_on_step(
        &mut self,
        proposition: PropositionId,
        from: &[u8],
        step: &Step,
        to: &[u8],
    ) -> Result<bool, Fault> {
        let _ = (step, to);
        self.holds(proposition, from)
    }

    /// The value of an amount in a state: what [`What::Bound`](crate::What::Bound) is about.
    ///
    /// # Errors
    /// If the system has no such amount, or it cannot be computed.
    fn amount(&mut self, amount: AmountId, state: &[u8]) -> Result<i64, Fault> {
        let _ = (amount, state);
        let (kind, span) = (FaultKind::BadState, Default::default());
        Err(Fault { kind, span })
    }

    /// How many states lie inside of the steps out of a state, where [`Explicit::has_inner_states`].
    fn inner_states(&mut self, state: &[u8]) -> u64 {
        let _ = state;
        0
    }

    /// Whether a state without successors is a proper end.
    fn is_valid_end(&mut self, state: &[u8]) -> bool;

    /// Like [`Explorer::expand`], and also tells the sub-steps of each successor.
    fn explain(&mut self, state: &[u8], out: &mut Successors) -> Explanation;

    /// The variables of a state, in a fixed order.
    fn describe(&mut self, state: &[u8]) -> Vec<(String, Value)>;

    /// Inputs with which a step leads from one state to another, where the system has inputs.
    fn inputs(&mut self, from: &[u8], to: &[u8]) -> Vec<(String, Value)> {
        let _ = (from, to);
        Vec::new()
    }

    /// All inputs with which a step leads from one state to another, but at most `limit` of them.
    fn all_inputs(&mut self, from: &[u8], to: &[u8], limit: usize) -> Vec<Vec<(String, Value)>> {
        let _ = limit;
        let one = self.inputs(from, to);
        (!one.is_empty()).then_some(one).into_iter().collect()
    }

    /// Whether a state has a process.
    fn has_process(&mut self, state: &[u8], process: ProcessId) -> bool {
        let _ = (state, process);
        true
    }

    /// What stands in the way of each statement that a process could execute next, as far as the system can say; of a
    /// process that can move, what stands in the way of the others.
    fn obstacles(&mut self, state: &[u8], process: ProcessId) -> Vec<Obstacle> {
        let _ = (state, process);
        Vec::new()
    }

    /// How people call a process in a state: `process 7` if there is none of that number.
    fn process_name(&mut self, state: &[u8], process: ProcessId) -> String;

    /// For each action of the signature, whether it was ever executed by this explorer.
    fn executed(&self) -> &[bool];

    /// Writes a state for another process, where [`Explicit::is_portable`]: a head that many states share, and a
    /// tail. Equal states have equal ones in all processes. What the buffers had is replaced. Whether there is such a
    /// name: a state may turn out to mean something in this process only.
    #[must_use]
    fn export(&mut self, state: &[u8], head: &mut Vec<u8>, tail: &mut Vec<u8>) -> bool {
        head.clear();
        tail.clear();
        tail.extend_from_slice(state);
        true
    }

    /// Reads what another process wrote into `state`; whether it means one.
    fn import(&mut self, head: &[u8], tail: &[u8], state: &mut Vec<u8>) -> bool {
        state.clear();
        state.extend_from_slice(tail);
        head.is_empty()
    }
}

/// Why an action cannot be executed where a process stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// The action.
    pub action: ActionId,
    /// What stands in its way, in a few words: `the channel is empty`.
    pub reason: String,
}

/// A value as people write it.
#[derive(Clone, Debug)]
pub enum Value {
    /// A number.
    Number(i64),
    /// A truth value.
    Truth(bool),
    /// A name or other text.
    Text(String),
    /// Several values.
    List(Vec<Value>),
    /// A value that is written as a whole, and consists of parts.
    Whole(String, Vec<Part>),
}

/// A part of a value: what is written behind the whole to name it, such as `[3]` or `.field`, and its value.
pub type Part = (String, Value);

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        use Value::{List, Number, Text, Truth, Whole};
        match (self, other) {
            (Number(a), Number(b)) => a == b,
            (Truth(a), Truth(b)) => a == b,
            (List(a), List(b)) => a == b,
            // Parts are only another way to look at a text.
            (Text(a) | Whole(a, _), Text(b) | Whole(b, _)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Value {}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => number.fmt(f),
            Value::Truth(truth) => truth.fmt(f),
            Value::Text(text) | Value::Whole(text, _) => f.write_str(text),
            Value::List(list) => {
                f.write_str("[")?;
                for (index, value) in list.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{value}")?;
                }
                f.write_str("]")
            }
        }
    }
}

/// How a successor was reached. The default is the step of nobody, which leads to initial states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// The first action of the step, where it has one.
    pub action: Option<ActionId>,
    /// The process that began it, where it has one.
    pub process: Option<ProcessId>,
    /// Its partner in a handshake.
    pub partner: Option<ProcessId>,
    /// Index of an entry of [`Successors::faults`] plus one; 0 if nothing went wrong.
    pub fault: u32,
}

impl Step {
    /// A process begins with an action.
    #[inline]
    pub const fn of(process: ProcessId, action: ActionId) -> Step {
        Step {
            action: Some(action),
            process: Some(process),
            partner: None,
            fault: 0,
        }
    }

    /// Whether a process takes part whose number is not below a bound.
    #[inline]
    pub fn is_beyond(&self, bound: usize) -> bool {
        let number = |process: Option<ProcessId>| process.map_or(0, ProcessId::index);
        number(self.process).max(number(self.partner)) >= bound
    }
}

/// A run-time error on the way out of a state.
#[derive(Clone, Debug)]
pub struct FaultReport {
    /// What went wrong.
    pub fault: Fault,
    /// In which step.
    pub step: Step,
    /// The sub-steps up to it, if explained.
    pub record: u32,
}

/// The successors of one state.
#[derive(Clone, Debug, Default)]
pub struct Successors {
    pub(crate) bytes: Vec<u8>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) faults: Vec<FaultReport>,
    /// Words per item set.
    pub(crate) words: usize,
    pub(crate) taken: Vec<u64>,
    pub(crate) enabled: Vec<u64>,
    pub(crate) unsettled: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub end: u32,
    pub step: Step,
    pub record: u32,
}

impl Successors {
    /// An empty list.
    pub fn new() -> Successors {
        Successors::default()
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The packed state of a successor.
    #[inline]
    pub fn state(&self, index: usize) -> &[u8] {
        let start = if index == 0 {
            0
        } else {
            self.entries[index - 1].end as usize
        };
        &self.bytes[start..self.entries[index].end as usize]
    }

    /// The step to a successor.
    #[inline]
    pub fn step(&self, index: usize) -> Step {
        self.entries[index].step
    }

    /// The items that the step to a successor takes, as a bit set.
    #[inline]
    pub fn taken(&self, index: usize) -> &[u64] {
        &self.taken[index * self.words..(index + 1) * self.words]
    }

    /// The items enabled in the source, as a bit set.
    #[inline]
    pub fn enabled(&self) -> &[u64] {
        &self.enabled
    }

    /// Run-time errors, those that have a successor (a failed assertion) included.
    #[inline]
    pub fn faults(&self) -> &[FaultReport] {
        &self.faults
    }

    /// Begins a list for that many fairness items; what was there is forgotten.
    pub fn start(&mut self, items: usize) {
        self.clear();
        self.words = items.div_ceil(64);
        if self.words > 0 {
            self.enabled.resize(self.words, 0);
        }
    }

    /// Adds a successor: its packed state, the step to it, and the items that the step takes, by
    /// their places in the list that [`Explicit::explorer`] was given.
    ///
    /// # Panics
    /// If an item is beyond the number that the list was started for.
    pub fn push(&mut self, state: &[u8], step: Step, taken: impl IntoIterator<Item = usize>) {
        let first = self.taken.len();
        self.taken.resize(first + self.words, 0);
        for item in taken {
            self.taken[first..][item / 64] |= 1 << (item % 64);
        }
        self.push_state(state, step, 0);
    }

    /// Says that a successor takes an item too.
    ///
    /// # Panics
    /// If there is no such successor, or the item is beyond the number that the list was started for.
    pub fn take(&mut self, index: usize, item: usize) {
        self.taken[index * self.words..(index + 1) * self.words][item / 64] |= 1 << (item % 64);
    }

    /// Reports a run-time error in a step; what a successor behind it has as [`Step::fault`].
    pub fn fault(&mut self, fault: Fault, step: Step) -> u32 {
        self.push_fault(fault, step, 0)
    }

    /// Says which sub-step was the last on the way to the successor that was added last, by the
    /// number that [`Explanation::add`] gave it.
    pub fn explain_successor(&mut self, record: u32) {
        if let Some(entry) = self.entries.last_mut() {
            entry.record = record;
        }
    }

    /// The same for any successor, by its place in the list.
    ///
    /// # Panics
    /// If there is no such successor.
    pub fn explain_at(&mut self, index: usize, record: u32) {
        self.entries[index].record = record;
    }

    /// The same for the run-time error that was reported last.
    pub fn explain_fault(&mut self, record: u32) {
        if let Some(report) = self.faults.last_mut() {
            report.record = record;
        }
    }

    /// Marks an item as enabled in the source.
    ///
    /// # Panics
    /// If it is beyond the number that the list was started for.
    pub fn enable(&mut self, item: usize) {
        self.enabled[item / 64] |= 1 << (item % 64);
    }

    /// Marks the items as enabled that some successor takes: what most systems mean by enabled.
    pub fn enable_taken(&mut self) {
        if self.words == 0 {
            return;
        }
        if let [enabled] = &mut self.enabled[..] {
            *enabled = self.taken.iter().fold(*enabled, |all, set| all | set);
            return;
        }
        for set in self.taken.chunks_exact(self.words) {
            for (word, bits) in self.enabled.iter_mut().zip(set) {
                *word |= bits;
            }
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
        self.faults.clear();
        self.taken.clear();
        self.enabled.clear();
        self.unsettled.clear();
    }

    /// What was met by numbers that the system understands, for [`Explicit::settle`]. Most of the time there is nothing.
    #[inline]
    pub fn unsettled(&self) -> &[u32] {
        &self.unsettled
    }

    /// Adds a successor with the set of items that the step takes.
    #[inline]
    pub(crate) fn push_set(&mut self, state: &[u8], step: Step, taken: &[u64], record: u32) {
        self.push_state(state, step, record);
        append(&mut self.taken, taken);
    }

    #[inline]
    fn push_state(&mut self, state: &[u8], step: Step, record: u32) {
        self.bytes.extend_from_slice(state);
        self.entries.push(Entry {
            end: self.bytes.len() as u32,
            step,
            record,
        });
    }

    /// Reports a run-time error with the sub-steps up to it.
    pub(crate) fn push_fault(&mut self, fault: Fault, step: Step, record: u32) -> u32 {
        self.faults.push(FaultReport {
            fault,
            step,
            record,
        });
        self.faults.len() as u32
    }

    /// Begins a list for some of the successors of another one: with its faults, and with everything that
    /// is enabled there.
    pub(crate) fn begin_part(&mut self, whole: &Successors) {
        self.clear();
        self.words = whole.words;
        self.enabled.extend_from_slice(&whole.enabled);
        self.faults.extend_from_slice(&whole.faults);
    }

    /// Begins a list for the part of another one that is meant: its faults and successors.
    pub(crate) fn restrict(&mut self, whole: &Successors, is_meant: impl Fn(&Step) -> bool) {
        self.clear();
        self.words = whole.words;
        self.enabled.resize(self.words, 0);
        // Faults are numbered anew.
        let mut numbers = vec![0; whole.faults.len() + 1];
        for (index, report) in whole.faults.iter().enumerate() {
            if is_meant(&report.step) {
                self.faults.push(report.clone());
                numbers[index + 1] = self.faults.len() as u32;
            }
        }
        for index in 0..whole.len() {
            let mut step = whole.step(index);
            if is_meant(&step) {
                step.fault = numbers[step.fault as usize];
                self.push_set(whole.state(index), step, whole.taken(index), 0);
            }
        }
        self.enable_taken();
    }
}

/// The sub-steps of the successors that [`Explorer::explain`] produced. One that is empty tells
/// nothing: then a step is known by its [`Step`] alone.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    pub(crate) records: Vec<Record>,
}

/// One statement executed within a step.
#[derive(Clone, Debug)]
pub struct Record {
    /// Index of the one before plus one; 0 for the first.
    pub(crate) parent: u32,
    /// The action.
    pub action: ActionId,
    /// Who executed it.
    pub process: ProcessId,
    /// The partner in a handshake.
    pub partner: Option<ProcessId>,
    /// The action of the partner.
    pub partner_action: Option<ActionId>,
    /// What it printed.
    pub printed: String,
    /// The message sent or received.
    pub message: Option<Message>,
    /// How people call it, where its action does not say all.
    pub text: Option<String>,
}

/// A message that went into or came out of a channel.
#[derive(Clone, Debug)]
pub struct Message {
    /// The channel, by number.
    pub channel: u8,
    /// Its name, where it has one.
    pub name: String,
    /// Whether it was sent; otherwise received.
    pub sent: bool,
    /// The fields.
    pub fields: Vec<Value>,
}

impl Record {
    /// A process executes an action, and nothing else is to be told.
    pub fn new(process: ProcessId, action: ActionId) -> Record {
        Record {
            parent: 0,
            action,
            process,
            partner: None,
            partner_action: None,
            printed: String::new(),
            message: None,
            text: None,
        }
    }
}

impl Explanation {
    /// Adds a sub-step behind another one, by the number that this gave it; 0 if it is the first of
    /// its step. Its number is for [`Successors::explain_successor`].
    pub fn add(&mut self, before: u32, mut record: Record) -> u32 {
        record.parent = before.min(self.records.len() as u32);
        self.records.push(record);
        self.records.len() as u32
    }

    /// The sub-steps of a successor, first to last.
    pub fn of_successor(&self, out: &Successors, index: usize) -> Vec<&Record> {
        self.chain(out.entries[index].record)
    }

    /// The sub-steps up to a run-time error.
    pub fn of_fault(&self, report: &FaultReport) -> Vec<&Record> {
        self.chain(report.record)
    }

    fn chain(&self, mut at: u32) -> Vec<&Record> {
        let mut list = Vec::new();
        while at > 0 {
            let record = &self.records[at as usize - 1];
            list.push(record);
            at = record.parent;
        }
        list.reverse();
        list
    }
}
