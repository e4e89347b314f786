//! Orders of the variables: those that come from the constraints, and those that are found while diagrams grow.

use evenhand_symbolic::{Options, Symbolic};

use crate::common::load;

/// Two arrays that are added into a third one, element by element. `style` says how an element is chosen.
fn calculator(size: usize, highest: usize, style: &str) -> String {
    let last = size - 1;
    let mut text = format!(
        "MODULE main\nVAR a : array 0..{last} of 0..{highest}; b : array 0..{last} of 0..{highest};\n\
         result : array 0..{last} of 0..{}; pos : 0..{size};\n\
         ASSIGN init(pos) := 0; next(pos) := pos < {size} ? pos + 1 : pos;\n",
        2 * highest
    );
    for k in 0..size {
        let sum = match style {
            "index" => format!("a[pos mod {size}] + b[pos mod {size}]"),
            "difference" => format!("a[pos mod {size}] - b[pos mod {size}] + {highest}"),
            _ => format!("a[{k}] + b[{k}]"),
        };
        text += &format!(
            "next(a[{k}]) := a[{k}]; next(b[{k}]) := b[{k}]; init(result[{k}]) := 0;\n\
             next(result[{k}]) := case pos = {k} : {sum}; TRUE : result[{k}]; esac;\n"
        );
    }
    text
}

/// Elements that are added stand together, also where all of them are chosen by one index.
#[test]
fn elements_that_are_added_stand_together() {
    for (size, highest, style) in [
        (4, 9, "index"),
        (4, 9, "each"),
        (3, 12, "index"),
        (5, 5, "index"),
        (4, 7, "difference"),
    ] {
        let text = calculator(size, highest, style);
        let model = load(&text).expect("a model");
        let mut engine = Symbolic::new(&model.relation, Options::default()).expect("small");
        let states = engine.reachable().expect("small").states.exact;
        let expected = (highest as u128 + 1).pow(2 * size as u32) * (size as u128 + 1);
        assert_eq!(states, Some(expected), "{text}");
        let peak = engine.statistics().peak_nodes;
        assert!(peak < 400_000, "{peak} nodes, {size} {highest} {style}");
    }
}

/// What no constraint of the steps relates is found while diagrams grow: pairs that are equal in the beginning.
#[test]
fn diagrams_that_grow_are_sifted() {
    for (pairs, relate) in [(18, "a{k} = b{k}"), (18, "a{k} != b{k}")] {
        let list = |name: &str| -> String {
            (0..pairs)
                .map(|k| format!("{name}{k} : boolean; "))
                .collect()
        };
        let mut text = format!("MODULE main\nVAR {}{}\n", list("a"), list("b"));
        for k in 0..pairs {
            let relate = relate.replace("{k}", &k.to_string());
            text += &format!("INIT {relate}\nTRANS next(a{k}) = a{k} & next(b{k}) = b{k}\n");
        }
        let model = load(&text).expect("a model");
        let peak = |sift: Option<usize>| {
            let options = Options {
                sift,
                ..Options::default()
            };
            let mut engine = Symbolic::new(&model.relation, options).expect("small");
            let states = engine.reachable().expect("small").states.exact;
            assert_eq!(states, Some(1 << pairs), "{text}");
            let statistics = engine.statistics();
            (statistics.peak_nodes, statistics.reorderings)
        };
        let (without, none) = peak(None);
        let (with, some) = peak(Options::default().sift);
        println!("{pairs} pairs: {without} nodes without sifting, {with} with {some} times");
        assert_eq!(none, 0);
        assert!(some >= 1, "{pairs} {relate}");
    }
}
