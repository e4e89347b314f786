//! What the order of the fixpoint and its trimming cost: a property decided by several processes on this machine, which are
//! threads of one, once for each strategy, in rounds.
//!
//! `cargo run --release -p evenhand-cluster --example orders -- MODEL.pml PROPERTY PROCESSES ROUNDS [FAIRNESS...]`
//!
//! `cpu` is the processor time of all from the end of exploration on, `letters` and `bytes` are those of the whole call, of which
//! exploration has the same part everywhere.

use std::time::Duration;

use evenhand::{Asking, Model, Options, Promela};
use evenhand_cluster::{
    Cluster, ClusterEngine, Door, Joining, NAME, NotJoined, Order, Strategy, Token,
};
use evenhand_explicit::search::Progress;
use evenhand_verify::{Counterexamples, Listener, Reduce, check_with};

const STRATEGIES: [(&str, Strategy); 5] = [
    ("usual", Strategy::USUAL),
    (
        "with the search",
        Strategy {
            order: Order::Up,
            ..Strategy::USUAL
        },
    ),
    (
        "first come first served",
        Strategy {
            order: Order::Queue,
            ..Strategy::USUAL
        },
    ),
    (
        "condition by condition",
        Strategy {
            apart: true,
            ..Strategy::USUAL
        },
    ),
    (
        "trimmed once a round",
        Strategy {
            patient: true,
            ..Strategy::USUAL
        },
    ),
];

/// Remembers what exploration has cost.
#[derive(Default)]
struct Explored {
    states: u64,
    cpu: f64,
}

impl Listener for Explored {
    fn progress(&mut self, progress: &Progress) -> bool {
        // The last one is told again and again.
        if progress.expanded != self.states {
            (self.states, self.cpu) = (progress.expanded, used());
        }
        true
    }
}

/// Seconds of processor time that this process has used.
fn used() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit_once(") ").map_or("", |(_, fields)| fields);
    let ticks = |at: usize| {
        fields
            .split(' ')
            .nth(at)
            .and_then(|t| t.parse::<f64>().ok())
    };
    (ticks(11).unwrap_or(0.0) + ticks(12).unwrap_or(0.0)) / 100.0
}

fn joining(chief: &str, process: usize, processes: usize) -> Joining {
    let mut addresses = vec![String::new(); processes];
    addresses[0] = chief.to_string();
    Joining {
        addresses,
        process,
        token: Token::new("orders"),
        about: Vec::new(),
        threads: 1,
        wait: Duration::from_secs(60),
    }
}

fn processes(count: usize) -> Result<Vec<Cluster>, NotJoined> {
    let door = Door::open("127.0.0.1:0")?;
    let chief = door
        .address()
        .map_err(|e| NotJoined::Absent(e.to_string()))?;
    let chief = chief.to_string();
    std::thread::scope(|scope| {
        let other = |process: usize| {
            let chief = &chief;
            scope.spawn(move || {
                Cluster::join(&joining(chief, process, count), Door::open("127.0.0.1:0")?)
            })
        };
        let others: Vec<_> = (1..count).map(other).collect();
        let first = Cluster::join(&joining("", 0, count), door);
        let others = others.into_iter().map(|waiting| match waiting.join() {
            Ok(joined) => joined,
            Err(_) => Err(NotJoined::Absent("a thread has ended".to_string())),
        });
        std::iter::once(first).chain(others).collect()
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, property, count, rounds, fair @ ..] = &words[..] else {
        return Err("orders MODEL.pml PROPERTY PROCESSES ROUNDS [FAIRNESS...]".into());
    };
    let (count, rounds): (usize, usize) = (count.parse()?, rounds.parse()?);
    let text = std::fs::read_to_string(file)?;
    let clusters = processes(count).map_err(|error| error.to_string())?;
    println!(
        "{:<26} {:>8} {:>7} {:>7} {:>8} {:>12}  verdict",
        "strategy", "cpu", "rounds", "chain", "letters", "bytes"
    );
    for (name, strategy) in (0..rounds).flat_map(|_| STRATEGIES) {
        let asked = |cluster: &Cluster| {
            let mut asking = Asking::default();
            asking.name_properties(std::slice::from_ref(property));
            asking.request.fair = fair.to_vec();
            let mut options = Options::default();
            options.engine = Some(NAME.to_string());
            options.reduce = Reduce::None;
            options.counterexample = Counterexamples::None;
            let model = Model::parse(file, &text, &Promela).map_err(|e| format!("{e:?}"))?;
            let engine = ClusterEngine {
                cluster,
                checkpoint: None,
                memory_for_time: false,
                strategy,
            };
            let mut explored = Explored::default();
            let report = check_with(
                &[&engine],
                model.specification(),
                &asking,
                &options,
                &mut explored,
            );
            let mut report = report.map_err(|error| error.to_string())?;
            let cpu = used() - explored.cpu;
            match report.properties.pop() {
                Some(result) => Ok((result, cpu)),
                None => Err("no such property".to_string()),
            }
        };
        let found = std::thread::scope(|scope| {
            let others = clusters[1..]
                .iter()
                .map(|c| scope.spawn(move || asked(c).map(drop)));
            let others: Vec<_> = others.collect();
            let first = asked(&clusters[0]);
            others.into_iter().for_each(|other| drop(other.join()));
            first
        });
        let (result, cpu) = found?;
        let detail = |name: &str| {
            let found = result.details.iter().find(|detail| detail.name == name);
            found.map_or(String::new(), |detail| detail.count.to_string())
        };
        let (turns, chain) = (
            detail("rounds of the fixpoint"),
            detail("longest chain of letters"),
        );
        let (letters, bytes) = (detail("letters"), detail("bytes in letters"));
        let verdict = result.verdict.word();
        println!("{name:<26} {cpu:>8.2} {turns:>7} {chain:>7} {letters:>8} {bytes:>12}  {verdict}");
    }
    Ok(())
}
