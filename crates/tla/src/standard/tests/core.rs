//! Numbers, sequences, sets, bags and TLC.

use evenhand_source::SplitMix64;

use super::{Bench, number, operator, random_row, run, same, set, shown, tuple};
use crate::value::Value;

const EDGES: &[i32] = &[
    i32::MIN,
    i32::MIN + 1,
    -65536,
    -7,
    -3,
    -2,
    -1,
    0,
    1,
    2,
    3,
    7,
    46340,
    46341,
    65536,
    i32::MAX - 1,
    i32::MAX,
];

#[test]
fn arithmetic_is_exact_or_an_error() {
    for &a in EDGES {
        for &b in EDGES {
            let (x, y) = (i128::from(a), i128::from(b));
            let check = |name: &str, expected: Option<i128>| {
                let found = run(&format!("Naturals!{name}"), &[number(a), number(b)]);
                let expected = expected.and_then(|number| i32::try_from(number).ok());
                let found = found.ok().map(|value| value.number());
                assert_eq!(found, expected.map(Some), "{a} {name} {b}");
            };
            check("+", Some(x + y));
            check("-", Some(x - y));
            check("*", Some(x * y));
            let floor =
                |x: i128, y: i128| (x - (x.rem_euclid(y.abs()) * y.signum() * y.signum())) / y;
            // The quotient is the largest number whose product is not beyond the dividend.
            let quotient = (y != 0).then(|| {
                let near = floor(x, y);
                (near - 2..=near + 2)
                    .filter(|q| if y > 0 { q * y <= x } else { q * y >= x })
                    .max()
                    .expect("one of them")
            });
            check("\\div", quotient);
            check("%", (y > 0).then(|| x - y * quotient.unwrap_or(0)));
            let power = match (x, y) {
                (0, 0) | (_, ..0) => None,
                _ if y > 64 && x.abs() > 1 => None,
                (-1..=1, _) if y > 64 => Some(if y % 2 == 0 { x * x } else { x }),
                _ => x.checked_pow(y as u32),
            };
            check("^", power);
            for (name, expected) in [("<", a < b), (">", a > b), ("<=", a <= b), (">=", a >= b)] {
                let found = run(&format!("Naturals!{name}"), &[number(a), number(b)]);
                assert_eq!(
                    found.ok().and_then(|v| v.truth()),
                    Some(expected),
                    "{a} {name} {b}"
                );
            }
        }
        let negated = run("Integers!-.", &[number(a)]);
        let expected = a.checked_neg();
        assert_eq!(negated.ok().map(|v| v.number()), expected.map(Some), "-{a}");
    }
    assert!(run("Naturals!+", &[number(1), Value::Truth(true)]).is_err());
    assert!(run("Naturals!<", &[Value::Truth(true), number(1)]).is_err());
    assert_eq!(shown("Naturals!..", &[number(2), number(4)]), "2..4");
    assert!(run("Reals!/", &[number(4), number(2)]).is_err());
}

#[test]
fn sequences_are_joined_and_cut() {
    for seed in 0..500 {
        let mut random = SplitMix64::new(seed);
        let (s, t) = (random_row(&mut random), random_row(&mut random));
        let (a, b) = (tuple(&s), tuple(&t));
        let context = format!("{s:?} {t:?}");
        let joined = [&s[..], &t[..]].concat();
        same(
            run("Sequences!\\o", &[a.clone(), b.clone()]),
            &tuple(&joined),
            &context,
        );
        same(
            run("Sequences!Len", &[a.clone()]),
            &number(s.len() as i32),
            &context,
        );
        let longer = [&s[..], &[9]].concat();
        same(
            run("Sequences!Append", &[a.clone(), number(9)]),
            &tuple(&longer),
            &context,
        );
        match s.split_first() {
            Some((first, rest)) => {
                same(
                    run("Sequences!Head", &[a.clone()]),
                    &number(*first),
                    &context,
                );
                same(run("Sequences!Tail", &[a.clone()]), &tuple(rest), &context);
            }
            None => {
                assert!(run("Sequences!Head", &[a.clone()]).is_err());
                assert!(run("Sequences!Tail", &[a.clone()]).is_err());
            }
        }
        for m in -1..=6 {
            for n in -1..=6 {
                let found = run("Sequences!SubSeq", &[a.clone(), number(m), number(n)]);
                // [i \in 1..(1 + n - m) |-> s[i + m - 1]]
                let places = (1..=(1 + n - m)).map(|i| {
                    let place = usize::try_from(i + m - 2).ok()?;
                    s.get(place).copied()
                });
                match places.collect::<Option<Vec<i32>>>() {
                    Some(expected) => same(found, &tuple(&expected), &context),
                    None => assert!(found.is_err(), "{context} {m} {n}"),
                }
            }
        }
        let mut bench = Bench::new().with(1, |args| Ok((args[0].number() > Some(0)).into()));
        let kept: Vec<i32> = s.iter().copied().filter(|value| *value > 0).collect();
        same(
            bench.run("Sequences!SelectSeq", &[a, operator()]),
            &tuple(&kept),
            &context,
        );
    }
}

#[test]
fn strings_are_sequences_of_letters_where_tlc_says_so() {
    let mut bench = Bench::new();
    let (a, b) = (bench.text("ab"), bench.text("cde"));
    let mut check = |place: &str, args: &[Value], expected: &str| {
        let found = bench.run(place, args).expect("a value");
        assert_eq!(bench.show(&found), expected, "{place}");
    };
    check("Sequences!\\o", &[a.clone(), b.clone()], "\"abcde\"");
    check("Sequences!Len", &[b.clone()], "3");
    check("Sequences!Tail", &[b.clone()], "\"de\"");
    check(
        "Sequences!SubSeq",
        &[b.clone(), number(2), number(3)],
        "\"de\"",
    );
    check(
        "Sequences!SubSeq",
        &[b.clone(), number(3), number(2)],
        "\"\"",
    );
    check("TLC!ToString", &[tuple(&[1, 2])], "\"<<1, 2>>\"");
    check("SequencesExt!IsPrefix", &[a.clone(), b.clone()], "FALSE");
    check("SequencesExt!RemoveAt", &[b.clone(), number(1)], "\"de\"");
    assert!(bench.run("Sequences!Head", &[a.clone()]).is_err());
    assert!(
        bench
            .run("Sequences!\\o", &[a.clone(), tuple(&[])])
            .is_err()
    );
    assert!(bench.run("Sequences!Append", &[a, number(1)]).is_err());
}

#[test]
fn sets_are_counted() {
    assert_eq!(shown("FiniteSets!Cardinality", &[set(&[3, 1, 3])]), "2");
    assert_eq!(shown("FiniteSets!IsFiniteSet", &[set(&[])]), "TRUE");
    let naturals = run("Naturals!Nat", &[]).expect("a set");
    assert!(run("FiniteSets!Cardinality", &[naturals.clone()]).is_err());
    assert_eq!(shown("FiniteSets!IsFiniteSet", &[naturals]), "FALSE");
    assert!(run("FiniteSets!Cardinality", &[number(1)]).is_err());
    let subsets = Value::Interval(1, 20).power_set().expect("a set");
    assert_eq!(shown("FiniteSets!Cardinality", &[subsets]), "1048576");
}

#[test]
fn functions_are_combined() {
    let pair = |a: i32, b: i32| run("TLC!:>", &[number(a), number(b)]).expect("a function");
    let both = run("TLC!@@", &[pair(1, 5), pair(2, 6)]).expect("a function");
    same(Ok(both.clone()), &tuple(&[5, 6]), "a sequence");
    same(
        run("TLC!@@", &[both, pair(2, 7)]),
        &tuple(&[5, 6]),
        "the first one counts",
    );
    same(
        run("TLC!@@", &[tuple(&[]), pair(1, 7)]),
        &tuple(&[7]),
        "nothing and something",
    );
    assert!(run("TLC!@@", &[number(1), pair(1, 7)]).is_err());
    assert_eq!(
        shown("TLC!Permutations", &[set(&[4, 5, 6])]),
        "{(4 :> 4 @@ 5 :> 5 @@ 6 :> 6), (4 :> 4 @@ 5 :> 6 @@ 6 :> 5), \
         (4 :> 5 @@ 5 :> 4 @@ 6 :> 6), (4 :> 5 @@ 5 :> 6 @@ 6 :> 4), \
         (4 :> 6 @@ 5 :> 4 @@ 6 :> 5), (4 :> 6 @@ 5 :> 5 @@ 6 :> 4)}"
    );
    assert_eq!(shown("TLC!Permutations", &[set(&[])]), "{<<>>}");
    assert!(run("TLC!Permutations", &[Value::Interval(1, 20)]).is_err());
}

#[test]
fn sorting_keeps_what_is_equal_in_order() {
    let less = |args: &[Value]| {
        let tens = |value: &Value| value.number().map(|number| number / 10);
        Ok(Value::Truth(tens(&args[0]) < tens(&args[1])))
    };
    let mut bench = Bench::new().with(1, less);
    let sorted = bench.run(
        "TLC!SortSeq",
        &[tuple(&[25, 11, 29, 3, 12, 20]), operator()],
    );
    same(sorted, &tuple(&[3, 11, 12, 25, 29, 20]), "by tens");
}

/// How often each of 0..4 is in a bag of the tests.
type Times = [i32; 5];

fn bag(times: &Times) -> Value {
    let pairs = times.iter().enumerate().filter(|(_, times)| **times > 0);
    let pairs = pairs.map(|(element, times)| (number(element as i32), number(*times)));
    Value::function(pairs.collect()).expect("a bag")
}

#[test]
fn bags_are_added_and_taken_apart() {
    for seed in 0..500 {
        let mut random = SplitMix64::new(seed);
        let mut times = || -> Times { std::array::from_fn(|_| random.below(3) as i32) };
        let (a, b) = (times(), times());
        let (x, y) = (bag(&a), bag(&b));
        let context = format!("{a:?} {b:?}");
        let each = |f: fn(i32, i32) -> i32| -> Value {
            bag(&std::array::from_fn(|element| f(a[element], b[element])))
        };
        same(
            run("Bags!(+)", &[x.clone(), y.clone()]),
            &each(|a, b| a + b),
            &context,
        );
        same(
            run("Bags!(-)", &[x.clone(), y.clone()]),
            &each(|a, b| (a - b).max(0)),
            &context,
        );
        let included = a.iter().zip(&b).all(|(a, b)| a <= b);
        same(
            run("Bags!\\sqsubseteq", &[x.clone(), y.clone()]),
            &included.into(),
            &context,
        );
        same(
            run("Bags!BagCardinality", &[x.clone()]),
            &a.iter().sum::<i32>().into(),
            &context,
        );
        let element = random.below(5);
        let copies = a[element];
        let args = [number(element as i32), x.clone()];
        same(run("Bags!CopiesIn", &args), &copies.into(), &context);
        same(run("Bags!BagIn", &args), &(copies > 0).into(), &context);
        let both = Value::set(vec![x.clone(), y.clone()]).expect("bags");
        let union = if a == b {
            x.clone()
        } else {
            each(|a, b| a + b)
        };
        same(run("Bags!BagUnion", &[both]), &union, &context);
        let halves = |args: &[Value]| Ok(number(args[0].number().unwrap_or(0) / 2));
        let halved = [a[0] + a[1], a[2] + a[3], a[4], 0, 0];
        let found = Bench::new()
            .with(0, halves)
            .run("Bags!BagOfAll", &[operator(), x.clone()]);
        same(found, &bag(&halved), &context);
        let mut parts = Vec::new();
        let bits =
            |n: usize| -> Times { std::array::from_fn(|i| (n / 3usize.pow(i as u32) % 3) as i32) };
        for part in (0..243).map(bits) {
            if part.iter().zip(&a).all(|(part, whole)| part <= whole) {
                parts.push(bag(&part));
            }
        }
        let parts = Value::set(parts).expect("bags");
        same(run("Bags!SubBag", &[x.clone()]), &parts, &context);
        let args = [x.clone(), number(element as i32)];
        let mut more = a;
        more[element] += 1;
        same(run("BagsExt!BagAdd", &args), &bag(&more), &context);
        let mut less = a;
        less[element] = (less[element] - 1).max(0);
        same(run("BagsExt!BagRemove", &args), &bag(&less), &context);
        less[element] = 0;
        same(run("BagsExt!BagRemoveAll", &args), &bag(&less), &context);
        let sum: i32 = (0..5).map(|element| element * a[element as usize]).sum();
        same(run("BagsExt!SumBag", &[x.clone()]), &sum.into(), &context);
        let product = (0..5i32).map(|element| element.pow(a[element as usize] as u32));
        let product: i32 = product.product();
        same(run("BagsExt!ProductBag", &[x]), &product.into(), &context);
    }
    assert_eq!(shown("Bags!IsABag", &[tuple(&[1, 0])]), "FALSE");
    assert_eq!(shown("Bags!EmptyBag", &[]), "<<>>");
    assert!(run("Bags!(+)", &[tuple(&[0]), tuple(&[1])]).is_err());
}

#[test]
fn draws_come_from_the_set() {
    let mut bench = Bench::new();
    let functions = Value::functions(Value::Interval(1, 50), Value::Interval(0, 9)).expect("sets");
    let many = Value::Interval(1, 60).power_set().expect("a set");
    let mut different = 0;
    let mut last = None;
    for _ in 0..50 {
        for set in [&functions, &many, &set(&[1, 5, 7]), &Value::Interval(-3, 3)] {
            let drawn = bench.run("TLC!RandomElement", &[(*set).clone()]);
            let drawn = drawn.expect("an element");
            assert_eq!(set.contains(&drawn), Ok(true));
        }
        let some = bench.run(
            "Randomization!RandomSubset",
            &[number(3), Value::Interval(1, 9)],
        );
        let some = some.expect("a subset");
        assert_eq!(some.size(), Ok(3));
        assert_eq!(some.subset_of(&Value::Interval(1, 9)), Ok(true));
        different += usize::from(last.is_some_and(|last: Value| !last.same(&some)));
        last = Some(some);
        let args = [number(4), number(2), Value::Interval(1, 5)];
        let sets = bench
            .run("Randomization!RandomSetOfSubsets", &args)
            .expect("subsets");
        assert!(sets.size().is_ok_and(|size| (1..=4).contains(&size)));
    }
    assert!(different > 30);
    assert!(bench.run("TLC!RandomElement", &[set(&[])]).is_err());
}
