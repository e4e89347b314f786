//! What the operators of SequencesExt do with sequences: search, cut, join, fold.

use evenhand_source::budget::spend_many;

use super::Host;
use super::args::{Result, call, count, listed, number, sequence, test, wrong};
use super::sequences::{append, concat, joined, length, sub_seq};
use super::tlc::rearrangements;
use crate::failure::Failure;
use crate::value::{MOST_ELEMENTS, Value, room, room_for_text};

pub(super) fn to_bag(value: &Value) -> Result<Value> {
    let mut values = Vec::new();
    for value in sequence("ToBag", value)? {
        values.push(value.normal()?);
    }
    let set = Value::set(values.clone())?;
    let mut pairs = Vec::new();
    for element in listed("ToBag", &set)?.iter() {
        let times = values.iter().filter(|value| value.same(element)).count();
        pairs.push((element.clone(), count(times)));
    }
    Value::function(pairs)
}

/// The most elements of sequences that are bounded.
const LONGEST: i32 = 1 << 16;

/// Sequences of at most a length, without listing them.
pub(super) fn up_to(set: &Value, most: &Value) -> Result<Value> {
    let most = number("SeqOf", most)?;
    if most > LONGEST {
        return Err(Failure::limit(format!(
            "sequences of up to {most} elements are too long"
        )));
    }
    let sets = (0..=most).map(|len| Value::functions(Value::Interval(1, len), set.clone()));
    Value::union_all(sets.collect::<Result<_>>()?)
}

pub(super) fn place_of(values: &[Value], value: &Value) -> Result<Option<usize>> {
    for (place, candidate) in values.iter().enumerate() {
        if candidate.equal(value)? {
            return Ok(Some(place));
        }
    }
    Ok(None)
}

/// The first or last place of a part whose value passes a test, or 0.
pub(super) fn select(
    host: &mut dyn Host,
    operator: &str,
    value: &Value,
    (from, to): (i32, i32),
    tested: usize,
    last: bool,
) -> Result<Value> {
    let values = sequence(operator, value)?;
    if from > to {
        return Ok(Value::Number(0));
    }
    if from < 1 || to as usize > values.len() {
        return Err(Failure::new(format!(
            "{operator} from {from} to {to} leaves {}",
            value.quoted()
        )));
    }
    for step in 0..=to - from {
        let place = if last { to - step } else { from + step };
        let value = &values[place as usize - 1];
        if test(host, operator, tested, std::slice::from_ref(value))? {
            return Ok(Value::Number(place));
        }
    }
    Ok(Value::Number(0))
}

pub(super) fn remove_at(host: &mut dyn Host, value: &Value, place: i32) -> Result<Value> {
    let len = length(host, value)?;
    let before = sub_seq(host, value, 1, place.saturating_sub(1))?;
    let after = sub_seq(host, value, place.saturating_add(1), len)?;
    concat(host, &before, &after)
}

fn starts_with(whole: &[Value], part: &[Value]) -> Result<bool> {
    if part.len() > whole.len() {
        return Ok(false);
    }
    for (a, b) in part.iter().zip(whole) {
        if !a.equal(b)? {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(super) fn is_prefix(host: &mut dyn Host, part: &Value, whole: &Value) -> Result<bool> {
    if let (Value::Text(part), Value::Text(whole)) = (part, whole) {
        let names = host.names();
        return Ok(names.text(*whole).starts_with(names.text(*part)));
    }
    starts_with(sequence("IsPrefix", whole)?, sequence("IsPrefix", part)?)
}

pub(super) fn is_suffix(part: &Value, whole: &Value) -> Result<bool> {
    let (part, whole) = (sequence("IsSuffix", part)?, sequence("IsSuffix", whole)?);
    match whole.len().checked_sub(part.len()) {
        // The comparison begins at the end, where a difference of kinds would be met first.
        Some(_) => {
            for (a, b) in part.iter().rev().zip(whole.iter().rev()) {
                if !a.equal(b)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        None => Ok(false),
    }
}

/// What all sequences of a set begin with; none if there are no sequences.
fn common_prefix(operator: &str, set: &Value) -> Result<Option<Vec<Value>>> {
    let mut common: Option<Vec<Value>> = None;
    for other in listed(operator, set)?.iter() {
        let other = sequence(operator, other)?;
        let Some(so_far) = &mut common else {
            common = Some(other.to_vec());
            continue;
        };
        let mut same = 0;
        while same < so_far.len().min(other.len()) && so_far[same].equal(&other[same])? {
            same += 1;
        }
        so_far.truncate(same);
    }
    Ok(common)
}

pub(super) fn longest_common_prefix(host: &mut dyn Host, set: &Value) -> Result<Value> {
    let operator = "LongestCommonPrefix";
    let all = listed(operator, set)?;
    if let Some(Value::Text(first)) = all.first() {
        let mut common = host.names().text(*first).to_string();
        for other in all.iter() {
            let other = other
                .text()
                .ok_or_else(|| wrong(operator, "strings", other))?;
            let other = host.names().text(other).chars();
            let same = common.chars().zip(other).take_while(|(a, b)| a == b);
            common = same.map(|(letter, _)| letter).collect();
        }
        return Ok(Value::Text(host.text(&common)));
    }
    match common_prefix(operator, set)? {
        Some(common) => Ok(Value::tuple(common)),
        None => Err(wrong(operator, "a set with elements", set)),
    }
}

pub(super) fn places(values: &[Value]) -> Vec<Value> {
    (1..=values.len()).map(count).collect()
}

pub(super) fn fold_left(host: &mut dyn Host, values: Vec<Value>, base: Value) -> Result<Value> {
    let mut values = values.into_iter();
    values.try_fold(base, |folded, value| call(host, 0, &[folded, value]))
}

pub(super) fn fold_right(host: &mut dyn Host, values: Vec<Value>, base: Value) -> Result<Value> {
    let mut values = values.into_iter().rev();
    values.try_fold(base, |folded, value| call(host, 0, &[value, folded]))
}

/// The first place from some place on where a part stands in a whole.
pub(super) fn find(part: &[Value], whole: &[Value], from: usize) -> Result<Option<usize>> {
    for place in from..=whole.len() {
        if starts_with(&whole[place..], part)? {
            return Ok(Some(place));
        }
    }
    Ok(None)
}

/// `ReplaceSubSeqAt(i, r, s, t)`
pub(super) fn replace_at(
    host: &mut dyn Host,
    place: i32,
    new: &Value,
    old: &Value,
    whole: &Value,
) -> Result<Value> {
    let (old, len) = (length(host, old)?, length(host, whole)?);
    let before = sub_seq(host, whole, 1, place.saturating_sub(1))?;
    let after = sub_seq(host, whole, place.saturating_add(old), len)?;
    let front = concat(host, &before, new)?;
    concat(host, &front, &after)
}

/// `r` in the place of `s` in `t`, once or everywhere.
pub(super) fn replace(
    host: &mut dyn Host,
    operator: &str,
    args: &[Value],
    once: bool,
) -> Result<Value> {
    if let (Value::Text(new), Value::Text(old), Value::Text(whole)) = (&args[0], &args[1], &args[2])
    {
        let names = host.names();
        let (new, old, whole) = (names.text(*new), names.text(*old), names.text(*whole));
        let places = match old.is_empty() {
            true => whole.len() + 1,
            false => whole.matches(old).count(),
        };
        let places = if once { places.min(1) } else { places };
        room_for_text(whole.len().saturating_add(places.saturating_mul(new.len())))?;
        let replaced = match (old.is_empty(), once) {
            (_, true) => whole.replacen(old, new, 1),
            (false, _) => whole.replace(old, new),
            // In front of every letter; of nothing at all it is the new text itself.
            (true, _) if whole.is_empty() => new.to_string(),
            (true, _) => whole
                .chars()
                .flat_map(|letter| new.chars().chain([letter]))
                .collect(),
        };
        return Ok(Value::Text(host.text(&replaced)));
    }
    let (new, old) = (sequence(operator, &args[0])?, sequence(operator, &args[1])?);
    let whole = sequence(operator, &args[2])?;
    if !once && args[1].equal(&args[2])? {
        return Ok(args[0].clone());
    }
    if old.is_empty() {
        let mut all = Vec::new();
        for (place, value) in whole.iter().enumerate() {
            if place == 0 || !once {
                extend(&mut all, new)?;
            }
            all.push(value.clone());
        }
        return Ok(match whole.is_empty() {
            true => args[0].clone(),
            false => Value::tuple(all),
        });
    }
    let mut all = Vec::new();
    let mut from = 0;
    while let Some(place) = find(old, whole, from)? {
        extend(&mut all, &whole[from..place])?;
        extend(&mut all, new)?;
        from = place + old.len();
        if once {
            break;
        }
    }
    all.extend_from_slice(&whole[from..]);
    Ok(Value::tuple(all))
}

/// More values at the end of others, unless there are too many.
fn extend(all: &mut Vec<Value>, more: &[Value]) -> Result<()> {
    room(all.len() + more.len())?;
    spend_many(more.len());
    all.extend_from_slice(more);
    Ok(())
}

/// Rows with so many values in all of them together are too many, however short they are.
#[derive(Default)]
pub(super) struct ManyRows {
    rows: Vec<Value>,
    parts: usize,
}

impl ManyRows {
    /// One more row.
    pub fn add(&mut self, row: &[Value]) -> Result<()> {
        self.parts += 1 + row.len();
        room(self.parts)?;
        spend_many(1 + row.len());
        self.rows.push(Value::tuple(row.to_vec()));
        Ok(())
    }

    /// The set of all of them.
    pub fn set(self) -> Result<Value> {
        Value::set(self.rows)
    }
}

pub(super) fn all_orders_of_subsets(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let mut all = Vec::new();
    let mut subsets = args[0].power_set()?.elements()?;
    while let Some(subset) = subsets.next()? {
        let base = listed("SetToAllKPermutations", &subset)?;
        let each = |row| all.push(Value::tuple(row));
        rearrangements("SetToAllKPermutations", &base, each)?;
        if all.len() as u64 > MOST_ELEMENTS {
            return Err(Failure::limit(
                "SetToAllKPermutations has too many elements",
            ));
        }
    }
    Value::set(all)
}

pub(super) fn is_sorted(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let values = sequence("IsSorted", &args[0])?;
    for (place, first) in values.iter().enumerate() {
        for second in &values[place + 1..] {
            if !test(host, "IsSorted", 1, &[first.clone(), second.clone()])? {
                return Ok(Value::Truth(false));
            }
        }
    }
    Ok(Value::Truth(true))
}

pub(super) fn insert_at(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let place = number("InsertAt", &args[1])?;
    let len = length(host, &args[0])?;
    let before = sub_seq(host, &args[0], 1, place.saturating_sub(1))?;
    let after = sub_seq(host, &args[0], place, len)?;
    let middle = append(&before, &args[2])?;
    concat(host, &middle, &after)
}

pub(super) fn flatten(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let mut parts = sequence("FlattenSeq", &args[0])?.iter();
    let Some(mut whole) = parts.next().cloned() else {
        return Ok(args[0].clone());
    };
    if let Value::Text(_) = whole {
        for part in parts {
            whole = concat(host, &whole, part)?;
        }
        return Ok(whole);
    }
    let first = sequence("FlattenSeq", &whole);
    let others = parts.map(|part| sequence("FlattenSeq", part));
    joined(
        &std::iter::once(first)
            .chain(others)
            .collect::<Result<Vec<_>>>()?,
    )
}

pub(super) fn interleave(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let (a, b) = (
        sequence("Interleave", &args[0])?,
        sequence("Interleave", &args[1])?,
    );
    if a.len() != b.len() {
        return Err(Failure::new(
            "Interleave needs sequences of the same length",
        ));
    }
    let single = |value: &Value| Value::tuple(vec![value.clone()]);
    let all = a.iter().zip(b).flat_map(|(a, b)| [single(a), single(b)]);
    Ok(Value::tuple(match a.is_empty() {
        true => vec![Value::tuple(Vec::new()), Value::tuple(Vec::new())],
        false => all.collect(),
    }))
}

pub(super) fn sub_seqs(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let values = sequence("SubSeqs", &args[0])?;
    let mut all = ManyRows::default();
    all.add(&[])?;
    for from in 0..values.len() {
        for to in from + 1..=values.len() {
            all.add(&values[from..to])?;
        }
    }
    all.set()
}

pub(super) fn all_sub_seqs(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let values = sequence("AllSubSeqs", &args[0])?;
    let mut places = Value::Interval(1, values.len() as i32)
        .power_set()?
        .elements()?;
    let mut all = ManyRows::default();
    while let Some(chosen) = places.next()? {
        let chosen = listed("AllSubSeqs", &chosen)?;
        let part = chosen.iter().map(|place| args[0].apply(place));
        all.add(&part.collect::<Result<Vec<_>>>()?)?;
    }
    all.set()
}

pub(super) fn common_prefixes(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let longest = common_prefix("CommonPrefixes", &args[0])?.unwrap_or_default();
    match args[0].is_empty_set()? {
        true => Ok(Value::empty_set()),
        false => prefixes(&longest),
    }
}

pub(super) fn prefixes(values: &[Value]) -> Result<Value> {
    let mut all = ManyRows::default();
    for len in 0..=values.len() {
        all.add(&values[..len])?;
    }
    all.set()
}

pub(super) fn suffixes(values: &[Value]) -> Result<Value> {
    let mut all = ManyRows::default();
    for from in 0..=values.len() {
        all.add(&values[from..])?;
    }
    all.set()
}

pub(super) fn replace_all(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let values = sequence("ReplaceAll", &args[0])?.iter();
    let values = values.map(|value| {
        let old = value.equal(&args[1])?;
        Ok(if old { &args[2] } else { value }.clone())
    });
    Ok(Value::tuple(values.collect::<Result<_>>()?))
}

pub(super) fn remove(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let mut kept = Vec::new();
    for value in sequence("Remove", &args[0])? {
        if !value.equal(&args[1])? {
            kept.push(value.clone());
        }
    }
    Ok(Value::tuple(kept))
}
