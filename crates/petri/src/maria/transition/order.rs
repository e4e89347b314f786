//! The order in which the variables of a transition are found.
//!
//! Whatever is known is asked first, then places that have one token only, then the others as they are written.

use evenhand_source::{Diagnostic, Span, spend};

use super::super::code::{BagExpr, Comparison, Expr, Op, PlaceId};
use super::super::fuse::Fused;
use super::super::scope::Variable;
use super::super::types::{Kind, Types};
use super::{Bind, Cell, Count, Gate, Lvalues, Made, Maker, Match, Setting, Stage};

impl Maker<'_> {
    pub(super) fn are_bound(&self, cells: &[usize]) -> bool {
        cells.iter().all(|&cell| self.bound[cell])
    }

    /// Conditions and values that are known by now.
    pub(super) fn settle(&mut self) {
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
    pub(super) fn order(&mut self, fused: &Fused, outputs: &[(PlaceId, BagExpr)]) -> Made<()> {
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

    pub(super) fn unbound(&self, variable: &Variable, near: Span) -> Diagnostic {
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

    pub(super) fn check_bound(&self, cells: &[usize], near: Span) -> Made<()> {
        match cells.iter().find(|&&cell| !self.bound[cell]) {
            Some(&cell) => {
                let variable = &self.typer.scope.variables[self.cells[cell].variable];
                Err(self.unbound(variable, near))
            }
            None => Ok(()),
        }
    }

    /// The term to look at next.
    pub(super) fn next_term(&mut self) -> Made<(usize, Stage)> {
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
    pub(super) fn lvalues(
        &self,
        pattern: &Expr,
        at: usize,
        settings: &[Setting],
        out: &mut Lvalues,
    ) {
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
