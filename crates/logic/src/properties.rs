//! What the shape of a formula says about it.
//!
//! Each formula carries a small set of facts, computed from those of its operands when it is made.
//!
//! * *Eventual*: if it holds at a position, it held at all earlier ones (`F f` does). *Universal*:
//!   if it holds at a position, it holds at all later ones (`G f` does). Etessami and Holzmann's
//!   pure eventualities and universalities, said position-wise so that past operators fit in: the
//!   simplifier lives on them.
//! * The place in the hierarchy of Manna and Pnueli (safety, guarantee, obligation, recurrence,
//!   persistence), by the usual syntactic rules. They are sound and incomplete: a formula of the
//!   class may be written so that the rules do not see it.
//! * Stutter-invariance, by the absence of `X`, `Y` and `Z`: again sound and incomplete.
//!
//! Past operators over operands without future operators look only at a finite prefix: such a
//! formula is at the same time safety and guarantee, like a proposition. A future operator below a
//! past one gets no class (that is, reactivity).

use crate::formula::{Binary, FormulaId, Node, Unary};

/// A set of facts about a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Properties(u16);

/// The hierarchy of temporal properties. An obligation is a boolean combination of safety and
/// guarantee; obligations are both recurrence and persistence; everything is reactivity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// A violation shows in a finite prefix.
    Safety,
    /// A satisfaction shows in a finite prefix.
    Guarantee,
    /// A boolean combination of the two.
    Obligation,
    /// Something happens infinitely often (a deterministic Büchi automaton exists).
    Recurrence,
    /// Something holds from some point on.
    Persistence,
    /// Anything else.
    Reactivity,
}

impl Class {
    /// The usual name.
    pub fn name(self) -> &'static str {
        match self {
            Class::Safety => "safety",
            Class::Guarantee => "guarantee",
            Class::Obligation => "obligation",
            Class::Recurrence => "recurrence",
            Class::Persistence => "persistence",
            Class::Reactivity => "reactivity",
        }
    }
}

const BOOLEAN: u16 = 1;
const FUTURE: u16 = 2;
const PAST: u16 = 4;
const QUANTIFIED: u16 = 8;
const STEPPING: u16 = 16; // has X, Y or Z
const EVENTUAL: u16 = 32;
const UNIVERSAL: u16 = 64;
const SAFETY: u16 = 128;
const GUARANTEE: u16 = 256;
const OBLIGATION: u16 = 512;
const RECURRENCE: u16 = 1024;
const PERSISTENCE: u16 = 2048;

const CLASSES: u16 = SAFETY | GUARANTEE | OBLIGATION | RECURRENCE | PERSISTENCE;
const MENTIONS: u16 = FUTURE | PAST | QUANTIFIED | STEPPING;

impl Properties {
    fn has(self, bits: u16) -> bool {
        self.0 & bits == bits
    }

    /// No temporal operator and no quantifier.
    pub fn is_boolean(self) -> bool {
        self.has(BOOLEAN)
    }

    /// Some future operator occurs.
    pub fn has_future(self) -> bool {
        self.has(FUTURE)
    }

    /// Some past operator occurs.
    pub fn has_past(self) -> bool {
        self.has(PAST)
    }

    /// Some path quantifier occurs: the formula is CTL*, not LTL.
    pub fn has_quantifier(self) -> bool {
        self.has(QUANTIFIED)
    }

    /// Where it holds, it held at all earlier positions.
    pub fn is_eventual(self) -> bool {
        self.has(EVENTUAL)
    }

    /// Where it holds, it holds at all later positions.
    pub fn is_universal(self) -> bool {
        self.has(UNIVERSAL)
    }

    /// Holds everywhere or nowhere on a word (`G F p`).
    pub fn is_suspendable(self) -> bool {
        self.has(EVENTUAL | UNIVERSAL)
    }

    /// No `X`, `Y`, `Z`: the language is closed under repeating letters.
    pub fn is_syntactic_stutter_invariant(self) -> bool {
        !self.has(STEPPING)
    }

    /// Syntactically a safety formula.
    pub fn is_safety(self) -> bool {
        self.has(SAFETY)
    }

    /// Syntactically a guarantee formula.
    pub fn is_guarantee(self) -> bool {
        self.has(GUARANTEE)
    }

    /// Syntactically an obligation formula.
    pub fn is_obligation(self) -> bool {
        self.has(OBLIGATION)
    }

    /// Syntactically a recurrence formula.
    pub fn is_recurrence(self) -> bool {
        self.has(RECURRENCE)
    }

    /// Syntactically a persistence formula.
    pub fn is_persistence(self) -> bool {
        self.has(PERSISTENCE)
    }

    /// The lowest class the syntax shows.
    pub fn class(self) -> Class {
        match self {
            p if p.is_safety() => Class::Safety,
            p if p.is_guarantee() => Class::Guarantee,
            p if p.is_obligation() => Class::Obligation,
            p if p.is_recurrence() => Class::Recurrence,
            p if p.is_persistence() => Class::Persistence,
            _ => Class::Reactivity,
        }
    }

    pub(crate) fn of(node: &Node, get: impl Fn(FormulaId) -> Properties) -> Properties {
        let is = |cond: bool, bits: u16| if cond { bits } else { 0 };
        let bits = match node {
            Node::Constant(_) => BOOLEAN | EVENTUAL | UNIVERSAL | CLASSES,
            Node::Atom(_) => BOOLEAN | CLASSES,
            Node::Not(f) => get(*f).negated().0,
            Node::And(list) | Node::Or(list) => {
                let all = list.iter().fold(!0, |bits, &f| bits & get(f).0);
                let any = list.iter().fold(0, |bits, &f| bits | get(f).0);
                close((all & !MENTIONS) | (any & MENTIONS))
            }
            Node::Implies(f, g) => {
                let (f, g) = (get(*f).negated().0, get(*g).0);
                close((f & g & !MENTIONS) | ((f | g) & MENTIONS))
            }
            Node::Iff(f, g) | Node::Xor(f, g) => {
                let both = get(*f).0 & get(*g).0;
                let all = both & get(*f).negated().0 & get(*g).negated().0;
                close((all & !MENTIONS) | ((get(*f).0 | get(*g).0) & MENTIONS))
            }
            Node::Unary(operator, f) => unary(*operator, get(*f)),
            Node::Binary(operator, f, g) => {
                let trivial = |h: FormulaId, value: bool| match value {
                    true => h == FormulaId::TRUE,
                    false => h == FormulaId::FALSE,
                };
                let (p, q) = (get(*f), get(*g));
                let mentions = (p.0 | q.0) & MENTIONS;
                let both = |bit: u16| p.has(bit) && q.has(bit);
                match operator {
                    Binary::Until => {
                        mentions
                            | FUTURE
                            | is(trivial(*f, true) || q.is_eventual(), EVENTUAL)
                            | is(both(UNIVERSAL), UNIVERSAL)
                            | is(both(GUARANTEE), GUARANTEE)
                            | is(p.is_obligation() && q.is_guarantee(), OBLIGATION)
                            | is(p.is_recurrence() && q.is_guarantee(), RECURRENCE)
                            | is(both(PERSISTENCE), PERSISTENCE)
                    }
                    Binary::WeakUntil => {
                        mentions
                            | FUTURE
                            | is(both(EVENTUAL), EVENTUAL)
                            | is(trivial(*g, false) || both(UNIVERSAL), UNIVERSAL)
                            | is(both(SAFETY), SAFETY)
                            | is(p.is_safety() && q.is_obligation(), OBLIGATION)
                            | is(both(RECURRENCE), RECURRENCE)
                            | is(p.is_safety() && q.is_persistence(), PERSISTENCE)
                    }
                    Binary::Release => {
                        mentions
                            | FUTURE
                            | is(both(EVENTUAL), EVENTUAL)
                            | is(trivial(*f, false) || q.is_universal(), UNIVERSAL)
                            | is(both(SAFETY), SAFETY)
                            | is(p.is_obligation() && q.is_safety(), OBLIGATION)
                            | is(both(RECURRENCE), RECURRENCE)
                            | is(p.is_persistence() && q.is_safety(), PERSISTENCE)
                    }
                    Binary::StrongRelease => {
                        mentions
                            | FUTURE
                            | is(trivial(*g, true) || both(EVENTUAL), EVENTUAL)
                            | is(both(UNIVERSAL), UNIVERSAL)
                            | is(both(GUARANTEE), GUARANTEE)
                            | is(p.is_guarantee() && q.is_obligation(), OBLIGATION)
                            | is(p.is_guarantee() && q.is_recurrence(), RECURRENCE)
                            | is(both(PERSISTENCE), PERSISTENCE)
                    }
                    Binary::Since | Binary::Trigger => {
                        mentions | PAST | is(mentions & (FUTURE | QUANTIFIED) == 0, CLASSES)
                    }
                }
            }
            Node::Path(_, f) => (get(*f).0 & MENTIONS) | QUANTIFIED,
        };
        Properties(close(bits))
    }

    /// The facts about the negation.
    fn negated(self) -> Properties {
        let swap =
            |a: u16, b: u16| (if self.has(a) { b } else { 0 }) | (if self.has(b) { a } else { 0 });
        let kept = self.0 & (BOOLEAN | MENTIONS | OBLIGATION);
        Properties(
            kept | swap(EVENTUAL, UNIVERSAL)
                | swap(SAFETY, GUARANTEE)
                | swap(RECURRENCE, PERSISTENCE),
        )
    }
}

/// Safety and guarantee are obligations, obligations are recurrence and persistence.
fn close(bits: u16) -> u16 {
    let mut bits = bits;
    if bits & (SAFETY | GUARANTEE) != 0 {
        bits |= OBLIGATION;
    }
    if bits & OBLIGATION != 0 {
        bits |= RECURRENCE | PERSISTENCE;
    }
    bits
}

fn unary(operator: Unary, f: Properties) -> u16 {
    let is = |cond: bool, bits: u16| if cond { bits } else { 0 };
    let mentions = f.0 & MENTIONS;
    let finite = mentions & (FUTURE | QUANTIFIED) == 0;
    match operator {
        Unary::Next => (f.0 & !BOOLEAN) | FUTURE | STEPPING,
        Unary::Finally => {
            mentions
                | FUTURE
                | EVENTUAL
                | is(f.is_universal(), UNIVERSAL)
                | is(f.is_guarantee(), GUARANTEE)
                | is(f.is_persistence(), PERSISTENCE)
        }
        Unary::Globally => {
            mentions
                | FUTURE
                | UNIVERSAL
                | is(f.is_eventual(), EVENTUAL)
                | is(f.is_safety(), SAFETY)
                | is(f.is_recurrence(), RECURRENCE)
        }
        Unary::Yesterday | Unary::WeakYesterday => mentions | PAST | STEPPING | is(finite, CLASSES),
        Unary::Once => mentions | PAST | UNIVERSAL | is(finite, CLASSES),
        Unary::Historically => mentions | PAST | EVENTUAL | is(finite, CLASSES),
    }
}
