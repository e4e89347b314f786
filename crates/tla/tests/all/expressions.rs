//! Expressions: what belongs to what.

use crate::show::tree;

/// The operators between operands of each range of precedences, and whether they associate to the left, as in the table
/// of the book "Specifying Systems".
const RANGES: &[(u8, u8, bool, &str)] = &[
    (1, 1, false, "=>"),
    (2, 2, false, "-+-> <=> ~>"),
    (3, 3, true, "/\\ \\/"),
    (
        5,
        5,
        false,
        "# < = > <= >= \\in \\notin \\subseteq \\subset \\supset \\supseteq \\approx \\asymp \\cong \\doteq \\gg \\ll \
         \\prec \\preceq \\propto \\sim \\simeq \\sqsubset \\sqsubseteq \\sqsupset \\sqsupseteq \\succ \\succeq \
         |- |= -| =| := ::=",
    ),
    (5, 14, true, "\\cdot"),
    (6, 6, true, "@@"),
    (7, 7, false, ":> <:"),
    (8, 8, true, "\\cup \\cap"),
    (8, 8, false, "\\"),
    (9, 9, false, ".. ..."),
    (9, 13, true, "$ $$ ?? ## \\sqcap \\sqcup \\uplus"),
    (9, 13, false, "!!"),
    (9, 14, false, "\\wr"),
    (10, 10, true, "+ ++ (+)"),
    (10, 11, true, "%% | ||"),
    (10, 11, false, "%"),
    (10, 13, true, "\\X"),
    (11, 11, true, "- -- (-)"),
    (
        13,
        13,
        true,
        "* ** & && (.) (\\X) \\bigcirc \\bullet \\o \\star",
    ),
    (13, 13, false, "/ // (/) \\div"),
    (14, 14, false, "^ ^^"),
];

fn joined(left: &str, sign: &str, right: &str) -> String {
    match sign {
        "/\\" | "\\/" => format!("({sign} {left}, {right})"),
        sign => format!("({left} {sign} {right})"),
    }
}

#[test]
fn every_pair_of_operators_has_the_order_of_the_book() {
    let all: Vec<(u8, u8, bool, &str)> = RANGES
        .iter()
        .flat_map(|&(low, high, left, signs)| {
            signs
                .split_whitespace()
                .map(move |sign| (low, high, left, sign))
        })
        .collect();
    assert!(all.len() > 85, "{}", all.len());
    for &(low1, high1, left, one) in &all {
        for &(low2, high2, _, two) in &all {
            let found = tree(&format!("a {one} b {two} c"));
            let expected = if one == two && left {
                match one {
                    "/\\" | "\\/" => format!("({one} a, b, c)"),
                    "\\X" => "(a \\X b \\X c)".to_string(),
                    _ => joined(&joined("a", one, "b"), two, "c"),
                }
            } else if low1 > high2 {
                joined(&joined("a", one, "b"), two, "c")
            } else if high1 < low2 {
                joined("a", one, &joined("b", two, "c"))
            } else {
                assert!(
                    found.contains("no order of precedence"),
                    "a {one} b {two} c: {found}"
                );
                continue;
            };
            assert_eq!(found, expected, "a {one} b {two} c");
        }
    }
}

#[test]
fn operators_before_and_behind_operands() {
    let cases = [
        ("~a = b", "(~ (a = b))"),
        ("~a /\\ b", "(/\\ (~ a), b)"),
        ("a + ~b = c", "(a + (~ (b = c)))"),
        ("-a + b", "((-. a) + b)"),
        ("-a * b", "(-. (a * b))"),
        ("a - -b", "(a - (-. b))"),
        ("-a'", "(-. (a'))"),
        ("[]<>a", "([] (<> a))"),
        ("[]a /\\ b", "(/\\ ([] a), b)"),
        ("[]a => b", "(([] a) => b)"),
        ("[]f[x]", "([] f[x])"),
        ("[](x')", "([] (x'))"),
        ("SUBSET S \\cup T", "((SUBSET S) \\cup T)"),
        ("SUBSET f[x].a'", "(SUBSET (f[x].a'))"),
        (
            "DOMAIN f \\X T",
            "1:10: `DOMAIN` and `\\X` have no order of precedence here (put parentheses around what belongs together)",
        ),
        (
            "[]x'",
            "1:4: `[]` and `'` have no order of precedence here (put parentheses around what belongs together)",
        ),
        (
            "a * -b",
            "1:5: `*` and `-.` have no order of precedence here (put parentheses around what belongs together)",
        ),
        ("x''", "((x')')"),
        ("x^+^*", "(^* (^+ x))"),
        ("f[1][2].a[3]", "f[1][2].a[3]"),
        ("r.a.b", "r.a.b"),
        ("UNCHANGED <<x, y>>", "(UNCHANGED <<x, y>>)"),
        ("ENABLED A /\\ B", "(/\\ (ENABLED A), B)"),
        (
            "a \\/ \\E x \\in S : b \\/ c",
            "(\\/ a, (\\E x \\in S : (\\/ b, c)))",
        ),
        (
            "a + IF b THEN c ELSE d + e",
            "(a + (IF b THEN c ELSE (d + e)))",
        ),
        ("(a /\\ b) /\\ c", "(/\\ (/\\ a, b), c)"),
        ("a /\\ (b /\\ c)", "(/\\ a, (/\\ b, c))"),
        ("(S \\X T) \\X U", "((S \\X T) \\X U)"),
        ("+(a, b)", "(a + b)"),
        ("-.(a)", "(-. a)"),
        ("F(+, -., LAMBDA x : x)", "F(+, -., (LAMBDA x : x))"),
        ("F(-, ')", "F(-, ')"),
    ];
    for (text, expected) in cases {
        assert_eq!(tree(text), expected, "{text}");
    }
}

#[test]
fn brackets_of_all_kinds() {
    let cases = [
        ("{}", "{}"),
        ("{a, b}", "{a, b}"),
        ("{x \\in S : x > 1}", "{x \\in S : (x > 1)}"),
        ("{<<x, y>> \\in S : x > y}", "{<<x, y>> \\in S : (x > y)}"),
        (
            "{x + y : x \\in S, y \\in T}",
            "{(x + y) : x \\in S, y \\in T}",
        ),
        ("{x : x, y \\in S}", "{x : x, y \\in S}"),
        ("{x \\in S}", "{(x \\in S)}"),
        ("{x \\in S, y}", "{(x \\in S), y}"),
        ("{(x \\in S) : x \\in T}", "{(x \\in S) : x \\in T}"),
        ("[x \\in S |-> x]", "[x \\in S |-> x]"),
        (
            "[x, y \\in S, <<a, b>> \\in T |-> x]",
            "[x, y \\in S, <<a, b>> \\in T |-> x]",
        ),
        ("[S -> T]", "[S -> T]"),
        ("[a |-> 1, b |-> 2]", "[a |-> 1, b |-> 2]"),
        ("[a : S, b : T]", "[a : S, b : T]"),
        (
            "[STATE |-> 1, IF |-> 2].STATE",
            "[STATE |-> 1, IF |-> 2].STATE",
        ),
        (
            "[f EXCEPT ![1] = 2, ![a, b].c[3] = @ + 1]",
            "[f EXCEPT ![1] = 2, ![a, b].c[3] = (@ + 1)]",
        ),
        ("[A]_v", "[A]_v"),
        ("[A]_<<x, y>>", "[A]_<<x, y>>"),
        ("[][A /\\ B]_vars", "([] [(/\\ A, B)]_vars)"),
        ("[x \\in S]_x", "[(x \\in S)]_x"),
        ("<<A>>_v", "<<A>>_v"),
        ("<<>>", "<<>>"),
        ("<<a, <<b>>>>", "<<a, <<b>>>>"),
        ("WF_v(A)", "WF_v(A)"),
        ("SF_<<x, y>>(A \\/ B)", "SF_<<x, y>>((\\/ A, B))"),
        ("WF_f(x)(A)", "WF_f(x)(A)"),
        ("WF_I!v(A)", "WF_I!v(A)"),
        ("I(n)!Op(a, b)", "I(n)!Op(a, b)"),
        ("A!B!C", "A!B!C"),
        ("I!+(a, b)", "(a + b)"),
        ("Op!1!<<!:", "Op!1!1!:"),
        ("Op!(a)!@", "Op!(a)!@"),
        ("lab :: a + b", "(lab() :: (a + b))"),
        ("lab(x, y) :: a", "(lab(x, y) :: a)"),
        (
            "CASE a -> b [] c -> d [] OTHER -> e",
            "(CASE a -> b [] c -> d [] OTHER -> e)",
        ),
        ("CASE a -> [] b", "(CASE a -> ([] b))"),
        ("CHOOSE x : x", "(CHOOSE x : x)"),
        (
            "CHOOSE <<x, y>> \\in S : x = y",
            "(CHOOSE <<x, y>> \\in S : (x = y))",
        ),
        (
            "\\A x, y \\in S, z \\in T : p",
            "(\\A x, y \\in S, z \\in T : p)",
        ),
        ("\\E x, y : p", "(\\E x, y : p)"),
        ("\\EE x : p", "(\\EE x : p)"),
        (
            "LET a == 1 f[x \\in S] == x b + c == d IN e",
            "(LET a == 1; f[x \\in S] == x; +(b, c) == d IN e)",
        ),
        (
            "LET RECURSIVE g(_) g(x) == 1 I == INSTANCE M IN g(1)",
            "(LET RECURSIVE g/1; g(x) == 1; I == INSTANCE M IN g(1))",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(tree(text), expected, "{text}");
    }
}

#[test]
fn numbers_and_strings() {
    let cases = [
        (
            "12 + \\b101 + \\o17 + \\hFf + \\B1",
            "((((12 + 5) + 15) + 255) + 1)",
        ),
        ("2147483647", "2147483647"),
        ("2147483648", "too large"),
        ("1.25", "1.25"),
        ("1..5", "(1 .. 5)"),
        ("1a + a1 + _x + x_", "(((1a + a1) + _x) + x_)"),
        (r#""a\"b\\c\n""#, r#""a\"b\\c\n""#),
        (r#""(* no comment *)""#, r#""(* no comment *)""#),
        ("a (* one (* two *) three *) + b \\* end", "(a + b)"),
        ("\"a", "1:1: this string has no end in its line"),
        (
            "(* a",
            "1:1: this comment has no end (each `(*` needs a `*)`, also inside of comments); \
          1:5: expected an expression, found the end of the text",
        ),
        (
            "a ; b",
            "1:3: `;` means nothing in TLA+; 1:5: expected an operator or the end, found `b`",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(tree(text), expected, "{text}");
    }
}

#[test]
fn other_spellings_mean_the_same() {
    let cases = [
        ("a ∧ b", "a /\\ b"),
        ("a \\land b", "a /\\ b"),
        ("a ∨ b \\lor c", "a \\/ b \\/ c"),
        ("¬a", "~a"),
        ("\\lnot a", "~a"),
        ("\\neg a", "~a"),
        ("a ≤ b", "a <= b"),
        ("a =< b", "a <= b"),
        ("a \\leq b", "a \\leq b"),
        ("a \\geq b", "a >= b"),
        ("a ≠ b", "a # b"),
        ("a /= b", "a # b"),
        ("a ∈ S", "a \\in S"),
        ("a ∉ S", "a \\notin S"),
        ("a ∪ b \\union c", "a \\cup b \\cup c"),
        ("a ∩ b \\intersect c", "a \\cap b \\cap c"),
        ("a ⇒ b", "a => b"),
        ("a ⇔ b", "a <=> b"),
        ("a \\equiv b", "a <=> b"),
        ("a ≡ b", "a <=> b"),
        ("a ↝ b", "a ~> b"),
        ("a × b \\times c", "a \\X b \\X c"),
        ("a ∘ b \\circ c", "a \\o b \\o c"),
        ("a ⊕ b \\oplus c", "a (+) b (+) c"),
        ("□◇a", "[]<>a"),
        ("∀ x ∈ S : ∃ y : p", "\\A x \\in S : \\E y : p"),
        (
            "\\forall x \\in S : \\exists y : p",
            "\\A x \\in S : \\E y : p",
        ),
        ("⟨a, b⟩", "<<a, b>>"),
        ("⟨A⟩_v", "<<A>>_v"),
        ("[x ∈ S ↦ x]", "[x \\in S |-> x]"),
        ("[S → T]", "[S -> T]"),
        ("1‥3", "1..3"),
        ("ℕ", "Nat"),
        ("l ∷ a", "l :: a"),
    ];
    for (text, same) in cases {
        assert_eq!(tree(text), tree(same), "{text}");
    }
}

#[test]
fn columns_decide_what_belongs_to_a_list() {
    let cases = [
        ("/\\ a\n/\\ b", "(/\\ a, b)"),
        ("/\\ a", "(/\\ a)"),
        ("/\\ \\/ a\n   \\/ b\n/\\ c", "(/\\ (\\/ a, b), c)"),
        ("/\\ a => b\n/\\ c", "(/\\ (a => b), c)"),
        ("/\\ a\n  /\\ b", "(/\\ (/\\ a, b))"),
        (" /\\ a\n/\\ b", "(/\\ (/\\ a), b)"),
        ("/\\ a\n\\/ b", "(\\/ (/\\ a), b)"),
        ("\\/ a\n\\/ b\n=> c", "((\\/ a, b) => c)"),
        (
            "/\\ \\A x \\in S :\n    /\\ a\n    /\\ b\n/\\ c",
            "(/\\ (\\A x \\in S : (/\\ a, b)), c)",
        ),
        (
            "/\\ IF a\n   THEN b\n   ELSE c\n/\\ d",
            "(/\\ (IF a THEN b ELSE c), d)",
        ),
        ("/\\ a /\\ b\n/\\ c", "(/\\ (/\\ a, b), c)"),
        // A tab reaches to the next multiple of eight.
        ("\t/\\ a\n        /\\ b", "(/\\ a, b)"),
        ("    \t/\\ a\n\t/\\ b", "(/\\ a, b)"),
        // Columns count characters.
        ("∧ ∧ x\n  ∧ y\n∧ z", "(/\\ (/\\ x, y), z)"),
        ("F(\"∀∀\", /\\ a\n        /\\ b)", "F(\"∀∀\", (/\\ a, b))"),
        (
            "/\\ (a +\nb)",
            "2:1: `b` is not to the right of the `/\\` it belongs to",
        ),
        ("/\\ a +\n/\\ b", "2:1: expected an expression, found `/\\`"),
        (
            "/\\ IF a\nTHEN b ELSE c",
            "2:1: `THEN` is not to the right of the `/\\` it belongs to",
        ),
    ];
    for (text, expected) in cases {
        let found = tree(text);
        match expected.contains("not to the right") {
            true => assert!(found.starts_with(expected), "{text}\n{found}"),
            false => assert_eq!(found, expected, "{text}"),
        }
    }
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let cases = [
        ("", "1:1: expected an expression, found the end of the text"),
        (
            "a +",
            "1:4: expected an expression, found the end of the text",
        ),
        ("a b", "1:3: expected an operator or the end, found `b`"),
        (
            "(a",
            "1:3: expected an operator or `)`, found the end of the text",
        ),
        ("{a", "1:3: expected `,` or `}`, found the end of the text"),
        (
            "[a",
            "1:3: expected `->`, `EXCEPT`, `]_` or an operator, found the end of the text",
        ),
        (
            "IF a THEN b",
            "1:12: expected an operator or `ELSE`, found the end of the text",
        ),
        (
            "\\A x \\in S",
            "1:11: expected `,` or `:`, found the end of the text",
        ),
        ("LET IN a", "1:5: expected a definition, found `IN`"),
        (
            "LET a = 1 IN a",
            "1:7: `=` does not define anything (a definition is written with `==`)",
        ),
        (
            "LAMBDA x : x",
            "1:1: LAMBDA may only be an argument of an operator (a function is written [x \\in S |-> e])",
        ),
        (
            "a = b = c",
            "1:7: `=` and `=` have no order of precedence here (put parentheses around what belongs together)",
        ),
        (
            "{x \\in S, y \\in T : p}",
            "1:19: expected `,` or `}`, found `:`",
        ),
        ("a + 1 :: b", "1:7: only a label may stand before `::`"),
        (
            "(SUBSET a) :: b",
            "1:12: only a label may stand before `::`",
        ),
        (
            "a * l :: b + c",
            "1:5: without this label the expression would mean something else",
        ),
        (
            "WF_v",
            "1:5: expected the action in parentheses, found the end of the text",
        ),
    ];
    for (text, expected) in cases {
        let found = tree(text);
        assert!(found.starts_with(expected), "{text}\n{found}");
    }
}
