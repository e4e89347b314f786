//! A program as a tree of lines.
//!
//! The generator writes text, but a failing program must be made small before a person reads it.
//! For that it is enough to know the block structure: what can be taken away as one piece, and
//! which blocks can be replaced by their contents. So a program is a forest of pieces, each
//! either one line (a declaration or a statement, labels included) or a block with arms. Whether
//! what is left after a deletion is still Promela is not known here: SPIN is asked.

use std::fmt::Write;

/// A declaration, a statement, or a block of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// One declaration or simple statement, without its semicolon.
    Line(String),
    /// A proctype, an `if`, an `atomic`, …
    Block(Block),
}

/// A block: what opens it, its arms, what closes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The opening line, for example `active proctype p() {` or `end1: do`.
    pub open: String,
    /// The arms, each with what stands before it: `::`, `} unless {`, or nothing.
    pub arms: Vec<Arm>,
    /// The closing line.
    pub close: String,
}

/// One arm of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arm {
    /// What introduces the arm; empty for the only arm of `atomic { … }`.
    pub head: String,
    /// Its statements.
    pub body: Vec<Piece>,
}

impl Piece {
    /// A line.
    pub fn line(text: impl Into<String>) -> Self {
        Piece::Line(text.into())
    }

    /// A declaration with a body: a proctype, a typedef, an inline.
    pub fn unit(open: impl Into<String>, body: Vec<Piece>) -> Self {
        let head = String::new();
        Piece::Block(Block {
            open: open.into(),
            arms: vec![Arm { head, body }],
            close: "}".into(),
        })
    }

    /// A block with one arm. SPIN allows no label on the first statement of a block.
    pub fn block(open: impl Into<String>, mut body: Vec<Piece>, close: &str) -> Self {
        bare_first(&mut body);
        let head = String::new();
        Piece::Block(Block {
            open: open.into(),
            arms: vec![Arm { head, body }],
            close: close.into(),
        })
    }

    /// A block of options: `if` or `do`.
    pub fn options(open: impl Into<String>, options: Vec<Vec<Piece>>, close: &str) -> Self {
        let arms = options
            .into_iter()
            .map(|mut body| {
                bare_first(&mut body);
                Arm {
                    head: "::".into(),
                    body,
                }
            })
            .collect();
        Piece::Block(Block {
            open: open.into(),
            arms,
            close: close.into(),
        })
    }

    /// The same piece with a label in front.
    pub fn labelled(mut self, label: &str) -> Self {
        match &mut self {
            Piece::Line(text) => *text = format!("{label}: {text}"),
            Piece::Block(block) => block.open = format!("{label}: {}", block.open),
        }
        self
    }

    /// The piece without its first label, if it has one.
    pub fn without_label(&self) -> Option<Piece> {
        let text = match self {
            Piece::Line(text) => text,
            Piece::Block(block) => &block.open,
        };
        let (label, rest) = text.split_once(": ")?;
        if !label.chars().all(|c| c.is_ascii_alphanumeric()) {
            return None;
        }
        let mut piece = self.clone();
        match &mut piece {
            Piece::Line(text) => *text = rest.to_string(),
            Piece::Block(block) => block.open = rest.to_string(),
        }
        Some(piece)
    }

    /// The lines of this piece, blocks counted by what they contain.
    pub fn weight(&self) -> usize {
        match self {
            Piece::Line(_) => 1,
            Piece::Block(block) => {
                1 + block
                    .arms
                    .iter()
                    .flat_map(|arm| &arm.body)
                    .map(Piece::weight)
                    .sum::<usize>()
            }
        }
    }
}

/// Takes the labels off the first statement of a block.
pub fn bare_first(body: &mut [Piece]) {
    if let Some(first) = body.first_mut() {
        while let Some(bare) = first.without_label() {
            *first = bare;
        }
    }
}

/// The text of a program.
pub fn render(pieces: &[Piece]) -> String {
    let mut text = String::new();
    for piece in pieces {
        render_piece(piece, 0, &mut text);
    }
    text
}

fn render_piece(piece: &Piece, depth: usize, text: &mut String) {
    // Writing to a String cannot fail, so the results below are ignored.
    let indent = "\t".repeat(depth);
    match piece {
        Piece::Line(line) => {
            let _ = writeln!(text, "{indent}{line};");
        }
        Piece::Block(block) => {
            let _ = writeln!(text, "{indent}{}", block.open);
            for arm in &block.arms {
                if !arm.head.is_empty() {
                    let _ = writeln!(text, "{indent}{}", arm.head);
                }
                for inner in &arm.body {
                    render_piece(inner, depth + 1, text);
                }
            }
            // A semicolon after a proctype or typedef is not wanted; after a statement it is.
            let end = if depth == 0 { "" } else { ";" };
            let _ = writeln!(text, "{indent}{}{end}", block.close);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_indented_and_closed() {
        let choice = Piece::options(
            "if",
            vec![vec![Piece::line("x = 1")], vec![Piece::line("else")]],
            "fi",
        )
        .labelled("end0");
        let program = [Piece::line("byte x"), Piece::unit("init {", vec![choice])];
        assert_eq!(
            render(&program),
            "byte x;\ninit {\n\tend0: if\n\t::\n\t\tx = 1;\n\t::\n\t\telse;\n\tfi;\n}\n"
        );
        assert_eq!(program[1].weight(), 4);
    }
}
