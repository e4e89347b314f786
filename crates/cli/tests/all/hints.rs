//! Formulas and options as other tools have them: an error at the place, and what to write instead.
//! Each example comes in several surroundings, with names that are drawn.

use std::path::Path;
use std::process::Command;

use evenhand_source::SplitMix64;

fn call(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_evenhand"))
        .args(arguments)
        .env("NO_COLOR", "1")
        .output()
        .expect("evenhand runs");
    let errors = String::from_utf8(output.stderr).expect("text");
    (output.status.code(), errors)
}

fn model(text: &str) -> String {
    // Tests run beside each other: each has a folder of its own.
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("hints").replace(':', "_");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("model.pml");
    std::fs::write(&path, text).expect("a file");
    path.display().to_string()
}

/// A formula with `{}` for names, the operator that is wrong in it, and what the hint says.
const CASES: [(&str, &str, &str); 36] = [
    ("G {}", "G", "write `[]` for `G`"),
    ("G ({} -> F {})", "G", "write `[]` for `G`"),
    ("<> ({} && G {})", "G", "write `[]` for `G`"),
    ("[] ({} -> G !{})", "G", "write `[]` for `G`"),
    ("F {}", "F", "write `<>` for `F`"),
    ("[] ({} -> F {})", "F", "write `<>` for `F`"),
    ("{} || F ({} && {})", "F", "write `<>` for `F`"),
    ("GF {}", "GF", "write `[]<>` for `GF`"),
    ("FG {} -> {}", "FG", "write `<>[]` for `FG`"),
    ("{} && XX {}", "XX", "write `X X` for `XX`"),
    ("{} /\\ {}", "/\\", "write `&&`"),
    ("[] ({} /\\ !{})", "/\\", "write `&&`"),
    ("({} /\\ {}) U {}", "/\\", "write `&&`"),
    ("{} \\/ {}", "\\/", "write `||`"),
    ("[] ({} \\/ <> {})", "\\/", "write `||`"),
    ("!({} \\/ {})", "\\/", "write `||`"),
    ("{} ~> {}", "~>", "write `[] (p -> <> q)`"),
    ("({}) ~> ({} && {})", "~>", "write `[] (p -> <> q)`"),
    ("[] ({} ~> {})", "~>", "write `[] (p -> <> q)`"),
    ("{} and {}", "and", "write `&&` for `and`"),
    ("[] ({} and <> {})", "and", "write `&&` for `and`"),
    ("[] {} AND {}", "AND", "write `&&` for `AND`"),
    ("{} or {}", "or", "write `||` for `or`"),
    ("not {}", "not", "write `!` for `not`"),
    ("[] (not {} || {})", "not", "write `!` for `not`"),
    ("<> not ({} && {})", "not", "write `!` for `not`"),
    ("{} => {}", "=", "write `->` for an implication"),
    ("[] ({} => <> {})", "=", "write `->` for an implication"),
    ("[] (!{} => {})", "=", "write `->` for an implication"),
    ("{} ==> {}", "==>", "write `->` for `==>`"),
    ("{} <=> {}", "<=>", "write `<->` for `<=>`"),
    ("[] ({} = 1)", "=", "write `==`"),
    ("□ {}", "□", "write `[]`"),
    ("{} ∧ {}", "∧", "write `&&`"),
    ("AG {}", "AG", "path quantifiers"),
    ("[] ({} -> O {})", "O", "operators of the past"),
];

#[test]
fn operators_of_other_logics_are_told_what_they_are_here() {
    let mut random = SplitMix64::new(3);
    let names = ["p", "ready", "x2", "_done", "lock_is_free"];
    for (formula, operator, hint) in CASES {
        let mut text = formula.to_string();
        while text.contains("{}") {
            text = text.replacen("{}", names[random.below(names.len())], 1);
        }
        let declared = format!(
            "bool {};\nactive proctype a() {{ skip }}\n",
            names.join(", ")
        );
        let path = model(&format!("{declared}ltl f {{ {text} }}\n"));
        let (code, errors) = call(&["check", &path]);
        assert_eq!(code, Some(2), "{text}");
        // Right at the operator, and nothing else is complained about.
        let offset = text.find(operator).expect("it is there");
        let column = "ltl f { ".len() + text[..offset].chars().count() + 1;
        assert!(
            errors.contains(&format!("model.pml:3:{column}\n")),
            "{text}: {errors}"
        );
        assert!(errors.contains(hint), "{text}: {errors}");
        assert_eq!(errors.matches("error: ").count(), 1, "{text}: {errors}");
    }
}

#[test]
fn words_that_a_model_declares_are_its_own() {
    let path =
        model("bool G, not, and;\nactive proctype a() { G = 1 }\nltl f { [] (G -> !not) }\n");
    let (code, errors) = call(&["check", "-q", &path]);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    // `X` is one of SPIN's own.
    let path = model("bool p;\nactive proctype a() { p = 1 }\nltl f { X p || [] X !p }\n");
    assert_eq!(call(&["check", "-q", &path]).0, Some(0));
}

#[test]
fn the_same_is_said_of_formulas_on_the_command_line() {
    let path = model("bool p, q;\nactive proctype a() { p = 1 }\n");
    for (formula, hint) in [
        ("p and q", "`&&`"),
        ("G (p and not q)", "`&&`"),
        ("p ~> q", "<> q"),
        ("G (not p)", "`!`"),
        ("p /\\ q", "`&&`"),
    ] {
        let (code, errors) = call(&["check", "--ltl", formula, &path]);
        assert_eq!(code, Some(2), "{formula}");
        assert!(
            errors.contains("--> --ltl:1:") && errors.contains(hint),
            "{errors}"
        );
    }
}

#[test]
fn options_of_spin_are_told_what_they_are_here() {
    let path = model("active proctype a() { skip }\n");
    for (option, hint) in [
        ("-f", "`--fair spin-weak`"),
        ("-fq", "`--fair spin-weak`"),
        ("-a", "cycles are always looked for"),
        ("-l", "`-p progress`"),
        ("-m1000", "`--max-depth N`"),
        ("-run", "`evenhand check MODEL`"),
    ] {
        let (code, errors) = call(&["check", option, &path]);
        assert_eq!(code, Some(2), "{option}");
        assert!(
            errors.contains("tip: ") && errors.contains(hint),
            "{option}: {errors}"
        );
    }
    let (_, errors) = call(&["check", "-x", &path]);
    assert!(!errors.contains("SPIN"), "{errors}");
    let (_, errors) = call(&["states", "-f", &path]);
    assert!(!errors.contains("--fair"), "{errors}");
}

#[test]
fn atoms_that_are_no_names_want_quotes() {
    let mut random = SplitMix64::new(11);
    for (term, atom) in [
        ("{} == 1", "{} == 1"),
        ("{}=1", "{}=1"),
        ("{}[0]", "{}[0]"),
        ("{}@crit", "{}@crit"),
        ("{}[2]:y > 3", "{}[2]:y > 3"),
        ("3 < {}", "3 < {}"),
        ("{} + 1 <= 7", "{} + 1 <= 7"),
        ("{} != 2", "{} != 2"),
    ] {
        let name = ["x", "count", "proc"][random.below(3)];
        let (term, atom) = (term.replace("{}", name), atom.replace("{}", name));
        for formula in [
            format!("G {term}"),
            format!("{term} U q"),
            format!("p -> F ({term})"),
        ] {
            for command in ["formula", "translate"] {
                let (code, errors) = call(&[command, &formula]);
                assert_eq!(code, Some(2), "{formula}");
                let help = format!("stands in quotes: \"{atom}\"");
                assert!(errors.contains(&help), "{formula}: {errors}");
                assert!(errors.contains(":1:"), "{formula}: {errors}");
            }
            // And so it is understood.
            let quoted = formula.replace(&term, &format!("\"{atom}\""));
            assert_eq!(call(&["translate", &quoted]).0, Some(0), "{quoted}");
        }
    }
}
