//! What TLC refuses, and how values and failures are written.

use std::cmp::Ordering;

use evenhand_source::SplitMix64;

use super::super::{DEEPEST, LazySet, Value};
use super::{model, names, numbers, set, symbol, text};

fn shown(value: &Value) -> String {
    value.show(&names()).to_string()
}

#[test]
fn kinds_are_not_compared_but_model_values_differ() {
    let one = Value::Number(1);
    assert!(one.equal(&text("a")).is_err());
    assert!(one.equal(&Value::Truth(true)).is_err());
    assert!(set(numbers([1])).equal(&one).is_err());
    assert!(
        Value::tuple(numbers([1]))
            .equal(&set(numbers([1])))
            .is_err()
    );
    assert_eq!(one.equal(&model("m0")), Ok(false));
    assert_eq!(model("m0").equal(&set(Vec::new())), Ok(false));
    assert_eq!(model("m0").equal(&model("m1")), Ok(false));
    assert!(model("T_x").equal(&one).is_err() && one.equal(&model("T_x")).is_err());
    assert_eq!(model("T_x").equal(&model("T_y")), Ok(false));
    assert!(model("T_x").equal(&model("U_x")).is_err());
    assert_eq!(model("T_x").equal(&model("m0")), Ok(false));
    assert!(Value::set(vec![one.clone(), text("a")]).is_err());
    assert_eq!(set(vec![one.clone(), model("m0")]).size(), Ok(2));
    // The first difference decides.
    let (a, b) = (set(numbers([1])), set(vec![text("a")]));
    assert!(a.equal(&b).is_err());
    assert_eq!(set(numbers([1, 2])).equal(&b), Ok(false));
    let pair = |x: Value, y: Value| Value::tuple(vec![x, y]);
    let (a, b) = (pair(one.clone(), text("a")), pair(2.into(), 3.into()));
    assert_eq!(a.equal(&b), Ok(false));
    assert!(a.equal(&pair(1.into(), 3.into())).is_err());
}

#[test]
fn order_is_that_of_first_occurrence() {
    let less = |a: Value, b: Value| assert_eq!(a.compare(&b), Ok(Ordering::Less));
    less(text("b"), text("a"));
    less(model("m1"), model("m0"));
    less(model("m0"), Value::Number(-5));
    less(Value::Truth(false), Value::Truth(true));
    less(set(numbers([9])), set(numbers([1, 2])));
    less(set(numbers([1, 3])), set(numbers([2, 3])));
    less(Value::tuple(numbers([9])), Value::tuple(numbers([1, 1])));
    let field = |name: &str, value: i32| Value::record(vec![(symbol(name), value.into())]);
    less(field("b", 9), field("a", 1));
    less(field("a", 1), field("a", 2));
}

#[test]
fn functions_have_one_form() {
    let pairs = |keys: &[i32]| -> Value {
        let pairs = keys
            .iter()
            .map(|key| (Value::Number(*key), Value::Number(10 * key)));
        Value::function(pairs.collect()).expect("a function")
    };
    assert_eq!(shown(&pairs(&[2, 1, 3])), "<<10, 20, 30>>");
    assert_eq!(shown(&pairs(&[])), "<<>>");
    assert_eq!(shown(&pairs(&[2, 0])), "(0 :> 0 @@ 2 :> 20)");
    assert_eq!(pairs(&[]).equal(&Value::tuple(Vec::new())), Ok(true));
    let record = Value::record(vec![(symbol("a"), 1.into()), (symbol("b"), 2.into())]);
    let function = Value::function(vec![(text("b"), 2.into()), (text("a"), 1.into())]);
    assert_eq!(
        function.and_then(|function| function.equal(&record)),
        Ok(true)
    );
    assert_eq!(
        record.field(symbol("b")).map(|value| shown(&value)),
        Ok("2".to_string())
    );
    assert_eq!(shown(&record), "[b |-> 2, a |-> 1]");
    assert!(Value::function(vec![(1.into(), 1.into()), (1.into(), 2.into())]).is_err());
}

#[test]
fn values_are_printed_as_tlc_prints_them() {
    assert_eq!(
        shown(&set(vec![Value::Truth(true), Value::Truth(false)])),
        "{FALSE, TRUE}"
    );
    assert_eq!(shown(&Value::Interval(1, 3)), "1..3");
    assert_eq!(shown(&Value::Interval(3, 1)), "{}");
    assert_eq!(
        shown(&Value::Interval(1, 3).normal().expect("short")),
        "{1, 2, 3}"
    );
    assert_eq!(
        shown(&Value::tuple(vec![text("a"), model("m0")])),
        "<<\"a\", m0>>"
    );
    let subsets = Value::Interval(1, 2).power_set().expect("a set");
    assert_eq!(shown(&subsets), "{{}, {1}, {2}, {1, 2}}");
    let many = Value::Interval(1, 7).power_set().expect("a set");
    assert_eq!(shown(&many), "SUBSET (1..7)");
    let naturals = Value::lazy(LazySet::Naturals);
    assert_eq!(shown(&naturals.sequences().expect("a set")), "Seq(Nat)");
    let functions = Value::functions(set(vec![text("a")]), naturals).expect("sets");
    assert_eq!(shown(&functions), "[{\"a\"} -> Nat]");
    let mut names = names();
    let odd = Value::Text(names.intern("say \"\\\n"));
    assert_eq!(odd.show(&names).to_string(), "\"say \\\"\\\\\\n\"");
}

#[test]
fn long_values_are_broken_into_lines() {
    let names = names();
    let row = Value::tuple(numbers(100..120));
    let record = Value::record(vec![(symbol("a"), row.clone()), (symbol("b"), 1.into())]);
    let short = Value::tuple(numbers(1..20));
    assert_eq!(short.wrapped(&names), shown(&short));
    let lines: Vec<String> = (100..120).map(|n| n.to_string()).collect();
    assert_eq!(
        row.wrapped(&names),
        format!("<< {} >>", lines.join(",\n   "))
    );
    let inner = lines.join(",\n         ");
    assert_eq!(
        record.wrapped(&names),
        format!("[ b |-> 1,\n  a |->\n      << {inner} >> ]")
    );
    let half = Value::tuple(numbers(100..110));
    let pairs = vec![
        (set(numbers([1])), half.clone()),
        (set(numbers([2])), half.clone()),
    ];
    let function = Value::function(pairs).expect("a function");
    let half = shown(&half);
    assert_eq!(
        function.wrapped(&names),
        format!("( {{1}} :> {half} @@\n  {{2}} :> {half} )")
    );
}

#[test]
fn failures_name_values() {
    let names = names();
    let record = Value::record(vec![(symbol("a"), 1.into()), (symbol("b"), 2.into())]);
    let failure = record.apply(&text("c")).expect_err("no such field");
    assert_eq!(
        failure.told(&names),
        "the function [b |-> 2, a |-> 1] is applied to \"c\", which is not in its domain {\"b\", \"a\"}"
    );
    let failure = record.field(symbol("d")).expect_err("no such field");
    assert_eq!(
        failure.told(&names),
        "[b |-> 2, a |-> 1] has no field \"d\""
    );
    let failure = Value::Number(1)
        .equal(&text("a"))
        .expect_err("different kinds");
    assert_eq!(
        failure.told(&names),
        "1 and \"a\" cannot be compared: a number and a string"
    );
    let row: Vec<Value> = std::iter::repeat_n(text("a"), 1000).collect();
    let failure = Value::tuple(row).apply(&0.into()).expect_err("outside");
    let told = failure.told(&names);
    assert!(
        told.len() < 600 && told.contains("\"a\", ... is applied"),
        "{told}"
    );
    assert!(!failure.to_string().contains('\u{10fffe}'));
}

#[test]
fn places_outside_are_errors_or_change_nothing() {
    let row = Value::tuple(numbers([1, 2]));
    assert!(row.apply(&3.into()).is_err() && row.apply(&0.into()).is_err());
    assert!(row.apply(&i32::MIN.into()).is_err());
    assert!(
        row.updated(&3.into(), &0.into())
            .is_ok_and(|value| value.is_none())
    );
    assert!(row.updated(&text("a"), &0.into()).is_err());
    assert!(Value::Number(1).apply(&1.into()).is_err());
    assert!(Value::Number(1).domain().is_err());
    assert!(row.field(symbol("a")).is_err());
}

#[test]
fn deep_values_are_refused_before_they_do_harm() {
    let wrap = |make: &dyn Fn(Value) -> Result<Value, crate::failure::Failure>| {
        let mut value = Value::Number(0);
        let mut depth = 0;
        loop {
            match make(value.clone()) {
                Ok(deeper) => value = deeper,
                Err(failure) => {
                    assert_eq!(failure.0.kind, crate::failure::FailureKind::Limit);
                    return (value, depth);
                }
            }
            depth += 1;
            assert!(depth < 10_000, "nobody says no");
        }
    };
    let tuples = wrap(&|value| Value::tuple(vec![value]).within_limits());
    let sets = wrap(&|value| Value::set(vec![value]));
    let functions = wrap(&|value| Value::function(vec![(value, 1.into())]));
    let rules = wrap(&|value| match value.is_set() {
        true => value.power_set(),
        false => Ok(Value::Interval(1, 2)),
    });
    assert_eq!(rules.1, DEEPEST as usize + 1);
    for (value, depth) in [tuples, sets, functions] {
        assert_eq!(depth, DEEPEST as usize);
        let again = {
            let mut bytes = Vec::new();
            value.encode(&mut bytes);
            Value::decode(&mut &bytes[..]).expect("what was written")
        };
        assert!(again.same(&value) && again.hash64() == value.hash64());
        assert_eq!(again.equal(&value), Ok(true));
        assert_eq!(again.compare(&value), Ok(Ordering::Equal));
        assert!(shown(&value).len() > 1000);
        assert!(value.wrapped(&names()).len() > 1000);
    }
    let closed = rules.0.contains(&1.into());
    assert!(closed.is_err());
}

#[test]
fn many_values_of_different_kinds_are_an_error_and_nothing_worse() {
    for seed in 0..300 {
        let mut random = SplitMix64::new(seed);
        let size = 2 + random.below(200);
        let mut kinds = [false; 2];
        let values = (0..size).map(|_| match random.below(1 + seed as usize % 40) {
            0 => {
                kinds[0] = true;
                Value::Text(crate::names::Symbol(random.below(30) as u32))
            }
            1 => model("m1"),
            _ => {
                kinds[1] = true;
                Value::Number(random.below(100) as i32)
            }
        });
        let values: Vec<Value> = values.collect();
        let made = Value::set(values.clone());
        assert_eq!(made.is_err(), kinds == [true, true], "seed {seed}");
        let pairs = values.into_iter().map(|key| (key, Value::Number(0)));
        assert!(kinds != [true, true] || Value::function(pairs.collect()).is_err());
    }
}

#[test]
fn values_go_from_thread_to_thread() {
    fn travels<T: Send + Sync>() {}
    travels::<Value>();
}
