//! Reads certificates, whoever wrote them.

use std::io::Read;

use evenhand_automata::State;

use super::coder::Decoder;
use super::lists::Lists;
use super::{Header, MAGIC, ReadError};
use crate::flaw::Flaw;
use crate::product::RankSource;
use crate::rank::{CellId, Cells, Reason};

/// The longest text of a header.
const LONGEST: u64 = 1 << 26;

/// What a certificate tells of each state, in the order of the check.
pub struct Reader<R> {
    decoder: Decoder<R>,
    lists: Lists,
    bound: usize,
    error: Option<ReadError>,
}

/// What was read of a certificate before its ranks.
pub struct Opened<R> {
    /// What is claimed.
    pub header: Header,
    /// The lists of numbers.
    pub cells: Cells,
    input: R,
}

/// Reads what a certificate claims, and its cells. The input should be buffered.
///
/// # Errors
/// If it is none, or ends here already.
pub fn open<R: Read>(mut input: R) -> Result<Opened<R>, ReadError> {
    let mut magic = Vec::new();
    let length = MAGIC.len() as u64;
    input.by_ref().take(length).read_to_end(&mut magic)?;
    if magic != MAGIC {
        return Err(ReadError::NoCertificate);
    }
    let mut header = Header::default();
    for _ in 0..number(&mut input)? {
        let name = text(&mut input)?;
        header.texts.push((name, text(&mut input)?));
    }
    let mut cells = Cells::new();
    for _ in 0..number(&mut input)? {
        let around = match small(&mut input)?.checked_sub(1) {
            None => None,
            Some(number) => Some(CellId::new(number).ok_or(ReadError::Flawed(Flaw::NoCell))?),
        };
        let number = small(&mut input)?;
        let reason = match small(&mut input)? {
            0 => Reason::NoEdge,
            1 => Reason::Missing {
                mark: small(&mut input)?,
            },
            2 => Reason::NotGranted {
                pair: small(&mut input)?,
            },
            _ => return Err(ReadError::Malformed("there is no such reason")),
        };
        let added = cells.add(around, number, reason);
        added.map_err(ReadError::Flawed)?;
    }
    Ok(Opened {
        header,
        cells,
        input,
    })
}

impl<R: Read> Opened<R> {
    /// The ranks that follow, for an automaton of that many states; and the cells.
    ///
    /// # Errors
    /// If there are none.
    pub fn ranks(self, automaton_states: usize) -> Result<(Cells, Reader<R>), ReadError> {
        let reader = Reader {
            decoder: Decoder::new(self.input)?,
            lists: Lists::new(),
            bound: automaton_states,
            error: None,
        };
        Ok((self.cells, reader))
    }
}

impl<R: Read> Reader<R> {
    /// Why no more ranks could be told, if that is why a check failed.
    pub fn error(&self) -> Option<&ReadError> {
        self.error.as_ref()
    }

    /// Whether the file is at its end, as it should be behind a check.
    ///
    /// # Errors
    /// If it is not, or could not be read.
    pub fn finish(mut self) -> Result<(), ReadError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let next = self.lists.next(&mut self.decoder, self.bound, None)?;
        let mut byte = [0];
        match next.is_none() && self.decoder.into_inner().read(&mut byte)? == 0 {
            true => Ok(()),
            false => Err(ReadError::Longer),
        }
    }
}

impl<R: Read> RankSource for Reader<R> {
    fn ranks(&mut self, _: &[u8], ranks: &mut Vec<(State, CellId)>) -> Result<(), Flaw> {
        ranks.clear();
        match self.lists.next(&mut self.decoder, self.bound, None) {
            Ok(Some(list)) => {
                ranks.extend_from_slice(list);
                return Ok(());
            }
            Ok(None) => self.error = Some(ReadError::Truncated),
            Err(error) => self.error = Some(error.into()),
        }
        Err(Flaw::Unreadable)
    }
}

/// A number, seven bits in each byte.
pub(super) fn number(input: &mut impl Read) -> Result<u64, ReadError> {
    let mut number = 0;
    for place in 0..9 {
        let mut byte = [0];
        input.read_exact(&mut byte)?;
        number |= u64::from(byte[0] & 0x7f) << (7 * place);
        if byte[0] < 0x80 {
            return Ok(number);
        }
    }
    Err(ReadError::Malformed("a number is too great"))
}

/// A number of 32 bits.
fn small(input: &mut impl Read) -> Result<u32, ReadError> {
    let number = number(input)?;
    u32::try_from(number).map_err(|_| ReadError::Malformed("a number is too great"))
}

/// A text: no more room is made than there are bytes.
fn text(input: &mut impl Read) -> Result<String, ReadError> {
    let length = number(input)?;
    if length > LONGEST {
        return Err(ReadError::Malformed("a text is too long"));
    }
    let mut bytes = Vec::new();
    input.by_ref().take(length).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < length {
        return Err(ReadError::Truncated);
    }
    String::from_utf8(bytes).map_err(|_| ReadError::Malformed("a text is no UTF-8"))
}
