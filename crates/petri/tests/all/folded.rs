//! Coloured nets that are not unfolded: the same answers as unfolded ones, and nets that are too large for that.

use evenhand_source::SplitMix64;
use evenhand_system::explicit::Value;
use evenhand_system::specification::Remark;
use evenhand_system::{Request, Specification};
use evenhand_testkit::lassos::cases;

use crate::coloured;
use crate::common::{Ask, ask, read, read_folded, verdicts};

/// What is told with `-v` about how a net is explored.
fn told(model: &dyn Specification) -> String {
    let Ok(inquiry) = model.resolve(&Request::default()) else {
        panic!("nothing was asked");
    };
    let details = inquiry.notes.iter().filter_map(|note| match note {
        Remark::Detail(text) => Some(text.clone()),
        _ => None,
    });
    details.collect::<Vec<String>>().join("; ")
}

/// Players of a sort of so many, of whom the first few are there: three of them meet, one of them wins and comes back
/// later.
fn meetings(values: usize, there: usize) -> String {
    let constants: String = (0..values)
        .map(|n| format!("<feconstant id=\"c{n}\" name=\"{n}\"/>"))
        .collect();
    let variables: String = ["a", "b", "c"]
        .map(|id| format!("<variabledecl id=\"{id}\"><usersort declaration=\"s\"/></variabledecl>"))
        .concat();
    let tokens: String = (0..there)
        .map(|n| format!("<subterm><useroperator declaration=\"c{n}\"/></subterm>"))
        .collect();
    let place = |id: &str, marking: &str| {
        format!(
            "<place id=\"{id}\"><type><structure><usersort declaration=\"s\"/></structure></type>{marking}</place>\n"
        )
    };
    let arc = |source: &str, target: &str, list: &[&str]| {
        let terms = list
            .iter()
            .map(|v| format!("<subterm><variable refvariable=\"{v}\"/></subterm>"));
        format!(
            "<arc id=\"x\" source=\"{source}\" target=\"{target}\"><hlinscription><structure><add>{}</add></structure></hlinscription></arc>\n",
            terms.collect::<String>()
        )
    };
    let marking =
        format!("<hlinitialMarking><structure><add>{tokens}</add></structure></hlinitialMarking>");
    format!(
        "<pnml><net id=\"n\" type=\"symmetricnet\"><declaration><structure><declarations>\
         <namedsort id=\"s\"><finiteenumeration>{constants}</finiteenumeration></namedsort>{variables}\
         </declarations></structure></declaration><page id=\"g\">\n{}{}<transition id=\"meet\"/><transition id=\"back\"/>\n{}{}{}{}</page></net></pnml>",
        place("free", &marking),
        place("won", ""),
        arc("free", "meet", &["a", "b", "c"]),
        arc("meet", "won", &["a"]),
        arc("won", "back", &["a"]),
        arc("back", "free", &["a"]),
    )
}

#[test]
fn a_net_with_few_bindings_is_unfolded_and_one_with_many_is_not() {
    let small = meetings(6, 6);
    let large = meetings(300, 6);
    let (small, large) = (read(&small, &[]), read(&large, &[]));
    let (small, large) = (
        small.unwrap_or_else(|error| panic!("{error}")),
        large.unwrap_or_else(|error| panic!("{error}")),
    );
    assert_eq!(
        told(&*small),
        "the net is unfolded: 12 places and 222 transitions"
    );
    assert_eq!(
        told(&*large),
        "nothing is unfolded: bindings of 2 transitions are found by unification"
    );
    let asked = Ask {
        properties: &["deadlock", "one-safe", "quasi-liveness", "stable-marking"],
        invariants: &["tokens(won) <= 1", "tokens(won<0>) <= 1"],
        ltl: &["<> tokens(free) = 0", "<> tokens(won<3>) = 1"],
        ctl: &["EF tokens(won<5>) >= 1", "AG EF is-fireable(meet)"],
        ..Ask::default()
    };
    let (first, second) = (ask(&*small, &asked), ask(&*large, &asked));
    assert_eq!(verdicts(&first), verdicts(&second));
    let told = |results: &[evenhand_verify::PropertyResult]| {
        let shown = results.iter().map(|r| (r.verdict.holds(), r.states));
        shown.collect::<Vec<_>>()
    };
    assert_eq!(told(&first), told(&second));
    assert_eq!(
        verdicts(&second),
        [
            false, false, true, false, false, true, false, false, true, false
        ]
        .map(Some)
    );
}

#[test]
fn fairness_of_single_bindings_is_named_and_of_too_many_refused() {
    let model = read(&meetings(300, 6), &[]).unwrap_or_else(|error| panic!("{error}"));
    let fair = |text: &str| {
        let mut request = Request::default();
        request.fair = vec![text.to_string()];
        match model.resolve(&request) {
            Ok(_) => String::new(),
            Err(error) => format!("{error:?}"),
        }
    };
    assert_eq!(fair("strong:meet<1,2,3>"), "");
    assert!(fair("strong:meet").contains("too many bindings"));
    assert!(fair("weak").contains("too many bindings"));
    assert!(fair("strong:meet<1,2>").contains("there is no transition `meet<1,2>`"));
    assert!(fair("strong:meet<1,2,300>").contains("there is no transition"));
    assert!(fair("strong:met").contains("did you mean `meet`?"));
}

#[test]
fn a_run_is_told_with_its_bindings() {
    let model = read(&meetings(300, 3), &[]).unwrap_or_else(|error| panic!("{error}"));
    let Ok(system) = model.body().explicit() else {
        panic!("not explored");
    };
    let mut explorer = system.explorer(&[]);
    let mut out = evenhand_system::Successors::new();
    explorer.initial(&mut out);
    let state = out.state(0).to_vec();
    let described = explorer.describe(&state);
    assert_eq!(described[0].1, Value::Text("<0> <1> <2>".to_string()));
    assert_eq!(described[1].1, Value::Text("empty".to_string()));
    let explanation = explorer.explain(&state, &mut out);
    assert_eq!(out.len(), 6);
    let texts: Vec<String> = (0..out.len())
        .flat_map(|at| explanation.of_successor(&out, at))
        .filter_map(|record| record.text.clone())
        .collect();
    assert_eq!(texts[0], "meet<0,1,2>");
    assert_eq!(texts.len(), 6);
}

#[test]
fn a_net_that_is_too_large_either_way_is_refused() {
    // Three variables of 2,000 values, and a place of pairs.
    let text = meetings(2_000, 3).replace(
        "<place id=\"won\"><type><structure><usersort declaration=\"s\"/>",
        "<place id=\"pairs\"><type><structure><productsort><usersort declaration=\"s\"/><usersort declaration=\"s\"/></productsort></structure></type></place>\n<place id=\"won\"><type><structure><usersort declaration=\"s\"/>",
    );
    match read(&text, &[]) {
        Ok(_) => panic!("it was read"),
        Err(error) => assert!(error.to_string().contains("too many colours"), "{error}"),
    }
}

/// The same net, some of its arcs to transitions with another kind.
fn other_kinds(text: &str, dice: &mut SplitMix64) -> String {
    let lines = text.lines().map(|line| {
        let kind = match dice.below(6) {
            _ if !line.starts_with("<arc id=\"a\" source=\"p") => "",
            0 => "<type value=\"test\"/></arc>",
            1 => "<type value=\"inhibitor\"/></arc>",
            2 => "<type value=\"reset\"/></arc>",
            _ => "",
        };
        match kind {
            "" => line.to_string(),
            kind => line.replace("</arc>", kind),
        }
    });
    lines.collect::<Vec<String>>().join("\n")
}

#[test]
fn arcs_of_all_kinds_mean_the_same_both_ways() {
    let mut dice = SplitMix64::new(0xf01d);
    let (mut compared, mut large, mut held) = (0, 0, 0);
    let wanted = cases(100);
    while compared < wanted {
        let net = coloured::random(&mut dice);
        let text = other_kinds(&coloured::pnml(&net), &mut dice);
        let both = [read(&text, &[]), read_folded(&text, &[])];
        let [first, second] =
            both.map(|read| read.unwrap_or_else(|error| panic!("{error}\n{text}")));
        let place = dice.below(net.places.len());
        let transition = dice.below(net.transitions.len());
        let ltl = [
            format!("[] <> is-fireable(t{transition})"),
            format!("tokens(p{place}) <= 1 U is-fireable(t{transition})"),
        ];
        let ctl = format!("AG (tokens(p{place}) >= 1 -> EX is-fireable(t{transition}))");
        let fair = [format!("strong:t{transition}")];
        let asked = Ask {
            properties: &["deadlock", "one-safe"],
            ltl: &[&ltl[0], &ltl[1]],
            ctl: &[&ctl],
            fair: &[&fair[0]],
            limit_states: Some(300),
            ..Ask::default()
        };
        let (first, second) = (ask(&*first, &asked), ask(&*second, &asked));
        // Nets without bounds are cut short, each in its own order.
        if verdicts(&first).contains(&None) || verdicts(&second).contains(&None) {
            continue;
        }
        let states = |results: &[evenhand_verify::PropertyResult]| {
            results.iter().map(|r| r.states).max().unwrap_or(0)
        };
        if states(&first) < 3 && dice.below(8) != 0 {
            continue;
        }
        assert_eq!(
            verdicts(&first),
            verdicts(&second),
            "{ltl:?} {ctl} {fair:?}\n{text}"
        );
        compared += 1;
        large += usize::from(states(&first) > 4);
        held += verdicts(&first)
            .iter()
            .filter(|v| **v == Some(true))
            .count();
    }
    assert!(large > compared / 10, "{large} of {compared}");
    assert!(
        held > compared && held < 4 * compared,
        "{held} of {compared}"
    );
}
