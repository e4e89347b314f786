//! The nets that teach, in `models/petri`, against their table of expected answers. Temporal properties are
//! asked of every engine.

use std::path::{Path, PathBuf};

use evenhand_explicit::search::{Options, explore};
use evenhand_system::Specification;

use crate::common::{Ask, ask, read};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/petri")
}

fn load(net: &str) -> Box<dyn Specification> {
    let text = |path: PathBuf| {
        let shown = path.display().to_string();
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{shown}: {error}"))
    };
    let path = folder().join(net);
    let properties = text(path.with_extension("xml"));
    read(&text(path), &[(net, &properties)]).unwrap_or_else(|error| panic!("{net}: {error}"))
}

/// All of them must give the same answer; none is what is chosen.
const ENGINES: [Option<&str>; 7] = [
    None,
    Some("streett"),
    Some("latvala-heljanko"),
    Some("lichtenstein-pnueli"),
    Some("ndfs"),
    Some("feasible"),
    Some("symbolic"),
];

#[test]
fn nets_have_the_expected_answers() {
    let table = std::fs::read_to_string(folder().join("expected.txt")).expect("the table");
    let rows = table.lines().map(str::trim);
    let rows = rows.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut count = 0;
    for row in rows {
        let columns: Vec<&str> = row.split_whitespace().collect();
        let [net, property, fairness, expected, source] = columns[..] else {
            panic!("not five columns: {row}");
        };
        assert!(["known", "implied", "reasoned"].contains(&source), "{row}");
        let model = load(net);
        count += 1;
        if property == "states" {
            let explicit = model
                .body()
                .explicit()
                .unwrap_or_else(|_| panic!("explicit"));
            let found = explore(explicit, &Options::default(), &mut |_| true);
            assert_eq!(found.progress.states.to_string(), expected, "{row}");
            continue;
        }
        let fair: &[&str] = match fairness {
            "weak" => &["weak"],
            "strong" => &["strong"],
            _ => &[],
        };
        for engine in ENGINES {
            // It makes copies of each state for each transition that is fair: too many here.
            if engine == Some("ndfs") && fairness == "strong" {
                continue;
            }
            let properties = &[property][..];
            let found = ask(
                &*model,
                &Ask {
                    properties,
                    fair,
                    engine,
                    ..Ask::default()
                },
            );
            let [result] = &found[..] else {
                panic!("{} answers: {row}", found.len());
            };
            let answer = match &result.value {
                Some(value) => value.to_string(),
                None if !result.verdict.is_decided() => "unknown".to_string(),
                None if result.verdict.holds() => "holds".to_string(),
                None => "violated".to_string(),
            };
            assert_eq!(answer, expected, "{row}, by {engine:?}");
        }
    }
    assert!(count >= 40, "{count} rows");
}

#[test]
fn every_net_is_in_the_table() {
    let table = std::fs::read_to_string(folder().join("expected.txt")).expect("the table");
    let mut nets = 0;
    for entry in std::fs::read_dir(folder()).expect("the folder") {
        let name = entry
            .expect("an entry")
            .file_name()
            .into_string()
            .expect("a name");
        if name.ends_with(".pnml") {
            assert!(table.lines().any(|line| line.starts_with(&name)), "{name}");
            nets += 1;
        }
    }
    assert!(nets >= 5, "{nets} nets");
}
