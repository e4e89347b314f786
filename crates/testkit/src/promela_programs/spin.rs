//! SPIN as an oracle.
//!
//! A verifier is generated without SPIN's optimisations that change the state count (`-o1` data
//! flow, `-o2` dead variables, `-o3` statement merging), compiled without partial-order reduction
//! by `tcc`, which takes hundredths of a second, and run three times:
//!
//! | run | flags | tells |
//! | --- | --- | --- |
//! | reach | `-A -E` | the number of reachable states, errors ignored |
//! | assertions | `-E` | whether an assertion fails or a run-time error occurs |
//! | ends | `-A` | whether an invalid end state is reachable |
//!
//! SPIN stops at the first error in depth-first order, so one run could not tell both classes.
//! A search that was cut (depth, vector size, memory, time) tells nothing and is discarded.

use super::process::{self, Finished};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What SPIN says about one program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Reachable states; unknown where a run-time error makes the search meaningless.
    pub states: Option<u64>,
    /// Whether some assertion can fail, or some run-time error can occur.
    pub assertion: bool,
    /// Whether some invalid end state is reachable; unknown as for `states`.
    pub invalid_end: Option<bool>,
    /// The text of the first assertion failure or run-time error.
    pub message: Option<String>,
}

/// A question about a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question<'q> {
    /// The name of an `ltl` block; none for the only claim there is.
    pub block: Option<&'q str>,
    /// Whether processes are treated with weak fairness (`-f`).
    pub fair: bool,
}

/// What SPIN says about a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimAnswer {
    /// The text of the error it found.
    pub error: Option<String>,
}

impl ClaimAnswer {
    /// Whether the claim is violated; none if the error is one of the program itself, or of an
    /// expression that has no value.
    pub fn violated(&self) -> Option<bool> {
        let Some(error) = &self.error else {
            return Some(false);
        };
        // The safety part of a claim is an assertion about the negated formula, two blanks in
        // front.
        let of_claim = [
            "acceptance cycle",
            "end state in claim",
            "assertion violated  !(",
        ];
        let known = of_claim.iter().any(|start| error.starts_with(start));
        known.then_some(true)
    }
}

/// Why a program was not judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Discard {
    /// SPIN did not accept it.
    Rejected(String),
    /// The C compiler did not accept the verifier.
    NotCompiled(String),
    /// The search was cut short, for this reason.
    Truncated(&'static str),
    /// It took too long.
    TooSlow,
    /// The command under test took too long.
    CommandTooSlow,
    /// The verifier said something this module does not understand.
    NotUnderstood(String),
}

/// SPIN, with the limits of a search.
#[derive(Clone, Debug)]
pub struct Spin {
    /// Depth limit of the search.
    pub depth: usize,
    /// Time limit of each program that is started.
    pub limit: Duration,
    /// The C compiler.
    pub compiler: String,
    /// Further options for the C compiler.
    pub definitions: Vec<String>,
}

impl Spin {
    /// SPIN and a C compiler, or a sentence saying which is missing.
    pub fn find() -> Result<Self, String> {
        if !process::exists("spin", "-V") {
            return Err("`spin` is not installed".into());
        }
        if !process::exists("tcc", "-v") {
            return Err("`tcc` is not installed".into());
        }
        Ok(Spin {
            depth: 200_000,
            limit: Duration::from_secs(3),
            compiler: "tcc".into(),
            definitions: Vec::new(),
        })
    }

    /// The same, but without a short cut of the verifier's. Where it meets a state that it believes
    /// to be on its stack next to an accepting one, it reports a cycle without looking for it. In
    /// programs with `timeout` a claim is moved twice, and the state of the first attempt is still
    /// believed to be there: a false alarm. Verifiers that store hashes do not take the short cut
    /// (and do not confuse states of small spaces).
    pub fn without_short_cut(&self) -> Self {
        let mut spin = self.clone();
        spin.definitions.push("-DHC4".into());
        spin
    }

    /// The same with partial-order reduction, which is SPIN's default.
    pub fn with_reduction(&self) -> Self {
        let mut spin = self.clone();
        spin.definitions.push("-UNOREDUCE".into());
        spin
    }

    /// Judges the program in this file. The verifier is built in `directory`, which must exist
    /// and belong to the caller alone.
    ///
    /// With `hazards`, run-time errors may occur and only the verdict of the second run counts.
    pub fn judge(&self, source: &Path, directory: &Path, hazards: bool) -> Result<Answer, Discard> {
        let pan = self.build(source, directory, &["-DSAFETY"])?;
        let assertions = self.search(&pan, &["-E"], directory)?;
        if hazards {
            return Ok(Answer {
                states: None,
                assertion: assertions.error.is_some(),
                invalid_end: None,
                message: assertions.error,
            });
        }
        let reach = self.search(&pan, &["-A", "-E"], directory)?;
        if let Some(message) = reach.error {
            // A run-time error that `-A` does not silence: the rest of the space is unknown.
            return Ok(Answer {
                states: None,
                assertion: true,
                invalid_end: None,
                message: Some(message),
            });
        }
        let ends = self.search(&pan, &["-A"], directory)?;
        Ok(Answer {
            states: Some(reach.states),
            assertion: assertions.error.is_some(),
            invalid_end: Some(ends.error.is_some()),
            message: assertions.error,
        })
    }

    /// Judges claims of the program in this file: `ltl` blocks by name, or the never claim. The
    /// verifier is built once in `directory`, and run with `-a` for each question.
    ///
    /// Labels of the program that begin with `accept` count together with those of the claim, and
    /// `_nr_pr` counts the claim; a failing assertion of the program is an error too.
    pub fn judge_ltl(
        &self,
        source: &Path,
        directory: &Path,
        questions: &[Question<'_>],
    ) -> Result<Vec<Result<ClaimAnswer, Discard>>, Discard> {
        // Room for the counters of 38 processes.
        let pan = self.build(source, directory, &["-DNFAIR=5"])?;
        let ask = |question: &Question<'_>| {
            let mut flags = vec!["-a"];
            if question.fair {
                flags.push("-f");
            }
            if let Some(name) = question.block {
                flags.extend(["-N", name]);
            }
            let error = self.search(&pan, &flags, directory)?.error;
            Ok(ClaimAnswer { error })
        };
        Ok(questions.iter().map(ask).collect())
    }

    fn run(
        &self,
        program: &Path,
        arguments: &[&str],
        directory: &Path,
    ) -> Result<Finished, Discard> {
        match process::run(program, arguments, directory, self.limit) {
            Ok(Some(finished)) => Ok(finished),
            Ok(None) => Err(Discard::TooSlow),
            Err(error) => Err(Discard::NotUnderstood(format!("{program:?}: {error}"))),
        }
    }

    fn build(
        &self,
        source: &Path,
        directory: &Path,
        definitions: &[&str],
    ) -> Result<PathBuf, Discard> {
        let text = source.to_string_lossy();
        // `-Pcat`: there is nothing to preprocess, and starting a C preprocessor costs more than
        // all the rest.
        let arguments = ["-Pcat", "-o1", "-o2", "-o3", "-a", &text];
        let generated = self.run(Path::new("spin"), &arguments, directory)?;
        let said = format!("{}{}", generated.output, generated.errors);
        // `else` beside input or output is called an error, but accepted.
        let wrong = |line: &str| line.contains("Error:") && !line.contains("dubious use of");
        if !generated.status.success() || said.lines().any(wrong) {
            return Err(Discard::Rejected(said));
        }
        let mut arguments = vec!["-w", "-DNOREDUCE", "-DVECTORSZ=4096"];
        arguments.extend(definitions);
        arguments.extend(self.definitions.iter().map(String::as_str));
        arguments.extend(["-o", "pan", "pan.c"]);
        let compiled = self.run(Path::new(&self.compiler), &arguments, directory)?;
        if !compiled.status.success() {
            return Err(Discard::NotCompiled(compiled.errors));
        }
        Ok(directory.join("pan"))
    }

    fn search(&self, pan: &Path, flags: &[&str], directory: &Path) -> Result<Search, Discard> {
        let depth = format!("-m{}", self.depth);
        let mut arguments = vec!["-n", "-w18", &depth];
        arguments.extend(flags);
        let finished = self.run(pan, &arguments, directory)?;
        read_search(&finished)
    }
}

/// The outcome of one run of the verifier.
#[derive(Clone, Debug)]
struct Search {
    states: u64,
    error: Option<String>,
}

fn read_search(finished: &Finished) -> Result<Search, Discard> {
    let output = &finished.output;
    let error = output
        .lines()
        .find_map(|line| line.strip_prefix("pan:1: "))
        .map(|text| text.split(" (at depth").next().unwrap_or(text).to_string());
    // What was found before the search was cut was found.
    if error.is_none() && output.contains("max search depth too small") {
        return Err(Discard::Truncated("depth"));
    }
    for (sign, reason) in [
        ("VECTORSZ is too small", "vector size"),
        ("reached -DMEMLIM bound", "memory"),
        ("out of memory", "memory"),
        ("too many processes", "processes"),
    ] {
        if output.contains(sign) || finished.errors.contains(sign) {
            return Err(Discard::Truncated(reason));
        }
    }
    // Division by zero is a signal: no summary is printed.
    if finished.status.code().is_none() {
        return Ok(Search {
            states: 0,
            error: Some("the verifier was stopped by a signal".into()),
        });
    }
    let number = |before: &str| -> Option<u64> {
        let line = output.lines().find(|line| line.contains(before))?;
        let word = line.split(before).next()?.split_whitespace().last()?;
        word.parse::<f64>().ok().map(|value| value as u64)
    };
    let errors = output
        .lines()
        .find_map(|line| line.split("errors: ").nth(1))
        .and_then(|text| text.trim().parse::<u64>().ok());
    match (number(" states, stored"), errors) {
        (Some(states), Some(errors)) if (errors > 0) == error.is_some() => {
            Ok(Search { states, error })
        }
        _ => Err(Discard::NotUnderstood(format!(
            "{output}\n{}",
            finished.errors
        ))),
    }
}
