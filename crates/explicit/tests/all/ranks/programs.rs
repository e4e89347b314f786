//! Random programs with random formulas and fairness: whatever an engine says to hold is proved, by the
//! graph that was kept and by the system itself; and proofs of something else are not accepted.

use std::collections::BTreeMap;

use evenhand_automata::translate::{Options, translate};
use evenhand_automata::{Automaton, State};
use evenhand_certify::file::{Header, Recorder, Writer, open};
use evenhand_certify::{
    CellId, Cells, Checked, Failure, Flaw, ProductClaim, RankSource, Ranks, Refusal, check_product,
};
use evenhand_explicit::emptiness::{Statistics, engines};
use evenhand_explicit::graph::Graph;
use evenhand_explicit::product::{Product, mark_count};
use evenhand_explicit::ranks::{ProductRanks, Ranking, check_ranks, rank};
use evenhand_explicit::search::{Progress, Stop};
use evenhand_explicit::space::{Interest, Space};
use evenhand_explicit::store::{Limits, PlainStore};
use evenhand_explicit::watch::Watch;
use evenhand_logic::{Formulas, Node};
use evenhand_promela::Promela;
use evenhand_source::Files;
use evenhand_system::explicit::FinishedRuns;
use evenhand_system::{
    Explicit, Fairness, Formula, Inquiry, Language, Linear, PropositionId, ReadOptions, Request,
    Wanted, What,
};
use evenhand_testkit::promela_programs::random::Random;
use evenhand_testkit::promela_programs::temporal::TemporalProgram;

use super::cases;

/// Larger programs say no more.
const MOST_STATES: u32 = 3000;
/// Words of marks.
const WIDTH: usize = 4;

/// A claim about a program: no fair run is accepted by the automaton.
struct Asked {
    automaton: Automaton,
    propositions: Vec<PropositionId>,
    fairness: Fairness,
    finished: FinishedRuns,
}

/// The ranks of all nodes, as a function of states.
type Told = BTreeMap<Vec<u8>, Vec<(State, CellId)>>;

/// What came of a claim.
struct Answer {
    /// The proof, if it holds.
    proof: Option<(Ranks, Told)>,
}

#[derive(Debug, Default)]
struct Counts {
    programs: u64,
    proved: u64,
    violated: u64,
    of_pairs: u64,
    nodes: u64,
    /// Of all files.
    bytes: u64,
    /// Claims that hold because of fairness.
    needed: u64,
    damaged: [u64; 4],
    harmless: [u64; 4],
}

#[test]
fn what_holds_is_proved() {
    let mut counts = Counts::default();
    let cases = cases(150);
    for seed in 0..cases {
        program(seed, &mut counts);
    }
    println!("{counts:?}");
    assert!(counts.programs * 2 > cases, "{counts:?}");
    assert!(
        counts.proved > cases && counts.violated > cases,
        "{counts:?}"
    );
    assert!(
        counts.of_pairs * 10 > cases && counts.needed * 10 > cases,
        "{counts:?}"
    );
    assert!(counts.damaged.iter().all(|&n| n * 10 > cases), "{counts:?}");
}

fn program(seed: u64, counts: &mut Counts) {
    let generated = TemporalProgram::generate(seed, 2, 3);
    let mut settings = vec![vec![], vec!["weak".into()], vec!["strong".into()]];
    settings.push(generated.assumptions.clone());
    let mut files = Files::new();
    let main = files.add("program.pml", generated.text());
    let Ok(read) = Promela.read(files, main, &ReadOptions::default()) else {
        return;
    };
    let mut met = false;
    let random = &mut Random::new(seed);
    for fair in &settings {
        let mut request = Request::default();
        request.properties = Wanted::Named(vec!["f0".into(), "f1".into()]);
        request.fair.clone_from(fair);
        request.no_fairness = true;
        // Not every random assumption has a meaning.
        let Ok(inquiry) = read.resolve(&request) else {
            continue;
        };
        let Some(asked) = asked(&inquiry, random) else {
            continue;
        };
        let system = inquiry.body.explicit().expect("a program");
        let mut answers = Vec::new();
        for claim in &asked {
            match answer(system, claim, seed, counts) {
                Ok(answer) => answers.push(answer),
                Err(stop) => return assert_ne!(stop, Stop::Interrupted),
            }
        }
        met = true;
        cross(system, &asked, &answers, seed, counts);
        for (claim, answer) in asked.iter().zip(&answers) {
            if let Some((ranks, told)) = &answer.proof {
                disturb(system, claim, ranks, told, random, counts, seed);
            }
        }
    }
    counts.programs += u64::from(met);
}

/// The claims of an inquiry.
fn asked(inquiry: &Inquiry, random: &mut Random) -> Option<Vec<Asked>> {
    let processes = inquiry.meaning.processes().0;
    let fairness = inquiry.meaning.fairness(&inquiry.assumptions, processes);
    let fairness = fairness.ok()?;
    let claims = inquiry.questions.iter().map(|question| {
        let What::Linear(Linear::Formula(formula)) = &question.what else {
            panic!("{question:?} is no formula");
        };
        let (automaton, propositions) = bad_runs(formula);
        Asked {
            automaton,
            propositions,
            fairness: fairness.clone(),
            finished: match random.percent(70) {
                true => FinishedRuns::Stutter,
                false => FinishedRuns::Ignore,
            },
        }
    });
    Some(claims.collect())
}

/// The automaton of the runs that break a formula.
fn bad_runs(formula: &Formula) -> (Automaton, Vec<PropositionId>) {
    let mut store = Formulas::clone(&formula.store);
    let negation = store.not(formula.id);
    let translation = translate(&mut store, negation, &Options::streett());
    let translation = translation.expect("a small formula");
    let atoms = translation.propositions.iter();
    let atoms = atoms.map(|&part| match store.node(part) {
        Node::Atom(atom) => formula.atoms[atom.index()],
        node => panic!("{node:?} is no atom"),
    });
    let propositions = atoms.collect();
    (translation.automaton, propositions)
}

/// Asks two engines, makes the proof if they find nothing, and checks it both ways.
fn answer(
    system: &dyn Explicit,
    asked: &Asked,
    seed: u64,
    counts: &mut Counts,
) -> Result<Answer, Stop> {
    let interest = Interest {
        propositions: &asked.propositions,
        fairness: &asked.fairness,
    };
    let limits = Limits {
        states: MOST_STATES,
        ..Limits::default()
    };
    let mut space = Space::new(system, interest, PlainStore::with_limits(limits));
    if mark_count(&space, &asked.automaton) > 64 * WIDTH {
        return Err(Stop::Memory);
    }
    let places = space.places_of(&asked.propositions);
    let stutter = asked.finished == FinishedRuns::Stutter;
    let product = Product::<_, WIDTH>::new(&mut space, &asked.automaton, places, stutter);
    let mut product = product.expect("there is room for the marks");
    if seed.is_multiple_of(3) {
        product = product.numbered_on_demand();
    }
    let mut observer = |_: &Progress| true;
    let mut watch = Watch::new(&mut observer, None, None);
    let mut found = None;
    for engine in [0, 1 + (seed % 4) as usize] {
        let engine = engines::<WIDTH>()[engine];
        if engine.supports(product.condition()).is_ok() {
            let mut statistics = Statistics::default();
            let answer = engine.search(&mut product, &mut watch, &mut statistics)?;
            let is_empty = answer.is_none();
            assert_eq!(*found.get_or_insert(is_empty), is_empty, "seed {seed}");
        }
    }
    let ranks = match rank(&mut product, &mut watch, &mut Statistics::default())? {
        Ranking::Accepting(_) => {
            assert_eq!(
                found,
                Some(false),
                "seed {seed}: a cycle that no engine found"
            );
            counts.violated += 1;
            return Ok(Answer { proof: None });
        }
        Ranking::Empty(ranks) => ranks,
    };
    assert_eq!(
        found,
        Some(true),
        "seed {seed}: a proof of what does not hold"
    );
    let of_graph = check_ranks(&mut product, &ranks, &mut watch);
    let of_graph = of_graph.unwrap_or_else(|why| panic!("seed {seed}: {why}"));
    let mut kept = Keeper {
        source: ProductRanks::new(&mut product, &ranks),
        told: Told::new(),
    };
    let writer = Writer::new(Vec::new(), &Header::default(), &ranks.cells).expect("memory");
    let mut recorder = Recorder::new(&mut kept, writer);
    let checked = full(system, asked, &ranks.cells, &mut recorder);
    let full = checked.unwrap_or_else(|why| panic!("seed {seed}: {why}"));
    let file = recorder.finish().expect("memory");
    counts.bytes += file.len() as u64;
    assert_eq!(
        from_file(system, asked, &file),
        Ok(full),
        "seed {seed}: as a file"
    );
    assert_eq!(
        (full.nodes, full.edges),
        (of_graph.nodes, of_graph.edges),
        "seed {seed}: the graph is not the product"
    );
    counts.proved += 1;
    counts.nodes += full.nodes;
    counts.of_pairs += u64::from(ranks.cells.iter().any(|cell| ranks.cells.level(cell) > 0));
    let told = kept.told;
    Ok(Answer {
        proof: Some((ranks, told)),
    })
}

fn full(
    system: &dyn Explicit,
    asked: &Asked,
    cells: &Cells,
    source: &mut dyn RankSource,
) -> Result<Checked, Failure<Refusal>> {
    full_under(system, asked, None, cells, source)
}

/// The same under some of the assumptions.
fn full_under(
    system: &dyn Explicit,
    asked: &Asked,
    chosen: Option<&[bool]>,
    cells: &Cells,
    source: &mut dyn RankSource,
) -> Result<Checked, Failure<Refusal>> {
    let claim = ProductClaim {
        system,
        fairness: &asked.fairness,
        chosen,
        automaton: &asked.automaton,
        propositions: &asked.propositions,
        finished: asked.finished,
    };
    check_product(&claim, cells, source, &mut |_| true)
}

/// Checks a certificate that was kept.
fn from_file(
    system: &dyn Explicit,
    asked: &Asked,
    file: &[u8],
) -> Result<Checked, Failure<Refusal>> {
    let opened = open(file).expect("it was written well");
    let (cells, mut reader) = opened.ranks(asked.automaton.state_count()).expect("ranks");
    let checked = full(system, asked, &cells, &mut reader)?;
    reader.finish().expect("nothing is left");
    Ok(checked)
}

/// Remembers what was told.
struct Keeper<S> {
    source: S,
    told: Told,
}

impl<S: RankSource> RankSource for Keeper<S> {
    fn ranks(&mut self, state: &[u8], ranks: &mut Vec<(State, CellId)>) -> Result<(), Flaw> {
        self.source.ranks(state, ranks)?;
        let before = self.told.insert(state.to_vec(), ranks.clone());
        assert!(before.is_none(), "a state was asked for twice");
        Ok(())
    }
}

/// Tells what was remembered.
struct Teller<'t>(&'t Told);

impl RankSource for Teller<'_> {
    fn ranks(&mut self, state: &[u8], ranks: &mut Vec<(State, CellId)>) -> Result<(), Flaw> {
        ranks.clear();
        ranks.extend(self.0.get(state).into_iter().flatten());
        Ok(())
    }
}

/// The proof of each claim, held against the other claim and against the same one without fairness.
fn cross(
    system: &dyn Explicit,
    asked: &[Asked],
    answers: &[Answer],
    seed: u64,
    counts: &mut Counts,
) {
    for (number, answer) in answers.iter().enumerate() {
        let Some((ranks, told)) = &answer.proof else {
            continue;
        };
        let other = 1 - number;
        if asked[other].finished == asked[number].finished {
            let accepted = full(system, &asked[other], &ranks.cells, &mut Teller(told)).is_ok();
            let is_true = answers[other].proof.is_some();
            assert!(
                !accepted || is_true,
                "seed {seed}: a proof of another formula"
            );
            counts.count(0, accepted);
        }
        // The same claim under no assumption, with the same marks.
        let count = asked[number].fairness.assumptions.len();
        if count > 0 {
            let none = vec![false; count];
            let teller = &mut Teller(told);
            let accepted =
                full_under(system, &asked[number], Some(&none), &ranks.cells, teller).is_ok();
            let is_true = holds_unfairly(system, &asked[number]);
            assert!(!accepted || is_true, "seed {seed}: fairness was needed");
            counts.count(1, accepted);
            counts.needed += u64::from(!is_true);
        }
    }
}

/// Whether a claim is true of all runs, fair or not.
fn holds_unfairly(system: &dyn Explicit, asked: &Asked) -> bool {
    let interest = Interest {
        propositions: &asked.propositions,
        fairness: &Fairness::default(),
    };
    let mut space = Space::new(system, interest, PlainStore::new());
    let places = space.places_of(&asked.propositions);
    let stutter = asked.finished == FinishedRuns::Stutter;
    let product = Product::<_, WIDTH>::new(&mut space, &asked.automaton, places, stutter);
    let mut product = product.expect("there is room for the marks");
    let mut observer = |_: &Progress| true;
    let mut watch = Watch::new(&mut observer, None, None);
    let found = engines::<WIDTH>()[0].search(&mut product, &mut watch, &mut Statistics::default());
    found.expect("it was explored before").is_none()
}

impl Counts {
    fn count(&mut self, kind: usize, accepted: bool) {
        match accepted {
            true => self.harmless[kind] += 1,
            false => self.damaged[kind] += 1,
        }
    }
}

/// A proof without a state, and with another rank somewhere.
fn disturb(
    system: &dyn Explicit,
    asked: &Asked,
    ranks: &Ranks,
    told: &Told,
    random: &mut Random,
    counts: &mut Counts,
    seed: u64,
) {
    let ranked: Vec<&Vec<u8>> = told
        .iter()
        .filter(|t| !t.1.is_empty())
        .map(|t| t.0)
        .collect();
    if ranked.is_empty() {
        return;
    }
    let state = *random.pick(&ranked);
    let mut less = told.clone();
    less.remove(state);
    let without = full(system, asked, &ranks.cells, &mut Teller(&less));
    assert!(
        matches!(without, Err(Failure::Flawed(_))),
        "seed {seed}: {without:?}"
    );
    counts.count(2, false);
    let mut other = told.clone();
    let cell = CellId::new(random.below(ranks.cells.len()) as u32);
    if let (Some(list), Some(cell)) = (other.get_mut(state), cell) {
        let place = random.below(list.len());
        if list[place].1 != cell {
            list[place].1 = cell;
            let accepted = full(system, asked, &ranks.cells, &mut Teller(&other)).is_ok();
            // It holds, so a proof of it is harmless.
            counts.count(3, accepted);
        }
    }
}
