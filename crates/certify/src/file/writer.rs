//! Writes certificates.

use std::io::{self, Write};

use evenhand_automata::State;

use super::coder::Encoder;
use super::lists::Lists;
use super::{Header, MAGIC};
use crate::flaw::Flaw;
use crate::product::RankSource;
use crate::rank::{CellId, Cells, Reason};

/// A certificate that is being written: the ranks of each state, in the order of the check.
pub struct Writer<W> {
    encoder: Encoder<W>,
    lists: Lists,
}

impl<W: Write> Writer<W> {
    /// Writes what is claimed, and the cells.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(mut out: W, header: &Header, cells: &Cells) -> io::Result<Writer<W>> {
        out.write_all(MAGIC)?;
        number(&mut out, header.texts.len() as u64)?;
        for (name, text) in &header.texts {
            for part in [name, text] {
                number(&mut out, part.len() as u64)?;
                out.write_all(part.as_bytes())?;
            }
        }
        number(&mut out, cells.len() as u64)?;
        for cell in cells.iter() {
            let around = cells.parent(cell).map_or(0, |cell| cell.number() + 1);
            number(&mut out, around.into())?;
            number(&mut out, cells.number(cell).into())?;
            match cells.reason(cell) {
                Reason::NoEdge => number(&mut out, 0)?,
                Reason::Missing { mark } => {
                    number(&mut out, 1)?;
                    number(&mut out, mark.into())?;
                }
                Reason::NotGranted { pair } => {
                    number(&mut out, 2)?;
                    number(&mut out, pair.into())?;
                }
            }
        }
        Ok(Writer {
            encoder: Encoder::new(out),
            lists: Lists::new(),
        })
    }

    /// Writes the ranks of the next state.
    ///
    /// # Errors
    /// If they cannot be written, or are not in the order of the automaton's states.
    pub fn put(&mut self, ranks: &[(State, CellId)]) -> io::Result<()> {
        let next = self.lists.next(&mut self.encoder, usize::MAX, Some(ranks));
        next.map(|_| ())
    }

    /// Writes the end.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.lists.next(&mut self.encoder, 0, None)?;
        let mut out = self.encoder.finish()?;
        out.flush()?;
        Ok(out)
    }
}

/// A number, seven bits in each byte.
pub(super) fn number(out: &mut impl Write, mut number: u64) -> io::Result<()> {
    while number >= 0x80 {
        out.write_all(&[number as u8 | 0x80])?;
        number >>= 7;
    }
    out.write_all(&[number as u8])
}

/// Tells ranks and writes down what was told.
pub struct Recorder<'r, W> {
    source: &'r mut dyn RankSource,
    writer: Writer<W>,
    error: Option<io::Error>,
}

impl<'r, W: Write> Recorder<'r, W> {
    /// Writes what a source tells.
    pub fn new(source: &'r mut dyn RankSource, writer: Writer<W>) -> Recorder<'r, W> {
        Recorder {
            source,
            writer,
            error: None,
        }
    }

    /// Writes the end; what was written proves something only if the check went well.
    ///
    /// # Errors
    /// If something could not be written.
    pub fn finish(self) -> io::Result<W> {
        match self.error {
            Some(error) => Err(error),
            None => self.writer.finish(),
        }
    }
}

impl<W: Write> RankSource for Recorder<'_, W> {
    fn ranks(&mut self, state: &[u8], ranks: &mut Vec<(State, CellId)>) -> Result<(), Flaw> {
        self.source.ranks(state, ranks)?;
        // A disk that is full says nothing about the ranks.
        if self.error.is_none() {
            self.error = self.writer.put(ranks).err();
        }
        Ok(())
    }
}
