//! `evenhand lsp`: the language server.

use evenhand_source::Diagnostic;

use crate::arguments::{Format, LspArguments, OutputArguments, When};
use crate::console::wrong_about;
use crate::outcome::Outcome;

pub(crate) fn run(_: &LspArguments) -> Outcome {
    let Err(error) = evenhand_lsp::serve() else {
        return Outcome::Holds;
    };
    let output = OutputArguments {
        format: Format::Text,
        color: When::Auto,
        progress: When::Never,
        quiet: false,
        verbose: false,
    };
    let message = format!("this is for editors, and the one here is gone: {error}");
    wrong_about(Diagnostic::global(message), &output)
}
