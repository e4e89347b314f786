//! CTL* by labelling, against its meaning on random small systems with justice and compassion.

mod kripke;
mod oracle;
mod proofs;

use evenhand_explicit::ctl_star::{Asked, Branching, Labels};
use evenhand_explicit::space::{Interest, Space};
use evenhand_explicit::store::PlainStore;
use evenhand_explicit::watch::Watch;
use evenhand_logic::{
    Binary, FormulaId, Formulas, Node, Quantifier, Spelling, Unary, parse, print,
};
use evenhand_system::PropositionId;
use evenhand_testkit::promela_programs::random::Random;

use kripke::{Kripke, PROPOSITIONS};

/// A store whose atoms are the numbers of the sets.
fn store() -> Formulas {
    let mut store = Formulas::new();
    for number in 0..PROPOSITIONS {
        store.atom(&format!("p{number}"));
    }
    store
}

/// Everything that labelling finds out: at the beginning of runs, and anywhere.
fn label(kripke: &Kripke, store: &Formulas, formula: FormulaId) -> (Labels, Vec<Option<bool>>) {
    let fairness = kripke.fairness();
    let system = kripke.clone().system();
    let propositions: Vec<PropositionId> = (0..PROPOSITIONS as u32).map(PropositionId).collect();
    let interest = Interest {
        propositions: &propositions,
        fairness: &fairness,
    };
    let mut space = Space::new(&system, interest, PlainStore::new());
    let mut observer = |_: &_| true;
    let mut watch = Watch::new(&mut observer, None, None);
    let branching = Branching::new(&mut space, false, None, &mut watch);
    let mut branching = branching.unwrap_or_else(|_| panic!("no limit"));
    let places: Vec<Option<usize>> = (0..PROPOSITIONS).map(Some).collect();
    let asked = Asked {
        store,
        formula,
        places: &places,
    };
    let labels = branching.label(asked, &mut watch).expect("no limit");
    let anywhere = branching.states(asked, &mut watch).expect("no limit");
    let mut by_number = vec![None; kripke.len()];
    let mut bytes = Vec::new();
    for id in 0..branching.space().len() {
        let state = evenhand_explicit::store::StateId::new(id as u32);
        branching.space().load(state, &mut bytes);
        by_number[usize::from(bytes[0])] = Some(anywhere.contains(id));
    }
    (labels, by_number)
}

/// Whether a formula holds in each initial state, in the order of the system.
fn at_start(labels: &Labels) -> Vec<bool> {
    labels.initial.iter().map(|&(_, holds)| holds).collect()
}

/// A formula under a quantifier.
fn path_formula(
    random: &mut Random,
    store: &mut Formulas,
    depth: usize,
    nested: usize,
) -> FormulaId {
    if depth == 0 {
        return state_formula(random, store, 0, nested);
    }
    let f = path_formula(random, store, depth - 1, nested);
    match random.below(10) {
        0..=3 => {
            use Unary::{Finally, Globally, Historically, Next, Once, WeakYesterday, Yesterday};
            let all = [
                Next,
                Finally,
                Globally,
                Finally,
                Globally,
                Yesterday,
                WeakYesterday,
                Once,
                Historically,
            ];
            store.unary(*random.pick(&all), f)
        }
        4..=6 => {
            let g = path_formula(random, store, depth - 1, nested);
            use Binary::{Release, Since, StrongRelease, Trigger, Until, WeakUntil};
            let all = [
                Until,
                Until,
                WeakUntil,
                Release,
                StrongRelease,
                Since,
                Trigger,
            ];
            store.binary(*random.pick(&all), f, g)
        }
        7 => {
            let g = path_formula(random, store, depth - 1, nested);
            store.and([f, g])
        }
        8 => {
            let g = path_formula(random, store, depth - 1, nested);
            store.or([f, g])
        }
        _ => store.not(f),
    }
}

/// A formula about a state.
fn state_formula(
    random: &mut Random,
    store: &mut Formulas,
    depth: usize,
    nested: usize,
) -> FormulaId {
    if nested > 0 && random.percent(60) {
        let quantifier = *random.pick(&[Quantifier::All, Quantifier::Exists]);
        let depth = random.between(1, 2);
        let body = path_formula(random, store, depth, nested - 1);
        return store.path(quantifier, body);
    }
    if depth > 0 {
        let f = state_formula(random, store, depth - 1, nested);
        let g = state_formula(random, store, depth - 1, nested);
        return match random.below(5) {
            0 => store.and([f, g]),
            1 => store.or([f, g]),
            2 => store.implies(f, g),
            3 => store.xor(f, g),
            _ => store.not(f),
        };
    }
    let atom = store.atom(&format!("p{}", random.below(PROPOSITIONS)));
    match random.below(4) {
        0 => store.not(atom),
        _ => atom,
    }
}

/// A formula with at least one quantifier.
fn formula(random: &mut Random, store: &mut Formulas) -> FormulaId {
    loop {
        let (depth, nested) = (random.below(2), random.between(1, 2));
        let formula = state_formula(random, store, depth, nested);
        if store.properties(formula).has_quantifier() {
            return formula;
        }
    }
}

fn cases(default: u64) -> u64 {
    let asked = std::env::var("EVENHAND_CASES").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(default)
}

#[test]
fn labels_are_what_the_formulas_mean() {
    let first: u64 = std::env::var("EVENHAND_SEED").map_or(1, |n| n.parse().unwrap_or(1));
    let (mut yes, mut no, mut past, mut nested) = (0u64, 0u64, 0u64, 0u64);
    let count = cases(400);
    for seed in first..first + count {
        let mut random = Random::new(seed);
        let kripke = Kripke::random(&mut random);
        let mut store = store();
        let formula = formula(&mut random, &mut store);
        let text = print(&store, formula, Spelling::Nusmv);
        let (labels, anywhere) = label(&kripke, &store, formula);
        let expected = oracle::holds(&kripke, &store, formula, true);
        let expected: Vec<bool> = kripke.initial.iter().map(|&s| expected[s]).collect();
        assert_eq!(
            at_start(&labels),
            expected,
            "seed {seed}: {text}\n{kripke:?}"
        );
        let expected = oracle::holds(&kripke, &store, formula, false);
        for (state, found) in anywhere.iter().enumerate() {
            if let Some(found) = found {
                assert_eq!(
                    *found, expected[state],
                    "seed {seed}, {state}: {text}\n{kripke:?}"
                );
            }
        }
        let all = at_start(&labels).iter().all(|&holds| holds);
        yes += u64::from(all);
        no += u64::from(!all);
        past += u64::from(store.properties(formula).has_past());
        nested += u64::from(!labels.inner.is_empty());
    }
    println!("{yes} hold, {no} do not; {past} with past, {nested} with nested quantifiers");
    assert!(yes * 5 >= count && no * 5 >= count, "{yes} {no}");
    assert!(past * 4 >= count && nested * 5 >= count, "{past} {nested}");
}

/// Lassos that exist are counted, and what holds on all runs holds on each of them.
#[test]
fn no_lasso_contradicts_the_labels() {
    let mut witnessed = 0;
    let count = cases(300).min(3000);
    for seed in 1..=count {
        let mut random = Random::new(seed ^ 0x5eed);
        let kripke = Kripke::random(&mut random);
        let mut store = store();
        let depth = random.between(1, 2);
        let body = path_formula(&mut random, &mut store, depth, 1);
        let exists = store.path(Quantifier::Exists, body);
        let (labels, anywhere) = label(&kripke, &store, exists);
        let (richer, own, flat) = oracle::flatten(&kripke, &store, body);
        let text = print(&store, exists, Spelling::Nusmv);
        let at_start = at_start(&labels);
        let seen = oracle::seen(&richer, &own, flat, true, 5);
        for (number, &state) in kripke.initial.iter().enumerate() {
            assert!(
                at_start[number] || !seen[state],
                "seed {seed}, {state}: {text}\n{kripke:?}"
            );
            witnessed += u64::from(seen[state]);
        }
        let seen = oracle::seen(&richer, &own, flat, false, 5);
        for (state, seen) in seen.into_iter().enumerate() {
            let label = anywhere[state].unwrap_or(seen);
            assert!(
                label || !seen,
                "seed {seed}, anywhere, {state}: {text}\n{kripke:?}"
            );
        }
    }
    println!("{witnessed} initial states have a short lasso");
    assert!(witnessed * 4 > count, "{witnessed}");
}

/// `A f` is `!E !f`, and at the beginning of runs it is validity on all of them.
#[test]
fn quantifiers_are_dual() {
    for seed in 1..=cases(200).min(5000) {
        let mut random = Random::new(seed ^ 0xd0a1);
        let kripke = Kripke::random(&mut random);
        let mut store = store();
        let body = path_formula(&mut random, &mut store, 2, 1);
        let all = store.path(Quantifier::All, body);
        let negated = store.not(body);
        let exists = store.path(Quantifier::Exists, negated);
        let dual = store.not(exists);
        let (one, one_anywhere) = label(&kripke, &store, all);
        let (other, other_anywhere) = label(&kripke, &store, dual);
        assert_eq!(at_start(&one), at_start(&other), "seed {seed}");
        assert_eq!(one_anywhere, other_anywhere, "seed {seed}");
    }
}

fn read(text: &str) -> (Formulas, FormulaId) {
    let mut store = store();
    let formula = parse(&mut store, text, Spelling::Nusmv).expect(text);
    (store, formula)
}

fn holds(kripke: &Kripke, text: &str) -> Vec<bool> {
    let (store, formula) = read(text);
    at_start(&label(kripke, &store, formula).0)
}

/// One state that follows itself; nothing came before the beginning, but the state is passed again.
#[test]
fn the_beginning_of_a_run_has_no_past() {
    let kripke = Kripke {
        edges: vec![vec![0]],
        initial: vec![0],
        sets: vec![vec![true], vec![false]],
        justice: Vec::new(),
        compassion: Vec::new(),
    };
    assert_eq!(holds(&kripke, "A (!(Y p0))"), [true]);
    assert_eq!(holds(&kripke, "E (Y p0)"), [false]);
    assert_eq!(holds(&kripke, "A (G A (!(Y p0)))"), [false]);
    assert_eq!(holds(&kripke, "E (F E (Y p0))"), [true]);
}

/// A request on the way is no obstacle; NuSMV ignores compassion in branching time.
#[test]
fn compassion_counts_in_branching_time() {
    let kripke = Kripke {
        edges: vec![vec![0, 1], vec![1, 2], vec![2]],
        initial: vec![0],
        sets: vec![
            vec![true, false, false],
            vec![false, false, true],
            vec![false, true, false],
        ],
        justice: Vec::new(),
        compassion: vec![(0, 1), (2, 1)],
    };
    assert_eq!(holds(&kripke, "AG AF p1"), [true]);
    assert_eq!(holds(&kripke, "EG p0"), [false]);
    assert_eq!(holds(&kripke, "EX p0"), [true]);
    let mut unfair = kripke.clone();
    unfair.compassion.clear();
    assert_eq!(holds(&unfair, "AG AF p1"), [false]);
    assert_eq!(holds(&unfair, "EG p0"), [true]);
}

/// Where no fair run begins `E` is false and `A` true.
#[test]
fn states_without_a_fair_run() {
    let kripke = Kripke {
        edges: vec![vec![0], vec![]],
        initial: vec![0, 1],
        sets: vec![vec![true, true], vec![false, false]],
        justice: vec![1],
        compassion: Vec::new(),
    };
    assert_eq!(holds(&kripke, "EX p0"), [false, false]);
    assert_eq!(holds(&kripke, "AX p1"), [true, true]);
    assert_eq!(holds(&kripke, "E p0 | p0"), [true, true]);
}

#[test]
fn quantified_parts_are_told_apart() {
    let (store, formula) = read("(EX p0) & AG EX p0 -> p1");
    let kripke = Kripke {
        edges: vec![vec![0]],
        initial: vec![0],
        sets: vec![vec![true], vec![false]],
        justice: Vec::new(),
        compassion: Vec::new(),
    };
    let (labels, _) = label(&kripke, &store, formula);
    assert_eq!(at_start(&labels), [false]);
    assert_eq!((labels.outermost.len(), labels.inner.len()), (2, 1));
    assert!(
        labels
            .outermost
            .iter()
            .all(|o| o.holds == [true] && o.decisive == [true])
    );
    let (inner, set) = &labels.inner[0];
    assert!(matches!(
        store.node(*inner),
        Node::Path(Quantifier::Exists, _)
    ));
    assert!(set.contains(0));
}
