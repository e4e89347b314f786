//! Answers for CI systems that read JUnit's XML: a suite for the model, a test for each property.
//!
//! What is violated is a failure, with the run as its text; what is unknown is an error, as in JUnit a test that
//! could not come to its end. A call or a model that is wrong is a suite with one test that has the error.

use std::fmt::Write;

use evenhand_source::{Diagnostic, Files};
use evenhand_verify::{PropertyResult, Report, Verdict};

use crate::diagnostics::render_all;
use crate::text;

/// The answer of `check`.
pub fn check(report: &Report, warnings: &[String]) -> String {
    let signature = report.signature();
    let count = |word: &str| {
        let all = report.properties.iter();
        all.filter(|result| result.verdict.word() == word).count()
    };
    let seconds: f64 = report.properties.iter().map(|result| result.seconds).sum();
    let mut cases = String::new();
    for result in &report.properties {
        case(&mut cases, result, &signature.name, &signature.files);
    }
    if !warnings.is_empty() {
        let lines = warnings.join("\n");
        let _ = writeln!(cases, "    <system-err>{}</system-err>", escaped(&lines));
    }
    suites(
        &signature.name,
        (report.properties.len(), count("violated"), count("unknown")),
        seconds,
        &cases,
    )
}

/// The answer to a wrong call or a wrong model.
pub fn errors(diagnostics: &[Diagnostic], files: &Files) -> String {
    let told = render_all(diagnostics, files, false);
    let message = diagnostics.first().map_or("", |first| &*first.message);
    let mut cases = String::new();
    let _ = writeln!(
        cases,
        "    <testcase name=\"read\" classname=\"evenhand\" time=\"0\">\n      \
         <error message=\"{}\" type=\"wrong\">{}</error>\n    </testcase>",
        escaped(message),
        escaped(&told)
    );
    let name = diagnostics.iter().find_map(|d| d.span);
    let name = name.map_or("evenhand", |span| &*files.get(span.file).name);
    suites(name, (1, 0, 1), 0.0, &cases)
}

fn suites(
    name: &str,
    (tests, failures, errors): (usize, usize, usize),
    seconds: f64,
    cases: &str,
) -> String {
    let name = escaped(name);
    let counts = format!(
        "tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{seconds:.3}\""
    );
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites name=\"evenhand\" {counts}>\n  \
         <testsuite name=\"{name}\" {counts}>\n{cases}  </testsuite>\n</testsuites>\n"
    )
}

fn case(cases: &mut String, result: &PropertyResult, model: &str, files: &Files) {
    let summary = text::summary(result);
    let _ = write!(
        cases,
        "    <testcase name=\"{}\" classname=\"{}\" time=\"{:.3}\"",
        escaped(&result.name),
        escaped(model),
        result.seconds
    );
    let (element, kind, told) = match &result.verdict {
        Verdict::Holds => {
            cases.push_str("/>\n");
            return;
        }
        Verdict::Violated(run) => {
            let told = run.as_ref();
            let told = told.map(|run| text::counterexample(result, run, files));
            ("failure", result.kind.word(), told.unwrap_or_default())
        }
        Verdict::Unknown(why) => ("error", "unknown", text::reason(why)),
    };
    let _ = writeln!(
        cases,
        ">\n      <{element} message=\"{}\" type=\"{kind}\">{}</{element}>\n    </testcase>",
        escaped(&summary),
        escaped(&told)
    );
}

/// A text inside of XML: signs of its own are written out, what it cannot have is replaced.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\r' => out.push_str("&#13;"),
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn no_text_breaks_out_of_its_element() {
        assert_eq!(escaped("a<b & \"c\">"), "a&lt;b &amp; &quot;c&quot;&gt;");
        assert_eq!(escaped("\u{1b}[0m\n]]>"), "\u{fffd}[0m&#10;]]&gt;");
    }
}
