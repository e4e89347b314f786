//! A small state graph as a picture: its components, and which of them have fair runs.
//!
//! All states are explored breadth-first up to a number; more cannot be read as a picture, and then there is none. The
//! graph is an omega-automaton whose marks are the fairness that is assumed: weak fairness of an item is a mark on
//! every edge out of a state where it is not enabled or that takes it, strong fairness a request where it is
//! enabled and a grant where it is taken. A component has a fair run iff it has a core, which the emptiness check
//! of automata finds. Runs that end stay where they end, where the system reads them so.

use std::collections::HashMap;

use evenhand::Model;
use evenhand_automata::emptiness::core_of_component;
use evenhand_automata::{
    Acceptance, Automaton, Builder, Cube, Mark, MarkSet, Pair, State, components,
};
use evenhand_report::html::layered;
use evenhand_source::spend;
use evenhand_system::explicit::FinishedRuns;
use evenhand_system::{Asking, AssumptionKind, Explicit, Explorer, Fairness, Successors};
use evenhand_witness::{tell_state, tell_successor};
use serde_json::{Value as Json, json};

use crate::walk::Place;

/// More states cannot be read as a picture.
const MOST_STATES: usize = 400;

/// More arrows cannot either.
const MOST_EDGES: usize = 2400;

/// A state, and how to come there.
struct Node {
    path: Vec<usize>,
    /// The steps out of it: the state they lead to, and the items they take.
    edges: Vec<(usize, Vec<u64>)>,
    enabled: Vec<u64>,
    /// Which conditions of the fairness hold.
    holds: Vec<bool>,
}

/// The graph of the reachable states, if it is small.
pub(crate) fn graph(model: &Model, asking: &Asking) -> Result<Json, String> {
    let place = Place::of(model, asking)?;
    let system = place.system()?;
    let mut found = Found::default();
    if let Err(why) = found.explore(system, &place.fairness) {
        return Ok(json!({ "too_large": why, "most": MOST_STATES }));
    }
    let ends = system.finished_runs();
    let automaton = found.automaton(&place.fairness, ends);
    let parts = components(&automaton);
    let count = parts.count();
    let cyclic: Vec<bool> = (0..count).map(|c| parts.is_cyclic(&automaton, c)).collect();
    let fair: Vec<bool> = (0..count)
        .map(|c| core_of_component(&automaton, &parts, c).is_some())
        .collect();
    let pairs: Vec<(usize, usize)> = found.pairs();
    let starts: Vec<usize> = (0..found.starts).collect();
    let places = layered(found.nodes.len(), &pairs, &starts);
    let nodes = found.nodes.iter().enumerate().map(|(number, node)| {
        let part = parts.of(State::new(number)).unwrap_or(0);
        let place = places[number].map(|place| json!([place.layer, place.across]));
        json!({
            "path": node.path,
            "place": place,
            "component": part,
            "dead": node.edges.is_empty(),
        })
    });
    let nodes: Vec<Json> = nodes.collect();
    let told = (0..count)
        .map(|c| json!({ "size": parts.members(c).len(), "cyclic": cyclic[c], "fair": fair[c] }));
    Ok(json!({
        "nodes": nodes,
        "edges": found.told_edges(system, &pairs),
        "components": told.collect::<Vec<_>>(),
        "initial": starts,
        "states": found.told_states(system),
        "assumed": place.fairness.sources(),
    }))
}

#[derive(Default)]
struct Found {
    nodes: Vec<Node>,
    states: Vec<Vec<u8>>,
    numbers: HashMap<Vec<u8>, usize>,
    /// The first states are the initial ones.
    starts: usize,
}

impl Found {
    fn number(&mut self, state: &[u8], path: impl FnOnce() -> Vec<usize>) -> usize {
        if let Some(&number) = self.numbers.get(state) {
            return number;
        }
        let number = self.nodes.len();
        self.numbers.insert(state.to_vec(), number);
        self.states.push(state.to_vec());
        self.nodes.push(Node {
            path: path(),
            edges: Vec::new(),
            enabled: Vec::new(),
            holds: Vec::new(),
        });
        number
    }

    /// Explores everything; the words for why there is no picture.
    fn explore(&mut self, system: &dyn Explicit, fairness: &Fairness) -> Result<(), String> {
        let mut explorer = system.explorer(&fairness.items);
        let mut out = Successors::new();
        explorer.initial(&mut out);
        for number in 0..out.len() {
            self.number(out.state(number), || vec![number]);
            self.few()?;
        }
        self.starts = self.nodes.len();
        let mut at = 0;
        while at < self.nodes.len() {
            spend();
            let state = self.states[at].clone();
            explorer.expand(&state, &mut out);
            let mut edges = Vec::new();
            for number in 0..out.len() {
                let path = || [&self.nodes[at].path[..], &[number]].concat();
                let path = path();
                let target = self.number(out.state(number), || path);
                edges.push((target, out.taken(number).to_vec()));
                self.few()?;
            }
            let node = &mut self.nodes[at];
            node.edges = edges;
            node.enabled = out.enabled().to_vec();
            node.holds = conditions(&mut *explorer, fairness, &state);
            at += 1;
        }
        match self
            .nodes
            .iter()
            .map(|node| node.edges.len())
            .sum::<usize>()
        {
            edges if edges > MOST_EDGES => Err(format!("there are {edges} steps")),
            _ => Ok(()),
        }
    }

    fn few(&self) -> Result<(), String> {
        match self.nodes.len() > MOST_STATES {
            true => Err(format!("there are more than {MOST_STATES} states")),
            false => Ok(()),
        }
    }

    /// Pairs of states with a step between them, each once.
    fn pairs(&self) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        for (source, node) in self.nodes.iter().enumerate() {
            let mut targets: Vec<usize> = node.edges.iter().map(|edge| edge.0).collect();
            targets.sort_unstable();
            targets.dedup();
            pairs.extend(targets.into_iter().map(|target| (source, target)));
        }
        pairs
    }

    /// The graph with the assumptions as marks.
    fn automaton(&self, fairness: &Fairness, ends: FinishedRuns) -> Automaton {
        let mut acceptance = Acceptance::all();
        let count = 2 * fairness.assumptions.len();
        for (number, assumption) in fairness.assumptions.iter().enumerate() {
            let (request, grant) = (Mark::new(2 * number), Mark::new(2 * number + 1));
            match assumption.kind {
                AssumptionKind::Weak(_) | AssumptionKind::Justice(_) => {
                    acceptance.buchi.insert(grant);
                }
                AssumptionKind::Strong(_) | AssumptionKind::Compassion { .. } => {
                    acceptance.pairs.push(Pair { request, grant });
                }
            }
        }
        let mut builder = Builder::new(Vec::new(), acceptance);
        builder.reserve_marks(count);
        builder.reserve_states(self.nodes.len());
        (0..self.starts).for_each(|start| builder.add_initial(State::new(start)));
        for (number, node) in self.nodes.iter().enumerate() {
            let source = State::new(number);
            for (target, taken) in &node.edges {
                let marks = marks(fairness, node, taken);
                builder.add_edge(source, &Cube::TRUE, &marks, State::new(*target));
            }
            let stays = match ends {
                FinishedRuns::Everywhere => true,
                FinishedRuns::Stutter | FinishedRuns::Maximal => node.edges.is_empty(),
                FinishedRuns::Ignore => false,
            };
            if stays {
                let marks = marks(fairness, node, &[]);
                builder.add_edge(source, &Cube::TRUE, &marks, source);
            }
        }
        builder.build()
    }

    /// The arrows, with what people call their steps.
    fn told_edges(&self, system: &dyn Explicit, pairs: &[(usize, usize)]) -> Vec<Json> {
        let told = pairs.iter().map(|&(source, target)| {
            spend();
            let steps = self.nodes[source].edges.iter().enumerate();
            let steps = steps.filter(|(_, edge)| edge.0 == target);
            let names: Vec<String> = steps
                .filter_map(|(number, _)| {
                    let step = tell_successor(system, &self.states[source], number).ok()?;
                    Some(match step.process {
                        Some(process) if process != step.action => {
                            format!("{process}: {}", step.action)
                        }
                        _ => step.action,
                    })
                })
                .collect();
            json!([source, target, names])
        });
        told.collect()
    }

    /// The variables of each state: names once, values in their order where the names are always the same.
    fn told_states(&self, system: &dyn Explicit) -> Vec<Json> {
        let states = self.states.iter().map(|state| {
            spend();
            let step = tell_state(system, state);
            let pairs = step.state.iter();
            pairs
                .map(|(name, value)| json!([name, value.to_string()]))
                .collect()
        });
        states.collect()
    }
}

/// Which conditions of the assumptions hold in a state: two for each, of which most have none.
fn conditions(explorer: &mut dyn Explorer, fairness: &Fairness, state: &[u8]) -> Vec<bool> {
    let mut holds = |proposition| explorer.holds(proposition, state).unwrap_or(false);
    let mut list = Vec::new();
    for assumption in &fairness.assumptions {
        match assumption.kind {
            AssumptionKind::Justice(condition) => list.extend([false, holds(condition)]),
            AssumptionKind::Compassion { when, then } => list.extend([holds(when), holds(then)]),
            AssumptionKind::Weak(_) | AssumptionKind::Strong(_) => list.extend([false, false]),
        }
    }
    list
}

/// The marks of a step: for each assumption a request and a grant.
fn marks(fairness: &Fairness, from: &Node, taken: &[u64]) -> MarkSet {
    let has = |set: &[u64], item: usize| {
        set.get(item / 64)
            .is_some_and(|w| w >> (item % 64) & 1 == 1)
    };
    let mut marks = MarkSet::EMPTY;
    for (number, assumption) in fairness.assumptions.iter().enumerate() {
        let (request, grant) = match assumption.kind {
            AssumptionKind::Weak(item) => (false, !has(&from.enabled, item) || has(taken, item)),
            AssumptionKind::Strong(item) => (has(&from.enabled, item), has(taken, item)),
            AssumptionKind::Justice(_) | AssumptionKind::Compassion { .. } => {
                (from.holds[2 * number], from.holds[2 * number + 1])
            }
        };
        if request {
            marks.insert(Mark::new(2 * number));
        }
        if grant {
            marks.insert(Mark::new(2 * number + 1));
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand::Promela;
    use evenhand_testkit::promela_programs::temporal::TemporalProgram;

    /// Components with more states have too many parts.
    const MOST_MEMBERS: usize = 9;

    /// Whether a part of a component is one in which a fair run can stay, by the definitions.
    fn is_fair(found: &Found, fairness: &Fairness, part: &[usize]) -> bool {
        let has = |set: &[u64], item: usize| {
            set.get(item / 64)
                .is_some_and(|w| w >> (item % 64) & 1 == 1)
        };
        let inside = |state: usize| {
            let edges = found.nodes[state].edges.iter();
            edges.filter(|edge| part.contains(&edge.0))
        };
        // What is dead stays where it is.
        let is_still = |state: usize| found.nodes[state].edges.is_empty();
        let connected = part.iter().all(|&from| {
            let mut reached: Vec<usize> = match is_still(from) {
                true => vec![from],
                false => Vec::new(),
            };
            let mut open = vec![from];
            while let Some(state) = open.pop() {
                for edge in inside(state) {
                    if !reached.contains(&edge.0) {
                        reached.push(edge.0);
                        open.push(edge.0);
                    }
                }
            }
            part.iter().all(|state| reached.contains(state))
        });
        let assumptions = fairness.assumptions.iter().enumerate();
        connected
            && assumptions.clone().all(|(number, assumption)| {
                let taken = |item| {
                    part.iter()
                        .any(|&s| inside(s).any(|edge| has(&edge.1, item)))
                };
                let enabled = |item: usize| {
                    let list = part.iter();
                    list.map(move |&s| has(&found.nodes[s].enabled, item))
                };
                let holds = |which| {
                    part.iter()
                        .any(|&s| found.nodes[s].holds[2 * number + which])
                };
                match assumption.kind {
                    AssumptionKind::Weak(item) => !enabled(item).all(|e| e) || taken(item),
                    AssumptionKind::Strong(item) => !enabled(item).any(|e| e) || taken(item),
                    AssumptionKind::Justice(_) => holds(1),
                    AssumptionKind::Compassion { .. } => !holds(0) || holds(1),
                }
            })
    }

    #[test]
    fn fair_components_are_those_with_a_fair_part() {
        let (mut fair, mut unfair) = (0, 0);
        for seed in 0..400 {
            let program = TemporalProgram::generate(seed, 0, 3);
            let Ok(model) = Model::parse("r.pml", program.text(), &Promela) else {
                continue;
            };
            let mut asking = Asking::default();
            asking.request.fair.clone_from(&program.assumptions);
            asking.request.properties = evenhand_system::Wanted::Named(Vec::new());
            let Ok(place) = Place::of(&model, &asking) else {
                continue;
            };
            let system = place.system().expect("a program");
            let mut found = Found::default();
            if found.explore(system, &place.fairness).is_err() {
                continue;
            }
            let automaton = found.automaton(&place.fairness, system.finished_runs());
            let parts = components(&automaton);
            for component in 0..parts.count() {
                let members: Vec<usize> =
                    parts.members(component).iter().map(|s| s.index()).collect();
                if members.len() > MOST_MEMBERS || !parts.is_cyclic(&automaton, component) {
                    continue;
                }
                let subsets = 1..1_u32 << members.len();
                let expected = subsets.into_iter().any(|set| {
                    let list = members.iter().enumerate();
                    let part: Vec<usize> = list
                        .filter(|(bit, _)| set >> bit & 1 == 1)
                        .map(|(_, &state)| state)
                        .collect();
                    is_fair(&found, &place.fairness, &part)
                });
                let told = core_of_component(&automaton, &parts, component).is_some();
                assert_eq!(
                    told,
                    expected,
                    "seed {seed}, {members:?}:\n{}",
                    program.text()
                );
                match told {
                    true => fair += 1,
                    false => unfair += 1,
                }
            }
        }
        assert!(fair > 20 && unfair > 20, "{fair} fair, {unfair} not");
    }
}
