//! Files that a call writes: never over what it reads, never half, and never instead of an answer.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of its own with a model that has a violation, included text and all.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("destinations")
            .join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("parts")).expect("a folder");
        let folder = Folder(folder);
        folder.write("model.pml", MODEL);
        folder.write("parts/part.h", "byte x;\n");
        folder.write("bad.hoa", AUTOMATON);
        folder
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).expect("a file");
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).expect("a file")
    }

    fn call(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_evenhand"))
            .args(arguments)
            .current_dir(&self.0)
            .stdin(Stdio::null())
            .output()
            .expect("evenhand runs")
    }

    /// The names in the folder, hidden ones too.
    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("the folder").flatten();
        let mut names: Vec<String> = entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

const MODEL: &str = "#include \"parts/part.h\"\nactive proctype p() { x = 1; assert(x == 2) }\n";
const AUTOMATON: &str = "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"x == 3\"\nAcceptance: 1 Inf(0)\n\
                         --BODY--\nState: 0\n[0] 0 {0}\n--END--\n";

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
#[cfg(unix)]
fn what_is_read_is_never_written_over() {
    let folder = Folder::new("sources");
    let link = |from: &str, to: &str| {
        std::os::unix::fs::symlink(folder.0.join(from), folder.0.join(to)).expect("a link");
    };
    link("model.pml", "soft.html");
    std::fs::hard_link(folder.0.join("model.pml"), folder.0.join("hard.html")).expect("a link");
    link("parts", "same_parts");
    link("parts/part.h", "part.html");
    let before = folder.names();
    let paths = [
        "model.pml",
        "./parts/../model.pml",
        "soft.html",
        "hard.html",
        "parts/part.h",
        "same_parts/part.h",
        "part.html",
        "bad.hoa",
    ];
    for path in paths {
        for option in ["--report", "--trail"] {
            let call = [
                "check",
                "-q",
                option,
                path,
                "--automaton",
                "bad.hoa",
                "model.pml",
            ];
            let output = folder.call(&call);
            assert_eq!(output.status.code(), Some(2), "{option} {path}");
            assert!(
                output.stdout.is_empty(),
                "nothing was checked: {option} {path}"
            );
            assert!(
                errors(&output).contains("would write over"),
                "{}",
                errors(&output)
            );
        }
    }
    let advise = [
        "advise",
        "--ltl",
        "<> (x == 1)",
        "--report",
        "soft.html",
        "model.pml",
    ];
    assert_eq!(folder.call(&advise).status.code(), Some(2));
    assert_eq!(folder.read("model.pml"), MODEL);
    assert_eq!(folder.read("parts/part.h"), "byte x;\n");
    assert_eq!(folder.read("bad.hoa"), AUTOMATON);
    assert_eq!(folder.names(), before);
    // Also where the model comes through a redirection.
    let model = std::fs::File::open(folder.0.join("model.pml")).expect("the model");
    let output = Command::new(env!("CARGO_BIN_EXE_evenhand"))
        .args(["check", "-q", "--report", "hard.html", "-"])
        .current_dir(&folder.0)
        .stdin(model)
        .output()
        .expect("evenhand runs");
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
    assert_eq!(folder.read("model.pml"), MODEL);
}

#[test]
fn a_path_that_cannot_be_written_is_found_before_the_check() {
    let folder = Folder::new("paths");
    let before = folder.names();
    for path in ["none/page.html", "model.pml/page.html", ".", "parts", ""] {
        for format in ["text", "json"] {
            let call = ["check", "--format", format, "--report", path, "model.pml"];
            let output = folder.call(&call);
            assert_eq!(output.status.code(), Some(2), "`{path}`");
            let said = format!(
                "{}{}",
                errors(&output),
                String::from_utf8_lossy(&output.stdout)
            );
            assert!(!said.contains("violated"), "`{path}`: {said}");
            assert!(
                said.contains("cannot write") || path.is_empty(),
                "`{path}`: {said}"
            );
        }
    }
    let twice = [
        "check",
        "--report",
        "same",
        "--trail",
        "./same",
        "model.pml",
    ];
    let output = folder.call(&twice);
    assert!(
        errors(&output).contains("written twice"),
        "{}",
        errors(&output)
    );
    assert_eq!(folder.names(), before);
}

#[test]
fn files_are_replaced_as_a_whole() {
    let folder = Folder::new("whole");
    folder.write("page.html", "what was there before");
    let call = [
        "check",
        "-q",
        "--report",
        "page.html",
        "--trail",
        "run.trail",
        "model.pml",
    ];
    assert_eq!(folder.call(&call).status.code(), Some(1));
    assert!(folder.read("page.html").contains("</html>"));
    assert!(folder.read("run.trail").starts_with("1:0:"));
    let names = ["bad.hoa", "model.pml", "page.html", "parts", "run.trail"];
    assert_eq!(folder.names(), names, "nothing else is left");
}

#[test]
#[cfg(target_os = "linux")]
fn a_report_that_cannot_be_written_hides_no_violation() {
    let folder = Folder::new("full");
    for options in [
        &["--report"][..],
        &["--trail"],
        &["--format", "json", "--report"],
    ] {
        let call = [&["check"], options, &["/dev/full", "model.pml"]].concat();
        let output = folder.call(&call);
        assert_eq!(output.status.code(), Some(1), "{options:?}");
        assert!(
            errors(&output).contains("cannot write `/dev/full`"),
            "{}",
            errors(&output)
        );
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("violated"), "{said}");
        if options.contains(&"json") {
            serde_json::from_str::<serde_json::Value>(&said).expect("one object");
        }
    }
    // Where everything holds, it is not all well.
    let call = [
        "check",
        "-q",
        "-p",
        "deadlock",
        "--report",
        "/dev/full",
        "model.pml",
    ];
    assert_eq!(folder.call(&call).status.code(), Some(2));
}

/// A disk that is full while the file is written: what was there before is there still.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_destroys_nothing() {
    let folder = Folder::new("limit");
    folder.write("page.html", "what was there before");
    // A limit on the size of files is met in the same way as the end of a disk.
    let output = Command::new("sh")
        .args([
            "-c",
            "ulimit -f 1; trap '' XFSZ; exec \"$0\" check -q --report page.html model.pml",
        ])
        .arg(env!("CARGO_BIN_EXE_evenhand"))
        .current_dir(&folder.0)
        .output()
        .expect("a shell");
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    assert!(
        errors(&output).contains("cannot write `page.html`"),
        "{}",
        errors(&output)
    );
    assert_eq!(folder.read("page.html"), "what was there before");
    assert_eq!(
        folder.names(),
        ["bad.hoa", "model.pml", "page.html", "parts"]
    );
}

/// Where answers go to a file, what is written to `/dev/stdout` goes there too, and takes nothing away.
#[test]
#[cfg(target_os = "linux")]
fn what_is_printed_stays() {
    let folder = Folder::new("redirected");
    for (script, before) in [
        ("> out.txt", ""),
        (">> out.txt", "what was there\n"),
        ("2> out.txt >&2", ""),
    ] {
        let target = if script.starts_with('2') {
            "stderr"
        } else {
            "stdout"
        };
        folder.write("out.txt", before);
        let script = format!("\"$0\" check --trail /dev/{target} model.pml {script}");
        let status = Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_evenhand")])
            .current_dir(&folder.0)
            .status()
            .expect("a shell");
        assert_eq!(status.code(), Some(1), "{script}");
        let text = folder.read("out.txt");
        assert!(text.starts_with(before), "{script}: {text}");
        assert!(
            text.contains("violated        assertions"),
            "{script}: {text}"
        );
        assert!(text.contains("\n1:0:0\n"), "{script}: {text}");
        assert!(text.contains("replays it"), "{script}: {text}");
    }
}
