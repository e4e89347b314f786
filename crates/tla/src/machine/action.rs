//! The search for next states, and for initial ones.
//!
//! An action is walked from left to right with what remains to be done in hand. At a branch each way is followed to its
//! end before the next one is tried; a variable that got its value on the way loses it on the way back. Where nothing
//! remains, a state is found. Where all variables have values, what remains is but decided (`decide.rs`).

use evenhand_source::Span;

use super::decide::has_tests_alone;
use super::{Cell, Machine};
use crate::code::{Act, Bind, Code, Row, Slot, Target, Thunk, Var};
use crate::compile::Compiled;
use crate::failure::Failure;
use crate::value::{MOST_ELEMENTS, Value};

/// A set with so many elements takes days to be tried; where it has led to so many states, the memory will not do.
const ENDLESS: u128 = 1 << 39;
const MANY: u64 = 1 << 20;

/// Whoever wants the states that are found.
pub(crate) trait Sink<'c> {
    /// The row that was searched for is complete as far as the action says; whether to go on.
    fn found(&mut self, machine: &mut Machine<'c>) -> Result<Found, Failure>;

    /// The same for a row of values that have these numbers, where the numbers are enough; none where they are not.
    fn found_again(&mut self, _: &Machine<'c>, _: &[u32]) -> Option<Found> {
        None
    }
}

/// Whether a search goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    GoOn,
    Enough,
}

/// The part of the next-state action that is searched, where not all of it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Only<'c> {
    /// At each disjunction on the way, which branch leads there.
    pub branches: &'c [u32],
    /// How many of them are behind.
    pub at: usize,
}

/// What remains to be done.
pub(super) enum Rest<'r, 'c> {
    Nothing,
    More(&'c [Act], usize, &'r Rest<'r, 'c>),
    /// The body of a quantifier for the values that remain.
    Each(&'r Each<'r, 'c>, &'r [Vec<Value>], &'r Rest<'r, 'c>),
}

/// A conjunction over values.
pub(super) struct Each<'r, 'c> {
    targets: &'r [&'c Target],
    body: &'c Act,
    base: usize,
    range: (Slot, Slot),
    /// Whether the body gives no variable a value, and has one way at most.
    tests: bool,
}

pub(super) type Searched = Result<Found, Failure>;

/// Goes on with the second of two actions from each state that the first one leads to.
struct Through<'r, 'c> {
    act: &'c Act,
    base: usize,
    rest: &'r Rest<'r, 'c>,
    /// How many variables have no value yet in the row that the second one is to find.
    open: usize,
    sink: &'r mut dyn Sink<'c>,
}

impl<'c> Sink<'c> for Through<'_, 'c> {
    fn found(&mut self, machine: &mut Machine<'c>) -> Searched {
        machine.passed += 1;
        let open = std::mem::replace(&mut machine.open, self.open);
        let searched = machine.act(self.act, self.base, self.rest, self.sink);
        machine.open = open;
        searched
    }
}

impl<'c> Machine<'c> {
    /// Searches with an action; the rows it reads are set, the one it looks for is empty.
    pub fn search(&mut self, act: &'c Compiled<Act>, sink: &mut dyn Sink<'c>) -> Searched {
        let base = self.enter(act.frame);
        self.open = self.program.variables.len();
        let has_state = self.rows.get(0, 0).is_some();
        self.most = if has_state { MOST_ELEMENTS } else { u64::MAX };
        self.kept.interrupt();
        let searched = self.act(&act.code, base, &Rest::Nothing, sink);
        self.stack.truncate(base);
        searched
    }

    /// Whether an action has a step.
    pub(super) fn is_enabled(
        &mut self,
        row: Row,
        act: &'c Act,
        base: usize,
    ) -> Result<bool, Failure> {
        struct First(bool);
        impl<'c> Sink<'c> for First {
            fn found(&mut self, _: &mut Machine<'c>) -> Searched {
                self.0 = true;
                Ok(Found::Enough)
            }
        }
        let mut first = First(false);
        self.search_row(row, act, base, &mut first)?;
        Ok(first.0)
    }

    /// Searches for values of a row while another search may be under way.
    pub(super) fn search_row(
        &mut self,
        row: Row,
        act: &'c Act,
        base: usize,
        sink: &mut dyn Sink<'c>,
    ) -> Searched {
        // The row may be in use by a search around this one.
        let columns = self.program.variables.len() + self.program.columns;
        let empty = vec![None; columns];
        let kept = self.rows.replace(row, empty);
        let action = self.action;
        let open = std::mem::replace(&mut self.open, columns);
        let noted = self.kept.interrupt();
        // Which branches are wanted is said of the search around this one.
        let only = std::mem::take(&mut self.only);
        let searched = self.act(act, base, &Rest::Nothing, sink);
        self.only = only;
        self.kept.resume(noted);
        self.rows.replace(row, kept);
        self.action = action;
        self.open = open;
        searched
    }

    fn rest(&mut self, rest: &Rest<'_, 'c>, sink: &mut dyn Sink<'c>) -> Searched {
        match rest {
            Rest::Nothing => {
                let found = sink.found(self)?;
                self.found += 1;
                self.note_found(found);
                Ok(found)
            }
            Rest::More(list, base, up) => {
                let mut list = *list;
                while let [first, tail @ ..] = list {
                    let held = match first {
                        first if self.open == 0 => self.decide(first, *base)?,
                        Act::Test(code) => self.test(code, *base)?,
                        _ => break,
                    };
                    if !held {
                        return Ok(Found::GoOn);
                    }
                    list = tail;
                }
                match list {
                    [] => self.rest(up, sink),
                    [last] => self.act(last, *base, up, sink),
                    [first, tail @ ..] => {
                        self.check_depth()?;
                        self.act(first, *base, &Rest::More(tail, *base, up), sink)
                    }
                }
            }
            Rest::Each(each, values, up) => {
                let Some((first, tail)) = values.split_first() else {
                    return self.rest(up, sink);
                };
                self.check_depth()?;
                // The way back needs the names as they were.
                let slots = each.base + each.range.0 as usize..each.base + each.range.1 as usize;
                let kept: Vec<Cell<'c>> = self.stack[slots.clone()].to_vec();
                if self.open == 0 || each.tests {
                    let decided = self.decide_each(each, values);
                    self.stack[slots].clone_from_slice(&kept);
                    return match decided? {
                        true => self.rest(up, sink),
                        false => Ok(Found::GoOn),
                    };
                }
                for (target, value) in each.targets.iter().zip(first) {
                    self.bind(each.base, target, value.clone())?;
                }
                let searched = self.act(each.body, each.base, &Rest::Each(each, tail, up), sink);
                self.stack[slots].clone_from_slice(&kept);
                searched
            }
        }
    }

    fn decide_each(&mut self, each: &Each<'_, 'c>, all: &[Vec<Value>]) -> Result<bool, Failure> {
        for values in all {
            for (target, value) in each.targets.iter().zip(values) {
                self.bind(each.base, target, value.clone())?;
            }
            let held = match self.open {
                0 => self.decide(each.body, each.base)?,
                _ => self.decide_tests(each.body, each.base)?,
            };
            if !held {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn act(
        &mut self,
        act: &'c Act,
        base: usize,
        rest: &Rest<'_, 'c>,
        sink: &mut dyn Sink<'c>,
    ) -> Searched {
        match act {
            Act::And(list) => self.rest(&Rest::More(list, base, rest), sink),
            Act::Or(list) => {
                self.check_depth()?;
                if let Some(&branch) = self.only.branches.get(self.only.at) {
                    return self.act_only(&list[branch as usize], base, rest, sink);
                }
                for part in list {
                    if self.act(part, base, rest, sink)? == Found::Enough {
                        return Ok(Found::Enough);
                    }
                }
                Ok(Found::GoOn)
            }
            Act::Test(code) => match self.test(code, base)? {
                true => self.rest(rest, sink),
                false => Ok(Found::GoOn),
            },
            Act::Assign(row, variable, code) => {
                let value = self.eval(code, base)?;
                let value = self.settled(value)?;
                self.cover(code.span, true);
                match self.has_value(*row, *variable) {
                    Some(known) => {
                        self.kept.compare(*variable);
                        match known.equal(&value).map_err(|f| f.at(code.span))? {
                            true => self.rest(rest, sink),
                            false => Ok(Found::GoOn),
                        }
                    }
                    None => self.assign(*row, *variable, value, rest, sink),
                }
            }
            Act::Unchanged(next, now, variable, span) => {
                let value = self.variable(*now, *variable).map_err(|f| f.at(*span))?;
                match self.has_value(*next, *variable) {
                    Some(known) => {
                        // What it was before decides here.
                        self.kept.forget();
                        match known.equal(&value).map_err(|f| f.at(*span))? {
                            true => self.rest(rest, sink),
                            false => Ok(Found::GoOn),
                        }
                    }
                    None => {
                        self.kept.copied |= 1 << (*variable % 64);
                        let searched = self.assign(*next, *variable, value, rest, sink);
                        self.kept.copied &= !(1 << (*variable % 64));
                        searched
                    }
                }
            }
            Act::Exists(binds, body) => match &**binds {
                [bind] if bind.targets.len() == 1 => {
                    let set = self.eval(&bind.set, base)?;
                    let set = self.set_of(set)?;
                    let mut elements = set.elements().map_err(|f| f.at(bind.set.span))?;
                    let before = self.found;
                    while let Some(value) = elements.next()? {
                        self.bind(base, &bind.targets[0], value)?;
                        if self.act(body, base, rest, sink)? == Found::Enough {
                            return Ok(Found::Enough);
                        }
                        self.check_found(before, &set, bind.set.span)?;
                    }
                    Ok(Found::GoOn)
                }
                _ => {
                    let (targets, all) = self.combinations(binds, base)?;
                    for values in all {
                        for (target, value) in targets.iter().zip(values) {
                            self.bind(base, target, value)?;
                        }
                        if self.act(body, base, rest, sink)? == Found::Enough {
                            return Ok(Found::Enough);
                        }
                    }
                    Ok(Found::GoOn)
                }
            },
            Act::If(condition, yes, no) => match self.condition(condition, base)? {
                true => self.act(yes, base, rest, sink),
                false => self.act(no, base, rest, sink),
            },
            Act::Let(thunks, body) => {
                self.put_thunks(thunks, base);
                self.act(body, base, rest, sink)
            }
            Act::Named(number, args, body) => {
                let before = self.action.replace((*number, args, base));
                let searched = self.act(body, base, rest, sink);
                // An error belongs to the action it was met in.
                if searched.is_ok() {
                    self.action = before;
                }
                searched
            }
            _ => self.act_rare(act, base, rest, sink),
        }
    }

    /// Follows the one branch that is wanted.
    #[inline(never)]
    fn act_only(
        &mut self,
        part: &'c Act,
        base: usize,
        rest: &Rest<'_, 'c>,
        sink: &mut dyn Sink<'c>,
    ) -> Searched {
        self.only.at += 1;
        let searched = self.act(part, base, rest, sink);
        self.only.at -= 1;
        searched
    }

    #[inline(never)]
    fn act_rare(
        &mut self,
        act: &'c Act,
        base: usize,
        rest: &Rest<'_, 'c>,
        sink: &mut dyn Sink<'c>,
    ) -> Searched {
        match act {
            Act::AssignIn(row, variable, code, span) => {
                self.cover(code.span, true);
                if let Some(known) = self.has_value(*row, *variable) {
                    self.kept.compare(*variable);
                    let inside = self.is_in(&known, code, base);
                    return match inside.map_err(|failure| failure.at(*span))? {
                        true => self.rest(rest, sink),
                        false => Ok(Found::GoOn),
                    };
                }
                let set = self.eval(code, base)?;
                let set = self.settled(set)?;
                self.assign_each(*row, *variable, &set, code, rest, sink)
            }
            Act::AssignSubset(row, variable, code, span) => {
                self.cover(code.span, true);
                let set = self.eval(code, base)?;
                let set = self.settled(set)?;
                if let Some(known) = self.has_value(*row, *variable) {
                    self.kept.compare(*variable);
                    return match known.subset_of(&set).map_err(|f| f.at(*span))? {
                        true => self.rest(rest, sink),
                        false => Ok(Found::GoOn),
                    };
                }
                let subsets = set.power_set().map_err(|f| f.at(*span))?;
                self.assign_each(*row, *variable, &subsets, code, rest, sink)
            }
            Act::Case(arms, other, span) => {
                for (condition, body) in arms {
                    if self.condition(condition, base)? {
                        return self.act(body, base, rest, sink);
                    }
                }
                match other {
                    Some(other) => self.act(other, base, rest, sink),
                    None => Err(Self::no_arm(*span)),
                }
            }
            Act::Kept(site, body) => self.act_kept(*site, body, base, rest, sink),
            Act::Watched(number, args, body) => {
                self.act_watched((*number, args, body), base, rest, sink)
            }
            Act::Compose(row, both) => {
                let [first, second] = &**both;
                let mut through = Through {
                    act: second,
                    base,
                    rest,
                    open: self.open,
                    sink,
                };
                self.search_row(*row, first, base, &mut through)
            }
            Act::All(binds, body, range) => {
                let (targets, all) = self.conjuncts(binds, base)?;
                let each = Each {
                    targets: &targets,
                    body,
                    base,
                    range: *range,
                    tests: has_tests_alone(body),
                };
                self.rest(&Rest::Each(&each, &all, rest), sink)
            }
            Act::Call(number, distance, args, _) => {
                let frame = self.frame_of_act(*number, *distance, args, base)?;
                let program = self.program;
                let piece = &program.act_pieces[*number as usize];
                let searched = self.act(&piece.act, frame, rest, sink);
                self.stack.truncate(frame);
                searched.map_err(|failure| failure.limit_at(piece.span))
            }
            // The others were met above.
            _ => Ok(Found::GoOn),
        }
    }

    /// A frame for an action, with its arguments.
    pub(super) fn frame_of_act(
        &mut self,
        number: u32,
        distance: u32,
        args: &'c [(Code, bool)],
        base: usize,
    ) -> Result<usize, Failure> {
        let program = self.program;
        let piece = &program.act_pieces[number as usize];
        self.check_depth()
            .map_err(|failure| failure.at(piece.span))?;
        evenhand_source::spend();
        let link = self.outwards(base, distance);
        let frame = self.push(piece.frame, link);
        for ((code, once), slot) in args.iter().zip(&piece.params) {
            self.stack[frame + *slot as usize] = Cell::Thunk(code, base, *once);
        }
        Ok(frame)
    }

    #[cold]
    pub(super) fn no_arm(span: Span) -> Failure {
        Failure::new("no arm of this CASE is true, and it has no OTHER").at(span)
    }

    /// Puts code into slots.
    pub(super) fn put_thunks(&mut self, thunks: &'c [(Thunk, bool)], base: usize) {
        for (thunk, once) in thunks {
            self.stack[base + thunk.slot as usize] = Cell::Thunk(&thunk.code, base, *once);
        }
    }

    fn has_value(&self, row: Row, variable: Var) -> Option<Value> {
        self.rows.get(row, variable).cloned()
    }

    fn assign(
        &mut self,
        row: Row,
        variable: Var,
        value: Value,
        rest: &Rest<'_, 'c>,
        sink: &mut dyn Sink<'c>,
    ) -> Searched {
        self.rows.set(row, variable, Some(value));
        self.open -= 1;
        let searched = self.rest(rest, sink);
        self.open += 1;
        self.rows.set(row, variable, None);
        searched
    }

    fn assign_each(
        &mut self,
        row: Row,
        variable: Var,
        set: &Value,
        code: &Code,
        rest: &Rest<'_, 'c>,
        sink: &mut dyn Sink<'c>,
    ) -> Searched {
        let mut elements = set.elements().map_err(|failure| failure.at(code.span))?;
        let before = self.found;
        while let Some(value) = elements.next()? {
            if self.assign(row, variable, value, rest, sink)? == Found::Enough {
                return Ok(Found::Enough);
            }
            self.check_found(before, set, code.span)?;
        }
        Ok(Found::GoOn)
    }

    /// Ends a search through a set that leads to more states than can be kept: what is to be blamed is the set.
    #[inline]
    fn check_found(&self, before: u64, set: &Value, span: Span) -> Result<(), Failure> {
        match self.found - before {
            found if found < MANY => Ok(()),
            found => self.check_size(found, set, span),
        }
    }

    #[cold]
    fn check_size(&self, found: u64, set: &Value, span: Span) -> Result<(), Failure> {
        if found > self.most {
            let most = self.most;
            let message = format!("more than {most} steps of one state come from one set");
            return Err(Failure::limit(message).at(span));
        }
        match set.cardinality() {
            Ok(Some(size)) if size > ENDLESS => {
                let message = "a set with more elements than there can be states leads to states";
                Err(Failure::limit(message).at(span))
            }
            _ => Ok(()),
        }
    }

    /// The values for which a conjunction is searched, in the order in which they are. TLC takes the first, and then from
    /// the last one backwards: what reads the variables may stand before what gives them values.
    pub(super) fn conjuncts(
        &mut self,
        binds: &'c [Bind],
        base: usize,
    ) -> Result<(Vec<&'c Target>, Vec<Vec<Value>>), Failure> {
        let (targets, mut all) = self.combinations(binds, base)?;
        if let Some((_, rest)) = all.split_first_mut() {
            rest.reverse();
        }
        Ok((targets, all))
    }

    /// All values of bound names together.
    fn combinations(
        &mut self,
        binds: &'c [Bind],
        base: usize,
    ) -> Result<(Vec<&'c Target>, Vec<Vec<Value>>), Failure> {
        let mut targets = Vec::new();
        let mut all = vec![Vec::new()];
        for bind in binds {
            let mut values = Vec::new();
            let mut elements = self.listing(&bind.set, base)?;
            while let Some(value) = elements.next()? {
                values.push(value);
            }
            for target in &bind.targets {
                targets.push(target);
                if (all.len() as u64).saturating_mul(values.len() as u64) > MOST_ELEMENTS {
                    let message = format!("there are more than {MOST_ELEMENTS} values together");
                    return Err(Failure::limit(message).at(bind.set.span));
                }
                let mut longer = Vec::with_capacity(all.len() * values.len());
                for row in &all {
                    for value in &values {
                        evenhand_source::spend();
                        let mut row = row.clone();
                        row.push(value.clone());
                        longer.push(row);
                    }
                }
                all = longer;
            }
        }
        Ok((targets, all))
    }
}
