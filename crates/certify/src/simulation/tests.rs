//! The check alone: moves and ranks that were made for another automaton, or damaged, are rejected or prove
//! what they say.

use evenhand_automata::translate::{Options, translate};
use evenhand_automata::{Bits, LassoWord, Letter, Literal, Prop, State, accepts};
use evenhand_logic::random::{Random, Word};
use evenhand_logic::{Lasso, Node};

use super::*;

const ATOMS: usize = 2;

struct Case {
    store: Formulas,
    formula: FormulaId,
    automaton: Automaton,
    propositions: Vec<PropositionId>,
}

impl Case {
    /// A formula and the automaton of the words on which it is true.
    fn new(random: &mut Random) -> Case {
        let mut store = Formulas::new();
        for atom in 0..ATOMS {
            store.atom(&format!("p{atom}"));
        }
        let (size, past) = (2 + random.below(4), random.below(2) == 0);
        let formula = random.formula(&mut store, size, ATOMS, past);
        let translation = translate(&mut store, formula, &Options::streett()).expect("small");
        let place = |&p: &FormulaId| match store.node(p) {
            Node::Atom(atom) => PropositionId(atom.index() as u32),
            _ => unreachable!("no proposition is derived"),
        };
        let propositions = translation.propositions.iter().map(place).collect();
        Case {
            store,
            formula,
            automaton: translation.automaton,
            propositions,
        }
    }

    fn tableau(&self) -> Tableau {
        let values = [(self.formula, true)];
        let wanted = Wanted {
            letters: &self.propositions,
            decisions: true,
        };
        let atoms = [PropositionId(0), PropositionId(1)];
        let tableau = Tableau::new(&self.store, &values, &atoms, wanted, 500);
        let mut tableau = tableau.expect("small");
        leave_out_dead(&mut tableau).expect("a proof");
        tableau
    }

    /// A short word on which the formula is true and which an automaton does not accept.
    fn missed(&self, automaton: &Automaton) -> Option<Word> {
        let shapes = [(0, 1), (1, 1), (0, 2), (1, 2), (2, 1), (2, 2)];
        let shapes = shapes.map(|(prefix, cycle)| Lasso { prefix, cycle });
        let mut words = shapes.into_iter().flat_map(|l| Word::all(l, ATOMS));
        words.find(|word| {
            let letter = |bits: &u64| {
                let holds = |p: &usize| bits >> self.propositions[*p].0 & 1 == 1;
                let held: Bits = (0..self.propositions.len()).filter(holds).collect();
                Letter(held)
            };
            let letters: Vec<Letter> = word.letters.iter().map(letter).collect();
            let (prefix, cycle) = letters.split_at(word.lasso.prefix);
            let (prefix, cycle) = (prefix.to_vec(), cycle.to_vec());
            word.satisfies(&self.store, self.formula)
                && !accepts(automaton, &LassoWord { prefix, cycle })
        })
    }
}

/// The same states and sources of edges; one edge changed, or one more mark to wait for, which never comes.
fn other(automaton: &Automaton, random: &mut Random) -> Automaton {
    let mut builder = automaton.like();
    for _ in automaton.states() {
        builder.add_state();
    }
    for &state in automaton.initial() {
        builder.add_initial(state);
    }
    let victim = random.below(automaton.edge_count());
    let kind = random.below(4);
    if kind == 3 {
        let mut acceptance = automaton.acceptance().clone();
        acceptance.buchi.insert(builder.add_mark());
        builder.set_acceptance(acceptance);
    }
    for (place, edge) in automaton.edges().iter().enumerate() {
        let mut cube = automaton.cube(edge.label).clone();
        let mut marks = automaton.marks(edge.marks).clone();
        let mut target = edge.target;
        if place == victim {
            match kind {
                0 => target = State::new(random.below(automaton.state_count())),
                1 => marks = Default::default(),
                3 => {}
                _ => {
                    let prop = Prop::new(random.below(automaton.props().len()));
                    let positive = random.below(2) == 0;
                    cube = cube.with(Literal { prop, positive });
                }
            }
        }
        builder.add_edge(edge.source, &cube, &marks, target);
    }
    builder.build()
}

#[test]
fn moves_for_another_automaton_prove_nothing_wrong() {
    let (mut accepted, mut rejected) = (0, 0);
    for seed in 0..1500 {
        let mut random = Random::new(seed);
        let case = Case::new(&mut random);
        if case.automaton.props().is_empty() || case.automaton.edge_count() == 0 {
            continue;
        }
        let tableau = case.tableau();
        let reading = Reading::new(&tableau, &case.automaton, &case.propositions).expect("small");
        let arena = Arena::new(&tableau, &case.automaton, &reading);
        let Ok(strategy) = game::strategy(&arena) else {
            continue;
        };
        let Ok(ranks) = ranks::ranks(&arena, &strategy) else {
            continue;
        };
        assert!(arena.check(&strategy, &ranks).is_ok(), "seed {seed}");
        let other = other(&case.automaton, &mut random);
        let reading = Reading::new(&tableau, &other, &case.propositions).expect("small");
        let arena = Arena::new(&tableau, &other, &reading);
        match arena.check(&strategy, &ranks) {
            Ok(_) => {
                accepted += 1;
                assert_eq!(case.missed(&other), None, "seed {seed}");
            }
            Err(_) => rejected += 1,
        }
    }
    assert!(accepted > 100 && rejected > 500, "{accepted}, {rejected}");
}

#[test]
fn damaged_moves_and_ranks_are_seen() {
    let mut kinds = [(0, 0); 6];
    for seed in 0..1500 {
        let mut random = Random::new(seed + 10_000);
        let case = Case::new(&mut random);
        let tableau = case.tableau();
        let reading = Reading::new(&tableau, &case.automaton, &case.propositions).expect("small");
        let arena = Arena::new(&tableau, &case.automaton, &reading);
        let Ok(mut strategy) = game::strategy(&arena) else {
            continue;
        };
        let Ok(mut ranks) = ranks::ranks(&arena, &strategy) else {
            continue;
        };
        if strategy.edges.is_empty() {
            continue;
        }
        let kind = random.below(kinds.len());
        match kind {
            // A node less: an initial one is missing, or an edge leads nowhere.
            0 => {
                let edges = strategy.of(strategy.nodes.len() - 1).len();
                strategy.nodes.pop();
                strategy.ends.pop();
                strategy.edges.truncate(strategy.edges.len() - edges);
            }
            1 => {
                let place = random.below(strategy.edges.len());
                strategy.edges[place] = u32::MAX;
            }
            // An answer less.
            2 => {
                strategy.edges.pop();
                if let Some(end) = strategy.ends.last_mut() {
                    *end -= 1;
                }
            }
            3 => ranks[0].set(random.below(strategy.nodes.len()), None),
            // An edge that reads the letter, but of another state.
            4 => {
                let node = random.below(strategy.nodes.len());
                let moves = reading.moves(strategy.nodes[node].state).iter();
                let mut others = moves.filter(|step| step.source != strategy.nodes[node].at);
                let end = strategy.ends[node];
                match others.next() {
                    Some(step) if !strategy.of(node).is_empty() => {
                        strategy.edges[end - 1] = step.edge;
                    }
                    _ => continue,
                }
            }
            // All the ranks of one objective less.
            _ => {
                ranks.pop();
            }
        }
        match arena.check(&strategy, &ranks) {
            Ok(_) => kinds[kind].0 += 1,
            Err(_) => kinds[kind].1 += 1,
        }
    }
    for (kind, (accepted, rejected)) in kinds.into_iter().enumerate() {
        assert!(rejected > 50, "{kind}: {rejected}");
        assert_eq!(accepted, 0, "{kind}");
    }
}
