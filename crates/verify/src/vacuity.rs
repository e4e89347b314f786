//! What a person should know about a property that holds: is there anything it says?
//!
//! Assumptions about processes and statements never take all runs away: every state has a fair
//! continuation. Justice and compassion over expressions can, so can fairness of actions that are enabled where the system
//! does not take them, and so can leaving finished runs out.
//! Then a property may hold because nothing is left to break it: on no run at all, or behind a state
//! that no fair run passes. And a proposition that never changes its value says nothing either.

use evenhand_automata::Automaton;
use evenhand_explicit::emptiness::{Statistics, engines};
use evenhand_explicit::graph::{Edge, Graph, NodeId};
use evenhand_explicit::product::Product;
use evenhand_explicit::search::Stop;
use evenhand_explicit::store::{AnyStore, StateId};
use evenhand_explicit::watch::Watch;
use evenhand_logic::{AtomId, FormulaId, Formulas, Node, Unary, print};
use evenhand_source::{Span, counted};
use evenhand_system::signature::Telling;
use evenhand_system::{
    AssumptionKind, Explicit, Fairness, Fault, FaultKind, Formula, Kind, Signature,
};
use evenhand_witness::cores::cores_of;
use evenhand_witness::distances::Distances;
use evenhand_witness::meter::{Halt, Meter};
use evenhand_witness::tell_step;

use crate::answer::{Emptiness, PropertyResult, Warning};
use crate::bad_runs::LinearQuestion;
use crate::blame::blame;
use crate::case::{Case, StateSpace};
use crate::listener::Listener;
use crate::stop::StopReason;

/// Whether the assumptions, or leaving finished runs out, can take runs away.
pub fn can_block(fairness: &Fairness, stutter: bool) -> bool {
    let may_be_too_much = |kind: AssumptionKind| match kind {
        AssumptionKind::Justice(_) | AssumptionKind::Compassion { .. } => true,
        AssumptionKind::Weak(item) | AssumptionKind::Strong(item) => {
            fairness.refused.contains(&item)
        }
    };
    let mut assumptions = fairness.assumptions.iter();
    !stutter || assumptions.any(|a| may_be_too_much(a.kind))
}

/// Adds what a person should know about a property that holds.
pub(crate) fn warn<const W: usize>(
    case: &Case<'_>,
    space: &mut StateSpace<'_>,
    question: &LinearQuestion,
    stutter: bool,
    result: &mut PropertyResult,
    listener: &mut dyn Listener,
) {
    let constant = constant_propositions(space, question);
    result
        .warnings
        .extend(constant.into_iter().map(Warning::Said));
    let mut faults = space.faults().iter().map(|report| &report.fault);
    if let Some(fault) = faults.find(|fault| fault.kind != FaultKind::Assertion) {
        let signature = case.view.body.signature();
        result.warnings.push(cut_by(signature, fault));
    }
    if let Some(formula) = &question.formula {
        let outside = outside_of(space, formula);
        let unmet = unmet_assumption::<W>(case, space, formula, stutter, listener);
        result.warnings.extend(outside.into_iter().chain(unmet));
    }
    let missing = missing_warnings::<W>(case, space, stutter, listener);
    result.warnings.extend(missing);
}

/// What is assumed in a formula: the left sides of implications, one behind the other.
fn assumed(formula: &Formula) -> Vec<FormulaId> {
    let mut list = Vec::new();
    let mut rest = formula.id;
    while let Node::Implies(left, right) = *formula.store.node(rest) {
        list.push(left);
        rest = right;
    }
    list
}

/// States where something does not hold that is assumed to hold always: no run through them counts.
fn outside_of(space: &mut StateSpace<'_>, formula: &Formula) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for left in assumed(formula) {
        let Node::Unary(Unary::Globally, body) = *formula.store.node(left) else {
            continue;
        };
        let Node::Atom(atom) = *formula.store.node(body) else {
            continue;
        };
        // What no person has asked.
        if formula.store.atom_info(atom).text.trim().is_empty() {
            continue;
        }
        let proposition = formula.atoms.get(atom.index());
        let Some(place) = proposition.and_then(|&p| space.place_of(p)) else {
            continue;
        };
        if !space.is_complete() {
            continue;
        }
        let count = space.len();
        let ids = (0..count as u32).map(StateId::new);
        let outside = ids.filter(|&id| {
            let letter = space.outgoing(id).map(|out| out.letter);
            letter.is_ok_and(|letter| !space.letter_has(letter, place))
        });
        let outside = outside.count();
        if outside > 0 {
            let text = formula.store.atom_info(atom).text.trim();
            let words = format!(
                "`{text}` does not hold in {outside} of {}: the property says nothing about runs \
                 that come there",
                counted(count, "state")
            );
            warnings.push(words.into());
        }
    }
    warnings
}

/// That no fair run satisfies what a formula assumes: then it says nothing.
fn unmet_assumption<const W: usize>(
    case: &Case<'_>,
    space: &mut StateSpace<'_>,
    formula: &Formula,
    stutter: bool,
    listener: &mut dyn Listener,
) -> Option<Warning> {
    let list = assumed(formula);
    // What is about the first letter alone, or never changes, is told elsewhere.
    let temporal = |f: &&FormulaId| !formula.store.properties(**f).is_boolean();
    if !list.iter().any(|f| temporal(&f)) || case.chosen().is_some() {
        return None;
    }
    let mut store = Formulas::clone(&formula.store);
    let is_said = |f: &FormulaId| {
        let mut atoms = formula.store.subformulas(*f).into_iter().filter_map(|g| {
            match *formula.store.node(g) {
                Node::Atom(atom) => Some(atom),
                _ => None,
            }
        });
        atoms.all(|atom| !formula.store.atom_info(atom).text.trim().is_empty())
    };
    let said: Vec<FormulaId> = list.iter().copied().filter(is_said).collect();
    if said.is_empty() {
        return None;
    }
    let all = store.and(list);
    let told = store.and(said);
    let runs = Formula {
        id: store.not(all),
        store: store.into(),
        ..formula.clone()
    };
    let question = LinearQuestion::of_formula("assumption", Kind::Ltl, runs);
    let automaton = question.bad.as_ref().ok()?;
    let places = space.places_of(&question.propositions);
    let product = Product::<_, W>::new(space, automaton, places, stutter).ok()?;
    let mut product = product.leaving_out();
    let found = case.watched(listener, |watch| {
        engines::<W>()[0].search(&mut product, watch, &mut Statistics::default())
    });
    if found.ok()?.is_some() || product.has_left_out() {
        return None;
    }
    let text = print(&question.formula.as_ref()?.store, told, formula.spelling);
    let words = format!(
        "no fair run satisfies `{text}`: the property holds because its left side never does"
    );
    Some(words.into())
}

/// A run-time error ends a run: which, and where.
pub(crate) fn cut_by(signature: &Signature, fault: &Fault) -> Warning {
    let (files, span, kind) = (&signature.files, fault.span, fault.kind);
    let place = match span == Span::default() {
        true => String::new(),
        false => {
            let (name, line) = (&files.get(span.file).name, files.position(span).line);
            format!(", {name}:{line}")
        }
    };
    let text = format!(
        "a run-time error ends a run ({kind}{place}); what lies behind it was not explored"
    );
    text.into()
}

/// That something was not found out.
pub(crate) fn not_found_out(reason: impl Into<StopReason>) -> Warning {
    let reason = reason.into();
    format!("whether fair runs are missing was not found out: {reason}").into()
}

/// What a person should know about fair runs that are missing; found out once.
pub(crate) fn missing_warnings<const W: usize>(
    case: &Case<'_>,
    space: &mut StateSpace<'_>,
    stutter: bool,
    listener: &mut dyn Listener,
) -> Vec<Warning> {
    if case.chosen().is_some() || !can_block(case.fairness(), stutter) {
        return Vec::new();
    }
    if let Some((known, warnings)) = &*case.missing.borrow()
        && *known == stutter
    {
        return warnings.clone();
    }
    let Ok(system) = case.system() else {
        return Vec::new();
    };
    let inputs = !case.view.inputs.is_empty();
    let missing = case.watched(listener, |watch| {
        missing_runs::<W>(system, space, case.fairness(), (stutter, inputs), watch)
    });
    let warnings = missing.unwrap_or_else(|stop| vec![not_found_out(stop)]);
    case.missing.replace(Some((stutter, warnings.clone())));
    warnings
}

/// Propositions of a question that have one value in all reachable states.
fn constant_propositions(space: &StateSpace<'_>, question: &LinearQuestion) -> Vec<String> {
    let Some(judge) = question.formula.as_ref().filter(|_| space.is_complete()) else {
        return Vec::new();
    };
    // That the body of an invariant never changes its value is what the property says.
    let body = match *judge.store.node(judge.id) {
        Node::Unary(Unary::Globally, body) => body,
        _ => judge.id,
    };
    if judge.store.properties(body).is_boolean() {
        return Vec::new();
    }
    let mut warnings = Vec::new();
    for (atom, info) in judge.store.atoms() {
        let Some(&proposition) = judge.atoms.get(atom.index()) else {
            continue;
        };
        let Some(place) = space.place_of(proposition) else {
            continue;
        };
        let holds = |letter: u32| space.letter(letter).any(|p| p == place);
        let is_missing = |letter: u32| space.missing(letter).any(|p| p == place);
        let (mut some, mut none) = (false, false);
        for letter in 0..space.letter_count() as u32 {
            match holds(letter) {
                _ if is_missing(letter) => (some, none) = (true, true),
                true => some = true,
                false => none = true,
            }
        }
        let text = info.text.trim();
        match (some, none) {
            // What no person has asked.
            _ if text.is_empty() => {}
            // Then that it always holds is what is said, or assumed.
            (true, false) if is_only_always(judge, atom) => {}
            (true, false) => warnings.push(format!("`{text}` holds in every reachable state")),
            (false, true) => warnings.push(format!("`{text}` holds in no reachable state")),
            _ => {}
        }
    }
    warnings
}

/// Whether a formula says nothing else of a proposition than that it always holds.
fn is_only_always(formula: &Formula, atom: AtomId) -> bool {
    let store = &formula.store;
    let is_it = |f: FormulaId| matches!(store.node(f), Node::Atom(own) if *own == atom);
    let is_always = |node: &Node| matches!(node, Node::Unary(Unary::Globally, _));
    let all = store.subformulas(formula.id);
    let mut nodes = all.iter().map(|&f| store.node(f));
    !is_it(formula.id) && nodes.all(|node| is_always(node) || !node.operands().any(is_it))
}

/// Whether fair runs are missing: altogether, or behind some reachable state.
fn missing_runs<const W: usize>(
    system: &dyn Explicit,
    space: &mut StateSpace<'_>,
    fairness: &Fairness,
    (stutter, inputs): (bool, bool),
    watch: &mut Watch<'_>,
) -> Result<Vec<Warning>, Stop> {
    let everything = Automaton::everything();
    let Ok(mut graph) = Product::<_, W>::new(space, &everything, Vec::new(), stutter) else {
        return Ok(Vec::new());
    };
    let initial = graph.initial()?;
    let mut meter = Meter::unlimited(watch);
    let mut distances = Distances::from(&initial);
    while !distances.is_complete() {
        distances
            .advance(&mut graph, &mut meter)
            .map_err(Halt::into_stop)?;
    }
    let nodes = distances.nodes().to_vec();
    let cores = cores_of(&mut graph, &nodes, Default::default(), &mut meter);
    let cores = cores.map_err(Halt::into_stop)?;
    if cores.is_empty() {
        let words = culprits(&mut graph, fairness, watch)?;
        return Ok(vec![Warning::NoFairRun {
            so: Emptiness::Holds,
            because: Some(words),
        }]);
    }
    let seeds: Vec<NodeId> = cores.into_iter().flat_map(|core| core.nodes).collect();
    let live = can_reach(&mut graph, &nodes, &seeds)?;
    // Nodes come nearest first. A state with an input that cannot come is none of the system.
    let mut edges = Vec::new();
    let mut stuck = None;
    for &node in nodes.iter().filter(|node| !live[node.index()]) {
        graph.expand(node, &mut edges)?;
        if !inputs || !edges.is_empty() {
            stuck = Some(node);
            break;
        }
    }
    let Some(stuck) = stuck else {
        return Ok(Vec::new());
    };
    let path = distances.path_to(&mut graph, stuck)?.unwrap_or_default();
    let path = describe(system, &graph, &path);
    let text = format!("no fair run passes {path}: the property says nothing about what follows");
    Ok(vec![text.into()])
}

/// Why no run is fair, in words.
pub(crate) fn culprits<const W: usize>(
    graph: &mut Product<'_, '_, AnyStore, W>,
    fairness: &Fairness,
    watch: &mut Watch<'_>,
) -> Result<String, Stop> {
    let all = graph.condition().clone();
    let marks = graph.space().serving_marks().to_vec();
    let words = blame(fairness, |kept| {
        let left_out = marks.iter().zip(kept).filter(|&(_, &is_kept)| !is_kept);
        let condition = left_out.fold(all.clone(), |all, (&mark, _)| all.without(mark));
        graph.set_condition(condition);
        let found = engines::<W>()[0].search(graph, watch, &mut Statistics::default())?;
        Ok(found.is_some())
    });
    graph.set_condition(all);
    words
}

/// For each node, whether one of the seeds can be reached from it.
fn can_reach<const W: usize>(
    graph: &mut dyn Graph<W>,
    nodes: &[NodeId],
    seeds: &[NodeId],
) -> Result<Vec<bool>, Stop> {
    let mut edges: Vec<Edge<W>> = Vec::new();
    let mut backward: Vec<(u32, u32)> = Vec::new();
    for &node in nodes {
        graph.expand(node, &mut edges)?;
        backward.extend(edges.iter().map(|edge| (edge.target.0, node.0)));
    }
    backward.sort_unstable();
    let mut live = vec![false; graph.bound()];
    let mut todo: Vec<u32> = Vec::new();
    for seed in seeds {
        live[seed.index()] = true;
        todo.push(seed.0);
    }
    while let Some(node) = todo.pop() {
        let first = backward.partition_point(|&(target, _)| target < node);
        for &(_, source) in backward[first..].iter().take_while(|&&(t, _)| t == node) {
            if !live[source as usize] {
                live[source as usize] = true;
                todo.push(source);
            }
        }
    }
    Ok(live)
}

/// A state that is told by its variables, where steps have no text; otherwise it is the initial one.
fn shown(system: &dyn Explicit, state: Option<Vec<u8>>) -> String {
    let told = state.filter(|_| system.signature().told_by == Telling::Values);
    let Some(state) = told else {
        return "the initial state".to_string();
    };
    let values = system.explorer(&[]).describe(&state).into_iter();
    let values = values.map(|(name, value)| format!("{name} = {value}"));
    values.collect::<Vec<_>>().join(", ")
}

/// How many steps of a path are told.
const TOLD: usize = 12;

/// The steps of a path in words.
fn describe<const W: usize>(
    system: &dyn Explicit,
    graph: &Product<'_, '_, AnyStore, W>,
    path: &[NodeId],
) -> String {
    let state = |node: &NodeId| {
        let mut bytes = Vec::new();
        graph.space().load(graph.parts(*node).0, &mut bytes);
        bytes
    };
    let steps: Vec<String> = path
        .windows(2)
        .rev()
        .take(TOLD)
        .filter_map(|pair| tell_step(system, &state(&pair[0]), &state(&pair[1])).ok())
        .filter(|(_, step)| step.span.is_some())
        .map(|(_, step)| format!("{}: {}", step.processes.join(" + "), step.action))
        .collect();
    let mut steps: Vec<String> = steps.into_iter().rev().collect();
    if path.len() > TOLD + 1 {
        steps.insert(0, format!("{} steps, at last", path.len() - 1));
    }
    match steps.is_empty() {
        true if path.len() > 1 => format!(
            "the state after {} ({})",
            counted(path.len() - 1, "step"),
            shown(system, path.last().map(state))
        ),
        true => format!(
            "the initial state ({})",
            shown(system, path.last().map(state))
        ),
        false => format!("the state after {}", steps.join("; ")),
    }
}
