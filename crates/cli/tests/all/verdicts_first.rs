//! What is known stays known: a limit that is reached after a violation was found loses neither the
//! verdict nor the run that was there. And what may be read.

use std::path::{Path, PathBuf};
use std::process::Command;

use evenhand_source::SplitMix64;
use evenhand_testkit::piped;
use serde_json::Value;

use super::limits::call;

fn model(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("first-{name}"));
    std::fs::write(&path, text).expect("the target directory can be written to");
    path
}

fn check(model: &Path, arguments: &[&str]) -> (Option<i32>, Value) {
    call("check", model, arguments)
}

fn verdicts(object: &Value) -> Vec<(String, String)> {
    let list = object["properties"].as_array().expect("properties");
    let text = |p: &'_ Value, key: &str| p[key].as_str().map(str::to_owned).unwrap_or_default();
    let pairs = list.iter().map(|p| (text(p, "name"), text(p, "verdict")));
    pairs.collect()
}

/// Four counters, and formulas whose violations are found at once and are far from short.
fn counters(moduli: [u32; 4], formulas: usize) -> String {
    let [a, b, c, d] = moduli;
    let mut text = format!(
        "byte a, b, c, d;\n\
         active proctype p() {{ do :: a = (a + 1) % {a} :: b = (b + 1) % {b} od }}\n\
         active proctype q() {{ do :: c = (c + 1) % {c} :: d = (d + 1) % {d} od }}\n"
    );
    for at in 0..formulas {
        text += &format!("ltl f{at} {{ [] (a + b + c < {}) }}\n", 130 + at);
    }
    text
}

/// The run that was there when a violation was found is shown, even if the next question has used up
/// all states.
#[test]
fn what_was_there_is_shown() {
    let text = counters([250, 250, 250, 250], 1) + "ltl other { [] (a != 251) }\n";
    let path = model("kept.pml", &text);
    for limit in [["--limit-states", "30000"], ["--limit-memory", "60M"]] {
        let arguments = [&["-p", "f0", "-p", "other"][..], &limit].concat();
        let (code, object) = check(&path, &arguments);
        assert_eq!(code, Some(1), "{object}");
        let found: Vec<String> = verdicts(&object).into_iter().map(|(_, v)| v).collect();
        assert_eq!(found, ["violated", "unknown"], "{limit:?}: {object}");
        let run = &object["properties"][0]["counterexample"];
        assert_eq!(run["replayed"], true, "{limit:?}: {object}");
    }
}

/// Automata of more states than are numbered in advance: their runs are found again.
#[test]
fn runs_with_large_automata() {
    let mut random = SplitMix64::new(11);
    let text = "MODULE main\nVAR p : boolean; q : boolean;\n";
    let path = model("two.smv", text);
    for count in [17, 20, 25, 30] {
        let states = (0..count).map(|state| {
            let mut lines = format!(
                "State: {state}{}\n",
                if state % 3 == 0 { " {0}" } else { "" }
            );
            for label in ["0&1", "!0&1", "0&!1"] {
                for _ in 0..2 {
                    lines += &format!("[{label}] {}\n", random.below(count));
                }
            }
            lines
        });
        let automaton = format!(
            "HOA: v1\nStates: {count}\nStart: 0\nAP: 2 \"p\" \"q\"\nacc-name: Buchi\n\
             Acceptance: 1 Inf(0)\n--BODY--\n{}--END--\n",
            states.collect::<String>()
        );
        let automaton = model(&format!("large-{count}.hoa"), &automaton);
        let automaton = automaton.to_str().expect("a plain name");
        for how in ["shortest", "first", "none"] {
            for engine in ["auto", "ndfs"] {
                let arguments = ["--automaton", automaton, "--counterexample", how];
                let arguments = [&arguments[..], &["--engine", engine]].concat();
                let (code, object) = check(&path, &arguments);
                assert_eq!(code, Some(1), "{object}");
                if how != "none" {
                    let run = &object["properties"][0]["counterexample"];
                    assert_eq!(run["replayed"], true, "{object}");
                }
            }
        }
    }
}

/// Included files: only regular ones, only so large, and only under the folder of the model if that is
/// asked for.
#[test]
fn what_is_included() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("first-included");
    std::fs::create_dir_all(folder.join("inner/deeper")).expect("folders can be made");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).expect("the folder can be written to");
    };
    write("outside.h", "#define X 1\n");
    write("inner/beside.h", "#define X 1\n");
    write("inner/deeper/below.h", "#include \"../beside.h\"\n");
    let call = |included: &str, arguments: &[&str]| {
        let text = format!("#include \"{included}\"\nint x = X;\nactive proctype p() {{ x++ }}\n");
        write("inner/model.pml", &text);
        let output = Command::new(env!("CARGO_BIN_EXE_evenhand"))
            .current_dir(&folder)
            .args(["check", "inner/model.pml"])
            .args(arguments)
            .output()
            .expect("the command runs");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), told)
    };
    let outside = folder.join("outside.h").display().to_string();
    for name in ["beside.h", "deeper/below.h", "deeper/../beside.h"] {
        assert_eq!(call(name, &["--confine"]).0, Some(0), "{name}");
    }
    for name in ["../outside.h", "deeper/../../outside.h", &outside] {
        assert_eq!(call(name, &[]).0, Some(0), "{name}");
        let (code, told) = call(name, &["--confine"]);
        assert_eq!(code, Some(2), "{name}: {told}");
        assert!(
            told.contains("outside of the folder of the model"),
            "{told}"
        );
        assert!(told.contains("inner/model.pml:1"), "{told}");
        // A folder that is named is allowed.
        assert_eq!(call(name, &["--confine", "-I", "."]).0, Some(0), "{name}");
    }
    #[cfg(unix)]
    for name in ["/dev/zero", "/dev/urandom", "/dev/tty"] {
        let (code, told) = call(name, &["--limit-time", "20s"]);
        assert_eq!(code, Some(2), "{name}: {told}");
        assert!(told.contains("no regular file"), "{told}");
    }
    let (code, told) = call("no_such_file.h", &["--confine"]);
    assert_eq!(code, Some(2));
    assert!(told.contains("there is no such file"), "{told}");
    write(
        "inner/long.h",
        &format!("#define X 1\n{}", " ".repeat(5000)),
    );
    assert_eq!(call("long.h", &["--limit-file", "1000"]).0, Some(2));
    assert_eq!(call("long.h", &["--limit-file", "10K"]).0, Some(0));
}

/// A text that is too long is refused, wherever it comes from.
#[test]
fn what_is_too_large() {
    let path = model(
        "large.pml",
        &format!("active proctype p() {{ skip }}{}", " ".repeat(3000)),
    );
    let path = path.to_str().expect("a plain name");
    for (arguments, code) in [
        (vec!["check", path, "--limit-file", "1000"], 2),
        (vec!["states", path, "--limit-file", "1000"], 2),
        (vec!["check", "-", "--limit-file", "1000"], 2),
        (vec!["empty", "-", "--limit-file", "1000"], 2),
        (vec!["check", path, "--limit-file", "4K"], 0),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_evenhand"));
        let output = piped(command.args(&arguments), &" ".repeat(5000)).expect("it runs");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {told}");
        if code == 2 {
            assert!(told.contains("1000"), "{arguments:?}: {told}");
        }
    }
}
