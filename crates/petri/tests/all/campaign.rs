//! Random nets, place/transition and coloured ones, with random formulas of LTL and CTL under random fairness, against
//! brute force. `EVENHAND_CASES` says how many nets of each kind, `EVENHAND_SEED` which.

use std::collections::BTreeMap;

use evenhand_source::SplitMix64;
use evenhand_testkit::lassos::cases;

use crate::coloured::{self, Part};
use crate::common::{Ask, TestNet, ask, random_net, read, read_folded, verdicts};
use crate::fair_runs::{Assumption, Formula, System};

/// A net with what may be said about it.
struct Subject {
    pnml: String,
    system: System,
    /// How the atoms are written.
    atoms: Vec<String>,
    /// How the items are written: for each text those that it means.
    items: Vec<(String, Vec<usize>)>,
}

/// More markings than this are too many for brute force.
const MOST: usize = 32;

fn plain(dice: &mut SplitMix64) -> Option<Subject> {
    let net = random_net(dice, true);
    subject(&net, dice)
}

/// A few processes, each with a token that goes round, that look at each other now and then: most of their steps are
/// independent.
fn processes(dice: &mut SplitMix64) -> Option<Subject> {
    let mut net = TestNet::default();
    let sizes: Vec<usize> = (0..2 + dice.below(2)).map(|_| 2 + dice.below(2)).collect();
    let total: usize = sizes.iter().sum();
    let mut first = 0;
    for size in sizes {
        net.initial.push(1);
        net.initial.resize(first + size, 0);
        for _ in 0..1 + dice.below(3) {
            let (from, to) = (first + dice.below(size), first + dice.below(size));
            let mut takes = vec![(from, 1, "normal")];
            if dice.below(3) == 0 {
                let kind = ["test", "test", "inhibitor", "reset"][dice.below(4)];
                takes.push((dice.below(total), 1, kind));
            }
            net.transitions.push((takes, vec![(to, 1, "normal")]));
        }
        first += size;
    }
    subject(&net, dice)
}

fn subject(net: &TestNet, dice: &mut SplitMix64) -> Option<Subject> {
    let (markings, _) = net.graph(MOST)?;
    let numbers: BTreeMap<&Vec<u32>, usize> =
        markings.iter().enumerate().map(|(n, m)| (m, n)).collect();
    let count = net.transitions.len();
    let step = |marking: &Vec<u32>, t: usize| {
        let enabled = net.is_enabled(t, marking);
        enabled.then(|| (numbers[&net.fire(t, marking)], t))
    };
    let steps = markings
        .iter()
        .map(|m| (0..count).filter_map(|t| step(m, t)).collect())
        .collect();
    let mut subject = Subject {
        pnml: net.pnml(),
        system: System {
            steps,
            ..System::default()
        },
        atoms: Vec::new(),
        items: (0..count).map(|t| (format!("t{t}"), vec![t])).collect(),
    };
    for t in 0..count {
        let holds = markings.iter().map(|m| net.is_enabled(t, m)).collect();
        subject.add(format!("is-fireable(t{t})"), holds);
    }
    for place in 0..net.initial.len() {
        let least = dice.below(3) as u32;
        let holds = markings.iter().map(|m| m[place] <= least).collect();
        subject.add(format!("tokens(p{place}) <= {least}"), holds);
    }
    Some(subject)
}

fn coloured(dice: &mut SplitMix64) -> Option<Subject> {
    let net = coloured::random(dice);
    let places = net.places.iter().enumerate();
    let initial: Vec<_> = places.map(|(p, (_, tokens))| (p, tokens.clone())).collect();
    let initial = coloured::sum(&initial, &[0, 0]);
    let mut markings = vec![initial.clone()];
    let mut numbers = BTreeMap::from([(initial, 0)]);
    let mut known: BTreeMap<(usize, Vec<u32>), usize> = BTreeMap::new();
    let mut families = vec![Vec::new(); net.transitions.len()];
    let mut steps = Vec::new();
    while steps.len() < markings.len() {
        let here = markings[steps.len()].clone();
        let mut own = BTreeMap::new();
        for (t, transition) in net.transitions.iter().enumerate() {
            for binding in 0..coloured::SIZE * coloured::SIZE {
                let binding = [binding / coloured::SIZE, binding % coloured::SIZE];
                let Some(behind) = coloured::fire(transition, &here, &binding) else {
                    continue;
                };
                // Variables that occur nowhere are not bound.
                let used = (0..2).filter(|&x| uses(transition, x));
                let used: Vec<u32> = used.map(|x| binding[x]).collect();
                let fresh = known.len();
                let item = *known.entry((t, used)).or_insert(fresh);
                if item == fresh {
                    families[t].push(item);
                }
                let fresh = markings.len();
                let number = *numbers.entry(behind.clone()).or_insert(fresh);
                if number == fresh {
                    markings.push(behind);
                }
                own.insert((item, number), ());
            }
        }
        steps.push(own.into_keys().map(|(item, to)| (to, item)).collect());
        if markings.len() > MOST {
            return None;
        }
    }
    let is_enabled = |steps: &Vec<(usize, usize)>, family: &Vec<usize>| {
        steps.iter().any(|(_, item)| family.contains(item))
    };
    let mut subject = Subject {
        pnml: coloured::pnml(&net),
        system: System::default(),
        atoms: Vec::new(),
        items: Vec::new(),
    };
    for (t, family) in families.iter().enumerate() {
        let holds = steps.iter().map(|own| is_enabled(own, family)).collect();
        subject.add(format!("is-fireable(t{t})"), holds);
    }
    for place in 0..net.places.len() {
        let least = dice.below(3) as u32;
        let tokens = |marking: &coloured::Marking| {
            let own = marking.iter().filter(|((at, _), _)| *at == place);
            own.map(|(_, count)| count).sum::<u32>()
        };
        let holds = markings.iter().map(|m| tokens(m) <= least).collect();
        subject.add(format!("tokens(p{place}) <= {least}"), holds);
    }
    let numbers = families.into_iter().enumerate();
    subject.items = numbers.map(|(t, list)| (format!("t{t}"), list)).collect();
    // A single binding of a transition with one variable is written without doubt.
    for ((t, used), item) in &known {
        if let [value] = used[..] {
            subject.items.push((format!("t{t}<{value}>"), vec![*item]));
        }
    }
    subject.system.steps = steps;
    Some(subject)
}

/// Whether a transition has a variable.
fn uses(transition: &coloured::Transition, variable: usize) -> bool {
    let arcs = transition.takes.iter().chain(&transition.gives);
    let mut parts = arcs.flat_map(|(_, tokens)| tokens.iter().flat_map(|(_, parts)| parts));
    transition.guard.is_some() || parts.any(|p| matches!(p, Part::Variable(v, _) if *v == variable))
}

impl Subject {
    fn add(&mut self, text: String, holds: Vec<bool>) {
        self.atoms.push(text);
        self.system.atoms.push(holds);
    }

    /// Draws some assumptions; how they are written.
    fn assume(&mut self, dice: &mut SplitMix64) -> Vec<String> {
        let mut texts = Vec::new();
        self.system.assumptions.clear();
        for _ in 0..dice.below(3) {
            let (a, b) = (dice.below(self.atoms.len()), dice.below(self.atoms.len()));
            let (name, list) = &self.items[dice.below(self.items.len())];
            let all = || self.items.iter().flat_map(|(_, list)| list).copied();
            let mut add = |text: String, list: Vec<Assumption>| {
                texts.push(text);
                self.system.assumptions.extend(list);
            };
            let (weak, strong) = (Assumption::Weak, Assumption::Strong);
            match dice.below(8) {
                0 => add("weak".to_string(), all().map(weak).collect()),
                1 => add("strong".to_string(), all().map(strong).collect()),
                2 => add(
                    format!("weak:{name}"),
                    list.iter().copied().map(weak).collect(),
                ),
                3 | 4 => {
                    let list = list.iter().copied().map(strong).collect();
                    add(format!("strong:{name}"), list);
                }
                5 | 6 => add(format!("just:{}", self.atoms[a]), vec![Assumption::Just(a)]),
                _ => {
                    let text = format!("compassion:{} => {}", self.atoms[a], self.atoms[b]);
                    add(text, vec![Assumption::Compassion(a, b)]);
                }
            }
        }
        texts
    }

    fn formula(&self, dice: &mut SplitMix64, depth: usize, linear: bool) -> Formula {
        if depth == 0 {
            return Formula::Atom(dice.below(self.atoms.len()));
        }
        let (left, right) = (dice.below(depth), dice.below(depth));
        let first = Box::new(self.formula(dice, left.max(right), linear));
        let second = Box::new(self.formula(dice, left.min(right), linear));
        let operator = ['X', 'F', 'G', 'U'][dice.below(4)];
        match dice.below(6) {
            0 => Formula::Not(first),
            1 => Formula::And(first, second),
            // Half of them cannot tell how many steps there are.
            _ if linear && operator == 'X' && dice.below(2) == 0 => {
                Formula::Time('F', first, second)
            }
            _ if linear => Formula::Time(operator, first, second),
            _ => Formula::Path(dice.below(2) == 0, operator, first, second),
        }
    }

    fn text(&self, formula: &Formula) -> String {
        let of = |f: &Formula| self.text(f);
        match formula {
            Formula::Atom(atom) => format!("({})", self.atoms[*atom]),
            Formula::Not(f) => format!("!{}", of(f)),
            Formula::And(f, g) => format!("({} & {})", of(f), of(g)),
            Formula::Time('U', f, g) => format!("({} U {})", of(f), of(g)),
            Formula::Time(operator, f, _) => format!("({operator} {})", of(f)),
            Formula::Path(all, operator, f, g) => {
                let quantifier = if *all { 'A' } else { 'E' };
                match operator {
                    'U' => format!("({quantifier} ({} U {}))", of(f), of(g)),
                    one => format!("({quantifier} {one} {})", of(f)),
                }
            }
        }
    }
}

/// How many temporal operators a formula has.
fn operators(formula: &Formula) -> usize {
    match formula {
        Formula::Atom(_) => 0,
        Formula::Not(f) => operators(f),
        Formula::And(f, g) => operators(f) + operators(g),
        Formula::Time('U', f, g) | Formula::Path(_, 'U', f, g) => 1 + operators(f) + operators(g),
        Formula::Time(_, f, _) | Formula::Path(_, _, f, _) => 1 + operators(f),
    }
}

fn campaign(mut draw: impl FnMut(&mut SplitMix64) -> Option<Subject>, seed: u64, is_folded: bool) {
    let read = if is_folded { read_folded } else { read };
    let own = std::env::var("EVENHAND_SEED").ok();
    let own: u64 = own.and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut dice = SplitMix64::new(seed ^ own);
    let wanted = cases(150);
    let (mut nets, mut compared, mut held, mut dead, mut fair) = (0, 0, 0, 0, 0);
    let (mut reduced, mut fewer) = (0, 0);
    while nets < wanted {
        let Some(mut subject) = draw(&mut dice) else {
            continue;
        };
        // Nets of one or two markings are less interesting: a few of them.
        if subject.system.steps.len() < 3 && dice.below(8) != 0 {
            continue;
        }
        nets += 1;
        let model = read(&subject.pnml, &[]).unwrap_or_else(|error| panic!("{error}"));
        for _ in 0..2 {
            let fairness = subject.assume(&mut dice);
            if subject.system.assumptions.len() > 20 {
                continue;
            }
            let mut draw = |linear: bool| loop {
                let formula = subject.formula(&mut dice, 3, linear);
                if !linear || operators(&formula) <= 3 {
                    break formula;
                }
            };
            let (linear, branching) = ([draw(true), draw(true)], [draw(false), draw(false)]);
            let texts = |list: &[Formula; 2]| list.each_ref().map(|f| subject.text(f));
            let (ltl, ctl) = (texts(&linear), texts(&branching));
            let fair_texts: Vec<&str> = fairness.iter().map(String::as_str).collect();
            let engine = (nets % 20 == 0 && !is_folded).then_some("symbolic");
            let found = ask(
                &*model,
                &Ask {
                    ltl: &[&ltl[0], &ltl[1]],
                    ctl: &[&ctl[0], &ctl[1]],
                    fair: &fair_texts,
                    engine,
                    ..Ask::default()
                },
            );
            let expected = linear.iter().map(|f| subject.system.linear(f));
            let expected: Vec<bool> = expected
                .chain(branching.iter().map(|f| subject.system.branching(f)[0]))
                .collect();
            let ends = subject.system.steps.iter().any(Vec::is_empty);
            let pairs = verdicts(&found).into_iter().zip(expected.clone());
            for (number, (verdict, expected)) in pairs.enumerate() {
                let text = [&ltl[0], &ltl[1], &ctl[0], &ctl[1]][number];
                let context = || format!("{text} under {fairness:?}\n{}", subject.pnml);
                assert_eq!(verdict, Some(expected), "{}", context());
                compared += 1;
                held += usize::from(expected);
                dead += usize::from(ends);
                fair += usize::from(!fairness.is_empty());
            }
            // The same, where steps are left out that make no difference; and what is about all markings.
            let atom = dice.below(subject.atoms.len());
            // What must always stay possible is decided in a way of its own.
            let leaf = || Box::new(Formula::Atom(atom));
            let some = || Formula::Path(false, 'F', leaf(), leaf());
            let (reached, reached_text) = (some(), subject.text(&some()));
            let possible = Formula::Path(true, 'G', Box::new(some()), leaf());
            let possible_text = subject.text(&possible);
            let smaller = ask(
                &*model,
                &Ask {
                    properties: &["deadlock"],
                    invariants: &[&subject.atoms[atom]],
                    ltl: &[&ltl[0], &ltl[1]],
                    ctl: &[&possible_text, &reached_text, &ctl[0], &ctl[1]],
                    fair: &fair_texts,
                    reduce: true,
                    ..Ask::default()
                },
            );
            let invariant = subject.system.atoms[atom].iter().all(|&holds| holds);
            let at_first = |formula: &Formula| subject.system.branching(formula)[0];
            let smallest = [
                at_first(&possible),
                at_first(&reached),
                expected[2],
                expected[3],
            ];
            let [first, second] = [expected[0], expected[1]];
            let expected = [&[!ends, invariant, first, second][..], &smallest[..]].concat();
            for (result, expected) in smaller.iter().zip(expected) {
                let formula = &result.formula;
                let context = || format!("{formula:?} under {fairness:?}\n{}", subject.pnml);
                assert_eq!(
                    verdicts(std::slice::from_ref(result))[0],
                    Some(expected),
                    "{}",
                    context()
                );
                reduced += usize::from(result.reduced);
                let all = subject.system.steps.len() as u64;
                fewer += usize::from(result.reduced && result.states < all && expected);
            }
        }
    }
    println!(
        "{nets} nets, {compared} answers: {held} hold, {dead} with dead markings, {fair} fair"
    );
    println!("{reduced} answers by fewer steps, {fewer} of them with fewer markings");
    let some = |count: usize| count > compared / 10 && count < compared * 9 / 10;
    assert!(some(held) && some(fair), "{held} hold, {fair} fair");
    assert!(dead > compared / 10, "{dead} of {compared}");
    // Without unfolding nothing is known of which steps depend on each other.
    assert_eq!(fewer > compared / 50, !is_folded, "{fewer} of {compared}");
}

#[test]
fn place_transition_nets_agree_with_brute_force() {
    campaign(plain, 0x91, false);
}

#[test]
fn processes_agree_with_brute_force() {
    campaign(processes, 0x42, false);
}

#[test]
fn coloured_nets_agree_with_brute_force() {
    campaign(coloured, 0xc5, false);
}

#[test]
fn coloured_nets_that_are_not_unfolded_agree_with_brute_force() {
    campaign(coloured, 0xc6, true);
}
