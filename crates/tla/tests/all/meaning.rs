//! Small specifications, each about one thing, with what TLC answers: the result, and how many states it finds distinct,
//! how many it generates, and how deep it goes.

use super::tlc::{Bounds, explore_text};

/// The answer to a module of these units under this configuration.
fn answer(units: &str, configuration: &str) -> String {
    let text = format!(
        "---- MODULE M ----\nEXTENDS Naturals, Sequences, FiniteSets, TLC\n{units}\n====\n"
    );
    let bounds = Bounds {
        states: 10_000,
        seconds: 20,
        deadlock: false,
        merged: false,
    };
    let configuration = Some(("M.cfg".to_string(), configuration.to_string()));
    let got = explore_text(("M.tla".to_string(), text), configuration, bounds);
    match got.result.as_str() {
        "success" => format!("success {} {} {}", got.distinct, got.generated, got.depth),
        _ => format!("{} {}", got.result, got.message),
    }
}

/// Each row: what it is about, the units, the configuration, and how the answer begins.
fn check(rows: &[(&str, &str, &str, &str)]) {
    let mut wrong = String::new();
    for (what, units, configuration, expected) in rows {
        let got = answer(units, configuration);
        if !got.contains(expected) {
            wrong += &format!("{what}: expected `{expected}`, got `{got}`\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

const PLAIN: &str = "INIT Init\nNEXT Next\n";

#[test]
fn what_remains_when_all_variables_have_values_is_decided_once() {
    check(&[
        (
            "a disjunction behind the last assignment",
            "VARIABLE x\nInit == x = 0\nNext == x' = 1 /\\ (1 = 1 \\/ 2 = 2 \\/ 3 = 3)",
            PLAIN,
            "success 2 3 2",
        ),
        (
            "a disjunction before it",
            "VARIABLE x\nInit == x = 0\nNext == (1 = 1 \\/ 2 = 2 \\/ 3 = 3) /\\ x' = 1",
            PLAIN,
            "success 2 7 2",
        ),
        (
            "a quantifier behind it",
            "VARIABLE x\nInit == x = 0\nNext == x' = 1 /\\ \\E i \\in 1..5 : i < 4",
            PLAIN,
            "success 2 3 2",
        ),
        (
            "with a variable open it branches",
            "VARIABLES x, y\nInit == x = 0 /\\ y = 0\nNext == x' = 1 /\\ (\\E i \\in 1..3 : i > 0) /\\ y' = y",
            PLAIN,
            "success 2 7 2",
        ),
        (
            "a later test still counts",
            "VARIABLE x\nInit == x = 0\nNext == x' \\in 1..3 /\\ (x' = 1 \\/ x' = 2) /\\ x' # 1",
            PLAIN,
            "success 2 3 2",
        ),
        (
            "a conjunction over many values in an initial predicate",
            "VARIABLE x\nInit == x = 0 /\\ \\A e \\in SUBSET (1..15) : Cardinality(e) >= 0\nNext == x' = x",
            PLAIN,
            "success 1 2 1",
        ),
        (
            "names of a conjunction over values keep their values",
            "VARIABLES x, y\nInit == x = 0 /\\ y = 0\nNext == (\\A i \\in {1, 2} : \\E j \\in {1, 2} : x' = 1 /\\ y' \\in {j, 3} /\\ i + j > 1)",
            PLAIN,
            "success 4 ",
        ),
    ]);
}

#[test]
fn draws() {
    let units = "CONSTANT C\nVARIABLE x\nDrawn == RandomElement(1..1000000)\n\
        Init == x = Drawn\nNext == x' = Drawn\nInv == x = Drawn /\\ x = C";
    let configuration = "INIT Init\nNEXT Next\nINVARIANT Inv\nCONSTANT C <- Drawn";
    check(&[(
        "a constant definition is drawn once, wherever it is used",
        units,
        configuration,
        "success 1 2 1",
    )]);
}

#[test]
fn replaced_definitions() {
    check(&[
        (
            "what replaces a definition may use it",
            "VARIABLES x, z\nInit == x = 0\nA(n) == x' = n\nNext == \\E i \\in 1..2 : A(i)\n\
             MyInit == Init /\\ z = TRUE\nMyA(n) == A(n) /\\ z' = ~z",
            "INIT Init\nNEXT Next\nCONSTANT Init <- MyInit A <- MyA",
            "success 5 11 3",
        ),
        (
            "an operator of a standard module too",
            "VARIABLE x\nMyNat == {n \\in 0..9 : n \\in Nat /\\ n < 3}\nInit == x \\in Nat\nNext == x' = x",
            "INIT Init\nNEXT Next\nCONSTANT Nat <- MyNat",
            "success 3 6 1",
        ),
        (
            "inside of one module alone",
            "VARIABLE x\nFew == 0..2\nInner == INSTANCE Sequences\nInit == x \\in Nat\nNext == x' = x",
            "INIT Init\nNEXT Next\nCONSTANT Nat <- [M]Few",
            "success 3 6 1",
        ),
        (
            "inside of the module that defines it",
            "VARIABLE x\nFew == 0..2\nInit == x \\in Nat\nNext == x' = x",
            "INIT Init\nNEXT Next\nCONSTANT Nat <- [Naturals]Few",
            "success 3 6 1",
        ),
    ]);
}

#[test]
fn left_sides_and_functions_of_actions() {
    check(&[
        (
            "LET around a primed variable",
            "VARIABLE x\nInit == x = 0\nNext == UNCHANGED x\nInv == ENABLED ((LET y == x' IN y) = 0)",
            "INIT Init\nNEXT Next\nINVARIANT Inv",
            "success 1 2 1",
        ),
        (
            "a function whose values are actions",
            "VARIABLE x\nInit == x = 0\nN[n \\in {1, 2}] == x' = n\nNext == \\E i \\in {1, 2} : N[i]",
            PLAIN,
            "success 3 7 2",
        ),
        (
            "outside of its domain",
            "VARIABLE x\nInit == x = 0\nN[n \\in {1, 2}] == x' = n\nNext == N[3]",
            PLAIN,
            "error ",
        ),
    ]);
}

#[test]
fn membership() {
    check(&[
        (
            "a literal is compared from left to right",
            "VARIABLE x\nInit == x = 1\nNext == x' = x\nInv == x \\in {1, \"none\"} /\\ 2 \\notin {2 - 1, 3}",
            "INIT Init\nNEXT Next\nINVARIANT Inv",
            "success 1 2 1",
        ),
        (
            "up to what cannot be compared",
            "VARIABLE x\nInit == x = 1\nNext == x' = x\nInv == x \\in {\"none\", 1}",
            "INIT Init\nNEXT Next\nINVARIANT Inv",
            "error ",
        ),
        (
            "a filter of a set that nobody could list",
            "VARIABLE x\nBig == {s \\in SUBSET SUBSET (1..10) : Cardinality(s) = x}\nInit == x = 1\nNext == x' = x\n\
             Inv == {{1, 2}} \\in Big /\\ {{1}, {2}} \\notin Big /\\ {{{1, 2}}} \\subseteq Big",
            "INIT Init\nNEXT Next\nINVARIANT Inv",
            "success 1 2 1",
        ),
        (
            "a union of sets of functions",
            "VARIABLE x\nLists(S) == UNION {[1..n -> S] : n \\in 0..9}\nInit == x = <<>>\nNext == Len(x) < 2 /\\ x' = Append(x, 7)\n\
             Inv == x \\in Lists(1..100)",
            "INIT Init\nNEXT Next\nINVARIANT Inv",
            "success 3 3 3",
        ),
        (
            "rules over filters of endless sets",
            "VARIABLE x\nFew == {n \\in Nat : n < 3}\nInit == x = 1\nNext == x' = x\n\
             Inv == /\\ <<1, 2>> \\in [1..2 -> Few] /\\ <<1, 3>> \\notin [1..2 -> Few]\n\
             /\\ [a |-> 1] \\in [a : Few] /\\ [a |-> 3] \\notin [a : Few] /\\ [b |-> 1] \\notin [a : Few]\n\
             /\\ <<0, 0>> \\in Few \\X Nat /\\ <<0, 3>> \\notin Nat \\X Few /\\ {1, 2} \\in SUBSET Few /\\ {x, 5} \\notin SUBSET Few\n\
             /\\ <<1, 1>> \\in Seq(Few) /\\ <<4>> \\notin Seq(Few)\n\
             /\\ {<<1>>, <<2>>} \\subseteq [1..1 -> Few] /\\ ~({<<1>>, <<3>>} \\subseteq [1..1 -> Few])",
            "INIT Init\nNEXT Next\nINVARIANT Inv",
            "success 1 2 1",
        ),
        (
            "a second `x \\in S` in an initial predicate is a test",
            "VARIABLE x\nInit == x \\in {1, 2} /\\ x \\in Nat /\\ x \\in {n \\in Nat : n > 1}\nNext == x' = x",
            PLAIN,
            "success 1 2 1",
        ),
    ]);
}

#[test]
fn composition() {
    check(&[
        (
            "steps by a state between",
            "VARIABLE x\nA == x = 0 /\\ x' \\in {1, 2, 3}\nB == x < 3 /\\ x' = x + 10\nInit == x = 0\nNext == A \\cdot B\n\
             Steps == [][A \\cdot B]_x\nNo == [][~(B \\cdot A)]_x",
            "INIT Init\nNEXT Next\nPROPERTY Steps No",
            "success 3 6 2",
        ),
        (
            "a step that is none",
            "VARIABLE x\nA == x = 0 /\\ x' \\in {1, 2, 3}\nB == x < 3 /\\ x' = x + 10\nInit == x = 0\nNext == A \\cdot B\n\
             Steps == [][B \\cdot B]_x",
            "INIT Init\nNEXT Next\nPROPERTY Steps",
            "liveness Steps",
        ),
        (
            "whether there is one",
            "VARIABLE x\nA == x' = x + 1\nB == x = 2 /\\ x' = 0\nInit == x = 1\nNext == x' = x\nInv == ENABLED (A \\cdot B) /\\ ~ENABLED (B \\cdot A)",
            "INIT Init\nNEXT Next\nINVARIANT Inv",
            "success 1 2 1",
        ),
    ]);
}

#[test]
fn properties_over_constants() {
    check(&[
        (
            "each instance is about the first state and all steps",
            "VARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 3\nEach == \\A n \\in {0, 1} : x >= 0 /\\ [][x' # n + 1]_x",
            "INIT Init\nNEXT Next\nPROPERTY Each",
            "liveness Each",
        ),
        (
            "and holds where all do",
            "VARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 3\nEach == \\A n \\in {3, 4} : x >= 0 /\\ [][x' # n]_x",
            "INIT Init\nNEXT Next\nPROPERTY Each",
            "success 3 4 3",
        ),
    ]);
}

const PROCESSES: &str = "CONSTANT P\nVARIABLES at, done\nInit == at = [p \\in P |-> 0] /\\ done = {}\n\
    Next == \\E p \\in P : \\/ (at[p] < 2 /\\ at' = [at EXCEPT ![p] = @ + 1] /\\ done' = done)\n\
    \\/ (at[p] = 2 /\\ p \\notin done /\\ done' = done \\cup {p} /\\ at' = at)\n\
    Perms == Permutations(P)\nAll == Cardinality(done) < 3\nLive == <>(done = P)";

#[test]
fn symmetry() {
    let plain = "INIT Init\nNEXT Next\nCONSTANT P = {p1, p2, p3}\n";
    let with = |more: &str| format!("{plain}{more}");
    // Three processes with four states each: 64, or multisets of three of four: 20.
    check(&[
        ("without", PROCESSES, plain, "success 64 145 10"),
        (
            "states up to names",
            PROCESSES,
            &with("SYMMETRY Perms"),
            "success 20 46 10",
        ),
        (
            "what is wrong is found",
            PROCESSES,
            &with("SYMMETRY Perms\nINVARIANT All"),
            "safety All",
        ),
        (
            "not with a property of whole runs",
            PROCESSES,
            &with("SYMMETRY Perms\nPROPERTY Live"),
            "success 64 145 10",
        ),
        (
            "no permutation",
            "VARIABLE x\nInit == x = 0\nNext == x' = x\nPerms == {<<2, 1>>}",
            "INIT Init\nNEXT Next\nSYMMETRY Perms",
            "error M.cfg:3:10: this symmetry cannot be used: it has an element that permutes no model values",
        ),
    ]);
}

#[test]
fn what_is_missing() {
    check(&[
        (
            "no variables: assumptions are all there is",
            "Spec == [][TRUE]_<<>>\nASSUME 1 + 1 = 2",
            "SPECIFICATION Spec",
            "success 0 0 0",
        ),
        (
            "steps",
            "VARIABLE x\nInit == x = 0",
            "INIT Init",
            "nothing says what the steps are",
        ),
        (
            "initial states",
            "VARIABLE x\nNext == x' = 0",
            "NEXT Next",
            "nothing says how it begins",
        ),
        (
            "both, with a specification at hand",
            "VARIABLE x\nInit == x = 0\nNext == x' = x\nFairSpec == Init /\\ [][Next]_x",
            "CHECK_DEADLOCK FALSE",
            "the configuration does not say what is explored",
        ),
        (
            "the translation of an algorithm",
            "(* --algorithm a\nvariable x = 0;\nbegin\n  x := 1;\nend algorithm; *)",
            "SPECIFICATION Spec",
            "this PlusCal algorithm has no translation",
        ),
        (
            "an action is no property",
            "VARIABLE x\nInit == x = 0\nNext == x' = x\nP == x' = x",
            "INIT Init\nNEXT Next\nPROPERTY P",
            "a property cannot be an action alone",
        ),
    ]);
}

#[test]
fn parts_of_definitions() {
    check(&[(
        "by their places",
        "xx == <<11, <<22, 33>>, 33>>\nF(a) == /\\ TRUE\n        /\\ Len(xx[a]) > 0\n\
         K == IF 41 THEN 42 ELSE 43\nL == CASE 1 -> 11 [] OTHER -> 33\nM1 == LET Z == 23 IN Z + 1\n\
         R == \\E x \\in {1}, y \\in {2} : x + y > 2\nT(Op(_)) == Op(42)\nV == \\A x \\in {} : 2 * x\n\
         THEOREM Thm == 1 + 1 = 2\n\
         ASSUME F(2)!2 = (Len(xx[2]) > 0) /\\ F(2)!2!1 = 2 /\\ F(2)!2!<<!1!2 = 2\n\
         ASSUME K!2 = 42 /\\ L!1!2 = 11 /\\ L!2!2 = 33 /\\ M1!1 = 24 /\\ M1!1!1 = 23\n\
         ASSUME R!2 = {2} /\\ R!(1, 2)!<< = 3 /\\ T(V!@) = 84 /\\ Thm!: /\\ Thm!1 = 2",
        "",
        "success 0 0 0",
    )]);
}

#[test]
fn labels() {
    let definitions = "A == 1 + lab:: (2 + 3)\nB(p) == \\E q \\in {1, 2} : l(q) :: (p = q)\n\
         C == \\A s \\in {1, 2} : LET t == 10 * s IN big(s) :: LET u == t + 1 IN small :: (u + s)\n\
         D == LET e == <<inner :: 7, 8>> IN e[1]\nE == one :: {x \\in 1..3 : two(x) :: x > 1}\n\
         G == {<<x, y>> \\in {<<1, 2>>} : x + y > 2}\nH == CHOOSE x \\in 1..9 : x > 4\n";
    let with = |units: &str| format!("{definitions}{units}");
    let none = "has no meaning here";
    check(&[
        (
            "parts with a label",
            &with(
                "ASSUME A!lab = 5 /\\ A!lab!2 = 3 /\\ A!2!1 = 2 /\\ B(2)!l(2) /\\ ~B(2)!l(1) /\\ B(1)!(1)",
            ),
            "",
            "success 0 0 0",
        ),
        (
            "below each other",
            &with(
                "ASSUME C!big(3)!small = 34 /\\ C!big(3)!1 = 34 /\\ C!big(3)!u = 31 /\\ D!e!inner = 7 /\\ E!one!two(2) /\\ ~E!one!two(1) /\\ E!one!(3) /\\ ~E!(1) /\\ E!1 = 1..3 /\\ G!(1, 2)!1 = 3 /\\ H!(5)!2 = 4",
            ),
            "",
            "success 0 0 0",
        ),
        (
            "as an action",
            "VARIABLE x\nInit == x = 0\nBoth == \\/ up :: (x < 3 /\\ x' = x + 1)\n\\/ down :: (x > 0 /\\ x' = 0)\nNext == Both!up",
            "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE",
            "success 4 4 4",
        ),
        ("below another one", &with("ASSUME E!two(1)"), "", none),
        ("with too few names", &with("ASSUME B(2)!l"), "", none),
        ("of another name", &with("ASSUME A!bal = 5"), "", none),
    ]);
}

#[test]
fn functions_on_endless_domains() {
    check(&[(
        "with changes",
        "f[i \\in Nat] == IF i = 0 THEN 1 ELSE 2 * f[i - 1]\ng == [f EXCEPT ![2] = 7, ![3] = @ + 1]\n\
         h == [[i \\in Nat |-> [j \\in Nat |-> 2 * i + j]] EXCEPT ![5][3] = @ + 1]\n\
         ASSUME g[2] = 7 /\\ g[3] = 9 /\\ g[4] = 16 /\\ f[2] = 4\n\
         ASSUME h[5][3] = 14 /\\ h[5][4] = 14 /\\ h[4][3] = 11",
        "",
        "success 0 0 0",
    )]);
}

#[test]
fn registers() {
    check(&[
        (
            "what assumptions leave in them is there in states",
            "VARIABLE x\nASSUME TLCSet(7, 5)\nInit == x = TLCGet(7)\nNext == x' = x",
            PLAIN,
            "success 1 2 1",
        ),
        (
            "what nobody has set",
            "VARIABLE x\nInit == x = TLCGet(7)\nNext == x' = x",
            PLAIN,
            "register 7 was never set",
        ),
        (
            "the level of a state, and under a prime that of the next one",
            "VARIABLE x\nASSUME TLCGet(\"level\") = 0\nInit == x = TLCGet(\"level\")\nNext == x < 3 /\\ x' = TLCGet(\"level\") /\\ TLCGet(\"level\")' = x' + 1\nInv == TLCGet(\"level\") = x + 1",
            "INIT Init\nNEXT Next\nINVARIANT Inv\nCHECK_DEADLOCK FALSE",
            "success 4 4 4",
        ),
        (
            "those with names",
            "VARIABLE x\nASSUME TLCSet(\"s:a\", 5)\nInit == x = TLCGet(\"s:a\")\nNext == x' = x",
            PLAIN,
            "success 1 2 1",
        ),
        (
            "all of them, of each worker",
            "VARIABLE x\nASSUME TLCSet(\"s:a\", 5) /\\ TLCSet(3, 4)\nInit == x = TLCGet(\"all:named\")[\"s:a\"][1] + TLCGet(\"all\")[3][1]\nNext == x' = x\nInv == x = 9",
            "INIT Init\nNEXT Next\nINVARIANT Inv",
            "success 1 2 1",
        ),
        (
            "how the search is configured",
            "VARIABLE x\nInit == x = 0\nNext == x' = x\nInv == ~TLCGet(\"config\").deadlock /\\ TLCGet(\"config\").mode = \"bfs\"",
            "INIT Init\nNEXT Next\nINVARIANT Inv\nCHECK_DEADLOCK FALSE",
            "success 1 2 1",
        ),
        (
            "the end of the search is no verdict",
            "VARIABLE x\nInit == x = 0\nNext == x' = x + 1\nInv == TLCSet(\"exit\", x = 3)",
            "INIT Init\nNEXT Next\nINVARIANT Inv",
            "error Inv: the specification ends the search",
        ),
        (
            "what is known of the checker alone",
            "VARIABLE x\nInit == x = 0\nNext == x' = x\nInv == TLCGet(\"spec\") = 5",
            "INIT Init\nNEXT Next\nINVARIANT Inv",
            "TLCGet(\"spec\") has no value here",
        ),
    ]);
}

#[test]
fn actions_that_call_themselves_are_searched() {
    check(&[
        (
            "a disjunction that goes on",
            "VARIABLE x\nInit == x = 0\nRECURSIVE N(_)\nN(k) == IF k > 3 THEN FALSE ELSE x' = k \\/ N(k + 1)\nNext == N(0)",
            PLAIN,
            "success 4 17 2",
        ),
        (
            "a later turn tests what an earlier one has assigned, and what stands behind comes after all turns",
            "VARIABLES x, y\nInit == x = 0 /\\ y = 0\nRECURSIVE N(_)\nN(k) == IF k = 0 THEN y' = x' ELSE (\\E i \\in {k, x} : x' = i) /\\ N(k - 1)\nNext == N(2) \\/ (x < 1 /\\ x' = x + 1 /\\ y' \\in {y, 1})",
            PLAIN,
            "success 3 6 2",
        ),
        (
            "an initial predicate, and an action of a LET",
            "VARIABLE x\nRECURSIVE I(_)\nI(k) == IF k = 0 THEN x = 0 ELSE x = k \\/ I(k - 1)\nInit == I(3)\nNext == LET RECURSIVE G(_)\n            G(n) == n > 0 /\\ (x' = (x + n) % 5 \\/ G(n - 1))\n        IN G(2)",
            PLAIN,
            "success 5 14 2",
        ),
        (
            "two that call each other, and ENABLED of one",
            "VARIABLE x\nInit == x = 0\nRECURSIVE A, B\nA == x < 3 /\\ (x' = x + 1 \\/ B)\nB == x' = 0 \\/ (x > 5 /\\ A)\nNext == A \\/ (x = 3 /\\ x' = 3 /\\ ENABLED A)",
            PLAIN,
            "success 4 7 4",
        ),
        (
            "one that a property of steps is about",
            "VARIABLE x\nInit == x = 0\nRECURSIVE N(_)\nN(s) == IF s = {} THEN FALSE ELSE LET e == CHOOSE e \\in s : TRUE IN (x' = e \\/ N(s \\ {e}))\nNext == N({1, 2, 3}) /\\ (x' > 1 \\/ x > 1)\nP == [][N({2, 3})]_x",
            "INIT Init\nNEXT Next\nPROPERTY P\n",
            "liveness P",
        ),
        (
            "one without an end is a limit",
            "VARIABLE x\nInit == x = 0\nRECURSIVE N(_)\nN(k) == x' = k \\/ N(k + 1)\nNext == N(0)",
            PLAIN,
            "the recursion is too deep",
        ),
    ]);
}

#[test]
fn conjunctions_over_many_values_need_no_stack() {
    let next = |next: &str| format!("VARIABLE x\nInit == x = 0\nNext == {next}");
    for action in [
        "(\\A a \\in 1..100000 : a + x > 0) /\\ x' = 1 - x",
        "(\\A a \\in 1..200, b \\in 1..200 : a + b + x > 1) /\\ x' = 1 - x",
        "(\\A a \\in 1..50000 : LET b == a + x IN b > 0 /\\ (IF a = 7 THEN b > 6 ELSE b > x)) /\\ x' = 1 - x",
        "(\\A a \\in 1..10000 : \\A b \\in {a, a + 1} : CASE b > a -> TRUE [] OTHER -> a = b) /\\ x' = 1 - x",
        "(\\A a \\in 1..100000 : a = 1 => x' = 1 - x)",
    ] {
        assert_eq!(answer(&next(action), PLAIN), "success 2 3 2", "{action}");
    }
    // The first element, and then from the last one backwards.
    for (action, expected) in [
        (
            "(\\A a \\in 1..9 : a < 9 /\\ 1 \\div (a - 3) # 9) /\\ x' = 1 - x",
            "success 1 1 1",
        ),
        (
            "(\\A a \\in 1..9 : a # 2 /\\ 1 \\div (a - 8) # 9) /\\ x' = 1 - x",
            "by zero",
        ),
    ] {
        let told = answer(&next(action), PLAIN);
        assert!(told.contains(expected), "{action}: {told}");
    }
    // Each way that an element leaves open is followed to the end.
    let ways = next("(\\A a \\in 1..100000 : a + x > 0 \\/ x > 7) /\\ x' = 1 - x");
    let told = answer(&ways, PLAIN);
    assert!(told.contains("the recursion is too deep"), "{told}");
    // And a long conjunction in the text.
    let long = "/\\ x < 3 ".repeat(20_000);
    assert_eq!(
        answer(&next(&format!("{long}/\\ x' = 1 - x")), PLAIN),
        "success 2 3 2"
    );
}

/// `count` definitions, each made of the one before it.
fn chain(first: &str, more: &str, count: usize) -> String {
    let mut text = format!("VARIABLE x\nD0 == {first}\n");
    for number in 1..count {
        let body = more.replace('D', &format!("D{}", number - 1));
        text += &format!("D{number} == {body}\n");
    }
    text + "Init == x = 0\n"
}

#[test]
fn long_chains_of_definitions_have_a_value_or_an_error() {
    let last = |count: usize| format!("D{}", count - 1);
    for (first, more, next) in [
        ("x", "D + 1", "x' = LAST % 5"),
        ("x' = (x + 1) % 5", "D /\\ TRUE", "LAST"),
    ] {
        let text =
            |count| chain(first, more, count) + "Next == " + &next.replace("LAST", &last(count));
        assert!(
            answer(&text(300), PLAIN).starts_with("success 5 6 5"),
            "{more}"
        );
        let long = answer(&text(30_000), PLAIN);
        assert!(long.contains("nested too deep"), "{more}: {long}");
    }
    // A conjunction is taken apart; what is temporal in it is not asked for here.
    let text = chain("[]<>(x = 0)", "D /\\ <>(x = 0)", 30_000) + "Next == x' = x";
    let long = answer(&text, &format!("{PLAIN}PROPERTY {}\n", last(30_000)));
    assert!(
        long.contains("nested too deep") || long.starts_with("success 1 2 1"),
        "{long}"
    );
    // What doubles with every definition is called, not written out.
    let text = chain("x' = (x + 1) % 3", "(x > 5 /\\ D) \\/ D", 40) + "Next == D39";
    assert!(
        answer(&text, PLAIN).starts_with("success 3 4 3"),
        "{}",
        answer(&text, PLAIN)
    );
}

/// Variables that begin with 0, these units, and an invariant.
fn with_two(units: &str, next: &str, invariant: &str) -> String {
    format!("VARIABLES x, y\n{units}\nInit == x = 0 /\\ y = 0\nNext == {next}\nInv == {invariant}")
}

#[test]
fn all_of_an_action_is_taken_from_the_first_and_then_backwards() {
    let backwards = with_two(
        "",
        "\\A a \\in 0..2 : IF a = 2 THEN x' = 1 /\\ y' = 1 ELSE IF a = 0 THEN TRUE ELSE x' > 0",
        "TRUE",
    );
    let forwards = with_two(
        "",
        "\\A a \\in 0..2 : IF a = 1 THEN x' = 1 /\\ y' = 1 ELSE IF a = 0 THEN TRUE ELSE x' > 0",
        "TRUE",
    );
    check(&[
        (
            "the last one gives values",
            &backwards,
            PLAIN,
            "success 2 3 2",
        ),
        ("the last one reads them", &forwards, PLAIN, "error"),
    ]);
}

#[test]
fn a_function_that_is_applied_needs_no_other_value() {
    let missing = "[z \\in 0..2 |-> 2 \\div (z - 1 - x)]";
    let invariants = [
        format!("(IF x = 0 THEN {missing} ELSE <<1>>)[2] = 2"),
        format!("(CASE x = 0 -> {missing} [] OTHER -> <<1>>)[2] = 2"),
        format!("LET f == {missing} IN f[2] = 2"),
        "LET f == [z \\in 0..2 |-> 2 \\div (z - 1)] IN f[2] = 2".to_string(),
        format!("LET g(f) == f[2] IN g({missing}) = 2"),
        "LET f(n) == [z \\in 0..2 |-> 2 \\div (z - n)] IN f(1)[2] = 2 /\\ f(x)[1] = 2".to_string(),
        "F[2] = 2".to_string(),
    ];
    let units = "F == [z \\in 0..2 |-> 2 \\div (z - 1)]";
    let configuration = format!("{PLAIN}INVARIANT Inv");
    for invariant in &invariants {
        let text = with_two(units, "UNCHANGED <<x, y>>", invariant);
        check(&[(invariant, &text, &configuration, "success 1 2 1")]);
        let text = with_two(
            units,
            "UNCHANGED <<x, y>>",
            &invariant.replace("[2]", "[1]"),
        );
        check(&[(invariant, &text, &configuration, "error")]);
    }
}

#[test]
fn definitions_that_depend_on_nothing_have_no_branches() {
    let defined = with_two("D == TRUE \\/ TRUE", "D /\\ x' = 0 /\\ y' = 0", "TRUE");
    let local = with_two(
        "",
        "LET D == TRUE \\/ TRUE IN D /\\ x' = 0 /\\ y' = 0",
        "TRUE",
    );
    check(&[
        ("a definition", &defined, PLAIN, "success 1 2 1"),
        ("a local one", &local, PLAIN, "success 1 3 1"),
    ]);
}

/// As TLC: what the instance itself uses stays what it is.
#[test]
fn a_configuration_replaces_what_an_instance_defines() {
    let units = "VARIABLE x\n---- MODULE In ----\nMax == 2\nLow == x < Max\n====\nA == INSTANCE In\nFive == 5\nMax == 1\n\
                 Init == x = 0\nNext == x' = (x + 1) % 4\nInv == A!Max = 5 /\\ Max = 1\nLow == A!Low";
    check(&[
        (
            "a definition",
            units,
            "INIT Init\nNEXT Next\nINVARIANT Inv\nCONSTANT A!Max <- Five",
            "success 4 5 4",
        ),
        (
            "a value",
            units,
            "INIT Init\nNEXT Next\nINVARIANT Inv\nCONSTANT A!Max = 5",
            "success 4 5 4",
        ),
        (
            "elsewhere nothing",
            units,
            "INIT Init\nNEXT Next\nINVARIANT Inv Low\nCONSTANT A!Max <- Five",
            "safety Low",
        ),
    ]);
}
