//! Reading texts that somebody else wrote: regular files only, up to a size, and never for ever.
//!
//! A device has no end, and a pipe may never get one. So only regular files are opened, and a stream is
//! read by a thread of its own while this one looks at the limits: if one is reached first, the thread
//! is left behind.

use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use crate::budget;

/// How many bytes a text may have, unless somebody says otherwise.
pub const MOST_BYTES: u64 = 64 << 20;

/// Why a text could not be read.
#[derive(Debug)]
pub enum ReadError {
    /// It is no regular file.
    NotAFile,
    /// It has more bytes than are read.
    TooLarge {
        /// How many it has, where that is known.
        bytes: Option<u64>,
        /// How many it may have.
        most: u64,
    },
    /// The system says no.
    System(io::Error),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::NotAFile => f.write_str("it is no regular file"),
            ReadError::TooLarge {
                bytes: Some(bytes),
                most,
            } => {
                write!(f, "it has {bytes} bytes, and at most {most} are read")
            }
            ReadError::TooLarge { bytes: None, most } => {
                write!(f, "it has more than the {most} bytes that are read at most")
            }
            ReadError::System(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ReadError {}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> ReadError {
        ReadError::System(error)
    }
}

impl From<ReadError> for io::Error {
    fn from(error: ReadError) -> io::Error {
        match error {
            ReadError::System(error) => error,
            other => io::Error::other(other.to_string()),
        }
    }
}

/// Whether a file is in a folder or below it, wherever links lead.
pub fn is_below(path: &Path, folder: &Path) -> bool {
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let folder_of = |path: &Path| path.parent().map_or(Ok(PathBuf::new()), Path::canonicalize);
    // What is not there would be in its folder.
    let place = path.canonicalize().or_else(|_| folder_of(path));
    matches!((place, folder.canonicalize()), (Ok(place), Ok(folder)) if place.starts_with(&folder))
}

/// The text of a file of at most so many bytes; what is no UTF-8 is replaced.
///
/// # Errors
/// If it is no regular file, too large, or cannot be read.
pub fn read_file(path: &Path, most: u64) -> Result<String, ReadError> {
    let data = std::fs::metadata(path)?;
    if data.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory).into());
    }
    if !data.is_file() {
        return Err(ReadError::NotAFile);
    }
    let bytes = Some(data.len());
    if data.len() > most {
        return Err(ReadError::TooLarge { bytes, most });
    }
    let mut content = Vec::new();
    // It may grow while it is read.
    std::fs::File::open(path)?
        .take(most + 1)
        .read_to_end(&mut content)?;
    text(content, most)
}

/// How much of a stream is handed over at a time, and how long it is waited for.
const PIECE: usize = 1 << 16;
const PATIENCE: Duration = Duration::from_millis(20);

/// The text of a stream of at most so many bytes, within the limits of the work that is going on.
///
/// # Errors
/// If it is too large or cannot be read.
pub fn read_stream(mut stream: impl Read + Send + 'static, most: u64) -> Result<String, ReadError> {
    let (sender, receiver) = sync_channel::<io::Result<Vec<u8>>>(4);
    std::thread::spawn(move || {
        loop {
            let mut piece = vec![0; PIECE];
            let read = match stream.read(&mut piece) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read,
            };
            let is_last = !matches!(read, Ok(count) if count > 0);
            let read = read.map(|count| {
                piece.truncate(count);
                piece
            });
            if sender.send(read).is_err() || is_last {
                return;
            }
        }
    });
    let mut content = Vec::new();
    loop {
        budget::look();
        match receiver.recv_timeout(PATIENCE) {
            Ok(Ok(piece)) if piece.is_empty() => break,
            Ok(piece) => content.extend(piece?),
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if content.len() as u64 > most {
            break;
        }
    }
    text(content, most)
}

fn text(content: Vec<u8>, most: u64) -> Result<String, ReadError> {
    match content.len() as u64 > most {
        true => Err(ReadError::TooLarge { bytes: None, most }),
        false => Ok(match String::from_utf8(content) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budget, Exhausted};

    /// A stream that never has anything to say.
    struct Silent;

    impl Read for Silent {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            loop {
                std::thread::sleep(Duration::from_secs(3600));
            }
        }
    }

    #[test]
    fn streams_end_at_a_size_or_at_a_limit() {
        let read = read_stream(&b"a \xff b"[..], 10);
        assert_eq!(read.expect("it is short"), "a \u{fffd} b");
        let endless = read_stream(io::repeat(b' '), 1 << 20);
        assert!(matches!(endless, Err(ReadError::TooLarge { .. })));
        let budget = Budget::unlimited().within(Some(Duration::from_millis(60)));
        let silent = budget.run(|| read_stream(Silent, 10).map_err(|error| error.to_string()));
        assert_eq!(silent, Err(Exhausted::Time));
    }

    #[test]
    fn only_regular_files_are_read() {
        let here = read_file(Path::new("."), 10);
        assert!(matches!(here, Err(ReadError::System(_))));
        #[cfg(unix)]
        {
            let device = read_file(Path::new("/dev/zero"), 10);
            assert!(matches!(device, Err(ReadError::NotAFile)));
        }
        let none = read_file(Path::new("no such file"), 10);
        assert!(matches!(none, Err(ReadError::System(_))));
        let manifest = read_file(Path::new("Cargo.toml"), 10);
        assert!(matches!(manifest, Err(ReadError::TooLarge { .. })));
        let manifest = read_file(Path::new("Cargo.toml"), MOST_BYTES);
        assert!(manifest.expect("it is small").contains("evenhand"));
    }
}
