//! How much more than a plain component search does a Streett emptiness check cost?
//!
//! `cargo run --release -p evenhand-automata --example emptiness_ratio [FILE.hoa | STATES PAIRS]`
//!
//! Without a file a peeling automaton is made: one component that falls apart again and again,
//! since each round finds the requests of one more pair without a grant; the worst case of the
//! check. Prints the time of a plain pass (best of 5), of the check (best of 3), and their ratio.

use evenhand_automata::emptiness::accepting_core;
use evenhand_automata::{
    Acceptance, Automaton, Builder, Cube, Mark, MarkSet, State, components, read_hoa,
};
use evenhand_source::FileId;
use std::time::{Duration, Instant};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, default| {
        arguments
            .get(i)
            .and_then(|a| a.parse().ok())
            .unwrap_or(default)
    };
    let automaton = match arguments.first() {
        Some(path) if path.ends_with(".hoa") => match load(path) {
            Ok(automaton) => automaton,
            Err(message) => {
                eprintln!("{message}");
                std::process::exit(2);
            }
        },
        _ => peeling(number(0, 1_000_000), number(1, 10) as usize),
    };
    let (pass, scc) = best(5, || components(&automaton).count());
    let (check, core) = best(3, || accepting_core(&automaton).is_some());
    println!(
        "{} states, {} edges, {} pairs, {scc} components: {}",
        automaton.state_count(),
        automaton.edge_count(),
        automaton.acceptance().pairs.len(),
        if core { "nonempty" } else { "empty" }
    );
    println!(
        "plain pass {:.1} ms, check {:.1} ms, ratio {:.2}",
        pass.as_secs_f64() * 1e3,
        check.as_secs_f64() * 1e3,
        check.as_secs_f64() / pass.as_secs_f64()
    );
}

fn load(path: &str) -> Result<Automaton, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
    let mut stream = read_hoa(&text, FileId(0));
    match (stream.diagnostics.first(), stream.automata.pop()) {
        (None, Some(automaton)) => Ok(automaton),
        (Some(d), _) => Err(d.message.clone()),
        (None, None) => Err("no automaton".into()),
    }
}

fn best<T>(times: usize, mut f: impl FnMut() -> T) -> (Duration, T) {
    let mut run = || {
        let start = Instant::now();
        let value = f();
        (start.elapsed(), value)
    };
    let mut result = run();
    for _ in 1..times {
        let next = run();
        if next.0 < result.0 {
            result = next;
        }
    }
    result
}

struct Peeling {
    edges: Vec<(u32, MarkSet, u32)>,
    pairs: usize,
    seed: u64,
}

impl Peeling {
    fn below(&mut self, n: u32) -> u32 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        (self.seed % u64::from(n.max(1))) as u32
    }

    /// A request without a grant in the block, and grants of pairs that were peeled off outside.
    fn marks(&mut self, request: usize, ungranted: &[bool]) -> MarkSet {
        let mut marks: MarkSet = [Mark::new(2 * request)].into_iter().collect();
        for (pair, _) in ungranted.iter().enumerate().filter(|(_, u)| !**u) {
            if self.below(10) < 3 {
                marks.insert(Mark::new(2 * pair + 1));
            }
        }
        marks
    }

    /// Four blocks in a ring; the ring edges carry a request that nothing in the block grants.
    fn block(&mut self, from: u32, to: u32, mut pairs: Vec<usize>, mut ungranted: Vec<bool>) {
        let size = to - from;
        if pairs.len() <= 1 || size < 8 {
            pairs.iter().for_each(|&p| ungranted[p] = true);
            let random = |this: &mut Peeling| from + this.below(size);
            for i in 0..size {
                for target in [from + (i + 1) % size, random(self)] {
                    let request = pairs[self.below(pairs.len() as u32) as usize];
                    let marks = self.marks(request, &ungranted);
                    self.edges.push((from + i, marks, target));
                }
            }
            return;
        }
        let chosen = self.below(pairs.len() as u32) as usize;
        let request = pairs.swap_remove(chosen);
        ungranted[request] = true;
        let cut = |i: u32| from + (u64::from(size) * u64::from(i) / 4) as u32;
        for i in 0..4 {
            self.block(cut(i), cut(i + 1), pairs.clone(), ungranted.clone());
            let next = (i + 1) % 4;
            for _ in 0..2 {
                let source = cut(i) + self.below(cut(i + 1) - cut(i));
                let target = cut(next) + self.below(cut(next + 1) - cut(next));
                let marks = self.marks(request, &ungranted);
                self.edges.push((source, marks, target));
            }
        }
    }
}

fn peeling(states: u32, pairs: usize) -> Automaton {
    let mut peeling = Peeling {
        edges: Vec::new(),
        pairs,
        seed: 0x1234_5678_9ABC_DEF1,
    };
    peeling.block(0, states, (0..pairs).collect(), vec![false; pairs]);
    // Shuffle the numbers, so that neighbours in the graph are not neighbours in memory.
    let mut place: Vec<u32> = (0..states).collect();
    for i in (1..states).rev() {
        let j = peeling.below(i + 1);
        place.swap(i as usize, j as usize);
    }
    let mut builder = Builder::new(Vec::new(), Acceptance::streett(peeling.pairs));
    builder.reserve_states(states as usize);
    builder.add_initial(State(place[0]));
    for (source, marks, target) in &peeling.edges {
        let (source, target) = (place[*source as usize], place[*target as usize]);
        builder.add_edge(State(source), &Cube::TRUE, marks, State(target));
    }
    builder.build()
}
