//! Small decision diagrams.
//!
//! Reduced ordered binary decision diagrams without complement edges and without garbage
//! collection: enough to decide implications between boolean formulas and to hold the one-step
//! unfoldings of the LTL translation, where diagrams are small and live as long as the store. (The
//! symbolic engines use a real package.) Irredundant sums of products by Minato and Morreale's
//! recursion.
//!
//! A store has a limit of nodes. When it is reached, every operation answers `false` from then on
//! and [`Bdds::overflowed`] says so: check it before using a result. Recursion is bounded by the
//! number of variables.

use evenhand_source::spend;

use crate::formula::Map;

/// A boolean function in a [`Bdds`] store; equal functions have equal ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bdd(u32);

impl Bdd {
    /// The constant `false`.
    pub const FALSE: Bdd = Bdd(0);
    /// The constant `true`.
    pub const TRUE: Bdd = Bdd(1);

    /// Is it `true` or `false`?
    pub fn is_constant(self) -> bool {
        self.0 < 2
    }
}

/// A conjunction of literals, sorted by variable: `(variable, positive)`.
pub type Cube = Vec<(u32, bool)>;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    variable: u32,
    low: Bdd,
    high: Bdd,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Operation {
    And,
    Or,
    Xor,
}

/// The owner of decision diagrams.
#[derive(Clone)]
pub struct Bdds {
    nodes: Vec<Node>,
    unique: Map<Node, Bdd>,
    binary: Map<(Operation, Bdd, Bdd), Bdd>,
    negations: Map<Bdd, Bdd>,
    restricted: Map<(Bdd, u32, bool), Bdd>,
    limit: usize,
    overflowed: bool,
    /// Steps that the current sum of products may still take.
    budget: usize,
}

impl Bdds {
    /// An empty store that takes up to `limit` nodes.
    pub fn new(limit: usize) -> Bdds {
        let constant = |b| Node {
            variable: u32::MAX,
            low: b,
            high: b,
        };
        Bdds {
            nodes: vec![constant(Bdd::FALSE), constant(Bdd::TRUE)],
            unique: Map::default(),
            binary: Map::default(),
            negations: Map::default(),
            restricted: Map::default(),
            limit: limit.min(u32::MAX as usize - 1),
            overflowed: false,
            budget: usize::MAX,
        }
    }

    /// Was the limit reached? Then results since may be wrong.
    pub fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// The number of nodes made so far.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: the constants are always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The topmost variable; `u32::MAX` for constants.
    pub fn top(&self, f: Bdd) -> u32 {
        self.nodes[f.0 as usize].variable
    }

    fn make(&mut self, variable: u32, low: Bdd, high: Bdd) -> Bdd {
        spend();
        if low == high {
            return low;
        }
        let node = Node {
            variable,
            low,
            high,
        };
        if let Some(&f) = self.unique.get(&node) {
            return f;
        }
        if self.nodes.len() >= self.limit {
            self.overflowed = true;
            return Bdd::FALSE;
        }
        let f = Bdd(self.nodes.len() as u32);
        self.nodes.push(node);
        self.unique.insert(node, f);
        f
    }

    /// The function that is a variable.
    pub fn variable(&mut self, variable: u32) -> Bdd {
        self.make(variable, Bdd::FALSE, Bdd::TRUE)
    }

    /// Conjunction.
    pub fn and(&mut self, f: Bdd, g: Bdd) -> Bdd {
        self.apply(Operation::And, f, g)
    }

    /// Disjunction.
    pub fn or(&mut self, f: Bdd, g: Bdd) -> Bdd {
        self.apply(Operation::Or, f, g)
    }

    /// Exclusive disjunction.
    pub fn xor(&mut self, f: Bdd, g: Bdd) -> Bdd {
        self.apply(Operation::Xor, f, g)
    }

    /// Does `f` imply `g`?
    pub fn implies(&mut self, f: Bdd, g: Bdd) -> bool {
        let negation = self.not(g);
        self.and(f, negation) == Bdd::FALSE
    }

    /// Negation.
    pub fn not(&mut self, f: Bdd) -> Bdd {
        match f {
            Bdd::FALSE => return Bdd::TRUE,
            Bdd::TRUE => return Bdd::FALSE,
            _ if self.overflowed => return Bdd::FALSE,
            _ => {}
        }
        if let Some(&result) = self.negations.get(&f) {
            return result;
        }
        let node = self.nodes[f.0 as usize];
        let low = self.not(node.low);
        let high = self.not(node.high);
        let result = self.make(node.variable, low, high);
        self.negations.insert(f, result);
        self.negations.insert(result, f);
        result
    }

    fn apply(&mut self, operation: Operation, f: Bdd, g: Bdd) -> Bdd {
        if self.overflowed {
            return Bdd::FALSE;
        }
        let (f, g) = if f <= g { (f, g) } else { (g, f) };
        match (operation, f, g) {
            (Operation::And, Bdd::FALSE, _) => return Bdd::FALSE,
            (Operation::And, Bdd::TRUE, _) => return g,
            (Operation::Or, Bdd::FALSE, _) => return g,
            (Operation::Or, Bdd::TRUE, _) => return Bdd::TRUE,
            (Operation::Xor, Bdd::FALSE, _) => return g,
            (Operation::Xor, Bdd::TRUE, _) => return self.not(g),
            (Operation::Xor, _, _) if f == g => return Bdd::FALSE,
            (_, _, _) if f == g => return f,
            _ => {}
        }
        if let Some(&result) = self.binary.get(&(operation, f, g)) {
            return result;
        }
        let variable = self.top(f).min(self.top(g));
        let (f0, f1) = self.branches(f, variable);
        let (g0, g1) = self.branches(g, variable);
        let low = self.apply(operation, f0, g0);
        let high = self.apply(operation, f1, g1);
        let result = self.make(variable, low, high);
        self.binary.insert((operation, f, g), result);
        result
    }

    /// The functions under `variable = false` and `variable = true`, for a variable not below the
    /// top.
    pub fn branches(&self, f: Bdd, variable: u32) -> (Bdd, Bdd) {
        let node = self.nodes[f.0 as usize];
        match node.variable == variable {
            true => (node.low, node.high),
            false => (f, f),
        }
    }

    /// The function with one variable fixed.
    pub fn restrict(&mut self, f: Bdd, variable: u32, value: bool) -> Bdd {
        let node = self.nodes[f.0 as usize];
        if node.variable > variable || self.overflowed {
            return f;
        }
        if node.variable == variable {
            return if value { node.high } else { node.low };
        }
        if let Some(&result) = self.restricted.get(&(f, variable, value)) {
            return result;
        }
        let low = self.restrict(node.low, variable, value);
        let high = self.restrict(node.high, variable, value);
        let result = self.make(node.variable, low, high);
        self.restricted.insert((f, variable, value), result);
        result
    }

    /// The variables a function depends on, sorted.
    pub fn support(&self, f: Bdd) -> Vec<u32> {
        let mut seen = std::collections::BTreeSet::new();
        let mut variables = std::collections::BTreeSet::new();
        let mut stack = vec![f];
        while let Some(f) = stack.pop() {
            spend();
            if !f.is_constant() && seen.insert(f) {
                let node = self.nodes[f.0 as usize];
                variables.insert(node.variable);
                stack.extend([node.low, node.high]);
            }
        }
        variables.into_iter().collect()
    }

    /// The conjunction of literals.
    pub fn cube(&mut self, cube: &[(u32, bool)]) -> Bdd {
        let mut sorted = cube.to_vec();
        sorted.sort_unstable();
        let mut result = Bdd::TRUE;
        for &(variable, positive) in sorted.iter().rev() {
            result = match positive {
                true => self.make(variable, Bdd::FALSE, result),
                false => self.make(variable, result, Bdd::FALSE),
            };
        }
        result
    }

    /// An irredundant sum of products: prime cubes whose disjunction is `f`.
    pub fn sum_of_products(&mut self, f: Bdd) -> Vec<Cube> {
        self.sum_of_products_within(f, usize::MAX)
            .unwrap_or_default()
    }

    /// An irredundant sum of products, unless finding it takes more than `limit` steps.
    pub fn sum_of_products_within(&mut self, f: Bdd, limit: usize) -> Option<Vec<Cube>> {
        self.budget = limit;
        let mut cubes = self.cover(f, f).0;
        if self.budget == 0 {
            return None;
        }
        for cube in &mut cubes {
            cube.reverse();
        }
        Some(cubes)
    }

    /// Cubes (literals in reverse order) whose disjunction lies between `lower` and `upper`, and
    /// it.
    fn cover(&mut self, lower: Bdd, upper: Bdd) -> (Vec<Cube>, Bdd) {
        if lower == Bdd::FALSE || self.overflowed || self.budget == 0 {
            return (Vec::new(), Bdd::FALSE);
        }
        self.budget -= 1;
        if upper == Bdd::TRUE {
            return (vec![Vec::new()], Bdd::TRUE);
        }
        let variable = self.top(lower).min(self.top(upper));
        let (l0, l1) = self.branches(lower, variable);
        let (u0, u1) = self.branches(upper, variable);
        let (not_u0, not_u1) = (self.not(u0), self.not(u1));
        let need0 = self.and(l0, not_u1);
        let need1 = self.and(l1, not_u0);
        let (cubes0, sum0) = self.cover(need0, u0);
        let (cubes1, sum1) = self.cover(need1, u1);
        let (not0, not1) = (self.not(sum0), self.not(sum1));
        let left0 = self.and(l0, not0);
        let left1 = self.and(l1, not1);
        let left = self.or(left0, left1);
        let both = self.and(u0, u1);
        let (cubes, sum) = self.cover(left, both);
        let mut all = Vec::with_capacity(cubes.len() + cubes0.len() + cubes1.len());
        for (part, literal) in [(cubes0, Some(false)), (cubes1, Some(true)), (cubes, None)] {
            for mut cube in part {
                cube.extend(literal.map(|positive| (variable, positive)));
                all.push(cube);
            }
        }
        let branch0 = self.or(sum0, sum);
        let branch1 = self.or(sum1, sum);
        let total = self.make(variable, branch0, branch1);
        (all, total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All functions of three variables, by their truth tables.
    #[test]
    fn operations_agree_with_truth_tables() {
        let mut store = Bdds::new(10_000);
        let minterm = |store: &mut Bdds, row: u32| {
            let cube: Cube = (0..3).map(|v| (v, row >> v & 1 == 1)).collect();
            store.cube(&cube)
        };
        let rows: Vec<Bdd> = (0..8).map(|row| minterm(&mut store, row)).collect();
        let functions: Vec<Bdd> = (0..256u32)
            .map(|table| {
                (0..8)
                    .filter(|row| table >> row & 1 == 1)
                    .fold(Bdd::FALSE, |f, row| store.or(f, rows[row]))
            })
            .collect();
        for a in 0..256usize {
            assert_eq!(store.not(functions[a]), functions[255 - a]);
            let cubes = store.sum_of_products(functions[a]);
            let mut sum = Bdd::FALSE;
            for cube in &cubes {
                let cube = store.cube(cube);
                assert!(store.implies(cube, functions[a]));
                sum = store.or(sum, cube);
            }
            assert_eq!(sum, functions[a]);
            for b in (0..256usize).step_by(7) {
                assert_eq!(store.and(functions[a], functions[b]), functions[a & b]);
                assert_eq!(store.or(functions[a], functions[b]), functions[a | b]);
                assert_eq!(store.xor(functions[a], functions[b]), functions[a ^ b]);
            }
        }
        assert!(!store.overflowed());
    }

    #[test]
    fn the_limit_is_reported() {
        let mut store = Bdds::new(8);
        let mut f = Bdd::TRUE;
        for v in 0..20 {
            let x = store.variable(v);
            f = store.and(f, x);
        }
        assert!(store.overflowed());
    }
}
