//! What the command says on a terminal, compared to the letter: every `--help`, and a run in
//! colours. Ctrl-C ends a search with what is known.
//!
//! To write the files of `terminal/` anew after a change of the wording, run this test with
//! `EVENHAND_REGENERATE=1` and read what changed.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn evenhand() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenhand"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    command.current_dir(root).env_remove("NO_COLOR");
    command
}

fn compare(name: &str, found: &str) -> Option<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/terminal");
    let file = folder.join(format!("{name}.txt"));
    if std::env::var_os("EVENHAND_REGENERATE").is_some() {
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(&file, found).expect("the folder is writable");
        return None;
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    (expected != found).then(|| format!("{name}:\n{found}"))
}

#[test]
fn every_help_reads_as_it_was_read() {
    let commands = [
        "",
        "check",
        "certify",
        "advise",
        "states",
        "simulate",
        "serve",
        "translate",
        "formula",
        "empty",
        "lsp",
        "dap",
        "engines",
        "completions",
        "man",
    ];
    let mut different = Vec::new();
    for name in commands {
        let output = evenhand()
            .args(name.split_whitespace())
            .arg("--help")
            .output()
            .expect("evenhand runs");
        assert_eq!(output.status.code(), Some(0), "{name}");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let takes_model =
            ["check", "certify", "advise", "states", "simulate", "serve"].contains(&name);
        assert!(
            !takes_model || text.contains("Examples:"),
            "{name} has no examples"
        );
        let file = if name.is_empty() { "evenhand" } else { name };
        different.extend(compare(&format!("help_{file}"), &text));
    }
    let text = evenhand()
        .arg("--help")
        .output()
        .expect("evenhand runs")
        .stdout;
    let text = String::from_utf8(text).expect("UTF-8");
    let listed = text
        .lines()
        .skip_while(|l| !l.starts_with("Commands:"))
        .skip(1);
    let listed: Vec<&str> = listed
        .take_while(|l| !l.is_empty())
        .filter_map(|l| l.split_whitespace().next())
        .filter(|&name| name != "help")
        .collect();
    assert_eq!(
        listed.len(),
        commands.len() - 1,
        "a command without a test: {listed:?}"
    );
    assert!(different.is_empty(), "{}", different.join("\n\n"));
}

#[test]
fn colours_change_no_word() {
    let call = |colour: &str| {
        let output = evenhand()
            .args(["check", "--no-fairness", "models/promela/semaphore.pml"])
            .args(["--color", colour])
            .output()
            .expect("evenhand runs");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let text: String = text.lines().map(|line| without_time(line) + "\n").collect();
        text
    };
    let (plain, painted) = (call("never"), call("always"));
    assert!(!plain.contains('\u{1b}'));
    assert_eq!(call("auto"), plain, "a pipe is no terminal");
    let mut stripped = String::new();
    let mut rest = painted.as_str();
    while let Some((text, code)) = rest.split_once("\u{1b}[") {
        stripped += text;
        rest = code.split_once('m').expect("a colour").1;
    }
    assert_eq!(stripped + rest, plain);
    assert_eq!(
        compare("coloured", &painted.replace('\u{1b}', "<ESC>")),
        None
    );
}

/// The line without the seconds behind a number of states.
fn without_time(line: &str) -> String {
    match line.rsplit_once(" states, ") {
        Some((start, rest)) if rest.contains(" s)") => format!("{start} states)"),
        _ => line.to_string(),
    }
}

/// Checks a large model, and interrupts it when the progress line speaks of its second property.
fn interrupted(name: &str, arguments: &[&str]) -> String {
    let folder = std::env::temp_dir().join(format!("evenhand-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let model = folder.join("large.pml");
    let text = "byte a, b, c, d, e;\n\
        active proctype p() { do :: a++ :: b++ :: c++ :: d++ :: e++ od }\n\
        ltl soon { <> (a == 1) }\nltl late { [] !(a + b + c + d + e > 1300) }\n\
        ltl never_begun { [] <> (a == 1) }\n";
    std::fs::write(&model, text).expect("a file");
    let mut child = evenhand()
        .args(["check", "-p", "soon", "-p", "late", "-p", "never_begun"])
        .args(["--budget", "1ms", "--progress", "always"])
        .args(arguments)
        .arg(&model)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("evenhand runs");
    // The second property is being explored when the progress line speaks of it.
    let mut errors = child.stderr.take().expect("a pipe");
    let mut seen = Vec::new();
    let mut buffer = [0; 4096];
    while !String::from_utf8_lossy(&seen).contains("late") {
        let count = std::io::Read::read(&mut errors, &mut buffer).expect("output");
        assert!(
            count > 0,
            "it ended by itself: {}",
            String::from_utf8_lossy(&seen)
        );
        seen.extend_from_slice(&buffer[..count]);
    }
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.expect("kill runs").success());
    let begun = Instant::now();
    drop(std::thread::spawn(move || {
        let _ = std::io::copy(&mut errors, &mut std::io::sink());
    }));
    let output = child.wait_with_output().expect("it ends");
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert_eq!(output.status.code(), Some(130));
    let _ = std::fs::remove_dir_all(&folder);
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn an_interrupt_tells_what_is_known() {
    let answers = interrupted("interrupt", &["--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&answers).expect("JSON");
    let verdicts: Vec<_> = json["properties"]
        .as_array()
        .expect("answers")
        .iter()
        .collect();
    assert_eq!(verdicts[0]["verdict"], "violated");
    assert_eq!(verdicts[1]["verdict"], "unknown");
    assert_eq!(verdicts[1]["reason"], "interrupted");
    assert!(verdicts[1]["states"].as_u64().is_some_and(|n| n > 100));
    assert_eq!(verdicts[2]["reason"], "interrupted before it began");
    let told = interrupted("interrupt-text", &["-q"]);
    let line = |at: usize| told.lines().nth(at).unwrap_or_default();
    assert!(line(0).starts_with("violated        soon"), "{told}");
    assert!(line(1).starts_with("unknown         late") && line(1).ends_with(" s): interrupted"));
    let count = line(1).rsplit_once(" states, ").map(|(start, _)| start);
    let count = count.and_then(|start| start.rsplit_once('(')?.1.parse::<u64>().ok());
    assert!(count.is_some_and(|n| n > 100), "{told}");
    let last = "unknown         never_begun  [] <> (a == 1): interrupted before it began";
    assert_eq!(line(2), last);
}

#[test]
fn the_symbolic_engine_shows_how_far_it_is() {
    let folder = std::env::temp_dir().join(format!("evenhand-rounds-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let model = folder.join("counter.smv");
    let text = "MODULE main\nVAR n : unsigned word[40];\n\
        ASSIGN init(n) := 0ud40_0; next(n) := n + 0ud40_1;\nLTLSPEC G F n = 0ud40_0\n";
    std::fs::write(&model, text).expect("a file");
    let output = evenhand()
        .args(["check", "--engine", "symbolic", "--progress", "always"])
        .args(["--limit-time", "2s", "-p", "ltl_0"])
        .arg(&model)
        .output()
        .expect("evenhand runs");
    assert_eq!(output.status.code(), Some(3));
    let errors = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = errors.lines().collect();
    let round = |line: &&str| -> Option<u64> {
        let (_, rest) = line.split_once("ltl_0, engine symbolic: round ")?;
        let (number, rest) = rest.split_once(',')?;
        (rest.contains(" nodes, ") && rest.ends_with(" MB")).then_some(())?;
        number.parse().ok()
    };
    let rounds: Vec<u64> = lines.iter().filter_map(round).collect();
    let grows = rounds.windows(2).all(|pair| pair[0] <= pair[1]);
    assert!(grows && rounds.last() > rounds.first(), "{errors}");
    // In a file there is nothing to draw again, and little to read.
    assert!(
        !errors.contains(['\r', '\u{1b}']) && lines.len() < 6,
        "{errors}"
    );
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn completions_and_pages_know_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = evenhand()
            .args(["completions", shell])
            .output()
            .expect("it runs");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(
            text.contains("advise") && text.contains("max-depth"),
            "{shell}"
        );
    }
    let page = evenhand().args(["man", "check"]).output().expect("it runs");
    let page = String::from_utf8(page.stdout).expect("UTF-8");
    assert!(page.starts_with(".ie") && page.contains("evenhand\\-check"));
    let wrong = evenhand()
        .args([
            "check",
            "--engine",
            "symblic",
            "models/promela/peterson.pml",
        ])
        .output()
        .expect("it runs");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(wrong.stdout.is_empty(), "nothing is explored first");
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("did you mean `symbolic`?"));
    let wrong = evenhand().args(["man", "chek"]).output().expect("it runs");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("did you mean `check`?"));
    let wrong = evenhand()
        .args(["check", "--fiar", "weak", "x.pml"])
        .output()
        .expect("it runs");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("--fair"));
}

#[test]
fn properties_come_in_the_order_of_the_model_whoever_answers() {
    let names = |arguments: &[&str]| -> Vec<String> {
        let output = evenhand().args(arguments).output().expect("it runs");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let verdicts = ["holds", "violated", "unknown"];
        let lines = text.lines().map(|line| line.split_whitespace());
        let told = lines.filter_map(|mut words| {
            let verdict = words.next()?;
            // `holds (checked) name`.
            let mut names = words.skip_while(|word| word.starts_with('(') || word.ends_with(')'));
            verdicts
                .contains(&verdict)
                .then(|| names.next().map(str::to_string))?
        });
        told.collect()
    };
    let semaphore = "models/smv/semaphore.smv";
    for engine in ["auto", "streett", "feasible", "symbolic"] {
        let found = names(&["check", "-q", "--engine", engine, semaphore]);
        assert_eq!(
            found,
            ["apart", "entry", "rest", "asked", "total"],
            "{engine}"
        );
    }
    // What was asked for comes in the order of the call, and formulas behind it.
    let asked = [
        "-p",
        "total",
        "-p",
        "asked",
        "--ctl",
        "AG EF sem",
        "-p",
        "apart",
    ];
    let found = names(&[&["check", "-q", semaphore], &asked[..]].concat());
    assert_eq!(found, ["total", "asked", "apart", "formula_0"]);
    let peterson = "models/promela/peterson.pml";
    let asked = ["-p", "entry", "--ltl", "[] true", "-p", "deadlock"];
    let found = names(&[&["check", "-q", peterson], &asked[..]].concat());
    assert_eq!(found, ["entry", "deadlock", "formula_0"]);
}

#[test]
fn manual_pages_have_the_usual_sections() {
    for command in [
        "check",
        "advise",
        "simulate",
        "states",
        "translate",
        "empty",
    ] {
        let page = evenhand().args(["man", command]).output().expect("it runs");
        let page = String::from_utf8(page.stdout).expect("UTF-8");
        let title = format!(".TH EVENHAND-{} 1 ", command.to_uppercase());
        assert!(page.contains(&title), "{page}");
        let sections: Vec<&str> = page
            .lines()
            .filter_map(|l| l.strip_prefix(".SH "))
            .collect();
        let first = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS"];
        assert_eq!(sections[..4], first, "{command}");
        assert!(
            sections.ends_with(&["EXAMPLES", "SEE ALSO"]),
            "{sections:?}"
        );
        assert!(!page.contains("EXTRA"));
    }
    let page = evenhand().arg("man").output().expect("it runs").stdout;
    assert!(String::from_utf8_lossy(&page).contains(".SH SUBCOMMANDS"));
}

#[test]
fn a_model_without_initial_states_is_no_riddle() {
    let folder = std::env::temp_dir().join(format!("evenhand-none-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let model = folder.join("none.smv");
    let text = "MODULE main VAR x : boolean; INIT FALSE LTLSPEC NAME a := G F x JUSTICE x";
    std::fs::write(&model, text).expect("a file");
    let output = evenhand()
        .arg("advise")
        .arg(&model)
        .output()
        .expect("it runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(
        text.contains("a holds whatever is assumed: the model has no initial state"),
        "{text}"
    );
    let _ = std::fs::remove_dir_all(&folder);
}
