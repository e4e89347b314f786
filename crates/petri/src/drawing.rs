//! A net as a picture: the places, transitions and arcs of the file, where the file draws them.

use evenhand_system::diagram::{Diagram, DiagramNode};

use crate::net::Net;
use crate::pnml::{ArcKind, End, Node, Written};

/// Larger nets are not drawn, whatever part of them moves.
const MOST_ARCS: usize = 100_000;
/// The same for what it was unfolded to.
const MOST_NODES: usize = 50_000;

/// The picture of a net: what each node of the file has become is known to the net.
pub(crate) fn drawing(written: &Written, net: &Net) -> Option<Diagram> {
    let unfolded = net.places.len() + net.transitions.len();
    if written.arcs.len() > MOST_ARCS || unfolded > MOST_NODES {
        return None;
    }
    let mut diagram = Diagram::default();
    let node = |node: &Node| DiagramNode {
        name: node.id.clone(),
        place: node.position,
        ..DiagramNode::default()
    };
    let ids = |numbers: Option<&Vec<u32>>, id: &dyn Fn(u32) -> String| {
        let numbers = numbers.into_iter().flatten();
        numbers.map(|&number| id(number)).collect::<Vec<String>>()
    };
    for place in &written.places {
        let own = net.place_names.get(&place.id);
        let mut variables = ids(own, &|number| net.places[number as usize].id.clone());
        if variables.is_empty() {
            // A place that no token ever comes to holds nothing, but holds.
            variables.push(place.id.clone());
        }
        diagram.nodes.push(DiagramNode {
            variables,
            ..node(place)
        });
    }
    for transition in &written.transitions {
        let own = net.transition_names.get(&transition.id);
        let actions = ids(own, &|number| net.transitions[number as usize].id.clone());
        diagram.nodes.push(DiagramNode {
            actions,
            ..node(transition)
        });
    }
    let number = |end: End| match end {
        End::Place(place) => place,
        End::Transition(transition) => written.places.len() + transition,
    };
    for arc in &written.arcs {
        let source = written.end(arc, &arc.source).ok()?;
        let target = written.end(arc, &arc.target).ok()?;
        let word = match arc.kind {
            ArcKind::Normal => "",
            ArcKind::Inhibitor => "inhibits ",
            ArcKind::Test => "tests ",
            ArcKind::Reset => "resets",
        };
        let weight = match &arc.weight {
            Some((text, _)) if text != "1" => text.as_str(),
            _ => "",
        };
        let text = format!("{word}{weight}").trim().to_string();
        diagram.arrows.push((number(source), number(target), text));
    }
    Some(diagram)
}
