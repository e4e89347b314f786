//! The part of a model's own picture that a run has to do with: what moves in it, and what these hold and fill.
//!
//! Nodes stand where the model's drawing has them, if it has all of them at places of their own; otherwise in layers,
//! as automata do.

use std::collections::BTreeSet;

use evenhand_system::diagram::Diagram;
use serde_json::{Value as Json, json};

use super::layout::layered;

/// More nodes cannot be read as a picture.
const MOST_NODES: usize = 150;

/// The part of a diagram that some actions have to do with, as data; nothing if it is too large, or empty.
pub(super) fn part<'a>(diagram: &Diagram, actions: impl Iterator<Item = &'a str>) -> Json {
    let moved: BTreeSet<&str> = actions.collect();
    let moves = |node: usize| {
        let mut actions = diagram.nodes[node].actions.iter();
        actions.any(|action| moved.contains(action.as_str()))
    };
    let mut shown: BTreeSet<usize> = (0..diagram.nodes.len()).filter(|&n| moves(n)).collect();
    let movers = shown.clone();
    let arrows: Vec<&(usize, usize, String)> = diagram
        .arrows
        .iter()
        .filter(|(from, to, _)| movers.contains(from) || movers.contains(to))
        .collect();
    for (from, to, _) in &arrows {
        shown.extend([*from, *to]);
    }
    if movers.is_empty() || shown.len() > MOST_NODES {
        return Json::Null;
    }
    let numbers: Vec<usize> = shown.into_iter().collect();
    let number = |node: usize| numbers.binary_search(&node).unwrap_or(0);
    let edges: Vec<(usize, usize)> = arrows
        .iter()
        .map(|(from, to, _)| (number(*from), number(*to)))
        .collect();
    let (places, is_own) = places(diagram, &numbers, &edges);
    let nodes = numbers.iter().zip(places).map(|(&node, (x, y))| {
        let node = &diagram.nodes[node];
        json!([node.name, node.variables, node.actions, x, y])
    });
    let arrows = arrows.iter().zip(&edges);
    let arrows = arrows.map(|((.., text), (from, to))| json!([from, to, text]));
    json!({
        "nodes": nodes.collect::<Vec<_>>(),
        "arrows": arrows.collect::<Vec<_>>(),
        "own": is_own,
    })
}

/// Where nodes stand, in units between centres, and whether that is where the model has them.
fn places(
    diagram: &Diagram,
    numbers: &[usize],
    edges: &[(usize, usize)],
) -> (Vec<(f64, f64)>, bool) {
    let own: Option<Vec<(f64, f64)>> = numbers.iter().map(|&n| diagram.nodes[n].place).collect();
    if let Some(own) = own
        && let Some(scaled) = scaled(&own)
    {
        return (scaled, true);
    }
    // Runs begin where values are that nothing of it has moved yet: at what nothing leads to, or else anywhere.
    let is_target = |node: usize| edges.iter().any(|&(_, to)| to == node);
    let mut initial: Vec<usize> = (0..numbers.len()).filter(|&n| !is_target(n)).collect();
    let mut places = layered(numbers.len(), edges, &initial);
    while let Some(missing) = places.iter().position(Option::is_none) {
        initial.push(missing);
        places = layered(numbers.len(), edges, &initial);
    }
    let least = places.iter().flatten().map(|place| place.across);
    let least = least.fold(0.0, f64::min);
    let places = places.into_iter().flatten();
    let places = places.map(|place| (place.layer as f64, place.across - least));
    (places.collect(), false)
}

/// Places of a drawing such that the two nearest ones are one unit apart; none if two are at the same place, or the
/// drawing would be too large.
fn scaled(own: &[(f64, f64)]) -> Option<Vec<(f64, f64)>> {
    let is_fine = |(x, y): &(f64, f64)| x.is_finite() && y.is_finite();
    if !own.iter().all(is_fine) {
        return None;
    }
    let far = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).abs().max((a.1 - b.1).abs());
    let mut nearest = f64::INFINITY;
    for (at, &a) in own.iter().enumerate() {
        for &b in &own[at + 1..] {
            nearest = nearest.min(far(a, b));
        }
    }
    if nearest <= 0.0 {
        return None;
    }
    let unit = if nearest.is_finite() { nearest } else { 1.0 };
    let (left, top) = own
        .iter()
        .fold((f64::INFINITY, f64::INFINITY), |(x, y), p| {
            (x.min(p.0), y.min(p.1))
        });
    let places = own
        .iter()
        .map(|p| ((p.0 - left) / unit, (p.1 - top) / unit));
    let places: Vec<(f64, f64)> = places.collect();
    let is_small = |p: &(f64, f64)| p.0 <= 60.0 && p.1 <= 60.0;
    places.iter().all(is_small).then_some(places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_system::diagram::DiagramNode;

    fn diagram(places: [Option<(f64, f64)>; 4]) -> Diagram {
        let holds = |name: &str, place| DiagramNode {
            name: name.to_string(),
            variables: vec![name.to_string()],
            place,
            ..DiagramNode::default()
        };
        let moves = |name: &str, place| DiagramNode {
            name: name.to_string(),
            actions: vec![name.to_string()],
            place,
            ..DiagramNode::default()
        };
        let [a, b, c, d] = places;
        Diagram {
            nodes: vec![holds("p", a), moves("t", b), holds("q", c), moves("u", d)],
            arrows: vec![
                (0, 1, String::new()),
                (1, 2, "2".to_string()),
                (2, 3, String::new()),
            ],
        }
    }

    #[test]
    fn what_does_not_move_is_left_out() {
        let own = [
            Some((10.0, 5.0)),
            Some((20.0, 5.0)),
            Some((20.0, 25.0)),
            None,
        ];
        let found = part(&diagram(own), ["t"].into_iter());
        assert_eq!(found["own"], true);
        assert_eq!(found["nodes"][2], json!(["q", ["q"], [], 1.0, 2.0]));
        assert_eq!(found["arrows"], json!([[0, 1, ""], [1, 2, "2"]]));
        assert_eq!(part(&diagram(own), ["v"].into_iter()), Json::Null);
    }

    #[test]
    fn without_places_nodes_stand_in_layers() {
        let found = part(&diagram([None; 4]), ["t", "u"].into_iter());
        assert_eq!(found["own"], false);
        let across: Vec<&Json> = (0..4).map(|node| &found["nodes"][node][3]).collect();
        assert_eq!(across, [&json!(0.0), &json!(1.0), &json!(2.0), &json!(3.0)]);
        let same = [Some((1.0, 1.0)); 4];
        assert_eq!(part(&diagram(same), ["t"].into_iter())["own"], false);
    }
}
