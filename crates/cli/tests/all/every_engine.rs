//! The example models of all languages on every engine: one verdict.
//!
//! The engines are those that `evenhand engines` lists. Of each model all its properties are asked,
//! the reserved ones, formulas of CTL*, a never claim and an automaton of good runs, under several
//! fairness assumptions. Where the answer is plain from the model it stands in the table below; the
//! linear properties have their tables beside the models.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use evenhand::{Asking, AutomatonText, CheckError, Counterexamples, Language, Model, Options};
use evenhand::{Promela, Silent, Smv, Verdict, Wanted};
use evenhand_verify::check;

/// What is asked of a model beside its own properties: something that happens again and again or
/// not, and formulas of CTL* with their verdicts without fairness.
struct Row {
    model: &'static str,
    event: &'static str,
    trees: &'static [(&'static str, &'static str)],
}

const PROMELA: [Row; 11] = [
    Row {
        model: "alternating_bit.pml",
        event: "receiver[1]@delivered",
        trees: &[
            ("AG EF receiver[1]@delivered", "holds"),
            ("AF receiver[1]@delivered", "violated"),
        ],
    },
    Row {
        model: "handshake.pml",
        event: "served",
        trees: &[
            ("EF served && E [] !served", "holds"),
            ("AG EF served", "holds"),
        ],
    },
    Row {
        model: "leader_election.pml",
        event: "(leaders == 1)",
        trees: &[
            ("AF AG (leaders == 1)", "holds"),
            ("EG (leaders == 0)", "violated"),
            // Who is leader stays leader, and was not before.
            (
                "AG (leaders == 1 -> A (G (leaders == 1) && O (leaders == 0)))",
                "holds",
            ),
        ],
    },
    Row {
        model: "peterson.pml",
        event: "process[0]@critical",
        trees: &[
            ("AG EF process[0]@critical", "holds"),
            ("E [!process[1]@critical U process[0]@critical]", "holds"),
            (
                "EF (process[0]@critical && process[1]@critical)",
                "violated",
            ),
        ],
    },
    Row {
        model: "philosophers.pml",
        event: "phil[0]@eating",
        // Everybody may hold one fork for ever.
        trees: &[
            ("AG EF phil[0]@eating", "violated"),
            ("EF AG !phil[0]@eating", "holds"),
        ],
    },
    Row {
        model: "philosophers_asymmetric.pml",
        event: "phil[0]@eating",
        trees: &[
            ("AG EF phil[0]@eating", "holds"),
            ("AG (phil[0]@hungry -> AF phil[0]@eating)", "violated"),
        ],
    },
    Row {
        model: "producer_consumer.pml",
        event: "consumer[1]@consumed",
        trees: &[
            ("AG EF consumer[1]@consumed", "holds"),
            ("AG AF consumer[1]@consumed", "violated"),
        ],
    },
    Row {
        model: "readers_writers.pml",
        event: "writer[2]@inside",
        trees: &[
            ("AG EF writer[2]@inside", "holds"),
            (
                "AG (writing -> E (readers == 0 S writer[2]@asking))",
                "holds",
            ),
            ("EF (writing && readers > 0)", "violated"),
        ],
    },
    Row {
        model: "readers_writers_door.pml",
        event: "writer[2]@inside",
        trees: &[
            ("AG EF writer[2]@inside", "holds"),
            ("AG !(writing && readers > 0)", "holds"),
        ],
    },
    Row {
        model: "river.pml",
        event: "SOLVED",
        trees: &[("EF SOLVED", "holds"), ("AF SOLVED", "violated")],
    },
    Row {
        model: "semaphore.pml",
        event: "process[0]@critical",
        trees: &[
            ("AG EF process[0]@critical", "holds"),
            ("EF (inside == 2)", "violated"),
            (
                "A (G F process[0]@waiting -> G F process[0]@critical)",
                "violated",
            ),
        ],
    },
];

const SMV: [Row; 2] = [
    Row {
        model: "lift.smv",
        event: "floor = 3",
        trees: &[
            ("EF (floor = 3)", "holds"),
            ("A (G F (floor = 0) -> G F (floor = 3))", "violated"),
        ],
    },
    Row {
        model: "semaphore.smv",
        event: "p1.at = critical",
        trees: &[("AG EF (p1.at = critical)", "holds")],
    },
];

fn folder(language: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../models/{language}"))
}

/// The names that `evenhand engines` lists.
fn engines() -> Vec<String> {
    let command = Command::new(env!("CARGO_BIN_EXE_evenhand"))
        .arg("engines")
        .output()
        .expect("the command runs");
    let text = String::from_utf8(command.stdout).expect("text");
    let names = text
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    names.map(str::to_string).collect()
}

/// The automaton of the runs on which an expression holds again and again.
fn again_and_again(expression: &str) -> String {
    format!(
        "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"{expression}\"\nAcceptance: 1 Inf(0)\n--BODY--\n\
         State: 0\n[0] 0 {{0}}\n[!0] 0\n--END--\n"
    )
}

/// A claim of the runs on which an expression never holds from some point on.
fn never_again(expression: &str) -> String {
    format!(
        "\nnever {{ T0: do :: true :: !({expression}) -> goto accept od;\n\
         accept: do :: !({expression}) od }}\n"
    )
}

/// Looks at runs of bounded length, and leaves open what it finds nothing about.
const BOUNDED: &str = "sat";

/// The answers of an engine, in words; none if it refuses the question.
fn ask(
    text: &str,
    (name, language): (&str, &dyn Language),
    engine: &str,
    asked: &Asking,
) -> Option<Vec<(String, String)>> {
    let model = Model::parse(name, text, language);
    let model = model.unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(model.signature().language, language.name());
    let mut options = Options::default();
    options.engine = Some(engine.to_string());
    options.counterexample = Counterexamples::First;
    options.limit_time = Some(Duration::from_secs(60));
    options.max_depth = (engine == BOUNDED).then_some(20);
    let report = match check(model.specification(), asked, &options, &mut Silent) {
        Ok(report) => report,
        Err(CheckError::Engine(_)) if ["ndfs", BOUNDED].contains(&engine) => return None,
        Err(error) => panic!("{name}, engine {engine}: {error:?}"),
    };
    let word = |verdict: &Verdict| match verdict {
        Verdict::Unknown(reason) => panic!("{name}, engine {engine}: unknown, {reason}"),
        verdict => verdict.word().to_string(),
    };
    let is_open = |verdict: &Verdict| engine == BOUNDED && matches!(verdict, Verdict::Unknown(_));
    let answers = report.properties.iter().filter(|p| !is_open(&p.verdict));
    let answers = answers.map(|p| {
        (
            p.name.clone(),
            format!("{} {:?}", word(&p.verdict), p.value),
        )
    });
    Some(answers.collect())
}

/// The properties of a model: those that its text states, and of a program also the usual ones.
fn properties(model: &Model, is_promela: bool) -> Vec<String> {
    let mut asked = Asking::default();
    if !is_promela {
        asked.request.properties = Wanted::Stated;
    }
    let inquiry = asked.resolve(model.specification()).expect("properties");
    inquiry.questions.into_iter().map(|q| q.name).collect()
}

/// Asks everything of every engine; the number of answers.
fn compare(row: &Row, language: &dyn Language, fair: &[&[&str]]) -> usize {
    let word = language.name();
    let is_promela = word == "promela";
    let text = std::fs::read_to_string(folder(word).join(row.model)).expect("a model");
    let text = match is_promela {
        true => text + &never_again(row.event),
        false => text,
    };
    let name = (row.model, language);
    let mut count = 0;
    for &fair in fair {
        let mut asked = Asking::default();
        asked.request.fair = fair.iter().map(|s| s.to_string()).collect();
        asked.request.no_fairness = true;
        let model = Model::parse(row.model, &*text, language).expect("a model");
        let mut names = properties(&model, is_promela);
        names.push("feasible".to_string());
        if is_promela {
            names.extend(["acceptance", "progress"].map(str::to_string));
        }
        asked.name_properties(&names);
        asked.request.branching = row.trees.iter().map(|(tree, _)| tree.to_string()).collect();
        asked.automata = vec![AutomatonText {
            name: "automaton".to_string(),
            text: again_and_again(row.event),
            good: true,
        }];
        let expected = ask(&text, name, "auto", &asked).expect("an answer");
        let verdict = |property: &str| {
            let found = expected.iter().find(|(name, _)| name == property);
            let found = found.unwrap_or_else(|| panic!("no {property}"));
            found.1.split(' ').next().map(str::to_string)
        };
        if is_promela {
            assert_eq!(verdict("never"), verdict("automaton"), "{}", row.model);
        }
        if fair.is_empty() {
            for (number, (tree, answer)) in row.trees.iter().enumerate() {
                let found = verdict(&format!("formula_{number}"));
                assert_eq!(found.as_deref(), Some(*answer), "{} {tree}", row.model);
            }
        }
        for engine in engines() {
            // Its monitors make three states of one for each strong item.
            if engine == "ndfs" && fair == ["strong"] {
                continue;
            }
            let Some(mut found) = ask(&text, name, &engine, &asked) else {
                continue;
            };
            // The order may depend on the engine where an SMV model is explored.
            let mut expected = expected.clone();
            if engine == BOUNDED {
                expected.retain(|(name, _)| found.iter().any(|(own, _)| own == name));
            }
            expected.sort();
            found.sort();
            assert_eq!(found, expected, "{} {fair:?}, engine {engine}", row.model);
            count += found.len();
        }
    }
    count
}

#[test]
fn promela_models_have_one_verdict() {
    let mut count = 0;
    for row in &PROMELA {
        // The election takes the symbolic engine seconds each time.
        let fair: &[&[&str]] = match row.model {
            "leader_election.pml" => &[&["strong"], &[]],
            _ => &[&[], &["weak"], &["strong"]],
        };
        count += compare(row, &Promela, fair);
    }
    println!("{count} answers");
    assert!(count > 1000, "{count}");
}

#[test]
fn smv_models_have_one_verdict() {
    let mut count = compare(&SMV[0], &Smv, &[&[], &["just:floor = 3"]]);
    let pair = "compassion:p1.at = waiting & !sem => p1.at = critical";
    let running = ["just:p1.running", pair];
    count += compare(&SMV[1], &Smv, &[&[], &running]);
    println!("{count} answers");
    assert!(count > 100, "{count}");
}

/// What only one kind of engines can do is said by the command in words of its options.
#[test]
fn what_an_engine_cannot_do_is_said_by_the_command() {
    let message = |language: &str, model: &str, arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_evenhand"))
            .arg("check")
            .arg(folder(language).join(model))
            .args(arguments)
            .output()
            .expect("the command runs");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        String::from_utf8(output.stderr).expect("text")
    };
    for (language, model) in [("promela", "alternating_bit.pml"), ("smv", "lift.smv")] {
        let message = |arguments: &[&str]| message(language, model, arguments);
        let other = message(&["--engine", "streett", "--compassion", "justice"]);
        assert!(other.contains("--compassion"), "{other}");
        assert!(other.contains("the others handle it natively"), "{other}");
        let both = message(&["--compassion", "justice", "--max-depth", "3"]);
        assert!(both.contains("but a bounded check"), "{both}");
    }
}

#[test]
fn every_model_stands_in_the_table() {
    for (language, extension, rows) in [("promela", "pml", &PROMELA[..]), ("smv", "smv", &SMV)] {
        let mut present: Vec<String> = std::fs::read_dir(folder(language))
            .expect("models")
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| name.ends_with(extension))
            .collect();
        present.sort();
        let named: Vec<&str> = rows.iter().map(|row| row.model).collect();
        assert_eq!(present, named);
    }
}
