//! Programs on the symbolic engine, by learned relations, against the engines that explore state by
//! state.
//!
//! Random programs with random questions of every kind that there is besides formulas of linear time:
//! CTL* with past operators, never claims, `accept` and `progress` labels, automata of bad and of
//! good runs; under random fairness, with each way to handle compassion, and with each meaning of
//! finished runs. Runs of the symbolic engine are executed again and judged.

use std::collections::BTreeMap;
use std::time::Duration;

use evenhand::check::{CheckError, CheckOptions, Counterexamples, Deadlock, Silent, check};
use evenhand::model::{Language, LoadOptions, Model};
use evenhand_report::{PropertyResult, Verdict};
use evenhand_symbolic::CompassionAs;
use evenhand_testkit::promela_programs::Program;
use evenhand_testkit::promela_programs::branching::{automaton, formula, never_claim};
use evenhand_testkit::promela_programs::random::Random;
use evenhand_testkit::promela_programs::temporal::TemporalProgram;

/// Larger programs say no more.
const MOST_STATES: u64 = 2000;

fn cases(default: u64) -> u64 {
    let asked = std::env::var("EVENHAND_CASES").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(default)
}

fn first_seed() -> u64 {
    std::env::var("EVENHAND_SEED").map_or(1, |n| n.parse().unwrap_or(1))
}

fn load(text: &str) -> Option<Model> {
    let options = LoadOptions::default();
    Model::parse("m.pml", text.into(), Language::Promela, &options).ok()
}

fn ask(text: &str, options: &CheckOptions) -> Option<Vec<PropertyResult>> {
    match check(&mut load(text)?, options, &mut Silent) {
        Ok(report) => Some(report.properties),
        Err(CheckError::Replay(error)) => panic!("{error:?}\n{options:?}\n{text}"),
        Err(CheckError::Engine(error)) => panic!("{error}\n{options:?}\n{text}"),
        // The generated question has no meaning.
        Err(_) => None,
    }
}

/// How often each kind of question was answered, and how often the property was violated.
#[derive(Debug, Default)]
struct Tally {
    kinds: BTreeMap<&'static str, (usize, usize)>,
    /// Violated, with a run.
    runs: usize,
    /// Why there was no answer, on which side.
    unknown: BTreeMap<String, usize>,
}

impl Tally {
    fn add(&mut self, one: &PropertyResult, other: &PropertyResult, about: &str) {
        assert_eq!(one.name, other.name, "{about}");
        for result in [one, other] {
            if let Verdict::Unknown(reason) = &result.verdict {
                let reason = format!("{}: {reason}", result.engine);
                *self.unknown.entry(reason).or_default() += 1;
                return;
            }
        }
        let (one_word, other_word) = (one.verdict.word(), other.verdict.word());
        let (name, formula) = (&one.name, &one.formula);
        assert_eq!(one_word, other_word, "{name} {formula:?}: {about}");
        if one.kind == "ctl" {
            // The others are decided on the fly.
            assert_eq!(one.states, other.states, "states, {about}");
        }
        let count = self.kinds.entry(other.kind).or_default();
        count.0 += 1;
        if let Verdict::Violated(run) = &other.verdict {
            count.1 += 1;
            let is_linear = other.kind != "ctl" && other.kind != "feasible";
            assert!(!is_linear || run.is_some(), "no run, {name}: {about}");
            self.runs += usize::from(run.is_some());
        }
    }

    fn is_balanced(&self, kind: &str) -> bool {
        let &(all, violated) = self.kinds.get(kind).unwrap_or(&(0, 0));
        5 * violated >= all && 5 * (all - violated) >= all && all > 0
    }
}

/// The options for one program.
fn options(random: &mut Random, case: &TemporalProgram) -> CheckOptions {
    let fair = match random.below(5) {
        0 => Vec::new(),
        1 => vec!["weak".to_string()],
        2 => vec!["strong".to_string()],
        _ => case.assumptions.clone(),
    };
    let deadlock = match random.below(6) {
        0 => Deadlock::Ignore,
        1 => Deadlock::Error,
        2 => Deadlock::Stutter,
        _ => Deadlock::Usual,
    };
    CheckOptions {
        fair,
        deadlock,
        limit_states: Some(MOST_STATES),
        limit_time: Some(Duration::from_secs(20)),
        limit_memory: Some(1 << 28),
        ..CheckOptions::default()
    }
}

/// Asks both sides.
fn compare(text: &str, asked: &CheckOptions, random: &mut Random, tally: &mut Tally, seed: u64) {
    let explicit = CheckOptions {
        counterexample: Counterexamples::None,
        ..asked.clone()
    };
    let Some(expected) = ask(text, &explicit) else {
        return;
    };
    if expected.iter().all(|r| r.states >= MOST_STATES) {
        return;
    }
    let ways = [
        CompassionAs::Native,
        CompassionAs::Native,
        CompassionAs::Justice,
        CompassionAs::Antecedent,
    ];
    let symbolic = CheckOptions {
        engine: Some("symbolic".to_string()),
        compassion: *random.pick(&ways),
        limit_states: None,
        ..asked.clone()
    };
    let Some(found) = ask(text, &symbolic) else {
        panic!("seed {seed}: only one side understands\n{text}");
    };
    assert_eq!(expected.len(), found.len());
    for (one, other) in expected.iter().zip(&found) {
        let compassion = symbolic.compassion;
        let about = format!(
            "seed {seed}, {compassion:?}, {:?} {:?}\n{text}",
            asked.fair, asked.deadlock
        );
        tally.add(one, other, &about);
    }
}

#[test]
fn branching_time_on_both_sides() {
    let mut tally = Tally::default();
    for seed in first_seed()..first_seed() + cases(40) {
        let case = TemporalProgram::generate(seed, 0, 2);
        let mut random = Random::new(seed ^ 0xb7a9);
        let mut asked = options(&mut random, &case);
        asked.branching = (0..4).map(|_| formula(&mut random, &case.atoms)).collect();
        compare(&case.text(), &asked, &mut random, &mut tally, seed);
    }
    println!("{tally:?}");
    assert!(tally.is_balanced("ctl"), "{tally:?}");
}

#[test]
fn lassos_are_as_short_on_both_sides() {
    let (mut violated, mut proved) = (0, 0);
    for seed in first_seed()..first_seed() + cases(30) {
        let case = TemporalProgram::generate(seed, 2, 2);
        let mut random = Random::new(seed ^ 0x1a55);
        let mut asked = options(&mut random, &case);
        asked.properties = vec!["f0".to_string(), "f1".to_string()];
        asked.budget = Some(Duration::from_secs(5));
        let text = case.text();
        let symbolic = CheckOptions {
            engine: Some("symbolic".to_string()),
            limit_states: None,
            ..asked.clone()
        };
        let (Some(one), Some(other)) = (ask(&text, &asked), ask(&text, &symbolic)) else {
            continue;
        };
        for (one, other) in one.iter().zip(&other) {
            let (Verdict::Violated(Some(one)), Verdict::Violated(Some(run))) =
                (&one.verdict, &other.verdict)
            else {
                continue;
            };
            // Of formulas that finite runs break, those are shown where states are explored.
            if one.cycle.is_empty() || run.cycle.is_empty() {
                continue;
            }
            violated += 1;
            let about = format!("seed {seed}, {}\n{text}", other.name);
            assert!(run.lower_bound <= one.len(), "{about}");
            if run.shortest && one.shortest {
                assert_eq!(run.len(), one.len(), "{about}");
                proved += 1;
            }
        }
    }
    println!("{violated} runs, {proved} of them shortest on both sides");
    assert!(proved * 2 > violated && violated > 5);
}

#[test]
fn errors_on_both_sides() {
    let (mut compared, mut violated) = (0, 0);
    for seed in first_seed()..first_seed() + cases(60) {
        let text = Program::generate(seed).text();
        let asked = CheckOptions {
            properties: ["assertions", "deadlock"].map(str::to_string).to_vec(),
            limit_states: Some(MOST_STATES),
            limit_time: Some(Duration::from_secs(20)),
            limit_memory: Some(1 << 28),
            ..CheckOptions::default()
        };
        let symbolic = CheckOptions {
            engine: Some("symbolic".to_string()),
            limit_states: None,
            ..asked.clone()
        };
        let Some(expected) = ask(&text, &asked) else {
            continue;
        };
        if expected.iter().any(|r| r.states >= MOST_STATES) {
            continue;
        }
        let found = ask(&text, &symbolic).expect("both sides understand");
        for (one, other) in expected.iter().zip(&found) {
            let about = format!("seed {seed}\n{text}");
            let words = (one.verdict.word(), other.verdict.word());
            if words.1 == "unknown" {
                continue;
            }
            assert_eq!(words.0, words.1, "{}: {about}", one.name);
            compared += 1;
            if let (Verdict::Violated(Some(one)), Verdict::Violated(run)) =
                (&one.verdict, &other.verdict)
            {
                violated += 1;
                let run = run.as_ref().unwrap_or_else(|| panic!("no run: {about}"));
                assert!(run.shortest && one.shortest, "{about}");
                assert_eq!(run.len(), one.len(), "{about}");
            }
        }
    }
    println!("{compared} answers, {violated} violated");
    assert!(violated * 5 >= compared && violated * 5 <= compared * 4);
}

#[test]
fn automata_and_claims_on_both_sides() {
    let mut tally = Tally::default();
    for seed in first_seed()..first_seed() + cases(40) {
        let case = TemporalProgram::generate(seed, 0, 2);
        let mut random = Random::new(seed ^ 0xc1a1);
        // Labels that mean something.
        let labelled = |text: &str| {
            let text = text.replace("L0", "acceptL0");
            text.replace("L1", "progressL1")
        };
        let case = TemporalProgram {
            atoms: case.atoms.iter().map(|t| labelled(t)).collect(),
            assumptions: case.assumptions.iter().map(|t| labelled(t)).collect(),
            ..case
        };
        let text = labelled(&case.text()) + &never_claim(&mut random, &case.atoms);
        let mut asked = options(&mut random, &case);
        asked.good = random.percent(40);
        asked.properties = ["never", "acceptance", "progress", "feasible"]
            .map(str::to_string)
            .to_vec();
        if load(&text).is_some_and(|m| m.signature().properties.is_empty()) {
            asked.properties.remove(0);
        }
        let automata = (0..2).map(|n| (format!("a{n}"), automaton(&mut random, &case.atoms)));
        asked.automata = automata.collect();
        compare(&text, &asked, &mut random, &mut tally, seed);
    }
    println!("{tally:?}");
    for kind in ["automaton", "never", "acceptance", "progress"] {
        assert!(tally.is_balanced(kind), "{kind} {tally:?}");
    }
}

/// What only one kind of engines can do is said before anything is explored.
#[test]
fn what_an_engine_cannot_do_is_said() {
    let text = "byte x; active proctype P() { do :: x = 1 - x od } ltl f { [] <> (x == 1) }";
    let message = |options: CheckOptions| {
        let mut model = load(text).expect("a correct model");
        match check(&mut model, &options, &mut Silent) {
            Err(CheckError::Engine(message)) => message,
            other => panic!("{other:?}"),
        }
    };
    let on = |engine: &str| CheckOptions {
        engine: Some(engine.to_string()),
        ..CheckOptions::default()
    };
    let bounded = CheckOptions {
        max_depth: Some(3),
        ..on("symbolic")
    };
    assert!(message(bounded).contains("a bounded check explores state by state"));
    let all = CheckOptions {
        counterexample: Counterexamples::All,
        ..on("symbolic")
    };
    assert!(message(all).contains("all runs are found state by state"));
    let other = CheckOptions {
        compassion: CompassionAs::Justice,
        ..on("streett")
    };
    assert!(message(other).contains("the others handle it natively"));
    let both = CheckOptions {
        compassion: CompassionAs::Justice,
        max_depth: Some(3),
        ..on("auto")
    };
    assert!(message(both).contains("but a bounded check"));
    // Nobody else does it.
    let auto = CheckOptions {
        compassion: CompassionAs::Antecedent,
        fair: vec!["strong".to_string()],
        ..on("auto")
    };
    let report = check(&mut load(text).expect("a model"), &auto, &mut Silent).expect("answers");
    assert!(report.properties.iter().all(|p| p.engine == "symbolic"));
    assert!(report.notes.iter().any(|note| note.contains("compassion")));
}
