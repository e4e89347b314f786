//! Programs on the symbolic engine, by learned relations, against the engines that explore state by
//! state.
//!
//! Random programs with random questions of every kind that there is besides formulas of linear
//! time: CTL* with past operators, never claims, `accept` and `progress` labels, automata of bad
//! and of good runs; under random fairness, with each way to handle compassion, and with each
//! meaning of finished runs. Runs of the symbolic engine are executed again and judged.

use std::collections::BTreeMap;
use std::time::Duration;

use evenhand::{Check, CheckError, CompassionBy, Counterexamples, Deadlock, Kind, Model, Promela};
use evenhand::{Fair, PropertyResult, Verdict};
use evenhand_testkit::promela_programs::Program;
use evenhand_testkit::promela_programs::branching::{automaton, formula, never_claim};
use evenhand_testkit::promela_programs::random::Random;
use evenhand_testkit::promela_programs::temporal::TemporalProgram;

use crate::common::{Asked, automaton_text, cases, first_seed};

/// Larger programs say no more.
const MOST_STATES: u64 = 2000;

fn load(text: &str) -> Option<Model> {
    Model::parse("m.pml", text, &Promela).ok()
}

fn ask(text: &str, asked: &Asked) -> Option<Vec<PropertyResult>> {
    match asked.run(&load(text)?) {
        Ok(report) => Some(report.properties),
        // The generated question has no meaning.
        Err(CheckError::Unresolved(_) | CheckError::StutterWithInputs) => None,
        Err(error) => panic!("{error:?}\n{asked:?}\n{text}"),
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
                let reason = format!("{}: {reason}", result.engine.unwrap_or("none"));
                *self.unknown.entry(reason).or_default() += 1;
                return;
            }
        }
        let (one_word, other_word) = (one.verdict.word(), other.verdict.word());
        let (name, formula) = (&one.name, &one.formula);
        assert_eq!(one_word, other_word, "{name} {formula:?}: {about}");
        if one.kind == Kind::Ctl {
            // The others are decided on the fly.
            assert_eq!(one.states, other.states, "states, {about}");
        }
        let count = self.kinds.entry(other.kind.word()).or_default();
        count.0 += 1;
        if let Verdict::Violated(run) = &other.verdict {
            count.1 += 1;
            let is_linear = other.kind != Kind::Ctl && other.kind != Kind::Feasible;
            assert!(!is_linear || run.is_some(), "no run, {name}: {about}");
            self.runs += usize::from(run.is_some());
        }
    }

    fn is_balanced(&self, kind: &str) -> bool {
        let &(all, violated) = self.kinds.get(kind).unwrap_or(&(0, 0));
        5 * violated >= all && 5 * (all - violated) >= all && all > 0
    }
}

/// Within the limits of these tests.
fn limited() -> Asked {
    let mut asked = Asked::default();
    asked.options.limit_states = Some(MOST_STATES);
    asked.options.limit_time = Some(Duration::from_secs(20));
    asked.options.limit_memory = Some(1 << 28);
    asked
}

/// The same by sets, whose number of states has no limit.
fn symbolic(asked: &Asked) -> Asked {
    let mut symbolic = asked.clone().by("symbolic");
    symbolic.options.limit_states = None;
    symbolic
}

/// What is asked of one program in any case.
fn options(random: &mut Random, case: &TemporalProgram) -> Asked {
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
    let mut asked = limited();
    asked.fair(&fair);
    asked.options.deadlock = deadlock;
    asked
}

/// Asks both sides.
fn compare(text: &str, asked: &Asked, random: &mut Random, tally: &mut Tally, seed: u64) {
    let mut explicit = asked.clone();
    explicit.options.counterexample = Counterexamples::None;
    let Some(expected) = ask(text, &explicit) else {
        return;
    };
    if expected.iter().all(|r| r.states >= MOST_STATES) {
        return;
    }
    let ways = [
        CompassionBy::Algorithm,
        CompassionBy::Algorithm,
        CompassionBy::Justice,
        CompassionBy::Antecedent,
    ];
    let mut symbolic = symbolic(asked);
    symbolic.options.compassion = *random.pick(&ways);
    let Some(found) = ask(text, &symbolic) else {
        panic!("seed {seed}: only one side understands\n{text}");
    };
    assert_eq!(expected.len(), found.len());
    for (one, other) in expected.iter().zip(&found) {
        let compassion = symbolic.options.compassion;
        let about = format!(
            "seed {seed}, {compassion:?}, {:?} {:?}\n{text}",
            asked.asking.request.fair, asked.options.deadlock
        );
        tally.add(one, other, &about);
    }
}

#[test]
fn branching_time_on_both_sides() {
    let mut tally = Tally::default();
    for seed in first_seed(1)..first_seed(1) + cases(40) {
        let case = TemporalProgram::generate(seed, 0, 2);
        let mut random = Random::new(seed ^ 0xb7a9);
        let mut asked = options(&mut random, &case);
        asked.asking.request.branching =
            (0..4).map(|_| formula(&mut random, &case.atoms)).collect();
        compare(&case.text(), &asked, &mut random, &mut tally, seed);
    }
    println!("{tally:?}");
    assert!(tally.is_balanced("ctl"), "{tally:?}");
}

#[test]
fn lassos_are_as_short_on_both_sides() {
    let (mut violated, mut proved) = (0, 0);
    for seed in first_seed(1)..first_seed(1) + cases(30) {
        let case = TemporalProgram::generate(seed, 2, 2);
        let mut random = Random::new(seed ^ 0x1a55);
        let mut asked = options(&mut random, &case);
        asked.name_properties(&["f0", "f1"]);
        asked.options.budget = Some(Duration::from_secs(5));
        let text = case.text();
        let (Some(one), Some(other)) = (ask(&text, &asked), ask(&text, &symbolic(&asked))) else {
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
    for seed in first_seed(1)..first_seed(1) + cases(60) {
        let text = Program::generate(seed).text();
        let mut asked = limited();
        asked.name_properties(&["assertions", "deadlock"]);
        let Some(expected) = ask(&text, &asked) else {
            continue;
        };
        if expected.iter().any(|r| r.states >= MOST_STATES) {
            continue;
        }
        let found = ask(&text, &symbolic(&asked)).expect("both sides understand");
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
    for seed in first_seed(1)..first_seed(1) + cases(40) {
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
        let good = random.percent(40);
        let names = ["never", "acceptance", "progress", "feasible"];
        let is_empty = load(&text).is_some_and(|m| m.signature().properties.is_empty());
        asked.name_properties(&names[usize::from(is_empty)..]);
        let automata = (0..2).map(|n| {
            let text = automaton(&mut random, &case.atoms);
            automaton_text(&format!("a{n}"), text, good)
        });
        asked.asking.automata = automata.collect();
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
    let model = load(text).expect("a correct model");
    let on = |engine: &str| Check::new(&model).engine(engine);
    let message = |check: Check<'_>| match check.run() {
        Err(CheckError::Engine(message)) => message,
        other => panic!("{other:?}"),
    };
    let bounded = on("symbolic").max_depth(3);
    assert!(message(bounded).contains("a bounded check explores state by state"));
    let all = on("symbolic").counterexample(Counterexamples::All);
    assert!(message(all).contains("all runs are found state by state"));
    // What the command makes of these stands among its tests.
    let other = on("streett").compassion(CompassionBy::Justice).run();
    assert!(matches!(other, Err(CheckError::Compassion(None))));
    let both = on("auto").compassion(CompassionBy::Justice).max_depth(3);
    let both = both.run().expect_err("nobody can");
    assert!(matches!(both, CheckError::Compassion(Some(_))));
    assert!(both.to_string().contains("but a bounded check"));
    // Nobody else does it.
    let auto = on("auto").compassion(CompassionBy::Antecedent);
    let report = auto.fair(Fair::strong()).run().expect("answers");
    let is_symbolic = |p: &PropertyResult| p.engine == Some("symbolic");
    assert!(report.properties.iter().all(is_symbolic));
    let notes = report.notes.iter().map(evenhand_report::text::note);
    assert!(notes.into_iter().any(|note| note.contains("compassion")));
}
