//! The report as a page, in a real browser: it loads without complaints, says what the JSON says,
//! can be walked through by keys, and hostile text in a model does nothing. Where no Chromium is
//! installed the tests that need one say so and pass.

pub(crate) mod browser;
mod corpus;
mod hostile;
mod pages;
mod shapes;

use browser::Browser;
use pages::{check, folder, is_quiet, models, own, printed, walk};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;

#[test]
fn every_step_says_what_the_json_says() {
    let Some(mut browser) = Browser::start("steps") else {
        return;
    };
    let out = folder("steps");
    let calls: [(PathBuf, &str); 8] = [
        (printed(), "messages.pml"),
        (models(), "peterson.pml --no-fairness"),
        (models(), "philosophers.pml"),
        (
            models(),
            "philosophers_asymmetric.pml --no-fairness --fair weak",
        ),
        (models(), "handshake.pml --no-fairness --fair spin-weak"),
        (models(), "semaphore.pml --no-fairness --counterexample all"),
        (own(), "mutex.smv"),
        (own(), "lamp.smv"),
    ];
    let mut seen_others = 0;
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
                walk(&mut browser, &property["counterexample"]);
            }
            let others = property["other_counterexamples"].as_array();
            for (other, run) in others.into_iter().flatten().enumerate() {
                browser.value(&format!(
                    "{{ const select = document.getElementById('which'); \
                     select.value = '{}'; select.dispatchEvent(new Event('change')); }}",
                    other + 1
                ));
                walk(&mut browser, run);
                seen_others += 1;
            }
        }
        is_quiet(&browser);
    }
    assert!(seen_others > 0, "some property has several runs");
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
    browser.wait("parseInt(document.querySelector('.toolbar output').textContent.slice(5)) >= 2");
    browser.press(" ");
    let stopped = browser.text(where_now);
    std::thread::sleep(std::time::Duration::from_millis(1700));
    assert_eq!(browser.text(where_now), stopped, "it stands still");
    let pressed = "document.querySelector('.toolbar [aria-pressed]').getAttribute('aria-pressed')";
    assert_eq!(browser.text(pressed), "false");
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

#[test]
fn advice_comes_with_the_runs_that_show_why() {
    let Some(mut browser) = Browser::start("advice") else {
        return;
    };
    let report = folder("advice").join("report.html");
    let output = Command::new(env!("CARGO_BIN_EXE_evenhand"))
        .args([
            "advise",
            "semaphore.pml",
            "--by",
            "label",
            "--format",
            "json",
            "--report",
        ])
        .arg(&report)
        .current_dir(models())
        .output()
        .expect("evenhand runs");
    assert_eq!(output.status.code(), Some(0));
    let answers: Value = serde_json::from_slice(&output.stdout).expect("one object");
    browser.open(&report, "");
    let overview = browser.text("document.getElementById('overview').textContent");
    assert!(
        overview.contains("exclusion holds without any fairness"),
        "{overview}"
    );
    assert!(
        overview.contains("strong fairness of process at `waiting`"),
        "{overview}"
    );
    let advice = answers["advice"].as_array().expect("a list").iter();
    let assignments = advice.flat_map(|a| a["assignments"].as_array().expect("a list"));
    let needs = assignments.flat_map(|a| a["needs"].as_array().expect("a list"));
    let runs: Vec<&Value> = needs.map(|n| &n["because"]["counterexample"]).collect();
    assert_eq!(runs.len(), 2, "two minimal ways with one item each");
    for (number, run) in runs.iter().enumerate() {
        let click = format!("document.querySelectorAll('.advice button')[{number}].click()");
        browser.value(&click);
        walk(&mut browser, run);
    }
    is_quiet(&browser);
}

#[test]
fn the_lines_that_values_come_from_are_marked() {
    let Some(mut browser) = Browser::start("sources") else {
        return;
    };
    let out = folder("sources");
    let report = out.join("report.html");
    let answers = check(&own(), &["mutex.smv"], &report);
    let text = std::fs::read_to_string(own().join("mutex.smv")).expect("the model");
    // Where the value of each variable comes from: the initial one, and the next one.
    let line_of = |part: &str, nth: usize| {
        let mut lines = (1..).zip(text.lines()).filter(|(_, l)| l.contains(part));
        lines.nth(nth).map_or(0, |(number, _)| number)
    };
    let assigned = [
        ("left.state", line_of("next(state)", 0)),
        ("right.state", line_of("next(state)", 0)),
        ("turn", line_of("next(turn)", 0)),
        ("kicks", line_of("next(kicks)", 0)),
    ];
    let properties = answers["properties"].as_array().expect("answers");
    let violated = properties.iter().enumerate();
    let violated = violated.filter(|(_, p)| p["counterexample"].is_object());
    let mut seen = 0;
    for (number, property) in violated {
        let run = &property["counterexample"];
        let list = |name: &str| run[name].as_array().cloned().unwrap_or_default();
        let steps: Vec<Value> = [list("prefix"), list("cycle")].concat();
        for (place, step) in steps.iter().enumerate() {
            browser.open(&report, &format!("#property-{number}-step-{place}"));
            let at = browser.value(
                "[...document.querySelectorAll('.source .at .no, .source .also .no')].map((n) => Number(n.textContent))",
            );
            let marked: Vec<u64> = at
                .as_array()
                .expect("a list")
                .iter()
                .filter_map(Value::as_u64)
                .collect();
            let current = browser.value("document.querySelectorAll('.source .at').length");
            if place == 0 {
                assert!(marked.contains(&line_of("init(turn)", 0)), "{marked:?}");
                continue;
            }
            let before = &steps[place - 1]["state"];
            let changed = |name: &str| before[name] != step["state"][name];
            let mut any = false;
            for (variable, line) in assigned {
                if changed(variable) {
                    any = true;
                    assert!(marked.contains(&line), "{variable}: {line} of {marked:?}");
                }
            }
            assert_eq!(
                current.as_u64(),
                Some(u64::from(any)),
                "step {place}: {marked:?}"
            );
            if any {
                seen += 1;
                let panel = browser.text("document.querySelector('.step').textContent");
                assert!(panel.contains("values from line"), "{panel}");
            }
        }
    }
    assert!(seen > 3, "{seen} steps");
    is_quiet(&browser);
}

/// What tells steps apart stands at the end of their statements more often than at the beginning.
#[test]
fn labels_that_are_cut_keep_their_end() {
    let Some(mut browser) = Browser::start("labels") else {
        return;
    };
    let out = folder("labels");
    let ends = [
        "[2] = 41",
        "_to_the_receiver = 17",
        ".sequence_number_of_the_message = 255",
        " = (counter_of_attempts > 3 -> 12 : 13)",
    ];
    for (number, end) in ends.iter().enumerate() {
        let text = format!(
            "typedef kind {{ byte sequence_number_of_the_message }};\nbyte counter_of_attempts;\n\
             {}\nactive proctype some_process() {{ name_of_the_variable{end}; assert(false) }}\n\
             active proctype other_process() {{ end: false }}\n\
             active proctype third_process() {{ end: false }}\n",
            match number {
                0 => "byte name_of_the_variable[3];",
                1 => "byte name_of_the_variable_to_the_receiver;",
                2 => "kind name_of_the_variable;",
                _ => "byte name_of_the_variable;",
            }
        );
        std::fs::write(out.join("long.pml"), text).expect("a file");
        let report = out.join(format!("{number}.html"));
        check(&out, &["-p", "assertions", "long.pml"], &report);
        browser.open(&report, "");
        browser.resize(700, 900);
        browser.value("document.querySelector('#row-0 button').click()");
        browser.wait("document.querySelectorAll('rect.box + text').length > 0");
        let labels = browser.text(
            "Array.from(document.querySelectorAll('rect.box + text')).map((t) => \
             t.firstChild.textContent).join('\\n')",
        );
        let last: String = end.chars().skip(end.chars().count() - 5).collect();
        let label = labels.lines().find(|label| label.contains('…'));
        let label = label.unwrap_or_else(|| panic!("nothing was cut: {labels}"));
        assert!(
            label.starts_with("nam") && label.ends_with(&last),
            "{label}"
        );
    }
}
