//! Models written in Rust: what a type that implements [`Model`](evenhand_system::Model) is asked, and
//! how the texts of questions are understood.
//!
//! Such a model names its propositions, its processes and its actions; these names are all that
//! formulas and fairness assumptions can speak about. A formula is LTL with past operators in any
//! spelling whose atoms are names of propositions (in quotes if they are not plain words). An
//! assumption is a text of the `--fair` option:
//!
//! | text | what is meant |
//! | --- | --- |
//! | `weak`, `strong`, `spin-weak` | of every process |
//! | `weak:NAME`, `strong:NAME` | of the process with that name; of all `NAME[0]`, `NAME[1]`, … |
//! | `weak:NAME@ACTION` | of the actions with that name of those processes |
//! | `just:P`, `compassion:P=>Q` | of propositions |
//!
//! What a model declares as justice and compassion is turned into such texts, so that there is one
//! way for all of them. Nothing here knows a search: the engines see an
//! [`Explicit`] system like any other.

use std::fmt;

use evenhand_logic::{FormulaId, Formulas, Node, Spelling, parse};
use evenhand_source::{Diagnostic, Files, nearest};
pub use evenhand_system::explicit::Value;
pub use evenhand_system::model::{Model as RustModel, ModelAction, ModelError, Steps};
pub use evenhand_system::pack::Pack;
use evenhand_system::{
    Assumption, AssumptionKind, Conditions, Explicit, Fairness, Foreign, Groups, ItemSpec,
    Signature,
};
pub use evenhand_system::{Compassion, FaultKind, PropositionId, pack_fields};

use crate::question::Wrong;

/// What is needed of a system that no language describes.
trait Described: Groups + Conditions {}

impl<S: Groups + Conditions> Described for S {}

/// A model written in Rust.
pub struct ForeignModel {
    system: Box<dyn Described>,
    propositions: Vec<String>,
}

impl fmt::Debug for ForeignModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.signature().name;
        write!(f, "ForeignModel({name:?})")
    }
}

/// A formula with what each of its atoms is.
type Read = (Formulas, FormulaId, Vec<PropositionId>);

impl ForeignModel {
    /// Reads the declarations of a model.
    ///
    /// # Errors
    /// Where its processes or actions cannot be numbered.
    pub fn new<M: RustModel + Sync + 'static>(model: M) -> Result<ForeignModel, ModelError> {
        let propositions = model.propositions();
        // A number that names no proposition is a text that none has: a mistake that is reported.
        let name = |id: PropositionId| match propositions.get(id.0 as usize) {
            Some(name) => name.clone(),
            None => format!("proposition {}", id.0),
        };
        let justice = model.justice().into_iter();
        let mut declared: Vec<String> = justice.map(|p| format!("just:{}", name(p))).collect();
        for Compassion { when, then } in model.compassion() {
            declared.push(format!("compassion:{}=>{}", name(when), name(then)));
        }
        let system = Foreign::new(model)?.described(|signature| {
            let declared = declared.into_iter().map(|text| (text, Default::default()));
            signature.fairness.extend(declared);
            // What goes wrong stands in no text; the model's name is the place that is told.
            let mut files = Files::new();
            files.add(&signature.name, String::new());
            signature.files = files;
        });
        Ok(ForeignModel {
            system: Box::new(system),
            propositions,
        })
    }

    /// The system as the engines see it.
    pub fn explicit(&self) -> &dyn Explicit {
        &*self.system
    }

    /// The system by transition groups: one for each process, and each looks at everything.
    pub(crate) fn groups(&self) -> &dyn Groups {
        &*self.system
    }

    /// Its signature.
    pub fn signature(&self) -> &Signature {
        self.system.signature()
    }

    /// The proposition with that name.
    ///
    /// # Errors
    /// If there is none.
    pub fn proposition(&self, text: &str) -> Result<PropositionId, Wrong> {
        let text = text.trim();
        match self.propositions.iter().position(|name| name == text) {
            Some(place) => Ok(PropositionId(place as u32)),
            None => Err(unknown("proposition", text, &self.propositions)),
        }
    }

    /// A formula of linear time from its text.
    ///
    /// # Errors
    /// If it is none, or names no proposition.
    pub fn formula(&self, text: &str) -> Result<Read, Wrong> {
        let (store, formula, atoms) = self.read(text)?;
        if store.properties(formula).has_quantifier() {
            let message = "this is no formula of linear time but one of CTL*";
            return Err(wrong(message, "ask it as one: --ctl"));
        }
        Ok((store, formula, atoms))
    }

    /// A formula of CTL* from its text.
    ///
    /// # Errors
    /// If it is none, or names no proposition.
    pub fn branching_formula(&self, text: &str) -> Result<Read, Wrong> {
        let (store, formula, atoms) = self.read(text)?;
        let mut open = vec![formula];
        while let Some(part) = open.pop() {
            match store.node(part) {
                Node::Path(..) => {}
                Node::Unary(..) | Node::Binary(..) => {
                    let message = "a temporal operator must stand under a path quantifier";
                    let help = "write `A` or `E` before the formula: `A (p U q)`, `AG p`";
                    return Err(wrong(message, help));
                }
                node => open.extend(node.operands()),
            }
        }
        Ok((store, formula, atoms))
    }

    /// A formula from its text.
    fn read(&self, text: &str) -> Result<Read, Wrong> {
        let mut store = Formulas::new();
        let read = parse(&mut store, text, Spelling::Any);
        let formula = read.map_err(|diagnostic| {
            let mut files = Files::new();
            files.add("formula", text.to_string());
            Wrong::elsewhere((files, vec![diagnostic]))
        })?;
        let atoms: Result<Vec<_>, Wrong> = store
            .atoms()
            .map(|(_, atom)| self.proposition(&atom.text))
            .collect();
        Ok((store, formula, atoms?))
    }

    /// Fairness assumptions from their texts.
    ///
    /// # Errors
    /// If one has no meaning.
    pub fn fairness<'t>(&self, texts: impl Iterator<Item = &'t str>) -> Result<Fairness, Wrong> {
        let mut fairness = Fairness::default();
        for source in texts {
            let source = source.trim();
            match source.split_once(':') {
                Some(("just", name)) => {
                    let kind = AssumptionKind::Justice(self.proposition(name)?);
                    fairness.assumptions.push(assumption(source, source, kind));
                }
                Some(("compassion", pair)) => {
                    let Some((when, then)) = pair.split_once("=>") else {
                        let message = format!("`{source}` must have one `=>`");
                        return Err(wrong(&message, "write `compassion:P=>Q`"));
                    };
                    let (when, then) = (self.proposition(when)?, self.proposition(then)?);
                    let kind = AssumptionKind::Compassion { when, then };
                    fairness.assumptions.push(assumption(source, source, kind));
                }
                None if matches!(source, "weak" | "strong" | "spin-weak") => {
                    self.assume(source, source, None, None, &mut fairness);
                }
                Some((kind @ ("weak" | "strong"), target)) => {
                    let (name, label) = match target.split_once('@') {
                        Some((name, label)) => (name, Some(label)),
                        None => (target, None),
                    };
                    self.targets_exist(name, label)?;
                    self.assume(source, kind, Some(name), label, &mut fairness);
                }
                _ => {
                    let message = format!("`{source}` is no fairness assumption");
                    let help = "write `weak`, `strong`, `weak:NAME`, `strong:NAME@ACTION`, `just:P` \
                                or `compassion:P=>Q`";
                    return Err(wrong(&message, help));
                }
            }
        }
        Ok(fairness)
    }

    /// Whether a target of an assumption names something.
    fn targets_exist(&self, name: &str, label: Option<&str>) -> Result<(), Wrong> {
        let signature = self.signature();
        let is_named = |process: &&String| is_called(process, name);
        if !signature.processes.iter().any(|p| is_named(&p)) {
            return Err(unknown("process", name, &signature.processes));
        }
        let Some(label) = label else { return Ok(()) };
        let of_process = |process: u16| &signature.processes[usize::from(process)];
        let mut actions = signature.actions.iter();
        let own: Vec<String> = actions
            .by_ref()
            .filter(|a| is_called(of_process(a.process), name))
            .map(|a| a.text.clone())
            .collect();
        match own.iter().any(|action| action == label) {
            true => Ok(()),
            false => Err(unknown(&format!("action of `{name}`"), label, &own)),
        }
    }

    /// Adds what one text assumes of processes or actions.
    fn assume(
        &self,
        source: &str,
        kind: &str,
        name: Option<&str>,
        label: Option<&str>,
        fairness: &mut Fairness,
    ) {
        let signature = self.signature();
        for (pid, process) in signature.processes.iter().enumerate() {
            if name.is_some_and(|name| !is_called(process, name)) {
                continue;
            }
            // A model has at most 255 processes, and an action for each number below 2^32.
            let number = pid as u8;
            let item = match label {
                None => ItemSpec::Process {
                    pid: number,
                    as_partner: kind != "spin-weak",
                },
                Some(label) => {
                    let actions = signature.actions.iter().enumerate();
                    let own = actions
                        .filter(|(_, a)| usize::from(a.process) == pid && a.text == label)
                        .map(|(action, _)| action as u32);
                    ItemSpec::Actions {
                        pid: number,
                        actions: own.collect(),
                    }
                }
            };
            if matches!(&item, ItemSpec::Actions { actions, .. } if actions.is_empty()) {
                continue;
            }
            let known = fairness.items.iter().position(|known| *known == item);
            let place = known.unwrap_or_else(|| {
                fairness.items.push(item);
                fairness.items.len() - 1
            });
            let meaning = match kind {
                "strong" => AssumptionKind::Strong(place),
                _ => AssumptionKind::Weak(place),
            };
            let label = label.map_or_else(String::new, |label| format!("@{label}"));
            let text = format!("{kind}:{process}{label}");
            let known = fairness.assumptions.iter().any(|a| a.kind == meaning);
            if !known {
                let new = assumption(&text, source, meaning);
                fairness.assumptions.push(new);
            }
        }
    }
}

/// Whether a process has a name, or is one of those that share it: `node[2]` is a `node`.
fn is_called(process: &str, name: &str) -> bool {
    let shared = process.split_once('[').map(|(shared, _)| shared);
    process == name || shared == Some(name)
}

fn assumption(text: &str, source: &str, kind: AssumptionKind) -> Assumption {
    Assumption {
        text: text.to_string(),
        source: source.to_string(),
        kind,
    }
}

fn wrong(message: &str, help: &str) -> Wrong {
    Wrong {
        files: None,
        diagnostics: vec![Diagnostic::global(message).help(help)],
    }
}

fn unknown(what: &str, text: &str, known: &[String]) -> Wrong {
    let help = match nearest(text, known.iter().map(String::as_str)) {
        Some(hint) => format!("did you mean `{hint}`?"),
        None => format!("there are: {}", known.join(", ")),
    };
    wrong(&format!("there is no {what} `{text}`"), &help)
}
