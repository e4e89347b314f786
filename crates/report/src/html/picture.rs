//! The automaton of bad runs as data for a picture, with what it does at each state of a run.
//!
//! Labels are written with short names for the propositions, which a legend explains; parallel
//! edges with the same marks become one. Large automata are shown only where the run goes. What the
//! automaton does repeats a lot along a run, so each different moment is written once.

use std::collections::{BTreeMap, BTreeSet};

use evenhand_automata::{Acceptance, Automaton, EdgeId, Literal, MarkSet, State};
use evenhand_witness::{Moment, Observed};
use serde_json::{Value as Json, json};

use super::layout::{MOST_STATES, Place, layered};

/// Propositions up to this length are their own short names.
const SHORT: usize = 8;

/// Automata up to this many states are drawn as a whole.
const SMALL: usize = 12;

/// An automaton as it is drawn: some of its states with their places, and the edges between these.
pub(super) struct Drawn<'a> {
    /// The states.
    pub states: Vec<State>,
    /// Where each of them stands.
    pub places: Vec<Option<Place>>,
    /// Those in which runs begin.
    pub initial: Vec<usize>,
    /// Edges that are drawn as one.
    pub arcs: Arcs<'a>,
    /// From where to where each of them leads.
    pub pairs: Vec<(usize, usize)>,
}

impl<'a> Drawn<'a> {
    /// With short names for propositions, and these states.
    pub fn new(
        automaton: &'a Automaton,
        names: &'a [String],
        shown: &BTreeSet<State>,
    ) -> Drawn<'a> {
        let mut arcs = Arcs::new(automaton, names);
        for &state in shown {
            for index in automaton.edge_range(state) {
                if shown.contains(&automaton.edges()[index].target) {
                    arcs.add(EdgeId::new(index));
                }
            }
        }
        let number = numbers(shown);
        let pairs: Vec<(usize, usize)> = arcs
            .list
            .iter()
            .map(|a| (number[&a.source], number[&a.target]))
            .collect();
        let initial = automaton.initial().iter();
        let initial: Vec<usize> = initial.filter_map(|s| number.get(s).copied()).collect();
        Drawn {
            places: layered(shown.len(), &pairs, &initial),
            states: shown.iter().copied().collect(),
            initial,
            arcs,
            pairs,
        }
    }
}

/// The places of states in a list.
fn numbers(shown: &BTreeSet<State>) -> BTreeMap<State, usize> {
    shown.iter().enumerate().map(|(i, &s)| (s, i)).collect()
}

/// The picture of an automaton, and what it does along a run, as data for the script.
pub fn picture(observed: &Observed) -> Json {
    let automaton = &observed.automaton;
    let names = short_names(automaton);
    let shown = shown_states(observed);
    let number = numbers(&shown);
    let Drawn {
        places,
        initial,
        arcs,
        pairs,
        ..
    } = Drawn::new(automaton, &names, &shown);
    let states: Vec<Json> = shown
        .iter()
        .zip(&places)
        .map(|(&state, place)| {
            let place = place.map_or(json!(null), |p| json!([p.layer, p.across]));
            json!([state.0, automaton.state_name(state), place])
        })
        .collect();
    let edges: Vec<Json> = arcs
        .list
        .iter()
        .zip(&pairs)
        .map(|(arc, pair)| {
            let marks: Vec<u32> = arc.marks.iter().map(|m| m.0).collect();
            json!([pair.0, pair.1, arc.labels.join(" | "), marks])
        })
        .collect();
    let propositions: Vec<Json> = automaton
        .props()
        .iter()
        .zip(&names)
        .map(|(text, name)| json!([name, text]))
        .collect();
    let mut moments = Moments::new(&number, &arcs);
    let at: Vec<usize> = observed.moments.iter().map(|m| moments.number(m)).collect();
    let later: Vec<usize> = observed.later.iter().map(|m| moments.number(m)).collect();
    json!({
        "states": states,
        "edges": edges,
        "initial": initial,
        "hidden": automaton.state_count() - shown.len(),
        "propositions": propositions,
        "acceptance": acceptance(automaton.acceptance()),
        "conditionals": automaton.conditionals().iter().map(|c| {
            format!("mark {} is on every edge taken while {} holds", c.mark.0, literal(c.literal, &names))
        }).collect::<Vec<_>>(),
        "moments": moments.list,
        "at": at,
        "later": later,
    })
}

/// All states of a small automaton, otherwise those that the run goes through or may be in.
fn shown_states(observed: &Observed) -> BTreeSet<State> {
    let automaton = &observed.automaton;
    if automaton.state_count() <= SMALL {
        return automaton.states().collect();
    }
    let moments = || observed.moments.iter().chain(&observed.later);
    let mut shown: BTreeSet<State> = BTreeSet::new();
    for edge in moments().flat_map(|m| &m.edges) {
        let edge = automaton.edge(*edge);
        if shown.len() + 2 <= MOST_STATES {
            shown.extend([edge.source, edge.target]);
        }
    }
    for &state in moments().flat_map(|m| &m.possible) {
        if shown.len() < SMALL {
            shown.insert(state);
        }
    }
    shown
}

/// Each different moment once.
struct Moments<'m> {
    states: &'m BTreeMap<State, usize>,
    arcs: &'m Arcs<'m>,
    list: Vec<Json>,
    known: BTreeMap<String, usize>,
}

impl<'m> Moments<'m> {
    fn new(states: &'m BTreeMap<State, usize>, arcs: &'m Arcs<'m>) -> Moments<'m> {
        Moments {
            states,
            arcs,
            list: Vec::new(),
            known: BTreeMap::new(),
        }
    }

    /// The number of a moment: what holds, possible states, states and edges of the way.
    fn number(&mut self, moment: &Moment) -> usize {
        let states = |list: &[State]| -> Vec<usize> {
            let known = list.iter().filter_map(|s| self.states.get(s).copied());
            known.collect()
        };
        let edges = moment.edges.iter();
        let edges = edges.filter_map(|e| self.arcs.of_edge.get(e).copied());
        let edges: BTreeSet<usize> = edges.collect();
        let letter: Vec<u8> = moment.letter.iter().map(|&h| u8::from(h)).collect();
        let (possible, way) = (states(&moment.possible), states(&moment.states));
        let told = json!([letter, possible, way, edges]);
        let next = self.list.len();
        let number = *self.known.entry(told.to_string()).or_insert(next);
        if number == next {
            self.list.push(told);
        }
        number
    }
}

/// Edges that are drawn as one.
pub(super) struct Arc {
    source: State,
    target: State,
    pub marks: MarkSet,
    pub labels: Vec<String>,
}

pub(super) struct Arcs<'a> {
    automaton: &'a Automaton,
    names: &'a [String],
    pub list: Vec<Arc>,
    of_edge: BTreeMap<EdgeId, usize>,
}

impl<'a> Arcs<'a> {
    fn new(automaton: &'a Automaton, names: &'a [String]) -> Arcs<'a> {
        Arcs {
            automaton,
            names,
            list: Vec::new(),
            of_edge: BTreeMap::new(),
        }
    }

    fn add(&mut self, id: EdgeId) {
        let edge = self.automaton.edge(id);
        let marks = self.automaton.marks(edge.marks);
        let cube = self.automaton.cube(edge.label);
        let parts: Vec<String> = cube.literals().map(|l| literal(l, self.names)).collect();
        let label = match parts.is_empty() {
            true => "always".to_string(),
            false => parts.join(" & "),
        };
        let same =
            |a: &Arc| a.source == edge.source && a.target == edge.target && a.marks == *marks;
        let at = self.list.iter().position(same).unwrap_or_else(|| {
            self.list.push(Arc {
                source: edge.source,
                target: edge.target,
                marks: marks.clone(),
                labels: Vec::new(),
            });
            self.list.len() - 1
        });
        self.list[at].labels.push(label);
        self.of_edge.insert(id, at);
    }
}

fn literal(literal: Literal, names: &[String]) -> String {
    let name = names.get(literal.prop.index()).map_or("", String::as_str);
    match literal.positive {
        true => name.to_string(),
        false => format!("!{name}"),
    }
}

/// A short name for each proposition.
pub(super) fn short_names(automaton: &Automaton) -> Vec<String> {
    const LETTERS: [&str; 8] = ["p", "q", "r", "s", "t", "u", "v", "w"];
    let is_short = |text: &str| {
        let mut chars = text.chars();
        text.len() <= SHORT && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let props = automaton.props();
    let all_short = props.iter().all(|p| is_short(p));
    props
        .iter()
        .enumerate()
        .map(|(i, text)| match LETTERS.get(i) {
            _ if all_short => text.clone(),
            Some(letter) if props.len() <= LETTERS.len() => (*letter).to_string(),
            _ => format!("p{i}"),
        })
        .collect()
}

/// When a run of the automaton counts, in words.
fn acceptance(acceptance: &Acceptance) -> String {
    match marks_that_repeat(acceptance) {
        None => "which marks must repeat is a condition of its own".to_string(),
        Some(parts) if parts.is_empty() => "a run is bad if it can be read for ever".to_string(),
        Some(parts) => format!("a run is bad if, reading it, {}", parts.join(", and ")),
    }
}

/// Which marks are seen again and again, in words; none if they are a condition of their own.
pub(super) fn marks_that_repeat(acceptance: &Acceptance) -> Option<Vec<String>> {
    if !acceptance.is_streett() {
        return None;
    }
    let marks: Vec<String> = acceptance.buchi.iter().map(|m| m.0.to_string()).collect();
    let mut parts = Vec::new();
    match marks.len() {
        0 => {}
        1 => parts.push(format!("mark {} is seen again and again", marks[0])),
        _ => parts.push(format!(
            "each of the marks {} is seen again and again",
            marks.join(", ")
        )),
    }
    for pair in &acceptance.pairs {
        let (request, grant) = (pair.request.0, pair.grant.0);
        parts.push(format!(
            "mark {grant} is seen again and again if mark {request} is"
        ));
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_automata::{Builder, Cube, Mark, Prop};

    /// F (p & G !q), by hand.
    fn waiting(propositions: [&str; 2]) -> Automaton {
        let mut builder = Builder::new(
            propositions.map(str::to_string).to_vec(),
            Acceptance::generalized_buchi(1),
        );
        let literal = |prop, positive| Literal {
            prop: Prop(prop),
            positive,
        };
        let (start, waits) = (builder.add_state(), builder.add_state());
        builder.add_initial(start);
        let good: MarkSet = [Mark(0)].into_iter().collect();
        let asked = Cube::literal(literal(0, true)).with(literal(1, false));
        builder.add_edge(start, &Cube::TRUE, &MarkSet::EMPTY, start);
        builder.add_edge(start, &asked, &MarkSet::EMPTY, waits);
        builder.add_edge(waits, &Cube::literal(literal(1, false)), &good, waits);
        builder.build()
    }

    fn moment(states: &[u32], edges: &[u32]) -> Moment {
        Moment {
            letter: vec![true, false],
            possible: vec![State(0), State(1)],
            states: states.iter().map(|&s| State(s)).collect(),
            edges: edges.iter().map(|&e| EdgeId(e)).collect(),
        }
    }

    #[test]
    fn long_propositions_get_letters_and_moments_are_written_once() {
        let observed = Observed {
            automaton: waiting(["process[0]@trying", "q"]),
            moments: vec![moment(&[0], &[1]), moment(&[1], &[2]), moment(&[1], &[2])],
            later: vec![moment(&[1], &[2])],
        };
        let picture = picture(&observed);
        assert_eq!(
            picture["propositions"],
            json!([["p", "process[0]@trying"], ["q", "q"]])
        );
        let edges = json!([
            [0, 0, "always", []],
            [0, 1, "p & !q", []],
            [1, 1, "!q", [0]]
        ]);
        assert_eq!(picture["edges"], edges);
        assert_eq!(picture["at"], json!([0, 1, 1]));
        assert_eq!(picture["later"], json!([1]));
        assert_eq!(picture["moments"][1], json!([[1, 0], [0, 1], [1], [2]]));
        assert_eq!(picture["states"][1], json!([1, "", [1, 0.0]]));
        let words = "a run is bad if, reading it, mark 0 is seen again and again";
        assert_eq!(picture["acceptance"], words);
    }

    #[test]
    fn a_large_automaton_is_shown_where_the_run_goes() {
        let mut builder = Builder::new(Vec::new(), Acceptance::all());
        let states: Vec<State> = (0..100).map(|_| builder.add_state()).collect();
        builder.add_initial(states[0]);
        for pair in states.windows(2) {
            builder.add_edge(pair[0], &Cube::TRUE, &MarkSet::EMPTY, pair[1]);
        }
        let observed = Observed {
            automaton: builder.build(),
            moments: vec![moment(&[0], &[0]), moment(&[1], &[1])],
            later: Vec::new(),
        };
        let picture = picture(&observed);
        assert_eq!(picture["states"].as_array().map(Vec::len), Some(3));
        assert_eq!(picture["hidden"], 97);
    }
}
