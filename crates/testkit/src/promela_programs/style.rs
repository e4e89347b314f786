//! The temper of one program.
//!
//! Programs drawn from one distribution all look alike: with many blocking statements nearly all
//! deadlock, with few none does. So each program first draws its own probabilities. The three
//! tempers aim at the three verdicts (nothing wrong, a violated assertion, an invalid end state),
//! but only aim: the verdict is SPIN's to give.

use super::random::Random;

/// The probabilities, in percent, that shape one program.
#[derive(Clone, Debug)]
pub struct Style {
    /// Blocking statements that get an `end` label.
    pub end_labels: usize,
    /// Statements that can block at all, relative to those that cannot.
    pub blocking: usize,
    /// Assertions that can fail.
    pub risky_assertions: usize,
    /// Weight of assertions among statements.
    pub assertions: usize,
    /// Proctypes whose body is an endless loop.
    pub endless: usize,
    /// Allow run-time errors: array bounds, division by zero, a `d_step` that blocks.
    pub hazards: bool,
    /// Statements in the whole program, about.
    pub size: usize,
}

impl Style {
    /// Draws a style.
    pub fn draw(random: &mut Random) -> Self {
        let temper = random.weighted(&[30, 48, 22]);
        let (end_labels, blocking, risky_assertions, assertions) = match temper {
            0 => (100, 45, 0, 3),
            1 => (90, 40, 85, 18),
            _ => (30, 90, 10, 2),
        };
        Style {
            end_labels,
            blocking,
            risky_assertions,
            assertions,
            endless: random.between(20, 80),
            hazards: random.percent(3),
            size: random.between(10, 36),
        }
    }

    /// Draws a style for temporal questions: small programs that go on for ever or block, without
    /// assertions and run-time errors.
    pub fn lively(random: &mut Random) -> Self {
        Style {
            end_labels: 0,
            blocking: random.between(30, 90),
            risky_assertions: 0,
            assertions: 0,
            endless: random.between(40, 95),
            hazards: false,
            size: random.between(4, 16),
        }
    }
}
