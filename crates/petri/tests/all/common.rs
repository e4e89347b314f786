//! What the tests share: nets as texts, random ones, and what is asked of them.

use evenhand_petri::{NeverUnfolded, Pnml};
use evenhand_source::{Files, SplitMix64};
use evenhand_system::{Language, ReadOptions, Rejected, Specification, Wanted};
use evenhand_verify::{
    Asking, Certify, Counterexamples, Options, PropertyResult, Reduce, Silent, check,
};

/// An arc from or to a place: its number, its weight, its kind.
pub type Weighted = (usize, u32, &'static str);

/// Markings, and the successors of each by number.
pub type Graph = (Vec<Vec<u32>>, Vec<Vec<usize>>);

/// A net that a test writes down.
#[derive(Clone, Debug, Default)]
pub struct TestNet {
    pub initial: Vec<u32>,
    /// For each transition what leads to it, and what leads away.
    pub transitions: Vec<(Vec<Weighted>, Vec<Weighted>)>,
}

impl TestNet {
    /// The net in PNML.
    pub fn pnml(&self) -> String {
        let mut text = String::from(
            "<?xml version=\"1.0\"?>\n<pnml>\n<net id=\"n\" type=\"ptnet\"><page id=\"g\">\n",
        );
        for (place, tokens) in self.initial.iter().enumerate() {
            let marking = format!("<initialMarking><text>{tokens}</text></initialMarking>");
            text += &format!("<place id=\"p{place}\">{marking}</place>\n");
        }
        for (number, (takes, gives)) in self.transitions.iter().enumerate() {
            text += &format!("<transition id=\"t{number}\"/>\n");
            for (place, weight, kind) in takes {
                let ends = format!("source=\"p{place}\" target=\"t{number}\"");
                text += &arc(&ends, *weight, kind);
            }
            for (place, weight, kind) in gives {
                let ends = format!("source=\"t{number}\" target=\"p{place}\"");
                text += &arc(&ends, *weight, kind);
            }
        }
        text + "</page></net>\n</pnml>\n"
    }

    /// Whether a transition can fire.
    pub fn is_enabled(&self, transition: usize, marking: &[u32]) -> bool {
        let takes = &self.transitions[transition].0;
        (0..marking.len()).all(|place| {
            let of = |kind: &str| {
                let own = takes.iter().filter(|(p, _, k)| *p == place && *k == kind);
                own.map(|(_, weight, _)| *weight).collect::<Vec<u32>>()
            };
            let least = of("normal").iter().sum::<u32>();
            let least = least.max(of("test").into_iter().max().unwrap_or(0));
            let free = of("inhibitor")
                .into_iter()
                .all(|weight| marking[place] < weight);
            marking[place] >= least && free
        })
    }

    /// The marking behind a transition that can fire.
    pub fn fire(&self, transition: usize, marking: &[u32]) -> Vec<u32> {
        let (takes, gives) = &self.transitions[transition];
        let mut behind = marking.to_vec();
        for (place, weight, _) in takes.iter().filter(|(_, _, kind)| *kind == "normal") {
            behind[*place] -= weight;
        }
        for (place, ..) in takes.iter().filter(|(_, _, kind)| *kind == "reset") {
            behind[*place] = 0;
        }
        for (place, weight, _) in gives {
            behind[*place] += weight;
        }
        behind
    }

    /// All markings, and the successors of each by number; none if there are more than so many.
    pub fn graph(&self, most: usize) -> Option<Graph> {
        let mut markings = vec![self.initial.clone()];
        let mut numbers = std::collections::HashMap::from([(self.initial.clone(), 0)]);
        let mut successors = Vec::new();
        while successors.len() < markings.len() {
            let here = markings[successors.len()].clone();
            let mut targets = Vec::new();
            for transition in 0..self.transitions.len() {
                if self.is_enabled(transition, &here) {
                    let behind = self.fire(transition, &here);
                    let fresh = markings.len();
                    let number = *numbers.entry(behind.clone()).or_insert(fresh);
                    if number == fresh {
                        markings.push(behind);
                    }
                    targets.push(number);
                }
            }
            successors.push(targets);
            if markings.len() > most {
                return None;
            }
        }
        Some((markings, successors))
    }
}

fn arc(ends: &str, weight: u32, kind: &str) -> String {
    let weight = format!("<inscription><text>{weight}</text></inscription>");
    format!("<arc {ends}>{weight}<type value=\"{kind}\"/></arc>\n")
}

/// A random net of few places and transitions; with arcs of all kinds, or normal ones alone.
pub fn random_net(dice: &mut SplitMix64, all_kinds: bool) -> TestNet {
    let places = 1 + dice.below(4);
    let mut net = TestNet {
        initial: (0..places).map(|_| dice.below(3) as u32).collect(),
        transitions: Vec::new(),
    };
    for _ in 0..1 + dice.below(4) {
        let mut takes = Vec::new();
        for _ in 0..dice.below(3) {
            let kind = match dice.below(if all_kinds { 8 } else { 1 }) {
                5 => "test",
                6 => "inhibitor",
                7 => "reset",
                _ => "normal",
            };
            takes.push((dice.below(places), 1 + dice.below(2) as u32, kind));
        }
        // What makes more tokens than it takes makes nets without bounds: not too often.
        let count = if dice.below(4) == 0 { 3 } else { takes.len() };
        let gives = 0..dice.below(count + 1);
        let gives = gives.map(|_| (dice.below(places), 1 + dice.below(4) as u32 / 3, "normal"));
        net.transitions.push((takes, gives.collect()));
    }
    net
}

/// Reads a net.
pub fn read(text: &str, properties: &[(&str, &str)]) -> Result<Box<dyn Specification>, Rejected> {
    read_as(&Pnml, text, properties)
}

/// Reads a net that is not unfolded if it is coloured.
pub fn read_folded(
    text: &str,
    properties: &[(&str, &str)],
) -> Result<Box<dyn Specification>, Rejected> {
    read_as(&NeverUnfolded, text, properties)
}

fn read_as(
    language: &dyn Language,
    text: &str,
    properties: &[(&str, &str)],
) -> Result<Box<dyn Specification>, Rejected> {
    let mut files = Files::new();
    let main = files.add("net.pnml", text);
    let mut options = ReadOptions::default();
    let owned = |(name, text): &(&str, &str)| (name.to_string(), text.to_string());
    options.properties = properties.iter().map(owned).collect();
    language.read(files, main, &options)
}

/// What is asked, as texts.
#[derive(Clone, Debug, Default)]
pub struct Ask<'a> {
    pub properties: &'a [&'a str],
    pub ltl: &'a [&'a str],
    pub ctl: &'a [&'a str],
    pub fair: &'a [&'a str],
    pub engine: Option<&'a str>,
    pub invariants: &'a [&'a str],
    /// Whether fewer steps are to be explored, from the first one on.
    pub reduce: bool,
    /// How many states may be explored.
    pub limit_states: Option<u64>,
}

/// Asks a model.
pub fn ask(model: &dyn Specification, ask: &Ask<'_>) -> Vec<PropertyResult> {
    let owned = |texts: &[&str]| {
        texts
            .iter()
            .map(|text| text.to_string())
            .collect::<Vec<_>>()
    };
    let mut asking = Asking::default();
    asking.request.properties = Wanted::Named(owned(ask.properties));
    asking.request.linear = owned(ask.ltl);
    asking.request.branching = owned(ask.ctl);
    asking.request.fair = owned(ask.fair);
    asking.request.invariants = owned(ask.invariants);
    let mut options = Options::default();
    options.engine = ask.engine.map(str::to_string);
    options.counterexample = Counterexamples::First;
    options.certify = Certify::Auto;
    options.limit_states = ask.limit_states;
    if ask.reduce {
        options.reduce = Reduce::Always;
    }
    let report = check(model, &asking, &options, &mut Silent);
    report
        .unwrap_or_else(|error| panic!("{error}: {ask:?}"))
        .properties
}

/// The verdicts of a report, none where it is unknown.
pub fn verdicts(results: &[PropertyResult]) -> Vec<Option<bool>> {
    let verdict =
        |result: &PropertyResult| result.verdict.is_decided().then(|| result.verdict.holds());
    results.iter().map(verdict).collect()
}
