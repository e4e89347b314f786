//! What proofs cost: time and memory beside those of the check that they prove.
//!
//! `cargo run --release -p evenhand-explicit --example ranks_cost -- MODEL.pml PROPERTY [NAME=VALUE…] [fair:SPEC…]`
//!
//! One row of a table: states, nodes and edges of the product; seconds of the default engine with exploration;
//! of the engine on the graph that was kept, without ranks and with ranks; of the check of the ranks on that
//! graph; what ranks and check add to the first; of the check that expands everything again, with ranks from
//! memory and from a file; cells and levels of the ranks, their bytes per node, the bytes of the file per state.

use std::time::Instant;

use evenhand_certify::file::{Header, Recorder, Writer, open};
use evenhand_certify::{ProductClaim, check_product};
use evenhand_explicit::emptiness::{Statistics, engines};
use evenhand_explicit::product::{Product, mark_count};
use evenhand_explicit::ranks::{ProductRanks, Ranking, check_ranks, rank};
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
    question::with_claim(&mut arguments, |name, claim| {
        let interest = Interest {
            propositions: claim.propositions,
            fairness: claim.fairness,
        };
        let mut space = Space::new(claim.system, interest, PlainStore::new());
        with_width!(
            mark_count(&space, claim.automaton),
            W => row::<W>(name, &mut space, claim),
            else panic!("too many marks")
        );
    });
}

fn row<const W: usize>(name: &str, space: &mut Space<'_, PlainStore>, claim: &ProductClaim<'_>) {
    let places = space.places_of(claim.propositions);
    let product = Product::<_, W>::new(space, claim.automaton, places, true);
    let mut product = product.expect("room for the marks");
    let mut observer = |_: &_| true;
    let mut watch = Watch::new(&mut observer, None, None);
    let mut engine = || {
        let (begin, mut statistics) = (Instant::now(), Statistics::default());
        let found = engines::<W>()[0].search(&mut product, &mut watch, &mut statistics);
        assert!(found.expect("no limit").is_none(), "it does not hold");
        begin.elapsed().as_secs_f64()
    };
    let (first, again) = (engine(), engine());
    let begin = Instant::now();
    let ranking = rank(&mut product, &mut watch, &mut Statistics::default()).expect("no limit");
    let Ranking::Empty(ranks) = ranking else {
        panic!("it does not hold");
    };
    let made = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let kept = check_ranks(&mut product, &ranks, &mut watch).expect("a proof");
    let checked = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let mut source = ProductRanks::new(&mut product, &ranks);
    let full = check_product(claim, &ranks.cells, &mut source, &mut |_| true).expect("a proof");
    let expanded = begin.elapsed().as_secs_f64();
    let writer = Writer::new(Vec::new(), &Header::default(), &ranks.cells).expect("memory");
    let mut recorder = Recorder::new(&mut source, writer);
    check_product(claim, &ranks.cells, &mut recorder, &mut |_| true).expect("a proof");
    let file = recorder.finish().expect("memory");
    let begin = Instant::now();
    let opened = open(&file[..]).expect("a certificate");
    let (cells, mut reader) = opened.ranks(claim.automaton.state_count()).expect("ranks");
    check_product(claim, &cells, &mut reader, &mut |_| true).expect("a proof");
    let read = begin.elapsed().as_secs_f64();
    let states = product.space().len() as u64;
    assert_eq!(
        (states, kept.nodes, kept.edges),
        (full.states, full.nodes, full.edges)
    );
    let levels = ranks.cells.iter().map(|cell| ranks.cells.level(cell) + 1);
    println!(
        "| model | states | nodes | edges | engine | engine again | ranks | check | added | full | from a file | cells | levels | bytes per node | of the file per state |"
    );
    println!(
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    println!(
        "| {name} | {states} | {} | {} | {first:.2} s | {again:.2} s | {made:.2} s | {checked:.2} s | {:.0} % | {expanded:.2} s | {read:.2} s | {} | {} | {:.1} | {:.3} |",
        kept.nodes,
        kept.edges,
        (made - again + checked) / first * 100.0,
        ranks.cells.len(),
        levels.max().unwrap_or(0),
        ranks.bytes_used() as f64 / kept.nodes as f64,
        file.len() as f64 / states as f64,
    );
}
