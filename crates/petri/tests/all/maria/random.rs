//! Small random nets against brute force: bindings by trying all values, fairness by looking for components that
//! satisfy all of it.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use evenhand_source::SplitMix64;
use evenhand_testkit::lassos::cases;

use super::corpus::{is_holding_by, search};
use super::load;

/// A component of a token on an arc: a constant, a variable, or what comes after the value of a variable.
#[derive(Clone, Copy, Debug)]
enum Term {
    Constant(usize),
    Variable(usize),
    Next(usize),
}

/// A place, how often, and the components of the token.
type Arc = (usize, u64, Vec<Term>);

#[derive(Clone, Copy, Debug)]
enum Members {
    All,
    Equal(usize, usize),
    EachValue(usize),
}

#[derive(Debug)]
struct Transition {
    variables: usize,
    inputs: Vec<Arc>,
    outputs: Vec<Arc>,
    /// Two variables that must be different, or a variable and a constant.
    gate: Option<(usize, Term)>,
    /// Whether strong, and of which instances.
    sets: Vec<(bool, Members)>,
    priority: u32,
}

#[derive(Debug)]
struct Net {
    /// Values are below this.
    values: usize,
    /// Components of the tokens of each place.
    places: Vec<usize>,
    initial: Vec<Vec<Vec<usize>>>,
    transitions: Vec<Transition>,
}

type Marking = Vec<BTreeMap<Vec<usize>, u64>>;

/// Whether it is strong, its transition, and a variable with the value that it must have.
type Set = (bool, usize, Option<(usize, usize)>);

/// What is asked of a marking.
type Test = Box<dyn Fn(&Marking) -> bool>;

fn random(dice: &mut SplitMix64) -> Net {
    let values = 2 + dice.below(2);
    let places: Vec<usize> = (0..1 + dice.below(3)).map(|_| 1 + dice.below(2)).collect();
    let token =
        |dice: &mut SplitMix64, size: usize| (0..size).map(|_| dice.below(values)).collect();
    let initial = places
        .iter()
        .map(|&size| (0..1 + dice.below(3)).map(|_| token(dice, size)).collect())
        .collect();
    let mut transitions = Vec::new();
    for _ in 0..1 + dice.below(4) {
        let mut variables = 0;
        let mut inputs: Vec<Arc> = Vec::new();
        for _ in 0..1 + dice.below(2) {
            let place = dice.below(places.len());
            let mut terms = Vec::new();
            for _ in 0..places[place] {
                terms.push(match dice.below(6) {
                    0 => Term::Constant(dice.below(values)),
                    1 if variables > 0 => Term::Variable(dice.below(variables)),
                    2 if variables > 0 => Term::Next(dice.below(variables)),
                    _ => {
                        variables += 1;
                        Term::Variable(variables - 1)
                    }
                });
            }
            inputs.push((place, 1 + dice.below(8) as u64 / 7, terms));
        }
        let bound = |dice: &mut SplitMix64| match dice.below(4) {
            0 => Term::Constant(dice.below(values)),
            1 if variables > 0 => Term::Next(dice.below(variables)),
            _ if variables > 0 => Term::Variable(dice.below(variables)),
            _ => Term::Constant(0),
        };
        let mut outputs = Vec::new();
        // Most transitions make as many tokens as they take, so that runs go on.
        let made = match dice.below(6) {
            0 => dice.below(inputs.len() + 2),
            _ => inputs.len(),
        };
        for _ in 0..made {
            let place = dice.below(places.len());
            let terms = (0..places[place]).map(|_| bound(dice)).collect();
            outputs.push((place, 1, terms));
        }
        let gate =
            (variables > 0 && dice.below(3) == 0).then(|| (dice.below(variables), bound(dice)));
        let mut sets = Vec::new();
        for _ in 0..dice.below(3) {
            let members = match dice.below(3) {
                0 if variables > 0 => Members::Equal(dice.below(variables), dice.below(values)),
                1 if variables > 0 => Members::EachValue(dice.below(variables)),
                _ => Members::All,
            };
            sets.push((dice.below(2) == 0, members));
        }
        let priority = if dice.below(8) == 0 {
            1 + dice.below(2) as u32
        } else {
            0
        };
        transitions.push(Transition {
            variables,
            inputs,
            outputs,
            gate,
            sets,
            priority,
        });
    }
    Net {
        values,
        places,
        initial,
        transitions,
    }
}

fn term(term: Term) -> String {
    match term {
        Term::Constant(value) => value.to_string(),
        Term::Variable(variable) => format!("x{variable}"),
        Term::Next(variable) => format!("+x{variable}"),
    }
}

impl Net {
    fn text(&self) -> String {
        let mut text = format!("typedef unsigned (0..{}) n;\n", self.values - 1);
        text += "typedef struct { n a; n b; } pair;\n";
        let token = |parts: Vec<String>| match parts.len() {
            1 => parts[0].clone(),
            _ => format!("{{{}}}", parts.join(", ")),
        };
        for (place, &size) in self.places.iter().enumerate() {
            let ty = if size == 1 { "n" } else { "pair" };
            let _ = write!(text, "place p{place} {ty}");
            let tokens = self.initial[place].iter();
            let tokens = tokens.map(|t| token(t.iter().map(usize::to_string).collect()));
            let tokens: Vec<String> = tokens.collect();
            if !tokens.is_empty() {
                let _ = write!(text, ": {}", tokens.join(", "));
            }
            text += ";\n";
        }
        for (number, transition) in self.transitions.iter().enumerate() {
            let _ = write!(text, "trans t{number} {}", transition.priority);
            let arcs = |arcs: &[Arc]| {
                let arcs = arcs.iter().map(|(place, count, terms)| {
                    let terms = terms.iter().map(|t| term(*t)).collect();
                    format!("place p{place}: {count}#{};", token(terms))
                });
                arcs.collect::<Vec<String>>().join(" ")
            };
            let _ = write!(text, " in {{ {} }}", arcs(&transition.inputs));
            if !transition.outputs.is_empty() {
                let _ = write!(text, " out {{ {} }}", arcs(&transition.outputs));
            }
            if let Some((variable, other)) = transition.gate {
                let _ = write!(text, " gate x{variable} != {}", term(other));
            }
            for (strong, members) in &transition.sets {
                let word = if *strong {
                    "strongly_fair"
                } else {
                    "weakly_fair"
                };
                let _ = match members {
                    Members::All => write!(text, " {word} true"),
                    Members::Equal(v, value) => write!(text, " {word} x{v} == {value}"),
                    Members::EachValue(v) => write!(text, " {word} n v: x{v} == v"),
                };
            }
            text += ";\n";
        }
        text
    }

    fn first(&self) -> Marking {
        let place = |tokens: &Vec<Vec<usize>>| {
            let mut bag = BTreeMap::new();
            for token in tokens {
                *bag.entry(token.clone()).or_insert(0) += 1;
            }
            bag
        };
        self.initial.iter().map(place).collect()
    }

    fn value(&self, term: Term, binding: &[usize]) -> usize {
        match term {
            Term::Constant(value) => value,
            Term::Variable(variable) => binding[variable],
            Term::Next(variable) => (binding[variable] + 1) % self.values,
        }
    }

    fn fire(&self, marking: &Marking, number: usize, binding: &[usize]) -> Option<Marking> {
        let transition = &self.transitions[number];
        let mut marking = marking.clone();
        if let Some((variable, other)) = transition.gate
            && binding[variable] == self.value(other, binding)
        {
            return None;
        }
        for (place, count, terms) in &transition.inputs {
            let token: Vec<usize> = terms.iter().map(|t| self.value(*t, binding)).collect();
            let left = marking[*place].get(&token)?.checked_sub(*count)?;
            match left {
                0 => drop(marking[*place].remove(&token)),
                left => drop(marking[*place].insert(token, left)),
            }
        }
        for (place, count, terms) in &transition.outputs {
            let token: Vec<usize> = terms.iter().map(|t| self.value(*t, binding)).collect();
            *marking[*place].entry(token).or_insert(0) += count;
        }
        Some(marking)
    }

    /// All instances that are enabled, with the markings behind them.
    fn instances(&self, marking: &Marking) -> Vec<(usize, Vec<usize>, Marking)> {
        let mut found = Vec::new();
        let mut class = 0;
        for (number, transition) in self.transitions.iter().enumerate() {
            if class != 0 && transition.priority != class {
                continue;
            }
            let before = found.len();
            let count = self.values.pow(transition.variables as u32);
            for code in 0..count {
                let digit = |v: usize| code / self.values.pow(v as u32) % self.values;
                let binding: Vec<usize> = (0..transition.variables).map(digit).collect();
                if let Some(behind) = self.fire(marking, number, &binding) {
                    found.push((number, binding, behind));
                }
            }
            if found.len() > before && transition.priority > 0 {
                class = transition.priority;
            }
        }
        found
    }

    /// The sets of fairness: whether strong, the transition, and what its binding must be.
    fn sets(&self) -> Vec<Set> {
        let mut sets = Vec::new();
        for (number, transition) in self.transitions.iter().enumerate() {
            for &(strong, members) in &transition.sets {
                match members {
                    Members::All => sets.push((strong, number, None)),
                    Members::Equal(v, value) => sets.push((strong, number, Some((v, value)))),
                    Members::EachValue(v) => {
                        let each = (0..self.values).map(|value| (strong, number, Some((v, value))));
                        sets.extend(each);
                    }
                }
            }
        }
        sets
    }
}

/// The graph of a net: for each marking its edges, and the sets that each edge belongs to.
struct Graph {
    markings: Vec<Marking>,
    edges: Vec<Vec<(usize, Vec<usize>)>>,
    strong: Vec<bool>,
}

fn graph(net: &Net, most: usize) -> Option<Graph> {
    let sets = net.sets();
    let first = net.first();
    let mut numbers = HashMap::from([(format!("{first:?}"), 0)]);
    let mut markings = vec![first];
    let mut edges = Vec::new();
    while edges.len() < markings.len() {
        let mut own = Vec::new();
        for (number, binding, behind) in net.instances(&markings[edges.len()]) {
            let fresh = markings.len();
            let target = *numbers.entry(format!("{behind:?}")).or_insert(fresh);
            if target == fresh {
                markings.push(behind);
            }
            let taken = sets.iter().enumerate().filter(|(_, (_, owner, what))| {
                *owner == number && what.is_none_or(|(v, value)| binding[v] == value)
            });
            own.push((target, taken.map(|(set, _)| set).collect()));
        }
        edges.push(own);
        if markings.len() > most {
            return None;
        }
    }
    let strong = sets.iter().map(|(strong, ..)| *strong).collect();
    Some(Graph {
        markings,
        edges,
        strong,
    })
}

impl Graph {
    /// Edges inside of some markings; one without instances stays where it is.
    fn inside(&self, allowed: &[bool], from: usize) -> Vec<(usize, &[usize])> {
        if self.edges[from].is_empty() {
            return vec![(from, &[])];
        }
        let edges = self.edges[from].iter();
        edges
            .filter(|(to, _)| allowed[*to])
            .map(|(to, taken)| (*to, &taken[..]))
            .collect()
    }

    fn reachable(&self, allowed: &[bool], start: usize) -> Vec<bool> {
        let mut seen = vec![false; allowed.len()];
        let mut open = vec![start];
        while let Some(here) = open.pop() {
            if !std::mem::replace(&mut seen[here], true) {
                open.extend(self.inside(allowed, here).iter().map(|(to, _)| *to));
            }
        }
        seen
    }

    /// Whether a fair run stays in the allowed markings for ever, and passes those that it must again and again.
    fn has_fair(&self, allowed: &[bool], must: &[bool]) -> bool {
        (0..allowed.len()).filter(|&at| allowed[at]).any(|at| {
            // The component of a marking: what it reaches and is reached from.
            let there = self.reachable(allowed, at);
            let component: Vec<bool> = (0..allowed.len())
                .map(|other| allowed[other] && there[other] && self.reachable(allowed, other)[at])
                .collect();
            self.is_fair(&component, must)
        })
    }

    fn is_fair(&self, component: &[bool], must: &[bool]) -> bool {
        let members: Vec<usize> = (0..component.len()).filter(|&at| component[at]).collect();
        let has_edge = members
            .iter()
            .any(|&at| !self.inside(component, at).is_empty());
        if !has_edge || !members.iter().any(|&at| must[at]) {
            return false;
        }
        for (set, &strong) in self.strong.iter().enumerate() {
            let takes = |at: &usize| {
                self.inside(component, *at)
                    .iter()
                    .any(|(_, t)| t.contains(&set))
            };
            if members.iter().any(takes) {
                continue;
            }
            let enabled = |at: &usize| self.edges[*at].iter().any(|(_, t)| t.contains(&set));
            if strong && members.iter().any(enabled) {
                let smaller: Vec<bool> = (0..component.len())
                    .map(|at| component[at] && !enabled(&at))
                    .collect();
                return self.has_fair(&smaller, must);
            }
            if !strong && members.iter().all(enabled) {
                return false;
            }
        }
        true
    }

    /// Whether every fair run satisfies a formula of one of four kinds.
    fn holds(&self, kind: usize, a: &[bool], b: &[bool]) -> bool {
        let count = self.markings.len();
        let not = |set: &[bool]| set.iter().map(|holds| !holds).collect::<Vec<bool>>();
        let (all, not_a, not_b) = (vec![true; count], not(a), not(b));
        let from_here = |allowed: &[bool], start: usize| {
            let there = self.reachable(allowed, start);
            (0..count)
                .map(|at| there[at] && allowed[at])
                .collect::<Vec<bool>>()
        };
        let bad = match kind {
            // [] <> a
            0 => self.has_fair(&not_a, &all),
            // <> [] a
            1 => self.has_fair(&all, &not_a),
            // <> a
            2 => not_a[0] && self.has_fair(&from_here(&not_a, 0), &all),
            // [] (a => <> b)
            _ => (0..count)
                .filter(|&at| a[at] && not_b[at])
                .any(|at| self.has_fair(&from_here(&not_b, at), &all)),
        };
        !bad
    }
}

/// A condition: its text, and where it holds.
fn condition(dice: &mut SplitMix64, net: &Net, graph: &Graph) -> (String, Vec<bool>) {
    let place = dice.below(net.places.len());
    let total = move |marking: &Marking| marking[place].values().sum::<u64>();
    let (text, holds): (String, Test) = match dice.below(3) {
        0 => {
            let least = dice.below(3) as u64;
            let text = format!("(cardinality place p{place} > {least})");
            (text, Box::new(move |marking| total(marking) > least))
        }
        1 => {
            let text = format!("(place p{place} equals empty)");
            (text, Box::new(move |marking| total(marking) == 0))
        }
        _ => {
            let token: Vec<usize> = (0..net.places[place])
                .map(|_| dice.below(net.values))
                .collect();
            let text = match token[..] {
                [one] => format!("((is n {one}) subset place p{place})"),
                _ => format!(
                    "((is pair {{{},{}}}) subset place p{place})",
                    token[0], token[1]
                ),
            };
            (
                text,
                Box::new(move |marking| marking[place].contains_key(&token)),
            )
        }
    };
    let holds = graph.markings.iter().map(holds).collect();
    (text, holds)
}

#[test]
fn brute_force_agrees() {
    let mut dice = SplitMix64::new(19);
    let wanted = cases(600);
    let (mut nets, mut holding, mut fair) = (0, 0, 0);
    while nets < wanted {
        let net = random(&mut dice);
        let Some(graph) = graph(&net, 60) else {
            continue;
        };
        nets += 1;
        let text = net.text();
        let model = load(&text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let found = search(&*model);
        let arcs: usize = graph.edges.iter().map(Vec::len).sum();
        let dead = graph.edges.iter().filter(|edges| edges.is_empty()).count();
        let expected = (graph.markings.len() as u64, arcs as u64, dead as u64);
        assert_eq!(
            (found.states, found.arcs, found.deadlocks),
            expected,
            "{text}"
        );
        for kind in 0..4 {
            let (first, a) = condition(&mut dice, &net, &graph);
            let (second, b) = condition(&mut dice, &net, &graph);
            let formula = match kind {
                0 => format!("[] <> {first}"),
                1 => format!("<> [] {first}"),
                2 => format!("<> {first}"),
                _ => format!("[] ({first} => <> {second})"),
            };
            let expected = graph.holds(kind, &a, &b);
            holding += usize::from(expected);
            let engine = ["streett", "latvala-heljanko", "lichtenstein-pnueli"][dice.below(3)];
            let answer = is_holding_by(&*model, &formula, false, Some(engine));
            assert_eq!(answer, Some(expected), "{engine}: {formula}\n{text}");
            let without = Graph {
                markings: graph.markings.clone(),
                edges: graph
                    .edges
                    .iter()
                    .map(|edges| edges.iter().map(|(to, _)| (*to, Vec::new())).collect())
                    .collect(),
                strong: Vec::new(),
            };
            let plain = without.holds(kind, &a, &b);
            let answer = is_holding_by(&*model, &formula, true, None);
            assert_eq!(answer, Some(plain), "{formula}\n{text}");
            fair += usize::from(plain != expected);
        }
    }
    println!("{nets} nets, {holding} formulas hold, {fair} of them because of fairness");
    assert!(
        holding * 10 > nets * 4 && fair * 50 > nets,
        "{holding} {fair}"
    );
}
