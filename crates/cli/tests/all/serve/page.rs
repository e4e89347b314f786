//! The page in Chromium, by clicks and typing: what a person does, and what a hostile model cannot do.

use serde_json::json;

use super::server::Server;
use crate::html_report::browser::Browser;

const SEMAPHORE: &str = "bool free = true;
active [2] proctype p() {
  do
  :: true ->
want: atomic { free -> free = false };
have: free = true
  od
}
ltl entry { [] (p[0]@want -> <> p[0]@have) }
";

/// Whether the page has read its model.
const READ: &str = "document.querySelectorAll('#ask tbody tr').length > 0";

/// The verdicts, one after the other.
const VERDICTS: &str =
    "[...document.querySelectorAll('#ask tbody tr')].map((r) => r.cells[0].textContent).join('; ')";

/// What those who listen were told.
const NEWS: &str = "document.getElementById('news').textContent";

/// Where a walk is.
const WHERE: &str = "document.getElementById('where').textContent";

fn contains(text: &str, part: &str) -> String {
    format!("{text}.includes({part:?})")
}

/// Nothing went wrong, and nothing was asked of anybody else.
fn is_quiet(browser: &Browser, server: &Server) {
    assert!(
        browser.complaints().is_empty(),
        "{:?}",
        browser.complaints()
    );
    for address in browser.requests() {
        let own = address.starts_with(&server.address) || address.starts_with("blob:");
        assert!(own || address == "about:blank", "{address}");
    }
}

/// Replaces the text of the model by typing.
fn retype(browser: &mut Browser, text: &str) {
    browser.click("#text");
    browser.value("document.getElementById('text').select()");
    browser.type_text(text);
}

#[test]
fn check_step_walk_and_draw_by_clicks() {
    let Some(mut browser) = Browser::start("serve") else {
        return;
    };
    let server = Server::of_text("clicks", "semaphore.pml", SEMAPHORE);
    browser.resize(1366, 768);
    browser.visit(&server.address, READ);
    // Everything is checked; the run of what is violated can be stepped through.
    browser.click("#check-all");
    browser.wait(&contains(VERDICTS, "violated"));
    browser.wait("document.querySelector('#detail .toolbar output') !== null");
    let output = "document.querySelector('#detail .toolbar output').textContent";
    assert!(browser.text(output).starts_with("step 0 of "));
    browser.value("document.activeElement.blur()");
    browser.press("ArrowDown");
    assert!(browser.text(output).starts_with("step 1 of "));
    browser.wait(&contains(NEWS, "entry: violated"));
    // On a small screen the run is below what is seen, and a link leads there.
    let top = "document.querySelector('.tabs').getBoundingClientRect().top";
    browser.value("window.scrollTo(0, 0)");
    assert!(browser.value(top).as_f64() > Some(700.0));
    browser.click("#ask [aria-label='Show the run of entry']");
    assert!(browser.value(top).as_f64() < Some(100.0));
    // The walk goes on from a step of the run, with the automaton beside it.
    browser.press("End");
    browser.click("#walk-on");
    browser.wait("!document.getElementById('panel-walk').hidden");
    browser.wait(&contains(WHERE, "After step"));
    let crumbs = "document.querySelectorAll('.crumbs li').length";
    let steps = browser.value(crumbs).as_u64().expect("a number");
    assert!(steps > 2);
    browser.wait("document.querySelector('#walk-automaton svg') !== null");
    browser.click("#back");
    browser.wait(&format!("{crumbs} === {}", steps - 1));
    // From the beginning: p[1] takes the semaphore, p[0] is blocked, and the page says why.
    browser.click("#restart");
    browser.wait(&format!("{WHERE} === 'Initial state'"));
    for (number, who) in ["p[1]", "p[1]", "p[0]"].into_iter().enumerate() {
        let choose = format!(
            "(() => {{ const heads = [...document.querySelectorAll('#choices h4')]; \
             const head = heads.find((h) => h.textContent === {who:?}); \
             head.nextElementSibling.querySelector('button.step').id = 'wanted'; return true; }})()"
        );
        browser.value(&choose);
        browser.click("#wanted");
        browser.wait(&contains(WHERE, &format!("After step {}", number + 1)));
    }
    browser.wait(&contains(
        "document.getElementById('blocked').textContent",
        "the condition is false",
    ));
    assert!(
        browser
            .text("document.getElementById('blocked').textContent")
            .contains("p[0]")
    );
    // A watched variable stands in front; a key takes a step.
    browser.click("#variables input");
    browser.wait(&contains(
        "document.getElementById('variables').textContent",
        "Watched",
    ));
    browser.value("document.getElementById('where').focus()");
    browser.press("1");
    browser.wait(&contains(WHERE, "After step 4"));
    browser.press("b");
    browser.wait(&contains(WHERE, "After step 3"));
    // The state graph, from which the walk goes on.
    browser.click("#tab-graph");
    browser.wait("document.querySelectorAll('#panel-graph svg .node').length === 8");
    assert!(
        browser
            .text("document.getElementById('graph-words').textContent")
            .contains("8 states")
    );
    assert!(
        browser.value("document.querySelectorAll('#panel-graph circle.fair').length > 0")
            == json!(true)
    );
    // Nothing of it is outside of the picture.
    let inside = "(() => { const s = document.querySelector('#panel-graph svg'); const b = s.getBBox(), v = s.viewBox.baseVal; \
                  return b.x >= v.x && b.y >= v.y && b.x + b.width <= v.x + v.width && b.y + b.height <= v.y + v.height; })()";
    assert_eq!(browser.value(inside), json!(true));
    browser.click("#panel-graph .node:nth-of-type(2) circle, #panel-graph .node circle");
    browser.click("#walk-here");
    browser.wait("!document.getElementById('panel-walk').hidden");
    is_quiet(&browser, &server);
}

#[test]
fn texts_formulas_and_fairness_change_the_verdict() {
    let Some(mut browser) = Browser::start("serve-edit") else {
        return;
    };
    let server = Server::of_text("edit", "semaphore.pml", SEMAPHORE);
    browser.resize(1366, 768);
    browser.visit(&server.address, READ);
    browser.click("#check-all");
    browser.wait(&contains(VERDICTS, "violated"));
    // Weak fairness is not enough, strong fairness is: the verdict follows the choice.
    browser.click("input[aria-label='p: weak']");
    browser.wait(&format!(
        "!{} && {}",
        contains(VERDICTS, "before the change"),
        contains("document.getElementById('detail').textContent", "weak:p")
    ));
    assert!(browser.text(VERDICTS).contains("violated"));
    browser.click("input[aria-label='p: strong']");
    browser.wait(&format!("!{}", contains(VERDICTS, "violated")));
    browser.wait(&format!("{VERDICTS}.split('; ').pop().includes('holds')"));
    browser.click("input[aria-label='p: none']");
    browser.wait(&contains(VERDICTS, "violated"));
    // Advice says which is needed, and a button assumes it.
    browser.click("button[aria-label='Which fairness is needed for entry']");
    browser.wait("document.querySelector('#advice button.tool') !== null");
    browser.click("#advice button.tool");
    browser.wait(&format!("{VERDICTS}.split('; ').pop().includes('holds')"));
    // A formula of one's own, wrong at first.
    browser.click("#formula");
    browser.type_text("[] (nosuch == 1)");
    browser.press_with("Enter", 0);
    browser.click("#ask form button");
    browser.wait("document.querySelectorAll('#ask .found li').length > 0");
    browser.click("#formula");
    browser.value("document.getElementById('formula').select()");
    browser.type_text("<> !free");
    browser.click("#ask form button");
    browser.wait("[...document.querySelectorAll('#ask tbody tr')].some((r) => r.textContent.includes('ltl') && \
                  r.querySelector('input')?.value === '<> !free' && /holds|violated/.test(r.cells[0].textContent))");
    // An error in the text is told with its line; what was checked is marked as old.
    retype(
        &mut browser,
        "bool free = true;\nactive proctype p() {\n  fre = false\n}\n",
    );
    browser.wait(&contains(
        "document.getElementById('found').textContent",
        "line 3",
    ));
    browser.wait("document.getElementById('text').getAttribute('aria-invalid') === 'true'");
    retype(
        &mut browser,
        "bool free = true;\nactive proctype p() { free = false }\nltl other { <> !free }\n",
    );
    browser.wait(&contains(
        "document.getElementById('reading').textContent",
        "No errors",
    ));
    browser.wait(&contains(
        "document.getElementById('ask').textContent",
        "other",
    ));
    browser.click("#text");
    browser.press_with("Enter", 2);
    browser.wait(&format!(
        "{} && !{}",
        contains("document.getElementById('news').textContent", "other: "),
        contains(VERDICTS, "not checked")
    ));
    is_quiet(&browser, &server);
}

/// The keys of the walk count as soon as it is in front, and what was asked for is in sight.
#[test]
fn the_keys_of_the_walk_need_no_click_before() {
    let Some(mut browser) = Browser::start("serve-walk-keys") else {
        return;
    };
    let server = Server::of_text("walk_keys", "semaphore.pml", SEMAPHORE);
    browser.resize(1280, 800);
    browser.visit(&server.address, READ);
    browser.click("#tab-walk");
    browser.wait(&format!("{WHERE} === 'Initial state'"));
    browser.press("1");
    browser.wait(&contains(WHERE, "After step 1"));
    browser.press("b");
    browser.wait(&format!("{WHERE} === 'Initial state'"));
    // Where something is typed they are letters.
    browser.click("#formula");
    browser.type_text("b1");
    assert_eq!(
        browser.text("document.getElementById('formula').value"),
        "b1"
    );
    assert_eq!(browser.text(WHERE), "Initial state");
    browser.click("#check-all");
    browser.wait(&contains(NEWS, "entry: violated"));
    browser.click("#ask [aria-label='Show the run of entry']");
    browser.click("#walk-on");
    browser.wait("document.activeElement.matches('#choices button.step')");
    browser.press("1");
    browser.wait(&contains(WHERE, "After step 1"));
    // The state graph comes into sight.
    browser.value("window.scrollTo(0, 0)");
    browser.value("document.getElementById('tab-graph').click()");
    browser.wait("document.querySelectorAll('#panel-graph svg .node').length === 8");
    let box_of = "document.querySelector('#panel-graph svg').getBoundingClientRect()";
    browser.wait(&format!(
        "{box_of}.top >= 0 && {box_of}.bottom <= window.innerHeight"
    ));
    is_quiet(&browser, &server);
}

/// What can be typed is shown in the language of the model; an assumption that is wrong is not kept.
#[test]
fn what_is_typed_is_told_where_it_was_typed() {
    let Some(mut browser) = Browser::start("serve-typed") else {
        return;
    };
    let text = "MODULE main\nVAR x : 0..2;\nASSIGN init(x) := 0; next(x) := {x, (x + 1) mod 3};\n\
                LTLSPEC G F x = 1\n";
    let server = Server::of_text("typed", "count.smv", text);
    browser.resize(1280, 800);
    browser.visit(&server.address, READ);
    let examples =
        "['formula', 'other'].map((id) => document.getElementById(id).placeholder).join('; ')";
    assert_eq!(browser.text(examples), "G (request -> F grant); just:x = 0");
    browser.click("#check-all");
    browser.wait(&contains(VERDICTS, "violated"));
    let kept = "document.querySelectorAll('#fairness ul.plain li').length";
    let wrong = "document.getElementById('other-found').textContent";
    for (text, part) in [("just:y = 0", "y"), ("weak:Q", "Q")] {
        browser.click("#other");
        browser.value("document.getElementById('other').select()");
        browser.type_text(text);
        browser.click("#fairness form button");
        browser.wait(&format!(
            "{} && {}",
            contains(wrong, "error"),
            contains(wrong, part)
        ));
        assert_eq!(browser.value(kept), json!(0));
    }
    browser.click("#other");
    browser.value("document.getElementById('other').select()");
    browser.type_text("just:x = 1");
    browser.click("#fairness form button");
    browser.wait(&format!("{kept} === 1 && {wrong} === ''"));
    browser.wait(&format!("!{}", contains(VERDICTS, "violated")));
    // Advice is marked as old when the text changes.
    browser.click("#ask [aria-label^='Which fairness']");
    browser.wait("document.querySelector('#advice h3') !== null");
    browser.click("#text");
    browser.type_text(" ");
    browser.wait(&contains(
        "document.getElementById('advice').textContent",
        "(before the change)",
    ));
    is_quiet(&browser, &server);
}

/// Names, strings and comments of a model that try to become markup or script.
#[test]
fn a_hostile_model_does_nothing_on_the_page() {
    let Some(mut browser) = Browser::start("serve-hostile") else {
        return;
    };
    let attack = "<img src=x onerror=\"window.hit = 1\"><script>window.hit = 1</script>";
    let text = format!(
        "/* {attack} \u{202e} */\nmtype = {{ a }};\nbyte x;\n\
         active proctype p() {{ do :: printf(\"{}\"); x = 1 - x od }}\nltl q {{ <> (x == 2) }}\n",
        attack.replace('"', "'")
    );
    let file = "<img src=x onerror=hit=1>.pml";
    let server = Server::of_text("hostile_page", file, &text);
    browser.resize(1366, 768);
    browser.visit(&server.address, READ);
    browser.click("#check-all");
    browser.wait(&contains(VERDICTS, "violated"));
    browser.click("#tab-walk");
    browser.wait("document.querySelectorAll('#choices button.step').length > 0");
    browser.press("1");
    browser.click("#tab-graph");
    browser.wait("document.querySelectorAll('#panel-graph svg .node').length > 0");
    retype(
        &mut browser,
        &format!("{text}\nactive proctype r() {{ <b>{attack} }}"),
    );
    browser.wait("document.querySelectorAll('#found li').length > 0");
    assert_eq!(browser.value("window.hit === undefined"), json!(true));
    assert_eq!(
        browser.value("document.querySelectorAll('img, b, iframe, body script').length"),
        json!(0)
    );
    is_quiet(&browser, &server);
    // A page of another origin cannot read or frame it, even if it knows the address.
    let fetching = format!(
        "fetch('{0}api/models', {{ mode: 'cors' }}).then(() => 'read', () => 'refused')",
        server.address
    );
    browser.call(
        "Page.navigate",
        json!({ "url": "data:text/html,<p>hostile</p>" }),
    );
    browser.wait("location.protocol === 'data:'");
    let how = json!({ "expression": fetching, "awaitPromise": true, "returnByValue": true });
    let answer = browser.call("Runtime.evaluate", how);
    assert_eq!(answer["result"]["value"], "refused");
}

/// A person without a mouse, and one who listens: everything has a name, and the order is that of the page.
#[test]
fn keys_reach_everything_and_everything_has_a_name() {
    let Some(mut browser) = Browser::start("serve-keys") else {
        return;
    };
    let server = Server::of_text("keys", "semaphore.pml", SEMAPHORE);
    for (wide, dark) in [(1366, false), (390, true)] {
        browser.resize(wide, 844);
        browser.prefer_dark(dark);
        browser.visit(&server.address, READ);
        browser.click("#check-all");
        browser.wait(&contains(NEWS, "entry: violated"));
        for tab in ["run", "walk", "graph"] {
            browser.click(&format!("#tab-{tab}"));
            browser.wait(&format!("!document.getElementById('panel-{tab}').hidden"));
            if tab == "walk" {
                browser.wait("document.querySelectorAll('#choices button.step').length > 0");
            }
            if tab == "graph" {
                browser.wait("document.querySelectorAll('#panel-graph svg .node').length === 8");
            }
            let nameless = browser.value(
                "[...document.querySelectorAll('button, input, select, textarea, [role=button], [tabindex=\"0\"]')] \
                 .filter((e) => e.getClientRects().length && !(e.getAttribute('aria-label') || e.textContent.trim() || \
                 (e.labels && e.labels.length) || e.getAttribute('aria-labelledby'))).map((e) => e.outerHTML.slice(0, 90))",
            );
            assert_eq!(nameless, json!([]), "{tab}");
            let wider =
                "document.documentElement.scrollWidth - document.documentElement.clientWidth";
            assert_eq!(
                browser.value(wider),
                json!(0),
                "{tab} at {wide}: no scrolling sideways"
            );
        }
        // Tabs by arrow keys, states of the graph too.
        browser.value("document.getElementById('tab-graph').focus()");
        browser.press("ArrowRight");
        browser.wait("document.activeElement.id === 'tab-run'");
        browser.press("ArrowLeft");
        browser.wait("document.activeElement.id === 'tab-graph'");
        browser.wait(&contains(
            "document.getElementById('graph-words').textContent",
            "8 states",
        ));
        browser.value("document.querySelector('#panel-graph .node[tabindex=\"0\"]').focus()");
        browser.press("End");
        browser.wait(&contains(
            "document.querySelector('#state h3').textContent",
            "State 7",
        ));
        browser.press("Enter");
        browser.wait("!document.getElementById('panel-walk').hidden");
        if let Some(folder) = std::env::var_os("EVENHAND_SCREENSHOTS") {
            shoot(
                &mut browser,
                std::path::Path::new(&folder),
                &format!("{wide}-{dark}"),
            );
        }
        is_quiet(&browser, &server);
    }
}

/// Pictures of every panel, for people to look at.
fn shoot(browser: &mut Browser, folder: &std::path::Path, name: &str) {
    for tab in ["run", "walk", "graph"] {
        browser.click(&format!("#tab-{tab}"));
        browser.value("window.scrollTo(0, 0)");
        let file = folder.join(format!("{name}-{tab}.base64"));
        std::fs::write(file, browser.screenshot()).expect("a picture");
    }
}
