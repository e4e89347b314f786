//! Measures a Promela model on the explicit and on the symbolic engine.
//!
//!     cargo run --release -p evenhand-symbolic --example learn_promela -- MODEL [SECONDS] [FAIRNESS…]
//!
//! One line for the reachable states, then one for each `ltl` block under the assumptions given.

use std::time::{Duration, Instant};

use evenhand_automata::translate::{Options as TranslateOptions, translate};
use evenhand_explicit::emptiness::{Statistics, engine};
use evenhand_explicit::product::Product;
use evenhand_explicit::search::Progress;
use evenhand_explicit::space::{Interest, Space};
use evenhand_explicit::store::{PlainStore, StateId};
use evenhand_explicit::watch::Watch;
use evenhand_logic::{AtomId, Formulas, Node};
use evenhand_promela::{Options as LoadOptions, PromelaModel};
use evenhand_source::Files;
use evenhand_symbolic::{Learned, Options};
use evenhand_system::{Fairness, PropositionId};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().expect("a model");
    let seconds = arguments.next().and_then(|s| s.parse().ok()).unwrap_or(60);
    let fair: Vec<_> = arguments.map(|text| (text, None)).collect();
    let text = std::fs::read_to_string(&path).expect("a file");
    let mut files = Files::new();
    let main = files.add(&path, text);
    let model = evenhand_promela::load(files, main, &LoadOptions::default());
    let mut model = model.unwrap_or_else(|(_, list)| panic!("{list:?}"));
    let limit = Duration::from_secs(seconds);
    let formulas: Vec<_> = (0..model.formulas.len())
        .map(|index| {
            let mut store = Formulas::new();
            let (formula, atoms) = model.ltl(index, &mut store);
            (model.formulas[index].name.clone(), store, formula, atoms)
        })
        .collect();
    let (bound, _) = model.pid_bound();
    let fairness = model.fairness(&fair, bound).expect("assumptions");
    explore(&model, limit);
    let mut propositions: Vec<PropositionId> = formulas.iter().flat_map(|f| f.3.clone()).collect();
    propositions.sort();
    propositions.dedup();
    let options = Options {
        time: Some(limit),
        ..Options::default()
    };
    let started = Instant::now();
    let learned = Learned::new(&model.program, &fairness, &propositions, true, options);
    let mut learned = match learned {
        Ok(learned) => learned,
        Err(halt) => {
            println!("symbolic: {halt} after {:.2?}", started.elapsed());
            return;
        }
    };
    let states = learned.reachable().expect("it was computed");
    let lessons = learned.lessons();
    println!(
        "symbolic: {} states in {:.2?}, {lessons:?}, {:?}",
        states.about,
        started.elapsed(),
        learned.statistics()
    );
    for (name, store, formula, atoms) in &formulas {
        let started = Instant::now();
        let proposition = |atom: AtomId| atoms.get(atom.index()).copied();
        match learned.ltl(store, *formula, &proposition) {
            Ok(answer) => println!(
                "symbolic {name}: {} in {:.2?}, run of {:?}",
                answer.holds,
                started.elapsed(),
                answer.run.map(|run| run.states.len())
            ),
            Err(halt) => println!("symbolic {name}: {halt} after {:.2?}", started.elapsed()),
        }
        let mut store = store.clone();
        let negation = store.not(*formula);
        let bad = translate(&mut store, negation, &TranslateOptions::streett()).expect("small");
        let of = |p: &evenhand_logic::FormulaId| match store.node(*p) {
            Node::Atom(atom) => atoms[atom.index()],
            _ => PropositionId(0),
        };
        let list: Vec<PropositionId> = bad.propositions.iter().map(of).collect();
        let started = Instant::now();
        let interest = Interest {
            propositions: &list,
            fairness: &fairness,
        };
        let mut space = Space::new(&model.program, interest, PlainStore::new());
        let places = list
            .iter()
            .map(|&p| space.place_of(p).unwrap_or(0))
            .collect();
        let product = Product::<_, 4>::new(&mut space, &bad.automaton, places, true);
        let mut product = product.expect("few marks");
        let mut observer = |_: &Progress| true;
        let mut watch = Watch::new(&mut observer, Some(limit), Some(6 << 30));
        let search = engine::<4>("streett").expect("an engine");
        let found = search.search(&mut product, &mut watch, &mut Statistics::default());
        match found {
            Ok(found) => println!(
                "explicit {name}: {} in {:.2?}",
                found.is_none(),
                started.elapsed()
            ),
            Err(stop) => println!("explicit {name}: {stop} after {:.2?}", started.elapsed()),
        }
    }
}

/// All states, one by one.
fn explore(model: &PromelaModel, limit: Duration) {
    let started = Instant::now();
    let interest = Interest {
        propositions: &[],
        fairness: &Fairness::default(),
    };
    let mut space = Space::new(&model.program, interest, PlainStore::new());
    space.initial().expect("initial states");
    let mut at = 0;
    while at < space.len() {
        if space.outgoing(StateId::new(at as u32)).is_err() || started.elapsed() > limit {
            println!("explicit: more than {at} states, {:.2?}", started.elapsed());
            return;
        }
        at += 1;
    }
    println!("explicit: {at} states in {:.2?}", started.elapsed());
}
