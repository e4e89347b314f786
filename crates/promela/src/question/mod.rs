//! Questions about a model: formulas, claims and fairness assumptions, with their names resolved.
//!
//! An engine knows nothing of Promela. It asks a system whether propositions hold in a state,
//! follows an automaton over them, and counts which fairness items are taken. This folder turns
//! what a user writes, in the model or elsewhere, into those: [`formula`] the `ltl` blocks,
//! [`never`] the never claims, [`labels`] the questions about `accept` and `progress` labels,
//! [`fairness`] the assumptions, for which [`bound`] says what processes there can be; [`instances`] warns of
//! processes that are named and do not exist.
//!
//! [`text`] reads what was written on the command line. Such a text may look at things that the
//! model itself does not need (the place of a label, `_last`), so the model is lowered again
//! together with it: what is remembered about the model beyond its syntax tree must be found again
//! afterwards.
//!
//! Each state expression becomes a proposition of the program once, however often it is written;
//! [`Atoms`] remembers which.

mod bound;
mod fairness;
mod formula;
mod instances;
mod labels;
mod never;
mod observe;
mod same;
mod text;

use evenhand_system::program::expr::{Expr, UnaryOp};
use evenhand_system::{Program, PropositionId};

pub(crate) use self::observe::observe;
use self::same::same;
pub use self::text::Misunderstood;

/// The propositions of a program that questions were about so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Atoms {
    known: Vec<Atom>,
}

#[derive(Clone, Debug)]
struct Atom {
    /// Differs from the text of every other atom.
    text: String,
    expr: Expr,
    /// Where to find the expression again when the model was lowered anew.
    origin: Origin,
    id: PropositionId,
}

/// Where an expression comes from.
#[derive(Clone, Copy, Debug)]
enum Origin {
    /// From here: it means the same whatever the layout of states.
    Fixed,
    /// The atom of an `ltl` block: both by number.
    Block(usize, usize),
    /// The atom of a formula that was asked.
    Asked(usize, usize),
    /// A state expression that was asked, negations and all.
    State(usize),
    /// A condition of a claim.
    Claim(usize, usize),
}

impl Atoms {
    /// The atom of a state expression: its place in the list.
    fn intern(&mut self, program: &mut Program, text: &str, expr: &Expr, origin: Origin) -> usize {
        if let Some(index) = self.known.iter().position(|atom| same(&atom.expr, expr)) {
            return index;
        }
        // A macro can mean different things at different places under the same name.
        let mut unique = text.to_string();
        let mut copies = 1;
        while self.known.iter().any(|atom| atom.text == unique) {
            copies += 1;
            unique = format!("{text} #{copies}");
        }
        let id = program.add_proposition(unique.clone(), expr);
        self.known.push(Atom {
            text: unique,
            expr: expr.clone(),
            origin,
            id,
        });
        self.known.len() - 1
    }
}

/// An expression without the negations in front of it, and whether their number is even.
fn without_negations<'e>(mut text: &str, mut expr: &'e Expr) -> (String, &'e Expr, bool) {
    let mut positive = true;
    while let Expr::Unary(UnaryOp::Not, operand) = expr {
        expr = operand;
        positive = !positive;
        text = bare(text).strip_prefix('!').unwrap_or(text).trim();
    }
    (bare(text).to_string(), expr, positive)
}

/// A text without the parentheses around it.
fn bare(text: &str) -> &str {
    let mut text = text.trim();
    while let Some(inside) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
        let mut depth = 0;
        let closed_early = inside.chars().any(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth < 0
        });
        if closed_early {
            break;
        }
        text = inside.trim();
    }
    text
}
