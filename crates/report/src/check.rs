//! Everything about a check that is no verdict: runs, warnings, notes, statements never executed.

use std::fmt::Write;

use evenhand_source::{Diagnostic, Span, counted};
use evenhand_system::Signature;
use evenhand_verify::{PropertyResult, Report, Verdict};

use crate::printable::printable;
use crate::run_layout::RunStyle;
use crate::{paint, text};

/// With so many states it is told who expanded them: with fewer, others may or may not have come in time.
const MANY: u64 = 1 << 14;

/// So many letters of an expression are shown beside its counts.
const MOST_LETTERS: usize = 60;

/// How much is told, and how.
#[derive(Clone, Copy, Debug, Default)]
pub struct Telling<'a> {
    /// Say less.
    pub quiet: bool,
    /// Say more.
    pub verbose: bool,
    /// In colours.
    pub colour: bool,
    /// The fairness assumptions that the call brought.
    pub given: &'a [String],
    /// What is shown of runs.
    pub style: RunStyle<'a>,
}

/// How many runs of a property are shown to people.
const MOST_RUNS: usize = 10;

/// How many statements that are never executed are shown if nobody asks for more.
const MOST_UNREACHED: usize = 5;

/// What follows the verdicts.
pub fn told(report: &Report, telling: Telling<'_>) -> String {
    let mut out = Told {
        text: String::new(),
        telling,
    };
    // What a verdict is worth is no detail.
    if !telling.quiet {
        out.runs(report);
    }
    out.warnings(report);
    if telling.quiet {
        return out.text;
    }
    for note in rests(report, telling.given, telling.verbose) {
        out.remark("note", &note);
    }
    let is_told = |note: &&evenhand_verify::Note| telling.verbose || note.is_news();
    for note in report.notes.iter().filter(is_told) {
        out.remark("note", &text::note(note));
    }
    if telling.verbose {
        let searched = report.properties.iter();
        let is_told = |p: &&PropertyResult| {
            let is_shared = p.ahead > 0 && p.states > MANY;
            p.product_states.is_some() || p.reduced || p.unreduced.is_some() || is_shared
        };
        for property in searched.filter(is_told) {
            out.plain(&format!("\n{}", text::statistics(property)));
        }
    }
    if telling.verbose {
        out.coverage(report);
    }
    out.unreached(report);
    out.text
}

/// What stands somewhere, in one line, and where that is.
fn words(signature: &Signature, span: Span) -> (String, String) {
    let line = signature.files.position(span).line;
    let file = &*signature.files.get(span.file).name;
    let place = match file == signature.name {
        true => format!("line {line}"),
        false => format!("{file}:{line}"),
    };
    let text = signature.files.text(span).split_whitespace();
    (text.collect::<Vec<_>>().join(" "), place)
}

/// The beginning of a long expression.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_LETTERS) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text.to_string(),
    }
}

struct Told<'a> {
    text: String,
    telling: Telling<'a>,
}

impl Told<'_> {
    fn plain(&mut self, text: &str) {
        self.text.push_str(&printable(text));
    }

    fn remark(&mut self, word: &str, text: &str) {
        match self.telling.colour {
            true => {
                let _ = writeln!(self.text, "\n{}", paint::remark(word, text));
            }
            false => self.plain(&format!("\n{word}: {text}\n")),
        }
    }

    fn runs(&mut self, report: &Report) {
        let files = &report.signature().files;
        for property in &report.properties {
            let Verdict::Violated(Some(run)) = &property.verdict else {
                continue;
            };
            let runs = std::iter::once(&**run).chain(&property.others);
            for run in runs.clone().take(MOST_RUNS) {
                let told = text::counterexample_in(property, run, files, self.telling.style);
                match self.telling.colour {
                    true => {
                        let _ = write!(self.text, "\n{}", paint::run(&told));
                    }
                    false => self.plain(&format!("\n{told}")),
                }
            }
            let more = runs.count().saturating_sub(MOST_RUNS);
            if more > 0 {
                let more = counted(more, "more run");
                self.plain(&format!("\nnote: {more}; `--format json` has them all\n"));
            }
        }
    }

    /// What is said of several properties is said once.
    fn warnings(&mut self, report: &Report) {
        let mut said: Vec<(String, Vec<&str>)> = Vec::new();
        for property in &report.properties {
            for warning in &property.warnings {
                let warning = text::warning(property, warning);
                match said.iter_mut().find(|(text, _)| *text == warning) {
                    Some((_, names)) => names.push(&property.name),
                    None => said.push((warning, vec![&property.name])),
                }
            }
        }
        for (warning, names) in said {
            self.remark("warning", &format!("{}: {warning}", names.join(", ")));
        }
    }

    /// How many steps each action has.
    fn coverage(&mut self, report: &Report) {
        let signature = report.signature();
        if report.coverage.is_empty() {
            return;
        }
        self.plain("\nsteps of each action:\n");
        for (action, &count) in signature.actions.iter().zip(&report.coverage) {
            let line = signature.files.position(action.span).line;
            let text = counted(count as usize, "step");
            self.plain(&format!("  {} (line {line}): {text}\n", action.text));
        }
        for (title, is_evaluated) in [("never true:", true), ("never evaluated:", false)] {
            let unmet = report.expressions.unmet.iter();
            let unmet: Vec<_> = unmet.filter(|c| c.is_evaluated == is_evaluated).collect();
            if unmet.is_empty() {
                continue;
            }
            self.plain(&format!("{title}\n"));
            for condition in unmet {
                let (words, place) = words(signature, condition.span);
                self.plain(&format!("  {words} ({place})\n"));
            }
        }
        if report.expressions.evaluated.is_empty() {
            return;
        }
        self.plain("how often expressions were evaluated, and true:\n");
        for one in &report.expressions.evaluated {
            let (words, place) = words(signature, one.span);
            let column = signature.files.position(one.span).column;
            let truth = match one.met == one.times {
                true => String::new(),
                false => format!(", true {}", one.met),
            };
            let words = shortened(&words);
            self.plain(&format!(
                "  {}{truth}: {words} ({place}, column {column})\n",
                one.times
            ));
        }
    }

    fn unreached(&mut self, report: &Report) {
        let unreached = unreached(report);
        if unreached.is_empty() {
            return;
        }
        let most = match self.telling.verbose {
            true => unreached.len(),
            false => MOST_UNREACHED,
        };
        self.remark("warning", "never executed:");
        for statement in unreached.iter().take(most) {
            self.plain(&format!("  {statement}\n"));
        }
        if unreached.len() > most {
            let more = counted(unreached.len() - most, "more statement");
            self.plain(&format!("  and {more} (-v shows them)\n"));
        }
    }
}

/// How many assumptions are told if nobody asks for more.
const MOST_ASSUMPTIONS: usize = 6;

/// On what fairness the properties rest that hold, those with the same in one sentence.
fn rests(report: &Report, given: &[String], all: bool) -> Vec<String> {
    let mut groups: Vec<(&[String], Vec<&str>)> = Vec::new();
    for property in &report.properties {
        let fairness = property.fairness.as_slice();
        if fairness.is_empty() || !property.verdict.holds() || property.value.is_some() {
            continue;
        }
        match groups.iter_mut().find(|(known, _)| *known == fairness) {
            Some((_, names)) => names.push(&property.name),
            None => groups.push((fairness, vec![&property.name])),
        }
    }
    let sentence = |(fairness, names): &(&[String], Vec<&str>)| {
        let (declared, given): (Vec<&String>, Vec<&String>) =
            fairness.iter().partition(|text| is_declared(text, given));
        let mut parts = Vec::new();
        if !given.is_empty() {
            parts.push(some_of(&given, all));
        }
        if !declared.is_empty() {
            parts.push(format!("the model declares {}", some_of(&declared, all)));
        }
        let (names, parts) = (names.join(", "), parts.join("; "));
        format!("{names}: checked on fair runs only: {parts}")
    };
    groups.iter().map(sentence).collect()
}

/// A list of assumptions, not too long.
fn some_of(list: &[&String], all: bool) -> String {
    let most = match all {
        true => list.len(),
        false => list.len().min(MOST_ASSUMPTIONS),
    };
    let mut texts: Vec<String> = list[..most].iter().map(ToString::to_string).collect();
    if most < list.len() {
        let more = list.len() - most;
        texts.push(format!("and {more} more (-v shows them)"));
    }
    texts.join(", ")
}

/// Whether an assumption comes from the model, and not from the call.
fn is_declared(assumption: &str, given: &[String]) -> bool {
    let same = |a: &str, b: &str| a.split_whitespace().eq(b.split_whitespace());
    !given.iter().any(|text| same(text, assumption))
}

/// What is to say about the model, in lines; `news` leaves out what most people expect.
pub fn remarks(text_warnings: &[Diagnostic], report: &Report, news: bool) -> Vec<String> {
    let signature = report.signature();
    let of_text = text_warnings.iter().chain(&report.warnings);
    let of_text = of_text.map(|d| placed(d, signature));
    let notes = report.notes.iter().filter(|note| !news || note.is_news());
    let notes = notes.map(text::note);
    let unreached = unreached(report).into_iter();
    let unreached = unreached.map(|s| format!("never executed: {s}"));
    of_text.chain(notes).chain(unreached).collect()
}

fn placed(diagnostic: &Diagnostic, signature: &Signature) -> String {
    let files = &signature.files;
    match diagnostic.span {
        Some(span) => {
            let name = &files.get(span.file).name;
            format!("{name}:{}: {}", files.position(span), diagnostic.message)
        }
        None => diagnostic.message.clone(),
    }
}

/// The statements that no run executes, and the processes of which none is executed.
fn unreached(report: &Report) -> Vec<String> {
    let signature = report.signature();
    let info = |action: &evenhand_system::ActionId| &signature.actions[action.index()];
    // Of each process, how many statements are executed, and whether it was told that none is.
    let last = signature
        .actions
        .iter()
        .map(|info| info.process.index())
        .max();
    let mut executed = vec![0usize; last.map_or(0, |last| last + 1)];
    for info in &signature.actions {
        executed[info.process.index()] += 1;
    }
    for action in &report.unreached {
        executed[info(action).process.index()] -= 1;
    }
    let mut told = vec![false; executed.len()];
    let mut list = Vec::new();
    for action in &report.unreached {
        let info = info(action);
        let process = info.process.index();
        let name = &signature.processes[process];
        if executed[process] == 0 {
            if !std::mem::replace(&mut told[process], true) {
                list.push(format!("{name}: nothing of it"));
            }
            continue;
        }
        let line = signature.files.position(info.span).line;
        list.push(format!("{name}, line {line}: {}", info.text));
    }
    list
}
