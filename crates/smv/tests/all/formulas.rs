//! Properties as formulas: how they are read, what they are called, what their propositions are.

use evenhand_logic::{Spelling, print};
use evenhand_smv::{Asked, SmvPropertyKind};
use evenhand_system::Explicit;

use crate::common::{explored, load};

const MODEL: &str = "MODULE cell(other) VAR x : boolean; \
    MODULE main VAR a : cell(b); b : cell(a); p : boolean; q : boolean; n : 0..2; \
    IVAR i : boolean;\n";

/// Each property as name and formula.
fn formulas(properties: &str) -> Vec<(String, String)> {
    let model = load(&format!("{MODEL}{properties}")).unwrap_or_else(|e| panic!("{e:?}"));
    let shown = model.properties.iter().map(|p| {
        let text = print(&model.formulas, p.formula, Spelling::Nusmv);
        (p.name.clone(), text)
    });
    shown.collect()
}

fn formula(property: &str) -> String {
    let list = formulas(property);
    assert_eq!(list.len(), 1);
    list[0].1.clone()
}

#[test]
fn names_count_per_kind() {
    let list = formulas(
        "LTLSPEC G p CTLSPEC AG p LTLSPEC NAME mine := F p LTLSPEC X p INVARSPEC p \
         PSLSPEC always p; COMPUTE MIN [p, q] SPEC EF q COMPUTE MAX [q, p]",
    );
    let names: Vec<&str> = list.iter().map(|(name, _)| name.as_str()).collect();
    let expected = [
        "ltl_0",
        "ctl_0",
        "mine",
        "ltl_2",
        "invar_0",
        "psl_0",
        "compute_0",
        "ctl_1",
        "compute_1",
    ];
    assert_eq!(names, expected);
}

#[test]
fn operators_bind_as_in_nusmv() {
    for (property, expected) in [
        ("LTLSPEC G n = 1", "G (n = 1)"),
        ("LTLSPEC G p & F q", "G (p) & F (q)"),
        ("LTLSPEC !X p -> q", "!X (p) -> (q)"),
        ("LTLSPEC p U q U p", "((p) U (q)) U (p)"),
        ("LTLSPEC p V q", "(p) V (q)"),
        ("LTLSPEC H p S O q T Y Z p", "(H (p) S O (q)) T Y Z (p)"),
        ("CTLSPEC A [p & q U p | q]", "A ((p & q) U (p | q))"),
        ("CTLSPEC AG p -> EF q", "A G (p) -> E F (q)"),
        ("CTLSPEC !EX p = q", "!E X (p = q)"),
        // All of CTL*.
        ("CTLSPEC A (G F p -> G F q)", "A (G F (p) -> G F (q))"),
        ("CTLSPEC E [G F p & !A [X q]]", "E (G F (p) & !A X (q))"),
        ("CTLSPEC AG (p -> E O q)", "A G ((p) -> E O (q))"),
    ] {
        assert_eq!(formula(property), expected, "{property}");
    }
}

/// Bounded operators, and what they stand for.
const BOUNDED: &[(&str, &str, &str)] = &[
    ("LTLSPEC", "F [0,2] p", "p | X (p | X p)"),
    ("LTLSPEC", "G [1,2] p", "X (p & X p)"),
    ("LTLSPEC", "O [1,1] p", "Y p"),
    ("LTLSPEC", "O [0,2] p", "p | Y (p | Y p)"),
    ("LTLSPEC", "H [0,1] p", "p & Y p"),
    ("LTLSPEC", "H [1,2] p", "Y (p & Y p)"),
    ("CTLSPEC", "EBF 1..2 p", "EX (p | EX p)"),
    ("CTLSPEC", "ABF 0..1 p", "p | AX p"),
    ("CTLSPEC", "EBG 2..3 p", "EX EX (p & EX p)"),
    ("CTLSPEC", "ABG 0..1 p", "p & AX p"),
    ("CTLSPEC", "E [p BU 0..1 q]", "q | p & EX q"),
    ("CTLSPEC", "A [p BU 1..2 q]", "p & AX (q | p & AX q)"),
];

#[test]
fn bounded_operators_are_written_out() {
    for (section, bounded, same) in BOUNDED {
        let text = format!("{MODEL}{section} {bounded} {section} {same}");
        let model = load(&text).expect(bounded);
        let [a, b] = &model.properties[..] else {
            panic!("two properties");
        };
        assert_eq!(a.formula, b.formula, "{bounded}");
    }
}

#[test]
fn nusmv_writes_bounded_operators_out_in_the_same_way() {
    let Some(nusmv) = evenhand_testkit::smv_models::nusmv::find() else {
        println!("skipped: no NuSMV (set EVENHAND_NUSMV)");
        return;
    };
    let mut text = String::from(
        "MODULE main VAR s : 0..4; p : boolean; q : boolean;
         ASSIGN p := s in {0, 1, 3}; q := s in {2, 3};
         next(s) := case s = 0 : {1, 2}; s = 1 : {0, 3}; s = 2 : 4; s = 3 : {3, 0}; TRUE : 1; esac;
         FAIRNESS s != 3\n",
    );
    for (section, bounded, same) in BOUNDED {
        let always = if *section == "LTLSPEC" { "G" } else { "AG" };
        text.push_str(&format!("{section} {always} (({bounded}) <-> ({same}))\n"));
    }
    let file = std::env::temp_dir().join(format!("evenhand-bounded-{}.smv", std::process::id()));
    std::fs::write(&file, text).expect("a temporary file");
    let output = std::process::Command::new(nusmv)
        .arg("-dcx")
        .arg(&file)
        .output();
    let _ = std::fs::remove_file(&file);
    let output = String::from_utf8_lossy(&output.expect("NuSMV").stdout).into_owned();
    assert_eq!(output.matches("is true").count(), BOUNDED.len(), "{output}");
}

#[test]
fn psl_is_turned_into_temporal_logic() {
    for (property, same) in [
        ("always p -> q", "LTLSPEC G (p -> q)"),
        ("never p & q", "LTLSPEC G !(p & q)"),
        ("always eventually! p", "LTLSPEC G F p"),
        ("p until! q", "LTLSPEC p U q"),
        ("p until q", "LTLSPEC !(!q U !p & !q)"),
        ("p until!_ q", "LTLSPEC p U (p & q)"),
        ("p before! q", "LTLSPEC !q U (p & !q)"),
        ("p before!_ q", "LTLSPEC !q U p"),
        ("next! p", "LTLSPEC X p"),
        ("next[2](p)", "LTLSPEC X X p"),
        ("next_a[1:2](p)", "LTLSPEC X (p & X p)"),
        ("next_e![0:1](p)", "LTLSPEC p | X p"),
        ("X p & q", "LTLSPEC X (p & q)"),
        ("[p U q]", "LTLSPEC p U q"),
        ("next [p U q]", "LTLSPEC X (p U q)"),
        ("next p until! q", "LTLSPEC X (p U q)"),
        ("p before! q until! p", "LTLSPEC !(q U p) U (p & !(q U p))"),
        ("p until! q before! p", "LTLSPEC !p U ((p U q) & !p)"),
        ("G p -> F q", "LTLSPEC G (p -> F q)"),
        ("AG p -> EF q", "CTLSPEC (AG p) -> EF q"),
        ("A [p U q]", "CTLSPEC A [p U q]"),
        ("n == 1 || p && q", "LTLSPEC n = 1 | p & q"),
    ] {
        let model = load(&format!("{MODEL}PSLSPEC {property}; {same}"));
        let model = model.unwrap_or_else(|e| panic!("{property}: {e:?}"));
        let (psl, other) = (&model.properties[0], &model.properties[1]);
        let branching = matches!(other.kind, SmvPropertyKind::Ctl);
        assert_eq!(psl.kind, SmvPropertyKind::Psl { branching }, "{property}");
        if property == "p until q" {
            continue; // `W` is an operator of its own
        }
        assert_eq!(psl.formula, other.formula, "{property}");
    }
}

#[test]
fn propositions_have_the_names_of_the_whole_model() {
    let model = load(&format!(
        "{MODEL}LTLSPEC G (other.x -> F x) IN a JUSTICE a.x COMPASSION (b.x, p & n = 2)"
    ));
    let model = model.expect("a model");
    let names: Vec<&str> = model
        .relation
        .propositions
        .iter()
        .map(|(n, _)| n.as_str())
        .collect();
    assert_eq!(names, ["a.x", "b.x", "p & (n = 2)"]);
    assert_eq!(model.properties[0].instance, "a");
    assert_eq!(model.properties[0].text, "G (other.x -> F x)");
    for (atom, info) in model.formulas.atoms() {
        let proposition = model.proposition(atom).expect("known");
        assert_eq!(
            model.relation.propositions[proposition.0 as usize].0,
            info.text
        );
    }
}

#[test]
fn conditions_on_steps_become_formulas_with_next() {
    let model = load(&format!(
        "{MODEL}LTLSPEC G (next(p) = q) LTLSPEC G ((q & X p) | (!q & X !p)) INVARSPEC next(n) >= n"
    ));
    let model = model.expect("a model");
    let text = print(
        &model.formulas,
        model.properties[0].formula,
        Spelling::Nusmv,
    );
    assert!(text.contains('X'), "{text}");
    let SmvPropertyKind::Invariant { step: Some(_) } = model.properties[2].kind else {
        panic!("a condition on steps");
    };
    assert!(load(&format!("{MODEL}CTLSPEC AG next(p)")).is_err());
}

#[test]
fn inputs_may_stand_in_linear_properties() {
    let model = load(&format!("{MODEL}LTLSPEC G (i -> F p) JUSTICE i")).expect("a model");
    let reading = (0..)
        .map(evenhand_system::PropositionId)
        .take(model.relation.propositions.len())
        .filter(|&p| model.relation.reads_inputs(p))
        .count();
    assert_eq!(reading, 1);
    let with = model.relation.clone().inputs_in_states();
    assert!(with.check().is_ok());
    let count = |relation| explored(relation, 10_000).expect("small").0;
    assert_eq!(count(with), 2 * count(model.relation));
}

#[test]
fn questions_from_outside_change_no_number() {
    let mut model = load(&format!(
        "{MODEL}JUSTICE p LTLSPEC G q COMPASSION (p, n = 1)"
    ))
    .expect("a model");
    let before = model.relation.propositions.clone();
    let asked = model
        .ask("mine", Asked::Ltl, "G (a.x -> O q)")
        .expect("a formula");
    assert_eq!(asked, 1);
    assert_eq!(model.properties[1].name, "mine");
    assert_eq!(model.properties[1].text, "G (a.x -> O q)");
    let condition = model.condition("n = 2 & i").expect("a condition");
    assert_eq!(
        model.relation.propositions[condition.0 as usize].0,
        "(n = 2) & i"
    );
    assert!(model.reads_inputs([condition]));
    let other = model
        .ask("ctl", Asked::Ctl, "AG EF b.x")
        .expect("a formula");
    assert_eq!(model.properties[other].name, "ctl");
    assert_eq!(model.properties[1].name, "mine");
    assert_eq!(model.relation.propositions[..before.len()], before);
    let again = model.condition("n = 2 & i").expect("a condition");
    assert_eq!(again, condition);
    // What is wrong leaves the model as it was, and points into the text that was asked.
    let count = model.properties.len();
    for text in ["G nope", "G (", "G (n)", "AG p"] {
        let (files, diagnostics) = model.ask("bad", Asked::Ltl, text).expect_err(text);
        let span = diagnostics[0].span.expect("a place");
        assert_eq!(files.get(span.file).text, text);
    }
    assert_eq!(model.properties.len(), count);
    assert_eq!(
        model
            .ask("good", Asked::Invariant, "n < 3")
            .expect("a condition"),
        count
    );
    let texts: Vec<String> = model
        .fairness()
        .assumptions
        .into_iter()
        .map(|a| a.text)
        .collect();
    assert_eq!(texts, ["just:p", "compassion:p=>n = 1"]);
    let system = model.system(true).expect("small");
    assert_eq!(system.signature().language, "smv");
}
