//! Random values: order, equality, hashes, bytes, functions and permutations as the model has them.

use evenhand_source::SplitMix64;

use super::super::{Permutation, Value};
use super::names;
use super::plain::{Plain, Type};
use crate::names::Symbol;

fn bytes(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.encode(&mut bytes);
    bytes
}

#[test]
fn order_and_equality_are_those_of_the_model() {
    let names = names();
    let mut equal_pairs = 0;
    for seed in 0..6000 {
        let mut random = SplitMix64::new(seed);
        let of = Type::random(&mut random, 3);
        let plain: Vec<Plain> = (0..4).map(|_| Plain::random(&mut random, &of)).collect();
        for a in &plain {
            for b in &plain {
                let (x, y) = (a.real(&mut random), b.real(&mut random));
                let (equal, order) = (a.equal(b), a.order(b));
                let context = format!("seed {seed}: {} and {}", x.show(&names), y.show(&names));
                assert_eq!(equal, order.is_eq(), "the model, {context}");
                assert_eq!(x.equal(&y), Ok(equal), "{context}");
                assert_eq!(x.compare(&y), Ok(order), "{context}");
                let (p, q) = (x.normal().expect("finite"), y.normal().expect("finite"));
                assert!(p.is_plain() && q.is_plain(), "{context}");
                assert_eq!(p.same(&q), equal, "{context}");
                assert_eq!(p.hash64() == q.hash64(), equal, "{context}");
                assert_eq!(p.same(&q), equal, "with hashes: {context}");
                assert_eq!(bytes(&p) == bytes(&q), equal, "{context}");
                assert_eq!(
                    p.show(&names).to_string() == q.show(&names).to_string(),
                    equal
                );
                let mut rest = &bytes(&p)[..];
                let back = Value::decode(&mut rest).expect("what was written");
                assert!(
                    rest.is_empty() && back.same(&p) && back.is_plain(),
                    "{context}"
                );
                assert!(x.equal(&p).is_ok_and(|same| same), "{context}");
                equal_pairs += usize::from(equal);
            }
        }
    }
    assert!(
        equal_pairs > 30_000,
        "{equal_pairs} are too few to show anything"
    );
}

#[test]
fn sets_are_those_of_the_model() {
    for seed in 0..6000 {
        let mut random = SplitMix64::new(seed);
        let of = Type::random(&mut random, 2);
        let sets = Type::Set(Box::new(of.clone()));
        let (a, b) = (
            Plain::random(&mut random, &sets),
            Plain::random(&mut random, &sets),
        );
        let (x, y) = (a.real(&mut random), b.real(&mut random));
        let (Plain::Set(a), Plain::Set(b)) = (a, b) else {
            unreachable!("sets were asked for");
        };
        let check = |value: Value, expected: Vec<Plain>| {
            let mut random = SplitMix64::new(seed);
            let expected = Plain::Set(expected).real(&mut random);
            assert_eq!(value.equal(&expected), Ok(true), "seed {seed}: {value:?}");
        };
        check(
            x.union(&y).expect("a union"),
            [a.clone(), b.clone()].concat(),
        );
        let both = a.iter().filter(|e| e.within(&b)).cloned().collect();
        check(x.intersection(&y).expect("an intersection"), both);
        let left = a.iter().filter(|e| !e.within(&b)).cloned().collect();
        check(x.difference(&y).expect("a difference"), left);
        let included = a.iter().all(|e| e.within(&b));
        assert_eq!(x.subset_of(&y), Ok(included), "seed {seed}");
        assert_eq!(
            x.size(),
            Ok(Plain::arranged(&a).len() as u64),
            "seed {seed}"
        );
        let element = Plain::random(&mut random, &of);
        let found = x.contains(&element.real(&mut random));
        assert_eq!(found, Ok(element.within(&a)), "seed {seed}");
        // In order, and nothing twice.
        let mut elements = x.elements().expect("a set");
        for expected in Plain::arranged(&a) {
            let element = elements.next().expect("listed").expect("one more");
            assert!(
                element
                    .equal(&expected.real(&mut random))
                    .is_ok_and(|same| same)
            );
        }
        assert!(elements.next().is_ok_and(|end| end.is_none()));
    }
}

#[test]
fn many_values_are_put_in_order_and_equal_ones_stay() {
    for seed in 0..2000 {
        let mut random = SplitMix64::new(seed);
        let size = random.below(120);
        let items: Vec<(usize, usize)> = (0..size).map(|n| (random.below(30), n)).collect();
        let found = super::super::sort::sorted(items.clone(), &|a, b| Ok(a.0.cmp(&b.0)));
        let mut expected = items;
        expected.sort_by_key(|(key, _)| *key);
        assert_eq!(found, Ok(expected), "seed {seed}");
    }
}

#[test]
fn a_few_elements_are_taken_from_many() {
    for seed in 0..3000 {
        let mut random = SplitMix64::new(seed);
        let some = |random: &mut SplitMix64, size: usize| -> Vec<i32> {
            (0..size).map(|_| random.below(80) as i32).collect()
        };
        let number = 1 + random.below(6);
        let (many, few) = (some(&mut random, 60), some(&mut random, number));
        let set = |numbers: Vec<i32>| {
            let numbers = numbers.into_iter().map(Value::Number).collect();
            Value::set(numbers).expect("numbers")
        };
        let those = |wanted: bool| -> Vec<i32> {
            let all = many.iter().copied();
            all.filter(|element| few.contains(element) == wanted)
                .collect()
        };
        let (a, b) = (set(many.clone()), set(few.clone()));
        let left = a.difference(&b).expect("numbers");
        assert!(left.same(&set(those(false))), "seed {seed}");
        let both = a.intersection(&b).expect("numbers");
        assert!(both.same(&set(those(true))), "seed {seed}");
        let other = b.intersection(&a).expect("numbers");
        assert!(other.same(&both), "seed {seed}");
        let all = a.union(&b).expect("numbers");
        assert!(
            all.same(&set([many.clone(), few.clone()].concat())),
            "seed {seed}"
        );
        let included = few.iter().all(|element| many.contains(element));
        assert_eq!(b.subset_of(&a), Ok(included), "seed {seed}");
    }
}

#[test]
fn functions_are_those_of_the_model() {
    for seed in 0..6000 {
        let mut random = SplitMix64::new(seed);
        let from = Type::random(&mut random, 1);
        let to = Type::random(&mut random, 1);
        let of = Type::Function(Box::new(from.clone()), Box::new(to.clone()));
        let plain = Plain::random(&mut random, &of);
        let value = plain.real(&mut random);
        let Plain::Function(pairs) = &plain else {
            unreachable!("a function was asked for");
        };
        let keys = pairs.iter().map(|(key, _)| key.clone()).collect();
        let keys = Plain::Set(keys).real(&mut random);
        assert_eq!(
            value.domain().and_then(|d| d.equal(&keys)),
            Ok(true),
            "seed {seed}"
        );
        let key = Plain::random(&mut random, &from);
        let argument = key.real(&mut random);
        let new = Plain::random(&mut random, &to);
        let updated = value.updated(&argument, &new.real(&mut random));
        match pairs.iter().position(|(k, _)| k.equal(&key)) {
            None => {
                if !pairs.is_empty() {
                    // A tuple says of a string that it is no place.
                    assert!(value.apply(&argument).is_err(), "seed {seed}");
                    assert!(value.apply_ref(&argument).is_none());
                    assert!(updated.is_ok_and(|value| value.is_none()) || is_tuple(&value));
                }
            }
            Some(place) => {
                let expected = pairs[place].1.real(&mut random);
                let found = value.apply(&argument).expect("defined");
                assert_eq!(found.equal(&expected), Ok(true), "seed {seed}");
                let mut changed = pairs.clone();
                changed[place].1 = new;
                let expected = Plain::Function(changed).real(&mut random);
                let updated = updated.expect("defined").expect("defined");
                assert_eq!(updated.equal(&expected), Ok(true), "seed {seed}");
                let again = updated.normal().expect("finite").hash64();
                assert_eq!(again, expected.normal().expect("finite").hash64());
            }
        }
    }
}

fn is_tuple(value: &Value) -> bool {
    value.as_tuple().is_some()
}

/// The model after a permutation.
fn moved(plain: &Plain, images: &[u32]) -> Plain {
    match plain {
        Plain::Model(symbol) => Plain::Model(images[*symbol as usize]),
        Plain::Set(all) => Plain::Set(all.iter().map(|e| moved(e, images)).collect()),
        Plain::Function(pairs) => {
            let pairs = pairs.iter();
            let pairs = pairs.map(|(key, value)| (moved(key, images), moved(value, images)));
            Plain::Function(pairs.collect())
        }
        other => other.clone(),
    }
}

#[test]
fn permutations_move_model_values_and_nothing_else() {
    for seed in 0..6000 {
        let mut random = SplitMix64::new(seed);
        let of = Type::random(&mut random, 3);
        let plain = Plain::random(&mut random, &of);
        let mut images: Vec<u32> = (0..8).collect();
        for place in (5..7).rev() {
            images.swap(place, 4 + random.below(place - 3));
        }
        let pairs = |images: &[u32]| -> Vec<(Symbol, Symbol)> {
            let images = images.iter().enumerate();
            images
                .map(|(from, to)| (Symbol(from as u32), Symbol(*to)))
                .collect()
        };
        let forth = Permutation::new(pairs(&images));
        let back = Permutation::new(pairs(&images).into_iter().map(|(a, b)| (b, a)));
        let value = plain.real(&mut random).normal().expect("finite");
        let there = value.permuted(&forth).expect("of one type");
        let expected = moved(&plain, &images)
            .real(&mut random)
            .normal()
            .expect("finite");
        assert!(there.same(&expected), "seed {seed}: {there:?} {expected:?}");
        assert_eq!(there.hash64(), expected.hash64(), "seed {seed}");
        let returned = there.permuted(&back).expect("of one type");
        assert!(returned.same(&value), "seed {seed}");
        let same = Permutation::new([]);
        let unmoved = value.permuted(&same).expect("of one type");
        if let (Value::Set(a), Value::Set(b)) = (&value, &unmoved) {
            assert!(a.is(b));
        }
    }
}

#[test]
fn bytes_that_nobody_wrote_are_no_value_or_one() {
    let mut read = 0;
    for seed in 0..20_000 {
        let mut random = SplitMix64::new(seed);
        let len = random.below(24);
        let bytes: Vec<u8> = (0..len)
            .map(|_| random.below(if seed % 2 == 0 { 256 } else { 24 }) as u8)
            .collect();
        read += usize::from(Value::decode(&mut &bytes[..]).is_some());
    }
    assert!(read > 1000, "{read}");
    let deep = [6u8, 1].repeat(100_000);
    assert!(Value::decode(&mut &deep[..]).is_none());
    let long = [5u8, 0xff, 0xff, 0xff, 0xff, 0x0f];
    assert!(Value::decode(&mut &long[..]).is_none());
}
