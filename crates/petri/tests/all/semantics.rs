//! What texts mean: pages and references, all kinds of arcs, atoms, fairness, properties, many tokens.

use evenhand_system::explicit::Value;
use evenhand_system::{Asking, Wanted};
use evenhand_verify::{Options, Silent, check};

use crate::common::{Ask, TestNet, ask, read, verdicts};

/// Two pages: the second one refers to nodes of the first.
const PAGES: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
 <net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet">
  <page id="one">
   <place id="ready"><name><text>Ready</text></name><initialMarking><text> 2 </text></initialMarking></place>
   <transition id="go"><graphics><position x="1" y="2"/></graphics></transition>
   <arc id="a" source="ready" target="go"/>
   <page id="two">
    <referenceTransition id="again" ref="go"/>
    <referencePlace id="twice" ref="once"/>
    <referencePlace id="once" ref="done"/>
    <arc id="b" source="again" target="twice"><inscription><text>3</text></inscription></arc>
   </page>
   <place id="done"/>
  </page>
 </net>
</pnml>"#;

#[test]
fn pages_and_references_are_one_net() {
    let model = read(PAGES, &[]).unwrap_or_else(|error| panic!("{error}"));
    let asked = Ask {
        properties: &["deadlock"],
        ltl: &[
            "<> (tokens(done) == 6 && tokens(ready) == 0)",
            "[] tokens(done, ready) <= 5",
        ],
        ctl: &[
            "AG (is-fireable(go) | deadlock)",
            "EF (tokens(done) - tokens(ready) = 2)",
        ],
        ..Ask::default()
    };
    let found = ask(&*model, &asked);
    let expected = [false, true, false, true, true].map(Some);
    assert_eq!(verdicts(&found), expected);
    assert_eq!(found[1].states, 3);
}

#[test]
fn arcs_of_all_kinds() {
    // The only transition needs two tokens, leaves them, and stops when there are three of the others.
    let net = TestNet {
        initial: vec![2, 0, 7],
        transitions: vec![(
            vec![(0, 2, "test"), (1, 3, "inhibitor"), (2, 1, "reset")],
            vec![(1, 1, "normal")],
        )],
    };
    let model = read(&net.pnml(), &[]).unwrap_or_else(|error| panic!("{error}"));
    let asked = Ask {
        ltl: &[
            "<> (tokens(p1) == 3 && deadlock)",
            "X tokens(p2) == 0",
            "[] tokens(p0) == 2",
        ],
        ..Ask::default()
    };
    let found = ask(&*model, &asked);
    assert_eq!(verdicts(&found), [true, true, true].map(Some));
    assert_eq!(found[0].states, 4);
}

/// One token that waits or goes round, and a second place that it can rest in.
fn round() -> TestNet {
    let arc = |place| vec![(place, 1, "normal")];
    TestNet {
        initial: vec![1, 0],
        transitions: vec![(arc(0), arc(0)), (arc(0), arc(1)), (arc(1), arc(0))],
    }
}

#[test]
fn fairness_is_about_transitions() {
    let model = read(&round().pnml(), &[]).unwrap_or_else(|error| panic!("{error}"));
    let verdict = |formula: &str, fair: &[&str]| {
        let ltl = &[formula][..];
        verdicts(&ask(
            &*model,
            &Ask {
                ltl,
                fair,
                ..Ask::default()
            },
        ))[0]
    };
    let comes = "[] <> tokens(p1) == 1";
    assert_eq!(verdict(comes, &[]), Some(false));
    assert_eq!(verdict(comes, &["weak:t1"]), Some(true));
    // It is left for ever only if somebody else is enabled again and again, never for ever.
    let loops = "[] <> (is-fireable(t0) && X is-fireable(t0))";
    assert_eq!(verdict(loops, &["weak"]), Some(false));
    assert_eq!(verdict(loops, &["strong:t0"]), Some(true));
    assert_eq!(verdict(loops, &["strong"]), Some(true));
    assert_eq!(verdict(comes, &["just:tokens(p1) >= 1"]), Some(true));
    let compassion = "compassion:tokens(p0) = 1 => tokens(p1) = 1";
    assert_eq!(verdict(comes, &[compassion]), Some(true));
}

fn refusal(ltl: &[&str], ctl: &[&str], fair: &[&str]) -> String {
    let model = read(&round().pnml(), &[]).unwrap_or_else(|error| panic!("{error}"));
    let owned = |texts: &[&str]| {
        texts
            .iter()
            .map(|text| text.to_string())
            .collect::<Vec<_>>()
    };
    let mut asking = Asking::default();
    asking.request.properties = Wanted::Named(Vec::new());
    asking.request.linear = owned(ltl);
    asking.request.branching = owned(ctl);
    asking.request.fair = owned(fair);
    match check(&*model, &asking, &Options::default(), &mut Silent) {
        Ok(_) => String::new(),
        Err(error) => format!("{error:?}"),
    }
}

#[test]
fn what_has_no_meaning_is_refused() {
    let cases = [
        (
            refusal(&["[] tokens(q) < 1"], &[], &[]),
            "there is no place `q`",
        ),
        (
            refusal(&["[] tokens(p0)"], &[], &[]),
            "expected a comparison",
        ),
        (refusal(&["[] p0"], &[], &[]), "tokens(p0) >= 1"),
        (refusal(&["[] t0"], &[], &[]), "is-fireable(t0)"),
        (
            refusal(&["is-fireable(t9)"], &[], &[]),
            "there is no transition `t9`",
        ),
        (refusal(&["is-fireable(t0"], &[], &[]), "expected `)`"),
        (
            refusal(&["tokens(p0) < 99999999999999999999"], &[], &[]),
            "too large",
        ),
        (
            refusal(&["AG deadlock"], &[], &[]),
            "no formula of linear time",
        ),
        (
            refusal(&[], &["<> deadlock"], &[]),
            "under a path quantifier",
        ),
        (
            refusal(&[], &[], &["weak:t7"]),
            "there is no transition `t7`",
        ),
        (refusal(&[], &[], &["weak:t0@here"]), "no label"),
        (
            refusal(&[], &[], &["just:<> deadlock"]),
            "without temporal operators",
        ),
        (refusal(&[], &[], &["fast"]), "no fairness assumption"),
    ];
    for (found, expected) in cases {
        assert!(found.contains(expected), "{expected}: {found}");
    }
}

#[test]
fn many_tokens_are_counted_until_there_are_too_many() {
    // Doubling: 1, 2, 4, …, beyond every field and every number.
    let net = TestNet {
        initial: vec![1, 0, 0],
        transitions: vec![
            (vec![(0, 1, "normal")], vec![(1, 2, "normal")]),
            (vec![(1, 1, "normal")], vec![(0, 1, "normal")]),
        ],
    };
    let model = read(&net.pnml(), &[]).unwrap_or_else(|error| panic!("{error}"));
    let explicit = model
        .body()
        .explicit()
        .unwrap_or_else(|_| panic!("a net is explicit"));
    let mut explorer = explicit.explorer(&[]);
    let mut out = evenhand_system::Successors::new();
    explorer.initial(&mut out);
    let mut state = out.state(0).to_vec();
    let mut expected = [1_u64, 0];
    // A walk that keeps doubling: all tokens to the left, then all to the right.
    let mut lengths = std::collections::BTreeSet::new();
    for step in 0..200_000_u32 {
        lengths.insert(state.len());
        explorer.expand(&state, &mut out);
        let wanted = usize::from(expected[0] == 0 || step % 3 == 0 && expected[1] > 0);
        let found = (0..out.len()).find(|&i| {
            out.step(i)
                .process
                .is_some_and(|process| process.index() == wanted)
        });
        let Some(found) = found else { continue };
        match wanted {
            0 => (expected[0], expected[1]) = (expected[0] - 1, expected[1] + 2),
            _ => (expected[0], expected[1]) = (expected[0] + 1, expected[1] - 1),
        }
        state = out.state(found).to_vec();
        let told = explorer.describe(&state);
        let number = |place: usize| Value::Number(expected[place] as i64);
        assert_eq!(told[0], ("p0".to_string(), number(0)));
        assert_eq!(told[1], ("p1".to_string(), number(1)));
    }
    assert!(lengths.len() >= 2, "no marking has a rest: {lengths:?}");

    // One step too far is no marking but a limit.
    let net = TestNet {
        initial: vec![1, u32::MAX],
        transitions: vec![(vec![(0, 1, "normal")], vec![(1, 1, "normal")])],
    };
    let model = read(&net.pnml(), &[]).unwrap_or_else(|error| panic!("{error}"));
    let asked = Ask {
        properties: &["deadlock"],
        ltl: &["[] tokens(p1) >= 4"],
        ..Ask::default()
    };
    for result in ask(&*model, &asked) {
        assert!(
            !result.verdict.is_decided(),
            "{}: {:?}",
            result.name,
            result.verdict
        );
        let reason = format!("{:?}", result.verdict);
        assert!(reason.contains("Tokens"), "{reason}");
    }
}

const PROPERTIES: &str = r#"<?xml version="1.0"?>
<property-set xmlns="http://mcc.lip6.fr/">
 <property><id>safe</id><description>x</description><formula>
  <all-paths><globally><integer-le><tokens-count><place>p0</place><place>p1</place></tokens-count>
   <integer-constant>1</integer-constant></integer-le></globally></all-paths></formula></property>
 <property><id>n-LTL-0</id><formula>
  <all-paths><finally><globally><negation><is-fireable><transition>t2</transition></is-fireable></negation>
   </globally></finally></all-paths></formula></property>
 <property><id>n-CTL-0</id><formula>
  <exists-path><until><before><is-fireable><transition>t0</transition><transition>t1</transition></is-fireable>
   </before><reach><all-paths><next><true/></next></all-paths></reach></until></exists-path></formula></property>
 <property><id>bound</id><formula><place-bound><place>p0</place><place>p1</place></place-bound></formula></property>
</property-set>"#;

#[test]
fn property_files_ask_questions() {
    let model = read(&round().pnml(), &[("p.xml", PROPERTIES)]).unwrap_or_else(|e| panic!("{e}"));
    let properties = &["safe", "n-LTL-0", "n-CTL-0", "bound"][..];
    let found = ask(
        &*model,
        &Ask {
            properties,
            ..Ask::default()
        },
    );
    let kinds: Vec<&str> = found.iter().map(|result| result.kind.word()).collect();
    assert_eq!(kinds, ["invariant", "ltl", "ctl", "bound"]);
    assert_eq!(verdicts(&found), [true, false, true, true].map(Some));
    assert_eq!(found[3].value, Some(Value::Number(1)));
    let formula = found[1].formula.as_deref();
    assert_eq!(formula, Some("<> [] !(is-fireable(t2))"));
}

#[test]
fn property_files_are_refused_where_they_have_no_meaning() {
    let wrong = |formula: &str| {
        let id = "<id>x</id>";
        let text = format!(
            "<property-set><property>{id}<formula>{formula}</formula></property></property-set>"
        );
        match read(&round().pnml(), &[("p.xml", &text)]) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        }
    };
    let cases = [
        (
            "<is-fireable><transition>t9</transition></is-fireable>",
            "no transition `t9`",
        ),
        ("<is-fireable/>", "names no transition"),
        ("<sometimes/>", "`<sometimes>` has no meaning"),
        ("<until><before><true/></before></until>", "has 1 operands"),
        (
            "<integer-le><integer-constant>-1</integer-constant></integer-le>",
            "no number",
        ),
        (
            "<integer-le><integer-constant>1</integer-constant></integer-le>",
            "compares 1 numbers",
        ),
        (
            "<place-bound><place>q</place></place-bound>",
            "no place `q`",
        ),
        ("", "is empty"),
    ];
    for (formula, expected) in cases {
        let found = wrong(formula);
        assert!(
            found.starts_with("p.xml:1:") && found.contains(expected),
            "{formula}: {found}"
        );
    }
}

#[test]
fn nets_as_a_whole() {
    let names = &["one-safe", "quasi-liveness", "liveness", "stable-marking"][..];
    let verdict = |net: &TestNet| {
        let model = read(&net.pnml(), &[]).unwrap_or_else(|error| panic!("{error}"));
        verdicts(&ask(
            &*model,
            &Ask {
                properties: names,
                ..Ask::default()
            },
        ))
    };
    assert_eq!(verdict(&round()), [true, true, true, false].map(Some));
    // One transition fires once; another one never.
    let once = TestNet {
        initial: vec![2, 0, 5],
        transitions: vec![
            (vec![(0, 2, "normal")], vec![(1, 1, "normal")]),
            (vec![(0, 3, "normal")], vec![]),
        ],
    };
    assert_eq!(verdict(&once), [false, false, false, true].map(Some));
    let ends = TestNet {
        transitions: once.transitions[..1].to_vec(),
        ..once
    };
    assert_eq!(verdict(&ends), [false, true, false, true].map(Some));
}

/// Two processes that go round by themselves, each a unit; perhaps with what is declared.
fn two_units(declared: &str, inside: &str) -> String {
    format!(
        r#"<pnml><net id="n" type="ptnet"><page id="g">
<place id="a0"><initialMarking><text>1</text></initialMarking></place><place id="a1"/><place id="a2"/>
<place id="b0"><initialMarking><text>1</text></initialMarking></place><place id="b1"/>
<transition id="a01">{inside}</transition><transition id="a12"/><transition id="a20"/>
<transition id="b01"/><transition id="b10"/>
<arc id="1" source="a0" target="a01"/><arc id="2" source="a01" target="a1"/>
<arc id="3" source="a1" target="a12"/><arc id="4" source="a12" target="a2"/>
<arc id="5" source="a2" target="a20"/><arc id="6" source="a20" target="a0"/>
<arc id="7" source="b0" target="b01"/><arc id="8" source="b01" target="b1"/>
<arc id="9" source="b1" target="b10"/><arc id="10" source="b10" target="b0"/>
<toolspecific tool="nupn" version="1.1"><size places="5" transitions="5" arcs="10"/>
<structure units="3" root="u" safe="true"><unit id="u"><places/><subunits>a b</subunits></unit>
<unit id="a"><places>a0 a1
 a2</places><subunits/></unit><unit id="b"><places>b0 b1</places><subunits/></unit></structure></toolspecific>
{declared}</page></net></pnml>"#
    )
}

#[test]
fn units_are_the_processes() {
    let text = two_units("", "");
    let model = read(&text, &[]).unwrap_or_else(|error| panic!("{error}"));
    assert!(model.warnings().is_empty());
    assert_eq!(model.signature().processes, ["u", "a", "b"]);
    let moves = "[] <> tokens(a1) = 1";
    let ask_under = |fair: &[&str]| {
        let asked = Ask {
            ltl: &[moves],
            fair,
            ..Ask::default()
        };
        verdicts(&ask(&*model, &asked))[0]
    };
    assert_eq!(ask_under(&[]), Some(false));
    assert_eq!(ask_under(&["weak:a"]), Some(true));
    assert_eq!(ask_under(&["strong:b"]), Some(false));
    assert_eq!(ask_under(&["weak:a01", "weak:a12"]), Some(false));
    assert_eq!(ask_under(&["weak"]), Some(true));
    let mut found = ask(
        &*model,
        &Ask {
            ltl: &[moves],
            ..Ask::default()
        },
    );
    let run = found[0].verdict.take_run();
    let run = run.unwrap_or_else(|| panic!("a run"));
    assert_eq!(run.cycle[0].process.as_deref(), Some("b"));
    assert_eq!(run.processes, ["u", "a", "b"]);
    let unknown = refusal_of(&text, &["weak:c"]);
    assert!(unknown.contains("no transition or unit `c`"), "{unknown}");
    // What makes no sense is passed over with a warning.
    for (from, to, word) in [
        (
            "<places>b0 b1</places>",
            "<places>b0</places>",
            "in no unit",
        ),
        (
            "<places>b0 b1</places>",
            "<places>b0 b1 a1</places>",
            "in two units",
        ),
        (
            "<places>b0 b1</places>",
            "<places>b0 b1 c</places>",
            "no place `c`",
        ),
        (
            "<places/><subunits>a b</subunits>",
            "<places/><subunits>a b c</subunits>",
            "no unit `c`",
        ),
        ("<unit id=\"b\">", "<unit id=\"a\">", "two units `a`"),
        (
            "<places>b0 b1</places><subunits/>",
            "<places>b0 b1</places><subunits>b</subunits>",
            "in two units",
        ),
    ] {
        let model = read(&text.replace(from, to), &[]).unwrap_or_else(|error| panic!("{error}"));
        let said = model
            .warnings()
            .iter()
            .map(|warning| warning.message.clone());
        let said: Vec<String> = said.collect();
        assert!(said.len() == 1 && said[0].contains(word), "{said:?}");
        assert_eq!(model.signature().processes.len(), 5);
    }
}

fn refusal_of(text: &str, fair: &[&str]) -> String {
    let model = read(text, &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut asking = Asking::default();
    asking.request.linear = vec!["[] deadlock".to_string()];
    asking.request.fair = fair.iter().map(|text| text.to_string()).collect();
    match check(&*model, &asking, &Options::default(), &mut Silent) {
        Ok(_) => String::new(),
        Err(error) => format!("{error:?}"),
    }
}

#[test]
fn fairness_is_declared_in_the_net() {
    let tool = |inside: &str| {
        format!("<toolspecific tool=\"evenhand\" version=\"1.0\">{inside}</toolspecific>")
    };
    let verdict = |declared: &str, inside: &str, no_fairness: bool| {
        let text = two_units(declared, inside);
        let model = read(&text, &[]).unwrap_or_else(|error| panic!("{error}"));
        let mut asking = Asking::default();
        asking.request.linear = vec!["[] <> tokens(a1) = 1".to_string()];
        asking.request.no_fairness = no_fairness;
        let report = check(&*model, &asking, &Options::default(), &mut Silent);
        let report = report.unwrap_or_else(|error| panic!("{error}"));
        verdicts(&report.properties)[0]
    };
    assert_eq!(verdict("", "", false), Some(false));
    assert_eq!(verdict(&tool("<fair>weak</fair>"), "", false), Some(true));
    assert_eq!(verdict(&tool("<fair>weak</fair>"), "", true), Some(false));
    assert_eq!(
        verdict(&tool("<fair> strong:a </fair>"), "", false),
        Some(true)
    );
    let two = tool("<fair>weak:a12</fair><fair>weak:a20</fair>");
    assert_eq!(verdict(&two, "", false), Some(false));
    assert_eq!(verdict(&two, &tool("<fair>weak</fair>"), false), Some(true));
    let just = tool("<fair>just: tokens(a1) &gt;= 1</fair>");
    assert_eq!(verdict(&just, "", false), Some(true));
    // Of other tools nothing is believed.
    let other = "<toolspecific tool=\"other\" version=\"1\"><fair>nonsense</fair></toolspecific>";
    assert_eq!(verdict(other, other, false), Some(false));
    let wrong = read(&two_units("", &tool("<fair>just:deadlock</fair>")), &[]);
    assert!(wrong.is_err_and(|error| error.to_string().contains("no fairness of one transition")));
    let misplaced = two_units("", "").replace("<place id=\"a1\"/>", &{
        let inside = tool("<fair>weak</fair>");
        format!("<place id=\"a1\">{inside}</place>")
    });
    let wrong = read(&misplaced, &[]);
    assert!(wrong.is_err_and(|error| error.to_string().contains("not of places")));
    let wrong = refusal_of(&two_units(&tool("<fair>weak:c</fair>"), ""), &[]);
    assert!(wrong.contains("`c`"), "{wrong}");
    // Advice is given as it would be declared.
    let model = read(&two_units("", ""), &[]).unwrap_or_else(|error| panic!("{error}"));
    let text = model.declaration("strong:send<1>");
    assert_eq!(
        verdict(&text.replace("send&lt;1&gt;", "a"), "", false),
        Some(true)
    );
}

#[test]
fn what_never_happens_is_left_out_and_can_be_asked_for() {
    // The second transition needs what only itself fills, the third what nobody fills; the last place stays.
    let arc = |place| (place, 1, "normal");
    let net = TestNet {
        initial: vec![1, 0, 0, 0, 2],
        transitions: vec![
            (vec![arc(0), (4, 2, "test")], vec![arc(1)]),
            (vec![arc(2)], vec![arc(2), arc(0)]),
            (vec![arc(3)], vec![arc(1)]),
            (vec![arc(0), (4, 2, "inhibitor")], vec![arc(2)]),
        ],
    };
    let model = read(&net.pnml(), &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut asking = Asking::default();
    asking.request.linear = vec!["[] !is-fireable(t1, t2, t3)".to_string()];
    asking.request.linear.push("<> tokens(p1) = 1".to_string());
    asking.request.invariants = vec!["tokens(p2, p3) = 0 & tokens(p4) = 2".to_string()];
    asking.request.branching = vec!["EF is-fireable(t1)".to_string()];
    asking.request.fair = vec!["strong:t1".to_string(), "weak".to_string()];
    let report = check(&*model, &asking, &Options::default(), &mut Silent);
    let report = report.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        verdicts(&report.properties),
        [true, true, true, false].map(Some)
    );
    let notes: Vec<String> = report
        .notes
        .iter()
        .map(|note| format!("{note:?}"))
        .collect();
    let notes = notes.join("\n");
    assert!(notes.contains("3 transitions can never fire"), "{notes}");
    assert!(notes.contains("`t1`, `t2`, `t3`"), "{notes}");
    assert!(notes.contains("3 places never change"), "{notes}");
    let dead = ask(
        &*model,
        &Ask {
            properties: &["deadlock", "quasi-liveness", "liveness"],
            ..Ask::default()
        },
    );
    assert_eq!(verdicts(&dead), [false, false, false].map(Some));
}
