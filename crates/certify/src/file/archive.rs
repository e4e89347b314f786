//! Several certificates in one file: what `check` wrote in one go.
//!
//! | part | bytes |
//! | --- | --- |
//! | what it is | `evenhand certificates 1`, a line feed |
//! | each certificate | 1; its bytes in pieces, each a length above 0 and as many bytes; 0; then 1, or 0 if it was given up |
//! | the end | 0 |
//!
//! A certificate is written while its check goes on, before anybody knows how long it will be, and
//! whether a limit ends the work: hence the pieces, and the word behind the last one.

use std::io::{self, Read, Write};

use super::reader::number as read_number;
use super::writer::number as write_number;
use super::{Header, Opened, ReadError, Writer, open};
use crate::rank::Cells;

/// How a file begins.
const MAGIC: &[u8] = b"evenhand certificates 1\n";

/// The length of most pieces.
const PIECE: usize = 1 << 16;

/// Several certificates that are being written.
pub struct Archive<W: Write> {
    out: W,
}

impl<W: Write> Archive<W> {
    /// No certificate yet.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(mut out: W) -> io::Result<Archive<W>> {
        out.write_all(MAGIC)?;
        Ok(Archive { out })
    }

    /// Begins a certificate. It counts once its writer was finished and [`Pieces::finish`] called.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(&mut self, header: &Header, cells: &Cells) -> io::Result<Writer<Pieces<'_, W>>> {
        self.out.write_all(&[1])?;
        let pieces = Pieces {
            out: &mut self.out,
            waiting: Vec::with_capacity(PIECE),
            ended: false,
        };
        Writer::new(pieces, header, cells)
    }

    /// Writes the end.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.write_all(&[0])?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// One certificate, piece by piece. Dropped before its end it is given up.
pub struct Pieces<'a, W: Write> {
    out: &'a mut W,
    waiting: Vec<u8>,
    ended: bool,
}

impl<W: Write> Pieces<'_, W> {
    /// The certificate is complete.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.end(1)
    }

    fn end(&mut self, word: u8) -> io::Result<()> {
        self.ended = true;
        self.piece()?;
        self.out.write_all(&[0, word])
    }

    fn piece(&mut self) -> io::Result<()> {
        if !self.waiting.is_empty() {
            write_number(&mut self.out, self.waiting.len() as u64)?;
            self.out.write_all(&self.waiting)?;
            self.waiting.clear();
        }
        Ok(())
    }
}

impl<W: Write> Write for Pieces<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= PIECE {
            self.piece()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<W: Write> Drop for Pieces<'_, W> {
    fn drop(&mut self) {
        if !self.ended {
            // A file that cannot be written is noticed at its end.
            let _ = self.end(0);
        }
    }
}

/// Several certificates that are being read.
pub struct Certificates<R> {
    input: R,
    at: At,
}

/// Where a file of certificates is read.
#[derive(Clone, Copy)]
enum At {
    /// Between two certificates.
    Between,
    /// Inside of a piece, with so many bytes to come.
    Piece(u64),
    /// Behind the last piece.
    Behind,
}

impl<R: Read> Certificates<R> {
    /// Looks whether it is a file of certificates. The input should be buffered.
    ///
    /// # Errors
    /// If it is not.
    pub fn open(mut input: R) -> Result<Certificates<R>, ReadError> {
        let mut magic = Vec::new();
        let length = MAGIC.len() as u64;
        input.by_ref().take(length).read_to_end(&mut magic)?;
        let at = At::Between;
        match magic == MAGIC {
            true => Ok(Certificates { input, at }),
            false => Err(ReadError::NoCertificate),
        }
    }

    /// Whether there is a certificate in front.
    ///
    /// # Errors
    /// If the file cannot be read on.
    pub fn has_next(&mut self) -> Result<bool, ReadError> {
        if !matches!(self.at, At::Between) {
            self.end()?;
        }
        let mut byte = [0];
        self.input.read_exact(&mut byte)?;
        match byte {
            [0] => match self.input.read(&mut byte)? {
                0 => Ok(false),
                _ => Err(ReadError::Longer),
            },
            [1] => {
                self.at = At::Piece(0);
                Ok(true)
            }
            _ => Err(ReadError::Malformed("there is no such part")),
        }
    }

    /// The certificate in front.
    ///
    /// # Errors
    /// If it is none, or ends too early.
    pub fn certificate(&mut self) -> Result<Opened<Body<'_, R>>, ReadError> {
        open(Body(self))
    }

    /// Goes to the end of a certificate: whether it was written to its end.
    ///
    /// # Errors
    /// If the file cannot be read on.
    pub fn end(&mut self) -> Result<bool, ReadError> {
        io::copy(&mut Body(self), &mut io::sink())?;
        let mut byte = [0];
        self.input.read_exact(&mut byte)?;
        self.at = At::Between;
        match byte {
            [1] => Ok(true),
            [0] => Ok(false),
            _ => Err(ReadError::Malformed("a certificate has no proper end")),
        }
    }
}

/// The bytes of one certificate.
pub struct Body<'a, R>(&'a mut Certificates<R>);

impl<R: Read> Read for Body<'_, R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let file = &mut *self.0;
        if let At::Piece(0) = file.at {
            let damaged = |_: ReadError| io::Error::from(io::ErrorKind::UnexpectedEof);
            file.at = match read_number(&mut file.input).map_err(damaged)? {
                0 => At::Behind,
                length => At::Piece(length),
            };
        }
        let At::Piece(left) = file.at else {
            return Ok(0);
        };
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
        let count = file.input.read(&mut bytes[..most])?;
        if count == 0 && most > 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        file.at = At::Piece(left - count as u64);
        Ok(count)
    }
}
