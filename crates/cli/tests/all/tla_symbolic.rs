//! Specifications on the symbolic engine: relations are learned, and the answers are those of exploring state by state.
//!
//! Every property that sets decide has the verdict that states have; what they do not decide says why. Random specifications
//! have fairness of all kinds, constraints, properties of steps, temporal formulas, errors and ends; then come the models that
//! teach and the public specifications.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use evenhand_testkit::lassos::{Random, cases};
use serde_json::Value;

/// Verdicts by property, or the message of a call that was refused.
type Told = Result<BTreeMap<String, String>, String>;

fn ask(arguments: &[&str]) -> Told {
    let output = Command::new(env!("CARGO_BIN_EXE_evenhand"))
        .arg("check")
        .args(arguments)
        .args(["--format", "json", "--limit-time", "5"])
        .output()
        .expect("the command runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let status = output.status.code();
    if status == Some(2) {
        return Err(said + &String::from_utf8_lossy(&output.stdout));
    }
    assert!(matches!(status, Some(0 | 1 | 3)), "{arguments:?}: {said}");
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let list = found["properties"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let verdict = |property: &Value| (text(&property["name"]), text(&property["verdict"]));
    Ok(list.iter().map(verdict).collect())
}

/// What came out.
#[derive(Debug, Default)]
struct Tally {
    holds: usize,
    violated: usize,
    unknown: usize,
    refused: usize,
}

/// Compares the verdicts of both.
fn compare(arguments: &[&str], tally: &mut Tally) {
    let Ok(states) = ask(arguments) else { return };
    let names: Vec<String> = states.keys().cloned().collect();
    // One question that sets cannot answer refuses the whole call.
    for name in names {
        let one = [arguments, &["-p", &name, "--engine", "symbolic"]].concat();
        let sets = match ask(&one) {
            Ok(sets) => sets,
            Err(said) => {
                assert!(said.contains("\"message\""), "{said}");
                tally.refused += 1;
                continue;
            }
        };
        let (own, other) = (&sets[&name], &states[&name]);
        match (own.as_str(), other.as_str()) {
            ("unknown", _) | (_, "unknown") => tally.unknown += 1,
            _ => {
                assert_eq!(own, other, "{name}: {arguments:?}");
                match own.as_str() {
                    "holds" => tally.holds += 1,
                    _ => tally.violated += 1,
                }
            }
        }
    }
}

fn pick<'t>(random: &mut Random, texts: &[&'t str]) -> &'t str {
    texts[random.below(texts.len())]
}

/// A random specification: three counters and a function, five actions, and all kinds of properties.
fn generate(seed: u64) -> (String, String) {
    let mut random = Random::new(seed);
    let r = &mut random;
    let test = |r: &mut Random| {
        let variable = pick(r, &["a", "b", "c", "f[0]", "f[1]"]);
        let relation = pick(r, &["=", "#", "<", ">"]);
        format!("{variable} {relation} {}", r.below(3))
    };
    let change = |r: &mut Random, variable: &str| {
        let other = pick(r, &["a", "b", "f[1]"]);
        match (variable, r.below(4)) {
            ("f", 0) => format!("[f EXCEPT ![{}] = {other}]", r.below(2)),
            ("f", _) => "[i \\in 0..1 |-> f[1 - i]]".to_string(),
            (_, 0) => other.to_string(),
            (_, 1) => format!("{}", r.below(3)),
            _ => format!("({variable} + 1) % 3"),
        }
    };
    let mut actions = String::new();
    let names = ["A", "B", "C(p)", "D(p)", "E"];
    for name in names {
        let mut parts = vec![];
        for _ in 0..r.below(3) {
            parts.push(test(r));
        }
        if name.ends_with("(p)") {
            parts.push(pick(r, &["a # p", "b = p", "f[p] < 2", "TRUE"]).to_string());
        }
        if r.below(12) == 0 {
            parts.push("ENABLED A".to_string());
        }
        let first = r.below(4);
        for (place, variable) in ["a", "b", "c", "f"].into_iter().enumerate() {
            let moves = place == first || r.below(4) == 0;
            parts.push(match moves {
                true if r.below(6) == 0 => {
                    format!(
                        "({variable}' = {} \\/ UNCHANGED {variable})",
                        change(r, variable)
                    )
                }
                true => format!("{variable}' = {}", change(r, variable)),
                false => format!("UNCHANGED {variable}"),
            });
        }
        if r.below(10) == 0 {
            parts.push(pick(r, &["a' # b", "c' = c", "f' # <<>>"]).to_string());
        }
        actions += &format!("{name} == {}\n", parts.join(" /\\ "));
    }
    let bound = pick(r, &["0..1", "{a, 1} \\cap (0..1)", "{0, 1}"]);
    let next = match r.below(3) {
        0 => format!("A \\/ B \\/ (\\E p \\in {bound} : C(p) \\/ D(p)) \\/ E"),
        1 => format!("(\\E p \\in {bound} : C(p)) \\/ (IF a = 0 THEN A ELSE B) \\/ E"),
        _ => format!(
            "/\\ c < 3\n        /\\ \\/ A\n           \\/ \\E p \\in {bound} : D(p)\n           \\/ B"
        ),
    };
    let mut fair = String::new();
    for _ in 0..r.below(4) {
        let form = pick(r, &["WF", "SF"]);
        let subscript = pick(r, &["vars", "vars", "a", "<<a, b>>"]);
        let conjunct = match r.below(4) {
            0 => format!("{form}_{subscript}(Next)"),
            1 => format!("\\A p \\in 0..1 : {form}_{subscript}(C(p))"),
            2 => format!("{form}_{subscript}(A)"),
            _ => format!("{form}_{subscript}({})", pick(r, &["B", "E", "D(1)"])),
        };
        fair += &format!(" /\\ ({conjunct})");
    }
    let safe = format!("~({} /\\ {})", test(r), test(r));
    let (one, two) = (test(r), test(r));
    let live = match r.below(4) {
        0 => format!("[]<>({one})"),
        1 => format!("({one}) ~> ({two})"),
        2 => format!("<>[]({one}) \\/ []<>({two})"),
        _ => format!("<>({one})"),
    };
    let steps = pick(r, &["a' # 2", "b' >= b \\/ b' = 0", "c' + a' < 6"]);
    let broken = match r.below(6) {
        0 => "/ b".replace('/', "\\div"),
        _ => "+ b".to_string(),
    };
    let text = format!(
        "---- MODULE M ----\nEXTENDS Integers\nVARIABLES a, b, c, f\nvars == <<a, b, c, f>>\n\
         Init == a \\in 0..1 /\\ b = 1 /\\ c = 0 /\\ f = [i \\in 0..1 |-> 0]\n\
         {actions}Next == {next}\nSpec == Init /\\ [][Next]_vars{fair}\n\
         Safe == {safe}\nSum == (a {broken}) < 9\nLive == {live}\nSteps == [][{steps}]_vars\n\
         First == a < 2\nInside == {inside}\n====\n",
        inside = test(r),
    );
    let mut configuration = "SPECIFICATION Spec\nINVARIANTS Safe Sum\nPROPERTY Live\n".to_string();
    if r.below(3) == 0 {
        configuration += "PROPERTY Steps\n";
    }
    if r.below(3) == 0 {
        configuration += "PROPERTY First\n";
    }
    if r.below(3) == 0 {
        configuration += "CONSTRAINT Inside\n";
    }
    (text, configuration)
}

#[test]
fn random_specifications_have_the_same_answers() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tla-symbolic");
    std::fs::create_dir_all(&folder).expect("a folder");
    let first = std::env::var("EVENHAND_SEED").ok();
    let first: u64 = first.and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut tally = Tally::default();
    let module = folder.join("M.tla");
    let module = module.to_string_lossy();
    for seed in first..first + cases(60) as u64 {
        let (text, configuration) = generate(seed);
        std::fs::write(&*module, &text).expect("a module");
        std::fs::write(folder.join("M.cfg"), &configuration).expect("a configuration");
        println!("seed {seed}");
        compare(&[&module], &mut tally);
    }
    println!("{tally:?}");
    let decided = tally.holds + tally.violated;
    assert!(tally.holds > 30 && tally.violated > 30, "{tally:?}");
    assert!(decided > 2 * (tally.unknown + tally.refused), "{tally:?}");
}

#[test]
fn models_have_the_same_answers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/tla");
    let table = std::fs::read_to_string(folder.join("expected.txt")).expect("a table");
    let mut tally = Tally::default();
    let mut pairs: Vec<(&str, &str)> = table
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            Some((words.next()?, words.next()?))
        })
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    for (module, configuration) in pairs {
        let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
        let (module, configuration) = (path(module), (configuration, path(configuration)));
        match configuration.0 {
            "-" => compare(&[&module], &mut tally),
            _ => compare(&[&module, "--config", &configuration.1], &mut tally),
        }
    }
    println!("{tally:?}");
    assert!(tally.holds > 60 && tally.violated > 10, "{tally:?}");
}

/// How many states a public specification may have; `EVENHAND_SETS_STATES` says another number.
const STATES: u64 = 12;

#[test]
fn public_specifications_have_the_same_answers() {
    let corpus: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/tla");
    let Ok(table) = std::fs::read_to_string(corpus.join("expected.jsonl")) else {
        println!("skipped: no corpus of specifications beside the repository");
        return;
    };
    let most = std::env::var("EVENHAND_SETS_STATES").ok();
    let most = most.and_then(|text| text.parse().ok()).unwrap_or(STATES);
    let mut tally = Tally::default();
    for line in table.lines() {
        let row: Value = serde_json::from_str(line).expect("a row");
        if row["distinct"]
            .as_u64()
            .is_none_or(|distinct| distinct > most)
        {
            continue;
        }
        let path = |key: &str| {
            let name = row[key].as_str().unwrap_or_default();
            corpus.join(name).to_string_lossy().into_owned()
        };
        println!("{}", row["file"]);
        compare(&[&path("file"), "--config", &path("cfg")], &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.holds > 50 && tally.violated > 3, "{tally:?}");
}
