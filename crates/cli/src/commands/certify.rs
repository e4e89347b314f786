//! `evenhand certify`: proofs that were kept, against a model.
//!
//! All that decides is in `evenhand_certify`, which knows no engine.

use std::fs::File;
use std::io::{BufReader, Read};
use std::time::Instant;

use evenhand::Model;
use evenhand_certify::file::{Certificates, ReadError};
use evenhand_certify::{Checked, Kept, Refusal, Room, Statement, Untrue};
use evenhand_report::certificates::{Entry, json, reading, text};
use evenhand_source::{Diagnostic, MOST_BYTES, read_file};
use evenhand_system::Wanted;
use evenhand_verify::{Listener, Options, Progress, memory};

use crate::arguments::{CertifyArguments, Ends, Format};
use crate::console::{exhausted, print, print_json, wrong_about};
use crate::input::load;
use crate::interrupt;
use crate::outcome::Outcome;
use crate::progress::ProgressLine;

pub(crate) fn run(arguments: &CertifyArguments) -> Outcome {
    certified(arguments).unwrap_or_else(|outcome| outcome)
}

fn certified(arguments: &CertifyArguments) -> Result<Outcome, Outcome> {
    let output = &arguments.output;
    let options = arguments.limits.options(interrupt::cancel());
    let begun = Instant::now();
    let name = arguments.file.display();
    let unreadable = |error: &dyn std::fmt::Display| {
        wrong_about(
            Diagnostic::global(format!("cannot read `{name}`: {error}")),
            output,
        )
    };
    let is_file = arguments.file.metadata().map(|found| found.is_file());
    if !is_file.map_err(|error| unreadable(&error))? {
        return Err(unreadable(&"it is no regular file"));
    }
    let file = File::open(&arguments.file).map_err(|error| unreadable(&error))?;
    let most = arguments.model.limit_file.unwrap_or(MOST_BYTES);
    let mut automata = Vec::new();
    for path in &arguments.automata {
        let text = read_file(path, most).map_err(|error| {
            let message = format!("cannot read `{}`: {error}", path.display());
            wrong_about(Diagnostic::global(message), output)
        })?;
        automata.push(text);
    }
    let model = load(&arguments.model, options.reading(), output)?;
    let options = options.since(begun);
    let checked = options.budget_now().run(|| {
        let mut all = All {
            model: &model,
            arguments,
            options: &options,
            started: Instant::now(),
            automata: automata.clone(),
            entries: Vec::new(),
            outcome: Vec::new(),
        };
        all.read(BufReader::new(file)).map(|()| all)
    });
    let all = match checked {
        Err(why) => return Err(exhausted(why, &why.to_string(), output)),
        Ok(Err(error)) => {
            let message = format!("`{name}`: {error}");
            let help = "`evenhand check --certificate FILE` writes such files";
            return Err(wrong_about(Diagnostic::global(message).help(help), output));
        }
        Ok(Ok(all)) => all,
    };
    let missing = all.missing();
    let mut outcomes = all.outcome;
    if output.format == Format::Json {
        let model = &model.signature().name;
        print_json(&json(model, &name.to_string(), &all.entries, &missing));
    } else {
        for missing in &missing {
            print(&format!(
                "missing    {missing}: the file has no such proof\n"
            ));
        }
        if all.entries.is_empty() {
            print("the file has no proof of that\n");
        }
    }
    if !missing.is_empty() || all.entries.is_empty() {
        outcomes.push(Outcome::Violated);
    }
    Ok(Outcome::worst(outcomes).unless_interrupted())
}

/// All proofs of a file.
struct All<'a> {
    model: &'a Model,
    arguments: &'a CertifyArguments,
    options: &'a Options,
    started: Instant,
    /// The automata that are expected.
    automata: Vec<String>,
    entries: Vec<Entry>,
    outcome: Vec<Outcome>,
}

impl All<'_> {
    fn read(&mut self, input: impl Read) -> Result<(), ReadError> {
        let room = Room::Disk(std::env::temp_dir());
        let mut file = Certificates::open(input)?;
        while file.has_next()? {
            let opened = file.certificate()?;
            let statement = Statement::of(&opened.header);
            let statement = match statement {
                Ok(statement) => statement,
                Err(why) => {
                    let property = opened.header.get("property").concat();
                    let statement = Statement {
                        property,
                        ..Statement::default()
                    };
                    self.put(statement, Err(Untrue::Other(why)), Instant::now());
                    file.end()?;
                    continue;
                }
            };
            if !self.is_asked(&statement) {
                file.end()?;
                continue;
            }
            let begun = Instant::now();
            let kept = Kept::new(self.model.specification(), &statement);
            let proven = kept.and_then(|kept| {
                let mut line = ProgressLine::new(&self.arguments.output);
                line.stage(&statement.property);
                if !self.goes_on(&Checked::default(), &mut line) {
                    return Err(Untrue::Refused(Refusal::Interrupted));
                }
                kept.check(opened, &room, &mut |checked| {
                    self.goes_on(checked, &mut line)
                })
            });
            let is_complete = file.end()?;
            let proven = match proven {
                Ok(_) if !is_complete => Err(Untrue::Other(
                    "the proof was not written to its end".to_string(),
                )),
                proven => proven,
            };
            self.put(statement, proven, begun);
        }
        Ok(())
    }

    fn goes_on(&self, checked: &Checked, line: &mut ProgressLine) -> bool {
        let options = self.options;
        let used = memory::in_use();
        line.progress(&Progress {
            states: checked.states,
            expanded: checked.states,
            transitions: checked.edges,
            depth: 0,
            bytes: used,
        }) && !options.cancel.is_cancelled()
            && options.limit_memory.is_none_or(|most| used <= most)
            && options
                .limit_time
                .is_none_or(|most| self.started.elapsed() <= most)
    }

    fn put(
        &mut self,
        statement: Statement,
        proven: Result<evenhand_certify::Proven, Untrue>,
        begun: Instant,
    ) {
        self.outcome.push(match &proven {
            Ok(_) => Outcome::Holds,
            Err(Untrue::Refused(refusal)) if is_limit(refusal) => Outcome::Unknown,
            Err(_) => Outcome::Violated,
        });
        let entry = Entry {
            statement,
            proven: proven.map_err(|why| why.to_string()),
            seconds: begun.elapsed().as_secs_f64(),
        };
        if self.arguments.output.format == Format::Text {
            print(&text(&entry));
        }
        self.entries.push(entry);
    }

    /// Whether a proof is about what the call expects, if it expects something.
    fn is_asked(&self, statement: &Statement) -> bool {
        let arguments = self.arguments;
        let request = &statement.asking.request;
        let named = match &request.properties {
            Wanted::Named(names) => names.iter().any(|name| arguments.properties.contains(name)),
            _ => false,
        };
        let asks_property = !arguments.properties.is_empty()
            || !arguments.formulas.is_empty()
            || !arguments.automata.is_empty();
        let mut automata = self.automata.iter();
        let automaton = automata.any(|text| self.is_about(statement, text));
        let linear = request.linear.iter();
        let linear = linear
            .clone()
            .any(|text| arguments.formulas.iter().any(|f| same(f, text)));
        let asks_fairness = !arguments.fair.is_empty() || arguments.no_fairness;
        let same_fairness = sorted(&arguments.fair) == sorted(&request.fair)
            && arguments.no_fairness == request.no_fairness;
        let same_reading = arguments.deadlock.is_none_or(|ends| {
            reading(statement.reading)
                == match ends {
                    Ends::Error => "error",
                    Ends::Ignore => "ignore",
                    // Only CTL sees the difference, and no proof of it is kept.
                    Ends::Stutter | Ends::Maximal => "stutter",
                }
        });
        (!asks_property || named || linear || automaton)
            && (!asks_fairness || same_fairness)
            && same_reading
    }

    /// Whether a proof is about an automaton.
    fn is_about(&self, statement: &Statement, automaton: &str) -> bool {
        let mut own = statement.asking.automata.iter();
        own.any(|own| own.text == automaton && own.good == self.arguments.good)
    }

    /// What the call expects and no proof is about.
    fn missing(&self) -> Vec<String> {
        let entries = self.entries.iter();
        let names = self.arguments.properties.iter().filter(|name| {
            !entries
                .clone()
                .any(|entry| match &entry.statement.asking.request.properties {
                    Wanted::Named(names) => names.contains(name),
                    _ => false,
                })
        });
        let formulas = self.arguments.formulas.iter().filter(|formula| {
            !entries.clone().any(|entry| {
                let mut linear = entry.statement.asking.request.linear.iter();
                linear.any(|text| same(text, formula))
            })
        });
        let missing = names.chain(formulas).cloned();
        let automata = self.arguments.automata.iter().zip(&self.automata);
        let automata = automata.filter(|(_, text)| {
            !entries
                .clone()
                .any(|entry| self.is_about(&entry.statement, text))
        });
        let automata = automata.map(|(path, _)| path.display().to_string());
        missing.chain(automata).collect()
    }
}

/// Texts without room between their words, in order.
fn sorted(texts: &[String]) -> Vec<String> {
    let texts = texts.iter().map(|text| text.split_whitespace().collect());
    let mut texts: Vec<String> = texts.collect();
    texts.sort();
    texts
}

/// Whether a check could not be done because of a limit, or because of the model; and not of the file.
fn is_limit(refusal: &Refusal) -> bool {
    use Refusal::{Interrupted, Limit, NoValue, Processes, Storage, TooLarge};
    matches!(
        refusal,
        Interrupted | Limit(_) | NoValue(..) | Processes | Storage(_) | TooLarge
    )
}

/// Whether two texts differ in nothing but room.
fn same(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}
