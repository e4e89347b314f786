//! The laws of the product of automata that synchronise on shared symbols.
//!
//! The heart of it: the product accepts an ultimately periodic word iff each component accepts the
//! word's projection to its own alphabet. Membership is decided here by pairing an automaton with
//! the positions of the word and looking for a cycle that meets every acceptance set; the
//! components are asked about *projected* words, so the product's own synchronisation has no part
//! in the answer.

use std::collections::{BTreeMap, BTreeSet};

use evenhand_system::compose::{Automaton, Buchi, Product, SymbolId};
use evenhand_system::{Explicit, Foreign, ItemSpec, ProcessId, Successors};

use crate::common::{Random, cases};

fn random_automaton(random: &mut Random) -> Buchi {
    let names = ["a", "b", "c", "d"];
    let mask = 1 + random.below(15);
    let alphabet: Vec<String> = (0..4)
        .filter(|i| mask >> i & 1 == 1)
        .map(|i| names[i].to_string())
        .collect();
    let states = 1 + random.below(3);
    let mut automaton = Buchi::default();
    for from in 0..states as u32 {
        for symbol in 0..alphabet.len() as u32 {
            for to in 0..states as u32 {
                if random.chance(3, 5) {
                    automaton.transitions.insert((from, SymbolId(symbol), to));
                }
            }
        }
    }
    automaton.alphabet = alphabet;
    if random.chance(4, 5) {
        let accepting = (0..states as u32).filter(|_| random.chance(1, 2));
        automaton.accepting = Some(accepting.collect());
    }
    automaton
}

/// An ultimately periodic word; `cycle` may be empty for a finite one.
#[derive(Clone, Debug)]
struct Word {
    prefix: Vec<String>,
    cycle: Vec<String>,
}

fn random_word(random: &mut Random, alphabet: &[String]) -> Word {
    let letter =
        |random: &mut Random| alphabet[random.below(alphabet.len() as u64) as usize].clone();
    let (prefix, cycle) = (random.below(3), 1 + random.below(4));
    Word {
        prefix: (0..prefix).map(|_| letter(random)).collect(),
        cycle: (0..cycle).map(|_| letter(random)).collect(),
    }
}

fn projection(word: &Word, alphabet: &[String]) -> Word {
    let keep = |part: &[String]| {
        part.iter()
            .filter(|s| alphabet.contains(s))
            .cloned()
            .collect()
    };
    Word {
        prefix: keep(&word.prefix),
        cycle: keep(&word.cycle),
    }
}

/// Whether an automaton accepts a word. A finite word is accepted iff a run on it ends in a state
/// that is in every acceptance set: standing still there for ever visits each infinitely often.
fn accepts<A: Automaton>(automaton: &A, word: &Word) -> bool
where
    A::State: Ord,
{
    let letters: Vec<&String> = word.prefix.iter().chain(&word.cycle).collect();
    let step = |state: &A::State, letter: &String| -> Vec<A::State> {
        let symbol = automaton.alphabet().iter().position(|s| s == letter);
        symbol.map_or_else(Vec::new, |s| {
            automaton.successors(state, SymbolId(s as u32))
        })
    };
    let all_sets = |states: &BTreeSet<&A::State>| {
        (0..automaton.acceptance_sets())
            .all(|set| states.iter().any(|s| automaton.is_accepting(set, s)))
    };
    // Nodes: a state in front of a letter.
    type Node<A> = (<A as Automaton>::State, usize);
    let mut edges: BTreeMap<Node<A>, Vec<Node<A>>> = BTreeMap::new();
    let mut queue = vec![(automaton.initial(), 0)];
    while let Some((state, at)) = queue.pop() {
        if edges.contains_key(&(state.clone(), at)) {
            continue;
        }
        let out: Vec<Node<A>> = match letters.get(at) {
            None => Vec::new(),
            Some(letter) => {
                let wraps = at + 1 == letters.len() && !word.cycle.is_empty();
                let next = if wraps { word.prefix.len() } else { at + 1 };
                step(&state, letter)
                    .into_iter()
                    .map(|t| (t, next))
                    .collect()
            }
        };
        queue.extend(out.iter().cloned());
        edges.insert((state, at), out);
    }
    if word.cycle.is_empty() {
        let mut ends = edges.keys().filter(|(_, at)| *at == letters.len());
        return ends.any(|(state, _)| all_sets(&BTreeSet::from([state])));
    }
    let reach = |from: &Node<A>| {
        let mut seen: BTreeSet<Node<A>> = BTreeSet::new();
        let mut queue = edges[from].clone();
        while let Some(node) = queue.pop() {
            if seen.insert(node.clone()) {
                queue.extend(edges[&node].iter().cloned());
            }
        }
        seen
    };
    let reached: BTreeMap<&Node<A>, BTreeSet<Node<A>>> =
        edges.keys().map(|node| (node, reach(node))).collect();
    reached.iter().any(|(node, from)| {
        let component = from.iter().filter(|other| reached[other].contains(node));
        from.contains(node) && all_sets(&component.map(|(state, _)| state).collect())
    })
}

#[test]
fn the_product_accepts_what_every_component_accepts_on_its_alphabet() {
    let mut random = Random::new(11);
    let (mut yes, mut no, mut finite) = (0, 0, 0);
    for _ in 0..cases(600) {
        let count = 2 + random.below(2);
        let components: Vec<Buchi> = (0..count).map(|_| random_automaton(&mut random)).collect();
        let product = Product::new(components.clone());
        for _ in 0..5 {
            let word = random_word(&mut random, product.alphabet());
            let parts: Vec<Word> = components
                .iter()
                .map(|c| projection(&word, &c.alphabet))
                .collect();
            let expected = components
                .iter()
                .zip(&parts)
                .all(|(c, part)| accepts(c, part));
            assert_eq!(
                accepts(&product, &word),
                expected,
                "{components:?} {word:?}"
            );
            *(if expected { &mut yes } else { &mut no }) += 1;
            finite += usize::from(parts.iter().any(|part| part.cycle.is_empty()));
        }
    }
    assert!(yes > 200 && no > 200 && finite > 200, "{yes} {no} {finite}");
}

type Tuple = Vec<u32>;

/// The reachable part with symbols by name and tuples as `flat` gives them.
fn graph<A: Automaton>(
    automaton: &A,
    flat: impl Fn(&A::State) -> Tuple,
) -> BTreeMap<Tuple, BTreeSet<(String, Tuple)>> {
    let mut graph = BTreeMap::new();
    let mut queue = vec![automaton.initial()];
    while let Some(state) = queue.pop() {
        if graph.contains_key(&flat(&state)) {
            continue;
        }
        let mut out = BTreeSet::new();
        for (name, symbol) in automaton.alphabet().iter().zip(0..) {
            for next in automaton.successors(&state, SymbolId(symbol)) {
                out.insert((name.clone(), flat(&next)));
                queue.push(next);
            }
        }
        graph.insert(flat(&state), out);
    }
    graph
}

#[test]
fn the_product_is_commutative_and_associative() {
    let mut random = Random::new(12);
    for _ in 0..cases(300) {
        let [a, b, c] = [0; 3].map(|_| random_automaton(&mut random));
        let plain = Product::new(vec![a.clone(), b.clone(), c.clone()]);
        let turned = Product::new(vec![c.clone(), a.clone(), b.clone()]);
        let expected = graph(&plain, Tuple::clone);
        assert_eq!(graph(&turned, |t| vec![t[1], t[2], t[0]]), expected);
        let nested = Product::new(vec![
            Product::new(vec![a.clone(), b.clone()]),
            Product::new(vec![c.clone()]),
        ]);
        assert_eq!(graph(&nested, |t| t.concat()), expected);
        let other = Product::new(vec![Product::new(vec![a]), Product::new(vec![b, c])]);
        assert_eq!(graph(&other, |t| t.concat()), expected);
        assert_eq!(nested.acceptance_sets(), plain.acceptance_sets());
        for state in expected.keys() {
            for set in 0..plain.acceptance_sets() {
                let pairs = vec![state[..2].to_vec(), state[2..].to_vec()];
                assert_eq!(
                    nested.is_accepting(set, &pairs),
                    plain.is_accepting(set, state)
                );
            }
        }
    }
}

#[test]
fn the_owners_of_a_symbol_take_part_in_its_step() {
    let mut random = Random::new(13);
    let mut joint = 0;
    for _ in 0..cases(100) {
        let components: Vec<Buchi> = (0..3).map(|_| random_automaton(&mut random)).collect();
        let owners = |symbol: &str| -> Vec<bool> {
            let own = |c: &Buchi| c.alphabet.iter().any(|s| s == symbol);
            components.iter().map(own).collect()
        };
        let product = Product::new(components.clone());
        let expected = graph(&product, Tuple::clone);
        let system = Foreign::new(product).expect("few processes");
        let items: Vec<ItemSpec> = ProcessId::first(3)
            .map(|pid| ItemSpec::Process {
                pid,
                as_partner: true,
            })
            .collect();
        let mut explorer = system.explorer(&items);
        let mut out = Successors::new();
        explorer.initial(&mut out);
        let mut queue = vec![out.state(0).to_vec()];
        let mut seen: BTreeSet<Vec<u8>> = queue.iter().cloned().collect();
        while let Some(state) = queue.pop() {
            explorer.expand(&state, &mut out);
            assert!(out.faults().is_empty());
            let mut enabled = vec![false; 3];
            for index in 0..out.len() {
                let action = out.step(index).action.expect("an action");
                let action = &system.signature().actions[action.index()];
                let who = owners(&action.text);
                let bits = out.taken(index)[0];
                let taken: Vec<bool> = (0..3).map(|i| bits >> i & 1 == 1).collect();
                assert_eq!(taken, who);
                joint += usize::from(who.iter().filter(|&&is| is).count() > 1);
                (0..3).for_each(|i| enabled[i] |= who[i]);
                if seen.insert(out.state(index).to_vec()) {
                    queue.push(out.state(index).to_vec());
                }
            }
            let bits = out.enabled()[0];
            assert_eq!(
                (0..3).map(|i| bits >> i & 1 == 1).collect::<Vec<_>>(),
                enabled
            );
        }
        assert_eq!(seen.len(), expected.len());
    }
    assert!(joint > 100);
}
