//! Statements that contain statements: choices, loops, atomic sequences, `unless`, blocks.
//!
//! A block hands the rules of its place on to what it contains: inside `atomic` loops are bounded,
//! inside `d_step` nothing blocks but the first statement.

use super::declarations::Initial;
use super::names::{Place, Type};
use super::tree::{Arm, Block, Piece, bare_first};
use super::writer::{Spot, Writer};

impl Writer<'_> {
    /// A statement that may decide between arms.
    pub fn guard(&mut self) -> Piece {
        let text = match self.random.weighted(&[12, 4, 5, 1]) {
            1 => self.send(),
            2 => self.receive(),
            3 => return self.assign(),
            _ => None,
        };
        Piece::line(text.unwrap_or_else(|| self.condition()))
    }

    /// The arms of a choice or loop.
    pub fn arms(&mut self, spot: Spot) -> Vec<Vec<Piece>> {
        let inner = Spot {
            depth: spot.depth.saturating_sub(1),
            top: false,
            ..spot
        };
        let count = self.random.between(1, 3);
        let mut arms = Vec::new();
        for _ in 0..count {
            let mut arm = vec![self.guard()];
            if self.random.percent(65) {
                arm.extend(self.sequence(inner));
            }
            arms.push(arm);
        }
        // `else` beside input and output is dubious, and SPIN warns; it is kept, but rare.
        let talks = arms.iter().any(|arm| match &arm[0] {
            Piece::Line(text) => text.contains('!') || text.contains('?'),
            Piece::Block(_) => true,
        });
        let likely = if talks { 3 } else { 45 };
        if self.random.percent(likely) {
            let mut arm = vec![Piece::line("else")];
            if self.random.percent(50) {
                arm.extend(self.sequence(inner));
            }
            arms.push(arm);
        } else if self.random.percent(4) {
            arms.push(vec![Piece::line("timeout")]);
        }
        arms
    }

    /// An `if`.
    pub fn selection(&mut self, spot: Spot) -> Piece {
        let arms = self.arms(spot);
        let piece = Piece::options("if", arms, "fi");
        self.maybe_end(piece)
    }

    /// A `do` loop that can be left.
    pub fn repetition(&mut self, spot: Spot) -> Piece {
        let mut arms = self.arms(spot);
        let leave = if self.random.percent(60) {
            vec![Piece::line(self.condition()), Piece::line("break")]
        } else {
            vec![Piece::line("break")]
        };
        let position = self.random.below(arms.len());
        arms.insert(position, leave);
        let piece = Piece::options("do", arms, "od");
        self.maybe_end(piece)
    }

    /// The endless loop at the end of a process.
    pub fn endless_loop(&mut self, spot: Spot) -> Piece {
        let arms = self.arms(spot);
        let piece = Piece::options("do", arms, "od");
        self.maybe_end(piece)
    }

    /// An atomic sequence, with or without a guard.
    pub fn atomic(&mut self, spot: Spot) -> Piece {
        let inner = Spot {
            depth: spot.depth - 1,
            atomic: true,
            top: false,
        };
        let mut body = Vec::new();
        if self.random.percent(50) {
            body.push(self.guard());
        }
        body.extend(self.sequence(inner));
        if body.len() == 1 && self.random.percent(70) {
            body.push(self.assign());
        }
        let piece = Piece::block("atomic {", body, "}");
        self.maybe_end(piece)
    }

    /// A `d_step`: the first statement may block, the others must not.
    pub fn d_step(&mut self) -> Piece {
        self.in_d_step = true;
        let mut body = Vec::new();
        match self.random.below(5) {
            0 | 1 => body.push(Piece::line(self.condition())),
            2 => {
                if let Some(channel) = self.any_channel(|c| c.capacity > 0) {
                    body.push(Piece::line(self.receive_from(&channel)));
                }
            }
            _ => {}
        }
        for _ in 0..self.random.between(1, 3) {
            let piece = self.d_step_statement();
            body.extend(piece);
        }
        if self.style.hazards && self.random.percent(30) {
            body.push(Piece::line(self.condition()));
        }
        // SPIN's verifier executes a `d_step` that begins with an assertion even in the middle of
        // another process's handshake (it forgets to ask whether one is under way).
        if matches!(&body[0], Piece::Line(text) if text.starts_with("assert")) {
            body.insert(0, Piece::line("skip"));
        }
        self.in_d_step = false;
        let piece = Piece::block("d_step {", body, "}");
        self.maybe_end(piece)
    }

    /// A statement that cannot block.
    pub fn d_step_statement(&mut self) -> Vec<Piece> {
        match self.random.weighted(&[8, 3, 2, 1, 1]) {
            1 => {
                let guard = Piece::line(self.comparison(1));
                let mut arms = vec![vec![guard, self.assign()]];
                if self.random.percent(30) {
                    arms.push(vec![Piece::line(self.comparison(0)), self.assign()]);
                }
                arms.push(vec![Piece::line("else")]);
                vec![Piece::options("if", arms, "fi")]
            }
            2 => match self.any_channel(|c| c.capacity > 0 && c.length.is_none()) {
                Some(channel) => {
                    let (question, action) = if self.random.percent(50) {
                        ("nfull", self.send_to(&channel))
                    } else {
                        let patterns = vec!["_"; channel.fields.len()].join(", ");
                        ("nempty", format!("{}?{patterns}", channel.name))
                    };
                    let guard = Piece::line(format!("{question}({})", channel.name));
                    let arms = vec![vec![guard, Piece::line(action)], vec![Piece::line("else")]];
                    vec![Piece::options("if", arms, "fi")]
                }
                None => vec![self.assign()],
            },
            3 => self.counted(Spot {
                depth: 0,
                atomic: true,
                top: false,
            }),
            4 => vec![self.assertion()],
            _ => vec![self.assign()],
        }
    }

    /// A sequence and its escape.
    pub fn unless(&mut self, spot: Spot) -> Piece {
        let inner = Spot {
            depth: spot.depth - 1,
            top: false,
            ..spot
        };
        let mut main = self.sequence(inner);
        bare_first(&mut main);
        let mut escape = vec![self.guard()];
        if self.random.percent(50) {
            escape.extend(self.sequence(inner));
        }
        let arm = |head: &str, body| Arm {
            head: head.into(),
            body,
        };
        Piece::Block(Block {
            open: "{".into(),
            arms: vec![arm("", main), arm("} unless {", escape)],
            close: "}".into(),
        })
    }

    /// A `for` loop over a range or over the indices of an array.
    pub fn counted(&mut self, spot: Spot) -> Vec<Piece> {
        let counter = format!("i{}", self.fresh());
        self.locals.push(Piece::line(format!("byte {counter}")));
        let arrays: Vec<String> = (self.scope.places.iter())
            .filter(|place| place.length.is_some() && place.after.is_empty())
            .filter(|place| !place.before.contains('.'))
            .map(|place| place.before.clone())
            .collect();
        let header = if !arrays.is_empty() && self.random.percent(30) {
            format!("for ({counter} in {}) {{", self.random.pick(&arrays))
        } else {
            format!("for ({counter} : 0 .. {}) {{", self.random.between(0, 2))
        };
        self.scope.counters.push(Place::scalar(counter, Type::Byte));
        let body = if self.in_d_step || spot.depth == 0 {
            vec![self.assign()]
        } else {
            self.sequence(Spot {
                depth: spot.depth - 1,
                top: false,
                ..spot
            })
        };
        self.scope.counters.pop();
        vec![Piece::block(header, body, "}")]
    }

    /// A block with variables of its own, declared in the middle of the body.
    pub fn block_with_locals(&mut self, spot: Spot) -> Vec<Piece> {
        let saved = self.scope.places.len();
        let name = format!("b{}", self.fresh());
        // SPIN accepts no list of initial values in the middle of a body.
        let declaration = self.declare_variable(&name, Initial::Scalars);
        let mut body = vec![declaration];
        body.extend(self.sequence(Spot {
            depth: spot.depth - 1,
            top: false,
            ..spot
        }));
        self.scope.places.truncate(saved);
        vec![Piece::block("{", body, "}")]
    }
}
