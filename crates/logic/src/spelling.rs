//! The spellings of temporal logic: which words and signs mean which operator, and how tight they
//! bind.
//!
//! One table for all readers and printers. SPIN, NuSMV and Spot agree on the meaning of every
//! operator they share; they differ in the words they reserve and in associativity.
//! [`Spelling::Any`] reads all of them at once, with Spot's precedences.
//!
//! | | tightest … loosest |
//! |---|---|
//! | all | prefix operators, then `U W R M V S T`, then `&`, … |
//! | Spot, Any | temporal to the right; `&`; `\|`; `xor`; `->` and `<->` on one level to the right |
//! | SPIN | temporal to the left; `&&`; `\|\|`; `xor`; `->` and `<->` on one level **to the left** |
//! | NuSMV | temporal to the left; `&`; `\|` and `xor`; `<->`; `->` to the right |

use crate::formula::{Binary, Quantifier, Unary};

/// A family of notations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spelling {
    /// Everything that one of the others reads.
    Any,
    /// SPIN: `[] <> U V W X && || -> <-> !` and the words of Promela's `ltl` blocks.
    Spin,
    /// NuSMV: `G F X U V Y Z H O S T & | xor -> <-> !`, bounded `F [a,b]`, CTL.
    Nusmv,
    /// Spot: `G F X U R W M & | ^ -> <-> !`, where `GFa` means `G F a`.
    Spot,
}

const SPIN: u8 = 1;
const NUSMV: u8 = 2;
const SPOT: u8 = 4;
const ANY: u8 = 8;
const ALL: u8 = SPIN | NUSMV | SPOT | ANY;

/// An operator before its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prefix {
    Not,
    Temporal(Unary),
    Path(Quantifier),
}

/// An operator between its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Infix {
    And,
    Or,
    Xor,
    Implies,
    Iff,
    Temporal(Binary),
}

/// What a reserved word means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Constant(bool),
    Prefix(Prefix),
    /// Two prefixes in one word: `AG`.
    Pair(Quantifier, Unary),
    Infix(Infix),
}

/// Reserved words. A single letter is reserved only where that family reserves it, because its
/// models may use the others as names; operators that a family lacks have a long word there, so
/// that every formula can be printed in every spelling.
#[rustfmt::skip]
const WORDS: &[(&str, u8, Word)] = {
    use self::Word::*;
    use Binary::*;
    use Quantifier::*;
    use Unary::*;
    const fn temporal(operator: Unary) -> Word { Prefix(self::Prefix::Temporal(operator)) }
    const fn between(operator: Binary) -> Word { Infix(self::Infix::Temporal(operator)) }
    &[
        ("true", ALL, Constant(true)), ("TRUE", ALL, Constant(true)), ("1", ALL, Constant(true)),
        ("false", ALL, Constant(false)), ("FALSE", ALL, Constant(false)),
        ("0", ALL, Constant(false)),
        ("not", SPOT | ANY, Prefix(self::Prefix::Not)),
        ("X", ALL, temporal(Next)), ("next", SPIN | SPOT | ANY, temporal(Next)),
        ("F", NUSMV | SPOT | ANY, temporal(Finally)),
        ("eventually", SPIN | SPOT | ANY, temporal(Finally)),
        ("finally", SPOT | ANY, temporal(Finally)),
        ("G", NUSMV | SPOT | ANY, temporal(Globally)),
        ("always", SPIN | SPOT | ANY, temporal(Globally)),
        ("globally", SPOT | ANY, temporal(Globally)),
        ("Y", NUSMV | SPOT | ANY, temporal(Yesterday)),
        ("yesterday", SPIN | SPOT | ANY, temporal(Yesterday)),
        ("Z", NUSMV | SPOT | ANY, temporal(WeakYesterday)),
        ("weakyesterday", SPIN | SPOT | ANY, temporal(WeakYesterday)),
        ("O", NUSMV | SPOT | ANY, temporal(Once)), ("once", SPIN | SPOT | ANY, temporal(Once)),
        ("H", NUSMV | SPOT | ANY, temporal(Historically)),
        ("historically", SPIN | SPOT | ANY, temporal(Historically)),
        ("A", NUSMV | SPOT | ANY, Prefix(self::Prefix::Path(All))),
        ("forall", SPIN | SPOT | ANY, Prefix(self::Prefix::Path(All))),
        ("E", NUSMV | SPOT | ANY, Prefix(self::Prefix::Path(Exists))),
        ("exists", SPIN | SPOT | ANY, Prefix(self::Prefix::Path(Exists))),
        ("AG", NUSMV | ANY, Pair(All, Globally)), ("EG", NUSMV | ANY, Pair(Exists, Globally)),
        ("AF", NUSMV | ANY, Pair(All, Finally)), ("EF", NUSMV | ANY, Pair(Exists, Finally)),
        ("AX", NUSMV | ANY, Pair(All, Next)), ("EX", NUSMV | ANY, Pair(Exists, Next)),
        ("U", ALL, between(Until)),
        ("until", SPIN | SPOT | ANY, between(Until)),
        ("stronguntil", SPIN | SPOT | ANY, between(Until)),
        ("W", SPIN | SPOT | ANY, between(WeakUntil)),
        ("weakuntil", ALL, between(WeakUntil)), ("unless", SPOT | ANY, between(WeakUntil)),
        ("R", SPOT | ANY, between(Release)), ("V", ALL, between(Release)),
        ("release", SPIN | SPOT | ANY, between(Release)),
        ("releases", SPOT | ANY, between(Release)),
        ("M", SPOT | ANY, between(StrongRelease)), ("strongrelease", ALL, between(StrongRelease)),
        ("S", NUSMV | SPOT | ANY, between(Since)), ("since", SPIN | SPOT | ANY, between(Since)),
        ("T", NUSMV | SPOT | ANY, between(Trigger)),
        ("triggered", SPIN | SPOT | ANY, between(Trigger)),
        ("and", SPOT | ANY, Infix(self::Infix::And)), ("or", SPOT | ANY, Infix(self::Infix::Or)),
        ("xor", ALL, Infix(self::Infix::Xor)), ("xnor", ALL, Infix(self::Infix::Iff)),
        ("implies", SPIN | SPOT | ANY, Infix(self::Infix::Implies)),
        ("equivalent", SPIN | SPOT | ANY, Infix(self::Infix::Iff)),
        ("iff", SPOT | ANY, Infix(self::Infix::Iff)),
    ]
};

/// Signs between operands, longest first where one begins another.
const INFIX_SIGNS: &[(&str, Infix)] = &[
    ("<-->", Infix::Iff),
    ("<->", Infix::Iff),
    ("<=>", Infix::Iff),
    ("-->", Infix::Implies),
    ("->", Infix::Implies),
    ("=>", Infix::Implies),
    ("&&", Infix::And),
    ("/\\", Infix::And),
    ("&", Infix::And),
    ("||", Infix::Or),
    ("\\/", Infix::Or),
    ("|", Infix::Or),
    ("^", Infix::Xor),
];

/// Signs before an operand.
const PREFIX_SIGNS: &[(&str, Prefix)] = &[
    ("[]", Prefix::Temporal(Unary::Globally)),
    ("<>", Prefix::Temporal(Unary::Finally)),
    ("!", Prefix::Not),
    ("~", Prefix::Not),
];

impl Spelling {
    fn mask(self) -> u8 {
        match self {
            Spelling::Any => ANY,
            Spelling::Spin => SPIN,
            Spelling::Nusmv => NUSMV,
            Spelling::Spot => SPOT,
        }
    }

    /// What a word means if it is reserved.
    pub(crate) fn word(self, word: &str) -> Option<Word> {
        WORDS
            .iter()
            .find(|(name, mask, _)| *name == word && mask & self.mask() != 0)
            .map(|&(_, _, meaning)| meaning)
    }

    /// Is a word an operator or a constant here, so that a proposition of this name needs quotes?
    pub fn reserves(self, word: &str) -> bool {
        self.word(word).is_some() || self.glued(word).is_some()
    }

    /// Spot's `GFa`: the first letter of a word that is an operator followed by the rest of the
    /// word.
    pub(crate) fn glued(self, word: &str) -> Option<Unary> {
        if !matches!(self, Spelling::Any | Spelling::Spot) {
            return None;
        }
        let letters = word.trim_start_matches(['X', 'F', 'G']);
        let split = word.len() > letters.len()
            && (letters.is_empty()
                || letters.starts_with(|c: char| c.is_ascii_lowercase() || c == '_'));
        match (split, word.as_bytes().first()) {
            (true, Some(b'X')) => Some(Unary::Next),
            (true, Some(b'F')) => Some(Unary::Finally),
            (true, Some(b'G')) => Some(Unary::Globally),
            _ => None,
        }
    }

    /// The infix sign at the start of a text, with its length.
    pub(crate) fn infix_sign(text: &str) -> Option<(Infix, usize)> {
        let found = INFIX_SIGNS
            .iter()
            .find(|(sign, _)| text.starts_with(sign))?;
        Some((found.1, found.0.len()))
    }

    /// The prefix sign at the start of a text, with its length.
    pub(crate) fn prefix_sign(text: &str) -> Option<(Prefix, usize)> {
        let found = PREFIX_SIGNS
            .iter()
            .find(|(sign, _)| text.starts_with(sign))?;
        Some((found.1, found.0.len()))
    }

    /// How tight an infix operator binds, and whether it associates to the right.
    pub(crate) fn binding(self, operator: Infix) -> (u8, bool) {
        let right = matches!(self, Spelling::Any | Spelling::Spot);
        match (operator, self) {
            (Infix::Temporal(_), _) => (5, right),
            (Infix::And, _) => (4, false),
            (Infix::Or, _) => (3, false),
            (Infix::Xor, Spelling::Nusmv) => (3, false),
            (Infix::Xor, _) => (2, false),
            (Infix::Iff, Spelling::Nusmv) => (2, false),
            (Infix::Implies, Spelling::Nusmv) => (1, true),
            (Infix::Iff | Infix::Implies, _) => (1, right),
        }
    }

    pub(crate) fn print_unary(self, operator: Unary) -> &'static str {
        match (operator, self) {
            (Unary::Globally, Spelling::Spin) => "[]",
            (Unary::Finally, Spelling::Spin) => "<>",
            (Unary::Yesterday, Spelling::Spin) => "yesterday",
            (Unary::WeakYesterday, Spelling::Spin) => "weakyesterday",
            (Unary::Once, Spelling::Spin) => "once",
            (Unary::Historically, Spelling::Spin) => "historically",
            (Unary::Globally, _) => "G",
            (Unary::Finally, _) => "F",
            (Unary::Next, _) => "X",
            (Unary::Yesterday, _) => "Y",
            (Unary::WeakYesterday, _) => "Z",
            (Unary::Once, _) => "O",
            (Unary::Historically, _) => "H",
        }
    }

    pub(crate) fn print_infix(self, operator: Infix) -> &'static str {
        match (operator, self) {
            (Infix::And, Spelling::Spin) => "&&",
            (Infix::Or, Spelling::Spin) => "||",
            (Infix::And, _) => "&",
            (Infix::Or, _) => "|",
            (Infix::Xor, _) => "xor",
            (Infix::Implies, _) => "->",
            (Infix::Iff, _) => "<->",
            (Infix::Temporal(Binary::Release), Spelling::Spin | Spelling::Nusmv) => "V",
            (Infix::Temporal(Binary::WeakUntil), Spelling::Nusmv) => "weakuntil",
            (Infix::Temporal(Binary::StrongRelease), Spelling::Spin | Spelling::Nusmv) => {
                "strongrelease"
            }
            (Infix::Temporal(Binary::Since), Spelling::Spin) => "since",
            (Infix::Temporal(Binary::Trigger), Spelling::Spin) => "triggered",
            (Infix::Temporal(operator), _) => match operator {
                Binary::Until => "U",
                Binary::WeakUntil => "W",
                Binary::Release => "R",
                Binary::StrongRelease => "M",
                Binary::Since => "S",
                Binary::Trigger => "T",
            },
        }
    }

    pub(crate) fn print_path(self, quantifier: Quantifier) -> &'static str {
        match (quantifier, self) {
            (Quantifier::All, Spelling::Spin) => "forall",
            (Quantifier::Exists, Spelling::Spin) => "exists",
            (Quantifier::All, _) => "A",
            (Quantifier::Exists, _) => "E",
        }
    }

    pub(crate) fn print_constant(self, value: bool) -> &'static str {
        match (self, value) {
            (Spelling::Spot, true) => "1",
            (Spelling::Spot, false) => "0",
            (Spelling::Nusmv, true) => "TRUE",
            (Spelling::Nusmv, false) => "FALSE",
            (_, true) => "true",
            (_, false) => "false",
        }
    }
}
