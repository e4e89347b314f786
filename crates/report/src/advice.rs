//! Which fairness is needed, for people, for programs and as a page.
//!
//! What is needed may be fairness of processes and labels, or constraints that the model declares: the
//! names of items tell which.

use std::fmt::Write;

use evenhand_advise::hitting::Level;
use evenhand_advise::{Advice, AdviseReport, Advised, Need, Outcome};
use evenhand_source::{Files, counted};
use evenhand_system::{Granularity, Specification};
use evenhand_verify::{PropertyResult, Verdict};
use evenhand_witness::StepKind;
use serde_json::{Value as Json, json};

use crate::{VERSION, json, text};

/// Then there is nothing to assume anything about.
const NO_INITIAL_STATE: &str = "the model has no initial state, so it has no run";

/// Whether items are what the model declares, and not its processes.
fn is_declared(by: &str) -> bool {
    let all = [Granularity::Type, Granularity::Instance, Granularity::Label];
    all.iter().all(|known| known.word() != by)
}

/// What to paste into the model; a comment that says why there is nothing.
pub fn annotation(advice: &Advice, by: &str, model: &dyn Specification) -> String {
    let names = names(advice);
    let comment = match (&advice.outcome, advice.assignments.first()) {
        (Outcome::Nothing, _) => format!("{names} needs no fairness"),
        (_, Some(first)) => {
            let mut text = format!("{}\n", model.comment(&format!("for {names}:")));
            for spec in &first.fairness {
                let _ = writeln!(text, "{}", model.declaration(spec));
            }
            return text;
        }
        _ if is_declared(by) => format!("{names}: no constraints of the model are enough"),
        _ => format!("{names}: no fairness was found that is enough"),
    };
    format!("{}\n", model.comment(&comment))
}

/// An assumption as the model declares it, without what ends the declaration.
fn declaration(spec: &str, model: &dyn Specification) -> String {
    let text = model.declaration(spec);
    text.strip_suffix(';').unwrap_or(&text).to_string()
}

/// The constraints that a minimal assignment does without.
fn redundant(advised: &Advised, items: &[String], model: &dyn Specification) -> Vec<String> {
    let needed = |item: &&String| !advised.reasons.iter().any(|need| need.item == **item);
    let spare = items.iter().filter(needed);
    spare.map(|item| declaration(item, model)).collect()
}

fn names(advice: &Advice) -> String {
    let names: Vec<&str> = advice.properties.iter().map(|(n, _)| n.as_str()).collect();
    names.join(", ")
}

/// How much of an advice is told.
#[derive(Clone, Copy, Debug, Default)]
pub struct Telling {
    /// Without runs and costs.
    pub quiet: bool,
    /// With all runs.
    pub verbose: bool,
}

/// An advice for people.
pub fn told(
    advice: &Advice,
    report: &AdviseReport,
    telling: Telling,
    model: &dyn Specification,
) -> String {
    let mut teller = Teller {
        advice,
        report,
        telling,
        model,
        name: names(advice),
        text: String::new(),
    };
    teller.tell();
    teller.text
}

struct Teller<'t> {
    advice: &'t Advice,
    report: &'t AdviseReport,
    telling: Telling,
    model: &'t dyn Specification,
    name: String,
    text: String,
}

impl Teller<'_> {
    fn line(&mut self, text: impl AsRef<str>) {
        self.text.push_str(text.as_ref());
        self.text.push('\n');
    }

    fn tell(&mut self) {
        let (advice, name) = (self.advice, self.name.clone());
        let (holds, fails) = match advice.properties.len() {
            1 => ("holds", "fails"),
            _ => ("hold", "fail"),
        };
        for (name, formula) in &advice.properties {
            if let Some(formula) = formula {
                self.line(format!("{name}: {formula}"));
            }
        }
        match &advice.outcome {
            Outcome::Nothing => self.line(format!("{name} {holds} without any fairness.")),
            Outcome::Needs => self.needs(holds),
            Outcome::Impossible => self.impossible(fails),
            Outcome::Vacuous if advice.cost.states == 0 => self.line(format!(
                "{name} {holds} whatever is assumed: {NO_INITIAL_STATE}"
            )),
            Outcome::Vacuous => {
                self.line(format!(
                    "{name} {holds} only where no fair run is left: together with what is assumed \
                     anyway, these take all runs away:"
                ));
                self.rejected();
            }
            Outcome::Unknown(reason) => {
                self.line(format!("{name}: unknown: {}", text::reason(reason)));
            }
        }
        if advice.outcome == Outcome::Needs && !advice.rejected.is_empty() {
            self.line("Rejected, since no fair run is left under them:");
            self.rejected();
        }
        if !self.telling.quiet {
            self.text.push_str(&cost(advice));
        }
    }

    fn needs(&mut self, holds: &str) {
        let advice = self.advice;
        let is_declared = is_declared(self.report.by);
        for (number, advised) in advice.assignments.iter().enumerate() {
            match number {
                0 => self.line(format!("{} {holds} under", self.name)),
                _ => self.line("or under"),
            }
            match is_declared {
                true => self.constraints(advised),
                false => self.levels(advised),
            }
            match number {
                0 if advised.reasons.len() > 1 => {
                    self.line("  and nothing less of any of these will do.");
                }
                0 => self.line("  and nothing less will do."),
                _ => {}
            }
            let spare = redundant(advised, &self.report.items, self.model);
            if is_declared && !spare.is_empty() {
                self.line(format!("  not needed: {}", spare.join("; ")));
            }
        }
        self.line(match (advice.complete, advice.assignments.len()) {
            (true, 1) => "There is no other minimal way.",
            (true, _) => "These are all minimal ways.",
            (false, _) => "There may be other minimal ways: the search for them was cut short.",
        });
        for (number, advised) in advice.assignments.iter().enumerate() {
            if self.telling.quiet || number > 0 && !self.telling.verbose {
                break;
            }
            for need in &advised.reasons {
                self.need(need);
            }
        }
    }

    fn impossible(&mut self, fails: &str) {
        let (advice, by, name) = (self.advice, self.report.by, &self.name);
        let is_declared = is_declared(by);
        if is_declared {
            self.line(format!(
                "{name} {fails} even with all constraints that the model declares."
            ));
        } else {
            let line = format!(
                "{name} {fails} even with strong fairness of every {}: no fairness of these saves it.",
                of(by)
            );
            self.line(line);
            self.line(match (by == Granularity::Label.word(), advice.finer) {
                (true, _) => "There is nothing finer to ask about.",
                (_, Some(true)) => {
                    "A finer look helps: with strong fairness at labels it holds; try `--by label`."
                }
                (_, Some(false)) => {
                    "A finer look does not help: it fails with strong fairness at every label too."
                }
                _ => "Whether a finer look (`--by label`) would help was not found out.",
            });
        }
        if let Some(result) = &advice.run
            && let Some(run) = result.verdict.run()
            && !self.telling.quiet
        {
            if !is_declared && run.cycle.iter().all(|s| s.kind == StepKind::Stutter) {
                self.line(
                    "The run that shows it comes to an end: a scheduler has nobody to choose.",
                );
            }
            let files = &self.report.signature.files;
            let run = text::counterexample(result, run, files);
            let _ = write!(self.text, "\n{run}");
        }
    }

    fn levels(&mut self, advised: &Advised) {
        for level in [Level::Strong, Level::Weak] {
            let own = advised.reasons.iter().filter(|need| need.level == level);
            let names: Vec<String> = own.map(|need| item_words(&need.item)).collect();
            if !names.is_empty() {
                let names = names.join(", ");
                self.line(format!("  {} fairness of {names}", level.word()));
            }
        }
    }

    fn constraints(&mut self, advised: &Advised) {
        for (need, spec) in advised.reasons.iter().zip(&advised.fairness) {
            let declared = declaration(&need.item, self.model);
            let now = declaration(spec, self.model);
            let instead = match declared == now {
                true => String::new(),
                false => format!("   (instead of {declared})"),
            };
            self.line(format!("  {now}{instead}"));
        }
    }

    fn rejected(&mut self) {
        for texts in &self.advice.rejected {
            let list = match texts.is_empty() {
                true => "no fairness of items at all".to_string(),
                false => texts.join(", "),
            };
            self.line(format!("  {list}"));
        }
    }

    fn need(&mut self, need: &Need) {
        let what = with_less(need, self.report.by, self.model);
        match need.result.as_ref().map(|r| (r, &r.verdict)) {
            Some((result, Verdict::Violated(Some(run)))) => {
                let files = &self.report.signature.files;
                let run = text::counterexample(result, run, files);
                let _ = write!(self.text, "\n{what}, {run}");
            }
            Some((result, _)) => self.line(format!("\n{what}, {} fails", result.name)),
            None => self.line(format!(
                "\n{what} it fails; the run was not found within the limits"
            )),
        }
    }
}

/// What an item is, in words.
pub fn of(by: &str) -> &'static str {
    match by {
        "type" => "process type",
        "instance" => "process",
        "label" => "process and of the statements at every label",
        _ => "constraint",
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
pub fn with_less(need: &Need, by: &str, model: &dyn Specification) -> String {
    if is_declared(by) {
        let item = declaration(&need.item, model);
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

/// What it cost, in a line.
fn cost(advice: &Advice) -> String {
    let cost = &advice.cost;
    format!(
        "\n{}, {} of the product, explored once in {:.2} s; {} of {:.3} s each; {:.2} s in all\n",
        counted(cost.states, "state"),
        cost.product_states,
        cost.explore_seconds,
        counted(cost.checks, "check"),
        cost.seconds_per_check(),
        cost.seconds
    )
}

/// All advice for programs.
pub fn json(report: &AdviseReport, model: &dyn Specification) -> Json {
    let signature = &report.signature;
    let list = report.advice.iter();
    let list: Vec<Json> = list.map(|advice| one(advice, report, model)).collect();
    json!({
        "schema": json::SCHEMA,
        "tool": "evenhand",
        "version": VERSION,
        "model": signature.name,
        "language": signature.language,
        "warnings": report.notes,
        "by": report.by,
        "items": report.items,
        "advice": list,
    })
}

fn one(advice: &Advice, report: &AdviseReport, model: &dyn Specification) -> Json {
    let (cost, files): (_, &Files) = (&advice.cost, &report.signature.files);
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
            let lines = a.fairness.iter().map(|spec| model.declaration(spec));
            json!({
                "fairness": a.fairness,
                "annotation": lines.collect::<Vec<_>>(),
                "needs": needs,
            })
        })
        .collect();
    let reason = match &advice.outcome {
        Outcome::Unknown(reason) => json!(text::reason(reason)),
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
        "seconds_per_check": cost.seconds_per_check(),
        "explore_seconds": cost.explore_seconds,
        "first_seconds": cost.first_seconds,
        "seconds": cost.seconds,
    })
}
