//! What the schema of SARIF 2.1.0 says about the objects that are used here, copied by hand from the standard
//! (OASIS, sections 3.13 to 3.58): which properties an object may have (others are not allowed), which it must have, and
//! what their values are.

use serde_json::Value;

/// What a value is.
enum Kind {
    Text,
    /// A reference as RFC 3986 has it.
    Uri,
    Truth,
    /// A whole number from some on.
    Whole(i64),
    /// One of some words.
    Word(&'static [&'static str]),
    /// A bag of properties with any content.
    Bag,
    One(&'static str),
    Many(&'static str),
    /// No two of them are the same.
    Distinct(&'static str),
}

use Kind::{Bag, Distinct, Many, One, Text, Truth, Uri, Whole, Word};

const MUST: bool = true;
const MAY: bool = false;

const LEVELS: Kind = Word(&["none", "note", "warning", "error"]);

fn properties(object: &str) -> Vec<(&'static str, Kind, bool)> {
    match object {
        "sarifLog" => vec![
            ("$schema", Uri, MAY),
            ("version", Word(&["2.1.0"]), MUST),
            ("runs", Many("run"), MUST),
        ],
        "run" => vec![
            ("tool", One("tool"), MUST),
            ("invocations", Many("invocation"), MAY),
            ("results", Many("result"), MAY),
            (
                "columnKind",
                Word(&["utf16CodeUnits", "unicodeCodePoints"]),
                MAY,
            ),
        ],
        "tool" => vec![("driver", One("toolComponent"), MUST)],
        "toolComponent" => vec![
            ("name", Text, MUST),
            ("version", Text, MAY),
            ("semanticVersion", Text, MAY),
            ("rules", Distinct("reportingDescriptor"), MAY),
        ],
        "reportingDescriptor" => vec![
            ("id", Text, MUST),
            ("shortDescription", One("multiformatMessageString"), MAY),
            ("properties", Bag, MAY),
        ],
        "multiformatMessageString" => vec![("text", Text, MUST)],
        "invocation" => vec![
            ("executionSuccessful", Truth, MUST),
            ("toolExecutionNotifications", Many("notification"), MAY),
        ],
        "notification" => vec![
            ("level", LEVELS, MAY),
            ("message", One("message"), MUST),
            ("locations", Many("location"), MAY),
        ],
        "message" => vec![("text", Text, MUST)],
        "result" => vec![
            ("ruleId", Text, MAY),
            ("ruleIndex", Whole(0), MAY),
            (
                "kind",
                Word(&[
                    "notApplicable",
                    "pass",
                    "fail",
                    "review",
                    "open",
                    "informational",
                ]),
                MAY,
            ),
            ("level", LEVELS, MAY),
            ("message", One("message"), MUST),
            ("locations", Many("location"), MAY),
            ("codeFlows", Many("codeFlow"), MAY),
            ("properties", Bag, MAY),
        ],
        "location" => vec![
            ("physicalLocation", One("physicalLocation"), MAY),
            ("message", One("message"), MAY),
        ],
        "physicalLocation" => vec![
            ("artifactLocation", One("artifactLocation"), MUST),
            ("region", One("region"), MAY),
        ],
        "artifactLocation" => vec![("uri", Uri, MUST)],
        "region" => vec![
            ("startLine", Whole(1), MAY),
            ("startColumn", Whole(1), MAY),
            ("endLine", Whole(1), MAY),
            ("endColumn", Whole(1), MAY),
        ],
        "codeFlow" => vec![
            ("message", One("message"), MAY),
            ("threadFlows", Many("threadFlow"), MUST),
        ],
        "threadFlow" => vec![("locations", Many("threadFlowLocation"), MUST)],
        "threadFlowLocation" => vec![
            ("location", One("location"), MAY),
            (
                "importance",
                Word(&["important", "essential", "unimportant"]),
                MAY,
            ),
        ],
        other => panic!("`{other}` is not described here"),
    }
}

/// Holds an object against its shape; `way` says where it stands.
pub fn check(value: &Value, object: &str, way: &str) {
    let fields = value.as_object();
    let fields = fields.unwrap_or_else(|| panic!("{way} is no object: {value}"));
    let known = properties(object);
    for name in fields.keys() {
        let is_known = known.iter().any(|(known, ..)| known == name);
        assert!(is_known, "{way}: a {object} has no `{name}`");
    }
    for (name, kind, must) in known {
        let way = format!("{way}.{name}");
        match fields.get(name) {
            Some(value) => content(value, &kind, &way),
            None => assert!(!must, "{way} is missing"),
        }
    }
}

fn content(value: &Value, kind: &Kind, way: &str) {
    let list = |object: &str| {
        let list = value
            .as_array()
            .unwrap_or_else(|| panic!("{way} is no list"));
        for (at, one) in list.iter().enumerate() {
            check(one, object, &format!("{way}[{at}]"));
        }
        list
    };
    let fits = match kind {
        Text => value.as_str().is_some_and(|text| !text.is_empty()),
        Uri => value.as_str().is_some_and(is_uri),
        Truth => value.is_boolean(),
        Whole(least) => value.as_i64().is_some_and(|number| number >= *least),
        Word(words) => value.as_str().is_some_and(|text| words.contains(&text)),
        Bag => value.is_object(),
        One(object) => {
            check(value, object, way);
            true
        }
        Many(object) => {
            list(object);
            true
        }
        Distinct(object) => {
            let list = list(object);
            let differs = |(at, one): (usize, &Value)| !list[..at].contains(one);
            list.iter().enumerate().all(differs)
        }
    };
    assert!(fits, "{way}: {value}");
}

/// Letters, digits, and what RFC 3986 reserves or allows; `%` only before two digits of sixteen.
fn is_uri(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
    !bytes.is_empty()
        && bytes.iter().enumerate().all(|(at, byte)| match byte {
            b'%' => digit(at + 1) && digit(at + 2),
            byte => byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=".contains(byte),
        })
}
