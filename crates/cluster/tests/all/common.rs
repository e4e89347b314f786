//! Processes that are threads of one: connected by TCP as others are, each with a model of its own.

use std::time::Duration;

use evenhand::{Asking, Language, Model, Options, Report, Silent};
use evenhand_cluster::{
    Checkpoint, Cluster, ClusterEngine, Door, Joining, NAME, NotJoined, Strategy, Token,
};
use evenhand_verify::{CheckError, Counterexamples, Reduce, check, check_with};

/// Each number of processes with each number of threads.
pub const SHAPES: [(usize, usize); 8] = [
    (1, 1),
    (2, 1),
    (3, 1),
    (5, 1),
    (1, 2),
    (2, 2),
    (3, 2),
    (5, 2),
];

/// How many cases are tried.
pub fn cases(usual: u64) -> u64 {
    let wanted = std::env::var("EVENHAND_CASES").ok();
    wanted.and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// The first case that is tried.
pub fn first_seed() -> u64 {
    let wanted = std::env::var("EVENHAND_SEED").ok();
    wanted.and_then(|n| n.parse().ok()).unwrap_or(0)
}

/// What a process of a test is told.
pub fn joining(chief: &str, process: usize, processes: usize, threads: usize) -> Joining {
    let mut addresses = vec![String::new(); processes];
    addresses[0] = chief.to_string();
    Joining {
        addresses,
        process,
        token: Token::new("a test"),
        about: vec![("model".to_string(), "same".to_string())],
        threads,
        wait: Duration::from_secs(60),
    }
}

/// So many processes.
pub fn processes(count: usize, threads: usize) -> Vec<Cluster> {
    let door = Door::open("127.0.0.1:0").expect("a port");
    let chief = door.address().expect("an address").to_string();
    std::thread::scope(|scope| {
        let mut waiting = Vec::new();
        for process in 1..count {
            let chief = &chief;
            waiting.push(scope.spawn(move || {
                let door = Door::open("127.0.0.1:0")?;
                Cluster::join(&joining(chief, process, count, threads), door)
            }));
        }
        let first = Cluster::join(&joining("", 0, count, threads), door);
        let others = waiting.into_iter().map(|w| w.join().expect("no panic"));
        let all: Result<Vec<Cluster>, NotJoined> = std::iter::once(first).chain(others).collect();
        all.expect("a cluster")
    })
}

/// What one process answers.
pub fn alone(model: &Model, asking: &Asking, options: &Options) -> Result<Report, CheckError> {
    let mut options = options.clone();
    options.reduce = Reduce::None;
    check(model.specification(), asking, &options, &mut Silent)
}

/// What all of them answer together, as the first one tells it; each has read the text by itself.
pub fn together(
    clusters: &[Cluster],
    text: (&str, &str, &'static dyn Language),
    asking: &Asking,
    options: &Options,
) -> Result<Report, CheckError> {
    together_kept(clusters, text, asking, options, &|_| None)
}

/// The same with searches that are kept, by each process where it says.
pub fn together_kept(
    clusters: &[Cluster],
    (name, text, language): (&str, &str, &'static dyn Language),
    asking: &Asking,
    options: &Options,
    kept: &(dyn Fn(usize) -> Option<Checkpoint> + Sync),
) -> Result<Report, CheckError> {
    together_by(
        clusters,
        (name, text, language),
        asking,
        options,
        (kept, Strategy::USUAL),
    )
}

/// The same by some strategy.
pub fn together_by(
    clusters: &[Cluster],
    (name, text, language): (&str, &str, &'static dyn Language),
    asking: &Asking,
    options: &Options,
    (kept, strategy): (&(dyn Fn(usize) -> Option<Checkpoint> + Sync), Strategy),
) -> Result<Report, CheckError> {
    std::thread::scope(|scope| {
        let ask = |cluster: &Cluster| {
            let mut options = options.clone();
            options.engine = Some(NAME.to_string());
            options.reduce = Reduce::None;
            if cluster.process() > 0 {
                options.counterexample = Counterexamples::None;
            }
            let model = Model::parse(name, text, language).expect("it was read before");
            let checkpoint = kept(cluster.process());
            // One way to keep edges with some numbers of processes and threads, the other with others.
            let memory_for_time = (clusters.len() + cluster.threads()) % 2 == 1;
            let engine = ClusterEngine {
                memory_for_time,
                cluster,
                checkpoint,
                strategy,
            };
            check_with(
                &[&engine],
                model.specification(),
                asking,
                &options,
                &mut Silent,
            )
        };
        let others = &clusters[1..];
        let others: Vec<_> = others.iter().map(|c| scope.spawn(move || ask(c))).collect();
        let first = ask(&clusters[0]);
        for other in others {
            let other = other.join().expect("no panic");
            let words = |report: &Result<Report, CheckError>| -> Vec<String> {
                let properties = report.iter().flat_map(|report| &report.properties);
                properties.map(|p| p.verdict.word().to_string()).collect()
            };
            assert_eq!(
                words(&first),
                words(&other),
                "{name}: all come to the same\n{text}"
            );
        }
        first
    })
}
