//! Random models with one property whose verdict is compared.
//!
//! The model has variables of all types, sets, `case`, constraints, and perhaps a module; it may be
//! anything but total. Fairness is drawn besides: justice for every kind of property (also about
//! inputs and about which process runs), compassion only for formulas of linear time and only
//! without inputs (and processes, whose selection is one), since NuSMV ignores it in branching time
//! and is wrong where it meets inputs. Where no run is fair every formula of linear time holds, so
//! constraints are rare and fairness is easy to keep; half of the formulas are negated, since of a
//! formula and its negation one is violated by every fair run.

use super::expressions::{Scope, Type, Variable, expression};
use super::formulas::{ctl, ltl};
use super::models::{SYMBOLS, written};
use crate::promela_programs::random::Random;

/// A model with one property.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The text.
    pub text: String,
    /// The kind of its property: `LTL`, `CTL`, `INVAR`, `COMPUTE`.
    pub kind: &'static str,
    /// Whether it has compassion.
    pub compassion: bool,
}

/// A model with one property.
pub fn checked_model(seed: u64) -> Checked {
    let mut random = Random::new(seed);
    let random = &mut random;
    let kind = match random.below(20) {
        0..=9 => "LTL",
        10..=15 => "CTL",
        16 | 17 => "COMPUTE",
        _ => "INVAR",
    };
    let compassion = kind == "LTL" && random.percent(60);
    let constrained = random.percent(30);
    let (mut text, state, chosen) = written(random, !compassion, constrained);
    let scope = Scope {
        variables: &state,
        next: &[],
        symbols: SYMBOLS,
    };
    let both = [&state[..], &chosen].concat();
    let steps = Scope {
        variables: if chosen.is_empty() { &both } else { &chosen },
        ..scope
    };
    for _ in 0..random.below(3) {
        let scope = if random.percent(50) { &steps } else { &scope };
        text.push_str(&format!("JUSTICE {}\n", condition(random, scope)));
    }
    if compassion {
        for _ in 0..random.between(1, 2) {
            let (p, q) = (condition(random, &scope), condition(random, &scope));
            text.push_str(&format!("COMPASSION ({p}, {q})\n"));
        }
    }
    let depth = random.between(1, 3);
    text.push_str(&match kind {
        "LTL" => {
            let scope = if random.percent(25) { &steps } else { &scope };
            let formula = ltl(random, scope, depth);
            let around = *random.pick(&["", "", "!", "!", "G ", "F G ", "! F ", "! G F "]);
            format!("LTLSPEC {around}({formula})\n")
        }
        "CTL" => format!("CTLSPEC {}\n", ctl(random, &scope, depth)),
        "COMPUTE" => {
            let which = *random.pick(&["MIN", "MAX"]);
            let (p, q) = (condition(random, &scope), condition(random, &scope));
            format!("COMPUTE {which} [{p}, {q}]\n")
        }
        _ => format!(
            "INVARSPEC {}\n",
            expression(random, &scope, Type::Boolean, 2)
        ),
    });
    Checked {
        text,
        kind,
        compassion,
    }
}

/// A condition that a run may well meet: about one variable.
fn condition(random: &mut Random, scope: &Scope<'_>) -> String {
    let one: Vec<Variable> = vec![random.pick(scope.variables).clone()];
    let narrow = Scope {
        variables: if random.percent(70) {
            &one
        } else {
            scope.variables
        },
        next: &[],
        symbols: scope.symbols,
    };
    let one = expression(random, &narrow, Type::Boolean, 1);
    match random.percent(50) {
        true => format!("({one})"),
        false => {
            let other = expression(random, &narrow, Type::Boolean, 1);
            format!("(({one}) | !({other}))")
        }
    }
}
