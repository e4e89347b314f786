//! `ltl` blocks: what they mean as formulas, and where their atoms hold.

use evenhand_logic::{Formulas, Spelling, parse, print};

use super::brute::{space, values};
use super::model;

/// Compares the formula of an `ltl` block with one in Spot's spelling, whose atoms are in quotes.
fn check(formula: &str, wanted: &str) {
    let mut model = model(&format!(
        "#define high (x > 3)\n#define always_high [] high\n#define followed(p, q) [] (p -> <> q)\n\
         #define everything <> (a[x + 1] == 2 && !full(c)) || <> (P[0]@here -> 1 : 0) || \\\n\
            <> (P[0]:n % 2 >= -1) || <> c??[1, x]\n\
         byte x, y, a[4]; bool b; chan c = [2] of {{ byte, byte }};
         active proctype P() {{ byte n; here: x = 1 }}\nltl p {{ {formula} }}"
    ));
    let mut store = Formulas::new();
    let (f, propositions) = model.ltl(0, &mut store);
    let texts: Vec<&str> = store.atoms().map(|(_, a)| a.text.as_str()).collect();
    let names: Vec<&str> = propositions
        .iter()
        .map(|&p| model.program.proposition(p))
        .collect();
    assert_eq!(texts, names, "{formula}");
    let mut other = Formulas::new();
    let g = parse(&mut other, wanted, Spelling::Spot).expect("it is a formula");
    let wanted = print(&other, g, Spelling::Spot);
    assert_eq!(print(&store, f, Spelling::Spot), wanted, "{formula}");
}

#[test]
fn operators() {
    check("[] <> b", "G F b");
    check("always eventually (x == 2)", "G F \"x == 2\"");
    check("b U (x > 1)", "b U \"x > 1\"");
    check("b until (x > 1)", "b U \"x > 1\"");
    check("b W (x > 1)", "b W \"x > 1\"");
    check("b weakuntil (x > 1)", "b W \"x > 1\"");
    check("b V (x > 1)", "b R \"x > 1\"");
    check("b release (x > 1)", "b R \"x > 1\"");
    check("X b", "X b");
    check("next b", "X b");
    check("[] (b -> <> (x == 2))", "G (b -> F \"x == 2\")");
    check("[] (b implies <> (x == 2))", "G (b -> F \"x == 2\")");
    check("<> b <-> [] (x == 2)", "F b <-> G \"x == 2\"");
    check("<> b equivalent [] (x == 2)", "F b <-> G \"x == 2\"");
    check(
        "<> b && [] (x == 2) || <> (y == 1)",
        "(F b & G \"x == 2\") | F \"y == 1\"",
    );
    check("!(<> b)", "!F b");
}

#[test]
fn binary_operators_group_to_the_left() {
    check("b U (x > 1) U (y > 1)", "(b U \"x > 1\") U \"y > 1\"");
    check(
        "<> b -> <> (x > 1) -> <> (y > 1)",
        "(F b -> F \"x > 1\") -> F \"y > 1\"",
    );
}

#[test]
fn state_expressions_stay_whole_but_for_negations() {
    check("[] (x != 0 && 8 / x > 2)", "G \"x != 0 && 8 / x > 2\"");
    check("[] (b -> x > 2)", "G \"b -> x > 2\"");
    check("[] !b", "G !b");
    check(
        "[] !(x == 2) && <> (x == 2)",
        "G !\"x == 2\" & F \"x == 2\"",
    );
    check("<> !(!b)", "F b");
    check("[] (P[0]@here)", "G \"P[0]@here\"");
}

#[test]
fn constants_and_equal_atoms() {
    check("[] true", "G 1");
    check("<> false || [] b", "F 0 | G b");
    check("<> (1 + 1 == 2)", "F 1");
    check(
        "<> (x == 1) && [] (x  ==  1)",
        "F \"x == 1\" & G \"x == 1\"",
    );
}

#[test]
fn macros_name_their_atoms() {
    check("<> high", "F high");
    check("<> high && b U high", "F high & (b U high)");
    check("always_high", "G \"x > 3\"");
    check("followed(b, (x == 1))", "G (b -> F \"x == 1\")");
    check(
        "everything",
        "F \"(a[x + 1] == 2) && !full(c)\" | F \"P[0]@here -> 1 : 0\" | \
         F \"(P[0]:n % 2) >= -1\" | F \"c??[1, x]\"",
    );
}

/// One name, two meanings: two propositions.
#[test]
fn a_macro_with_two_meanings() {
    let mut model = model(
        "byte x; active proctype P() { x = 1 }
         #define p (x == 0)\nltl a { <> p }\n#undef p\n#define p (x == 1)\nltl b { <> p }",
    );
    let mut store = Formulas::new();
    let (a, _) = model.ltl(0, &mut store);
    let (b, propositions) = model.ltl(1, &mut store);
    assert_ne!(a, b);
    let space = space(&model.program);
    let values = values(&model.program, &space, &propositions);
    assert_eq!(values[0], [true, false]);
    assert_eq!(values[1], [false, true]);
}

#[test]
fn propositions_hold_where_they_should() {
    let mut model = model(
        "mtype = { red, green }; mtype light = red; chan c = [1] of { byte }; byte x;
         active proctype P() { byte n = 4; light = green; c ! n; here: n = 5; x = 1 }
         ltl p { <> (light == green) && <> nempty(c) && <> (P[0]:n == 5) && <> P@here
                 && <> (c ? [4]) && <> (_last == 0) && <> (x == 1 -> light == green) }",
    );
    let mut store = Formulas::new();
    let (_, propositions) = model.ltl(0, &mut store);
    let space = space(&model.program);
    let values = values(&model.program, &space, &propositions);
    let holds = |proposition: usize| -> Vec<usize> {
        (0..values.len())
            .filter(|&s| values[s][proposition])
            .collect()
    };
    // The states of the one run, in order; the last two are at and behind the end of the process.
    assert_eq!(holds(0), [1, 2, 3, 4, 5], "light == green");
    assert_eq!(holds(1), [2, 3, 4, 5], "nempty(c)");
    assert_eq!(holds(2), [3, 4], "P[0]:n == 5");
    assert_eq!(holds(3), [2], "P@here");
    assert_eq!(holds(4), [2, 3, 4, 5], "c ? [4]");
    assert_eq!(holds(6), [0, 1, 2, 3, 4, 5], "x == 1 -> light == green");
}
