//! Texts of a model cannot do anything to the terminal of the person who checks it.

use std::path::{Path, PathBuf};
use std::process::Command;

use evenhand_testkit::piped;

/// Clears the screen, changes colours in two ways, and turns the direction of writing.
const EVIL: &str = "\u{1b}[2J\u{1b}[31m\u{9b}32m\u{202e}\u{2066}\r\u{7}";

fn file(name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

/// What a call says, on both streams.
fn call(arguments: &[&str], path: &Path, input: &str) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenhand"));
    command.args(arguments).arg(path);
    let output = piped(&mut command, input).expect("evenhand runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the output is text");
    (text(output.stdout), text(output.stderr))
}

/// Nothing in it acts on a terminal.
fn assert_tame(text: &str) {
    let acts = |c: char| {
        c.is_control() && c != '\n'
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert!(!text.contains(acts), "{text:?}");
}

/// The text without the colours that are ours: bold, dim and plain colours in one sequence.
fn without_colours(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, code)) = rest.split_once("\u{1b}[") {
        plain += before;
        let (code, behind) = code.split_once('m').expect("a colour");
        assert!(
            code.chars().all(|c| c.is_ascii_digit() || c == ';'),
            "{code:?}"
        );
        rest = behind;
    }
    plain + rest
}

fn promela() -> PathBuf {
    // A string ends at the end of its line.
    let evil = EVIL.replace('\r', "\\r");
    let text = format!(
        "byte x;\nactive proctype p() {{ printf(\"told {evil} so\\n\"); x = 1; assert(x == 2) }}\n\
         ltl quiet {{ [] (x == 0) }}\n"
    );
    file(&format!("model{EVIL}.pml"), &text)
}

#[test]
fn answers_are_tame() {
    let path = promela();
    let (out, errors) = call(&["check", "-v", "--trail", "/dev/null"], &path, "");
    assert_tame(&out);
    assert_tame(&errors);
    assert!(out.contains("told \\u{1b}[2J\\u{1b}[31m\\u{9b}32m\\u{202e}\\u{2066}\\u{d}\\u{7} so"));
    assert!(
        out.contains("model\\u{1b}[2J"),
        "the name of the file: {out}"
    );
    let (out, errors) = call(
        &["check", "--color", "always", "--progress", "always"],
        &path,
        "",
    );
    assert!(out.contains('\u{1b}'));
    assert_tame(&without_colours(&out));
    assert!(without_colours(&out).contains("told \\u{1b}[2J\\u{1b}[31m"));
    let errors = errors.replace("\r\u{1b}[K", "");
    assert_tame(&without_colours(&errors));
    for arguments in [
        &["simulate"][..],
        &["simulate", "--interactive"],
        &["advise"],
        &["states"],
    ] {
        let (out, errors) = call(arguments, &path, &format!("r\nw {EVIL}\n/{EVIL}\np\nr 9\n"));
        assert_tame(&out);
        assert_tame(&errors);
    }
}

#[test]
fn programs_read_what_is_there() {
    let (out, _) = call(&["check", "--format", "json"], &promela(), "");
    let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert!(
        json["model"]
            .as_str()
            .is_some_and(|name| name.contains(EVIL))
    );
}

#[test]
fn diagnostics_are_tame() {
    let broken = format!("byte x; /* {EVIL} */\nactive proctype p() {{ /* {EVIL} */ y = 1 }}\n");
    let smv = format!("MODULE main -- {EVIL}\nVAR x : boolean; y : {EVIL} boolen;\n");
    let hoa = format!("HOA: v1\nStates: 1\nAP: 1 \"{EVIL}\"\nacceptance: 1 Inf(0 {EVIL}\n");
    let name = |ending: &str| format!("wrong{EVIL}.{ending}");
    for (ending, text) in [("pml", broken), ("smv", smv), ("hoa", hoa)] {
        let path = file(&name(ending), &text);
        for colour in ["never", "always"] {
            let (out, errors) = call(&["check", "--color", colour], &path, "");
            assert_eq!(out, "", "{ending}");
            assert!(errors.contains("error"), "{ending}");
            let errors = match colour {
                "always" => without_colours(&errors),
                _ => errors,
            };
            assert_tame(&errors);
            assert!(errors.contains("wrong\\u{1b}[2J"), "{errors}");
        }
    }
    let missing = promela().with_file_name(format!("missing{EVIL}.pml"));
    let (_, errors) = call(&["check"], &missing, "");
    assert_tame(&errors);
    let (_, errors) = call(&["check", "-p", EVIL], &promela(), "");
    assert_tame(&errors);
}

#[test]
fn automata_are_tame() {
    let text = format!(
        "HOA: v1\nname: \"{EVIL}\"\nStates: 1\nStart: 0\nAP: 1 \"{EVIL}\"\nacc-name: Buchi\n\
         Acceptance: 1 Inf(0)\n--BODY--\nState: 0 {{0}}\n[0] 0\n--END--\n"
    );
    let (out, errors) = call(&["empty"], &file("one.hoa", &text), "");
    assert!(out.starts_with("not empty"), "{out}{errors}");
    assert_tame(&out);
    assert_tame(&errors);
}
