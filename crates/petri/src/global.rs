//! What the Model Checking Contest asks of a net as a whole, besides deadlocks.
//!
//! | name | meaning |
//! | --- | --- |
//! | `one-safe` | no place ever has more than one token |
//! | `quasi-liveness` | every transition can fire at some time |
//! | `liveness` | every transition can, from everywhere, fire again at some time |
//! | `stable-marking` | some place never changes its number of tokens |
//!
//! The last three are formulas with a part for each transition or place, in the names of the file: of a
//! coloured net it is enough if some binding can fire, and the tokens of all colours are counted
//! together.

use evenhand_logic::{FormulaId, Formulas, Quantifier};
use evenhand_system::{Formula, Kind, PropositionId, Question, What};

use crate::asked::Asked;
use crate::condition::{Condition, Sign};
use crate::net::Net;

/// The names of these properties.
pub(crate) const NAMES: [&str; 4] = ["one-safe", "quasi-liveness", "liveness", "stable-marking"];

/// The question that a name asks; none if it is not one of these.
pub(crate) fn question(net: &Net, asked: &mut Asked, name: &str) -> Option<Question> {
    let mut formula = Growing {
        asked,
        store: Formulas::new(),
        atoms: Vec::new(),
    };
    match name {
        "one-safe" => {
            let places = net.place_families.iter();
            let safe = places.map(|(_, list)| Condition::Compare {
                sum: list.iter().map(|&place| (place, 1)).collect(),
                sign: Sign::AtMost,
                number: 1,
            });
            let all = formula.atom(
                "every place has at most one token",
                Condition::All(safe.collect()),
            );
            let what = What::Invariant(formula.done(all));
            Some(Question::new(name, Kind::Invariant, None, what))
        }
        "quasi-liveness" | "liveness" => {
            let mut parts = Vec::new();
            for (id, list) in written(&net.transition_families) {
                let fires = formula.atom(
                    &format!("is-fireable({id})"),
                    Condition::Fireable(list.to_vec()),
                );
                let some = formula.store.finally(fires);
                let some = formula.store.path(Quantifier::Exists, some);
                parts.push(match name {
                    "liveness" => formula.always(some),
                    _ => some,
                });
            }
            let all = formula.store.and(parts);
            Some(branching(name, formula.done(all)))
        }
        "stable-marking" => {
            let mut parts = Vec::new();
            for (id, list) in written(&net.place_families) {
                let initial = list
                    .iter()
                    .map(|&place| i64::from(net.places[place as usize].initial));
                let condition = Condition::Compare {
                    sum: list.iter().map(|&place| (place, 1)).collect(),
                    sign: Sign::Equal,
                    number: initial.sum(),
                };
                let text = format!("the tokens of {id} are those of the beginning");
                let same = formula.atom(&text, condition);
                parts.push(formula.always(same));
            }
            let some = formula.store.or(parts);
            Some(branching(name, formula.done(some)))
        }
        _ => None,
    }
}

fn branching(name: &str, formula: Formula) -> Question {
    Question::new(name, Kind::Ctl, None, What::Branching(formula))
}

fn written(families: &[(String, Vec<u32>)]) -> impl Iterator<Item = (&str, &[u32])> {
    families
        .iter()
        .map(|(id, list)| (id.as_str(), list.as_slice()))
}

/// A formula that is being made.
struct Growing<'a> {
    asked: &'a mut Asked,
    store: Formulas,
    atoms: Vec<PropositionId>,
}

impl Growing<'_> {
    /// An atom of a text of its own.
    fn atom(&mut self, text: &str, condition: Condition) -> FormulaId {
        let number = self.asked.number(text, condition);
        self.atoms.push(number);
        self.store.host_atom(text)
    }

    fn always(&mut self, formula: FormulaId) -> FormulaId {
        let always = self.store.globally(formula);
        self.store.path(Quantifier::All, always)
    }

    fn done(self, id: FormulaId) -> Formula {
        Formula::new(self.store, id, self.atoms)
    }
}
