//! Linear temporal logic with past on a run that returns to one of its positions.
//!
//! **Problem.** Positions 0 to k are a run whose last step goes back to position l. A formula of the future
//! has one truth value at each position. One of the past has not: each turn of the cycle it may know more.
//!
//! **Idea** (Biere, Heljanko, Junttila, Latvala and Schuppan 2006). The values of a past operator repeat one turn
//! after those of its operands do. So a formula in which d past operators are nested has d + 1 literals at each position:
//! for turns 0, 1, … d − 1 of the cycle, and for all from d on (virtual unrolling). The position before l is
//! l − 1 in turn 0 and k in the turn before otherwise; the one behind k is l in the next turn. So a formula is
//! true on the run iff the constraints have a solution, and the shortest run is found by its own length, whatever the formula.
//!
//! Constraints are of three kinds: those of a position stay true when the run gets longer. Those of the end hold under an
//! assumption ([`Closing`]). Between them stand *proxies*: literals for the values at the beginning of
//! the cycle and at its end, wherever these are.
//!
//! Each literal is equivalent to its formula, so negation is free. An `U` that waits for ever is ruled out at the
//! end: what it waits for comes on the cycle; and dually for `R`.

use batsat::Lit;
use evenhand_logic::{AtomId, Binary, FormulaId, Formulas, Node, Unary};
use rustc_hash::FxHashMap;

use crate::gates::Gates;
use crate::solver::{Outcome, Stop};

/// A temporal operator, by how it looks on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Temporal {
    Next,
    /// `g | f & next`; the wait must come to its end if `strong`.
    Until {
        strong: bool,
    },
    /// `g & (f | next)`; dually.
    Release {
        strong: bool,
    },
    /// What held before; at the first position this.
    Before(bool),
    /// `g | f & before`.
    Since,
    /// `g & (f | before)`.
    Trigger,
}

impl Temporal {
    fn is_past(self) -> bool {
        matches!(
            self,
            Temporal::Before(_) | Temporal::Since | Temporal::Trigger
        )
    }
}

/// A part of the formula.
#[derive(Clone, Debug)]
enum Part {
    Constant(bool),
    Atom(AtomId),
    Not(usize),
    And(Vec<usize>),
    Or(Vec<usize>),
    Iff(usize, usize),
    /// An operator with its operands; one that needs only one has it twice.
    Temporal(Temporal, usize, usize),
}

/// A formula along a run.
pub(crate) struct Along {
    /// Operands first; the formula itself comes last.
    parts: Vec<Part>,
    /// How many past operators are nested in each part.
    depth: Vec<usize>,
    /// The values at each position, by part and turn.
    values: Vec<Vec<Vec<Lit>>>,
    /// The values at the beginning of the cycle, and at its end, by part and turn; empty where nobody asks.
    begin: Vec<Vec<Lit>>,
    end: Vec<Vec<Lit>>,
    /// For each part that waits: whether what it waits for has come on the cycle, by position.
    come: Vec<Vec<Lit>>,
}

/// Where a position stands in the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The cycle begins here.
    pub begins: Lit,
    /// It is on the cycle.
    pub inside: Lit,
}

impl Along {
    /// A formula without quantifiers.
    pub fn new(g: &mut Gates, store: &Formulas, formula: FormulaId) -> Outcome<Along> {
        let (parts, depth) = parts(store, formula)?;
        let proxies = |g: &mut Gates, is_asked: &dyn Fn(usize) -> bool| -> Vec<Vec<Lit>> {
            let count = |at: usize| if is_asked(at) { depth[at] + 1 } else { 0 };
            let all = 0..parts.len();
            all.map(|at| (0..count(at)).map(|_| g.solver.fresh()).collect())
                .collect()
        };
        let is_future = |at: usize| matches!(parts[at], Part::Temporal(op, ..) if !op.is_past());
        let begin = proxies(g, &is_future);
        let end = proxies(g, &|at| {
            parts.iter().enumerate().any(|(own, part)| match part {
                Part::Temporal(Temporal::Before(_), operand, _) => *operand == at,
                Part::Temporal(op, ..) => own == at && op.is_past(),
                _ => false,
            })
        });
        Ok(Along {
            come: vec![Vec::new(); parts.len()],
            parts,
            depth,
            values: Vec::new(),
            begin,
            end,
        })
    }

    /// The formula at the first position.
    pub fn asserted(&self) -> Lit {
        self.values[0][self.parts.len() - 1][0]
    }

    /// The value of a part at a position, in a turn or the last one that matters.
    fn value(&self, at: usize, part: usize, turn: usize) -> Lit {
        self.values[at][part][turn.min(self.depth[part])]
    }

    /// The values at a new position, where atoms have these.
    pub fn extend(&mut self, g: &mut Gates, begins: Lit, atom: &dyn Fn(AtomId) -> Lit) {
        let at = self.values.len();
        self.values.push(Vec::with_capacity(self.parts.len()));
        for number in 0..self.parts.len() {
            let mut row = Vec::with_capacity(self.depth[number] + 1);
            for turn in 0..=self.depth[number] {
                let of = |part: usize| self.value(at, part, turn);
                row.push(match &self.parts[number] {
                    Part::Constant(value) => g.constant(*value),
                    Part::Atom(id) => atom(*id),
                    Part::Not(f) => !of(*f),
                    Part::And(list) => {
                        let list: Vec<Lit> = list.iter().map(|&f| of(f)).collect();
                        g.all(&list)
                    }
                    Part::Or(list) => {
                        let list: Vec<Lit> = list.iter().map(|&f| of(f)).collect();
                        g.any(&list)
                    }
                    Part::Iff(f, h) => g.iff(of(*f), of(*h)),
                    Part::Temporal(op, f, h) => {
                        let (f, h) = (*f, *h);
                        match op {
                            Temporal::Before(first) => {
                                self.before(g, (at, begins), f, turn, *first)
                            }
                            Temporal::Since => {
                                let before = self.before(g, (at, begins), number, turn, false);
                                let kept = g.and(of(f), before);
                                g.or(of(h), kept)
                            }
                            Temporal::Trigger => {
                                let before = self.before(g, (at, begins), number, turn, true);
                                let kept = g.or(of(f), before);
                                g.and(of(h), kept)
                            }
                            // What comes next decides.
                            _ => g.solver.fresh(),
                        }
                    }
                });
            }
            self.values[at].push(row);
        }
        if at > 0 {
            self.link(g, at - 1);
        }
    }

    /// The value of a part at the position before, in a turn; of the first position there is none.
    fn before(
        &self,
        g: &mut Gates,
        (at, begins): (usize, Lit),
        part: usize,
        turn: usize,
        first: bool,
    ) -> Lit {
        let plain = match at.checked_sub(1) {
            Some(before) => self.value(before, part, turn),
            None => g.constant(first),
        };
        match turn.checked_sub(1) {
            // The cycle began to turn.
            Some(last) => {
                let end = &self.end[part];
                g.choice(begins, end[last.min(end.len() - 1)], plain)
            }
            None => plain,
        }
    }

    /// The future operators at a position, by the next one.
    fn link(&mut self, g: &mut Gates, at: usize) {
        for number in 0..self.parts.len() {
            let Part::Temporal(op, f, h) = self.parts[number] else {
                continue;
            };
            for turn in 0..=self.depth[number] {
                let of = |part: usize| self.value(at, part, turn);
                let next = self.value(at + 1, number, turn);
                let looks_on = match op {
                    Temporal::Next => self.value(at + 1, f, turn),
                    Temporal::Until { .. } => {
                        let waits = g.and(of(f), next);
                        g.or(of(h), waits)
                    }
                    Temporal::Release { .. } => {
                        let goes_on = g.or(of(f), next);
                        g.and(of(h), goes_on)
                    }
                    _ => break,
                };
                same(g, None, self.values[at][number][turn], looks_on);
            }
        }
    }

    /// What follows if the cycle begins at a position, or passes it.
    pub fn place(&mut self, g: &mut Gates, at: usize, place: Place) {
        for number in 0..self.parts.len() {
            for (turn, &proxy) in self.begin[number].iter().enumerate() {
                same(g, Some(place.begins), proxy, self.values[at][number][turn]);
            }
            let Part::Temporal(op, f, h) = self.parts[number] else {
                continue;
            };
            let last = self.depth[number];
            let (f, h) = (self.value(at, f, last), self.value(at, h, last));
            let wanted = match op {
                Temporal::Until { strong: true } => h,
                Temporal::Until { strong: false } => g.and(!f, !h),
                Temporal::Release { strong: true } => g.and(f, h),
                Temporal::Release { strong: false } => !h,
                _ => continue,
            };
            let here = g.and(place.inside, wanted);
            let so_far = self.come[number].last().copied().unwrap_or(g.no());
            self.come[number].push(g.or(so_far, here));
        }
    }

    /// What holds if the run returns from a position, where the next one is the beginning of the cycle again.
    pub fn close(&mut self, g: &mut Gates, at: usize, closes: Lit) {
        for number in 0..self.parts.len() {
            let last = self.depth[number];
            for turn in 0..self.end[number].len() {
                let value = self.value(at, number, turn);
                same(g, Some(closes), self.end[number][turn], value);
            }
            if !self.begin[number].is_empty() {
                for turn in 0..=last {
                    let again = self.begin[number][(turn + 1).min(last)];
                    same(g, Some(closes), self.values[at + 1][number][turn], again);
                }
            }
            let Part::Temporal(op, ..) = self.parts[number] else {
                continue;
            };
            let value = self.value(at, number, last);
            let waits = match op {
                Temporal::Until { strong } | Temporal::Release { strong } => value ^ !strong,
                _ => continue,
            };
            let come = self.come[number][at];
            g.solver.clause(&[!closes, !waits, come]);
        }
    }
}

/// Two literals are the same, if a third is true.
pub(crate) fn same(g: &mut Gates, when: Option<Lit>, a: Lit, b: Lit) {
    let when = when.map_or(g.no(), |when| !when);
    g.solver.clause(&[when, !a, b]);
    g.solver.clause(&[when, a, !b]);
}

/// The parts of a formula, operands first, and how many past operators are nested in each.
fn parts(store: &Formulas, formula: FormulaId) -> Outcome<(Vec<Part>, Vec<usize>)> {
    let mut list: Vec<Part> = Vec::new();
    let mut depth: Vec<usize> = Vec::new();
    let mut known: FxHashMap<FormulaId, usize> = FxHashMap::default();
    for f in store.subformulas(formula) {
        let of = |g: &FormulaId| known[g];
        let part = match store.node(f) {
            Node::Constant(value) => Part::Constant(*value),
            Node::Atom(atom) => Part::Atom(*atom),
            Node::Not(g) => Part::Not(of(g)),
            Node::And(all) => Part::And(all.iter().map(of).collect()),
            Node::Or(all) => Part::Or(all.iter().map(of).collect()),
            Node::Iff(g, h) => Part::Iff(of(g), of(h)),
            Node::Xor(g, h) | Node::Implies(g, h) => {
                let (g, h) = (of(g), of(h));
                let is_xor = matches!(store.node(f), Node::Xor(..));
                depth.push(depth[g]);
                list.push(Part::Not(g));
                match is_xor {
                    true => Part::Iff(list.len() - 1, h),
                    false => Part::Or(vec![list.len() - 1, h]),
                }
            }
            Node::Unary(op, g) => {
                let g = of(g);
                let mut constant = |value: bool| {
                    depth.push(0);
                    list.push(Part::Constant(value));
                    list.len() - 1
                };
                match op {
                    Unary::Next => Part::Temporal(Temporal::Next, g, g),
                    Unary::Yesterday => Part::Temporal(Temporal::Before(false), g, g),
                    Unary::WeakYesterday => Part::Temporal(Temporal::Before(true), g, g),
                    Unary::Finally => {
                        Part::Temporal(Temporal::Until { strong: true }, constant(true), g)
                    }
                    Unary::Globally => {
                        Part::Temporal(Temporal::Release { strong: false }, constant(false), g)
                    }
                    Unary::Once => Part::Temporal(Temporal::Since, constant(true), g),
                    Unary::Historically => Part::Temporal(Temporal::Trigger, constant(false), g),
                }
            }
            Node::Binary(op, g, h) => {
                let op = match op {
                    Binary::Until => Temporal::Until { strong: true },
                    Binary::WeakUntil => Temporal::Until { strong: false },
                    Binary::Release => Temporal::Release { strong: false },
                    Binary::StrongRelease => Temporal::Release { strong: true },
                    Binary::Since => Temporal::Since,
                    Binary::Trigger => Temporal::Trigger,
                };
                Part::Temporal(op, of(g), of(h))
            }
            Node::Path(..) => {
                return Err(Stop::Refused(
                    "the formula has path quantifiers".to_string(),
                ));
            }
        };
        let of = |g: &usize| depth[*g];
        let own = match &part {
            Part::Constant(_) | Part::Atom(_) => 0,
            Part::Not(g) => of(g),
            Part::And(all) | Part::Or(all) => all.iter().map(of).max().unwrap_or(0),
            Part::Iff(g, h) => of(g).max(of(h)),
            Part::Temporal(op, g, h) => of(g).max(of(h)) + usize::from(op.is_past()),
        };
        depth.push(own);
        list.push(part);
        known.insert(f, list.len() - 1);
    }
    Ok((list, depth))
}
