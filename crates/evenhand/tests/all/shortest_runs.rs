//! Runs that are called shortest, against all runs of the *system*: small random programs and
//! formulas, with and without fairness. Lassos of the system are enumerated up to a length; each is
//! judged by the definition of the formula and of fairness. Finite runs are compared with all
//! finite runs.

use evenhand::{Body, Check, Fairness, Model, Promela, PropositionId, Successors, Verdict};
use evenhand::{Formula, Inquiry, Linear, Request, Wanted, What};
use evenhand_logic::random::Random;
use evenhand_logic::{
    AtomId, Formulas, Lasso, Spelling, evaluate, is_informative, normal_form, print,
};
use evenhand_system::AssumptionKind;
use evenhand_verify::LinearQuestion;

use crate::common::{cases, owned};

const DEPTH: usize = 6;

/// A program of two or three short processes over two bits.
fn random_program(random: &mut Random) -> String {
    let mut text = "bit x, y;\n".to_string();
    for process in 0..2 + random.below(2) {
        text += &format!("active proctype p{process}() {{\n");
        let looping = random.below(4) > 0;
        text += if looping { "  do\n  ::" } else { "  " };
        for number in 0..1 + random.below(3) {
            let statement = match random.below(8) {
                0 => "x = 1 - x",
                1 => "y = 1 - y",
                2 => "x == 1",
                3 => "y == 0",
                4 => "x = 1",
                5 => "y = x",
                6 => "atomic { x == 0; y = 1 - y }",
                _ => "skip",
            };
            text += if number > 0 { "; " } else { " " };
            text += statement;
        }
        text += if looping { "\n  od\n}\n" } else { "\n}\n" };
    }
    text
}

/// One edge of the system: where to, and what it takes.
struct Edge {
    target: usize,
    taken: Vec<u64>,
}

/// The reachable system: letters, edges, and what is enabled; state 0 is initial.
struct System {
    letters: Vec<Vec<bool>>,
    edges: Vec<Vec<Edge>>,
    enabled: Vec<Vec<u64>>,
}

fn explore(body: &dyn Body, fairness: &Fairness, atoms: &[PropositionId]) -> System {
    let program = body.explicit().expect("a program");
    let mut explorer = program.explorer(&fairness.items);
    let mut out = Successors::new();
    explorer.initial(&mut out);
    assert_eq!(out.len(), 1);
    let mut states = vec![out.state(0).to_vec()];
    let mut system = System {
        letters: Vec::new(),
        edges: Vec::new(),
        enabled: Vec::new(),
    };
    let mut at = 0;
    while at < states.len() {
        let from = states[at].clone();
        explorer.expand(&from, &mut out);
        assert!(out.faults().is_empty());
        let mut edges = Vec::new();
        for i in 0..out.len() {
            let known = states.iter().position(|s| s == out.state(i));
            let target = known.unwrap_or_else(|| {
                states.push(out.state(i).to_vec());
                states.len() - 1
            });
            let taken = out.taken(i).to_vec();
            edges.push(Edge { target, taken });
        }
        if edges.is_empty() {
            let taken = Vec::new();
            edges.push(Edge { target: at, taken });
        }
        let letter = atoms.iter().map(|&p| explorer.holds(p, &from) == Ok(true));
        system.letters.push(letter.collect());
        system.enabled.push(out.enabled().to_vec());
        system.edges.push(edges);
        at += 1;
    }
    system
}

fn contains(set: &[u64], item: usize) -> bool {
    set.get(item / 64)
        .is_some_and(|word| word >> (item % 64) & 1 == 1)
}

/// Whether a cycle, as the states and edges it consists of, is fair by definition.
fn is_fair(system: &System, fairness: &Fairness, cycle: &[(usize, usize)]) -> bool {
    let taken = |item| {
        let mut steps = cycle.iter();
        steps.any(|&(s, e)| contains(&system.edges[s][e].taken, item))
    };
    let enabled = |s: usize, item| contains(&system.enabled[s], item);
    fairness.assumptions.iter().all(|a| match a.kind {
        AssumptionKind::Weak(item) => taken(item) || cycle.iter().any(|&(s, _)| !enabled(s, item)),
        AssumptionKind::Strong(item) => {
            taken(item) || cycle.iter().all(|&(s, _)| !enabled(s, item))
        }
        _ => panic!("not asked for"),
    })
}

/// The lengths of the shortest lasso and of the shortest finite run that break the formula, up to
/// `DEPTH`.
fn enumerate(
    system: &System,
    fairness: &Fairness,
    store: &mut Formulas,
    formula: evenhand_logic::FormulaId,
) -> (Option<usize>, Option<usize>) {
    let (mut lasso_length, mut finite_length) = (None, None);
    let mut paths: Vec<Vec<(usize, usize)>> = vec![Vec::new()];
    for length in 0..=DEPTH {
        let mut longer = Vec::new();
        for path in &paths {
            let last = path.last().map_or(0, |&(s, e)| system.edges[s][e].target);
            let mut states: Vec<usize> = path.iter().map(|&(s, _)| s).collect();
            for entry in (0..length).filter(|&i| states[i] == last) {
                let holds = |i: usize, atom: AtomId| system.letters[states[i]][atom.index()];
                let shape = Lasso {
                    prefix: entry,
                    cycle: length - entry,
                };
                if lasso_length.is_none()
                    && is_fair(system, fairness, &path[entry..])
                    && evaluate(store, formula, shape, &holds) == Ok(false)
                {
                    lasso_length = Some(length);
                }
            }
            states.push(last);
            let holds = |i: usize, atom: AtomId| system.letters[states[i]][atom.index()];
            if finite_length.is_none() && is_informative(store, formula, states.len(), &holds) {
                finite_length = Some(length);
            }
            for edge in 0..system.edges[last].len() {
                let mut path = path.clone();
                path.push((last, edge));
                longer.push(path);
            }
        }
        paths = longer;
        if lasso_length.is_some() && finite_length.is_some() {
            break;
        }
    }
    (lasso_length, finite_length)
}

/// What is asked by one formula under some fairness.
fn resolve(model: &Model, formula: &str, fair: &[String]) -> Inquiry {
    let mut request = Request::default();
    request.properties = Wanted::Named(Vec::new());
    request.linear = vec![formula.to_string()];
    request.fair = fair.to_vec();
    let inquiry = model.specification().resolve(&request);
    inquiry.unwrap_or_else(|error| panic!("{error}: {formula} {fair:?}"))
}

/// The formula that is asked.
fn formula_of(inquiry: &Inquiry) -> &Formula {
    match &inquiry.questions[0].what {
        What::Linear(Linear::Formula(formula)) => formula,
        other => panic!("no formula: {other:?}"),
    }
}

#[derive(Debug, Default)]
struct Seen {
    lassos: usize,
    finite: usize,
    beyond: usize,
    past_longer: usize,
}

fn compare(seed: u64, cases: usize, past: bool) -> Seen {
    let mut random = Random::new(seed);
    let mut seen = Seen::default();
    for case in 0..cases {
        let program = random_program(&mut random);
        let mut store = Formulas::new();
        let size = 1 + random.below(5);
        let formula = random.formula(&mut store, size, 2, past);
        // Promela has no exclusive or.
        let formula = normal_form(&mut store, formula, false);
        let text = print(&store, formula, Spelling::Spin);
        let text = text.replace("p0", "(x == 1)").replace("p1", "(y == 1)");
        let fair = [None, Some("weak"), Some("strong")][random.below(3)];
        let fair: Vec<String> = owned(fair.as_slice());
        let context = format!("case {case}: {text} {fair:?}\n{program}");
        let model = Model::parse("random.pml", program, &Promela).expect("a program");
        let inquiry = resolve(&model, &text, &fair);
        let judge = formula_of(&inquiry);
        let (bound, _) = inquiry.meaning.processes();
        let fairness = inquiry.meaning.fairness(&inquiry.assumptions, bound);
        let fairness = fairness.unwrap_or_else(|_| panic!("{context}"));
        let system = explore(&*inquiry.body, &fairness, &judge.atoms);
        let mut own = Formulas::clone(&judge.store);
        let (lasso, finite) = enumerate(&system, &fairness, &mut own, judge.id);
        let check = fair.into_iter().fold(Check::new(&model), Check::fair);
        let report = check.ltl(text).run();
        let report = report.unwrap_or_else(|error| panic!("{error:?} {context}"));
        let run = match &report.properties[0].verdict {
            Verdict::Violated(Some(run)) => run,
            Verdict::Holds => {
                assert_eq!(lasso, None, "{context}");
                continue;
            }
            other => panic!("{other:?} {context}"),
        };
        assert!(run.lower_bound <= run.len() && run.shortest == (run.lower_bound == run.len()));
        let best = match run.cycle.is_empty() {
            true => finite,
            false => lasso,
        };
        if run.len() > DEPTH && best.is_none() {
            seen.beyond += 1;
            continue;
        }
        let best = best.unwrap_or_else(|| panic!("no such run: {context}"));
        assert!(best <= run.len() && run.lower_bound <= best, "{context}");
        if run.cycle.is_empty() {
            seen.finite += 1;
            assert_eq!(run.len(), best, "finite: {context}");
        } else {
            seen.lassos += 1;
            if own.properties(judge.id).has_past() {
                seen.past_longer += usize::from(run.len() > best);
            } else {
                assert!(run.len() == best && run.shortest, "lasso: {context}");
            }
        }
    }
    seen
}

#[test]
fn without_past_runs_are_the_shortest_of_the_system() {
    let cases = cases(600) as usize;
    let seen = compare(21, cases, false);
    println!("{seen:?}");
    assert!(
        seen.lassos * 8 > cases && seen.finite * 20 > cases,
        "{seen:?}"
    );
}

#[test]
fn with_past_runs_are_bounded_by_what_is_proved() {
    let seen = compare(22, cases(300) as usize, true);
    println!("{seen:?}");
    assert!(seen.past_longer * 5 < seen.lassos, "{seen:?}");
}

/// The nodes of a product with a large automaton have other numbers than those with a small one.
#[test]
fn a_finite_run_is_found_with_a_large_automaton() {
    let program = "byte n; active proctype p() { do :: n < 30 -> n++ od }";
    let formula = format!("[] (n != 3 || {} (n == 3))", "X ".repeat(16));
    let model = Model::parse("long.pml", program, &Promela).expect("a program");
    let question = &resolve(&model, &formula, &[]).questions[0];
    let question = LinearQuestion::of(question).expect("a formula");
    assert!(question.bad.is_ok_and(|bad| bad.state_count() > 16));
    let report = Check::new(&model).ltl(formula).run().expect("an answer");
    let Verdict::Violated(Some(run)) = &report.properties[0].verdict else {
        panic!("{:?}", report.properties[0].verdict);
    };
    // Each number takes a test and an increment: three comes after six steps.
    assert!(run.cycle.is_empty());
    assert_eq!(run.len(), 6 + 16);
}
