//! TLA+ as a front-end: the language, its specifications, and what is asked of them.

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use evenhand_source::{Diagnostic, FileId, Files, MOST_BYTES, read_file, with_stack};
use evenhand_system::signature::ActionInfo;
use evenhand_system::specification::Remark;
use evenhand_system::{
    BadRuns, Body, Formula, Inquiry, Kind, Language, Linear, Outline, ProcessTypeId, PropositionId,
    Question, ReadOptions, Rejected, Request, Signature, Specification, Unresolved, Wanted, What,
};

use crate::body::{Model, ModelBody, Proposition, fault};
use crate::build::{Asked, Built, COMMAND, Stated, build};
use crate::compile::STACK;
use crate::fairness::{Meaning, StatedFair, conjunct};
use crate::history::History;
use crate::names::Names;
use crate::outline::outline;
use crate::standard;
use crate::symmetry::Symmetry;
use crate::syntax::ast::{Expr, Ident, Unit};
use crate::syntax::check::{Standard, check, check_expressions};
use crate::syntax::load::{LoadOptions, Sources, load};
use crate::syntax::{config, parser};

/// The language TLA+.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tla;

impl Language for Tla {
    fn name(&self) -> &'static str {
        "tla"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["tla"]
    }

    fn reads_configuration(&self) -> bool {
        true
    }

    fn looks_like(&self, text: &str) -> bool {
        let rest = text.trim_start_matches('\u{feff}').trim_start();
        let behind = rest.trim_start_matches('-');
        rest.starts_with("----") && behind.trim_start().starts_with("MODULE")
    }

    fn read(
        &self,
        files: Files,
        main: FileId,
        options: &ReadOptions,
    ) -> Result<Box<dyn Specification>, Rejected> {
        Ok(Box::new(read(files, main, options)?))
    }

    fn outline(&self, files: Files, main: FileId, options: &ReadOptions) -> Option<Outline> {
        let place = Path::new(&files.get(main).name).to_path_buf();
        let configuration = match &options.configuration {
            Some((name, text)) => Some((name.clone(), within(name, text))),
            None => beside(&place, options),
        };
        Some(with_stack(STACK, || {
            outline(files, main, configuration, options)
        }))
    }
}

/// Reads a specification with all modules that it needs, and its configuration.
pub(crate) fn read(
    files: Files,
    main: FileId,
    options: &ReadOptions,
) -> Result<TlaSpecification, Rejected> {
    let place = Path::new(&files.get(main).name).to_path_buf();
    let configuration = match &options.configuration {
        Some((name, text)) => Some((name.clone(), within(name, text))),
        None => beside(&place, options),
    };
    let is_standard = |name: &str| standard::module(name).is_some();
    let load_options = LoadOptions {
        configuration,
        include_dirs: options.include_dirs.clone(),
        folder: place.parent().map(Path::to_path_buf),
        confined: options.confined,
        most_bytes: options.most_bytes,
        standard: &is_standard,
    };
    let mut sources = load(files, main, &load_options)?;
    let given = constants(&mut sources, &options.constants);
    if let Err(problems) = given.and_then(|()| settings(&mut sources, &options.settings)) {
        return Err((sources.files, problems).into());
    }
    let problems = check(&sources, &BuiltIn);
    if !problems.is_empty() {
        return Err((sources.files, problems).into());
    }
    let names = Arc::new(std::mem::take(&mut sources.names));
    let asked = Asked {
        files: sources.files.clone(),
        ..Asked::default()
    };
    let built = with_stack(STACK, || build(&sources, names.clone(), &asked));
    let built = match built {
        Ok(built) => built,
        Err(problems) => return Err((sources.files, problems).into()),
    };
    let mut warnings = sources.warnings.clone();
    warnings.extend(built.warnings.iter().cloned());
    let signature = Arc::new(signature(&sources, main, &built.model));
    Ok(TlaSpecification {
        warnings,
        sources,
        names,
        signature,
        built: Mutex::new(Some(built)),
        body: OnceLock::new(),
    })
}

/// The modules that are built in, for those who look for names.
struct BuiltIn;

impl Standard for BuiltIn {
    fn operators(&self, module: &str) -> Option<Vec<(&'static str, &'static [u8])>> {
        let operators = standard::module(module)?.operators.iter();
        let known = operators.map(|operator| (operator.name, operator.params));
        Some(known.collect())
    }

    fn extends(&self, module: &str) -> &'static [&'static str] {
        standard::module(module).map_or(&[], |module| module.extends)
    }
}

/// The configuration beside a specification, if there is one.
fn beside(place: &Path, options: &ReadOptions) -> Option<(String, String)> {
    let place = place.with_extension("cfg");
    let text = read_file(&place, options.most_bytes.unwrap_or(MOST_BYTES)).ok()?;
    Some((place.display().to_string(), text))
}

/// The configuration that stands behind a module, where a module was given for one.
fn within(name: &str, text: &str) -> String {
    let place = Path::new(name);
    let module = place
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or("");
    match config::embedded(text, module) {
        Some(range) if place.extension().is_some_and(|ending| ending == "tla") => {
            // Positions stay those of the file.
            let before: String = text[..range.start]
                .chars()
                .map(|c| if c == '\n' { c } else { ' ' })
                .collect();
            before + &text[range]
        }
        _ => text.to_string(),
    }
}

/// Adds what the call says about constants, in place of what the configuration says.
fn constants(sources: &mut Sources, given: &[String]) -> Result<(), Vec<Diagnostic>> {
    for text in given {
        let file = sources.files.add(COMMAND.to_string(), text.clone());
        let assignment = config::constant(&sources.files, file, &mut sources.names)?;
        let configuration = sources.configuration.get_or_insert_default();
        let constants = &mut configuration.constants;
        constants.retain(|known| !assignment.decides(known));
        constants.push(assignment);
    }
    Ok(())
}

/// Adds what the call says besides: sections of a configuration. Names of behaviours take the place of others,
/// what is asked comes on top.
fn settings(sources: &mut Sources, given: &[String]) -> Result<(), Vec<Diagnostic>> {
    for text in given {
        let file = sources.files.add(COMMAND.to_string(), text.clone());
        let read = config::configuration(&sources.files, file, &mut sources.names)?;
        let configuration = sources.configuration.get_or_insert_default();
        if read.init.is_some() || read.next.is_some() {
            configuration.specification = None;
        }
        if read.specification.is_some() {
            (configuration.init, configuration.next) = (None, None);
        }
        configuration.specification = read.specification.or(configuration.specification);
        configuration.init = read.init.or(configuration.init);
        configuration.next = read.next.or(configuration.next);
        for ident in read.invariants {
            let is_same = |known: &Ident| known.name == ident.name;
            if !configuration.invariants.iter().any(is_same) {
                configuration.invariants.push(ident);
            }
        }
    }
    Ok(())
}

fn signature(sources: &Sources, main: FileId, model: &Model) -> Signature {
    let actions = &model.program.actions;
    let name = |named: &crate::compile::Named| model.names.text(named.name).to_string();
    let infos = actions
        .iter()
        .enumerate()
        .map(|(number, named)| ActionInfo {
            process: ProcessTypeId::new(number),
            text: name(named),
            span: named.span,
            body: Some(named.body),
            ..ActionInfo::default()
        });
    let fairness = model.fair.iter().map(|fair| (fair.text.clone(), fair.span));
    Signature {
        name: sources.files.get(main).name.clone(),
        files: sources.files.clone(),
        language: "tla".to_string(),
        counts_as: Some("tlc"),
        processes: actions.iter().map(name).collect(),
        actions: infos.collect(),
        fairness: fairness.collect(),
        ..Signature::default()
    }
}

fn body(mut model: Model, signature: Arc<Signature>) -> ModelBody {
    let history = History::default();
    history.print(&mut model.registers.printed);
    ModelBody::new(Arc::new(model), signature, Arc::new(history))
}

/// A specification that was read.
pub(crate) struct TlaSpecification {
    sources: Sources,
    names: Arc<Names>,
    signature: Arc<Signature>,
    /// What reading has built, for the first who asks for nothing besides: others build it again.
    built: Mutex<Option<Built>>,
    /// The system without any question, once somebody asked for it.
    body: OnceLock<ModelBody>,
    warnings: Vec<Diagnostic>,
}

/// Reads an expression of the call.
fn expression(
    files: &mut Files,
    names: &mut Names,
    what: &str,
    text: &str,
) -> Result<Expr, Unresolved> {
    let file = files.add(what.to_string(), text.to_string());
    let read = parser::expression(files, file, names);
    read.map_err(|problems| Unresolved::from((files.clone(), problems)))
}

/// What a property asks.
fn asks(stated: &Stated) -> What {
    match &stated.whole {
        None => What::Invariant(safety(stated)),
        Some(Ok(formula)) => What::Linear(Linear::Formula(formula.clone())),
        Some(Err(reason)) => undecided(reason),
    }
}

/// The parts of a property that are about single states.
fn safety(stated: &Stated) -> Formula {
    let parts = stated.safety.iter();
    // The same words may stand in two modules.
    let same = |words: &str| stated.safety.iter().filter(|(own, _)| own == words).count();
    let told = |(words, part): &(String, PropositionId)| match same(words) {
        1 => (words.clone(), *part),
        _ => (format!("{words} ({})", part.0), *part),
    };
    all(&parts.map(told).collect::<Vec<_>>())
}

/// What a property with other parts asks of every state: also of those from which no fair behaviour goes on, as in TLC.
fn always(stated: &Stated) -> Option<Formula> {
    let is_mixed = matches!(stated.whole, Some(Ok(_))) && !stated.safety.is_empty();
    is_mixed.then(|| safety(stated))
}

/// A question that has no answer here, and why.
fn undecided(reason: &str) -> What {
    What::Linear(Linear::Automaton(BadRuns {
        automaton: Err(reason.to_string()),
        propositions: Vec::new(),
        finished_runs: true,
        tight: None,
        computed: false,
    }))
}

/// Why nothing is said about whole runs.
const IMPURE: &str = "the specification uses levels, registers, random draws or the time: its steps are not the same each time";

impl Specification for TlaSpecification {
    fn body(&self) -> &dyn Body {
        self.own_body()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    fn resolve(&self, request: &Request) -> Result<Inquiry, Unresolved> {
        if let Some(text) = request.branching.first() {
            let message = format!("`{text}`: formulas of branching time are not read in TLA+");
            let help = "ask a temporal formula: []P, <>P, P ~> Q";
            let problem = Diagnostic::global(message).help(help);
            return Err(Rejected::about(problem).into());
        }
        let mut names = (*self.names).clone();
        let mut asked = Asked {
            files: self.sources.files.clone(),
            ..Asked::default()
        };
        for text in &request.invariants {
            let expr = expression(&mut asked.files, &mut names, "invariant", text)?;
            asked.predicates.push(expr);
        }
        for text in &request.expressions {
            let expr = expression(&mut asked.files, &mut names, "expression", text)?;
            asked.predicates.push(expr);
        }
        for (number, text) in request.linear.iter().enumerate() {
            let expr = expression(&mut asked.files, &mut names, request.names.linear, text)?;
            let name = Request::formula_name(request.invariants.len() + number);
            asked.formulas.push((name, expr));
        }
        self.check_names(&asked, &names)?;
        if let Wanted::Named(list) = &request.properties {
            asked.named = self.definitions(list);
        }
        let nothing_new = asked.predicates.is_empty() && asked.formulas.is_empty();
        let signature = match nothing_new {
            false => Arc::new(Signature {
                files: asked.files.clone(),
                ..(*self.signature).clone()
            }),
            true => self.signature.clone(),
        };
        let built = match nothing_new && asked.named.is_empty() {
            true => self.plain(),
            false => with_stack(STACK, || build(&self.sources, Arc::new(names), &asked)),
        };
        let built = built.map_err(|problems| Unresolved::from((asked.files.clone(), problems)))?;
        let unaliased = built.unaliased;
        let (questions, model) = self.questions(request, built)?;
        let (questions, expressions) = questions;
        let is_mixed = !questions.iter().all(Question::is_about_states);
        let notes = self.notes(&model, is_mixed, unaliased);
        let stated = model.fair.iter().map(StatedFair::new).collect();
        // Questions about single states are about the quotient then.
        let plain = is_mixed && model.is_quotient();
        let body = body(model, signature.clone()).with_plain(plain);
        Ok(Inquiry {
            body: Arc::new(body),
            questions,
            expressions,
            assumptions: request.assumptions(&signature),
            meaning: Arc::new(Meaning {
                signature,
                stated,
                name: request.names.fair,
            }),
            warnings: Vec::new(),
            notes,
        })
    }

    fn comment(&self, text: &str) -> String {
        format!("\\* {}", text.replace('\n', " "))
    }

    fn declaration(&self, assumption: &str) -> String {
        let files = &self.sources.files;
        conjunct(&self.own_body().model, files, assumption, &|name| {
            self.arity(name)
        })
    }
}

impl TlaSpecification {
    /// The system of the specification and its configuration, without anything that a call asks.
    fn plain(&self) -> Result<Built, Vec<Diagnostic>> {
        let kept = self
            .built
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(built) = kept {
            return Ok(built);
        }
        let asked = Asked {
            files: self.sources.files.clone(),
            ..Asked::default()
        };
        with_stack(STACK, || build(&self.sources, self.names.clone(), &asked))
    }

    pub(crate) fn own_body(&self) -> &ModelBody {
        self.body.get_or_init(|| {
            let built = self.plain();
            let mut model = built.expect("what was built once can be built again").model;
            // Nobody knows yet what will be asked.
            model.symmetry = Symmetry::default();
            (model.view, model.alias) = (None, None);
            body(model, self.signature.clone())
        })
    }

    /// Every name of what a call asks means something.
    fn check_names(&self, asked: &Asked, names: &Names) -> Result<(), Unresolved> {
        if asked.predicates.is_empty() && asked.formulas.is_empty() {
            return Ok(());
        }
        let problems = with_stack(STACK, || {
            let formulas = asked.formulas.iter().map(|(_, formula)| formula);
            let all = asked.predicates.iter().chain(formulas);
            check_expressions(&self.sources, names, &BuiltIn, all)
        });
        match problems.is_empty() {
            true => Ok(()),
            false => Err(Unresolved::from((asked.files.clone(), problems))),
        }
    }

    /// How many arguments a definition has.
    fn arity(&self, name: &str) -> usize {
        let units = self.sources.modules.iter().flat_map(|module| &module.units);
        let mut arities = units.filter_map(|unit| match unit {
            Unit::Operator(definition) if self.names.text(definition.ident.name) == name => {
                Some(definition.params.len())
            }
            _ => None,
        });
        arities.next().unwrap_or(0)
    }

    /// Of some names those of definitions that the configuration says nothing of.
    fn definitions(&self, list: &[String]) -> Vec<Ident> {
        let configuration = self.sources.configuration.as_ref();
        let known = configuration.into_iter().flat_map(|c| {
            let lists = [&c.invariants, &c.properties, &c.postconditions, &c.possible];
            lists.into_iter().flatten().map(|ident| ident.name)
        });
        let known: Vec<_> = known.collect();
        let named = list.iter().filter_map(|text| self.names.get(text));
        let named = named.filter(|name| !known.contains(name));
        let span = evenhand_source::Span::default();
        named.map(|name| Ident { name, span }).collect()
    }

    /// What of the configuration is used in part, or not at all.
    fn notes(&self, model: &Model, is_mixed: bool, unaliased: bool) -> Vec<Remark> {
        let mut notes = Vec::new();
        let mut say = |text: &str| {
            let besides = match is_mixed {
                true => {
                    "; for what is asked about whole runs it is left out, since an answer could be wrong"
                }
                false => "",
            };
            notes.push(Remark::Said(format!("{text}{besides}")));
        };
        if !model.symmetry.is_empty() {
            say("SYMMETRY: states that differ by a permutation are one");
        }
        if model.view.is_some() {
            say(
                "VIEW: states that look the same are one, and the first that is met stands for them; that the others lead nowhere else is believed",
            );
        }
        if model.program.impure {
            let text = "levels, registers, random draws or the time decide which states are explored: one thread does it, and nothing is certified";
            notes.push(Remark::Said(text.to_string()));
        }
        let Some(configuration) = &self.sources.configuration else {
            return notes;
        };
        if unaliased {
            let text = "ALIAS reads the next state and is left out: states are shown as they are";
            notes.push(Remark::Said(text.to_string()));
        }
        for (word, name) in &configuration.others {
            let (word, name) = (self.names.text(word.name), self.names.text(name.name));
            notes.push(Remark::Said(format!(
                "{word} {name} is left out: nothing evaluates it"
            )));
        }
        notes
    }

    #[expect(
        clippy::type_complexity,
        reason = "questions and expressions, and the model they are about"
    )]
    fn questions(
        &self,
        request: &Request,
        built: Built,
    ) -> Result<((Vec<Question>, Vec<PropositionId>), Model), Unresolved> {
        let mut model = built.model;
        let configuration = self.sources.configuration.as_ref();
        let deadlock = configuration.and_then(|c| c.check_deadlock).unwrap_or(true);
        let explored = model.initial.is_some();
        let assumed: Vec<String> = (0..built.assumptions.len())
            .map(|n| format!("assumption_{n}"))
            .collect();
        let files = &self.sources.files;
        // Where an assumption fails, nothing else is asked, as in TLC.
        let mut assumptions = built.assumptions.iter();
        let failed = assumptions.find(|assumed| assumed.holds != Ok(true));
        if let Some(Err(failure)) = failed.map(|assumed| &assumed.holds)
            && !failure.is_limit()
        {
            let names = &model.names;
            let valueless = built.assumptions.iter();
            let valueless = valueless.filter_map(|assumed| assumed.without_value(names));
            let problems: Vec<Diagnostic> = valueless.collect();
            return Err(Unresolved::from((files.clone(), problems)));
        }
        let failed = failed.is_some();
        if failed {
            model.initial = None;
            model.next = None;
        }
        let mut usual: Vec<&str> = assumed.iter().map(String::as_str).collect();
        let mut on_request = vec!["feasible"];
        if explored && !failed {
            usual.push("runtime-error");
            match deadlock {
                true => usual.push("deadlock"),
                false => on_request.push("deadlock"),
            }
            usual.extend(built.invariants.iter().map(|(name, _)| name.as_str()));
            usual.extend(
                built
                    .properties
                    .iter()
                    .map(|property| property.name.as_str()),
            );
            let at_the_end = built.possible.iter().chain(&built.postconditions);
            usual.extend(at_the_end.map(|(name, _)| name.as_str()));
        }
        let wanted = request.properties.names(&usual, &usual, &on_request)?;
        // What depends on draws, registers or the time is no function of the state: runs cannot be made of it.
        let impure = model.program.impure;
        let asks = |stated: &Stated| match impure && stated.whole.is_some() {
            true => undecided(IMPURE),
            false => asks(stated),
        };
        let mut questions = Vec::new();
        for name in wanted {
            if let Some(place) = assumed.iter().position(|known| *known == name) {
                let what = match &built.assumptions[place].holds {
                    Ok(true) => What::Invariant(all(&[])),
                    Ok(false) => {
                        let proposition = add(&mut model, Proposition::Always(false));
                        What::Invariant(all(&[(name.clone(), proposition)]))
                    }
                    Err(failure) => {
                        let fault = fault(failure, &model.names, files);
                        undecided(&fault.kind.to_string())
                    }
                };
                let text = files.text(built.assumptions[place].span).to_string();
                questions.push(Question::new(name, Kind::Assumption, Some(text), what));
            } else if let Some((_, proposition)) =
                built.invariants.iter().find(|(known, _)| *known == name)
            {
                let what = What::Invariant(all(&[(name.clone(), *proposition)]));
                questions.push(Question::new(name, Kind::Invariant, None, what));
            } else if let Some(stated) = built.properties.iter().find(|stated| stated.name == name)
            {
                let what = asks(stated);
                questions.push(Question {
                    always: always(stated),
                    ..Question::new(name, Kind::Temporal, None, what)
                });
            } else if let Some((_, proposition)) =
                built.possible.iter().find(|(known, _)| *known == name)
            {
                let what = What::Afterwards(*proposition);
                questions.push(Question::new(name, Kind::Possible, None, what));
            } else if let Some((_, proposition)) = built
                .postconditions
                .iter()
                .find(|(known, _)| *known == name)
            {
                let what = What::Afterwards(*proposition);
                questions.push(Question::new(name, Kind::Postcondition, None, what));
            } else {
                questions.push(match name.as_str() {
                    "feasible" => Question::feasible(),
                    "deadlock" => Question::new(name, Kind::Deadlock, None, What::Ends),
                    _ => Question::new(name, Kind::RuntimeError, None, What::Errors),
                });
            }
        }
        let mut numbers = 0..;
        let mut asked = built.asked.iter();
        for text in &request.invariants {
            let name = Request::formula_name(numbers.next().unwrap_or_default());
            if let Some(&proposition) = asked.next() {
                let what = What::Invariant(all(&[(text.clone(), proposition)]));
                questions.push(Question::new(
                    name,
                    Kind::Invariant,
                    Some(text.clone()),
                    what,
                ));
            }
        }
        for (stated, text) in built.formulas.iter().zip(&request.linear) {
            let (name, text) = (stated.name.clone(), Some(text.clone()));
            questions.push(Question {
                always: always(stated),
                ..Question::new(name, Kind::Temporal, text, asks(stated))
            });
        }
        let expressions = asked.copied().collect();
        Ok(((questions, expressions), model))
    }
}

fn add(model: &mut Model, proposition: Proposition) -> PropositionId {
    model.propositions.push(proposition);
    PropositionId(u32::try_from(model.propositions.len() - 1).unwrap_or(u32::MAX))
}

/// The formula that says all of these.
fn all(parts: &[(String, PropositionId)]) -> Formula {
    let mut store = evenhand_logic::Formulas::new();
    let atoms: Vec<_> = parts
        .iter()
        .map(|(text, _)| store.host_atom(text))
        .collect();
    let whole = store.and(atoms);
    Formula::new(
        store,
        whole,
        parts.iter().map(|(_, proposition)| *proposition).collect(),
    )
}
