//! The options of the workbench.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use evenhand::Language;

use super::model::{ModelArguments, SearchArguments};
use super::output::When;
use super::values::{parse_define, parse_language};

#[derive(Args)]
#[command(after_help = "\
The address is printed; open it in a browser. It is on this machine alone (127.0.0.1) and has a random token in
it: whoever has it can use the workbench. Texts are changed on the page, never in the files; includes outside of
the model's folder and those of -I are not read. A check without --limit-time ends after 60 s.

Examples:
  evenhand serve models/promela/philosophers.pml
  evenhand serve --port 8080 --limit-time 5m models/promela/*.pml

Exit status: 2 the call is wrong, 130 ended by Ctrl-C.")]
pub(crate) struct ServeArguments {
    /// The models
    #[arg(required = true, value_name = "MODEL")]
    pub models: Vec<PathBuf>,

    /// The port (default: any that is free)
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub port: u16,

    /// The language of all models: promela, smv, tla, pnml or maria (default: told by the file names)
    #[arg(long, value_name = "NAME", value_parser = parse_language)]
    pub lang: Option<&'static dyn Language>,

    /// Define a macro for the preprocessor (Promela, Maria)
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = parse_define)]
    pub defines: Vec<(String, Option<String>)>,

    /// Look for included files and modules here (Promela, Maria, TLA+)
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    pub include_dirs: Vec<PathBuf>,

    /// The configuration of TLC (TLA+; default: the `.cfg` beside the `.tla`)
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Give a constant a value, or put a definition in its place: `N = 3`, `Nat <- Small` (TLA+; repeatable)
    #[arg(long = "constant", value_name = "NAME=VALUE")]
    pub constants: Vec<String>,

    /// Also the properties of this file of the Model Checking Contest, by their ids (Petri nets; repeatable)
    #[arg(long = "properties", value_name = "FILE")]
    pub property_files: Vec<PathBuf>,

    #[command(flatten)]
    pub search: SearchArguments,

    /// Colours of messages
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    pub color: When,

    /// Say less
    #[arg(short, long)]
    pub quiet: bool,
}

impl ServeArguments {
    /// A check takes at most this long if nothing else is said: a page that waits for ever helps nobody.
    pub const USUAL_TIME: Duration = Duration::from_secs(60);

    /// Each model, with how it is read.
    pub fn models(&self) -> impl Iterator<Item = ModelArguments> {
        self.models.iter().map(|model| ModelArguments {
            model: model.clone(),
            lang: self.lang,
            defines: self.defines.clone(),
            include_dirs: self.include_dirs.clone(),
            property_files: self.property_files.clone(),
            config: self.config.clone(),
            constants: self.constants.clone(),
            init: None,
            next: None,
            invariants: Vec::new(),
            confine: true,
            limit_file: None,
        })
    }
}
