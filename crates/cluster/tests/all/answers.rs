//! Verdicts, counts and lengths of shortest runs beside those of one process: examples, random programs under
//! fairness, random relations, random nets.

use std::path::Path;

use evenhand::{Asking, Language, Model, Options, Promela, PropertyResult, Smv};
use evenhand_cluster::Cluster;
use evenhand_testkit::promela_programs::temporal::TemporalProgram;
use evenhand_testkit::smv_models::checked_model;
use evenhand_verify::{StopReason, Verdict};

use crate::common::{SHAPES, alone, cases, first_seed, processes, together};

/// A model as a text.
type Text<'t> = (&'t str, &'t str, &'static dyn Language);

/// What came of comparisons.
#[derive(Debug, Default)]
struct Tally {
    holds: usize,
    violated: usize,
    unknown: usize,
    shortest: usize,
    /// What several processes do not answer, and say so.
    left: usize,
}

impl Tally {
    fn compare(&mut self, one: &PropertyResult, many: &PropertyResult, about: &str) {
        let name = &one.name;
        let is_violated = one.verdict.is_violated();
        match &many.verdict {
            // One process may find a run by guessing values; several do not guess. It ends where it has found one;
            // several explore everything first, and may meet the limit.
            Verdict::Unknown(StopReason::NoValue(_) | StopReason::States) if is_violated => {
                self.unknown += 1;
                return;
            }
            Verdict::Unknown(StopReason::Unsupported(_)) => {
                self.left += 1;
                return;
            }
            _ => {}
        }
        assert_eq!(one.verdict.word(), many.verdict.word(), "`{name}`\n{about}");
        match (&one.verdict, &many.verdict) {
            (Verdict::Holds, _) => {
                self.holds += 1;
                let counts = |r: &PropertyResult| (r.states, r.transitions);
                if one.engine != Some("known") {
                    assert_eq!(counts(one), counts(many), "`{name}`\n{about}");
                }
                // One process has a product for each quantifier of branching time, several have none.
                if one.engine == Some("streett") {
                    let product = (one.product_states, many.product_states);
                    assert_eq!(product.0, product.1, "`{name}`\n{about}");
                }
            }
            (Verdict::Violated(Some(short)), Verdict::Violated(Some(run))) => {
                self.violated += 1;
                assert!(run.len() >= short.lower_bound, "`{name}`\n{about}");
                if short.shortest && run.shortest {
                    self.shortest += 1;
                    assert_eq!(short.len(), run.len(), "`{name}`\n{about}");
                }
            }
            (Verdict::Violated(_), _) => self.violated += 1,
            _ => self.unknown += 1,
        }
    }
}

/// One property after the other, since those that are asked together share what was explored.
fn compare(
    clusters: &[Cluster],
    text: Text<'_>,
    names: &[String],
    fair: &[String],
    tally: &mut Tally,
) {
    let model = Model::parse(text.0, text.1, text.2).expect("it was read before");
    for name in names {
        let mut asking = Asking::default();
        asking.name_properties(std::slice::from_ref(name));
        asking.request.fair = fair.to_vec();
        let mut options = Options::default();
        options.limit_states = Some(2_000);
        // Some shards are compressed.
        options.compress = clusters.len() == 3;
        options.threads = std::num::NonZeroUsize::new(1);
        // Relations are explored by sets otherwise.
        options.engine = Some("streett".to_string());
        let Ok(one) = alone(&model, &asking, &options) else {
            continue;
        };
        let one = &one.properties[0];
        if !one.verdict.is_decided() {
            continue;
        }
        let Ok(many) = together(clusters, text, &asking, &options) else {
            continue; // explored by one process alone
        };
        let (count, threads) = (clusters.len(), clusters[0].threads());
        let about = format!("{count} processes, {threads} threads, {fair:?}\n{}", text.1);
        tally.compare(one, &many.properties[0], &about);
    }
}

/// The properties of a model, by name.
fn names(model: &Model) -> Vec<String> {
    let mut options = Options::default();
    options.limit_states = Some(1);
    let found = alone(model, &Asking::default(), &options);
    let found = found.map(|report| report.properties);
    found.into_iter().flatten().map(|p| p.name).collect()
}

#[test]
fn examples() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut tally = Tally::default();
    for (count, threads) in [(2, 1), (3, 1)] {
        let clusters = processes(count, threads);
        for folder in ["promela", "smv", "petri", "tla"] {
            let list = std::fs::read_dir(models.join(folder)).expect("the examples");
            for entry in list.flatten() {
                let path = entry.path();
                let name = path.display().to_string();
                let (Ok(text), Some(language)) = (
                    std::fs::read_to_string(&path),
                    evenhand::language_of_path(&path),
                ) else {
                    continue;
                };
                let Ok(model) = Model::parse(&name, &text, language) else {
                    continue; // a part of another one
                };
                let names = names(&model);
                for fair in [vec![], vec!["strong".to_string()]] {
                    compare(
                        &clusters,
                        (&name, &text, language),
                        &names,
                        &fair,
                        &mut tally,
                    );
                }
            }
        }
    }
    println!("{tally:?}");
    assert!(tally.holds > 10 && tally.violated > 2, "{tally:?}");
}

/// What several processes cannot answer stays open, by name and with its reason, and the rest is answered.
#[test]
fn what_measures_ways_stays_open() {
    let text = "MODULE main\nVAR x : 0..3;\nASSIGN init(x) := 0; next(x) := (x + 1) mod 4;\n\
                LTLSPEC NAME again := G F x = 0;\nCTLSPEC NAME back := AG EF x = 0;\nINVARSPEC NAME low := x < 3;\n\
                COMPUTE NAME far := MIN [x = 0, x = 2];\n";
    let clusters = processes(2, 1);
    let text: Text<'_> = ("model.smv", text, &Smv);
    let many = together(&clusters, text, &Asking::default(), &Options::default());
    let many = many.expect("answers").properties;
    let of = |name: &str| many.iter().find(|p| p.name == name).expect("a property");
    assert!(matches!(of("again").verdict, Verdict::Holds), "{many:?}");
    assert!(of("low").verdict.is_violated(), "{many:?}");
    assert!(matches!(of("back").verdict, Verdict::Holds), "{many:?}");
    let Verdict::Unknown(StopReason::Unsupported(reason)) = &of("far").verdict else {
        panic!("{many:?}");
    };
    assert!(reason.contains("one process answers"), "{reason}");
}

/// A condition that reads nothing of a state is looked at, too.
#[test]
fn constant_conditions_are_decided() {
    let text = "MODULE main\nVAR x : boolean;\nINVARSPEC NAME never := 1 = 2;\nINVARSPEC NAME always := 1 = 1;\n\
                CTLSPEC NAME nowhere := EF 1 = 2;\nLTLSPEC NAME at_once := 1 = 1;\n";
    let clusters = processes(2, 1);
    let text: Text<'_> = ("model.smv", text, &Smv);
    let many = together(&clusters, text, &Asking::default(), &Options::default());
    let many = many.expect("answers").properties;
    let words: Vec<&str> = many.iter().map(|p| p.verdict.word()).collect();
    let names: Vec<&str> = many.iter().map(|p| &*p.name).collect();
    let of = |name: &str| {
        names
            .iter()
            .position(|own| *own == name)
            .map(|at| words[at])
    };
    assert_eq!(of("never"), Some("violated"), "{many:?}");
    assert_eq!(of("always"), Some("holds"), "{many:?}");
    assert_eq!(of("nowhere"), Some("violated"), "{many:?}");
    assert_eq!(of("at_once"), Some("holds"), "{many:?}");
}

/// A limit of one process ends the search of all, and so does one on all states together.
#[test]
fn limits_are_results() {
    let text = "byte a, b, c; active [3] proctype p() { do :: a++ :: b++ :: c++ od }\n\
                ltl l { [] <> (a == 0) }";
    let text: Text<'_> = ("counters.pml", text, &Promela);
    let clusters = processes(3, 1);
    for name in ["l", "deadlock"] {
        let mut asking = Asking::default();
        asking.name_properties(&[name.to_string()]);
        let ended = |change: &dyn Fn(&mut Options)| {
            let mut options = Options::default();
            change(&mut options);
            let many = together(&clusters, text, &asking, &options).expect("an answer");
            match many.properties[0].verdict.clone() {
                Verdict::Unknown(stop) => (stop, many.properties[0].states),
                other => panic!("{other:?}"),
            }
        };
        let (stop, states) = ended(&|options| options.limit_states = Some(1_000));
        assert!(matches!(stop, StopReason::States), "{stop:?}");
        assert!(states > 1_000, "{states} are those of all");
        let (stop, _) = ended(&|options| options.limit_memory = Some(1));
        assert!(matches!(stop, StopReason::Memory), "{stop:?}");
        let brief = std::time::Duration::from_millis(100);
        let (stop, _) = ended(&|options| options.limit_time = Some(brief));
        assert!(matches!(stop, StopReason::Time), "{stop:?}");
    }
}

/// Strings that expressions make mean something in one process only: where there are some, nobody says anything.
#[test]
fn made_strings_do_not_travel() {
    let folder = std::env::temp_dir().join(format!("evenhand-made-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let model = |name: &str, next: &str| {
        let text = format!(
            "---- MODULE {name} ----\nEXTENDS Naturals, TLC\nVARIABLES n, s\nInit == n = 0 /\\ s = \"a\"\n\
             Next == n < 40 /\\ n' = n + 1 /\\ s' = {next}\nSpec == Init /\\ [][Next]_<<n, s>>\nSmall == n <= 40\n====\n"
        );
        let path = folder.join(format!("{name}.tla"));
        std::fs::write(&path, &text).expect("a file");
        let configuration = "SPECIFICATION Spec\nINVARIANT Small\nCHECK_DEADLOCK FALSE\n";
        std::fs::write(path.with_extension("cfg"), configuration).expect("a file");
        (path.display().to_string(), text)
    };
    let clusters = processes(2, 1);
    let mut asking = Asking::default();
    asking.name_properties(&["Small".to_string()]);
    let made = r#"IF n % 2 = 0 THEN "b" ELSE ToString(n)"#;
    for (name, next, travels) in [
        ("Made", made, false),
        ("Read", r#"IF n % 2 = 0 THEN "b" ELSE s"#, true),
    ] {
        let (name, text) = model(name, next);
        let language = evenhand::language_of_path(Path::new(&name)).expect("TLA+");
        let one = Model::parse(&name, &text, language).expect("a model");
        let one = alone(&one, &asking, &Options::default()).expect("an answer");
        assert!(
            matches!(one.properties[0].verdict, Verdict::Holds),
            "{one:?}"
        );
        let many = together(
            &clusters,
            (&name, &text, language),
            &asking,
            &Options::default(),
        );
        let many = many.expect("an answer");
        match travels {
            true => assert_eq!(one.properties[0].states, many.properties[0].states),
            false => {
                let verdict = &many.properties[0].verdict;
                assert!(matches!(verdict, Verdict::Unknown(_)), "{verdict:?}");
            }
        }
    }
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn random_programs_under_fairness() {
    let mut tally = Tally::default();
    let all: Vec<Vec<Cluster>> = SHAPES.iter().map(|&(p, t)| processes(p, t)).collect();
    for seed in first_seed()..first_seed() + cases(3) {
        let case = TemporalProgram::generate(seed, 2, 4);
        let text = case.text();
        if Model::parse("program.pml", &text, &Promela).is_err() {
            continue;
        }
        let names = ["f0", "f1", "assertions", "deadlock"].map(str::to_string);
        let settings = [
            vec![],
            vec!["weak".to_string()],
            vec!["strong".to_string()],
            case.assumptions.clone(),
        ];
        for (number, fair) in settings.iter().enumerate() {
            let clusters = &all[(seed as usize + number) % all.len()];
            compare(
                clusters,
                ("program.pml", &text, &Promela),
                &names,
                fair,
                &mut tally,
            );
        }
    }
    println!("{tally:?}");
    let compared = (tally.holds + tally.violated) as u64;
    assert!(
        compared > cases(3) && tally.holds + tally.violated > 0,
        "{tally:?}"
    );
}

#[test]
fn random_relations() {
    let mut tally = Tally::default();
    let all: Vec<Vec<Cluster>> = [(2, 1), (3, 2)]
        .iter()
        .map(|&(p, t)| processes(p, t))
        .collect();
    for seed in first_seed()..first_seed() + cases(16) {
        let checked = checked_model(seed);
        let Ok(model) = Model::parse("model.smv", &checked.text, &Smv) else {
            continue;
        };
        let clusters = &all[seed as usize % all.len()];
        let text: Text<'_> = ("model.smv", &checked.text, &Smv);
        compare(clusters, text, &names(&model), &[], &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.holds + tally.violated > 0, "{tally:?}");
}
