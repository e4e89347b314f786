//! The options of commands that need no model: formulas, automata, packaging.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::limits::LimitArguments;
use super::output::{OutputArguments, When};
use super::values::parse_size;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TranslateFormat {
    /// The Hanoi omega-automata format
    Hoa,
    /// A graph for Graphviz
    Dot,
    /// A never claim for Promela
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AutomatonType {
    /// Generalized Büchi, marks on transitions
    Tgba,
    /// Büchi, one mark on transitions
    Buchi,
    /// Fairness-shaped conjuncts as Streett pairs: no states for them
    Streett,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The formula may be spelled as for SPIN, NuSMV or Spot; past operators are allowed.

Examples:
  evenhand translate 'G (request -> F grant)'
  evenhand translate --format never '!([] (p -> <> q))'
  evenhand translate --type streett '(G F a -> G F b) & G F c'

Exit status: 0 translated, 2 the formula is wrong, 3 a limit was reached.")]
pub(crate) struct TranslateArguments {
    /// The LTL formula
    #[arg(allow_hyphen_values = true)]
    pub formula: String,

    /// What to write
    #[arg(long, value_enum, default_value = "hoa")]
    pub format: TranslateFormat,

    /// Which automaton
    #[arg(long = "type", value_enum, value_name = "TYPE", default_value = "tgba")]
    pub kind: AutomatonType,

    /// Stop when the automaton to write has more edges than this
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub limit_edges: usize,

    #[command(flatten)]
    pub limits: LimitArguments,

    /// Colours of messages
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    pub color: When,

    /// Say less
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Further formulas are compared with the first. The formulas may be spelled as for SPIN, NuSMV or
Spot; past operators are allowed. The class (safety, guarantee, obligation, recurrence, persistence,
reactivity) is the lowest for what the formula says; where that takes too long to find out, `at most`
stands before the one that its syntax shows.

Examples:
  evenhand formula 'G (p -> F q)'
  evenhand formula 'p W q' '(p U q) | G p'

Exit status: 0 answered, and all formulas are equivalent, 1 answered, and some are not, 2 a formula is
wrong, 3 a limit was reached, 4 internal error.")]
pub(crate) struct FormulaArguments {
    /// The LTL formulas
    #[arg(required = true, value_name = "FORMULA")]
    pub formulas: Vec<String>,

    #[command(flatten)]
    pub limits: LimitArguments,

    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Any acceptance condition of HOA version 1 is understood; alternating automata are not. Of a file with
several automata each is checked.

Examples:
  evenhand empty automaton.hoa
  evenhand translate 'G F p & F G !p' | evenhand empty -

Exit status: 0 all languages are empty, 1 some is not, 2 the call or the file is wrong, 3 a limit was
reached, 4 internal error.")]
pub(crate) struct EmptyArguments {
    /// The automaton in HOA format; `-` reads standard input
    pub file: PathBuf,

    /// Read a file of at most this size (default: 64M)
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub limit_file: Option<u64>,

    #[command(flatten)]
    pub limits: LimitArguments,

    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  evenhand completions bash > /usr/share/bash-completion/completions/evenhand
  evenhand completions fish > ~/.config/fish/completions/evenhand.fish")]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  evenhand man check | man -l -
  evenhand man --all /usr/share/man/man1")]
pub(crate) struct ManArguments {
    /// The page of this command; without it, that of the program
    pub command: Option<String>,

    /// Write all pages into this folder
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub all: Option<PathBuf>,
}

/// Serves an editor.
#[derive(Debug, Args)]
pub(crate) struct LspArguments {
    /// On the standard streams, as always: some editors say so
    #[arg(long)]
    pub stdio: bool,
}
