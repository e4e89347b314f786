//! Proofs that are kept, against the models that they are about, damaged ones, and other models.
//!
//! Random programs are checked by random engines under random fairness and readings of finished runs,
//! and everything that holds is kept. Each proof must be accepted. Then it is damaged: bytes are
//! changed, the end is cut off, the model is another one. What is accepted all the same must be true:
//! another engine says so.

use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use evenhand::verify::{Certify, Deadlock, Extent, Keep};
use evenhand::{CheckError, Counterexamples, Model, Promela, Smv, Verdict};
use evenhand_certify::file::{Archive, Certificates};
use evenhand_certify::{Cover, Kept, RankSource, Reading, Room, Statement, Untrue};
use evenhand_testkit::promela_programs::random::Random;
use evenhand_testkit::promela_programs::temporal::TemporalProgram;

use crate::common::{Asked, cases, first_seed};

/// Where bytes go that are read again.
#[derive(Clone, Default)]
struct Shelf(Arc<Mutex<Vec<u8>>>);

impl Write for Shelf {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Asked {
    /// Asks, and keeps the proofs.
    fn kept(mut self, model: &Model) -> Result<(evenhand::Report, Vec<u8>), CheckError> {
        let shelf = Shelf::default();
        let keep = Keep::new(Box::new(shelf.clone())).expect("a list takes everything");
        self.options.keep = Some(keep.clone());
        let report = self.run(model)?;
        keep.finish().expect("a list takes everything");
        let bytes = shelf.0.lock().expect("no panic").clone();
        Ok((report, bytes))
    }
}

/// What each proof of a file is worth for a model; an error where the file cannot be read on.
fn certified(model: &Model, bytes: &[u8], room: &Room) -> Vec<Result<(Statement, Cover), String>> {
    let mut list = Vec::new();
    let read = || -> Result<(), evenhand_certify::file::ReadError> {
        let mut file = Certificates::open(Cursor::new(bytes))?;
        while file.has_next()? {
            let opened = file.certificate()?;
            let statement = Statement::of(&opened.header);
            let proven = statement.and_then(|statement| {
                let kept = Kept::new(model.specification(), &statement);
                let kept = kept.map_err(|why| why.to_string())?;
                // Another model may be too large for anybody.
                let proven = kept.check(opened, room, &mut |checked| checked.states < 20_000);
                let proven = proven.map_err(|why: Untrue| why.to_string())?;
                let cover = proven.automaton.unwrap_or(Cover::Given);
                Ok((statement.clone(), cover))
            });
            let is_complete = file.end()?;
            list.push(match is_complete {
                true => proven,
                false => Err("given up".to_string()),
            });
        }
        Ok(())
    };
    let mut read = read;
    if let Err(error) = read() {
        list.push(Err(error.to_string()));
    }
    list
}

/// Whether another engine says what a statement says.
fn is_true(model: &Model, statement: &Statement) -> bool {
    let mut asked = Asked {
        asking: statement.asking.clone(),
        ..Asked::default()
    };
    asked.options.engine = Some("lichtenstein-pnueli".to_string());
    asked.options.certify = Certify::Off;
    asked.options.counterexample = Counterexamples::None;
    asked.options.deadlock = match statement.reading {
        Reading::Stay => Deadlock::Stutter,
        Reading::Ignored => Deadlock::Ignore,
        Reading::Broken => Deadlock::Error,
        // No program of these is read like that.
        Reading::Anywhere => return false,
    };
    let report = asked.run(model).expect("the question has a meaning");
    let [result] = &report.properties[..] else {
        return false;
    };
    match statement.kind.as_str() {
        "feasible" => result.verdict.is_violated(),
        _ => result.verdict.holds(),
    }
}

const ENGINES: [&str; 5] = [
    "streett",
    "latvala-heljanko",
    "lichtenstein-pnueli",
    "ndfs",
    "feasible",
];

/// How often what happened.
#[derive(Debug, Default)]
struct Counts {
    programs: u64,
    accepted: u64,
    shown: u64,
    believed: u64,
    rejected: u64,
    still_true: u64,
}

/// A random question to a random program; none if it has no meaning.
fn question(seed: u64) -> Option<(Model, Asked)> {
    let mut random = Random::new(seed ^ 0x9e37_79b9);
    let generated = TemporalProgram::generate(seed, 2, 3);
    let model = Model::parse("m.pml", generated.text(), &Promela).ok()?;
    let mut names: Vec<&str> = vec!["assertions", "deadlock", "f0", "f1"];
    if random.percent(20) {
        names.push("feasible");
    }
    let mut asked = Asked::properties(&names).by(ENGINES[random.below(5)]);
    let fair: Vec<String> = match random.below(6) {
        0 => Vec::new(),
        1 => vec!["weak".into()],
        2 => vec!["strong".into()],
        3 => vec!["spin-weak".into()],
        _ => generated.assumptions.clone(),
    };
    asked.fair(&fair);
    asked.options.deadlock = match random.below(5) {
        0 => Deadlock::Ignore,
        1 => Deadlock::Error,
        _ => Deadlock::Usual,
    };
    asked.options.counterexample = Counterexamples::None;
    asked.options.limit_states = Some(3000);
    asked.options.limit_time = Some(Duration::from_secs(20));
    Some((model, asked))
}

/// Another file, or another model.
fn damaged(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let length = bytes.len();
    match random.below(5) {
        0 => bytes.truncate(random.below(length)),
        1 => bytes.push(random.below(256) as u8),
        2 => {
            let (from, to) = (random.below(length), random.below(length));
            bytes.copy_within(from.min(to)..from.max(to), 0);
        }
        _ => {
            for _ in 0..=random.below(3) {
                let place = random.below(length);
                bytes[place] ^= 1 << random.below(8);
            }
        }
    }
    bytes
}

#[test]
fn kept_proofs_are_accepted_and_damaged_ones_only_if_they_are_true() {
    let mut counts = Counts::default();
    let mut last: Option<Vec<u8>> = None;
    let (cases, first) = (cases(60), first_seed(0));
    for seed in first..first + cases {
        let Some((model, asked)) = question(seed) else {
            continue;
        };
        let (report, bytes) = match asked.clone().kept(&model) {
            Ok(kept) => kept,
            // Not every assumption has a meaning, and `ndfs` knows no strong fairness.
            Err(CheckError::Unresolved(_) | CheckError::Engine(_)) => continue,
            Err(error) => panic!("seed {seed}: {error}"),
        };
        let said = |name: &str| report.property(name).map(|p| (p.verdict.word(), p.proof));
        for result in &report.properties {
            if result.verdict.holds() && result.name != "feasible" {
                let extent = result.proof.map(|proof| proof.extent);
                assert_eq!(extent, Some(Extent::Full), "seed {seed}: {}", result.name);
            }
        }
        counts.programs += 1;
        let mut random = Random::new(seed);
        let room = match random.percent(20) {
            true => Room::Disk(std::env::temp_dir()),
            false => Room::Memory,
        };
        for proven in certified(&model, &bytes, &room) {
            let (statement, cover) = proven.unwrap_or_else(|why| panic!("seed {seed}: {why}"));
            counts.accepted += 1;
            counts.shown += u64::from(cover == Cover::Shown);
            counts.believed += u64::from(cover == Cover::Believed);
            let (word, proof) = said(&statement.property).expect("it was asked");
            let is_feasible = statement.kind == "feasible";
            assert_eq!(
                word,
                if is_feasible { "violated" } else { "holds" },
                "seed {seed}"
            );
            assert!(proof.is_some(), "seed {seed}");
        }
        let damaged = damaged(&mut random, &bytes);
        let others = [Some(damaged), last.replace(bytes)];
        for bytes in others.into_iter().flatten() {
            for proven in certified(&model, &bytes, &Room::Memory) {
                match proven {
                    Ok((statement, cover)) => {
                        counts.still_true += 1;
                        // A changed automaton that is only believed proves what it says, and says so.
                        let is_true = cover == Cover::Believed || is_true(&model, &statement);
                        assert!(is_true, "seed {seed}: {statement:?}");
                    }
                    Err(_) => counts.rejected += 1,
                }
            }
        }
    }
    println!("{counts:?}");
    assert!(counts.programs * 2 > cases, "{counts:?}");
    assert!(counts.accepted > counts.programs, "{counts:?}");
    assert!(counts.rejected * 3 > counts.programs, "{counts:?}");
    assert!(counts.shown > 20 * counts.believed, "{counts:?}");
}

const COUNTER: &str = "byte x;
active proctype p() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
ltl up { [] <> (x == 3) }
ltl low { [] (x <= 3) }
";

fn promela(text: &str) -> Model {
    Model::parse("m.pml", text, &Promela).expect("a model")
}

fn reasons(model: &Model, bytes: &[u8]) -> Vec<String> {
    let list = certified(model, bytes, &Room::Memory).into_iter();
    list.map(|proven| match proven {
        Ok((statement, _)) => format!("{} proved", statement.property),
        Err(why) => why,
    })
    .collect()
}

#[test]
fn a_proof_is_about_one_model() {
    let (_, bytes) = Asked::default()
        .kept(&promela(COUNTER))
        .expect("it is checked");
    let proved = ["assertions", "deadlock", "up", "low"].map(|name| format!("{name} proved"));
    assert_eq!(reasons(&promela(COUNTER), &bytes), proved);

    // The model makes other steps: what is still true of it is still proved, or not.
    let stuck = COUNTER.replace("x = 0 od", "break od");
    assert_eq!(
        reasons(&promela(&stuck), &bytes)[..2],
        ["assertions proved", "deadlock proved"]
    );
    let jumps = COUNTER.replace("x++", "x = (x == 2 -> 0 : x + 1)");
    let said = reasons(&promela(&jumps), &bytes);
    assert_eq!(
        said[2],
        "the certificate proves nothing: a step out of state 5 leads elsewhere"
    );
    assert_eq!(said[3], "the certificate is about more states");

    // The property of that name says something else.
    let other = COUNTER.replace("x <= 3", "x <= 4");
    let said = reasons(&promela(&other), &bytes);
    assert_eq!(
        said[3],
        "the certificate is about `low` as ltl `[] (x <= 3)`; in the model it is ltl `[] (x <= 4)`"
    );

    // There is no such property.
    let less = COUNTER.replace("ltl low { [] (x <= 3) }", "");
    let said = reasons(&promela(&less), &bytes);
    assert!(
        said[3].starts_with("there is no property `low`"),
        "{said:?}"
    );

    // The model declares fairness that nobody knew of.
    let fair = format!("//@ fair weak\n{COUNTER}");
    let said = reasons(&promela(&fair), &bytes);
    assert_eq!(
        said[2],
        "the certificate of `up` assumes no fairness; the model and the call have `weak`"
    );
}

#[test]
fn proofs_of_models_given_by_constraints_know_their_inputs() {
    let text = "MODULE main
IVAR i : boolean;
VAR x : 0..3;
ASSIGN init(x) := 0; next(x) := i ? (x + 1) mod 4 : x;
JUSTICE i
LTLSPEC NAME often := G F x = 3
LTLSPEC NAME same := G (!i -> X x = x | TRUE)
INVARSPEC NAME range := x <= 3
";
    let model = Model::parse("m.smv", text, &Smv).expect("a model");
    let asked = Asked::properties(&["often", "same", "range", "total"]).by("streett");
    let (report, bytes) = asked.kept(&model).expect("it is checked");
    assert!(report.holds(), "{report:?}");
    let mut said = reasons(&model, &bytes);
    said.sort();
    assert_eq!(
        said,
        [
            "often proved",
            "range proved",
            "same proved",
            "total proved"
        ]
    );
}

#[test]
fn how_a_verdict_was_checked_is_told() {
    let model = promela(COUNTER);
    for (certify, wanted) in [
        (Certify::Auto, [None, Some(Extent::Graph)]),
        (Certify::Full, [Some(Extent::Full), Some(Extent::Full)]),
        (Certify::Off, [None, None]),
    ] {
        for engine in ENGINES {
            let mut asked = Asked::properties(&["assertions", "up"]).by(engine);
            asked.options.certify = certify;
            let report = asked.run(&model).expect("it is checked");
            let proofs: Vec<_> = report.properties.iter().map(|p| p.proof).collect();
            let extents: Vec<_> = proofs.iter().map(|p| p.map(|p| p.extent)).collect();
            assert_eq!(extents, wanted, "{engine} {certify:?}");
            if let Some(proof) = proofs[1] {
                assert_eq!(proof.automaton, Some(Cover::Shown));
                assert!(proof.edges > 0);
            }
        }
    }
    // A bounded search that sees everything, and sets.
    let mut asked = Asked::properties(&["low"]);
    asked.options.max_depth = Some(100);
    let report = asked.run(&model).expect("it is checked");
    let proof = report.properties[0].proof.map(|proof| proof.extent);
    assert_eq!((report.holds(), proof), (true, Some(Extent::Graph)));
    let asked = Asked::properties(&["low", "up"]).by("symbolic");
    let report = asked.run(&model).expect("it is checked");
    for result in &report.properties {
        assert!(matches!(result.verdict, Verdict::Holds));
        assert_eq!(result.proof.map(|proof| proof.extent), Some(Extent::Sets));
    }
}

#[test]
fn that_no_run_is_fair_is_proved() {
    let text = "bool b; active proctype p() { do :: b = !b od }";
    let mut asked = Asked::properties(&["feasible"]);
    asked.fair(&["just:false"]);
    let (report, bytes) = asked.kept(&promela(text)).expect("it is checked");
    let result = &report.properties[0];
    assert!(result.verdict.is_violated());
    assert_eq!(result.proof.map(|proof| proof.extent), Some(Extent::Full));
    assert_eq!(reasons(&promela(text), &bytes), ["feasible proved"]);
}

/// A file with the same ranks behind other claims.
fn forged(bytes: &[u8], change: impl Fn(&mut Vec<(String, String)>)) -> Vec<u8> {
    let mut archive = Archive::new(Vec::new()).expect("a list takes everything");
    let mut file = Certificates::open(Cursor::new(bytes)).expect("a file");
    while file.has_next().expect("a certificate or the end") {
        let opened = file.certificate().expect("a certificate");
        let mut header = opened.header.clone();
        let (cells, mut reader) = opened.ranks(64).expect("ranks");
        let mut lists = Vec::new();
        let mut list = Vec::new();
        while reader.ranks(b"", &mut list).is_ok() {
            lists.push(list.clone());
        }
        change(&mut header.texts);
        let mut writer = archive.begin(&header, &cells).expect("a list");
        for list in lists {
            writer.put(&list).expect("a list");
        }
        writer.finish().expect("a list").finish().expect("a list");
    }
    archive.finish().expect("a list takes everything")
}

/// Puts another text in the place of that of a name; leaves it out; or adds one.
fn say(texts: &mut Vec<(String, String)>, name: &str, text: Option<&str>) {
    texts.retain(|(known, _)| known != name);
    texts.extend(text.map(|text| (name.to_string(), text.to_string())));
}

fn smv(text: &str) -> Model {
    Model::parse("m.smv", text, &Smv).expect("a model")
}

#[test]
fn what_a_file_says_of_itself_is_not_believed() {
    let model = promela(COUNTER);
    let asked = Asked::properties(&["up"]);
    let (_, bytes) = asked.kept(&model).expect("it is checked");
    let said = |name: &str, text: Option<&str>| {
        reasons(&model, &forged(&bytes, |texts| say(texts, name, text))).concat()
    };
    assert_eq!(said("model", Some("elsewhere.pml")), "up proved");
    for (name, text) in [
        ("property", Some("down")),
        ("property", None),
        ("kind", Some("invariant")),
        ("formula", Some("[] (x <= 3)")),
        ("formula", None),
        ("ask property", Some("low")),
        ("ask property", None),
        ("ask ltl", Some("[] <> (x == 3)")),
        ("assumed", Some("weak")),
        ("fair", Some("weak")),
        ("finished runs", None),
        ("finished runs", Some("somehow")),
        ("input", Some("x")),
        ("proof", Some("closed")),
        ("bad runs", None),
        ("atoms", Some("1")),
        ("atoms", Some("")),
        ("processes", Some("-1")),
        ("anything", Some("else")),
    ] {
        let said = said(name, text);
        assert!(!said.ends_with("proved"), "{name} {text:?}: {said}");
    }
    let twice = forged(&bytes, |texts| {
        texts.push(("finished runs".to_string(), "do not count".to_string()));
    });
    assert_eq!(
        reasons(&model, &twice),
        ["it says `finished runs` more than once"]
    );
    // An automaton that accepts nothing would prove everything.
    let nothing = "HOA: v1\nStates: 2\nStart: 0\nAP: 1 \"p\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n\
                   --BODY--\nState: 0\n[t] 0\nState: 1\n--END--\n";
    assert_eq!(
        said("bad runs", Some(nothing)),
        "it is not shown that its automaton accepts all that breaks the formula"
    );
}

#[test]
fn inputs_are_those_of_the_model() {
    // What is asked reads an input: a file that does not say so proves nothing.
    let text = "MODULE main\nIVAR i : boolean;\nVAR s : boolean;\n\
                ASSIGN init(s) := FALSE; next(s) := s;\n\
                INVARSPEC NAME both := !(s & i)\nINVARSPEC NAME none := !(s | i)\n";
    let asked = Asked::properties(&["both"]).by("streett");
    let (_, bytes) = asked.kept(&smv(text)).expect("it is checked");
    let other = forged(&bytes, |texts| {
        say(texts, "input", None);
        say(texts, "property", Some("none"));
        say(texts, "ask property", Some("none"));
        say(texts, "formula", Some("!(s | i)"));
    });
    assert_eq!(
        reasons(&smv(text), &other),
        ["the certificate proves nothing: claim 0 is not true of state 1"]
    );
    // A variable of the state is none.
    let text = "MODULE main\nFROZENVAR f : boolean;\nVAR s : 1..2;\nINIT s = 1\n\
                INVAR s = 2 -> f\nTRANS next(s) = 2\nINVARSPEC NAME low := s <= 2\n";
    let asked = Asked::properties(&["low"]).by("streett");
    let (_, bytes) = asked.kept(&smv(text)).expect("it is checked");
    for property in ["low", "total"] {
        let other = forged(&bytes, |texts| {
            say(texts, "input", Some("f"));
            say(texts, "property", Some(property));
            say(texts, "ask property", Some(property));
            if property == "total" {
                say(texts, "kind", Some("total"));
                say(texts, "formula", None);
            }
        });
        assert_eq!(
            reasons(&smv(text), &other),
            ["the certificate names inputs of others"]
        );
    }
    // With inputs no run stays where it ends.
    let text = "MODULE main\nIVAR i : boolean;\nVAR s : 0..2;\nINIT s = 0\n\
                TRANS (s = 0 & next(s) in {1, 2}) | (s = 1 & next(s) = 1)\n\
                LTLSPEC NAME soon := F (s = 1 | i & s = 1)\n";
    let asked = Asked::properties(&["soon"]).by("streett");
    let (report, bytes) = asked.kept(&smv(text)).expect("it is checked");
    assert!(report.holds());
    assert_eq!(reasons(&smv(text), &bytes), ["soon proved"]);
    let stay = forged(&bytes, |texts| {
        say(texts, "finished runs", Some("stay where they end"));
    });
    assert_eq!(
        reasons(&smv(text), &stay),
        ["with inputs a run cannot stay where it ends"]
    );
}

#[test]
fn each_of_several_never_claims_is_a_property_of_its_own() {
    let text = "byte x;
active proctype p() { do :: x = 1 - x od }
never a { T0: do :: x == 7 -> break :: else od }
never b { T0: do :: x == 1 -> break :: true od }
";
    let model = promela(text);
    for (name, word) in [("a", "holds"), ("b", "violated")] {
        let report = Asked::properties(&[name]).run(&model).expect("checked");
        assert_eq!(report.properties[0].verdict.word(), word, "{name}");
    }
}
