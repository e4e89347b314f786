//! Terms of a coloured net: colours, multisets of them, and guards.

use std::collections::BTreeMap;

use evenhand_source::Diagnostic;

use super::sorts::{Colour, Sorts};
use crate::xml::Tree;

/// A term for colours: usually one, several where a part of it is `all`.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Term {
    Slots(std::ops::Range<usize>),
    Constant(u32),
    /// The value so many places on in its sort, which is a circle.
    Shift(Box<Term>, u32, u32),
    Tuple(Vec<Term>),
    /// All colours of these simple sorts.
    All(Vec<usize>),
}

/// A multiset: so many of each term.
#[derive(Debug)]
pub(super) struct Multiset(Vec<(i64, Term)>);

/// A condition on a binding.
#[derive(Debug)]
pub(super) enum Guard {
    Constant(bool),
    Compare(Compare, Term, Term),
    /// The value is one of these.
    Part(Vec<u32>, Term),
    Not(Box<Guard>),
    All(Vec<Guard>),
    Any(Vec<Guard>),
}

/// How colours are compared, by their places in their sorts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Compare {
    Equal,
    Different,
    Less,
    AtMost,
    More,
    AtLeast,
}

fn wrong(tree: &Tree, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(tree.element.span, message)
}

/// The terms below an element: with or without `subterm` around each.
fn operands(tree: &Tree) -> Vec<&Tree> {
    let children = tree.children.iter();
    let operands = children.filter_map(|child| match child.name() {
        "subterm" => child.children.first(),
        _ => Some(child),
    });
    operands.collect()
}

/// A multiset of colours of a domain.
pub(super) fn compile_multiset(
    sorts: &Sorts,
    tree: &Tree,
    domain: &[usize],
) -> Result<Multiset, Diagnostic> {
    let mut parts = Vec::new();
    multiset(sorts, tree, domain, 1, &mut parts)?;
    Ok(Multiset(parts))
}

fn multiset(
    sorts: &Sorts,
    tree: &Tree,
    domain: &[usize],
    factor: i64,
    parts: &mut Vec<(i64, Term)>,
) -> Result<(), Diagnostic> {
    let below = operands(tree);
    match (tree.name(), &below[..]) {
        ("add", all) => all
            .iter()
            .try_for_each(|part| multiset(sorts, part, domain, factor, parts)),
        ("subtract", [first, others @ ..]) => {
            multiset(sorts, first, domain, factor, parts)?;
            others
                .iter()
                .try_for_each(|part| multiset(sorts, part, domain, -factor, parts))
        }
        ("numberof" | "scalarproduct", [count, what]) => {
            let text = count.element.demand("value")?;
            let number = text
                .parse::<u32>()
                .map_err(|_| wrong(count, format!("`{text}` is no number of tokens")))?;
            let factor = factor
                .checked_mul(i64::from(number))
                .filter(|f| f.abs() < 1 << 40);
            let factor = factor.ok_or_else(|| wrong(count, "this number is too large"))?;
            multiset(sorts, what, domain, factor, parts)
        }
        ("numberof", [what]) => multiset(sorts, what, domain, factor, parts),
        ("empty", _) => Ok(()),
        _ => {
            let (term, found) = term(sorts, tree)?;
            if found != domain {
                return Err(wrong(tree, "this is no colour of the place"));
            }
            parts.push((factor, term));
            Ok(())
        }
    }
}

/// A term, and the simple sorts of its colours.
fn term(sorts: &Sorts, tree: &Tree) -> Result<(Term, Vec<usize>), Diagnostic> {
    let below = operands(tree);
    match (tree.name(), &below[..]) {
        ("variable", _) => {
            let slots = sorts.variable(tree)?;
            let domain = slots.clone().map(|slot| sorts.slot_sort(slot)).collect();
            Ok((Term::Slots(slots), domain))
        }
        ("useroperator", _) => {
            let (sort, value) = sorts.constant(tree)?;
            Ok((Term::Constant(value), vec![sort]))
        }
        ("finiteintrangeconstant", _) => {
            let (sort, value) = sorts.range_constant(tree)?;
            Ok((Term::Constant(value), vec![sort]))
        }
        ("dotconstant", _) => Ok((Term::Tuple(Vec::new()), Vec::new())),
        ("all", [sort]) => {
            let domain = sorts.domain(sort)?;
            Ok((Term::All(domain.clone()), domain))
        }
        (name @ ("successor" | "predecessor"), [of]) => {
            let (of, domain) = term(sorts, of)?;
            let [sort] = domain[..] else {
                return Err(wrong(tree, format!("a {name} is that of a single value")));
            };
            let size = sorts.size(sort);
            let by = if name == "successor" { 1 } else { size - 1 };
            Ok((Term::Shift(Box::new(of), by, size), domain))
        }
        ("tuple", parts) => {
            let (mut terms, mut domain) = (Vec::new(), Vec::new());
            for part in parts {
                let (part, own) = term(sorts, part)?;
                terms.push(part);
                domain.extend(own);
            }
            Ok((Term::Tuple(terms), domain))
        }
        (name, _) => Err(wrong(tree, format!("`<{name}>` has no meaning here"))),
    }
}

/// The parts of a guard that must all hold.
pub(super) fn compile_guard(sorts: &Sorts, tree: &Tree) -> Result<Vec<Guard>, Diagnostic> {
    Ok(match guard(sorts, tree)? {
        Guard::All(parts) => parts,
        other => vec![other],
    })
}

fn guard(sorts: &Sorts, tree: &Tree) -> Result<Guard, Diagnostic> {
    let below = operands(tree);
    let compare = match tree.name() {
        "and" | "or" => {
            let parts: Result<Vec<Guard>, _> =
                below.iter().map(|part| guard(sorts, part)).collect();
            return Ok(match tree.name() {
                "and" => Guard::All(parts?),
                _ => Guard::Any(parts?),
            });
        }
        "not" | "imply" | "implies" => {
            let parts: Result<Vec<Guard>, _> =
                below.iter().map(|part| guard(sorts, part)).collect();
            let mut parts = parts?.into_iter();
            let (first, second) = (parts.next(), parts.next());
            let not = |guard| Guard::Not(Box::new(guard));
            return match (tree.name(), first, second) {
                ("not", Some(only), None) => Ok(not(only)),
                ("imply" | "implies", Some(when), Some(then)) => {
                    Ok(Guard::Any(vec![not(when), then]))
                }
                _ => Err(wrong(tree, "wrong number of operands")),
            };
        }
        "booleanconstant" => {
            return Ok(Guard::Constant(
                tree.element.attribute("value") == Some("true"),
            ));
        }
        "partitionelementof" => return part(sorts, tree, &below),
        "equality" => Compare::Equal,
        "inequality" => Compare::Different,
        "lessthan" => Compare::Less,
        "lessthanorequal" => Compare::AtMost,
        "greaterthan" => Compare::More,
        "greaterthanorequal" => Compare::AtLeast,
        name => return Err(wrong(tree, format!("`<{name}>` is no condition"))),
    };
    let [left, right] = below[..] else {
        return Err(wrong(tree, "a comparison of two values is expected"));
    };
    let ((left, domain), (right, other)) = (term(sorts, left)?, term(sorts, right)?);
    match domain == other {
        true => Ok(Guard::Compare(compare, left, right)),
        false => Err(wrong(tree, "values of different sorts are compared")),
    }
}

fn part(sorts: &Sorts, tree: &Tree, below: &[&Tree]) -> Result<Guard, Diagnostic> {
    let partition = tree.element.demand("refpartition")?;
    let [of, part] = below else {
        return Err(wrong(
            tree,
            "a value and a part of a partition are expected",
        ));
    };
    let name = part.element.attribute("refpartitionelement");
    let name = name
        .or(part.element.attribute("declaration"))
        .unwrap_or_default();
    let values = sorts.part(partition, name);
    let values = values.ok_or_else(|| wrong(part, format!("there is no part `{name}`")))?;
    let (of, _) = term(sorts, of)?;
    Ok(Guard::Part(values.to_vec(), of))
}

impl Term {
    /// Calls for each slot.
    pub fn slots(&self, each: &mut dyn FnMut(usize)) {
        match self {
            Term::Slots(slots) => slots.clone().for_each(each),
            Term::Constant(_) | Term::All(_) => {}
            Term::Shift(of, ..) => of.slots(each),
            Term::Tuple(parts) => parts.iter().for_each(|part| part.slots(each)),
        }
    }

    /// Adds its values to each of the colours that were begun.
    fn extend(&self, sorts: &Sorts, binding: &[u32], colours: &mut Vec<Colour>) {
        match self {
            Term::Slots(slots) => {
                for colour in colours {
                    colour.extend(
                        slots
                            .clone()
                            .map(|slot| binding.get(slot).copied().unwrap_or(0)),
                    );
                }
            }
            Term::Constant(value) => colours.iter_mut().for_each(|colour| colour.push(*value)),
            Term::Shift(of, by, size) => {
                of.extend(sorts, binding, colours);
                for value in colours.iter_mut().filter_map(|colour| colour.last_mut()) {
                    *value = (*value + by) % size;
                }
            }
            Term::Tuple(parts) => {
                parts
                    .iter()
                    .for_each(|part| part.extend(sorts, binding, colours));
            }
            Term::All(domain) => {
                for &sort in domain {
                    let begun = std::mem::take(colours);
                    for colour in begun {
                        for value in 0..sorts.size(sort) {
                            evenhand_source::spend();
                            let mut longer = colour.clone();
                            longer.push(value);
                            colours.push(longer);
                        }
                    }
                }
            }
        }
    }

    /// Its colours under a binding.
    pub fn colours(&self, sorts: &Sorts, binding: &[u32]) -> Vec<Colour> {
        let mut colours = vec![Colour::new()];
        self.extend(sorts, binding, &mut colours);
        colours
    }
}

impl Multiset {
    /// A single dot.
    pub fn one_dot() -> Multiset {
        Multiset(vec![(1, Term::Tuple(Vec::new()))])
    }

    /// Calls for each slot.
    pub fn slots(&self, each: &mut dyn FnMut(usize)) {
        self.0.iter().for_each(|(_, term)| term.slots(each));
    }

    /// Its terms, with how often each is there: less than nothing where it is taken away.
    pub fn all_terms(&self) -> &[(i64, Term)] {
        &self.0
    }

    /// Its terms, if nothing is taken away from them.
    pub fn terms(&self) -> Option<&[(i64, Term)]> {
        self.0
            .iter()
            .all(|(count, _)| *count >= 0)
            .then_some(&self.0)
    }

    /// Whether every term has its match in another one, as often at least: then it has no colour that the
    /// other one does not have, under any binding.
    pub fn is_part_of(&self, other: &Multiset) -> bool {
        let (Some(own), Some(others)) = (self.terms(), other.terms()) else {
            return false;
        };
        let often = |list: &[(i64, Term)], term: &Term| {
            let same = list.iter().filter(|(_, known)| known == term);
            same.map(|(count, _)| *count).sum::<i64>()
        };
        own.iter()
            .all(|(_, term)| often(own, term) <= often(others, term))
    }

    /// How many of each colour there are under a binding.
    pub fn evaluate(&self, sorts: &Sorts, binding: &[u32]) -> BTreeMap<Colour, i64> {
        let mut counts = BTreeMap::new();
        for (count, term) in &self.0 {
            for colour in term.colours(sorts, binding) {
                *counts.entry(colour).or_insert(0) += count;
            }
        }
        counts
    }
}

impl Guard {
    /// Calls for each slot.
    pub fn slots(&self, each: &mut dyn FnMut(usize)) {
        match self {
            Guard::Constant(_) => {}
            Guard::Compare(_, left, right) => {
                left.slots(each);
                right.slots(each);
            }
            Guard::Part(_, term) => term.slots(each),
            Guard::Not(inner) => inner.slots(each),
            Guard::All(parts) | Guard::Any(parts) => {
                parts.iter().for_each(|part| part.slots(each));
            }
        }
    }

    /// Whether it holds under a binding.
    pub fn holds(&self, sorts: &Sorts, binding: &[u32]) -> bool {
        match self {
            Guard::Constant(value) => *value,
            Guard::Compare(compare, left, right) => {
                let (left, right) = (left.colours(sorts, binding), right.colours(sorts, binding));
                match compare {
                    Compare::Equal => left == right,
                    Compare::Different => left != right,
                    Compare::Less => left < right,
                    Compare::AtMost => left <= right,
                    Compare::More => left > right,
                    Compare::AtLeast => left >= right,
                }
            }
            Guard::Part(values, term) => {
                let colours = term.colours(sorts, binding);
                colours.iter().flatten().all(|value| values.contains(value))
            }
            Guard::Not(inner) => !inner.holds(sorts, binding),
            Guard::All(parts) => parts.iter().all(|part| part.holds(sorts, binding)),
            Guard::Any(parts) => parts.iter().any(|part| part.holds(sorts, binding)),
        }
    }
}
