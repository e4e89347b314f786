//! The edges to the nodes of a worker, kept with the nodes that they lead to.
//!
//! **Problem.** A fixpoint that walks backward wants the edges to a node side by side. How many there are is known when
//! all were met, and until then there is no place for them.
//!
//! **Idea.** There are two ways. Edges are written down as they are met, and in the end sorted by counting: twelve bytes for
//! each until all are known, and twenty while they are sorted. Or they are counted while they are met, and generated a
//! second time when all are known, each written where it belongs: eight bytes for each and four for each node, and all
//! states are expanded twice.

use evenhand_explicit::search::Stop;

/// An edge while not all are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Logged {
    target: u32,
    source: u32,
    class: u32,
}

/// An edge to a node, kept with it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Incoming {
    /// The number of the node it comes from, with its owner.
    pub source: u32,
    pub class: u32,
}

/// The edges to each node: where they begin, and one more; the edges.
pub(crate) type Sorted = (Vec<u32>, Vec<Incoming>);

/// The edges that lead to the nodes of a worker.
#[derive(Debug)]
pub(crate) enum Edges {
    /// As they were met.
    Logged(Vec<Logged>),
    /// How many lead to each node.
    Counted(Vec<u32>),
    /// Where they belong, with the place of the next one to each node.
    Placed { sorted: Sorted, next: Vec<u32> },
}

impl Edges {
    /// One was met.
    #[inline]
    pub fn meet(&mut self, target: u32, source: u32, class: u32) -> Result<(), Stop> {
        let place = target as usize;
        match self {
            Edges::Logged(log) => log.push(Logged {
                target,
                source,
                class,
            }),
            Edges::Counted(counts) => {
                if counts.len() <= place {
                    counts.resize(place + 1, 0);
                }
                counts[place] = counts[place].checked_add(1).ok_or(Stop::Memory)?;
            }
            Edges::Placed { sorted, next } => {
                let at = next.get_mut(place).ok_or(Stop::Shapes)?;
                // A second look that finds more than the first one would spoil the edges of others.
                if *at >= sorted.0[place + 1] {
                    return Err(Stop::Shapes);
                }
                sorted.1[*at as usize] = Incoming { source, class };
                *at += 1;
            }
        }
        Ok(())
    }

    /// All edges to so many nodes were counted: there is a place for each from now on.
    pub fn make_room(&mut self, nodes: usize) -> Result<(), Stop> {
        let Edges::Counted(counts) = self else {
            return Ok(());
        };
        let sorted = places(counts.iter().copied(), nodes)?;
        let next = sorted.0[..nodes].to_vec();
        *self = Edges::Placed { sorted, next };
        Ok(())
    }

    /// All edges by the nodes that they lead to, in the order in which they were met.
    pub fn sorted(&mut self, nodes: usize) -> Result<Sorted, Stop> {
        match std::mem::take(self) {
            Edges::Logged(log) => sort(&log, nodes),
            Edges::Counted(_) => Err(Stop::Shapes),
            Edges::Placed { sorted, next } => {
                // A second look that finds less would leave edges that nobody has.
                let is_full = next == sorted.0[1..];
                is_full.then_some(sorted).ok_or(Stop::Shapes)
            }
        }
    }

    /// The memory that is taken at most, sorting included.
    pub fn bytes_at_most(&self) -> usize {
        match self {
            Edges::Logged(log) => {
                log.capacity() * size_of::<Logged>() + log.len() * size_of::<Incoming>()
            }
            Edges::Counted(counts) => counts.capacity() * size_of::<u32>(),
            Edges::Placed { sorted, next } => {
                let places = sorted.0.capacity() + next.capacity();
                places * size_of::<u32>() + sorted.1.capacity() * size_of::<Incoming>()
            }
        }
    }
}

impl Default for Edges {
    fn default() -> Edges {
        Edges::Logged(Vec::new())
    }
}

/// Room for so many edges to each node.
fn places(counts: impl Iterator<Item = u32>, nodes: usize) -> Result<Sorted, Stop> {
    let mut first = Vec::with_capacity(nodes + 1);
    let mut all = 0u32;
    first.push(0);
    for count in counts {
        all = all.checked_add(count).ok_or(Stop::Memory)?;
        first.push(all);
    }
    first.resize(nodes + 1, all);
    Ok((first, vec![Incoming::default(); all as usize]))
}

fn sort(log: &[Logged], nodes: usize) -> Result<Sorted, Stop> {
    let mut counts = vec![0u32; nodes];
    for edge in log {
        counts[edge.target as usize] += 1;
    }
    let (first, mut edges) = places(counts.into_iter(), nodes)?;
    let mut next = first.clone();
    for edge in log {
        let place = &mut next[edge.target as usize];
        edges[*place as usize] = Incoming {
            source: edge.source,
            class: edge.class,
        };
        *place += 1;
    }
    Ok((first, edges))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What leads to each node, in the order in which it was met.
    fn shown(sorted: &Sorted) -> Vec<Vec<(u32, u32)>> {
        let ranges = sorted.0.windows(2).map(|w| w[0] as usize..w[1] as usize);
        let pairs = |edges: &[Incoming]| edges.iter().map(|e| (e.source, e.class)).collect();
        ranges.map(|range| pairs(&sorted.1[range])).collect()
    }

    #[test]
    fn both_ways_sort_alike() {
        let met: Vec<(u32, u32, u32)> = (0..500u32)
            .map(|n| (n.wrapping_mul(2_654_435_761) >> 27, n, n % 7))
            .collect();
        let mut logged = Edges::default();
        let mut again = Edges::Counted(Vec::new());
        for &(target, source, class) in &met {
            logged.meet(target, source, class).expect("room");
            again.meet(target, source, class).expect("room");
        }
        assert!(again.make_room(40).is_ok());
        for &(target, source, class) in &met {
            again.meet(target, source, class).expect("room");
        }
        let (one, other) = (logged.sorted(40), again.sorted(40));
        let one = shown(&one.expect("sorted"));
        assert_eq!(one, shown(&other.expect("sorted")));
        assert_eq!(one.iter().map(Vec::len).sum::<usize>(), 500);
    }

    #[test]
    fn a_second_look_finds_the_same_or_it_is_an_error() {
        let counted = || {
            let mut edges = Edges::Counted(Vec::new());
            edges.meet(1, 0, 0).expect("room");
            edges.meet(2, 0, 0).expect("room");
            edges.make_room(3).expect("room");
            edges
        };
        let mut more = counted();
        more.meet(1, 0, 0).expect("room");
        assert_eq!(more.meet(1, 5, 0), Err(Stop::Shapes));
        assert_eq!(more.meet(0, 5, 0), Err(Stop::Shapes));
        assert_eq!(more.meet(3, 5, 0), Err(Stop::Shapes));
        assert!(more.sorted(3).is_err(), "an edge to node 2 is missing");
        let mut same = counted();
        same.meet(2, 7, 0).expect("room");
        same.meet(1, 8, 0).expect("room");
        assert!(same.sorted(3).is_ok());
    }
}
