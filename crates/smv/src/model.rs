//! A model that was read, and what can be asked of it.
//!
//! Properties from a command line are read in the context of `main`, as if they stood at the end of
//! the model. For each of them the model is lowered again from its tree, which is cheap; all
//! numbers stay as they were, new ones come last.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use evenhand_logic::{AtomId, Formulas};
use evenhand_source::{Diagnostic, FileId, Files, Severity};
use evenhand_system::assumption::{Assumption, AssumptionKind, Fairness};
use evenhand_system::fairness::PropositionId;
use evenhand_system::relation::{BinaryOp, Enumerated, Refusal, Relation, Role, VarId};
use evenhand_system::signature::{Signature, Telling, ValueSource};
use evenhand_system::{Foreign, Relational};

use crate::ast::{Item, Model, PropertyItem, PropertyItemKind};
use crate::lower::{Lowered, lower, sources};
use crate::properties::SmvProperty;
use crate::{parse, parse_expression, tokenize};

/// An SMV model as the explicit engines see it.
pub type SmvSystem = Foreign<Enumerated>;

/// What is wrong, and the files that it is about.
type Wrong = (Files, Vec<Diagnostic>);

/// Kinds of properties that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// A condition on all reachable states.
    Invariant,
    /// A formula of linear time, with past operators.
    Ltl,
    /// A formula of CTL*, with past operators.
    Ctl,
}

/// A model that was read.
#[derive(Clone, Debug)]
pub struct SmvModel {
    /// The files.
    pub files: Files,
    /// The system.
    pub relation: Relation,
    /// The store of the formulas of the properties.
    pub formulas: Formulas,
    /// For each atom of the formulas, the proposition of the system that it stands for.
    pub propositions: Vec<PropositionId>,
    /// The properties in the order in which NuSMV numbers them within a kind, then those that were
    /// asked for.
    pub properties: Vec<SmvProperty>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
    tree: Arc<Model>,
    /// The places that say what values variables get, once somebody asked for them.
    sources: OnceLock<Vec<ValueSource>>,
    main: FileId,
    /// What was asked for, with the names of the properties.
    asked: Vec<Item>,
    names: Vec<String>,
    conditions: Vec<PropositionId>,
}

/// Reads a model.
///
/// # Errors
/// Everything that is wrong with the text; the files come back too.
pub fn load(files: Files, main: FileId) -> Result<SmvModel, Wrong> {
    let (tokens, mut diagnostics) = tokenize(&files, main);
    let (tree, found) = parse(&tokens);
    diagnostics.extend(found);
    if is_wrong(&diagnostics) {
        return Err((files, diagnostics));
    }
    let (lowered, found) = lower(&tree, &[]);
    diagnostics.extend(found);
    if is_wrong(&diagnostics) {
        return Err((files, diagnostics));
    }
    let mut model = SmvModel {
        files,
        relation: Relation::default(),
        formulas: Formulas::new(),
        propositions: Vec::new(),
        properties: Vec::new(),
        warnings: diagnostics,
        tree: Arc::new(tree),
        sources: OnceLock::new(),
        main,
        asked: Vec::new(),
        names: Vec::new(),
        conditions: Vec::new(),
    };
    model.adopt(lowered);
    Ok(model)
}

fn is_wrong(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.severity == Severity::Error)
}

impl SmvModel {
    fn adopt(&mut self, mut lowered: Lowered) {
        lowered.relation.name = self.files.get(self.main).name.clone();
        for property in &mut lowered.properties {
            property.text = self.files.text(property.span).to_string();
        }
        let first = lowered.properties.len().saturating_sub(self.names.len());
        for (property, name) in lowered.properties[first..].iter_mut().zip(&self.names) {
            property.name = name.clone();
        }
        let names: HashMap<&str, PropositionId> = (0..)
            .map(PropositionId)
            .zip(&lowered.relation.propositions)
            .map(|(id, (name, _))| (name.as_str(), id))
            .collect();
        let atoms = lowered.formulas.atoms();
        self.propositions = atoms
            .map(|(_, atom)| names.get(atom.text.as_str()).copied())
            .map(|id| id.unwrap_or(PropositionId(u32::MAX)))
            .collect();
        self.relation = lowered.relation;
        self.formulas = lowered.formulas;
        self.properties = lowered.properties;
        self.conditions = lowered.conditions;
    }

    /// The places of the text that say what values variables get, by variable.
    pub fn sources(&self) -> &[ValueSource] {
        self.sources.get_or_init(|| sources(&self.tree))
    }

    /// The proposition that an atom of a formula stands for.
    pub fn proposition(&self, atom: AtomId) -> Option<PropositionId> {
        self.propositions.get(atom.index()).copied()
    }

    /// Adds a property; its place in [`SmvModel::properties`].
    ///
    /// # Errors
    /// What is wrong with the formula.
    pub fn ask(&mut self, name: &str, kind: Asked, text: &str) -> Result<usize, Wrong> {
        let make = |body: crate::ast::Expr| {
            let kind = match kind {
                Asked::Invariant => PropertyItemKind::Invariant,
                Asked::Ltl => PropertyItemKind::Ltl,
                Asked::Ctl => PropertyItemKind::Ctl,
            };
            let span = body.span;
            Item::Property(PropertyItem {
                kind,
                name: None,
                body,
                context: None,
                span,
            })
        };
        self.names.push(name.to_string());
        let added = self.add(name, text, make);
        if added.is_err() {
            self.names.pop();
        }
        added.map(|()| self.properties.len() - 1)
    }

    /// A proposition from a condition on states (and inputs).
    ///
    /// # Errors
    /// What is wrong with the condition.
    pub fn condition(&mut self, text: &str) -> Result<PropositionId, Wrong> {
        self.add(text, text, Item::Condition)?;
        let last = self.conditions.last().copied();
        last.ok_or_else(|| (self.files.clone(), Vec::new()))
    }

    fn add(
        &mut self,
        name: &str,
        text: &str,
        make: impl FnOnce(crate::ast::Expr) -> Item,
    ) -> Result<(), Wrong> {
        let mut files = self.files.clone();
        let file = files.add(name, text);
        let (tokens, mut diagnostics) = tokenize(&files, file);
        let (expr, found) = parse_expression(&tokens);
        diagnostics.extend(found);
        let Some(expr) = expr.filter(|_| !is_wrong(&diagnostics)) else {
            return Err((files, diagnostics));
        };
        self.asked.push(make(expr));
        let (lowered, found) = lower(&self.tree, &self.asked);
        if is_wrong(&found) {
            self.asked.pop();
            return Err((files, found));
        }
        self.files = files;
        self.adopt(lowered);
        Ok(())
    }

    /// The fairness that the model declares.
    pub fn fairness(&self) -> Fairness {
        let name = |id: PropositionId| self.relation.propositions[id.0 as usize].0.as_str();
        let just = self.relation.justice.iter().map(|&id| {
            let text = format!("just:{}", name(id));
            (text, AssumptionKind::Justice(id))
        });
        let compassionate = self.relation.compassion.iter().map(|pair| {
            let (when, then) = (pair.when, pair.then);
            let text = format!("compassion:{}=>{}", name(when), name(then));
            (text, AssumptionKind::Compassion { when, then })
        });
        let assumptions = just.chain(compassionate).map(|(text, kind)| Assumption {
            source: text.clone(),
            text,
            kind,
        });
        Fairness {
            assumptions: assumptions.collect(),
            ..Fairness::default()
        }
    }

    /// The weak forms of the compassion constraints, in their order, as further propositions:
    /// `!p | q` for (p, q); and the proposition that always holds. They stay until something else
    /// is asked.
    pub fn weakened(&mut self) -> (Vec<PropositionId>, PropositionId) {
        let relation = &mut self.relation;
        let mut weak = Vec::new();
        for pair in &relation.compassion {
            let of = |id: PropositionId| &relation.propositions[id.0 as usize];
            let ((when, p), (then, q)) = (of(pair.when), of(pair.then));
            let text = format!("!({when}) | ({then})");
            let expr = relation.expressions.binary(BinaryOp::Implies, *p, *q);
            weak.push(PropositionId(relation.propositions.len() as u32));
            relation.propositions.push((text, expr));
        }
        let always = relation.expressions.constant(1);
        let id = PropositionId(relation.propositions.len() as u32);
        relation.propositions.push(("TRUE".to_string(), always));
        (weak, id)
    }

    /// Whether one of some propositions is about the input chosen in a state.
    pub fn reads_inputs(&self, propositions: impl IntoIterator<Item = PropositionId>) -> bool {
        let mut list = propositions.into_iter();
        list.any(|id| self.relation.reads_inputs(id))
    }

    /// The system for the explicit engines. Inputs are no part of its states unless asked for,
    /// which is needed where a proposition is about them ([`SmvModel::reads_inputs`]).
    ///
    /// # Errors
    /// Where a variable has too many values to be tried, or there are too many processes.
    pub fn system(&self, with_inputs: bool) -> Result<SmvSystem, Refusal> {
        let relation = match with_inputs {
            true => self.relation.clone().inputs_in_states(),
            false => self.relation.clone(),
        };
        self.system_of(relation)
    }

    /// The same with some inputs in its states: those of [`SmvModel::inputs_read`].
    ///
    /// # Errors
    /// As [`SmvModel::system`].
    pub fn system_reading(&self, inputs: &BTreeSet<VarId>) -> Result<SmvSystem, Refusal> {
        let mut relation = self.relation.clone();
        for id in inputs {
            relation.variables[id.0 as usize].role = Role::State;
        }
        self.system_of(relation)
    }

    /// The inputs that some propositions are about.
    pub fn inputs_read(
        &self,
        propositions: impl IntoIterator<Item = PropositionId>,
    ) -> BTreeSet<VarId> {
        let mut inputs = BTreeSet::new();
        for id in propositions {
            let Some(&(_, expr)) = self.relation.propositions.get(id.0 as usize) else {
                continue;
            };
            let (current, _) = self.relation.expressions.support(expr);
            let is_input = |id: &VarId| self.relation.variables[id.0 as usize].role == Role::Input;
            inputs.extend(current.into_iter().filter(is_input));
        }
        inputs
    }

    fn system_of(&self, relation: Relation) -> Result<SmvSystem, Refusal> {
        let refuse = |reason: String| Refusal { reason };
        let system = Foreign::new(Enumerated::new(relation)?);
        let system = system.map_err(|error| refuse(error.to_string()))?;
        Ok(system.described(|signature| self.describe(signature)))
    }

    fn describe(&self, signature: &mut Signature) {
        signature.files = self.files.clone();
        signature.language = "smv".into();
        signature.told_by = Telling::Values;
    }
}

impl Relational for SmvModel {
    fn relation(&self) -> Result<std::borrow::Cow<'_, Relation>, Refusal> {
        self.relation.relation()
    }
}
