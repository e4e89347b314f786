//! The `evenhand` command: the only code that prints.

mod cli;
mod commands;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Command};

/// Exit codes of the contract, decided here alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Everything checked holds.
    Holds = 0,
    /// At least one property is violated.
    Violated = 1,
    /// The call or the model is wrong.
    Wrong = 2,
    /// Nothing is violated, but something is unknown.
    Unknown = 3,
    /// A counterexample failed its replay.
    Internal = 4,
    /// Ended by the user.
    Interrupted = 130,
}

/// Whether a call that cannot be understood asks for output that programs read.
fn asks_for_json() -> bool {
    let arguments: Vec<_> = std::env::args_os().collect();
    arguments.iter().any(|a| a == "--format=json")
        || arguments
            .windows(2)
            .any(|pair| pair[0] == "--format" && pair[1] == "json")
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are answers; everything else is a wrong call.
            let wrong = error.use_stderr();
            if wrong && asks_for_json() {
                return ExitCode::from(commands::wrong_call(&error.to_string()) as u8);
            }
            let _ = error.print();
            return ExitCode::from(if wrong { Exit::Wrong as u8 } else { 0 });
        }
    };
    // Counterexamples and diagnostics are long; a reader that closes the pipe early is no error.
    let exit = match cli.command {
        Command::Check(arguments) => commands::check::run(&arguments),
        Command::Advise(arguments) => commands::advise::run(&arguments),
        Command::States(arguments) => commands::states::run(&arguments),
        Command::Simulate(arguments) => commands::simulate::run(&arguments),
        Command::Translate(arguments) => commands::translate::run(&arguments),
        Command::Formula(arguments) => commands::formula::run(&arguments),
        Command::Empty(arguments) => commands::empty::run(&arguments),
        Command::Completions(arguments) => commands::packaging::completions(&arguments),
        Command::Man(arguments) => commands::packaging::man(&arguments),
        Command::Engines => commands::engines::run(),
    };
    ExitCode::from(exit as u8)
}
