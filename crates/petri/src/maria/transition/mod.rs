//! A transition as it is fired: an order in which its variables are found.
//!
//! An input arc is a list of *terms*: a pattern and how often it is taken. Sums over types are spread out, one term for
//! each value of the counter, which is set before the term is looked at. A term whose variables are all known is
//! looked up in its place; one that has unknown variables as they are, or inside of braces, is held against
//! each token of the place, which gives them values. The order of terms is found once: whatever is known is asked
//! first, then places that have one token only, then the others as they are written. Conditions are
//! asked as soon as their variables are known. What has no order is refused: then some variable
//! occurs in no arc as it is.

mod order;
mod reads;
mod spread;

use std::sync::Arc;

use evenhand_source::{Diagnostic, Span, spend};

use super::code::{BagExpr, Expr, PlaceId};
use super::fuse::Fused;
use super::scope::{Declarations, Scope, Variable};
use super::syntax::{Ast, Form, Part};
use super::typer::Typer;
use super::types::{TypeId, Types};

/// How many terms an arc, and how many conditions a gate, may be spread out to.
const MOST_TERMS: usize = 1 << 12;

/// A counter that is set to a value.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub offset: usize,
    pub value: Box<[i64]>,
}

/// A condition, with counters that are set before.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    pub settings: Vec<Setting>,
    pub condition: Expr,
}

/// What the multiplicity of a term is made of.
#[derive(Clone, Debug)]
pub(crate) enum Count {
    Times(Expr),
    When(Expr),
    /// Once if the expression chooses this one of several.
    Chosen(Expr, usize),
}

/// A pattern for tokens of a place.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    pub place: PlaceId,
    pub settings: Vec<Setting>,
    pub counts: Vec<Count>,
    pub pattern: Expr,
}

/// A part of a token that becomes the value of a variable.
#[derive(Clone, Debug)]
pub(crate) struct Bind {
    pub from: usize,
    pub to: usize,
    pub ty: TypeId,
    /// Whether every token fits into the variable.
    pub fits: bool,
}

/// What a part of a token must be.
#[derive(Clone, Debug)]
pub(crate) enum Match {
    Number(usize, i64),
    Value(usize, Expr),
}

/// A step on the way to a binding.
#[derive(Clone, Debug)]
pub(crate) enum Stage {
    /// All of these must hold.
    Check(Vec<Gate>),
    /// A token that is known.
    Take(Term),
    /// Each token that matches.
    Choose {
        term: Term,
        binds: Vec<Bind>,
        matches: Vec<Match>,
    },
    /// Tokens that are known, as a multiset.
    TakeAll(PlaceId, BagExpr),
    /// A variable whose value is known.
    Set(usize, Expr),
    /// Each value of an output variable.
    Draw {
        ty: TypeId,
        offset: usize,
        condition: Option<Expr>,
    },
}

/// A variable as people see it.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub name: Arc<str>,
    pub ty: TypeId,
    pub offset: usize,
    /// Which variable of the scope it belongs to.
    variable: usize,
}

/// A transition.
#[derive(Debug)]
pub(crate) struct Transition {
    pub name: Arc<str>,
    pub span: Span,
    pub priority: u32,
    pub cells: Vec<Cell>,
    pub stages: Vec<Stage>,
    pub outputs: Vec<(PlaceId, BagExpr)>,
    /// The places whose tokens it takes or makes.
    pub touched: Vec<PlaceId>,
    /// Whether output arcs ask what was taken.
    pub asks_taken: bool,
    /// Fairness sets that its pieces declare.
    pub sets: Vec<(super::syntax::SetKind, usize, Ast)>,
    pub scope: KeptScope,
}

/// What is known in a transition, for conditions that come later.
#[derive(Debug)]
pub(crate) struct KeptScope {
    variables: Vec<Variable>,
    functions: Vec<(usize, Arc<str>, super::scope::Function)>,
    pub size: usize,
}

impl KeptScope {
    /// Gives meaning to expressions in a piece of the transition.
    pub fn typer<'d>(&self, known: &'d Declarations, piece: usize) -> Typer<'d> {
        let mut typer = Typer::new(known);
        typer.scope = Scope {
            variables: self.variables.clone(),
            functions: self.functions.clone(),
            size: self.size,
            piece,
            ..Scope::default()
        };
        typer
    }
}

type Made<T> = Result<T, Diagnostic>;

/// What is done with a value of a counter: its settings, and a condition that is not decided yet.
type EachValue<'f, M> = dyn FnMut(&mut M, &mut Vec<Setting>, Option<&Expr>) -> Made<()> + 'f;

/// What a token gives values to, what it must be otherwise, and the cells that get values.
type Lvalues = (Vec<Bind>, Vec<Match>, Vec<usize>);

/// Makes a transition of its parts.
pub(crate) fn transition(known: &Declarations, fused: &Fused) -> Made<Transition> {
    let maker = Maker {
        known,
        typer: Typer::new(known),
        cells: Vec::new(),
        bound: Vec::new(),
        terms: Vec::new(),
        wholes: Vec::new(),
        gates: Vec::new(),
        late: Vec::new(),
        equations: Vec::new(),
        stages: Vec::new(),
    };
    maker.make(fused)
}

struct Maker<'d> {
    known: &'d Declarations,
    typer: Typer<'d>,
    cells: Vec<Cell>,
    bound: Vec<bool>,
    terms: Vec<Term>,
    wholes: Vec<(PlaceId, BagExpr)>,
    gates: Vec<Gate>,
    /// Conditions that say that something is undefined: asked when nothing else is left.
    late: Vec<Gate>,
    equations: Vec<(usize, Expr)>,
    stages: Vec<Stage>,
}

impl Maker<'_> {
    fn types(&self) -> &Types {
        &self.known.types
    }

    fn make(mut self, fused: &Fused) -> Made<Transition> {
        self.declare(fused)?;
        let mut outputs = Vec::new();
        let mut touched = Vec::new();
        let mut inputs = Vec::new();
        for (place, bag) in self.arcs(fused, true)? {
            touched.push(place);
            inputs.push((place, bag));
        }
        let mut sets = Vec::new();
        let mut gates = Vec::new();
        for (number, piece) in fused.pieces.iter().enumerate() {
            self.typer.scope.piece = number;
            for part in piece {
                match part {
                    Part::Gate(ast) => {
                        for part in split(ast) {
                            let condition = self.typer.truth(part)?;
                            let spreads = !matches!(part.kind, Form::Atom(_));
                            gates.push((condition, spreads));
                        }
                    }
                    Part::Hide(ast) => drop(self.typer.truth(ast)?),
                    Part::Sets(kind, ast) => sets.push((*kind, number, ast.clone())),
                    _ => {}
                }
            }
        }
        for (place, bag) in self.arcs(fused, false)? {
            touched.push(place);
            outputs.push((place, bag));
        }
        touched.sort_unstable();
        touched.dedup();
        let mut asks_taken = false;
        for (_, bag) in &outputs {
            bag.places(&mut |_| asks_taken = true);
        }
        self.make_cells()?;
        self.find_equations(fused)?;
        for (place, bag) in inputs {
            self.spread_arc(place, bag, &mut Vec::new(), &mut Vec::new())?;
        }
        for (condition, spreads) in gates {
            match spreads {
                true => self.spread_gate(condition, &mut Vec::new())?,
                false => self.add_gate(condition, &[])?,
            }
        }
        self.order(fused, &outputs)?;
        let Maker {
            typer,
            cells,
            stages,
            ..
        } = self;
        Ok(Transition {
            name: fused.name.clone(),
            span: fused.span,
            priority: fused.priority,
            cells,
            stages,
            outputs,
            touched,
            asks_taken,
            sets,
            scope: KeptScope {
                variables: typer.scope.variables,
                functions: typer.scope.functions,
                size: typer.scope.size,
            },
        })
    }

    /// Variables and functions that are declared.
    fn declare(&mut self, fused: &Fused) -> Made<()> {
        for (number, piece) in fused.pieces.iter().enumerate() {
            self.typer.scope.piece = number;
            for part in piece {
                match part {
                    Part::Variable { ty, name, output } => {
                        let own = self.known.type_named(ty)?;
                        if self.typer.scope.variable(&name.text).is_some() {
                            continue;
                        }
                        match output {
                            None => {
                                self.typer.declare(&name.text, name.span, own, None, None);
                            }
                            Some(condition) => {
                                let kind = Form::Output {
                                    ty: ty.clone(),
                                    variable: Some(name.clone()),
                                    condition: condition.clone().map(Box::new),
                                };
                                let span = name.span;
                                let depth = 1;
                                self.typer.scope.outputs = true;
                                self.typer.infer(&Ast { kind, span, depth }, None)?;
                                self.typer.scope.outputs = false;
                            }
                        }
                    }
                    Part::Function(ast) => {
                        let function = self.known.function(ast, fused.knows)?;
                        let own = (number, ast.name.text.clone(), function);
                        self.typer.scope.functions.push(own);
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// The arcs to the transition, or away from it.
    fn arcs(&mut self, fused: &Fused, input: bool) -> Made<Vec<(PlaceId, BagExpr)>> {
        let mut arcs = Vec::new();
        for (number, piece) in fused.pieces.iter().enumerate() {
            self.typer.scope.piece = number;
            self.typer.scope.implicit = input;
            self.typer.scope.outputs = !input;
            for part in piece {
                let (name, ast) = match part {
                    Part::In(name, ast) if input => (name, ast),
                    Part::Out(name, ast) if !input => (name, ast),
                    _ => continue,
                };
                let place = self.known.place(name)?;
                let ty = self.known.places[place.index()].ty;
                let bag = self.typer.bag(ast, Some(ty))?;
                if input {
                    let mut asks = false;
                    bag.places(&mut |_| asks = true);
                    if asks {
                        let message = "the tokens of a place cannot be asked for in an input arc";
                        return Err(Diagnostic::error(bag.span, message));
                    }
                }
                arcs.push((place, bag));
            }
        }
        self.typer.scope.implicit = false;
        self.typer.scope.outputs = false;
        Ok(arcs)
    }

    fn make_cells(&mut self) -> Made<()> {
        let types = &self.known.types;
        for (number, variable) in self.typer.scope.variables.iter().enumerate() {
            let Variable { ty, offset, .. } = *variable;
            let Some((index, count)) = variable.family else {
                self.cells.push(Cell {
                    name: variable.name.clone(),
                    ty,
                    offset,
                    variable: number,
                });
                continue;
            };
            let mut value = types.first(index);
            for place in 0..count {
                spend();
                let shown = types.show(index, &value);
                self.cells.push(Cell {
                    name: format!("{}[{shown}]", variable.name).into(),
                    ty,
                    offset: offset + place * types.slots(ty),
                    variable: number,
                });
                types.next(index, &mut value);
            }
        }
        self.bound = vec![false; self.cells.len()];
        Ok(())
    }

    /// A function of a piece with the name of a variable that all pieces share gives it its value.
    fn find_equations(&mut self, fused: &Fused) -> Made<()> {
        if fused.pieces.len() < 2 {
            return Ok(());
        }
        let shared: Vec<(Arc<str>, TypeId, usize, Span)> = self
            .typer
            .scope
            .variables
            .iter()
            .filter(|v| v.piece == 0 && v.family.is_none() && v.output.is_none())
            .map(|v| (v.name.clone(), v.ty, v.offset, v.span))
            .collect();
        let functions = self.typer.scope.functions.clone();
        for (piece, name, function) in &functions {
            let own = shared.iter().find(|(shared, ..)| shared == name);
            if let Some((_, ty, offset, _)) = own
                && *piece > 0
                && function.parameters.is_empty()
            {
                self.typer.scope.piece = *piece;
                let value = self.typer.value(&function.inside, *ty)?;
                self.equations.push((*offset, value));
            }
        }
        Ok(())
    }
}

/// Sets counters.
pub(crate) fn set(memory: &mut [i64], settings: &[Setting]) {
    for Setting { offset, value } in settings {
        memory[*offset..offset + value.len()].copy_from_slice(value);
    }
}

/// The conditions that a gate is a conjunction of.
fn split(ast: &Ast) -> Vec<&Ast> {
    match &ast.kind {
        Form::And(list) => list.iter().flat_map(split).collect(),
        _ => vec![ast],
    }
}
