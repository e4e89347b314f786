//! Fairness of items that only the body understands: engine and judge read what it says is enabled,
//! and never conclude it from the steps. Steps that are not explained are told by what is known of
//! them.

use evenhand_explicit::space::{Interest, Space};
use evenhand_explicit::store::PlainStore;
use evenhand_logic::{Formulas, Spelling, parse};
use evenhand_system::explicit::{Explanation, Step, Value};
use evenhand_system::signature::ActionInfo;
use evenhand_system::{
    ActionId, Assumption, AssumptionKind, Explicit, Explorer, Fairness, Fault, ItemSpec, ProcessId,
    PropositionId, Signature, Successors,
};
use evenhand_witness::{Charge, CycleStep, Reason, Run, judge, replay};

/// Two states in a circle, and a third that is an end. Its item 1 is enabled in the states of the
/// mask; no step takes it.
struct Circle {
    signature: Signature,
    enabled: u8,
}

impl Circle {
    fn new(enabled: u8) -> Circle {
        let action = ActionInfo {
            text: "go".into(),
            ..ActionInfo::default()
        };
        let signature = Signature {
            processes: vec!["one".into(), "two".into()],
            actions: vec![action],
            ..Signature::default()
        };
        Circle { signature, enabled }
    }
}

impl Explicit for Circle {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explorer<'a>(&'a self, items: &[ItemSpec]) -> Box<dyn Explorer + 'a> {
        let own = items.iter().position(|item| *item == ItemSpec::Own(1));
        let (items, enabled) = (items.len(), self.enabled);
        Box::new(CircleExplorer {
            items,
            own,
            enabled,
        })
    }
}

struct CircleExplorer {
    items: usize,
    own: Option<usize>,
    enabled: u8,
}

impl Explorer for CircleExplorer {
    fn initial(&mut self, out: &mut Successors) {
        out.start(self.items);
        out.push(&[0], Step::default(), []);
    }

    fn expand(&mut self, state: &[u8], out: &mut Successors) {
        out.start(self.items);
        let step = Step {
            partner: Some(ProcessId::new(1)),
            ..Step::of(ProcessId::new(0), ActionId::new(0))
        };
        let targets: &[u8] = match state[0] {
            0 => &[1, 2],
            1 => &[0],
            _ => &[],
        };
        for &target in targets {
            out.push(&[target], step, []);
        }
        if let Some(own) = self.own.filter(|_| self.enabled >> state[0] & 1 == 1) {
            out.enable(own);
        }
    }

    fn holds(&mut self, _: PropositionId, _: &[u8]) -> Result<bool, Fault> {
        Ok(false)
    }

    fn is_valid_end(&mut self, _: &[u8]) -> bool {
        true
    }

    fn explain(&mut self, state: &[u8], out: &mut Successors) -> Explanation {
        self.expand(state, out);
        Explanation::default()
    }

    fn describe(&mut self, state: &[u8]) -> Vec<(String, Value)> {
        vec![("at".into(), Value::Number(state[0].into()))]
    }

    fn process_name(&mut self, _: &[u8], process: ProcessId) -> String {
        let names = ["one", "two"];
        let name = names.get(process.index());
        name.map_or_else(|| format!("process {process}"), |name| name.to_string())
    }

    fn executed(&self) -> &[bool] {
        &[]
    }
}

fn assumed(kind: AssumptionKind) -> Fairness {
    Fairness {
        items: vec![ItemSpec::Own(1)],
        assumptions: vec![Assumption {
            text: "own".into(),
            source: "own".into(),
            kind,
        }],
        ..Fairness::default()
    }
}

/// Why the circle is fair, if it is.
fn judged(enabled: u8, kind: AssumptionKind) -> Option<Reason> {
    let system = Circle::new(enabled);
    let run = Run {
        prefix: vec![vec![0]],
        cycle: [1, 0]
            .map(|state| CycleStep {
                state: vec![state],
                serves: vec![false],
            })
            .to_vec(),
    };
    let mut store = Formulas::new();
    let formula = parse(&mut store, "<> p", Spelling::Spin).expect("a formula");
    let charge = Charge::Formula {
        store: &store,
        formula,
        atoms: &[PropositionId(0)],
    };
    match judge(&system, &assumed(kind), &run, charge) {
        Ok(told) => Some(told.evidence[0].reason),
        Err(error) => {
            assert_eq!(error.message, "the cycle is not fair: own");
            None
        }
    }
}

#[test]
fn the_judge_believes_the_body() {
    use AssumptionKind::{Strong, Weak};
    assert_eq!(judged(0b000, Weak(0)), Some(Reason::NeverEnabled));
    assert_eq!(judged(0b001, Weak(0)), Some(Reason::Disabled(1)));
    assert_eq!(judged(0b011, Weak(0)), None);
    assert_eq!(judged(0b000, Strong(0)), Some(Reason::NeverEnabled));
    assert_eq!(judged(0b010, Strong(0)), None);
}

#[test]
fn the_space_believes_the_body_at_an_end_too() {
    for enabled in 0..8u8 {
        let (system, fairness) = (Circle::new(enabled), assumed(AssumptionKind::Weak(0)));
        let interest = Interest {
            propositions: &[],
            fairness: &fairness,
        };
        let mut space = Space::new(&system, interest, PlainStore::new());
        let mut queue = space.initial().expect("no limit");
        let mut served = 0;
        let mut seen = 0u8;
        while let Some(id) = queue.pop() {
            let mut state = Vec::new();
            space.load(id, &mut state);
            if seen >> state[0] & 1 == 1 {
                continue;
            }
            seen |= 1 << state[0];
            let outgoing = space.outgoing(id).expect("no limit");
            let edges: Vec<_> = outgoing.edges().collect();
            // The mark of weak fairness: disabled, since it is never taken.
            let source = outgoing.source;
            let is_served = space.source_marks(source).count() == 1;
            assert!(
                edges
                    .iter()
                    .all(|&(_, g)| space.grant_marks(g).count() == 0)
            );
            served |= u8::from(is_served) << state[0];
            queue.extend(edges.into_iter().map(|(to, _)| to));
        }
        assert_eq!((seen, served), (0b111, !enabled & 0b111));
    }
}

#[test]
fn a_step_that_is_not_explained_is_told() {
    let system = Circle::new(0);
    let told = replay(&system, &[vec![0], vec![2]], None).expect("a run");
    let step = &told.prefix[1];
    assert_eq!(
        (step.process.as_deref(), &*step.action),
        (Some("one"), "go")
    );
    assert_eq!(step.processes, ["one", "two"]);
    assert_eq!(step.executed, [(ProcessId::new(0), ActionId::new(0))]);
    assert!(step.substeps.is_empty() && step.messages.is_empty());
    assert_eq!(told.processes, ["one", "two"]);
}
