//! Conditions on states and steps.
//!
//! A formula without temporal operators but `X` is turned once into a list of operations, operands
//! first, and evaluated on both ends of a step. `X` is about the state behind the step; a formula
//! that looks further is refused. Where a proposition has no value, the formula may have one all the
//! same: of a conjunction one part that is false decides.

use evenhand_logic::{FormulaId, Node, Unary};
use evenhand_system::{Formula, PropositionId};

use crate::flaw::Refusal;

/// The truth of a part; or why it has none.
pub(crate) type Value = Result<bool, Refusal>;

/// A formula that is ready to be evaluated.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    /// What it reads.
    pub propositions: Vec<PropositionId>,
    /// Whether it is about the state behind a step.
    pub is_on_steps: bool,
    operations: Vec<Operation>,
    /// For each operation its value in front of the step and behind it.
    values: Vec<(Value, Value)>,
}

/// An operation on the values of earlier ones, by place.
#[derive(Clone, Debug)]
enum Operation {
    Constant(bool),
    /// The place of a proposition in the list of those that are read.
    Proposition(usize),
    Not(usize),
    All(Vec<usize>),
    Any(Vec<usize>),
    Implies(usize, usize),
    Equal(usize, usize),
    Different(usize, usize),
    Next(usize),
}

impl Compiled {
    /// The operations of a formula.
    pub(crate) fn new(formula: &Formula) -> Result<Compiled, Refusal> {
        let parts = formula.store.subformulas(formula.id);
        let place = |part: &FormulaId| {
            let place = parts.iter().position(|known| known == part);
            place.ok_or(Refusal::Formula)
        };
        let places = |list: &[FormulaId]| list.iter().map(place).collect::<Result<Vec<_>, _>>();
        let mut compiled = Compiled {
            propositions: Vec::new(),
            is_on_steps: false,
            operations: Vec::new(),
            values: vec![(Ok(false), Ok(false)); parts.len()],
        };
        // Whether a part looks behind the step.
        let mut looks = vec![false; parts.len()];
        for (number, part) in parts.iter().enumerate() {
            let node = formula.store.node(*part);
            for operand in node.operands() {
                looks[number] |= looks[place(&operand)?];
            }
            let operation = match node {
                Node::Constant(value) => Operation::Constant(*value),
                Node::Atom(atom) => {
                    let proposition = formula.atoms.get(atom.index());
                    let proposition = *proposition.ok_or(Refusal::Propositions)?;
                    compiled.propositions.push(proposition);
                    Operation::Proposition(compiled.propositions.len() - 1)
                }
                Node::Not(f) => Operation::Not(place(f)?),
                Node::And(list) => Operation::All(places(list)?),
                Node::Or(list) => Operation::Any(places(list)?),
                Node::Implies(f, g) => Operation::Implies(place(f)?, place(g)?),
                Node::Iff(f, g) => Operation::Equal(place(f)?, place(g)?),
                Node::Xor(f, g) => Operation::Different(place(f)?, place(g)?),
                Node::Unary(Unary::Next, f) if !looks[number] => {
                    looks[number] = true;
                    Operation::Next(place(f)?)
                }
                Node::Unary(..) | Node::Binary(..) | Node::Path(..) => {
                    return Err(Refusal::Formula);
                }
            };
            compiled.operations.push(operation);
        }
        compiled.is_on_steps = looks.last() == Some(&true);
        Ok(compiled)
    }

    /// The truth of the formula on a step, from the values of the propositions on both ends.
    pub(crate) fn holds(&mut self, now: &[Value], next: &[Value]) -> Value {
        for (number, operation) in self.operations.iter().enumerate() {
            let value = |place: &usize| self.values[*place];
            let both = |f: &usize, g: &usize, join: fn(Value, Value) -> Value| {
                let (f, g) = (value(f), value(g));
                (join(f.0, g.0), join(f.1, g.1))
            };
            let list = |list: &[usize], decisive: bool| {
                let front = list.iter().map(|f| value(f).0);
                let behind = list.iter().map(|f| value(f).1);
                (decided(front, decisive), decided(behind, decisive))
            };
            self.values[number] = match operation {
                Operation::Constant(value) => (Ok(*value), Ok(*value)),
                Operation::Proposition(place) => (now[*place], next[*place]),
                Operation::Not(f) => (not(value(f).0), not(value(f).1)),
                Operation::All(parts) => list(parts, false),
                Operation::Any(parts) => list(parts, true),
                Operation::Implies(f, g) => both(f, g, |f, g| decided([not(f), g], true)),
                Operation::Equal(f, g) => both(f, g, |f, g| Ok(f? == g?)),
                Operation::Different(f, g) => both(f, g, |f, g| Ok(f? != g?)),
                // What lies behind the next state is never asked for.
                Operation::Next(f) => (value(f).1, Ok(false)),
            };
        }
        self.values.last().map_or(Ok(false), |value| value.0)
    }
}

fn not(value: Value) -> Value {
    value.map(|value| !value)
}

/// One part that is `decisive` decides, whatever the others are; otherwise all must be known.
fn decided(parts: impl IntoIterator<Item = Value>, decisive: bool) -> Value {
    let mut all = Ok(!decisive);
    for part in parts {
        match part {
            Ok(value) if value == decisive => return part,
            Ok(_) => {}
            Err(_) => all = part,
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_logic::Formulas;

    fn formula(build: impl FnOnce(&mut Formulas, &[FormulaId]) -> FormulaId) -> Formula {
        let mut store = Formulas::new();
        let atoms: Vec<FormulaId> = ["p", "q"].iter().map(|name| store.atom(name)).collect();
        let id = build(&mut store, &atoms);
        Formula::new(store, id, vec![PropositionId(7), PropositionId(3)])
    }

    /// The values of a formula for all values of p and q now and next.
    fn table(formula: &Formula, expected: impl Fn(bool, bool, bool, bool) -> bool) {
        let mut compiled = Compiled::new(formula).expect("about a step");
        for bits in 0..16 {
            let of = |bit: u32| bits >> bit & 1 == 1;
            let read = |from: u32, p: &PropositionId| of(from + u32::from(p.0 == 3));
            let values = |from: u32| compiled.propositions.iter().map(move |p| Ok(read(from, p)));
            let (now, next): (Vec<_>, Vec<_>) = (values(0).collect(), values(2).collect());
            let value = expected(of(0), of(1), of(2), of(3));
            assert_eq!(compiled.holds(&now, &next), Ok(value), "{bits:04b}");
        }
    }

    #[test]
    fn operators_mean_what_they_say() {
        table(&formula(|s, a| s.and([a[0], a[1]])), |p, q, _, _| p && q);
        table(&formula(|s, a| s.or([a[0], a[1]])), |p, q, _, _| p || q);
        table(&formula(|s, a| s.implies(a[0], a[1])), |p, q, _, _| !p || q);
        table(&formula(|s, a| s.iff(a[0], a[1])), |p, q, _, _| p == q);
        table(&formula(|s, a| s.xor(a[1], a[0])), |p, q, _, _| p != q);
        let step = formula(|s, a| {
            let next = s.next(a[1]);
            let not = s.not(next);
            s.implies(a[0], not)
        });
        assert!(Compiled::new(&step).expect("a step").is_on_steps);
        table(&step, |p, _, _, next_q| !p || !next_q);
    }

    #[test]
    fn what_looks_further_is_refused() {
        let twice = formula(|s, a| {
            let next = s.next(a[0]);
            s.next(next)
        });
        let always = formula(|s, a| s.globally(a[0]));
        for formula in [twice, always] {
            assert_eq!(Compiled::new(&formula).err(), Some(Refusal::Formula));
        }
    }

    #[test]
    fn some_values_do_not_matter() {
        let none = Err(Refusal::Interrupted);
        let value = |formula: &Formula, p: Value, q: Value| {
            let mut compiled = Compiled::new(formula).expect("about a state");
            let read = compiled
                .propositions
                .iter()
                .map(|id| if id.0 == 7 { p } else { q });
            let now: Vec<Value> = read.collect();
            compiled.holds(&now, &now)
        };
        let and = formula(|s, a| s.and([a[0], a[1]]));
        assert_eq!(value(&and, none, Ok(false)), Ok(false));
        assert_eq!(value(&and, Ok(true), none), none);
        let or = formula(|s, a| s.or([a[0], a[1]]));
        assert_eq!(value(&or, Ok(true), none), Ok(true));
        assert_eq!(value(&or, none, Ok(false)), none);
        let implies = formula(|s, a| s.implies(a[0], a[1]));
        assert_eq!(value(&implies, Ok(false), none), Ok(true));
        assert_eq!(value(&implies, none, Ok(true)), Ok(true));
        assert_eq!(value(&implies, Ok(true), none), none);
        let iff = formula(|s, a| s.iff(a[0], a[1]));
        assert_eq!(value(&iff, Ok(true), none), none);
    }
}
