//! Which of the actions that fairness is about are being tried.
//!
//! Fairness speaks of steps of `A(p)` with a value of `p`. Where the next-state action is a disjunction in which `A(p)`
//! stands, a search of it finds all steps of `A(p)` anyway: nothing stands beside `A(p)` there that could take some
//! away. So whoever searches is told when it begins and when it is done, and need not ask again whether `A(p)` is
//! enabled, or whether a step is one of it. Whether the place was passed at all is remembered: in `\E p \in S : A(p)` the
//! set may depend on the state.

use super::Machine;
use super::action::{Rest, Searched, Sink};
use crate::code::{Act, Code};
use crate::value::Value;

/// An action that fairness is about: its number, and its arguments.
type Instance = (u32, Vec<Value>);

/// What is watched during a search.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// By the places of items.
    instances: Vec<Option<Instance>>,
    tried: Vec<bool>,
    active: Vec<usize>,
    /// The arguments at hand.
    args: Vec<Value>,
}

impl Watch {
    /// Watches these from now on.
    pub fn new(instances: Vec<Option<Instance>>) -> Watch {
        Watch {
            tried: vec![false; instances.len()],
            instances,
            ..Watch::default()
        }
    }

    /// Whether any is watched.
    pub fn is_empty(&self) -> bool {
        self.instances.is_empty()
    }

    /// Whether the item at this place is watched.
    pub fn watches(&self, place: usize) -> bool {
        self.instances.get(place).is_some_and(Option::is_some)
    }

    /// Whether the item at this place is being tried.
    pub fn is_active(&self, place: usize) -> bool {
        self.active.contains(&place)
    }

    /// Whether the item at this place was tried.
    pub fn was_tried(&self, place: usize) -> bool {
        self.tried.get(place) == Some(&true)
    }

    /// Nothing was tried yet.
    pub fn begin(&mut self) {
        self.tried.fill(false);
        self.active.clear();
    }

    /// Watches no more what was not tried; whether there was such an item.
    pub fn forget_untried(&mut self) -> bool {
        let mut some = false;
        for (instance, tried) in self.instances.iter_mut().zip(&self.tried) {
            if instance.is_some() && !tried {
                *instance = None;
                some = true;
            }
        }
        if self.instances.iter().all(Option::is_none) {
            self.instances.clear();
        }
        some
    }
}

impl<'c> Machine<'c> {
    /// Tries an action that fairness may be about.
    pub(super) fn act_watched(
        &mut self,
        (number, args, body): (u32, &'c [Code], &'c Act),
        base: usize,
        rest: &Rest<'_, 'c>,
        sink: &mut dyn Sink<'c>,
    ) -> Searched {
        if self.watch.is_empty() {
            return self.act(body, base, rest, sink);
        }
        let first = self.watch.active.len();
        let mut own = std::mem::take(&mut self.watch.args);
        own.clear();
        for code in args {
            // Without a value it is none of those that are watched.
            let Ok(value) = self.eval(code, base) else {
                break;
            };
            own.push(value);
        }
        let Watch {
            instances,
            tried,
            active,
            ..
        } = &mut self.watch;
        if own.len() == args.len() {
            for (place, instance) in instances.iter().enumerate() {
                let is_own = |(watched, values): &Instance| {
                    let mut pairs = values.iter().zip(&own);
                    *watched == number && pairs.all(|(a, b)| a.equal(b) == Ok(true))
                };
                if instance.as_ref().is_some_and(is_own) {
                    tried[place] = true;
                    active.push(place);
                }
            }
        }
        self.watch.args = own;
        let searched = self.act(body, base, rest, sink);
        self.watch.active.truncate(first);
        searched
    }
}
