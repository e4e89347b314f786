//! The `evenhand` command: the only code that prints.

mod arguments;
mod commands;
mod console;
mod destination;
mod elsewhere;
mod input;
mod interrupt;
mod manual;
mod outcome;
mod page;
mod progress;
mod screen;
mod together;

use std::alloc::System;
use std::process::ExitCode;

use cap::Cap;
use clap::Parser;
use evenhand_verify::memory;

use crate::arguments::{Cli, Command};
use crate::outcome::Outcome;

/// Counts what is allocated; the limits are kept by those who look.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// The exit codes of the contract, decided here alone.
fn code(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Holds => 0,
        Outcome::Violated => 1,
        Outcome::Wrong => 2,
        Outcome::Unknown => 3,
        Outcome::Internal => 4,
        Outcome::Interrupted => interrupt::CODE,
    }
}

/// Whether a call that cannot be understood asks for output that programs read.
fn asks_for_json() -> bool {
    let arguments: Vec<_> = std::env::args_os().collect();
    arguments.iter().any(|a| a == "--format=json")
        || arguments
            .windows(2)
            .any(|pair| pair[0] == "--format" && pair[1] == "json")
}

fn run() -> Outcome {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are answers; everything else is a wrong call.
            let wrong = error.use_stderr();
            let (error, help) = elsewhere::hinted(error);
            if wrong && asks_for_json() {
                return console::wrong_call(&error.to_string(), help);
            }
            let _ = error.print();
            return if wrong {
                Outcome::Wrong
            } else {
                Outcome::Holds
            };
        }
    };
    if let Some(output) = cli.command.output()
        && let Err(outcome) = console::only_checks(output)
    {
        return outcome;
    }
    match cli.command {
        Command::Check(arguments) => commands::check::run(&arguments),
        Command::Certify(arguments) => commands::certify::run(&arguments),
        Command::Advise(arguments) => commands::advise::run(&arguments),
        Command::States(arguments) => commands::states::run(&arguments),
        Command::Simulate(arguments) => commands::simulate::run(&arguments),
        Command::Serve(arguments) => commands::serve::run(&arguments),
        Command::Translate(arguments) => commands::translate::run(&arguments),
        Command::Formula(arguments) => commands::formula::run(&arguments),
        Command::Empty(arguments) => commands::empty::run(&arguments),
        Command::Completions(arguments) => commands::packaging::completions(&arguments),
        Command::Man(arguments) => commands::packaging::man(&arguments),
        Command::Lsp(_) => commands::lsp::run(evenhand_lsp::serve),
        Command::Dap(_) => commands::lsp::run(evenhand_lsp::debug),
        Command::Engines => commands::engines::run(),
    }
}

fn main() -> ExitCode {
    memory::count_with(|| ALLOCATOR.allocated() as u64);
    interrupt::survive_aborts(code(Outcome::Unknown));
    let outcome = run();
    // An answer that could not be written is none.
    let outcome = match console::has_failed() {
        true => Outcome::Wrong,
        false => outcome,
    };
    ExitCode::from(code(outcome))
}
