//! Global declarations: variables, records, channels, inlines.

use super::names::{Channel, Place, Type};
use super::tree::Piece;
use super::writer::Writer;

/// Which declarations may carry initial values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initial {
    /// None.
    Never,
    /// Those of scalars.
    Scalars,
    /// Those of arrays too.
    Lists,
}

impl Writer<'_> {
    /// Declares a variable of a random type and puts it in scope.
    pub fn declare_variable(&mut self, name: &str, initial: Initial) -> Piece {
        let ty = Type::any(self.random);
        let array = self.random.percent(18) && !matches!(ty, Type::Unsigned(_));
        if array {
            let length = self.random.between(2, 3);
            self.scope.places.push(Place {
                before: name.into(),
                length: Some(length),
                after: String::new(),
                ty,
            });
            let list = if initial == Initial::Lists && ty.is_number() && self.random.percent(30) {
                let items: Vec<String> = (0..length).map(|i| (i % 2).to_string()).collect();
                format!(" = {{ {} }}", items.join(", "))
            } else {
                String::new()
            };
            return Piece::line(format!("{} {name}[{length}]{list}", ty.keyword()));
        }
        let width = match ty {
            Type::Unsigned(bits) => format!(" : {bits}"),
            _ => String::new(),
        };
        let start = if initial != Initial::Never && self.random.percent(40) {
            format!(" = {}", self.constant_of(ty))
        } else {
            String::new()
        };
        self.scope.places.push(Place::scalar(name, ty));
        let keyword = match ty {
            Type::Byte if self.random.percent(8) => "pid",
            other => other.keyword(),
        };
        Piece::line(format!("{keyword} {name}{width}{start}"))
    }

    /// Declares a channel, or an array of channels, and puts it in scope.
    pub fn declare_channel(&mut self, name: &str, array: bool) -> Piece {
        let capacity = *self.random.pick(&[0, 0, 1, 1, 2, 3]);
        let fields: Vec<Type> = (0..*self.random.pick(&[1, 1, 1, 2, 2, 3]))
            .map(|_| Type::field(self.random))
            .collect();
        let length = array.then(|| self.random.between(2, 3));
        let names: Vec<&str> = fields
            .iter()
            .map(|ty| match ty {
                // A channel field cannot name a subtype.
                Type::Colour => "mtype",
                other => other.keyword(),
            })
            .collect();
        let size = length.map_or(String::new(), |length| format!("[{length}]"));
        let line = format!(
            "chan {name}{size} = [{capacity}] of {{ {} }}",
            names.join(", ")
        );
        self.scope.channels.push(Channel {
            name: name.into(),
            length,
            capacity,
            fields,
        });
        Piece::line(line)
    }

    /// All global declarations.
    pub fn globals(&mut self) -> Vec<Piece> {
        let mut pieces = vec![
            Piece::line("mtype = { req, ack, err }"),
            Piece::line("mtype:colour = { red, green }"),
        ];
        for index in 0..self.random.between(1, 4) {
            let piece = self.declare_variable(&format!("g{index}"), Initial::Lists);
            pieces.push(piece);
        }
        if self.random.percent(20) {
            pieces.extend(self.record());
        }
        for index in 0..*self.random.pick(&[0, 1, 1, 2]) {
            let array = self.random.percent(15);
            pieces.push(self.declare_channel(&format!("c{index}"), array));
        }
        if self.random.percent(8) {
            self.registry = true;
            let capacity = self.random.below(3);
            pieces.push(Piece::line(format!(
                "chan registry = [{capacity}] of {{ chan }}"
            )));
        }
        if self.random.percent(6) {
            self.hidden = true;
            pieces.push(Piece::line("hidden byte scratch"));
        }
        if self.random.percent(25) {
            pieces.push(self.inline());
        }
        pieces
    }

    /// A `typedef` and variables of it.
    fn record(&mut self) -> Vec<Piece> {
        let fields = [
            Place::scalar("f", Type::any(self.random)),
            Place::scalar("g", Type::Byte),
            Place {
                before: "h".into(),
                length: Some(2),
                after: String::new(),
                ty: Type::Byte,
            },
        ];
        let lines = fields
            .iter()
            .map(|field| {
                let width = match field.ty {
                    Type::Unsigned(bits) => format!(" : {bits}"),
                    _ => String::new(),
                };
                let length = field.length.map_or(String::new(), |n| format!("[{n}]"));
                Piece::line(format!(
                    "{} {}{width}{length}",
                    field.ty.keyword(),
                    field.before
                ))
            })
            .collect();
        let mut pieces = vec![Piece::unit("typedef Record {", lines)];
        if self.random.percent(60) {
            pieces.push(Piece::line("Record rec"));
            if self.random.percent(40) {
                self.record_channel = true;
                let capacity = self.random.below(3);
                let line = format!("chan mail = [{capacity}] of {{ Record }}");
                pieces.push(Piece::line(line));
            }
            for field in &fields {
                self.scope.places.push(Place {
                    before: format!("rec.{}", field.before),
                    ..field.clone()
                });
            }
        } else {
            pieces.push(Piece::line("Record recs[2]"));
            for field in &fields[..2] {
                self.scope.places.push(Place {
                    before: "recs".into(),
                    length: Some(2),
                    after: format!(".{}", field.before),
                    ty: field.ty,
                });
            }
        }
        pieces
    }

    /// An `inline` of one or two parameters: the first is assigned to, the second is read.
    fn inline(&mut self) -> Piece {
        let parameters = self.random.between(1, 2);
        let (header, value) = if parameters == 1 {
            ("a", "1")
        } else {
            ("a, b", "b")
        };
        let name = "step".to_string();
        let mut body = vec![Piece::line(format!("a = {value}"))];
        match self.random.below(3) {
            0 => body.push(Piece::options(
                "if",
                vec![
                    vec![Piece::line("a > 1"), Piece::line("a = 0")],
                    vec![Piece::line("else")],
                ],
                "fi",
            )),
            1 => body.push(Piece::line("a = 1 - a")),
            _ => {}
        }
        let piece = Piece::unit(format!("inline {name}({header}) {{"), body);
        self.inlines.push((name, parameters));
        piece
    }
}
