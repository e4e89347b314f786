//! The files of a model and places in them.

use std::fmt;

/// A file of [`Files`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct FileId(pub u32);

/// A half-open range of bytes of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end` of `file`.
    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        Span {
            file,
            start: clamp(start),
            end: clamp(end),
        }
    }

    /// The smallest span that covers both; `self` where they lie in different files.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span {
            file: self.file,
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

fn clamp(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

/// A place as people name it: both numbers count from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line number.
    pub line: u32,
    /// Column number.
    pub column: u32,
}

/// One file: its name as the user knows it and its text.
#[derive(Clone, Debug)]
pub struct File {
    /// The name shown in messages.
    pub name: String,
    /// The text; bytes that are not UTF-8 were replaced.
    pub text: String,
    line_starts: Vec<u32>,
}

impl File {
    fn new(name: String, text: String) -> File {
        let breaks = text.bytes().enumerate().filter(|&(_, b)| b == b'\n');
        let line_starts = std::iter::once(0)
            .chain(breaks.map(|(i, _)| clamp(i + 1)))
            .collect();
        File {
            name,
            text,
            line_starts,
        }
    }

    /// The place of a byte offset.
    pub fn position(&self, offset: u32) -> Position {
        let line = self
            .line_starts
            .partition_point(|&start| start <= offset)
            .max(1)
            - 1;
        let start = self.line_starts[line] as usize;
        let end = (offset as usize).min(self.text.len());
        let column = self.text.as_bytes()[start.min(end)..end]
            .iter()
            .filter(|&&b| b & 0xC0 != 0x80) // count characters, not continuation bytes
            .count();
        Position {
            line: clamp(line + 1),
            column: clamp(column + 1),
        }
    }

    /// The text of a line (counted from 1) without its line break; empty if there is none.
    pub fn line(&self, line: u32) -> &str {
        let index = (line as usize).saturating_sub(1);
        let Some(&start) = self.line_starts.get(index) else {
            return "";
        };
        let end = self
            .line_starts
            .get(index + 1)
            .map_or(self.text.len(), |&e| e as usize);
        self.text[start as usize..end].trim_end_matches(['\n', '\r'])
    }
}

/// All files that were read for one model.
#[derive(Clone, Debug, Default)]
pub struct Files {
    files: Vec<File>,
}

impl Files {
    /// No files.
    pub fn new() -> Files {
        Files::default()
    }

    /// Adds a file.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.files.push(File::new(name.into(), text.into()));
        FileId(clamp(self.files.len() - 1))
    }

    /// The file behind an id that [`Files::add`] gave out.
    pub fn get(&self, id: FileId) -> &File {
        &self.files[id.0 as usize]
    }

    /// Where a span begins.
    pub fn position(&self, span: Span) -> Position {
        self.get(span.file).position(span.start)
    }

    /// The text a span covers.
    pub fn text(&self, span: Span) -> &str {
        self.get(span.file)
            .text
            .get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }

    /// The files in the order they were added.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &File)> {
        self.files
            .iter()
            .enumerate()
            .map(|(i, f)| (FileId(clamp(i)), f))
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let mut files = Files::new();
        let id = files.add("m", "ab\näx\n");
        let at = |offset| files.get(id).position(offset);
        assert_eq!(at(0), Position { line: 1, column: 1 });
        assert_eq!(at(1), Position { line: 1, column: 2 });
        assert_eq!(at(3), Position { line: 2, column: 1 });
        assert_eq!(at(5), Position { line: 2, column: 2 });
        assert_eq!(at(99), Position { line: 3, column: 1 });
        assert_eq!(files.get(id).line(2), "äx");
        assert_eq!(files.get(id).line(7), "");
    }

    #[test]
    fn a_span_of_two_files_stays_in_the_first() {
        let a = Span::new(FileId(0), 3, 5);
        assert_eq!(a.to(Span::new(FileId(0), 1, 4)), Span::new(FileId(0), 1, 5));
        assert_eq!(a.to(Span::new(FileId(1), 1, 4)), a);
    }
}
