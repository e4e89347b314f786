//! How much memory the check of a certificate takes, and how long: with states in memory, and in a file.
//!
//! `cargo run --release -p evenhand-explicit --example certificate_memory -- write|memory|disk FILE
//! MODEL.pml PROPERTY [NAME=VALUE…] [fair:SPEC…]`
//!
//! `write` makes the certificate. The others check it in a process of their own and tell the seconds, and the
//! bytes for each node by which the peak of resident memory grew during the check (Linux).

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::time::Instant;

use evenhand_certify::file::{Header, Recorder, Writer, open};
use evenhand_certify::{ProductClaim, States, check_product, check_product_with};
use evenhand_explicit::emptiness::Statistics;
use evenhand_explicit::product::{Product, mark_count};
use evenhand_explicit::ranks::{ProductRanks, Ranking, rank};
use evenhand_explicit::space::{Interest, Space};
use evenhand_explicit::store::PlainStore;
use evenhand_explicit::watch::Watch;
use evenhand_explicit::with_width;

#[path = "shared/formula.rs"]
mod formula;
#[path = "shared/question.rs"]
mod question;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let usage = "write|memory|disk FILE MODEL.pml PROPERTY";
    let mode = arguments.next().expect(usage);
    let file = arguments.next().expect(usage);
    question::with_claim(&mut arguments, |name, claim| match &mode[..] {
        "write" => write(&file, claim),
        "memory" => check(name, &file, claim, States::new()),
        "disk" => {
            let states = States::on_disk(&std::env::temp_dir());
            check(name, &file, claim, states.expect("a file"));
        }
        _ => panic!("{usage}"),
    });
}

fn write(file: &str, claim: &ProductClaim<'_>) {
    let interest = Interest {
        propositions: claim.propositions,
        fairness: claim.fairness,
    };
    let mut space = Space::new(claim.system, interest, PlainStore::new());
    with_width!(
        mark_count(&space, claim.automaton),
        W => record::<W>(file, &mut space, claim),
        else panic!("too many marks")
    );
}

fn record<const W: usize>(file: &str, space: &mut Space<'_, PlainStore>, claim: &ProductClaim<'_>) {
    let places = space.places_of(claim.propositions);
    let product = Product::<_, W>::new(space, claim.automaton, places, true);
    let mut product = product.expect("room for the marks");
    let mut observer = |_: &_| true;
    let mut watch = Watch::new(&mut observer, None, None);
    let ranking = rank(&mut product, &mut watch, &mut Statistics::default()).expect("no limit");
    let Ranking::Empty(ranks) = ranking else {
        panic!("it does not hold");
    };
    let mut source = ProductRanks::new(&mut product, &ranks);
    let out = BufWriter::new(File::create(file).expect("a file"));
    let writer = Writer::new(out, &Header::default(), &ranks.cells).expect("room");
    let mut recorder = Recorder::new(&mut source, writer);
    check_product(claim, &ranks.cells, &mut recorder, &mut |_| true).expect("a proof");
    recorder.finish().expect("room");
}

fn check(name: &str, file: &str, claim: &ProductClaim<'_>, states: States) {
    let before = peak();
    let begin = Instant::now();
    let input = BufReader::new(File::open(file).expect("a certificate"));
    let opened = open(input).expect("a certificate");
    let (cells, mut reader) = opened.ranks(claim.automaton.state_count()).expect("ranks");
    let checked = check_product_with(claim, &cells, &mut reader, states, &mut |_| true);
    let checked = checked.expect("a proof");
    let seconds = begin.elapsed().as_secs_f64();
    let grown = peak().saturating_sub(before);
    println!(
        "{name}: {} states, {} nodes, {seconds:.2} s, {grown} bytes: {:.1} per node",
        checked.states,
        checked.nodes,
        grown as f64 / checked.nodes as f64
    );
}

/// The most resident memory so far, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0) * 1024
}
