//! The model of a call: read from a file or from standard input.

use std::path::Path;

use evenhand::{LoadError, LoadOptions, Model, ModelText, language_of_text};
use evenhand_source::{Budget, Diagnostic, Files, MOST_BYTES, read_file, read_stream};

use crate::arguments::{ModelArguments, OutputArguments};
use crate::console::{exhausted, rejected, show_diagnostics, wrong_about};
use crate::outcome::Outcome;

/// Reads the model or says what is wrong with it.
pub(crate) fn load(
    model: &ModelArguments,
    budget: Budget,
    output: &OutputArguments,
) -> Result<Model, Outcome> {
    let text = read(model, &budget, output)?;
    parse(text, model, budget, output)
}

/// Reads the text of a model or says why it cannot be read.
pub(crate) fn read(
    model: &ModelArguments,
    budget: &Budget,
    output: &OutputArguments,
) -> Result<ModelText, Outcome> {
    let options = model.options();
    let read = budget.run(|| match model.model == Path::new("-") {
        true => standard_input(&options),
        false => ModelText::read(&model.model, &options),
    });
    let read = read.unwrap_or_else(|why| Err(LoadError::Exhausted(why)));
    read.map_err(|error| unread(&error, output))
}

fn standard_input(options: &LoadOptions) -> Result<ModelText, LoadError> {
    let most = options.read.most_bytes.unwrap_or(MOST_BYTES);
    let text = read_stream(std::io::stdin(), most).map_err(|error| LoadError::Unreadable {
        name: "-".to_string(),
        error: error.to_string(),
    })?;
    Ok(ModelText {
        name: "standard input".to_string(),
        language: options.language.unwrap_or_else(|| language_of_text(&text)),
        text,
    })
}

/// Reads the text of a model and everything that is read with it, or says why that cannot be read.
pub(crate) fn open(
    model: &ModelArguments,
    budget: &Budget,
    output: &OutputArguments,
) -> Result<(ModelText, LoadOptions), Outcome> {
    let text = read(model, budget, output)?;
    let options = options(&text, model, budget.clone(), output)?;
    Ok((text, options))
}

/// How a text is understood, with the files beside it.
fn options(
    text: &ModelText,
    model: &ModelArguments,
    budget: Budget,
    output: &OutputArguments,
) -> Result<LoadOptions, Outcome> {
    let mut options = model.options();
    options.budget = budget;
    options.read.properties = properties(model, text, &options, output)?;
    options.read.configuration = configuration(model, text, &options, output)?;
    Ok(options)
}

/// Understands the text of a model or says what is wrong with it.
pub(crate) fn parse(
    text: ModelText,
    model: &ModelArguments,
    budget: Budget,
    output: &OutputArguments,
) -> Result<Model, Outcome> {
    let options = options(&text, model, budget, output)?;
    let loaded = Model::parse_with(&text.name, text.text, text.language, &options);
    let loaded = loaded.map_err(|error| unread(&error, output))?;
    if !output.quiet {
        let files = &loaded.signature().files;
        show_diagnostics(loaded.warnings(), files, output);
    }
    Ok(loaded)
}

/// Reads the files with properties of a call.
fn properties(
    model: &ModelArguments,
    text: &ModelText,
    options: &LoadOptions,
    output: &OutputArguments,
) -> Result<Vec<(String, String)>, Outcome> {
    if !model.property_files.is_empty() && !text.language.reads_properties() {
        let message = "`--properties` is for Petri nets (`.pnml`)";
        return Err(wrong_about(Diagnostic::global(message), output));
    }
    let files = model.property_files.iter();
    files
        .map(|path| named_text(path, options, output))
        .collect()
}

/// Reads the configuration of a call.
fn configuration(
    model: &ModelArguments,
    text: &ModelText,
    options: &LoadOptions,
    output: &OutputArguments,
) -> Result<Option<(String, String)>, Outcome> {
    if text.language.reads_configuration() {
        let file = model.config.as_ref();
        return file
            .map(|path| named_text(path, options, output))
            .transpose();
    }
    let option = match (&model.config, model.constants.is_empty()) {
        (Some(_), _) => "--config",
        (None, false) => "--constant",
        (None, true) => match model.settings().next() {
            Some((option, _)) => option,
            None => return Ok(None),
        },
    };
    let message = format!("`{option}` is for TLA+ (`.tla`)");
    Err(wrong_about(Diagnostic::global(message), output))
}

/// The text of a file, with its name.
fn named_text(
    path: &Path,
    options: &LoadOptions,
    output: &OutputArguments,
) -> Result<(String, String), Outcome> {
    let most = options.read.most_bytes.unwrap_or(MOST_BYTES);
    let name = path.display().to_string();
    match options.budget.run(|| read_file(path, most)) {
        Ok(Ok(text)) => Ok((name, text)),
        Ok(Err(error)) => {
            let error = error.to_string();
            Err(unread(&LoadError::Unreadable { name, error }, output))
        }
        Err(why) => Err(unread(&LoadError::Exhausted(why), output)),
    }
}

/// Says why a model could not be read.
fn unread(error: &LoadError, output: &OutputArguments) -> Outcome {
    let help = match error {
        LoadError::Rejected(found) => return rejected(found, &Files::new(), output),
        LoadError::Exhausted(why) => return exhausted(*why, &error.to_string(), output),
        LoadError::NoFile { near, .. } => {
            near.as_ref().map(|near| format!("did you mean `{near}`?"))
        }
        LoadError::Directory { models, .. } => Some(in_directory(models)),
        LoadError::UnknownLanguage(_) => Some(
            "say it with `--lang promela` or `--lang smv`, or use a file name such as `model.pml`"
                .to_string(),
        ),
        _ => None,
    };
    wrong_about(
        Diagnostic::global(error.to_string()).maybe_help(help),
        output,
    )
}

/// What to check instead of a directory: the models in it.
fn in_directory(models: &[String]) -> String {
    match models {
        [] => "give the name of a file: a model in Promela (`.pml`) or SMV (`.smv`)".to_string(),
        [only] => format!("it has one model: `{only}`"),
        [first, .., last] if models.len() > 3 => {
            let count = models.len();
            format!("give one of the {count} models in it: `{first}`, …, `{last}`")
        }
        some => format!("give one of the models in it: `{}`", some.join("`, `")),
    }
}
