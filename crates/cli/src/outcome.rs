//! How a command ended; what that is as an exit code is decided in `main.rs`.

use evenhand_advise::{AdviseReport, Outcome as Advised};
use evenhand_verify::{Report, Verdict};

use crate::interrupt;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Everything checked holds.
    Holds,
    /// At least one property is violated.
    Violated,
    /// The call or the model is wrong.
    Wrong,
    /// Nothing is violated, but something is unknown.
    Unknown,
    /// A counterexample failed its replay, or a proof its check.
    Internal,
    /// Ended by the user.
    Interrupted,
}

impl Outcome {
    /// The worst of several answers: a defect outweighs a violation, a violation a limit.
    pub fn worst(all: impl IntoIterator<Item = Outcome>) -> Outcome {
        let all: Vec<Outcome> = all.into_iter().collect();
        let order = [Outcome::Internal, Outcome::Violated, Outcome::Unknown];
        let mut order = order.into_iter();
        order
            .find(|one| all.contains(one))
            .unwrap_or(Outcome::Holds)
    }

    /// The outcome of a search that may have been interrupted.
    pub fn unless_interrupted(self) -> Outcome {
        match interrupt::is_raised() {
            true => Outcome::Interrupted,
            false => self,
        }
    }
}

impl From<&Report> for Outcome {
    fn from(report: &Report) -> Outcome {
        Outcome::worst(report.properties.iter().map(|p| match p.verdict {
            Verdict::Holds => Outcome::Holds,
            Verdict::Violated(_) => Outcome::Violated,
            Verdict::Unknown(_) => Outcome::Unknown,
        }))
    }
}

impl From<&AdviseReport> for Outcome {
    fn from(report: &AdviseReport) -> Outcome {
        Outcome::worst(report.advice.iter().map(|advice| match advice.outcome {
            Advised::Nothing | Advised::Needs => Outcome::Holds,
            Advised::Impossible | Advised::Vacuous => Outcome::Violated,
            Advised::Unknown(_) => Outcome::Unknown,
        }))
    }
}
