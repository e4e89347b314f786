//! Which parts of the next-state action are worth remembering, and by what they are found again.
//!
//! What an action does is decided by the variables that it reads and the names that are bound around it; a variable
//! that it leaves unchanged is no part of that. Most actions read a few variables, and most states share the values of these
//! with others. So the largest parts of the next-state action that read less than everything are marked here ([`Act::Kept`])
//! with what decides them, and the machine searches each of them once for the same values (`machine/kept.rs`).
//!
//! The walk goes down disjunctions, quantifiers and branches as long as their parts read less than they do. What is
//! no function of the state, has a search of its own or sees other frames is left as it is.

use std::collections::{BTreeMap, BTreeSet};

use super::Program;
use crate::code::{Act, Argument, Bind, Code, Op, Row, Site, Slot, Target, Var};

/// At most so many names and variables decide what is remembered.
pub(crate) const MOST_KEYS: usize = 12;

/// How far the walk goes down.
const DEEPEST: usize = 32;

/// Whoever remembers which variables are unchanged has so many bits for them.
const MOST_VARIABLES: usize = 64;

/// What a piece of code refers to.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses {
    pub variables: BTreeSet<Var>,
    /// The same with the rows in which they are read.
    pub read: BTreeSet<(Row, Var)>,
    /// Slots of its own frame.
    pub slots: BTreeSet<Slot>,
    pub bound: BTreeSet<Slot>,
    pieces: BTreeSet<u32>,
    act_pieces: BTreeSet<u32>,
    bodies: BTreeSet<u32>,
    /// Whether it cannot be remembered at all.
    pub is_odd: bool,
    /// Whether fairness may be about a part of it.
    is_watched: bool,
}

impl Uses {
    pub fn of(code: &mut Code) -> Uses {
        let mut uses = Uses::default();
        uses.add(code);
        uses
    }

    fn of_act(act: &mut Act) -> Uses {
        let mut uses = Uses::default();
        uses.add_act(act);
        uses
    }

    fn bind(&mut self, target: &Target) {
        match target {
            Target::One(slot) => self.bound.extend([*slot]),
            Target::Tuple(slots) => self.bound.extend(slots.iter().copied()),
        }
    }

    fn binds(&mut self, binds: &[Bind]) {
        for bind in binds {
            bind.targets.iter().for_each(|target| self.bind(target));
        }
    }

    fn variable(&mut self, row: Row, variable: Var) {
        self.variables.insert(variable);
        self.read.insert((row, variable));
        self.is_odd |= row > 1;
    }

    pub fn add(&mut self, code: &mut Code) {
        self.is_odd |= !code.facts.is_pure();
        match &mut code.op {
            Op::Variable(row, variable) => self.variable(*row, *variable),
            Op::Slot(0, slot) => self.slots.extend([*slot]),
            Op::Slot(..) | Op::Enabled(..) | Op::Composed(..) => self.is_odd = true,
            Op::Call(number, ..) => self.pieces.extend([*number]),
            Op::Function(_, body) | Op::Filter(_, body) => self.bodies.extend([*body]),
            Op::Let(thunks, _) => self.bound.extend(thunks.iter().map(|thunk| thunk.slot)),
            Op::Exists(binds, _) | Op::All(binds, _) | Op::Image(_, binds) => self.binds(binds),
            Op::Choose(bind, _) => self.binds(std::slice::from_ref(&**bind)),
            Op::Except(_, changes) => self.bound.extend(changes.iter().map(|change| change.at)),
            Op::Native(_, _, args) => {
                for arg in args.iter() {
                    if let Argument::Operator(slots, _) = arg {
                        self.bound.extend(slots.iter().copied());
                    }
                }
            }
            _ => {}
        }
        code.op.parts(&mut |part| self.add(part));
    }

    pub fn add_act(&mut self, act: &mut Act) {
        match act {
            Act::And(list) | Act::Or(list) => list.iter_mut().for_each(|act| self.add_act(act)),
            Act::Exists(binds, body) | Act::All(binds, body, _) => {
                self.binds(binds);
                binds.iter_mut().for_each(|bind| self.add(&mut bind.set));
                self.add_act(body);
            }
            Act::If(condition, yes, no) => {
                self.add(condition);
                self.add_act(yes);
                self.add_act(no);
            }
            Act::Case(arms, other, _) => {
                for (condition, act) in arms.iter_mut() {
                    self.add(condition);
                    self.add_act(act);
                }
                if let Some(other) = other {
                    self.add_act(other);
                }
            }
            Act::Let(thunks, body) => {
                for (thunk, _) in thunks.iter_mut() {
                    self.bound.insert(thunk.slot);
                    self.add(&mut thunk.code);
                }
                self.add_act(body);
            }
            Act::Assign(row, _, code)
            | Act::AssignIn(row, _, code, _)
            | Act::AssignSubset(row, _, code, _) => {
                self.is_odd |= *row != 1;
                self.add(code);
            }
            Act::Unchanged(next, now, ..) => self.is_odd |= (*next, *now) != (1, 0),
            Act::Test(code) => self.add(code),
            Act::Compose(..) => self.is_odd = true,
            Act::Named(_, args, body) => {
                args.iter_mut().for_each(|arg| self.add(arg));
                self.add_act(body);
            }
            Act::Watched(_, args, body) => {
                self.is_watched = true;
                args.iter_mut().for_each(|arg| self.add(arg));
                self.add_act(body);
            }
            Act::Call(number, _, args, _) => {
                args.iter_mut().for_each(|(arg, _)| self.add(arg));
                self.act_pieces.insert(*number);
            }
            Act::Kept(_, body) => self.add_act(body),
        }
    }

    /// Takes what other code refers to; what is in a frame of its own has slots of its own.
    fn take(&mut self, other: &Uses, is_here: bool) {
        self.variables.extend(&other.variables);
        self.read.extend(&other.read);
        self.pieces.extend(&other.pieces);
        self.act_pieces.extend(&other.act_pieces);
        self.bodies.extend(&other.bodies);
        self.is_odd |= other.is_odd;
        self.is_watched |= other.is_watched;
        if is_here {
            self.slots.extend(&other.slots);
            self.bound.extend(&other.bound);
        }
    }
}

/// What all code of a program refers to.
pub(super) struct All {
    pieces: Vec<Uses>,
    act_pieces: Vec<Uses>,
    bodies: Vec<Uses>,
    variables: usize,
}

impl All {
    pub fn of(program: &mut Program) -> All {
        let pieces = program.pieces.iter_mut();
        let act_pieces = program.act_pieces.iter_mut();
        let bodies = program.bodies.iter_mut();
        All {
            pieces: pieces.map(|piece| Uses::of(&mut piece.code)).collect(),
            act_pieces: act_pieces
                .map(|piece| Uses::of_act(&mut piece.act))
                .collect(),
            bodies: bodies
                .map(|body| {
                    let mut uses = Uses::of(&mut body.code);
                    body.targets.iter().for_each(|target| uses.bind(target));
                    uses.bound.extend(body.own);
                    uses
                })
                .collect(),
            variables: program.variables.len(),
        }
    }

    /// With all that it leads to; `lets` are slots around it that hold code.
    pub fn closed(&self, mut uses: Uses, lets: &BTreeMap<Slot, Uses>) -> Uses {
        // What stands here, bodies and definitions around it included.
        let mut seen: BTreeSet<u32> = BTreeSet::new();
        let mut known: BTreeSet<Slot> = BTreeSet::new();
        loop {
            let body = uses
                .bodies
                .iter()
                .find(|body| !seen.contains(body))
                .copied();
            let slot = uses.slots.iter().find(|slot| {
                !uses.bound.contains(slot) && !known.contains(slot) && lets.contains_key(slot)
            });
            match (body, slot.copied()) {
                (Some(body), _) => {
                    seen.insert(body);
                    uses.take(&self.bodies[body as usize], true);
                }
                (None, Some(slot)) => {
                    known.insert(slot);
                    uses.take(&lets[&slot], true);
                }
                (None, None) => break,
            }
        }
        uses.slots.retain(|slot| !lets.contains_key(slot));
        // What stands elsewhere.
        let mut far = Uses::default();
        far.pieces.clone_from(&uses.pieces);
        far.act_pieces.clone_from(&uses.act_pieces);
        let mut done = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        loop {
            if let Some(&piece) = far.pieces.difference(&done.0).next() {
                done.0.insert(piece);
                far.take(&self.pieces[piece as usize], false);
            } else if let Some(&piece) = far.act_pieces.difference(&done.1).next() {
                done.1.insert(piece);
                far.take(&self.act_pieces[piece as usize], false);
            } else if let Some(&body) = far.bodies.difference(&done.2).next() {
                done.2.insert(body);
                far.take(&self.bodies[body as usize], false);
            } else {
                break;
            }
        }
        uses.take(&far, false);
        uses
    }
}

/// The walk through the next-state action.
struct Marking<'p> {
    all: &'p All,
    sites: &'p mut Vec<Site>,
    lets: BTreeMap<Slot, Uses>,
}

impl Marking<'_> {
    fn uses(&self, act: &mut Act) -> Uses {
        self.all.closed(Uses::of_act(act), &self.lets)
    }

    fn mark(&mut self, act: &mut Act, depth: usize) {
        if depth == DEEPEST {
            return;
        }
        let depth = depth + 1;
        let uses = self.uses(act);
        let is_kept = !uses.is_odd && !uses.is_watched && uses.variables.len() < self.all.variables;
        if is_kept && !self.is_split(act, &uses) {
            self.keep(act, &uses);
            return;
        }
        match act {
            Act::Or(list) => list.iter_mut().for_each(|part| self.mark(part, depth)),
            // The last one has nothing behind it.
            Act::And(list) => {
                if let Some((last, before)) = list.split_last_mut()
                    && before.iter().all(|part| matches!(part, Act::Test(_)))
                {
                    self.mark(last, depth);
                }
            }
            Act::Exists(_, body) | Act::Named(_, _, body) | Act::Watched(_, _, body) => {
                self.mark(body, depth);
            }
            Act::If(_, yes, no) => {
                self.mark(yes, depth);
                self.mark(no, depth);
            }
            Act::Case(arms, other, _) => {
                arms.iter_mut().for_each(|(_, part)| self.mark(part, depth));
                if let Some(other) = other {
                    self.mark(other, depth);
                }
            }
            Act::Let(thunks, body) => {
                for (thunk, _) in thunks.iter_mut() {
                    let uses = Uses::of(&mut thunk.code);
                    self.lets.insert(thunk.slot, uses);
                }
                self.mark(body, depth);
            }
            _ => {}
        }
    }

    /// Whether some part reads less than the whole.
    fn is_split(&self, act: &mut Act, whole: &Uses) -> bool {
        match act {
            Act::Or(list) => list
                .iter_mut()
                .any(|part| self.uses(part).variables != whole.variables),
            Act::Exists(_, body) | Act::Named(_, _, body) => {
                self.uses(body).variables != whole.variables
                    || matches!(**body, Act::Or(_)) && self.is_split(body, whole)
            }
            _ => false,
        }
    }

    fn keep(&mut self, act: &mut Act, uses: &Uses) {
        let slots = uses.slots.difference(&uses.bound).copied();
        let slots: Box<[Slot]> = slots.collect();
        let reads: Box<[Var]> = uses.variables.iter().copied().collect();
        if slots.len() + reads.len() > MOST_KEYS || is_plain(act) {
            return;
        }
        let Ok(number) = u32::try_from(self.sites.len()) else {
            return;
        };
        self.sites.push(Site { slots, reads });
        let body = std::mem::replace(act, Act::Or(Box::default()));
        *act = Act::Kept(number, Box::new(body));
    }
}

/// Whether nothing is evaluated.
fn is_plain(act: &Act) -> bool {
    match act {
        Act::And(list) => list.iter().all(is_plain),
        Act::Unchanged(..) => true,
        _ => false,
    }
}

/// `x' = x` is `UNCHANGED x`.
fn settle(act: &mut Act) {
    match act {
        Act::Assign(1, variable, code) => {
            if matches!(code.op, Op::Variable(0, own) if own == *variable) {
                *act = Act::Unchanged(1, 0, *variable, code.span);
            }
        }
        Act::And(list) | Act::Or(list) => list.iter_mut().for_each(settle),
        Act::Exists(_, body) | Act::All(_, body, _) | Act::Let(_, body) => settle(body),
        Act::Named(_, _, body) | Act::Watched(_, _, body) | Act::Kept(_, body) => settle(body),
        Act::If(_, yes, no) => {
            settle(yes);
            settle(no);
        }
        Act::Case(arms, other, _) => {
            arms.iter_mut().for_each(|(_, part)| settle(part));
            if let Some(other) = other {
                settle(other);
            }
        }
        _ => {}
    }
}

impl Program {
    /// Marks the parts of the next-state action that are remembered.
    pub fn keep_steps(&mut self, next: &mut Act) {
        if self.variables.len() > MOST_VARIABLES {
            return;
        }
        settle(next);
        self.act_pieces
            .iter_mut()
            .for_each(|piece| settle(&mut piece.act));
        let all = All::of(self);
        let mut sites = Vec::new();
        let mut marking = Marking {
            all: &all,
            sites: &mut sites,
            lets: BTreeMap::new(),
        };
        marking.mark(next, 0);
        self.sites = sites;
        self.keep_values(next, &all);
    }
}
