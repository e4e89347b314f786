//! What the expressions of a transition read.

use super::super::code::{BagExpr, Expr, Op, Part as CodePart};
use super::{Cell, Maker, Setting};

impl Maker<'_> {
    /// The cells that an expression reads.
    pub(super) fn reads(&self, expr: &Expr, settings: &[Setting]) -> Vec<usize> {
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

    pub(super) fn bag_reads(&self, bag: &BagExpr, settings: &[Setting]) -> Vec<usize> {
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

    pub(super) fn reads_here(&self, expr: &Expr, settings: &[Setting], found: &mut Vec<usize>) {
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

    pub(super) fn cell_at(&self, offset: usize) -> Option<usize> {
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
    pub(super) fn family_cell(&self, expr: &Expr, settings: &[Setting]) -> Option<usize> {
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
}
