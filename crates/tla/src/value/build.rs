//! How values are made, in the one form that each of them has.
//!
//! A set that is listed is in order and has each element once; a function on 1..n is the tuple, one on nothing the
//! empty tuple. What is made of parts that are in order already is not sorted again: most sets that a
//! specification makes come from others.

use std::cmp::Ordering;
use std::sync::{Arc, OnceLock};

use super::{LazySet, Listed, Mapping, Value, shared, sort};
use crate::failure::Failure;
use crate::names::Symbol;

impl Value {
    /// The model value of a name; `A_x` is typed by its letter.
    pub fn model(name: Symbol, text: &str) -> Value {
        let mut letters = text.chars();
        let kind = match (letters.next(), letters.next()) {
            (Some(letter), Some('_')) => Some(letter),
            _ => None,
        };
        Value::Model(name, kind)
    }

    /// The set of some values, in any order, any of them more than once.
    ///
    /// # Errors
    /// Two of them cannot be compared, or one cannot be listed.
    pub fn set(mut elements: Vec<Value>) -> Result<Value, Failure> {
        Value::set_of(&mut elements, 0)
    }

    /// The set of the values of a list from a place on, which are taken out of it.
    ///
    /// # Errors
    /// Two of them cannot be compared, or one cannot be listed; they are taken out nevertheless.
    pub(crate) fn set_of(elements: &mut Vec<Value>, from: usize) -> Result<Value, Failure> {
        match ordered(elements, from) {
            Ok(()) => Value::sorted_of(elements, from).within_limits(),
            Err(failure) => {
                elements.truncate(from);
                Err(failure)
            }
        }
    }

    /// The set of some values that are normal, in order, and different.
    pub fn sorted(mut elements: Vec<Value>) -> Value {
        Value::sorted_of(&mut elements, 0)
    }

    /// The set of the values of a list from a place on, which are normal, in order, and different.
    pub(crate) fn sorted_of(elements: &mut Vec<Value>, from: usize) -> Value {
        if elements.len() == from {
            return Value::empty_set();
        }
        Value::Set(Listed::taken(elements, from))
    }

    /// The set without elements.
    pub fn empty_set() -> Value {
        Value::Set(no_values().clone())
    }

    /// A tuple.
    pub fn tuple(mut values: Vec<Value>) -> Value {
        Value::tuple_of(&mut values, 0)
    }

    /// The tuple of the values of a list from a place on, which are taken out of it.
    pub(crate) fn tuple_of(values: &mut Vec<Value>, from: usize) -> Value {
        if values.len() == from {
            return Value::Tuple(no_values().clone());
        }
        Value::Tuple(Listed::taken(values, from))
    }

    /// A record: fields in any order, each of them once.
    pub fn record(mut fields: Vec<(Symbol, Value)>) -> Value {
        fields.sort_by_key(|(name, _)| *name);
        fields.dedup_by_key(|(name, _)| *name);
        let keys = shared::fields(fields.iter().map(|(name, _)| *name));
        let values = fields.into_iter().map(|(_, value)| value).collect();
        Value::mapping(keys, values)
    }

    /// The record with these fields, in any order, and the values of a list from a place on: these are as many, in the
    /// same order, and are taken out of it.
    pub(crate) fn record_of(
        fields: impl ExactSizeIterator<Item = Symbol>,
        values: &mut Vec<Value>,
        from: usize,
    ) -> Value {
        const FEW: usize = 12;
        let count = fields.len();
        if count > FEW {
            let values = values.split_off(from);
            return Value::record(fields.zip(values).collect());
        }
        let mut names = [Symbol(0); FEW];
        for (name, field) in names.iter_mut().zip(fields) {
            *name = field;
        }
        let (names, own) = (&mut names[..count], &mut values[from..]);
        for place in 1..count {
            let mut at = place;
            while at > 0 && names[at - 1] > names[at] {
                names.swap(at - 1, at);
                own.swap(at - 1, at);
                at -= 1;
            }
        }
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            let values = values.split_off(from);
            return Value::record(names.iter().copied().zip(values).collect());
        }
        Value::mapping_of(shared::fields(names.iter().copied()), values, from)
    }

    /// A function: arguments with their values, in any order.
    ///
    /// # Errors
    /// Two arguments cannot be compared or are equal, or one cannot be listed.
    pub fn function(mut pairs: Vec<(Value, Value)>) -> Result<Value, Failure> {
        for (key, _) in &mut pairs {
            if !key.is_plain() {
                *key = key.normal()?;
            }
        }
        let pairs = sort::sorted(pairs, &|(a, _), (b, _)| a.compare(b))?;
        if let Some(pair) = pairs.windows(2).find(|pair| pair[0].0.same(&pair[1].0)) {
            let twice = pair[0].0.quoted();
            return Err(Failure::new(format!(
                "{twice} stands twice in the domain of a function"
            )));
        }
        let (keys, values): (Vec<Value>, Vec<Value>) = pairs.into_iter().unzip();
        match is_one_to_n(&keys) {
            true => Value::tuple(values).within_limits(),
            false => Value::mapping(shared::domain(keys), values).within_limits(),
        }
    }

    /// The function on keys that are a set's: in order, each once, and as many as the values.
    pub fn mapping(keys: Listed, mut values: Vec<Value>) -> Value {
        Value::mapping_of(keys, &mut values, 0)
    }

    /// The function on keys that are a set's, with the values of a list from a place on: these are as many and are
    /// taken out of it.
    pub(crate) fn mapping_of(keys: Listed, values: &mut Vec<Value>, from: usize) -> Value {
        debug_assert_eq!(keys.len(), values.len() - from, "a value for each argument");
        match is_one_to_n(&keys) {
            true => Value::tuple_of(values, from),
            false => Value::Function(Mapping::taken(keys, values, from)),
        }
    }

    /// A set that is given by a rule.
    pub fn lazy(rule: LazySet) -> Value {
        Value::Lazy(Arc::new(rule))
    }

    /// `SUBSET S`
    ///
    /// # Errors
    /// It is not a set.
    pub fn power_set(&self) -> Result<Value, Failure> {
        self.expect_set("SUBSET needs a set")?;
        Value::lazy(LazySet::Subsets(self.clone())).within_limits()
    }

    /// `[S -> T]`
    ///
    /// # Errors
    /// One is not a set.
    pub fn functions(domain: Value, range: Value) -> Result<Value, Failure> {
        domain.expect_set("[S -> T] needs two sets")?;
        range.expect_set("[S -> T] needs two sets")?;
        Value::lazy(LazySet::Functions(domain, range)).within_limits()
    }

    /// `[a : S, b : T]`, fields in any order.
    ///
    /// # Errors
    /// One is not a set.
    pub fn records(mut fields: Vec<(Symbol, Value)>) -> Result<Value, Failure> {
        for (_, set) in &fields {
            set.expect_set("the fields of a set of records are sets")?;
        }
        fields.sort_by_key(|(name, _)| *name);
        Value::lazy(LazySet::Records(fields.into())).within_limits()
    }

    /// `S \X T \X U`
    ///
    /// # Errors
    /// One is not a set.
    pub fn product(sets: Vec<Value>) -> Result<Value, Failure> {
        for set in &sets {
            set.expect_set("\\X needs sets")?;
        }
        Value::lazy(LazySet::Product(sets.into())).within_limits()
    }

    /// `Seq(S)`
    ///
    /// # Errors
    /// It is not a set.
    pub fn sequences(&self) -> Result<Value, Failure> {
        self.expect_set("Seq needs a set")?;
        Value::lazy(LazySet::Sequences(self.clone())).within_limits()
    }

    /// `BOOLEAN`
    pub fn booleans() -> Value {
        static BOTH: OnceLock<Listed> = OnceLock::new();
        let both = BOTH.get_or_init(|| Listed::new(vec![Value::Truth(false), Value::Truth(true)]));
        Value::Set(both.clone())
    }

    /// That it is a set.
    pub(super) fn expect_set(&self, rule: &str) -> Result<(), Failure> {
        match self.is_set() {
            true => Ok(()),
            false => Err(Failure::new(format!(
                "{rule}, and {} is {}",
                self.quoted(),
                self.kind()
            ))),
        }
    }
}

/// No values at all, shared by everybody.
pub(super) fn no_values() -> &'static Listed {
    static EMPTY: OnceLock<Listed> = OnceLock::new();
    EMPTY.get_or_init(|| Listed::new(Vec::new()))
}

/// Whether values in order, each once, are 1..n. Numbers stand after model values, and nothing else can be compared
/// with them, so the ends tell.
pub(super) fn is_one_to_n(keys: &[Value]) -> bool {
    match (keys.first(), keys.last()) {
        (Some(Value::Number(1)), Some(Value::Number(last))) => *last as usize == keys.len(),
        (None, None) => true,
        _ => false,
    }
}

/// Makes the values of a list from a place on normal, puts them in order, and leaves each once.
fn ordered(list: &mut Vec<Value>, from: usize) -> Result<(), Failure> {
    for element in &mut list[from..] {
        if !element.is_plain() {
            *element = element.normal()?;
        }
    }
    for place in from + 1..list.len() {
        if list[place - 1].compare(&list[place])? != Ordering::Less {
            return reorder(list, from);
        }
    }
    Ok(())
}

fn reorder(list: &mut Vec<Value>, from: usize) -> Result<(), Failure> {
    let values = &mut list[from..];
    // Numbers are frequent, and cannot fail.
    if values.iter().all(|value| matches!(value, Value::Number(_))) {
        values.sort_unstable_by_key(|value| value.number());
    } else if values.len() <= sort::FEW {
        sort::insert(values, &Value::compare)?;
    } else {
        let values = list.split_off(from);
        list.extend(sort::sorted(values, &Value::compare)?);
    }
    let mut last = from;
    for place in from + 1..list.len() {
        if !list[place].same(&list[last]) {
            last += 1;
            list.swap(place, last);
        }
    }
    list.truncate(last + 1);
    Ok(())
}
