//! The model, how it is read, and how far it is explored.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use evenhand::{Language, LoadOptions};
use evenhand_verify::{Cancel, Options};

use super::limits::LimitArguments;
use super::values::{parse_define, parse_language, parse_size};

/// The model and how it is read.
#[derive(Args)]
pub(crate) struct ModelArguments {
    /// The model; `-` reads standard input
    pub model: PathBuf,

    /// The language: promela, smv, tla, pnml, maria or hoa (default: told by the file name; of standard input by the
    /// text, which is SMV if it begins with a MODULE, TLA+ if with `----`, an automaton if with `HOA:`, a net if with
    /// `<?xml` or `place`, and else Promela)
    #[arg(long, value_name = "NAME", value_parser = parse_language)]
    pub lang: Option<&'static dyn Language>,

    /// Define a macro for the preprocessor (Promela, Maria)
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = parse_define)]
    pub defines: Vec<(String, Option<String>)>,

    /// Look for included files and modules here (Promela, Maria, TLA+)
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    pub include_dirs: Vec<PathBuf>,

    /// Also the properties of this file of the Model Checking Contest, by their ids (Petri nets; repeatable)
    #[arg(long = "properties", value_name = "FILE")]
    pub property_files: Vec<PathBuf>,

    /// The configuration of TLC (TLA+; default: the `.cfg` beside the `.tla`)
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Give a constant a value, or put a definition in its place: `N = 3`, `Nat <- Small` (TLA+; repeatable)
    #[arg(long = "constant", value_name = "NAME=VALUE")]
    pub constants: Vec<String>,

    /// The initial predicate, in place of what the configuration names (TLA+)
    #[arg(long, value_name = "NAME")]
    pub init: Option<String>,

    /// The next-state action, in place of what the configuration names (TLA+)
    #[arg(long, value_name = "NAME")]
    pub next: Option<String>,

    /// Also this definition as an invariant (TLA+; repeatable)
    #[arg(long = "invariant", value_name = "NAME")]
    pub invariants: Vec<String>,

    /// Read no included file outside of the model's folder and those of -I
    #[arg(long)]
    pub confine: bool,

    /// Read files of at most this size (default: 64M)
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub limit_file: Option<u64>,
}

impl ModelArguments {
    pub fn options(&self) -> LoadOptions {
        let mut options = LoadOptions::new();
        options.language = self.lang;
        options.read.defines.clone_from(&self.defines);
        options.read.include_dirs.clone_from(&self.include_dirs);
        options.read.confined = self.confine;
        options.read.most_bytes = self.limit_file;
        options.read.constants.clone_from(&self.constants);
        options.read.settings = self.settings().map(|(_, text)| text).collect();
        options
    }

    /// What the call says in place of a configuration: the options, and what they say.
    pub fn settings(&self) -> impl Iterator<Item = (&'static str, String)> {
        let init = self.init.iter().map(|name| ("--init", "INIT", name));
        let next = self.next.iter().map(|name| ("--next", "NEXT", name));
        let invariants = self.invariants.iter();
        let invariants = invariants.map(|name| ("--invariant", "INVARIANT", name));
        let all = init.chain(next).chain(invariants);
        all.map(|(option, word, name)| (option, format!("{word} {name}")))
    }
}

/// Limits of a search and the store.
#[derive(Debug, Args)]
pub(crate) struct SearchArguments {
    /// Stop with `unknown` after this many states
    #[arg(long, value_name = "N")]
    pub limit_states: Option<u64>,

    #[command(flatten)]
    pub limits: LimitArguments,

    /// Store states tree-compressed: less memory, somewhat slower
    #[arg(long)]
    pub compress: bool,

    /// Worker threads (default: one for each core); the answer does not depend on it
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
}

impl SearchArguments {
    /// Options with these limits.
    pub fn options(&self, cancel: Cancel) -> Options {
        let mut options = self.limits.options(cancel);
        options.limit_states = self.limit_states;
        options.compress = self.compress;
        options.threads = self.threads;
        options
    }
}
