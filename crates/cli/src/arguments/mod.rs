//! The options of the command line.

mod cluster;
mod limits;
mod model;
mod output;
mod serve;
mod tools;
mod values;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use self::cluster::ClusterArguments;
pub(crate) use self::limits::LimitArguments;
pub(crate) use self::model::{ModelArguments, SearchArguments};
pub(crate) use self::output::{Format, OutputArguments, RunLayout, When};
pub(crate) use self::serve::ServeArguments;
pub(crate) use self::tools::{
    AutomatonType, CompletionsArguments, EmptyArguments, FormulaArguments, LspArguments,
    ManArguments, TranslateArguments, TranslateFormat,
};
use self::values::parse_duration;

/// Does this temporal property hold on every fair run, and if not, what is the shortest fair run
/// that breaks it?
#[derive(Parser)]
#[command(name = "evenhand", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Check the properties of a model
    Check(CheckArguments),
    /// Check kept proofs against a model, without any engine
    Certify(CertifyArguments),
    /// Find out which fairness a property needs
    Advise(AdviseArguments),
    /// Explore all reachable states
    States(StatesArguments),
    /// Run a model at random or by hand
    Simulate(SimulateArguments),
    /// Open a workbench in the browser: edit, check, walk through runs and states
    Serve(ServeArguments),
    /// Translate an LTL formula into an omega-automaton
    Translate(TranslateArguments),
    /// Say what LTL formulas mean: satisfiable, valid, equivalent, their class, a model
    Formula(FormulaArguments),
    /// Is the language of an omega-automaton empty?
    Empty(EmptyArguments),
    /// Serve an editor: the language server, on the standard streams
    Lsp(LspArguments),
    /// Serve an editor that steps through a run: the debug adapter, on the standard streams
    Dap(LspArguments),
    /// List the engines for temporal properties
    Engines,
    /// Write the completions for a shell
    Completions(CompletionsArguments),
    /// Write manual pages
    Man(ManArguments),
}

impl Command {
    /// How a command prints that cannot tell CI systems anything.
    pub fn output(&self) -> Option<&OutputArguments> {
        match self {
            Command::Certify(arguments) => Some(&arguments.output),
            Command::Advise(arguments) => Some(&arguments.output),
            Command::States(arguments) => Some(&arguments.output),
            Command::Simulate(arguments) => Some(&arguments.output),
            Command::Formula(arguments) => Some(&arguments.output),
            Command::Empty(arguments) => Some(&arguments.output),
            _ => None,
        }
    }
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  evenhand check models/promela/peterson.pml
  evenhand check -p deadlock models/promela/philosophers.pml
  evenhand check --ltl '[] (x == 1 -> <> (x == 0))' --fair strong model.pml
  evenhand check --fair weak:server --fair strong:client@enter model.pml
  evenhand check --format json model.pml
  evenhand check --watch x,y --layout folded model.pml
  generate | evenhand check -

Exit status: 0 everything holds, 1 something is violated, 2 the call or the model is wrong,
3 something is unknown (a limit was reached), 4 internal error, 130 interrupted (Ctrl-C).

Fairness: weak, strong, spin-weak (as SPIN's -f); weak:NAME, strong:NAME of a process type,
NAME[2] of one instance, NAME@LABEL of the statements at a label; just:EXPR (infinitely often),
compassion:EXPR=>EXPR (infinitely often the first implies infinitely often the second).

For CI systems: --format junit (tests in XML) and --format sarif (results with runs as code flows).")]
pub(crate) struct CheckArguments {
    #[command(flatten)]
    pub model: ModelArguments,

    /// Check this property (repeatable); `feasible` exists in every model, `assertions`, `deadlock`,
    /// `acceptance` and `progress` in those of Promela, `total` in those of SMV
    #[arg(short, long = "property", value_name = "NAME")]
    pub properties: Vec<String>,

    /// Check this LTL formula (repeatable); past operators are allowed
    #[arg(long = "ltl", value_name = "FORMULA", allow_hyphen_values = true)]
    pub formulas: Vec<String>,

    /// Check this CTL* formula (repeatable); CTL is a part of it
    #[arg(long = "ctl", value_name = "FORMULA", allow_hyphen_values = true)]
    pub branching: Vec<String>,

    /// Check that no run is accepted by this automaton of the bad runs (repeatable)
    #[arg(long = "automaton", value_name = "FILE.hoa")]
    pub automata: Vec<PathBuf>,

    /// The automata describe the good runs instead
    #[arg(long, requires = "automata")]
    pub good: bool,

    /// Assume this fairness (repeatable), see below
    #[arg(long, value_name = "SPEC", allow_hyphen_values = true)]
    pub fair: Vec<String>,

    /// Ignore the fairness that the model declares
    #[arg(long)]
    pub no_fairness: bool,

    /// The engine for temporal properties; `evenhand engines` lists them
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub engine: String,

    /// How the symbolic engine handles compassion
    #[arg(long, value_name = "HOW", value_enum, default_value = "native")]
    pub compassion: Compassion,

    /// What runs that end mean for temporal properties (default: stutter; ignore for SMV;
    /// maximal for Petri nets)
    #[arg(long, value_name = "HOW", value_enum)]
    pub deadlock: Option<Ends>,

    /// Which run to show for a violated property
    #[arg(long, value_name = "HOW", value_enum, default_value = "shortest")]
    pub counterexample: How,

    /// Only look at runs of at most this many steps: a violation is certain, anything else `unknown`
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u64>,

    /// Explore fewer states where that gives the same answer
    #[arg(long, value_name = "HOW", value_enum, default_value = "auto")]
    pub reduce: Reduce,

    /// How long to look for a shorter run once a violation is known (default: 10 s or 5 times the check)
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub budget: Option<Duration>,

    /// How a `holds` is checked by code that shares nothing with the engine
    #[arg(long, value_name = "HOW", value_enum, default_value = "auto")]
    pub certify: CertifyHow,

    /// Keep the proofs of what holds in this file (everything is expanded again for that); `evenhand certify`
    /// checks them without any engine
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,

    /// Show only these variables in runs (repeatable, or separated by commas): `x`, `p[0]:x`, `x[2]`
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub watch: Vec<String>,

    /// How the steps of runs are shown
    #[arg(long, value_name = "HOW", value_enum, default_value = "list")]
    pub layout: RunLayout,

    /// Write the run of the first violated property as a trail for `spin -t` to this file
    #[arg(long, value_name = "FILE")]
    pub trail: Option<PathBuf>,

    /// Also write a report to this file: a page that explains every answer, with runs to step through
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,

    #[command(flatten)]
    pub search: SearchArguments,

    #[command(flatten)]
    pub cluster: ClusterArguments,

    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Args)]
#[command(after_help = "\
The file says what it proves: the property, the fairness that is assumed, how finished runs are read. All
of that is printed, and the model is asked the same again: a property that has changed is refused. With
-p, --ltl, --automaton, --fair, --no-fairness or --deadlock, only proofs of exactly that count.

Examples:
  evenhand check --fair strong --certificate proof.cert model.pml
  evenhand certify proof.cert model.pml
  evenhand certify -p entry --fair strong proof.cert model.pml

Exit status: 0 everything is proved, 1 a proof is wrong, is about something else or is missing, 2 the call, the
file or the model is wrong, 3 a limit was reached.")]
pub(crate) struct CertifyArguments {
    /// The file of proofs, from `evenhand check --certificate`
    pub file: PathBuf,

    #[command(flatten)]
    pub model: ModelArguments,

    /// Expect a proof of this property (repeatable)
    #[arg(short, long = "property", value_name = "NAME")]
    pub properties: Vec<String>,

    /// Expect a proof of this LTL formula (repeatable)
    #[arg(long = "ltl", value_name = "FORMULA", allow_hyphen_values = true)]
    pub formulas: Vec<String>,

    /// Expect a proof that no run is accepted by this automaton of the bad runs (repeatable)
    #[arg(long = "automaton", value_name = "FILE.hoa")]
    pub automata: Vec<PathBuf>,

    /// The automata describe the good runs instead
    #[arg(long, requires = "automata")]
    pub good: bool,

    /// Expect that this fairness is assumed (repeatable), and no other beside what the model declares
    #[arg(long, value_name = "SPEC", allow_hyphen_values = true)]
    pub fair: Vec<String>,

    /// Expect that the fairness which the model declares is not assumed
    #[arg(long)]
    pub no_fairness: bool,

    /// Expect that runs which end are read like this
    #[arg(long, value_name = "HOW", value_enum)]
    pub deadlock: Option<Ends>,

    #[command(flatten)]
    pub limits: LimitArguments,

    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    /// All instances of a process type together
    Type,
    /// Each process by itself
    Instance,
    /// The statements at each label of a process type; and each type as a whole
    Label,
}

#[derive(Args)]
#[command(after_help = "\
Each item (a process type, a process, or the statements at a label) is given no fairness, weak or
strong fairness. The answer is the minimal assignments: the property holds, and with less fairness of any
single item it does not; for each item a shortest run shows that. The fairness that the model declares is ignored,
since the question is what is needed; what is given with --fair is assumed in any case.

Examples:
  evenhand advise -p entry models/promela/peterson.pml
  evenhand advise -p entry --by label models/promela/semaphore.pml
  evenhand advise --all-properties --write model.pml
  evenhand advise --ltl '[] <> (x == 1)' --fair 'just:y == 0' --format json model.pml

Exit status: 0 minimal assignments were found (or nothing is needed), 1 no fairness of these items is
enough, 2 the call or the model is wrong, 3 unknown (a limit was reached), 4 internal error.")]
pub(crate) struct AdviseArguments {
    #[command(flatten)]
    pub model: ModelArguments,

    /// Advise on this property (repeatable; default: each temporal property of the model by itself)
    #[arg(short, long = "property", value_name = "NAME")]
    pub properties: Vec<String>,

    /// Advise on this LTL formula (repeatable)
    #[arg(long = "ltl", value_name = "FORMULA", allow_hyphen_values = true)]
    pub formulas: Vec<String>,

    /// What fairness is asked about (of an SMV model always its declared constraints)
    #[arg(long, value_enum, value_name = "WHAT", default_value = "type")]
    pub by: By,

    /// One assignment under which all properties hold: all of the model, or those given
    #[arg(long)]
    pub all_properties: bool,

    /// Assume this in any case (repeatable), such as just:EXPR; see `evenhand check --help`
    #[arg(long, value_name = "SPEC", allow_hyphen_values = true)]
    pub fair: Vec<String>,

    /// Print only the annotation to paste into the model
    #[arg(long, conflicts_with = "quiet")]
    pub write: bool,

    /// Also write a report to this file: a page with the advice and the runs that show why
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,

    /// How long to look for a shorter run for each item (default: 2 s)
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub budget: Option<Duration>,

    #[command(flatten)]
    pub search: SearchArguments,

    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum How {
    /// The shortest
    Shortest,
    /// The shortest, and a shortest one for each other accepting state
    All,
    /// The first one found
    First,
    /// None
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CertifyHow {
    /// The proof of a temporal property is held against the states that the engine has kept
    Auto,
    /// Everything is expanded again, for all properties
    Full,
    /// Not at all
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compassion {
    /// By the algorithm itself
    Native,
    /// As justice, with a guess for each pair
    Justice,
    /// Put before formulas of linear time
    Antecedent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Reduce {
    /// Unless the model is small
    Auto,
    /// However small the model is
    Always,
    /// Never
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ends {
    /// An improper end breaks every temporal property
    Error,
    /// They do not count
    Ignore,
    /// They stay where they end for ever
    Stutter,
    /// CTL quantifies over them as the finite runs they are, elsewhere they stay (Petri nets)
    Maximal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SearchOrder {
    /// Breadth-first
    Bfs,
    /// Depth-first
    Dfs,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  evenhand states models/promela/leader_election.pml
  evenhand states --compress --limit-time 60s --format json model.pml")]
pub(crate) struct StatesArguments {
    #[command(flatten)]
    pub model: ModelArguments,

    /// The order in which states are explored
    #[arg(long, value_enum, value_name = "ORDER", default_value = "bfs")]
    pub order: SearchOrder,

    /// How states are found: `symbolic` counts them by sets, all others one by one
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub engine: String,

    #[command(flatten)]
    pub search: SearchArguments,

    #[command(flatten)]
    pub cluster: ClusterArguments,

    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Args)]
#[command(after_help = "\
With --interactive each line that is typed (or comes through a pipe) is an order:
  N takes choice N · r [N] random steps · u [N] undoes steps · v shows all variables ·
  w NAME watches a variable, or no longer · p prints the run so far · m shows more choices ·
  /TEXT shows those with that text · h help · q quits
A model that may begin in several states begins with the choice among them. With --replay too,
n [N] takes the next steps of the run that is followed.

Examples:
  evenhand simulate --seed 7 --steps 20 models/promela/leader_election.pml
  evenhand simulate --steps 20 --watch floor --watch door models/smv/lift.smv
  evenhand simulate --interactive models/promela/peterson.pml
  evenhand simulate --interactive --replay counterexample.json model.pml

Exit status: 0 the run goes on or ends properly, 1 it ends in a run-time error or where it must not,
2 the call or the model is wrong, or it has no such run, 3 no step was found.")]
pub(crate) struct SimulateArguments {
    #[command(flatten)]
    pub model: ModelArguments,

    /// Where the random choices begin
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Stop after this many steps
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub steps: u64,

    /// Follow a run that was written before: the JSON of `check` or `simulate`, or a trail of SPIN; with
    /// `--interactive`, step by step
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seed", "steps"])]
    pub replay: Option<PathBuf>,

    /// Of several runs in the file, that of this property
    #[arg(short, long, value_name = "NAME", requires = "replay")]
    pub property: Option<String>,

    #[command(flatten)]
    pub limits: LimitArguments,

    /// Choose each step by hand
    #[arg(short, long)]
    pub interactive: bool,

    /// Watch these variables (repeatable, or separated by commas): a random run shows only the watched
    /// ones, a run by hand their values before and after each step
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub watch: Vec<String>,

    /// How the steps of a random run are shown
    #[arg(long, value_name = "HOW", value_enum, default_value = "list")]
    pub layout: RunLayout,

    #[command(flatten)]
    pub output: OutputArguments,
}
