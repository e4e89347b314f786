//! The runs that were made of evidence.

use evenhand_witness::Counterexample;

use crate::answer::{PropertyResult, Verdict};

/// The runs that show a violation.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    /// The one to look at.
    pub best: Option<Counterexample>,
    /// Further ones, if all were asked for.
    pub others: Vec<Counterexample>,
    /// Whether the budget ended before all were found.
    pub missing: bool,
}

impl From<Option<Counterexample>> for Shown {
    fn from(best: Option<Counterexample>) -> Shown {
        Shown {
            best,
            ..Shown::default()
        }
    }
}

impl From<Counterexample> for Shown {
    fn from(best: Counterexample) -> Shown {
        Some(best).into()
    }
}

impl Shown {
    /// Puts the runs into a result.
    pub fn tell(self, result: &mut PropertyResult) {
        result.verdict = Verdict::Violated(self.best.map(Box::new));
        result.others = self.others;
        if self.missing {
            let text = "the budget ended before all counterexamples were found";
            result.warnings.push(text.into());
        }
    }
}
