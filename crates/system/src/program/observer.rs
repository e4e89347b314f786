//! Trace assertions: an automaton that watches what goes through channels.
//!
//! Events on the channels that the automaton names must follow it (`trace`), or must not complete
//! it (`notrace`); events on other channels are not its business. Its location is part of the
//! state. An event that does not fit is a fault of the step, and the run goes on; a `notrace`
//! automaton that missed once stays out of the game.

use super::code::{Code, CodeId};
use super::expr::Expr;
use super::machine::{Env, Failure, Frame};
use crate::fault::{Fault, FaultKind};
use evenhand_source::Span;

/// The automaton as a front-end describes it.
#[derive(Clone, Debug)]
pub struct Observer {
    /// What is expected at each location.
    pub locations: Vec<ObserverLocation>,
    /// Where it begins.
    pub initial: u16,
    /// Where its location is kept: two bytes of the globals.
    pub offset: u32,
    /// Whether completing the pattern is the error.
    pub negated: bool,
    /// Where it stands.
    pub span: Span,
}

/// What is expected at a location.
#[derive(Clone, Debug, Default)]
pub struct ObserverLocation {
    /// The events that lead on.
    pub events: Vec<Event>,
    /// Whether the pattern is complete here.
    pub end: bool,
}

/// An event on a channel.
#[derive(Clone, Debug)]
pub struct Event {
    /// Whether a message is sent; otherwise received.
    pub sent: bool,
    /// The channel.
    pub channel: Expr,
    /// What the fields must be; none for any value.
    pub fields: Vec<Option<Expr>>,
    /// Where it leads.
    pub target: u16,
}

#[derive(Debug)]
pub(crate) struct CompiledObserver {
    locations: Vec<Vec<CompiledEvent>>,
    ends: Vec<bool>,
    /// The channels it watches, and whether for sends.
    scope: Vec<(CodeId, bool)>,
    offset: usize,
    negated: bool,
    span: Span,
}

#[derive(Debug)]
struct CompiledEvent {
    sent: bool,
    channel: CodeId,
    fields: Vec<Option<CodeId>>,
    target: u16,
}

impl CompiledObserver {
    pub fn new(observer: &Observer, code: &mut Code) -> CompiledObserver {
        let mut scope = Vec::new();
        let mut locations = Vec::new();
        for location in &observer.locations {
            let mut events = Vec::new();
            for event in &location.events {
                let channel = code.value(&event.channel);
                scope.push((channel, event.sent));
                let fields = event.fields.iter();
                events.push(CompiledEvent {
                    sent: event.sent,
                    channel,
                    fields: fields.map(|f| f.as_ref().map(|f| code.value(f))).collect(),
                    target: event.target,
                });
            }
            locations.push(events);
        }
        CompiledObserver {
            locations,
            ends: observer.locations.iter().map(|l| l.end).collect(),
            scope,
            offset: observer.offset as usize,
            negated: observer.negated,
            span: observer.span,
        }
    }
}

/// Who evaluates the observer's expressions: they are over globals.
const NOBODY: Frame = Frame {
    pid: 0,
    base: 0,
    timeout: false,
};

impl Env<'_> {
    /// Tells the observer of an event that just happened in `state`; what it objects to.
    pub fn observe(
        &mut self,
        state: &mut [u8],
        sent: bool,
        channel: i32,
        fields: &[i32],
    ) -> Result<Option<Fault>, Failure> {
        let Some(observer) = &self.program.observer else {
            return Ok(None);
        };
        let mut watched = false;
        for &(code, of_send) in &observer.scope {
            if of_send == sent && self.value(code, state, NOBODY)? == channel {
                watched = true;
                break;
            }
        }
        let at = observer.offset;
        let here = usize::from(u16::from_le_bytes([state[at], state[at + 1]]));
        if !watched || observer.ends[here] {
            return Ok(None);
        }
        let go = |state: &mut [u8], target: u16| {
            state[at..at + 2].copy_from_slice(&target.to_le_bytes());
        };
        for event in &observer.locations[here] {
            if event.sent != sent || self.value(event.channel, state, NOBODY)? != channel {
                continue;
            }
            let mut fits = event.fields.len() == fields.len();
            for (wanted, &value) in event.fields.iter().zip(fields) {
                if let Some(code) = *wanted {
                    fits &= self.value(code, state, NOBODY)? == value;
                }
            }
            if !fits {
                continue;
            }
            go(state, event.target);
            let complete = observer.negated && observer.ends[usize::from(event.target)];
            let kind = FaultKind::Trace { complete: true };
            return Ok(complete.then_some(Fault {
                kind,
                span: observer.span,
            }));
        }
        if observer.negated {
            let end = observer.ends.iter().position(|&end| end).unwrap_or(here);
            go(state, end as u16); // only the first attempt counts
            return Ok(None);
        }
        let kind = FaultKind::Trace { complete: false };
        Ok(Some(Fault {
            kind,
            span: observer.span,
        }))
    }
}
