//! Names, arguments and levels: what is accepted, and what is told about the rest.

use evenhand_source::Files;
use evenhand_system::{Language, ReadOptions, Request, Unresolved};
use evenhand_tla::syntax::check::check;
use evenhand_tla::syntax::load::{LoadOptions, load};
use evenhand_tla::{Tla, standard};

use crate::corpus::BuiltIn;
use crate::show::told;

/// What is told about the units of a module with two variables and two constants, which begin at line 5.
fn said(units: &str) -> String {
    said_of(&format!(
        "---- MODULE M ----\nEXTENDS Naturals, Sequences\nCONSTANTS N, Op(_)\nVARIABLES x, y\n{units}\n====\n\
         ---- MODULE A ----\nCONSTANT C, F(_)\nVARIABLE v\na == v' = C\nb(u) == F(v) = u\nLOCAL hidden == 1\n====\n\
         ---- MODULE B ----\nEXTENDS Naturals\nCONSTANT C\ntwice(u) == u + u + C\n====\n"
    ))
}

fn said_of(text: &str) -> String {
    let mut files = Files::new();
    let file = files.add("M.tla", text);
    let options = LoadOptions {
        configuration: None,
        include_dirs: Vec::new(),
        folder: None,
        confined: false,
        most_bytes: None,
        standard: &|name| standard::module(name).is_some(),
    };
    match load(files, file, &options) {
        Ok(sources) => told(&sources.files, &check(&sources, &BuiltIn)),
        Err((files, problems)) => format!("not read: {}", told(&files, &problems)),
    }
}

#[test]
fn what_sany_accepts() {
    let cases = [
        "a == x + 1 b == a' = y",
        "a(u) == u' b == a(x)",
        "f[u \\in 1..3] == IF u = 1 THEN 1 ELSE f[u - 1] b == f[2]",
        "g[u \\in 1..3, v \\in 1..3] == u b == g[2, 3] + g[<<1, 2>>]",
        "RECURSIVE s(_) s(u) == IF u = 0 THEN 0 ELSE s(u - 1)",
        "a == LET RECURSIVE s(_) s(u) == s(u) t == s(1) IN t",
        "H(G(_, _)) == G(1, 2) a == H(+ ) b == H(LAMBDA u, v : u) c(G(_, _)) == H(G)",
        "Spec == x = 0 /\\ [][x' = x + 1]_x /\\ WF_x(x' = 1) /\\ \\A u \\in 1..N : SF_<<x, y>>(x' = u)",
        "a == <><<x' = 1>>_x /\\ []<>(x = 1) /\\ (x = 1 ~> y = 2)",
        "a == ENABLED (x' = 1) /\\ UNCHANGED <<x, y>>",
        "a == [r |-> 1, s |-> 2].r b == [x EXCEPT ![1] = @ + 1, !.r = @]",
        "I == INSTANCE A WITH v <- x, C <- N, F <- Op a == I!a /\\ I!b(1)",
        "I(u) == INSTANCE A WITH v <- u, C <- N, F <- LAMBDA w : w a == I(x)!b(1)",
        "v == x C == N F(u) == u INSTANCE A",
        "I == INSTANCE B WITH C <- x' a == I!twice(y)",
        "---- MODULE Inner ---- b == x ==== I == INSTANCE Inner a == I!b",
        "ASSUME Ok == N > 1 a == Ok!1",
        "a == \\E u \\in 1..2 : l(u) :: u = 1",
        "THEOREM T == x = x a == T",
        "a == \\EE u : [](u = 1)",
        "LOCAL a == 1 b == a",
        "a == <<1, 2>> \\o <<3>> u \\prec v == u b == 1 \\prec 2",
    ];
    for text in cases {
        assert_eq!(said(text), "", "{text}");
    }
}

#[test]
fn what_sany_refuses() {
    let cases = [
        // Names.
        ("a == z", "5:6: the name `z` is not known here"),
        (
            "a == leng Length == 1",
            "5:6: the name `leng` is not known here",
        ),
        (
            "Length == 1 a == Lenght",
            "5:18: the name `Lenght` is not known here (did you mean `Length`?)",
        ),
        ("a == b b == 1", "5:6: the name `b` is not known here"),
        (
            "a == Cardinality({})",
            "5:6: the name `Cardinality` is not known here (it is defined by the module FiniteSets: EXTENDS FiniteSets)",
        ),
        ("a == 1 (+) 2", "5:8: the operator `(+)` is not known here"),
        (
            "a == \\E u \\in v : v = u",
            "5:15: the name `v` is not known here",
        ),
        ("a == @", "5:6: `@` means something only in EXCEPT"),
        (
            "I == INSTANCE A WITH v <- x, C <- N, F <- Op a == I!c",
            "5:53: the name `c` is not known here",
        ),
        (
            "I == INSTANCE A WITH v <- x, C <- N, F <- Op a == I!hidden",
            "5:53: the name `hidden` is not known here",
        ),
        (
            "I == INSTANCE A WITH v <- x, C <- N, F <- Op a == I",
            "5:51: `I` is an instance of a module",
        ),
        // Names that have a meaning already.
        ("x == 1", "5:1: `x` has a meaning here already"),
        ("a == 1 a == 1", "5:8: `a` has a meaning here already"),
        ("a(x) == 1", "5:3: `x` has a meaning here already"),
        (
            "a == \\E x \\in 1..2 : TRUE",
            "5:9: `x` has a meaning here already",
        ),
        (
            "a == \\E u \\in 1..2 : \\E u \\in 1..2 : TRUE",
            "5:25: `u` has a meaning here already",
        ),
        (
            "a == LET b == 1 IN LET b == 2 IN b",
            "5:24: `b` has a meaning here already",
        ),
        ("Len(u) == u", "5:1: `Len` has a meaning here already"),
        ("u = v == 1", "5:3: `=` is part of the language"),
        ("VARIABLE N", "5:10: `N` has a meaning here already"),
        (
            "a == [r |-> 1, r |-> 2]",
            "5:16: there is a second field `r`",
        ),
        // Arguments.
        (
            "a(u) == u b == a",
            "5:16: `a` takes 1 argument, and here it gets no arguments",
        ),
        (
            "a == 1 b == a(2)",
            "5:13: `a` takes no arguments, and here it gets 1 argument",
        ),
        (
            "a == Op(1, 2)",
            "5:6: `Op` takes 1 argument, and here it gets 2 arguments",
        ),
        (
            "a == x(1)",
            "5:6: `x` takes no arguments, and here it gets 1 argument",
        ),
        (
            "a == Len()",
            "not read: 5:10: expected an expression, found `)`",
        ),
        (
            "H(G(_, _)) == G(1, 2) a == H(Op)",
            "5:30: `H` needs an operator with 2 parameters here",
        ),
        (
            "H(G(_)) == G(1) a == H(1)",
            "5:24: `H` needs an operator with 1 parameters here (LAMBDA makes an operator of an expression)",
        ),
        (
            "f[u \\in 1..2] == u a == f[1, 2]",
            "5:25: the function `f` has 1 arguments, and here it gets 2",
        ),
        // Recursion.
        (
            "RECURSIVE s(_)",
            "5:11: `s` is declared by RECURSIVE and never defined",
        ),
        (
            "RECURSIVE s(_) s == 1",
            "5:16: this has other parameters than its RECURSIVE declaration",
        ),
        (
            "RECURSIVE s(_) s(u) == u'",
            "5:16: a recursive operator cannot prime its parameters",
        ),
        (
            "RECURSIVE s a == LET s == 1 IN s s == 2",
            "5:22: this is not defined where RECURSIVE declares it",
        ),
        // Instances.
        (
            "I == INSTANCE A",
            "5:15: nothing takes the place of the constant `C` of the module `A`",
        ),
        (
            "I == INSTANCE A WITH v <- x, C <- N, F <- Op, z <- 1",
            "5:47: the module `A` has no constant or variable `z`",
        ),
        (
            "I == INSTANCE A WITH v <- x, C <- N, F <- Op, C <- 1",
            "5:47: `C` is replaced twice",
        ),
        (
            "I == INSTANCE A WITH v <- x, C <- N, F <- 1",
            "5:43: `F` needs an operator with 1 parameters here",
        ),
        (
            "C(u) == u v == 1 F(u) == u INSTANCE A",
            "5:37: `C` takes 1 argument, and here it gets no arguments",
        ),
        // Levels.
        (
            "a == x''",
            "5:6: this is of action level, and cannot be primed",
        ),
        (
            "a == (x' = 1)'",
            "5:6: this is of action level, and cannot be primed",
        ),
        (
            "a(u) == u' b == a(x')",
            "5:19: this argument of `a` cannot be of action level; state level is the highest here",
        ),
        (
            "a(u) == LET b == u' IN b c == a(x')",
            "5:33: this argument of `a` cannot be of action level",
        ),
        (
            "a == [](x' = 1)",
            "5:8: `[]` of an action needs the form [A]_v",
        ),
        (
            "n == x' = 1 a == []n",
            "5:20: `[]` of an action needs the form [A]_v",
        ),
        (
            "a == <>[x' = 1]_x",
            "5:8: `<>` of an action needs the form <<A>>_v",
        ),
        (
            "a == x' = 1 /\\ []x",
            "5:6: `/\\` joins an action and a temporal formula",
        ),
        (
            "a == x' = 1 => []x",
            "5:6: `=>` joins an action and a temporal formula",
        ),
        (
            "a == x' ~> x",
            "5:6: an operand of `~>` cannot be an action",
        ),
        (
            "a == {[]x}",
            "5:7: a set or a tuple cannot be of temporal level; action level is the highest here",
        ),
        (
            "a == ENABLED []x",
            "5:14: an operand of `ENABLED` cannot be of temporal level",
        ),
        (
            "a == WF_x([]x)",
            "5:11: a fairness condition cannot be of temporal level",
        ),
        (
            "a == WF_(x')(x' = 1)",
            "5:9: the subscript of a fairness condition cannot be of action level",
        ),
        (
            "a == [x' = 1]_(x')",
            "5:15: the subscript of an action cannot be of action level",
        ),
        (
            "a == \\A u \\in x' : []x",
            "5:15: the set of a quantifier over a temporal formula cannot be of action level",
        ),
        (
            "ASSUME x = 1",
            "5:8: an assumption is about constants, and this is of state level",
        ),
        (
            "I == INSTANCE A WITH v <- x', C <- N, F <- Op",
            "5:27: what takes the place of `v` cannot be of action level; state level is the highest here",
        ),
        (
            "I == INSTANCE A WITH v <- x, C <- y, F <- Op",
            "5:35: what takes the place of `C` cannot be of state level; constant level is the highest here",
        ),
        (
            "I(u) == INSTANCE A WITH v <- u, C <- N, F <- Op a == I(x')!b(1)",
            "5:56: this argument of `b` cannot be of action level",
        ),
    ];
    for (text, expected) in cases {
        let found = said(text);
        assert!(found.starts_with(expected), "{text}\n{found}");
    }
}

#[test]
fn an_instance_may_lower_a_level() {
    // A variable that is replaced by a constant is one.
    let text = "---- MODULE M ----\nI == INSTANCE A WITH v <- 1\nASSUME I!a = 1\n====\n\
                ---- MODULE A ----\nVARIABLE v\na == v\nb == v'\n====\n";
    assert_eq!(said_of(text), "");
    let text = text.replace("I!a", "I!b");
    assert!(
        said_of(&text).starts_with("3:8: an assumption is about constants"),
        "{}",
        said_of(&text)
    );
}

#[test]
fn the_same_definition_may_come_by_several_ways() {
    let text = "---- MODULE M ----\nEXTENDS A, B, Naturals\nc == a + b\n====\n\
                ---- MODULE A ----\nEXTENDS Base\na == base\n====\n---- MODULE B ----\nEXTENDS Base\nb == base\n====\n\
                ---- MODULE Base ----\nVARIABLE v\nbase == v\n====\n";
    assert_eq!(said_of(text), "");
    let text = "---- MODULE M ----\nEXTENDS A, B\n====\n---- MODULE A ----\nVARIABLE c\n====\n---- MODULE B ----\nc == 1\n====\n";
    assert!(
        said_of(text).starts_with("2:12: this module brings another meaning of `c`"),
        "{}",
        said_of(text)
    );
}

/// What is told about a formula and about an invariant of a call.
fn asked(text: &str) -> [String; 2] {
    let module = "---- MODULE M ----\nEXTENDS Naturals\nVARIABLE hour\nInit == hour = 1\n\
                  Next == hour' = (hour % 12) + 1\nAbove(n) == hour > n\nLOCAL Noon == hour = 12\n\
                  I == INSTANCE A WITH v <- hour\n====\n---- MODULE A ----\nVARIABLE v\nsame == v = v\n====\n";
    let mut files = Files::new();
    let main = files.add("M.tla".to_string(), module.to_string());
    let mut options = ReadOptions::default();
    let configuration = "INIT Init\nNEXT Next\n".to_string();
    options.configuration = Some(("M.cfg".to_string(), configuration));
    let specification = Tla.read(files, main, &options).expect("a specification");
    let [mut linear, mut invariant] = [Request::default(), Request::default()];
    linear.linear.push(text.to_string());
    invariant.invariants.push(text.to_string());
    [linear, invariant].map(|request| match specification.resolve(&request) {
        Ok(_) => String::new(),
        Err(Unresolved::Wrong(found)) => told(&found.files.expect("texts"), &found.diagnostics),
        Err(other) => format!("{other:?}"),
    })
}

#[test]
fn names_of_what_is_asked_mean_something() {
    for text in [
        "hour = 12",
        "Above(3) \\/ Noon \\/ I!same",
        // Whoever asks may hide names.
        "\\A hour \\in {1, 2} : hour > 0",
        "LET late == hour > 20 IN ~late",
        "\\E n \\in 1..3 : Above(n)",
        "[h |-> hour].h = [x \\in {1} |-> x][1]",
    ] {
        assert_eq!(asked(text), ["", ""], "{text}");
    }
    for (text, wanted) in [
        (
            "huor = 12",
            "1:1: the name `huor` is not known here (did you mean `hour`?)",
        ),
        (
            "Above(huor)",
            "1:7: the name `huor` is not known here (did you mean `hour`?)",
        ),
        (
            "I!some",
            "1:3: the name `some` is not known here (did you mean `same`?)",
        ),
        (
            "Above",
            "1:1: `Above` takes 1 argument, and here it gets no arguments",
        ),
        (
            "Len(<<1>>) = hour",
            "1:1: the name `Len` is not known here (it is defined by the module Sequences: EXTENDS Sequences)",
        ),
    ] {
        assert_eq!(asked(text), [wanted, wanted], "{text}");
    }
}
