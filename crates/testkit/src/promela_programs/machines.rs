//! Programs in which fairness matters.
//!
//! Programs of the general kind mostly end, or block for ever, and then no assumption makes a
//! difference. Here a few processes go round in loops over small globals: what one needs another
//! gives and takes away, handshakes and buffers pass between them, some stop for good. So
//! statements are enabled always, again and again, or never again, and all of it depends on who
//! else moves.

use super::names::{Channel, Place, Signature, Type};
use super::tree::Piece;
use super::writer::Writer;

impl Writer<'_> {
    /// A program of processes that loop.
    pub fn machines(&mut self) -> Vec<Piece> {
        let mut pieces = vec![Piece::line("mtype = { req, ack, err }")];
        for index in 0..self.random.between(1, 3) {
            let ty = *self
                .random
                .pick(&[Type::Bit, Type::Bit, Type::Bool, Type::Byte]);
            let name = format!("g{index}");
            let start = self.random.below(2);
            pieces.push(Piece::line(format!("{} {name} = {start}", ty.keyword())));
            self.scope.places.push(Place::scalar(name, ty));
        }
        for index in 0..*self.random.pick(&[0, 0, 1, 1, 2]) {
            let capacity = *self.random.pick(&[0, 0, 1, 2]);
            let name = format!("c{index}");
            pieces.push(Piece::line(format!(
                "chan {name} = [{capacity}] of {{ bit }}"
            )));
            self.scope.channels.push(Channel {
                name,
                length: None,
                capacity,
                fields: vec![Type::Bit],
            });
        }
        let processes = *self.random.pick(&[2, 2, 2, 3]);
        let mut pid = 0;
        for index in 0..processes {
            let active = *self.random.pick(&[1, 1, 1, 1, 2]);
            self.signatures.push(Signature {
                name: format!("p{index}"),
                active,
                first_pid: Some(pid),
                parameters: Vec::new(),
                labels: self.random.below(3),
                locals: Vec::new(),
            });
            pid += active;
        }
        for index in 0..processes {
            pieces.push(self.machine(index));
        }
        pieces
    }

    fn machine(&mut self, index: usize) -> Piece {
        let Signature {
            name,
            active,
            labels,
            ..
        } = self.signatures[index].clone();
        let mut body = vec![Piece::line("bit x0")];
        if self.random.percent(25) {
            body.extend(self.deed());
        }
        // A process with one way to go is what fairness of processes can help.
        let count = *self.random.pick(&[1, 1, 1, 1, 2, 3]);
        let mut options: Vec<Vec<Piece>> = match count {
            1 if self.random.percent(50) => vec![self.critical_section()],
            _ => (0..count).map(|_| self.option()).collect(),
        };
        match self.random.below(20) {
            0 | 1 => options.push(vec![Piece::line("else"), Piece::line("skip")]),
            2 => options.push(vec![Piece::line("true"), Piece::line("skip")]),
            _ => {}
        }
        // Each label stands before a statement of its own, not the first of an option.
        for label in 0..labels {
            let option = self.random.below(options.len());
            let piece = Piece::line(self.update()).labelled(&format!("L{label}"));
            options[option].insert(1, piece);
        }
        body.push(Piece::options("do", options, "od"));
        if self.random.percent(30) {
            body.extend(self.deed());
        }
        let copies = match active {
            1 => String::new(),
            n => format!("[{n}] "),
        };
        let stop = match self.random.percent(6) {
            true => format!(" provided {}", self.test()),
            false => String::new(),
        };
        Piece::unit(format!("active {copies}proctype {name}(){stop} {{"), body)
    }

    /// A way round the loop, or out of it.
    fn option(&mut self) -> Vec<Piece> {
        if self.random.percent(8) {
            return vec![Piece::line(self.test()), Piece::line("break")];
        }
        if self.random.percent(6) {
            return vec![Piece::line("timeout"), Piece::line(self.update())];
        }
        if self.random.percent(35) {
            return self.critical_section();
        }
        let mut deed = self.deed();
        if self.random.percent(30) {
            deed.extend(self.deed());
        }
        deed
    }

    /// Takes something that others take too, and gives it back.
    fn critical_section(&mut self) -> Vec<Piece> {
        let place = self.random.pick(&self.scope.places).at("");
        let free = self.random.below(2);
        let wait = Piece::line(format!("({place} == {free})"));
        let take = Piece::line(format!("{place} = {}", 1 - free));
        let give = Piece::line(format!("{place} = {free}"));
        let mut pieces = vec![Piece::block("atomic {", vec![wait, take], "}")];
        if self.random.percent(30) {
            pieces.extend(self.deed());
        }
        pieces.push(give);
        pieces
    }

    /// A step or two: waiting, giving, passing on.
    fn deed(&mut self) -> Vec<Piece> {
        match self.random.weighted(&[5, 4, 3, 3, 6, 1]) {
            0 => vec![Piece::line(self.test()), Piece::line(self.update())],
            1 => {
                // A handshake may pass the control on, and back again.
                let first = match self.random.percent(40) {
                    true => self.talk(),
                    false => self.test(),
                };
                let open = match first.starts_with('(') {
                    true => *self.random.pick(&["atomic {", "atomic {", "d_step {"]),
                    false => "atomic {",
                };
                let mut body = vec![Piece::line(first)];
                body.extend((0..self.random.between(1, 2)).map(|_| Piece::line(self.update())));
                if self.random.percent(20) {
                    body.push(Piece::line(self.talk()));
                }
                if open == "d_step {" {
                    // Nothing but the first statement may block.
                    body.truncate(2);
                }
                vec![Piece::block(open, body, "}")]
            }
            2 => vec![Piece::line(self.update())],
            3 => vec![Piece::line(self.test())],
            4 => vec![Piece::line(self.talk())],
            _ => {
                let main = vec![Piece::line(self.talk()), Piece::line(self.update())];
                let escape = vec![Piece::line(self.test())];
                let arm = |head: &str, body| super::tree::Arm {
                    head: head.into(),
                    body,
                };
                vec![Piece::Block(super::tree::Block {
                    open: "{".into(),
                    arms: vec![arm("", main), arm("} unless {", escape)],
                    close: "}".into(),
                })]
            }
        }
    }

    fn test(&mut self) -> String {
        let place = self.random.pick(&self.scope.places).at("");
        format!("({place} == {})", self.random.below(2))
    }

    fn update(&mut self) -> String {
        let place = self.random.pick(&self.scope.places).clone();
        let name = place.at("");
        match (place.ty, self.random.below(4)) {
            (Type::Byte, 0) => format!("{name} = ({name} + 1) % 3"),
            (_, 0) => format!("{name} = 1 - {name}"),
            (_, 1) => format!("x0 = {name} % 2"),
            (_, value) => format!("{name} = {}", value % 2),
        }
    }

    fn talk(&mut self) -> String {
        if self.scope.channels.is_empty() {
            return self.test();
        }
        let name = self.random.pick(&self.scope.channels).name.clone();
        match self.random.below(5) {
            0 | 1 => format!("{name}!{}", self.random.below(2)),
            2 => format!("{name}!x0"),
            3 => format!("{name}?x0"),
            _ => format!("{name}?{}", self.random.pick(&["_", "1", "x0"])),
        }
    }
}
