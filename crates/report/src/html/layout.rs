//! Places for the states of an automaton: a small layered drawing.
//!
//! States stand in layers by their distance from the initial ones, so most edges lead forward
//! by one layer (Sugiyama, Tagawa, Toda 1981, without dummy nodes: these graphs are small, and
//! longer edges are drawn as arcs). Within a layer states are ordered by the average place of their
//! neighbours, layer by layer forward and backward a few times; the order with the fewest crossings is
//! kept. Cost: O(rounds × edges²) for counting crossings, so only small automata are laid out, see
//! [`MOST_STATES`]. States that cannot be reached are left out.

/// More states cannot be read as a picture.
pub(super) const MOST_STATES: usize = 40;

/// How often the order is improved forward and backward.
const ROUNDS: usize = 8;

/// Where a state stands: its layer and its place in it, in units between centres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The layer.
    pub layer: usize,
    /// The place across the layer; layers are centred around 0.
    pub across: f64,
}

/// A place for each state that can be reached from the initial ones.
pub fn layered(states: usize, edges: &[(usize, usize)], initial: &[usize]) -> Vec<Option<Place>> {
    let mut layers = layers(states, edges, initial);
    let mut best = layers.clone();
    let mut fewest = crossings(&layers, edges, states);
    for _ in 0..ROUNDS {
        for forward in [true, false] {
            sweep(&mut layers, edges, states, forward);
            let count = crossings(&layers, edges, states);
            if count < fewest {
                fewest = count;
                best = layers.clone();
            }
        }
    }
    let mut places = vec![None; states];
    for (layer, members) in best.iter().enumerate() {
        for (number, &state) in members.iter().enumerate() {
            let across = number as f64 - (members.len() as f64 - 1.0) / 2.0;
            places[state] = Some(Place { layer, across });
        }
    }
    places
}

/// The states by their distance from the initial ones.
fn layers(states: usize, edges: &[(usize, usize)], initial: &[usize]) -> Vec<Vec<usize>> {
    let mut seen = vec![false; states];
    let mut layers = Vec::new();
    let mut now: Vec<usize> = initial.to_vec();
    while !now.is_empty() {
        now.retain(|&s| s < states && !std::mem::replace(&mut seen[s], true));
        let leave = |&s: &usize| {
            let own = edges.iter().filter(move |e| e.0 == s);
            own.map(|e| e.1).collect::<Vec<_>>()
        };
        let next = now.iter().flat_map(leave).filter(|&t| !seen[t]).collect();
        if !now.is_empty() {
            layers.push(now);
        }
        now = next;
    }
    layers
}

/// The place of each state across its layer.
fn across(layers: &[Vec<usize>], states: usize) -> Vec<Option<(usize, f64)>> {
    let mut places = vec![None; states];
    for (layer, members) in layers.iter().enumerate() {
        for (number, &state) in members.iter().enumerate() {
            let middle = (members.len() as f64 - 1.0) / 2.0;
            places[state] = Some((layer, number as f64 - middle));
        }
    }
    places
}

/// Orders each layer by the average place of the neighbours in the layer before (or behind) it.
fn sweep(layers: &mut [Vec<usize>], edges: &[(usize, usize)], states: usize, forward: bool) {
    let count = layers.len();
    for step in 1..count {
        let (layer, other) = match forward {
            true => (step, step - 1),
            false => (count - 1 - step, count - step),
        };
        let places = across(layers, states);
        let key = |state: usize| {
            let ends = edges.iter().filter_map(|&(a, b)| match () {
                () if a == state => Some(b),
                () if b == state => Some(a),
                () => None,
            });
            let near = ends.filter_map(|s| places[s].filter(|&(l, _)| l == other));
            let found: Vec<f64> = near.map(|(_, place)| place).collect();
            match found.is_empty() {
                true => places[state].map_or(0.0, |(_, place)| place),
                false => found.iter().sum::<f64>() / found.len() as f64,
            }
        };
        let mut keyed: Vec<(f64, usize)> = layers[layer].iter().map(|&s| (key(s), s)).collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
        layers[layer] = keyed.into_iter().map(|(_, state)| state).collect();
    }
}

/// How many pairs of edges between the same neighbouring layers cross.
fn crossings(layers: &[Vec<usize>], edges: &[(usize, usize)], states: usize) -> usize {
    let places = across(layers, states);
    let spans: Vec<(usize, f64, f64)> = edges
        .iter()
        .filter_map(|&(a, b)| {
            let (a, b) = (places[a]?, places[b]?);
            let (first, second) = if a.0 <= b.0 { (a, b) } else { (b, a) };
            (second.0 == first.0 + 1).then_some((first.0, first.1, second.1))
        })
        .collect();
    let cross = |a: &(usize, f64, f64), b: &(usize, f64, f64)| {
        a.0 == b.0 && (a.1 - b.1) * (a.2 - b.2) < 0.0
    };
    let pairs = spans.iter().enumerate();
    pairs
        .map(|(i, a)| spans[i + 1..].iter().filter(|b| cross(a, b)).count())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_follow_the_distance_and_unreachable_states_have_no_place() {
        let edges = [(0, 1), (1, 2), (0, 0), (2, 0), (3, 2)];
        let places = layered(4, &edges, &[0]);
        let layer = |s: usize| places[s].map(|p| p.layer);
        assert_eq!(
            [layer(0), layer(1), layer(2), layer(3)],
            [Some(0), Some(1), Some(2), None]
        );
    }

    #[test]
    fn a_ladder_that_was_written_crosswise_is_untangled() {
        // 0 → {1, 2}, 1 → 4, 2 → 3: in the order of numbers the last two edges cross.
        let edges = [(0, 1), (0, 2), (1, 4), (2, 3)];
        let order = layers(5, &edges, &[0]);
        let mut crossed = order.clone();
        crossed[2] = vec![3, 4];
        assert_eq!(crossings(&crossed, &edges, 5), 1);
        let places = layered(5, &edges, &[0]);
        let across = |s: usize| places[s].expect("reachable").across;
        assert!((across(1) - across(2)) * (across(4) - across(3)) > 0.0);
    }

    #[test]
    fn no_two_states_share_a_place() {
        let edges: Vec<(usize, usize)> = (0..30).map(|i| (i * 7 % 30, i * 11 % 30)).collect();
        let places = layered(30, &edges, &[0, 1, 2]);
        let known: Vec<Place> = places.into_iter().flatten().collect();
        for (i, a) in known.iter().enumerate() {
            assert!(known[i + 1..].iter().all(|b| a != b));
        }
    }
}
