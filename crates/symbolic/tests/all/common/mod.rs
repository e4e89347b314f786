//! What the tests share: models, and the semantics by brute force.
//!
//! The oracle lists all states of a small model with the evaluator of expressions, puts testers
//! beside them state by state, and finds fair runs by splitting components until they are fair. It
//! has nothing in common with the engine but the testers of formulas, which the runs that are found
//! are judged without.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use evenhand_logic::random::Random;
use evenhand_logic::{
    Assignment, AtomId, Exactness, FormulaId, Formulas, Lasso, Node, Quantifier, Unary, When,
    evaluate, tester,
};
use evenhand_smv::SmvModel;
use evenhand_source::Files;
use evenhand_symbolic::Run;
use evenhand_system::compose::{FairSystem, Valuation};
use evenhand_system::fairness::{Compassion, PropositionId};
use evenhand_system::relation::{Enumerated, Relation, Role};

/// How many cases, unless the environment says otherwise.
pub fn cases(few: u64) -> u64 {
    let asked = std::env::var("EVENHAND_CASES").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(few)
}

/// The first seed.
pub fn first_seed() -> u64 {
    let asked = std::env::var("EVENHAND_SEED").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(1)
}

pub fn load(text: &str) -> Option<SmvModel> {
    let mut files = Files::default();
    let file = files.add("test.smv", text);
    evenhand_smv::load(files, file).ok()
}

/// A small model with random fairness; propositions are named `p0`, `p1`, … in formulas.
pub fn random_model(seed: u64) -> Option<Relation> {
    let text = match seed % 3 {
        0 => evenhand_testkit::smv_models::verdict_model(seed),
        _ => evenhand_testkit::smv_models::model(seed),
    };
    let mut relation = load(&text)?.relation;
    relation.propositions.clear();
    relation.justice.clear();
    relation.compassion.clear();
    let mut random = Random::new(seed ^ 0x5eed);
    let states: Vec<u32> = (0..relation.variables.len() as u32)
        .filter(|&v| relation.variables[v as usize].role != Role::Input)
        .collect();
    for number in 0..4 {
        let id = evenhand_system::relation::VarId(states[random.below(states.len())]);
        let values = relation.variables[id.0 as usize].sort.values(100)?;
        let value = values[random.below(values.len())];
        let pool = &mut relation.expressions;
        let (variable, value) = (pool.current(id), pool.constant(value));
        let mut is = pool.equal(variable, value);
        if random.below(3) == 0 {
            is = pool.not(is);
        }
        relation.add_proposition(format!("p{number}"), is);
    }
    let mut proposition = || PropositionId(random.below(4) as u32);
    let justice: Vec<PropositionId> = (0..2).map(|_| proposition()).collect();
    let pairs: Vec<Compassion> = (0..2)
        .map(|_| Compassion {
            when: proposition(),
            then: proposition(),
        })
        .collect();
    relation.justice = justice[..random.below(3)].to_vec();
    relation.compassion = pairs[..random.below(3)].to_vec();
    Some(relation)
}

/// A model state by state.
pub struct Graph {
    pub states: Vec<Valuation>,
    pub successors: Vec<Vec<usize>>,
    pub initial: Vec<usize>,
    /// For each proposition, where it holds.
    pub labels: Vec<Vec<bool>>,
    pub justice: Vec<PropositionId>,
    pub compassion: Vec<Compassion>,
    relation: Relation,
}

impl Graph {
    /// Explores a relation, if it is small and everything is defined.
    pub fn new(relation: &Relation, most: usize) -> Option<Graph> {
        let system = Enumerated::new(relation.clone()).ok()?;
        let mut graph = Graph {
            states: Vec::new(),
            successors: Vec::new(),
            initial: Vec::new(),
            labels: Vec::new(),
            justice: relation.justice.clone(),
            compassion: relation.compassion.clone(),
            relation: relation.clone(),
        };
        let mut known: BTreeMap<Valuation, usize> = BTreeMap::new();
        for state in system.initial_states().ok()? {
            graph.initial.push(known.len());
            known.insert(state.clone(), graph.states.len());
            graph.states.push(state);
        }
        let mut at = 0;
        while at < graph.states.len() {
            let mut targets = BTreeSet::new();
            for part in 0..relation.trans.len() {
                targets.extend(system.successors(part, &graph.states[at]).ok()?);
            }
            let mut list = Vec::new();
            for target in targets {
                let number = *known.entry(target.clone()).or_insert_with(|| {
                    graph.states.push(target);
                    graph.states.len() - 1
                });
                list.push(number);
            }
            graph.successors.push(list);
            at += 1;
            if graph.states.len() > most {
                return None;
            }
        }
        let count = relation.propositions.len() as u32;
        for id in (0..count).map(PropositionId) {
            let label = graph.states.iter().map(|s| system.holds(id, s));
            let label = label.collect();
            graph.labels.push(label);
        }
        Some(graph)
    }

    fn label(&self, id: PropositionId) -> &Vec<bool> {
        &self.labels[id.0 as usize]
    }

    /// The place of a state of a run.
    pub fn find(&self, full: &[i64]) -> Option<usize> {
        let own = self.relation.variables.iter().zip(full);
        let own: Valuation = own
            .filter(|(v, _)| v.role != Role::Input)
            .map(|(_, value)| *value)
            .collect();
        self.states.iter().position(|s| *s == own)
    }

    /// Whether a run is one of the model; then the places of its states.
    pub fn follow(&self, run: &Run) -> Result<Vec<usize>, String> {
        let places: Option<Vec<usize>> = run.states.iter().map(|s| self.find(s)).collect();
        let places = places.ok_or("a state is not reachable")?;
        let first = places.first().ok_or("no state")?;
        if !self.initial.contains(first) {
            return Err("the first state is not initial".into());
        }
        let mut steps: Vec<(usize, usize)> = places.windows(2).map(|p| (p[0], p[1])).collect();
        if let (Some(turn), Some(&last)) = (run.turn, places.last()) {
            steps.push((last, places[turn]));
        }
        match steps.iter().find(|(a, b)| !self.successors[*a].contains(b)) {
            Some(step) => Err(format!("no step {step:?}")),
            None => Ok(places),
        }
    }

    /// Whether a lasso is a fair run of the model that satisfies a formula of linear time.
    pub fn judge(
        &self,
        run: &Run,
        store: &Formulas,
        formula: FormulaId,
        truth: &dyn Fn(AtomId, usize) -> bool,
    ) -> Result<(), String> {
        let places = self.follow(run)?;
        let turn = run.turn.ok_or("no lasso")?;
        let cycle = &places[turn..];
        let met = |id: PropositionId| cycle.iter().any(|&s| self.label(id)[s]);
        if self.justice.iter().any(|&id| !met(id)) {
            return Err("unjust".into());
        }
        if self.compassion.iter().any(|c| met(c.when) && !met(c.then)) {
            return Err("without compassion".into());
        }
        let lasso = Lasso {
            prefix: turn,
            cycle: cycle.len(),
        };
        match evaluate(store, formula, lasso, &|at, atom| truth(atom, places[at])) {
            Ok(true) => Ok(()),
            _ => Err("the formula does not hold".into()),
        }
    }

    /// The nodes of a graph over the states that have a fair path, with further justice.
    fn fair(&self, graph: &Nodes, justice: &[Vec<bool>]) -> Vec<bool> {
        let lift =
            |label: &Vec<bool>| -> Vec<bool> { graph.state.iter().map(|&s| label[s]).collect() };
        let mut just: Vec<Vec<bool>> = self.justice.iter().map(|&j| lift(self.label(j))).collect();
        just.extend(justice.iter().cloned());
        let pairs: Vec<(Vec<bool>, Vec<bool>)> = self
            .compassion
            .iter()
            .map(|c| (lift(self.label(c.when)), lift(self.label(c.then))))
            .collect();
        let count = graph.state.len();
        let mut good = vec![false; count];
        let mut open: Vec<Vec<usize>> = vec![(0..count).collect()];
        while let Some(set) = open.pop() {
            for component in components(graph, &set) {
                let edges = component
                    .iter()
                    .any(|&n| graph.successors[n].iter().any(|t| component.contains(t)));
                let met = |label: &Vec<bool>| component.iter().any(|&n| label[n]);
                if !edges || just.iter().any(|j| !met(j)) {
                    continue;
                }
                let bad = pairs.iter().filter(|(p, q)| met(p) && !met(q));
                let bad: Vec<&Vec<bool>> = bad.map(|(p, _)| p).collect();
                if bad.is_empty() {
                    component.iter().for_each(|&n| good[n] = true);
                    continue;
                }
                let rest = component.iter().copied();
                open.push(rest.filter(|&n| bad.iter().all(|p| !p[n])).collect());
            }
        }
        // What reaches a fair component.
        loop {
            let more: Vec<usize> = (0..count)
                .filter(|&n| !good[n] && graph.successors[n].iter().any(|&t| good[t]))
                .collect();
            if more.is_empty() {
                return good;
            }
            more.into_iter().for_each(|n| good[n] = true);
        }
    }

    /// The states with a fair path.
    pub fn fair_states(&self) -> Vec<bool> {
        let graph = Nodes {
            state: (0..self.states.len()).collect(),
            successors: self.successors.clone(),
        };
        self.fair(&graph, &[])
    }

    /// The states on a fair run from which a formula of linear time holds at some position, and
    /// those where it holds at position 0.
    pub fn exists(
        &self,
        store: &mut Formulas,
        formula: FormulaId,
        truth: &dyn Fn(AtomId, usize) -> bool,
    ) -> (Vec<bool>, Vec<bool>) {
        let tester = tester(store, formula, Exactness::Full).expect("linear");
        let bits = tester.variables.len();
        let values = |s: usize, x: usize, t: usize, y: usize| {
            tester.values(&Assignment {
                atom: &|atom, when| truth(atom, if when == When::Now { s } else { t }),
                variable: &|v, when| {
                    let word = if when == When::Now { x } else { y };
                    word >> v.0 & 1 == 1
                },
            })
        };
        let mut places: HashMap<(usize, usize), usize> = HashMap::new();
        let mut nodes: Vec<(usize, usize)> = Vec::new();
        let mut first = Vec::new();
        for &s in &self.initial {
            for x in 0..1 << bits {
                let values = values(s, x, s, x);
                if tester.initial.iter().all(|t| values[t.0 as usize]) {
                    first.push(nodes.len());
                    places.insert((s, x), nodes.len());
                    nodes.push((s, x));
                }
            }
        }
        let mut graph = Nodes::default();
        let mut at = 0;
        while at < nodes.len() {
            let (s, x) = nodes[at];
            let mut list = Vec::new();
            for &t in &self.successors[s] {
                for y in 0..1 << bits {
                    let values = values(s, x, t, y);
                    if tester.transition.iter().all(|c| values[c.0 as usize]) {
                        list.push(*places.entry((t, y)).or_insert_with(|| {
                            nodes.push((t, y));
                            nodes.len() - 1
                        }));
                    }
                }
            }
            graph.state.push(s);
            graph.successors.push(list);
            at += 1;
        }
        let at_node = |term: evenhand_logic::TermId| -> Vec<bool> {
            let truth = nodes
                .iter()
                .map(|&(s, x)| values(s, x, s, x)[term.0 as usize]);
            truth.collect()
        };
        let justice: Vec<Vec<bool>> = tester.justice.iter().map(|&t| at_node(t)).collect();
        let fair = self.fair(&graph, &justice);
        let asserted = at_node(tester.asserted);
        let mut any = vec![false; self.states.len()];
        let mut start = vec![false; self.states.len()];
        for (n, &(s, _)) in nodes.iter().enumerate() {
            any[s] |= fair[n] && asserted[n];
        }
        for n in first {
            start[nodes[n].0] |= fair[n] && asserted[n];
        }
        (any, start)
    }

    /// The states that satisfy a formula of CTL*; outermost quantifiers at position 0 if `first`.
    pub fn satisfying(
        &self,
        store: &mut Formulas,
        formula: FormulaId,
        truth: &dyn Fn(AtomId, usize) -> bool,
        first: bool,
    ) -> Vec<bool> {
        let count = self.states.len();
        let each = |f: &dyn Fn(usize) -> bool| -> Vec<bool> { (0..count).map(f).collect() };
        let node = store.node(formula).clone();
        let mut of = |f: FormulaId| self.satisfying(store, f, truth, first);
        match node {
            Node::Constant(value) => vec![value; count],
            Node::Atom(atom) => each(&|s| truth(atom, s)),
            Node::Not(f) => of(f).into_iter().map(|v| !v).collect(),
            Node::And(list) => {
                let sets: Vec<Vec<bool>> = list.iter().map(|&f| of(f)).collect();
                each(&|s| sets.iter().all(|set| set[s]))
            }
            Node::Or(list) => {
                let sets: Vec<Vec<bool>> = list.iter().map(|&f| of(f)).collect();
                each(&|s| sets.iter().any(|set| set[s]))
            }
            Node::Implies(f, g) => {
                let (f, g) = (of(f), of(g));
                each(&|s| !f[s] || g[s])
            }
            Node::Iff(f, g) => {
                let (f, g) = (of(f), of(g));
                each(&|s| f[s] == g[s])
            }
            Node::Xor(f, g) => {
                let (f, g) = (of(f), of(g));
                each(&|s| f[s] != g[s])
            }
            Node::Path(quantifier, body) => {
                let mut inner: HashMap<AtomId, Vec<bool>> = HashMap::new();
                let body = self.flat(store, body, truth, &mut inner);
                let body = match quantifier {
                    Quantifier::Exists => body,
                    Quantifier::All => store.not(body),
                };
                let all = |atom: AtomId, s: usize| match inner.get(&atom) {
                    Some(set) => set[s],
                    None => truth(atom, s),
                };
                let (any, start) = self.exists(store, body, &all);
                let set = if first { start } else { any };
                match quantifier {
                    Quantifier::Exists => set,
                    Quantifier::All => set.into_iter().map(|v| !v).collect(),
                }
            }
            Node::Unary(..) | Node::Binary(..) => panic!("no state formula"),
        }
    }

    /// The body of a quantifier with atoms for the quantifiers inside, whose sets are added.
    pub fn flat(
        &self,
        store: &mut Formulas,
        formula: FormulaId,
        truth: &dyn Fn(AtomId, usize) -> bool,
        inner: &mut HashMap<AtomId, Vec<bool>>,
    ) -> FormulaId {
        let node = store.node(formula).clone();
        match node {
            Node::Constant(_) | Node::Atom(_) => formula,
            Node::Path(..) => {
                let set = self.satisfying(store, formula, truth, false);
                let atom = store.atom(&format!("inner{}", formula.index()));
                if let Node::Atom(id) = store.node(atom) {
                    inner.insert(*id, set);
                }
                atom
            }
            Node::Not(f) => {
                let f = self.flat(store, f, truth, inner);
                store.not(f)
            }
            Node::And(list) => {
                let list: Vec<_> = list
                    .iter()
                    .map(|&f| self.flat(store, f, truth, inner))
                    .collect();
                store.and(list)
            }
            Node::Or(list) => {
                let list: Vec<_> = list
                    .iter()
                    .map(|&f| self.flat(store, f, truth, inner))
                    .collect();
                store.or(list)
            }
            Node::Implies(f, g) => {
                let (f, g) = (
                    self.flat(store, f, truth, inner),
                    self.flat(store, g, truth, inner),
                );
                store.implies(f, g)
            }
            Node::Iff(f, g) => {
                let (f, g) = (
                    self.flat(store, f, truth, inner),
                    self.flat(store, g, truth, inner),
                );
                store.iff(f, g)
            }
            Node::Xor(f, g) => {
                let (f, g) = (
                    self.flat(store, f, truth, inner),
                    self.flat(store, g, truth, inner),
                );
                store.xor(f, g)
            }
            Node::Unary(op, f) => {
                let f = self.flat(store, f, truth, inner);
                store.unary(op, f)
            }
            Node::Binary(op, f, g) => {
                let (f, g) = (
                    self.flat(store, f, truth, inner),
                    self.flat(store, g, truth, inner),
                );
                store.binary(op, f, g)
            }
        }
    }
}

/// A graph whose nodes are over states.
#[derive(Default)]
struct Nodes {
    state: Vec<usize>,
    successors: Vec<Vec<usize>>,
}

/// The strongly connected components of a part of a graph, by forward and backward search.
fn components(graph: &Nodes, part: &[usize]) -> Vec<BTreeSet<usize>> {
    let mut left: BTreeSet<usize> = part.iter().copied().collect();
    let mut found = Vec::new();
    let within: BTreeSet<usize> = left.clone();
    let mut predecessors: HashMap<usize, Vec<usize>> = HashMap::new();
    for &n in part {
        for &t in &graph.successors[n] {
            predecessors.entry(t).or_default().push(n);
        }
    }
    let search = |start: usize, next: &dyn Fn(usize) -> Vec<usize>| {
        let mut seen = BTreeSet::from([start]);
        let mut open = vec![start];
        while let Some(n) = open.pop() {
            open.extend(
                next(n)
                    .into_iter()
                    .filter(|t| within.contains(t) && seen.insert(*t)),
            );
        }
        seen
    };
    while let Some(&start) = left.first() {
        let after = search(start, &|n| graph.successors[n].clone());
        let before = search(start, &|n| {
            predecessors.get(&n).cloned().unwrap_or_default()
        });
        let component: BTreeSet<usize> = after.intersection(&before).copied().collect();
        left.retain(|n| !component.contains(n));
        found.push(component);
    }
    found
}

/// A random formula of CTL* over `p0` to `p3`.
pub fn ctl_star(random: &mut Random, store: &mut Formulas, depth: usize) -> FormulaId {
    if depth == 0 {
        return store.atom(&format!("p{}", random.below(4)));
    }
    match random.below(8) {
        0 => {
            let f = ctl_star(random, store, depth - 1);
            store.not(f)
        }
        1 | 2 => {
            let (f, g) = (
                ctl_star(random, store, depth - 1),
                ctl_star(random, store, depth - 1),
            );
            match random.below(3) {
                0 => store.and([f, g]),
                1 => store.or([f, g]),
                _ => store.implies(f, g),
            }
        }
        _ => {
            let body = path_formula(random, store, depth, depth.min(2));
            let quantifier = match random.below(2) {
                0 => Quantifier::All,
                _ => Quantifier::Exists,
            };
            store.path(quantifier, body)
        }
    }
}

fn path_formula(
    random: &mut Random,
    store: &mut Formulas,
    depth: usize,
    temporal: usize,
) -> FormulaId {
    use evenhand_logic::Binary::{Release, Since, StrongRelease, Trigger, Until, WeakUntil};
    if temporal == 0 {
        return ctl_star(random, store, depth - 1);
    }
    let f = path_formula(random, store, depth, temporal - 1);
    match random.below(14) {
        0 | 1 => store.finally(f),
        2 | 3 => store.globally(f),
        4 | 5 => store.next(f),
        6 => store.unary(Unary::Yesterday, f),
        7 => store.unary(Unary::WeakYesterday, f),
        8 => store.unary(Unary::Once, f),
        9 => store.unary(Unary::Historically, f),
        10 => store.not(f),
        _ => {
            let g = path_formula(random, store, depth, temporal - 1);
            match random.below(8) {
                0 | 1 => store.binary(Until, f, g),
                2 => store.binary(WeakUntil, f, g),
                3 => store.binary(Release, f, g),
                4 => store.binary(StrongRelease, f, g),
                5 => store.binary(Since, f, g),
                6 => store.binary(Trigger, f, g),
                _ => store.and([f, g]),
            }
        }
    }
}

/// The proposition of an atom named `p…`.
pub fn proposition(store: &Formulas, atom: AtomId) -> Option<PropositionId> {
    let text = &store.atom_info(atom).text;
    text.strip_prefix('p')?.parse().ok().map(PropositionId)
}
