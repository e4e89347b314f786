//! A command that is given its standard input.

use std::io::{self, Write};
use std::process::{Command, Output, Stdio};

/// Runs a command with something on standard input, which it need not read to the end.
///
/// # Errors
/// If it cannot be started or waited for.
pub fn piped(command: &mut Command, input: &str) -> io::Result<Output> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn()?;
    if let Some(mut pipe) = child.stdin.take() {
        let _ = pipe.write_all(input.as_bytes());
    }
    child.wait_with_output()
}
