//! The tables themselves, and that no native falls over whatever it is given.

use std::collections::HashSet;

use evenhand_source::{Budget, SplitMix64};

use super::super::{MachineOperator, Meaning, all, module};
use super::Bench;
use crate::failure::Failure;
use crate::names::Symbol;
use crate::value::{LazySet, Value};

#[test]
fn names_are_there_once_and_modules_exist() {
    let mut modules = HashSet::new();
    for home in all() {
        assert!(modules.insert(home.name), "{} twice", home.name);
        for other in home.extends {
            assert!(module(other).is_some(), "{} extends {other}", home.name);
        }
        let mut names = HashSet::new();
        for operator in home.operators {
            assert!(
                names.insert(operator.name),
                "{}!{} twice",
                home.name,
                operator.name
            );
        }
    }
    for name in [
        "Naturals",
        "Integers",
        "Reals",
        "Sequences",
        "FiniteSets",
        "Bags",
        "TLC",
        "TLCExt",
        "Randomization",
        "Json",
        "TLAPS",
        "FiniteSetTheorems",
        "SequencesExt",
        "Bitwise",
    ] {
        assert!(modules.contains(name), "{name}");
    }
    assert!(module("Naturalz").is_none());
}

fn anything(random: &mut SplitMix64, depth: usize) -> Value {
    let some = |random: &mut SplitMix64| -> Vec<Value> {
        let len = random.below(4);
        (0..len).map(|_| anything(random, depth - 1)).collect()
    };
    match random.below(if depth == 0 { 6 } else { 12 }) {
        0 => Value::Truth(random.below(2) == 0),
        1 => Value::Number(random.below(5) as i32 - 1),
        2 => Value::Number([i32::MIN, i32::MAX, 40, -40][random.below(4)]),
        3 => Value::Text(Symbol(random.below(3) as u32)),
        4 => Value::Model(Symbol(3), [None, Some('T')][random.below(2)]),
        5 => Value::Interval(random.below(3) as i32, random.below(4) as i32),
        6 => Value::set(some(random)).unwrap_or_else(|_| Value::empty_set()),
        7 => Value::tuple(some(random)),
        8 => {
            let fields = some(random).into_iter().enumerate();
            Value::record(fields.map(|(n, value)| (Symbol(n as u32), value)).collect())
        }
        9 => {
            let pairs = some(random).into_iter().map(|key| (key, Value::Number(1)));
            Value::function(pairs.collect()).unwrap_or_else(|_| Value::tuple(Vec::new()))
        }
        10 => {
            let base = Value::Interval(0, random.below(3) as i32);
            base.power_set().unwrap_or(base)
        }
        _ => Value::lazy(match random.below(3) {
            0 => LazySet::Naturals,
            1 => LazySet::Strings,
            _ => LazySet::Sequences(Value::Interval(0, 1)),
        }),
    }
}

#[test]
fn natives_answer_or_refuse_whatever_they_are_given() {
    let (mut answered, mut refused) = (0, 0);
    for seed in 0..400 {
        let mut random = SplitMix64::new(seed);
        for operator in all().flat_map(|home| home.operators) {
            let (Meaning::Native(native) | Meaning::Machine(MachineOperator::Draw(native))) =
                operator.meaning
            else {
                continue;
            };
            let args: Vec<Value> = operator
                .params
                .iter()
                .map(|_| anything(&mut random, 2))
                .collect();
            let mut bench = Bench::new();
            for text in ["node", "edge", "num", "T_x"] {
                bench.text(text);
            }
            for place in 0..args.len() {
                let mut random = random.clone();
                bench = bench.with(place, move |args| match random.below(4) {
                    0 => Ok(Value::Truth(random.below(2) == 0)),
                    1 => Ok(args[0].clone()),
                    2 => Ok(anything(&mut random, 1)),
                    _ => match random.below(8) {
                        0 => Err(Failure::new("no value there")),
                        _ => Ok(Value::Truth(true)),
                    },
                });
            }
            // A bag with two billion copies is folded for a long time.
            let budget = Budget::unlimited().effort(20_000);
            let Ok(answer) = budget.run(|| native(&mut bench, &args)) else {
                continue;
            };
            match answer {
                Ok(value) => {
                    answered += 1;
                    // What sets hold is normal, whoever made them.
                    if let Value::Set(elements) = &value {
                        assert!(elements.iter().all(Value::is_plain), "{}", operator.name);
                        let order = elements.windows(2).map(|pair| pair[0].compare(&pair[1]));
                        for order in order {
                            assert!(order.is_ok_and(|order| order.is_lt()), "{}", operator.name);
                        }
                    }
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(answered > 5000 && refused > 5000, "{answered} {refused}");
}
