//! Advice on the constraints of SMV models, against trying every assignment: each constraint left
//! out, compassion weakened to justice, or as declared, decided by `check` one by one.

use evenhand::advise::Outcome;
use evenhand::{Advise, Check, Model, Smv, Verdict};
use evenhand_logic::random::Random;

use crate::common::cases;

const VARIABLES: [&str; 3] = ["a", "b", "c"];

fn literal(random: &mut Random) -> String {
    let sign = if random.below(2) == 0 { "!" } else { "" };
    format!("{sign}{}", VARIABLES[random.below(3)])
}

/// A model, and for each constraint its forms as `--fair` texts, the weakest first.
fn random_model(random: &mut Random) -> (String, Vec<Vec<String>>) {
    let mut text = "MODULE main\nVAR a : boolean; b : boolean; c : boolean;\nASSIGN\n".to_string();
    for name in VARIABLES {
        if random.below(2) == 0 {
            text += &format!("  init({name}) := FALSE;\n");
        }
        let (x, y) = (literal(random), literal(random));
        let next = match random.below(6) {
            0 => "{TRUE, FALSE}".to_string(),
            1 => format!("{{{x}, {y}}}"),
            2 => format!("case {x} : {{TRUE, FALSE}}; TRUE : {y}; esac"),
            3 => format!("case {x} : {y}; TRUE : {{{name}, !{name}}}; esac"),
            4 => format!("{x} & {y}"),
            _ => x,
        };
        text += &format!("  next({name}) := {next};\n");
    }
    let mut constraints: Vec<Vec<String>> = Vec::new();
    let mut wished = Vec::new();
    for _ in 0..1 + random.below(3) {
        let (p, q) = (literal(random), literal(random));
        wished.push((p.clone(), q.clone()));
        let (declared, forms) = match random.below(2) {
            0 => (format!("JUSTICE {p};\n"), vec![format!("just:{p}")]),
            _ => {
                let weak = format!("just:!({p}) | ({q})");
                let forms = vec![weak, format!("compassion:{p}=>{q}")];
                (format!("COMPASSION ({p}, {q});\n"), forms)
            }
        };
        if !constraints.contains(&forms) {
            text += &declared;
            constraints.push(forms);
        }
    }
    // What constraints are about is what they can help with.
    let (p, q) = match random.below(4) {
        0 => (literal(random), literal(random)),
        _ => wished[random.below(wished.len())].clone(),
    };
    let formula = match random.below(8) {
        0 => format!("G F {p}"),
        1 => format!("G ({p} -> F {q})"),
        6 | 7 => format!("G F {q}"),
        2 => format!("F ({p} & F {q})"),
        3 => format!("G F ({p} & {q})"),
        4 => format!("F G {p} | G F {q}"),
        _ => format!("F {p}"),
    };
    text += &format!("LTLSPEC {formula};\n");
    (text, constraints)
}

fn model(text: &str) -> Model {
    Model::parse("random.smv", text, &Smv).expect(text)
}

fn holds(text: &str, property: &str, fair: Vec<String>) -> bool {
    let model = model(text);
    let check = Check::new(&model).property(property);
    let check = fair.into_iter().fold(check, Check::fair);
    let report = check.without_declared_fairness().run().expect(text);
    match report.properties[0].verdict {
        Verdict::Holds => true,
        Verdict::Violated(_) => false,
        Verdict::Unknown(ref reason) => panic!("{reason}: {text}"),
    }
}

/// All assignments: for each constraint the number of the form that is assumed, 0 for none.
fn assignments(constraints: &[Vec<String>]) -> Vec<Vec<usize>> {
    let mut list = vec![Vec::new()];
    for forms in constraints {
        let longer = list.iter().flat_map(|start: &Vec<usize>| {
            (0..=forms.len()).map(move |form| [start.as_slice(), &[form]].concat())
        });
        list = longer.collect();
    }
    list
}

#[test]
fn as_if_every_assignment_were_tried() {
    let cases = cases(120);
    let (mut nothing, mut needs, mut impossible, mut several, mut weakened) = (0, 0, 0, 0, 0);
    for seed in 0..cases {
        let mut random = Random::new(seed);
        let (text, constraints) = random_model(&mut random);
        let texts = |assignment: &[usize]| -> Vec<String> {
            let chosen = assignment.iter().zip(&constraints);
            let chosen = chosen.filter(|&(&form, _)| form > 0);
            chosen
                .map(|(&form, forms)| forms[form - 1].clone())
                .collect()
        };
        let good: Vec<Vec<usize>> = assignments(&constraints)
            .into_iter()
            .filter(|a| holds(&text, "ltl_0", texts(a)))
            .collect();
        let is_minimal = |a: &&Vec<usize>| {
            let below = |b: &&Vec<usize>| b != a && b.iter().zip(a.iter()).all(|(x, y)| x <= y);
            !good.iter().any(|b| below(&b))
        };
        let minimal: Vec<&Vec<usize>> = good.iter().filter(is_minimal).collect();
        let mut expected: Vec<Vec<String>> = minimal
            .iter()
            .map(|a| texts(a))
            .filter(|fair| holds(&text, "feasible", fair.clone()))
            .collect();
        let report = Advise::new(&model(&text)).run().expect(&text);
        let advice = &report.advice[0];
        let mut found: Vec<Vec<String>> = advice
            .assignments
            .iter()
            .map(|a| a.fairness.clone())
            .collect();
        found
            .iter_mut()
            .chain(&mut expected)
            .for_each(|list| list.sort());
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "seed {seed}\n{text}");
        assert!(advice.complete, "seed {seed}\n{text}");
        match advice.outcome {
            Outcome::Nothing => nothing += 1,
            Outcome::Needs => needs += 1,
            Outcome::Impossible => {
                assert!(minimal.is_empty(), "seed {seed}\n{text}");
                impossible += 1;
            }
            Outcome::Vacuous => assert!(!minimal.is_empty(), "seed {seed}\n{text}"),
            Outcome::Unknown(ref reason) => panic!("{reason}: {text}"),
        }
        several += usize::from(found.len() > 1);
        let is_weak = |fair: &String| fair.starts_with("just:!(");
        weakened += usize::from(found.iter().flatten().any(is_weak));
        for need in advice.assignments.iter().flat_map(|a| &a.reasons) {
            let result = need.result.as_ref().expect("a run");
            let is_shown = matches!(&result.verdict, Verdict::Violated(Some(_)));
            assert!(is_shown, "seed {seed}: {}\n{text}", need.item);
        }
    }
    println!(
        "{nothing} need nothing, {needs} something, {impossible} impossible; {several} in several ways, {weakened} weakened"
    );
    assert!(
        nothing > 0 && impossible > 0 && 8 * needs as u64 >= cases && several > 0 && weakened > 0
    );
}
