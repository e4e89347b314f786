//! Coloured nets: sorts, terms, and the patterns of transitions, as they were written.
//!
//! Such a net is explored in one of two ways. Usually it is unfolded ([`unfold`]) to a place/transition net: a transition for
//! each binding of the variables, which are fast to fire and of which everything is known that is known of such
//! nets. But in each marking every one of them is looked at. Where there are many, the net stays as it is, and the
//! bindings that can fire are looked for among the tokens of each marking ([`plan`], [`body`]).

pub(crate) mod body;
pub(crate) mod fairness;
mod fire;
pub(crate) mod numbers;
mod plan;
mod sorts;
mod terms;
mod unfold;

use std::collections::BTreeMap;

use evenhand_source::{Diagnostic, Span};

pub(crate) use self::fire::Rules;
use self::sorts::{Colour, Sorts};
use self::terms::{Guard, Multiset, compile_guard, compile_multiset};
use self::unfold::unfold;
use crate::net::Net;
use crate::pnml::{ArcKind, Node, Written};
use crate::xml::Tree;

/// With more transitions than this a net is rather explored as it is.
const MANY_TRANSITIONS: usize = 250_000;
/// With more it cannot be unfolded.
const MOST_TRANSITIONS: usize = 2_000_000;

/// How a coloured net is explored.
pub(crate) enum Chosen {
    Unfolded(Net),
    Folded(Box<Rules>),
}

/// Chooses how a coloured net is explored; where it is not to be unfolded, it is only if there is no other way.
///
/// # Errors
/// The first thing that has no meaning, or that the net is too large either way.
pub(crate) fn choose(net: ColouredNet, may_unfold: bool) -> Result<Chosen, Diagnostic> {
    if may_unfold && let Some(net) = unfold(&net, MANY_TRANSITIONS)? {
        return Ok(Chosen::Unfolded(net));
    }
    match Rules::new(net) {
        Ok(rules) => Ok(Chosen::Folded(Box::new(rules))),
        Err(refused) => {
            let (net, problem) = *refused;
            let unfolded = unfold(&net, MOST_TRANSITIONS)?;
            unfolded.map(Chosen::Unfolded).ok_or(problem)
        }
    }
}

/// A coloured net.
#[derive(Debug)]
pub(crate) struct ColouredNet {
    sorts: Sorts,
    places: Vec<Coloured>,
    patterns: Vec<Pattern>,
}

/// A place with its colours.
#[derive(Debug)]
struct Coloured {
    id: String,
    /// The simple sorts that its colours are made of.
    domain: Vec<usize>,
    initial: BTreeMap<Colour, u32>,
    /// Whether some transition puts tokens here that it does not take from here.
    is_filled: bool,
}

/// An arc: the place, what kind, whether to the transition, and what.
type PatternArc = (usize, ArcKind, bool, Multiset);

/// A transition with variables.
#[derive(Debug)]
struct Pattern {
    id: String,
    span: Span,
    guard: Vec<Guard>,
    arcs: Vec<PatternArc>,
    /// The slots of its variables, in the order in which they are told.
    slots: Vec<usize>,
}

impl ColouredNet {
    /// The net that was written.
    ///
    /// # Errors
    /// The first thing that has no meaning.
    pub fn read(written: &Written) -> Result<ColouredNet, Diagnostic> {
        let sorts = Sorts::read(&written.declarations)?;
        let mut places = Vec::new();
        for node in &written.places {
            places.push(coloured(&sorts, node)?);
        }
        let mut patterns: Vec<Pattern> = Vec::new();
        for node in &written.transitions {
            let guard = match structure(node, "condition") {
                Some(tree) => compile_guard(&sorts, tree)?,
                None => Vec::new(),
            };
            patterns.push(Pattern {
                id: node.id.clone(),
                span: node.span,
                guard,
                arcs: Vec::new(),
                slots: Vec::new(),
            });
        }
        for arc in &written.arcs {
            let (place, number, takes) = written.ends(arc)?;
            let tree = arc.term.as_ref().and_then(|term| term.child("structure"));
            let tree = tree.and_then(|tree| tree.children.first());
            let what = match tree {
                Some(tree) => compile_multiset(&sorts, tree, &places[place].domain)?,
                None if places[place].domain.is_empty() => Multiset::one_dot(),
                None => {
                    let message = "an arc without an inscription";
                    return Err(Diagnostic::error(arc.span, message));
                }
            };
            patterns[number].arcs.push((place, arc.kind, takes, what));
        }
        for pattern in &mut patterns {
            for place in pattern.fills() {
                places[place].is_filled = true;
            }
            pattern.order();
        }
        Ok(ColouredNet {
            sorts,
            places,
            patterns,
        })
    }
}

/// The term inside of a part of a node.
fn structure<'t>(node: &'t Node, name: &str) -> Option<&'t Tree> {
    let part = node.terms.iter().find(|tree| tree.name() == name)?;
    part.child("structure")?.children.first()
}

fn coloured(sorts: &Sorts, node: &Node) -> Result<Coloured, Diagnostic> {
    let domain = match structure(node, "type") {
        Some(tree) => sorts.domain(tree)?,
        None => Vec::new(),
    };
    let mut initial = BTreeMap::new();
    if let Some(tree) = structure(node, "hlinitialMarking") {
        let what = compile_multiset(sorts, tree, &domain)?;
        for (colour, count) in what.evaluate(sorts, &[]) {
            let count = u32::try_from(count).map_err(|_| {
                let message = "a marking has between 0 and 4294967295 tokens of each colour";
                Diagnostic::error(tree.element.span, message)
            })?;
            initial.insert(colour, count);
        }
    }
    Ok(Coloured {
        id: node.id.clone(),
        domain,
        initial,
        is_filled: false,
    })
}

impl Pattern {
    /// The places that it puts more into than it takes.
    fn fills(&self) -> impl Iterator<Item = usize> {
        let gives = self.arcs.iter().filter(|(_, _, takes, _)| !takes);
        gives.filter_map(|(place, _, _, what)| {
            let mut taken = self.arcs.iter().filter(|(from, kind, takes, _)| {
                from == place && *takes && *kind == ArcKind::Normal
            });
            let mut given = self
                .arcs
                .iter()
                .filter(|(to, _, takes, _)| to == place && !takes);
            let (first, only) = (taken.next(), given.nth(1).is_none());
            let is_returned = first.is_some_and(|(.., from)| only && what.is_part_of(from));
            (!is_returned).then_some(*place)
        })
    }

    /// Chooses the order of its variables: those of the arcs and the guard, as they are met.
    fn order(&mut self) {
        // Tokens that are taken bind best: they come first.
        self.arcs
            .sort_by_key(|(_, kind, takes, _)| (*kind != ArcKind::Normal, !takes));
        let mut slots = Vec::new();
        let mut meet = |slot: usize| {
            if !slots.contains(&slot) {
                slots.push(slot);
            }
        };
        self.arcs
            .iter()
            .for_each(|(.., what)| what.slots(&mut meet));
        self.guard.iter().for_each(|guard| guard.slots(&mut meet));
        self.slots = slots;
    }
}
