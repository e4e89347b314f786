//! Certificates to keep: the format of the file.
//!
//! A certificate is kept without the states that it is about: [`check_product`](crate::check_product)
//! meets them in an order that follows from the system alone, and asks for the ranks of each once. So
//! the file is the list of answers in that order. It is read while the check goes on, and written
//! while one does ([`Recorder`]). Nothing in a file has to be believed: what it says is what the
//! check holds against the system.
//!
//! | part | bytes |
//! | --- | --- |
//! | what it is | `evenhand certificate 1`, a line feed |
//! | claims | a number of texts, two for each: what it says (`formula`), and how; each a length and UTF-8 |
//! | cells | a number of cells; each: the cell around it (its number and one more, or 0), its number, its reason (0: no edge, 1 and a mark, 2 and a pair) |
//! | ranks | of each state, coded to the end of the file |
//!
//! Numbers of the first parts have seven bits in each byte, the lowest first; the highest bit says
//! that another byte follows.
//!
//! **Ranks.** Most states have the same few lists of ranks. The 254 lists that came last are known, the
//! last one first. A state is one symbol: the place of its list among them (0 to 253); 254 and the list
//! itself; or 255 at the end, behind the last state. A list is how many ranks there are, and for each
//! how far the automaton's state lies behind the one before, and the difference of the cell to the one
//! told last (2n for n, 2n - 1 for -n). The symbols and numbers are sequences of bits, packed by an
//! arithmetic coder (`coder`) that learns how likely each bit is where it stands.
//!
//! A file that was cut or changed is read as far as it goes: no length in it is believed before as
//! many bytes were there, and of the ranks no more are kept than the states that the check has met can
//! have.

mod archive;
mod coder;
mod lists;
mod reader;
mod writer;

use std::fmt;
use std::io;

use crate::flaw::Flaw;

pub use archive::{Archive, Body, Certificates, Pieces};
pub use reader::{Opened, Reader, open};
pub use writer::{Recorder, Writer};

/// How a file begins.
const MAGIC: &[u8] = b"evenhand certificate 1\n";

/// What a certificate claims, for people and for those who put the claim together again: what is
/// said, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The texts, in order; one may occur several times.
    pub texts: Vec<(String, String)>,
}

impl Header {
    /// The texts of a name.
    pub fn get(&self, name: &str) -> Vec<&str> {
        let texts = self.texts.iter().filter(|text| text.0 == name);
        texts.map(|text| text.1.as_str()).collect()
    }
}

/// Why a file cannot be read.
#[derive(Debug)]
pub enum ReadError {
    /// It begins like something else.
    NoCertificate,
    /// It ends too early.
    Truncated,
    /// A number or a text in it is not one.
    Malformed(&'static str),
    /// Its ranks are no ranks.
    Flawed(Flaw),
    /// There are ranks behind those of the last state.
    Longer,
    /// The system says no.
    Io(io::Error),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> ReadError {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => ReadError::Truncated,
            io::ErrorKind::InvalidData => ReadError::Malformed("its ranks make no sense"),
            _ => ReadError::Io(error),
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::NoCertificate => f.write_str("the file is no certificate of this version"),
            ReadError::Truncated => f.write_str("the certificate ends too early"),
            ReadError::Malformed(what) => write!(f, "the certificate is damaged: {what}"),
            ReadError::Flawed(flaw) => write!(f, "the certificate is damaged: {flaw}"),
            ReadError::Longer => f.write_str("the certificate is about more states"),
            ReadError::Io(error) => write!(f, "the certificate cannot be read: {error}"),
        }
    }
}

impl std::error::Error for ReadError {}
