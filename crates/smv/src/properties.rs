//! Properties of a model.

use evenhand_logic::FormulaId;
use evenhand_source::Span;
use evenhand_system::relation::ExprId;

/// A property of a model.
#[derive(Clone, Debug)]
pub struct SmvProperty {
    /// Its name: as given by `NAME`, or `invar_0`, `ltl_0`, `ctl_0`, `psl_0`, `compute_0`, …
    /// counted per kind.
    pub name: String,
    /// What kind of property it is.
    pub kind: SmvPropertyKind,
    /// The formula; of [`SmvPropertyKind::Invariant`] the condition, without `G`; of
    /// [`SmvPropertyKind::Compute`] where paths begin.
    pub formula: FormulaId,
    /// The text of the formula in the file.
    pub text: String,
    /// The instance that the property was stated in; empty for `main`.
    pub instance: String,
    /// Where it stands.
    pub span: Span,
}

/// Kinds of properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SmvPropertyKind {
    /// All reachable states satisfy a condition. If it mentions the next state, all steps between
    /// reachable states do: then it is given as an expression over steps, and the formula has `X`.
    Invariant {
        /// The condition on steps.
        step: Option<ExprId>,
    },
    /// All fair runs satisfy a formula of linear time.
    Ltl,
    /// All initial states satisfy a formula of branching time.
    Ctl,
    /// A property in PSL; whether it is one of branching time.
    Psl {
        /// Whether it has path quantifiers.
        branching: bool,
    },
    /// The length of the shortest or longest path between two sets of states.
    Compute {
        /// Whether the shortest one.
        minimum: bool,
        /// Where the paths end.
        to: FormulaId,
    },
}

impl SmvPropertyKind {
    /// The word that unnamed properties of the kind are called by.
    pub fn word(&self) -> &'static str {
        match self {
            SmvPropertyKind::Invariant { .. } => "invar",
            SmvPropertyKind::Ltl => "ltl",
            SmvPropertyKind::Ctl => "ctl",
            SmvPropertyKind::Psl { .. } => "psl",
            SmvPropertyKind::Compute { .. } => "compute",
        }
    }
}
