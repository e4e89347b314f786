//! The report as one page that explains itself: verdicts, runs to step through, pictures.
//!
//! A page is a fixed text (template, style and script stand beside this file) with one block of data
//! in it. Whatever a model says, its names, strings and file names, is in that data and nowhere
//! else: JSON in which `<`, `>`, `&` and the line separators of Unicode are escaped, so that no text can
//! end the block; the script reads it and puts it on the page as text, never as markup. The page allows
//! nothing from outside and only the script and the style whose hashes it names, so it works from a
//! file and cannot call anybody. Nothing is dropped in pages of long runs: the script draws only the
//! rows that are in view.
//!
//! | file | what it does |
//! | --- | --- |
//! | `run` | a run as columns, rows and changes |
//! | `messages` | arrows from sends to receives |
//! | `picture`, `layout` | the automaton of the property, and where its states stand |
//! | `diagram` | the part of the model's own picture that a run has to do with |
//! | `samples` | how a search went |
//! | `drawing` | an automaton as a picture that needs no script |
//! | `chart` | a run as such a picture |

mod chart;
mod diagram;
mod drawing;
mod layout;
mod messages;
mod picture;
mod run;
mod samples;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use evenhand_source::Files;
use evenhand_system::diagram::Diagram;
use evenhand_system::signature::ValueSource;
use evenhand_verify::{PropertyResult, Verdict};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use crate::json::states;
use crate::text;

pub use chart::run_svg;
pub use drawing::{acceptance_words, automaton_svg};
pub use layout::{Place, layered};
pub use picture::picture;
pub use samples::{Sample, Samples};

const TEMPLATE: &str = include_str!("page.html");
/// Everything that is no page: elements, tables, runs to step through, pictures.
macro_rules! parts {
    () => {
        concat!(
            include_str!("script/elements.js"),
            include_str!("script/overview.js"),
            include_str!("script/chart.js"),
            include_str!("script/panels.js"),
            include_str!("script/automaton.js"),
            include_str!("script/diagram.js"),
            include_str!("script/plots.js"),
            include_str!("script/run.js"),
            include_str!("script/theme.js"),
        )
    };
}

const SCRIPT: &str = concat!(
    "'use strict';\n(() => {\n",
    parts!(),
    include_str!("script/page.js"),
    "})();\n",
);

/// The style of pages, for other pages that show the same.
pub const STYLE: &str = include_str!("style.css");

/// The script of pages as a module for other pages: these fill `data` with [`data`](data()), have elements `detail`,
/// `live` and `theme`, and choose a property by `choose`.
pub const MODULE: &str = concat!(
    parts!(),
    "export { append, AutomatonPanel, braced, choose, code, count, cut, data, el, listed, live, number, page, ",
    "quoted, seconds, shown, stop, svg, verdict, width };\n",
);

/// What a page is about.
#[derive(Clone, Copy, Debug)]
pub struct Page<'p> {
    /// The tool's version.
    pub version: &'p str,
    /// The model's name.
    pub model: &'p str,
    /// Its language.
    pub language: &'p str,
    /// Warnings and notes about the model.
    pub warnings: &'p [String],
    /// The answers.
    pub entries: &'p [Entry<'p>],
    /// What is said before them, if it is not about checking: advice.
    pub advice: &'p [Advice],
    /// The files of the model.
    pub files: &'p Files,
    /// Where values of variables come from, for steps that stand on no line of their own.
    pub sources: &'p [ValueSource],
    /// The model's own picture, if it has one.
    pub diagram: Option<&'p Diagram>,
}

/// An answer.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'p> {
    /// What it is about, if that is not the property alone.
    pub about: Option<&'p str>,
    /// The answer.
    pub result: &'p PropertyResult,
    /// How the search went.
    pub samples: &'p [Sample],
}

/// An advice: a heading, lines, and the entries that show why.
#[derive(Clone, Debug, Default)]
pub struct Advice {
    /// What it is about.
    pub heading: String,
    /// What is advised, line by line.
    pub lines: Vec<String>,
    /// Entries of the page that show why, by number.
    pub because: Vec<usize>,
}

/// The page.
pub fn page(page: &Page<'_>) -> String {
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'",
        csp_source(SCRIPT),
        csp_source(STYLE)
    );
    fill(&[
        ("{{policy}}", &policy),
        ("{{style}}", STYLE),
        ("{{data}}", &embedded(&data(page))),
        ("{{script}}", SCRIPT),
    ])
}

/// The hash of a text as a source expression of a Content-Security-Policy: a page that forbids every
/// script but its own names that script by its hash.
fn csp_source(text: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text)))
}

/// The template with its places filled, in their order; what is filled in is not looked at again.
fn fill(places: &[(&str, &str)]) -> String {
    let mut text = String::new();
    let mut rest = TEMPLATE;
    for (place, value) in places {
        let (before, after) = rest.split_once(place).unwrap_or((rest, ""));
        text.push_str(before);
        text.push_str(value);
        rest = after;
    }
    text.push_str(rest);
    text
}

/// JSON that can stand in an element of a page.
fn embedded(data: &Json) -> String {
    let text = data.to_string();
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            // Outside of strings none of these occurs in JSON.
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                safe.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => safe.push(c),
        }
    }
    safe
}

/// A text that stands in a picture or on a page.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // XML knows no way to write these.
            c if c.is_control() => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

/// A text of at most so many characters.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// What a page says, as data for its script.
pub fn data(page: &Page<'_>) -> Json {
    let files: Vec<Json> = page
        .files
        .iter()
        .map(|(_, file)| json!({ "name": file.name, "text": file.text }))
        .collect();
    let entries: Vec<Json> = page.entries.iter().map(|e| entry(e, page)).collect();
    let advice: Vec<Json> = page
        .advice
        .iter()
        .map(|a| json!({ "heading": a.heading, "lines": a.lines, "because": a.because }))
        .collect();
    json!({
        "version": page.version,
        "model": page.model,
        "language": page.language,
        "warnings": page.warnings,
        "files": files,
        "properties": entries,
        "advice": advice,
    })
}

fn entry(entry: &Entry<'_>, page: &Page<'_>) -> Json {
    let told = |run| run::run(entry.result, run, page);
    let result = entry.result;
    let samples: Vec<Json> = entry
        .samples
        .iter()
        .map(|s| json!([s.seconds, s.states, s.depth, s.bytes]))
        .collect();
    let (reason, run) = match &result.verdict {
        Verdict::Violated(Some(run)) => (Json::Null, told(run.as_ref())),
        Verdict::Unknown(reason) => (json!(text::reason(reason)), Json::Null),
        _ => (Json::Null, Json::Null),
    };
    let warnings = result.warnings.iter();
    let warnings: Vec<String> = warnings.map(|w| text::warning(result, w)).collect();
    let details = result.details.iter();
    let details: Vec<Json> = details.map(|d| json!([d.name, d.count])).collect();
    json!({
        "about": entry.about,
        "name": result.name,
        "kind": result.kind.word(),
        "formula": result.formula,
        "fairness": result.fairness,
        "verdict": text::word(result),
        "checked": result.proof.as_ref().map(text::checked),
        "reason": reason,
        "value": result.value.as_ref().map(ToString::to_string),
        "engine": result.engine.unwrap_or("none"),
        "states": states(result),
        "transitions": result.transitions,
        "product_states": result.product_states,
        "product_transitions": result.product_transitions,
        "seconds": result.seconds,
        "memory": result.peak_memory,
        "warnings": warnings,
        "details": details,
        "samples": samples,
        "run": run,
        "others": result.others.iter().map(told).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_can_end_the_block_of_data() {
        let text = "</script><!-- \u{2028}\u{2029} &lt; ]]>";
        let embedded = embedded(&json!({ text: text }));
        assert!(!embedded.contains(['<', '>', '&', '\u{2028}', '\u{2029}']));
        let back: Json = serde_json::from_str(&embedded).expect("still JSON");
        assert_eq!(back, json!({ text: text }));
    }

    #[test]
    fn the_template_has_every_place_once_and_values_are_not_searched() {
        for place in ["{{policy}}", "{{style}}", "{{data}}", "{{script}}"] {
            assert_eq!(TEMPLATE.matches(place).count(), 1, "{place}");
        }
        let filled = fill(&[
            ("{{policy}}", "{{style}}"),
            ("{{style}}", "{{data}}"),
            ("{{data}}", "{{script}}"),
            ("{{script}}", "{{policy}}"),
        ]);
        for value in ["{{policy}}", "{{style}}", "{{data}}", "{{script}}"] {
            assert_eq!(filled.matches(value).count(), 1, "{value}");
        }
    }

    /// The script and the style are ours, but a slip in them would break the page silently.
    #[test]
    fn script_and_style_cannot_end_their_elements() {
        assert!(!SCRIPT.contains("</script") && !SCRIPT.contains("<!--"));
        assert!(!STYLE.contains("</style"));
        assert!(MODULE.contains("export {") && !SCRIPT.contains("export "));
        for forbidden in [
            "innerHTML",
            "outerHTML",
            "insertAdjacent",
            "document.write",
            "eval(",
        ] {
            assert!(!SCRIPT.contains(forbidden), "{forbidden}");
        }
    }
}
