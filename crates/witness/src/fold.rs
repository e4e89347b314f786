//! The canonical form of a lasso of states: the same run, written as short as it can be.
//!
//! A run that ends in a cycle can be written as prefix and cycle in many ways. The shortest is
//! unique: the cycle is no power of a shorter word, and the last state of the prefix is not the
//! last of the cycle. It is reached by taking the primitive root of the cycle and then rolling the
//! prefix into it from the end. Automata for formulas with past operators are not tight: the
//! shortest lasso of the product may unroll a cycle that the system has shorter, and folding its
//! projection removes most of that. The run stays the same, so every property of it does too: of
//! the things compared, that is. Where fairness depends on the steps between states, fold steps
//! together with the states they lead to.
//!
//! Linear time: the period of the cycle comes from its longest border.

/// Folds the run that is the prefix once and then the cycle for ever: for a lasso, the states of
/// the path with the entry, and the states behind each edge of the cycle. In the result no state
/// belongs to both, so that the length in transitions is the number of states.
pub fn fold<T: PartialEq>(prefix: &mut Vec<T>, cycle: &mut Vec<T>) {
    cycle.truncate(period(cycle));
    let rolled = prefix
        .iter()
        .rev()
        .zip(cycle.iter().rev().cycle())
        .take_while(|(a, b)| a == b)
        .count();
    prefix.truncate(prefix.len() - rolled);
    if !cycle.is_empty() {
        let turn = rolled % cycle.len();
        cycle.rotate_right(turn);
    }
}

/// The length of the shortest word of which the given one is a power.
fn period<T: PartialEq>(word: &[T]) -> usize {
    // The length of the longest proper border of each prefix.
    let mut border = vec![0; word.len()];
    for end in 1..word.len() {
        let mut length: usize = border[end - 1];
        while length > 0 && word[length] != word[end] {
            length = border[length - 1];
        }
        border[end] = length + usize::from(word[length] == word[end]);
    }
    let period = word.len() - border.last().copied().unwrap_or(0);
    if period > 0 && word.len().is_multiple_of(period) {
        period
    } else {
        word.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(prefix: &str, cycle: &str) -> (String, String) {
        let mut prefix: Vec<char> = prefix.chars().collect();
        let mut cycle: Vec<char> = cycle.chars().collect();
        fold(&mut prefix, &mut cycle);
        (prefix.iter().collect(), cycle.iter().collect())
    }

    #[test]
    fn the_cycle_becomes_primitive_and_the_prefix_rolls_in() {
        let cases = [
            ("", "abab", "", "ab"),
            ("ab", "ab", "", "ab"),
            ("b", "ab", "", "ba"),
            ("xab", "cab", "x", "abc"),
            ("aaa", "aaaa", "", "a"),
            ("ba", "aaa", "b", "a"),
            ("abc", "ababa", "abc", "ababa"),
            ("x", "", "x", ""),
        ];
        for (prefix, cycle, u, v) in cases {
            assert_eq!(
                folded(prefix, cycle),
                (u.into(), v.into()),
                "{prefix}({cycle})"
            );
        }
    }

    /// All lassos over two letters up to a length: the same word, and no shorter lasso for it.
    #[test]
    fn small_lassos_are_folded_to_the_shortest_of_the_same_word() {
        let word = |u: &[u8], v: &[u8]| -> Vec<u8> {
            let tail = v.iter().cycle();
            u.iter().chain(tail).take(24).copied().collect()
        };
        let mut shortest = std::collections::BTreeMap::new();
        let mut all = Vec::new();
        for total in 1..=7 {
            for bits in 0..1 << total {
                for first in 0..total {
                    let letters: Vec<u8> = (0..total).map(|i| bits >> i & 1).collect();
                    let (u, v) = (letters[..first].to_vec(), letters[first..].to_vec());
                    shortest.entry(word(&u, &v)).or_insert(total);
                    all.push((u, v));
                }
            }
        }
        for (u, v) in all {
            let (mut prefix, mut cycle) = (u.clone(), v.clone());
            fold(&mut prefix, &mut cycle);
            let run = word(&u, &v);
            assert_eq!(word(&prefix, &cycle), run);
            assert_eq!(Some(&(prefix.len() + cycle.len())), shortest.get(&run));
        }
    }
}
