//! From the syntax tree to a fair system: the stations.
//!
//! 1. `instances`: the tree of module instances; every declaration gets a flat name (`p1.state`).
//! 2. `declare`: types, and from them the variables and constants of the relation.
//! 3. `names` and `expressions` (with `words`, `sets`): an expression in an instance becomes a
//!    typed value over the relation's variables.
//! 4. `assignments` and `constraints`: initial states, steps, invariant, fairness.
//! 5. `properties`: formulas whose propositions are conditions of the relation.
//! 6. `verify`: what must hold for every value of the variables: `case` is exhaustive, what is
//!    assigned is in range, nothing divides by zero.
//!
//! As in NuSMV the bodies of definitions and the arguments of instances are expanded by name; here
//! each is expanded once and shared.

mod assignments;
mod bounded;
mod build;
mod choices;
mod circular;
mod constraints;
mod declare;
mod definitions;
mod diagram;
mod expressions;
mod instances;
mod names;
mod properties;
mod sets;
mod sources;
mod text;
mod verify;
mod wide;
mod wide_words;
mod words;

use std::collections::{HashMap, HashSet};

use evenhand_logic::Formulas;
use evenhand_source::{Diagnostic, Span};
use evenhand_system::fairness::PropositionId;
use evenhand_system::relation::{ExprId, Relation, VarId};

use crate::ast::{Expr, Ident, Item, Model, TypeExpr, VariableKind, When};
use crate::properties::SmvProperty;
use crate::token::Name;
use crate::types::Type;

use expressions::Memo;
use sets::Sets;
use sources::Said;
pub(crate) use sources::sources;
pub(crate) use wide_words::WIDEST;

/// How many errors are reported at most.
const MAX_ERRORS: usize = 25;

/// What became of a model.
#[derive(Debug)]
pub(crate) struct Lowered {
    pub relation: Relation,
    pub formulas: Formulas,
    pub properties: Vec<SmvProperty>,
    /// The conditions that were asked for.
    pub conditions: Vec<PropositionId>,
}

/// Lowers a model, and then properties and conditions that are asked for from outside of it: they
/// come last, in their order, so that asking for more changes no number.
pub(crate) fn lower(model: &Model, asked: &[Item]) -> (Lowered, Vec<Diagnostic>) {
    let mut lowering = Lowering::new(model);
    lowering.run(asked);
    let lowered = Lowered {
        relation: lowering.relation,
        formulas: lowering.formulas,
        properties: lowering.properties,
        conditions: lowering.conditions,
    };
    (lowered, lowering.diagnostics)
}

/// Stands for an error that was reported.
#[derive(Clone, Copy, Debug)]
struct Reported;

type Result<T> = std::result::Result<T, Reported>;

/// An instance of a module, by number; 0 is `main`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct InstanceId(usize);

/// A process, by number; 0 is `main`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ProcessIndex(usize);

#[derive(Clone, Debug)]
struct Instance {
    /// The flat name; empty for `main`.
    name: String,
    /// Whose assignments its assignments are.
    process: ProcessIndex,
}

/// What a flat name means.
#[derive(Clone, Debug)]
enum Symbol<'m> {
    /// A variable that is declared below.
    Declared(VariableKind, &'m TypeExpr, InstanceId, Span),
    /// A variable.
    Variable(VarId, Type),
    /// A variable of more than 64 bits: its limbs, the lowest first.
    Wide(Vec<VarId>, Type),
    /// A variable with one value only.
    Single(i64, Type),
    /// An array of variables.
    Array(i64, i64, Type),
    /// A definition.
    Define(&'m Expr, InstanceId, Span),
    /// A parameter: what stands for it, and where that was written.
    Parameter(&'m Expr, InstanceId),
    /// An instance.
    Instance(InstanceId),
    /// Whether a process makes the next step.
    Running(ProcessIndex),
}

/// A condition that must be defined, or true, whatever values the variables have.
#[derive(Clone, Debug)]
struct Obligation {
    expr: ExprId,
    span: Span,
    /// What is assigned to which variable: the condition must be true then.
    assigned: Option<(VarId, expressions::Value)>,
}

/// A right side that was assigned.
#[derive(Clone, Copy, Debug)]
struct AssignedBy {
    span: Span,
    /// What the assignment says about its variable.
    constraint: ExprId,
    /// A condition that mentions the right side alone.
    right: ExprId,
    process: ProcessIndex,
}

struct Lowering<'m> {
    model: &'m Model,
    diagnostics: Vec<Diagnostic>,
    relation: Relation,
    formulas: Formulas,
    properties: Vec<SmvProperty>,
    conditions: Vec<PropositionId>,
    sets: Sets,
    instances: Vec<Instance>,
    processes: Vec<String>,
    /// The variable that says which process makes the next step.
    selector: Option<VarId>,
    symbols: HashMap<String, Symbol<'m>>,
    /// Definitions of parts of other instances.
    remote: Vec<(InstanceId, &'m Ident, Symbol<'m>)>,
    /// The flat names in the order of their declaration.
    order: Vec<String>,
    /// Names that are values.
    constants: HashMap<Name, i64>,
    items: Vec<(InstanceId, &'m Item)>,
    memo: HashMap<String, Memo>,
    depth: u32,
    assigned: HashMap<(VarId, When), Vec<AssignedBy>>,
    obligations: Vec<Obligation>,
    said: Said,
    /// The propositions, and their names.
    propositions: HashMap<ExprId, PropositionId>,
    names: HashSet<String>,
    /// Conditions on steps, and the inputs that say whether they hold.
    steps: HashMap<ExprId, VarId>,
}

impl<'m> Lowering<'m> {
    fn new(model: &'m Model) -> Lowering<'m> {
        Lowering {
            model,
            diagnostics: Vec::new(),
            relation: Relation::default(),
            formulas: Formulas::new(),
            properties: Vec::new(),
            conditions: Vec::new(),
            sets: Sets::default(),
            instances: Vec::new(),
            processes: Vec::new(),
            selector: None,
            symbols: HashMap::new(),
            remote: Vec::new(),
            order: Vec::new(),
            constants: HashMap::new(),
            items: Vec::new(),
            memo: HashMap::new(),
            depth: 0,
            assigned: HashMap::new(),
            obligations: Vec::new(),
            said: Said::default(),
            propositions: HashMap::new(),
            names: HashSet::new(),
            steps: HashMap::new(),
        }
    }

    fn run(&mut self, asked: &'m [Item]) {
        if self.instantiate_main().is_err() {
            return;
        }
        self.declare_all();
        if !self.diagnostics.is_empty() {
            return; // what follows would only repeat it
        }
        self.define_all();
        self.assign_all();
        self.constrain_all();
        self.state_properties(asked);
        if self.diagnostics.is_empty() {
            self.verify_all();
        }
    }

    fn report<T>(&mut self, diagnostic: Diagnostic) -> Result<T> {
        if self.diagnostics.len() < MAX_ERRORS {
            self.diagnostics.push(diagnostic);
        }
        Err(Reported)
    }

    fn error<T>(&mut self, span: Span, message: impl Into<String>) -> Result<T> {
        self.report(Diagnostic::error(span, message))
    }
}
