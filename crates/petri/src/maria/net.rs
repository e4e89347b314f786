//! A whole net: declarations, transitions, sets of instances, and what is asked of markings.

use std::collections::HashMap;
use std::sync::Arc;

use evenhand_source::{Diagnostic, Span, spend};

use super::bag::Bag;
use super::code::{BagExpr, Expr, PlaceId};
use super::declare::{Described, declare};
use super::fuse::fuse;
use super::machine::{Machine, Marking};
use super::packing::Packing;
use super::scope::Declarations;
use super::syntax::{Ast, Item};
use super::transition::{Transition, transition};
use super::typer::Typer;
use super::types::Numbers;

/// A net that was read.
#[derive(Debug)]
pub(crate) struct Net {
    pub known: Declarations,
    pub transitions: Vec<Transition>,
    pub transition_names: HashMap<Arc<str>, Vec<usize>>,
    pub packing: Packing,
    /// The tokens of each place in the beginning.
    pub initial: Vec<Bag>,
    /// Places whose initial marking depends on other ones: these tokens they always have.
    pub dependent: Vec<(PlaceId, BagExpr)>,
    pub rejects: Vec<Expr>,
    pub deadlocks: Vec<Expr>,
    /// Sets that are declared outside of transitions.
    pub sets: Vec<(super::syntax::SetKind, Ast)>,
    /// Room in memory that everything here needs.
    pub room: usize,
}

/// The markings of all places.
pub(crate) struct Whole<'m>(pub &'m [Bag]);

impl Marking for Whole<'_> {
    fn tokens(&self, place: PlaceId) -> Option<&Bag> {
        self.0.get(place.index())
    }
}

/// Whether a place may have so many tokens.
pub(crate) fn allows(capacity: &Numbers, bag: &Bag) -> bool {
    let total = bag.total().and_then(|total| i64::try_from(total).ok());
    let within = |total: i64| {
        let mut ranges = capacity.iter();
        ranges.any(|(low, high)| (*low..=*high).contains(&total))
    };
    total.is_some_and(within)
}

/// Makes a net of its declarations.
pub(crate) fn net(items: Vec<Item>) -> Result<Net, Diagnostic> {
    let Described {
        known,
        blocks,
        rejects,
        deadlocks,
        sets,
        subnets,
    } = declare(items)?;
    let mut transitions = Vec::new();
    let mut transition_names: HashMap<Arc<str>, Vec<usize>> = HashMap::new();
    for fused in fuse(&blocks, subnets)? {
        spend();
        let made = transition(&known, &fused)?;
        let named = transition_names.entry(made.name.clone()).or_default();
        named.push(transitions.len());
        transitions.push(made);
    }
    let mut room = transitions.iter().map(|t| t.scope.size).max().unwrap_or(0);
    let condition = |ast: &Ast, room: &mut usize| {
        let mut typer = Typer::new(&known);
        typer.scope.propositions = true;
        let condition = typer.truth(ast)?;
        *room = (*room).max(typer.scope.size);
        Ok::<Expr, Diagnostic>(condition)
    };
    let (mut rejected, mut dead) = (Vec::new(), Vec::new());
    for ast in &rejects {
        rejected.push(condition(ast, &mut room)?);
    }
    for ast in &deadlocks {
        dead.push(condition(ast, &mut room)?);
    }
    // What is wrong with a proposition is told where it stands.
    for (_, ast) in &known.propositions {
        condition(ast, &mut room)?;
    }
    let sizes = known.places.iter().map(|place| place.size);
    room = room.max(sizes.max().unwrap_or(0));
    let initial = initial(&known, room)?;
    let mut dependent = Vec::new();
    for (number, place) in known.places.iter().enumerate() {
        if let Some(bag) = &place.initial {
            let mut depends = false;
            bag.places(&mut |_| depends = true);
            if depends {
                dependent.push((PlaceId(number as u32), bag.clone()));
            }
        }
    }
    Ok(Net {
        packing: Packing::new(&known.types, &known.places),
        transitions,
        transition_names,
        initial,
        dependent,
        rejects: rejected,
        deadlocks: dead,
        sets,
        room,
        known,
    })
}

/// The tokens in the beginning.
fn initial(known: &Declarations, room: usize) -> Result<Vec<Bag>, Diagnostic> {
    let mut all: Vec<Bag> = Vec::new();
    let mut machine = Machine::new(&known.types, room);
    for place in &known.places {
        spend();
        let mut bag = Bag::default();
        bag.reset(known.types.slots(place.ty));
        if let Some(expr) = &place.initial {
            let gathered = machine.gather(expr, 1, &mut bag, &Whole(&all));
            gathered.map_err(|fault| told(fault.span, place.span, fault.kind.to_string()))?;
        }
        if let Some(capacity) = &place.capacity
            && !allows(capacity, &bag)
        {
            let count = bag.total().unwrap_or(u64::MAX);
            let message =
                format!("the place begins with {count} tokens, which its capacity does not allow");
            return Err(Diagnostic::error(place.span, message));
        }
        all.push(bag);
    }
    Ok(all)
}

fn told(span: Span, near: Span, message: String) -> Diagnostic {
    let span = if span == Span::default() { near } else { span };
    Diagnostic::error(span, message)
}
