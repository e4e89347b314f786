//! A system that is a table: every state is a byte, and what leads out of it is written down.

use evenhand_source::Span;
use evenhand_system::explicit::{Explanation, Step, Value};
use evenhand_system::{
    Explicit, Explorer, Fault, FaultKind, ItemSpec, ProcessId, PropositionId, Signature, Successors,
};

/// What leads out of a state.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Where steps lead, and the items that each takes.
    pub steps: Vec<(u8, Vec<usize>)>,
    /// Run-time errors.
    pub faults: Vec<FaultKind>,
    /// Items that are enabled without being taken by a step.
    pub enabled: Vec<usize>,
}

/// A system with a row for each state; it begins in state 0. Proposition `n` holds in state `n`;
/// proposition 100 has no value in state 1; proposition 200 is about steps.
#[derive(Debug, Default)]
pub struct Table {
    pub rows: Vec<Row>,
    pub items: usize,
    /// States that may be the end of a run.
    pub ends: Vec<u8>,
    signature: Signature,
}

impl Table {
    /// A system with these steps, none of which takes an item.
    pub fn new(steps: &[&[u8]]) -> Table {
        let row = |targets: &&[u8]| Row {
            steps: targets.iter().map(|&to| (to, vec![])).collect(),
            ..Row::default()
        };
        Table {
            rows: steps.iter().map(row).collect(),
            ..Table::default()
        }
    }

    /// The step of a place out of a state takes an item.
    pub fn takes(mut self, state: usize, place: usize, item: usize) -> Table {
        self.rows[state].steps[place].1.push(item);
        self.items = self.items.max(item + 1);
        self
    }

    /// An item is enabled in a state.
    pub fn enables(mut self, state: usize, item: usize) -> Table {
        self.rows[state].enabled.push(item);
        self.items = self.items.max(item + 1);
        self
    }

    /// A run-time error out of a state.
    pub fn fails(mut self, state: usize, kind: FaultKind) -> Table {
        self.rows[state].faults.push(kind);
        self
    }
}

impl Explicit for Table {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explorer<'a>(&'a self, items: &[ItemSpec]) -> Box<dyn Explorer + 'a> {
        let items = items.len().max(self.items);
        Box::new(Reader { table: self, items })
    }

    fn is_on_steps(&self, proposition: PropositionId) -> bool {
        proposition.0 == 200
    }
}

struct Reader<'t> {
    table: &'t Table,
    items: usize,
}

fn fault(kind: FaultKind) -> Fault {
    Fault {
        kind,
        span: Span::default(),
    }
}

impl Explorer for Reader<'_> {
    fn initial(&mut self, out: &mut Successors) {
        out.start(self.items);
        out.push(&[0], Step::default(), []);
    }

    fn expand(&mut self, state: &[u8], out: &mut Successors) {
        out.start(self.items);
        let row = &self.table.rows[usize::from(state[0])];
        for &kind in &row.faults {
            out.fault(fault(kind), Step::default());
        }
        for (to, taken) in &row.steps {
            let step = Step {
                process: Some(ProcessId::new(usize::from(*to))),
                ..Step::default()
            };
            out.push(&[*to], step, taken.iter().copied());
        }
        out.enable_taken();
        row.enabled.iter().for_each(|&item| out.enable(item));
    }

    fn holds(&mut self, proposition: PropositionId, state: &[u8]) -> Result<bool, Fault> {
        match (proposition.0, state[0]) {
            (100, 1) => Err(fault(FaultKind::DivisionByZero)),
            (number, state) => Ok(number == u32::from(state)),
        }
    }

    fn is_valid_end(&mut self, state: &[u8]) -> bool {
        self.table.ends.contains(&state[0])
    }

    fn explain(&mut self, state: &[u8], out: &mut Successors) -> Explanation {
        self.expand(state, out);
        Explanation::default()
    }

    fn describe(&mut self, _state: &[u8]) -> Vec<(String, Value)> {
        Vec::new()
    }

    fn process_name(&mut self, _state: &[u8], process: ProcessId) -> String {
        format!("process {}", process.index())
    }

    fn executed(&self) -> &[bool] {
        &[]
    }
}
