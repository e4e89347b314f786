//! `evenhand lsp` and `evenhand dap`: the language server and the debug adapter.

use evenhand_source::Diagnostic;

use crate::arguments::{Format, OutputArguments, When};
use crate::console::wrong_about;
use crate::outcome::Outcome;

pub(crate) fn run(serve: fn() -> std::io::Result<()>) -> Outcome {
    let Err(error) = serve() else {
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
