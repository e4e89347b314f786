//! No input makes the front-end panic, run away or take too long.

use std::time::{Duration, Instant};

use super::Model;
use crate::token::TokenKind;

/// A small generator of pseudo-random numbers (xorshift).
pub(super) struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % bound.max(1)
    }
}

/// What must be true of every input.
fn check_sound(text: &str) {
    let model = Model::of(text);
    let tokens = &model.tokens.tokens;
    let ends = tokens
        .iter()
        .filter(|token| token.kind == TokenKind::Eof)
        .count();
    assert_eq!(ends, 1, "ends of {text:?}");
    assert_eq!(
        tokens.last().map(|token| &token.kind),
        Some(&TokenKind::Eof),
        "end of {text:?}"
    );
    let places = tokens
        .iter()
        .flat_map(|token| [Some(token.span), token.expansion]);
    let messages = model.tokens.diagnostics.iter().map(|report| report.span);
    for span in places.chain(messages).flatten() {
        let text = &model.files.get(span.file).text;
        let range = text.get(span.start as usize..span.end as usize);
        assert!(range.is_some(), "{span:?} is no place of {text:?}");
    }
    for token in &tokens[..tokens.len() - 1] {
        assert!(
            token.span.start < token.span.end,
            "empty place of {:?} in {text:?}",
            token.kind
        );
    }
    let again = Model::of(text);
    assert_eq!(
        again.tokens.tokens, *tokens,
        "the second time differs for {text:?}"
    );
}

fn cases() -> usize {
    let cases = std::env::var("EVENHAND_CASES").ok();
    cases.and_then(|text| text.parse().ok()).unwrap_or(3000)
}

#[test]
fn random_bytes_are_harmless() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..cases() {
        let bytes: Vec<u8> = (0..random.below(80))
            .map(|_| random.below(256) as u8)
            .collect();
        check_sound(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn random_pieces_are_harmless() {
    const PIECES: [&str; 60] = [
        "#",
        "##",
        "#define ",
        "#undef ",
        "#if ",
        "#ifdef ",
        "#elif ",
        "#else",
        "#endif",
        "\n",
        "\n",
        "\n",
        "\\\n",
        "\\",
        "\\ \n",
        "\r",
        "\r\n",
        "\"",
        "'",
        "/*",
        "*/",
        "//",
        "/",
        "*",
        "M",
        "N",
        "M(",
        "N(x)",
        "(",
        ")",
        ",",
        "...",
        "__VA_ARGS__",
        "x",
        "y",
        "defined",
        "1",
        "1..N",
        "0x1",
        "99999999999999999999",
        "'a'",
        "'\\",
        "$",
        "c_code",
        "c_expr{",
        "c_state \"",
        "{",
        "}",
        "[",
        "]",
        "<",
        "-",
        "->",
        "--",
        ">",
        "é",
        "\u{feff}",
        "\0",
        "#include \"m.pml\"",
        "/*@ fair ",
    ];
    let mut random = Random(0x0123_4567_89ab_cdef);
    for _ in 0..cases() {
        let count = random.below(40);
        let text: String = (0..count)
            .map(|_| PIECES[random.below(PIECES.len())])
            .collect();
        check_sound(&text);
    }
}

#[test]
fn mutated_models_are_harmless() {
    const MODEL: &str = "#define N 3 /* three */\n#define wait(s) atomic { s > 0 -> s-- }\n\
        #if N > 2 && defined(N)\nmtype = { red, green };\n#endif\n\
        chan c = [N] of { byte, mtype };\n\
        active [N] proctype P() {\n\tbyte x = 'a';\n\tdo\n\t:: c!x,red -> wait(sem); x++\n\
        \t:: c?[x,_] -> printf(\"it's %d\\n\", x)\n\t:: else -> break\n\tod\n}\n\
        //@ fair weak\nltl p { [](P[0]@L -> <> !x) }\nc_code { if (x) { y = '}'; } }\n";
    let mut random = Random(0xfeed_beef_cafe_f00d);
    for _ in 0..cases() {
        let mut bytes = MODEL.as_bytes().to_vec();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = random.below(128) as u8,
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, b"#\"'\\/*(){}\n,$"[random.below(13)]),
                _ => bytes.truncate(at.max(8)),
            }
        }
        check_sound(&String::from_utf8_lossy(&bytes));
    }
}

/// The time for a text must not grow much faster than the text.
fn check_linear(what: &str, text: impl Fn(usize) -> String) {
    let time = |size: usize| {
        let text = text(size);
        let start = Instant::now();
        let model = Model::of(&text);
        assert!(!model.tokens.tokens.is_empty());
        start.elapsed()
    };
    // Quadratic time would be a factor of 100, always; a busy machine disturbs some of the
    // attempts.
    let mut seen = Vec::new();
    for _ in 0..6 {
        let (small, large) = (time(5_000), time(50_000));
        if large < (small * 40).max(Duration::from_millis(400)) {
            return;
        }
        seen.push((small, large));
    }
    panic!("{what}: too long for ten times as much: {seen:?}");
}

#[test]
fn time_grows_with_the_text() {
    check_linear("statements", |n| "x = x + 1;\n".repeat(n));
    check_linear("one line", |n| "x = x + 1; ".repeat(n));
    check_linear("macros", |n| {
        (0..n)
            .map(|i| format!("#define A{i} {i}\nA{i}\n"))
            .collect()
    });
    check_linear("chains", |n| {
        let defines: String = (1..n)
            .map(|i| format!("#define A{i} A{}\n", i - 1))
            .collect();
        format!("{defines}A{}", n - 1)
    });
    check_linear("open parentheses", |n| {
        format!("#define F(x) x\n{}", "F(".repeat(n))
    });
    check_linear("lone names", |n| {
        format!("#define F(x) x\n{}", "F ".repeat(n))
    });
    check_linear("open quotes", |n| "'x".repeat(n) + &"\n\"".repeat(n));
    check_linear("odd characters", |n| "` é \\ ".repeat(n));
    check_linear("braces", |n| "c_code {".repeat(n));
    check_linear("slashes", |n| "/ * /*".repeat(n));
    check_linear("joined lines", |n| "\\\n".repeat(n));
    check_linear("blanks behind a backslash", |n| {
        format!("\\{}x", " ".repeat(n))
    });
    check_linear("fairness", |n| "//@ fair weak\n".repeat(n));
    check_linear("conditions", |n| {
        "#if 1\n".repeat(n) + &"#endif\n".repeat(n)
    });
    check_linear("left out", |n| "#if 0\n".repeat(n) + &"#endif\n".repeat(n));
    check_linear("long condition", |n| {
        format!("#if 1{}\n#endif", "+1".repeat(n))
    });
}
