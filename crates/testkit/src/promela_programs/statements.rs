//! Statements and blocks.
//!
//! Each function writes one or more statements that are well-formed where they stand: no `run` or
//! blocking statement inside a `d_step`, no unbounded loop inside `atomic`, no two names alike.

use super::names::{Parameter, Place, Type};
use super::tree::Piece;
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
            if self.record_channel { 60 } else { 0 },
            if self.hidden { 30 } else { 0 },
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
            19 => {
                let text = *self.random.pick(&["mail!rec", "mail?rec"]);
                vec![self.maybe_end(Piece::line(text))]
            }
            20 => vec![Piece::line(format!("scratch = {}", self.number(1)))],
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
}
