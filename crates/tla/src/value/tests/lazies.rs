//! Sets that are given by rules, against their listings by the plainest loops.

use evenhand_source::SplitMix64;

use super::super::{LazySet, Value};
use super::{model, numbers, set, symbol, text};
use crate::failure::{Failure, FailureKind};

/// A small set of one kind of values: numbers, or strings.
fn base(random: &mut SplitMix64, kind: usize) -> Value {
    match kind {
        0 if random.below(2) == 0 => {
            let low = random.below(3) as i32;
            Value::Interval(low, low + random.below(4) as i32 - 1)
        }
        0 => set(numbers((0..4).filter(|_| random.below(2) == 0))),
        _ => {
            let all = ["a", "b", "c"].into_iter().filter(|_| random.below(2) == 0);
            set(all.map(text).collect())
        }
    }
}

/// A set given by a rule of a kind, with parts of its own.
fn rule(random: &mut SplitMix64, kind: usize) -> Value {
    let (a, b) = (base(random, 0), base(random, 0));
    let made = match kind {
        0 => a.power_set(),
        1 => Value::functions(base(random, random.clone().below(2)), a),
        2 => Value::records(vec![(symbol("a"), a), (symbol("b"), base(random, 1))]),
        3 => Value::product(vec![a, base(random, 1), b]),
        4 => Ok(Value::lazy(LazySet::Union(
            a.power_set().expect("a set"),
            b.power_set().expect("a set"),
        ))),
        5 => Ok(Value::lazy(LazySet::Intersection(
            a.power_set().expect("a set"),
            b.power_set().expect("a set"),
        ))),
        6 => Ok(Value::lazy(LazySet::Difference(
            a.power_set().expect("a set"),
            b.power_set().expect("a set"),
        ))),
        7 => Value::functions(a, b.power_set().expect("a set")),
        _ => Value::union_all(vec![
            Value::functions(Value::Interval(1, 2), a.clone()).expect("sets"),
            Value::functions(Value::Interval(1, 1), b).expect("sets"),
            Value::functions(Value::Interval(1, 2), a).expect("sets"),
        ]),
    };
    made.expect("a rule of sets")
}

/// Lists a rule by definition.
fn by_definition(value: &Value) -> Vec<Value> {
    let list = |value: &Value| by_definition(value);
    match value {
        Value::Interval(low, high) => numbers(*low..=*high),
        Value::Set(elements) => elements.to_vec(),
        Value::Lazy(rule) => match &**rule {
            LazySet::Subsets(base) => {
                let base = list(base);
                let subsets = (0..1usize << base.len()).map(|bits| {
                    let chosen = (0..base.len()).filter(|place| bits >> place & 1 == 1);
                    set(chosen.map(|place| base[place].clone()).collect())
                });
                subsets.collect()
            }
            LazySet::Functions(domain, range) => {
                let range = list(range);
                let mut all: Vec<Vec<(Value, Value)>> = vec![Vec::new()];
                for key in list(domain) {
                    let longer = |pairs: &Vec<(Value, Value)>| -> Vec<Vec<(Value, Value)>> {
                        let with = |value: &Value| {
                            [pairs.clone(), vec![(key.clone(), value.clone())]].concat()
                        };
                        range.iter().map(with).collect()
                    };
                    all = all.iter().flat_map(longer).collect();
                }
                let all = all.into_iter().map(Value::function);
                all.collect::<Result<_, _>>().expect("functions")
            }
            LazySet::Records(fields) => {
                let mut all = vec![Vec::new()];
                for (name, choices) in fields {
                    let mut longer = Vec::new();
                    for chosen in &all {
                        for value in list(choices) {
                            longer.push([&chosen[..], &[(*name, value)]].concat());
                        }
                    }
                    all = longer;
                }
                all.into_iter().map(Value::record).collect()
            }
            LazySet::Product(sets) => {
                let mut all = vec![Vec::new()];
                for choices in sets {
                    let mut longer = Vec::new();
                    for chosen in &all {
                        for value in list(choices) {
                            longer.push([&chosen[..], &[value]].concat());
                        }
                    }
                    all = longer;
                }
                all.into_iter().map(Value::tuple).collect()
            }
            LazySet::Union(a, b) => [list(a), list(b)].concat(),
            LazySet::Intersection(a, b) => {
                let b = list(b);
                let mut a = list(a);
                a.retain(|x| b.iter().any(|y| x.equal(y) == Ok(true)));
                a
            }
            LazySet::Difference(a, b) => {
                let b = list(b);
                let mut a = list(a);
                a.retain(|x| !b.iter().any(|y| x.equal(y) == Ok(true)));
                a
            }
            LazySet::BigUnion(sets) => {
                let sets = sets.as_tuple().expect("a tuple of sets");
                sets.iter().flat_map(list).collect()
            }
            _ => panic!("an infinite set"),
        },
        other => panic!("no set: {other:?}"),
    }
}

#[test]
fn rules_agree_with_their_listings() {
    for seed in 0..9000 {
        let mut random = SplitMix64::new(seed);
        let kind = seed as usize % 9;
        let (value, other) = (rule(&mut random, kind), rule(&mut random, kind));
        let listing = set(by_definition(&value));
        let other_listing = set(by_definition(&other));
        let listed = listing.as_listed().expect("a listing").clone();
        assert_eq!(value.size(), Ok(listed.len() as u64), "seed {seed}");
        assert_eq!(value.is_finite(), Ok(true), "seed {seed}");
        assert_eq!(value.is_empty_set(), Ok(listed.is_empty()), "seed {seed}");
        let normal = value.normal().expect("small");
        assert!(normal.same(&listing), "seed {seed}: {normal:?}");
        let mut elements = value.elements().expect("finite");
        for expected in listed.iter() {
            let element = elements.next().expect("finite").expect("one more");
            assert!(element.is_plain() && element.same(expected), "seed {seed}");
        }
        assert!(elements.next().expect("finite").is_none(), "seed {seed}");
        for element in other_listing.as_listed().expect("a listing").iter() {
            // Functions on numbers are not to be compared with functions on strings.
            if let Ok(expected) = listing.contains(element) {
                let found = value.contains(element);
                assert!(found == Ok(expected) || found.is_err(), "seed {seed}");
                assert!(found.is_ok() || kind == 1, "seed {seed}: {found:?}");
            }
        }
        for element in listed.iter() {
            assert_eq!(value.contains(element), Ok(true), "seed {seed}");
        }
        compare(&value, &other, &listing, &other_listing, seed);
    }
}

/// Equality, order and inclusion do not depend on the form.
fn compare(value: &Value, other: &Value, listing: &Value, other_listing: &Value, seed: u64) {
    let expected = listing.equal(other_listing);
    for (a, b) in [(value, other), (value, other_listing), (listing, other)] {
        match (&expected, a.equal(b)) {
            (Ok(expected), Ok(found)) => assert_eq!(found, *expected, "seed {seed}"),
            // Domains of numbers and of strings: a rule may know more or less than its listing.
            (_, found) => assert!(found.is_err() || found == Ok(false), "seed {seed}"),
        }
        if let (Ok(expected), Ok(found)) = (listing.compare(other_listing), a.compare(b)) {
            assert_eq!(found, expected, "seed {seed}");
        }
        if let (Ok(expected), Ok(found)) = (listing.subset_of(other_listing), a.subset_of(b)) {
            assert_eq!(found, expected, "seed {seed}");
        }
    }
    let check = |made: Result<Value, Failure>, expected: Result<Value, Failure>| {
        if let (Ok(made), Ok(expected)) = (made.and_then(|set| set.normal()), expected) {
            assert!(made.same(&expected), "seed {seed}: {made:?} {expected:?}");
        }
    };
    check(value.union(other), listing.union(other_listing));
    check(
        value.intersection(other),
        listing.intersection(other_listing),
    );
    check(value.difference(other), listing.difference(other_listing));
    check(value.union(other_listing), listing.union(other_listing));
    check(
        value.intersection(other_listing),
        listing.intersection(other_listing),
    );
    check(listing.difference(other), listing.difference(other_listing));
}

#[test]
fn huge_sets_answer_without_being_listed() {
    let many = Value::Interval(1, 40).power_set().expect("a set");
    assert_eq!(many.contains(&set(numbers([3, 17, 40]))), Ok(true));
    assert_eq!(many.contains(&set(numbers([3, 41]))), Ok(false));
    let failure = many.normal().expect_err("2^40 subsets");
    assert_eq!(failure.0.kind, FailureKind::Limit);
    assert!(failure.to_string().contains("1099511627776"), "{failure}");
    assert!(many.size().is_err(), "no number of 32 bits");
    let mut elements = many.elements().expect("a set");
    for _ in 0..100 {
        assert!(elements.next().is_ok_and(|element| element.is_some()));
    }
    let functions = Value::functions(Value::Interval(1, 100), Value::Interval(0, 9)).expect("sets");
    assert_eq!(
        functions.contains(&Value::tuple(numbers(vec![7; 100]))),
        Ok(true)
    );
    assert_eq!(
        functions.contains(&Value::tuple(numbers(vec![10; 100]))),
        Ok(false)
    );
    assert!(
        functions
            .normal()
            .is_err_and(|failure| failure.0.kind == FailureKind::Limit)
    );
    let all = Value::Interval(i32::MIN, i32::MAX);
    assert_eq!(all.contains(&Value::Number(0)), Ok(true));
    assert!(all.size().is_err() && all.normal().is_err());
    let end = Value::Interval(i32::MAX - 1, i32::MAX);
    let listing = end.normal().expect("two numbers");
    assert_eq!(end.equal(&listing), Ok(true));
    assert_eq!(end.compare(&listing), Ok(std::cmp::Ordering::Equal));
    assert!(end.same(&listing) && end.hash64() == listing.hash64());
}

#[test]
fn sets_without_end_are_asked_and_never_listed() {
    let naturals = Value::lazy(LazySet::Naturals);
    let integers = Value::lazy(LazySet::Integers);
    let strings = Value::lazy(LazySet::Strings);
    assert_eq!(naturals.contains(&Value::Number(-1)), Ok(false));
    assert_eq!(integers.contains(&Value::Number(-1)), Ok(true));
    assert_eq!(strings.contains(&text("a")), Ok(true));
    assert!(naturals.contains(&text("a")).is_err());
    assert_eq!(naturals.contains(&model("m0")), Ok(false));
    assert!(naturals.contains(&model("T_x")).is_err());
    assert!(naturals.elements().is_err() && naturals.size().is_err());
    assert_eq!(naturals.is_finite(), Ok(false));
    assert_eq!(naturals.equal(&Value::lazy(LazySet::Naturals)), Ok(true));
    assert_eq!(naturals.equal(&integers), Ok(false));
    assert_eq!(set(vec![integers.clone(), naturals.clone()]).size(), Ok(2));
    assert!(naturals.equal(&strings).is_err() && naturals.equal(&set(numbers([1]))).is_err());
    let sequences = naturals.sequences().expect("a set");
    assert_eq!(sequences.contains(&Value::tuple(numbers([1, 2]))), Ok(true));
    assert_eq!(
        sequences.contains(&Value::tuple(numbers([1, -2]))),
        Ok(false)
    );
    assert_eq!(sequences.contains(&Value::tuple(Vec::new())), Ok(true));
    let minus = set(numbers([-1, -2]));
    let more = naturals.union(&minus).expect("sets");
    assert_eq!(more.contains(&Value::Number(-2)), Ok(true));
    assert_eq!(more.contains(&Value::Number(-3)), Ok(false));
    assert_eq!(more.is_finite(), Ok(false));
    let none = minus.intersection(&naturals).expect("sets");
    assert_eq!(none.is_empty_set(), Ok(true));
    let positive = naturals.difference(&set(numbers([0]))).expect("sets");
    assert_eq!(positive.contains(&Value::Number(0)), Ok(false));
    assert_eq!(minus.subset_of(&integers), Ok(true));
    let functions = Value::functions(Value::Interval(1, 2), naturals.clone()).expect("sets");
    assert_eq!(functions.contains(&Value::tuple(numbers([1, 2]))), Ok(true));
    assert!(functions.elements().is_err());
    let power = naturals.power_set().expect("a set");
    assert_eq!(power.contains(&set(numbers([1, 2]))), Ok(true));
    assert!(power.contains(&naturals).is_err());
}

#[test]
fn domains_that_come_again_are_shared_and_right() {
    let mut shared = 0;
    for seed in 0..3000 {
        let mut random = SplitMix64::new(seed);
        let low = random.below(12) as i32 - 4;
        let high = low + random.below(9) as i32 - 1;
        let interval = Value::Interval(low, high);
        let (a, b) = (
            interval.listing().expect("small"),
            interval.listing().expect("small"),
        );
        assert!(a.same(&set(numbers(low..=high))), "{low} {high}");
        let pointers = [&a, &b].map(|set| set.as_listed().expect("a listing").clone());
        shared += usize::from(pointers[0].is(&pointers[1]));
        let other = base(&mut random, 1);
        let product = Value::product(vec![interval.clone(), other.clone()]).expect("sets");
        let listing = product.listing().expect("small");
        assert!(listing.same(&set(by_definition(&product))), "seed {seed}");
        assert!(
            listing.same(&product.listing().expect("small")),
            "seed {seed}"
        );
        let names = ["a", "b", "c", "d"].map(symbol);
        let names = names.into_iter().filter(|_| random.below(2) == 0);
        let fields: Vec<_> = names.map(|name| (name, interval.clone())).collect();
        let record = Value::record(fields.clone());
        let pairs = fields
            .iter()
            .map(|(name, value)| (Value::Text(*name), value.clone()));
        let expected = Value::function(pairs.collect()).expect("a function");
        assert_eq!(record.equal(&expected), Ok(true), "seed {seed}");
        // Sets as arguments.
        let (a, b) = (base(&mut random, 0), base(&mut random, 0));
        let keys = set(vec![a.clone(), b.clone()]);
        let pairs = match a.equal(&b) {
            Ok(true) => vec![(a, 1.into())],
            _ => vec![(a, 1.into()), (b, 2.into())],
        };
        let function = Value::function(pairs).expect("a function");
        assert_eq!(
            function.domain().and_then(|domain| domain.equal(&keys)),
            Ok(true)
        );
    }
    assert!(shared > 2900, "{shared}");
}
