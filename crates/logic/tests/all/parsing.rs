//! Reading and writing formulas: tables of texts, round trips, and arbitrary text.

use evenhand_logic::random::Random;
use evenhand_logic::{
    AtomReader, FormulaId, Formulas, MAX_DEPTH, Place, Reading, Spelling, Terms, parse, parse_with,
    print,
};
use evenhand_source::{Diagnostic, FileId};

const ALL: [Spelling; 4] = [
    Spelling::Any,
    Spelling::Spin,
    Spelling::Nusmv,
    Spelling::Spot,
];

#[track_caller]
fn reads_as(spelling: Spelling, text: &str, meaning: &str) {
    let mut store = Formulas::new();
    let f = parse(&mut store, text, spelling).expect(text);
    let g = parse(&mut store, meaning, Spelling::Any).expect(meaning);
    let (f, g) = [f, g]
        .map(|h| print(&store, h, Spelling::Any))
        .into_iter()
        .fold((String::new(), String::new()), |(_, a), b| (a, b));
    assert_eq!(f, g, "{text}");
}

#[test]
fn every_spelling_is_read() {
    use Spelling::*;
    reads_as(Spin, "[] (p -> <> q)", "G (p -> F q)");
    reads_as(Spin, "always p implies eventually q", "(G p) -> (F q)");
    reads_as(Spin, "[] p U q", "(G p) U q");
    reads_as(Spin, "p U q U r", "(p U q) U r");
    reads_as(Spin, "p -> q -> r", "(p -> q) -> r");
    reads_as(Spin, "p <-> q -> r", "(p <-> q) -> r");
    reads_as(Spin, "p && q U r", "p & (q U r)");
    reads_as(Spin, "p || q && r -> r", "(p | (q & r)) -> r");
    reads_as(Spin, "p weakuntil q", "p W q");
    reads_as(Spin, "p stronguntil q", "p U q");
    reads_as(Spin, "p V q", "p R q");
    reads_as(Spin, "p release q", "p R q");
    reads_as(Spin, "next p equivalent q", "(X p) <-> q");
    reads_as(Spin, "!p && F && G", "!p & \"F\" & \"G\"");
    reads_as(Nusmv, "G (p -> F q) & H r", "(G (p -> F q)) & (H r)");
    reads_as(Nusmv, "p S q | Y p & Z q", "(p S q) | ((Y p) & (Z q))");
    reads_as(Nusmv, "p <-> q -> r", "(p <-> q) -> r");
    reads_as(Nusmv, "p -> q -> r", "p -> (q -> r)");
    reads_as(Nusmv, "p xor q | r", "(p xor q) | r");
    reads_as(Nusmv, "F [1,2] p", "X (p | X p)");
    reads_as(Nusmv, "G [0,1] p", "p & X p");
    reads_as(Nusmv, "O [1, 2] p", "Y (p | Y p)");
    reads_as(Nusmv, "H [0,1] p", "p & Z p");
    reads_as(Nusmv, "F [0,0] p", "p");
    reads_as(Nusmv, "AG (p -> EF q)", "A G (p -> E F q)");
    reads_as(Nusmv, "A [p U q] & E [G p]", "(A (p U q)) & (E G p)");
    reads_as(Nusmv, "TRUE & R", "\"R\"");
    reads_as(Spot, "GFa -> GFb", "(G F a) -> (G F b)");
    reads_as(Spot, "p0 U p1 U p2", "p0 U (p1 U p2)");
    reads_as(Spot, "a xor b | c", "a xor (b | c)");
    reads_as(Spot, "a ^ b & c", "a xor (b & c)");
    reads_as(Spot, "X[2]a & F[1:2]b", "(X X a) & X (b | X b)");
    reads_as(Spot, "X[!]a", "X a");
    reads_as(Spot, "a M b", "a M b");
    reads_as(Spot, "1 U a | 0", "true U a");
    reads_as(Spot, "\"a b\" W c", "\"a b\" W c");
    reads_as(Any, "<>[]a /\\ ~b \\/ c", "((F G a) & !b) | c");
    reads_as(Any, "a => b <=> c", "a -> (b <-> c)");
    reads_as(Any, "not a and b or c", "((!a) & b) | c");
    reads_as(Any, "once p since historically q", "(O p) S (H q)");
}

#[test]
fn printed_formulas_are_read_back() {
    let mut random = Random::new(5);
    for case in 0..3000 {
        let mut store = Formulas::new();
        let names = [
            "p", "x.y", "G", "until", "a b", "Gp", "q\"\\", "é", "F2", "A",
        ];
        let mut f = random.formula(&mut store, case % 12, 3, true);
        let name = store.atom(names[random.below(names.len())]);
        f = match random.below(4) {
            0 => store.and([f, name]),
            1 => store.implies(name, f),
            2 => store.path(evenhand_logic::Quantifier::Exists, f),
            _ => f,
        };
        for spelling in ALL {
            let text = print(&store, f, spelling);
            let back = parse(&mut store, &text, spelling);
            assert_eq!(back, Ok(f), "{text} in {spelling:?}");
        }
    }
}

#[track_caller]
fn host(text: &str) -> Result<String, Diagnostic> {
    let mut store = Formulas::new();
    let mut reader = Terms(Spelling::Spin);
    let place = Place::default();
    let f = parse_with(&mut store, text, Spelling::Spin, place, &mut reader)?;
    let printed = print(&store, f, Spelling::Spin);
    let again = parse_with(&mut store, &printed, Spelling::Spin, place, &mut reader);
    assert_eq!(again, Ok(f), "{printed}");
    Ok(printed)
}

#[test]
fn expressions_of_the_host_language_are_atoms() {
    let ok = |text: &str, printed: &str| assert_eq!(host(text), Ok(printed.to_string()), "{text}");
    ok("[] (x > 3 && len(q) == 2)", "[] ((x > 3) && (len(q) == 2))");
    ok("<> p[1]@cs", "<> (p[1]@cs)");
    ok(
        "[] ((x + 1) * 2 > y -> <> done)",
        "[] (((x + 1) * 2 > y) -> <> done)",
    );
    ok("(a[i].b == 0) U !(0 < x)", "(a[i].b == 0) U !(0 < x)");
    ok("proc[2]:var != 1 || flag", "(proc[2]:var != 1) || flag");
    ok("x <= 3 <-> <> y", "(x <= 3) <-> <> y");
    ok("x -> y", "x -> y");
    ok("(x) && ((y))", "x && y");
    ok("-x < 3", "(-x < 3)");
    assert!(host("x > && y").is_err());
    assert!(host("x + ").is_err());
}

struct Words;

impl AtomReader for Words {
    fn read(&mut self, text: &str) -> Reading {
        match text.starts_with('<') {
            true => match text.find('>') {
                Some(end) => Reading::Atom(end + 1),
                None => Reading::Wrong("expected `>`".into(), 0, 1),
            },
            false => Reading::NotMine,
        }
    }
}

#[test]
fn a_front_end_brings_its_own_reader() {
    let mut store = Formulas::new();
    let place = Place {
        file: FileId(3),
        start: 100,
    };
    let f = parse_with(
        &mut store,
        "G <a|b> & c",
        Spelling::Nusmv,
        place,
        &mut Words,
    );
    let f = f.expect("a formula");
    assert_eq!(print(&store, f, Spelling::Spot), "G \"<a|b>\" & c");
    let error = parse_with(&mut store, "G <a", Spelling::Nusmv, place, &mut Words);
    let span = error.expect_err("no end").span.expect("a place");
    assert_eq!((span.file, span.start, span.end), (FileId(3), 102, 103));
}

#[track_caller]
fn fails(text: &str, message: &str, start: u32, end: u32) {
    let mut store = Formulas::new();
    let error = parse(&mut store, text, Spelling::Any).expect_err(text);
    let span = error.span.expect("a place");
    assert!(error.message.contains(message), "{text}: {}", error.message);
    assert_eq!((span.start, span.end), (start, end), "{text}");
}

#[test]
fn errors_say_where_and_what_was_expected() {
    fails("", "expected a proposition", 0, 0);
    fails("p &", "expected a proposition", 3, 3);
    fails("p q", "expected an operator", 2, 3);
    fails("(p", "expected `)`", 2, 2);
    fails("p)", "expected an operator or the end", 1, 2);
    fails("U p", "found the operator `U`", 0, 1);
    fails("p & & q", "expected a proposition", 4, 5);
    fails("F [2,1] p", "are empty", 0, 7);
    fails("F [2 p", "expected `]`", 5, 6);
    fails("F [0,99999999999999999999] p", "go up to", 5, 25);
    fails("\"abc", "closing", 0, 1);
    fails("\"\"", "between the quotes", 0, 2);
    fails("A [p U q)", "expected `]`", 8, 9);
    fails("p $ q", "expected an operator", 2, 3);
    fails("3 & p", "expected a proposition", 0, 1);
}

#[test]
fn deep_nesting_is_an_error_and_long_chains_are_not() {
    let mut store = Formulas::new();
    for deep in ["!(X ", "(p U ", "G F ", "[]", "E(", "p -> "] {
        let text = deep.repeat(200_000);
        assert!(parse(&mut store, &text, Spelling::Any).is_err());
        let closed = format!("{text}p{}", ")".repeat(text.matches('(').count()));
        let error = parse(&mut store, &closed, Spelling::Any).expect_err("too deep");
        assert!(error.message.contains("deep"), "{}", error.message);
    }
    let parentheses = format!("{}p{}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(parse(&mut store, &parentheses, Spelling::Any).is_ok());
    let nots = format!("{}p", "!".repeat(100_000));
    assert!(parse(&mut store, &nots, Spelling::Any).is_ok());
    let chain = vec!["p"; 100_000].join(" && ");
    assert!(parse(&mut store, &chain, Spelling::Any).is_ok());
    let long: Vec<String> = (0..50_000).map(|i| format!("p{i}")).collect();
    assert!(parse(&mut store, &long.join(" | "), Spelling::Any).is_ok());
    assert!(parse(&mut store, "F [0,600] p", Spelling::Any).is_err());
    assert!(parse(&mut store, "F [0,400] p", Spelling::Any).is_ok());
}

/// As deep as the parser allows: nothing recursive may overflow on it.
#[test]
fn the_deepest_formula_goes_through_everything() {
    let mut store = Formulas::new();
    for unit in [
        "X (p & ", "(q U ", "G (p | ", "F (q & ", "!(p W ", "(p S ", "Y (p | ",
    ] {
        let text = format!(
            "{}q{}",
            unit.repeat(MAX_DEPTH / 2 - 2),
            ")".repeat(MAX_DEPTH / 2 - 2)
        );
        let f = parse(&mut store, &text, Spelling::Any).expect("not too deep");
        let simple = evenhand_logic::simplify(&mut store, f);
        let _ = print(&store, simple, Spelling::Spin);
        let tester = evenhand_logic::tester(&mut store, f, evenhand_logic::Exactness::Full);
        assert!(tester.is_ok());
    }
}

/// Any text gives a formula or an error with a place inside it, in every spelling and with a
/// reader.
#[test]
fn arbitrary_text_does_not_panic() {
    let pieces = [
        "p",
        "q0",
        "X",
        "F",
        "G",
        "U",
        "W",
        "R",
        "M",
        "V",
        "S",
        "T",
        "A",
        "E",
        "Y",
        "[]",
        "<>",
        "[",
        "]",
        "(",
        ")",
        "!",
        "~",
        "&",
        "&&",
        "|",
        "||",
        "->",
        "<->",
        "-",
        "<",
        ">",
        "=",
        "\"",
        "\\",
        "1",
        "0",
        "17",
        ",",
        ":",
        "..",
        ".",
        "until",
        "AG",
        "xor",
        "^",
        "é",
        "\u{1F600}",
        "\n",
        "@",
        "x[1]",
        "{",
        "}",
        "+",
        "*",
        "/",
        "GFa",
        "Xx",
        "$",
    ];
    let mut random = Random::new(9);
    let check = |text: &str| {
        for spelling in ALL {
            for host in [false, true] {
                let mut store = Formulas::new();
                let result: Result<FormulaId, Diagnostic> = match host {
                    false => parse(&mut store, text, spelling),
                    true => parse_with(
                        &mut store,
                        text,
                        spelling,
                        Place::default(),
                        &mut Terms(spelling),
                    ),
                };
                match result {
                    Ok(f) => {
                        let printed = print(&store, f, spelling);
                        if !host {
                            assert_eq!(parse(&mut store, &printed, spelling), Ok(f), "{text:?}");
                        }
                    }
                    Err(error) => {
                        let span = error.span.expect("a place");
                        assert!(span.start <= span.end && span.end as usize <= text.len());
                    }
                }
            }
        }
    };
    for _ in 0..6000 {
        let length = random.below(12);
        let text: String = (0..length)
            .map(|_| {
                let space = if random.below(2) == 0 { " " } else { "" };
                format!("{}{space}", pieces[random.below(pieces.len())])
            })
            .collect();
        check(&text);
        let bytes: Vec<u8> = (0..length * 2).map(|_| random.number() as u8).collect();
        check(&String::from_utf8_lossy(&bytes));
    }
}
