//! What holds, checked by code that shares nothing with the engines.
//!
//! A run shows that a property is violated. That it holds is shown by ranks of the product
//! (`evenhand_certify`): the engine makes them, and they are held against every edge. As usual
//! against the graph that the search has kept, which believes that this graph is the product; on
//! request against the system itself, expanded again by the check. A proof that fails is a defect of
//! this tool and no verdict; a limit that is reached leaves the verdict without a proof.

use evenhand_certify::branching::{self, Expansion, StateGraph};
use evenhand_certify::file::Recorder;
use evenhand_certify::{
    Cells, Checked, Claim, Cover, Failure, Flaw, Form, ProductClaim, RankSource, Ranks, Refusal,
    States, Tableau, Wanted, check_product, check_reachable,
};
use evenhand_explicit::ctl_star::{self, Unproved};
use evenhand_explicit::emptiness::NoProof;
use evenhand_explicit::product::Product;
use evenhand_explicit::ranks::{ProductRanks, check_ranks, prove};
use evenhand_explicit::search::Progress;
use evenhand_explicit::store::AnyStore;
use evenhand_explicit::watch::Watch;
use evenhand_system::{FinishedRuns, Formula};

use crate::answer::{CheckError, Extent, Proof};
use crate::case::{Case, StateSpace, Task};
use crate::keep::Keep;
use crate::listener::Listener;
use crate::options::Certify;
use crate::product::restrict;
use crate::statement::{Asked, Writable, statement, writable};

/// Whether somebody wants proofs.
pub(crate) fn wanted(case: &Case<'_>) -> bool {
    let wanted = case.options.certify != Certify::Off || case.options.keep.is_some();
    wanted && is_pure(case)
}

/// Whether expanding a state again gives the same: otherwise there is nothing to prove.
fn is_pure(case: &Case<'_>) -> bool {
    case.system().is_ok_and(|system| system.is_pure())
}

/// Whether everything is expanded again.
pub(crate) fn is_full(case: &Case<'_>) -> bool {
    // Under a part of the assumptions the ranks speak of the marks of all.
    let wanted = case.options.certify == Certify::Full || case.options.keep.is_some();
    wanted && case.chosen().is_none() && is_pure(case)
}

/// Checks the ranks of a product; none if a limit was reached before that was done.
///
/// # Errors
/// If they prove nothing.
pub(crate) fn check_empty<const W: usize>(
    case: &Case<'_>,
    product: &mut Product<'_, '_, AnyStore, W>,
    asked: Asked<'_>,
    ranks: Result<Ranks, NoProof>,
    listener: &mut dyn Listener,
) -> Result<Option<Proof>, CheckError> {
    let ranks = match ranks {
        Ok(ranks) => ranks,
        Err(NoProof::Unwanted | NoProof::Stop(_)) => return Ok(None),
        Err(NoProof::Accepting) => {
            let why = "another search finds an accepting cycle";
            return Err(CheckError::Proof(why.to_string()));
        }
    };
    let (checked, extent) = match is_full(case) {
        false => (
            case.watched(listener, |watch| on_graph(product, &ranks, watch)),
            Extent::Graph,
        ),
        true => {
            let mut source = ProductRanks::new(product, &ranks);
            let checked = case.watched(listener, |watch| {
                in_full(case, asked, &ranks.cells, &mut source, watch)
            });
            (checked, Extent::Full)
        }
    };
    outcome(checked, extent, Some(cover(asked)))
}

/// What is known of the automaton of a question.
fn cover(asked: Asked<'_>) -> Cover {
    let question = asked.question;
    match &question.formula {
        None if question.computed => Cover::Believed,
        None => Cover::Given,
        Some(formula) => Cover::of_formula(formula, asked.bad, asked.propositions),
    }
}

/// How large the tableau of a formula may be to take the place of its automaton.
const MOST_STATES: usize = 256;

/// What is known of the automaton of a formula if the runs that break it are looked for again, with the
/// formula's tableau in the automaton's place; none if that is not wanted, or could not be done.
///
/// # Errors
/// If there is such a run.
pub(crate) fn by_tableau<const W: usize>(
    case: &Case<'_>,
    space: &mut StateSpace<'_>,
    asked: Asked<'_>,
    listener: &mut dyn Listener,
) -> Result<Option<Cover>, CheckError> {
    let (Some(formula), true) = (&asked.question.formula, is_full(case)) else {
        return Ok(None);
    };
    let values = [(formula.id, false)];
    let wanted = Wanted::default();
    let tableau = Tableau::new(&formula.store, &values, &formula.atoms, wanted, MOST_STATES);
    let Ok((automaton, propositions)) = tableau.map(|tableau| tableau.automaton()) else {
        return Ok(None);
    };
    let places = space.places_of(&propositions);
    let stutter = case.stutters(asked.question.finished_runs);
    let Ok(mut product) = Product::<_, W>::new(space, &automaton, places, stutter) else {
        return Ok(None);
    };
    restrict(case, &mut product);
    let ranks = case.watched(listener, |watch| prove(&mut product, watch));
    let ranks = match ranks {
        Ok(ranks) => ranks,
        Err(NoProof::Unwanted | NoProof::Stop(_)) => return Ok(None),
        Err(NoProof::Accepting) => {
            let why = "a run breaks the formula that its automaton does not accept";
            return Err(CheckError::Proof(why.to_string()));
        }
    };
    let again = Asked {
        bad: &automaton,
        propositions: &propositions,
        ..asked
    };
    let Some(claim) = claim(case, again) else {
        return Ok(None);
    };
    let mut source = ProductRanks::new(&mut product, &ranks);
    let checked = case.watched(listener, |watch| {
        let mut observer = |checked: &Checked| watch.look(&progress(checked)).is_ok();
        check_product(&claim, &ranks.cells, &mut source, &mut observer)
    });
    let proof = outcome(checked, Extent::Full, None)?;
    Ok(proof.map(|_| Cover::Shown))
}

/// What is to be proved of a product.
fn claim<'a>(case: &'a Case<'_>, asked: Asked<'a>) -> Option<ProductClaim<'a>> {
    Some(ProductClaim {
        system: case.system().ok()?,
        fairness: case.fairness(),
        chosen: None,
        automaton: asked.bad,
        propositions: asked.propositions,
        finished: match case.stutters(asked.question.finished_runs) {
            true => case.finished,
            false => FinishedRuns::Ignore,
        },
    })
}

/// Against the graph that was kept.
fn on_graph<const W: usize>(
    product: &mut Product<'_, '_, AnyStore, W>,
    ranks: &Ranks,
    watch: &mut Watch<'_>,
) -> Result<Checked, Failure<Refusal>> {
    check_ranks(product, ranks, watch).map_err(|failure| match failure {
        Failure::Flawed(flaw) => Failure::Flawed(flaw),
        Failure::Stopped(_) => Failure::Stopped(Refusal::Interrupted),
    })
}

/// Against the system; and the proof is kept, if somebody wants it.
fn in_full(
    case: &Case<'_>,
    asked: Asked<'_>,
    cells: &Cells,
    source: &mut dyn RankSource,
    watch: &mut Watch<'_>,
) -> Result<Checked, Failure<Refusal>> {
    let Some(mut claim) = claim(case, asked) else {
        return Err(Refusal::Interrupted.into());
    };
    let mut observer = |checked: &Checked| watch.look(&progress(checked)).is_ok();
    // Where an improper end breaks everything the verdict is another one.
    let stands = case.ends.borrow().holds();
    let Some(keep) = case.options.keep.as_ref().filter(|_| stands) else {
        return check_product(&claim, cells, source, &mut observer);
    };
    let name = &asked.task.question.name;
    let (written, automaton) = match writable(asked) {
        Writable::Own => (None, None),
        Writable::Text(text, atoms, automaton) => (Some((text, atoms)), Some(automaton)),
        Writable::No => {
            keep.refuse(name, "its automaton is too large to be written");
            return check_product(&claim, cells, source, &mut observer);
        }
    };
    if let Some(automaton) = &automaton {
        claim.automaton = automaton;
    }
    let mut statement = statement(case, asked.task, Form::Ranks);
    statement.automaton = written;
    let mut checked = Err(Refusal::Interrupted.into());
    keep.write(name, |archive| {
        let writer = archive.begin(&statement.header(), cells)?;
        let mut recorder = Recorder::new(source, writer);
        checked = check_product(&claim, cells, &mut recorder, &mut observer);
        match &checked {
            Ok(_) => recorder.finish()?.finish().map(|()| None),
            Err(_) => Ok(Some("its check did not come to an end")),
        }
    });
    checked
}

/// Checks by a look at everything that can be reached that some questions are to be answered with yes;
/// none if that is not wanted, or a limit was reached before.
///
/// # Errors
/// If they are not.
pub(crate) fn check_reached(
    case: &Case<'_>,
    tasks: &[&Task],
    listener: &mut dyn Listener,
) -> Result<Option<Proof>, CheckError> {
    let claims = tasks.iter().map(|task| Claim::of(&task.question));
    let claims: Option<Vec<Claim<'_>>> = claims.collect();
    let (Some(claims), true, Ok(system)) = (claims, is_full(case), case.system()) else {
        return Ok(None);
    };
    if claims.is_empty() {
        return Ok(None);
    }
    let checked = case.watched(listener, |watch| {
        let mut observer = |checked: &Checked| watch.look(&progress(checked)).is_ok();
        check_reachable(system, States::new(), &claims, &mut observer)
    });
    let proof = outcome(checked, Extent::Full, None)?;
    if let (Some(keep), Some(_)) = (&case.options.keep, proof) {
        for task in tasks {
            keep_closed(case, task, keep);
        }
    }
    Ok(proof)
}

/// Checks by a look at everything that can be reached that each state satisfies a condition, if a full check is wanted.
///
/// # Errors
/// If one does not.
pub(crate) fn check_always(
    case: &Case<'_>,
    always: &Formula,
    listener: &mut dyn Listener,
) -> Result<(), CheckError> {
    let (true, Ok(system)) = (is_full(case), case.system()) else {
        return Ok(());
    };
    let checked = case.watched(listener, |watch| {
        let mut observer = |checked: &Checked| watch.look(&progress(checked)).is_ok();
        let claims = [Claim::Invariant(always)];
        check_reachable(system, States::new(), &claims, &mut observer)
    });
    outcome(checked, Extent::Full, None).map(|_| ())
}

/// Checks by proofs for its quantifiers whether a formula of branching time holds as it was said to; none if
/// that is not wanted, or could not be done.
///
/// # Errors
/// If they say something else.
pub(crate) fn check_branching(
    case: &Case<'_>,
    formula: &Formula,
    holds: bool,
    listener: &mut dyn Listener,
) -> Result<Option<Proof>, CheckError> {
    let (true, Ok(system)) = (is_full(case), case.system()) else {
        return Ok(None);
    };
    let (view, inputs) = (case.view, &case.view.inputs);
    let key = |bytes: &[u8]| view.body.without_inputs(inputs, bytes);
    let key: Option<branching::Key<'_>> = (!inputs.is_empty()).then_some(&key);
    let expansion = Expansion {
        system,
        fairness: case.fairness(),
        chosen: None,
        finished: match case.stutters(true) {
            true => case.finished,
            false => FinishedRuns::Ignore,
        },
        propositions: &formula.reads(),
        key,
    };
    let proved = case.watched(listener, |watch| {
        let mut observer = |checked: &Checked| watch.look(&progress(checked)).is_ok();
        let graph = StateGraph::explore(&expansion, States::new(), &mut observer)?;
        let proofs = match ctl_star::prove(&graph, formula, watch) {
            Ok(proofs) => proofs,
            Err(Unproved::Failure(failure)) => return Err(failure),
            Err(Unproved::Stop(_)) => return Err(Refusal::Interrupted.into()),
        };
        let mut observer = |checked: &Checked| watch.look(&progress(checked)).is_ok();
        branching::check_branching(&graph, formula, &proofs, &mut observer)
    });
    let checked = proved.map(|(truth, checked)| (truth.iter().all(|&here| here), checked));
    match checked {
        Ok((proved, _)) if proved != holds => {
            let why = "the proofs of its quantifiers say the opposite";
            Err(CheckError::Proof(why.to_string()))
        }
        Ok((_, checked)) => outcome(Ok(checked), Extent::Full, None),
        Err(failure) => outcome(Err(failure), Extent::Full, None),
    }
}

/// Keeps that a look at everything was enough: there is nothing else to keep.
fn keep_closed(case: &Case<'_>, task: &Task, keep: &Keep) {
    let statement = statement(case, task, Form::Closed);
    keep.write(&task.question.name, |archive| {
        let writer = archive.begin(&statement.header(), &Cells::new())?;
        writer.finish()?.finish().map(|()| None)
    });
}

/// What a check says about a verdict.
fn outcome(
    checked: Result<Checked, Failure<Refusal>>,
    extent: Extent,
    automaton: Option<Cover>,
) -> Result<Option<Proof>, CheckError> {
    match checked {
        Ok(checked) => Ok(Some(Proof {
            extent,
            automaton,
            states: checked.states,
            edges: checked.edges,
        })),
        // More than can be numbered is a limit, too.
        Err(Failure::Stopped(_) | Failure::Flawed(Flaw::NoRoom)) => Ok(None),
        Err(Failure::Flawed(flaw)) => Err(CheckError::Proof(flaw.to_string())),
    }
}

/// How far a check has come.
fn progress(checked: &Checked) -> Progress {
    Progress {
        states: checked.states,
        expanded: checked.states,
        transitions: checked.edges,
        depth: 0,
        bytes: 0,
    }
}
