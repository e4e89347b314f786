//! `evenhand check`.

use std::time::Instant;

use evenhand::{Model, ModelText, check_page, language};
use evenhand_cluster::ClusterEngine;
use evenhand_report::run_layout::RunStyle;
use evenhand_report::trail::{has_trails, trail};
use evenhand_report::{check as told, json, junit, sarif, watch as variables};
use evenhand_source::{Diagnostic, Exhausted, Files, MOST_BYTES, Span, read_file};
use evenhand_system::specification::TextNames;
use evenhand_system::{Content, FinishedRuns, ReadOptions};
use evenhand_verify::{
    Asking, AutomatonText, Certify, CompassionBy, Counterexamples, Deadlock, Keep, Options, Report,
    Silent, StopReason, Verdict, check, check_with, random,
};

use super::empty;
use crate::arguments::{CertifyHow, CheckArguments, Compassion, Ends, Format, How, Reduce};
use crate::console::{
    colour_answers, complain, exhausted, failed, only_checks, print, print_as_it_is, print_json,
    show_diagnostics, show_printed, unless_unwritten, wrong_about,
};
use crate::destination::{Destination, Sources, Stream};
use crate::input::{parse, read};
use crate::interrupt;
use crate::outcome::Outcome;
use crate::screen::Screen;
use crate::together::Together;

pub(crate) fn run(arguments: &CheckArguments) -> Outcome {
    checked(arguments).unwrap_or_else(|outcome| outcome)
}

fn checked(arguments: &CheckArguments) -> Result<Outcome, Outcome> {
    let output = &arguments.output;
    let options = options(arguments);
    let begun = Instant::now();
    let text = read(&arguments.model, &options.reading(), output)?;
    if text.language.content() == Content::Automata {
        let answered = options.budget_now().run(|| automata(text, arguments));
        return Ok(answered.unwrap_or_else(|why| exhausted(why, &why.to_string(), output)));
    }
    let model = parse(text, &arguments.model, options.reading(), output)?;
    let (options, begun) = (options.since(begun), Instant::now());
    let signature = model.signature();
    if arguments.trail.is_some() && !has_trails(signature) {
        let message = "`--trail` writes runs for SPIN, which replays Promela models only";
        return Err(wrong_about(Diagnostic::global(message), output));
    }
    watched(&model, &arguments.watch, &options)
        .map_err(|diagnostic| wrong_about(diagnostic, output))?;
    let (mut options, begun) = (options, begun);
    let asked = asking(arguments).map_err(|diagnostic| wrong_about(diagnostic, output))?;
    // Others wait for whoever has joined them: what can go wrong before goes wrong before.
    let files = match crate::together::is_first(&arguments.cluster) {
        true => destinations(&model, arguments),
        false => Ok(Destinations::default()),
    };
    let files = files.map_err(|diagnostic| wrong_about(diagnostic, output))?;
    let Destinations {
        trail,
        page,
        proofs,
    } = files;
    let (keep, certificate) = proofs.unzip();
    let together = together(&model, &asked, &mut options, arguments)?;
    if let Some(together) = together.as_ref().filter(|t| t.cluster.process() > 0) {
        return assist(&model, &asked, &options, together, arguments);
    }
    let asking = asked;
    options.keep.clone_from(&keep);
    let mut screen = Screen::new(output);
    let result = match &together {
        Some(together) => {
            let engine = engine(together);
            check_with(
                &[&engine],
                model.specification(),
                &asking,
                &options,
                &mut screen,
            )
        }
        None => check(model.specification(), &asking, &options, &mut screen),
    };
    if let (Err(error), Some(together)) = (&result, &together) {
        together.cluster.give_up(&error.to_string());
    }
    let recorder = screen.finish(result.as_ref().ok());
    let mut report = result.map_err(|error| failed(&error, &signature.files, output))?;
    // What a verdict is worth is no detail.
    show_diagnostics(&report.warnings, &report.signature().files, output);
    if !output.quiet {
        show_printed(&report.printed);
    }
    let limits = options.since(begun);
    if let Err(why) = limits.telling().run(|| show(&model, &report, arguments)) {
        leave_runs_out(&mut report, why);
        show(&model, &report, arguments);
    }
    let certificate = match (keep, certificate) {
        (Some(keep), Some(file)) => write_certificate(keep, file, arguments),
        _ => Ok(()),
    };
    let trail = trail.map_or(Ok(()), |file| {
        let write = || write_trail(&report, &file, arguments);
        limits
            .telling()
            .run(write)
            .unwrap_or_else(|why| file.given_up(why))
    });
    let page = page.map_or(Ok(()), |file| {
        let write = || file.write(&check_page(&model, &report, |name| recorder.of(name)));
        limits
            .telling()
            .run(write)
            .unwrap_or_else(|why| file.given_up(why))
    });
    let outcome = Outcome::from(&report).unless_interrupted();
    Ok(unless_unwritten(
        outcome,
        [trail, page, certificate],
        output,
    ))
}

/// The files that a check writes beside its answer.
#[derive(Default)]
struct Destinations {
    trail: Option<Destination>,
    page: Option<Destination>,
    /// Where proofs go, as they are found.
    proofs: Option<(Keep, Stream)>,
}

fn destinations(model: &Model, arguments: &CheckArguments) -> Result<Destinations, Diagnostic> {
    let sources = Sources::of_model(&arguments.model.model, &model.signature().files);
    let wanted = [
        ("--trail", arguments.trail.as_ref()),
        ("--report", arguments.report.as_ref()),
        ("--certificate", arguments.certificate.as_ref()),
    ];
    let [trail, page, certificate] = Destination::all(wanted, sources.and(&arguments.automata))?;
    Ok(Destinations {
        trail,
        page,
        proofs: certificate.map(keep).transpose()?,
    })
}

/// Finds the other processes of a call.
fn together(
    model: &Model,
    asking: &Asking,
    options: &mut Options,
    arguments: &CheckArguments,
) -> Result<Option<Together>, Outcome> {
    let output = &arguments.output;
    if arguments.cluster.is_asked() && arguments.engine != "auto" {
        let message = "several processes have an engine of their own";
        let diagnostic = Diagnostic::global(message).help("leave `--engine` out");
        return Err(wrong_about(diagnostic, output));
    }
    let question = format!("check {asking:?} {:?}", options.deadlock);
    let limits = (options.limit_states, options.compress, options.max_depth);
    let about = [&*question, &*format!("{limits:?}")];
    let path = arguments.model.model.as_path();
    crate::together::join(&arguments.cluster, (model, path), about, options, output)
}

/// The engine that asks all processes.
fn engine(together: &Together) -> ClusterEngine<'_> {
    ClusterEngine {
        cluster: &together.cluster,
        checkpoint: together.checkpoint.clone(),
        memory_for_time: together.memory_for_time,
        strategy: evenhand_cluster::Strategy::USUAL,
    }
}

/// Takes part in a check that another process reports.
fn assist(
    model: &Model,
    asking: &Asking,
    options: &Options,
    together: &Together,
    arguments: &CheckArguments,
) -> Result<Outcome, Outcome> {
    let output = &arguments.output;
    let engine = engine(together);
    let specification = model.specification();
    let report = check_with(&[&engine], specification, asking, options, &mut Silent);
    let report = report.map_err(|error| {
        together.cluster.give_up(&error.to_string());
        failed(&error, &model.signature().files, output)
    })?;
    let lost = report
        .properties
        .iter()
        .find_map(|property| match &property.verdict {
            Verdict::Unknown(reason @ StopReason::Unsupported(_)) => Some(reason.to_string()),
            _ => None,
        });
    if let Some(reason) = lost {
        complain(&reason);
    }
    Ok(Outcome::from(&report).unless_interrupted())
}

/// Proofs go to a file.
fn keep(file: Destination) -> Result<(Keep, Stream), Diagnostic> {
    let name = file.name().display().to_string();
    let (out, stream) = file.begin()?;
    match Keep::new(out) {
        Ok(keep) => Ok((keep, stream)),
        Err(error) => Err(Diagnostic::global(format!(
            "cannot write `{name}`: {error}"
        ))),
    }
}

/// Ends the file of proofs.
fn write_certificate(
    keep: Keep,
    file: Stream,
    arguments: &CheckArguments,
) -> Result<(), Diagnostic> {
    let kept = match keep.finish() {
        Ok(kept) => kept,
        Err(error) => return file.finish(Err(error)),
    };
    let name = file.name().display().to_string();
    file.finish(Ok(()))?;
    if arguments.output.format == Format::Text && !arguments.output.quiet {
        let mut lines = match kept.proved.is_empty() {
            true => format!("note: `{name}` has no proof"),
            false => format!(
                "note: `{name}` has the proofs of {}",
                kept.proved.join(", ")
            ),
        };
        for (property, why) in kept.refused {
            lines += &format!("; none of {property}: {why}");
        }
        print(&format!("\n{lines}\n"));
    }
    Ok(())
}

/// Runs that are too long to be told within the limits are left out.
fn leave_runs_out(report: &mut Report, why: Exhausted) {
    for property in &mut report.properties {
        let Some(run) = property.verdict.take_run() else {
            continue;
        };
        let length = run.len();
        property.others.clear();
        let text = format!("a run of {length} steps shows it, which is not told: {why}");
        property.warnings.push(text.into());
    }
}

/// Whether the model has the variables that are watched.
fn watched(model: &Model, names: &[String], options: &Options) -> Result<(), Diagnostic> {
    if names.is_empty() {
        return Ok(());
    }
    // A run without steps shows which variables there are; without an initial state nothing is shown.
    let Ok((run, _)) = random::run(model.body(), 1, 0, options) else {
        return Ok(());
    };
    let states = run.prefix.iter().map(|step| step.state.as_slice());
    for name in names {
        variables::check(name, model.signature(), states.clone()).map_err(Diagnostic::global)?;
    }
    Ok(())
}

/// Of automata there is one question: do they accept anything?
fn automata(text: ModelText, arguments: &CheckArguments) -> Outcome {
    let asks = !arguments.properties.is_empty()
        || !arguments.formulas.is_empty()
        || !arguments.branching.is_empty()
        || !arguments.automata.is_empty()
        || !arguments.fair.is_empty()
        || arguments.trail.is_some()
        || arguments.report.is_some()
        || arguments.certificate.is_some();
    if asks {
        let message = "of an omega-automaton only the emptiness is checked";
        let help = "leave `-p`, `--ltl`, `--ctl`, `--automaton`, `--fair`, `--trail`, `--report` and \
             `--certificate` out";
        let diagnostic = Diagnostic::global(message).help(help);
        return wrong_about(diagnostic, &arguments.output);
    }
    match only_checks(&arguments.output) {
        Ok(()) => empty::answer(text.name, text.text, &arguments.output),
        Err(outcome) => outcome,
    }
}

/// What texts are called in messages: the options that they came with.
pub(super) const NAMES: TextNames = TextNames {
    linear: "--ltl",
    branching: "--ctl",
    fair: "--fair",
};

fn asking(arguments: &CheckArguments) -> Result<Asking, Diagnostic> {
    let mut asking = Asking::default();
    let most = arguments.model.limit_file.unwrap_or(MOST_BYTES);
    for path in &arguments.automata {
        let name = path.display().to_string();
        let text = read_file(path, most)
            .map_err(|error| Diagnostic::global(format!("cannot read `{name}`: {error}")))?;
        asking.automata.push(AutomatonText {
            name,
            text,
            good: arguments.good,
        });
    }
    asking.name_properties(&arguments.properties);
    let request = &mut asking.request;
    request.linear.clone_from(&arguments.formulas);
    request.branching.clone_from(&arguments.branching);
    request.fair.clone_from(&arguments.fair);
    request.no_fairness = arguments.no_fairness;
    request.finished = arguments.deadlock.map(|ends| match ends {
        Ends::Ignore => FinishedRuns::Ignore,
        Ends::Error | Ends::Stutter => FinishedRuns::Stutter,
        Ends::Maximal => FinishedRuns::Maximal,
    });
    request.names = NAMES;
    Ok(asking)
}

fn options(arguments: &CheckArguments) -> Options {
    let mut options = arguments.search.options(interrupt::cancel());
    options.engine = Some(arguments.engine.clone());
    options.compassion = match arguments.compassion {
        Compassion::Native => CompassionBy::Algorithm,
        Compassion::Justice => CompassionBy::Justice,
        Compassion::Antecedent => CompassionBy::Antecedent,
    };
    options.reduce = match arguments.reduce {
        Reduce::Auto => evenhand_verify::Reduce::Auto,
        Reduce::Always => evenhand_verify::Reduce::Always,
        Reduce::None => evenhand_verify::Reduce::None,
    };
    options.deadlock = match arguments.deadlock {
        None => Deadlock::Usual,
        Some(Ends::Error) => Deadlock::Error,
        Some(Ends::Ignore) => Deadlock::Ignore,
        Some(Ends::Stutter) => Deadlock::Stutter,
        Some(Ends::Maximal) => Deadlock::Maximal,
    };
    options.counterexample = match arguments.counterexample {
        How::Shortest => Counterexamples::Shortest,
        How::All => Counterexamples::All,
        How::First => Counterexamples::First,
        How::None => Counterexamples::None,
    };
    options.certify = match arguments.certify {
        CertifyHow::Auto => Certify::Auto,
        CertifyHow::Full => Certify::Full,
        CertifyHow::Off => Certify::Off,
    };
    options.max_depth = arguments.max_depth;
    options.budget = arguments.budget;
    options.hints = arguments.counterexample == How::Shortest && !arguments.output.quiet;
    options.observe = arguments.report.is_some();
    options.coverage = arguments.output.verbose;
    options
}

/// Writes the run of the first violated property as a trail.
fn write_trail(
    report: &Report,
    destination: &Destination,
    arguments: &CheckArguments,
) -> Result<(), Diagnostic> {
    let mut runs = report
        .properties
        .iter()
        .filter_map(|p| Some((&p.name, p.verdict.run()?)));
    let speaks = arguments.output.format == Format::Text && !arguments.output.quiet;
    let file = destination.name().display();
    let Some((name, run)) = runs.next() else {
        if speaks {
            print(&format!(
                "\nnote: no run is shown, so `{file}` was not written\n"
            ));
        }
        return Ok(());
    };
    let text = trail(report.signature(), run).map_err(|message| {
        let help = "the run itself is printed all the same";
        Diagnostic::global(format!("there is no trail: {message}")).help(help)
    })?;
    destination.write(&text)?;
    if speaks {
        let model = &report.signature().name;
        print(&format!(
            "\nnote: the trail is about `{name}`; `spin -k {file} -t -p {model}` replays it\n"
        ));
    }
    Ok(())
}

/// Where the properties of a model stand.
fn places(report: &Report) -> Vec<(String, Span)> {
    let signature = report.signature();
    let mut main = signature
        .files
        .iter()
        .filter(|(_, file)| file.name == signature.name);
    let (Some((main, file)), Some(language)) = (main.next(), language(&signature.language)) else {
        return Vec::new();
    };
    let mut files = Files::new();
    let again = files.add(&*file.name, &*file.text);
    let outline = language.outline(files, again, &ReadOptions::default());
    let properties = outline.into_iter().flat_map(|outline| outline.properties);
    let here = properties.filter(|property| property.at.file == again);
    here.map(|property| {
        (
            property.name,
            Span {
                file: main,
                ..property.at
            },
        )
    })
    .collect()
}

fn show(model: &Model, report: &Report, arguments: &CheckArguments) {
    let output = &arguments.output;
    let remarks = || told::remarks(model.warnings(), report, false);
    match output.format {
        Format::Text => {}
        Format::Json => return print_json(&json::check(report, &remarks())),
        Format::Junit => return print_as_it_is(&junit::check(report, &remarks())),
        Format::Sarif => {
            let warnings: Vec<Diagnostic> = [model.warnings(), &report.warnings].concat();
            return print_json(&sarif::check(report, &places(report), &warnings));
        }
    }
    let telling = told::Telling {
        quiet: output.quiet,
        verbose: output.verbose,
        colour: colour_answers(output),
        given: &arguments.fair,
        style: RunStyle {
            watched: &arguments.watch,
            layout: arguments.layout.into(),
        },
    };
    print_as_it_is(&told::told(report, telling));
}
