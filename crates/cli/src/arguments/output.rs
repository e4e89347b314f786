//! How answers are printed.

use clap::{Args, ValueEnum};
use evenhand_report::run_layout::Layout;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For programs
    Json,
    /// For CI systems: tests in JUnit's XML
    #[value(hide = true)] // of `check` alone, whose help has it
    Junit,
    /// For CI systems: results in SARIF
    #[value(hide = true)]
    Sarif,
}

impl Format {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Json => "json",
            Format::Junit => "junit",
            Format::Sarif => "sarif",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// If the output is a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunLayout {
    /// One below the other
    List,
    /// Steps that change nothing that is shown are one line together
    Folded,
    /// A column for each process
    Columns,
    /// As TLC prints them, for tools that read that: all variables of each state
    #[value(hide = true)] // of TLA+ alone, whose page has it
    Tlc,
}

impl From<RunLayout> for Layout {
    fn from(layout: RunLayout) -> Layout {
        match layout {
            RunLayout::List => Layout::List,
            RunLayout::Folded => Layout::Folded,
            RunLayout::Columns => Layout::Columns,
            RunLayout::Tlc => Layout::Tlc,
        }
    }
}

/// How to print.
#[derive(Debug, Args)]
pub(crate) struct OutputArguments {
    /// Output for people or for programs
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,

    /// Colours
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    pub color: When,

    /// A line that shows how a long run goes
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    pub progress: When,

    /// Say less
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Say more
    #[arg(short, long)]
    pub verbose: bool,
}
