//! Text that tries to be more than text.

use super::browser::Browser;
use super::pages::{check, folder, is_quiet, models, walk};
use serde_json::json;

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
            walk(&mut browser, &property["counterexample"]);
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
