//! The tokens of Promela.
//!
//! Two things that SPIN decides while it reads characters are left to the parser, which alone knows
//! the context; a token says what is needed for them:
//!
//! * *Line breaks end statements.* SPIN puts a `;` at a line break behind `}`, `)`, `]`, a name, a
//!   constant, `++`, `--`, `od`, `fi`, `else`, `break` when it reads a sequence of statements
//!   outside parentheses: [`Token::newline`].
//! * *Operators of LTL.* `[]`, `<>` and `<->` exist in `ltl` blocks only; elsewhere they are an
//!   empty subscript or two comparisons. They arrive as `[` `]`, `<` `>`, `<` `->`, the second one
//!   with [`Token::glued`]. The words of LTL (`U`, `always`, …) are plain identifiers.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use evenhand_source::{Diagnostic, Span};

/// A piece of text that is shared by all tokens which carry it.
pub type Name = Arc<str>;

/// One token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Its place in the text the user wrote. A token from the body of a macro has the place of the
    /// use of that macro; one from an argument of a macro its own place in the argument.
    pub span: Span,
    /// Of a token from a macro: where it stands in the definition.
    pub expansion: Option<Span>,
    /// A line break of the preprocessed text stands before it (so none from inside a macro).
    pub newline: bool,
    /// Nothing at all stands between it and the token before it.
    pub glued: bool,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name, `_`, `_pid`, `_last`, `_nr_pr` and `_priority` included.
    Ident(Name),
    /// A number or a character constant; the value is one of 32 bits, as in SPIN.
    Number(i64),
    /// A string: the text between the quotes, escapes as written.
    String(Name),
    /// A reserved word.
    Keyword(Keyword),
    /// An operator or a bracket.
    Punct(Punct),
    /// Embedded C with all that belongs to it, for the parser to refuse.
    CCode {
        /// Which one.
        construct: Keyword,
        /// What stands behind the keyword.
        text: Name,
    },
    /// The end: the last token of every list.
    Eof,
}

/// A comment `/*@ fair … */` or `//@ fair …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FairComment {
    /// What stands behind the word `fair`, without blanks at its ends.
    pub text: String,
    /// The place of exactly that text.
    pub span: Span,
}

/// What tokenizing a model gives.
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    /// The tokens; the last one is always [`TokenKind::Eof`].
    pub tokens: Vec<Token>,
    /// The fairness comments in the order they were met.
    pub fair: Vec<FairComment>,
    /// What was wrong.
    pub diagnostics: Vec<Diagnostic>,
}

/// Declares an enumeration whose members have a fixed spelling.
macro_rules! spelled {
    ($(#[$meta:meta])* $name:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $(#[doc = concat!("`", $text, "`")] $variant,)*
        }

        impl $name {
            /// All of them.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// How it is written.
            pub fn text(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)*
                }
            }

            /// The one that is written like this.
            pub fn from_text(text: &str) -> Option<$name> {
                match text {
                    $($text => Some($name::$variant),)*
                    _ => None,
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.text())
            }
        }
    };
}

spelled! {
    /// A reserved word. `in` is one only between the parentheses of a `for`, as in SPIN.
    Keyword {
        Active = "active",
        Assert = "assert",
        Atomic = "atomic",
        Bit = "bit",
        Bool = "bool",
        Break = "break",
        Byte = "byte",
        CCode = "c_code",
        CDecl = "c_decl",
        CExpr = "c_expr",
        CState = "c_state",
        CTrack = "c_track",
        Chan = "chan",
        DProctype = "D_proctype",
        DStep = "d_step",
        Do = "do",
        Else = "else",
        Empty = "empty",
        Enabled = "enabled",
        Eval = "eval",
        False = "false",
        Fi = "fi",
        For = "for",
        Full = "full",
        GetPriority = "get_priority",
        Goto = "goto",
        Hidden = "hidden",
        If = "if",
        In = "in",
        Init = "init",
        Inline = "inline",
        Int = "int",
        Len = "len",
        Local = "local",
        Ltl = "ltl",
        Mtype = "mtype",
        Nempty = "nempty",
        Never = "never",
        Nfull = "nfull",
        Notrace = "notrace",
        Np = "np_",
        Od = "od",
        Of = "of",
        PcValue = "pc_value",
        Pid = "pid",
        Printf = "printf",
        Printm = "printm",
        Priority = "priority",
        Proctype = "proctype",
        Provided = "provided",
        Return = "return",
        Run = "run",
        Select = "select",
        SetPriority = "set_priority",
        Short = "short",
        Show = "show",
        Skip = "skip",
        Timeout = "timeout",
        Trace = "trace",
        True = "true",
        Typedef = "typedef",
        Unless = "unless",
        Unsigned = "unsigned",
        Xr = "xr",
        Xs = "xs",
    }
}

spelled! {
    /// An operator or a bracket.
    Punct {
        LParen = "(",
        RParen = ")",
        LBracket = "[",
        RBracket = "]",
        LBrace = "{",
        RBrace = "}",
        Comma = ",",
        Semicolon = ";",
        Arrow = "->",
        ColonColon = "::",
        Colon = ":",
        DotDot = "..",
        Dot = ".",
        At = "@",
        Eq = "==",
        Assign = "=",
        Ne = "!=",
        BangBang = "!!",
        Bang = "!",
        QuestionQuestion = "??",
        Question = "?",
        Shl = "<<",
        Le = "<=",
        Lt = "<",
        Shr = ">>",
        Ge = ">=",
        Gt = ">",
        PlusPlus = "++",
        Plus = "+",
        MinusMinus = "--",
        Minus = "-",
        Star = "*",
        Slash = "/",
        Percent = "%",
        AmpAmp = "&&",
        Amp = "&",
        PipePipe = "||",
        Pipe = "|",
        Caret = "^",
        Tilde = "~",
    }
}

impl fmt::Display for TokenKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenKind::Ident(name) => f.write_str(name),
            TokenKind::Number(value) => value.fmt(f),
            TokenKind::String(text) => write!(f, "\"{text}\""),
            TokenKind::Keyword(keyword) => keyword.fmt(f),
            TokenKind::Punct(punct) => punct.fmt(f),
            TokenKind::CCode { construct, .. } => construct.fmt(f),
            TokenKind::Eof => f.write_str("the end of the file"),
        }
    }
}

/// Gives equal texts the same [`Name`].
#[derive(Default)]
pub(crate) struct Interner {
    known: HashSet<Name>,
}

impl Interner {
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.known.get(text) {
            return name.clone();
        }
        let name: Name = Arc::from(text);
        self.known.insert(name.clone());
        name
    }
}
