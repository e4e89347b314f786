//! The report as a page, in a real browser: it loads without complaints, says what the JSON says, can be
//! walked through by keys, and hostile text in a model does nothing. Where no Chromium is installed
//! the tests that need one say so and pass.

#[path = "html_report/browser.rs"]
mod browser;

use browser::Browser;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// A folder for the files of a test, empty.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("html_report_{name}"));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder for the test");
    path
}

/// Checks a model and writes its report; what JSON says.
fn check(folder: &Path, arguments: &[&str], report: &Path) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_evenhand"))
        .args(["check", "--format", "json", "--report"])
        .arg(report)
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("evenhand runs");
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    serde_json::from_slice(&output.stdout).expect("one object")
}

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/promela")
}

fn printed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/printed")
}

/// A value as the page writes it.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => {
            let items: Vec<String> = list.iter().map(shown).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

/// A text with the characters that turn others around written as numbers.
fn visible(text: &str) -> String {
    let numbered = |c: char| format!("\u{27e8}U+{:04X}\u{27e9}", u32::from(c));
    let turns = |c: char| matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let parts = text.chars();
    parts
        .map(|c| match turns(c) {
            true => numbered(c),
            false => c.to_string(),
        })
        .collect()
}

/// The variables as the page shows them: name, before, after, whether a change is marked.
fn variables(browser: &mut Browser) -> Vec<(String, String, String, bool)> {
    let rows = browser.value(
        "[...document.querySelectorAll('.vars tbody tr')].map((row) => \
         [...[...row.cells].map((c) => c.textContent), row.className])",
    );
    let rows = rows.as_array().expect("rows").iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    rows.map(|r| {
        let marked = text(&r[0]).contains("changed");
        assert_eq!(marked, r[4] == "changed", "colour and mark agree");
        (text(&r[1]), text(&r[2]), text(&r[3]), marked)
    })
    .collect()
}

/// Walks through a run by the arrow key and compares every step with what JSON says.
fn walk(browser: &mut Browser, property: &Value) {
    let run = &property["counterexample"];
    let list = |name: &str| run[name].as_array().cloned().unwrap_or_default();
    let steps: Vec<Value> = [list("prefix"), list("cycle")].concat();
    browser.press("Home");
    for (number, step) in steps.iter().enumerate() {
        let output = browser.text("document.querySelector('.toolbar output').textContent");
        assert_eq!(output, format!("step {number} of {}", steps.len() - 1));
        let before = &steps[number.saturating_sub(1)]["state"];
        let state = step["state"].as_object().expect("a state");
        let rows = variables(browser);
        assert_eq!(rows.len(), state.len(), "all variables are there");
        for (name, old, new, marked) in rows {
            assert_eq!(new, shown(&state[&name]), "{name} behind step {number}");
            let changed = before[&name] != state[&name];
            assert_eq!(marked, changed, "{name} in step {number}");
            if number > 0 {
                assert_eq!(old, shown(&before[&name]));
            }
        }
        let panel = browser.text("document.querySelector('.step').textContent");
        let live = browser.text("document.getElementById('live').textContent");
        assert!(live.starts_with(&format!("Step {number} of ")), "{live}");
        if step["kind"] == "step" {
            let action = visible(step["action"].as_str().unwrap_or_default());
            for process in step["processes"].as_array().into_iter().flatten() {
                let name = process.as_str().unwrap_or_default();
                assert!(
                    panel.contains(name) && live.contains(name),
                    "{name}: {panel}"
                );
            }
            assert!(
                panel.contains(&action) && live.contains(&action),
                "{action}"
            );
            let line = browser.text("document.querySelector('.source .at .no').textContent");
            assert_eq!(line, step["line"].to_string());
            for sub in step["substeps"].as_array().into_iter().flatten() {
                assert!(
                    panel.contains(sub["action"].as_str().unwrap_or("?")),
                    "{panel}"
                );
            }
        }
        let current = "document.querySelector('.window rect.current') !== null";
        assert_eq!(browser.value(current), json!(true), "the row is in view");
        browser.press("ArrowDown");
    }
}

/// No complaints, and nothing asked for but the file itself.
fn is_quiet(browser: &Browser) {
    assert!(
        browser.complaints().is_empty(),
        "{:?}",
        browser.complaints()
    );
    let asked = browser.requests();
    assert!(
        asked.len() == 1 && asked[0].starts_with("file:"),
        "{asked:?}"
    );
}

#[test]
fn every_step_says_what_the_json_says() {
    let Some(mut browser) = Browser::start("steps") else {
        return;
    };
    let out = folder("steps");
    let calls: [(PathBuf, &str); 5] = [
        (printed(), "messages.pml"),
        (models(), "peterson.pml --no-fairness"),
        (models(), "philosophers.pml"),
        (
            models(),
            "philosophers_asymmetric.pml --no-fairness --fair weak",
        ),
        (models(), "handshake.pml --no-fairness --fair spin-weak"),
    ];
    for (number, (place, call)) in calls.iter().enumerate() {
        let report = out.join(format!("{number}.html"));
        let arguments: Vec<&str> = call.split(' ').collect();
        let answers = check(place, &arguments, &report);
        browser.open(&report, "");
        let overview = browser.text("document.getElementById('overview').textContent");
        let properties = answers["properties"].as_array().expect("a list");
        for (index, property) in properties.iter().enumerate() {
            for part in ["name", "verdict", "engine"] {
                assert!(
                    overview.contains(property[part].as_str().unwrap_or("?")),
                    "{call}"
                );
            }
            if let Some(formula) = property["formula"].as_str() {
                assert!(overview.contains(formula), "{call}");
            }
            browser.value(&format!(
                "document.querySelector('#row-{index} button').click()"
            ));
            let detail = browser.text("document.getElementById('detail').textContent");
            for evidence in property["counterexample"]["fairness_evidence"]
                .as_array()
                .into_iter()
                .flatten()
            {
                assert!(
                    detail.contains(evidence["assumption"].as_str().unwrap_or("?")),
                    "{call}"
                );
            }
            for why in property["counterexample"]["why"]
                .as_array()
                .into_iter()
                .flatten()
            {
                let why = why.as_str().unwrap_or("?").replace('`', "");
                assert!(detail.contains(&why), "{call}: {why}");
            }
            if property["verdict"] == "violated" {
                walk(&mut browser, property);
            }
        }
        is_quiet(&browser);
    }
}

#[test]
fn keys_walk_round_the_loop_and_through_atomic_steps() {
    let Some(mut browser) = Browser::start("keys") else {
        return;
    };
    let report = folder("keys").join("report.html");
    check(&printed(), &["messages.pml", "-p", "refused"], &report);
    browser.resize(1400, 1200);
    browser.open(&report, "#property-0-step-2");
    let where_now = "document.querySelector('.toolbar output').textContent";
    assert_eq!(
        browser.text(where_now),
        "step 2 of 14",
        "a link leads to a step"
    );
    let part = "document.querySelector('.step [aria-current=step]').textContent";
    assert!(browser.text(part).contains("ask?request(number)"));
    browser.press("ArrowRight");
    assert!(browser.text(part).contains("turn = 1 - turn"));
    assert_eq!(browser.text(where_now), "step 2 of 14");
    browser.press("ArrowRight");
    browser.press("ArrowRight");
    assert_eq!(browser.text(where_now), "step 3 of 14");
    browser.press("ArrowLeft");
    assert!(
        browser.text(part).contains("printf"),
        "back at the last statement"
    );
    browser.press("End");
    assert_eq!(browser.text(where_now), "step 14 of 14");
    browser.press("ArrowDown");
    assert_eq!(browser.text(where_now), "step 5 of 14, turn 2 of the loop");
    browser.press("ArrowUp");
    assert_eq!(browser.text(where_now), "step 14 of 14");
    browser.press("Home");
    browser.press("ArrowUp");
    assert_eq!(browser.text(where_now), "step 0 of 14");
    browser.press(" ");
    browser.wait("document.querySelector('.toolbar output').textContent === 'step 2 of 14'");
    browser.press(" ");
    let stopped = browser.text(where_now);
    std::thread::sleep(std::time::Duration::from_millis(1700));
    assert_eq!(browser.text(where_now), stopped, "it stands still");
    // The chart: a handshake is level, a message through the buffer leads down, the loop is closed.
    let words = browser.text("document.querySelector('.window').textContent");
    assert!(words.contains("what follows repeats for ever"), "{words}");
    assert!(words.contains("back in the state after step 4"), "{words}");
    let count = "document.querySelectorAll('.window line.message').length + \
                 document.querySelectorAll('.window path.message').length";
    assert_eq!(
        browser.value(count),
        json!(6),
        "three handshakes, three messages"
    );
    // A click on a row chooses it; keys in a field do not step.
    browser.value("document.querySelector('.vars').scrollIntoView()");
    browser.value("document.querySelector('.filters input').focus()");
    browser.press("Home");
    assert_eq!(browser.text(where_now), stopped);
    is_quiet(&browser);
}

#[test]
fn the_automaton_follows_the_run() {
    let Some(mut browser) = Browser::start("automaton") else {
        return;
    };
    let report = folder("automaton").join("report.html");
    check(
        &models(),
        &["peterson.pml", "--no-fairness", "-p", "entry"],
        &report,
    );
    browser.open(&report, "");
    let here =
        "[...document.querySelectorAll('.picture text.note')].map((t) => t.textContent).join()";
    let truth =
        "[...document.querySelectorAll('.below tbody tr')].map((r) => r.textContent).join()";
    // F (p & G !q): it waits in the first state, until it guesses that q never comes.
    assert_eq!(browser.text(here), "\u{25b6} here,");
    let first = browser.text(truth);
    assert!(
        first.contains("p\u{2717} falseprocess[0]@trying"),
        "{first}"
    );
    browser.press("End");
    assert_eq!(browser.text(here), "possible,\u{25b6} here");
    let last = browser.text(truth);
    assert!(last.contains("p\u{2713} trueprocess[0]@trying"), "{last}");
    assert_eq!(
        browser.value("document.querySelectorAll('.picture path.edge.now').length"),
        json!(1)
    );
    is_quiet(&browser);
}

/// A model whose every text tries to be more than text, in a folder and a file with such names.
#[test]
fn hostile_text_does_nothing() {
    let Some(mut browser) = Browser::start("hostile") else {
        return;
    };
    let out = folder("hostile");
    // A path has its own slashes: `x<` and `script>…` make a closing tag of the two names.
    let place = out.join("x<");
    std::fs::create_dir_all(&place).expect("a folder");
    let name =
        "script><script>window.owned=1<!--\"'`\u{202e}\u{2028}<img src=x onerror=owned=1>.pml";
    let text = "/* </script><script>window.owned = 1</script> {{script}} \u{2028}\u{2029} \u{202e}evil\u{202c} */\n\
         #define hostile \"</script><img src=x onerror=window.owned=1>\"\n\
         byte x; mtype = { javascript, __proto__, toString };\n\
         mtype m;\n\
         chan c = [1] of { mtype };\n\
         active proctype __defineGetter__() { byte constructor;\n\
           do :: printf(\"</script><svg onload=alert(1)>\u{202e}\u{2028}&lt;b&gt;\\n\"); x = 1 - x; c!__proto__; c?m; constructor = x od }\n\
         ltl hasOwnProperty { <> (x == 7) /* --><script>owned=1</script> */ }\n";
    std::fs::write(place.join(name), text).expect("a file");
    let report = out.join("report.html");
    let model = format!("x</{name}");
    let answers = check(&out, &[&model], &report);
    let page = std::fs::read_to_string(&report).expect("a page");
    assert_eq!(page.matches("</script>").count(), 2, "only the page's own");
    assert_eq!(page.matches("<script").count(), 2, "only the page's own");
    browser.open(&report, "");
    let properties = answers["properties"].as_array().expect("a list");
    for index in 0..properties.len() {
        browser.value(&format!(
            "document.querySelector('#row-{index} button').click()"
        ));
        for key in ["ArrowDown", "ArrowDown", "ArrowRight", "End", "ArrowDown"] {
            browser.press(key);
        }
    }
    assert_eq!(browser.value("typeof window.owned"), json!("undefined"));
    let elements =
        "[...document.querySelectorAll('script, img, iframe, object, [onload], [onerror]')].length";
    assert_eq!(browser.value(elements), json!(2), "the data and the script");
    let title = browser.text("document.title");
    assert!(
        title.starts_with("x</script><script>window.owned=1<!--"),
        "{title}"
    );
    let all = browser.text("document.body.innerText");
    assert!(
        all.contains("</script><svg onload=alert(1)>"),
        "it is there, as text"
    );
    assert!(all.contains("\u{27e8}U+202E\u{27e9}") && all.contains("\u{27e8}U+2028\u{27e9}"));
    let visible = "[...document.querySelectorAll('body *:not(script)')].some((e) => \
         [...e.childNodes].some((n) => n.nodeType === 3 && /[\\u202a-\\u202e\\u2066-\\u2069\\u2028]/.test(n.data)))";
    assert_eq!(
        browser.value(visible),
        json!(false),
        "nothing turns the text around"
    );
    for (index, property) in properties.iter().enumerate() {
        if property["verdict"] == "violated" {
            browser.value(&format!(
                "document.querySelector('#row-{index} button').click()"
            ));
            walk(&mut browser, property);
        }
    }
    is_quiet(&browser);
}

/// Were text to become markup one day, the policy of the page would still stop it.
#[test]
fn the_policy_stops_scripts_that_are_not_the_pages_own() {
    let Some(mut browser) = Browser::start("policy") else {
        return;
    };
    let report = folder("policy").join("report.html");
    check(&models(), &["philosophers.pml"], &report);
    let page = std::fs::read_to_string(&report).expect("a page");
    let markup = "<script>window.owned = 1</script><img src=x onerror='window.owned = 1'>\
         <style>body { display: none }</style><form action='x:y'></form></body>";
    let broken = page.replace("</body>", markup);
    std::fs::write(&report, broken).expect("a page");
    browser.open(&report, "");
    assert_eq!(browser.value("typeof window.owned"), json!("undefined"));
    assert_eq!(
        browser.text("getComputedStyle(document.body).display"),
        "block"
    );
    assert!(
        browser.complaints().len() >= 3,
        "script, picture and style are refused"
    );
    let steps = browser.text("document.querySelector('.toolbar output').textContent");
    assert_eq!(steps, "step 0 of 6", "the page's own script runs");
}

#[test]
fn ten_thousand_steps_stay_usable() {
    let out = folder("long");
    let model = "byte noise[40]; short x;\n\
         active proctype counter() {\n\
           do :: atomic { x < 9999 -> x++; noise[x % 40] = x % 7 } :: atomic { x >= 9999 -> x = 0 } od }\n\
         ltl reached { <> (x == 10000) }\n";
    std::fs::write(out.join("counter.pml"), model).expect("a file");
    let report = out.join("report.html");
    let answers = check(
        &out,
        &["counter.pml", "-p", "reached", "--budget", "5s"],
        &report,
    );
    let run = &answers["properties"][0]["counterexample"];
    let length = run["length"].as_u64().unwrap_or(0);
    assert!(length >= 10_000, "{length} steps");
    let size = std::fs::metadata(&report).expect("a page").len();
    println!("{length} steps: {size} bytes");
    assert!(size < 10_000_000, "{size} bytes");
    let Some(mut browser) = Browser::start("long") else {
        return;
    };
    let begun = Instant::now();
    browser.open(&report, "");
    let loaded = begun.elapsed();
    let where_now = "document.querySelector('.toolbar output').textContent";
    let begun = Instant::now();
    for number in 1..=50 {
        browser.press("ArrowDown");
        let expected = format!("step {number} of {length}");
        assert_eq!(browser.text(where_now), expected);
    }
    let each = begun.elapsed() / 50;
    browser.press("End");
    let expected = format!("step {length} of {length}");
    assert_eq!(browser.text(where_now), expected);
    let words = browser.text("document.querySelector('.window').textContent");
    assert!(
        words.contains(&length.to_string()) && words.contains("back in"),
        "{words}"
    );
    let elements = browser.value("document.querySelectorAll('*').length");
    println!("loaded in {loaded:?}, a step takes {each:?}, {elements} elements");
    assert!(
        elements.as_u64().is_some_and(|n| n < 4000),
        "{elements} elements"
    );
    assert!(
        loaded.as_secs() < 20 && each.as_millis() < 500,
        "{loaded:?} {each:?}"
    );
    // A state in the middle is what JSON says.
    browser.open(&report, "#property-0-step-7777");
    let list = |name: &str| run[name].as_array().cloned().unwrap_or_default();
    let steps: Vec<Value> = [list("prefix"), list("cycle")].concat();
    let state = &steps[7777]["state"];
    for (name, _, value, _) in variables(&mut browser) {
        let expected = match name.split_once('[') {
            Some((array, index)) => {
                let index: usize = index.trim_end_matches(']').parse().expect("an index");
                shown(&state[array][index])
            }
            None => shown(&state[&name]),
        };
        assert_eq!(value, expected, "{name}");
    }
    is_quiet(&browser);
}

#[test]
fn narrow_and_wide_light_and_dark_and_with_names_for_those_who_listen() {
    let Some(mut browser) = Browser::start("shapes") else {
        return;
    };
    let report = folder("shapes").join("report.html");
    let call = [
        "philosophers_asymmetric.pml",
        "--no-fairness",
        "--fair",
        "weak",
    ];
    check(&models(), &call, &report);
    let background = "getComputedStyle(document.body).backgroundColor";
    for width in [360, 768, 1400, 2200] {
        browser.resize(width, 800);
        browser.prefer_dark(false);
        browser.open(&report, "");
        let light = browser.text(background);
        browser.prefer_dark(true);
        let dark = browser.text(background);
        assert_ne!(light, dark);
        // The button goes from the system's colours to light and then to dark ones.
        browser.value("document.getElementById('theme').click()");
        assert_eq!(browser.text(background), light);
        browser.prefer_dark(false);
        browser.value("document.getElementById('theme').click()");
        assert_eq!(browser.text(background), dark);
        let overflow = browser.value("document.documentElement.scrollWidth - innerWidth");
        assert!(
            overflow.as_i64().is_some_and(|n| n <= 0),
            "{width}: {overflow} too wide"
        );
        is_quiet(&browser);
    }
    let tree = browser.call("Accessibility.getFullAXTree", json!({}));
    let nodes = tree["nodes"].as_array().expect("nodes");
    let role = |node: &Value| node["role"]["value"].as_str().unwrap_or("").to_string();
    for expected in [
        "banner",
        "main",
        "contentinfo",
        "status",
        "toolbar",
        "table",
        "slider",
    ] {
        assert!(
            nodes.iter().any(|n| role(n) == expected),
            "there is a {expected}"
        );
    }
    let acting = [
        "button",
        "link",
        "slider",
        "checkbox",
        "searchbox",
        "combobox",
        "img",
        "region",
    ];
    for node in nodes
        .iter()
        .filter(|n| acting.contains(&role(n).as_str()) && n["ignored"] != json!(true))
    {
        let name = node["name"]["value"].as_str().unwrap_or("");
        assert!(!name.is_empty(), "a {} without a name", role(node));
    }
}

#[test]
fn a_page_needs_nothing_and_a_place_that_cannot_be_written_is_said() {
    let out = folder("plain");
    let report = out.join("report.html");
    check(&models(), &["philosophers.pml"], &report);
    let page = std::fs::read_to_string(&report).expect("a page");
    for outside in [
        "https:",
        "src=",
        "url(",
        "@import",
        "fetch(",
        "XMLHttpRequest",
    ] {
        assert!(!page.contains(outside), "{outside}");
    }
    let namespace = "http://www.w3.org/2000/svg";
    assert_eq!(
        page.matches("http:").count(),
        page.matches(namespace).count()
    );
    assert!(page.contains("default-src 'none'; script-src 'sha256-"));
    let output = Command::new(env!("CARGO_BIN_EXE_evenhand"))
        .args(["check", "philosophers.pml", "--report"])
        .arg(out.join("missing/report.html"))
        .current_dir(models())
        .output()
        .expect("evenhand runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write"));
}
