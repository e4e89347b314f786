//! The nets in Maria's language that teach, in `models/petri`, against their table of expected answers. Formulas are asked of
//! every engine.

use std::path::{Path, PathBuf};

use evenhand_system::Wanted;
use evenhand_verify::{Asking, Counterexamples, Options, Silent, check};

use super::corpus::search;
use super::load;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/petri")
}

const ENGINES: [Option<&str>; 5] = [
    None,
    Some("streett"),
    Some("latvala-heljanko"),
    Some("lichtenstein-pnueli"),
    Some("feasible"),
];

#[test]
fn nets_have_the_expected_answers() {
    let table = std::fs::read_to_string(folder().join("maria.txt")).expect("the table");
    let rows = table.lines().map(str::trim);
    let rows = rows.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let (mut count, mut nets) = (0, Vec::new());
    for row in rows {
        // A formula may have `||`, which has no blanks inside.
        let columns: Vec<&str> = row.split(" | ").map(str::trim).collect();
        let [net, formula, fairness, expected, source] = columns[..] else {
            panic!("not five columns: {row}");
        };
        assert!(["known", "implied", "reasoned"].contains(&source), "{row}");
        let text = std::fs::read_to_string(folder().join(net)).expect("a net");
        let model = load(&text, &[]).unwrap_or_else(|error| panic!("{net}: {error}"));
        count += 1;
        nets.push(net.to_string());
        if formula == "states" {
            assert_eq!(search(&*model).states.to_string(), expected, "{row}");
            continue;
        }
        for engine in ENGINES {
            let mut asking = Asking::default();
            asking.request.properties = Wanted::Named(Vec::new());
            asking.request.linear = vec![formula.to_string()];
            asking.request.no_fairness = fairness != "declared";
            if !["declared", "none"].contains(&fairness) {
                let given = fairness.split(" + ");
                asking.request.fair = given.map(str::to_string).collect();
            }
            let mut options = Options::default();
            options.counterexample = Counterexamples::First;
            options.engine = engine.map(str::to_string);
            let report = check(&*model, &asking, &options, &mut Silent);
            let report = report.unwrap_or_else(|error| panic!("{error}: {row}, by {engine:?}"));
            let verdict = &report.properties[0].verdict;
            let found = match (verdict.is_decided(), verdict.holds()) {
                (false, _) => "unknown",
                (_, true) => "holds",
                _ => "violated",
            };
            assert_eq!(found, expected, "{row}, by {engine:?}");
        }
    }
    assert!(count >= 20, "{count} rows");
    for entry in std::fs::read_dir(folder()).expect("the folder") {
        let name = entry.expect("an entry").file_name();
        let name = name.into_string().expect("a name");
        if name.ends_with(".pn") {
            assert!(nets.contains(&name), "{name} is not in the table");
        }
    }
}
