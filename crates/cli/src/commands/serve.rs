//! `evenhand serve`: the workbench in the browser.

use evenhand_source::Diagnostic;
use evenhand_system::Content;
use evenhand_workbench::{Opened, Settings, Workbench};

use crate::arguments::{Format, OutputArguments, ServeArguments, When};
use crate::console::{print, wrong_about};
use crate::input::open;
use crate::interrupt;
use crate::outcome::Outcome;

pub(crate) fn run(arguments: &ServeArguments) -> Outcome {
    served(arguments).unwrap_or_else(|outcome| outcome)
}

fn served(arguments: &ServeArguments) -> Result<Outcome, Outcome> {
    let output = &OutputArguments {
        format: Format::Text,
        color: arguments.color,
        progress: When::Never,
        quiet: arguments.quiet,
        verbose: false,
    };
    let cancel = interrupt::cancel();
    let mut settings = Settings::default();
    settings.port = arguments.port;
    settings.limits = arguments.search.options(cancel.clone());
    let limit = arguments.search.limits.limit_time;
    settings.limits.limit_time = limit.or(Some(ServeArguments::USUAL_TIME));
    let mut models = Vec::new();
    for model in arguments.models() {
        let (text, options) = open(&model, &settings.limits.reading(), output)?;
        if text.language.content() != Content::Model {
            let message = format!("`{}` is an automaton, not a model", text.name);
            let help = "`evenhand empty` says whether it accepts anything";
            return Err(wrong_about(Diagnostic::global(message).help(help), output));
        }
        models.push(Opened {
            name: text.name,
            text: text.text,
            language: text.language,
            // The page sends texts: what they include stays near the file.
            options: options.confined(),
        });
    }
    let workbench = Workbench::bind(models, settings).map_err(|error| {
        let message = format!("cannot listen on port {}: {error}", arguments.port);
        let help = "leave `--port` out: then any free port is taken";
        wrong_about(Diagnostic::global(message).help(help), output)
    })?;
    print(&format!("the workbench is open: {}\n", workbench.address()));
    if !arguments.quiet {
        print("whoever has this address can use it; Ctrl-C ends it\n");
    }
    workbench.run(&cancel);
    Ok(Outcome::Interrupted)
}
