//! Tokens, keywords and the table of operators with their precedences.
//!
//! The precedences are those of the TLA+ book: each operator has a range, and an expression in which two ranges
//! overlap has no meaning without parentheses, unless both are the same operator and it associates to the left.

use std::collections::HashMap;
use std::sync::LazyLock;

use evenhand_source::Span;

/// A token where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands.
    pub span: Span,
    /// Its line, counted from 1.
    pub line: u32,
    /// The column of its first character, counted from 1; a tab reaches to the next multiple of eight.
    pub column: u32,
}

/// Kinds of tokens. What an identifier, a number or a string is says the text at the span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name.
    Identifier,
    /// A natural number in any notation.
    Number,
    /// A string with its quotes.
    Text,
    /// A reserved word.
    Keyword(Keyword),
    /// An operator: its place in [`OPERATORS`].
    Operator(OperatorId),
    /// `@`
    At,
    /// `---- MODULE`
    Header,
    /// `----`
    Separator,
    /// `====`
    Footer,
    /// `,`
    Comma,
    /// `:`
    Colon,
    /// `::`
    DoubleColon,
    /// `.`
    Dot,
    /// `_`
    Underscore,
    /// `==`
    Define,
    /// `(`
    LeftParen,
    /// `)`
    RightParen,
    /// `[`
    LeftSquare,
    /// `]`
    RightSquare,
    /// `]_`
    RightSquareSub,
    /// `{`
    LeftBrace,
    /// `}`
    RightBrace,
    /// `<<`
    LeftAngle,
    /// `>>`
    RightAngle,
    /// `>>_`
    RightAngleSub,
    /// `!`
    Bang,
    /// `->`
    Arrow,
    /// `<-`
    Substitute,
    /// `|->`
    MapsTo,
    /// `WF_`
    WeakFair,
    /// `SF_`
    StrongFair,
    /// `<1>2` or `<1>2.` or `<1>`: the beginning of a step of a proof, with its level.
    Step(StepLevel),
    /// The text ends.
    End,
}

/// The level of a step of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepLevel {
    /// `<3>`
    Number(u32),
    /// `<*>`: the level of the proof that goes on, or a new one where one begins.
    Same,
    /// `<+>`: the level below.
    Below,
}

/// Where an operator stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fix {
    /// Before its operand.
    Prefix,
    /// Between its operands.
    Infix,
    /// Behind its operand.
    Postfix,
}

/// An operator of the language.
#[derive(Debug)]
pub struct Operator {
    /// Its canonical spelling, which is its name.
    pub name: &'static str,
    /// Other spellings.
    pub other: &'static [&'static str],
    /// Where it stands.
    pub fix: Fix,
    /// The least of its precedences.
    pub low: u8,
    /// The greatest.
    pub high: u8,
    /// Whether it associates to the left.
    pub left: bool,
}

/// The place of an operator in [`OPERATORS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperatorId(pub u8);

impl OperatorId {
    /// The operator.
    pub fn operator(self) -> &'static Operator {
        &OPERATORS[usize::from(self.0) % OPERATORS.len()]
    }
}

/// The operator of a spelling.
pub fn operator(spelling: &str) -> Option<OperatorId> {
    static SPELLINGS: LazyLock<HashMap<&str, OperatorId>> = LazyLock::new(|| {
        let mut spellings = HashMap::new();
        for (operator, place) in OPERATORS.iter().zip(0..) {
            for spelling in [operator.name].iter().chain(operator.other) {
                spellings.entry(*spelling).or_insert(OperatorId(place));
            }
        }
        spellings
    });
    SPELLINGS.get(spelling).copied()
}

const fn infix(name: &'static str, low: u8, high: u8, other: &'static [&'static str]) -> Operator {
    Operator {
        name,
        other,
        fix: Fix::Infix,
        low,
        high,
        left: false,
    }
}

const fn left(name: &'static str, low: u8, high: u8, other: &'static [&'static str]) -> Operator {
    Operator {
        name,
        other,
        fix: Fix::Infix,
        low,
        high,
        left: true,
    }
}

const fn prefix(name: &'static str, low: u8, high: u8, other: &'static [&'static str]) -> Operator {
    Operator {
        name,
        other,
        fix: Fix::Prefix,
        low,
        high,
        left: false,
    }
}

const fn postfix(name: &'static str, other: &'static [&'static str]) -> Operator {
    Operator {
        name,
        other,
        fix: Fix::Postfix,
        low: 15,
        high: 15,
        left: false,
    }
}

/// The precedence of `f[x]`.
pub const APPLICATION: u8 = 16;

/// All operators.
#[rustfmt::skip]
pub const OPERATORS: &[Operator] = &[
    left("/\\", 3, 3, &["\\land", "∧"]),
    left("\\/", 3, 3, &["\\lor", "∨"]),
    prefix("~", 4, 4, &["\\lnot", "\\neg", "¬"]),
    infix("=", 5, 5, &[]),
    infix("#", 5, 5, &["/=", "≠"]),
    infix("\\in", 5, 5, &["∈"]),
    infix("\\notin", 5, 5, &["∉"]),
    infix("=>", 1, 1, &["⇒"]),
    infix("<=>", 2, 2, &["\\equiv", "⇔", "≡"]),
    infix("~>", 2, 2, &["↝"]),
    infix("-+->", 2, 2, &["⇸"]),
    prefix("[]", 4, 15, &["□"]),
    prefix("<>", 4, 15, &["◇"]),
    prefix("ENABLED", 4, 15, &[]),
    prefix("UNCHANGED", 4, 15, &[]),
    prefix("SUBSET", 10, 13, &[]),
    prefix("UNION", 10, 13, &[]),
    prefix("DOMAIN", 10, 13, &[]),
    prefix("-.", 12, 12, &[]),
    postfix("'", &[]),
    postfix("^+", &["⁺"]),
    postfix("^*", &[]),
    postfix("^#", &[]),
    left("+", 10, 10, &[]),
    left("-", 11, 11, &[]),
    left("*", 13, 13, &[]),
    infix("/", 13, 13, &[]),
    infix("^", 14, 14, &[]),
    infix("%", 10, 11, &[]),
    infix("\\div", 13, 13, &["÷"]),
    infix("..", 9, 9, &["‥"]),
    infix("<", 5, 5, &[]),
    infix(">", 5, 5, &[]),
    infix("<=", 5, 5, &["=<", "\\leq", "≤"]),
    infix(">=", 5, 5, &["\\geq", "≥"]),
    left("\\cup", 8, 8, &["\\union", "∪"]),
    left("\\cap", 8, 8, &["\\intersect", "∩"]),
    infix("\\", 8, 8, &[]),
    infix("\\subseteq", 5, 5, &["⊆"]),
    left("\\X", 10, 13, &["\\times", "×"]),
    left("\\o", 13, 13, &["\\circ", "∘"]),
    left("\\cdot", 5, 14, &["⋅"]),
    left("@@", 6, 6, &[]),
    infix(":>", 7, 7, &[]),
    infix("<:", 7, 7, &[]),
    left("(+)", 10, 10, &["\\oplus", "⊕"]),
    left("(-)", 11, 11, &["\\ominus", "⊖"]),
    left("(.)", 13, 13, &["\\odot", "⊙"]),
    infix("(/)", 13, 13, &["\\oslash", "⊘"]),
    left("(\\X)", 13, 13, &["\\otimes", "⊗"]),
    infix("...", 9, 9, &["…"]),
    left("|", 10, 11, &[]),
    left("||", 10, 11, &["‖"]),
    left("&&", 13, 13, &[]),
    left("&", 13, 13, &[]),
    left("$$", 9, 13, &[]),
    left("$", 9, 13, &[]),
    left("??", 9, 13, &["⁇"]),
    left("%%", 10, 11, &[]),
    left("##", 9, 13, &[]),
    left("++", 10, 10, &[]),
    left("--", 11, 11, &[]),
    left("**", 13, 13, &[]),
    infix("//", 13, 13, &[]),
    infix("^^", 14, 14, &[]),
    infix("!!", 9, 13, &["‼"]),
    infix("|-", 5, 5, &["⊢"]),
    infix("|=", 5, 5, &["⊨"]),
    infix("-|", 5, 5, &["⊣"]),
    infix("=|", 5, 5, &["⫤"]),
    infix(":=", 5, 5, &["≔"]),
    infix("::=", 5, 5, &["⩴"]),
    left("\\uplus", 9, 13, &["⊎"]),
    left("\\sqcap", 9, 13, &["⊓"]),
    left("\\sqcup", 9, 13, &["⊔"]),
    infix("\\wr", 9, 14, &["≀"]),
    left("\\star", 13, 13, &["⋆"]),
    left("\\bigcirc", 13, 13, &["◯"]),
    left("\\bullet", 13, 13, &["●"]),
    infix("\\prec", 5, 5, &["≺"]),
    infix("\\succ", 5, 5, &["≻"]),
    infix("\\preceq", 5, 5, &["⪯"]),
    infix("\\succeq", 5, 5, &["⪰"]),
    infix("\\sim", 5, 5, &["∼"]),
    infix("\\simeq", 5, 5, &["≃"]),
    infix("\\ll", 5, 5, &["≪"]),
    infix("\\gg", 5, 5, &["≫"]),
    infix("\\asymp", 5, 5, &["≍"]),
    infix("\\subset", 5, 5, &["⊂"]),
    infix("\\supset", 5, 5, &["⊃"]),
    infix("\\supseteq", 5, 5, &["⊇"]),
    infix("\\approx", 5, 5, &["≈"]),
    infix("\\cong", 5, 5, &["≅"]),
    infix("\\sqsubset", 5, 5, &["⊏"]),
    infix("\\sqsubseteq", 5, 5, &["⊑"]),
    infix("\\sqsupset", 5, 5, &["⊐"]),
    infix("\\sqsupseteq", 5, 5, &["⊒"]),
    infix("\\doteq", 5, 5, &["≐"]),
    infix("\\propto", 5, 5, &["∝"]),
];

/// Operators that the parser asks for, by their place in [`OPERATORS`].
pub mod known {
    use super::OperatorId;

    /// `/\`
    pub const AND: OperatorId = OperatorId(0);
    /// `\/`
    pub const OR: OperatorId = OperatorId(1);
    /// `=`
    pub const EQUALS: OperatorId = OperatorId(3);
    /// `\in`
    pub const IN: OperatorId = OperatorId(5);
    /// `[]`
    pub const ALWAYS: OperatorId = OperatorId(11);
    /// The minus sign of one number.
    pub const NEGATIVE: OperatorId = OperatorId(18);
    /// `-`
    pub const MINUS: OperatorId = OperatorId(24);
    /// `\X`
    pub const TIMES: OperatorId = OperatorId(39);
}

macro_rules! keywords {
    ($($name:ident: $first:literal $(| $more:literal)*;)*) => {
        /// Reserved words; those of one meaning are one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs)] // each is the word
        pub enum Keyword { $($name,)* }

        /// All spellings of reserved words.
        pub const WORDS: &[&str] = &[$($first, $($more,)*)*];

        /// The reserved word of a text.
        pub fn keyword(text: &str) -> Option<Keyword> {
            Some(match text {
                $($first $(| $more)* => Keyword::$name,)*
                _ => return None,
            })
        }
    };
}

keywords! {
    Action: "ACTION" | "ACTIONS";
    Assume: "ASSUME" | "[]ASSUME";
    Assumption: "ASSUMPTION";
    Axiom: "AXIOM";
    By: "BY";
    Case: "CASE";
    Choose: "CHOOSE";
    Constant: "CONSTANT" | "CONSTANTS";
    Def: "DEF" | "DEFS";
    Define: "DEFINE";
    Else: "ELSE";
    Except: "EXCEPT";
    Exists: "\\E" | "\\exists" | "∃";
    ExistsTemporal: "\\EE";
    Extends: "EXTENDS";
    ForAll: "\\A" | "\\forall" | "∀";
    ForAllTemporal: "\\AA";
    Have: "HAVE";
    Hide: "HIDE";
    If: "IF";
    In: "IN";
    Instance: "INSTANCE";
    Lambda: "LAMBDA";
    Let: "LET";
    Local: "LOCAL";
    Module: "MODULE";
    New: "NEW";
    Obvious: "OBVIOUS";
    Omitted: "OMITTED";
    Only: "ONLY";
    Other: "OTHER";
    Pick: "PICK";
    Proof: "PROOF";
    Prove: "PROVE" | "[]PROVE";
    Qed: "QED";
    Recursive: "RECURSIVE";
    State: "STATE";
    Suffices: "SUFFICES";
    Take: "TAKE";
    Temporal: "TEMPORAL" | "TEMPORALS";
    Then: "THEN";
    Theorem: "THEOREM" | "LEMMA" | "PROPOSITION" | "COROLLARY";
    Use: "USE";
    Variable: "VARIABLE" | "VARIABLES";
    With: "WITH";
    Witness: "WITNESS";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_operators_are_where_they_are_looked_for() {
        let all = [
            (known::AND, "/\\"),
            (known::OR, "\\/"),
            (known::EQUALS, "="),
            (known::IN, "\\in"),
            (known::ALWAYS, "[]"),
            (known::NEGATIVE, "-."),
            (known::MINUS, "-"),
            (known::TIMES, "\\X"),
        ];
        for (id, name) in all {
            assert_eq!(id.operator().name, name);
            assert_eq!(operator(name), Some(id));
        }
    }

    #[test]
    fn no_spelling_means_two_operators() {
        let mut all: Vec<&str> = Vec::new();
        for operator in OPERATORS {
            all.push(operator.name);
            all.extend(operator.other);
            assert!(operator.low <= operator.high, "{}", operator.name);
        }
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
