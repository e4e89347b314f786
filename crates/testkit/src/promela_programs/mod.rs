//! Random Promela programs, and the comparison of Evenhand with SPIN on them.
//!
//! **Problem.** The meaning of a Promela program is what SPIN makes of it: which statements are
//! executable, where an atomic sequence can be interrupted, when a process is gone, what a `byte`
//! holds after 255. No list of hand-written cases covers how these rules meet.
//!
//! **Idea.** Write random programs that use the whole language, let SPIN's verifier and Evenhand
//! explore the full state space of each, and demand equality of the number of reachable states and
//! of the verdicts on assertions and on invalid end states. The exact state count is a sharp
//! instrument: almost any difference in meaning changes it.
//!
//! **How.** [`Program::generate`] writes a program from a seed ([`random`], [`style`], then the
//! writer's parts: [`names`], declarations, expressions, messages, statements, blocks, processes).
//! [`spin`] asks SPIN, [`command`] asks the `evenhand` command, [`differential`] compares and runs
//! campaigns, [`shrink`] makes a failing program small. [`temporal`] adds random formulas and
//! fairness assumptions.
//!
//! **Limits.** Priorities are left out (SPIN needs other flags for them). Run-time errors are
//! rare and compared by verdict alone, since SPIN's verifier goes on after them with undefined
//! values when assertions are switched off.

mod blocks;
pub mod branching;
pub mod command;
mod declarations;
pub mod differential;
mod expressions;
mod machines;
mod messages;
pub mod names;
pub mod parallel;
pub mod process;
mod processes;
pub mod random;
pub mod shrink;
pub mod spin;
mod statements;
pub mod style;
pub mod temporal;
pub mod tree;
mod writer;

use random::Random;
use style::Style;
use tree::Piece;
use writer::Writer;

/// A generated program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The seed it came from.
    pub seed: u64,
    /// Whether run-time errors other than assertions may occur.
    pub hazards: bool,
    /// Its text as a tree.
    pub pieces: Vec<Piece>,
}

impl Program {
    /// The program that belongs to a seed, always the same.
    pub fn generate(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let style = Style::draw(&mut random);
        let hazards = style.hazards;
        let pieces = Writer::new(&mut random, style).program();
        Program {
            seed,
            hazards,
            pieces,
        }
    }

    /// Its text.
    pub fn text(&self) -> String {
        tree::render(&self.pieces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_depends_on_its_seed_alone() {
        assert_eq!(Program::generate(5).text(), Program::generate(5).text());
        assert_ne!(Program::generate(5).text(), Program::generate(6).text());
    }

    #[test]
    fn every_construct_occurs() {
        let text: String = (0..400)
            .map(|seed| Program::generate(seed).text())
            .collect();
        for construct in [
            "active proctype",
            "active [2]",
            "init {",
            "run ",
            "typedef",
            "unsigned",
            "short ",
            "mtype:colour ",
            "atomic {",
            "d_step {",
            "unless",
            "timeout",
            "else",
            "goto",
            "end1:",
            "for (",
            " in ",
            "select (",
            "inline ",
            "assert(",
            "provided",
            "]@L",
            "_nr_pr",
            "_pid",
            "len(",
            "nfull(",
            "nempty(",
            "full(",
            "empty(",
            "!!",
            "??",
            "?<",
            "?[",
            "eval(",
            "->",
            "[0] of",
            "[2] of",
            "of { chan }",
            "chan k",
            "chan l0",
            "recs[",
            "rec.h[",
            "]:x",
            "of { Record }",
            "mail!rec",
            "hidden",
            "pid ",
            "<<",
            "~",
            "printf",
        ] {
            assert!(text.contains(construct), "no program uses {construct}");
        }
    }
}
