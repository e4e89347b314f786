//! Statements and blocks.
//!
//! Each function writes one or more statements that are well-formed where they stand: no `run` or
//! blocking statement inside a `d_step`, no unbounded loop inside `atomic`, no two names alike.

use super::declarations::Initial;
use super::names::{Parameter, Place, Type};
use super::tree::{Arm, Block, Piece, bare_first};
use super::writer::{Spot, Writer};

impl Writer<'_> {
    /// A sequence of at least one statement.
    pub fn sequence(&mut self, spot: Spot) -> Vec<Piece> {
        let wanted = if spot.top {
            self.random.between(2, 4)
        } else {
            self.random.between(1, 3)
        };
        let mut pieces = Vec::new();
        while pieces.len() < wanted {
            pieces.extend(self.statement(spot));
            if self.budget == 0 {
                break;
            }
        }
        self.keep_d_steps_apart(pieces)
    }

    /// SPIN lets nothing jump to a `d_step`, not even the `break` of the loop before it: so
    /// something else comes between.
    pub fn keep_d_steps_apart(&mut self, pieces: Vec<Piece>) -> Vec<Piece> {
        let mut apart: Vec<Piece> = Vec::new();
        for piece in pieces {
            let d_step = matches!(&piece, Piece::Block(block) if block.open.contains("d_step"));
            if d_step && !matches!(apart.last(), Some(Piece::Line(_))) {
                apart.push(self.assign());
            }
            apart.push(piece);
        }
        apart
    }

    /// One statement, or a few that belong together.
    pub fn statement(&mut self, spot: Spot) -> Vec<Piece> {
        self.budget = self.budget.saturating_sub(1);
        let nest = if spot.depth > 0 && self.budget > 0 {
            1
        } else {
            0
        };
        let blocking = self.style.blocking;
        let weights = [
            300,
            8 * blocking / 10,
            12 * blocking / 10,
            14 * blocking / 10,
            nest * 100,
            if spot.atomic { 0 } else { nest * 40 },
            if spot.atomic { nest * 15 } else { nest * 90 },
            nest * 55,
            nest * 35,
            self.style.assertions * 10,
            30,
            nest * 35,
            if spot.atomic { 10 } else { 20 },
            40,
            30,
            8,
            20,
            nest * 20,
            if spot.top && self.registry { 60 } else { 0 },
        ];
        match self.random.weighted(&weights) {
            1 => {
                let guard = Piece::line(self.condition());
                vec![self.maybe_end(guard)]
            }
            2 => self.message(true),
            3 => self.message(false),
            4 => vec![self.selection(spot)],
            5 => vec![self.repetition(spot)],
            6 => vec![self.atomic(spot)],
            7 => vec![self.d_step()],
            8 => vec![self.unless(spot)],
            9 => vec![self.assertion()],
            10 => self.jump(),
            11 => self.counted(spot),
            12 => self.choice_of_number(),
            13 => self.start_process(),
            14 => self.call_inline(),
            15 => {
                let wait = Piece::line("timeout");
                vec![self.maybe_end(wait)]
            }
            16 => vec![Piece::line(
                *self.random.pick(&["skip", "printf(\"x\\n\")"]),
            )],
            17 => self.block_with_locals(spot),
            18 => self.conversation(),
            _ => vec![self.assign()],
        }
    }

    /// An assignment to some variable.
    pub fn assign(&mut self) -> Piece {
        if self.scope.places.is_empty() {
            return Piece::line("skip");
        }
        let place = self.random.pick(&self.scope.places).clone();
        Piece::line(self.assignment(&place))
    }

    fn message(&mut self, sending: bool) -> Vec<Piece> {
        let statement = if sending { self.send() } else { self.receive() };
        match statement {
            Some(text) => vec![self.maybe_end(Piece::line(text))],
            None => vec![self.assign()],
        }
    }

    /// A statement that may decide between arms.
    fn guard(&mut self) -> Piece {
        let text = match self.random.weighted(&[12, 4, 5, 1]) {
            1 => self.send(),
            2 => self.receive(),
            3 => return self.assign(),
            _ => None,
        };
        Piece::line(text.unwrap_or_else(|| self.condition()))
    }

    fn arms(&mut self, spot: Spot) -> Vec<Vec<Piece>> {
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

    fn selection(&mut self, spot: Spot) -> Piece {
        let arms = self.arms(spot);
        let piece = Piece::options("if", arms, "fi");
        self.maybe_end(piece)
    }

    /// A `do` loop that can be left.
    fn repetition(&mut self, spot: Spot) -> Piece {
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

    fn atomic(&mut self, spot: Spot) -> Piece {
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
    fn d_step(&mut self) -> Piece {
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
        self.in_d_step = false;
        let piece = Piece::block("d_step {", body, "}");
        self.maybe_end(piece)
    }

    fn d_step_statement(&mut self) -> Vec<Piece> {
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

    fn unless(&mut self, spot: Spot) -> Piece {
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

    /// An assertion, one that can fail as often as the style says.
    pub fn assertion(&mut self) -> Piece {
        if self.random.percent(self.style.risky_assertions) {
            let condition = if self.random.percent(30) {
                self.condition()
            } else {
                // Weak conditions, so that the violation is not always the first step.
                format!(
                    "{} != {}",
                    self.read_number(),
                    self.random.pick(&[0, 1, 1, 1, 2])
                )
            };
            return Piece::line(format!("assert({condition})"));
        }
        let safe: Vec<Place> = (self.scope.places_where(Type::is_natural).into_iter())
            .filter(|place| place.length.is_none())
            .cloned()
            .collect();
        if safe.is_empty() {
            return Piece::line("assert(true)");
        }
        let place = self.random.pick(&safe).at("");
        Piece::line(format!("assert({place} <= 255 && {place} >= 0)"))
    }

    fn jump(&mut self) -> Vec<Piece> {
        let labels = self.signatures[self.current].labels;
        if labels == 0 || self.in_d_step {
            return vec![self.assign()];
        }
        let label = self.random.below(labels);
        let leave = Piece::line(format!("goto L{label}"));
        if self.random.percent(50) {
            return vec![leave];
        }
        let guard = Piece::line(self.condition());
        vec![Piece::options(
            "if",
            vec![vec![guard, leave], vec![Piece::line("true")]],
            "fi",
        )]
    }

    /// A `for` loop over a range or over the indices of an array.
    fn counted(&mut self, spot: Spot) -> Vec<Piece> {
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

    fn choice_of_number(&mut self) -> Vec<Piece> {
        let targets: Vec<Place> = (self.scope.places.iter())
            .filter(|place| matches!(place.ty, Type::Byte | Type::Int | Type::Short))
            .filter(|place| place.length.is_none() && !place.before.contains('.'))
            .cloned()
            .collect();
        if targets.is_empty() {
            return vec![self.assign()];
        }
        let target = self.random.pick(&targets).at("");
        let low = self.random.below(2);
        let high = low + self.random.below(3);
        vec![Piece::line(format!("select ({target} : {low} .. {high})"))]
    }

    /// `run` of a proctype that comes later, so that creation cannot recur.
    pub fn start_process(&mut self) -> Vec<Piece> {
        let later: Vec<usize> = (0..self.signatures.len())
            .filter(|&index| index > self.current && self.signatures[index].active == 0)
            .collect();
        if later.is_empty() {
            return vec![self.assign()];
        }
        let index = *self.random.pick(&later);
        let call = self.run_call(index);
        if self.current == usize::MAX {
            return vec![Piece::line(call)];
        }
        // Elsewhere creation is limited by what is alive, or loops would fill all 255 slots.
        let limit = self.random.between(3, 5);
        let guard = Piece::line(format!("_nr_pr < {limit}"));
        let start = if self.random.percent(25) {
            let targets: Vec<Place> = (self.scope.places_where(|ty| ty == Type::Byte))
                .into_iter()
                .filter(|place| place.length.is_none())
                .cloned()
                .collect();
            match targets.first() {
                Some(place) => Piece::line(format!("{} = {call}", place.at(""))),
                None => Piece::line(call),
            }
        } else {
            Piece::line(call)
        };
        let otherwise = if self.random.percent(70) {
            vec![Piece::line("else")]
        } else {
            vec![guard.clone(), Piece::line("skip")]
        };
        let arms = vec![vec![guard, start], otherwise];
        vec![Piece::options("if", arms, "fi")]
    }

    /// The text `run name(arguments)`.
    pub fn run_call(&mut self, index: usize) -> String {
        let signature = self.signatures[index].clone();
        let arguments: Vec<String> = (signature.parameters.iter())
            .map(|parameter| match parameter {
                // SPIN takes nothing but a constant for a parameter of type mtype.
                Parameter::Value(Type::Mtype) => self.constant_of(Type::Mtype),
                Parameter::Value(ty) => self.value(*ty, 0),
                Parameter::Channel(global) => {
                    let channel = self.scope.channels[*global].clone();
                    self.refer_channel(&channel)
                }
            })
            .collect();
        format!("run {}({})", signature.name, arguments.join(", "))
    }

    fn call_inline(&mut self) -> Vec<Piece> {
        let targets: Vec<Place> = (self.scope.places_where(Type::is_number).into_iter())
            .filter(|place| place.length.is_none())
            .cloned()
            .collect();
        if self.inlines.is_empty() || targets.is_empty() {
            return vec![self.assign()];
        }
        let (name, parameters) = self.random.pick(&self.inlines).clone();
        let target = self.random.pick(&targets).at("");
        let text = if parameters == 1 {
            format!("{name}({target})")
        } else {
            format!("{name}({target}, {})", self.random.below(3))
        };
        vec![Piece::line(text)]
    }

    /// A block with variables of its own, declared in the middle of the body.
    fn block_with_locals(&mut self, spot: Spot) -> Vec<Piece> {
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
