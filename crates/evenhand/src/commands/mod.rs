//! One file per command.

pub(crate) mod advise;
pub(crate) mod check;
pub(crate) mod empty;
pub(crate) mod engines;
pub(crate) mod formula;
mod interrupt;
mod manual;
pub(crate) mod packaging;
pub(crate) mod report;
mod screen;
pub(crate) mod simulate;
pub(crate) mod states;
pub(crate) mod translate;
mod words;

use std::io::{IsTerminal, Write};

use evenhand::check::{Listener, SetProgress};
use evenhand::{LoadError, Model, ModelText};
use evenhand_explicit::search::Progress;
use evenhand_report::printable::{one_line, printable};
use evenhand_source::{Diagnostic, Files};
use evenhand_system::relation::Refusal;

use crate::Exit;
use crate::cli::{Format, ModelArguments, OutputArguments, When};

/// Writes text for people to standard output; what would act on their terminal is written out.
pub(crate) fn print(text: &str) {
    print_as_it_is(&printable(text));
}

/// Writes JSON to standard output.
pub(crate) fn print_json(json: &serde_json::Value) {
    print_as_it_is(&format!("{json:#}\n"));
}

/// Writes what programs read, or what was painted, to standard output; a reader that has gone away is no
/// error, a full disk is.
pub(crate) fn print_as_it_is(text: &str) {
    let mut out = std::io::stdout();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if let Err(error) = written
        && error.kind() != std::io::ErrorKind::BrokenPipe
    {
        let _ = writeln!(std::io::stderr(), "error: cannot write the answer: {error}");
        std::process::exit(i32::from(Exit::Wrong as u8));
    }
}

/// Says what is wrong with a call.
pub(crate) fn complain(message: &str) {
    let _ = writeln!(std::io::stderr(), "error: {}", printable(message));
}

/// Whether diagnostics are coloured.
pub(crate) fn colour(output: &OutputArguments) -> bool {
    coloured(output, &std::io::stderr())
}

/// Whether answers are coloured.
pub(crate) fn colour_answers(output: &OutputArguments) -> bool {
    coloured(output, &std::io::stdout())
}

fn coloured(output: &OutputArguments, stream: &impl IsTerminal) -> bool {
    match output.color {
        When::Always => true,
        When::Never => false,
        When::Auto => {
            let refused = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
            stream.is_terminal() && !refused
        }
    }
}

/// Reads the model or says what is wrong with it.
pub(crate) fn load(model: &ModelArguments, output: &OutputArguments) -> Result<Model, Exit> {
    parse(read(model, output)?, model, output)
}

/// Reads the text of a model or says why it cannot be read.
pub(crate) fn read(model: &ModelArguments, output: &OutputArguments) -> Result<ModelText, Exit> {
    let read = ModelText::read(&model.model, &model.options());
    read.map_err(|error| wrong(&error.diagnostics, &error.files, output))
}

/// Understands the text of a model or says what is wrong with it.
pub(crate) fn parse(
    text: ModelText,
    model: &ModelArguments,
    output: &OutputArguments,
) -> Result<Model, Exit> {
    match Model::parse(&text.name, text.text, text.language, &model.options()) {
        Ok(loaded) => {
            if !output.quiet {
                let files = &loaded.signature().files;
                show_diagnostics(loaded.warnings(), files, output);
            }
            Ok(loaded)
        }
        Err(LoadError { files, diagnostics }) => Err(wrong(&diagnostics, &files, output)),
    }
}

/// Says why a call or a model is wrong.
pub(crate) fn wrong(diagnostics: &[Diagnostic], files: &Files, output: &OutputArguments) -> Exit {
    if output.format == Format::Json {
        let json = evenhand_report::json::errors(env!("CARGO_PKG_VERSION"), diagnostics, files);
        print_json(&json);
    } else {
        show_diagnostics(diagnostics, files, output);
    }
    Exit::Wrong
}

/// Says why a system cannot be explored state by state.
pub(crate) fn refused(refusal: &Refusal, output: &OutputArguments) -> Exit {
    let message = format!("the model cannot be explored state by state: {refusal}");
    wrong(&[Diagnostic::global(message)], &Files::new(), output)
}

/// Says, for programs, why a call is wrong; `text` is what a person would read.
pub(crate) fn wrong_call(text: &str) -> Exit {
    let lines = text.lines().map(str::trim);
    let first: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    let message = first.join(" ");
    let diagnostics = [Diagnostic::global(message.trim_start_matches("error: "))];
    let files = Files::new();
    let json = evenhand_report::json::errors(env!("CARGO_PKG_VERSION"), &diagnostics, &files);
    print_json(&json);
    Exit::Wrong
}

/// Diagnostics go to standard error.
pub(crate) fn show_diagnostics(
    diagnostics: &[Diagnostic],
    files: &Files,
    output: &OutputArguments,
) {
    let colour = colour(output);
    let mut text = String::new();
    for diagnostic in diagnostics.iter().take(MOST_SHOWN) {
        text.push_str(&evenhand_report::diagnostics::render(
            diagnostic, files, colour,
        ));
        text.push_str("\n\n");
    }
    if diagnostics.len() > MOST_SHOWN {
        text.push_str(&format!(
            "{} more are not shown\n",
            diagnostics.len() - MOST_SHOWN
        ));
    }
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// How many diagnostics are shown to people.
const MOST_SHOWN: usize = 30;

/// A line on the terminal that shows how a search goes, and vanishes at its end; while there is one,
/// Ctrl-C ends the search and not the program.
pub(crate) struct ProgressLine {
    active: bool,
    /// What is going on.
    stage: String,
    started: std::time::Instant,
    shown: std::time::Instant,
    visible: bool,
}

/// How much is told of what is going on.
const WIDEST_STAGE: usize = 40;

impl ProgressLine {
    pub fn new(output: &OutputArguments) -> ProgressLine {
        let active = match output.progress {
            When::Always => true,
            When::Never => false,
            When::Auto => std::io::stderr().is_terminal() && !output.quiet,
        };
        interrupt::listen();
        let now = std::time::Instant::now();
        ProgressLine {
            active,
            stage: String::new(),
            started: now,
            shown: now,
            visible: false,
        }
    }

    /// From now on this is going on.
    pub fn stage(&mut self, name: &str) {
        // A line that is wider than the terminal would not vanish.
        let name = one_line(name);
        let short: String = name.chars().take(WIDEST_STAGE).collect();
        let more = if short.len() < name.len() { "…" } else { "" };
        self.stage = format!("{short}{more}: ");
        self.started = std::time::Instant::now();
    }

    /// Shows how far a search has come; whether to go on.
    pub fn update(&mut self, progress: &Progress) -> bool {
        if self.active && self.shown.elapsed().as_millis() >= 200 {
            let rate = progress.states as f64 / self.started.elapsed().as_secs_f64().max(0.001);
            let (states, depth) = (progress.states, progress.depth);
            let text = format!("{states} states, {rate:.0} states/s, depth {depth}");
            self.draw(&text, progress.bytes);
        }
        !interrupt::is_raised()
    }

    /// Shows how far the symbolic engine has come.
    pub fn show_sets(&mut self, sets: &SetProgress) {
        if self.active && self.shown.elapsed().as_millis() >= 200 {
            let SetProgress { rounds, nodes, .. } = sets;
            self.draw(&format!("round {rounds}, {nodes} nodes"), sets.bytes);
        }
    }

    fn draw(&mut self, text: &str, bytes: u64) {
        self.shown = std::time::Instant::now();
        self.visible = true;
        let (stage, megabytes) = (&self.stage, bytes >> 20);
        let _ = write!(std::io::stderr(), "\r\x1b[K{stage}{text}, {megabytes} MB");
    }
}

impl Listener for ProgressLine {
    fn progress(&mut self, progress: &Progress) -> bool {
        self.update(progress)
    }

    fn sets(&mut self, sets: &SetProgress) {
        self.show_sets(sets);
    }
}

/// The exit of a search that may have been interrupted.
pub(crate) fn unless_interrupted(exit: Exit) -> Exit {
    match interrupt::is_raised() {
        true => Exit::Interrupted,
        false => exit,
    }
}

impl ProgressLine {
    /// Takes the line away.
    pub fn clear(&mut self) {
        if self.visible {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
            self.visible = false;
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}
