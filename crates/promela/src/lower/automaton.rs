//! Control states and transitions from the graph of elements.
//!
//! Each element that is a state of its own has a list of transitions. Selections and blocks first
//! list where their options begin; choices within choices are spread, then the transition of each
//! option's first statement is pulled up into the selection. Escapes of an `unless` are put in
//! front of the transitions they guard, one priority group each.

use std::collections::HashMap;

use evenhand_source::{Diagnostic, Span, spend};
use evenhand_system::ActionId;
use evenhand_system::program::expr::{Action, Location};
use evenhand_system::program::{LocationSpec, Transition};

use super::dstep;
use super::flow::{ATOMIC, ATOMIC_END, ElementId, Flow, Node, SequenceId};
use crate::token::Name;

/// The automaton of one process.
#[derive(Clone, Debug, Default)]
pub(super) struct Automaton {
    pub locations: Vec<LocationSpec>,
    pub initial: Location,
    /// For each label, the location it names.
    pub labels: HashMap<Name, Location>,
    /// What each transition is: text, place and labels; `info` counts these from 0.
    pub infos: Vec<Info>,
    /// The number of elements of its graph.
    pub elements: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Info {
    pub text: String,
    pub span: Span,
    pub labels: Vec<String>,
    /// Whether it is the end of the process.
    pub is_end: bool,
    /// The element, counted from 0 in its process.
    pub element: u32,
}

/// A transition while lists are rearranged.
#[derive(Clone, Debug)]
struct Move {
    /// The element it executes; none while it only says where an option begins.
    element: ElementId,
    target: Option<ElementId>,
    atomic: bool,
    escapes: Vec<ElementId>,
    /// The escape it came from.
    escape: Option<ElementId>,
}

#[derive(Clone, Debug, Default)]
struct State {
    /// Whether the moves say where options begin.
    choice: bool,
    moves: Vec<Move>,
    valid_end: bool,
    progress: bool,
    accept: bool,
}

struct Builder<'a> {
    flow: &'a mut Flow,
    states: Vec<State>,
    done: Vec<bool>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

/// Builds the automaton of a process whose body is `body`.
pub(super) fn build(
    flow: &mut Flow,
    body: SequenceId,
    diagnostics: &mut Vec<Diagnostic>,
) -> Automaton {
    flow.tie_loose_ends();
    let count = flow.elements.len();
    let mut builder = Builder {
        flow,
        states: vec![State::default(); count],
        done: vec![false; count],
        diagnostics,
    };
    builder.labels();
    builder.sequence(body);
    builder.spread();
    builder.pull();
    builder.escapes();
    builder.end_states();
    let first = builder.flow.sequence(body).first;
    let initial = first.map(|f| builder.hunt(f, builder.flow.element(f).status));
    builder.finish(initial)
}

impl Builder<'_> {
    fn state(&mut self, element: ElementId) -> &mut State {
        &mut self.states[element.0 as usize]
    }

    fn labels(&mut self) {
        for label in self.flow.labels.clone() {
            let state = self.state(label.element);
            state.valid_end |= label.name.starts_with("end");
            state.progress |= label.name.starts_with("progress");
            state.accept |= label.name.starts_with("accept");
        }
        for index in 0..self.flow.elements.len() {
            if matches!(self.flow.elements[index].node, Node::Stop) {
                self.states[index].valid_end = true;
            }
        }
    }

    /// Where control is when it is sent to an element: jumps and joins are passed over, but not out
    /// of an atomic sequence.
    fn hunt(&mut self, from: ElementId, status: u8) -> ElementId {
        let mut at = from;
        for _ in 0..=self.flow.elements.len() {
            let element = self.flow.element(at);
            let span = element.span;
            let next = match &element.node {
                Node::Goto(target) => self.flow.jump(target),
                Node::Join | Node::Exit => element.next,
                Node::Unless => {
                    let main = self.flow.sequence(element.sub[0]);
                    main.first.map(|first| self.hunt(first, status))
                }
                _ => return at,
            };
            let Some(next) = next else { return at };
            if next == at {
                self.diagnostics
                    .push(Diagnostic::error(span, "a `goto` that leads to itself"));
                return at;
            }
            if status & ATOMIC != 0 && self.flow.element(next).status & ATOMIC == 0 {
                return at;
            }
            at = next;
        }
        let span = self.flow.element(from).span;
        self.diagnostics.push(Diagnostic::error(
            span,
            "a cycle of jumps without a statement",
        ));
        at
    }

    /// The first element of an option or block that does something.
    fn start(&self, from: ElementId) -> ElementId {
        let mut at = from;
        for _ in 0..=self.flow.elements.len() {
            let element = self.flow.element(at);
            let next = match element.node {
                Node::Join => element.next,
                Node::Unless => self.flow.sequence(element.sub[0]).first,
                _ => None,
            };
            match next {
                Some(next) => at = next,
                None => return at,
            }
        }
        at
    }

    fn sequence(&mut self, id: SequenceId) {
        let last = self.flow.sequence(id).last;
        let mut at = self.flow.sequence(id).first;
        while let Some(element) = at {
            if !self.done[element.0 as usize] {
                self.done[element.0 as usize] = true;
                self.element(element);
            }
            if at == last {
                break;
            }
            at = self.flow.element(element).next;
        }
    }

    fn element(&mut self, id: ElementId) {
        spend();
        let element = self.flow.element(id).clone();
        match &element.node {
            Node::Unless => self.sequence(element.sub[0]),
            Node::If | Node::Do => {
                let mut moves = Vec::new();
                for &option in &element.sub {
                    let Some(first) = self.flow.sequence(option).first else {
                        continue;
                    };
                    let start = self.start(first);
                    if !self.is_dead(start) {
                        moves.push(self.begin(id, start, element.status & ATOMIC != 0));
                    }
                }
                *self.state(id) = State {
                    choice: true,
                    moves,
                    ..self.state(id).clone()
                };
                for &option in &element.sub {
                    self.sequence(option);
                }
            }
            Node::DStep(_) => {
                let target = element.next.map(|next| self.hunt(next, element.status));
                let atomic = element.status & ATOMIC != 0;
                self.single(id, target, atomic);
            }
            Node::Atomic(inner) | Node::Block(inner) => {
                self.patch(*inner);
                let Some(first) = self.flow.sequence(*inner).first else {
                    return;
                };
                let start = self.start(first);
                if let Some(last) = self.flow.sequence(*inner).last {
                    self.flow.element_mut(last).next = element.next;
                }
                let is_atomic = matches!(element.node, Node::Atomic(_));
                let moves = vec![self.begin(id, start, is_atomic)];
                *self.state(id) = State {
                    choice: true,
                    moves,
                    ..self.state(id).clone()
                };
                self.sequence(*inner);
            }
            Node::Goto(target) => match self.flow.jump(target) {
                Some(to) => {
                    let to = self.hunt(to, element.status);
                    self.single(id, Some(to), element.status & ATOMIC != 0);
                }
                None => self.single(id, None, false),
            },
            Node::Stop => self.single(id, None, false),
            Node::Basic(_) | Node::Else | Node::Join | Node::Exit => {
                let target = element.next.map(|next| self.hunt(next, element.status));
                self.single(id, target, element.status & ATOMIC != 0);
            }
        }
    }

    fn begin(&self, id: ElementId, start: ElementId, atomic: bool) -> Move {
        Move {
            element: id,
            target: Some(start),
            atomic,
            escapes: Vec::new(),
            escape: None,
        }
    }

    /// An option that begins with `false` is no option.
    fn is_dead(&self, start: ElementId) -> bool {
        use evenhand_system::program::expr::Expr;
        let element = self.flow.element(start);
        let never = matches!(element.node, Node::Basic(Action::Condition(Expr::Const(0))));
        never && element.escapes.is_empty()
    }

    /// The one transition of a statement, and the escapes that go with it.
    fn single(&mut self, id: ElementId, target: Option<ElementId>, atomic: bool) {
        let element = self.flow.element(id).clone();
        let mut escapes = Vec::new();
        if !matches!(element.node, Node::Join) {
            for &escape in &element.escapes {
                if let Some(first) = self.flow.sequence(escape).first {
                    escapes.push(self.hunt(first, element.status));
                }
            }
        }
        let moves = vec![Move {
            element: id,
            target,
            atomic,
            escapes,
            escape: None,
        }];
        *self.state(id) = State {
            choice: false,
            moves,
            ..self.state(id).clone()
        };
        for &escape in &element.escapes {
            if !matches!(element.node, Node::Join) {
                self.sequence(escape);
            }
        }
    }

    /// Corrects the marks of jumps that leave an atomic sequence, or go from one to another.
    fn patch(&mut self, sequence: SequenceId) {
        let extent = self.flow.sequence(sequence).extent;
        let mut at = self.flow.sequence(sequence).first;
        while let Some(id) = at {
            let element = self.flow.element(id).clone();
            if let Node::Goto(target) = &element.node {
                if let Some(to) = self.flow.jump(target) {
                    let inside = self.flow.element(to).status & (ATOMIC | ATOMIC_END) != 0;
                    let status = &mut self.flow.element_mut(id).status;
                    if *status & (ATOMIC | ATOMIC_END) != 0 && !inside {
                        *status = (*status & !ATOMIC) | ATOMIC_END;
                    }
                    if *status & ATOMIC_END != 0 && inside {
                        *status = (*status & !ATOMIC_END) | ATOMIC;
                    }
                }
            } else {
                for option in element.sub {
                    self.patch(option);
                }
            }
            if at == extent {
                break;
            }
            at = element.next;
        }
    }

    /// Spreads choices within choices.
    fn spread(&mut self) {
        loop {
            let mut changed = false;
            for index in 0..self.states.len() {
                let is_nested =
                    |m: &Move| m.target.is_some_and(|t| self.states[t.0 as usize].choice);
                if !self.states[index].choice || !self.states[index].moves.iter().any(is_nested) {
                    continue;
                }
                spend();
                let mut moves = Vec::new();
                for option in self.states[index].moves.clone() {
                    let Some(through) = option.target else {
                        continue;
                    };
                    let inner = self.states[through.0 as usize].clone();
                    if !inner.choice {
                        self.inherit(through, option.target);
                        moves.push(option);
                        continue;
                    }
                    if through.0 as usize == index {
                        continue; // a selection that begins with itself
                    }
                    changed = true;
                    for m in inner.moves {
                        self.inherit(through, m.target);
                        moves.push(m);
                    }
                }
                self.states[index].moves = moves;
            }
            if !changed {
                return;
            }
        }
    }

    /// What a state that is passed over says holds where it leads.
    fn inherit(&mut self, through: ElementId, target: Option<ElementId>) {
        let from = self.state(through).clone();
        if let Some(target) = target {
            let to = self.state(target);
            to.valid_end |= from.valid_end;
            to.progress |= from.progress;
            to.accept |= from.accept;
        }
    }

    /// Pulls the first statement of each option up into the selection.
    fn pull(&mut self) {
        for index in 0..self.states.len() {
            if !self.states[index].choice {
                continue;
            }
            let mut moves = Vec::new();
            for option in self.states[index].moves.clone() {
                let Some(through) = option.target else {
                    continue;
                };
                let Some(first) = self.states[through.0 as usize].moves.first().cloned() else {
                    continue;
                };
                self.inherit(through, first.target);
                moves.push(first);
            }
            self.states[index].moves = moves;
        }
    }

    /// Puts escapes in front of the transitions they guard.
    fn escapes(&mut self) {
        for index in 0..self.states.len() {
            let own = self.states[index].moves.clone();
            for m in &own {
                for &escape in m.escapes.iter().rev() {
                    spend();
                    for taken in self.states[escape.0 as usize].moves.clone() {
                        let present = self.states[index]
                            .moves
                            .iter()
                            .any(|m| m.element == taken.element);
                        if !present {
                            let copy = Move {
                                escape: Some(escape),
                                ..taken
                            };
                            self.states[index].moves.insert(0, copy);
                        }
                    }
                }
            }
        }
    }

    /// A state from which only a jump leads on passes its being a valid end on.
    fn end_states(&mut self) {
        for index in 0..self.states.len() {
            let state = &self.states[index];
            let [only] = &state.moves[..] else { continue };
            let is_join = matches!(self.flow.element(only.element).node, Node::Join);
            if state.valid_end
                && is_join
                && let Some(target) = only.target
            {
                self.states[target.0 as usize].valid_end = true;
            }
        }
    }

    fn finish(mut self, initial: Option<ElementId>) -> Automaton {
        let mut automaton = Automaton {
            elements: self.flow.elements.len() as u32,
            ..Automaton::default()
        };
        let Some(initial) = initial else {
            return automaton;
        };
        // Locations are the states that control can reach, and those that labels name.
        let mut order = vec![initial];
        let mut number: HashMap<ElementId, u32> = HashMap::from([(initial, 0)]);
        let mut at = 0;
        let mut visit = |element: ElementId, order: &mut Vec<ElementId>| {
            number.entry(element).or_insert_with(|| {
                order.push(element);
                order.len() as u32 - 1
            });
        };
        while at < order.len() {
            let state = &self.states[order[at].0 as usize];
            for m in state.moves.iter().rev() {
                if let Some(target) = m.target {
                    visit(target, &mut order);
                }
            }
            at += 1;
        }
        let mut infos: HashMap<ElementId, ActionId> = HashMap::new();
        for &element in &order {
            let state = self.states[element.0 as usize].clone();
            let mut location = LocationSpec {
                groups: Vec::new(),
                number: element.0 + 1,
                valid_end: state.valid_end,
                progress: state.progress,
                accept: state.accept,
            };
            let mut previous: Option<Option<ElementId>> = None;
            for m in &state.moves {
                spend();
                let info = *infos.entry(m.element).or_insert_with(|| {
                    automaton.infos.push(self.flow.info(m.element));
                    ActionId::new(automaton.infos.len() - 1)
                });
                let action = self.action(m.element);
                let target = m.target.map_or(0, |t| number[&t]);
                let transition = Transition {
                    action,
                    target: Location(target),
                    atomic: m.atomic,
                    info,
                };
                if previous != Some(m.escape) {
                    location.groups.push(Vec::new());
                    previous = Some(m.escape);
                }
                if let Some(group) = location.groups.last_mut() {
                    group.push(transition);
                }
            }
            for group in &mut location.groups {
                // `else` is tried when everything else of its selection was.
                group.sort_by_key(|t| matches!(t.action, Action::Else));
            }
            automaton.locations.push(location);
        }
        for label in self.flow.labels.clone() {
            for element in self.statements_at(label.element, &infos) {
                if let Some(&info) = infos.get(&element) {
                    let labels = &mut automaton.infos[info.index()].labels;
                    let name = label.name.to_string();
                    if !labels.contains(&name) {
                        labels.push(name);
                    }
                }
            }
        }
        // Whoever refers to a label from outside means the first so spelled.
        for label in self.flow.labels.iter().rev() {
            let name = &label.name;
            match number.get(&label.element) {
                Some(&location) => automaton.labels.insert(name.clone(), Location(location)),
                None => automaton.labels.remove(name),
            };
        }
        automaton
    }

    /// The elements that are executed at a label: of a selection the first statements of its
    /// options, of a block its first statement, of a jump that takes no step those where it leads.
    fn statements_at(
        &mut self,
        element: ElementId,
        infos: &HashMap<ElementId, ActionId>,
    ) -> Vec<ElementId> {
        let mut at = self.start(element);
        if matches!(self.flow.element(at).node, Node::Goto(_)) && !infos.contains_key(&at) {
            at = self.hunt(at, 0);
        }
        let moves = self.states[at.0 as usize].moves.iter();
        // Escapes stand beside the statement, not at the label.
        moves
            .filter(|m| m.escape.is_none())
            .map(|m| m.element)
            .collect()
    }

    fn action(&mut self, element: ElementId) -> Action {
        match &self.flow.element(element).node {
            Node::Basic(action) => action.clone(),
            Node::Else => Action::Else,
            Node::Stop => Action::Die,
            Node::DStep(inner) => dstep::sequence(self.flow, *inner, self.diagnostics),
            _ => Action::Skip,
        }
    }
}

impl Flow {
    fn info(&self, element: ElementId) -> Info {
        let found = self.element(element);
        // The labels inside of a d_step are those of the one action that it is.
        let inside = match found.node {
            Node::DStep(inner) => self.all_members(inner),
            _ => Vec::new(),
        };
        let labels = self
            .labels
            .iter()
            .filter(|l| l.element == element || inside.contains(&l.element))
            .map(|l| l.name.to_string())
            .collect();
        let text = match &found.node {
            Node::Stop => "end".to_string(),
            Node::Else => "else".to_string(),
            _ => found.text.clone(),
        };
        Info {
            text,
            span: found.span,
            labels,
            is_end: matches!(found.node, Node::Stop),
            element: element.0,
        }
    }
}
