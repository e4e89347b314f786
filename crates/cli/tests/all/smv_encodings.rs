//! What public models of SMV showed of the ways they are encoded, each with generated siblings.

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

static FILES: AtomicU32 = AtomicU32::new(0);

/// What the command says of the properties of a model.
fn properties(text: &str, engine: &str) -> Vec<Value> {
    properties_within(text, engine, &[])
}

/// The same within some limits.
fn properties_within(text: &str, engine: &str, limits: &[&str]) -> Vec<Value> {
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    let name = format!("evenhand-encodings-{}-{number}.smv", std::process::id());
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, text).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_evenhand"))
        .args(["check", "--format", "json", "--engine", engine])
        .args(limits)
        .arg(&file)
        .output()
        .expect("the command");
    let _ = std::fs::remove_file(&file);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let report: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    report["properties"].as_array().cloned().unwrap_or_default()
}

/// The name, the verdict and the warnings of each property.
fn said(text: &str, engine: &str) -> Vec<(String, String, Value)> {
    let list = properties(text, engine);
    let of = |p: &Value, key: &str| p[key].as_str().unwrap_or_default().to_string();
    list.iter()
        .map(|p| (of(p, "name"), of(p, "verdict"), p["warnings"].clone()))
        .collect()
}

/// Codes of a range that are no values of it are no run-time errors.
#[test]
fn unused_codes_are_no_errors() {
    // An array of three whose index has two bits, and siblings with other gaps.
    for (last, extra) in [
        (2, ""),
        (4, ""),
        (5, "TRANS next(i) >= 0"),
        (10, "IVAR k : 0..2;"),
    ] {
        let text = format!(
            "MODULE main\nVAR i : 0..{last}; r : array 0..{last} of boolean;\n{extra}\n\
             TRANS next(r[i])\nINVARSPEC r[0] | !r[0]\nLTLSPEC G X r[i] | F !r[0]\n"
        );
        let sets = said(&text, "symbolic");
        for (name, verdict, warnings) in &sets {
            let warnings = warnings.as_array().map_or(0, Vec::len);
            assert_eq!(warnings, 0, "{name} is {verdict} with warnings:\n{text}");
        }
        let verdicts = |list: Vec<(String, String, Value)>| -> Vec<(String, String)> {
            list.into_iter().map(|(n, v, _)| (n, v)).collect()
        };
        assert_eq!(verdicts(sets), verdicts(said(&text, "auto")), "{text}");
    }
}

/// A condition on many next values is decided by each engine.
#[test]
fn conditions_on_steps_with_many_values() {
    for (highest, condition, verdict) in [
        (9, "x = next(x) | y = next(y)", "holds"),
        (
            30,
            "next(x) - x + next(y) - y = next(x) + next(y) - x - y",
            "holds",
        ),
        (12, "next(x) >= x & next(y) >= y", "violated"),
        (20, "next(x) != x + 5 | next(y) = y", "holds"),
    ] {
        let text = format!(
            "MODULE main\nVAR x : 0..{highest}; y : 0..{highest};\n\
             TRANS next(x) = x | next(y) = y\nLTLSPEC G ({condition})\n"
        );
        for engine in ["auto", "symbolic"] {
            let list = said(&text, engine);
            assert_eq!(list[0].1, verdict, "{engine}:\n{text}");
        }
    }
}

/// A deep counter is explored, many independent ones are sets, and nobody has to say which.
#[test]
fn the_first_way_that_answers_is_kept() {
    let deep = |last: u32| {
        format!(
            "MODULE main\nVAR n : 0..{last};\n\
             ASSIGN init(n) := 0; next(n) := case n < {last} : n + 1; TRUE : 0; esac;\n\
             INVARSPEC n <= {last}\nLTLSPEC G F n = 0\n"
        )
    };
    let wide = |count: u32, last: u32| {
        let mut text = String::from("MODULE main\n");
        for k in 0..count {
            text += &format!(
                "VAR x{k} : 0..{last}; ASSIGN init(x{k}) := 0;\n\
                 next(x{k}) := case x{k} < {last} : {{x{k}, x{k} + 1}}; TRUE : 0; esac;\n"
            );
        }
        text + "INVARSPEC x0 <= x1 | x0 >= x1\nLTLSPEC G (x0 = 0 | x1 = 0 | TRUE)\n"
    };
    let engines = |text: &str| -> Vec<bool> {
        let list = properties(text, "auto");
        list.iter().map(|p| p["engine"] == "symbolic").collect()
    };
    let word = |bits: u32, step: u32| {
        format!(
            "MODULE main\nVAR w : unsigned word[{bits}];\n\
             ASSIGN init(w) := 0ud{bits}_0; next(w) := w + 0ud{bits}_{step};\n\
             INVARSPEC w >= 0ud{bits}_0\nLTLSPEC G F w = 0ud{bits}_{step}\n"
        )
    };
    let words = [word(18, 1), word(16, 3), word(15, 5), word(17, 1)];
    let ranges = [deep(60_000), deep(9_999), deep(30_000), deep(20_001)];
    for text in ranges.into_iter().chain(words) {
        assert!(!engines(&text).contains(&true), "{text}");
    }
    for text in [wide(6, 40), wide(8, 9), wide(5, 99), wide(12, 4)] {
        assert!(!engines(&text).contains(&false), "{text}");
    }
}

/// Sets may take what states leave of the memory, and states give back what they have when they give up: half of it alone is
/// too little for these sets, and there are too many states.
#[test]
fn two_ways_share_one_limit_of_memory() {
    for product in ["X * Y", "X * Y + X", "(X + 0ud16_3) * Y", "X * Y - Y"] {
        let product = product
            .replace('X', "extend(x, 8)")
            .replace('Y', "extend(y, 8)");
        let text = format!(
            "MODULE main\nVAR x : unsigned word[8]; y : unsigned word[8]; z : unsigned word[16];\n\
             FROZENVAR a : 0..200; b : 0..200; c : 0..200;\nINIT z = {product}\n\
             ASSIGN next(x) := x; next(y) := y; next(z) := z;\nINVARSPEC z = {product}\n"
        );
        let list = properties_within(&text, "auto", &["--limit-memory", "32M"]);
        assert_eq!(list[0]["verdict"], "holds", "{text}");
        let list = properties_within(&text, "auto", &["--limit-memory", "8M"]);
        assert_eq!(list[0]["verdict"], "unknown", "{text}");
    }
}
