//! A body written against the public interface alone, as a crate of another language would: a lamp
//! that is switched on and off. What is enabled, what holds on a step and what becomes of finished
//! runs is its own to say.

use evenhand_source::Span;
use evenhand_system::explicit::{Explanation, Record, Step, Value};
use evenhand_system::signature::{ActionInfo, ActionRole, Telling};
use evenhand_system::{
    ActionId, Body, Explicit, Explorer, Fault, FaultKind, FinishedRuns, Inquiry, ItemSpec,
    ProcessId, PropositionId, Refusal, Rejected, Request, Signature, Specification, Successors,
    Unresolved,
};

/// Off, on, or broken for ever.
struct Lamp {
    signature: Signature,
}

const OFF: u8 = 0;
const ON: u8 = 1;
const BROKEN: u8 = 2;

/// The action of the lamp, by its place.
const SWITCH: usize = 0;
const BREAK: usize = 1;

/// "It is on", "it changes from off to on".
const IS_ON: PropositionId = PropositionId(0);
const GOES_ON: PropositionId = PropositionId(1);

impl Lamp {
    fn new() -> Lamp {
        let action = |text: &str| ActionInfo {
            text: text.into(),
            ..ActionInfo::default()
        };
        let signature = Signature {
            processes: vec!["lamp".into()],
            actions: vec![action("switch"), action("break")],
            ..Signature::default()
        };
        Lamp { signature }
    }
}

impl Explicit for Lamp {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explorer<'a>(&'a self, items: &[ItemSpec]) -> Box<dyn Explorer + 'a> {
        let items = items.to_vec();
        let executed = vec![false; 2];
        Box::new(LampExplorer { items, executed })
    }

    fn finished_runs(&self) -> FinishedRuns {
        FinishedRuns::Everywhere
    }

    fn is_pure(&self) -> bool {
        false
    }

    fn is_on_steps(&self, proposition: PropositionId) -> bool {
        proposition == GOES_ON
    }
}

struct LampExplorer {
    items: Vec<ItemSpec>,
    executed: Vec<bool>,
}

impl LampExplorer {
    fn steps(&mut self, state: u8, out: &mut Successors, told: &mut Explanation) {
        out.start(self.items.len());
        let lamp = ProcessId::new(0);
        let (switch, broken) = (ActionId::new(SWITCH), ActionId::new(BREAK));
        let targets: &[(u8, ActionId)] = match state {
            OFF => &[(ON, switch)],
            ON => &[(OFF, switch), (BROKEN, broken)],
            _ => &[],
        };
        for &(target, action) in targets {
            self.executed[action.index()] = true;
            let mut step = Step::of(lamp, action);
            let record = told.add(0, Record::new(lamp, action));
            if target == BROKEN {
                let (kind, span) = (FaultKind::Assertion, Span::default());
                step.fault = out.fault(Fault { kind, span }, step);
                out.explain_fault(record);
            }
            // Item 7 of this body: light. It is taken where the lamp goes on.
            let takes = |item: &ItemSpec| match item {
                ItemSpec::Own(7) => target == ON,
                ItemSpec::Own(_) => false,
                _ => item.process() == Some(lamp) && item.is_taken(action),
            };
            let taken = (0..self.items.len()).filter(|&i| takes(&self.items[i]));
            out.push(&[target], step, taken);
            out.explain_successor(record);
        }
        out.enable_taken();
        // Nobody takes it in a state where it is on, and still it is enabled there.
        for (place, item) in self.items.iter().enumerate() {
            if *item == ItemSpec::Own(7) && state == ON {
                out.enable(place);
            }
        }
    }
}

impl Explorer for LampExplorer {
    fn initial(&mut self, out: &mut Successors) {
        out.start(self.items.len());
        out.push(&[OFF], Step::default(), []);
    }

    fn expand(&mut self, state: &[u8], out: &mut Successors) {
        self.steps(state[0], out, &mut Explanation::default());
    }

    fn holds(&mut self, _: PropositionId, state: &[u8]) -> Result<bool, Fault> {
        Ok(state[0] == ON)
    }

    fn holds_on_step(
        &mut self,
        proposition: PropositionId,
        from: &[u8],
        _: &Step,
        to: &[u8],
    ) -> Result<bool, Fault> {
        match proposition {
            GOES_ON => Ok((from[0], to[0]) == (OFF, ON)),
            _ => self.holds(proposition, from),
        }
    }

    fn is_valid_end(&mut self, _: &[u8]) -> bool {
        true
    }

    fn explain(&mut self, state: &[u8], out: &mut Successors) -> Explanation {
        let mut told = Explanation::default();
        self.steps(state[0], out, &mut told);
        told
    }

    fn describe(&mut self, state: &[u8]) -> Vec<(String, Value)> {
        vec![("lamp".into(), Value::Number(state[0].into()))]
    }

    fn process_name(&mut self, _: &[u8], process: ProcessId) -> String {
        match process.number() {
            0 => "lamp".into(),
            other => format!("process {other}"),
        }
    }

    fn executed(&self) -> &[bool] {
        &self.executed
    }
}

/// The same lamp that says nothing of itself but what it must.
struct Plain(Lamp);

impl Explicit for Plain {
    fn signature(&self) -> &Signature {
        &self.0.signature
    }

    fn explorer<'a>(&'a self, _: &[ItemSpec]) -> Box<dyn Explorer + 'a> {
        Box::new(PlainExplorer)
    }
}

impl Body for Plain {
    fn signature(&self) -> &Signature {
        &self.0.signature
    }

    fn explicit(&self) -> Result<&dyn Explicit, Refusal> {
        Ok(self)
    }
}

impl Specification for Plain {
    fn body(&self) -> &dyn Body {
        self
    }

    fn resolve(&self, _: &Request) -> Result<Inquiry, Unresolved> {
        Err(Rejected::default().into())
    }
}

struct PlainExplorer;

impl Explorer for PlainExplorer {
    fn initial(&mut self, out: &mut Successors) {
        out.start(0);
        out.push(&[OFF], Step::default(), []);
    }

    fn expand(&mut self, state: &[u8], out: &mut Successors) {
        out.start(0);
        out.push(&[ON - state[0]], Step::default(), []);
    }

    fn holds(&mut self, _: PropositionId, state: &[u8]) -> Result<bool, Fault> {
        Ok(state[0] == ON)
    }

    fn is_valid_end(&mut self, _: &[u8]) -> bool {
        true
    }

    fn explain(&mut self, state: &[u8], out: &mut Successors) -> Explanation {
        self.expand(state, out);
        Explanation::default()
    }

    fn describe(&mut self, _: &[u8]) -> Vec<(String, Value)> {
        Vec::new()
    }

    fn process_name(&mut self, _: &[u8], process: ProcessId) -> String {
        format!("process {process}")
    }

    fn executed(&self) -> &[bool] {
        &[]
    }
}

#[test]
fn the_body_says_what_is_enabled() {
    let lamp = Lamp::new();
    let pid = ProcessId::new(0);
    let items = [
        ItemSpec::Own(7),
        ItemSpec::Process {
            pid,
            as_partner: true,
        },
        ItemSpec::Actions {
            pid,
            actions: vec![ActionId::new(BREAK)],
        },
        ItemSpec::Own(8),
    ];
    assert_eq!(items[0].process(), None);
    assert_eq!(items[2].process(), Some(pid));
    let mut explorer = lamp.explorer(&items);
    let mut out = Successors::new();
    explorer.initial(&mut out);
    assert_eq!(
        (out.len(), out.state(0), out.step(0)),
        (1, &[OFF][..], Step::default())
    );
    assert_eq!((out.taken(0), out.enabled()), (&[0][..], &[0][..]));

    explorer.expand(&[OFF], &mut out);
    assert_eq!(
        (out.taken(0), out.enabled()),
        (&[0b0011][..], &[0b0011][..])
    );

    explorer.expand(&[ON], &mut out);
    assert_eq!(out.len(), 2);
    assert_eq!((out.taken(0), out.taken(1)), (&[0b0010][..], &[0b0110][..]));
    assert_eq!(
        out.enabled(),
        [0b0111],
        "light is enabled, and no step takes it"
    );
    assert_eq!((out.step(0).fault, out.step(1).fault), (0, 1));
    assert_eq!(out.faults()[0].fault.kind, FaultKind::Assertion);

    explorer.expand(&[BROKEN], &mut out);
    assert!(out.is_empty() && out.faults().is_empty());
    assert_eq!(out.enabled(), [0], "nothing is left of the list before");
}

#[test]
fn the_body_explains_its_steps() {
    let lamp = Lamp::new();
    let mut explorer = lamp.explorer(&[]);
    let mut out = Successors::new();
    let told = explorer.explain(&[ON], &mut out);
    let actions: Vec<u32> = (0..out.len())
        .flat_map(|index| told.of_successor(&out, index))
        .map(|record| record.action.number())
        .collect();
    assert_eq!(actions, [0, 1]);
    let failed = told.of_fault(&out.faults()[0]);
    assert_eq!(failed[0].action, ActionId::new(BREAK));
    assert_eq!(explorer.executed(), [true, true]);
    // Sub-steps behind each other; a number that was never given is the last one.
    let mut long = Explanation::default();
    let record = || Record::new(ProcessId::new(0), ActionId::new(SWITCH));
    let first = long.add(0, record());
    let second = long.add(first, record());
    assert_eq!((first, second, long.add(99, record())), (1, 2, 3));
    out.start(0);
    out.push(&[OFF], Step::default(), []);
    out.explain_successor(3);
    assert_eq!(long.of_successor(&out, 0).len(), 3);
}

#[test]
fn propositions_may_be_about_steps() {
    let lamp = Lamp::new();
    assert!(lamp.is_on_steps(GOES_ON) && !lamp.is_on_steps(IS_ON));
    let mut explorer = lamp.explorer(&[]);
    let mut on_step = |proposition, from, to| {
        let step = Step::of(ProcessId::new(0), ActionId::new(SWITCH));
        explorer.holds_on_step(proposition, &[from], &step, &[to])
    };
    assert_eq!(on_step(GOES_ON, OFF, ON), Ok(true));
    assert_eq!(on_step(GOES_ON, ON, OFF), Ok(false));
    assert_eq!(on_step(IS_ON, ON, OFF), Ok(true));
}

#[test]
fn what_a_body_does_not_say_has_a_meaning() {
    let plain = Plain(Lamp::new());
    assert_eq!(Explicit::finished_runs(&plain), FinishedRuns::Stutter);
    assert!(plain.is_pure());
    assert!(!plain.is_on_steps(GOES_ON));
    let mut explorer = plain.explorer(&[]);
    // On a step, a proposition has the value that it has in front of it.
    let step = Step::default();
    assert_eq!(
        explorer.holds_on_step(IS_ON, &[ON], &step, &[OFF]),
        Ok(true)
    );
    assert_eq!(
        explorer.holds_on_step(IS_ON, &[OFF], &step, &[ON]),
        Ok(false)
    );
    assert!(explorer.has_process(&[ON], ProcessId::new(3)));
    let mut out = Successors::new();
    let told = explorer.explain(&[ON], &mut out);
    assert!(told.of_successor(&out, 0).is_empty());
    let signature = Explicit::signature(&plain);
    assert_eq!(signature.told_by, Telling::Steps);
    assert!(Specification::value_sources(&plain).is_empty());
    assert_eq!(signature.actions[0].role, ActionRole::Step);
    assert_eq!(signature.actions[0].statement, None);

    let lamp = Lamp::new();
    assert_eq!(lamp.finished_runs(), FinishedRuns::Everywhere);
    assert!(!lamp.is_pure());
}

#[test]
fn values_are_written_as_people_write_them() {
    let list = Value::List(vec![
        Value::Number(-3),
        Value::Truth(true),
        Value::List(vec![Value::Text("red".into())]),
        Value::List(Vec::new()),
    ]);
    assert_eq!(list.to_string(), "[-3, true, [red], []]");
}
