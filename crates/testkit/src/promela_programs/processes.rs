//! Proctypes, `init`, and the program as a whole.

use super::declarations::Initial;
use super::names::{Channel, Parameter, Place, Scope, Signature, Type};
use super::tree::{Block, Piece};
use super::writer::{Spot, Writer};

/// Statements that no label may stand before: a declaration, or what is itself a jump (SPIN
/// refuses cycles of jumps).
fn takes_label(piece: &Piece) -> bool {
    match piece {
        Piece::Line(text) => {
            !["else", "break", "goto", "select", "step("]
                .iter()
                .any(|word| text.starts_with(word))
                && !is_declaration(text)
        }
        Piece::Block(block) => {
            !["for", "{"].iter().any(|word| block.open.starts_with(word))
                && !block.open.contains("d_step")
        }
    }
}

fn is_declaration(text: &str) -> bool {
    [
        "bit ",
        "bool ",
        "byte ",
        "short ",
        "int ",
        "unsigned ",
        "mtype",
        "chan ",
    ]
    .iter()
    .any(|word| text.starts_with(word))
}

impl Writer<'_> {
    /// The whole program.
    pub fn program(&mut self) -> Vec<Piece> {
        let mut pieces = self.globals();
        let with_init = self.random.percent(40);
        self.sign(with_init);
        let globals = self.scope.clone();
        for index in 0..self.signatures.len() {
            self.scope = globals.clone();
            self.current = index;
            self.budget = self.budget.max(4);
            pieces.push(self.proctype());
        }
        if with_init {
            self.scope = globals;
            let init = self.init();
            pieces.push(init);
        }
        pieces
    }

    /// Decides on the proctypes before any body is written, so that bodies can refer to them.
    fn sign(&mut self, with_init: bool) {
        let active = if with_init {
            self.random.below(2)
        } else {
            *self.random.pick(&[1, 2, 2, 2, 3])
        };
        let started = if with_init {
            self.random.between(1, 2)
        } else {
            usize::from(self.random.percent(30))
        };
        let mut pid = 0;
        for index in 0..active + started {
            let copies = if index < active {
                *self.random.pick(if active + started == 1 {
                    &[2, 2, 3]
                } else {
                    &[1, 1, 2]
                })
            } else {
                0
            };
            let parameters = if index < active {
                Vec::new()
            } else {
                self.parameters()
            };
            self.signatures.push(Signature {
                name: format!("p{index}"),
                active: copies,
                first_pid: (copies > 0 && !with_init).then_some(pid),
                parameters,
                labels: *self.random.pick(&[0, 0, 1, 2]),
                locals: Vec::new(),
            });
            pid += copies;
        }
    }

    fn parameters(&mut self) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        if self.random.percent(50) {
            let ty = match Type::field(self.random) {
                Type::Colour => Type::Mtype,
                other => other,
            };
            parameters.push(Parameter::Value(ty));
        }
        if !self.scope.channels.is_empty() && self.random.percent(40) {
            let channel = self.random.below(self.scope.channels.len());
            parameters.push(Parameter::Channel(channel));
        }
        parameters
    }

    fn proctype(&mut self) -> Piece {
        let signature = self.signatures[self.current].clone();
        self.fresh = 0;
        self.locals.clear();
        let mut header = Vec::new();
        for (index, parameter) in signature.parameters.iter().enumerate() {
            match parameter {
                Parameter::Value(ty) => {
                    let name = format!("v{index}");
                    header.push(format!("{} {name}", ty.keyword()));
                    self.scope.places.push(Place::scalar(name, *ty));
                }
                Parameter::Channel(global) => {
                    let like = self.scope.channels[*global].clone();
                    let name = format!("k{index}");
                    header.push(format!("chan {name}"));
                    self.scope.channels.push(Channel {
                        name,
                        length: None,
                        ..like
                    });
                }
            }
        }
        let prefix = match signature.active {
            0 => String::new(),
            1 => "active ".into(),
            n => format!("active [{n}] "),
        };
        let provided = if self.random.percent(7) {
            let globals = Scope {
                places: (self.scope.places.iter())
                    .filter(|place| place.before.starts_with('g') && place.ty.is_number())
                    .cloned()
                    .collect(),
                ..Scope::default()
            };
            let scope = std::mem::replace(&mut self.scope, globals);
            // Like a `d_step`, the clause cannot refer to the labels of other processes.
            self.in_d_step = true;
            let condition = self.comparison(0);
            self.in_d_step = false;
            self.scope = scope;
            format!(" provided ({condition})")
        } else {
            String::new()
        };
        let open = format!(
            "{prefix}proctype {}({}){provided} {{",
            signature.name,
            header.join("; ")
        );
        let body = self.body(signature.labels);
        Piece::unit(open, body)
    }

    fn body(&mut self, labels: usize) -> Vec<Piece> {
        let mut declarations = Vec::new();
        for index in 0..self.random.below(3) {
            let initial = *self.random.pick(&[Initial::Never, Initial::Lists]);
            declarations.push(self.declare_variable(&format!("x{index}"), initial));
        }
        if self.random.percent(8) {
            declarations.push(self.declare_channel("l0", false));
        }
        self.signatures[self.current].locals = (self.scope.places_where(Type::is_number).iter())
            .filter(|place| place.before.starts_with('x') && place.length.is_none())
            .map(|place| place.before.clone())
            .collect();
        let spot = Spot {
            depth: 3,
            atomic: false,
            top: true,
        };
        let mut body = self.sequence(spot);
        if self.style.risky_assertions > 50 && self.random.percent(60) {
            body.push(self.assertion());
        }
        if self.random.percent(self.style.endless) {
            let end = self.endless_loop(spot);
            body.push(end);
        } else {
            body.extend(self.sequence(spot));
        }
        let mut body = self.keep_d_steps_apart(body);
        for label in 0..labels {
            self.place_label(&mut body, label);
        }
        declarations.append(&mut self.locals);
        declarations.extend(body);
        declarations
    }

    /// Puts a label before some statement outside of every `d_step`.
    fn place_label(&mut self, body: &mut Vec<Piece>, label: usize) {
        let total = count_targets(body);
        if total == 0 {
            body.push(Piece::line(format!("L{label}: skip")));
            return;
        }
        let mut wanted = self.random.below(total);
        put_label(body, &mut wanted, &format!("L{label}"));
    }

    fn init(&mut self) -> Piece {
        self.fresh = 0;
        self.locals.clear();
        // No proctype is later than `init`: it may start them all, whatever their index.
        let mut body = Vec::new();
        let startable: Vec<usize> = (0..self.signatures.len())
            .filter(|&index| self.signatures[index].active == 0)
            .collect();
        for index in startable {
            for _ in 0..*self.random.pick(&[1, 1, 2]) {
                body.push(Piece::line(self.run_call(index)));
            }
        }
        if self.random.percent(40) && body.len() > 1 {
            body = vec![Piece::block("atomic {", body, "}")];
        }
        if self.random.percent(40) {
            self.current = 0;
            let labels = std::mem::take(&mut self.signatures[0].labels);
            body.extend(self.sequence(Spot {
                depth: 1,
                atomic: false,
                top: true,
            }));
            self.signatures[0].labels = labels;
        }
        let mut declarations = std::mem::take(&mut self.locals);
        declarations.extend(body);
        Piece::unit("init {", declarations)
    }
}

fn inner_bodies(block: &mut Block) -> impl Iterator<Item = &mut Vec<Piece>> {
    let closed = block.open.contains("d_step");
    block
        .arms
        .iter_mut()
        .filter(move |_| !closed)
        .map(|arm| &mut arm.body)
}

fn count_targets(body: &mut [Piece]) -> usize {
    let mut total = 0;
    for piece in body {
        total += usize::from(takes_label(piece));
        if let Piece::Block(block) = piece {
            for inner in inner_bodies(block) {
                total += count_targets(
                    inner
                        .split_first_mut()
                        .map_or(&mut [][..], |(_, rest)| rest),
                );
            }
        }
    }
    total
}

/// Labels the piece number `wanted`, counted as by `count_targets`; true when done.
fn put_label(body: &mut [Piece], wanted: &mut usize, label: &str) -> bool {
    for piece in body {
        if takes_label(piece) {
            if *wanted == 0 {
                *piece = piece.clone().labelled(label);
                return true;
            }
            *wanted -= 1;
        }
        if let Piece::Block(block) = piece {
            for inner in inner_bodies(block) {
                // The first statement of a block takes no label.
                let rest = inner
                    .split_first_mut()
                    .map_or(&mut [][..], |(_, rest)| rest);
                if put_label(rest, wanted, label) {
                    return true;
                }
            }
        }
    }
    false
}
