//! SequencesExt of the community: searching, cutting, joining and folding sequences. What is written with `SubSeq` and
//! `\o` there works on strings too.

use super::args::{count, listed, number, sequence, wrong};
use super::rows::{
    all_orders_of_subsets, all_sub_seqs, common_prefixes, find, flatten, fold_left, fold_right,
    insert_at, interleave, is_prefix, is_sorted, is_suffix, longest_common_prefix, place_of,
    places, prefixes, remove, remove_at, replace, replace_all, replace_at, select, sub_seqs,
    suffixes, to_bag, up_to,
};
use super::sequences::{append, concat, length, sub_seq};
use super::tlc::{rearrangements, sort};
use super::{StandardModule, StandardOperator, functions, native};
use crate::failure::Failure;
use crate::value::Value;

pub(super) const MODULES: &[StandardModule] = &[StandardModule {
    name: "SequencesExt",
    extends: &[
        "Sequences",
        "Naturals",
        "FiniteSets",
        "FiniteSetsExt",
        "Folds",
        "Functions",
        "Bags",
        "TLC",
    ],
    operators: OPERATORS,
}];

const OPERATORS: &[StandardOperator] = &[
    native("ToSet", &[0], |_, args| {
        let values = args[0].range_values();
        let values = values.ok_or_else(|| wrong("ToSet", "a sequence", &args[0]))?;
        Value::set(values.to_vec())
    }),
    native("ToBag", &[0], |_, args| to_bag(&args[0])),
    native("SetToSeq", &[0], |_, args| {
        Ok(Value::tuple(listed("SetToSeq", &args[0])?.into_owned()))
    }),
    native("SetToSeqs", &[0], |_, args| {
        let mut all = Vec::new();
        let base = listed("SetToSeqs", &args[0])?;
        rearrangements("SetToSeqs", &base, |row| all.push(Value::tuple(row)))?;
        Ok(Value::sorted(all))
    }),
    native("SetToSortSeq", &[0, 2], |host, args| {
        let base = listed("SetToSortSeq", &args[0])?;
        Ok(Value::tuple(sort(host, "SetToSortSeq", &base, 1)?))
    }),
    native("SetToAllKPermutations", &[0], all_orders_of_subsets),
    native("TupleOf", &[0, 0], |_, args| {
        let places = Value::Interval(1, number("TupleOf", &args[1])?);
        Value::functions(places, args[0].clone())
    }),
    native("SeqOf", &[0, 0], |_, args| up_to(&args[0], &args[1])),
    native("BoundedSeq", &[0, 0], |_, args| up_to(&args[0], &args[1])),
    native("Contains", &[0, 0], |_, args| {
        let found = place_of(sequence("Contains", &args[0])?, &args[1])?;
        Ok(Value::Truth(found.is_some()))
    }),
    native("IsSorted", &[0, 2], is_sorted),
    native("Reverse", &[0], |_, args| {
        let values = sequence("Reverse", &args[0])?;
        Ok(Value::tuple(values.iter().rev().cloned().collect()))
    }),
    native("Remove", &[0, 0], remove),
    native("ReplaceAll", &[0, 0, 0], replace_all),
    native("SelectInSeq", &[0, 1], |host, args| {
        let len = sequence("SelectInSeq", &args[0])?.len() as i32;
        select(host, "SelectInSeq", &args[0], (1, len), 1, false)
    }),
    native("SelectLastInSeq", &[0, 1], |host, args| {
        let len = sequence("SelectLastInSeq", &args[0])?.len() as i32;
        select(host, "SelectLastInSeq", &args[0], (1, len), 1, true)
    }),
    native("SelectInSubSeq", &[0, 0, 0, 1], |host, args| {
        let part = (
            number("SelectInSubSeq", &args[1])?,
            number("SelectInSubSeq", &args[2])?,
        );
        select(host, "SelectInSubSeq", &args[0], part, 3, false)
    }),
    native("SelectLastInSubSeq", &[0, 0, 0, 1], |host, args| {
        let operator = "SelectLastInSubSeq";
        let part = (number(operator, &args[1])?, number(operator, &args[2])?);
        select(host, operator, &args[0], part, 3, true)
    }),
    native("InsertAt", &[0, 0, 0], insert_at),
    native("ReplaceAt", &[0, 0, 0], |_, args| {
        let updated = args[0].updated(&args[1], &args[2])?;
        Ok(updated.unwrap_or_else(|| args[0].clone()))
    }),
    native("RemoveAt", &[0, 0], |host, args| {
        remove_at(host, &args[0], number("RemoveAt", &args[1])?)
    }),
    native("RemoveFirst", &[0, 0], |host, args| {
        match place_of(sequence("RemoveFirst", &args[0])?, &args[1])? {
            Some(place) => remove_at(host, &args[0], place as i32 + 1),
            None => Ok(args[0].clone()),
        }
    }),
    native("RemoveFirstMatch", &[0, 1], |host, args| {
        let len = sequence("RemoveFirstMatch", &args[0])?.len() as i32;
        match select(host, "RemoveFirstMatch", &args[0], (1, len), 1, false)? {
            Value::Number(0) => Ok(args[0].clone()),
            place => remove_at(host, &args[0], number("RemoveFirstMatch", &place)?),
        }
    }),
    native("Cons", &[0, 0], |host, args| {
        concat(host, &Value::tuple(vec![args[0].clone()]), &args[1])
    }),
    native("Snoc", &[0, 0], |_, args| append(&args[1], &args[0])),
    native("Front", &[0], |host, args| {
        let len = length(host, &args[0])?;
        sub_seq(host, &args[0], 1, len - 1)
    }),
    native("Last", &[0], |_, args| {
        match sequence("Last", &args[0])?.last() {
            Some(last) => Ok(last.clone()),
            None => Err(Failure::new("Last of the empty sequence has no value")),
        }
    }),
    native("IsPrefix", &[0, 0], |host, args| {
        Ok(Value::Truth(is_prefix(host, &args[0], &args[1])?))
    }),
    native("IsStrictPrefix", &[0, 0], |host, args| {
        let prefix = is_prefix(host, &args[0], &args[1])?;
        Ok(Value::Truth(prefix && !args[0].equal(&args[1])?))
    }),
    native("IsSuffix", &[0, 0], |_, args| {
        Ok(Value::Truth(is_suffix(&args[0], &args[1])?))
    }),
    native("IsStrictSuffix", &[0, 0], |_, args| {
        let suffix = is_suffix(&args[0], &args[1])?;
        Ok(Value::Truth(suffix && !args[0].equal(&args[1])?))
    }),
    native("Prefixes", &[0], |_, args| {
        prefixes(sequence("Prefixes", &args[0])?)
    }),
    native("Suffixes", &[0], |_, args| {
        suffixes(sequence("Suffixes", &args[0])?)
    }),
    native("CommonPrefixes", &[0], common_prefixes),
    native("LongestCommonPrefix", &[0], |host, args| {
        longest_common_prefix(host, &args[0])
    }),
    native("SeqMod", &[0, 0], |_, args| {
        let (a, b) = (number("SeqMod", &args[0])?, number("SeqMod", &args[1])?);
        match b {
            1.. => Ok(Value::Number(match a.rem_euclid(b) {
                0 => b,
                rest => rest,
            })),
            _ => Err(wrong("SeqMod", "a positive number", &args[1])),
        }
    }),
    native("FoldSeq", &[2, 0, 0], |host, args| {
        let domain = args[2].domain()?;
        functions::fold(host, "FoldSeq", args[1].clone(), &args[2], &domain)
    }),
    native("FoldLeft", &[2, 0, 0], |host, args| {
        let values = sequence("FoldLeft", &args[2])?.to_vec();
        fold_left(host, values, args[1].clone())
    }),
    native("FoldRight", &[2, 0, 0], |host, args| {
        let values = sequence("FoldRight", &args[1])?.to_vec();
        fold_right(host, values, args[2].clone())
    }),
    native("FoldLeftDomain", &[2, 0, 0], |host, args| {
        let places = places(sequence("FoldLeftDomain", &args[2])?);
        fold_left(host, places, args[1].clone())
    }),
    native("FoldRightDomain", &[2, 0, 0], |host, args| {
        let places = places(sequence("FoldRightDomain", &args[1])?);
        fold_right(host, places, args[2].clone())
    }),
    native("FlattenSeq", &[0], flatten),
    native("Zip", &[0, 0], |_, args| {
        let (a, b) = (sequence("Zip", &args[0])?, sequence("Zip", &args[1])?);
        let pairs = a.iter().zip(b);
        let pairs = pairs.map(|(a, b)| Value::tuple(vec![a.clone(), b.clone()]));
        Ok(Value::tuple(pairs.collect()))
    }),
    native("Interleave", &[0, 0], interleave),
    native("SubSeqs", &[0], sub_seqs),
    native("AllSubSeqs", &[0], all_sub_seqs),
    native("IndexFirstSubSeq", &[0, 0], |_, args| {
        let (part, whole) = (sequence("IndexFirstSubSeq", &args[0])?, &args[1]);
        let whole = sequence("IndexFirstSubSeq", whole)?;
        match find(part, whole, 0)? {
            Some(place) => Ok(count(place + 1)),
            None => Err(Failure::new("IndexFirstSubSeq does not find the sequence")),
        }
    }),
    native("ReplaceSubSeqAt", &[0, 0, 0, 0], |host, args| {
        let place = number("ReplaceSubSeqAt", &args[0])?;
        replace_at(host, place, &args[1], &args[2], &args[3])
    }),
    native("ReplaceFirstSubSeq", &[0, 0, 0], |host, args| {
        replace(host, "ReplaceFirstSubSeq", args, true)
    }),
    native("ReplaceAllSubSeqs", &[0, 0, 0], |host, args| {
        replace(host, "ReplaceAllSubSeqs", args, false)
    }),
];
