//! Pages of models, and what they must say whatever the model.

use super::browser::Browser;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder for the files of a test, empty.
pub fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("html_report_{name}"));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder for the test");
    path
}

/// Checks a model and writes its report; what JSON says.
pub fn check(folder: &Path, arguments: &[&str], report: &Path) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_evenhand"))
        .args(["check", "--format", "json", "--report"])
        .arg(report)
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("evenhand runs");
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    serde_json::from_slice(&output.stdout).expect("one object")
}

/// The models that teach.
pub fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/promela")
}

/// The models of these tests.
pub fn own() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/html_report")
}

/// The models of the printed form of runs.
pub fn printed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/printed")
}

/// A value as the page writes it.
pub fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => {
            let items: Vec<String> = list.iter().map(shown).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

/// A text with the characters that turn others around written as numbers.
pub fn visible(text: &str) -> String {
    let numbered = |c: char| format!("\u{27e8}U+{:04X}\u{27e9}", u32::from(c));
    let turns = |c: char| matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let parts = text.chars();
    parts
        .map(|c| match turns(c) {
            true => numbered(c),
            false => c.to_string(),
        })
        .collect()
}

/// The variables as the page shows them: name, before, after, whether a change is marked.
pub fn variables(browser: &mut Browser) -> Vec<(String, String, String, bool)> {
    let rows = browser.value(
        "[...document.querySelectorAll('.vars tbody tr')].map((row) => \
         [...[...row.cells].map((c) => c.textContent), row.className])",
    );
    let rows = rows.as_array().expect("rows").iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    rows.map(|r| {
        let marked = text(&r[0]).contains("changed");
        assert_eq!(marked, r[4] == "changed", "colour and mark agree");
        (text(&r[1]), text(&r[2]), text(&r[3]), marked)
    })
    .collect()
}

/// Walks through a run by the arrow key and compares every step with what JSON says.
pub fn walk(browser: &mut Browser, run: &Value) {
    let list = |name: &str| run[name].as_array().cloned().unwrap_or_default();
    let steps: Vec<Value> = [list("prefix"), list("cycle")].concat();
    browser.press("Home");
    for (number, step) in steps.iter().enumerate() {
        let output = browser.text("document.querySelector('.toolbar output').textContent");
        assert_eq!(output, format!("step {number} of {}", steps.len() - 1));
        let before = &steps[number.saturating_sub(1)]["state"];
        let state = step["state"].as_object().expect("a state");
        let rows = variables(browser);
        assert_eq!(rows.len(), state.len(), "all variables are there");
        for (name, old, new, marked) in rows {
            assert_eq!(new, shown(&state[&name]), "{name} behind step {number}");
            let changed = before[&name] != state[&name];
            assert_eq!(marked, changed, "{name} in step {number}");
            if number > 0 {
                assert_eq!(old, shown(&before[&name]));
            }
        }
        let panel = browser.text("document.querySelector('.step').textContent");
        let live = browser.text("document.getElementById('live').textContent");
        assert!(live.starts_with(&format!("Step {number} of ")), "{live}");
        if step["kind"] == "step" {
            let action = visible(step["action"].as_str().unwrap_or_default());
            for process in step["processes"].as_array().into_iter().flatten() {
                let name = process.as_str().unwrap_or_default();
                assert!(
                    panel.contains(name) && live.contains(name),
                    "{name}: {panel}"
                );
            }
            assert!(
                panel.contains(&action) && live.contains(&action),
                "{action}"
            );
            if step["line"].is_number() {
                let line = browser.text("document.querySelector('.source .at .no').textContent");
                assert_eq!(line, step["line"].to_string());
            }
            for (name, value) in step["inputs"].as_object().into_iter().flatten() {
                let input = format!("{name} = {}", shown(value));
                assert!(
                    name.starts_with('_') || panel.contains(&input),
                    "{input}: {panel}"
                );
            }
            for sub in step["substeps"].as_array().into_iter().flatten() {
                assert!(
                    panel.contains(sub["action"].as_str().unwrap_or("?")),
                    "{panel}"
                );
            }
        }
        // Rows are drawn with the next frame, which a busy machine may take its time for.
        browser.wait("document.querySelector('.window rect.current') !== null");
        browser.press("ArrowDown");
    }
}

/// No complaints, and nothing asked for but the file itself.
pub fn is_quiet(browser: &Browser) {
    assert!(
        browser.complaints().is_empty(),
        "{:?}",
        browser.complaints()
    );
    let asked = browser.requests();
    assert!(
        asked.len() == 1 && asked[0].starts_with("file:"),
        "{asked:?}"
    );
}
