//! Place/transition nets: markings and weights are numbers.

use std::collections::BTreeMap;

use evenhand_source::{Diagnostic, Span, spend};

use crate::net::{Arcs, Net, Place, Transition};
use crate::pnml::{ArcKind, Written};

/// The net that was written.
///
/// # Errors
/// The first thing that has no meaning.
pub(crate) fn flat(written: &Written) -> Result<Net, Diagnostic> {
    let mut net = Net::default();
    for (number, node) in written.places.iter().enumerate() {
        let initial = match &node.initial {
            Some((text, span)) => self::number(text, *span, "a marking")?,
            None => 0,
        };
        net.places.push(Place {
            id: node.id.clone(),
            initial,
        });
        net.place_names.insert(node.id.clone(), vec![number as u32]);
    }
    let mut arcs: Vec<BTreeMap<usize, Arcs>> = vec![BTreeMap::new(); written.transitions.len()];
    for arc in &written.arcs {
        spend();
        let (place, transition, takes) = written.ends(arc)?;
        let weight = match &arc.weight {
            Some((text, span)) => number(text, *span, "the weight of an arc")?,
            None => 1,
        };
        if weight == 0 {
            let message = "the weight of an arc is at least 1";
            return Err(Diagnostic::error(arc.span, message));
        }
        add(
            arcs[transition].entry(place).or_default(),
            arc.kind,
            takes,
            weight.into(),
        );
    }
    for (number, (node, arcs)) in written.transitions.iter().zip(&arcs).enumerate() {
        let transition = transition(&node.id, node.span, arcs)?;
        net.transitions.push(transition);
        net.transition_names
            .insert(node.id.clone(), vec![number as u32]);
    }
    Ok(net)
}

/// Adds an arc to those between the same nodes.
pub(crate) fn add(arcs: &mut Arcs, kind: ArcKind, takes: bool, weight: u64) {
    match (kind, takes) {
        (ArcKind::Normal, true) => arcs.takes = arcs.takes.saturating_add(weight),
        (ArcKind::Normal, false) => arcs.gives = arcs.gives.saturating_add(weight),
        (ArcKind::Test, _) => arcs.tests = arcs.tests.max(weight),
        (ArcKind::Inhibitor, _) => {
            let least = arcs.inhibits.map_or(weight, |known| known.min(weight));
            arcs.inhibits = Some(least);
        }
        (ArcKind::Reset, _) => arcs.resets = true,
    }
}

/// A transition from its arcs.
pub(crate) fn transition(
    id: &str,
    span: Span,
    arcs: &BTreeMap<usize, Arcs>,
) -> Result<Transition, Diagnostic> {
    let mut transition = Transition {
        id: id.to_string(),
        span,
        ..Transition::default()
    };
    for (&place, arcs) in arcs {
        let (need, change) = arcs.meaning(place as u32).ok_or_else(|| {
            let message = format!("the arcs of `{id}` have a weight that is too large together");
            Diagnostic::error(span, message)
        })?;
        transition.needs.extend(need);
        transition.changes.extend(change);
    }
    Ok(transition)
}

/// A number of tokens.
fn number(text: &str, span: Span, what: &str) -> Result<u32, Diagnostic> {
    let digits = text.trim();
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let wrong = |message: String| Diagnostic::error(span, message);
    match (is_number, digits.parse::<u32>()) {
        (true, Ok(number)) => Ok(number),
        (true, Err(_)) => Err(wrong(format!("{what} is at most {}", u32::MAX))),
        (false, _) => {
            let shown: String = digits.chars().take(40).collect();
            Err(wrong(format!("{what} is a number, not `{shown}`")))
        }
    }
}
