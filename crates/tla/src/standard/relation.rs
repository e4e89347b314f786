//! Relation of the community: properties of relations on a finite set, and their closures.
//!
//! A relation is a function from pairs to truth values, or an operator with two arguments; either becomes a
//! table of truth values.

use evenhand_source::budget::spend_many;

use super::args::{Result, listed, test, wrong};
use super::{Host, StandardModule, StandardOperator, native};
use crate::value::{Value, room};

pub(super) const MODULES: &[StandardModule] = &[StandardModule {
    name: "Relation",
    extends: &["Naturals", "FiniteSets"],
    operators: RELATION,
}];

const RELATION: &[StandardOperator] = &[
    native("IsReflexive", FUNCTION, |_, args| diagonal(args, true)),
    native("IsReflexiveUnder", OPERATOR, |host, args| {
        under(host, args, Table::is_reflexive)
    }),
    native("IsIrreflexive", FUNCTION, |_, args| diagonal(args, false)),
    native("IsIrreflexiveUnder", OPERATOR, |host, args| {
        under(host, args, Table::is_irreflexive)
    }),
    native("IsSymmetric", FUNCTION, |_, args| {
        of(args, Table::is_symmetric)
    }),
    native("IsSymmetricUnder", OPERATOR, |host, args| {
        under(host, args, Table::is_symmetric)
    }),
    native("IsAntiSymmetric", FUNCTION, |_, args| {
        of(args, Table::is_antisymmetric)
    }),
    native("IsAntiSymmetricUnder", OPERATOR, |host, args| {
        under(host, args, Table::is_antisymmetric)
    }),
    native("IsAsymmetric", FUNCTION, |_, args| {
        of(args, Table::is_asymmetric)
    }),
    native("IsAsymmetricUnder", OPERATOR, |host, args| {
        under(host, args, Table::is_asymmetric)
    }),
    native("IsTransitive", FUNCTION, |_, args| {
        of(args, Table::is_transitive)
    }),
    native("IsTransitiveUnder", OPERATOR, |host, args| {
        under(host, args, Table::is_transitive)
    }),
    native("IsStrictlyPartiallyOrdered", FUNCTION, |_, args| {
        of(args, Table::is_strict_order)
    }),
    native("IsStrictlyPartiallyOrderedUnder", OPERATOR, |host, args| {
        under(host, args, Table::is_strict_order)
    }),
    native("IsPartiallyOrdered", FUNCTION, |_, args| {
        of(args, Table::is_order)
    }),
    native("IsPartiallyOrderedUnder", OPERATOR, |host, args| {
        under(host, args, Table::is_order)
    }),
    native("IsStrictlyTotallyOrdered", FUNCTION, |_, args| {
        of(args, |table| table.is_strict_order() && table.is_connex())
    }),
    native("IsStrictlyTotallyOrderedUnder", OPERATOR, |host, args| {
        under(host, args, |table| {
            table.is_strict_order() && table.is_connex()
        })
    }),
    native("IsTotallyOrdered", FUNCTION, |_, args| {
        of(args, |table| table.is_order() && table.is_connex())
    }),
    native("IsTotallyOrderedUnder", OPERATOR, |host, args| {
        under(host, args, |table| table.is_order() && table.is_connex())
    }),
    native("TransitiveClosure", FUNCTION, |_, args| {
        let mut table = Table::of_function(&args[0], &args[1])?;
        table.close();
        table.into_function()
    }),
    native("ReflexiveTransitiveClosure", FUNCTION, |_, args| {
        let mut table = Table::of_function(&args[0], &args[1])?;
        table.close();
        table.add_diagonal();
        table.into_function()
    }),
    native("IsConnected", FUNCTION, |_, args| {
        of(args, |table| {
            let mut closed = table.clone();
            closed.close();
            closed.add_diagonal();
            closed.related.iter().all(|related| *related)
        })
    }),
];

const FUNCTION: &[u8] = &[0, 0];
const OPERATOR: &[u8] = &[2, 0];

/// Which elements are related with which.
#[derive(Clone)]
pub(super) struct Table {
    pub(super) elements: Vec<Value>,
    /// Row by row.
    pub(super) related: Vec<bool>,
}

fn pair(a: &Value, b: &Value) -> Value {
    Value::tuple(vec![a.clone(), b.clone()])
}

fn entry(relation: &Value, a: &Value, b: &Value) -> Result<bool> {
    let value = relation.apply(&pair(a, b))?;
    value
        .truth()
        .ok_or_else(|| wrong("a relation", "truth values", &value))
}

fn of(args: &[Value], holds: fn(&Table) -> bool) -> Result<Value> {
    Ok(Value::Truth(holds(&Table::of_function(
        &args[0], &args[1],
    )?)))
}

fn under(host: &mut dyn Host, args: &[Value], holds: fn(&Table) -> bool) -> Result<Value> {
    let table = Table::new(&args[1], |a, b| {
        test(host, "a relation", 0, &[a.clone(), b.clone()])
    })?;
    Ok(Value::Truth(holds(&table)))
}

/// Whether all elements, or none, are related with themselves: nothing else is asked of the relation.
fn diagonal(args: &[Value], wanted: bool) -> Result<Value> {
    for element in listed("a relation", &args[1])?.iter() {
        if entry(&args[0], element, element)? != wanted {
            return Ok(Value::Truth(false));
        }
    }
    Ok(Value::Truth(true))
}

impl Table {
    fn of_function(relation: &Value, set: &Value) -> Result<Table> {
        Table::new(set, |a, b| entry(relation, a, b))
    }

    pub(super) fn new(
        set: &Value,
        mut related: impl FnMut(&Value, &Value) -> Result<bool>,
    ) -> Result<Table> {
        let elements = listed("a relation", set)?.into_owned();
        room(elements.len().saturating_mul(elements.len()))?;
        let mut table = Vec::with_capacity(elements.len() * elements.len());
        for a in &elements {
            for b in &elements {
                evenhand_source::spend();
                table.push(related(a, b)?);
            }
        }
        Ok(Table {
            elements,
            related: table,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.elements.len()
    }

    #[inline]
    pub(super) fn at(&self, a: usize, b: usize) -> bool {
        self.related[a * self.len() + b]
    }

    fn all_pairs(&self, holds: impl Fn(usize, usize) -> bool) -> bool {
        let len = self.len();
        (0..len).all(|a| {
            spend_many(len);
            (0..len).all(|b| holds(a, b))
        })
    }

    fn is_reflexive(&self) -> bool {
        (0..self.len()).all(|a| self.at(a, a))
    }

    fn is_irreflexive(&self) -> bool {
        !(0..self.len()).any(|a| self.at(a, a))
    }

    fn is_symmetric(&self) -> bool {
        self.all_pairs(|a, b| self.at(a, b) == self.at(b, a))
    }

    fn is_antisymmetric(&self) -> bool {
        self.all_pairs(|a, b| a == b || !(self.at(a, b) && self.at(b, a)))
    }

    fn is_asymmetric(&self) -> bool {
        self.all_pairs(|a, b| !(self.at(a, b) && self.at(b, a)))
    }

    fn is_transitive(&self) -> bool {
        let from = |a, b| {
            spend_many(self.len());
            (0..self.len()).all(|c| !self.at(b, c) || self.at(a, c))
        };
        self.all_pairs(|a, b| !self.at(a, b) || from(a, b))
    }

    fn is_strict_order(&self) -> bool {
        self.is_irreflexive() && self.is_antisymmetric() && self.is_transitive()
    }

    fn is_order(&self) -> bool {
        self.is_reflexive() && self.is_antisymmetric() && self.is_transitive()
    }

    /// Whether any two different elements are related in some direction.
    fn is_connex(&self) -> bool {
        self.all_pairs(|a, b| a == b || self.at(a, b) || self.at(b, a))
    }

    /// Makes it transitive, by Warshall's algorithm.
    pub(super) fn close(&mut self) {
        let len = self.len();
        for middle in 0..len {
            spend_many(len);
            for a in 0..len {
                if self.at(a, middle) {
                    for b in 0..len {
                        self.related[a * len + b] |= self.related[middle * len + b];
                    }
                }
            }
        }
    }

    pub(super) fn add_diagonal(&mut self) {
        let len = self.len();
        for a in 0..len {
            self.related[a * len + a] = true;
        }
    }

    pub(super) fn into_function(self) -> Result<Value> {
        let mut pairs = Vec::with_capacity(self.related.len());
        for (a, first) in self.elements.iter().enumerate() {
            for (b, second) in self.elements.iter().enumerate() {
                pairs.push((pair(first, second), Value::Truth(self.at(a, b))));
            }
        }
        Value::function(pairs)
    }
}
