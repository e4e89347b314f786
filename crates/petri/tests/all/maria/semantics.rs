//! What single constructs mean, each in a net of its own.

use evenhand_system::explicit::Step;
use evenhand_system::{Assumptions, FaultKind, Request, Specification, Successors, Wanted};

use super::corpus::{is_holding_by, search};
use super::load;

fn net(text: &str) -> Box<dyn Specification> {
    load(text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// All reachable markings as texts, in the order of a search.
fn markings(text: &str) -> Vec<String> {
    let model = net(text);
    let system = model
        .body()
        .explicit()
        .unwrap_or_else(|_| panic!("explicit"));
    let mut explorer = system.explorer(&[]);
    let mut out = Successors::new();
    explorer.initial(&mut out);
    let mut known = vec![out.state(0).to_vec()];
    let mut at = 0;
    let mut told = Vec::new();
    while at < known.len() {
        let state = known[at].clone();
        let values = explorer.describe(&state);
        let values: Vec<String> = values
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        told.push(values.join(" "));
        explorer.expand(&state, &mut out);
        assert!(out.faults().is_empty(), "{:?}\n{text}", out.faults());
        for index in 0..out.len() {
            if !known.contains(&out.state(index).to_vec()) {
                known.push(out.state(index).to_vec());
            }
        }
        at += 1;
    }
    told
}

/// What goes wrong in the first marking.
fn faults(text: &str) -> Vec<FaultKind> {
    let model = net(text);
    let system = model
        .body()
        .explicit()
        .unwrap_or_else(|_| panic!("explicit"));
    let mut explorer = system.explorer(&[]);
    let mut out = Successors::new();
    explorer.initial(&mut out);
    let first = out.state(0).to_vec();
    explorer.expand(&first, &mut out);
    assert!(out.is_empty(), "{text}");
    out.faults()
        .iter()
        .map(|report| report.fault.kind)
        .collect()
}

/// The value of an expression, as the only token of a place.
fn value(declarations: &str, ty: &str, expression: &str) -> String {
    let all = markings(&format!(
        "{declarations}\nplace result (1) {ty}: {expression};"
    ));
    all[0]
        .strip_prefix("result=")
        .unwrap_or_default()
        .to_string()
}

#[test]
fn expressions() {
    let types = "typedef unsigned (1..3) n; typedef enum { a, b = 4, c } e; typedef struct { n x; bool y } s; \
                 typedef union { n i; bool f } u; typedef n[bool] r; typedef n[queue 3] q; typedef n[stack 3] k; \
                 typedef id[3] p; unsigned two = 2; n twice (n v) v == 1 ? 2 : 3;";
    for (ty, expression, expected) in [
        ("n", "+3", "1"),
        ("n", "|1", "3"),
        ("n", "++1", "3"),
        ("n", "two", "2"),
        ("n", "twice(twice(1))", "3"),
        ("n", "is n (two * 2 - 1)", "3"),
        ("unsigned", "#n", "3"),
        ("unsigned", "#e", "6"),
        ("unsigned", "#s", "6"),
        ("unsigned", "#u", "5"),
        ("unsigned", "#r", "9"),
        ("unsigned", "#q", "40"),
        (
            "unsigned",
            "7 % 4 + (1 << 3) - (9 >> 1) + (6 & 3) + (6 | 1) + (6 ^ 3)",
            "21",
        ),
        ("int", "-3 + 1", "-2"),
        ("unsigned", "010 + 0x10", "24"),
        ("e", "b", "b"),
        ("e", "is e 2", "2"),
        ("e", "<e", "a"),
        ("e", ">e", "c"),
        ("char", "'a'", "'a'"),
        ("char", "+'a'", "'b'"),
        ("char", "'\\x41'", "'A'"),
        ("p", "<p", "0"),
        ("s", "{2, true}", "{2,true}"),
        ("s", "{y: true, x: 2}", "{2,true}"),
        ("s", "+is s {3, false}", "{1,true}"),
        ("s", "<s", "{1,false}"),
        ("n", "(is s {2, true}).x", "2"),
        ("s", "(is s {2, true}).{x 1}", "{1,true}"),
        ("u", "f = true", "f=true"),
        ("u", "+is u i = 3", "f=false"),
        ("bool", "(is u f = true) is f", "true"),
        ("bool", "(is u f = true).f", "true"),
        ("u", "is u true", "f=true"),
        ("bool", "is bool is u true", "true"),
        ("r", "{1, 2}", "{1,2}"),
        ("n", "(is r {1, 2})[true]", "2"),
        ("r", "(is r {1, 2}).{[false] 3}", "{3,2}"),
        ("r", "(is r {1, 2}) << 1", "{2,1}"),
        ("q", "(is q {1, 2}) + 3", "{1,2,3}"),
        ("q", "-is q {1, 2}", "{2}"),
        ("q", "(is q {1, 2, 3}) - 2", "{3}"),
        ("n", "*is q {1, 2}", "1"),
        ("unsigned", "/is q {1, 2}", "2"),
        ("unsigned", "%is q {1, 2}", "1"),
        ("k", "(is k {1, 2}) + 3", "{3,1,2}"),
        ("k", "-is k {1, 2}", "{2}"),
        ("n", "*is k {1, 2}", "1"),
        ("n", "is n 2 ? 1 : 2 : 3", "2"),
        ("n", "is n 3 ? 1 : 2 : 3", "1"),
        ("bool", "n v && v > 0", "true"),
        ("bool", "n v (v != 1) || v == 1", "false"),
        ("bool", "true ^^ false => true <=> !false", "true"),
        ("bool", "is s {3, false} < is s {1, true}", "true"),
        ("bool", "is q {3} < is q {1, 1}", "true"),
        ("unsigned", "cardinality (2#true, false)", "3"),
        ("unsigned", "max (2#true, false)", "2"),
        ("unsigned", "min (2#true, false)", "1"),
        ("unsigned", "cardinality ((2#true, false) minus true)", "2"),
        (
            "unsigned",
            "cardinality ((2#true, false) intersect (3#true))",
            "2",
        ),
        (
            "unsigned",
            "cardinality ((2#true, false) union (3#true))",
            "6",
        ),
        (
            "bool",
            "(subset t { 3#true, 2#false } !t) equals (2#false)",
            "true",
        ),
        (
            "bool",
            "(map t { 3#true, 2#false } !t) equals (3#false, 2#true)",
            "true",
        ),
        (
            "bool",
            "(map n#t { 3#true, 2#false } (t ? 1#!t : n#t)) equals (3#false)",
            "true",
        ),
        ("bool", "(true, true) subset (2#true)", "true"),
    ] {
        assert_eq!(value(types, ty, expression), expected, "{expression}");
    }
}

#[test]
fn constraints() {
    for (ty, count) in [
        ("int (1..4, 3, 5)", 5),
        ("int (1..)(..5)", 5),
        ("bool(false)[queue 347](..{false})[int(33101)]", 2),
        ("unsigned (..3, 7)", 5),
        ("struct { bool a; bool b } ({true,false}..{false,true})", 2),
    ] {
        let text = format!("typedef {ty} t; place p (1) unsigned: #t; place all t: t x: x;");
        let all = markings(&text);
        assert!(all[0].starts_with(&format!("p={count} ")), "{all:?}");
    }
    let around = markings(
        "typedef unsigned (1..2, 5) t; place p (1) t: 1; trans n in { p: x; } out { p: +x; };",
    );
    assert_eq!(around, ["p=1", "p=2", "p=5"]);
}

#[test]
fn what_goes_wrong_is_told() {
    let with = |out: &str| {
        format!(
            "typedef bool[queue 1] q; place p q: {{}}; trans t in {{ p: x; }} out {{ p: {out}; }};"
        )
    };
    assert_eq!(faults(&with("-x")), [FaultKind::Buffer]);
    assert_eq!(faults(&with("(x + true) + true")), [FaultKind::Buffer]);
    assert_eq!(faults(&with("undefined")), [FaultKind::Undefined]);
    assert_eq!(faults(&with("fatal")), [FaultKind::Undefined]);
    let capacity =
        "place p (0..1) bool: true; place q bool: false; trans t in { q: x; } out { p: x; };";
    assert_eq!(faults(capacity), [FaultKind::Capacity]);
    let constant = "place p bool const: true; trans t in { p: x; };";
    assert_eq!(faults(constant), [FaultKind::Dependent]);
    let dependent = "place p bool: true; place q bool: place p; trans t in { p: x; };";
    assert_eq!(faults(dependent), [FaultKind::Dependent]);
    let outside =
        "typedef unsigned (0..1) n; place p n: 1; trans t in { p: x; } out { p: is n (x + 1); };";
    assert_eq!(faults(outside), [FaultKind::OutsideOfType]);
    let union = "typedef union { bool a; char b } u; place p u: a = true; place q char; \
                 trans t in { p: x; } out { q: x.b; };";
    assert_eq!(faults(union), [FaultKind::Component]);
    // A condition that does not hold counts more than one without a value.
    let order = "place p unsigned: 0; trans t in { p: x; } gate 1 / x > 0, x != 0;";
    assert_eq!(faults(order), []);
    let atom = "place p unsigned: 0; trans t in { p: x; } gate atom (x != 0 && 1 / x > 0);";
    assert_eq!(faults(atom), []);
}

#[test]
fn places() {
    let constant = "typedef unsigned (1..2) n; place c n const: n x: x; place p (1) n: 1; \
                    trans t in { c: x; p: y; } out { c: x; p: x; };";
    assert_eq!(markings(constant), ["p=1", "p=2"]);
    let taken = "place p bool: 2#true; place q bool; trans t in { p: 2#x; } out { q: place p; };";
    assert_eq!(markings(taken), ["p=2#true q=empty", "p=empty q=2#true"]);
    let empty = "typedef struct {} token; place p token: 2#{}; trans t in { p: x; };";
    assert_eq!(markings(empty), ["p=2#{}", "p={}", "p=empty"]);
    let whole = "place p bool: 2#true, false; trans t in { p: (2#true, false) minus false; };";
    assert_eq!(markings(whole), ["p=false, 2#true", "p=false"]);
}

#[test]
fn variables() {
    // A variable for each value of a counter, and of the value before.
    let family = "typedef unsigned (1..3) i; place p i: i x: x; place q i; \
                  trans t in { p: i e: .n; } out { q: .n_first; };";
    assert!(load(family, &[]).is_err());
    let ordered = "typedef unsigned (1..3) i; place p i: i x: x; \
                   trans t in { p: i e: .n; } gate i e && (e == <i || :n < .n);";
    let found = search(&*net(ordered));
    assert_eq!((found.states, found.arcs), (2, 1));
    let any = "typedef unsigned (1..3) i; place p i: i x: x; trans t in { p: i e: .n; };";
    assert_eq!(search(&*net(any)).arcs, 6);
    let output = "typedef unsigned (1..4) n; place p (1) n: 1; trans t in { p: x; } out { p: n v! (v > x); };";
    let found = search(&*net(output));
    assert_eq!((found.states, found.arcs), (4, 6));
    let unnamed = "place p (1) bool: true; trans t in { p: x; } out { p: bool!; };";
    assert_eq!(search(&*net(unnamed)).arcs, 4);
    let multiple = "typedef unsigned (0..3) n; place c n: 2; place p bool: 3#true; \
                    trans t in { p: k#x; c: k; };";
    assert_eq!(markings(multiple), ["c=2 p=3#true", "c=empty p=true"]);
    let hidden = "place p bool: true; trans t { hide bool x; } in { p: x; } hide x;";
    assert_eq!(markings(hidden), ["p=true", "p=empty"]);
}

#[test]
fn transitions() {
    let blocks = "place p bool: true; place q bool; trans t in { p: x; }; trans t out { q: !x; };";
    assert_eq!(markings(blocks), ["p=true q=empty", "p=empty q=false"]);
    let calls = "place p bool: true; place q bool; trans :move out { q: x; }; \
                 trans t in { p: x; } : trans move;";
    assert_eq!(markings(calls), ["p=true q=empty", "p=empty q=true"]);
    let urgent =
        "place p bool: true, false; trans first ! in { p: true; }; trans second in { p: x; };";
    assert_eq!(markings(urgent), ["p=false, true", "p=false", "p=empty"]);
    let classes = "place p bool: true, false; trans a 1 in { p: true; }; trans b 2 in { p: false; }; \
                   trans c 1 in { p: false; };";
    // `a` and `c` in the beginning, `a` behind `c`, and `b` behind `a`, where it is first.
    assert_eq!(search(&*net(classes)).arcs, 4);
    let before =
        "place p bool: true, false; trans free in { p: x; }; trans urgent 1 in { p: true; };";
    // Three in the beginning, one behind `true`, two behind `false`.
    assert_eq!(search(&*net(before)).arcs, 6);
}

#[test]
fn subnets_fire_together() {
    let text = "trans :go { bool v; }; \
                subnet left { place l bool: true; trans go_l : trans go in { l: x; } { bool v = x; }; }; \
                subnet right { place r bool; place other bool: false; \
                  trans go_r : trans go out { r: v; }; trans go_s : trans go in { other: y; } out { r: v && y; }; };";
    let all = markings(text);
    assert_eq!(
        all,
        [
            "l=true r=empty other=false",
            "l=empty r=true other=false",
            "l=empty r=false other=empty"
        ]
    );
}

#[test]
fn formulas() {
    let model = net(
        "typedef unsigned (0..2) n; place p (1) n: 0; prop two: place p equals 2; \
                     trans t in { p: x; } out { p: +x; } gate x != 2;",
    );
    for (formula, holds) in [
        ("<> two", true),
        ("<> [] two", true),
        ("[] two", false),
        ("() () two", true),
        ("() () () two", true),
        ("!two until two", true),
        ("!two U two", true),
        ("two release !two", false),
        ("false R cardinality place p == 1", true),
        ("n v && <> place p equals v", true),
        ("n v || [] place p equals v", false),
        (
            "n v (v > 0) && [] (place p equals v => () place p equals 2)",
            true,
        ),
        ("(<> two) <=> (<> [] two)", true),
        ("(<> two) ^^ (<> [] two)", false),
    ] {
        assert_eq!(
            is_holding_by(&*model, formula, false, None),
            Some(holds),
            "{formula}"
        );
    }
    let branching = |formula: &str| {
        let mut asking = evenhand_verify::Asking::default();
        asking.request.properties = Wanted::Named(Vec::new());
        asking.request.branching = vec![formula.to_string()];
        let options = evenhand_verify::Options::default();
        let report =
            evenhand_verify::check(&*model, &asking, &options, &mut evenhand_verify::Silent);
        report
            .unwrap_or_else(|error| panic!("{formula}: {error}"))
            .properties[0]
            .verdict
            .holds()
    };
    for (formula, holds) in [
        ("AG EF two", true),
        ("AF two", true),
        ("EX place p equals 1", true),
        ("AG (two => !EX two)", true),
        ("E (!two U two)", true),
        ("A [] !two", false),
    ] {
        assert_eq!(branching(formula), holds, "{formula}");
    }
}

/// What is remembered is what is computed: a run that is explained remembers nothing.
#[test]
fn tables_are_right() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = Vec::new();
    for folder in ["models/petri", "../shared/corpora/petri/maria"] {
        let Ok(entries) = std::fs::read_dir(root.join(folder)) else {
            println!("skipped: {folder}");
            continue;
        };
        paths.extend(entries.flatten().map(|entry| entry.path()));
    }
    paths.retain(|path| path.extension().is_some_and(|e| e == "pn"));
    paths.sort();
    let (mut steps, mut served) = (0, 0);
    for path in paths {
        let bytes = std::fs::read(&path).expect("a net");
        let model = load(&String::from_utf8_lossy(&bytes), &["FAIR"]);
        let model = model.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let inquiry = model
            .resolve(&Request::default())
            .unwrap_or_else(|error| panic!("{error}"));
        let fairness = Assumptions::fairness(&*inquiry.meaning, &inquiry.assumptions, 0);
        let items = fairness.unwrap_or_else(|error| panic!("{error}")).items;
        let system = inquiry
            .body
            .explicit()
            .unwrap_or_else(|_| panic!("explicit"));
        let (mut one, mut two) = (system.explorer(&items), system.explorer(&items));
        let (mut fast, mut slow) = (Successors::new(), Successors::new());
        one.initial(&mut fast);
        let mut known = std::collections::BTreeSet::from([fast.state(0).to_vec()]);
        let mut open = std::collections::VecDeque::from([fast.state(0).to_vec()]);
        while let Some(state) = open.pop_front() {
            one.expand(&state, &mut fast);
            two.explain(&state, &mut slow);
            assert_eq!(fast.len(), slow.len());
            assert_eq!(fast.enabled(), slow.enabled());
            for index in 0..fast.len() {
                let (a, b): (Step, Step) = (fast.step(index), slow.step(index));
                assert_eq!(
                    (fast.state(index), a),
                    (slow.state(index), b),
                    "{}",
                    path.display()
                );
                assert_eq!(fast.taken(index), slow.taken(index));
                steps += 1;
                served += usize::from(fast.taken(index).iter().any(|word| *word != 0));
                if known.len() < 400 && known.insert(fast.state(index).to_vec()) {
                    open.push_back(fast.state(index).to_vec());
                }
            }
        }
    }
    println!("{steps} steps, {served} with fairness");
    assert!(steps > 20);
}
