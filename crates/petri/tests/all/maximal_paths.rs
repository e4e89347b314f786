//! CTL over maximal paths against its definition, on the graphs of random nets.

use evenhand_source::SplitMix64;

use crate::common::{Ask, TestNet, ask, random_net, read, verdicts};

/// A formula of CTL.
enum Ctl {
    Fireable(usize),
    AtMost(usize, u32),
    Not(Box<Ctl>),
    And(Box<Ctl>, Box<Ctl>),
    /// Whether on all paths, the operator, the operands.
    Path(bool, char, Box<Ctl>, Box<Ctl>),
}

impl Ctl {
    fn random(dice: &mut SplitMix64, net: &TestNet, depth: usize) -> Ctl {
        if depth == 0 {
            return match dice.below(2) {
                0 => Ctl::Fireable(dice.below(net.transitions.len())),
                _ => Ctl::AtMost(dice.below(net.initial.len()), dice.below(3) as u32),
            };
        }
        let first = Box::new(Ctl::random(dice, net, depth - 1));
        let second = Box::new(Ctl::random(dice, net, depth - 1));
        match dice.below(8) {
            0 => Ctl::Not(first),
            1 => Ctl::And(first, second),
            _ => {
                let operator = ['X', 'X', 'F', 'G', 'U'][dice.below(5)];
                Ctl::Path(dice.below(2) == 0, operator, first, second)
            }
        }
    }

    fn text(&self) -> String {
        match self {
            Ctl::Fireable(transition) => format!("is-fireable(t{transition})"),
            Ctl::AtMost(place, number) => format!("tokens(p{place}) <= {number}"),
            Ctl::Not(f) => format!("!({})", f.text()),
            Ctl::And(f, g) => format!("(({}) & ({}))", f.text(), g.text()),
            Ctl::Path(all, operator, f, g) => {
                let quantifier = if *all { 'A' } else { 'E' };
                match operator {
                    'U' => format!("({quantifier} (({}) U ({})))", f.text(), g.text()),
                    one => format!("({quantifier} {one} ({}))", f.text()),
                }
            }
        }
    }

    /// Where it holds, by the definition over maximal paths: fixpoints of what must hold here or next.
    fn holds(&self, net: &TestNet, markings: &[Vec<u32>], successors: &[Vec<usize>]) -> Vec<bool> {
        let of = |f: &Ctl| f.holds(net, markings, successors);
        let all_states = 0..markings.len();
        match self {
            Ctl::Fireable(t) => all_states
                .map(|s| net.is_enabled(*t, &markings[s]))
                .collect(),
            Ctl::AtMost(p, number) => all_states.map(|s| markings[s][*p] <= *number).collect(),
            Ctl::Not(f) => of(f).into_iter().map(|holds| !holds).collect(),
            Ctl::And(f, g) => of(f).into_iter().zip(of(g)).map(|(a, b)| a && b).collect(),
            Ctl::Path(all, operator, f, g) => {
                let (f, g) = (of(f), of(g));
                // Next on all paths holds where there is none; on some path it needs one.
                let next = |set: &[bool], state: usize| match all {
                    true => successors[state].iter().all(|&to| set[to]),
                    false => successors[state].iter().any(|&to| set[to]),
                };
                let is_end = |state: usize| successors[state].is_empty();
                if *operator == 'X' {
                    return all_states.map(|state| next(&f, state)).collect();
                }
                let mut set = vec![*operator == 'G'; markings.len()];
                loop {
                    // A path that ends here is over: what is to come does not come.
                    let step = |state: usize| match operator {
                        'F' => f[state] || !is_end(state) && next(&set, state),
                        'G' => f[state] && (is_end(state) || next(&set, state)),
                        _ => g[state] || f[state] && !is_end(state) && next(&set, state),
                    };
                    let again: Vec<bool> = (0..markings.len()).map(step).collect();
                    if again == set {
                        return set;
                    }
                    set = again;
                }
            }
        }
    }
}

#[test]
fn ctl_is_about_maximal_paths() {
    let mut dice = SplitMix64::new(0xc71);
    let (mut compared, mut held, mut dead) = (0, 0, 0);
    while compared < 2000 {
        let net = random_net(&mut dice, true);
        let Some((markings, successors)) = net.graph(200) else {
            continue;
        };
        let model = read(&net.pnml(), &[]).unwrap_or_else(|error| panic!("{error}"));
        let formulas: Vec<Ctl> = (0..4).map(|_| Ctl::random(&mut dice, &net, 3)).collect();
        let texts: Vec<String> = formulas.iter().map(Ctl::text).collect();
        let asked: Vec<&str> = texts.iter().map(String::as_str).collect();
        for engine in [None, Some("symbolic")] {
            // Sets are slow to set up: not for every net.
            if engine.is_some() && compared % 64 != 0 {
                continue;
            }
            let found = ask(
                &*model,
                &Ask {
                    ctl: &asked,
                    engine,
                    ..Ask::default()
                },
            );
            for (formula, verdict) in formulas.iter().zip(verdicts(&found)) {
                let expected = formula.holds(&net, &markings, &successors)[0];
                let context = || format!("{} by {engine:?}\n{}", formula.text(), net.pnml());
                assert_eq!(verdict, Some(expected), "{}", context());
                held += usize::from(expected);
                dead += usize::from(successors.iter().any(Vec::is_empty));
                compared += 1;
            }
        }
    }
    assert!(
        held > compared / 10 && held < compared * 9 / 10,
        "{held} of {compared}"
    );
    assert!(
        dead > compared / 10 && dead < compared * 9 / 10,
        "{dead} of {compared}"
    );
}
