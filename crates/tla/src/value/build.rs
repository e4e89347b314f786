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
    /// The set of some values, in any order, any of them more than once.
    ///
    /// # Errors
    /// Two of them cannot be compared, or one cannot be listed.
    pub fn set(mut elements: Vec<Value>) -> Result<Value, Failure> {
        for element in &mut elements {
            if !element.is_plain() {
                *element = element.normal()?;
            }
        }
        let mut in_order = true;
        for pair in elements.windows(2) {
            if pair[0].compare(&pair[1])? != Ordering::Less {
                in_order = false;
                break;
            }
        }
        if !in_order {
            elements = in_order_of_values(elements)?;
            elements.dedup_by(|a, b| a.same(b));
        }
        Value::sorted(elements).not_too_deep()
    }

    /// The set of some values that are normal, in order, and different.
    pub fn sorted(elements: Vec<Value>) -> Value {
        if elements.is_empty() {
            return Value::empty_set();
        }
        Value::Set(Arc::new(Listed::new(elements)))
    }

    /// The set without elements.
    pub fn empty_set() -> Value {
        Value::Set(no_values().clone())
    }

    /// A tuple.
    pub fn tuple(values: Vec<Value>) -> Value {
        if values.is_empty() {
            return Value::Tuple(no_values().clone());
        }
        Value::Tuple(Arc::new(Listed::new(values)))
    }

    /// A record: fields in any order, each of them once.
    pub fn record(mut fields: Vec<(Symbol, Value)>) -> Value {
        fields.sort_by_key(|(name, _)| *name);
        fields.dedup_by_key(|(name, _)| *name);
        let keys = shared::fields(fields.iter().map(|(name, _)| *name));
        let values = fields.into_iter().map(|(_, value)| value).collect();
        Value::mapping(keys, values)
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
            true => Value::tuple(values).not_too_deep(),
            false => Value::mapping(shared::domain(keys), values).not_too_deep(),
        }
    }

    /// The function on keys that are a set's: in order, each once, and as many as the values.
    pub fn mapping(keys: Arc<Listed>, values: Vec<Value>) -> Value {
        debug_assert_eq!(keys.len(), values.len(), "a value for each argument");
        if values.is_empty() || is_one_to_n(&keys) {
            return Value::tuple(values);
        }
        Value::Function(Arc::new(Mapping::new(keys, values.into())))
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
        Value::lazy(LazySet::Subsets(self.clone())).not_too_deep()
    }

    /// `[S -> T]`
    ///
    /// # Errors
    /// One is not a set.
    pub fn functions(domain: Value, range: Value) -> Result<Value, Failure> {
        domain.expect_set("[S -> T] needs two sets")?;
        range.expect_set("[S -> T] needs two sets")?;
        Value::lazy(LazySet::Functions(domain, range)).not_too_deep()
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
        Value::lazy(LazySet::Records(fields.into())).not_too_deep()
    }

    /// `S \X T \X U`
    ///
    /// # Errors
    /// One is not a set.
    pub fn product(sets: Vec<Value>) -> Result<Value, Failure> {
        for set in &sets {
            set.expect_set("\\X needs sets")?;
        }
        Value::lazy(LazySet::Product(sets.into())).not_too_deep()
    }

    /// `Seq(S)`
    ///
    /// # Errors
    /// It is not a set.
    pub fn sequences(&self) -> Result<Value, Failure> {
        self.expect_set("Seq needs a set")?;
        Value::lazy(LazySet::Sequences(self.clone())).not_too_deep()
    }

    /// `BOOLEAN`
    pub fn booleans() -> Value {
        static BOTH: OnceLock<Arc<Listed>> = OnceLock::new();
        let both =
            BOTH.get_or_init(|| Arc::new(Listed::new([Value::Truth(false), Value::Truth(true)])));
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
pub(super) fn no_values() -> &'static Arc<Listed> {
    static EMPTY: OnceLock<Arc<Listed>> = OnceLock::new();
    EMPTY.get_or_init(|| Arc::new(Listed::new([])))
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

fn in_order_of_values(mut values: Vec<Value>) -> Result<Vec<Value>, Failure> {
    // Numbers are frequent, and cannot fail.
    if values.iter().all(|value| matches!(value, Value::Number(_))) {
        values.sort_unstable_by_key(|value| value.number());
        return Ok(values);
    }
    sort::sorted(values, &Value::compare)
}
