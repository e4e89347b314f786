//! Running another program with a time limit.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// What a finished program left behind.
#[derive(Debug)]
pub struct Finished {
    /// Its exit status.
    pub status: ExitStatus,
    /// Its standard output.
    pub output: String,
    /// Its standard error.
    pub errors: String,
}

/// Runs a program in a directory; `Ok(None)` if it had to be stopped at the limit.
///
/// The output goes through files, not pipes, so that a talkative program cannot block.
pub fn run(
    program: &Path,
    arguments: &[&str],
    directory: &Path,
    limit: Duration,
) -> std::io::Result<Option<Finished>> {
    let file = |name: &str| -> std::io::Result<File> {
        File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(directory.join(name))
    };
    let mut output = file("stdout.txt")?;
    let mut errors = file("stderr.txt")?;
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(errors.try_clone()?)
        .spawn()?;
    let start = Instant::now();
    let mut pause = Duration::from_micros(500);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 3 / 2).min(Duration::from_millis(20));
    };
    let text = |file: &mut File| -> std::io::Result<String> {
        let mut bytes = Vec::new();
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    Ok(Some(Finished {
        status,
        output: text(&mut output)?,
        errors: text(&mut errors)?,
    }))
}

/// Whether a program of this name can be started.
pub fn exists(program: &str, argument: &str) -> bool {
    Command::new(program)
        .arg(argument)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok()
}
