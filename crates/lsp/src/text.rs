//! A text as editors count it: lines, and columns in units of UTF-16.

use evenhand::Span;
use lsp_types::{Position, Range, TextDocumentContentChangeEvent};

/// A text that knows where its lines begin.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    text: String,
    starts: Vec<usize>,
}

impl Text {
    pub(crate) fn new(text: impl Into<String>) -> Text {
        let text = text.into();
        let breaks = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let starts = std::iter::once(0).chain(breaks.map(|(at, _)| at + 1));
        let starts = starts.collect();
        Text { text, starts }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The offset of a position; one outside of the text is moved to the nearest inside.
    pub(crate) fn offset(&self, position: Position) -> usize {
        let line = position.line as usize;
        let Some(&start) = self.starts.get(line) else {
            return self.text.len();
        };
        let end = self
            .starts
            .get(line + 1)
            .map_or(self.text.len(), |next| next - 1);
        let line = self.text[start..end].trim_end_matches('\r');
        let mut units = 0;
        for (at, c) in line.char_indices() {
            if units >= position.character as usize {
                return start + at;
            }
            units += c.len_utf16();
        }
        start + line.len()
    }

    /// The position of an offset.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|&start| start <= offset).max(1) - 1;
        let units = self.text[self.starts[line]..offset].encode_utf16().count();
        Position::new(number(line), number(units))
    }

    /// The range of a span in this text.
    pub(crate) fn range(&self, span: Span) -> Range {
        Range::new(
            self.position(span.start as usize),
            self.position(span.end as usize),
        )
    }

    /// Does what an editor says was done.
    pub(crate) fn change(&mut self, change: &TextDocumentContentChangeEvent) {
        let text = match change.range {
            None => change.text.clone(),
            Some(range) => {
                let start = self.offset(range.start);
                let end = self.offset(range.end).max(start);
                let mut text = String::with_capacity(self.text.len() + change.text.len());
                text.push_str(&self.text[..start]);
                text.push_str(&change.text);
                text.push_str(&self.text[end..]);
                text
            }
        };
        *self = Text::new(text);
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_units_of_utf_16() {
        let text = Text::new("a😀b\r\nä\n");
        for (position, offset) in [
            ((0, 0), 0),
            ((0, 1), 1),
            ((0, 3), 5),
            ((0, 4), 6),
            ((1, 0), 8),
        ] {
            let position = Position::new(position.0, position.1);
            assert_eq!(text.offset(position), offset);
            assert_eq!(text.position(offset), position);
        }
        assert_eq!(
            text.offset(Position::new(0, 99)),
            6,
            "before the line break"
        );
        assert_eq!(text.offset(Position::new(9, 0)), text.as_str().len());
    }

    #[test]
    fn changes_are_done_one_after_the_other() {
        let mut text = Text::new("byte x;\nbyte y;\n");
        let mut change = |from: (u32, u32), to: (u32, u32), new: &str| {
            text.change(&TextDocumentContentChangeEvent {
                range: Some(Range::new(
                    Position::new(from.0, from.1),
                    Position::new(to.0, to.1),
                )),
                range_length: None,
                text: new.into(),
            });
            text.as_str().to_string()
        };
        assert_eq!(change((1, 5), (1, 6), "z"), "byte x;\nbyte z;\n");
        assert_eq!(change((0, 0), (1, 0), ""), "byte z;\n");
        assert_eq!(change((1, 0), (1, 0), "int i"), "byte z;\nint i");
    }
}
