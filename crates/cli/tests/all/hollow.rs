//! Whether the tests of the servers would notice that these say nothing.
//!
//! Where `EVENHAND_HOLLOW` is set, `lsp`, `dap` and `serve` are a program that stands between the client and the server and
//! takes the content out of every answer: results are null, lists of diagnostics empty, bodies `{}`. The test here
//! runs all tests of the three that way and wants each of them to fail.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The command that the tests of servers start.
pub fn command() -> PathBuf {
    let real = env!("CARGO_BIN_EXE_evenhand");
    if std::env::var_os("EVENHAND_HOLLOW").is_none() {
        return real.into();
    }
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("hollow/evenhand")
}

/// How long something is waited for that comes at once on a machine with nothing else to do.
pub fn patience() -> Duration {
    let seconds = std::env::var("EVENHAND_PATIENCE").ok();
    let seconds = seconds.and_then(|text| text.parse().ok());
    Duration::from_secs(seconds.unwrap_or(60))
}

/// Writes the program that [`command`] names.
#[cfg(unix)]
fn write_hollow() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hollow");
    std::fs::create_dir_all(&folder).expect("a folder");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/hollow/hollow.py");
    let real = env!("CARGO_BIN_EXE_evenhand");
    let text = format!(
        "#!/bin/sh\nexec python3 '{}' '{real}' \"$@\"\n",
        script.display()
    );
    let path = folder.join("evenhand");
    std::fs::write(&path, text).expect("a file");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, executable).expect("a program");
}

#[cfg(unix)]
#[test]
fn empty_answers_fail_every_test_of_a_server() {
    let mut python = Command::new("python3");
    let found = python.arg("-V").stdout(Stdio::null()).status();
    let has_python = found.is_ok_and(|status| status.success());
    if !has_python {
        let must = std::env::var_os("EVENHAND_NO_SKIPS").is_some();
        assert!(!must, "there is no Python here");
        println!("skipped: there is no Python here");
        return;
    }
    write_hollow();
    let tests = std::env::current_exe().expect("a path");
    let output = Command::new(tests)
        .args(["lsp::", "dap::", "serve::", "--test-threads", "4"])
        .env("EVENHAND_HOLLOW", "1")
        .env("EVENHAND_PATIENCE", "4")
        // A test that skips would pass.
        .env("EVENHAND_NO_SKIPS", "1")
        .stderr(Stdio::null())
        .output()
        .expect("this very program");
    let said = String::from_utf8_lossy(&output.stdout);
    let ended = |how: &str| -> Vec<&str> {
        let lines = said.lines().filter(|line| line.starts_with("test "));
        lines.filter(|line| line.ends_with(how)).collect()
    };
    let (passed, failed) = (ended("... ok"), ended("... FAILED"));
    assert!(passed.is_empty(), "content with nothing: {passed:#?}");
    assert!(failed.len() >= 30, "{} tests: {said}", failed.len());
}
