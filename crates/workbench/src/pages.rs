//! The files of the page: plain modules, without a build step.

use evenhand_report::html::{MODULE, STYLE};

use crate::http::Response;

/// Name, kind and text of each file. There are no others: a path is compared, never opened.
const FILES: [(&str, &str, &str); 13] = [
    ("", HTML, include_str!("../page/index.html")),
    (
        "icon.svg",
        "image/svg+xml",
        include_str!("../page/icon.svg"),
    ),
    ("report.css", CSS, STYLE),
    ("workbench.css", CSS, include_str!("../page/workbench.css")),
    ("report.js", SCRIPT, MODULE),
    ("main.js", SCRIPT, include_str!("../page/main.js")),
    ("calls.js", SCRIPT, include_str!("../page/calls.js")),
    ("editor.js", SCRIPT, include_str!("../page/editor.js")),
    (
        "properties.js",
        SCRIPT,
        include_str!("../page/properties.js"),
    ),
    ("examples.js", SCRIPT, include_str!("../page/examples.js")),
    ("fairness.js", SCRIPT, include_str!("../page/fairness.js")),
    ("walk.js", SCRIPT, include_str!("../page/walk.js")),
    ("graph.js", SCRIPT, include_str!("../page/graph.js")),
];

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// A file of the page.
pub(crate) fn file(path: &str) -> Response {
    match FILES.iter().find(|(name, ..)| *name == path) {
        Some((_, kind, text)) => Response {
            status: 200,
            kind,
            body: text.as_bytes().to_vec(),
        },
        None => Response::refusal(404, "there is no such file"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text comes to the page as text: nothing in it is read as markup or as a script.
    #[test]
    fn no_script_makes_markup_of_text() {
        for (name, _, text) in FILES {
            for forbidden in [
                "innerHTML",
                "outerHTML",
                "insertAdjacent",
                "document.write",
                "eval(",
                "new Function",
                "javascript:",
                "setAttribute('style'",
                "http://",
                "https://",
            ] {
                let svg = "http://www.w3.org/2000/svg";
                let text = text.replace(svg, "");
                assert!(!text.contains(forbidden), "{name}: {forbidden}");
            }
        }
    }

    #[test]
    fn every_module_that_is_imported_is_there() {
        for (name, kind, text) in FILES {
            for part in text.split("from './").skip(1) {
                let (target, _) = part.split_once('\'').expect("an end");
                let found = FILES
                    .iter()
                    .any(|(known, k, _)| *known == target && *k == kind);
                assert!(found, "{name} imports {target}");
            }
        }
    }
}
