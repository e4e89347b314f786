//! What more cores would gain for a plain search: its parts, and a simulation with recorded times.
//!
//! `cargo run --release -p evenhand-explicit --example cores_plain -- MODEL.pml [NAME=VALUE…]`
//!
//! The space is searched breadth-first in one thread, twice (`record`): state by state, as a search alone does it, and in batches, as it is
//! done where others generate successors. So it is known what it takes to execute the model and hash, and what to look up. Then
//! the search is simulated with others ahead of it (`simulate`), waiting included. *Bound* is what the shares alone allow: all
//! threads busy, and nobody can take over what the search does by itself.

use evenhand_promela::Promela;
use evenhand_source::Files;
use evenhand_system::{Explicit, Language, ReadOptions, Request, Wanted};

#[allow(dead_code, reason = "the feed forgets, too")]
#[path = "../../src/ahead/recent.rs"]
mod recent;
mod record;
mod simulate;

use record::{Unit, record};
use simulate::{Help, simulate};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("MODEL.pml [NAME=VALUE…]");
    let mut options = ReadOptions::default();
    options.defines = arguments
        .map(|define| {
            let (name, value) = define.split_once('=').expect("NAME=VALUE");
            (name.to_string(), Some(value.to_string()))
        })
        .collect();
    let mut files = Files::new();
    let text = std::fs::read_to_string(&file).expect("the model can be read");
    let main = files.add(&*file, text);
    let read = Promela.read(files, main, &options);
    let read = read.unwrap_or_else(|wrong| panic!("{wrong}"));
    let mut request = Request::default();
    request.properties = Wanted::Named(Vec::new());
    let inquiry = read.resolve(&request);
    let inquiry = inquiry.unwrap_or_else(|wrong| panic!("{wrong}"));
    let system = inquiry.body.explicit().expect("a program");
    table(&file, system);
}

fn table(name: &str, system: &dyn Explicit) {
    let (alone, batches) = record(system);
    let sum = |units: &[Unit], part: fn(&Unit) -> f64| units.iter().map(part).sum::<f64>();
    let (expanding, looking_up) = (
        sum(&alone, |unit| unit.expanding),
        sum(&alone, |unit| unit.looking_up),
    );
    let all = expanding + looking_up;
    let percent = |part: f64| 100.0 * part / all;
    println!(
        "{name}: {} states, {:.2} s; expansion {:.0}%, looking up {:.0}%; in batches {:.0}% and {:.0}%",
        alone.last().map_or(0, |last| last.met),
        all / 1e9,
        percent(expanding),
        percent(looking_up),
        percent(sum(&batches, |unit| unit.expanding)),
        percent(sum(&batches, |unit| unit.looking_up)),
    );
    println!("| threads | way | bound | simulated | speed-up | ahead | waiting |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for threads in [2, 3, 4, 8, 16, 32] {
        for (help, words, units) in [
            (Help::Feed, "feed", &batches),
            (Help::Store, "shared store", &alone),
        ] {
            let outcome = simulate(units, help, threads - 1);
            let left = sum(units, help.left_to_the_search());
            let work = sum(units, help.expanding()) + left;
            let (time, waiting) = (outcome.time / all, outcome.waited / outcome.time);
            println!(
                "| {threads} | {words} | {:.2} | {time:.2} | {:.1} | {:.0}% | {:.0}% |",
                f64::max(left, work / threads as f64) / all,
                1.0 / time,
                100.0 * outcome.ahead,
                100.0 * waiting,
            );
        }
    }
}
