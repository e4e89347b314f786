//! Long runs, narrow and wide windows, light and dark, names for those who listen.

use super::browser::Browser;
use super::pages::{check, folder, is_quiet, models, shown, variables};
use serde_json::{Value, json};
use std::process::Command;
use std::time::Instant;

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
    // Long names are a good reason for a page to be too wide.
    let out = folder("shapes");
    let name = format!("{}.pml", "x".repeat(150));
    let model = models().join("philosophers_asymmetric.pml");
    std::fs::copy(model, out.join(&name)).expect("a copy");
    let formula = format!("<> ({})", ["phil[0]@eating"; 20].join("&&"));
    let call = [name.as_str(), "--no-fairness", "--fair", "weak"];
    let (report, other) = (out.join("report.html"), out.join("other.html"));
    check(&out, &call, &report);
    check(&out, &[&call[..], &["--ltl", &formula]].concat(), &other);
    let background = "getComputedStyle(document.body).backgroundColor";
    for width in [360, 768, 1400, 2200] {
        browser.resize(width, 800);
        browser.prefer_dark(false);
        for page in [&other, &report] {
            browser.open(page, "");
            // A telephone would show a page that is too wide smaller than it should be.
            let wide = browser.value("document.documentElement.scrollWidth");
            let fits = wide.as_u64().is_some_and(|n| n <= u64::from(width));
            assert!(fits, "{width}: {wide} wide");
        }
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

/// A run that stays although something could move is not told as one in which nothing can.
#[test]
fn staying_is_told_from_a_deadlock() {
    let out = folder("staying");
    let model = "---- MODULE S ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\n\
         Next == x < 2 /\\ x' = x + 1\nSpec == Init /\\ [][Next]_x\nThree == <>(x = 3)\n====\n";
    std::fs::write(out.join("S.tla"), model).expect("a file");
    let settings = "SPECIFICATION Spec\nPROPERTY Three\n";
    std::fs::write(out.join("S.cfg"), settings).expect("a file");
    let report = out.join("report.html");
    let mut browser = Browser::start("staying");
    let calls = [
        (&["S.tla", "-p", "Three"][..], "the run stays", "nothing"),
        (
            &["S.tla", "-p", "Three", "--fair", "weak:Next"],
            "nothing",
            "the run stays",
        ),
    ];
    for (call, said, unsaid) in calls {
        check(&out, call, &report);
        let page = std::fs::read_to_string(&report).expect("a page");
        let end = [
            "the run stays where it is, for ever",
            "nothing moves any more, for ever",
        ];
        let there = end.map(|end| page.contains(end));
        assert_eq!(there, [said == "the run stays", said == "nothing"]);
        let Some(browser) = &mut browser else {
            continue;
        };
        browser.open(&report, "");
        browser.press("End");
        for part in [".window", ".step"] {
            let words = browser.text(&format!("document.querySelector('{part}').textContent"));
            let words = words.to_lowercase();
            let stays = words.contains("no fairness") || words.contains("nothing can move");
            assert!(words.contains(said) && stays, "{words}");
            assert!(part == ".step" || !words.contains(unsaid), "{words}");
        }
    }
}
