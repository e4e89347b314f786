//! The product of automata that synchronise on shared symbols.
//!
//! Malinen and Luukkainen, definition 5: a state is a tuple of component states, the alphabet the
//! union of the alphabets. On a symbol every component that has it in its alphabet moves by it and
//! the others stand still; a symbol that one of its owners cannot read now is read by nobody. The
//! product accepts iff every component with a condition does, so its acceptance is generalized: the
//! sets of all components together. A component without a set accepts every run.
//!
//! What the product accepts: an infinite word whose projection to each alphabet the component
//! accepts. Where a projection is finite the component stands still for ever after it, and accepts
//! iff it can do so in a state that is in each of its sets.
//!
//! Cost of a step on a symbol: the product of the numbers of successors of the components that own
//! it. The product is itself an [`Automaton`] (so products nest) and a model: its processes are the
//! components, and those that own a symbol take part in its step.

use std::collections::BTreeSet;

use crate::explicit::Value;
use crate::fairness::PropositionId;
use crate::model::{Model, ModelAction, Steps};
use crate::pack::Pack;

/// A symbol of an automaton, by its place in the alphabet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(pub u32);

/// A (generalized) Büchi automaton over named symbols, with marks on states.
pub trait Automaton {
    /// What a state is.
    type State: Clone;

    /// The symbols, no two the same.
    fn alphabet(&self) -> &[String];

    /// The initial state.
    fn initial(&self) -> Self::State;

    /// Where a symbol leads.
    fn successors(&self, state: &Self::State, symbol: SymbolId) -> Vec<Self::State>;

    /// How many acceptance sets there are: each must be visited infinitely often.
    fn acceptance_sets(&self) -> usize;

    /// Whether a state is in an acceptance set.
    fn is_accepting(&self, set: usize, state: &Self::State) -> bool;
}

/// A Büchi automaton as data; states are numbers.
#[derive(Clone, Debug, Default)]
pub struct Buchi {
    /// The symbols.
    pub alphabet: Vec<String>,
    /// Source, symbol and target of each transition.
    pub transitions: BTreeSet<(u32, SymbolId, u32)>,
    /// The initial state.
    pub initial: u32,
    /// The accepting states; none where every run is accepting.
    pub accepting: Option<BTreeSet<u32>>,
}

impl Automaton for Buchi {
    type State = u32;

    fn alphabet(&self) -> &[String] {
        &self.alphabet
    }

    fn initial(&self) -> u32 {
        self.initial
    }

    fn successors(&self, state: &u32, symbol: SymbolId) -> Vec<u32> {
        let all = (*state, symbol, 0)..=(*state, symbol, u32::MAX);
        self.transitions.range(all).map(|&(_, _, to)| to).collect()
    }

    fn acceptance_sets(&self) -> usize {
        usize::from(self.accepting.is_some())
    }

    fn is_accepting(&self, _: usize, state: &u32) -> bool {
        self.accepting
            .as_ref()
            .is_none_or(|set| set.contains(state))
    }
}

/// Automata side by side, synchronised on the symbols they share.
#[derive(Clone, Debug)]
pub struct Product<A> {
    components: Vec<A>,
    alphabet: Vec<String>,
    /// For each symbol, the components that own it with their own number for it.
    owners: Vec<Vec<(usize, SymbolId)>>,
    /// For each acceptance set, whose it is and which of its sets.
    sets: Vec<(usize, usize)>,
}

impl<A: Automaton> Product<A> {
    /// Puts automata together. The alphabet lists the symbols in the order of their first mention.
    pub fn new(components: Vec<A>) -> Product<A> {
        let mut alphabet: Vec<String> = Vec::new();
        let mut owners: Vec<Vec<(usize, SymbolId)>> = Vec::new();
        let mut sets = Vec::new();
        for (number, component) in components.iter().enumerate() {
            for (name, own) in component.alphabet().iter().zip(0..) {
                let known = alphabet.iter().position(|symbol| symbol == name);
                let index = known.unwrap_or_else(|| {
                    alphabet.push(name.clone());
                    owners.push(Vec::new());
                    alphabet.len() - 1
                });
                owners[index].push((number, SymbolId(own)));
            }
            sets.extend((0..component.acceptance_sets()).map(|set| (number, set)));
        }
        Product {
            components,
            alphabet,
            owners,
            sets,
        }
    }

    /// The components.
    pub fn components(&self) -> &[A] {
        &self.components
    }

    /// The components that take part in the steps of a symbol.
    pub fn participants(&self, symbol: SymbolId) -> impl Iterator<Item = usize> {
        let owners = self.owners.get(symbol.0 as usize);
        owners.into_iter().flatten().map(|&(number, _)| number)
    }
}

impl<A: Automaton> Automaton for Product<A> {
    type State = Vec<A::State>;

    fn alphabet(&self) -> &[String] {
        &self.alphabet
    }

    fn initial(&self) -> Vec<A::State> {
        self.components.iter().map(A::initial).collect()
    }

    fn successors(&self, state: &Vec<A::State>, symbol: SymbolId) -> Vec<Vec<A::State>> {
        let Some(owners) = self.owners.get(symbol.0 as usize) else {
            return Vec::new();
        };
        let mut tuples = vec![state.clone()];
        for &(number, own) in owners {
            let targets = self.components[number].successors(&state[number], own);
            let with = |tuple: &Vec<A::State>, target: &A::State| {
                let mut tuple = tuple.clone();
                tuple[number] = target.clone();
                tuple
            };
            tuples = tuples
                .iter()
                .flat_map(|tuple| targets.iter().map(|target| with(tuple, target)))
                .collect();
        }
        tuples
    }

    fn acceptance_sets(&self) -> usize {
        self.sets.len()
    }

    fn is_accepting(&self, set: usize, state: &Vec<A::State>) -> bool {
        let entry = self.sets.get(set);
        entry
            .is_some_and(|&(number, own)| self.components[number].is_accepting(own, &state[number]))
    }
}

/// The components are the processes, each symbol of each an action; acceptance is justice.
impl<A: Automaton + Send + Sync> Model for Product<A>
where
    A::State: Pack + Send,
{
    type State = Vec<A::State>;

    fn processes(&self) -> Vec<String> {
        (0..self.components.len())
            .map(|n| format!("component{n}"))
            .collect()
    }

    /// Action `s * n + i` is symbol `s` read by component `i` of `n`.
    fn actions(&self) -> Vec<ModelAction> {
        let symbols = self.alphabet.iter();
        symbols
            .flat_map(|name| {
                let components = 0..self.components.len();
                components.map(move |n| ModelAction::new(n, name.clone()))
            })
            .collect()
    }

    fn initial(&self) -> Vec<Vec<A::State>> {
        vec![Automaton::initial(self)]
    }

    fn steps(&self, state: &Vec<A::State>, steps: &mut Steps<Vec<A::State>>) {
        if state.len() != self.components.len() {
            return;
        }
        for symbol in (0..self.alphabet.len() as u32).map(SymbolId) {
            let first = symbol.0 as usize * self.components.len();
            let participants: Vec<(usize, usize)> =
                self.participants(symbol).map(|n| (n, first + n)).collect();
            for target in self.successors(state, symbol) {
                steps.joint(&participants, target);
            }
        }
    }

    fn describe(&self, state: &Vec<A::State>) -> Vec<(String, Value)> {
        let components = state.iter().enumerate();
        components
            .map(|(number, own)| {
                let mut bytes = Vec::new();
                own.pack(&mut bytes);
                let text: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
                (format!("component{number}"), Value::Text(text))
            })
            .collect()
    }

    fn propositions(&self) -> Vec<String> {
        (0..self.sets.len())
            .map(|set| format!("accepting{set}"))
            .collect()
    }

    fn holds(&self, proposition: PropositionId, state: &Vec<A::State>) -> bool {
        state.len() == self.components.len() && self.is_accepting(proposition.0 as usize, state)
    }

    fn justice(&self) -> Vec<PropositionId> {
        (0..self.sets.len() as u32).map(PropositionId).collect()
    }
}
