//! Is a formula stutter-invariant? Exactly, where it is cheap.
//!
//! A language is stutter-invariant if repeating letters or removing repetitions never leads out of
//! it or into it: then a reduction of the model that changes only the number of steps is allowed.
//! Formulas without `X`, `Y`, `Z` are; others may be (`F (a & X (!a))`).
//!
//! The test (Michaud and Duret-Lutz, SPIN 2015): let *cl(A)* accept the words of *A* with
//! repetitions removed in all possible ways: whenever two edges in a row can be taken under the
//! same letter, there is also one edge for both, with the marks of both. The language of *f* is
//! stutter-invariant iff *cl(A_f)* and *cl(A_!f)* have no word in common.

use super::components::components;
use super::compose::product;
use super::graph::{Arc, Graph, joined};
use super::job::Job;
use super::{Options, TranslateError};
use evenhand_logic::bdd::{Bdd, Bdds};
use evenhand_logic::{FormulaId, Formulas, Simplifier};

/// Edges that the closure may have.
const MAX_EDGES: usize = 20_000;
/// States that the product may have.
const MAX_STATES: usize = 20_000;

/// Whether the formula is stutter-invariant; `None` if deciding it would be too expensive.
pub fn is_stutter_invariant(
    store: &mut Formulas,
    f: FormulaId,
    options: &Options,
) -> Result<Option<bool>, TranslateError> {
    if store.properties(f).has_quantifier() {
        return Err(TranslateError::NotLinear);
    }
    let mut simplifier = Simplifier::default();
    let simple = simplifier.simplify(store, f);
    if store.properties(simple).is_syntactic_stutter_invariant() {
        return Ok(Some(true));
    }
    let negation = simplifier.negate(store, simple);
    let negation = simplifier.simplify(store, negation);
    let mut job = Job::new(simplifier, options, store.atoms_of(f));
    let mut bdds = Bdds::new(options.limits.nodes);
    let mut closures = Vec::new();
    for g in [simple, negation] {
        let graph = job.whole(store, g, &mut bdds)?;
        let Some(closure) = closure(graph, &mut bdds) else {
            return Ok(None);
        };
        closures.push(closure);
    }
    let both = product(&closures[0], &closures[1], MAX_STATES, &mut bdds);
    if bdds.overflowed() {
        return Ok(None);
    }
    Ok(both.map(|both| {
        let reachable = both.reachable();
        let parts = components(&both, |s, _| reachable[s]);
        let all = both.all_marks();
        (0..parts.marks.len()).all(|c| !parts.accepting(c, all))
    }))
}

/// Adds an edge for each pair of edges in a row that share a letter, until nothing new comes.
fn closure(mut graph: Graph, bdds: &mut Bdds) -> Option<Graph> {
    loop {
        let mut changed = false;
        for state in 0..graph.state_count() {
            let mut edges = graph.edges[state].clone();
            for first in &graph.edges[state] {
                for second in &graph.edges[first.target] {
                    let label = bdds.and(first.label, second.label);
                    if label != Bdd::FALSE {
                        edges.push(Arc {
                            label,
                            marks: first.marks | second.marks,
                            target: second.target,
                        });
                    }
                }
            }
            let edges = joined(edges, bdds);
            if edges != graph.edges[state] {
                graph.edges[state] = edges;
                changed = true;
            }
        }
        if graph.edge_count() > MAX_EDGES || bdds.overflowed() {
            return None;
        }
        if !changed {
            return Some(graph);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_logic::random::{Random, Word};
    use evenhand_logic::{Lasso, Spelling, parse, print};

    fn decide(text: &str) -> Option<bool> {
        let mut store = Formulas::new();
        let f = parse(&mut store, text, Spelling::Any).expect(text);
        is_stutter_invariant(&mut store, f, &Options::default()).expect(text)
    }

    #[test]
    fn known_formulas() {
        assert_eq!(decide("G (p -> F q)"), Some(true));
        assert_eq!(decide("X p"), Some(false));
        assert_eq!(decide("F (a & X !a)"), Some(true));
        assert_eq!(decide("F (a & X (!a & X !a))"), Some(false));
        assert_eq!(decide("G F (a & X !a)"), Some(true));
        assert_eq!(decide("F (a & X a)"), Some(false));
        assert_eq!(decide("p & O q"), Some(true));
        assert_eq!(decide("F (p & Y !p)"), Some(true));
        assert_eq!(decide("F (p & Y Y p)"), Some(false));
        assert_eq!(decide("X F p -> F p"), Some(true));
    }

    /// A formula is called invariant iff no word of a certain size tells it from the same word with
    /// one letter repeated.
    #[test]
    fn stretched_words_agree() {
        let mut random = Random::new(31);
        let shapes = [
            (0, 1),
            (0, 2),
            (1, 1),
            (1, 2),
            (2, 1),
            (2, 2),
            (3, 1),
            (0, 3),
        ];
        let words: Vec<Word> = shapes
            .iter()
            .flat_map(|&(prefix, cycle)| Word::all(Lasso { prefix, cycle }, 2))
            .collect();
        let mut variant = 0;
        for case in 0..150 {
            let mut store = Formulas::new();
            for i in 0..2 {
                store.atom(&format!("p{i}"));
            }
            let f = random.formula(&mut store, 1 + case % 5, 2, case % 4 == 0);
            let text = print(&store, f, Spelling::Spot);
            let invariant = is_stutter_invariant(&mut store, f, &Options::default())
                .expect(&text)
                .expect(&text);
            let differs = words.iter().any(|word| {
                let truth = word.satisfies(&store, f);
                (0..word.letters.len()).any(|at| {
                    let mut longer = word.clone();
                    longer.letters.insert(at, word.letters[at]);
                    match at <= word.lasso.prefix {
                        true => longer.lasso.prefix += 1,
                        false => longer.lasso.cycle += 1,
                    }
                    longer.satisfies(&store, f) != truth
                })
            });
            assert_eq!(invariant, !differs, "{text}");
            variant += usize::from(!invariant);
        }
        assert!(variant > 20, "{variant}");
    }
}
