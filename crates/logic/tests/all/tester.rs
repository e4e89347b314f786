//! Testers, judged by the evaluator: beside a lasso word a tester has a fair run iff the word
//! satisfies the formula.

use evenhand_logic::random::{Random, Word};
use evenhand_logic::{
    Assignment, Exactness, Formulas, Spelling, Tester, TesterVariable, When, evaluate_everywhere,
    print, tester,
};

/// The fair runs of a tester beside a word, by brute force over all valuations of its variables.
struct Beside<'a> {
    tester: &'a Tester,
    word: &'a Word,
}

impl Beside<'_> {
    fn width(&self) -> usize {
        1 << self.tester.variables.len()
    }

    fn next(&self, i: usize) -> usize {
        match i + 1 < self.word.letters.len() {
            true => i + 1,
            false => self.word.lasso.prefix,
        }
    }

    fn values(&self, i: usize, now: usize, next: usize) -> Vec<bool> {
        let j = self.next(i);
        let bit = |v: TesterVariable, bits: usize| bits >> v.0 & 1 == 1;
        self.tester.values(&Assignment {
            atom: &|a, when| match when {
                When::Now => self.word.holds(i, a),
                When::Next => self.word.holds(j, a),
            },
            variable: &|v, when| match when {
                When::Now => bit(v, now),
                When::Next => bit(v, next),
            },
        })
    }

    /// The nodes from which a fair run starts, by the fixpoint of the definition: nodes that can go
    /// round for ever meeting each justice condition again and again.
    fn fair(&self) -> Vec<bool> {
        let (length, width) = (self.word.letters.len(), self.width());
        let node = |i: usize, v: usize| i * width + v;
        let mut edges = vec![Vec::new(); length * width];
        let mut just = vec![vec![false; length * width]; self.tester.justice.len()];
        for i in 0..length {
            for now in 0..width {
                for next in 0..width {
                    let values = self.values(i, now, next);
                    if self.tester.transition.iter().all(|t| values[t.0 as usize]) {
                        edges[node(i, now)].push(node(self.next(i), next));
                    }
                    for (k, t) in self.tester.justice.iter().enumerate() {
                        just[k][node(i, now)] = values[t.0 as usize];
                    }
                }
            }
        }
        let mut alive = vec![true; length * width];
        loop {
            let before = alive.clone();
            // Some step stays alive.
            alive = (0..alive.len())
                .map(|n| alive[n] && edges[n].iter().any(|&m| alive[m]))
                .collect();
            // Each justice condition can be met later, and life goes on from there.
            for condition in &just {
                let mut reaches: Vec<bool> =
                    (0..alive.len()).map(|n| alive[n] && condition[n]).collect();
                loop {
                    let step: Vec<bool> = (0..alive.len())
                        .map(|n| reaches[n] || (alive[n] && edges[n].iter().any(|&m| reaches[m])))
                        .collect();
                    if step == reaches {
                        break;
                    }
                    reaches = step;
                }
                alive = reaches;
            }
            if alive == before {
                return alive;
            }
        }
    }

    fn starts(&self) -> Vec<usize> {
        let fair = self.fair();
        (0..self.width())
            .filter(|&v| {
                let values = self.values(0, v, v);
                fair[v] && self.tester.initial.iter().all(|t| values[t.0 as usize])
            })
            .collect()
    }
}

fn check(exactness: Exactness, seed: u64) {
    let mut random = Random::new(seed);
    let mut done = 0;
    while done < 250 {
        let mut store = Formulas::new();
        for i in 0..2 {
            store.atom(&format!("p{i}"));
        }
        let size = 1 + random.below(6);
        let past = random.below(2) == 0;
        let f = random.formula(&mut store, size, 2, past);
        let tester = tester(&mut store, f, exactness).expect("no quantifiers");
        if tester.variables.len() > 4 {
            continue;
        }
        done += 1;
        for _ in 0..6 {
            let word = random.word(4, 2);
            let beside = Beside {
                tester: &tester,
                word: &word,
            };
            let starts = beside.starts();
            let truth = word.satisfies(&store, f);
            let asserted = starts.iter().any(|&v| {
                let values = beside.values(0, v, v);
                values[tester.asserted.0 as usize]
            });
            let text = print(&store, f, Spelling::Spot);
            assert_eq!(asserted, truth, "{text} on {word:?}");
            if exactness == Exactness::Full {
                // The only fair start says of each subformula what the evaluator says.
                assert_eq!(starts.len(), 1, "{text} on {word:?}");
                for (i, &g) in tester.variables.iter().enumerate() {
                    let holds = |at, a| word.holds(at, a);
                    let values =
                        evaluate_everywhere(&store, g, word.lasso, &holds).expect("no quantifiers");
                    assert_eq!(starts[0] >> i & 1 == 1, values[0], "{text} on {word:?}");
                }
            }
        }
    }
}

#[test]
fn asserted_testers_agree_with_the_evaluator() {
    check(Exactness::Asserted, 21);
}

#[test]
fn full_testers_are_exact_in_every_variable() {
    check(Exactness::Full, 22);
}

#[test]
fn quantifiers_have_no_tester() {
    let mut store = Formulas::new();
    let f = evenhand_logic::parse(&mut store, "E F p", Spelling::Any).expect("a formula");
    assert!(tester(&mut store, f, Exactness::Asserted).is_err());
}
