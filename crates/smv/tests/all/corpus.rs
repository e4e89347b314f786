//! Models written by others: accepted or refused as NuSMV does, with its properties and states.
//!
//! NuSMV printed each property as it understood it, with parentheses everywhere. Read back inside
//! the same model it must be the same formula: that checks how operators bind, what names stand
//! for, and the order of the properties.

use std::collections::BTreeMap;

use evenhand_smv::{SmvModel, SmvProperty, SmvPropertyKind};
use serde_json::Value;

use crate::common::{corpus, explored, load};

/// Models with more states than this are read but not explored here.
const MOST_STATES: f64 = 3000.0;

fn rows() -> Option<(std::path::PathBuf, BTreeMap<String, Vec<Value>>)> {
    let Some(root) = corpus("smv") else {
        println!("skipped: no corpus of SMV models beside the repository");
        return None;
    };
    let text = std::fs::read_to_string(root.join("expected.jsonl")).expect("the expected verdicts");
    let mut files: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).expect("a row");
        let file = row["file"].as_str().expect("a file").to_string();
        files.entry(file).or_default().push(row);
    }
    Some((root, files))
}

fn read(path: &std::path::Path) -> String {
    String::from_utf8_lossy(&std::fs::read(path).expect("a model")).into_owned()
}

fn of_kind<'m>(model: &'m SmvModel, kind: &str) -> Vec<&'m SmvProperty> {
    let word = match kind {
        "CTL" => "ctl",
        "LTL" => "ltl",
        "INVAR" => "invar",
        "PSL" => "psl",
        _ => "compute",
    };
    let list = model.properties.iter();
    list.filter(|p| p.kind.word() == word).collect()
}

/// A property as NuSMV prints it, as a section of a model. It prints PSL with the precedences of
/// SMV.
fn section(kind: &str, name: &str, property: &str) -> String {
    let (word, body) = match kind {
        "CTL" => ("CTLSPEC", property.to_string()),
        "LTL" => ("LTLSPEC", property.to_string()),
        "INVAR" => ("INVARSPEC", property.to_string()),
        "PSL" => {
            let body = property
                .replace("always", "G")
                .replace("never", "G !")
                .replace("eventually!", "F");
            let branching = ["AG", "AF", "EF", "EG"].iter().any(|q| body.contains(q));
            (if branching { "CTLSPEC" } else { "LTLSPEC" }, body)
        }
        _ => ("COMPUTE", property.to_string()),
    };
    format!("\n{word} NAME {name} := {body};\n")
}

#[test]
fn every_model_is_accepted_or_refused_as_nusmv_does() {
    let Some((root, files)) = rows() else { return };
    let mut wrong = Vec::new();
    for (file, rows) in &files {
        let refused = rows[0]["verdict"] == "rejected";
        match (load(&read(&root.join(file))), refused) {
            (Ok(_), false) | (Err(_), true) => {}
            (Ok(_), true) => wrong.push(format!("{file}: NuSMV refuses it: {}", rows[0]["note"])),
            (Err(errors), false) => wrong.push(format!("{file}: {}", errors.join("; "))),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(files.len() >= 40);
}

#[test]
fn properties_are_those_that_nusmv_prints() {
    let Some((root, files)) = rows() else { return };
    let mut compared = 0;
    for (file, rows) in &files {
        let text = read(&root.join(file));
        let mut kinds: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for row in rows {
            if let (Some(kind), Some(property)) = (row["kind"].as_str(), row["property"].as_str()) {
                kinds.entry(kind).or_default().push(property);
            }
        }
        let Some(at) = text.find("MODULE main") else {
            continue;
        };
        if kinds.is_empty() {
            continue;
        }
        let (head, tail) = text.split_at(at + "MODULE main".len());
        let mut printed = String::new();
        for (kind, list) in &kinds {
            for (number, property) in list.iter().enumerate() {
                printed.push_str(&section(
                    kind,
                    &format!("printed_{kind}_{number}"),
                    property,
                ));
            }
        }
        let both = format!("{head}\n{printed}\n{tail}");
        let model = load(&both).unwrap_or_else(|errors| panic!("{file}: {}", errors.join("\n")));
        let is_printed = |p: &SmvProperty| p.name.starts_with("printed_");
        for (kind, list) in &kinds {
            let mut own = of_kind(&model, kind);
            own.retain(|p| !is_printed(p));
            assert_eq!(own.len(), list.len(), "{file}: properties of kind {kind}");
            for (number, own) in own.into_iter().enumerate() {
                let name = format!("printed_{kind}_{number}");
                let printed = model.properties.iter().find(|p| p.name == name);
                let printed = printed.expect("it was read");
                assert_eq!(printed.formula, own.formula, "{file}: {}", own.text);
                if let (
                    SmvPropertyKind::Compute { to, minimum },
                    SmvPropertyKind::Compute { to: t, minimum: m },
                ) = (&printed.kind, &own.kind)
                {
                    assert_eq!((to, minimum), (t, m), "{file}: {}", own.text);
                }
                compared += 1;
            }
        }
    }
    assert!(compared > 150, "{compared}");
}

#[test]
fn small_models_have_as_many_states_as_nusmv_finds() {
    let Some((root, files)) = rows() else { return };
    let mut compared = 0;
    for (file, rows) in &files {
        let expected = rows[0]["reachable"].as_str();
        let Some(expected) = expected.and_then(|n| n.parse::<f64>().ok()) else {
            continue;
        };
        if expected > MOST_STATES {
            continue;
        }
        let model = load(&read(&root.join(file))).expect("accepted");
        let (states, _) = explored(model.relation, 100_000).expect(file);
        assert_eq!(states as f64, expected, "{file}");
        compared += 1;
    }
    assert!(compared >= 25, "{compared}");
}

#[test]
fn the_programs_of_the_paper_are_read() {
    let Some(root) = corpus("kprs") else {
        println!("skipped: no programs of the paper beside the repository");
        return;
    };
    for (file, states, properties) in [
        ("ctl.smv", 4, 3),
        ("cx.smv", 4, 1),
        ("cx2.smv", 2, 1),
        ("min.smv", 3, 3),
        ("proc.smv", 8, 4),
    ] {
        let model = load(&read(&root.join("compassion-traps").join(file))).expect(file);
        assert_eq!(
            model.relation.compassion.len(),
            if file == "proc.smv" { 2 } else { 1 }
        );
        assert_eq!(model.properties.len(), properties, "{file}");
        let (count, _) = explored(model.relation, 1000).expect(file);
        assert_eq!(count, states, "{file}");
    }
}
