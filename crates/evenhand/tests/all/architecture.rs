//! The hall stays a hall: its modules do not import each other in circles, and nothing outside a
//! front-end knows a language by name.
//!
//! Both are read off the sources. A module is a file; an edge is a `crate::…`, `super::…` or
//! `self::…` path in its code. Comments and tests do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The crates of the hall.
const HALL: [&str; 7] = [
    "verify",
    "advise",
    "report",
    "evenhand",
    "lsp",
    "workbench",
    "cli",
];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(name)
        .join("src")
}

/// The sources of a crate: the path of each module, and its code.
fn modules(root: &Path) -> BTreeMap<Vec<String>, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![(root.to_path_buf(), Vec::new())];
    while let Some((folder, path)) = open.pop() {
        for entry in fs::read_dir(&folder).expect("the crate is there") {
            let file = entry.expect("an entry").path();
            let name = file
                .file_stem()
                .and_then(|s| s.to_str())
                .unwrap_or_default();
            let mut module: Vec<String> = path.clone();
            if file.is_dir() {
                module.push(name.to_string());
                open.push((file, module));
            } else if file.extension().is_some_and(|e| e == "rs") {
                if !["lib", "main", "mod"].contains(&name) {
                    module.push(name.to_string());
                }
                let text = fs::read_to_string(&file).expect("a source");
                found.insert(module, code(&text));
            }
        }
    }
    found
}

/// The code of a source without comments and tests.
fn code(text: &str) -> String {
    let lines = text
        .lines()
        .take_while(|line| !line.starts_with("#[cfg(test)]"));
    let lines = lines.map(|line| match line.trim_start().starts_with("//") {
        true => "",
        false => line.split(" // ").next().unwrap_or_default(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The modules that a module names: each path as far as it is one of modules.
fn imports(
    module: &[String],
    code: &str,
    all: &BTreeMap<Vec<String>, String>,
) -> BTreeSet<Vec<String>> {
    let mut found = BTreeSet::new();
    for path in paths(code) {
        let mut parts = path.iter().map(String::as_str);
        let mut target: Vec<String> = match parts.next() {
            Some("crate") => Vec::new(),
            Some("self") => module.to_vec(),
            Some("super") => module[..module.len().saturating_sub(1)].to_vec(),
            _ => continue,
        };
        for part in parts {
            match part {
                "super" => {
                    target.pop();
                }
                part => {
                    target.push(part.to_string());
                    if !all.contains_key(&target) {
                        target.pop();
                        break;
                    }
                }
            }
        }
        // The root of a crate hands out what its modules have: that is no import.
        if target != module && !target.is_empty() {
            found.insert(target);
        }
    }
    found
}

/// All paths that begin in this crate, the branches of a list included.
fn paths(code: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            expand(&code[at..], Vec::new(), &mut found);
        }
    }
    found
}

/// Follows a path, and into each branch of a list; what is left of the text behind it.
fn expand<'t>(mut text: &'t str, mut path: Vec<String>, found: &mut Vec<Vec<String>>) -> &'t str {
    loop {
        text = text.trim_start();
        if let Some(inside) = text.strip_prefix('{') {
            text = inside;
            while !text.trim_start().starts_with('}') && !text.is_empty() {
                text = expand(text, path.clone(), found).trim_start();
                text = text.strip_prefix(',').unwrap_or(text);
            }
            return text.trim_start().strip_prefix('}').unwrap_or("");
        }
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
        let (word, rest) = text.split_at(end.unwrap_or(text.len()));
        if word.is_empty() {
            found.push(path);
            // Nothing that a path can have: go on behind it.
            let mut chars = rest.chars();
            chars.next();
            return chars.as_str();
        }
        path.push(word.to_string());
        match rest.strip_prefix("::") {
            Some(more) => text = more,
            None => {
                found.push(path);
                return rest;
            }
        }
    }
}

/// A circle of imports, if there is one.
fn circle(edges: &BTreeMap<Vec<String>, BTreeSet<Vec<String>>>) -> Option<Vec<Vec<String>>> {
    fn visit(
        at: &[String],
        edges: &BTreeMap<Vec<String>, BTreeSet<Vec<String>>>,
        way: &mut Vec<Vec<String>>,
        done: &mut BTreeSet<Vec<String>>,
    ) -> Option<Vec<Vec<String>>> {
        if let Some(first) = way.iter().position(|known| known == at) {
            return Some(way[first..].to_vec());
        }
        if !done.insert(at.to_vec()) {
            return None;
        }
        way.push(at.to_vec());
        for next in edges.get(at).into_iter().flatten() {
            if let Some(circle) = visit(next, edges, way, done) {
                return Some(circle);
            }
        }
        way.pop();
        None
    }
    let mut done = BTreeSet::new();
    edges
        .keys()
        .find_map(|start| visit(start, edges, &mut Vec::new(), &mut done))
}

fn edges_of(all: &BTreeMap<Vec<String>, String>) -> BTreeMap<Vec<String>, BTreeSet<Vec<String>>> {
    let modules = all.iter();
    modules
        .map(|(module, code)| (module.clone(), imports(module, code, all)))
        .collect()
}

#[test]
fn no_modules_import_each_other_in_a_circle() {
    for name in HALL {
        let all = modules(&folder(name));
        assert!(!all.is_empty(), "{name}");
        let edges = edges_of(&all);
        let count: usize = edges.values().map(BTreeSet::len).sum();
        assert!(
            name == "evenhand" || count > 3,
            "{name}: {count} imports were seen"
        );
        if let Some(circle) = circle(&edges) {
            let circle: Vec<String> = circle.iter().map(|m| m.join("::")).collect();
            panic!("crates/{name}: {} import each other", circle.join(" → "));
        }
    }
}

#[test]
fn a_circle_would_be_seen() {
    let sources = [
        ("a", "use crate::b::{self, Thing};\nuse std::fmt;"),
        ("b", "fn f() { crate::c::deep::g() }"),
        ("c", ""),
        ("c::deep", "use super::super::d::X;\n// use crate::a::Y;"),
        ("d", "use crate::{c, e::{Y, Z}};"),
        ("e", "use crate::{\n    d::{\n        X,\n    },\n};"),
    ];
    let named = |name: &str| -> Vec<String> { name.split("::").map(str::to_string).collect() };
    let all: BTreeMap<Vec<String>, String> = sources
        .iter()
        .map(|(name, text)| (named(name), code(text)))
        .collect();
    let edges = edges_of(&all);
    assert_eq!(edges[&named("a")], [named("b")].into());
    assert_eq!(edges[&named("b")], [named("c::deep")].into());
    assert_eq!(edges[&named("c::deep")], [named("d")].into());
    assert_eq!(edges[&named("d")], [named("c"), named("e")].into());
    assert_eq!(circle(&edges), Some(vec![named("d"), named("e")]));
    let mut less = edges.clone();
    less.get_mut(&named("e")).expect("e").clear();
    assert_eq!(circle(&less), None);
}

/// Where a language may be named: where it is registered, in what people are told about files and
/// options, and where peers are meant.
const MAY_NAME: [&str; 2] = ["evenhand/src/languages.rs", "evenhand/src/lib.rs"];

#[test]
fn nothing_outside_a_front_end_asks_for_the_language() {
    for name in HALL {
        for (module, code) in modules(&folder(name)) {
            let file = format!("{name}/src/{}.rs", module.join("/"));
            if MAY_NAME.contains(&file.as_str()) || module.is_empty() && name == "evenhand" {
                continue;
            }
            for (number, line) in code.lines().enumerate() {
                let asks = [
                    "evenhand_promela",
                    "evenhand_smv",
                    "language ==",
                    "== \"smv\"",
                ];
                let asks =
                    asks.iter()
                        .chain(&["\"promela\" =>", "\"smv\" =>", ".language.as_str()"]);
                for word in asks {
                    assert!(!line.contains(word), "crates/{file}:{}: {line}", number + 1);
                }
            }
        }
    }
}
