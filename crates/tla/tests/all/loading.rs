//! Specifications of several modules, and the order of names.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use evenhand_source::Files;
use evenhand_tla::syntax::load::{LoadOptions, Sources, load};

use crate::show::told;

/// A folder that is gone when the test is.
struct Folder(PathBuf);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Folder {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder =
            std::env::temp_dir().join(format!("evenhand-tla-{}-{number}", std::process::id()));
        for (name, text) in files {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const STANDARD: [&str; 5] = ["Naturals", "Sequences", "TLC", "FiniteSets", "Functions"];

fn load_with(
    files: &[(&str, &str)],
    config: Option<&str>,
    confined: bool,
) -> Result<Sources, String> {
    let folder = Folder::new(files);
    let main = folder.0.join(files[0].0);
    let mut all = Files::new();
    let file = all.add(main.display().to_string(), files[0].1);
    let options = LoadOptions {
        configuration: config.map(|text| ("M.cfg".to_string(), text.to_string())),
        include_dirs: vec![folder.0.join("library")],
        folder: Some(folder.0.clone()),
        confined,
        most_bytes: None,
        standard: &|name| STANDARD.contains(&name),
    };
    let place = folder.0.display().to_string();
    load(all, file, &options)
        .map_err(|(files, problems)| told(&files, &problems).replace(&place, "HERE"))
}

fn modules(files: &[(&str, &str)]) -> String {
    match load_with(files, None, false) {
        Ok(sources) => {
            let names = sources
                .modules
                .iter()
                .map(|module| sources.names.text(module.ident.name));
            names.collect::<Vec<_>>().join(" ")
        }
        Err(problem) => problem,
    }
}

#[test]
fn modules_are_read_in_the_order_of_sany() {
    let a = ("A.tla", "---- MODULE A ----\nEXTENDS C\n====");
    let b = ("B.tla", "---- MODULE B ----\nEXTENDS D\n====");
    let c = ("library/C.tla", "---- MODULE C ----\n====");
    let d = ("D.tla", "---- MODULE D ----\n====");
    // What is extended comes before what is instantiated; the nearest first.
    let main = (
        "M.tla",
        "---- MODULE M ----\nEXTENDS Naturals, A\nI == LET J == INSTANCE D IN 1\nINSTANCE B\n====",
    );
    assert_eq!(modules(&[main, a, b, c, d]), "M A C D B");
    let main = ("M.tla", "---- MODULE M ----\nEXTENDS A, B\n====");
    assert_eq!(modules(&[main, a, b, c, d]), "M A B C D");
}

#[test]
fn modules_may_stand_inside_and_behind_others() {
    let inner = "---- MODULE M ----\n---- MODULE Inner ----\n====\nI == INSTANCE Inner\n====";
    assert_eq!(modules(&[("M.tla", inner)]), "M");
    let behind = "---- MODULE M ----\nEXTENDS B\n====\n\n---- MODULE A ----\n====\n---- MODULE B ----\nEXTENDS A\n====";
    assert_eq!(modules(&[("M.tla", behind)]), "M B A");
    // A module inside of an extended one can be seen.
    let main = (
        "M.tla",
        "---- MODULE M ----\nEXTENDS A\nI == INSTANCE Inner\n====",
    );
    let a = (
        "A.tla",
        "---- MODULE A ----\n---- MODULE Inner ----\n====\n====",
    );
    assert_eq!(modules(&[main, a]), "M A");
}

#[test]
fn a_file_beside_the_specification_comes_before_what_is_built_in() {
    let main = (
        "M.tla",
        "---- MODULE M ----\nEXTENDS Functions, Sequences\n====",
    );
    let functions = ("Functions.tla", "---- MODULE Functions ----\n====");
    let sequences = ("Sequences.tla", "---- MODULE Sequences ----\n====");
    assert_eq!(modules(&[main, functions, sequences]), "M Functions");
}

#[test]
fn what_is_missing_is_told() {
    let main = ("M.tla", "---- MODULE M ----\nEXTENDS Naturls\n====");
    assert_eq!(
        modules(&[main]),
        "2:9: there is no module `Naturls` (did you mean `Naturals`?)"
    );
    let main = ("M.tla", "---- MODULE M ----\nI == INSTANCE Quux\n====");
    assert_eq!(
        modules(&[main]),
        "2:15: there is no module `Quux` (it is not built in; looked for Quux.tla in HERE and HERE/library)"
    );
    let main = ("M.tla", "---- MODULE M ----\nEXTENDS A\n====");
    let a = ("A.tla", "---- MODULE B ----\n====");
    assert_eq!(
        modules(&[main, a]),
        "1:13: this file should have the module `A`"
    );
    assert_eq!(
        modules(&[("M.tla", "no module")]),
        "1:1: there is no module in this text (a module begins with a line `---- MODULE Name ----`)"
    );
    let a = ("A.tla", "---- MODULE A ----\nx == \n====");
    assert_eq!(
        modules(&[main, a]),
        "3:1: expected an expression, found the end of the module"
    );
}

#[test]
fn modules_that_need_each_other_are_refused() {
    let main = ("M.tla", "---- MODULE M ----\nEXTENDS A\n====");
    let a = ("A.tla", "---- MODULE A ----\nEXTENDS B\n====");
    let b = ("B.tla", "---- MODULE B ----\nI == INSTANCE A\n====");
    assert_eq!(
        modules(&[main, a, b]),
        "2:15: these modules need each other in a circle: A, B"
    );
    let main = ("M.tla", "---- MODULE M ----\nEXTENDS M\n====");
    assert_eq!(modules(&[main]), "2:9: the module `M` needs itself");
}

#[test]
fn an_algorithm_without_a_translation_is_noticed() {
    let text = "---- MODULE M ----\n(* --fair algorithm A { } *)\n====";
    let sources = load_with(&[("M.tla", text)], None, false).expect("a module");
    let span = sources.untranslated.expect("an algorithm");
    assert_eq!(sources.files.text(span), "--fair algorithm");
    let text = text.replace("====", "\\* BEGIN TRANSLATION\n\\* END TRANSLATION\n====");
    let sources = load_with(&[("M.tla", &text)], None, false).expect("a module");
    assert_eq!(sources.untranslated, None);
}

/// The places of some names among all, as their order.
fn order(sources: &Sources, names: &[&str]) -> String {
    let mut places = BTreeMap::new();
    for name in names {
        places.insert(
            sources
                .names
                .get(name)
                .unwrap_or_else(|| panic!("no {name}")),
            *name,
        );
    }
    places.into_values().collect::<Vec<_>>().join(" ")
}

#[test]
fn names_have_the_order_in_which_tlc_meets_them() {
    let main = "---- MODULE M ----\nEXTENDS A, Sequences\nVARIABLE root\nx == \"late\" \\o \"Len\" \\o {\"in2\" : y \\in \"in1\"}\n====";
    let a = "---- MODULE A ----\n\\* comment\nw == \"early\" \\o \"root\"\n====";
    let config = "CONSTANT N = m2 S = {m1, \"text\"} INVARIANT Inv";
    let sources =
        load_with(&[("M.tla", main), ("A.tla", a)], Some(config), false).expect("modules");
    assert!(sources.names.get("comment").is_none());
    // Values of the configuration, words of M, of A and of Sequences; then the strings of A, then those of M.
    let expected = "m2 m1 text root y w Len early late in1 in2 Inv";
    let names: Vec<&str> = expected.split(' ').collect();
    assert_eq!(order(&sources, &names), expected);
}

#[test]
fn nothing_outside_is_read_when_that_is_not_allowed() {
    let main = ("inside/M.tla", "---- MODULE M ----\nEXTENDS A\n====");
    let a = ("A.tla", "---- MODULE A ----\n====");
    let folder = Folder::new(&[main, a]);
    let inside = folder.0.join("inside");
    std::fs::remove_file(inside.join("M.tla")).expect("it is there");
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.0.join("A.tla"), inside.join("A.tla")).expect("a link");
    let mut files = Files::new();
    let file = files.add(inside.join("M.tla").display().to_string(), main.1);
    let options = LoadOptions {
        configuration: None,
        include_dirs: Vec::new(),
        folder: Some(inside),
        confined: true,
        most_bytes: None,
        standard: &|_| false,
    };
    let (files, problems) = load(files, file, &options).expect_err("it is outside");
    assert_eq!(
        told(&files, &problems),
        "2:9: the module `A` is outside of the folder of the specification"
    );
}

#[test]
fn what_is_probably_not_meant_is_told() {
    let warnings = |name: &str, text: &str| {
        let sources = load_with(&[(name, text)], None, false).expect("a module");
        told(&sources.files, &sources.warnings)
    };
    let text = "---- MODULE M ----\na == /\\ TRUE\n      /\\ TRUE\n      /\\ TRUE\nb == \\/ TRUE\n    \\/ TRUE\nc == /\\ TRUE\n     /\\ TRUE /\\ TRUE\n====";
    assert_eq!(
        warnings("M.tla", text),
        "3:7: this `/\\` is not in the column of the list, so it is no item of it (the items of a list begin in one column); \
         6:5: this `\\/` is not in the column of the list, so it is no item of it (the items of a list begin in one column)"
    );
    assert_eq!(
        warnings("Other.tla", "---- MODULE M ----\n===="),
        "1:13: TLC looks for the module `M` in a file M.tla"
    );
}
