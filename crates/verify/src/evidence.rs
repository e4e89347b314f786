//! What engines have to show for a violation, before anybody has believed it.

use evenhand_automata::State;
use evenhand_explicit::ctl_star::Labels;
use evenhand_explicit::emptiness::Component;
use evenhand_explicit::marks::Marks;
use evenhand_explicit::product::Product;
use evenhand_explicit::search::Stop;
use evenhand_explicit::store::{AnyStore, StateId};
use evenhand_system::compose::Valuation;
use evenhand_system::explicit::FaultReport;
use evenhand_witness::{Counterexample, Run};

/// What an engine has to show for a violation.
#[derive(Debug, Default)]
#[non_exhaustive]
pub enum Evidence {
    /// Nothing, or nothing was asked for.
    #[default]
    None,
    /// A finite run.
    Path(FiniteRun),
    /// A part of the product in which an accepting run can stay.
    Component(FoundComponent),
    /// A lasso of states; shorter ones may exist.
    Lasso(Run),
    /// A lasso of states that is as short as it was proved to be: no run has fewer steps.
    Shortest(Run, usize),
    /// A run by the values of variables at each position.
    Positions(Positions),
    /// Where the quantified parts of a formula of branching time hold.
    Labels(Box<Labels>),
    /// The initial state alone: no run can show more.
    Beginning,
    /// A run that was told already, by the code that tells all runs.
    Told(Box<Counterexample>),
}

impl Evidence {
    /// The run that is there without any search, if there is one beside what a search needs.
    pub(crate) fn spare(&self) -> Evidence {
        match self {
            Evidence::Component(found) => {
                found.first.clone().map_or(Evidence::None, Evidence::Lasso)
            }
            _ => Evidence::None,
        }
    }
}

/// A finite run.
#[derive(Clone, Debug, Default)]
pub struct FiniteRun {
    /// Its states, from an initial one.
    pub states: Vec<Vec<u8>>,
    /// The run-time error in the last one, if that is what it shows.
    pub fault: Option<FaultReport>,
    /// Whether no shorter run shows the same.
    pub shortest: bool,
    /// No run has fewer transitions than this.
    pub lower_bound: usize,
}

/// A run of a relation.
#[derive(Clone, Debug, Default)]
pub struct Positions {
    /// The values of all variables, by their number, at each position.
    pub states: Vec<Valuation>,
    /// The position to which the step out of the last one returns; none for a finite run.
    pub turn: Option<usize>,
    /// Whether no infinite run is shorter that shows the same.
    pub is_shortest: bool,
}

/// A component of a product, whatever the width of its marks.
#[derive(Clone, Debug)]
pub struct FoundComponent {
    /// States of the system with states of the automaton.
    nodes: Vec<(StateId, State)>,
    /// Requests that the run does not make.
    avoid: Vec<usize>,
    /// A run that was there at once: where limits are reached, the only one.
    pub(crate) first: Option<Run>,
}

impl FoundComponent {
    pub(crate) fn new<const W: usize>(
        product: &Product<'_, '_, AnyStore, W>,
        component: &Component<W>,
        first: Option<Run>,
    ) -> FoundComponent {
        let nodes = component.nodes.iter();
        FoundComponent {
            nodes: nodes.map(|&node| product.parts(node)).collect(),
            avoid: component.avoid.iter().collect(),
            first,
        }
    }

    pub(crate) fn component<const W: usize>(
        &self,
        product: &mut Product<'_, '_, AnyStore, W>,
    ) -> Result<Component<W>, Stop> {
        let nodes = self.nodes.iter();
        let nodes: Result<Vec<_>, Stop> = nodes
            .map(|&(state, automaton)| product.node(state, automaton))
            .collect();
        Ok(Component {
            nodes: nodes?,
            avoid: self.avoid.iter().copied().collect::<Marks<W>>(),
        })
    }
}
