//! What every body offers to the explicit engines: initial states and complete successor lists.
//!
//! A successor list is handed over in one buffer that is used again for each state: packed states
//! back to back, for each the step that leads there and the fairness items it takes, and the items
//! enabled in the source. Fairness needs the complete list: an item is enabled in a state iff some
//! successor takes it (a process that is not enabled as partner: iff it begins one).

use crate::fairness::PropositionId;
use crate::fault::Fault;
use crate::signature::{ItemSpec, Signature};

/// A system whose states can be enumerated.
pub trait Explicit {
    /// What the system is about.
    fn signature(&self) -> &Signature;

    /// A view that expands states, with marks for the given fairness items.
    fn explorer<'a>(&'a self, items: &[ItemSpec]) -> Box<dyn Explorer + 'a>;
}

/// Expands states; holds the buffers that doing so needs.
pub trait Explorer {
    /// The initial states, as successors of nothing.
    fn initial(&mut self, out: &mut Successors);

    /// The complete successor list of a state. A run-time error is an entry of
    /// [`Successors::faults`]; the search decides what it means.
    fn expand(&mut self, state: &[u8], out: &mut Successors);

    /// Whether a proposition holds in a state.
    ///
    /// # Errors
    /// If the value cannot be computed, such as a division by zero.
    fn holds(&mut self, proposition: PropositionId, state: &[u8]) -> Result<bool, Fault>;

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

    /// Whether a state has a process of that number.
    fn has_process(&mut self, state: &[u8], pid: u8) -> bool {
        let _ = (state, pid);
        true
    }

    /// How people call the process of that number in a state.
    fn process_name(&mut self, state: &[u8], pid: u8) -> String;

    /// For each action, whether it was ever executed by this explorer.
    fn executed(&self) -> &[bool];
}

/// A value as people write it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Number(i64),
    /// A truth value.
    Truth(bool),
    /// A name or other text.
    Text(String),
    /// Several values.
    List(Vec<Value>),
}

/// No process.
pub const NO_PROCESS: u8 = u8::MAX;

/// How a successor was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The first action of the step: an index into [`Signature::actions`].
    pub action: u32,
    /// The process that began it.
    pub process: u8,
    /// Its partner in a handshake, or [`NO_PROCESS`].
    pub partner: u8,
    /// Index of an entry of [`Successors::faults`] plus one; 0 if nothing went wrong.
    pub fault: u32,
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
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
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
    pub fn taken(&self, index: usize) -> &[u64] {
        &self.taken[index * self.words..(index + 1) * self.words]
    }

    /// The items enabled in the source, as a bit set.
    pub fn enabled(&self) -> &[u64] {
        &self.enabled
    }

    /// Run-time errors, those that have a successor (a failed assertion) included.
    pub fn faults(&self) -> &[FaultReport] {
        &self.faults
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
        self.faults.clear();
        self.taken.clear();
        self.enabled.clear();
    }

    pub(crate) fn push(&mut self, state: &[u8], step: Step, taken: &[u64], record: u32) {
        self.bytes.extend_from_slice(state);
        self.entries.push(Entry {
            end: self.bytes.len() as u32,
            step,
            record,
        });
        self.taken.extend_from_slice(taken);
    }

    /// Computes the enabled items: those that some successor takes.
    pub(crate) fn finish(&mut self) {
        if self.words == 0 {
            return;
        }
        self.enabled.resize(self.words, 0);
        for set in self.taken.chunks_exact(self.words) {
            for (word, bits) in self.enabled.iter_mut().zip(set) {
                *word |= bits;
            }
        }
    }
}

/// The sub-steps of the successors that [`Explorer::explain`] produced.
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
    pub action: u32,
    /// Who executed it.
    pub process: u8,
    /// The partner in a handshake, or [`NO_PROCESS`].
    pub partner: u8,
    /// The action of the partner.
    pub partner_action: Option<u32>,
    /// What it printed.
    pub printed: String,
    /// The message sent or received.
    pub message: Option<Message>,
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

impl Explanation {
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
