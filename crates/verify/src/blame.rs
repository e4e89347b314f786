//! Who is to blame if no run is fair: a smallest set of assumptions that no run keeps.
//!
//! Assumptions can contradict each other, or the system: then there is no fair run, and to be told so is
//! little help. What helps is a set of assumptions that cannot be kept together although any smaller
//! part of it can. It is found by deletion: one assumption after the other is left out, and stays out
//! if there is still no fair run. One question to the engine for each assumption; the set is minimal,
//! not the least of all. Assumptions about processes are left out first, since they alone are always
//! kept by some run. If nothing remains, the runs themselves are missing: all of them end, and runs
//! that end do not count.

use evenhand_system::{AssumptionKind, Fairness};

/// What is wrong, in words. `has_run` says whether there is a fair run if only some assumptions are made.
///
/// # Errors
/// If `has_run` cannot say.
pub(crate) fn blame<E>(
    fairness: &Fairness,
    mut has_run: impl FnMut(&[bool]) -> Result<bool, E>,
) -> Result<String, E> {
    let assumptions = &fairness.assumptions;
    let mut kept = vec![false; assumptions.len()];
    if !has_run(&kept)? {
        return Ok("no run is infinite: all of them end".to_string());
    }
    kept.fill(true);
    let is_process = |at: &usize| {
        let kind = assumptions[*at].kind;
        matches!(kind, AssumptionKind::Weak(_) | AssumptionKind::Strong(_))
    };
    // Of several sets the one that was stated first is told: it is left out last.
    let (processes, others): (Vec<usize>, Vec<usize>) = (0..kept.len()).rev().partition(is_process);
    for at in processes.into_iter().chain(others) {
        kept[at] = false;
        kept[at] = has_run(&kept)?;
    }
    let members: Vec<usize> = (0..kept.len()).filter(|&at| kept[at]).collect();
    let texts: Vec<String> = members
        .iter()
        .map(|&at| format!("`{}`", assumptions[at].text))
        .collect();
    let [only] = members[..] else {
        return Ok(format!("no run keeps all of {}", texts.join(", ")));
    };
    kept.fill(true);
    kept[only] = false;
    let more = match has_run(&kept)? {
        true => "; without it there would be a fair one",
        false => ", and without it there is no fair one either",
    };
    Ok(format!("no run keeps {}{more}", texts.concat()))
}

/// Some of the assumptions.
#[cfg(feature = "symbolic")]
pub(crate) fn only(fairness: &Fairness, kept: &[bool]) -> Fairness {
    let mut fairness = fairness.clone();
    let mut kept = kept.iter();
    fairness.assumptions.retain(|_| kept.next() == Some(&true));
    fairness
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_system::{Assumption, PropositionId};

    fn fairness(processes: usize, count: usize) -> Fairness {
        let one = |at: usize| Assumption {
            text: format!("a{at}"),
            source: format!("a{at}"),
            kind: match at < processes {
                true => AssumptionKind::Weak(0),
                false => AssumptionKind::Justice(PropositionId(0)),
            },
        };
        Fairness {
            assumptions: (0..count).map(one).collect(),
            ..Fairness::default()
        }
    }

    /// What is said if these sets of assumptions have no run.
    fn told(fairness: &Fairness, impossible: &[&[usize]]) -> String {
        let has_run = |kept: &[bool]| -> Result<bool, ()> {
            let all_kept = |set: &&[usize]| set.iter().all(|&at| kept[at]);
            Ok(!impossible.iter().any(all_kept))
        };
        blame(fairness, has_run).expect("it can say")
    }

    #[test]
    fn a_minimal_set_is_named() {
        let four = fairness(0, 4);
        let with = "; without it there would be a fair one";
        assert_eq!(told(&four, &[&[2]]), format!("no run keeps `a2`{with}"));
        assert_eq!(told(&four, &[&[1, 3]]), "no run keeps all of `a1`, `a3`");
        assert_eq!(told(&four, &[&[]]), "no run is infinite: all of them end");
        let without = ", and without it there is no fair one either";
        let two = told(&four, &[&[1], &[0, 2]]);
        assert!(two == format!("no run keeps `a1`{without}") || two.contains("`a0`, `a2`"));
        // Every minimal set of small cases: what is named has no run, and each part of it has one.
        for pattern in 1u32..16 {
            let sets: Vec<Vec<usize>> = (0..4)
                .map(|i| {
                    (0..4)
                        .filter(|&at| pattern.rotate_left(i * 7) >> at & 1 == 1)
                        .collect()
                })
                .collect();
            let sets: Vec<&[usize]> = sets
                .iter()
                .map(Vec::as_slice)
                .filter(|s| !s.is_empty())
                .collect();
            let text = told(&four, &sets);
            let named: Vec<usize> = (0..4)
                .filter(|at| text.contains(&format!("`a{at}`")))
                .collect();
            let within = |set: &[usize], part: &[usize]| part.iter().all(|at| set.contains(at));
            assert!(sets.iter().any(|set| within(&named, set)), "{text}");
            for left_out in &named {
                let less: Vec<usize> = named.iter().copied().filter(|at| at != left_out).collect();
                assert!(!sets.iter().any(|set| within(&less, set)), "{text}");
            }
        }
    }

    #[test]
    fn assumptions_about_processes_are_left_out_first() {
        let mixed = fairness(2, 4);
        assert!(told(&mixed, &[&[0, 3], &[2]]).contains("`a2`"));
        assert_eq!(told(&mixed, &[&[0, 3]]), "no run keeps all of `a0`, `a3`");
    }
}
