//! Decision diagrams with many values, to ask whether an expression is always defined.
//!
//! A node tests one variable and has a child for each of its values; a leaf is what the expression
//! is then: a number, or the reason why it is not defined. Equal nodes are one, and a node whose
//! children are equal is not made, so a diagram is small where the expression asks few questions
//! (Kam, Villa, Brayton, Sangiovanni-Vincentelli: multi-valued decision diagrams, 1998). An
//! operator is applied leaf by leaf with its results remembered; what is decided by one operand is
//! not looked at further. Variables that choose (an index, the process that moves) are tested first: below them there is
//! only what they have chosen, while a choice after everything else has to be kept for all of it.
//!
//! This is what NuSMV does with its own diagrams when it reports a `case` that is not exhaustive,
//! or a value that does not fit. Size is the limit: when a budget is spent the question stays open.

use std::collections::{BTreeMap, BTreeSet};

use evenhand_source::budget::spend_many;
use evenhand_system::relation::{BinaryOp, ExprId, Node, Relation, Undefined, VarId, operate};
use rustc_hash::FxHashMap as HashMap;

/// How many steps all questions together may take, and how many a single one.
const BUDGET: u64 = 20_000_000;
const BUDGET_OF_ONE: u64 = 3_000_000;

/// The most values of a variable, and the most variables of an expression.
const MAX_VALUES: usize = 4096;
const MAX_VARIABLES: usize = 400;

/// What an expression is for some values of the variables.
pub(super) type Outcome = Result<i128, Undefined>;

/// A question that is too large.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooLarge;

/// A diagram: a leaf or a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Ref {
    Leaf(u32),
    Node(u32),
}

/// What an expression is, and values of the variables for which it is that.
pub(super) type Example = (Outcome, BTreeMap<Level, i64>);

/// A variable: now, or in the next state.
pub(super) type Level = (VarId, bool);

#[derive(Debug)]
struct Inner {
    level: Level,
    children: Box<[Ref]>,
}

#[derive(Debug, Default)]
pub(super) struct Diagrams {
    nodes: Vec<Inner>,
    known_nodes: HashMap<(Level, Box<[Ref]>), Ref>,
    leaves: Vec<Outcome>,
    known_leaves: HashMap<Outcome, Ref>,
    values: HashMap<VarId, Vec<i64>>,
    /// The places of variables: those that choose come first.
    places: HashMap<VarId, usize>,
    expressions: HashMap<ExprId, Ref>,
    spent: u64,
    limit: u64,
}

impl Diagrams {
    /// No diagrams yet; these expressions are asked about.
    pub fn about(relation: &Relation, expressions: impl IntoIterator<Item = ExprId>) -> Diagrams {
        let pool = &relation.expressions;
        // A test counts for each of the variables that it is about, less if these are many.
        let mut tests: BTreeSet<ExprId> = BTreeSet::new();
        for expr in expressions {
            tests.extend(
                pool.closure(expr)
                    .into_iter()
                    .filter_map(|id| match *pool.node(id) {
                        Node::Conditional(test, ..) => Some(test),
                        _ => None,
                    }),
            );
        }
        let mut weights: BTreeMap<VarId, u64> = BTreeMap::new();
        for test in tests {
            let (now, next) = pool.support(test);
            let each = 1000 / (now.len() + next.len()).max(1) as u64;
            for id in now.into_iter().chain(next) {
                *weights.entry(id).or_default() += each;
            }
        }
        let mut order: Vec<(VarId, u64)> = weights.into_iter().collect();
        order.sort_by_key(|&(id, weight)| (std::cmp::Reverse(weight), id));
        let order = order.into_iter().zip(0..);
        Diagrams {
            places: order.map(|((id, _), place)| (id, place)).collect(),
            ..Diagrams::default()
        }
    }

    /// What comes first is tested first.
    fn place(&self, (id, next): Level) -> (usize, Level) {
        let place = self.places.get(&id).copied().unwrap_or(usize::MAX);
        (place, (id, next))
    }

    /// Some values of the variables for which an expression has a value that is not wanted.
    pub fn search(
        &mut self,
        relation: &Relation,
        expr: ExprId,
        unwanted: impl Fn(Outcome) -> bool,
    ) -> Result<Option<Example>, TooLarge> {
        self.limit = (self.spent + BUDGET_OF_ONE).min(BUDGET);
        let root = self.diagram(relation, expr)?;
        // Depth-first, each node once, with the way there.
        let mut seen = std::collections::HashSet::new();
        let mut path: Vec<(Ref, usize)> = vec![(root, 0)];
        while let Some((at, child)) = path.pop() {
            match at {
                Ref::Leaf(leaf) => {
                    let outcome = self.leaves[leaf as usize];
                    if unwanted(outcome) {
                        return Ok(Some((outcome, self.values_on(&path))));
                    }
                }
                Ref::Node(node) => {
                    if child == 0 && !seen.insert(node) {
                        continue;
                    }
                    let children = &self.nodes[node as usize].children;
                    if let Some(&next) = children.get(child) {
                        path.push((at, child + 1));
                        path.push((next, 0));
                    }
                }
            }
        }
        Ok(None)
    }

    fn values_on(&self, path: &[(Ref, usize)]) -> BTreeMap<Level, i64> {
        let steps = path.iter().filter_map(|&(at, child)| match at {
            Ref::Node(node) => {
                let level = self.nodes[node as usize].level;
                let value = self.values.get(&level.0)?.get(child.checked_sub(1)?)?;
                Some((level, *value))
            }
            Ref::Leaf(_) => None,
        });
        steps.collect()
    }

    fn diagram(&mut self, relation: &Relation, expr: ExprId) -> Result<Ref, TooLarge> {
        let pool = &relation.expressions;
        let (current, next) = pool.support(expr);
        if current.len() + next.len() > MAX_VARIABLES {
            return Err(TooLarge);
        }
        for id in pool.closure(expr) {
            if self.expressions.contains_key(&id) {
                continue;
            }
            let node = *pool.node(id);
            let result = match node {
                Node::Current(variable) => self.variable(relation, (variable, false))?,
                Node::Next(variable) => self.variable(relation, (variable, true))?,
                _ => {
                    let nothing = self.leaf(Ok(0));
                    let mut operands = [nothing; 3];
                    for (slot, operand) in operands.iter_mut().zip(node.operands()) {
                        *slot = self.expressions[&operand];
                    }
                    self.apply(node, operands, &mut HashMap::default())?
                }
            };
            self.expressions.insert(id, result);
        }
        Ok(self.expressions[&expr])
    }

    fn leaf(&mut self, outcome: Outcome) -> Ref {
        let next = Ref::Leaf(self.leaves.len() as u32);
        let known = *self.known_leaves.entry(outcome).or_insert(next);
        if known == next {
            self.leaves.push(outcome);
        }
        known
    }

    fn node(&mut self, level: Level, children: Box<[Ref]>) -> Ref {
        if let Some(&first) = children.first()
            && children.iter().all(|&child| child == first)
        {
            return first;
        }
        let next = Ref::Node(self.nodes.len() as u32);
        let known = *self
            .known_nodes
            .entry((level, children.clone()))
            .or_insert(next);
        if known == next {
            self.nodes.push(Inner { level, children });
        }
        known
    }

    fn variable(&mut self, relation: &Relation, level: Level) -> Result<Ref, TooLarge> {
        let sort = &relation.variables[level.0.0 as usize].sort;
        let values = sort.values(MAX_VALUES).ok_or(TooLarge)?;
        let leaves = values.iter().map(|&value| self.leaf(Ok(value.into())));
        let leaves: Box<[Ref]> = leaves.collect();
        self.values.insert(level.0, values);
        Ok(self.node(level, leaves))
    }

    /// The level that a diagram tests first.
    fn level(&self, at: Ref) -> Option<Level> {
        match at {
            Ref::Leaf(_) => None,
            Ref::Node(node) => Some(self.nodes[node as usize].level),
        }
    }

    fn outcome(&self, at: Ref) -> Option<Outcome> {
        match at {
            Ref::Leaf(leaf) => Some(self.leaves[leaf as usize]),
            Ref::Node(_) => None,
        }
    }

    /// The result of an operator that some of its operands decide.
    fn decided(&mut self, node: Node, [a, b, c]: [Ref; 3]) -> Option<Ref> {
        let truth = |at: Ref| match self.outcome(at) {
            Some(Ok(value)) => Some(value != 0),
            _ => None,
        };
        match node {
            Node::Binary(BinaryOp::And, ..)
                if truth(a) == Some(false) || truth(b) == Some(false) =>
            {
                Some(self.leaf(Ok(0)))
            }
            Node::Binary(BinaryOp::Or, ..) if truth(a) == Some(true) || truth(b) == Some(true) => {
                Some(self.leaf(Ok(1)))
            }
            Node::Binary(BinaryOp::Implies, ..)
                if truth(a) == Some(false) || truth(b) == Some(true) =>
            {
                Some(self.leaf(Ok(1)))
            }
            Node::Conditional(..) => match self.outcome(a)? {
                Ok(0) => Some(c),
                Ok(_) => Some(b),
                Err(_) => Some(a),
            },
            _ => None,
        }
    }

    fn apply(
        &mut self,
        node: Node,
        operands: [Ref; 3],
        known: &mut HashMap<[Ref; 3], Ref>,
    ) -> Result<Ref, TooLarge> {
        if let Some(&result) = known.get(&operands) {
            return Ok(result);
        }
        if let Some(result) = self.decided(node, operands) {
            return Ok(result);
        }
        let levels = operands.iter().filter_map(|&at| self.level(at));
        let Some(level) = levels.min_by_key(|&level| self.place(level)) else {
            let values = operands.map(|at| self.outcome(at).unwrap_or(Ok(0)));
            return Ok(self.leaf(operate(node, values)));
        };
        let count = self.values.get(&level.0).map_or(0, Vec::len);
        spend_many(count);
        self.spent += count as u64;
        if self.spent > self.limit {
            return Err(TooLarge);
        }
        let mut children = Vec::with_capacity(count);
        for child in 0..count {
            let below = operands.map(|at| match at {
                Ref::Node(n) if self.nodes[n as usize].level == level => {
                    self.nodes[n as usize].children[child]
                }
                other => other,
            });
            children.push(self.apply(node, below, known)?);
        }
        let result = self.node(level, children.into());
        known.insert(operands, result);
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use evenhand_system::relation::{
        Always, Compiled, Environment, Sort, UnaryOp, Variable as RelationVariable, always,
    };
    use evenhand_testkit::promela_programs::random::Random;

    use super::*;

    /// An expression over three variables, now and next, in which things go wrong often.
    fn random_expression(random: &mut Random, relation: &mut Relation) -> ExprId {
        let pool = &mut relation.expressions;
        let mut made: Vec<ExprId> = (0..3).map(|n| pool.current(VarId(n))).collect();
        made.push(pool.next(VarId(0)));
        made.push(pool.constant(1));
        made.push(pool.add(Node::Undefined(Undefined::NoCase)));
        for _ in 0..random.between(2, 9) {
            let (a, b, c) = (
                *random.pick(&made),
                *random.pick(&made),
                *random.pick(&made),
            );
            let op = *random.pick(&[
                BinaryOp::And,
                BinaryOp::Or,
                BinaryOp::Implies,
                BinaryOp::Eq,
                BinaryOp::Lt,
                BinaryOp::Add,
                BinaryOp::Mul,
                BinaryOp::Div,
                BinaryOp::Mod,
            ]);
            let node = match random.below(5) {
                0 => Node::Conditional(a, b, c),
                1 => Node::Unary(UnaryOp::Not, a),
                _ => Node::Binary(op, a, b),
            };
            made.push(pool.add(node));
        }
        made[made.len() - 1]
    }

    #[test]
    fn diagrams_have_the_leaves_that_evaluation_finds() {
        let mut random = Random::new(11);
        let (mut defined, mut undefined, mut open) = (0, 0, 0);
        for _ in 0..400 {
            let mut relation = Relation::default();
            relation.add(RelationVariable::new("a", Sort::Range(-1, 1)));
            relation.add(RelationVariable::new("b", Sort::Bool));
            relation.add(RelationVariable::new("c", Sort::Values(vec![0, 2, 5])));
            let expr = random_expression(&mut random, &mut relation);
            let compiled = Compiled::new(&relation.expressions, expr);
            let mut expected = BTreeSet::new();
            for a in -1..=1 {
                for b in 0..=1 {
                    for c in [0, 2, 5] {
                        for next in -1..=1 {
                            let environment = Environment {
                                current: &[a, b, c],
                                next: &[next, 0, 0],
                            };
                            expected.insert(compiled.value(environment).map(i128::from));
                        }
                    }
                }
            }
            let mut diagrams = Diagrams::about(&relation, [expr]);
            let mut found = BTreeSet::new();
            // Asking for a value that was not seen before, until there is none.
            while let Some((outcome, values)) = diagrams
                .search(&relation, expr, |outcome| !found.contains(&outcome))
                .expect("small")
            {
                let value = |level: Level, any: i64| values.get(&level).copied().unwrap_or(any);
                let now = [(0, -1), (1, 0), (2, 0)].map(|(n, any)| value((VarId(n), false), any));
                let environment = Environment {
                    current: &now,
                    next: &[value((VarId(0), true), -1)],
                };
                let evaluated = compiled.value(environment).map(i128::from);
                assert_eq!(evaluated, outcome, "the example is one");
                found.insert(outcome);
            }
            assert_eq!(found, expected);
            let is_true = |outcome: &Outcome| outcome.is_ok_and(|value| value != 0);
            match always(&relation, expr) {
                Always::True => assert!(expected.iter().all(is_true)),
                Always::Defined => assert!(expected.iter().all(Result::is_ok)),
                Always::Unknown => open += 1,
            }
            match expected.iter().any(Result::is_err) {
                true => undefined += 1,
                false => defined += 1,
            }
        }
        assert!(defined > 50 && undefined > 50, "{defined} {undefined}");
        // Intervals settle most of what is defined, and nothing else.
        assert!(
            open >= undefined && open < undefined + defined / 2,
            "{open}"
        );
    }
}
