//! Propositions that have no value in some state: an engine decides only what holds, or fails, whatever the value is.
//!
//! A variable with more values than the questions at load time look at keeps what can go wrong in a model out of their reach, so
//! that engines meet it. Beside each property `f(p)` stand `f(d & p)` and `f(!d | p)`, where `d` says that `p` has a value: these
//! always have one. What an engine decides about `f(p)` must be their verdict, and with it `p` and `!p` are never both decided
//! against each other.

use std::time::Duration;

use evenhand::{Model, PropertyResult, Smv, StopReason, Verdict};
use evenhand_testkit::promela_programs::random::Random;

use crate::common::{Asked, cases, first_seed};

const ENGINES: [&str; 8] = [
    "auto",
    "streett",
    "latvala-heljanko",
    "lichtenstein-pnueli",
    "ndfs",
    "feasible",
    "symbolic",
    "sat",
];

/// What may stand in a property, with where it has a value.
fn partial(random: &mut Random) -> (String, String) {
    let compared = *random.pick(&["= 1", "> 0", "<= 1", "!= 2"]);
    let number = random.below(4);
    match random.below(5) {
        0 => (
            format!("n / (toint(w) - {number}) {compared}"),
            format!("toint(w) != {number}"),
        ),
        1 => (
            format!("(n + {number}) mod toint(w) {compared}"),
            "w != 0ud13_0".to_string(),
        ),
        2 => (
            format!("b[toint(w) - {number}]"),
            format!("toint(w) >= {number} & toint(w) <= {number} + 1"),
        ),
        3 => (
            format!("toint(0ud3_{number} << (toint(w) + {number})) {compared}"),
            format!("toint(w) + {number} <= 3"),
        ),
        _ => (
            format!("w / (w - 0ud13_{number}) > 0ud13_1"),
            format!("w != 0ud13_{number}"),
        ),
    }
}

/// A model whose word runs through a few small values, and its properties in groups of three.
fn model(random: &mut Random) -> (String, usize) {
    let last = random.between(1, 4);
    let mut text = format!(
        "MODULE main\nVAR w : unsigned word[13]; n : 0..3; b : array 0..1 of boolean; f : boolean;\n\
         ASSIGN init(w) := 0ud13_{}; next(w) := case w >= 0ud13_{last} : 0ud13_{}; f : w + 0ud13_1; TRUE : w; esac;\n\
         init(n) := {}; next(n) := case n < 3 & f : n + 1; TRUE : n; esac;\n\
         init(b[0]) := {{TRUE, FALSE}}; next(b[0]) := b[0]; init(b[1]) := FALSE; next(b[1]) := f;\n",
        random.below(2),
        random.below(3),
        random.below(4)
    );
    if random.below(2) == 0 {
        text += "JUSTICE f\n";
    }
    let shapes = [
        "INVARSPEC %",
        "LTLSPEC G %",
        "LTLSPEC !(F %)",
        "LTLSPEC F %",
        "LTLSPEC G F %",
        "LTLSPEC F G %",
        "LTLSPEC G (b[1] -> (% U f))",
        "LTLSPEC G (n = 3 -> %)",
        "LTLSPEC (O %) | F %",
        "CTLSPEC AG %",
        "CTLSPEC !EF %",
        "CTLSPEC AF %",
        "CTLSPEC EG %",
        "CTLSPEC A[% U b[1]]",
        "CTLSPEC AG EX %",
    ];
    let groups = 6;
    for _ in 0..groups {
        let (mut p, d) = partial(random);
        if random.below(2) == 0 {
            p = format!("!({p})");
        }
        let shape = *random.pick(&shapes);
        for one in [
            format!("({p})"),
            format!("({d} & {p})"),
            format!("(!({d}) | {p})"),
        ] {
            text += &shape.replace('%', &one);
            text += "\n";
        }
    }
    (text, groups)
}

fn ask(model: &Model, engine: &str, text: &str) -> Vec<PropertyResult> {
    let mut asked = Asked::default().by(engine);
    asked.options.limit_time = Some(Duration::from_secs(60));
    asked.options.limit_memory = Some(1 << 30);
    if engine == "sat" {
        asked.options.max_depth = Some(6);
    }
    match asked.run(model) {
        Ok(report) => report.properties,
        Err(error) => panic!("{engine}: {error:?}\n{text}"),
    }
}

#[test]
fn what_has_no_value_decides_nothing() {
    let (mut decided, mut open, mut seed) = (0, 0, first_seed(1));
    let last = seed + cases(12);
    while seed < last {
        let (text, groups) = model(&mut Random::new(seed));
        seed += 1;
        let model = Model::parse("m.smv", &*text, &Smv).expect("a model");
        for engine in ENGINES {
            let results = ask(&model, engine, &text);
            let own: Vec<_> = results.iter().filter(|p| p.name != "total").collect();
            // Verdicts come in the order of kinds: those of a group are neighbours all the same.
            assert_eq!(own.len(), 3 * groups);
            for group in own.chunks(3) {
                let [p, low, high] = group else {
                    panic!("three each");
                };
                for other in [low, high] {
                    let is_decided = p.verdict.is_decided() && other.verdict.is_decided();
                    assert!(
                        !is_decided || p.verdict.word() == other.verdict.word(),
                        "seed {}, {engine}: {} {:?}, but {} {:?}\n{text}",
                        seed - 1,
                        p.name,
                        p.verdict,
                        other.name,
                        other.verdict
                    );
                    let has_answer = other.verdict.is_decided() || engine == "sat";
                    assert!(has_answer, "seed {}, {engine}: {other:?}\n{text}", seed - 1);
                }
                match &p.verdict {
                    Verdict::Unknown(StopReason::NoValue(_)) => open += 1,
                    verdict => decided += u64::from(verdict.is_decided()),
                }
            }
        }
    }
    println!(
        "{decided} decided, {open} without a value, last seed {}",
        seed - 1
    );
    assert!(decided > 50 && open > 50, "{decided} {open}");
}
