//! Promela tokens: what SPIN reads, and what is said about the rest.

use super::{Model, check, check_messages};
use crate::token::{Keyword, Punct, TokenKind};

#[test]
fn every_keyword_and_operator_is_read() {
    for &keyword in Keyword::ALL {
        let expected = match keyword {
            Keyword::In => TokenKind::Ident("in".into()),
            Keyword::CCode
            | Keyword::CDecl
            | Keyword::CExpr
            | Keyword::CState
            | Keyword::CTrack => TokenKind::CCode {
                construct: keyword,
                text: "".into(),
            },
            _ => TokenKind::Keyword(keyword),
        };
        assert_eq!(Model::of(keyword.text()).tokens.tokens[0].kind, expected);
    }
    for &punct in Punct::ALL {
        let tokens = Model::of(punct.text()).tokens.tokens;
        assert_eq!(tokens[0].kind, TokenKind::Punct(punct));
        assert_eq!(tokens.len(), 2, "{punct}");
    }
}

#[test]
fn tokens_of_plain_text() {
    check(&[
        ("_ _pid _last _nr_pr np_ a1_", "_ _pid _last _nr_pr np_ a1_"),
        ("x=-1;y==2", "x = - 1 ; y == 2"),
        ("a->b;c--d", "a -> b ; c -- d"),
        ("::a:b", ":: a : b"),
        (
            "c!!x,y c??[x] c?<y> c!-1",
            "c !! x , y c ?? [ x ] c ? < y > c ! - 1",
        ),
        ("a<<b>>c<=d>=e<f>g", "a << b >> c <= d >= e < f > g"),
        ("a&&b||c&d|e^~f%g", "a && b || c & d | e ^ ~ f % g"),
        ("p[0]@L p:x s.f 1..5", "p [ 0 ] @ L p : x s . f 1 .. 5"),
        ("x+=1 i+++j", "x + = 1 i ++ + j"),
        ("[]<>p<->q", "[ ] < > p < -> q"),
        ("007 0x1F 12ab 2147483647", "7 0 x1F 12 ab 2147483647"),
        (r"'a' '\n' '\\' '\'' '\0' ' '", "97 10 92 39 48 32"),
        (r#""a \" b\n" $it's$"#, r#""a \" b\n" "it's""#),
        ("for (in in a) in (b) in", "for ( in in a ) in ( b ) in"),
        ("a // b\n/* c\n d */ e /**/ f", "a e f"),
    ]);
}

#[test]
fn in_is_a_keyword_between_the_parentheses_of_for() {
    let kinds = |text: &str| {
        let tokens = Model::of(text).tokens.tokens;
        let found = tokens.iter().filter(|token| token.kind.to_string() == "in");
        found
            .map(|token| token.kind == TokenKind::Keyword(Keyword::In))
            .collect::<Vec<_>>()
    };
    assert_eq!(kinds("for (i in a) { in } in"), [true, false, false]);
    assert_eq!(kinds("for (a[(1)].b in c) in"), [true, false]);
    assert_eq!(kinds("for in"), [true]);
    assert_eq!(kinds("(in) x for ; in"), [false, false]);
}

#[test]
fn embedded_c_is_one_token() {
    let first = |text: &str| match Model::of(text).tokens.tokens.swap_remove(0).kind {
        TokenKind::CCode { construct, text } => format!("{construct}: {text}"),
        other => panic!("{other}"),
    };
    let code = "c_code { if (x) { s = \"}\"; c = '}'; } } y";
    assert_eq!(first(code), "c_code: { if (x) { s = \"}\"; c = '}'; } }");
    assert_eq!(
        first("c_expr [p > 0] { now.x } y"),
        "c_expr: [p > 0] { now.x }"
    );
    assert_eq!(
        first("c_state \"int x\" \"Global\" y"),
        "c_state: \"int x\" \"Global\""
    );
    assert_eq!(first("c_track \"&x\" \"4\" \"UnMatched\" z"), {
        "c_track: \"&x\" \"4\" \"UnMatched\""
    });
    assert_eq!(first("c_decl {\n\\#include \"x.h\"\n} y"), {
        "c_decl: {\n\\#include \"x.h\"\n}"
    });
    check(&[("a c_code { } b", "a c_code b"), ("c_code x", "c_code x")]);
}

#[test]
fn what_cannot_be_read_is_reported_and_passed_over() {
    check_messages(&[
        (
            "a \"b\nc",
            "a \"b\" c",
            &["1:3 the string does not end on its line"],
        ),
        (
            "a $b\nc",
            "a \"b\" c",
            &["1:3 the string does not end on its line"],
        ),
        ("a 'bc' d", "a 0 d", &["1:3 this is no character constant"]),
        ("a '' d", "a 0 d", &["1:3 this is no character constant"]),
        ("a 'x\nd", "a x d", &["1:3 this is no character constant"]),
        ("a ` b", "a b", &["1:3 ``` has no meaning in Promela"]),
        ("a \\ b", "a b", &["1:3 `\\` has no meaning in Promela"]),
        ("a é b", "a b", &["1:3 `é` has no meaning in Promela"]),
        (
            "a éüö b",
            "a b",
            &["1:3 these characters have no meaning in Promela"],
        ),
        ("a /* b", "a", &["1:3 this comment is not closed"]),
        (
            "c_code { x",
            "c_code",
            &["1:1 the code of this `c_code` does not end"],
        ),
    ]);
}

#[test]
fn oddities_of_spin_are_followed_with_a_warning() {
    check_messages(&[
        (
            "a --> b",
            "a -> b",
            &["1:3 warning: `-->` is read as `->`, as SPIN does"],
        ),
        (
            "a <=< b",
            "a << b",
            &["1:3 warning: `<=<` is read as `<<`, as SPIN does"],
        ),
        (
            "a >=> b",
            "a >> b",
            &["1:3 warning: `>=>` is read as `>>`, as SPIN does"],
        ),
        (
            "a !!= b",
            "a != b",
            &["1:3 warning: `!!=` is read as `!=`, as SPIN does"],
        ),
        (
            "4294967297",
            "1",
            &["1:1 warning: the number does not fit in 32 bits; it is read as 1"],
        ),
        (
            "99999999999999999999",
            "-1",
            &["1:1 warning: the number does not fit in 32 bits; it is read as -1"],
        ),
    ]);
}

#[test]
fn endless_mistakes_are_cut_off() {
    let diagnostics = Model::of(&"` ".repeat(100_000)).tokens.diagnostics;
    assert!(diagnostics.len() < 1000);
    let last = diagnostics.last().map(|report| report.message.as_str());
    assert_eq!(last, Some("99500 further messages are not shown"));
}
