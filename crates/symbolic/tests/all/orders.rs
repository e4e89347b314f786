//! Orders of the variables: those that come from the constraints, and those that are found while diagrams grow.

use evenhand_symbolic::{Options, Symbolic};
use evenhand_system::fairness::PropositionId;

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

/// What no constraint of the steps relates is found while diagrams grow: pairs that are equal in the beginning, among
/// properties that compare everything with everything.
#[test]
fn diagrams_that_grow_are_sifted() {
    for (pairs, relate) in [(18, "a{k} = b{k}"), (18, "a{k} != b{k}")] {
        let list = |name: &str| -> String {
            (0..pairs)
                .map(|k| format!("{name}{k} : boolean; "))
                .collect()
        };
        let mut text = format!("MODULE main\nVAR {}{}\n", list("a"), list("b"));
        let all = (0..pairs * pairs).map(|n| format!("a{} = b{}", n % pairs, n / pairs));
        text += &format!("INVARSPEC {}\n", all.collect::<Vec<_>>().join(" | "));
        for k in 0..pairs {
            let relate = relate.replace("{k}", &k.to_string());
            text += &format!("INIT {relate}\n");
        }
        for k in 0..pairs {
            text += &format!("TRANS next(a{k}) = a{k} & next(b{k}) = b{k}\n");
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

/// Arrays from which an index chooses what is added, in constraints on steps: results may have any value at first. The index of what
/// changes is that after the step.
fn chosen_by_constraints(size: usize, highest: usize) -> String {
    let last = size - 1;
    let mut text = format!(
        "MODULE main\nVAR a : array 0..{last} of 0..{highest}; b : array 0..{last} of 0..{highest};\n\
         r : array 0..{last} of 0..{}; k : 0..{last};\n\
         INIT k = 0\nTRANS next(k) = (k + 1) mod {size}\nTRANS next(r[k]) = a[k] + b[k]\n",
        2 * highest
    );
    for n in 0..size {
        text += &format!("TRANS next(a[{n}]) = a[{n}] & next(b[{n}]) = b[{n}]\n");
    }
    let kept = (0..size).map(|n| format!("(k != {n} -> next(r[{n}]) = r[{n}])"));
    text += &format!("TRANS {}\n", kept.collect::<Vec<_>>().join(" & "));
    text
}

/// An index chooses the larger of two elements, their sum or their difference.
fn chosen_by_comparison(size: usize, highest: usize, most: &str) -> String {
    let last = size - 1;
    let mut text = format!(
        "MODULE main\nVAR a : array 0..{last} of 0..{highest}; b : array 0..{last} of 0..{highest};\n\
         k : 0..{last}; op : {{add, sub, most}}; r : array 0..{last} of -{highest}..{};\n\
         ASSIGN init(k) := 0; next(k) := (k + 1) mod {size}; next(op) := op;\n",
        2 * highest
    );
    for n in 0..size {
        text += &format!(
            "next(a[{n}]) := a[{n}]; next(b[{n}]) := b[{n}]; init(r[{n}]) := 0;\n\
             next(r[{n}]) := case k = {n} & op = add : a[k] + b[k]; k = {n} & op = sub : a[k] - b[k];\n\
             k = {n} : {most}; TRUE : r[{n}]; esac;\n"
        );
    }
    text
}

/// What an index chooses stands together, be it chosen by constraints or by a comparison of two elements.
#[test]
fn what_is_chosen_stands_together() {
    let larger = [
        "max(a[k], b[k])",
        "min(a[k], b[k])",
        "a[k] > b[k] ? a[k] : b[k]",
    ];
    for (text, most) in [
        (chosen_by_constraints(4, 9), 400_000),
        (chosen_by_constraints(3, 12), 400_000),
        (chosen_by_constraints(5, 5), 400_000),
        (chosen_by_comparison(4, 7, larger[0]), 400_000),
        (chosen_by_comparison(4, 9, larger[1]), 400_000),
        (chosen_by_comparison(5, 5, larger[2]), 400_000),
    ] {
        let model = load(&text).expect("a model");
        let mut engine = Symbolic::new(&model.relation, Options::default()).expect("small");
        engine.reachable().expect("small");
        let statistics = engine.statistics();
        let order = engine.order();
        println!(
            "{} nodes, {} rounds: {order:?}",
            statistics.peak_nodes, statistics.rounds
        );
        assert!(
            statistics.peak_nodes < most,
            "{} nodes\n{text}",
            statistics.peak_nodes
        );
    }
}

/// Where few of very many states have a run without end, sets become large all of a sudden on the way back from the ends: the
/// order is improved in advance, before it has been earned.
#[test]
fn the_order_is_improved_in_advance() {
    for (size, highest) in [(4, 7), (3, 15), (3, 12)] {
        // What is chosen first may be anything in the beginning, and everything else is a sum from then on.
        let free = 2 * highest as u128 + 1 + (size as u128 - 1);
        let fair = (highest as u128 + 1).pow(2 * size as u32) * free;
        let model = load(&chosen_by_constraints(size, highest)).expect("a model");
        let mut engine = Symbolic::new(&model.relation, Options::default()).expect("small");
        let found = engine.feasible_states().expect("small").exact;
        let statistics = engine.statistics();
        let (peak, times) = (statistics.peak_nodes, statistics.reorderings);
        println!("{size} {highest}: {peak} nodes, improved {times} times");
        assert_eq!(found, Some(fair), "{size} {highest}");
        assert!(peak < 400_000, "{peak} nodes, {size} {highest}");
    }
}

/// Long words that only what is initial and the properties relate have their bits mixed.
#[test]
fn words_that_properties_relate_are_mixed() {
    for (kind, relate) in [
        ("FROZENVAR", "INIT z = x + y\nINVARSPEC z - y = x\n"),
        (
            "FROZENVAR",
            "INVARSPEC x + y - y = x\nINVARSPEC (x & z) + (x | z) = x + z\n",
        ),
        (
            "VAR",
            "INIT z = x + y\nINVARSPEC b -> z - y = x\nTRANS next(x) = x & next(y) = y & next(z) = z\n",
        ),
        (
            "VAR",
            "INIT x = y & y = z\nINVARSPEC x = z\nTRANS next(x) = x & next(y) = y & next(z) = z\n",
        ),
    ] {
        let text = format!(
            "MODULE main\n{kind} x : unsigned word[32]; y : unsigned word[32]; z : unsigned word[32];\n\
             VAR b : boolean;\n{relate}"
        );
        let model = load(&text).expect("a model");
        let mut engine = Symbolic::new(&model.relation, Options::default()).expect("small");
        for number in 0..model.relation.propositions.len() {
            let id = PropositionId(number as u32);
            assert!(engine.invariant(id).expect("small").holds, "{text}");
        }
        let peak = engine.statistics().peak_nodes;
        assert!(peak < 20_000, "{peak} nodes\n{text}");
    }
}
