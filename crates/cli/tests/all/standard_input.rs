//! Models from standard input: the language is told from the text, or said.

use std::process::Command;

use evenhand_testkit::piped;

fn call(arguments: &[&str], input: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenhand"));
    command.args(arguments);
    let output = piped(&mut command, input).expect("evenhand runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the output is text");
    let (out, errors) = (text(output.stdout), text(output.stderr));
    (output.status.code(), out, errors)
}

const SMV: &str = "-- A light.
MODULE main
VAR on : boolean;
ASSIGN init(on) := FALSE; next(on) := !on;
LTLSPEC NAME blinks := G F on
";
const PROMELA: &str = "/* MODULE main */ bool on; active proctype p() { do :: on = !on od }
ltl blinks { [] <> on }";

#[test]
fn the_text_tells_the_language() {
    for (text, language) in [(SMV, "smv"), (PROMELA, "promela")] {
        let (code, out, errors) = call(&["check", "-", "--format", "json"], text);
        assert_eq!((code, errors.as_str()), (Some(0), ""), "{language}");
        let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(json["language"], language);
        let names: Vec<_> = json["properties"]
            .as_array()
            .expect("answers")
            .iter()
            .collect();
        assert!(
            names
                .iter()
                .any(|p| p["name"] == "blinks" && p["verdict"] == "holds")
        );
    }
    for command in ["states", "simulate"] {
        let arguments = match command {
            "simulate" => vec![command, "--steps", "2", "-"],
            _ => vec![command, "-"],
        };
        assert_eq!(call(&arguments, SMV).0, Some(0), "{command}");
    }
}

#[test]
fn what_is_said_counts_more() {
    let (code, _, errors) = call(&["check", "-", "--lang", "promela"], SMV);
    assert_eq!(code, Some(2));
    assert!(errors.contains("standard input:1:1"), "{errors}");
    let (code, _, _) = call(&["check", "-", "--lang", "smv"], &SMV[12..]);
    assert_eq!(code, Some(0));
}

#[test]
fn an_automaton_is_checked_for_emptiness() {
    let (_, automaton, _) = call(&["translate", "G F p & F G !p"], "");
    let (code, out, _) = call(&["check", "-"], &automaton);
    assert_eq!((code, out.as_str()), (Some(0), "empty\n"));
    let (_, automaton, _) = call(&["translate", "G F p"], "");
    let (code, out, _) = call(&["check", "-", "--format", "json"], &automaton);
    let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(
        (code, &json["properties"][0]["kind"]),
        (Some(1), &"emptiness".into())
    );
    assert_eq!(json["language"], "hoa");
    for more in [
        &["-p", "x"][..],
        &["--ltl", "p"],
        &["--fair", "weak"],
        &["--report", "x.html"],
    ] {
        let (code, out, errors) = call(&[&["check", "-"], more].concat(), &automaton);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{more:?}");
        assert!(errors.contains("only the emptiness is checked"));
    }
    let (code, _, errors) = call(&["states", "-"], &automaton);
    assert_eq!(code, Some(2));
    assert!(
        errors.contains("an omega-automaton, not a model"),
        "{errors}"
    );
}
