//! What can be wrong with a certificate, and why one cannot be checked.

use std::{fmt, io};

use evenhand_system::{FaultKind, PropositionId};

use crate::edge::EdgeFlaw;
use crate::rank::Reason;

/// What was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// States of the system that were expanded.
    pub states: u64,
    /// Nodes with ranks.
    pub nodes: u64,
    /// Their edges.
    pub edges: u64,
    /// Run-time errors that were met: what would lie behind them is no part of the proof.
    pub faults: u64,
}

/// What is wrong with a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// A reason is about a mark or a pair that the condition does not have.
    Reason(Reason),
    /// A rank has more numbers than there are pairs, and one more.
    Levels,
    /// A rank is not there.
    NoCell,
    /// There are more ranks or states than can be numbered.
    NoRoom,
    /// A state is listed twice, or its ranks are not in the order of the automaton's states.
    Order,
    /// The ranks of a state cannot be read.
    Unreadable,
    /// A node is not there.
    NoNode {
        /// Its number.
        node: usize,
    },
    /// An initial node has no rank.
    Initial {
        /// Its number.
        node: usize,
    },
    /// A node with a rank leads to one without.
    Successor {
        /// The node.
        node: usize,
        /// Where it leads.
        target: usize,
    },
    /// An edge does not agree with the ranks of its ends.
    Edge {
        /// Its source.
        node: usize,
        /// Its target.
        target: usize,
        /// Why.
        flaw: EdgeFlaw,
    },
    /// An initial state is not in the set, or not ranked with an initial state of the automaton.
    InitialState,
    /// A step leaves the set of states, or the product of the states with ranks.
    Leaves {
        /// The number of the state in front of the step.
        state: usize,
    },
    /// A step does not agree with the ranks of its ends.
    Step {
        /// The number of the state in front of the step.
        state: usize,
        /// Why.
        flaw: EdgeFlaw,
    },
    /// A core is not there.
    NoCore,
    /// A node that is said to have a run that counts has no edge to the next one on it.
    NoWay {
        /// Its number.
        node: usize,
    },
    /// A core is not connected, or runs that stay in it do not count.
    Core {
        /// The number of one of its nodes, or its own.
        node: usize,
    },
    /// A claim is not true of a state or of a step behind it.
    Claim {
        /// The place of the claim.
        claim: usize,
        /// The number of the state; none where there is none yet.
        state: Option<usize>,
    },
}

/// Why a certificate cannot be checked: what it is about is outside of what this crate can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The system does not tell all successors of a state.
    Limit(FaultKind),
    /// A proposition has no value in some state.
    NoValue(PropositionId, FaultKind),
    /// A process takes part that fairness was not set up for.
    Processes,
    /// A proposition is about steps.
    OnSteps(PropositionId),
    /// The automaton has another acceptance condition than Büchi marks and Streett pairs.
    Acceptance,
    /// Finite runs count as they are.
    FiniteRuns,
    /// The propositions that were given are not those of the automaton.
    Propositions,
    /// A formula is not about a state or a step; or a quantifier stands where none is expected.
    Formula,
    /// A formula is too large.
    TooLarge,
    /// States cannot be kept in a file, or not be read again.
    Storage(io::ErrorKind),
    /// Somebody asked for it.
    Interrupted,
}

/// Why a check did not succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure<S> {
    /// The certificate proves nothing.
    Flawed(Flaw),
    /// It cannot be checked.
    Stopped(S),
}

impl<S> From<Flaw> for Failure<S> {
    fn from(flaw: Flaw) -> Failure<S> {
        Failure::Flawed(flaw)
    }
}

impl From<Refusal> for Failure<Refusal> {
    fn from(refusal: Refusal) -> Failure<Refusal> {
        Failure::Stopped(refusal)
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::Reason(reason) => {
                write!(f, "a reason is not about the condition: {reason:?}")
            }
            Flaw::Levels => f.write_str("a rank has more numbers than pairs can make"),
            Flaw::NoCell => f.write_str("a rank is not there"),
            Flaw::NoRoom => f.write_str("there are more ranks or states than can be numbered"),
            Flaw::Order => f.write_str("a state is listed twice, or its ranks are in disorder"),
            Flaw::Unreadable => f.write_str("the ranks of a state cannot be read"),
            Flaw::NoNode { node } => write!(f, "there is no node {node}"),
            Flaw::Initial { node } => write!(f, "the initial node {node} has no rank"),
            Flaw::Successor { node, target } => {
                write!(f, "node {node} leads to node {target}, which has no rank")
            }
            Flaw::Edge { node, target, flaw } => {
                write!(f, "the edge from node {node} to node {target}: {flaw}")
            }
            Flaw::InitialState => f.write_str("an initial state is missing"),
            Flaw::Leaves { state } => write!(f, "a step out of state {state} leads elsewhere"),
            Flaw::Step { state, flaw } => write!(f, "a step out of state {state}: {flaw}"),
            Flaw::NoCore => f.write_str("a core is not there"),
            Flaw::NoWay { node } => write!(f, "node {node} has no edge to the next one of its run"),
            Flaw::Core { node } => write!(f, "no run stays in the core of, or with number, {node}"),
            Flaw::Claim { claim, state } => {
                write!(f, "claim {claim} is not true of ")?;
                match state {
                    Some(state) => write!(f, "state {state}"),
                    None => f.write_str("the initial states"),
                }
            }
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Limit(kind) => write!(f, "not all successors are known: {kind}"),
            Refusal::NoValue(proposition, kind) => {
                write!(f, "proposition {} has no value: {kind}", proposition.0)
            }
            Refusal::Processes => f.write_str("more processes than fairness was set up for"),
            Refusal::OnSteps(proposition) => {
                write!(f, "proposition {} is about steps", proposition.0)
            }
            Refusal::Acceptance => f.write_str("the acceptance condition is of another kind"),
            Refusal::FiniteRuns => f.write_str("finite runs count as they are"),
            Refusal::Propositions => f.write_str("propositions of the automaton are not known"),
            Refusal::TooLarge => f.write_str("a formula is too large"),
            Refusal::Storage(kind) => write!(f, "states cannot be kept: {kind}"),
            Refusal::Interrupted => f.write_str("interrupted"),
            Refusal::Formula => f.write_str("a formula is not about states and steps alone"),
        }
    }
}

impl<S: fmt::Display> fmt::Display for Failure<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Flawed(flaw) => write!(f, "the certificate proves nothing: {flaw}"),
            Failure::Stopped(stop) => write!(f, "the certificate cannot be checked: {stop}"),
        }
    }
}

impl<S: fmt::Debug + fmt::Display> std::error::Error for Failure<S> {}
