//! The modules that come with the language, and those of the community that many specifications use.
//!
//! Their operators are functions on values here, with the meaning that TLC's own code gives them. Where that
//! needs the checker (registers, printing, the trace), the evaluator does it: [`MachineOperator`]. Modules of
//! theorems exist with the names that proofs mention; nobody evaluates them.

mod args;
mod bags;
mod bitwise;
mod finite_sets;
mod functions;
mod graphs;
mod json;
mod numbers;
mod outside;
mod proofs;
mod random;
mod relation;
mod rows;
mod sequences;
mod sequences_ext;
mod svg;
#[cfg(test)]
mod tests;
mod tlc;
mod undirected;

use crate::failure::Failure;
use crate::names::{Names, Symbol};
use crate::value::Value;

/// A module.
#[derive(Debug)]
pub struct StandardModule {
    /// Its name.
    pub name: &'static str,
    /// The modules whose operators are seen through it.
    pub extends: &'static [&'static str],
    /// Its own operators.
    pub operators: &'static [StandardOperator],
}

/// An operator of a module.
#[derive(Debug)]
pub struct StandardOperator {
    /// Its canonical spelling; infix ones are operators like others.
    pub name: &'static str,
    /// How many arguments each parameter takes: 0 for a value.
    pub params: &'static [u8],
    /// What it means.
    pub meaning: Meaning,
}

/// An operator on values. The places of arguments that are operators hold values of no meaning.
pub type Native = fn(&mut dyn Host, &[Value]) -> Result<Value, Failure>;

/// What an operator means.
#[derive(Clone, Copy, Debug)]
pub enum Meaning {
    /// A function of its arguments.
    Native(Native),
    /// Something else.
    Machine(MachineOperator),
}

/// Operators that are no functions of their arguments, or need what only the evaluator has.
#[derive(Clone, Copy, Debug)]
pub enum MachineOperator {
    /// `Print(out, value)`
    Print,
    /// `PrintT(out)`
    PrintT,
    /// `Assert(condition, out)`
    Assert,
    /// `AssertEq(a, b)`
    AssertEq,
    /// `AssertError(message, expression)`
    AssertError,
    /// `TLCGet(register)`
    Get,
    /// The same of the next state, under a prime.
    GetNext,
    /// `TLCSet(register, value)`
    Set,
    /// `TLCGetOrDefault(register, value)`
    GetOrDefault,
    /// `TLCGetAndSet(register, Op(_, _), value, default)`
    GetAndSet,
    /// `TLCEval(value)`: explicit at once.
    Eval,
    /// `Any`: every value is an element of it.
    Any,
    /// `JavaTime`: seconds, never negative.
    Time,
    /// `Trace`: the run so far.
    Trace,
    /// `CounterExample`
    CounterExample,
    /// `ToTrace(counterexample)`
    ToTrace,
    /// `TLCModelValue(string)`
    ModelValue,
    /// `TLCDefer(expression)`
    Defer,
    /// `PickSuccessor(expression)`
    PickSuccessor,
    /// `TLCCache(expression, closure)`
    Cache,
    /// `TLCFP(value)`
    Fingerprint,
    /// `TLCEvalDefinition(name)`
    EvalDefinition,
    /// A draw: this function, each time anew.
    Draw(Native),
    /// Files, processes, pictures: whoever evaluates it gets an error with this reason.
    Unsupported(&'static str),
    /// Part of proofs: TRUE, and nobody should look.
    Proof,
}

/// What natives ask of whoever evaluates.
pub trait Host {
    /// All names and strings.
    fn names(&self) -> &Names;
    /// The symbol of a text.
    fn text(&mut self, text: &str) -> Symbol;
    /// Applies the operator that was given as an argument.
    ///
    /// # Errors
    /// It has no value there.
    fn apply(&mut self, argument: usize, args: &[Value]) -> Result<Value, Failure>;
    /// A number below another one, which is not 0.
    fn random(&mut self, below: u64) -> u64;
    /// The same value without closures.
    ///
    /// # Errors
    /// One has no value somewhere.
    fn settle(&mut self, value: &Value) -> Result<Value, Failure>;
}

/// The module of a name.
pub fn module(name: &str) -> Option<&'static StandardModule> {
    all().find(|module| module.name == name)
}

/// All modules, for tests and for hints at names that are written wrong.
pub fn all() -> impl Iterator<Item = &'static StandardModule> {
    let groups: [&'static [StandardModule]; 16] = [
        numbers::MODULES,
        sequences::MODULES,
        finite_sets::MODULES,
        tlc::MODULES,
        bags::MODULES,
        functions::MODULES,
        sequences_ext::MODULES,
        random::MODULES,
        json::MODULES,
        bitwise::MODULES,
        relation::MODULES,
        graphs::MODULES,
        undirected::MODULES,
        svg::MODULES,
        outside::MODULES,
        proofs::MODULES,
    ];
    groups.into_iter().flatten()
}

/// An operator that is a function of values alone.
const fn native(name: &'static str, params: &'static [u8], function: Native) -> StandardOperator {
    StandardOperator {
        name,
        params,
        meaning: Meaning::Native(function),
    }
}

/// An operator that the evaluator does.
const fn machine(
    name: &'static str,
    params: &'static [u8],
    operator: MachineOperator,
) -> StandardOperator {
    StandardOperator {
        name,
        params,
        meaning: Meaning::Machine(operator),
    }
}
