//! Finds the bindings of transitions, and makes the markings behind them.
//!
//! A search goes along the stages of a transition: each takes tokens, gives values to variables or asks a condition, and
//! calls the next one for every choice. Tokens that are taken are counted, and given back on the way home. What does not
//! change in a marking is not written again.

use evenhand_source::spend;
use evenhand_system::explicit::Step;
use evenhand_system::{Fault, FaultKind, Successors};

use super::bag::Bag;
use super::body::{Behind, NetExplorer, Taken, binding, fault, step};
use super::machine::{Marking, NoMarking};
use super::memo::Answer;
use super::net::allows;
use super::packing::{Writer, clear};
use super::transition::{Bind, Count, Gate, Match, Stage, Term, Transition, set};

/// How many bindings a marking may have, and how many bytes the markings behind it.
const MOST_BINDINGS: u64 = 20_000_000;
const MOST_BYTES: u64 = 256 << 20;

impl<'a> NetExplorer<'a> {
    /// The successors of the state that was read.
    pub(super) fn fire_all(&mut self, state: &[u8], out: &mut Successors) {
        (self.bindings, self.made) = (0, 0);
        let mut class = 0;
        for number in 0..self.net.transitions.len() {
            let transition = &self.net.transitions[number];
            if class != 0 && transition.priority != class {
                continue;
            }
            let before = (out.len(), out.faults().len());
            if self.told.is_some() || self.memos.list[number].is_none() {
                if !self.search(number, transition, 0, state, out) {
                    return;
                }
            } else if !self.remember(number, transition, state, out) {
                return;
            }
            if before != (out.len(), out.faults().len()) && transition.priority > 0 {
                class = transition.priority;
            }
        }
    }

    /// The steps of a transition that has a table; false if there are too many.
    pub(super) fn remember(
        &mut self,
        number: usize,
        transition: &'a Transition,
        state: &[u8],
        out: &mut Successors,
    ) -> bool {
        let Some(memo) = &mut self.memos.list[number] else {
            return true;
        };
        if let Answer::Steps(steps) = memo.ask(state) {
            self.executed[number] |= !steps.is_empty();
            for index in steps {
                memo.patch(index, state, &mut self.bytes);
                out.push(&self.bytes, step(number), memo.items(index));
            }
            return true;
        }
        if self.unpack(state).is_none() {
            out.fault(fault(FaultKind::BadState), Step::default());
            return false;
        }
        let before = (out.len(), out.faults().len());
        let more = self.search(number, transition, 0, state, out);
        if more
            && before.1 == out.faults().len()
            && let Some(memo) = &mut self.memos.list[number]
        {
            let own = before.0..out.len();
            memo.tell(own.map(|index| (out.state(index), out.taken(index))));
        }
        self.memos.tidy(number);
        more
    }

    /// Goes on from a stage; false if there are too many bindings.
    pub(super) fn search(
        &mut self,
        number: usize,
        transition: &'a Transition,
        stage: usize,
        state: &[u8],
        out: &mut Successors,
    ) -> bool {
        let Some(here) = transition.stages.get(stage) else {
            return self.fire(number, transition, state, out);
        };
        let step = step(number);
        match here {
            Stage::Check(gates) => match self.check(gates) {
                Ok(true) => self.search(number, transition, stage + 1, state, out),
                Ok(false) => true,
                Err(fault) => self.report(fault, step, out),
            },
            Stage::Take(term) => {
                let found = self.known_token(term);
                match found {
                    Ok(None) => true,
                    Ok(Some((at, count))) => {
                        let place = term.place.index();
                        if count > 0 {
                            self.taken[place][at] += count;
                        }
                        let more = self.search(number, transition, stage + 1, state, out);
                        if count > 0 {
                            self.taken[place][at] -= count;
                        }
                        more
                    }
                    Err(fault) => self.report(fault, step, out),
                }
            }
            Stage::Choose {
                term,
                binds,
                matches,
            } => {
                set(&mut self.machine.memory, &term.settings);
                let count = match self.count(&term.counts) {
                    Ok(0) => {
                        // Variables that no token gives a value to.
                        let (kind, span) = (FaultKind::Undefined, term.pattern.span);
                        out.fault(Fault { kind, span }, step);
                        return true;
                    }
                    Ok(count) => count,
                    Err(fault) => return self.report(fault, step, out),
                };
                let place = term.place.index();
                for at in 0..self.marking[place].len() {
                    if self.marking[place].counts[at] - self.taken[place][at] < count {
                        continue;
                    }
                    set(&mut self.machine.memory, &term.settings);
                    match self.matches(place, at, binds, matches) {
                        Ok(true) => {}
                        Ok(false) => continue,
                        Err(fault) => {
                            self.report(fault, step, out);
                            continue;
                        }
                    }
                    self.taken[place][at] += count;
                    let more = self.search(number, transition, stage + 1, state, out);
                    self.taken[place][at] -= count;
                    if !more {
                        return false;
                    }
                }
                true
            }
            Stage::TakeAll(place, expr) => {
                let bag = match self.machine.bag(expr, &NoMarking) {
                    Ok(bag) => bag,
                    Err(fault) => return self.report(fault, step, out),
                };
                let place = place.index();
                let mut more = true;
                let own = &self.marking[place];
                let there = (0..bag.len()).all(|at| {
                    own.place(bag.value(at)).is_ok_and(|found| {
                        own.counts[found] - self.taken[place][found] >= bag.counts[at]
                    })
                });
                if there {
                    self.take_bag(place, &bag, true);
                    more = self.search(number, transition, stage + 1, state, out);
                    self.take_bag(place, &bag, false);
                }
                self.machine.give_bag(bag);
                more
            }
            Stage::Set(offset, expr) => {
                let top = self.machine.memory.len();
                match self.machine.view(expr, &NoMarking) {
                    Ok(at) => {
                        let size = self.net.known.types.slots(expr.ty);
                        self.machine.memory.copy_within(at..at + size, *offset);
                        self.machine.memory.truncate(top);
                        self.search(number, transition, stage + 1, state, out)
                    }
                    Err(fault) => self.report(fault, step, out),
                }
            }
            Stage::Draw {
                ty,
                offset,
                condition,
            } => {
                let types = &self.net.known.types;
                let range = *offset..offset + types.slots(*ty);
                let mut value = types.first(*ty);
                loop {
                    spend();
                    self.machine.memory[range.clone()].copy_from_slice(&value);
                    let counts = match condition {
                        Some(condition) => self.machine.truth(condition, &NoMarking),
                        None => Ok(true),
                    };
                    match counts {
                        Ok(true) => {
                            if !self.search(number, transition, stage + 1, state, out) {
                                return false;
                            }
                        }
                        Ok(false) => {}
                        Err(fault) => {
                            self.report(fault, step, out);
                        }
                    }
                    if types.next(*ty, &mut value) {
                        return true;
                    }
                }
            }
        }
    }

    /// Tells what went wrong; nothing that was half done stays in memory.
    pub(super) fn report(&mut self, fault: Fault, step: Step, out: &mut Successors) -> bool {
        self.machine.memory.truncate(self.body.room);
        out.fault(fault, step);
        true
    }

    pub(super) fn take_bag(&mut self, place: usize, bag: &Bag, take: bool) {
        for at in 0..bag.len() {
            if let Ok(found) = self.marking[place].place(bag.value(at)) {
                match take {
                    true => self.taken[place][found] += bag.counts[at],
                    false => self.taken[place][found] -= bag.counts[at],
                }
            }
        }
    }

    /// Whether all conditions hold. One that does not counts more than one that has no value.
    pub(super) fn check(&mut self, gates: &[Gate]) -> Result<bool, Fault> {
        let mut wrong = None;
        for gate in gates {
            set(&mut self.machine.memory, &gate.settings);
            let top = self.machine.memory.len();
            match self.machine.truth(&gate.condition, &NoMarking) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(fault) => {
                    self.machine.memory.truncate(top);
                    wrong = wrong.or(Some(fault));
                }
            }
        }
        wrong.map_or(Ok(true), Err)
    }

    /// How often a term is taken.
    pub(super) fn count(&mut self, counts: &[Count]) -> Result<u64, Fault> {
        let none = &NoMarking;
        let mut product = 1u64;
        for count in counts {
            match count {
                Count::When(condition) => {
                    if !self.machine.truth(condition, none)? {
                        return Ok(0);
                    }
                }
                Count::Chosen(choice, place) => {
                    if self.machine.choose(choice, none)? != *place {
                        return Ok(0);
                    }
                }
                Count::Times(expr) => {
                    let number = self.machine.number(expr, none)?;
                    let fault = |kind| Fault {
                        kind,
                        span: expr.span,
                    };
                    let number =
                        u64::try_from(number).map_err(|_| fault(FaultKind::OutsideOfType))?;
                    product = product
                        .checked_mul(number)
                        .ok_or(fault(FaultKind::TooManyTokens))?;
                }
            }
        }
        Ok(product)
    }

    /// Where the token of a term is that is known, and how often it is taken; none if it is not there.
    pub(super) fn known_token(&mut self, term: &Term) -> Result<Option<(usize, u64)>, Fault> {
        set(&mut self.machine.memory, &term.settings);
        let count = self.count(&term.counts)?;
        if count == 0 {
            return Ok(Some((0, 0)));
        }
        let top = self.machine.memory.len();
        let at = self.machine.view(&term.pattern, &NoMarking)?;
        let place = term.place.index();
        let bag = &self.marking[place];
        let value = &self.machine.memory[at..at + bag.size];
        let found = bag.place(value).ok();
        self.machine.memory.truncate(top);
        Ok(found
            .filter(|&at| bag.counts[at] - self.taken[place][at] >= count)
            .map(|at| (at, count)))
    }

    /// Whether a token matches; if so, its variables have values then.
    pub(super) fn matches(
        &mut self,
        place: usize,
        token: usize,
        binds: &[Bind],
        matches: &[Match],
    ) -> Result<bool, Fault> {
        let types = &self.net.known.types;
        let bag = &self.marking[place];
        let value = bag.value(token);
        for check in matches {
            if let Match::Number(at, number) = check
                && value[*at] != *number
            {
                return Ok(false);
            }
        }
        for bind in binds {
            let size = types.slots(bind.ty);
            let part = &value[bind.from..bind.from + size];
            if !bind.fits && !types.contains(bind.ty, part) {
                return Ok(false);
            }
            self.machine.memory[bind.to..bind.to + size].copy_from_slice(part);
        }
        for check in matches {
            if let Match::Value(from, expr) = check {
                let top = self.machine.memory.len();
                let size = types.slots(expr.ty);
                let at = self.machine.view(expr, &NoMarking)?;
                let value = self.marking[place].value(token);
                let same = self.machine.memory[at..at + size] == value[*from..from + size];
                self.machine.memory.truncate(top);
                if !same {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Makes the step of a binding that is complete.
    pub(super) fn fire(
        &mut self,
        number: usize,
        transition: &'a Transition,
        state: &[u8],
        out: &mut Successors,
    ) -> bool {
        spend();
        self.bindings += 1;
        self.made += state.len() as u64;
        if self.bindings > MOST_BINDINGS || self.made > MOST_BYTES {
            let (kind, span) = (FaultKind::TooManySuccessors, transition.span);
            out.fault(Fault { kind, span }, step(number));
            return false;
        }
        match self.make(number, transition, state) {
            Ok(()) => {
                self.executed[number] = true;
                out.push(&self.bytes, step(number), self.found.iter().copied());
                if let Some(told) = &mut self.told {
                    let text = binding(self.net, transition, &self.machine.memory);
                    told.push(text);
                }
            }
            Err(fault) => {
                self.report(fault, step(number), out);
            }
        }
        true
    }

    /// The bytes behind a step, and the items that it takes.
    pub(super) fn make(
        &mut self,
        number: usize,
        transition: &'a Transition,
        state: &[u8],
    ) -> Result<(), Fault> {
        let types = &self.net.known.types;
        let places = &self.net.known.places;
        if transition.asks_taken {
            for (place, removed) in self.removed.iter_mut().enumerate() {
                removed.reset(self.marking[place].size);
                for (at, &count) in self.taken[place].iter().enumerate() {
                    // No place has more than it has.
                    let _ = removed.add(self.marking[place].value(at), count);
                }
            }
        }
        for &place in &transition.touched {
            let place = place.index();
            let (before, after) = (&self.marking[place], &mut self.after[place]);
            after.reset(before.size);
            for at in 0..before.len() {
                let left = before.counts[at] - self.taken[place][at];
                if left > 0 {
                    after.values.extend_from_slice(before.value(at));
                    after.counts.push(left);
                }
            }
        }
        for (place, expr) in &transition.outputs {
            let place = place.index();
            let removed = Taken(&self.removed);
            let into = &mut self.after[place];
            self.machine.gather(expr, 1, into, &removed)?;
        }
        for &place in &transition.touched {
            let (own, after) = (&places[place.index()], &self.after[place.index()]);
            let fault = |kind| Fault {
                kind,
                span: transition.span,
            };
            if after.total().is_none() {
                return Err(fault(FaultKind::TooManyTokens));
            }
            if own
                .capacity
                .as_ref()
                .is_some_and(|ranges| !allows(ranges, after))
            {
                return Err(fault(FaultKind::Capacity));
            }
            if own.constant && *after != self.net.initial[place.index()] {
                return Err(fault(FaultKind::Dependent));
            }
        }
        self.check_dependent(transition)?;
        // Everything that does not change stays where it is.
        let packing = &self.net.packing;
        let touches_lists = transition
            .touched
            .iter()
            .any(|place| packing.field(*place).is_none() && !places[place.index()].constant);
        self.bytes.clear();
        self.bytes.extend_from_slice(match touches_lists {
            true => &state[..packing.fixed_bytes()],
            false => state,
        });
        if touches_lists {
            let (at, end) = (packing.lists_at(), self.bytes.len() * 8);
            clear(&mut self.bytes, at, end - at);
        }
        for &place in &transition.touched {
            let Some(at) = packing.field(place) else {
                continue;
            };
            let ty = places[place.index()].ty;
            clear(&mut self.bytes, at, types.get(ty).bits);
            let bytes = &mut self.bytes;
            let mut writer = Writer { bytes, at };
            writer.value(types, ty, &self.after[place.index()].values);
        }
        if touches_lists {
            let mut writer = Writer {
                at: packing.lists_at(),
                bytes: &mut self.bytes,
            };
            for (list, &place) in packing.lists.iter().enumerate() {
                match transition.touched.binary_search(&place) {
                    Ok(_) => {
                        let ty = places[place.index()].ty;
                        writer.tokens(types, ty, &self.after[place.index()]);
                    }
                    Err(_) => writer.copy(state, self.lists[list].clone()),
                }
            }
        }
        self.find_items(number)
    }

    /// Places whose tokens follow from those of others have them.
    pub(super) fn check_dependent(&mut self, transition: &Transition) -> Result<(), Fault> {
        for (place, expr) in &self.net.dependent {
            let touched = &transition.touched;
            let mut concerned = touched.binary_search(place).is_ok();
            expr.places(&mut |read| concerned |= touched.binary_search(&read).is_ok());
            if !concerned {
                continue;
            }
            let behind = Behind {
                before: &self.marking,
                after: &self.after,
                touched,
            };
            self.aside.clear(self.net.room);
            let wanted = self.aside.bag(expr, &behind)?;
            let same = behind.tokens(*place) == Some(&wanted);
            self.aside.give_bag(wanted);
            if !same {
                let (kind, span) = (FaultKind::Dependent, transition.span);
                return Err(Fault { kind, span });
            }
        }
        Ok(())
    }

    /// The items that the binding at hand takes.
    pub(super) fn find_items(&mut self, number: usize) -> Result<(), Fault> {
        self.found.clear();
        for &(item, own, member) in &self.items[number] {
            let member = &self.body.sets[own].members[member];
            set(&mut self.machine.memory, &member.settings);
            let none = &NoMarking;
            if self.machine.truth(&member.condition, none)? {
                self.found.push(item);
            }
        }
        Ok(())
    }
}
