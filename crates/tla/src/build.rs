//! From modules and a configuration to a system: what is explored, and what is asked.

use std::sync::Arc;

use evenhand_source::{Diagnostic, Files, Span};
use evenhand_system::{self as system, PropositionId};

use crate::body::{FairAction, MOST_PROPERTIES, Model, Possible, Proposition, StepFormula};
use crate::code::Code;
use crate::compile::{Beside, Compiler, Conjunct, Formula, Level, ScopeId};
use crate::failure::Failure;
use crate::machine::{Globals, Machine};
use crate::names::Names;
use crate::settings::settings;
use crate::symmetry::Symmetry;
use crate::syntax::ast::{Expr, Ident};
use crate::syntax::config::Configuration;
use crate::syntax::load::Sources;
use crate::table::ValueTable;
use crate::value::Value;

/// A system with what its configuration asks.
#[derive(Debug)]
pub(crate) struct Built {
    pub model: Model,
    pub invariants: Vec<(String, PropositionId)>,
    pub properties: Vec<Stated>,
    /// The formulas of the call.
    pub formulas: Vec<Stated>,
    /// Assumptions that are false, or have no value.
    pub assumptions: Vec<Assumed>,
    /// What is asked when everything is explored.
    pub postconditions: Vec<(String, PropositionId)>,
    /// What some state or step is to satisfy.
    pub possible: Vec<(String, PropositionId)>,
    /// Whether states cannot be shown as the configuration says.
    pub unaliased: bool,
    /// Propositions for what the call asks.
    pub asked: Vec<PropositionId>,
    pub warnings: Vec<Diagnostic>,
}

/// A property of the configuration.
#[derive(Debug)]
pub(crate) struct Stated {
    pub name: String,
    /// What all states must satisfy, in words.
    pub safety: Vec<(String, PropositionId)>,
    /// Of a property that is more than safety: all of it, or why it cannot be decided.
    pub whole: Option<Result<system::Formula, String>>,
}

/// An assumption.
#[derive(Debug)]
pub(crate) struct Assumed {
    pub span: Span,
    /// Why it has no value, or whether it is true.
    pub holds: Result<bool, Failure>,
}

impl Assumed {
    /// That it has no value, unless it has one or a limit was met.
    pub fn without_value(&self, names: &Names) -> Option<Diagnostic> {
        let failure = self.holds.as_ref().err().filter(|why| !why.is_limit())?;
        let span = failure.0.span.unwrap_or(self.span);
        let reason = failure.told(names);
        let problem = Diagnostic::error(span, format!("an assumption has no value: {reason}"));
        Some(match span == self.span {
            true => problem,
            false => problem.label(self.span, "the assumption"),
        })
    }
}

/// What texts of a command line that give constants values are called.
pub(crate) const COMMAND: &str = "constant";

pub(crate) type Problems = Vec<Diagnostic>;

/// What a call asks besides: texts in files behind those of the specification.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    pub files: Files,
    pub predicates: Vec<Expr>,
    pub formulas: Vec<(String, Expr)>,
    /// Definitions that are asked as properties.
    pub named: Vec<Ident>,
}

/// Why a text cannot be compiled: it is nested too deep, or has more variables than can be told apart.
fn too_large(compiler: &Compiler) -> Option<Diagnostic> {
    if let Some(span) = compiler.too_deep() {
        let problem = Diagnostic::error(span, "the definitions that lead here are nested too deep");
        return Some(problem.help("each of them is defined by the one before: take fewer steps"));
    }
    (!compiler.can_tell_variables()).then(|| Diagnostic::global("there are too many variables"))
}

/// Builds the system of a specification.
pub(crate) fn build(
    sources: &Sources,
    names: Arc<Names>,
    asked: &Asked,
) -> Result<Built, Problems> {
    let empty = Configuration::default();
    let configuration = sources.configuration.as_ref().unwrap_or(&empty);
    let settings = settings(configuration, &names)?;
    let mut compiler = Compiler::new(&names, &sources.modules, sources.root, &settings);
    let mut builder = Builder {
        names: &names,
        files: &asked.files,
        problems: Vec::new(),
        propositions: Vec::new(),
        steps: Vec::new(),
        warnings: Vec::new(),
    };
    builder.check_behaviour(&compiler, configuration, sources);
    if !builder.problems.is_empty() {
        return Err(builder.problems);
    }
    builder.check_constants(&mut compiler, configuration);
    builder.check_values(&compiler, configuration);
    builder.check_names(&compiler, configuration);
    builder.check_replaced(&mut compiler, configuration);
    if !builder.problems.is_empty() {
        return Err(builder.problems);
    }
    let root = compiler.root();
    let Behaviour {
        initial,
        next,
        subscript,
        fairness,
    } = builder.behaviour(&mut compiler, configuration);
    if !builder.problems.is_empty() {
        return Err(builder.problems);
    }
    builder.whole(&compiler, configuration, initial.is_some(), next.is_some());
    if !builder.problems.is_empty() {
        return Err(builder.problems);
    }
    let initial_codes = initial.map(|conjuncts| compiler.initial_of(&conjuncts));
    let mut formulas = Vec::new();
    for (expr, scope) in fairness {
        let formula = compiler.formula(expr, scope);
        compiler.watch(&formula);
        formulas.push(formula);
    }
    // Where a specification is named, the action stands in it by its name.
    let own = configuration
        .next
        .filter(|_| configuration.specification.is_none());
    let own = own.and_then(|ident| compiler.definition_named(ident.name));
    let next_code = next.map(|(next, scope)| compiler.action(next, scope, own));
    let mut constraints = Vec::new();
    for ident in &configuration.constraints {
        if let Some((expr, scope)) = compiler.named(ident.name) {
            let now = compiler.expression(expr, scope, 0, None);
            let next = compiler.expression(expr, scope, 1, None);
            constraints.push([now, next]);
        }
    }
    let mut action_constraints = Vec::new();
    for ident in &configuration.action_constraints {
        if let Some((expr, scope)) = compiler.named(ident.name) {
            action_constraints.push(compiler.expression(expr, scope, 0, Some(1)));
        }
    }
    let mut possible = Vec::new();
    let mut possible_codes = Vec::new();
    for ident in &configuration.possible {
        if let Some((expr, scope)) = compiler.named(ident.name) {
            let name = names.text(ident.name);
            let number = possible_codes.len();
            possible_codes.push(match compiler.level(expr, scope) {
                Level::Constant | Level::State => {
                    let now = compiler.expression(expr, scope, 0, None);
                    Possible::State([now, compiler.expression(expr, scope, 1, None)])
                }
                Level::Action => Possible::Step(compiler.expression(expr, scope, 0, Some(1))),
                Level::Temporal => {
                    let message = format!(
                        "`{name}` is a temporal formula: _POSSIBLE is about states and steps"
                    );
                    let help = "ask with PROPERTY, or for a predicate of a state or a step";
                    let problem = Diagnostic::error(ident.span, message).help(help);
                    builder.problems.push(problem);
                    continue;
                }
            });
            let proposition = builder.add(Proposition::Possible(number));
            possible.push((name.to_string(), proposition));
        }
    }
    let mut invariants = Vec::new();
    for ident in &configuration.invariants {
        if let Some((expr, scope)) = compiler.named(ident.name) {
            let level = compiler.level(expr, scope);
            builder.check_invariant(names.text(ident.name), ident.span, level);
            let proposition = builder.predicate(&mut compiler, expr, scope);
            invariants.push((names.text(ident.name).to_string(), proposition));
        }
    }
    let mut fair = Vec::new();
    let mut assumed = Vec::new();
    for formula in formulas {
        builder.assume(&mut compiler, formula, next, (&mut fair, &mut assumed));
    }
    let mut implied = Implied::default();
    let mut open = Vec::new();
    for ident in &configuration.properties {
        if let Some((expr, scope)) = compiler.named(ident.name) {
            open.push(builder.property(
                &mut compiler,
                names.text(ident.name),
                (expr, scope),
                &mut implied,
            ));
        }
    }
    for ident in &asked.named {
        let Some((expr, scope)) = compiler.named(ident.name) else {
            continue;
        };
        let name = names.text(ident.name);
        match compiler.level(expr, scope) {
            Level::Constant | Level::State => {
                let proposition = builder.predicate(&mut compiler, expr, scope);
                invariants.push((name.to_string(), proposition));
            }
            Level::Action | Level::Temporal => {
                open.push(builder.property(&mut compiler, name, (expr, scope), &mut implied));
            }
        }
    }
    let stated = open.len();
    for (name, expr) in &asked.formulas {
        open.push(builder.property(&mut compiler, name, (expr, root), &mut implied));
    }
    let mut own = Vec::new();
    for expr in &asked.predicates {
        own.push(builder.predicate(&mut compiler, expr, root));
    }
    let assumptions: Vec<_> = compiler.assumptions();
    let assumptions: Vec<_> = assumptions
        .into_iter()
        .map(|(expr, scope)| (expr.span, compiler.expression(expr, scope, 0, None)))
        .collect();
    // Properties of initial states are numbered before those of steps.
    let first_step = implied.initial.len();
    let constrained = !constraints.is_empty() || !action_constraints.is_empty();
    let odd = (constrained, implied.initial.len() + implied.actions.len());
    let mut properties = Vec::new();
    for open in open {
        properties.push(builder.closed(&mut compiler, open, first_step, &assumed, odd));
    }
    let formulas = properties.split_off(stated);
    if implied.initial.len() + implied.actions.len() > MOST_PROPERTIES {
        let message = "there are too many properties of steps to be told apart";
        return Err(vec![Diagnostic::global(message)]);
    }
    let mut permuted = Vec::new();
    for ident in &configuration.symmetry {
        if let Some((expr, scope)) = compiler.named(ident.name) {
            permuted.push((compiler.constant_value(expr, scope), ident.span));
        }
    }
    let symmetry = builder.symmetry(permuted);
    let view = configuration
        .view
        .and_then(|ident| compiler.named(ident.name));
    let view = view.map(|(expr, scope)| {
        let now = compiler.expression(expr, scope, 0, None);
        let next = compiler.expression(expr, scope, 1, None);
        [now, next]
    });
    // These decide nothing about states, so they come last.
    let mut postconditions = Vec::new();
    let mut post_codes = Vec::new();
    for ident in &configuration.postconditions {
        if let Some((expr, scope)) = compiler.named(ident.name) {
            let number = post_codes.len();
            post_codes.push(compiler.expression_apart(expr, scope));
            let proposition = builder.add(Proposition::Postcondition(number));
            postconditions.push((names.text(ident.name).to_string(), proposition));
        }
    }
    let alias = configuration
        .alias
        .and_then(|ident| compiler.named(ident.name));
    let is_shown = |level: Level| matches!(level, Level::Constant | Level::State);
    let alias = alias.map(|(expr, scope)| {
        let shown = is_shown(compiler.level(expr, scope));
        shown.then(|| compiler.expression_apart(expr, scope))
    });
    let unaliased = matches!(alias, Some(None));
    if !builder.problems.is_empty() {
        return Err(builder.problems);
    }
    if let Some(problem) = too_large(&compiler) {
        return Err(vec![problem]);
    }
    let mut program = compiler.finish();
    // Without variables there is nothing to explore, as in TLC: assumptions are all there is.
    let (initial_codes, next_code) = match program.variables.is_empty() {
        true => (None, None),
        false => (initial_codes, next_code),
    };
    let mut next_code = next_code;
    if let Some(next) = &mut next_code {
        program.keep_steps(&mut next.code);
        program.find_conditions(&mut next.code);
    }
    let mut judged: Vec<&mut Code> = Vec::new();
    for [_, next] in &mut constraints {
        judged.push(&mut next.code);
    }
    let of_steps = action_constraints.iter_mut().chain(&mut implied.actions);
    judged.extend(of_steps.map(|code| &mut code.code));
    let effects = program.effects(
        next_code.as_mut().map(|next| &mut next.code),
        Beside {
            judged,
            changed: fair.iter_mut().map(FairAction::change).collect(),
            propositions: builder
                .propositions
                .iter_mut()
                .map(Proposition::code)
                .collect(),
        },
    );
    let globals = Globals::new(&program);
    let mut machine = Machine::new(&program, &globals, &names);
    machine.registers.level = Some(0);
    machine.registers.deadlock = configuration.check_deadlock != Some(false);
    let assumptions = assumptions.iter().map(|(span, code)| Assumed {
        span: *span,
        holds: machine.holds(code),
    });
    let assumptions = assumptions.collect();
    let registers = machine.registers;
    let model = Model {
        program,
        globals,
        table: ValueTable::default(),
        initial: initial_codes,
        next: next_code,
        constraints,
        action_constraints,
        implied_initial: implied.initial,
        implied_actions: implied.actions,
        propositions: builder.propositions,
        steps: builder.steps,
        effects,
        registers,
        symmetry,
        view,
        alias: alias.flatten(),
        postconditions: post_codes,
        possible: possible_codes,
        fair,
        subscript,
        late_names: names.late_len(),
        names: names.clone(),
    };
    Ok(Built {
        model,
        invariants,
        properties,
        formulas,
        assumptions,
        asked: own,
        postconditions,
        possible,
        unaliased,
        warnings: builder.warnings,
    })
}

/// Properties of initial states and of steps.
#[derive(Default)]
struct Implied {
    initial: Vec<crate::compile::Compiled<Code>>,
    actions: Vec<crate::compile::Compiled<Code>>,
}

/// A property whose parts have no final numbers yet.
pub(crate) struct Open<'a> {
    pub name: String,
    pub safety: Vec<(String, PropositionId)>,
    /// The first of its properties of initial states, and all of them in words; the same of steps.
    pub initial: (usize, Vec<String>),
    pub actions: (usize, Vec<String>),
    pub temporal: Vec<Formula<'a>>,
}

/// What a specification says.
struct Behaviour<'a> {
    initial: Option<Vec<(&'a Expr, ScopeId)>>,
    next: Option<(&'a Expr, ScopeId)>,
    /// The `v` of `[][Next]_v`.
    subscript: Option<String>,
    fairness: Vec<(&'a Expr, ScopeId)>,
}

/// Makes propositions, and says what is wrong.
pub(crate) struct Builder<'n> {
    pub names: &'n Names,
    pub files: &'n Files,
    pub problems: Problems,
    propositions: Vec<Proposition>,
    pub steps: Vec<StepFormula>,
    pub warnings: Vec<Diagnostic>,
}

impl Builder<'_> {
    pub(crate) fn add(&mut self, proposition: Proposition) -> PropositionId {
        self.propositions.push(proposition);
        PropositionId(u32::try_from(self.propositions.len() - 1).unwrap_or(u32::MAX))
    }

    pub(crate) fn predicate<'a>(
        &mut self,
        compiler: &mut Compiler<'a>,
        expr: &'a Expr,
        scope: ScopeId,
    ) -> PropositionId {
        let code = compiler.expression(expr, scope, 0, None);
        self.add(Proposition::Predicate(code))
    }

    /// Where there are variables, the configuration says how they begin and change.
    fn check_behaviour(
        &mut self,
        compiler: &Compiler<'_>,
        configuration: &Configuration,
        sources: &Sources,
    ) {
        let c = configuration;
        let named = [c.specification, c.init, c.next];
        let known = |ident: Ident| compiler.named(ident.name).is_some();
        let is_named = named.iter().any(Option::is_some);
        if let Some(span) = sources.untranslated
            && !(is_named && named.into_iter().flatten().all(known))
            && (is_named || !compiler.has_variables())
        {
            let message =
                "this PlusCal algorithm has no translation: it is the translation that is checked";
            let help = "translate it with the TLA+ tools, which write it between `BEGIN TRANSLATION` and `END TRANSLATION`";
            // Assumptions are something to be asked.
            match is_named || compiler.assumptions().is_empty() {
                true => {
                    let problem = Diagnostic::error(span, message);
                    self.problems.push(problem.help(help));
                }
                false => {
                    let problem = Diagnostic::warning(span, message);
                    self.warnings.push(problem.help(help));
                }
            }
            return;
        }
        if let (Some(whole), Some(part)) = (c.specification, c.init.or(c.next)) {
            let message = "a configuration names a SPECIFICATION, or INIT and NEXT, not both";
            let problem = Diagnostic::error(part.span, message);
            self.problems
                .push(problem.label(whole.span, "the specification"));
            return;
        }
        if is_named || !compiler.has_variables() {
            return;
        }
        let definitions = compiler.definitions();
        let texts = definitions.iter().map(|&symbol| self.names.text(symbol));
        let texts: Vec<&str> = texts.collect();
        let like = |word: &str| {
            let exact = texts.iter().find(|text| **text == word);
            let close = texts.iter().find(|text| text.ends_with(word));
            exact.or(close).copied()
        };
        let help = match (like("Spec"), like("Init"), like("Next")) {
            (Some(spec), _, _) => format!("a configuration with `SPECIFICATION {spec}` does"),
            (None, Some(init), Some(next)) => {
                format!("a configuration with `INIT {init}` and `NEXT {next}` does")
            }
            _ => "a configuration with INIT and NEXT, or with SPECIFICATION, does".to_string(),
        };
        let module = &sources.modules[sources.root];
        let message = match sources.configuration.is_some() {
            true => "the configuration does not say what is explored".to_string(),
            false => {
                let name = self.names.text(module.ident.name);
                format!(
                    "there is no configuration, such as `{name}.cfg` beside it: nothing says what is explored"
                )
            }
        };
        let diagnostic = Diagnostic::error(module.ident.span, message);
        self.problems.push(diagnostic.maybe_help(Some(help)));
    }

    /// Initial states and steps belong together.
    fn whole(
        &mut self,
        compiler: &Compiler<'_>,
        configuration: &Configuration,
        initial: bool,
        next: bool,
    ) {
        let c = configuration;
        let Some(ident) = c.specification.or(c.init).or(c.next) else {
            return;
        };
        let message = match (initial, next) {
            (true, false) => "nothing says what the steps are: name a next-state action after NEXT",
            (false, true) => "nothing says how it begins: name an initial predicate after INIT",
            _ => return,
        };
        if compiler.has_variables() {
            self.problems.push(Diagnostic::error(ident.span, message));
        }
    }

    /// The group of what the configuration calls symmetric.
    fn symmetry(&mut self, sets: Vec<(Result<Value, String>, Span)>) -> Symmetry {
        let mut known = Vec::new();
        let mut last = None;
        for (set, span) in sets {
            last = Some(span);
            match set {
                Ok(set) => known.push(set),
                Err(reason) => {
                    let message = format!("the symmetry has no value: {reason}");
                    self.problems.push(Diagnostic::error(span, message));
                }
            }
        }
        match (Symmetry::generated(&known), last) {
            (Ok(symmetry), _) => symmetry,
            (Err(reason), Some(span)) => {
                let message = format!("this symmetry cannot be used: {reason}");
                self.problems.push(Diagnostic::error(span, message));
                Symmetry::default()
            }
            (Err(_), None) => Symmetry::default(),
        }
    }

    /// The initial predicate, the next-state action, and the rest.
    fn behaviour<'a>(
        &mut self,
        compiler: &mut Compiler<'a>,
        configuration: &Configuration,
    ) -> Behaviour<'a> {
        let mut behaviour = Behaviour {
            initial: None,
            next: None,
            subscript: None,
            fairness: Vec::new(),
        };
        let Some(ident) = configuration.specification else {
            let initial = configuration.init;
            let initial = initial.and_then(|ident| compiler.named(ident.name));
            let next = configuration.next;
            behaviour.initial = initial.map(|initial| vec![initial]);
            behaviour.next = next.and_then(|ident| compiler.named(ident.name));
            return behaviour;
        };
        let Some((expr, scope)) = compiler.named(ident.name) else {
            return behaviour;
        };
        let mut initial = Vec::new();
        for conjunct in compiler.conjuncts(expr, scope) {
            match conjunct {
                Conjunct::Initial(expr, scope) => initial.push((expr, scope)),
                Conjunct::Steps(action, subscript, scope) => {
                    behaviour.subscript = Some(self.words(subscript.span));
                    if behaviour.next.is_some() {
                        let message = "the specification has more than one `[][Next]_v`";
                        self.problems.push(Diagnostic::error(action.span, message));
                    }
                    behaviour.next = Some((action, scope));
                    self.check_subscript(compiler, subscript, scope);
                }
                Conjunct::Always(expr, _) => {
                    let message =
                        "a specification cannot say `[]` of a predicate: give it as a constraint";
                    self.problems.push(Diagnostic::error(expr.span, message));
                }
                Conjunct::Other(expr, scope) => {
                    if compiler.level(expr, scope) == Level::Action {
                        let message =
                            "an action stands alone in the specification: write `[][Next]_vars`";
                        self.problems.push(Diagnostic::error(expr.span, message));
                    }
                    behaviour.fairness.push((expr, scope));
                }
            }
        }
        behaviour.initial = Some(initial);
        behaviour
    }

    /// The subscript of the next-state action has all variables: what the others do otherwise is taken for steps here,
    /// as by TLC, and would be allowed all the time.
    fn check_subscript<'a>(
        &mut self,
        compiler: &mut Compiler<'a>,
        subscript: &'a Expr,
        scope: ScopeId,
    ) {
        let Some(list) = compiler.variables_in(subscript, scope) else {
            return;
        };
        let missing = compiler.variables_beside(&list).into_iter();
        let missing: Vec<String> = missing
            .map(|name| format!("`{}`", self.names.text(name)))
            .collect();
        if !missing.is_empty() {
            let message = format!(
                "the subscript of the next-state action does not have {}",
                missing.join(", ")
            );
            let help = "only steps of the action are explored; by the formula these variables may change at any time";
            self.warnings
                .push(Diagnostic::warning(subscript.span, message).help(help));
        }
    }

    fn property<'a>(
        &mut self,
        compiler: &mut Compiler<'a>,
        name: &str,
        (expr, scope): (&'a Expr, ScopeId),
        implied: &mut Implied,
    ) -> Open<'a> {
        let mut initial = (implied.initial.len(), Vec::new());
        let mut actions = (implied.actions.len(), Vec::new());
        let mut safety = Vec::new();
        let mut temporal = Vec::new();
        for conjunct in compiler.conjuncts(expr, scope) {
            match conjunct {
                Conjunct::Initial(expr, scope) => {
                    let code = compiler.expression(expr, scope, 0, None);
                    implied.initial.push(code);
                    initial.1.push(self.words(expr.span));
                }
                Conjunct::Always(expr, scope) => {
                    let predicate = self.predicate(compiler, expr, scope);
                    safety.push((self.words(expr.span), predicate));
                }
                Conjunct::Steps(action, subscript, scope) => {
                    let code = compiler.square(action, subscript, scope);
                    implied.actions.push(code);
                    let words = (self.words(action.span), self.words(subscript.span));
                    actions.1.push(format!("[{}]_{}", words.0, words.1));
                }
                Conjunct::Other(expr, scope) => {
                    if compiler.level(expr, scope) == Level::Action {
                        let message = "a property cannot be an action alone: write `[][A]_vars`, which is about all steps";
                        self.problems.push(Diagnostic::error(expr.span, message));
                    }
                    temporal.push(compiler.formula(expr, scope));
                }
            }
        }
        Open {
            name: name.to_string(),
            safety,
            initial,
            actions,
            temporal,
        }
    }
}
