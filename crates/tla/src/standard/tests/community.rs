//! FiniteSetsExt, SequencesExt, Functions, Folds, Bitwise, Combinatorics, Json.

use evenhand_source::SplitMix64;

use super::{Answer, Bench, number, operator, random_row, run, same, set, shown, tuple};
use crate::value::Value;

/// An operator for which the order of a fold can be seen: 10 * y + x.
fn digits(args: &[Value]) -> Answer {
    let (x, y) = (args[0].number(), args[1].number());
    Ok(number(10 * y.unwrap_or(0) + x.unwrap_or(0)))
}

fn least(args: &[Value]) -> Answer {
    let mut elements = args[0].elements()?;
    Ok(elements.next()?.unwrap_or(number(0)))
}

fn truths(of: impl Fn(i32) -> bool) -> impl Fn(&[Value]) -> Answer {
    move |args: &[Value]| Ok(Value::Truth(of(args[0].number().unwrap_or(0))))
}

#[test]
fn folds_have_the_order_of_tlc() {
    let row = tuple(&[1, 2, 3]);
    let fold = |place: &str, args: &[Value]| {
        let mut bench = Bench::new().with(0, digits);
        let found = bench.run(place, args).expect("a value");
        found.number().expect("a number")
    };
    let of_set = [operator(), number(0), set(&[3, 1, 2])];
    assert_eq!(fold("FiniteSetsExt!FoldSet", &of_set), 123);
    let reduced = [operator(), set(&[3, 1, 2]), number(0)];
    assert_eq!(fold("FiniteSetsExt!ReduceSet", &reduced), 123);
    let of_row = [operator(), number(0), row.clone()];
    assert_eq!(fold("Functions!FoldFunction", &of_row), 123);
    assert_eq!(fold("SequencesExt!FoldSeq", &of_row), 123);
    // op(op(op(5, 1), 2), 3), where the accumulated value is the first argument.
    let left = [operator(), number(5), row.clone()];
    assert_eq!(
        fold("SequencesExt!FoldLeft", &left),
        10 * 3 + 10 * 2 + 10 + 5
    );
    // op(1, op(2, op(3, 5)))
    let right = [operator(), row.clone(), number(5)];
    assert_eq!(fold("SequencesExt!FoldRight", &right), 5321);
    assert_eq!(
        fold(
            "SequencesExt!FoldLeftDomain",
            &[operator(), number(5), tuple(&[7, 8])]
        ),
        35
    );
    assert_eq!(
        fold(
            "SequencesExt!FoldRightDomain",
            &[operator(), tuple(&[7, 8]), number(5)]
        ),
        521
    );
    let some = [operator(), number(0), tuple(&[4, 5, 6]), set(&[1, 3])];
    assert_eq!(fold("Functions!FoldFunctionOnSet", &some), 46);
    // The element that is chosen first is outermost: op(f(1), op(f(2), op(f(3), 0))).
    let mut bench = Bench::new()
        .with(0, digits)
        .with(2, |args| Ok(number(args[0].number().unwrap_or(0) + 1)))
        .with(3, least);
    let args = [
        operator(),
        number(0),
        operator(),
        operator(),
        set(&[1, 2, 3]),
    ];
    same(
        bench.run("Folds!MapThenFoldSet", &args),
        &number(432),
        "MapThenFoldSet",
    );
    let mut bench = Bench::new().with(0, digits);
    let bag = Value::function(vec![(number(3), number(2)), (number(1), number(1))]);
    let args = [operator(), number(0), bag.expect("a bag")];
    // op(op(op(0, 1), 3), 3)
    same(bench.run("BagsExt!FoldBag", &args), &number(70), "FoldBag");
}

#[test]
fn finite_sets_have_extremes_sums_and_parts() {
    for seed in 0..300 {
        let mut random = SplitMix64::new(seed);
        let values: Vec<i32> = (-3..4).filter(|_| random.below(2) == 0).collect();
        let others: Vec<i32> = (-3..4).filter(|_| random.below(2) == 0).collect();
        let (value, context) = (set(&values), format!("{values:?} {others:?}"));
        let sum: i32 = values.iter().sum();
        same(
            run("FiniteSetsExt!SumSet", &[value.clone()]),
            &sum.into(),
            &context,
        );
        let product: i32 = values.iter().product();
        same(
            run("FiniteSetsExt!ProductSet", &[value.clone()]),
            &product.into(),
            &context,
        );
        for (name, best) in [("Max", values.iter().max()), ("Min", values.iter().min())] {
            let found = run(&format!("FiniteSetsExt!{name}"), &[value.clone()]);
            match best {
                Some(best) => same(found, &number(*best), &context),
                None => assert!(found.is_err()),
            }
        }
        let odd = |n: &i32| n % 2 != 0;
        let number_of_odd = values.iter().filter(|n| odd(n)).count() as i32;
        let mut bench = Bench::new().with(1, truths(|n| odd(&n)));
        let args = [value.clone(), operator()];
        same(
            bench.run("FiniteSetsExt!Quantify", &args),
            &number_of_odd.into(),
            &context,
        );
        let unique = bench.run("FiniteSetsExt!ChooseUnique", &args);
        assert_eq!(unique.is_ok(), number_of_odd == 1, "{context}");
        let mut bench = Bench::new().with(0, |args| Ok(number(args[0].number().unwrap_or(0) * 3)));
        let args = [operator(), value.clone()];
        same(
            bench.run("FiniteSetsExt!MapThenSumSet", &args),
            &(3 * sum).into(),
            &context,
        );
        let odd_one_out = |n: &i32| values.contains(n) != others.contains(n);
        let expected: Vec<i32> = (-3..4).filter(odd_one_out).collect();
        let args = [value.clone(), set(&others)];
        same(
            run("FiniteSetsExt!SymDiff", &args),
            &set(&expected),
            &context,
        );
        for k in -1..5 {
            let mut subsets = value.power_set().expect("a set").elements().expect("a set");
            let mut expected = Vec::new();
            while let Ok(Some(subset)) = subsets.next() {
                if subset.size().ok().map(|size| size as i32) == Some(k) {
                    expected.push(subset);
                }
            }
            let expected = Value::set(expected).expect("sets");
            same(
                run("FiniteSetsExt!kSubset", &[number(k), value.clone()]),
                &expected,
                &context,
            );
        }
    }
    let sets = Value::set(vec![set(&[1, 2]), set(&[2, 3])]).expect("sets");
    assert_eq!(
        shown("FiniteSetsExt!Choices", &[sets.clone()]),
        "{{2}, {1, 2}, {1, 3}, {2, 3}}"
    );
    assert_eq!(shown("FiniteSetsExt!FlattenSet", &[sets]), "{1, 2, 3}");
    assert_eq!(shown("FiniteSetsExt!Choices", &[set(&[])]), "{{}}");
}

#[test]
fn functions_are_restricted_and_turned_around() {
    let f = tuple(&[5, 6, 5]);
    assert_eq!(shown("Functions!Range", &[f.clone()]), "{5, 6}");
    assert_eq!(
        shown("Functions!Restrict", &[f.clone(), set(&[1, 3])]),
        "(1 :> 5 @@ 3 :> 5)"
    );
    assert!(run("Functions!Restrict", &[f.clone(), set(&[4])]).is_err());
    let mut bench = Bench::new().with(1, truths(|n| n == 2 || n == 6));
    let args = [f.clone(), operator()];
    let by_key = bench
        .run("Functions!RestrictDomain", &args)
        .expect("a function");
    assert_eq!(bench.show(&by_key), "(2 :> 6)");
    let by_value = bench
        .run("Functions!RestrictValues", &args)
        .expect("a function");
    assert_eq!(bench.show(&by_value), "(2 :> 6)");
    same(
        run("Functions!IsRestriction", &[by_key.clone(), f.clone()]),
        &true.into(),
        "a part",
    );
    same(
        run("Functions!IsRestriction", &[f.clone(), by_key]),
        &false.into(),
        "the whole",
    );
    let inverse = [f.clone(), set(&[1, 2, 3]), set(&[5, 6, 7])];
    assert_eq!(
        shown("Functions!Inverse", &inverse),
        "(5 :> 1 @@ 6 :> 2 @@ 7 :> 1)"
    );
    assert!(
        run("Functions!AntiFunction", &[f.clone()]).is_err(),
        "5 is there twice"
    );
    assert_eq!(
        shown("Functions!AntiFunction", &[tuple(&[2, 1, 4])]),
        "(1 :> 2 @@ 2 :> 1 @@ 4 :> 3)"
    );
    same(
        run("Functions!SumFunction", &[f.clone()]),
        &number(16),
        "a sum",
    );
    same(
        run("Functions!SumFunctionOnSet", &[f.clone(), set(&[2])]),
        &number(6),
        "a sum",
    );
    let mut bench = Bench::new().with(2, digits);
    let args = [tuple(&[1, 2]), tuple(&[3, 4]), operator()];
    same(
        bench.run("Functions!Pointwise", &args),
        &tuple(&[31, 42]),
        "Pointwise",
    );
    for from in 0..4 {
        for to in 0..4 {
            let (s, t) = (Value::Interval(1, from), Value::Interval(1, to));
            let mut all = Value::functions(s.clone(), t.clone())
                .expect("sets")
                .elements()
                .expect("sets");
            let (mut injections, mut surjections, mut bijections) = (vec![], vec![], vec![]);
            while let Ok(Some(function)) = all.next() {
                let values = function.as_tuple().expect("on 1..n").to_vec();
                let different =
                    Value::set(values.clone()).expect("numbers").size() == Ok(from as u64);
                let onto = t.subset_of(&Value::set(values).expect("numbers")) == Ok(true);
                injections.extend(different.then(|| function.clone()));
                surjections.extend(onto.then(|| function.clone()));
                bijections.extend((different && onto).then_some(function));
            }
            for (name, those) in [
                ("Injection", injections),
                ("Surjection", surjections),
                ("Bijection", bijections),
            ] {
                let args = [s.clone(), t.clone()];
                let exists = !those.is_empty();
                let those = Value::set(those).expect("functions");
                let context = format!("{name} {from} {to}");
                same(run(&format!("Functions!{name}"), &args), &those, &context);
                same(
                    run(&format!("Functions!Exists{name}"), &args),
                    &exists.into(),
                    &context,
                );
            }
        }
    }
}

fn find(part: &[i32], whole: &[i32]) -> Option<usize> {
    (0..=whole.len()).find(|&place| whole[place..].starts_with(part))
}

#[test]
fn sequences_are_searched_and_changed() {
    for seed in 0..600 {
        let mut random = SplitMix64::new(seed);
        let (s, t) = (random_row(&mut random), random_row(&mut random));
        let (a, b) = (tuple(&s), tuple(&t));
        let e = random.below(3) as i32;
        let context = format!("{s:?} {t:?} {e}");
        let len = s.len() as i32;
        let run = |name: &str, args: &[Value]| run(&format!("SequencesExt!{name}"), args);
        same(
            run("Contains", &[a.clone(), number(e)]),
            &s.contains(&e).into(),
            &context,
        );
        same(run("ToSet", &[a.clone()]), &set(&s), &context);
        let reversed: Vec<i32> = s.iter().rev().copied().collect();
        same(run("Reverse", &[a.clone()]), &tuple(&reversed), &context);
        let others: Vec<i32> = s.iter().copied().filter(|n| *n != e).collect();
        same(
            run("Remove", &[a.clone(), number(e)]),
            &tuple(&others),
            &context,
        );
        let replaced: Vec<i32> = s.iter().map(|n| if *n == e { 9 } else { *n }).collect();
        same(
            run("ReplaceAll", &[a.clone(), number(e), number(9)]),
            &tuple(&replaced),
            &context,
        );
        let mut first = s.clone();
        if let Some(place) = s.iter().position(|n| *n == e) {
            first.remove(place);
        }
        same(
            run("RemoveFirst", &[a.clone(), number(e)]),
            &tuple(&first),
            &context,
        );
        let test = || Bench::new().with(1, truths(move |n| n == e));
        let args = [a.clone(), operator()];
        same(
            test().run("SequencesExt!RemoveFirstMatch", &args),
            &tuple(&first),
            &context,
        );
        let place = s
            .iter()
            .position(|n| *n == e)
            .map_or(0, |place| place as i32 + 1);
        same(
            test().run("SequencesExt!SelectInSeq", &args),
            &place.into(),
            &context,
        );
        let last = s
            .iter()
            .rposition(|n| *n == e)
            .map_or(0, |place| place as i32 + 1);
        same(
            test().run("SequencesExt!SelectLastInSeq", &args),
            &last.into(),
            &context,
        );
        for i in 0..=len + 2 {
            let mut longer = s.clone();
            let inserted = run("InsertAt", &[a.clone(), number(i), number(7)]);
            if (1..=len + 1).contains(&i) {
                longer.insert(i as usize - 1, 7);
                same(inserted, &tuple(&longer), &context);
            } else {
                assert!(inserted.is_err(), "{context} {i}");
            }
            let removed = run("RemoveAt", &[a.clone(), number(i)]);
            if (1..=len).contains(&i) {
                let mut shorter = s.clone();
                shorter.remove(i as usize - 1);
                same(removed, &tuple(&shorter), &context);
            }
        }
        if let Some((last, front)) = s.split_last() {
            same(run("Front", &[a.clone()]), &tuple(front), &context);
            same(run("Last", &[a.clone()]), &number(*last), &context);
        }
        same(
            run("Cons", &[number(7), a.clone()]),
            &tuple(&[&[7], &s[..]].concat()),
            &context,
        );
        same(
            run("Snoc", &[number(7), a.clone()]),
            &tuple(&[&s[..], &[7]].concat()),
            &context,
        );
        let (prefix, suffix) = (t.starts_with(&s), t.ends_with(&s));
        let both = [a.clone(), b.clone()];
        same(run("IsPrefix", &both), &prefix.into(), &context);
        same(
            run("IsStrictPrefix", &both),
            &(prefix && s != t).into(),
            &context,
        );
        same(run("IsSuffix", &both), &suffix.into(), &context);
        same(
            run("IsStrictSuffix", &both),
            &(suffix && s != t).into(),
            &context,
        );
        let pairs = s.iter().zip(&t).map(|(a, b)| tuple(&[*a, *b]));
        same(run("Zip", &both), &Value::tuple(pairs.collect()), &context);
        let sequences = Value::set(both.to_vec()).expect("sequences");
        let common = s.iter().zip(&t).take_while(|(a, b)| a == b).count();
        same(
            run("LongestCommonPrefix", &[sequences.clone()]),
            &tuple(&s[..common]),
            &context,
        );
        let prefixes = |len: usize| (0..=len).map(|len| tuple(&s[..len])).collect();
        let prefixes = |len| Value::set(prefixes(len)).expect("sequences");
        same(
            run("CommonPrefixes", &[sequences]),
            &prefixes(common),
            &context,
        );
        same(run("Prefixes", &[a.clone()]), &prefixes(s.len()), &context);
        let nested = Value::tuple(vec![a.clone(), b.clone(), a.clone()]);
        let flat = [&s[..], &t[..], &s[..]].concat();
        same(run("FlattenSeq", &[nested]), &tuple(&flat), &context);
        replacements(&s, &t, &context);
    }
}

/// `s` in the place of a short sequence in `t`.
fn replacements(new: &[i32], whole: &[i32], context: &str) {
    for old in [&[1][..], &[0, 1], &[2, 2], &[]] {
        let args = [tuple(new), tuple(old), tuple(whole)];
        let once = match find(old, whole) {
            Some(place) => [&whole[..place], new, &whole[place + old.len()..]].concat(),
            None => whole.to_vec(),
        };
        let found = run("SequencesExt!ReplaceFirstSubSeq", &args);
        same(found, &tuple(&once), &format!("{context} {old:?}"));
        if !old.is_empty() {
            let mut all = Vec::new();
            let mut rest = whole;
            while let Some(place) = find(old, rest) {
                all.extend_from_slice(&rest[..place]);
                all.extend_from_slice(new);
                rest = &rest[place + old.len()..];
            }
            all.extend_from_slice(rest);
            let found = run("SequencesExt!ReplaceAllSubSeqs", &args);
            same(found, &tuple(&all), &format!("{context} {old:?}"));
        }
    }
}

#[test]
fn sets_of_sequences() {
    let shown = |name: &str, args: &[Value]| shown(&format!("SequencesExt!{name}"), args);
    assert_eq!(shown("SetToSeq", &[set(&[3, 1])]), "<<1, 3>>");
    assert_eq!(shown("SetToSeqs", &[set(&[3, 1])]), "{<<1, 3>>, <<3, 1>>}");
    let all = "{<<>>, <<1>>, <<3>>, <<1, 3>>, <<3, 1>>}";
    assert_eq!(shown("SetToAllKPermutations", &[set(&[3, 1])]), all);
    assert_eq!(
        shown("TupleOf", &[set(&[1, 2]), number(2)]),
        "{<<1, 1>>, <<1, 2>>, <<2, 1>>, <<2, 2>>}"
    );
    assert_eq!(
        shown("BoundedSeq", &[set(&[1]), number(2)]),
        "{<<>>, <<1>>, <<1, 1>>}"
    );
    assert_eq!(
        shown("Suffixes", &[tuple(&[1, 2])]),
        "{<<>>, <<2>>, <<1, 2>>}"
    );
    assert_eq!(
        shown("SubSeqs", &[tuple(&[1, 2])]),
        "{<<>>, <<1>>, <<2>>, <<1, 2>>}"
    );
    let parts = "{<<>>, <<1>>, <<2>>, <<1, 2>>, <<2, 1>>, <<2, 2>>, <<2, 1, 2>>}";
    assert_eq!(shown("AllSubSeqs", &[tuple(&[2, 1, 2])]), parts);
    assert_eq!(shown("ToBag", &[tuple(&[4, 2, 4])]), "(2 :> 1 @@ 4 :> 2)");
    assert_eq!(
        shown("Interleave", &[tuple(&[1]), tuple(&[2])]),
        "<<<<1>>, <<2>>>>"
    );
    assert_eq!(shown("SeqMod", &[number(6), number(3)]), "3");
    let descending = |args: &[Value]| Ok(Value::Truth(args[0].number() > args[1].number()));
    let mut bench = Bench::new().with(1, descending);
    let sorted = bench.run("SequencesExt!SetToSortSeq", &[set(&[3, 1, 2]), operator()]);
    same(sorted, &tuple(&[3, 2, 1]), "descending");
    let order = bench.run("SequencesExt!IsSorted", &[tuple(&[3, 2, 2]), operator()]);
    same(order, &false.into(), "strictly descending");
    // Nothing is listed to answer this.
    let long = run("SequencesExt!SeqOf", &[Value::Interval(0, 9), number(50)]).expect("a set");
    assert_eq!(long.contains(&tuple(&[7; 50])), Ok(true));
    assert_eq!(long.contains(&tuple(&[7; 51])), Ok(false));
    assert!(run("SequencesExt!SeqOf", &[set(&[1]), number(i32::MAX)]).is_err());
}

#[test]
fn bits_and_ways() {
    for a in 0..40 {
        for b in 0..40 {
            let args = [number(a), number(b)];
            same(run("Bitwise!&", &args), &number(a & b), "&");
            same(run("Bitwise!|", &args), &number(a | b), "|");
            same(run("Bitwise!^^", &args), &number(a ^ b), "^^");
            same(
                run("Bitwise!shiftR", &args),
                &number(if b < 32 { a >> b } else { 0 }),
                "shiftR",
            );
        }
        // Every bit up to the highest one of the number is turned.
        let width = (0..=6).find(|width| a < 1 << width).expect("small");
        same(
            run("Bitwise!Not", &[number(a)]),
            &number((1 << width) - 1 - a),
            "Not",
        );
    }
    let mut row = vec![1];
    for n in 0..30 {
        for (k, expected) in row.iter().enumerate() {
            let found = run("Combinatorics!choose", &[number(n), number(k as i32)]);
            same(found, &number(*expected), "choose");
        }
        let inner = row.windows(2).map(|pair| pair[0] + pair[1]);
        row = [1].into_iter().chain(inner).chain([1]).collect();
    }
    assert!(run("Combinatorics!choose", &[number(70), number(35)]).is_err());
    let factorials = run("Combinatorics!factorial", &[]).expect("a function");
    same(factorials.apply(&number(12)), &number(479_001_600), "12!");
    assert!(factorials.apply(&number(13)).is_err());
}

#[test]
fn values_are_written_as_json() {
    let mut bench = Bench::new();
    let (a, b) = (bench.text("a"), bench.text("b\"\n"));
    let record = Value::record(vec![
        (a.text().expect("a string"), tuple(&[1, 2])),
        (b.text().expect("a string"), Value::Truth(true)),
    ]);
    let mut json = |place: &str, value: Value| {
        let found = bench.run(place, &[value]).expect("a text");
        let symbol = found.text().expect("a text");
        bench.names.text(symbol).to_string()
    };
    assert_eq!(json("Json!ToJson", record), r#"{"a":[1,2],"b\"\n":true}"#);
    assert_eq!(json("Json!ToJson", set(&[2, 1])), "[1,2]");
    assert_eq!(json("Json!ToJson", Value::Interval(1, 2)), "[1,2]");
    assert_eq!(
        json("Json!ToJsonObject", tuple(&[7, 8])),
        r#"{"0":7,"1":8}"#
    );
    let function = Value::function(vec![(number(0), number(1)), (number(2), number(3))]);
    assert_eq!(
        json("Json!ToJson", function.expect("a function")),
        r#"{"0":1,"2":3}"#
    );
    assert_eq!(json("Json!ToJson", tuple(&[])), "[]");
}

#[test]
fn pictures_are_records_and_texts() {
    let mut bench = Bench::new();
    let fill = bench.text("fill").text().expect("a name");
    let attrs = Value::record(vec![(fill, bench.text("red"))]);
    let none = Value::tuple(Vec::new());
    let args = [number(1), number(2), number(3), attrs];
    let circle = bench.run("SVG!Circle", &args).expect("a record");
    let text = [number(4), number(5), bench.text("<<1>>"), none.clone()];
    let text = bench.run("SVG!Text", &text).expect("a record");
    let group = bench.run("SVG!Group", &[Value::tuple(vec![circle, text]), none]);
    let written = bench.run("SVG!SVGElemToString", &[group.expect("a record")]);
    let written = written.expect("a text").text().expect("a text");
    assert_eq!(
        bench.names.text(written),
        "<g><circle fill='red' cx='1' cy='2' r='3'></circle>\
         <text x='4' y='5'>&lt;&lt;1&gt;&gt;</text></g>"
    );
    let ring = [number(10), number(10), number(5), number(1), number(4)];
    let place = bench.run("SVG!NodeOfRingNetwork", &ring).expect("a point");
    assert_eq!(bench.show(&place), "[x |-> 10, y |-> 15]");
}
