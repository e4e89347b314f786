//! Sorts, constants and variables of a coloured net.
//!
//! A colour is a list of values, one for each simple sort that its sort is made of: a product of products is
//! one list, and a dot is the empty one. A variable has a *slot* for each of its values.

use std::collections::HashMap;

use evenhand_source::Diagnostic;

use crate::xml::Tree;

/// Values of simple sorts, by number.
pub(super) type Colour = Vec<u32>;

/// The most values a simple sort may have, and the most simple sorts in a product.
const MOST_VALUES: i64 = 1 << 20;
const MOST_PARTS: usize = 64;

/// A simple sort: the names of its values.
#[derive(Debug)]
struct Simple {
    values: Vec<String>,
    /// The number that the first value is, of a range of numbers.
    start: Option<i64>,
}

/// All that was declared.
#[derive(Debug, Default)]
pub(super) struct Sorts {
    simple: Vec<Simple>,
    /// The simple sorts that a declared sort is made of.
    named: HashMap<String, Vec<usize>>,
    /// The sort and the value of a constant.
    constants: HashMap<String, (usize, u32)>,
    /// The slots of variables, from the first one on.
    variables: HashMap<String, (usize, usize)>,
    /// The simple sort of each slot.
    slots: Vec<usize>,
    /// The parts of partitions: the sort, and the values.
    partitions: HashMap<String, HashMap<String, Vec<u32>>>,
}

fn wrong(tree: &Tree, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(tree.element.span, message)
}

/// All elements of that name, at any depth.
fn all<'t>(trees: &'t [Tree], name: &str) -> Vec<&'t Tree> {
    let mut found = Vec::new();
    let mut open: Vec<&Tree> = trees.iter().rev().collect();
    while let Some(tree) = open.pop() {
        if tree.name() == name {
            found.push(tree);
        }
        open.extend(tree.children.iter().rev());
    }
    found
}

impl Sorts {
    /// Reads declarations.
    pub fn read(declarations: &[Tree]) -> Result<Sorts, Diagnostic> {
        let mut sorts = Sorts::default();
        let named = all(declarations, "namedsort");
        // A product may come before its parts: simple ones first, then as often as it helps.
        let mut open: Vec<&Tree> = named;
        loop {
            let count = open.len();
            let mut left = Vec::new();
            for tree in open {
                let id = tree.element.demand("id")?;
                let Some(inside) = tree.children.first() else {
                    return Err(wrong(tree, format!("the sort `{id}` is empty")));
                };
                match sorts.made(inside)? {
                    Some(domain) => {
                        sorts.named.insert(id.to_string(), domain);
                    }
                    None => left.push(tree),
                }
            }
            match left.first() {
                None => break,
                Some(tree) if left.len() == count => {
                    let message = "this sort is made of one that is not declared, or of itself";
                    return Err(wrong(tree, message));
                }
                Some(_) => open = left,
            }
        }
        for tree in all(declarations, "partition") {
            sorts.partition(tree)?;
        }
        for tree in all(declarations, "variabledecl") {
            let id = tree.element.demand("id")?;
            let Some(inside) = tree.children.first() else {
                return Err(wrong(tree, format!("the variable `{id}` has no sort")));
            };
            let domain = sorts.domain(inside)?;
            let first = sorts.slots.len();
            sorts
                .variables
                .insert(id.to_string(), (first, domain.len()));
            sorts.slots.extend(domain);
        }
        Ok(sorts)
    }

    /// The simple sorts that a sort is made of; none if one is not declared yet.
    fn made(&mut self, tree: &Tree) -> Result<Option<Vec<usize>>, Diagnostic> {
        match tree.name() {
            "cyclicenumeration" | "finiteenumeration" => {
                let sort = self.simple.len();
                let mut values = Vec::new();
                for constant in tree.children.iter().filter(|c| c.name() == "feconstant") {
                    let id = constant.element.demand("id")?;
                    let name = constant.element.attribute("name").unwrap_or(id);
                    let known = self
                        .constants
                        .insert(id.to_string(), (sort, values.len() as u32));
                    if known.is_some() {
                        return Err(wrong(constant, format!("`{id}` is declared twice")));
                    }
                    values.push(name.to_string());
                }
                Ok(Some(vec![self.simple(tree, values, None)?]))
            }
            "finiteintrange" => {
                let bound = |name: &str| -> Result<i64, Diagnostic> {
                    let text = tree.element.demand(name)?;
                    let number = text
                        .parse::<i32>()
                        .map_err(|_| wrong(tree, format!("`{text}` is no number for a range")))?;
                    Ok(number.into())
                };
                let (start, end) = (bound("start")?, bound("end")?);
                if end - start >= MOST_VALUES {
                    return Err(wrong(tree, format!("more than {MOST_VALUES} values")));
                }
                let values = (start..=end).map(|number| number.to_string()).collect();
                Ok(Some(vec![self.simple(tree, values, Some(start))?]))
            }
            "bool" => {
                let values = vec!["false".to_string(), "true".to_string()];
                Ok(Some(vec![self.simple(tree, values, None)?]))
            }
            "dot" => Ok(Some(Vec::new())),
            "productsort" => {
                let mut domain = Vec::new();
                for part in &tree.children {
                    match self.made(part)? {
                        Some(part) => domain.extend(part),
                        None => return Ok(None),
                    }
                    if domain.len() > MOST_PARTS {
                        return Err(wrong(
                            tree,
                            format!("a product of more than {MOST_PARTS} sorts"),
                        ));
                    }
                }
                Ok(Some(domain))
            }
            "usersort" => Ok(self.named.get(tree.element.demand("declaration")?).cloned()),
            name => Err(wrong(
                tree,
                format!("sorts of the kind `{name}` are not read"),
            )),
        }
    }

    fn simple(
        &mut self,
        tree: &Tree,
        values: Vec<String>,
        start: Option<i64>,
    ) -> Result<usize, Diagnostic> {
        if values.is_empty() {
            return Err(wrong(tree, "a sort without values"));
        }
        self.simple.push(Simple { values, start });
        Ok(self.simple.len() - 1)
    }

    fn partition(&mut self, tree: &Tree) -> Result<(), Diagnostic> {
        let id = tree.element.demand("id")?.to_string();
        let mut parts = HashMap::new();
        for part in tree
            .children
            .iter()
            .filter(|c| c.name() == "partitionelement")
        {
            let mut values = Vec::new();
            for constant in &part.children {
                values.push(self.constant(constant)?.1);
            }
            parts.insert(part.element.demand("id")?.to_string(), values);
        }
        self.partitions.insert(id, parts);
        Ok(())
    }

    /// The simple sorts that a sort is made of.
    pub fn domain(&self, tree: &Tree) -> Result<Vec<usize>, Diagnostic> {
        match tree.name() {
            "usersort" => {
                let name = tree.element.demand("declaration")?;
                let known = self.named.get(name).cloned();
                // The dot need not be declared.
                let known = known.or((name == "dot").then(Vec::new));
                known.ok_or_else(|| wrong(tree, format!("there is no sort `{name}`")))
            }
            "dot" => Ok(Vec::new()),
            "productsort" => {
                let mut domain = Vec::new();
                for part in &tree.children {
                    domain.extend(self.domain(part)?);
                }
                match domain.len() > MOST_PARTS {
                    true => Err(wrong(
                        tree,
                        format!("a product of more than {MOST_PARTS} sorts"),
                    )),
                    false => Ok(domain),
                }
            }
            name => Err(wrong(tree, format!("`{name}` is no declared sort"))),
        }
    }

    /// The sort and the value of a constant.
    pub fn constant(&self, tree: &Tree) -> Result<(usize, u32), Diagnostic> {
        let name = tree.element.demand("declaration")?;
        let known = self.constants.get(name).copied();
        known.ok_or_else(|| wrong(tree, format!("there is no constant `{name}`")))
    }

    /// The slots of a variable.
    pub fn variable(&self, tree: &Tree) -> Result<std::ops::Range<usize>, Diagnostic> {
        let name = tree.element.demand("refvariable")?;
        match self.variables.get(name) {
            Some(&(first, count)) => Ok(first..first + count),
            None => Err(wrong(tree, format!("there is no variable `{name}`"))),
        }
    }

    /// A number of a range: its sort and its place there.
    pub fn range_constant(&self, tree: &Tree) -> Result<(usize, u32), Diagnostic> {
        let text = tree.element.demand("value")?;
        let range = tree.child("finiteintrange").map(|range| &range.element);
        let bound = |name: &str| range?.attribute(name)?.parse::<i64>().ok();
        let number = text.parse::<i64>().ok();
        let mut sorts = self.simple.iter().enumerate();
        let found = sorts.find_map(|(sort, simple)| {
            let (start, number) = (simple.start?, number?);
            let fits = bound("start").is_none_or(|s| s == start);
            let count = simple.values.len() as i64;
            let ends = bound("end").is_none_or(|end| end == start + count - 1);
            let inside = (start..start + count).contains(&number);
            (fits && ends && inside).then(|| (sort, (number - start) as u32))
        });
        found.ok_or_else(|| wrong(tree, format!("no range has the number `{text}`")))
    }

    /// The values in a part of a partition.
    pub fn part(&self, partition: &str, part: &str) -> Option<&[u32]> {
        self.partitions.get(partition)?.get(part).map(Vec::as_slice)
    }

    /// How many values a simple sort has.
    pub fn size(&self, sort: usize) -> u32 {
        self.simple[sort].values.len() as u32
    }

    /// How many slots there are.
    pub fn slot_count(&self) -> usize {
        self.slots.len()
    }

    /// The sort of a slot.
    pub fn slot_sort(&self, slot: usize) -> usize {
        self.slots[slot]
    }

    /// How many values a slot can have.
    pub fn slot_size(&self, slot: usize) -> u32 {
        self.size(self.slots[slot])
    }

    /// The values that a text between angle brackets names, such as `1,2`: as [`Sorts::named`] writes them.
    pub fn values(&self, domain: &[usize], text: &str) -> Option<Vec<u32>> {
        let Some((&sort, others)) = domain.split_first() else {
            return text.is_empty().then(Vec::new);
        };
        // A name may have a comma in it.
        let names = self.simple[sort].values.iter().enumerate();
        names.into_iter().find_map(|(value, name)| {
            let rest = text.strip_prefix(&**name)?;
            let rest = match others {
                [] => rest,
                _ => rest.strip_prefix(',')?,
            };
            let mut values = vec![value as u32];
            values.extend(self.values(others, rest)?);
            Some(values)
        })
    }

    /// The name of a node with its colour.
    pub fn named(&self, id: &str, domain: &[usize], colour: &[u32]) -> String {
        if colour.is_empty() {
            return id.to_string();
        }
        let values = domain.iter().zip(colour);
        let values = values.map(|(&sort, &value)| &*self.simple[sort].values[value as usize]);
        format!("{id}<{}>", values.collect::<Vec<&str>>().join(","))
    }
}
