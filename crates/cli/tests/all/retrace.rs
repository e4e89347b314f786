//! `simulate` of runs that were written before, of systems too large to list, and in other layouts.

use std::path::{Path, PathBuf};
use std::process::Command;

use evenhand_testkit::piped;
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("retrace")
        .join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn evenhand(folder: &Path, arguments: &[&str], input: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenhand"));
    command.args(arguments).current_dir(folder);
    let output = piped(&mut command, input).expect("evenhand runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

/// Steps of a run, without those in which nothing moves.
fn moves(run: &Value, parts: [&str; 2]) -> Vec<Value> {
    let steps = parts.iter().flat_map(|part| list(run, part));
    steps
        .filter(|step| step["kind"] != "stutter")
        .cloned()
        .collect()
}

#[test]
fn every_run_of_the_json_can_be_followed() {
    let out = folder("json");
    let mut followed = 0;
    for language in ["promela", "smv"] {
        let models = std::fs::read_dir(root().join("models").join(language)).expect("models");
        for model in models.flatten().map(|entry| entry.path()) {
            let name = model.display().to_string();
            if !name.ends_with(".pml") && !name.ends_with(".smv") {
                continue;
            }
            let call = ["check", "--format", "json", "--no-fairness", &name];
            let (_, answers, _) = evenhand(&out, &call, "");
            std::fs::write(out.join("runs.json"), &answers).expect("a file");
            for property in list(&json(&answers), "properties") {
                let run = &property["counterexample"];
                if run.is_null() {
                    continue;
                }
                let which = property["name"].as_str().expect("a name");
                let call = ["simulate", "--replay", "runs.json", "-p", which];
                let (code, told, errors) = evenhand(
                    &out,
                    &[&call[..], &["--format", "json", &name]].concat(),
                    "",
                );
                assert!(matches!(code, Some(0 | 1)), "{name} {which}: {errors}");
                let told = json(&told);
                let (found, expected) = (
                    moves(&told, ["steps", "cycle"]),
                    moves(run, ["prefix", "cycle"]),
                );
                assert_eq!(found, expected, "{name} {which}");
                followed += 1;
            }
        }
    }
    assert!(followed > 10, "{followed}");
}

const MODELS: [&str; 4] = [
    // An atomic stretch, a handshake, a d_step, and a claim.
    "chan c = [1] of { byte }; chan r = [0] of { byte }; byte n, m;\n\
     active proctype p() { do :: atomic { n < 3 -> n++; c!n } :: r!1 od }\n\
     active proctype q() { byte y; do :: c?y; m = y; m++; y = 0 :: r?y; d_step { y = 0; m = 0 } od }\n\
     ltl l { [] (m < 4) }\n",
    // Processes that are started and end.
    "byte n;\nproctype w(byte k) { byte i; i = k; n = n + i }\n\
     init { run w(1); run w(2); (_nr_pr == 1); assert(n != 3) }\n",
    // A cycle.
    "bool x;\nactive proctype a() { do :: x = !x :: skip od }\nactive proctype b() { do :: x -> skip od }\n\
     ltl l { [] <> x }\n",
    // Statements that SPIN merges.
    "byte g;\nactive proctype a() { byte l; l = 1; l = l + 1; l = l + 1; g = l; l = 0; l = 5; assert(g != 3) }\n",
];

#[test]
fn trails_can_be_followed() {
    let has_spin = Command::new("spin").arg("-V").output().is_ok();
    for (number, text) in MODELS.iter().enumerate() {
        let out = folder(&format!("trail{number}"));
        std::fs::write(out.join("m.pml"), text).expect("a file");
        let (code, own, _) = evenhand(
            &out,
            &["check", "--format", "json", "--trail", "own.trail", "m.pml"],
            "",
        );
        assert_eq!(code, Some(1));
        let (code, told, errors) = evenhand(
            &out,
            &[
                "simulate",
                "--replay",
                "own.trail",
                "--format",
                "json",
                "m.pml",
            ],
            "",
        );
        assert!(matches!(code, Some(0 | 1)), "{errors}");
        let own = json(&own);
        let broken = list(&own, "properties").iter();
        let broken = broken
            .map(|p| &p["counterexample"])
            .find(|run| !run.is_null());
        let expected = moves(broken.expect("a run"), ["prefix", "cycle"]);
        assert_eq!(moves(&json(&told), ["steps", "cycle"]), expected, "{text}");
        // And those of SPIN itself, with its merged statements and its claim.
        if !has_spin {
            eprintln!("skipped: there is no SPIN");
            continue;
        }
        let script = "spin -a m.pml && gcc -w -o pan pan.c && ./pan -a -m1000";
        let spin = Command::new("sh")
            .args(["-c", script])
            .current_dir(&out)
            .output();
        if !spin.is_ok_and(|o| o.status.success()) || !out.join("m.pml.trail").exists() {
            eprintln!("skipped: SPIN wrote no trail");
            continue;
        }
        let call = [
            "simulate",
            "--replay",
            "m.pml.trail",
            "--format",
            "json",
            "m.pml",
        ];
        let (code, told, errors) = evenhand(&out, &call, "");
        assert!(matches!(code, Some(0 | 1)), "{text}: {errors}");
        let told = moves(&json(&told), ["steps", "cycle"]);
        // The globals behind the last step are those that SPIN has.
        let spin = Command::new("spin")
            .args(["-t", "-g", "m.pml"])
            .current_dir(&out)
            .output();
        let spin = String::from_utf8_lossy(&spin.expect("spin runs").stdout).into_owned();
        let end = spin.rsplit_once("#processes").map_or("", |(_, end)| end);
        let state = &told.last().expect("a step")["state"];
        let mut compared = 0;
        for line in end.lines() {
            if let Some((name, value)) = line.trim().split_once(" = ")
                && let Some(known) = state.get(name)
            {
                let known = match known {
                    Value::Bool(truth) => u8::from(*truth).to_string(),
                    other => other.to_string(),
                };
                assert_eq!(known, value.trim(), "{name}: {text}\n{spin}");
                compared += 1;
            }
        }
        assert!(compared > 0, "{spin}");
    }
}

#[test]
fn a_run_is_followed_by_hand_and_left_and_found_again() {
    let out = folder("hand");
    std::fs::write(out.join("m.pml"), MODELS[0]).expect("a file");
    let (_, answers, _) = evenhand(&out, &["check", "--format", "json", "m.pml"], "");
    std::fs::write(out.join("runs.json"), answers).expect("a file");
    let call = ["simulate", "-i", "--replay", "runs.json", "m.pml"];
    let (code, told, errors) = evenhand(&out, &call, "n\nn 2\n99\nr\nn\nu 9\nn 99\nn\n");
    assert_eq!((code, errors.as_str()), (Some(0), ""), "{told}");
    let parts: Vec<&str> = told.split("\n> ").collect();
    assert!(
        parts[0].contains("    1* ") || parts[0].contains("    2* "),
        "{told}"
    );
    assert!(parts[3].contains("there is no choice 99"), "{told}");
    assert!(parts[7].contains("the run is over"), "{told}");
    assert!(parts[7].contains("[m = 4]"), "{told}");
    // Without a record there is nothing to follow.
    let (_, told, _) = evenhand(&out, &["simulate", "-i", "m.pml"], "n\n");
    assert!(told.contains("there is no run to follow"), "{told}");
}

#[test]
fn what_cannot_be_followed_is_said_where() {
    let out = folder("lost");
    std::fs::write(out.join("m.pml"), MODELS[1]).expect("a file");
    std::fs::write(out.join("other.pml"), MODELS[2]).expect("a file");
    let (_, answers, _) = evenhand(&out, &["check", "--format", "json", "m.pml"], "");
    std::fs::write(out.join("runs.json"), &answers).expect("a file");
    let mut changed = json(&answers);
    changed["properties"][0]["counterexample"]["prefix"][3]["state"]["n"] = 77.into();
    std::fs::write(out.join("changed.json"), changed.to_string()).expect("a file");
    std::fs::write(out.join("wrong.trail"), "1:0:0\n2:7:3\n").expect("a file");
    std::fs::write(out.join("text"), "hello\n").expect("a file");
    for (replay, model, message) in [
        ("runs.json", "other.pml", "no such initial state"),
        (
            "changed.json",
            "m.pml",
            "after step 2 nothing that the model does is step 3",
        ),
        (
            "wrong.trail",
            "m.pml",
            "nothing that the model does is statement",
        ),
        ("text", "m.pml", "line 1 is neither JSON nor"),
        ("none.json", "m.pml", "cannot read `none.json`"),
    ] {
        let (code, _, errors) = evenhand(&out, &["simulate", "--replay", replay, model], "");
        assert_eq!(code, Some(2), "{replay}: {errors}");
        assert!(errors.contains(message), "{replay}: {errors}");
    }
    let call = [
        "simulate",
        "--replay",
        "runs.json",
        "-p",
        "deadlock",
        "m.pml",
    ];
    let (code, _, errors) = evenhand(&out, &call, "");
    assert_eq!(code, Some(2));
    assert!(
        errors.contains("there is no run of `deadlock` in it"),
        "{errors}"
    );
}

/// A model with inputs that determine the next state, each step of which can be computed here.
fn with_inputs(count: usize, constraint: &str) -> String {
    let mut text = "MODULE main\nIVAR\n".to_string();
    for n in 0..count {
        text += &format!(" i{n} : boolean;\n");
    }
    text += "VAR\n";
    for n in 0..count {
        text += &format!(" x{n} : boolean;\n");
    }
    text += "ASSIGN\n";
    for n in 0..count {
        let other = (n + 1) % count;
        text += &format!(" init(x{n}) := FALSE; next(x{n}) := i{n} & !x{other};\n");
    }
    text + constraint
}

#[test]
fn a_step_among_2_to_the_40_is_drawn() {
    let out = folder("draw");
    for (count, constraint) in [
        (40, ""),
        (64, ""),
        (30, "TRANS i0 -> i1;\nTRANS i2 != i3;\n"),
        (45, "INVAR !(x0 & x1);\n"),
    ] {
        std::fs::write(out.join("m.smv"), with_inputs(count, constraint)).expect("a file");
        let call = |seed: &str| {
            let call = [
                "simulate", "--steps", "6", "--seed", seed, "--format", "json", "m.smv",
            ];
            let (code, told, errors) = evenhand(&out, &call, "");
            assert_eq!((code, errors.as_str()), (Some(0), ""));
            json(&told)
        };
        let run = call("3");
        assert_eq!(run, call("3"), "the same seed, the same run");
        assert_ne!(list(&run, "steps"), list(&call("4"), "steps"));
        let steps = list(&run, "steps");
        assert_eq!(steps.len(), 7);
        let mut values = std::collections::BTreeSet::new();
        for pair in steps.windows(2) {
            let (before, inputs, after) =
                (&pair[0]["state"], &pair[1]["inputs"], &pair[1]["state"]);
            let of = |values: &Value, name: String| values[&name].as_bool().expect("a value");
            for n in 0..count {
                let expected =
                    of(inputs, format!("i{n}")) && !of(before, format!("x{}", (n + 1) % count));
                assert_eq!(of(after, format!("x{n}")), expected);
            }
            if constraint.contains("i0 -> i1") {
                assert!(!of(inputs, "i0".into()) || of(inputs, "i1".into()));
                assert_ne!(of(inputs, "i2".into()), of(inputs, "i3".into()));
            }
            if constraint.contains("INVAR") {
                assert!(!(of(after, "x0".into()) && of(after, "x1".into())));
            }
            values.insert(inputs.to_string());
        }
        assert!(values.len() > 3, "the inputs differ from step to step");
    }
    // A run that was found by sets is followed without listing what else could be.
    for (count, bad) in [(40, "x1 & x7"), (50, "x2 & x49"), (33, "x0")] {
        let text = with_inputs(count, &format!("LTLSPEC G !({bad})\nLTLSPEC F G {bad}\n"));
        std::fs::write(out.join("found.smv"), text).expect("a file");
        let call = [
            "check",
            "--format",
            "json",
            "--engine",
            "symbolic",
            "found.smv",
        ];
        let (_, answers, _) = evenhand(&out, &call, "");
        std::fs::write(out.join("found.json"), &answers).expect("a file");
        for property in list(&json(&answers), "properties") {
            let run = &property["counterexample"];
            if run.is_null() {
                continue;
            }
            let name = property["name"].as_str().expect("a name");
            let call = [
                "simulate",
                "--replay",
                "found.json",
                "-p",
                name,
                "--format",
                "json",
            ];
            let (code, told, errors) = evenhand(&out, &[&call[..], &["found.smv"]].concat(), "");
            assert_eq!(code, Some(0), "{errors}");
            let found = moves(&json(&told), ["steps", "cycle"]);
            assert_eq!(found, moves(run, ["prefix", "cycle"]));
        }
        // What is no run is none there either.
        let mut changed = json(&answers);
        let first = &mut changed["properties"][0]["counterexample"]["prefix"];
        let value = first[1]["state"]["x3"].as_bool().expect("a value");
        first[1]["state"]["x3"] = (!value).into();
        std::fs::write(out.join("changed.json"), changed.to_string()).expect("a file");
        let call = ["simulate", "--replay", "changed.json", "found.smv"];
        let (code, _, errors) = evenhand(&out, &call, "");
        assert_eq!(code, Some(2), "{errors}");
    }
    // Also inputs of very many values, many initial states, and steps that do not exist.
    let words = "MODULE main\nIVAR a : unsigned word[32];\nVAR x : unsigned word[32];\n\
                 ASSIGN init(x) := 0ud32_0; next(x) := x + a;\n";
    std::fs::write(out.join("words.smv"), words).expect("a file");
    let call = ["simulate", "--steps", "3", "--format", "json", "words.smv"];
    let (code, told, errors) = evenhand(&out, &call, "");
    assert_eq!(code, Some(0), "{errors}");
    let told = json(&told);
    for pair in list(&told, "steps").windows(2) {
        let of = |value: &Value| value.as_u64().expect("a number") as u32;
        let sum = of(&pair[0]["state"]["x"]).wrapping_add(of(&pair[1]["inputs"]["a"]));
        assert_eq!(of(&pair[1]["state"]["x"]), sum);
    }
    let stuck = with_inputs(
        40,
        "TRANS i0;\nTRANS !next(x0);\nTRANS next(x39);\nTRANS FALSE;\n",
    );
    std::fs::write(out.join("stuck.smv"), stuck).expect("a file");
    let (code, told, _) = evenhand(&out, &["simulate", "stuck.smv"], "");
    assert_eq!(code, Some(1));
    assert!(told.contains("the relation is not total"), "{told}");
}

#[test]
fn runs_in_other_layouts_say_the_same() {
    let models = root().join("models/promela");
    for (model, variable) in [
        ("philosophers.pml", "taken[0]"),
        ("river.pml", "boat"),
        ("semaphore.pml", "inside"),
    ] {
        let base = ["check", "--no-fairness", model];
        let call = |more: &[&str]| evenhand(&models, &[&base[..], more].concat(), "").1;
        let (plain, columns) = (call(&[]), call(&["--layout", "columns"]));
        let folded = call(&["--layout", "folded"]);
        // What is no step is the same in all of them.
        let rest = |text: &str| -> Vec<String> {
            let is_step = |line: &&str| {
                line.starts_with("     ") || line.starts_with("    1") || line.contains(" s)")
            };
            text.lines()
                .filter(|l| !is_step(l))
                .map(str::to_string)
                .collect()
        };
        assert_eq!(rest(&plain), rest(&columns));
        assert!(folded.lines().count() <= plain.lines().count());
        let watched = call(&["--watch", variable, "--layout", "folded"]);
        assert!(watched.lines().count() <= folded.lines().count());
        for line in watched
            .lines()
            .filter(|l| l.starts_with("     ") && l.contains('['))
        {
            let shown = line.rsplit_once("   [").map(|(_, changes)| changes);
            if let Some(changes) = shown {
                assert!(changes.starts_with(variable), "{line}");
            }
        }
        let (code, _, errors) = evenhand(&models, &["check", "--watch", "nobody", model], "");
        assert_eq!(code, Some(2));
        assert!(errors.contains("there is no variable `nobody`"), "{errors}");
    }
    let (_, told, _) = evenhand(
        &models,
        &[
            "check",
            "-p",
            "accessible",
            "--watch",
            "taken[0]",
            "--layout",
            "folded",
            "philosophers.pml",
        ],
        "",
    );
    let line = "     1  … 3: 3 steps of phil[2], phil[1], phil[0] change nothing that is shown\n";
    assert!(told.contains(line), "{told}");
}

/// A terminal: keys that edit a line, and a terminal that is left as it was found.
#[test]
fn lines_can_be_edited_at_a_terminal() {
    if Command::new("tmux").arg("-V").output().is_err() {
        eprintln!("skipped: there is no tmux");
        return;
    }
    let out = folder("terminal");
    let socket = out.join("socket").display().to_string();
    let tmux = |arguments: &[&str]| {
        let output = Command::new("tmux")
            .args(["-S", &socket])
            .args(arguments)
            .output();
        String::from_utf8_lossy(&output.expect("tmux runs").stdout).into_owned()
    };
    let model = root().join("models/promela/peterson.pml");
    let command = format!(
        "'{}' simulate -i '{}'; stty -a | tr ';' '\\n' | grep -o '[-]*icanon'; echo over; sleep 60",
        env!("CARGO_BIN_EXE_evenhand"),
        model.display()
    );
    tmux(&[
        "-f",
        "/dev/null",
        "new-session",
        "-d",
        "-x",
        "100",
        "-y",
        "60",
        &command,
    ]);
    let wait = |text: &str| {
        for _ in 0..200 {
            let screen = tmux(&["capture-pane", "-p"]);
            if screen.contains(text) {
                return screen;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        let screen = tmux(&["capture-pane", "-p"]);
        tmux(&["kill-server"]);
        panic!("no `{text}` in:\n{screen}");
    };
    wait("after step 0");
    // Another number, taken back.
    tmux(&["send-keys", "2", "BSpace", "1", "Enter"]);
    wait("after step 1");
    // A slip in the middle of a line.
    tmux(&["send-keys", "w lasst", "Left", "Left", "BSpace", "Enter"]);
    wait("last: 0");
    // The line before the last one, again.
    tmux(&["send-keys", "Up", "Up", "Enter"]);
    wait("after step 2");
    // A line that is given up, and one that is cut.
    tmux(&["send-keys", "nonsense", "C-c"]);
    tmux(&["send-keys", "q nonsense", "M-b", "C-k", "Enter"]);
    let screen = wait("over");
    tmux(&["kill-server"]);
    let left = screen.rsplit_once("> q").map_or("", |(_, rest)| rest);
    assert!(
        left.contains("\nicanon"),
        "the terminal is as it was: {screen}"
    );
    assert!(!screen.contains("is no choice"), "{screen}");
}
