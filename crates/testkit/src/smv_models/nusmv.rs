//! NuSMV, asked about a model.
//!
//! The binary is named by the environment variable `EVENHAND_NUSMV`, or is `NuSMV` on the `PATH`.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What NuSMV says about a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The number of reachable states, as printed.
    States(String),
    /// The model is refused, with NuSMV's words.
    Refused(String),
    /// No answer: too slow, or NuSMV itself failed.
    None(String),
}

/// The NuSMV command, if there is one.
pub fn find() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("EVENHAND_NUSMV") {
        return Some(path.into());
    }
    let path = std::env::var_os("PATH")?;
    let names = std::env::split_paths(&path).map(|directory| directory.join("NuSMV"));
    names.into_iter().find(|candidate| candidate.is_file())
}

/// Asks for the number of reachable states of the model in a file.
pub fn reachable(nusmv: &Path, model: &Path, limit: Duration) -> Answer {
    let output = match run(nusmv, &["-r", &model.to_string_lossy()], limit) {
        Ok(output) => output,
        Err(reason) => return Answer::None(reason),
    };
    if let Some(at) = output.find("reachable states: ") {
        let number = output[at + 18..].split_whitespace().next().unwrap_or("");
        return Answer::States(number.to_string());
    }
    let lines = output.lines().filter(|line| {
        let noise = line.starts_with("***") || line.starts_with("WARNING");
        !noise && !line.trim().is_empty()
    });
    let said: Vec<&str> = lines.take(3).collect();
    let said = said.join("; ");
    let crashes = ["Assertion", "reached invalid code"];
    match said.is_empty() || crashes.iter().any(|crash| output.contains(crash)) {
        true => Answer::None(said),
        false => Answer::Refused(said),
    }
}

/// Asks for the verdict on the only property of a model. (With several NuSMV answers in an order of
/// its own.)
///
/// # Errors
/// What NuSMV says instead.
pub fn verdict(nusmv: &Path, model: &Path, limit: Duration) -> Result<bool, String> {
    let output = run(nusmv, &["-dcx", &model.to_string_lossy()], limit)?;
    let at = output
        .find("-- specification")
        .ok_or_else(|| output.clone())?;
    let told = &output[at..];
    match (told.contains("is true"), told.contains("is false")) {
        (true, false) => Ok(true),
        (false, true) => Ok(false),
        _ => Err(output),
    }
}

/// Asks for the verdict (`true` or `false`) or the value of the only property of a model, whatever
/// its kind.
///
/// # Errors
/// What NuSMV says instead.
pub fn answer(nusmv: &Path, model: &Path, limit: Duration) -> Result<String, String> {
    let output = run(nusmv, &["-dcx", &model.to_string_lossy()], limit)?;
    let starts = ["-- specification", "-- invariant", "-- the result of"];
    let mut lines = output.lines();
    let told = lines.find(|line| starts.iter().any(|start| line.starts_with(start)));
    let word = told.and_then(|line| line.rsplit("is ").next());
    match word.map(str::trim) {
        Some(word) if !word.is_empty() && !word.contains(' ') => Ok(word.to_string()),
        _ => Err(output),
    }
}

/// Runs a command and returns what it says on both streams.
fn run(program: &Path, arguments: &[&str], limit: Duration) -> Result<String, String> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(out) = &mut out {
            let _ = out.read_to_end(&mut text);
        }
        text
    });
    let errors = std::thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(err) = &mut err {
            let _ = err.read_to_end(&mut text);
        }
        text
    });
    let end = Instant::now() + limit;
    loop {
        match child.try_wait() {
            Ok(Some(_)) => break,
            Ok(None) if Instant::now() < end => std::thread::sleep(Duration::from_millis(2)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return Err("too slow".into());
            }
        }
    }
    let mut text = reader.join().unwrap_or_default();
    text.extend(errors.join().unwrap_or_default());
    Ok(String::from_utf8_lossy(&text).into_owned())
}
