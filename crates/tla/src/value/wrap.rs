//! Values over several lines, as TLC breaks them: what fits into a line stays in it, otherwise each part has a line of
//! its own, and the value of a pair goes below its argument if both are too long together.

use super::Value;
use crate::names::Names;

/// How wide TLC's lines are.
const COLUMNS: usize = 80;

/// A value or a field's name as text, with the parts that it can be broken into.
struct Piece {
    text: String,
    width: usize,
    parts: Parts,
}

enum Parts {
    None,
    /// The opening, the parts, the closing.
    Row(&'static str, Vec<Piece>, &'static str),
    /// A function or a record.
    Pairs(Delimiters, Vec<(Piece, Piece)>),
}

#[derive(Clone, Copy)]
struct Delimiters {
    open: &'static str,
    arrow: &'static str,
    between: &'static str,
    close: &'static str,
}

const RECORD: Delimiters = Delimiters {
    open: "[ ",
    arrow: " |->",
    between: ",",
    close: " ]",
};
const FUNCTION: Delimiters = Delimiters {
    open: "( ",
    arrow: " :>",
    between: " @@",
    close: " )",
};
/// How far the value of a pair stands to the right of its argument.
const DEEPER: usize = 4;

impl Value {
    /// The value as TLC prints it in states: broken where it is longer than 80 columns.
    pub fn wrapped(&self, names: &Names) -> String {
        self.wrapped_to(names, COLUMNS)
    }

    /// The same for lines of some width.
    pub fn wrapped_to(&self, names: &Names, columns: usize) -> String {
        let mut out = String::new();
        // Most values are short.
        let (text, is_whole) = self.told_whole(names);
        if !is_whole || text.chars().count() <= columns {
            return text;
        }
        self.piece(names).write(columns as isize, 0, 0, &mut out);
        out
    }

    fn piece(&self, names: &Names) -> Piece {
        let row = |values: &[Value]| values.iter().map(|value| value.piece(names)).collect();
        let parts = match self {
            Value::Set(elements) => Parts::Row("{ ", row(elements), " }"),
            Value::Tuple(values) => Parts::Row("<< ", row(values), " >>"),
            Value::Function(mapping) => {
                let record = mapping.is_record();
                let pairs = mapping.keys().iter().zip(mapping.values().iter());
                let pairs = pairs.map(|(key, value)| {
                    let key = match key {
                        Value::Text(name) if record => Piece::leaf(names.text(*name).to_string()),
                        _ => key.piece(names),
                    };
                    (key, value.piece(names))
                });
                Parts::Pairs(if record { RECORD } else { FUNCTION }, pairs.collect())
            }
            Value::Lazy(_) => match self.listing() {
                // Printed as its elements, or as a rule that is not broken.
                Ok(listing) if self.show(names).to_string().starts_with('{') => {
                    return listing.piece(names);
                }
                _ => Parts::None,
            },
            _ => Parts::None,
        };
        let text = self.show(names).to_string();
        let width = text.chars().count();
        Piece { text, width, parts }
    }
}

impl Piece {
    fn leaf(text: String) -> Piece {
        let width = text.chars().count();
        let parts = Parts::None;
        Piece { text, width, parts }
    }

    /// Writes it into lines of some columns, `trailer` of which stay free in the last one; new lines begin with
    /// `left` blanks.
    fn write(&self, columns: isize, trailer: usize, left: usize, out: &mut String) {
        if self.width as isize <= columns - trailer as isize {
            out.push_str(&self.text);
            return;
        }
        match &self.parts {
            Parts::None => out.push_str(&self.text),
            Parts::Row(open, parts, close) => {
                let (columns, left) = (columns - open.len() as isize, left + open.len());
                out.push_str(open);
                for (place, part) in parts.iter().enumerate() {
                    let last = place + 1 == parts.len();
                    let free = if last { trailer + close.len() } else { 1 };
                    part.write(columns, free, left, out);
                    if !last {
                        out.push(',');
                        new_line(left, out);
                    }
                }
                out.push_str(close);
            }
            Parts::Pairs(marks, pairs) => {
                let (columns, left) =
                    (columns - marks.open.len() as isize, left + marks.open.len());
                let trailer = trailer + marks.close.len();
                out.push_str(marks.open);
                for (place, (key, value)) in pairs.iter().enumerate() {
                    let last = place + 1 == pairs.len();
                    let free = if last { trailer } else { marks.between.len() };
                    write_pair(key, value, marks, (columns, free, trailer, left), out);
                    if !last {
                        out.push_str(marks.between);
                        new_line(left, out);
                    }
                }
                out.push_str(marks.close);
            }
        }
    }
}

fn write_pair(
    key: &Piece,
    value: &Piece,
    marks: &Delimiters,
    (columns, free, trailer, left): (isize, usize, usize, usize),
    out: &mut String,
) {
    let head = key.width + marks.arrow.len();
    if (head + 1 + value.width + free) as isize <= columns {
        out.push_str(&key.text);
        out.push_str(marks.arrow);
        out.push(' ');
        out.push_str(&value.text);
        return;
    }
    match head as isize <= columns {
        true => out.push_str(&key.text),
        false => key.write(columns, trailer + marks.arrow.len(), left, out),
    }
    out.push_str(marks.arrow);
    new_line(left + DEEPER, out);
    value.write(columns - DEEPER as isize, free, left + DEEPER, out);
}

fn new_line(left: usize, out: &mut String) {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', left));
}
