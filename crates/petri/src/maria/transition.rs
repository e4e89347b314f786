//! A transition as it is fired: an order in which its variables are found.
//!
//! An input arc is a list of *terms*: a pattern and how often it is taken. Sums over types are spread out, one term for
//! each value of the counter, which is set before the term is looked at. A term whose variables are all known is
//! looked up in its place; one that has unknown variables as they are, or inside of braces, is held against
//! each token of the place, which gives them values. The order of terms is found once: whatever is known is asked
//! first, then places that have one token only, then the others as they are written. Conditions are
//! asked as soon as their variables are known. What has no order is refused: then some variable
//! occurs in no arc as it is.

use std::sync::Arc;

use evenhand_source::{Diagnostic, Span, spend};

use super::code::{BagExpr, BagOp, Comparison, Counter, Expr, Op, Part as CodePart, PlaceId};
use super::fuse::Fused;
use super::machine::{Machine, NoMarking};
use super::scope::{Declarations, Scope, Variable};
use super::syntax::{Ast, Form, Part};
use super::typer::Typer;
use super::types::{Kind, TypeId, Types};

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

    /// The cells that an expression reads.
    fn reads(&self, expr: &Expr, settings: &[Setting]) -> Vec<usize> {
        let mut found = Vec::new();
        expr.each(&mut |part| {
            if let CodePart::Expr(expr) = part {
                self.reads_here(expr, settings, &mut found);
            }
        });
        found.sort_unstable();
        found.dedup();
        found
    }

    fn bag_reads(&self, bag: &BagExpr, settings: &[Setting]) -> Vec<usize> {
        let mut found = Vec::new();
        bag.each(&mut |part| {
            if let CodePart::Expr(expr) = part {
                self.reads_here(expr, settings, &mut found);
            }
        });
        found.sort_unstable();
        found.dedup();
        found
    }

    fn reads_here(&self, expr: &Expr, settings: &[Setting], found: &mut Vec<usize>) {
        match &expr.op {
            Op::Load(offset) => found.extend(self.cell_at(*offset)),
            Op::Family { base, .. } => match self.family_cell(expr, settings) {
                Some(cell) => found.push(cell),
                None => {
                    let variable = self.cell_at(*base).map(|cell| self.cells[cell].variable);
                    let all = (0..self.cells.len())
                        .filter(|&cell| Some(self.cells[cell].variable) == variable);
                    found.extend(all);
                }
            },
            _ => {}
        }
    }

    fn cell_at(&self, offset: usize) -> Option<usize> {
        let behind = self.cells.partition_point(|cell| cell.offset <= offset);
        let mut candidates = (0..behind).rev();
        candidates.find(|&cell| {
            let Cell {
                ty, offset: own, ..
            } = self.cells[cell];
            let slots = self.types().slots(ty);
            offset < own + slots || (slots == 0 && offset == own)
        })
    }

    /// The cell of a family that is meant where counters are set.
    fn family_cell(&self, expr: &Expr, settings: &[Setting]) -> Option<usize> {
        let Op::Family {
            base,
            index,
            counter,
            before,
        } = &expr.op
        else {
            return None;
        };
        let setting = settings.iter().find(|s| s.offset == *counter)?;
        let types = self.types();
        let mut value = setting.value.to_vec();
        if *before {
            types.previous(*index, &mut value);
        }
        let rank = types.rank(*index, &value) as usize;
        let first = self.cells.iter().position(|cell| cell.offset == *base)?;
        Some(first + rank)
    }

    /// The value of a condition that depends on counters alone.
    fn decided(&self, condition: &Expr, settings: &[Setting]) -> Made<Option<bool>> {
        if !self.reads(condition, settings).is_empty() {
            return Ok(None);
        }
        let mut machine = Machine::new(self.types(), self.typer.scope.size);
        set(&mut machine.memory, settings);
        match machine.truth(condition, &NoMarking) {
            Ok(value) => Ok(Some(value)),
            Err(fault) => Err(Diagnostic::error(fault.span, fault.kind.to_string())),
        }
    }

    /// Calls for each value of a counter, with whether its condition holds; none where that is not known yet.
    fn each_value(
        &mut self,
        counter: &Counter,
        settings: &mut Vec<Setting>,
        each: &mut EachValue<'_, Self>,
    ) -> Made<()> {
        let types = &self.known.types;
        let mut value = types.first(counter.ty);
        loop {
            spend();
            settings.push(Setting {
                offset: counter.offset,
                value: value.clone().into(),
            });
            let decided = match &counter.condition {
                Some(condition) => self.decided(condition, settings)?,
                None => Some(true),
            };
            match decided {
                Some(true) => each(self, settings, None)?,
                Some(false) => {}
                None => each(self, settings, counter.condition.as_deref())?,
            }
            settings.pop();
            if types.next(counter.ty, &mut value) {
                return Ok(());
            }
        }
    }

    fn spread_arc(
        &mut self,
        place: PlaceId,
        bag: BagExpr,
        settings: &mut Vec<Setting>,
        counts: &mut Vec<Count>,
    ) -> Made<()> {
        let span = bag.span;
        match bag.op {
            BagOp::Empty => {}
            BagOp::One(pattern) => {
                self.terms.push(Term {
                    place,
                    settings: settings.clone(),
                    counts: counts.clone(),
                    pattern,
                });
                if self.terms.len() > MOST_TERMS {
                    let message = format!("the arcs have more than {MOST_TERMS} terms");
                    return Err(Diagnostic::error(span, message));
                }
            }
            BagOp::Sum(list) => {
                for part in list {
                    self.spread_arc(place, part, settings, counts)?;
                }
            }
            BagOp::Times(count, inside) => {
                counts.push(Count::Times(count));
                self.spread_arc(place, *inside, settings, counts)?;
                counts.pop();
            }
            BagOp::Quantified(counter, inside) => {
                self.each_value(&counter, settings, &mut |maker, settings, condition| {
                    let before = counts.len();
                    counts.extend(condition.cloned().map(Count::When));
                    maker.spread_arc(place, (*inside).clone(), settings, counts)?;
                    counts.truncate(before);
                    Ok(())
                })?;
            }
            BagOp::Select(choice, list) => {
                for (number, part) in list.into_iter().enumerate() {
                    counts.push(Count::Chosen((*choice).clone(), number));
                    self.spread_arc(place, part, settings, counts)?;
                    counts.pop();
                }
            }
            op => {
                if !settings.is_empty() || !counts.is_empty() {
                    let message =
                        "this multiset may not stand in a sum or a multiple on an input arc";
                    return Err(Diagnostic::error(span, message));
                }
                let ty = bag.ty;
                self.wholes.push((place, BagExpr::new(ty, op, span)));
            }
        }
        Ok(())
    }

    fn spread_gate(&mut self, condition: Expr, settings: &mut Vec<Setting>) -> Made<()> {
        match condition.op {
            Op::And(list) => {
                for part in list {
                    self.spread_gate(part, settings)?;
                }
                Ok(())
            }
            Op::Quantified {
                all: true,
                counter,
                inside,
            } if self.values(counter.ty) <= 64 => {
                self.each_value(&counter, settings, &mut |maker, settings, condition| {
                    match condition {
                        None => maker.spread_gate((*inside).clone(), settings),
                        Some(condition) => {
                            let (ty, span) = (Types::TRUTH, inside.span);
                            let not = Op::Not(Box::new(condition.clone()));
                            let list = vec![Expr::new(ty, not, span), (*inside).clone()];
                            maker.add_gate(Expr::new(ty, Op::Or(list), span), settings)
                        }
                    }
                })
            }
            op => {
                let condition = Expr { op, ..condition };
                self.add_gate(condition, settings)
            }
        }
    }

    fn values(&self, ty: TypeId) -> u128 {
        self.types().get(ty).count.unwrap_or(u128::MAX)
    }

    fn add_gate(&mut self, condition: Expr, settings: &[Setting]) -> Made<()> {
        let (mut undefined, mut asks) = (false, false);
        condition.each(&mut |part| match part {
            CodePart::Expr(expr) => undefined |= matches!(expr.op, Op::Undefined),
            CodePart::Bag(bag) => asks |= matches!(bag.op, BagOp::Place(_)),
        });
        if asks {
            let message = "the tokens of a place cannot be asked for in a gate";
            return Err(Diagnostic::error(condition.span, message));
        }
        let span = condition.span;
        let settings = settings.to_vec();
        let gate = Gate {
            settings,
            condition,
        };
        match undefined {
            true => self.late.push(gate),
            false => self.gates.push(gate),
        }
        if self.gates.len() + self.late.len() > MOST_TERMS {
            let message = format!("the gates have more than {MOST_TERMS} conditions");
            return Err(Diagnostic::error(span, message));
        }
        Ok(())
    }

    fn are_bound(&self, cells: &[usize]) -> bool {
        cells.iter().all(|&cell| self.bound[cell])
    }

    /// Conditions and values that are known by now.
    fn settle(&mut self) {
        loop {
            let gates = std::mem::take(&mut self.gates);
            let (ready, waiting): (Vec<Gate>, Vec<Gate>) = gates
                .into_iter()
                .partition(|gate| self.are_bound(&self.reads(&gate.condition, &gate.settings)));
            self.gates = waiting;
            if !ready.is_empty() {
                self.stages.push(Stage::Check(ready));
            }
            let found = self
                .equations
                .iter()
                .position(|(_, value)| self.are_bound(&self.reads(value, &[])));
            let Some(found) = found else {
                return;
            };
            let (offset, value) = self.equations.remove(found);
            match self.cell_at(offset) {
                Some(cell) if !self.bound[cell] => {
                    self.bound[cell] = true;
                    self.stages.push(Stage::Set(offset, value));
                }
                _ => {
                    let own = Expr::new(value.ty, Op::Load(offset), value.span);
                    let span = value.span;
                    let same = Op::Compare(Comparison::Equal, Box::new(own), Box::new(value));
                    let condition = Expr::new(Types::TRUTH, same, span);
                    self.gates.push(Gate {
                        settings: Vec::new(),
                        condition,
                    });
                }
            }
        }
    }

    /// The order of everything.
    fn order(&mut self, fused: &Fused, outputs: &[(PlaceId, BagExpr)]) -> Made<()> {
        let drawn: Vec<usize> = (0..self.cells.len())
            .filter(|&cell| {
                let variable = self.cells[cell].variable;
                self.typer.scope.variables[variable].output.is_some()
            })
            .collect();
        self.settle();
        while !self.terms.is_empty() {
            spend();
            let (place, stage) = self.next_term()?;
            self.terms.remove(place);
            self.stages.push(stage);
            self.settle();
        }
        for (place, bag) in std::mem::take(&mut self.wholes) {
            let reads = self.bag_reads(&bag, &[]);
            self.check_bound(&reads, bag.span)?;
            self.stages.push(Stage::TakeAll(place, bag));
        }
        if let Some((_, value)) = self.equations.first() {
            let reads = self.reads(value, &[]);
            self.check_bound(&reads, value.span)?;
        }
        let late = std::mem::take(&mut self.late);
        for gate in &late {
            let reads = self.reads(&gate.condition, &gate.settings);
            self.check_bound(&reads, gate.condition.span)?;
        }
        if !late.is_empty() {
            self.stages.push(Stage::Check(late));
        }
        for cell in drawn {
            let Cell {
                ty,
                offset,
                variable,
                ..
            } = self.cells[cell];
            let output = self.typer.scope.variables[variable].output.clone();
            self.bound[cell] = true;
            let condition = output.flatten();
            if let Some(condition) = &condition {
                let reads = self.reads(condition, &[]);
                self.check_bound(&reads, condition.span)?;
            }
            self.stages.push(Stage::Draw {
                ty,
                offset,
                condition,
            });
            self.settle();
        }
        if let Some(gate) = self.gates.first() {
            let reads = self.reads(&gate.condition, &gate.settings);
            self.check_bound(&reads, gate.condition.span)?;
        }
        for (_, bag) in outputs {
            let reads = self.bag_reads(bag, &[]);
            self.check_bound(&reads, bag.span)?;
        }
        // A variable that nobody asks for has no value, and needs none, unless instances are told apart by it.
        let unbound = (0..self.cells.len()).find(|&cell| !self.bound[cell]);
        if let Some(cell) = unbound {
            let variable = &self.typer.scope.variables[self.cells[cell].variable];
            return Err(self.unbound(variable, fused.span));
        }
        Ok(())
    }

    fn unbound(&self, variable: &Variable, near: Span) -> Diagnostic {
        let message = format!(
            "no input arc gives the variable `{}` a value",
            variable.name
        );
        let help = "a variable must stand on an input arc as it is, or inside of braces";
        let span = match variable.span == Span::default() {
            true => near,
            false => variable.span,
        };
        Diagnostic::error(span, message).help(help)
    }

    fn check_bound(&self, cells: &[usize], near: Span) -> Made<()> {
        match cells.iter().find(|&&cell| !self.bound[cell]) {
            Some(&cell) => {
                let variable = &self.typer.scope.variables[self.cells[cell].variable];
                Err(self.unbound(variable, near))
            }
            None => Ok(()),
        }
    }

    /// The term to look at next.
    fn next_term(&mut self) -> Made<(usize, Stage)> {
        let mut best: Option<(usize, usize, Lvalues)> = None;
        for (place, term) in self.terms.iter().enumerate() {
            spend();
            let counts = term.counts.iter().all(|count| {
                let (Count::Times(expr) | Count::When(expr) | Count::Chosen(expr, _)) = count;
                self.are_bound(&self.reads(expr, &term.settings))
            });
            if !counts {
                continue;
            }
            if self.are_bound(&self.reads(&term.pattern, &term.settings)) {
                return Ok((place, Stage::Take(term.clone())));
            }
            let mut found = Lvalues::default();
            self.lvalues(&term.pattern, 0, &term.settings, &mut found);
            let (binds, matches, cells) = &found;
            let known = matches.iter().all(|check| match check {
                Match::Number(..) => true,
                Match::Value(_, expr) => {
                    let reads = self.reads(expr, &term.settings);
                    reads
                        .iter()
                        .all(|cell| self.bound[*cell] || cells.contains(cell))
                }
            });
            if !known || binds.is_empty() {
                continue;
            }
            let capacity = &self.known.places[term.place.index()].capacity;
            let cost = match capacity {
                Some(ranges) if *ranges == [(1, 1)] => 0,
                _ if !matches.is_empty() => 1,
                _ => 2,
            };
            if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                best = Some((cost, place, found));
            }
        }
        let Some((_, place, (binds, matches, cells))) = best else {
            let term = &self.terms[0];
            let mut reads = self.reads(&term.pattern, &term.settings);
            for count in &term.counts {
                let (Count::Times(expr) | Count::When(expr) | Count::Chosen(expr, _)) = count;
                reads.extend(self.reads(expr, &term.settings));
            }
            self.check_bound(&reads, term.pattern.span)?;
            let message = "the variables of this arc cannot be found in any order";
            return Err(Diagnostic::error(term.pattern.span, message));
        };
        for cell in cells {
            self.bound[cell] = true;
        }
        let term = self.terms[place].clone();
        let stage = Stage::Choose {
            term,
            binds,
            matches,
        };
        Ok((place, stage))
    }

    /// What a token gives values to, and what it must be otherwise.
    fn lvalues(&self, pattern: &Expr, at: usize, settings: &[Setting], out: &mut Lvalues) {
        let (binds, matches, cells) = &mut *out;
        let types = self.types();
        let mut inner = pattern;
        while let Op::Convert(next) | Op::Part(next, 0) = &inner.op {
            if !types.same_form(next.ty, inner.ty) {
                break;
            }
            inner = next;
        }
        let cell = match &inner.op {
            Op::Load(offset) => self.cell_at(*offset).filter(|&cell| {
                let own = &self.cells[cell];
                own.offset == *offset && types.slots(own.ty) == types.slots(inner.ty)
            }),
            Op::Family { .. } => self.family_cell(inner, settings),
            _ => None,
        };
        let drawn = |cell: usize| {
            let variable = self.cells[cell].variable;
            self.typer.scope.variables[variable].output.is_some()
        };
        if let Some(cell) = cell.filter(|cell| !cells.contains(cell))
            && !self.bound[cell]
            && !drawn(cell)
        {
            let Cell { ty, offset, .. } = self.cells[cell];
            binds.push(Bind {
                from: at,
                to: offset,
                ty,
                fits: types.is_within(pattern.ty, ty),
            });
            cells.push(cell);
            return;
        }
        match (&pattern.op, types.kind(pattern.ty)) {
            (Op::Row(list), _) => {
                let mut at = at;
                for part in list {
                    self.lvalues(part, at, settings, out);
                    at += types.slots(part.ty);
                }
            }
            (Op::Union(tag, part), _) => {
                matches.push(Match::Number(at, *tag as i64));
                self.lvalues(part, at + 1, settings, out);
            }
            (Op::Buffer(list), Kind::Buffer { element, .. }) => {
                matches.push(Match::Number(at, list.len() as i64));
                for (number, part) in list.iter().enumerate() {
                    let at = at + 1 + number * types.slots(*element);
                    self.lvalues(part, at, settings, out);
                }
            }
            _ => matches.push(Match::Value(at, pattern.clone())),
        }
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
