//! Random typed expressions.
//!
//! An expression of a wanted type is drawn from the operators that give it. Parentheses are left
//! out often, so that the text need not mean what the generator had in mind: whether it still has a
//! type is then for the tools to say, and they must agree.

use crate::promela_programs::random::Random;

/// The types that expressions are drawn for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Truth values.
    Boolean,
    /// Small integers.
    Integer,
    /// Names.
    Symbolic,
    /// Words: signed or not, and the width.
    Word(bool, usize),
}

/// A variable that expressions may mention.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type.
    pub typ: Type,
    /// Its type as declared.
    pub declared: String,
}

/// What an expression may contain.
#[derive(Clone, Debug)]
pub struct Scope<'v> {
    /// The variables.
    pub variables: &'v [Variable],
    /// Those that may stand in `next(…)`.
    pub next: &'v [Variable],
    /// The names that are values.
    pub symbols: &'v [&'v str],
}

/// Writes an expression of a type; now and then of another one.
pub fn expression(random: &mut Random, scope: &Scope<'_>, typ: Type, depth: usize) -> String {
    let typ = match random.below(150) {
        0 => Type::Boolean,
        1 => Type::Integer,
        2 => Type::Word(random.percent(50), random.between(1, 4)),
        _ => typ,
    };
    if depth == 0 || random.percent(20) {
        return leaf(random, scope, typ);
    }
    let text = match typ {
        Type::Boolean => boolean(random, scope, depth - 1),
        Type::Integer => integer(random, scope, depth - 1),
        Type::Symbolic => either(random, scope, typ, depth - 1),
        Type::Word(signed, bits) => word(random, scope, signed, bits, depth - 1),
    };
    match random.percent(60) {
        true => format!("({text})"),
        false => text,
    }
}

fn leaf(random: &mut Random, scope: &Scope<'_>, typ: Type) -> String {
    let of_type = |list: &[Variable]| -> Vec<String> {
        let fitting = list.iter().filter(|v| v.typ == typ);
        fitting.map(|v| v.name.clone()).collect()
    };
    let (now, next) = (of_type(scope.variables), of_type(scope.next));
    if !next.is_empty() && random.percent(25) {
        return format!("next({})", random.pick(&next));
    }
    if !now.is_empty() && random.percent(70) {
        return random.pick(&now).clone();
    }
    match typ {
        Type::Boolean => (*random.pick(&["TRUE", "FALSE"])).to_string(),
        Type::Integer => match random.percent(15) {
            true => format!("-{}", random.below(4)),
            false => random.below(5).to_string(),
        },
        Type::Symbolic => (*random.pick(scope.symbols)).to_string(),
        Type::Word(signed, bits) => {
            let value = random.below(1 << bits);
            match random.below(4) {
                0 => format!("0{}b{bits}_{value:0bits$b}", sign(signed)),
                1 => format!("0{}h{bits}_{value:x}", sign(signed)),
                2 if signed => {
                    let half = 1 << (bits - 1);
                    format!("swconst({}, {bits})", value as i64 - half)
                }
                2 => format!("uwconst({value}, {bits})"),
                _ if signed => format!("0sb{bits}_{value:b}"),
                _ => format!("0d{bits}_{value}"),
            }
        }
    }
}

fn sign(signed: bool) -> char {
    if signed { 's' } else { 'u' }
}

fn any_type(random: &mut Random) -> Type {
    match random.below(5) {
        0 => Type::Boolean,
        1 => Type::Integer,
        2 => Type::Symbolic,
        _ => Type::Word(random.percent(50), random.between(1, 4)),
    }
}

/// `? :` or `case`.
fn either(random: &mut Random, scope: &Scope<'_>, typ: Type, depth: usize) -> String {
    let test = expression(random, scope, Type::Boolean, depth);
    let yes = expression(random, scope, typ, depth);
    let no = expression(random, scope, typ, depth);
    match random.below(3) {
        0 => format!("{test} ? {yes} : {no}"),
        1 => format!("case {test} : {yes}; TRUE : {no}; esac"),
        _ => {
            let other = expression(random, scope, Type::Boolean, depth);
            let last = match random.percent(80) {
                true => format!("!({test}) : {no};"),
                false => format!("!({other}) : {no};"),
            };
            format!("case {test} : {yes}; {last} esac")
        }
    }
}

fn boolean(random: &mut Random, scope: &Scope<'_>, depth: usize) -> String {
    let b = |random: &mut Random| expression(random, scope, Type::Boolean, depth);
    match random.below(12) {
        0 => format!("!{}", b(random)),
        1..=3 => {
            let operator = *random.pick(&["&", "|", "xor", "xnor", "->", "<->", "=", "!="]);
            let (x, y) = (b(random), b(random));
            format!("{x} {operator} {y}")
        }
        4..=6 => {
            let typ = match random.percent(50) {
                true => Type::Integer,
                false => Type::Word(random.percent(50), random.between(1, 4)),
            };
            let operator = *random.pick(&["=", "!=", "<", ">", "<=", ">="]);
            let x = expression(random, scope, typ, depth);
            let y = expression(random, scope, typ, depth);
            format!("{x} {operator} {y}")
        }
        7 => {
            let operator = *random.pick(&["=", "!="]);
            let x = expression(random, scope, Type::Symbolic, depth);
            let y = expression(random, scope, Type::Symbolic, depth);
            format!("{x} {operator} {y}")
        }
        8 => {
            let typ = *random.pick(&[Type::Integer, Type::Symbolic, Type::Boolean]);
            let x = expression(random, scope, typ, depth);
            let set = set(random, scope, typ, depth);
            format!("{x} in {set}")
        }
        9 => {
            let signed = random.percent(5);
            let typ = *random.pick(&[Type::Integer, Type::Word(signed, 1)]);
            format!("bool({})", expression(random, scope, typ, depth))
        }
        10 => {
            let typ = any_type(random);
            let x = expression(random, scope, typ, depth);
            let y = expression(random, scope, typ, depth);
            format!("{x} = {y}")
        }
        _ => either(random, scope, Type::Boolean, depth),
    }
}

/// A set of values.
pub fn set(random: &mut Random, scope: &Scope<'_>, typ: Type, depth: usize) -> String {
    let one = |random: &mut Random| expression(random, scope, typ, depth.min(1));
    match random.below(6) {
        0 if typ == Type::Integer => {
            let low = random.below(4);
            format!("{low}..{}", low + random.below(3))
        }
        1 => {
            let test = expression(random, scope, Type::Boolean, depth.min(1));
            let (x, y, z) = (one(random), one(random), one(random));
            format!("({test} ? {{{x}, {y}}} : {z})")
        }
        2 => {
            let (x, y) = (one(random), one(random));
            format!("{x} union {y}")
        }
        _ => {
            let list: Vec<String> = (0..random.between(1, 3)).map(|_| one(random)).collect();
            format!("{{{}}}", list.join(", "))
        }
    }
}

fn integer(random: &mut Random, scope: &Scope<'_>, depth: usize) -> String {
    let i = |random: &mut Random| expression(random, scope, Type::Integer, depth);
    match random.below(10) {
        0 => format!("-{}", i(random)),
        1..=4 => {
            let operator = *random.pick(&["+", "-", "*", "+", "-", "/", "mod"]);
            let x = i(random);
            let y = match operator {
                "/" | "mod" if random.percent(70) => random.between(1, 4).to_string(),
                _ => i(random),
            };
            format!("{x} {operator} {y}")
        }
        5 => {
            let typ = match random.percent(40) {
                true => Type::Boolean,
                false => Type::Word(random.percent(50), random.between(1, 4)),
            };
            format!("toint({})", expression(random, scope, typ, depth))
        }
        6 => {
            let list: Vec<String> = (0..random.between(1, 3))
                .map(|_| expression(random, scope, Type::Boolean, depth))
                .collect();
            format!("count({})", list.join(", "))
        }
        7 => {
            let name = *random.pick(&["min", "max"]);
            let (x, y) = (i(random), i(random));
            format!("{name}({x}, {y})")
        }
        8 => format!("abs({})", i(random)),
        _ => either(random, scope, Type::Integer, depth),
    }
}

fn word(random: &mut Random, scope: &Scope<'_>, signed: bool, bits: usize, depth: usize) -> String {
    let typ = Type::Word(signed, bits);
    let w = |random: &mut Random| expression(random, scope, typ, depth);
    match random.below(12) {
        0 => format!("!{}", w(random)),
        1 => format!("-{}", w(random)),
        2..=4 => {
            let operator = *random.pick(&[
                "+", "-", "*", "/", "mod", "&", "|", "xor", "xnor", "->", "<->",
            ]);
            let x = w(random);
            let y = match operator {
                "/" | "mod" if random.percent(70) => {
                    format!(
                        "0{}b{bits}_{:0bits$b}",
                        sign(signed),
                        random.between(1, (1 << bits) - 1)
                    )
                }
                _ => w(random),
            };
            format!("{x} {operator} {y}")
        }
        5 => {
            let operator = *random.pick(&["<<", ">>"]);
            let distance = match random.below(3) {
                0 => expression(random, scope, Type::Word(false, 1), depth),
                1 => expression(random, scope, Type::Integer, 0),
                _ => random.below(bits + 1).to_string(),
            };
            format!("{} {operator} {distance}", w(random))
        }
        6 if !signed && bits > 1 => {
            let left = random.between(1, bits - 1);
            let x = Type::Word(random.percent(50), left);
            let y = Type::Word(random.percent(50), bits - left);
            let x = expression(random, scope, x, depth);
            let y = expression(random, scope, y, depth);
            format!("{x} :: {y}")
        }
        7 if !signed => {
            let low = random.below(3);
            let width = bits + low + random.below(2);
            let whole = Type::Word(random.percent(50), width);
            let whole = expression(random, scope, whole, depth);
            format!("({whole})[{}:{low}]", low + bits - 1)
        }
        8 if bits > 1 => {
            let less = random.between(1, bits - 1);
            let part = expression(random, scope, Type::Word(signed, bits - less), depth);
            format!("extend({part}, {less})")
        }
        9 => {
            let from = random.between(1, 5);
            let from = expression(random, scope, Type::Word(signed, from), depth);
            format!("resize({from}, {bits})")
        }
        10 => {
            let other = expression(random, scope, Type::Word(!signed, bits), depth);
            let name = if signed { "signed" } else { "unsigned" };
            format!("{name}({other})")
        }
        11 if typ == Type::Word(false, 1) => {
            format!("word1({})", expression(random, scope, Type::Boolean, depth))
        }
        _ => either(random, scope, typ, depth),
    }
}
