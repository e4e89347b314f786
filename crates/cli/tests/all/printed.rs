//! The printed form of runs, on models that a newcomer would try: compared to the letter.
//!
//! Each file of `printed/` begins with the call that it is the output of; times are left out. To
//! write them anew after a change of the wording, run this test with `EVENHAND_REGENERATE=1` and
//! read what changed.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Name of the file, folder of the model (`models` or here), arguments.
const CALLS: [(&str, &str, &str); 10] = [
    ("philosophers", "../../models/promela", "philosophers.pml"),
    (
        "philosophers_asymmetric",
        "../../models/promela",
        "philosophers_asymmetric.pml --no-fairness --fair weak",
    ),
    (
        "readers_writers",
        "../../models/promela",
        "readers_writers.pml",
    ),
    (
        "semaphore",
        "../../models/promela",
        "semaphore.pml --no-fairness",
    ),
    (
        "alternating_bit",
        "../../models/promela",
        "alternating_bit.pml --fair strong:receiver --fair compassion:len(data)>0=>len(acks)>0 --no-fairness",
    ),
    (
        "handshake",
        "../../models/promela",
        "handshake.pml --no-fairness --fair spin-weak",
    ),
    (
        "producer_consumer",
        "../../models/promela",
        "producer_consumer.pml --no-fairness --fair just:tick==0",
    ),
    ("river", "../../models/promela", "river.pml"),
    ("messages", "tests/all/printed", "messages.pml"),
    (
        "labels",
        "tests/all/printed",
        "labels.pml -p progress -p never --no-fairness",
    ),
];

fn printed(folder: &Path, arguments: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_evenhand"))
        .arg("check")
        .args(arguments.split(' '))
        .current_dir(folder)
        .output()
        .expect("evenhand runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.is_empty(), "{arguments}: {errors}");
    assert_eq!(output.status.code(), Some(1), "{arguments}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(without_time).collect()
}

/// The line without the seconds behind a number of states.
fn without_time(line: &str) -> String {
    match line.rsplit_once(" states, ") {
        Some((start, rest)) if rest.contains(" s)") => {
            let (_, end) = rest.split_once(" s)").unwrap_or_default();
            format!("{start} states){end}\n")
        }
        _ => format!("{line}\n"),
    }
}

#[test]
fn runs_are_printed_as_they_were_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let regenerate = std::env::var_os("EVENHAND_REGENERATE").is_some();
    let mut different = Vec::new();
    for (name, folder, arguments) in CALLS {
        let found = printed(&root.join(folder), arguments);
        let found = format!("$ evenhand check {arguments}\n{found}");
        let file: PathBuf = root.join("tests/all/printed").join(format!("{name}.txt"));
        if regenerate {
            std::fs::write(&file, found).expect("the folder is writable");
            continue;
        }
        let expected = std::fs::read_to_string(&file).unwrap_or_default();
        if expected != found {
            different.push(format!("{name}\n{found}"));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n\n"));
}
