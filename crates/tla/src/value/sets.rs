//! Union, intersection, difference and inclusion. Sets that are listed are merged, since both are in order;
//! where one cannot be listed, the result is a rule that is asked later.

use std::cmp::Ordering;

use evenhand_source::budget::spend_many;

use super::membership::place_of;
use super::normal::MOST_ELEMENTS;
use super::order::interval_len;
use super::{LazySet, Listed, Value};
use crate::failure::Failure;

impl Value {
    /// `S \cup T`
    ///
    /// # Errors
    /// One is no set, or elements cannot be compared.
    pub fn union(&self, other: &Value) -> Result<Value, Failure> {
        self.expect_set("\\cup needs sets")?;
        other.expect_set("\\cup needs sets")?;
        if !self.is_short() || !other.is_short() {
            return Value::lazy(LazySet::Union(self.clone(), other.clone())).within_limits();
        }
        let (a, b) = (self.listed()?, other.listed()?);
        match (a.is_empty(), b.is_empty()) {
            (_, true) => Ok(Value::Set(a)),
            (true, _) => Ok(Value::Set(b)),
            _ => merge(&a, &b)?.within_limits(),
        }
    }

    /// `S \cap T`
    ///
    /// # Errors
    /// One is no set, or elements cannot be compared.
    pub fn intersection(&self, other: &Value) -> Result<Value, Failure> {
        self.expect_set("\\cap needs sets")?;
        other.expect_set("\\cap needs sets")?;
        if let (Value::Interval(a, b), Value::Interval(c, d)) = (self, other) {
            return Ok(Value::Interval(*a.max(c), *b.min(d)));
        }
        if self.is_short() {
            return self.keep(other, true);
        }
        if other.is_short() {
            return other.keep(self, true);
        }
        let rule = LazySet::Intersection(self.clone(), other.clone());
        Value::lazy(rule).within_limits()
    }

    /// `S \ T`
    ///
    /// # Errors
    /// One is no set, or elements cannot be compared.
    pub fn difference(&self, other: &Value) -> Result<Value, Failure> {
        self.expect_set("\\ needs sets")?;
        other.expect_set("\\ needs sets")?;
        match self.is_short() {
            true => self.keep(other, false),
            false => Value::lazy(LazySet::Difference(self.clone(), other.clone())).within_limits(),
        }
    }

    /// `S \subseteq T`
    ///
    /// # Errors
    /// One is no set, the first cannot be listed, or elements cannot be compared.
    pub fn subset_of(&self, other: &Value) -> Result<bool, Failure> {
        self.expect_set("\\subseteq needs sets")?;
        other.expect_set("\\subseteq needs sets")?;
        match (self, other) {
            (Value::Set(a), Value::Set(b)) if a.is(b) => return Ok(true),
            (Value::Set(a), Value::Set(b)) => return is_included(a, b),
            (Value::Interval(a, b), Value::Interval(c, d)) => {
                return Ok(a > b || c <= a && b <= d);
            }
            (Value::Lazy(a), Value::Lazy(b)) => {
                if let (LazySet::Subsets(a), LazySet::Subsets(b)) = (&**a, &**b) {
                    return a.subset_of(b);
                }
            }
            _ => {}
        }
        let mut elements = self.elements()?;
        while let Some(element) = elements.next()? {
            if !other.contains(&element)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// `UNION S`
    ///
    /// # Errors
    /// It is no set, or has an element that is none, or elements of those cannot be compared.
    pub fn big_union(&self) -> Result<Value, Failure> {
        self.expect_set("UNION needs a set of sets")?;
        match self {
            Value::Set(sets) => Value::union_all(sets.to_vec()),
            Value::Lazy(rule) => match &**rule {
                LazySet::Subsets(set) => Ok(set.clone()),
                _ => Value::lazy(LazySet::BigUnion(self.clone())).within_limits(),
            },
            _ => Value::lazy(LazySet::BigUnion(self.clone())).within_limits(),
        }
    }

    /// The union of sets in any order, none of which needs a listing of its own: for `UNION {[1..n -> S] : n \in 0..3}`
    /// a membership test lists nothing.
    ///
    /// # Errors
    /// One is no set, or elements cannot be compared.
    pub fn union_all(sets: Vec<Value>) -> Result<Value, Failure> {
        for set in &sets {
            set.expect_set("UNION needs a set of sets")?;
        }
        match sets.iter().all(Value::is_short) {
            true => Value::list_union(&Value::tuple(sets)),
            false => Value::lazy(LazySet::BigUnion(Value::tuple(sets))).within_limits(),
        }
    }

    /// The listing of the union of a set or a tuple of sets: halves are merged, so each element is looked at
    /// as many times as the number of sets has digits.
    pub(super) fn list_union(sets: &Value) -> Result<Value, Failure> {
        let mut level = Vec::new();
        let mut members = Value::members(sets)?;
        while let Some(set) = members.next()? {
            set.expect_set("UNION needs a set of sets")?;
            level.push(set.listing()?);
        }
        while level.len() > 1 {
            let pairs = level.chunks(2);
            let merged = pairs.map(|pair| match pair {
                [a, b] => a.union(b)?.listing(),
                _ => Ok(pair[0].clone()),
            });
            level = merged.collect::<Result<_, _>>()?;
        }
        Ok(level.pop().unwrap_or_else(Value::empty_set))
    }

    /// Whether it is listed, or an interval that may be.
    fn is_short(&self) -> bool {
        match self {
            Value::Set(_) => true,
            Value::Interval(..) => interval_len(self) <= MOST_ELEMENTS,
            _ => false,
        }
    }

    /// The elements that are in another set, or those that are not.
    fn keep(&self, other: &Value, wanted: bool) -> Result<Value, Failure> {
        let own = self.listed()?;
        let kept = match other {
            // A few elements are looked for among many.
            Value::Set(others) if others.len() < own.len() / 4 => {
                let (inside, outside) = part(&own, others)?;
                if wanted { inside } else { outside }
            }
            Value::Set(others) => {
                let (mut kept, mut rest) = (Vec::new(), &others[..]);
                for element in own.iter() {
                    let (place, behind) = find_from(rest, element)?;
                    rest = behind;
                    if place.is_some() == wanted {
                        kept.push(element.clone());
                    }
                }
                kept
            }
            _ => {
                spend_many(own.len());
                let mut kept = Vec::new();
                for element in own.iter() {
                    if other.contains(element)? == wanted {
                        kept.push(element.clone());
                    }
                }
                kept
            }
        };
        Ok(match kept.len() == own.len() {
            true => Value::Set(own),
            false => Value::sorted(kept),
        })
    }
}

/// The values of a list in order that are among a few others, and those that are not.
fn part(own: &[Value], others: &[Value]) -> Result<(Vec<Value>, Vec<Value>), Failure> {
    let (mut inside, mut outside) = (Vec::new(), Vec::with_capacity(own.len()));
    let mut rest = own;
    for other in others {
        let (place, behind) = find_from(rest, other)?;
        let passed = rest.len() - behind.len() - usize::from(place.is_some());
        outside.extend_from_slice(&rest[..passed]);
        inside.extend(place.map(|place| rest[place].clone()));
        rest = behind;
    }
    outside.extend_from_slice(rest);
    Ok((inside, outside))
}

/// Two lists in order as one.
fn merge(a: &Listed, b: &Listed) -> Result<Value, Failure> {
    // One element more or less is what most steps add.
    if let [element] = &b[..] {
        return with(a, element);
    }
    if let [element] = &a[..] {
        return with(b, element);
    }
    spend_many(a.len() + b.len());
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        let order = x.compare(y)?;
        all.push(match order {
            Ordering::Greater => y.clone(),
            _ => x.clone(),
        });
        i += usize::from(order != Ordering::Greater);
        j += usize::from(order != Ordering::Less);
    }
    all.extend_from_slice(&a[i..]);
    all.extend_from_slice(&b[j..]);
    Ok(match all.len() {
        len if len == a.len() => Value::Set(a.clone()),
        len if len == b.len() => Value::Set(b.clone()),
        _ => Value::sorted(all),
    })
}

impl Value {
    /// A listed set with one normal element more.
    ///
    /// # Errors
    /// Elements cannot be compared.
    pub(crate) fn with(set: &Listed, element: &Value) -> Result<Value, Failure> {
        with(set, element)?.within_limits()
    }

    /// A listed set without an element.
    ///
    /// # Errors
    /// Elements cannot be compared.
    pub(crate) fn without(set: &Listed, element: &Value) -> Result<Value, Failure> {
        let Some(place) = place_of(set, element)? else {
            return Ok(Value::Set(set.clone()));
        };
        Ok(match set.len() {
            1 => Value::empty_set(),
            len => Value::Set(Listed::of(len - 1, |at| {
                &set[at + usize::from(at >= place)]
            })),
        })
    }
}

/// A list in order with one element more.
fn with(set: &Listed, element: &Value) -> Result<Value, Failure> {
    let (mut low, mut high) = (0, set.len());
    while low < high {
        let middle = (low + high) / 2;
        match element.compare(&set[middle])? {
            Ordering::Equal => return Ok(Value::Set(set.clone())),
            Ordering::Less => high = middle,
            Ordering::Greater => low = middle + 1,
        }
    }
    Ok(Value::Set(Listed::of(set.len() + 1, |at| {
        match at.cmp(&low) {
            Ordering::Less => &set[at],
            Ordering::Equal => element,
            Ordering::Greater => &set[at - 1],
        }
    })))
}

/// The place of a value among values in order, and the values behind it.
fn find_from<'a>(
    values: &'a [Value],
    value: &Value,
) -> Result<(Option<usize>, &'a [Value]), Failure> {
    // Steps that double find what is near soon, and what is far in a logarithm.
    let (mut low, mut step) = (0, 1);
    let mut high = values.len();
    while low < values.len() {
        let probe = (low + step - 1).min(values.len() - 1);
        match value.compare(&values[probe])? {
            Ordering::Equal => return Ok((Some(probe), &values[probe + 1..])),
            Ordering::Less => {
                high = probe;
                break;
            }
            Ordering::Greater => low = probe + 1,
        }
        step *= 2;
    }
    while low < high {
        let middle = (low + high) / 2;
        match value.compare(&values[middle])? {
            Ordering::Equal => return Ok((Some(middle), &values[middle + 1..])),
            Ordering::Less => high = middle,
            Ordering::Greater => low = middle + 1,
        }
    }
    Ok((None, &values[low..]))
}

fn is_included(a: &Listed, b: &Listed) -> Result<bool, Failure> {
    if let [element] = &a[..] {
        return Ok(place_of(b, element)?.is_some());
    }
    let mut rest = &b[..];
    for element in a.iter() {
        let (place, behind) = find_from(rest, element)?;
        if place.is_none() {
            return Ok(false);
        }
        rest = behind;
    }
    Ok(true)
}
