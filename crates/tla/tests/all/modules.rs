//! Modules: what they consist of, proofs that are passed over, and what goes on behind a mistake.

use crate::show::units;

fn check(text: &str, expected: &str) {
    let expected: Vec<&str> = expected.trim().lines().map(str::trim).collect();
    assert_eq!(units(text), expected.join("\n"), "{text}");
}

#[test]
fn units_of_all_kinds() {
    check(
        "Words before it.
--------------------------- MODULE M ---------------------------
EXTENDS Naturals, Sequences
CONSTANTS N, Op(_, _), _+_, -._, _^#
VARIABLE x, y
----
LOCAL a == 1
F(u, G(_, _), _ \\cdot _) == u
u \\prec v == u
-. u == u
u^+ == u
f[u \\in S, v \\in T] == u
RECURSIVE R(_), Q
INSTANCE A
LOCAL INSTANCE B WITH x <- y, + <- -, Op <- LAMBDA u, v : u
I(u) == INSTANCE C WITH x <- u
ASSUME N > 0
ASSUME Positive == N > 0
AXIOM TRUE
THEOREM T == x = x
LEMMA x = x
---- MODULE Inner ----
b == 2
====
c == 3
================================================================
Words behind it.",
        "MODULE M
        EXTENDS Naturals, Sequences
        CONSTANTS N, Op/2, +/2, -./1, ^#/1
        VARIABLES x, y
        LOCAL a == 1
        F(u, G/2, \\cdot/2) == u
        \\prec(u, v) == u
        -.(u) == u
        ^+(u) == u
        f[u \\in S, v \\in T] == u
        RECURSIVE R/1, Q
        INSTANCE A
        LOCAL INSTANCE B WITH x <- y, + <- -, Op <- (LAMBDA u, v : u)
        I(u) == INSTANCE C WITH x <- u
        ASSUME (N > 0)
        ASSUME Positive == (N > 0)
        AXIOM TRUE
        THEOREM T == (x = x)
        THEOREM (x = x)
        MODULE Inner
        b == 2
        END
        c == 3
        END",
    );
}

#[test]
fn definitions_end_where_others_begin() {
    check(
        "---- MODULE M ----
a == x b == y
c == /\\ p
     /\\ q d + e == f
g == S h[u \\in S] == u
i == INSTANCE A WITH v <- +
j == F( -) k(l) == m
====",
        "MODULE M
        a == x
        b == y
        c == (/\\ p, q)
        +(d, e) == f
        g == S
        h[u \\in S] == u
        i == INSTANCE A WITH v <- +
        j == F(-)
        k(l) == m
        END",
    );
}

#[test]
fn proofs_are_passed_over() {
    check(
        "---- MODULE M ----
THEOREM A == x = x
OBVIOUS
THEOREM B == ASSUME NEW u \\in S, NEW CONSTANT v, NEW VARIABLE w, STATE s, ACTION t, NEW TEMPORAL F(_), NEW _+_,
                    ASSUME p PROVE q
             PROVE  u = v
PROOF BY A DEF a, + , MODULE Naturals
THEOREM C == TRUE
<1> USE A DEF b
<1>1. x = 1
  <2>1. CASE x = 2
    <3>a. QED BY <1>1, <2>1
  <2>2 CASE x = 3 OBVIOUS
  <2>. QED
    PROOF OBVIOUS
<1>2. SUFFICES ASSUME NEW z \\in S
               PROVE  z = 1
  BY DEF c
<1>3. PICK u \\in S, v \\in T : u = v
  <2> DEFINE d == 1
             e(f) == f
  <2> HIDE DEF d, -.
  <2>1. HAVE x = 1
  <2>2. TAKE u \\in S
  <2>3. TAKE v, w
  <2>4. WITNESS 1, 2 \\in S
  <2>5. g == 2
  <2>q. QED BY <2>5 DEFS g
<1>4. INSTANCE Naturals
<1>5. l :: x = 1
  <+>1. TRUE
    <+>1. QED
  <*>2. QED
<1>6. QED
  BY ONLY <1>5, <1>5!1
after == 1
THEOREM D == y
  <10>1. /\\ x
         /\\ y
  <10> QED OMITTED
THEOREM E == z
  <1>1. x
  <2>1. y
  <1>2. QED
USE A, MODULE B
HIDE DEF *
last == 2
====",
        "MODULE M
        THEOREM A == (x = x)
        THEOREM B == ...
        THEOREM C == TRUE
        after == 1
        THEOREM D == y
        THEOREM E == z
        last == 2
        END
        44:3: this step is not of the level of the proof that goes on (a proof of steps ends with a step QED)",
    );
}

#[test]
fn reading_goes_on_behind_a_mistake() {
    check(
        "---- MODULE M ----
a == 1 +
b == 2
c == (3
     + 4
d == 5
e = 6
f == 7
VARIABLE
g == 8
h == LET i == IN j
k == 9
====",
        "MODULE M
        b == 2
        d == 5
        f == 7
        g == 8
        k == 9
        END
        3:1: expected an expression, found `b`
        6:1: expected an operator or `)`, found `d`
        7:3: `=` does not define anything (a definition is written with `==`)
        10:1: expected a name, found `g`
        11:15: expected an expression, found `IN`",
    );
}

#[test]
fn a_module_has_a_name_and_an_end() {
    assert_eq!(units("nothing"), "no module");
    assert_eq!(
        units("---- MODULE"),
        "1:12: expected the name of the module, found the end of the text"
    );
    assert_eq!(
        units("---- MODULE M ----\na == 1"),
        "MODULE M\na == 1\nEND\n1:13: this module has no end (a module ends with a line `====`)"
    );
}
