//! Brute force for formulas on small graphs: LTL and CTL over the fair runs of a net, by their definitions.
//!
//! Runs are maximal: infinite ones, and finite ones that end at a dead marking. A finite one is fair. For LTL its
//! last marking is repeated for ever; for CTL it is over: `EX` is false there and `AX` true.
//!
//! A formula of linear time is decided on the graph whose nodes are a marking with the truth of each part of the
//! formula that is not a condition on the marking alone. Whether a fair run exists is decided by taking components
//! apart, as the definition of Streett acceptance has it.

/// A formula.
#[derive(Clone, Debug)]
pub enum Formula {
    Atom(usize),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    /// Of linear time: `X`, `F`, `G` or `U`, of which the others have no second operand.
    Time(char, Box<Formula>, Box<Formula>),
    /// Of CTL: whether on all paths, and the operator.
    Path(bool, char, Box<Formula>, Box<Formula>),
}

/// What a run must do infinitely often, or not at all.
#[derive(Clone, Debug)]
pub enum Assumption {
    Weak(usize),
    Strong(usize),
    Just(usize),
    /// By two atoms.
    Compassion(usize, usize),
}

/// Markings by number.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// Where each marking leads, and which item the step takes.
    pub steps: Vec<Vec<(usize, usize)>>,
    /// For each atom where it holds.
    pub atoms: Vec<Vec<bool>>,
    pub assumptions: Vec<Assumption>,
}

/// A graph with marks on its edges.
struct Graph {
    edges: Vec<Vec<(usize, u64)>>,
    /// Marks that must be seen infinitely often.
    buchi: u64,
    /// If the first is, so must be the second.
    pairs: Vec<(u64, u64)>,
}

impl Graph {
    /// The nodes from which an accepting run exists.
    fn accepting(&self) -> Vec<bool> {
        let mut good = vec![false; self.edges.len()];
        self.search(&(0..self.edges.len()).collect::<Vec<_>>(), 0, &mut good);
        // And whatever leads there.
        loop {
            let leads = |at: usize| good[at] || self.edges[at].iter().any(|&(to, _)| good[to]);
            let again: Vec<bool> = (0..good.len()).map(leads).collect();
            if again == good {
                return good;
            }
            good = again;
        }
    }

    /// Marks the components among some nodes, without the edges that have a forbidden mark, that are accepting.
    fn search(&self, nodes: &[usize], forbidden: u64, good: &mut [bool]) {
        let mut inside = vec![false; self.edges.len()];
        nodes.iter().for_each(|&node| inside[node] = true);
        let allowed = |&&(to, marks): &&(usize, u64)| inside[to] && marks & forbidden == 0;
        let reach = |from: usize| {
            let mut seen = vec![false; self.edges.len()];
            let mut open = vec![from];
            while let Some(at) = open.pop() {
                for &(to, _) in self.edges[at].iter().filter(allowed) {
                    if !std::mem::replace(&mut seen[to], true) {
                        open.push(to);
                    }
                }
            }
            seen
        };
        let reached: Vec<(usize, Vec<bool>)> = nodes.iter().map(|&n| (n, reach(n))).collect();
        let mut done = vec![false; self.edges.len()];
        for (node, from) in &reached {
            if done[*node] || !from[*node] {
                continue;
            }
            let back = reached.iter().filter(|(n, seen)| from[*n] && seen[*node]);
            let component: Vec<usize> = back.map(|(n, _)| *n).collect();
            component.iter().for_each(|&n| done[n] = true);
            let mut seen = 0;
            for &at in &component {
                let own = self.edges[at].iter().filter(allowed);
                let own = own.filter(|(to, _)| component.contains(to));
                seen |= own.fold(0, |all, (_, marks)| all | marks);
            }
            let open = self
                .pairs
                .iter()
                .filter(|(l, u)| seen & l != 0 && seen & u == 0);
            let open = open.fold(0, |all, (l, _)| all | l);
            if seen & self.buchi != self.buchi {
                continue;
            }
            match open {
                0 => component.iter().for_each(|&n| good[n] = true),
                _ => self.search(&component, forbidden | open, good),
            }
        }
    }
}

impl System {
    fn is_enabled(&self, state: usize, item: usize) -> bool {
        self.steps[state].iter().any(|&(_, taken)| taken == item)
    }

    /// The marks of a step; staying at an end keeps all that is assumed.
    fn marks(&self, state: usize, taken: Option<usize>) -> u64 {
        let mut marks = 0;
        for (number, assumption) in self.assumptions.iter().enumerate() {
            let (first, second) = match (assumption, taken) {
                (_, None) => (true, true),
                (Assumption::Weak(item), Some(taken)) => {
                    let served = !self.is_enabled(state, *item) || taken == *item;
                    (true, served)
                }
                (Assumption::Strong(item), Some(taken)) => {
                    (self.is_enabled(state, *item), taken == *item)
                }
                (Assumption::Just(atom), Some(_)) => (true, self.atoms[*atom][state]),
                (Assumption::Compassion(when, then), Some(_)) => {
                    (self.atoms[*when][state], self.atoms[*then][state])
                }
            };
            marks |= u64::from(first) << (2 * number) | u64::from(second) << (2 * number + 1);
        }
        marks
    }

    fn pairs(&self) -> Vec<(u64, u64)> {
        let numbers = 0..self.assumptions.len();
        numbers.map(|n| (1 << (2 * n), 1 << (2 * n + 1))).collect()
    }

    /// The steps with an end that stays, and their marks.
    fn moves(&self, state: usize) -> Vec<(usize, u64)> {
        let steps = self.steps[state].iter();
        let mut moves: Vec<(usize, u64)> = steps
            .map(|&(to, item)| (to, self.marks(state, Some(item))))
            .collect();
        if moves.is_empty() {
            moves.push((state, self.marks(state, None)));
        }
        moves
    }

    /// Where a formula of CTL holds.
    pub fn branching(&self, formula: &Formula) -> Vec<bool> {
        let states = 0..self.steps.len();
        match formula {
            Formula::Atom(atom) => self.atoms[*atom].clone(),
            Formula::Not(f) => self.branching(f).into_iter().map(|holds| !holds).collect(),
            Formula::And(f, g) => {
                let (f, g) = (self.branching(f), self.branching(g));
                states.map(|state| f[state] && g[state]).collect()
            }
            Formula::Time(..) => unreachable!("a formula of CTL"),
            Formula::Path(all, operator, f, g) => {
                let (f, g) = (self.branching(f), self.branching(g));
                let not = |set: &[bool]| set.iter().map(|holds| !holds).collect::<Vec<bool>>();
                match (all, operator) {
                    (false, 'X') => self.some_next(&f),
                    (true, 'X') => not(&self.some_next(&not(&f))),
                    (false, 'F') => self.some_until(&vec![true; f.len()], &f),
                    (true, 'F') => not(&self.some_always(&not(&f))),
                    (false, 'G') => self.some_always(&f),
                    (true, 'G') => not(&self.some_until(&vec![true; f.len()], &not(&f))),
                    (false, _) => self.some_until(&f, &g),
                    (true, _) => {
                        // Some path breaks it: g never comes, or f ends before.
                        let neither: Vec<bool> = states.map(|s| !f[s] && !g[s]).collect();
                        let never = self.some_always(&not(&g));
                        let early = self.some_until(&not(&g), &neither);
                        never.iter().zip(early).map(|(a, b)| !a && !b).collect()
                    }
                }
            }
        }
    }

    /// The states from which some fair run stays in a set.
    fn some_always(&self, set: &[bool]) -> Vec<bool> {
        let inside = |state: usize| match set[state] {
            true => self
                .moves(state)
                .into_iter()
                .filter(|(to, _)| set[*to])
                .collect(),
            false => Vec::new(),
        };
        let graph = Graph {
            edges: (0..self.steps.len()).map(inside).collect(),
            buchi: 0,
            pairs: self.pairs(),
        };
        graph.accepting()
    }

    fn some_next(&self, set: &[bool]) -> Vec<bool> {
        let fair = self.some_always(&vec![true; set.len()]);
        let next = |steps: &Vec<(usize, usize)>| steps.iter().any(|&(to, _)| set[to] && fair[to]);
        self.steps.iter().map(next).collect()
    }

    fn some_until(&self, f: &[bool], g: &[bool]) -> Vec<bool> {
        let fair = self.some_always(&vec![true; f.len()]);
        let mut set: Vec<bool> = (0..f.len()).map(|s| g[s] && fair[s]).collect();
        loop {
            let step = |s: usize| set[s] || f[s] && self.steps[s].iter().any(|&(to, _)| set[to]);
            let again: Vec<bool> = (0..f.len()).map(step).collect();
            if again == set {
                return set;
            }
            set = again;
        }
    }

    /// Whether every fair run from the first marking satisfies a formula of linear time.
    pub fn linear(&self, formula: &Formula) -> bool {
        let mut parts = Vec::new();
        let root = collect(formula, &mut parts);
        let offset = 2 * self.assumptions.len();
        // The truth of all parts, by what is chosen for those that speak of time.
        let timed: Vec<usize> = (0..parts.len())
            .filter(|&part| matches!(parts[part], Part::Time(..)))
            .collect();
        let truth = |state: usize, choice: usize| {
            let mut values: Vec<bool> = Vec::new();
            for (number, part) in parts.iter().enumerate() {
                values.push(match *part {
                    Part::Atom(atom) => self.atoms[atom][state],
                    Part::Not(f) => !values[f],
                    Part::And(f, g) => values[f] && values[g],
                    Part::Time(..) => {
                        let place = timed.iter().position(|&t| t == number).unwrap_or(0);
                        choice >> place & 1 == 1
                    }
                });
            }
            values
        };
        let choices = 1 << timed.len();
        let (mut edges, mut buchi) = (Vec::new(), 0);
        for state in 0..self.steps.len() {
            for choice in 0..choices {
                let here = truth(state, choice);
                let mut own = 0;
                for (place, &part) in timed.iter().enumerate() {
                    // What is promised comes, or is not promised; what fails for ever is not promised.
                    let kept = match parts[part] {
                        Part::Time('F', f, _) => !here[part] || here[f],
                        Part::Time('G', f, _) => here[part] || !here[f],
                        Part::Time('U', _, g) => !here[part] || here[g],
                        _ => true,
                    };
                    buchi |= 1 << (offset + place);
                    own |= u64::from(kept) << (offset + place);
                }
                let mut list = Vec::new();
                for (to, marks) in self.moves(state) {
                    for next in 0..choices {
                        let there = truth(to, next);
                        let agrees = timed.iter().all(|&part| {
                            let value = match parts[part] {
                                Part::Time('X', f, _) => there[f],
                                Part::Time('F', f, _) => here[f] || there[part],
                                Part::Time('G', f, _) => here[f] && there[part],
                                Part::Time(_, f, g) => here[g] || here[f] && there[part],
                                _ => true,
                            };
                            here[part] == value
                        });
                        if agrees {
                            list.push((to * choices + next, marks | own));
                        }
                    }
                }
                edges.push(list);
            }
        }
        let pairs = self.pairs();
        let good = Graph {
            edges,
            buchi,
            pairs,
        }
        .accepting();
        !(0..choices).any(|choice| good[choice] && !truth(0, choice)[root])
    }
}

/// A part of a formula, with its operands by number.
#[derive(Clone, Copy, Debug)]
enum Part {
    Atom(usize),
    Not(usize),
    And(usize, usize),
    Time(char, usize, usize),
}

/// Lists the parts of a formula, operands first; the number of the last.
fn collect(formula: &Formula, parts: &mut Vec<Part>) -> usize {
    let part = match formula {
        Formula::Atom(atom) => Part::Atom(*atom),
        Formula::Not(f) => Part::Not(collect(f, parts)),
        Formula::And(f, g) => Part::And(collect(f, parts), collect(g, parts)),
        Formula::Time(operator, f, g) => {
            let f = collect(f, parts);
            let g = if *operator == 'U' {
                collect(g, parts)
            } else {
                f
            };
            Part::Time(*operator, f, g)
        }
        Formula::Path(..) => unreachable!("a formula of linear time"),
    };
    parts.push(part);
    parts.len() - 1
}
