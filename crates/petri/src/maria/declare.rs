//! From declarations to types, functions and places; blocks of transitions in order.

use std::sync::Arc;

use evenhand_source::{Diagnostic, Span};

use super::code::PlaceId;
use super::fuse::Block;
use super::scope::{Declarations, Place};
use super::syntax::{Ast, Item, Name, PlaceAst, Range, SetKind, TypeAst, TypeForm};
use super::typer::Typer;
use super::types::{Kind, Leaf, MOST_SLOTS, Numbers, Ranges, TypeId, Types, intersection, normal};

type Declared<T> = Result<T, Diagnostic>;

/// Everything that a net declares.
pub(crate) struct Described {
    pub known: Declarations,
    pub blocks: Vec<Block>,
    pub rejects: Vec<Ast>,
    pub deadlocks: Vec<Ast>,
    pub sets: Vec<(SetKind, Ast)>,
    /// How many subnets there are.
    pub subnets: usize,
}

/// Carries out declarations, one after the other.
pub(crate) fn declare(items: Vec<Item>) -> Declared<Described> {
    let mut all = Described {
        known: Declarations::new(),
        blocks: Vec::new(),
        rejects: Vec::new(),
        deadlocks: Vec::new(),
        sets: Vec::new(),
        subnets: 0,
    };
    all.items(items, 0)?;
    Ok(all)
}

impl Described {
    /// The declarations of the net, or of a subnet by its number.
    fn items(&mut self, items: Vec<Item>, level: usize) -> Declared<()> {
        for item in items {
            match item {
                Item::Type(ast, name) => {
                    let ty = self.ty(&ast)?;
                    self.known.types.call(name.text, ty);
                }
                Item::Function(ast) => {
                    let knows = self.known.functions.len();
                    let function = self.known.function(&ast, knows)?;
                    // What is wrong with a constant is told where it stands.
                    if function.parameters.is_empty() {
                        let mut typer = Typer::new(&self.known);
                        if typer.guess(&function.inside).is_some() {
                            typer.bag(&function.inside, Some(function.ty))?;
                        }
                    }
                    self.known.functions.push((ast.name.text, function));
                }
                Item::Place(ast) => self.place(ast)?,
                Item::Transition(ast) => {
                    let knows = self.known.functions.len();
                    self.blocks.push(Block { ast, level, knows });
                }
                Item::Reject(ast) => self.rejects.push(ast),
                Item::Deadlock(ast) => self.deadlocks.push(ast),
                Item::Sets(kind, list) => {
                    self.sets.extend(list.into_iter().map(|ast| (kind, ast)));
                }
                Item::Proposition(name, ast) => {
                    self.known.propositions.push((name, ast));
                }
                Item::Subnet(inside, span) => {
                    if level > 0 {
                        let message = "a subnet inside of a subnet is not supported";
                        return Err(Diagnostic::error(span, message));
                    }
                    self.subnets += 1;
                    self.items(inside, self.subnets)?;
                }
            }
        }
        Ok(())
    }

    fn number(&self, ast: &Ast) -> Declared<i64> {
        Typer::new(&self.known).constant_number(ast, Types::UNSIGNED)
    }

    fn ty(&mut self, ast: &TypeAst) -> Declared<TypeId> {
        let too_large = || {
            let message = format!("a value of this type has more than {MOST_SLOTS} parts");
            Diagnostic::error(ast.span, message)
        };
        match &ast.kind {
            TypeForm::Named(name) => self.known.type_named(name),
            TypeForm::Enum(list) => self.enumeration(list, ast.span),
            TypeForm::Struct(list) => {
                let parts = self.components(list)?;
                self.known.types.structure(parts).ok_or_else(too_large)
            }
            TypeForm::Union(list) => {
                let parts = self.components(list)?;
                if parts.is_empty() {
                    let message = "a union has at least one component";
                    return Err(Diagnostic::error(ast.span, message));
                }
                self.known.types.union(parts).ok_or_else(too_large)
            }
            TypeForm::Id(size) => {
                let size = self.number(size)?;
                if size == 0 {
                    let message = "a type of identifiers has at least one";
                    return Err(Diagnostic::error(ast.span, message));
                }
                Ok(self.known.types.leaf(Leaf::Id, vec![(0, size - 1)]))
            }
            TypeForm::Array(element, index) => {
                let (element, index) = (self.ty(element)?, self.ty(index)?);
                self.known.types.array(element, index).ok_or_else(too_large)
            }
            TypeForm::Buffer {
                element,
                capacity,
                stack,
            } => {
                let element = self.ty(element)?;
                let capacity = self.number(capacity)? as usize;
                let found = self.known.types.buffer(element, capacity, *stack);
                found.ok_or_else(too_large)
            }
            TypeForm::Constrained(inside, ranges) => {
                let ty = self.ty(inside)?;
                let ranges = self.ranges(ranges, ty)?;
                self.known.types.constrained(ty, ranges).ok_or_else(|| {
                    let message = "no value satisfies this constraint";
                    Diagnostic::error(ast.span, message)
                })
            }
        }
    }

    /// The ranges of a constraint on values of a type.
    fn ranges(&self, list: &[Range], ty: TypeId) -> Declared<Ranges> {
        let types = &self.known.types;
        // A constant may be outside: then nothing is there.
        let wide = match types.kind(ty) {
            Kind::Leaf(Leaf::Signed, _) => Types::SIGNED,
            Kind::Leaf(Leaf::Unsigned, _) => Types::UNSIGNED,
            _ => ty,
        };
        let value = |ast: &Ast| {
            let value = Typer::new(&self.known).constant(ast, wide)?;
            Ok::<Vec<i64>, Diagnostic>(value.into())
        };
        let mut ranges = Vec::new();
        for range in list {
            let low = match &range.low {
                Some(low) => value(low)?,
                None => types.first(ty),
            };
            let high = match &range.high {
                Some(high) => value(high)?,
                None => types.last(ty),
            };
            ranges.push((low, high));
        }
        Ok(ranges)
    }

    fn enumeration(&mut self, list: &[(Name, Option<Ast>)], span: Span) -> Declared<TypeId> {
        let mut constants: Vec<(Arc<str>, i64)> = Vec::new();
        let mut next = 0;
        for (name, value) in list {
            let value = match value {
                Some(value) => Typer::new(&self.known).constant_number(value, Types::SIGNED)?,
                None => next,
            };
            if constants.iter().any(|(known, _)| *known == name.text) {
                let message = format!("`{}` is a constant of this type already", name.text);
                return Err(Diagnostic::error(name.span, message));
            }
            constants.push((name.text.clone(), value));
            next = value + 1;
        }
        let numbers = || constants.iter().map(|(_, number)| *number);
        let (Some(low), Some(high)) = (numbers().min(), numbers().max()) else {
            let message = "an enumeration has at least one constant";
            return Err(Diagnostic::error(span, message));
        };
        let leaf = Leaf::Enum(constants.into());
        Ok(self.known.types.leaf(leaf, vec![(low, high)]))
    }

    fn components(&mut self, list: &[(TypeAst, Name)]) -> Declared<Vec<(Arc<str>, TypeId)>> {
        let mut parts: Vec<(Arc<str>, TypeId)> = Vec::new();
        for (ty, name) in list {
            if parts.iter().any(|(known, _)| *known == name.text) {
                let message = format!("`{}` is a component of this type already", name.text);
                return Err(Diagnostic::error(name.span, message));
            }
            parts.push((name.text.clone(), self.ty(ty)?));
        }
        Ok(parts)
    }

    fn place(&mut self, ast: PlaceAst) -> Declared<()> {
        let name = ast.name.text.clone();
        if self.known.place_names.contains_key(&name) {
            let message = format!("there is a place `{name}` already");
            return Err(Diagnostic::error(ast.name.span, message));
        }
        let mut capacity: Option<Numbers> = None;
        for ranges in &ast.capacity {
            let given = self.ranges(ranges, Types::UNSIGNED)?;
            let given = given.iter().map(|(low, high)| (low[0], high[0]));
            let given = normal(given.collect());
            capacity = Some(match capacity {
                Some(before) => intersection(&before, &given),
                None => given,
            });
        }
        let ty = self.ty(&ast.ty)?;
        let mut typer = Typer::new(&self.known);
        let initial = match &ast.initial {
            Some(initial) => Some(typer.bag(initial, Some(ty))?),
            None => None,
        };
        let size = typer.scope.size;
        let number = PlaceId(self.known.places.len() as u32);
        self.known.place_names.insert(name.clone(), number);
        self.known.places.push(Place {
            name,
            span: ast.name.span,
            ty,
            capacity,
            constant: ast.constant,
            initial,
            size,
        });
        Ok(())
    }
}
