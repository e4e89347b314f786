//! Declarations from tokens: types, functions, places, transitions, and what is asked.

use evenhand_source::Diagnostic;

use super::expression::Parser;
use super::lexer::{Kind, Token};
use super::syntax::{
    Ast, FunctionAst, Item, Name, Part, PlaceAst, Range, SetKind, TransitionAst, TypeAst, TypeForm,
};

type Read<T> = Result<T, Diagnostic>;

/// A whole net.
pub(crate) fn net(tokens: &[Token]) -> Read<Vec<Item>> {
    let mut parser = Parser::new(tokens);
    let items = items(&mut parser)?;
    match parser.kind() {
        Kind::End => Ok(items),
        _ => Err(parser.unexpected("a declaration")),
    }
}

/// A formula that stands by itself, perhaps one of branching time.
pub(crate) fn formula(tokens: &[Token], branching: bool) -> Read<Ast> {
    let mut parser = Parser::new(tokens);
    parser.formula = true;
    parser.branching = branching;
    let formula = parser.expression()?;
    match parser.kind() {
        Kind::End => Ok(formula),
        _ => Err(parser.unexpected("the end of the formula")),
    }
}

/// Expressions with commas between them, and nothing else.
pub(crate) fn values(tokens: &[Token]) -> Read<Vec<Ast>> {
    let mut parser = Parser::new(tokens);
    let list = expressions(&mut parser)?;
    match parser.kind() {
        Kind::End => Ok(list),
        _ => Err(parser.unexpected("`,` or the end")),
    }
}

fn items(parser: &mut Parser<'_>) -> Read<Vec<Item>> {
    let mut list = Vec::new();
    while !parser.is_sign("}") && *parser.kind() != Kind::End {
        if parser.take_sign(";") {
            continue;
        }
        list.push(parser.deeper(item)?);
        if !parser.is_sign("}") {
            parser.expect(";")?;
        }
    }
    Ok(list)
}

fn item(parser: &mut Parser<'_>) -> Read<Item> {
    let start = parser.span();
    let Kind::Word(word) = parser.kind() else {
        return Ok(Item::Function(function(parser)?));
    };
    parser.advance();
    Ok(match *word {
        "typedef" => {
            let ty = type_definition(parser)?;
            Item::Type(ty, parser.name("the name of a type")?)
        }
        "place" => Item::Place(place(parser)?),
        "trans" => Item::Transition(transition(parser)?),
        "reject" => Item::Reject(parser.expression()?),
        "deadlock" => Item::Deadlock(parser.expression()?),
        "weakly_fair" => Item::Sets(SetKind::Weak, expressions(parser)?),
        "strongly_fair" => Item::Sets(SetKind::Strong, expressions(parser)?),
        "enabled" => Item::Sets(SetKind::Enabled, expressions(parser)?),
        "prop" => {
            let name = parser.name("the name of a proposition")?;
            parser.expect(":")?;
            Item::Proposition(name, parser.expression()?)
        }
        "subnet" => {
            if let Kind::Name(_) = parser.kind() {
                parser.advance();
            }
            parser.expect("{")?;
            let inside = items(parser)?;
            parser.expect("}")?;
            Item::Subnet(inside, start)
        }
        word => {
            let message = format!("`{word}` begins no declaration");
            return Err(Diagnostic::error(start, message));
        }
    })
}

fn expressions(parser: &mut Parser<'_>) -> Read<Vec<Ast>> {
    let mut list = vec![parser.expression()?];
    while parser.take_sign(",") {
        list.push(parser.expression()?);
    }
    Ok(list)
}

fn is_delimiter(parser: &mut Parser<'_>) -> bool {
    parser.take_sign(",") || parser.take_sign(";")
}

fn type_definition(parser: &mut Parser<'_>) -> Read<TypeAst> {
    parser.deeper(|parser| {
        let start = parser.span();
        let kind = match parser.kind() {
            Kind::Name(_) => TypeForm::Named(parser.name("the name of a type")?),
            Kind::Word("enum") => {
                parser.advance();
                TypeForm::Enum(enumeration(parser)?)
            }
            Kind::Word("struct") => {
                parser.advance();
                TypeForm::Struct(components(parser)?)
            }
            Kind::Word("union") => {
                parser.advance();
                TypeForm::Union(components(parser)?)
            }
            Kind::Word("id") => {
                parser.advance();
                parser.expect("[")?;
                let size = parser.expression()?;
                parser.expect("]")?;
                TypeForm::Id(size)
            }
            _ => return Err(parser.unexpected("a type")),
        };
        let span = start.to(parser.before());
        let mut ty = TypeAst { kind, span };
        let mut suffixes = 0;
        loop {
            let kind = if parser.is_sign("(") {
                TypeForm::Constrained(Box::new(ty), constraint(parser)?)
            } else if parser.take_sign("[") {
                let element = Box::new(ty);
                let stack = parser.is_word("stack");
                let kind = if stack || parser.is_word("queue") {
                    parser.advance();
                    let capacity = parser.expression()?;
                    TypeForm::Buffer {
                        element,
                        capacity,
                        stack,
                    }
                } else {
                    TypeForm::Array(element, Box::new(type_definition(parser)?))
                };
                parser.expect("]")?;
                kind
            } else {
                return Ok(ty);
            };
            let span = start.to(parser.before());
            suffixes += 1;
            if suffixes > 50 {
                let message = "a type has at most 50 constraints and sizes behind it";
                return Err(Diagnostic::error(span, message));
            }
            ty = TypeAst { kind, span };
        }
    })
}

fn enumeration(parser: &mut Parser<'_>) -> Read<Vec<(Name, Option<Ast>)>> {
    parser.expect("{")?;
    let mut list = Vec::new();
    while !parser.is_sign("}") {
        let name = parser.name("the name of a constant")?;
        let given = parser.take_sign("=") || matches!(parser.kind(), Kind::Number(_));
        let value = match given {
            true => Some(parser.expression()?),
            false => None,
        };
        list.push((name, value));
        if !is_delimiter(parser) {
            break;
        }
    }
    parser.expect("}")?;
    Ok(list)
}

fn components(parser: &mut Parser<'_>) -> Read<Vec<(TypeAst, Name)>> {
    parser.expect("{")?;
    let mut list = Vec::new();
    while !parser.is_sign("}") {
        let ty = type_definition(parser)?;
        list.push((ty, parser.name("the name of a component")?));
        if !is_delimiter(parser) {
            break;
        }
    }
    parser.expect("}")?;
    Ok(list)
}

fn constraint(parser: &mut Parser<'_>) -> Read<Vec<Range>> {
    parser.expect("(")?;
    let mut list = Vec::new();
    loop {
        list.push(if parser.take_sign("..") {
            let (low, high) = (None, Some(parser.expression()?));
            Range { low, high }
        } else {
            let low = parser.expression()?;
            match parser.take_sign("..") {
                true if parser.is_sign(")") || parser.is_sign(",") || parser.is_sign(";") => {
                    let (low, high) = (Some(low), None);
                    Range { low, high }
                }
                true => {
                    let (low, high) = (Some(low), Some(parser.expression()?));
                    Range { low, high }
                }
                false => Range {
                    high: Some(low.clone()),
                    low: Some(low),
                },
            }
        });
        if !is_delimiter(parser) {
            break;
        }
    }
    parser.expect(")")?;
    Ok(list)
}

fn function(parser: &mut Parser<'_>) -> Read<FunctionAst> {
    let ty = parser.name("a declaration")?;
    let name = parser.name("a name")?;
    function_of(parser, ty, name)
}

fn function_of(parser: &mut Parser<'_>, ty: Name, name: Name) -> Read<FunctionAst> {
    let mut parameters = Vec::new();
    if !parser.take_sign("=") {
        parser.expect("(")?;
        while !parser.is_sign(")") {
            let ty = parser.name("the type of a parameter")?;
            parameters.push((ty, parser.name("the name of a parameter")?));
            if !is_delimiter(parser) {
                break;
            }
        }
        parser.expect(")")?;
    }
    Ok(FunctionAst {
        ty,
        name,
        parameters,
        inside: parser.expression()?,
    })
}

fn place(parser: &mut Parser<'_>) -> Read<PlaceAst> {
    let name = parser.name("the name of a place")?;
    let mut capacity = Vec::new();
    while parser.is_sign("(") {
        capacity.push(constraint(parser)?);
    }
    let ty = type_definition(parser)?;
    let constant = parser.take_word("const");
    let initial = match parser.take_sign(":") {
        true => Some(parser.list()?),
        false => None,
    };
    Ok(PlaceAst {
        name,
        capacity,
        ty,
        constant,
        initial,
    })
}

fn transition(parser: &mut Parser<'_>) -> Read<TransitionAst> {
    let callee = parser.take_sign(":");
    let name = parser.name("the name of a transition")?;
    let mut parts = Vec::new();
    if parser.take_sign("!") {
        parts.push(Part::Urgent);
    }
    loop {
        match parser.kind() {
            Kind::Sign("{") => variables(parser, &mut parts)?,
            Kind::Word("in") => arcs(parser, &mut parts, Part::In)?,
            Kind::Word("out") => arcs(parser, &mut parts, Part::Out)?,
            Kind::Word("gate") => {
                parser.advance();
                parts.extend(expressions(parser)?.into_iter().map(Part::Gate));
            }
            Kind::Word("hide") => {
                parser.advance();
                parts.push(Part::Hide(parser.expression()?));
            }
            Kind::Word(word @ ("weakly_fair" | "strongly_fair" | "enabled")) => {
                parser.advance();
                let kind = match *word {
                    "weakly_fair" => SetKind::Weak,
                    "strongly_fair" => SetKind::Strong,
                    _ => SetKind::Enabled,
                };
                parts.push(Part::Sets(kind, parser.expression()?));
            }
            Kind::Sign(":") => {
                parser.advance();
                parser.take_word("trans");
                parts.push(Part::Call(parser.name("the name of a transition")?));
            }
            Kind::Number(number) => {
                let number = u32::try_from(*number).unwrap_or(u32::MAX);
                parser.advance();
                parts.push(Part::Priority(number));
            }
            _ => break,
        }
    }
    Ok(TransitionAst {
        name,
        callee,
        parts,
    })
}

fn variables(parser: &mut Parser<'_>, parts: &mut Vec<Part>) -> Read<()> {
    parser.expect("{")?;
    while !parser.is_sign("}") {
        parser.take_word("hide");
        let ty = parser.name("the type of a variable")?;
        let name = parser.name("the name of a variable")?;
        let is_function = parser.is_sign("=") || parser.is_sign("(");
        if is_function {
            parts.push(Part::Function(function_of(parser, ty, name)?));
        } else {
            let output = match parser.take_sign("!") {
                true => Some(parser.condition()?.map(|condition| *condition)),
                false => None,
            };
            parts.push(Part::Variable { ty, name, output });
        }
        if !is_delimiter(parser) {
            break;
        }
    }
    parser.expect("}")
}

fn arcs(
    parser: &mut Parser<'_>,
    parts: &mut Vec<Part>,
    part: impl Fn(Name, Ast) -> Part,
) -> Read<()> {
    parser.advance();
    parser.expect("{")?;
    while !parser.is_sign("}") {
        if parser.take_sign(";") {
            continue;
        }
        parser.take_word("place");
        let name = parser.name("the name of a place")?;
        parser.expect(":")?;
        parts.push(part(name, parser.list()?));
        if !parser.take_sign(";") {
            break;
        }
    }
    parser.expect("}")
}
