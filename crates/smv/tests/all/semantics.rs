//! Small models, each about one rule of the language: how many states there are, or what is wrong.
//!
//! The numbers are NuSMV's; where NuSMV is at hand, it is asked again.

use evenhand_smv::Smv;
use evenhand_source::Files;
use evenhand_system::signature::Telling;
use evenhand_system::{Explicit, FinishedRuns, Language, ReadOptions};
use evenhand_testkit::smv_models::nusmv::{Answer, find, reachable};

use crate::common::{explored, load};

/// A model without its first line `MODULE main`, unless it has modules of its own, and its states.
#[rustfmt::skip]
const ACCEPTED: &[(&str, u64)] = &[
    // Assignments.
    ("VAR x : 0..3; ASSIGN init(x) := 0; next(x) := (x + 1) mod 4;", 4),
    ("VAR x : 0..3; ASSIGN init(x) := 1; next(x) := {x, 3};", 2),
    ("VAR x : 0..3; y : 0..3; ASSIGN x := y; init(y) := 1; next(y) := y;", 1),
    ("VAR x : 0..3; y : 0..3; ASSIGN x := y; next(y) := next(x);", 4),
    ("VAR x : 0..3; ASSIGN next(x) := case x < 2 : 1; x >= 2 : 3; esac;", 4),
    ("VAR x : 0..3; ASSIGN next(x) := case x = 0 : 0; TRUE : 3 / x; esac;", 4),
    ("VAR x : 0..3; b : boolean; ASSIGN next(b) := x = 0 | 10 / x > 2;", 8),
    ("VAR x : 0..3; b : boolean; TRANS x != 0 -> 10 / x > 2", 8),
    ("VAR x : {a, b, 3}; y : {b, c}; INIT x = y TRANS next(x) = x & next(y) = y", 1),
    ("VAR x : 0..3; INIT x in {1} union {2, 3} INIT {1, 2} in {1, 2, 3} TRANS next(x) = x", 3),
    ("FROZENVAR b : boolean; x : 0..1; INIT x in (b union 1)", 2),
    ("VAR x : 0..3; INIT x = 7", 0),
    // Precedence.
    ("FROZENVAR a : boolean; b : boolean; INIT !a = b", 2),
    ("FROZENVAR a : boolean; b : boolean; c : boolean; INIT a -> b -> c", 7),
    ("FROZENVAR a : boolean; b : boolean; c : boolean; INIT a <-> b -> c", 6),
    ("FROZENVAR a : boolean; b : boolean; c : boolean; INIT a | b & c", 5),
    ("FROZENVAR a : boolean; b : boolean; c : boolean; INIT a xor b | c", 6),
    ("FROZENVAR x : 0..7; INIT x - 1 - 1 = 2", 1),
    ("FROZENVAR x : 0..7; INIT 7 - x * 2 = 1", 1),
    ("FROZENVAR x : 0..7; INIT x = 1 ? TRUE : x = 2 ? TRUE : FALSE", 2),
    ("FROZENVAR x : 0..7; INIT -x + 3 = 1", 1),
    // Division goes towards zero.
    ("FROZENVAR x : -7..7; INIT x / 2 = -1", 2),
    ("FROZENVAR x : -7..7; INIT x mod 3 = -1", 3),
    // Words.
    ("FROZENVAR w : word[4]; INIT w + 0ud4_1 = 0ud4_0", 1),
    ("FROZENVAR w : signed word[4]; INIT w / 0sd4_2 = -0sd4_1", 2),
    ("FROZENVAR w : signed word[4]; INIT w mod 0sd4_3 = -0sd4_1", 3),
    ("FROZENVAR w : signed word[4]; INIT -w = w", 2),
    ("FROZENVAR w : word[4]; INIT (w >> 1)[1:1] = 0ub1_1", 8),
    ("FROZENVAR w : signed word[4]; INIT w >> 3 = -0sd4_1", 8),
    ("FROZENVAR w : word[2]; INIT w :: w = 0ub4_1010", 1),
    ("FROZENVAR w : signed word[4]; INIT resize(w, 2) = 0sb2_10", 4),
    ("FROZENVAR w : signed word[2]; INIT toint(extend(w, 2)) < 0", 2),
    ("FROZENVAR w : word[3]; INIT toint(w) = 5 | !w = 0ub3_101", 2),
    ("FROZENVAR b : boolean; w : word[1]; INIT word1(b) = w & bool(w)", 1),
    ("FROZENVAR a : boolean; b : boolean; c : boolean; INIT count(a, b, c) = 2", 3),
    ("VAR u : word[64]; b : boolean; ASSIGN init(u) := 0uh64_fffffffffffffffe; \
      next(u) := u + 0ud64_1; TRANS u != 0ud64_1", 8),
    // Arrays.
    ("VAR a : array 0..2 of boolean; i : 0..2; ASSIGN next(a[1]) := a[i]; init(a[0]) := a[2];", 24),
    ("VAR i : 0..2; x : 0..9; DEFINE d := [1, 2, i]; e := [[1, 2], [3, 4]]; \
      ASSIGN next(x) := d[i] + e[1][0];", 30),
    ("VAR a : array 0..1 of boolean; b : array 0..1 of boolean; \
      ASSIGN next(a) := b; next(b) := b; INIT a[0] & a[1] & b[0] & !b[1]", 2),
    // Other kinds of variables.
    ("VAR x : 3..3; y : boolean; DEFINE d := x + 1; INIT d = 4", 2),
    ("FROZENVAR f : 0..3; VAR x : 0..3; ASSIGN next(x) := f; init(x) := 0;", 7),
    ("IVAR i : boolean; VAR x : 0..2; ASSIGN init(x) := 0; \
      next(x) := case i & x < 2 : x + 1; TRUE : x; esac;", 3),
    ("CONSTANTS on, off; VAR x : boolean; DEFINE d := x ? on : off; INIT d = on \
      TRANS next(d) = d", 1),
    ("VAR x.y : boolean; a[3] : boolean; INIT x.y & a[3]", 4),
    // Modules.
    ("MODULE m(p) VAR x : boolean; ASSIGN init(x) := p; next(x) := !x; \
      MODULE main VAR a : m(TRUE); b : m(a.x);", 2),
    ("MODULE m(other) VAR x : boolean; ASSIGN next(x) := other.y; init(x) := FALSE; \
      MODULE main VAR y : boolean; a : m(self); ASSIGN init(y) := FALSE; next(y) := !y;", 3),
    ("MODULE base VAR x : 0..2; ASSIGN init(x) := 0; \
      MODULE main ISA base ASSIGN next(x) := 2 - x;", 2),
    ("MODULE m(p) DEFINE p.seen := x; VAR x : boolean; \
      MODULE main VAR a : m(self); INIT seen TRANS next(seen) = seen", 1),
    ("MODULE m(n) VAR x : 0..n; MODULE main DEFINE k := 2; VAR a : m(k + 1);", 4),
    // Processes: one of them makes the step, and what it does not assign stays.
    ("MODULE p(s) VAR x : 0..1; ASSIGN init(x) := 0; next(x) := 1 - x; next(s) := !s; \
      MODULE main VAR s : boolean; a : process p(s); b : process p(s); \
      ASSIGN init(s) := FALSE;", 4),
    ("MODULE p VAR x : boolean; ASSIGN init(x) := FALSE; next(x) := TRUE; FAIRNESS running \
      MODULE main VAR a : process p; y : boolean; ASSIGN init(y) := FALSE;", 4),
    // Comments.
    ("VAR x : boolean; INIT x /-- no end", 2),
    ("VAR x : boolean; -- a comment\n/-- another\n one --/ y : boolean;", 4),
];

/// Models that are wrong, and what is said about them.
#[rustfmt::skip]
const REFUSED: &[(&str, &str)] = &[
    ("VAR x : 0..3; ASSIGN next(x) := x + 1;",
     "1:45: 4 is assigned to `x`, which cannot have that value"),
    ("VAR x : 0..3; y : boolean; ASSIGN next(x) := y ? {1, 7} : x;",
     "1:58: the values assigned to `x` are not all values of it"),
    ("VAR x : 0..3; ASSIGN next(x) := case x < 2 : 1; x = 2 : 3; esac;",
     "1:45: the conditions of this `case` are not exhaustive"),
    ("VAR x : 0..3; ASSIGN next(x) := 3 / x;", "1:45: this divides by zero"),
    ("VAR x : 0..3; TRANS x != 0 & 10 / x > 2", "1:33: this divides by zero"),
    ("VAR x : boolean; ASSIGN next(x) := 1;",
     "1:48: a value of type integer is assigned to a variable of type boolean"),
    ("VAR a : array 0..2 of boolean; i : 0..3; INIT a[i]",
     "1:59: an array index is out of bounds here"),
    ("VAR a : array 0..2 of boolean; INIT a[3]", "1:49: index 3 is outside of 0..2"),
    ("VAR x : 3..1;", "1:21: 3..1 has no values"),
    ("VAR x : {a, b, a};", "1:28: `a` stands twice in this enumeration"),
    ("VAR x : {TRUE, a};", "1:22: truth values cannot be part of an enumeration"),
    ("VAR x : {a, b}; a : boolean;", "1:29: `a` is also a value of an enumeration"),
    ("VAR x : 0..3; x : boolean;", "1:27: `x` is declared twice"),
    ("VAR x : 3..3; ASSIGN next(x) := x;", "1:39: a variable with one value only is a constant"),
    ("VAR x : 0..3; ASSIGN x := 2; init(x) := 1;",
     "1:47: `x` is assigned now and also initially or next"),
    ("VAR x : 0..3; ASSIGN init(x) := 2; init(x) := 1;", "1:53: `x` is assigned twice"),
    ("VAR x : 0..3; y : 0..3; ASSIGN init(x) := y; init(y) := x;",
     "1:49: the initial value of `x` depends on itself"),
    ("VAR x : 0..3; y : 0..3; ASSIGN next(x) := next(y); next(y) := next(x);",
     "1:49: the next value of `x` depends on itself"),
    ("VAR x : 0..3; ASSIGN x := x;", "1:34: the value of `x` depends on itself"),
    ("DEFINE d := e + 1; e := d - 1;", "1:20: `d` is defined by itself"),
    ("VAR x : boolean; DEFINE d := x + 1;", "1:42: `+` cannot be applied to boolean and integer"),
    ("VAR x : boolean; DEFINE f := nosuch;", "1:42: `nosuch` is not declared"),
    ("VAR x : 0..3; INIT x-1 = 2", "1:32: `x-1` is not declared"),
    ("VAR w : word[1025];", "1:26: a word has 1 to 1024 bits, not 1025"),
    ("VAR w : word[4]; INIT w = 0ud5_1",
     "1:35: `=` cannot be applied to unsigned word[4] and unsigned word[5]"),
    ("VAR w : word[4]; INIT w[4:0] = w", "1:35: bits 4:0 are not inside of a word of 4 bits"),
    ("VAR w : word[4]; INIT 0ud4_16 = w", "1:35: `16` does not fit into 4 bits"),
    ("VAR w : word[40]; INIT toint(w) = 1", "1:36: this word is too wide to become an integer"),
    ("FROZENVAR f : 0..3; ASSIGN next(f) := 2;", "1:45: `f` is frozen: only `init(f)` is assigned"),
    ("IVAR i : 0..3; ASSIGN init(i) := 2;", "1:40: `i` is an input: it is chosen, not assigned"),
    ("IVAR i : boolean; INVAR i", "1:37: an input belongs to a step, not to a state"),
    ("IVAR i : boolean; TRANS next(i)", "1:37: an input belongs to a step: it has no next value"),
    ("VAR x : boolean; TRANS next(next(x))", "1:36: `next` cannot stand inside of `next`"),
    ("VAR x : boolean; INIT next(x)", "1:35: `next` cannot stand here"),
    ("VAR x : boolean; DEFINE d := next(x); INVAR d", "1:57: `next` cannot stand here"),
    ("VAR x : boolean; INIT G x", "1:35: a temporal operator cannot stand here"),
    ("VAR x : 0..3; INIT x", "1:32: this must be a boolean, but it is of type integer"),
    ("VAR x : 0..3; INIT {1, 2} = x", "1:32: `=` cannot be applied to set of integers and integer"),
    ("MODULE m(a, b) VAR z : boolean; MODULE main VAR x : m(TRUE);",
     "1:53: module `m` has 2 parameters, 1 are given"),
    ("MODULE main VAR x : main;", "1:21: module `main` contains itself"),
    ("MODULE m VAR x : boolean;", "there is no module `main`"),
    ("MODULE main VAR x : nope;", "1:21: there is no type or module `nope`"),
    ("MODULE m VAR x : boolean; MODULE m VAR y : boolean; MODULE main VAR z : m;",
     "1:34: module `m` is declared twice"),
    ("VAR x : integer;", "1:21: the type `integer` has infinitely many values"),
    ("VAR x : real; y : boolean;", "1:21: the type `real` has infinitely many values"),
    ("VAR x : boolean; INIT 2.5 = 1", "1:35: real numbers are not supported"),
    ("FUN f : boolean -> boolean; VAR x : boolean;", "1:13: functions are not supported"),
    ("MODULE m VAR x : boolean; MODULE main VAR a : array 0..2 of m;",
     "1:61: arrays of modules are not supported"),
    ("VAR a : array word[2] of word[2];", "1:21: arrays without fixed bounds are not supported"),
    ("VAR x : boolean; LTLSPEC NAME p := G x LTLSPEC NAME p := F x",
     "1:52: there are two properties `p`"),
    ("VAR x : boolean; LTLSPEC AG x",
     "1:38: a path quantifier cannot stand in a formula of linear time"),
    ("VAR x : boolean; CTLSPEC G x",
     "1:38: a temporal operator must stand under a path quantifier here"),
    ("IVAR i : boolean; CTLSPEC AG i", "1:42: an input belongs to a step, not to a state"),
    ("VAR x : boolean; LTLSPEC (G x) = TRUE", "1:38: `=` cannot join temporal formulas"),
    ("VAR x : boolean; LTLSPEC F [3,1] x", "1:38: 3..1 is no range of times"),
    ("VAR x : boolean; INIT x = ;", "1:39: expected an expression, found `;`"),
    ("VAR x : boolean; INIT (x", "1:37: expected `)`, found the end of the file"),
    ("VAR x : boolean; INIT x && x",
     "1:37: expected the beginning of a section, such as `VAR` or `ASSIGN`, found `&&`"),
    ("VAR next : boolean;", "1:17: expected a name, found the reserved word `next`"),
    ("VAR x : boolean; PSLSPEC {x; x} |-> x;",
     "1:38: this part of PSL is not supported: sequences in `{…}`"),
    ("VAR x : boolean; PSLSPEC x abort x;", "1:40: expected `;`, found `abort`"),
    ("@TIME_DOMAIN continuous\nMODULE main VAR x : boolean;",
     "1:1: timed models are not supported"),
    ("#define N 3\nMODULE main VAR x : 0..N;", "1:1: unexpected preprocessor directive"),
];

fn full(text: &str) -> String {
    match text.contains("MODULE") {
        true => text.to_string(),
        false => format!("MODULE main {text}"),
    }
}

#[test]
fn models_have_the_states_that_the_language_gives_them() {
    for (text, states) in ACCEPTED {
        let model = load(&full(text)).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
        let found = explored(model.relation, 1000).map(|(states, _)| states);
        assert_eq!(found, Ok(*states), "{text}");
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    for (text, expected) in REFUSED {
        let errors = load(&full(text)).map(|_| text).expect_err(text);
        assert_eq!(errors[0], *expected, "{text}\n{errors:?}");
    }
}

#[test]
fn nusmv_agrees() {
    let Some(nusmv) = find() else {
        println!("skipped: no NuSMV (set EVENHAND_NUSMV)");
        return;
    };
    let file = std::env::temp_dir().join(format!("evenhand-semantics-{}.smv", std::process::id()));
    let limit = std::time::Duration::from_secs(30);
    let mut wrong = Vec::new();
    for (text, states) in ACCEPTED {
        std::fs::write(&file, full(text)).expect("a temporary file");
        let answer = reachable(&nusmv, &file, limit);
        if answer != Answer::States(states.to_string()) {
            wrong.push(format!("{text}: {answer:?} instead of {states}"));
        }
    }
    for (text, _) in REFUSED {
        std::fs::write(&file, full(text)).expect("a temporary file");
        let answer = reachable(&nusmv, &file, limit);
        // NuSMV ends with a failed assertion for an empty range of an array.
        let (Answer::Refused(_) | Answer::None(_)) = answer else {
            wrong.push(format!("{text}: {answer:?}"));
            continue;
        };
    }
    let _ = std::fs::remove_file(&file);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What engines and reports must know of a model without knowing its language.
#[test]
fn the_system_says_how_it_is_to_be_read() {
    let text = "MODULE main VAR x : 0..3; ASSIGN init(x) := 0; next(x) := (x + 1) mod 4;";
    let model = load(text).expect("correct");
    let system = model.system(false).expect("a small model");
    assert_eq!(system.finished_runs(), FinishedRuns::Ignore);
    let signature = system.signature();
    assert_eq!(signature.told_by, Telling::Values);
    let mut files = Files::new();
    let main = files.add("model.smv", text);
    let specification = Smv.read(files, main, &ReadOptions::default());
    let sources = specification.expect("correct").value_sources();
    assert_eq!(sources, model.sources());
    let told: Vec<(&str, bool)> = sources
        .iter()
        .map(|source| (&*source.variable, source.initial))
        .collect();
    assert_eq!(told, [("x", false), ("x", true)]);
}
