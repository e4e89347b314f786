//! Learned systems against the explicit engine: random programs with random formulas and fairness,
//! and the example models. Verdicts and numbers of states are the same, and every run is executed
//! again and judged.

use std::time::Duration;

use evenhand_automata::translate::{Options as TranslateOptions, translate};
use evenhand_explicit::emptiness::{Statistics, engine};
use evenhand_explicit::product::Product;
use evenhand_explicit::search::{Progress, Stop};
use evenhand_explicit::space::{Interest, Space};
use evenhand_explicit::store::PlainStore;
use evenhand_explicit::watch::Watch;
use evenhand_logic::{FormulaId, Formulas, Node, Quantifier};
use evenhand_promela::{Options as LoadOptions, PromelaModel};
use evenhand_source::{Files, Span};
use evenhand_symbolic::{ByteRun, Halt, Learned, Options};
use evenhand_system::{
    AssumptionKind, Explicit, Fairness, ItemSpec, Program, PropositionId, Successors,
};
use evenhand_testkit::promela_programs::temporal::TemporalProgram;
use evenhand_witness::{Charge, CycleStep, Run, judge};

use crate::common::{cases, first_seed};

/// Larger programs say no more.
const MOST_STATES: usize = 3000;
/// Words of a set of marks.
const WIDTH: usize = 4;

fn load(text: &str) -> Option<PromelaModel> {
    let mut files = Files::new();
    let main = files.add("test.pml", text);
    evenhand_promela::load(files, main, &LoadOptions::default()).ok()
}

/// The number of reachable states, if there are not too many and nothing goes wrong.
fn count(program: &Program) -> Option<usize> {
    let mut explorer = program.explorer(&[]);
    let mut out = Successors::new();
    explorer.initial(&mut out);
    let mut list: Vec<Vec<u8>> = (0..out.len()).map(|i| out.state(i).to_vec()).collect();
    let mut seen: std::collections::HashSet<Vec<u8>> = list.iter().cloned().collect();
    let mut at = 0;
    while at < list.len() {
        explorer.expand(&list[at], &mut out);
        at += 1;
        for index in 0..out.len() {
            if seen.insert(out.state(index).to_vec()) {
                list.push(out.state(index).to_vec());
            }
        }
        if list.len() > MOST_STATES {
            return None;
        }
    }
    Some(list.len())
}

/// A formula of a model.
struct Asked {
    name: String,
    store: Formulas,
    formula: FormulaId,
    atoms: Vec<PropositionId>,
}

fn questions(model: &mut PromelaModel) -> Vec<Asked> {
    let names: Vec<String> = model.formulas.iter().map(|f| f.name.clone()).collect();
    let one = |(index, name)| {
        let mut store = Formulas::new();
        let (formula, atoms) = model.ltl(index, &mut store);
        Asked {
            name,
            store,
            formula,
            atoms,
        }
    };
    names.into_iter().enumerate().map(one).collect()
}

/// Whether some fair run breaks a formula, by the explicit engine.
fn explicit(
    program: &Program,
    fairness: &Fairness,
    asked: &Asked,
    stay: bool,
) -> Result<bool, Stop> {
    let mut store = asked.store.clone();
    let negation = store.not(asked.formula);
    let bad =
        translate(&mut store, negation, &TranslateOptions::streett()).expect("a small formula");
    let propositions: Vec<PropositionId> = bad
        .propositions
        .iter()
        .filter_map(|&p| match store.node(p) {
            Node::Atom(atom) => Some(asked.atoms[atom.index()]),
            _ => None,
        })
        .collect();
    let interest = Interest {
        propositions: &propositions,
        fairness,
    };
    let mut space = Space::new(program, interest, PlainStore::new());
    let places = propositions
        .iter()
        .map(|&p| space.place_of(p).expect("a place"));
    let places = places.collect();
    let product = Product::<_, WIDTH>::new(&mut space, &bad.automaton, places, stay);
    let Ok(mut product) = product else {
        return Err(Stop::Memory);
    };
    let mut observer = |_: &Progress| true;
    let mut watch = Watch::new(&mut observer, None, None);
    let engine = engine::<WIDTH>("streett").expect("the default engine");
    let found = engine.search(&mut product, &mut watch, &mut Statistics::default())?;
    Ok(found.is_some())
}

/// The run as the judge takes it.
fn run_of(run: &ByteRun, fairness: &Fairness) -> Run {
    let turn = run.turn.expect("a lasso");
    let serves = |step: usize| {
        let taken = |item: &usize| run.taken[step].contains(item);
        let one = |kind: &AssumptionKind| match kind {
            AssumptionKind::Weak(item) | AssumptionKind::Strong(item) => taken(item),
            _ => false,
        };
        fairness.assumptions.iter().map(|a| one(&a.kind)).collect()
    };
    let last = run.states.len() - 1;
    let step = |at: usize| CycleStep {
        state: run.states[if at == last { turn } else { at + 1 }].clone(),
        serves: serves(at),
    };
    Run {
        prefix: run.states[..=turn].to_vec(),
        cycle: (turn..=last).map(step).collect(),
    }
}

/// What was compared.
#[derive(Debug, Default)]
struct Tally {
    programs: usize,
    answers: usize,
    violated: usize,
    /// Verdicts that fairness changed.
    turned: usize,
    unknown: usize,
    created: usize,
    questions: u64,
    states: usize,
}

fn options() -> Options {
    Options {
        memory: 1 << 28,
        time: Some(Duration::from_secs(60)),
        ..Options::default()
    }
}

/// Compares all formulas of a model under some assumptions.
fn compare(
    model: &mut PromelaModel,
    texts: &[String],
    stay: bool,
    tally: &mut Tally,
    about: &str,
) -> Vec<Option<bool>> {
    let asked = questions(model);
    let (bound, _) = model.pid_bound();
    let texts: Vec<(String, Option<Span>)> = texts.iter().map(|t| (t.clone(), None)).collect();
    let Ok(fairness) = model.fairness(&texts, bound) else {
        return Vec::new();
    };
    let Some(states) = count(&model.program) else {
        return Vec::new();
    };
    let program = &model.program;
    let mut propositions: Vec<PropositionId> = asked.iter().flat_map(|a| a.atoms.clone()).collect();
    propositions.sort();
    propositions.dedup();
    let learned = Learned::new(program, &fairness, &propositions, stay, options());
    let mut learned = match learned {
        Ok(learned) => learned,
        Err(Halt::Proposition(..) | Halt::Processes) => {
            tally.unknown += 1;
            return Vec::new();
        }
        Err(other) => panic!("{other}\n{about}"),
    };
    let reached = learned.reachable().expect("no limit");
    assert_eq!(reached.exact, Some(states as u128), "{about}");
    tally.programs += 1;
    tally.states += states;
    tally.created += usize::from(learned.lessons().layouts > 1);
    tally.questions += learned.lessons().questions;
    let mut verdicts = Vec::new();
    for question in &asked {
        let expected = match explicit(program, &fairness, question, stay) {
            Ok(expected) => expected,
            Err(_) => {
                tally.unknown += 1;
                verdicts.push(None);
                continue;
            }
        };
        let atoms = |atom: evenhand_logic::AtomId| question.atoms.get(atom.index()).copied();
        let answer = learned.ltl(&question.store, question.formula, &atoms);
        let answer = answer.unwrap_or_else(|e| panic!("{e}\n{about}"));
        let name = &question.name;
        assert_eq!(!answer.holds, expected, "{name} {texts:?}\n{about}");
        tally.answers += 1;
        tally.violated += usize::from(expected);
        verdicts.push(Some(expected));
        if let Some(run) = &answer.run {
            let charge = Charge::Formula {
                store: &question.store,
                formula: question.formula,
                atoms: &question.atoms,
            };
            let told = judge(program, &fairness, &run_of(run, &fairness), charge);
            told.unwrap_or_else(|e| panic!("{name} {texts:?}: {e:?}\n{run:?}\n{about}"));
        }
        if !tally.answers.is_multiple_of(3) {
            continue;
        }
        // The same as a formula of CTL*.
        let mut store = question.store.clone();
        let all = store.path(Quantifier::All, question.formula);
        let again = learned.ctl_star(&store, all, &atoms);
        let again = again.unwrap_or_else(|e| panic!("{e}\n{about}"));
        assert_eq!(again.holds, answer.holds, "A {name} {texts:?}\n{about}");
    }
    verdicts
}

#[test]
fn random_programs_get_the_verdicts_of_the_explicit_engine() {
    let mut tally = Tally::default();
    for seed in first_seed()..first_seed() + cases(40) {
        let case = TemporalProgram::generate(seed, 3, 3);
        let text = case.text();
        let stay = seed % 5 != 0;
        let Some(mut model) = load(&text) else {
            continue;
        };
        let about = format!("seed {seed}\n{text}");
        let plain = compare(&mut model, &[], stay, &mut tally, &about);
        let weak = ["weak".to_string()];
        let strong = ["strong".to_string()];
        let spin = ["spin-weak".to_string()];
        for fair in [&weak[..], &strong, &spin, &case.assumptions] {
            let fair = compare(&mut model, fair, stay, &mut tally, &about);
            let pairs = plain.iter().zip(&fair);
            tally.turned += pairs.filter(|(a, b)| b.is_some() && a != b).count();
        }
    }
    println!("{tally:?}");
    assert!(tally.answers > 150, "{tally:?}");
    assert!(5 * tally.violated > tally.answers, "{tally:?}");
    assert!(
        5 * (tally.answers - tally.violated) > tally.answers,
        "{tally:?}"
    );
    assert!(tally.turned > 10 && tally.created > 10, "{tally:?}");
}

/// A row of the table of expected answers that is about a formula or the number of states.
struct Row {
    model: String,
    property: String,
    fairness: String,
    verdict: String,
}

fn table(folder: &str) -> Vec<Row> {
    let text = std::fs::read_to_string(format!("{folder}/expected.txt")).expect("a table");
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let row = |line: &str| {
        let mut columns = line.split_whitespace().map(str::to_string);
        let mut next = || columns.next().expect("five columns");
        Row {
            model: next(),
            property: next(),
            fairness: next(),
            verdict: next(),
        }
    };
    let about = |row: &Row| !["assertions", "deadlock"].contains(&row.property.as_str());
    lines.map(row).filter(about).collect()
}

#[test]
fn example_models_get_the_expected_verdicts() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/promela");
    let (mut formulas, mut numbers) = (0, 0);
    for row in table(folder) {
        let about = format!("{} {} {}", row.model, row.property, row.fairness);
        let text = std::fs::read_to_string(format!("{folder}/{}", row.model)).expect("a model");
        let mut model = load(&text).unwrap_or_else(|| panic!("{about}"));
        let asked = questions(&mut model);
        let texts: Vec<(String, Option<Span>)> = match row.fairness.as_str() {
            "-" | "none" => Vec::new(),
            "model" => {
                let declared = model.program.signature().fairness.iter();
                declared.map(|(text, _)| (text.clone(), None)).collect()
            }
            text => vec![(text.to_string(), None)],
        };
        let (bound, _) = model.pid_bound();
        let fairness = model.fairness(&texts, bound).expect("it has a meaning");
        let question = asked.iter().find(|a| a.name == row.property);
        let atoms = question.map_or_else(Vec::new, |q| q.atoms.clone());
        let learned = Learned::new(&model.program, &fairness, &atoms, true, options());
        let mut learned = learned.unwrap_or_else(|e| panic!("{about}: {e}"));
        let Some(question) = question else {
            if row.property == "states" {
                let states = learned.reachable().expect("no limit").exact;
                assert_eq!(states.map(|n| n.to_string()), Some(row.verdict), "{about}");
                numbers += 1;
            }
            continue;
        };
        let atoms = |atom: evenhand_logic::AtomId| question.atoms.get(atom.index()).copied();
        let answer = learned.ltl(&question.store, question.formula, &atoms);
        let answer = answer.unwrap_or_else(|e| panic!("{about}: {e}"));
        assert_eq!(answer.holds, row.verdict == "holds", "{about}");
        formulas += 1;
        if let Some(run) = &answer.run {
            let charge = Charge::Formula {
                store: &question.store,
                formula: question.formula,
                atoms: &question.atoms,
            };
            let told = judge(&model.program, &fairness, &run_of(run, &fairness), charge);
            told.unwrap_or_else(|e| panic!("{about}: {e:?}"));
        }
    }
    println!("{formulas} formulas, {numbers} numbers of states");
    assert!(formulas >= 40 && numbers >= 10, "{formulas} {numbers}");
}

#[test]
fn limits_are_answers() {
    let text = "byte x; byte y; byte z;
        active proctype P() { do :: x++ :: y = y + x :: z = y + x od }";
    let model = load(text).expect("correct");
    let fairness = Fairness::default();
    let small = Options {
        memory: 1 << 16,
        sift: None,
        ..Options::default()
    };
    let ended = Learned::new(&model.program, &fairness, &[], true, small).err();
    assert_eq!(ended, Some(Halt::Stop(evenhand_symbolic::Stop::Memory)));
    let short = Options {
        time: Some(Duration::ZERO),
        ..Options::default()
    };
    let ended = Learned::new(&model.program, &fairness, &[], true, short).err();
    assert_eq!(ended, Some(Halt::Stop(evenhand_symbolic::Stop::Time)));
}

#[test]
fn processes_that_come_and_go_change_the_layout() {
    let text = "byte n; chan c = [2] of { byte };
        proctype worker(byte id) { byte mine; mine = id + 1; n++; c!mine }
        init { byte got; run worker(1); run worker(2); c?got; c?got; (_nr_pr == 1);
               run worker(3); c?got }
        ltl three { <> (n == 3) } ltl never_two { [] (n != 2) }";
    let mut model = load(text).expect("correct");
    let mut tally = Tally::default();
    let verdicts = compare(&mut model, &[], true, &mut tally, text);
    assert_eq!(verdicts, [Some(false), Some(true)]);
    assert_eq!(tally.created, 1, "{tally:?}");
}

/// Where an item of the body's own is enabled cannot be read off what steps take.
#[test]
fn items_that_only_the_system_understands_are_refused() {
    let model = load("active proctype P() { do :: skip od }").expect("correct");
    let fairness = Fairness {
        items: vec![ItemSpec::Own(0)],
        ..Fairness::default()
    };
    let learned = Learned::new(&model.program, &fairness, &[], true, Options::default());
    let reason = learned.err().map(|halt| halt.to_string()).expect("refused");
    assert!(reason.contains("known to the system alone"), "{reason}");
}
