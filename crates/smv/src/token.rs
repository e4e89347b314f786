//! Tokens of SMV and of the property language PSL inside of it.

use std::fmt;
use std::sync::Arc;

use evenhand_source::Span;

/// A name; cheap to copy.
pub type Name = Arc<str>;

/// A token and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands.
    pub span: Span,
}

/// Kinds of tokens. Reserved words are told from names by the parser, which knows whether it reads
/// SMV or PSL; [`is_reserved`] says which words are reserved in SMV.
#[derive(Clone, Debug, PartialEq)]
pub enum TokenKind {
    /// A name or a reserved word.
    Word(Name),
    /// An integer.
    Number(i64),
    /// A word constant such as `0ud8_255`.
    WordNumber(WordConstant),
    /// A constant that is not an integer: real, fraction or exponential.
    Real,
    /// A sign.
    Sign(&'static str),
    /// The end of the text.
    Eof,
}

/// A word constant: type and value (the bits, as a number without sign).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordConstant {
    /// Whether the highest bit is the sign.
    pub signed: bool,
    /// How many bits it has.
    pub bits: u16,
    /// The bits in rows of 32, the lowest first.
    pub rows: Arc<[u32]>,
}

impl WordConstant {
    /// The lowest 64 bits.
    pub fn value(&self) -> u64 {
        let row = |at: usize| self.rows.get(at).copied().map_or(0, u64::from);
        row(1) << 32 | row(0)
    }

    /// One bit.
    pub fn bit(&self, at: u16) -> bool {
        let row = self.rows.get(usize::from(at / 32));
        row.is_some_and(|row| row >> (at % 32) & 1 == 1)
    }

    /// The digits in base 16.
    pub fn hexadecimal(&self) -> String {
        let all = self.rows.iter().rev();
        let all: String = all.map(|row| format!("{row:08x}")).collect();
        match all.trim_start_matches('0') {
            "" => "0".to_string(),
            digits => digits.to_string(),
        }
    }
}

/// The signs, longest first where one begins another.
pub(crate) const SIGNS: &[&str] = &[
    "<<<", ">>>", "<->", "|->", "|=>", ":=", "::", "..", "<<", ">>", "<=", ">=", "!=", "->", "||",
    "&&", "==", "(", ")", "[", "]", "{", "}", "+", "-", "*", "/", "=", "<", ">", ".", "|", "&",
    "!", "?", ",", ":", ";", "^", "~", "@",
];

/// The words that SMV reserves.
#[rustfmt::skip]
pub(crate) const RESERVED: &[&str] = &[
    "MODULE", "process", "DEFINE", "MDEFINE", "VAR", "FUN", "FROZENVAR", "IVAR", "INIT", "TRANS",
    "INVAR", "SPEC", "CTLSPEC", "LTLSPEC", "PSLSPEC", "COMPUTE", "INVARSPEC", "NAME", "CONSTRAINT",
    "ITYPE", "CONSTANTS", "SIMPWFF", "NEXTWFF", "CTLWFF", "LTLWFF", "COMPWFF", "COMPID", "IN",
    "FAIRNESS", "JUSTICE", "COMPASSION", "ISA", "ASSIGN", "array", "bool", "of", "boolean", "word1",
    "word", "Word", "signed", "unsigned", "extend", "uwconst", "swconst", "resize", "sizeof",
    "toint", "count", "READ", "WRITE", "CONSTARRAY", "typeof", "EX", "AX", "EF", "AF", "EG", "AG",
    "E", "F", "O", "G", "H", "X", "Y", "Z", "A", "U", "S", "V", "T", "BU", "EBF", "ABF", "EBG",
    "ABG", "MIN", "MAX", "FALSE", "TRUE", "case", "esac", "mod", "next", "init", "self", "union",
    "in", "abs", "min", "max", "xor", "xnor",
];

/// Whether SMV reserves a word.
pub fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// The words that begin a section of a module.
#[rustfmt::skip]
pub(crate) const SECTIONS: &[&str] = &[
    "MODULE", "DEFINE", "MDEFINE", "VAR", "FUN", "FROZENVAR", "IVAR", "INIT", "TRANS", "INVAR",
    "SPEC", "CTLSPEC", "LTLSPEC", "PSLSPEC", "COMPUTE", "INVARSPEC", "CONSTANTS", "FAIRNESS",
    "JUSTICE", "COMPASSION", "ISA", "ASSIGN",
];

impl fmt::Display for TokenKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenKind::Word(name) => write!(f, "`{name}`"),
            TokenKind::Number(value) => write!(f, "`{value}`"),
            TokenKind::WordNumber(_) => write!(f, "a word constant"),
            TokenKind::Real => write!(f, "a real number"),
            TokenKind::Sign(sign) => write!(f, "`{sign}`"),
            TokenKind::Eof => write!(f, "the end of the file"),
        }
    }
}
