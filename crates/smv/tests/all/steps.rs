//! Steps that are given by guarded equations cost what they have to say, not what their variables could be.

use evenhand_source::{Budget, SplitMix64};

use crate::common::{explored, load};

/// Counters that are moved by reactions, as constraints or as assignments.
struct Counters {
    highest: i64,
    first: Vec<i64>,
    /// What each reaction adds to each counter.
    reactions: Vec<Vec<i64>>,
}

impl Counters {
    fn random(random: &mut SplitMix64) -> Counters {
        let count = 4 + random.below(4);
        let highest = 20 + random.below(30) as i64;
        let reaction = |random: &mut SplitMix64| {
            let mut change = vec![0; count];
            change[random.below(count)] = -1;
            change[random.below(count)] += 1 + random.below(2) as i64;
            change
        };
        Counters {
            highest,
            first: (0..count).map(|_| random.below(4) as i64).collect(),
            reactions: (0..2 + random.below(3)).map(|_| reaction(random)).collect(),
        }
    }

    fn text(&self, as_constraints: bool) -> String {
        let mut text = String::from("MODULE main\nVAR\n");
        let names: Vec<String> = (0..self.first.len()).map(|n| format!("c{n}")).collect();
        for name in &names {
            text += &format!("  {name} : 0..{};\n", self.highest);
        }
        let reactions: Vec<String> = (0..self.reactions.len()).map(|n| format!("r{n}")).collect();
        text += &format!("  reaction : {{{}}};\n", reactions.join(", "));
        for (name, first) in names.iter().zip(&self.first) {
            text += &format!("INIT {name} = {first};\n");
        }
        let guard = |at: usize| {
            let changes = names.iter().zip(&self.reactions[at]);
            let fits = changes.filter(|(_, by)| **by != 0).map(|(name, by)| {
                format!("{name} + {by} >= 0 & {name} + {by} <= {}", self.highest)
            });
            fits.chain([format!("reaction = r{at}")])
                .collect::<Vec<_>>()
                .join(" & ")
        };
        let guards: Vec<String> = (0..self.reactions.len()).map(guard).collect();
        if as_constraints {
            for (guard, change) in guards.iter().zip(&self.reactions) {
                let after = names.iter().zip(change);
                let after = after.map(|(name, by)| format!("next({name}) = {name} + {by}"));
                let after: Vec<String> = after.collect();
                text += &format!("TRANS ({guard}) -> ({});\n", after.join(" & "));
            }
            let kept: Vec<String> = names.iter().map(|n| format!("next({n}) = {n}")).collect();
            let none: Vec<String> = guards.iter().map(|g| format!("!({g})")).collect();
            text += &format!("TRANS ({}) -> ({});\n", none.join(" & "), kept.join(" & "));
        } else {
            text += "ASSIGN\n";
            for (at, name) in names.iter().enumerate() {
                text += &format!("  next({name}) := case\n");
                for (guard, change) in guards.iter().zip(&self.reactions) {
                    text += &format!("    {guard} : {name} + {};\n", change[at]);
                }
                text += &format!("    TRUE : {name};\n  esac;\n");
            }
        }
        text
    }
}

#[test]
fn guarded_equations_are_functions() {
    // Five counters 0..32 of which one falls while another rises, and siblings.
    let first = Counters {
        highest: 32,
        first: vec![6, 0, 3, 4, 5],
        reactions: vec![vec![-1, 1, 0, 0, 0], vec![1, -1, 0, 0, 0]],
    };
    let mut random = SplitMix64::new(5);
    let siblings = (0..3).map(|_| Counters::random(&mut random));
    for counters in [first].into_iter().chain(siblings) {
        let count = |as_constraints: bool| {
            let text = counters.text(as_constraints);
            let model = load(&text).unwrap_or_else(|why| panic!("{why:?}\n{text}"));
            // By trial one state alone would cost more than this.
            let budget = Budget::unlimited().effort(30_000_000);
            let found = budget.run(|| explored(model.relation, 2000));
            found.unwrap_or_else(|why| panic!("{why}\n{text}"))
        };
        assert_eq!(count(true), count(false));
    }
}

/// Accounts between which inputs move money, declared before the inputs or behind them.
fn bank(accounts: usize, highest: usize, most: usize, inputs_first: bool) -> String {
    let last = accounts - 1;
    let inputs = format!("IVAR src : 0..{last}; dst : 0..{last}; amt : 1..{most};\n");
    let names: String = (0..accounts)
        .map(|n| format!("VAR acc{n} : 0..{highest};\n"))
        .collect();
    let declared = match inputs_first {
        true => inputs + &names,
        false => names + &inputs,
    };
    let of = |which: &str| {
        let cases: String = (0..last)
            .map(|n| format!("{which} = {n} : acc{n}; "))
            .collect();
        format!("case {cases} TRUE : acc{last}; esac")
    };
    let mut text = format!(
        "MODULE main\n{declared}DEFINE have := {}; room := {};\n\
         ok := src != dst & have >= amt & room + amt <= {highest};\n",
        of("src"),
        of("dst")
    );
    for n in 0..accounts {
        text += &format!(
            "INIT acc{n} = 3\nTRANS next(acc{n}) = case ok & src = {n} : acc{n} - amt; \
             ok & dst = {n} : acc{n} + amt; TRUE : acc{n}; esac\n"
        );
    }
    text
}

/// What is free comes first; what it determines is computed and not tried, in whatever order they are declared.
#[test]
fn inputs_determine_steps() {
    // Ways to share out three times as much as there are accounts, all of it at one of them at most.
    for (accounts, highest, most, states) in [(3, 9, 3, 55), (4, 12, 2, 455), (4, 12, 4, 455)] {
        for inputs_first in [true, false] {
            let text = bank(accounts, highest, most, inputs_first);
            let model = load(&text).expect("a model");
            let combinations = (accounts * accounts * most) as u64;
            let effort = 4 * states * combinations * (accounts as u64 + 3);
            let budget = Budget::unlimited().effort(effort);
            let found = budget.run(|| explored(model.relation, 10_000));
            assert_eq!(found, Ok(Ok((states, 0))), "{text}");
        }
    }
}
