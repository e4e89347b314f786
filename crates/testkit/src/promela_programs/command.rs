//! The `evenhand` command, asked the same questions as SPIN.

use super::process;
use super::spin::Answer;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What [`Evenhand::call`] says of a command that ran into its time limit.
const TOO_SLOW: &str = "the command took too long";

/// The command to test.
#[derive(Clone, Debug)]
pub struct Evenhand {
    /// The binary.
    pub binary: PathBuf,
    /// The time limit of each call.
    pub limit: Duration,
}

/// What the command said about the safety of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Safety {
    /// Whether an assertion can fail or a run-time error occur.
    pub assertion: bool,
    /// Whether an invalid end state is reachable.
    pub invalid_end: bool,
    /// The kinds of the violated properties, as the command names them.
    pub kinds: Vec<String>,
}

impl Evenhand {
    /// The command at this path.
    pub fn at(binary: impl Into<PathBuf>) -> Self {
        Evenhand {
            binary: binary.into(),
            limit: Duration::from_secs(60),
        }
    }

    /// The number of reachable states: `evenhand states MODEL --format json`.
    pub fn states(&self, model: &Path, directory: &Path) -> Result<u64, String> {
        let text = model.to_string_lossy();
        let (code, object) = self.call(&["states", &text, "--format", "json"], directory)?;
        let complete = object["complete"].as_bool() == Some(true);
        match object["states"].as_u64() {
            Some(states) if code == 0 && complete => Ok(states),
            _ => Err(format!("exit status {code}: {object}")),
        }
    }

    /// The verdicts of `evenhand check MODEL -p assertions -p deadlock --format json`.
    pub fn safety(&self, model: &Path, directory: &Path) -> Result<Safety, String> {
        let text = model.to_string_lossy();
        let arguments = [
            "check",
            &text,
            "-p",
            "assertions",
            "-p",
            "deadlock",
            "--format",
            "json",
        ];
        let (code, object) = self.call(&arguments, directory)?;
        let broken = || format!("exit status {code}: {object}");
        let properties = object["properties"].as_array().ok_or_else(broken)?;
        let mut safety = Safety {
            assertion: false,
            invalid_end: false,
            kinds: Vec::new(),
        };
        let mut seen = (false, false);
        for property in properties {
            let kind = property["kind"].as_str().ok_or_else(broken)?;
            let violated = match property["verdict"].as_str() {
                Some("holds") => false,
                Some("violated") => true,
                _ => return Err(broken()),
            };
            if violated {
                safety.kinds.push(kind.to_string());
            }
            match kind {
                "assertion" | "runtime-error" => {
                    safety.assertion |= violated;
                    seen.0 = true;
                }
                "deadlock" => {
                    safety.invalid_end |= violated;
                    seen.1 = true;
                }
                _ => return Err(broken()),
            }
        }
        let expected = i32::from(safety.assertion || safety.invalid_end);
        if seen != (true, true) || code != expected {
            return Err(broken());
        }
        Ok(safety)
    }

    /// Whether this property is violated: `evenhand check MODEL -p NAME --counterexample first`.
    pub fn violated(&self, model: &Path, name: &str, directory: &Path) -> Result<bool, String> {
        self.violated_under(model, name, &[], directory)
    }

    /// The same with further options.
    pub fn violated_under(
        &self,
        model: &Path,
        name: &str,
        options: &[&str],
        directory: &Path,
    ) -> Result<bool, String> {
        let text = model.to_string_lossy();
        let how = ["--counterexample", "first", "--format", "json"];
        let mut arguments = vec!["check", &text, "-p", name];
        arguments.extend(how);
        arguments.extend(options);
        let (code, object) = self.call(&arguments, directory)?;
        match (object["properties"][0]["verdict"].as_str(), code) {
            (Some("holds"), 0) => Ok(false),
            (Some("violated"), 1) => Ok(true),
            _ => Err(format!("exit status {code}: {object}")),
        }
    }

    /// Runs the command and reads the JSON object it prints.
    pub fn call(&self, arguments: &[&str], directory: &Path) -> Result<(i32, Value), String> {
        let finished = process::run(&self.binary, arguments, directory, self.limit)
            .map_err(|error| format!("{}: {error}", self.binary.display()))?
            .ok_or(TOO_SLOW)?;
        let code = finished
            .status
            .code()
            .ok_or_else(|| format!("stopped by a signal: {}", finished.errors))?;
        if finished.errors.contains("panicked at") {
            return Err(format!("panic: {}", finished.errors));
        }
        let object = serde_json::from_str(&finished.output).map_err(|error| {
            format!(
                "exit status {code}, not JSON ({error}): {}{}",
                finished.output, finished.errors
            )
        })?;
        Ok((code, object))
    }

    /// All differences between SPIN's answer and the command's, one sentence each; none where the
    /// command took too long to say.
    pub fn differences(
        &self,
        model: &Path,
        directory: &Path,
        spin: &Answer,
    ) -> Option<Vec<String>> {
        let mut differences = Vec::new();
        let mut note = |what: &str, difference: Result<Option<String>, String>| {
            match difference {
                Ok(None) => {}
                Ok(Some(text)) => differences.push(format!("{what}: {text}")),
                Err(error) if error == TOO_SLOW => return None,
                Err(error) => differences.push(format!("{what}: {error}")),
            }
            Some(())
        };
        if let Some(expected) = spin.states {
            let states = self.states(model, directory);
            let differs = |n| (n != expected).then(|| format!("SPIN {expected}, Evenhand {n}"));
            note("states", states.map(differs))?;
        }
        let differs = |ours: bool, theirs: bool| {
            (ours != theirs).then(|| format!("SPIN {}, Evenhand {}", word(theirs), word(ours)))
        };
        let message = spin.message.as_deref().unwrap_or("-");
        let Some(invalid_end) = spin.invalid_end else {
            // Run-time errors: the verdict alone, from whatever run meets one first.
            let found = self.violated(model, "assertions", directory);
            let found = found.map(|violated| differs(violated, spin.assertion));
            note(
                "assertions",
                found.map(|d| d.map(|d| format!("{d} ({message})"))),
            )?;
            return Some(differences);
        };
        match self.safety(model, directory) {
            Ok(safety) => {
                let found = differs(safety.assertion, spin.assertion);
                let kinds = safety.kinds.join(", ");
                let found = found.map(|d| format!("{d} ({message}; {kinds})"));
                note("assertions", Ok(found))?;
                note(
                    "invalid end states",
                    Ok(differs(safety.invalid_end, invalid_end)),
                )?;
            }
            Err(error) => note("check", Err(error))?,
        }
        Some(differences)
    }
}

fn word(violated: bool) -> &'static str {
    if violated { "violated" } else { "holds" }
}
