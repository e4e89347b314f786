//! Random nets against the same nets written in Promela: each transition a process whose only step is to fire.

use evenhand_promela::Promela;
use evenhand_source::{Files, SplitMix64};
use evenhand_system::{Asking, FinishedRuns, Language, ReadOptions, Specification};
use evenhand_verify::{Options, Silent, check};

use crate::common::{Ask, TestNet, ask, random_net, read, verdicts};

/// The net in Promela.
fn promela(net: &TestNet) -> String {
    let mut text = String::new();
    for (place, tokens) in net.initial.iter().enumerate() {
        text += &format!("int p{place} = {tokens};\n");
    }
    for (number, (takes, gives)) in net.transitions.iter().enumerate() {
        let guard = fireable(net, number);
        let mut effect = String::new();
        for (place, weight, kind) in takes {
            if *kind == "normal" {
                effect += &format!(" p{place} = p{place} - {weight};");
            }
        }
        for (place, _, kind) in takes {
            if *kind == "reset" {
                effect += &format!(" p{place} = 0;");
            }
        }
        for (place, weight, _) in gives {
            effect += &format!(" p{place} = p{place} + {weight};");
        }
        text += &format!(
            "active proctype t{number}() {{ do :: d_step {{ {guard} ->{effect} skip }} od }}\n"
        );
    }
    text
}

/// That a transition can fire, in Promela.
fn fireable(net: &TestNet, transition: usize) -> String {
    let mut parts = vec!["true".to_string()];
    for place in 0..net.initial.len() {
        let own = net.transitions[transition]
            .0
            .iter()
            .filter(|(p, ..)| *p == place);
        let mut least = 0;
        for (_, weight, kind) in own.clone() {
            match *kind {
                "normal" => least += weight,
                "inhibitor" => parts.push(format!("p{place} < {weight}")),
                _ => {}
            }
        }
        for (_, weight, kind) in own {
            if *kind == "test" {
                least = least.max(*weight);
            }
        }
        parts.push(format!("p{place} >= {least}"));
    }
    format!("({})", parts.join(" && "))
}

fn read_promela(text: &str) -> Box<dyn Specification> {
    let mut files = Files::new();
    let main = files.add("net.pml", text);
    let read = Promela.read(files, main, &ReadOptions::default());
    read.unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A random formula in both languages.
fn formula(dice: &mut SplitMix64, net: &TestNet, depth: usize, next: bool) -> (String, String) {
    if depth == 0 {
        let place = dice.below(net.initial.len());
        let number = dice.below(4);
        return match dice.below(3) {
            0 => {
                let transition = dice.below(net.transitions.len());
                (
                    format!("is-fireable(t{transition})"),
                    fireable(net, transition),
                )
            }
            1 => (
                format!("tokens(p{place}) <= {number}"),
                format!("(p{place} <= {number})"),
            ),
            _ => {
                let other = dice.below(net.initial.len());
                let net_text = format!("tokens(p{place}) + {number} > 2 * tokens(p{other})");
                (net_text, format!("(p{place} + {number} > 2 * p{other})"))
            }
        };
    }
    let mut part = || formula(dice, net, depth - 1, next);
    let ((a, a2), (b, b2)) = (part(), part());
    let pair = |left: String, right: String| (left, right);
    match dice.below(if next { 7 } else { 6 }) {
        0 => pair(format!("(! ({a}))"), format!("(! ({a2}))")),
        1 => pair(format!("(({a}) && ({b}))"), format!("(({a2}) && ({b2}))")),
        2 => pair(format!("(({a}) || ({b}))"), format!("(({a2}) || ({b2}))")),
        3 => pair(format!("(<> ({a}))"), format!("(<> ({a2}))")),
        4 => pair(format!("([] ({a}))"), format!("([] ({a2}))")),
        5 => pair(format!("(({a}) U ({b}))"), format!("(({a2}) U ({b2}))")),
        _ => pair(format!("(X ({a}))"), format!("(X ({a2}))")),
    }
}

#[test]
fn nets_and_the_same_nets_in_promela_agree() {
    let mut dice = SplitMix64::new(0x9e7);
    let (mut compared, mut held, mut dead) = (0, 0, 0);
    while compared < 1200 {
        let net = random_net(&mut dice, true);
        let Some((markings, successors)) = net.graph(300) else {
            continue;
        };
        let own = read(&net.pnml(), &[]).unwrap_or_else(|error| panic!("{error}"));
        let text = promela(&net);
        let other = read_promela(&text);
        let (formula, formula2) = formula(&mut dice, &net, 2, true);
        for fair in [&[][..], &["weak"], &["strong"], &["weak:t0", "strong:t0"]] {
            let asked = Ask {
                properties: &["deadlock"],
                ltl: &[&formula],
                fair,
                ..Ask::default()
            };
            let asked2 = Ask {
                ltl: &[&formula2],
                ..asked.clone()
            };
            let (found, found2) = (ask(&*own, &asked), ask(&*other, &asked2));
            let context = || format!("{formula} under {fair:?}\n{}\n{text}", net.pnml());
            assert_eq!(verdicts(&found), verdicts(&found2), "{}", context());
            assert!(
                verdicts(&found).iter().all(Option::is_some),
                "{}",
                context()
            );
            let ends = successors.iter().any(Vec::is_empty);
            assert_eq!(found[0].verdict.holds(), !ends, "{}", context());
            if !ends {
                assert_eq!(found[0].states, markings.len() as u64, "{}", context());
            }
            compared += 1;
            held += usize::from(found[1].verdict.holds());
            dead += usize::from(ends);
        }
    }
    // Both answers come, with and without dead markings.
    assert!(
        held > compared / 10 && held < compared * 9 / 10,
        "{held} of {compared}"
    );
    assert!(
        dead > compared / 10 && dead < compared * 9 / 10,
        "{dead} of {compared}"
    );
}

#[test]
fn maximal_runs_are_for_nets() {
    let net = TestNet {
        initial: vec![0],
        transitions: vec![(vec![(0, 1, "normal")], Vec::new())],
    };
    let own = read(&net.pnml(), &[]).unwrap_or_else(|error| panic!("{error}"));
    let verdict = |finished: Option<FinishedRuns>| {
        let mut asking = Asking::default();
        asking.request.branching = vec!["EX tokens(p0) = 0".to_string()];
        asking.request.finished = finished;
        let report = check(&*own, &asking, &Options::default(), &mut Silent);
        verdicts(&report.unwrap_or_else(|error| panic!("{error}")).properties)
    };
    assert_eq!(verdict(None), [Some(false)]);
    assert_eq!(verdict(Some(FinishedRuns::Maximal)), [Some(false)]);
    assert_eq!(verdict(Some(FinishedRuns::Stutter)), [Some(true)]);
    let other = read_promela(&promela(&net));
    let mut asking = Asking::default();
    asking.request.finished = Some(FinishedRuns::Maximal);
    let refused = asking.resolve(&*other).map(|_| ());
    assert!(refused.is_err_and(|error| error.to_string().contains("not read as finite ones")));
}
