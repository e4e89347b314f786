//! How a search went: a few hundred points for a small plot, however long it takes.
//!
//! An observer is told many times a second how far a search has come. Of these reports every n-th is kept;
//! when too many are kept, every second one is dropped and n doubles. So the points stay evenly spread
//! and the cost is one comparison per report.

/// How far a search had come at some time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Seconds since the search began.
    pub seconds: f64,
    /// States stored.
    pub states: u64,
    /// The depth.
    pub depth: u64,
    /// Memory used for states.
    pub bytes: u64,
}

/// Samples in the order of time, thinned out.
#[derive(Clone, Debug)]
pub struct Samples {
    kept: Vec<Sample>,
    /// Every so many reports one is kept.
    stride: u64,
    reports: u64,
}

/// How many samples are kept at most.
const MOST: usize = 256;

/// Clocks are read at slightly different moments; so many seconds do not matter.
const TOLERANCE: f64 = 0.001;

impl Default for Samples {
    fn default() -> Samples {
        Samples {
            kept: Vec::new(),
            stride: 1,
            reports: 0,
        }
    }
}

impl Samples {
    /// A report.
    pub fn push(&mut self, sample: Sample) {
        if self.reports.is_multiple_of(self.stride) {
            if self.kept.len() == MOST {
                let mut number = 0;
                self.kept.retain(|_| {
                    number += 1;
                    number % 2 == 1
                });
                self.stride *= 2;
            }
            self.kept.push(sample);
        }
        self.reports += 1;
    }

    /// The samples of the last `seconds`, with times from the beginning of that period; forgets all. What
    /// another search said shortly before is told by its larger number of states.
    pub fn take(&mut self, now: f64, seconds: f64) -> Vec<Sample> {
        let begun = now - seconds;
        let all = std::mem::take(self).kept;
        let recent = all.iter().filter(|s| s.seconds >= begun - TOLERANCE);
        let mut own: Vec<Sample> = Vec::new();
        for sample in recent {
            if own.last().is_some_and(|last| last.states > sample.states) {
                own.clear();
            }
            own.push(Sample {
                seconds: (sample.seconds - begun).max(0.0),
                ..*sample
            });
        }
        own
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: u64) -> Sample {
        Sample {
            seconds: time as f64,
            states: time,
            ..Sample::default()
        }
    }

    #[test]
    fn many_reports_become_few_samples_evenly_spread() {
        let mut samples = Samples::default();
        for time in 0..100_000 {
            samples.push(at(time));
        }
        let kept = samples.take(100_000.0, 100_000.0);
        assert!(kept.len() > MOST / 2 - 2 && kept.len() <= MOST);
        assert_eq!(kept[0], at(0));
        let gap = kept[1].states - kept[0].states;
        assert!(kept.windows(2).all(|w| w[1].states - w[0].states == gap));
        assert!(samples.take(0.0, 0.0).is_empty(), "all is forgotten");
    }

    #[test]
    fn only_the_last_period_counts() {
        let mut samples = Samples::default();
        for time in 0..10 {
            samples.push(at(time));
        }
        let kept = samples.take(9.0, 3.0);
        let times: Vec<f64> = kept.iter().map(|s| s.seconds).collect();
        assert_eq!(times, [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(kept[0].states, 6);
    }

    #[test]
    fn another_search_shortly_before_does_not_count() {
        let mut samples = Samples::default();
        for (time, states) in [(0.9996, 70), (0.9997, 80), (1.0, 1), (1.5, 2)] {
            samples.push(Sample {
                seconds: time,
                states,
                ..Sample::default()
            });
        }
        let states = samples
            .take(2.0, 1.0)
            .iter()
            .map(|s| s.states)
            .collect::<Vec<_>>();
        assert_eq!(states, [1, 2]);
    }
}
