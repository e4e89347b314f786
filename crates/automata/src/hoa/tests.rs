//! The format: examples of each feature, errors with places, round trips, mutated text.

use super::*;
use crate::emptiness::{accepting_lasso, check_lasso, is_empty};
use crate::testing::*;
use crate::{Acceptance, Automaton, Condition, Mark, State, accepts};
use evenhand_source::{Diagnostic, FileId, Files};

fn one(text: &str) -> Automaton {
    let stream = read_hoa(text, FileId(0));
    assert_eq!(stream.diagnostics, [], "{text}");
    assert_eq!(stream.automata.len(), 1);
    stream.automata.into_iter().next().unwrap()
}

fn error(text: &str) -> (String, String) {
    let mut files = Files::new();
    let id = files.add("x.hoa", text);
    let stream = read_hoa(text, id);
    let d: &Diagnostic = &stream.diagnostics[0];
    let span = d.span.expect("every error has a place");
    (d.message.clone(), files.position(span).to_string())
}

fn same_words(a: &Automaton, b: &Automaton, props: usize) {
    for word in short_words(props, 1, 2) {
        assert_eq!(accepts(a, &word), accepts(b, &word), "{word:?}");
    }
}

const HEAD: &str = "HOA: v1\nStates: 2\nStart: 0\nAP: 2 \"a\" \"b\"\n";

#[test]
fn aliases_state_labels_and_state_marks() {
    let text = format!(
        "{HEAD}Alias: @x 0 & !1\nAlias: @y !@x | 1\nAcceptance: 1 Inf(0)\n--BODY--\n\
         State: [@x] 0 \"zero\" {{0}} 0 1 State: 1 [@y] 1 {{0}} [@x&f] 0 --END--"
    );
    let a = one(&text);
    assert_eq!(a.state_name(State(0)), "zero");
    let plain = one(&format!(
        "{HEAD}Acceptance: 1 Inf(0) --BODY-- State: 0 [0&!1] 0 {{0}} [0&!1] 1 {{0}}\n\
         State: 1 [!0|1] 1 {{0}} --END--"
    ));
    assert_eq!(a.edge_count(), plain.edge_count());
    same_words(&a, &plain, 2);
}

/// A label that was read before is known by its text, whatever a comment in it says.
#[test]
fn labels_come_again() {
    let plain = one(&format!(
        "{HEAD}Acceptance: 1 Inf(0) --BODY-- State: 0 [0&!1] 0 {{0}} [0&!1] 1 {{0}}\n\
         State: 1 [0&1] 1 {{0}} [1&0] 0 [0&!1] 1 --END--"
    ));
    for (first, second) in [
        ("[0&!1]", "[0&!1]"),
        ("[0 /*]*/ & !1]", "[0 /*]*/ & !1]"),
        ("[0 /*]*/ & !1]", "[0 /*] 1*/ & !1]"),
        ("[0&/* [0&1] */!1]", "[0&!1/*]*/]"),
        ("[ 0&!1]", "[0&!1 ]"),
    ] {
        let a = one(&format!(
            "{HEAD}Acceptance: 1 Inf(0) --BODY-- State: 0 {first} 0 {{0}} {second} 1 {{0}}\n\
             State: 1 [0&1] 1 {{0}} [1&0] 0 {second} 1 --END--"
        ));
        assert_eq!(a.edges(), plain.edges(), "{first} {second}");
        same_words(&a, &plain, 2);
    }
    // The same text under other aliases, and an error at the second place as at the first.
    let a = format!(
        "{HEAD}Alias: @x 0\nAcceptance: 0 t --BODY-- State: 0 [@x] 1 State: 1 [@x] 1 --END--"
    );
    let both = format!("{a}\n{}", a.replace("@x 0", "@x !0"));
    let stream = read_hoa(&both, FileId(0));
    assert_eq!(stream.diagnostics, []);
    let [a, b] = &stream.automata[..] else {
        panic!("two automata");
    };
    let label = |a: &Automaton| a.cube(a.edges()[1].label).clone();
    assert_ne!(label(a), label(b));
    let (message, place) = error(&format!(
        "{HEAD}Acceptance: 0 t --BODY-- State: 0 [0] 1 [2] 1 State: 1 [0] 1 [0] x --END--"
    ));
    assert!(message.contains("proposition 2"), "{message} {place}");
}

#[test]
fn implicit_labels_count_letters() {
    let a = one(&format!(
        "{HEAD}Acceptance: 0 t --BODY-- State: 0 0 1 0 1 State: 1 1 1 1 1 --END--"
    ));
    let plain = one(&format!(
        "{HEAD}Acceptance: 0 t --BODY-- State: 0 [!0] 0 [0] 1 State: 1 [t] 1 --END--"
    ));
    assert_eq!(a.edge_count(), 8);
    same_words(&a, &plain, 2);
}

#[test]
fn negated_sets_become_marks_of_their_own() {
    let a = one(&format!(
        "{HEAD}Acceptance: 1 Fin(!0) --BODY-- State: 0 [0] 0 {{0}} [!0] 0 --END--"
    ));
    let plain = one(&format!(
        "{HEAD}Acceptance: 1 Fin(0) --BODY-- State: 0 [0] 0 [!0] 0 {{0}} --END--"
    ));
    same_words(&a, &plain, 2);
    let both = one(&format!(
        "{HEAD}Acceptance: 1 Inf(!0) & Inf(0) --BODY-- State: 0 [0] 0 {{0}} [!0] 0 --END--"
    ));
    assert!(!is_empty(&both));
    assert_eq!(both.mark_count(), 2);
}

#[test]
fn several_automata_comments_and_recovery() {
    let good = format!("{HEAD}Acceptance: 0 t --BODY-- State: 0 [t] 0 --END--\n");
    let bad = good.replace("[t] 0", "[t] 7");
    let text = format!("/* a /* nested */ comment */{good}{bad}{good}");
    let stream = read_hoa(&text, FileId(0));
    assert_eq!((stream.automata.len(), stream.diagnostics.len()), (2, 1));
    assert!(read_hoa("", FileId(0)).automata.is_empty());
    assert!(
        read_hoa(" \n/* nothing */", FileId(0))
            .diagnostics
            .is_empty()
    );
}

#[test]
fn acceptance_formulas_of_every_shape() {
    let a = one(&format!(
        "{HEAD}Acceptance: 4 (Fin(0)|Inf(1)) & Inf(2) & (Fin(3) | (Inf(0) & Fin(1)))\n\
         --BODY-- State: 0 [t] 0 {{0 1 2}} --END--"
    ));
    let acceptance = a.acceptance();
    assert_eq!((acceptance.pairs.len(), acceptance.buchi.0.len()), (1, 1));
    assert_ne!(acceptance.other, Condition::True);
    assert!(!is_empty(&a));
}

#[test]
fn errors_have_a_message_and_a_place() {
    let body = |b: &str| format!("{HEAD}Acceptance: 1 Inf(0)\n--BODY--\n{b}\n--END--");
    let check = |text: String, message: &str, place: &str| {
        let (m, p) = error(&text);
        assert!(m.contains(message), "{m}");
        assert_eq!(p, place, "{m}");
    };
    check(body("State: 0 [t] 0&1"), "universal branching", "7:15");
    check("HOA: v1 Start: 0&1".into(), "universal branching", "1:17");
    check(body("State: 0 [2] 0"), "proposition 2", "7:11");
    check(body("State: 0 [@z] 0"), "not defined", "7:11");
    check(body("State: 0 [t] 5"), "not among the 2", "7:14");
    check(body("State: 0 [t] 0 {1}"), "set 1", "7:17");
    check(body("State: 0 0 0"), "one per letter", "7:8");
    check(body("State: 0 State: 0"), "twice", "7:17");
    check(body("State: 0 [t 0"), "expected \"]\"", "7:13");
    check(body("State: 0 [t] 99999999999"), "too large", "7:14");
    check("HOA: v2".into(), "version v1", "1:6");
    check(
        "HOA: v1 Start: 0 --BODY-- --END--".into(),
        "no \"Acceptance:\"",
        "1:18",
    );
    check("HOA: v1 Weird: 1".into(), "changes the meaning", "1:9");
    check("hello".into(), "expected \"HOA:\"", "1:1");
    check("HOA: v1 name: \"x".into(), "does not end", "1:15");
    check("/* x".into(), "does not end", "1:1");
    check("HOA: v1 Acceptance: 2 Inf(2)".into(), "set 2", "1:27");
    check(
        "HOA: v1 Acceptance: 2000000000 t".into(),
        "acceptance sets",
        "1:21",
    );
    let far = "HOA: v1 States: 2000000000 Start: 1999999999 Acceptance: 0 t --BODY-- --END--";
    check(far.into(), "too short", "1:35");
    check(
        "HOA: v1 properties: no-univ-branch univ-branch".into(),
        "universal",
        "1:36",
    );
    let deep = format!("HOA: v1 AP: 0 Acceptance: 1 {}Inf(0)", "(".repeat(100_000));
    check(deep, "levels of parentheses", "1:529");
    let deep = body(&format!("State: 0 [{}t] 0", "!".repeat(100_000)));
    check(deep, "levels of parentheses", "7:511");
}

#[test]
fn a_label_that_grows_is_refused() {
    let parity: Vec<String> = (0..24)
        .map(|p| format!("({} | {})", 2 * p, 2 * p + 1))
        .collect();
    let names: Vec<String> = (0..48).map(|p| format!("\"p{p}\"")).collect();
    let text = format!(
        "HOA: v1 Start: 0 AP: 48 {} Acceptance: 0 t --BODY-- State: 0 [{}] 0 --END--",
        names.join(" "),
        parity.join(" & ")
    );
    assert!(error(&text).0.contains("conjunctions of literals"));
}

#[test]
fn what_is_written_is_read_back() {
    let mut random = Random::new(21);
    for round in 0..cases(300) {
        let acceptance = random_acceptance(&mut random);
        let a = random_automaton(&mut random, 1..=4, 0..=8, 2, acceptance);
        let text = write_hoa(&a).unwrap();
        let b = one(&text);
        assert_eq!(b.acceptance().to_condition(), a.acceptance().to_condition());
        assert_eq!(
            (a.initial(), a.state_count()),
            (b.initial(), b.state_count()),
            "{text}"
        );
        let again = write_hoa(&b).unwrap();
        assert_eq!(write_hoa(&one(&again)).unwrap(), again);
        if round % 10 == 0 {
            same_words(&a, &b, 2);
        }
    }
    let mut b = crate::Builder::new(vec!["a \"b\" \\".into()], Acceptance::streett(1));
    b.name = Some("quo\"te".into());
    let s = b.add_named_state("s\\0");
    b.add_initial(s);
    b.add_conditional(
        Mark(0),
        crate::Literal {
            prop: crate::Prop(0),
            positive: true,
        },
    );
    let with_table = b.build();
    assert_eq!(write_hoa(&with_table), Err(HasConditionalMarks));
}

/// Whatever the text, the reader ends without a panic, and what it accepts can be used.
#[test]
fn mutated_text_never_panics() {
    let mut random = Random::new(22);
    let seeds = [
        format!(
            "{HEAD}Alias: @x 0 & !1\nacc-name: Rabin 1\nAcceptance: 2 Fin(0) & Inf(!1)\n\
             properties: state-acc\nname: \"n\\\"\"\n--BODY--\nState: [@x] 0 \"z\" {{0}} 0 1\n\
             State: 1 {{1}} 0 1 1 0\n--END--\n"
        ),
        format!(
            "{HEAD}Acceptance: 4 (Fin(0)|Inf(1)) & (Fin(2)|Inf(3))--BODY-- \
             State: 0 [t] 0 {{1 2}} [!0|(1&0)] 1 --END--"
        ),
    ];
    let alphabet = b"0123456789 (){}[]!&|@:\"\\-/*\nABEINSTabefit\xc3\xa4\xff";
    for round in 0..cases(4000) {
        let mut bytes = seeds[round % 2].clone().into_bytes();
        for _ in 0..random.within(1..=6) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = alphabet[random.below(alphabet.len())],
                1 => bytes.insert(at, alphabet[random.below(alphabet.len())]),
                2 => {
                    bytes.remove(at);
                }
                _ => {
                    let end = (at + random.below(20)).min(bytes.len());
                    let piece = bytes[at..end].to_vec();
                    let to = random.below(bytes.len());
                    bytes.splice(to..to, piece);
                }
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        for a in read_hoa(&text, FileId(0)).automata {
            if let Some(lasso) = accepting_lasso(&a) {
                assert_eq!(check_lasso(&a, &lasso), Ok(()));
            }
            write_hoa(&a).unwrap();
        }
    }
}

/// The automata of the shared corpus, where it is there, with the verdicts recorded for them.
#[test]
fn verdicts_of_the_corpus() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpora/hoa");
    let Ok(expected) = std::fs::read_to_string(format!("{folder}/expected.jsonl")) else {
        eprintln!("skipped: no corpus beside the repository");
        return;
    };
    let field = |line: &str, name: &str| -> String {
        let start = line.find(&format!("\"{name}\": \"")).unwrap() + name.len() + 5;
        line[start..start + line[start..].find('"').unwrap()].to_owned()
    };
    let mut count = 0;
    for line in expected.lines() {
        let text = std::fs::read_to_string(format!("{folder}/{}", field(line, "file"))).unwrap();
        let a = one(&text);
        let lasso = accepting_lasso(&a);
        assert_eq!(lasso.is_none(), field(line, "verdict") == "empty", "{line}");
        if let Some(lasso) = lasso {
            assert_eq!(check_lasso(&a, &lasso), Ok(()), "{line}");
        }
        count += 1;
    }
    assert!(count > 10);
}

/// The only warning about an automaton that is read all the same.
fn doubt(text: &str) -> String {
    let stream = read_hoa(text, FileId(0));
    assert_eq!(stream.automata.len(), 1, "{text}");
    let messages: Vec<&String> = stream.diagnostics.iter().map(|d| &d.message).collect();
    assert_eq!(messages.len(), 1, "{messages:?}");
    messages[0].clone()
}

#[test]
fn version_1_1_has_dots_in_names_and_denied_properties() {
    let body =
        "Acceptance: 1 Inf(0) --BODY-- State: 0 [@a.b] 0 {0} [!@a.b] 1 State: 1 [t] 1 --END--";
    let head = "States: 2 Start: 0 AP: 1 \"a\" tool.version: \"1.2\" Alias: @a.b 0";
    let a = one(&format!(
        "HOA: v1.1 {head} properties: !univ-branch !weak complete {body}"
    ));
    let b = one(&format!("HOA: v1 {head} {body}"));
    assert_eq!(a.edge_count(), 3);
    same_words(&a, &b, 1);
    let (message, place) = error(&format!("HOA: v2.0 {head} {body}"));
    assert_eq!(
        (&*message, &*place),
        ("expected version v1 or v1.1, found \"v2.0\"", "1:6")
    );
    let (message, _) = error(&format!("HOA: v1.1 {head} properties: ! {body}"));
    assert!(message.starts_with("expected a property"), "{message}");
    let (message, _) = error(&format!("HOA: v1.1 {head} properties: univ-branch {body}"));
    assert!(message.contains("alternating"), "{message}");
}

#[test]
fn states_that_are_only_mentioned_are_doubtful() {
    let text = "HOA: v1 Start: 0 AP: 0 Acceptance: 0 t --BODY-- State: 0 [t] 0 [t] 3 --END--";
    assert_eq!(
        doubt(text),
        "state 3 is never described: no run goes on from it"
    );
    let text = "HOA: v1 Start: 7 AP: 0 Acceptance: 0 t --BODY-- State: 0 [t] 0 --END--";
    assert_eq!(
        doubt(text),
        "state 7 is never described: no run goes on from it"
    );
    // All of them are one warning.
    let text = "HOA: v1 Start: 0 AP: 0 Acceptance: 0 t --BODY-- State: 0 [t] 2 [t] 3 [t] 9 --END--";
    assert_eq!(
        doubt(text),
        "state 2 is never described: no run goes on from it"
    );
    // A state without edges may be meant.
    one("HOA: v1 Start: 0 AP: 0 Acceptance: 0 t --BODY-- State: 0 [t] 1 State: 1 --END--");
}

#[test]
fn false_claims_are_doubtful() {
    let automaton = |claims: &str, edges: &str| {
        format!(
            "HOA: v1.1 Start: 0 AP: 2 \"a\" \"b\" properties: {claims} Acceptance: 0 t --BODY-- State: 0 {edges} --END--"
        )
    };
    let not = |word: &str| format!("the automaton is not {word}, though its header says so");
    let denied = |word: &str| format!("the automaton is {word}, though its header denies it");
    let (both, some, choice) = ("[0] 0 [!0] 0", "[0&1] 0", "[0] 0 State: 1 [t] 1 [0|1] 0");
    one(&automaton("deterministic complete", both));
    one(&automaton("deterministic !complete", some));
    one(&automaton("!deterministic stutter-invariant", choice));
    assert_eq!(doubt(&automaton("complete", some)), not("complete"));
    assert_eq!(
        doubt(&automaton("deterministic", choice)),
        not("deterministic")
    );
    assert_eq!(
        doubt(&automaton("!deterministic", both)),
        denied("deterministic")
    );
    assert_eq!(doubt(&automaton("!complete", both)), denied("complete"));
    // The cubes of one label overlap, and leave no choice.
    one(&automaton("deterministic", "[0|1] 0 [!0&!1] 1 State: 1"));
    let starts = "HOA: v1 Start: 0 Start: 1 AP: 0 properties: deterministic Acceptance: 0 t --BODY-- State: 0 [t] 0 State: 1 --END--";
    assert_eq!(doubt(starts), not("deterministic"));
}
