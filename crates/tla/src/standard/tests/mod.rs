//! Natives against the definitions of their modules, written down in the plainest way.

#![allow(clippy::cloned_ref_to_slice_refs)] // lists of arguments read alike, of one or of two

mod community;
mod core;
mod graphs;
mod tables;

use evenhand_source::SplitMix64;

use super::{Host, MachineOperator, Meaning, module};
use crate::failure::Failure;
use crate::names::{Names, Symbol};
use crate::value::Value;

type Answer = Result<Value, Failure>;
type Operator<'a> = Box<dyn FnMut(&[Value]) -> Answer + 'a>;

/// A host whose operators are closures of the tests.
struct Bench<'a> {
    names: Names,
    operators: Vec<(usize, Operator<'a>)>,
    random: SplitMix64,
}

impl<'a> Bench<'a> {
    fn new() -> Bench<'a> {
        Bench {
            names: Names::new(),
            operators: Vec::new(),
            random: SplitMix64::new(1),
        }
    }

    /// With an operator in the place of an argument.
    fn with(mut self, argument: usize, operator: impl FnMut(&[Value]) -> Answer + 'a) -> Self {
        self.operators.push((argument, Box::new(operator)));
        self
    }

    fn text(&mut self, text: &str) -> Value {
        Value::Text(self.names.intern(text))
    }

    /// Applies an operator of a module.
    fn run(&mut self, place: &str, args: &[Value]) -> Answer {
        let (home, name) = place.split_once('!').expect("a module and a name");
        let home = module(home).unwrap_or_else(|| panic!("no module {home}"));
        let operator = home.operators.iter().find(|operator| operator.name == name);
        let operator = operator.unwrap_or_else(|| panic!("no operator {place}"));
        assert_eq!(operator.params.len(), args.len(), "{place}");
        match operator.meaning {
            Meaning::Native(native) | Meaning::Machine(MachineOperator::Draw(native)) => {
                native(self, args)
            }
            Meaning::Machine(other) => panic!("{place} is done by the evaluator: {other:?}"),
        }
    }

    fn show(&self, value: &Value) -> String {
        value.show(&self.names).to_string()
    }
}

impl Host for Bench<'_> {
    fn names(&self) -> &Names {
        &self.names
    }

    fn text(&mut self, text: &str) -> Symbol {
        self.names.intern(text)
    }

    fn apply(&mut self, argument: usize, args: &[Value]) -> Answer {
        let found = self
            .operators
            .iter_mut()
            .find(|(place, _)| *place == argument);
        match found {
            Some((_, operator)) => operator(args),
            None => Err(Failure::new("no operator there")),
        }
    }

    fn random(&mut self, below: u64) -> u64 {
        self.random.number() % below
    }

    fn settle(&mut self, value: &Value) -> Answer {
        Ok(value.clone())
    }
}

/// What stands in the place of an operator among the arguments.
fn operator() -> Value {
    Value::Truth(false)
}

fn run(place: &str, args: &[Value]) -> Answer {
    Bench::new().run(place, args)
}

/// The result as text.
fn shown(place: &str, args: &[Value]) -> String {
    let mut bench = Bench::new();
    match bench.run(place, args) {
        Ok(value) => bench.show(&value),
        Err(failure) => panic!("{place}: {failure}"),
    }
}

fn tuple(values: &[i32]) -> Value {
    Value::tuple(values.iter().copied().map(Value::Number).collect())
}

fn set(values: &[i32]) -> Value {
    Value::set(values.iter().copied().map(Value::Number).collect()).expect("numbers")
}

fn number(number: i32) -> Value {
    Value::Number(number)
}

fn same(found: Answer, expected: &Value, context: &str) {
    match found {
        Ok(found) => assert_eq!(found.equal(expected), Ok(true), "{context}: {found:?}"),
        Err(failure) => panic!("{context}: {failure}"),
    }
}

/// A short sequence of small numbers.
fn random_row(random: &mut SplitMix64) -> Vec<i32> {
    let len = random.below(5);
    (0..len).map(|_| random.below(3) as i32).collect()
}
