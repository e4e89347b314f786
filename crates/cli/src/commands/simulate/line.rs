//! A line that is being typed: what each key does to it, and what stands on the screen.
//!
//! Everything that needs no terminal is here, so that it can be tested without one: bytes become keys, keys
//! change the line, and the line is drawn into the width that there is. The keys are those that people know
//! from shells. `terminal.rs` reads the bytes.

/// What a person pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Char(char),
    Enter,
    Left,
    Right,
    WordLeft,
    WordRight,
    Home,
    End,
    Up,
    Down,
    Backspace,
    Delete,
    /// Everything before the cursor goes.
    KillBefore,
    /// Everything behind it.
    KillBehind,
    /// The word before it.
    KillWord,
    /// Draw it again.
    Redraw,
    /// Ctrl-C.
    Cancel,
    /// Ctrl-D.
    EndOfInput,
    /// Something without a meaning.
    Unknown,
}

/// What a key leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// The line is still being typed.
    Open,
    /// It is complete.
    Done(String),
    /// It was given up: a new one begins.
    GivenUp,
    /// There will be no more lines.
    Over,
}

/// Reads a key from bytes, one after the other; none at the end of the input.
pub(super) fn read_key(next: &mut dyn FnMut() -> Option<u8>) -> Option<Key> {
    let byte = next()?;
    Some(match byte {
        b'\r' | b'\n' => Key::Enter,
        0x01 => Key::Home,
        0x02 => Key::Left,
        0x03 => Key::Cancel,
        0x04 => Key::EndOfInput,
        0x05 => Key::End,
        0x06 => Key::Right,
        0x08 | 0x7f => Key::Backspace,
        0x0b => Key::KillBehind,
        0x0c => Key::Redraw,
        0x0e => Key::Down,
        0x10 => Key::Up,
        0x15 => Key::KillBefore,
        0x17 => Key::KillWord,
        0x1b => return escape(next),
        0x00..0x20 => Key::Unknown,
        0x20..0x80 => Key::Char(char::from(byte)),
        _ => return character(byte, next),
    })
}

/// What follows an escape: `[A`, `OH`, `[3~`, `[1;5C`, `b`.
fn escape(next: &mut dyn FnMut() -> Option<u8>) -> Option<Key> {
    match next()? {
        b'b' => return Some(Key::WordLeft),
        b'f' => return Some(Key::WordRight),
        b'[' | b'O' => {}
        _ => return Some(Key::Unknown),
    }
    let mut parameters = String::new();
    let last = loop {
        match next()? {
            byte @ (b'0'..=b'9' | b';') => parameters.push(char::from(byte)),
            byte => break byte,
        }
    };
    // Behind a semicolon stands which other keys are held down.
    let is_held = parameters.contains(';');
    Some(match (last, parameters.as_str()) {
        (b'A', _) => Key::Up,
        (b'B', _) => Key::Down,
        (b'C', _) if is_held => Key::WordRight,
        (b'D', _) if is_held => Key::WordLeft,
        (b'C', _) => Key::Right,
        (b'D', _) => Key::Left,
        (b'H', _) | (b'~', "1" | "7") => Key::Home,
        (b'F', _) | (b'~', "4" | "8") => Key::End,
        (b'~', "3") => Key::Delete,
        _ => Key::Unknown,
    })
}

/// A character of several bytes.
fn character(first: u8, next: &mut dyn FnMut() -> Option<u8>) -> Option<Key> {
    let length = match first {
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf8 => 4,
        _ => return Some(Key::Unknown),
    };
    let mut bytes = vec![first];
    while bytes.len() < length {
        bytes.push(next()?);
    }
    let text = std::str::from_utf8(&bytes).ok();
    let found = text.and_then(|text| text.chars().next());
    Some(found.map_or(Key::Unknown, Key::Char))
}

/// A line, and the lines before it.
#[derive(Debug, Default)]
pub(super) struct Line {
    text: Vec<char>,
    cursor: usize,
    history: Vec<String>,
    /// Which of the lines before is shown; their number for the one that is typed.
    shown: usize,
    /// What was typed before older lines were looked at.
    kept: Vec<char>,
}

impl Line {
    /// Begins a new line.
    pub fn begin(&mut self) {
        self.text.clear();
        self.cursor = 0;
        self.shown = self.history.len();
    }

    /// What a key does.
    pub fn press(&mut self, key: Key) -> Effect {
        let end = self.text.len();
        match key {
            Key::Char(c) => {
                self.text.insert(self.cursor, c);
                self.cursor += 1;
            }
            Key::Enter => return Effect::Done(self.complete()),
            Key::Left => self.cursor = self.cursor.saturating_sub(1),
            Key::Right => self.cursor = end.min(self.cursor + 1),
            Key::WordLeft => self.cursor = self.word_before(),
            Key::WordRight => self.cursor = self.word_behind(),
            Key::Home => self.cursor = 0,
            Key::End => self.cursor = end,
            Key::Up => self.look(self.shown.checked_sub(1)),
            Key::Down => self.look(Some(self.shown + 1).filter(|&n| n <= self.history.len())),
            Key::Backspace if self.cursor > 0 => {
                self.cursor -= 1;
                self.text.remove(self.cursor);
            }
            Key::Delete if self.cursor < end => {
                self.text.remove(self.cursor);
            }
            Key::EndOfInput if end == 0 => return Effect::Over,
            Key::EndOfInput if self.cursor < end => {
                self.text.remove(self.cursor);
            }
            Key::Cancel if end == 0 => return Effect::Over,
            Key::Cancel => return Effect::GivenUp,
            Key::KillBefore => {
                self.text.drain(..self.cursor);
                self.cursor = 0;
            }
            Key::KillBehind => self.text.truncate(self.cursor),
            Key::KillWord => {
                let start = self.word_before();
                self.text.drain(start..self.cursor);
                self.cursor = start;
            }
            Key::Backspace | Key::Delete | Key::EndOfInput | Key::Redraw | Key::Unknown => {}
        }
        Effect::Open
    }

    /// The line as it stands; it is remembered unless it says nothing new.
    fn complete(&mut self) -> String {
        let text: String = self.text.iter().collect();
        if !text.trim().is_empty() && self.history.last() != Some(&text) {
            self.history.push(text.clone());
        }
        text
    }

    fn word_before(&self) -> usize {
        let before = &self.text[..self.cursor];
        let end = before
            .iter()
            .rposition(|c| *c != ' ')
            .map_or(0, |at| at + 1);
        let start = before[..end].iter().rposition(|c| *c == ' ');
        start.map_or(0, |at| at + 1)
    }

    fn word_behind(&self) -> usize {
        let behind = &self.text[self.cursor..];
        let start = behind.iter().position(|c| *c != ' ');
        let start = start.unwrap_or(behind.len());
        let end = behind[start..].iter().position(|c| *c == ' ');
        end.map_or(self.text.len(), |at| self.cursor + start + at)
    }

    /// Shows a line before, or the one that is typed.
    fn look(&mut self, number: Option<usize>) {
        let Some(number) = number else {
            return;
        };
        if self.shown == self.history.len() {
            self.kept.clone_from(&self.text);
        }
        self.shown = number;
        self.text = match self.history.get(number) {
            Some(text) => text.chars().collect(),
            None => std::mem::take(&mut self.kept),
        };
        self.cursor = self.text.len();
    }

    /// What is written to draw the line anew behind a prompt, on a terminal of so many columns. A line
    /// that is longer is seen through a window around the cursor.
    pub fn drawn(&self, prompt: &str, columns: usize) -> String {
        let used = prompt.chars().count();
        let room = columns.saturating_sub(used + 1).max(1);
        let start = (self.cursor + 1).saturating_sub(room);
        let end = self.text.len().min(start + room);
        let seen: String = self.text[start..end].iter().collect();
        let column = used + self.cursor - start;
        let place = match column {
            0 => String::new(),
            column => format!("\x1b[{column}C"),
        };
        format!("\r{prompt}{seen}\x1b[K\r{place}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that come out of bytes, and the text that is open at the end.
    fn typed(bytes: &[u8]) -> (Vec<Effect>, String) {
        let mut rest = bytes.iter().copied();
        let mut line = Line::default();
        let mut effects = Vec::new();
        line.begin();
        while let Some(key) = read_key(&mut || rest.next()) {
            match line.press(key) {
                Effect::Open => {}
                effect => {
                    effects.push(effect);
                    line.begin();
                }
            }
        }
        (effects, line.text.iter().collect())
    }

    fn lines(list: &[&str]) -> Vec<Effect> {
        list.iter().map(|l| Effect::Done(l.to_string())).collect()
    }

    #[test]
    fn keys_edit_the_line() {
        let cases: [(&[u8], &str); 12] = [
            (b"r 12\x7f", "r 1"),
            (b"wx\x1b[D \x1b[C[2]", "w x[2]"),
            (b"bc\x01a\x05d", "abcd"),
            (b"bc\x1b[Ha\x1b[Fd", "abcd"),
            (b"bc\x1bOHa\x1bOFd", "abcd"),
            (b"abc\x1b[1~\x1b[3~", "bc"),
            (b"one two\x17three", "one three"),
            (b"one two\x1bb\x0b", "one "),
            (b"one two\x1b[1;5D\x15", "two"),
            (b"\x01\x7f\x1b[3~\x1b[Dx", "x"),
            ("ä€😀\x7f".as_bytes(), "ä€"),
            (b"a\xffb\x1b[99zc\x00d", "abcd"),
        ];
        for (bytes, text) in cases {
            assert_eq!(typed(bytes), (Vec::new(), text.to_string()), "{bytes:?}");
        }
    }

    #[test]
    fn older_lines_come_back() {
        assert_eq!(typed(b"1\rr 2\r\x1b[A").1, "r 2");
        assert_eq!(typed(b"1\rr 2\r\x1b[A\x10\x10").1, "1");
        assert_eq!(typed(b"1\rr 2\rnew\x1b[A\x1b[A\x1b[B\x0e").1, "new");
        // The same line twice is one, and an empty one is none.
        assert_eq!(typed(b"1\r2\r2\r\r\x1b[A\x1b[A").1, "1");
        assert_eq!(typed(b"1\r\x1b[A7\r").0, lines(&["1", "17"]));
    }

    #[test]
    fn a_line_can_be_given_up() {
        assert_eq!(typed(b"abc\x03").0, [Effect::GivenUp]);
        assert_eq!(typed(b"\x03").0, [Effect::Over]);
        assert_eq!(typed(b"\x04").0, [Effect::Over]);
        assert_eq!(typed(b"abc\x01\x04"), (Vec::new(), "bc".to_string()));
    }

    #[test]
    fn a_long_line_is_seen_around_the_cursor() {
        let mut line = Line::default();
        line.begin();
        for c in "0123456789".chars() {
            line.press(Key::Char(c));
        }
        assert_eq!(line.drawn("> ", 80), "\r> 0123456789\x1b[K\r\x1b[12C");
        assert_eq!(line.drawn("> ", 8), "\r> 6789\x1b[K\r\x1b[6C");
        line.press(Key::Home);
        assert_eq!(line.drawn("> ", 8), "\r> 01234\x1b[K\r\x1b[2C");
        assert_eq!(line.drawn("> ", 0), "\r> 0\x1b[K\r\x1b[2C");
    }
}
