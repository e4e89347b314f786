//! Texts that nobody should have to read: each ends soon, with a sentence that says where and why.

use evenhand_source::Budget;
use std::time::{Duration, Instant};

use crate::common::read;

/// What is said about a text, which must be said soon.
fn said(text: &str) -> String {
    let begun = Instant::now();
    let said = match read(text, &[]) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    };
    assert!(
        begun.elapsed() < Duration::from_secs(60),
        "{} bytes",
        text.len()
    );
    said
}

fn net(inside: &str) -> String {
    format!("<pnml><net id=\"n\" type=\"ptnet\"><page id=\"g\">\n{inside}</page></net></pnml>")
}

const NODES: &str = "<place id=\"p\"/><transition id=\"t\"/>";

#[test]
fn wrong_texts_are_told_with_their_place() {
    let arc =
        |ends: &str, inside: &str| net(&format!("{NODES}\n<arc id=\"a\" {ends}>{inside}</arc>"));
    let weight = |text: &str| {
        let inside = format!("<inscription><text>{text}</text></inscription>");
        arc("source=\"p\" target=\"t\"", &inside)
    };
    let cases = [
        (
            arc("source=\"p\" target=\"q\"", ""),
            "3:1: there is no place or transition `q`",
        ),
        (
            arc("source=\"p\" target=\"p\"", ""),
            "3:1: an arc between two places",
        ),
        (
            arc("source=\"t\" target=\"t\"", ""),
            "3:1: an arc between two transitions",
        ),
        (
            arc("source=\"p\"", ""),
            "3:1: `<arc>` has no attribute `target`",
        ),
        (
            arc("source=\"p\" target=\"t\"", "<type value=\"magic\"/>"),
            "arcs of type `magic`",
        ),
        (
            arc("source=\"t\" target=\"p\"", "<type value=\"inhibitor\"/>"),
            "leads to a transition",
        ),
        (weight("-1"), "the weight of an arc is a number, not `-1`"),
        (weight("0"), "at least 1"),
        (weight("4294967296"), "at most 4294967295"),
        (weight("99999999999999999999999"), "at most 4294967295"),
        (
            net(&format!("{NODES}\n<place id=\"p\"/>")),
            "3:1: `p` is the id of more than one node",
        ),
        (net("<place/>"), "2:1: `<place>` has no attribute `id`"),
        (
            net(
                "<referencePlace id=\"a\" ref=\"b\"/><referencePlace id=\"b\" ref=\"a\"/>\
              <transition id=\"t\"/><arc id=\"x\" source=\"a\" target=\"t\"/>",
            ),
            "refers to itself",
        ),
        (
            "<pnml><net type=\"timed\"/></pnml>".to_string(),
            "nets of type `timed`",
        ),
        ("<pnml/>".to_string(), "no net in this file"),
        ("<html/>".to_string(), "expected `<pnml>`"),
        (String::new(), "no `<pnml>`"),
        ("<pnml><net>".to_string(), "before its elements are closed"),
        ("<pnml><net></pnml>".to_string(), "the XML is broken"),
    ];
    for (text, expected) in cases {
        let found = said(&text);
        assert!(found.contains(expected), "{expected}: {found}");
    }
}

#[test]
fn bombs_and_strangers_are_refused() {
    let bomb =
        "<!DOCTYPE l [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><pnml>&b;</pnml>";
    assert!(said(bomb).contains("document type"));
    let outside =
        "<!DOCTYPE l [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><pnml><net id=\"&a;\"/></pnml>";
    assert!(said(outside).contains("document type"));
    assert!(said("<pnml><net id=\"&a;\" type=\"ptnet\"/></pnml>").contains("a"));
    let deep = format!("<pnml>{}", "<net><page>".repeat(100_000));
    assert!(said(&deep).contains("inside each other"));
    let pages = format!("<pnml><net>{}", "<page id='p'>".repeat(990));
    assert!(said(&pages).contains("before its elements are closed"));
}

#[test]
fn every_beginning_of_a_text_is_read_or_refused() {
    let text = net(&format!("{NODES}<arc id=\"a\" source=\"p\" target=\"t\"/>"));
    for end in 0..text.len() {
        let found = said(&text[..end]);
        assert!(!found.is_empty(), "{}", &text[..end]);
    }
    assert_eq!(said(&text), "");
}

#[test]
fn large_nets_are_read_within_a_budget() {
    let mut inside = String::new();
    for number in 0..1_000_000 {
        inside += &format!("<place id=\"p{number}\"/>\n");
    }
    for number in 0..1_000 {
        inside += &format!(
            "<transition id=\"t{number}\"/><arc id=\"a{number}\" source=\"p{number}\" target=\"t{number}\"/>\n"
        );
    }
    let text = net(&inside);
    assert_eq!(said(&text), "");
    let budget = Budget::unlimited().effort(1000);
    assert!(budget.run(|| read(&text, &[]).is_ok()).is_err());
}

#[test]
fn many_units_and_long_chains_take_little_time() {
    // Units inside of units, each with a place, far deeper than anybody writes them: passed over.
    let (mut nodes, mut units) = (String::new(), String::new());
    for number in 0..50_000 {
        nodes += &format!("<place id=\"p{number}\"/>");
        let inner = match number {
            49_999 => String::new(),
            _ => format!("u{}", number + 1),
        };
        units += &format!(
            "<unit id=\"u{number}\"><places>p{number}</places><subunits>{inner}</subunits></unit>"
        );
    }
    let nupn = format!("<toolspecific tool=\"nupn\"><structure>{units}</structure></toolspecific>");
    let model = read(&net(&format!("{nodes}{nupn}")), &[]);
    let model = model.unwrap_or_else(|error| panic!("{error}"));
    assert!(model.warnings()[0].message.contains("inside each other"));
    // A chain of transitions written from its end.
    let mut chain =
        String::from("<place id=\"p0\"><initialMarking><text>1</text></initialMarking></place>");
    for number in (0..50_000).rev() {
        let next = number + 1;
        chain += &format!(
            "<place id=\"p{next}\"/><transition id=\"t{number}\"/>\
             <arc id=\"a\" source=\"p{number}\" target=\"t{number}\"/>\
             <arc id=\"b\" source=\"t{number}\" target=\"p{next}\"/>\n"
        );
    }
    assert_eq!(said(&net(&chain)), "");
}
