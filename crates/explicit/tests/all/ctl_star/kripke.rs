//! Small systems in memory, random ones among them.

use evenhand_system::explicit::Value;
use evenhand_system::model::{Model, ModelAction, Steps};
use evenhand_system::{Assumption, AssumptionKind, Fairness, Foreign, PropositionId};
use evenhand_testkit::promela_programs::random::Random;

/// A set of states.
pub type Set = Vec<bool>;

/// A system whose states are numbers, with named sets of them.
#[derive(Clone, Debug)]
pub struct Kripke {
    pub edges: Vec<Vec<usize>>,
    pub initial: Vec<usize>,
    pub sets: Vec<Set>,
    /// Places in `sets`.
    pub justice: Vec<usize>,
    pub compassion: Vec<(usize, usize)>,
}

/// How many propositions formulas may mention.
pub const PROPOSITIONS: usize = 2;

impl Kripke {
    pub fn random(random: &mut Random) -> Kripke {
        let count = random.between(1, 4);
        let mut edges = vec![Vec::new(); count];
        let density = *random.pick(&[25, 40, 60]);
        for targets in &mut edges {
            *targets = (0..count).filter(|_| random.percent(density)).collect();
            if targets.is_empty() && random.percent(85) {
                targets.push(random.below(count));
            }
        }
        let mut initial: Vec<usize> = (0..count).filter(|_| random.percent(30)).collect();
        if initial.is_empty() {
            initial.push(random.below(count));
        }
        let justice = random.below(3);
        let compassion = random.below(3);
        let all = PROPOSITIONS + justice + 2 * compassion;
        let sets = (0..all)
            .map(|number| {
                let share = if number < PROPOSITIONS { 50 } else { 40 };
                (0..count).map(|_| random.percent(share)).collect()
            })
            .collect();
        let first = PROPOSITIONS + justice;
        Kripke {
            edges,
            initial,
            sets,
            justice: (PROPOSITIONS..first).collect(),
            compassion: (0..compassion)
                .map(|pair| (first + 2 * pair, first + 2 * pair + 1))
                .collect(),
        }
    }

    pub fn len(&self) -> usize {
        self.edges.len()
    }

    pub fn fairness(&self) -> Fairness {
        let id = |place: usize| PropositionId(place as u32);
        let just = self.justice.iter().map(|&j| AssumptionKind::Justice(id(j)));
        let pairs = self.compassion.iter();
        let pairs = pairs.map(|&(when, then)| AssumptionKind::Compassion {
            when: id(when),
            then: id(then),
        });
        let assumption = |kind| Assumption {
            text: String::new(),
            source: String::new(),
            kind,
        };
        Fairness {
            assumptions: just.chain(pairs).map(assumption).collect(),
            ..Fairness::default()
        }
    }

    /// Whether a cycle of states is fair.
    pub fn is_fair(&self, cycle: &[usize]) -> bool {
        let meets = |set: usize| cycle.iter().any(|&state| self.sets[set][state]);
        self.justice.iter().all(|&j| meets(j))
            && self.compassion.iter().all(|&(p, q)| !meets(p) || meets(q))
    }

    pub fn system(self) -> Foreign<Kripke> {
        Foreign::new(self).expect("few processes")
    }
}

impl Model for Kripke {
    type State = u8;

    fn processes(&self) -> Vec<String> {
        vec!["all".into()]
    }

    fn actions(&self) -> Vec<ModelAction> {
        vec![ModelAction::new(0, "step")]
    }

    fn initial(&self) -> Vec<u8> {
        self.initial.iter().map(|&s| s as u8).collect()
    }

    fn steps(&self, state: &u8, steps: &mut Steps<u8>) {
        for &target in &self.edges[usize::from(*state)] {
            steps.step(0, 0, target as u8);
        }
    }

    fn describe(&self, state: &u8) -> Vec<(String, Value)> {
        vec![("state".into(), Value::Number((*state).into()))]
    }

    fn holds(&self, proposition: PropositionId, state: &u8) -> bool {
        self.sets[proposition.0 as usize][usize::from(*state)]
    }
}
