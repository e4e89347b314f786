//! `evenhand advise`.

use std::fmt::Write;

use evenhand::advise::constraints::CONSTRAINT;
use evenhand::advise::hitting::Level;
use evenhand::advise::items::Granularity;
use evenhand::advise::{Advice, AdviseOptions, AdviseReport, Advised, Need, Outcome, advise};
use evenhand::check::{CheckOptions, Listener};
use evenhand::model::Model;
use evenhand_explicit::search::Progress;
use evenhand_report::{PropertyResult, Verdict, html, json, text};
use evenhand_source::{Diagnostic, Files};
use evenhand_witness::StepKind;
use serde_json::{Value as Json, json};

use super::report::write_page;
use super::{ProgressLine, check, load, print, print_json, unless_interrupted, wrong};
use crate::Exit;
use crate::cli::{AdviseArguments, By, Format};

/// Then there is nothing to assume anything about.
const NO_INITIAL_STATE: &str = "the model has no initial state, so it has no run";

pub(crate) fn run(arguments: &AdviseArguments) -> Exit {
    let output = &arguments.output;
    let mut model = match load(&arguments.model, output) {
        Ok(model) => model,
        Err(exit) => return exit,
    };
    let options = AdviseOptions {
        check: CheckOptions {
            properties: arguments.properties.clone(),
            formulas: arguments.formulas.clone(),
            fair: arguments.fair.clone(),
            limit_states: arguments.search.limit_states,
            limit_memory: arguments.search.memory(),
            limit_time: arguments.search.limit_time,
            compress: arguments.search.compress,
            budget: arguments.budget,
            observe: arguments.report.is_some(),
            ..CheckOptions::default()
        },
        by: match arguments.by {
            By::Type => Granularity::Type,
            By::Instance => Granularity::Instance,
            By::Label => Granularity::Label,
        },
        together: arguments.all_properties,
    };
    let mut screen = Screen(ProgressLine::new(output));
    let result = advise(&mut model, &options, &mut screen);
    drop(screen);
    match result {
        Ok(report) => {
            show(&model, &report, arguments);
            match write_report(&model, &report, arguments) {
                Ok(()) => unless_interrupted(exit_of(&report)),
                Err(diagnostic) => wrong(&[diagnostic], &model.signature().files, output),
            }
        }
        Err(error) => check::failed(error, &model.signature().files, output),
    }
}

/// Shows how long searches go.
struct Screen(ProgressLine);

impl Listener for Screen {
    fn progress(&mut self, progress: &Progress) -> bool {
        self.0.update(progress)
    }

    fn stage(&mut self, name: &str) {
        self.0.stage(name);
    }
}

/// Writes the advice as a page, with the run that each needed item prevents, if asked to.
fn write_report(
    model: &Model,
    report: &AdviseReport,
    arguments: &AdviseArguments,
) -> Result<(), Diagnostic> {
    let Some(path) = &arguments.report else {
        return Ok(());
    };
    let files = &model.signature().files;
    let mut shown: Vec<(String, &PropertyResult)> = Vec::new();
    let mut list = Vec::new();
    for advice in &report.advice {
        let first = shown.len();
        let needs = advice.assignments.iter().flat_map(|a| &a.reasons);
        let needs = needs.filter_map(|need| Some((with_less(need), need.result.as_ref()?)));
        let anyway = advice.run.iter().map(|run| {
            let about = format!("with strong fairness of every {}", of(report.by));
            (about, run)
        });
        shown.extend(needs.chain(anyway));
        list.push(html::Advice {
            heading: names(advice),
            lines: told(advice, report, (true, false), files)
                .lines()
                .map(str::to_string)
                .collect(),
            because: (first..shown.len()).collect(),
        });
    }
    let entries: Vec<html::Entry<'_>> = shown
        .iter()
        .map(|(about, result)| html::Entry {
            about: Some(about),
            result,
            samples: &[],
        })
        .collect();
    write_page(path, model, &report.notes, &entries, &list)
}

fn exit_of(report: &AdviseReport) -> Exit {
    let mut exit = Exit::Holds;
    for advice in &report.advice {
        match advice.outcome {
            Outcome::Impossible | Outcome::Vacuous => return Exit::Violated,
            Outcome::Unknown(_) => exit = Exit::Unknown,
            Outcome::Nothing | Outcome::Needs => {}
        }
    }
    exit
}

fn show(model: &Model, report: &AdviseReport, arguments: &AdviseArguments) {
    let files = &model.signature().files;
    if arguments.output.format == Format::Json {
        print_json(&to_json(model, report));
        return;
    }
    if arguments.write {
        for advice in &report.advice {
            print(&annotation(advice, report.by));
        }
        return;
    }
    for (number, advice) in report.advice.iter().enumerate() {
        if number > 0 {
            print("\n");
        }
        let how = (arguments.output.quiet, arguments.output.verbose);
        print(&told(advice, report, how, files));
    }
    if report.advice.is_empty() {
        print("there is no temporal property to advise on\n");
    }
    if arguments.output.quiet {
        return;
    }
    for note in &report.notes {
        print(&format!("\nnote: {note}\n"));
    }
}

/// What to paste into the model; a comment that says why there is nothing.
fn annotation(advice: &Advice, by: &str) -> String {
    let names = names(advice);
    if by == CONSTRAINT {
        return smv_annotation(advice);
    }
    match (&advice.outcome, advice.assignments.first()) {
        (Outcome::Nothing, _) => format!("/* {names} needs no fairness */\n"),
        (_, Some(first)) => {
            let mut text = format!("/* for {names}: */\n");
            for spec in &first.fairness {
                let _ = writeln!(text, "/*@ fair {spec} */");
            }
            text
        }
        _ => format!("/* {names}: no fairness was found that is enough */\n"),
    }
}

/// What an SMV model is to declare.
fn smv_annotation(advice: &Advice) -> String {
    let names = names(advice);
    match (&advice.outcome, advice.assignments.first()) {
        (Outcome::Nothing, _) => format!("-- {names} needs no fairness\n"),
        (_, Some(first)) => {
            let mut text = format!("-- for {names}:\n");
            for spec in &first.fairness {
                let _ = writeln!(text, "{};", declaration(spec));
            }
            text
        }
        _ => format!("-- {names}: no constraints of the model are enough\n"),
    }
}

/// An assumption as SMV declares it.
fn declaration(spec: &str) -> String {
    match spec.split_once(':') {
        Some(("just", condition)) => format!("JUSTICE {}", condition.trim()),
        Some(("compassion", pair)) => match pair.split_once("=>") {
            Some((when, then)) => format!("COMPASSION ({}, {})", when.trim(), then.trim()),
            None => spec.to_string(),
        },
        _ => spec.to_string(),
    }
}

/// The constraints that a minimal assignment does without.
fn redundant(advised: &Advised, items: &[String]) -> Vec<String> {
    let needed = |item: &&String| !advised.reasons.iter().any(|need| need.item == **item);
    items
        .iter()
        .filter(needed)
        .map(|i| declaration(i))
        .collect()
}

fn names(advice: &Advice) -> String {
    let names: Vec<&str> = advice.properties.iter().map(|(n, _)| n.as_str()).collect();
    names.join(", ")
}

/// An advice for people; without runs and costs if `quiet`, with all runs if `verbose`.
fn told(
    advice: &Advice,
    report: &AdviseReport,
    (quiet, verbose): (bool, bool),
    files: &Files,
) -> String {
    let by = report.by;
    let mut text = String::new();
    let name = names(advice);
    let (holds, fails) = match advice.properties.len() {
        1 => ("holds", "fails"),
        _ => ("hold", "fail"),
    };
    for (name, formula) in &advice.properties {
        if let Some(formula) = formula {
            let _ = writeln!(text, "{name}: {formula}");
        }
    }
    match &advice.outcome {
        Outcome::Nothing => {
            let _ = writeln!(text, "{name} {holds} without any fairness.");
        }
        Outcome::Needs => {
            for (number, advised) in advice.assignments.iter().enumerate() {
                let lead = match number {
                    0 => format!("{name} {holds} under"),
                    _ => "or under".to_string(),
                };
                let _ = writeln!(text, "{lead}");
                if by == CONSTRAINT {
                    write_constraints(&mut text, advised);
                } else {
                    write_levels(&mut text, advised);
                }
                if number == 0 && advised.reasons.len() > 1 {
                    text.push_str("  and nothing less of any of these will do.\n");
                } else if number == 0 {
                    text.push_str("  and nothing less will do.\n");
                }
                let spare = redundant(advised, &report.items);
                if by == CONSTRAINT && !spare.is_empty() {
                    let _ = writeln!(text, "  not needed: {}", spare.join("; "));
                }
            }
            let line = match (advice.complete, advice.assignments.len()) {
                (true, 1) => "There is no other minimal way.",
                (true, _) => "These are all minimal ways.",
                (false, _) => "There may be other minimal ways: the search for them was cut short.",
            };
            let _ = writeln!(text, "{line}");
            for (number, advised) in advice.assignments.iter().enumerate() {
                if quiet || number > 0 && !verbose {
                    break;
                }
                for need in &advised.reasons {
                    write_need(&mut text, need, files);
                }
            }
        }
        Outcome::Impossible if by == CONSTRAINT => {
            let _ = writeln!(
                text,
                "{name} {fails} even with all constraints that the model declares."
            );
            if let Some(result) = &advice.run
                && let Verdict::Violated(Some(run)) = &result.verdict
                && !quiet
            {
                let _ = write!(text, "\n{}", text::counterexample(result, run, files));
            }
        }
        Outcome::Impossible => {
            let _ = writeln!(
                text,
                "{name} {fails} even with strong fairness of every {}: no fairness of these saves it.",
                of(by)
            );
            let hint = match (by, advice.finer) {
                ("label", _) => "There is nothing finer to ask about.".to_string(),
                (_, Some(true)) => {
                    "A finer look helps: with strong fairness at labels it holds; try `--by label`."
                        .to_string()
                }
                (_, Some(false)) => {
                    "A finer look does not help: it fails with strong fairness at every label too."
                        .to_string()
                }
                _ => {
                    "Whether a finer look (`--by label`) would help was not found out.".to_string()
                }
            };
            let _ = writeln!(text, "{hint}");
            if let Some(result) = &advice.run
                && let Verdict::Violated(Some(run)) = &result.verdict
                && !quiet
            {
                if run.cycle.iter().all(|s| s.kind == StepKind::Stutter) {
                    text.push_str("The run that shows it comes to an end: a scheduler has nobody to choose.\n");
                }
                let _ = write!(text, "\n{}", text::counterexample(result, run, files));
            }
        }
        Outcome::Vacuous if advice.cost.states == 0 => {
            let _ = writeln!(
                text,
                "{name} {holds} whatever is assumed: {NO_INITIAL_STATE}"
            );
        }
        Outcome::Vacuous => {
            let _ = writeln!(
                text,
                "{name} {holds} only where no fair run is left: together with what is assumed anyway, \
                 these take all runs away:"
            );
            write_rejected(&mut text, advice);
        }
        Outcome::Unknown(reason) => {
            let _ = writeln!(text, "{name}: unknown: {reason}");
        }
    }
    if advice.outcome == Outcome::Needs && !advice.rejected.is_empty() {
        text.push_str("Rejected, since no fair run is left under them:\n");
        write_rejected(&mut text, advice);
    }
    if !quiet {
        text.push_str(&cost(advice));
    }
    text
}

fn of(by: &str) -> &'static str {
    match by {
        CONSTRAINT => "constraint",
        "type" => "process type",
        "instance" => "process",
        _ => "process and of the statements at every label",
    }
}

fn write_levels(text: &mut String, advised: &Advised) {
    for level in [Level::Strong, Level::Weak] {
        let own = advised.reasons.iter().filter(|need| need.level == level);
        let names: Vec<String> = own.map(|need| item_words(&need.item)).collect();
        if !names.is_empty() {
            let _ = writeln!(text, "  {} fairness of {}", level.word(), names.join(", "));
        }
    }
}

fn write_constraints(text: &mut String, advised: &Advised) {
    for (need, spec) in advised.reasons.iter().zip(&advised.fairness) {
        let declared = declaration(&need.item);
        let now = declaration(spec);
        let instead = match declared == now {
            true => String::new(),
            false => format!("   (instead of {declared})"),
        };
        let _ = writeln!(text, "  {now}{instead}");
    }
}

fn write_rejected(text: &mut String, advice: &Advice) {
    for texts in &advice.rejected {
        let list = match texts.is_empty() {
            true => "no fairness of items at all".to_string(),
            false => texts.join(", "),
        };
        let _ = writeln!(text, "  {list}");
    }
}

/// An item in words.
fn item_words(item: &str) -> String {
    match item.split_once('@') {
        Some((process, label)) => format!("{process} at `{label}`"),
        None => item.to_string(),
    }
}

/// What is lowered to show that an item is needed.
fn with_less(need: &Need) -> String {
    let (kind, _) = need.item.split_once(':').unwrap_or_default();
    if matches!(kind, "just" | "compassion") {
        let item = declaration(&need.item);
        return match need.lowered {
            Level::Absent => format!("without {item}"),
            _ => format!("with only the justice of {item}"),
        };
    }
    let item = item_words(&need.item);
    match need.lowered {
        Level::Absent => format!("without fairness of {item}"),
        level => format!("with only {} fairness of {item}", level.word()),
    }
}

fn write_need(text: &mut String, need: &Need, files: &Files) {
    let what = with_less(need);
    match need.result.as_ref().map(|r| (r, &r.verdict)) {
        Some((result, Verdict::Violated(Some(run)))) => {
            let _ = write!(text, "\n{what}, ");
            text.push_str(&text::counterexample(result, run, files));
        }
        Some((result, _)) => {
            let _ = writeln!(text, "\n{what}, {} fails", result.name);
        }
        None => {
            let _ = writeln!(
                text,
                "\n{what} it fails; the run was not found within the limits"
            );
        }
    }
}

/// What it cost, in a line.
fn cost(advice: &Advice) -> String {
    let cost = &advice.cost;
    let each = match cost.checks {
        0 => 0.0,
        checks => cost.check_seconds / checks as f64,
    };
    format!(
        "\n{}, {} of the product, explored once in {:.2} s; {} of {:.3} s each; {:.2} s in all\n",
        text::counted(cost.states, "state"),
        cost.product_states,
        cost.explore_seconds,
        text::counted(cost.checks, "check"),
        each,
        cost.seconds
    )
}

fn to_json(model: &Model, report: &AdviseReport) -> Json {
    let signature = model.signature();
    let files = &signature.files;
    let list: Vec<Json> = report
        .advice
        .iter()
        .map(|a| advice_json(a, report.by, files))
        .collect();
    json!({
        "schema": 1,
        "tool": "evenhand",
        "version": env!("CARGO_PKG_VERSION"),
        "model": signature.name,
        "language": signature.language,
        "warnings": report.notes,
        "by": report.by,
        "items": report.items,
        "advice": list,
    })
}

fn advice_json(advice: &Advice, by: &str, files: &Files) -> Json {
    let cost = &advice.cost;
    let run = |result: &Option<PropertyResult>| match result {
        Some(result) => {
            let all = json::property(result, files);
            json!({ "property": result.name, "counterexample": all["counterexample"] })
        }
        None => Json::Null,
    };
    let need = |need: &Need| {
        json!({
            "item": need.item,
            "level": need.level.word(),
            "fails_with": need.lowered.word(),
            "because": run(&need.result),
        })
    };
    let assignments: Vec<Json> = advice
        .assignments
        .iter()
        .map(|a| {
            let needs: Vec<Json> = a.reasons.iter().map(need).collect();
            let lines = a.fairness.iter().map(|spec| match by == CONSTRAINT {
                true => format!("{};", declaration(spec)),
                false => format!("/*@ fair {spec} */"),
            });
            json!({
                "fairness": a.fairness,
                "annotation": lines.collect::<Vec<_>>(),
                "needs": needs,
            })
        })
        .collect();
    let reason = match &advice.outcome {
        Outcome::Unknown(reason) => json!(reason),
        Outcome::Vacuous if cost.states == 0 => json!(NO_INITIAL_STATE),
        _ => Json::Null,
    };
    let properties = advice.properties.iter();
    let properties = properties.map(|(name, formula)| json!({ "name": name, "formula": formula }));
    json!({
        "properties": properties.collect::<Vec<_>>(),
        "outcome": advice.outcome.word(),
        "reason": reason,
        "assignments": assignments,
        "complete": advice.complete,
        "rejected": advice.rejected,
        "because": run(&advice.run),
        "finer_helps": advice.finer,
        "states": cost.states,
        "product_states": cost.product_states,
        "checks": cost.checks,
        "seconds_per_check": if cost.checks == 0 { 0.0 } else { cost.check_seconds / cost.checks as f64 },
        "explore_seconds": cost.explore_seconds,
        "first_seconds": cost.first_seconds,
        "seconds": cost.seconds,
    })
}
