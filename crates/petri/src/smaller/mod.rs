//! A smaller net that gives the same answer: structural reductions.
//!
//! **Problem.** Nets are written for people. Much of what they do step by step makes no difference to a question: a token that
//! passes through places nobody looks at, a place that is never what keeps a transition from firing, the same
//! transition twice.
//!
//! **Idea** (Berthelot; Haddad; Thierry-Mieg, *Structural reductions revisited*). Rules that look at the arcs of a few nodes make the
//! net smaller, one after the other until none applies ([`agglomerate`], [`redundant`]). Each keeps the maximal runs, up to
//! stuttering, as far as the question sees them: which places have how many tokens, and where runs end. So invariants,
//! deadlocks and formulas without next have the same answer. What counts steps or markings, what asks for bounds, and what is assumed
//! about transitions, is asked of the net itself.
//!
//! **Back again.** A transition of the smaller net is a list of transitions of the net. A run is followed on the net by
//! firing these, and closes where the run of the smaller net does: places that are left out are empty in between, or have tokens
//! that follow from those of others.

mod agglomerate;
mod redundant;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use evenhand_system::Signature;
use evenhand_system::reduce::{Lift, Sight};
use evenhand_system::signature::ActionInfo;

use self::redundant::Facts;
use crate::body::{NetBody, Packed};
use crate::condition::{Condition, Sign};
use crate::net::{MOST_TOKENS, Net, Place, Transition};

/// More arcs are not looked at.
const MOST_ARCS: usize = 300_000;
/// How much work it may be, in arcs that are looked at.
const EFFORT: usize = 60_000_000;

/// So many steps at most are made up for where a run ends.
const LONGEST_END: usize = 1_000_000;

/// A net on its way to a smaller one.
#[derive(Clone, Debug)]
struct Growing {
    initial: Vec<u32>,
    /// What the question sees.
    seen: Vec<bool>,
    is_kept: Vec<bool>,
    transitions: Vec<Merged>,
    work: usize,
}

/// Transitions that fire one after the other as one.
#[derive(Clone, Debug)]
struct Merged {
    /// What they ask and do together.
    whole: Transition,
    parts: Vec<u32>,
    /// Whether one of them changes what the question sees; no more than one does.
    is_visible: bool,
}

impl Growing {
    fn new(net: &Net, seen: Vec<bool>) -> Growing {
        let merged = |(number, transition): (usize, &Transition)| Merged {
            is_visible: transition.changes.iter().any(|c| seen[c.place as usize]),
            whole: transition.clone(),
            parts: vec![number as u32],
        };
        Growing {
            initial: net.initial(),
            is_kept: vec![true; net.places.len()],
            transitions: net.transitions.iter().enumerate().map(merged).collect(),
            seen,
            work: 0,
        }
    }

    /// Leaves out a place, and what transitions ask of it and do to it.
    fn drop_place(&mut self, place: u32) {
        self.is_kept[place as usize] = false;
        for merged in &mut self.transitions {
            merged.whole.needs.retain(|need| need.place != place);
            merged.whole.changes.retain(|change| change.place != place);
        }
    }

    /// Whether more work may be done; some is.
    fn works(&mut self, arcs: usize) -> bool {
        self.work += arcs + 1;
        evenhand_source::budget::spend_many(arcs / 8 + 1);
        self.work <= EFFORT
    }

    fn arcs(&self) -> usize {
        let arcs = |merged: &Merged| merged.whole.needs.len() + merged.whole.changes.len();
        self.transitions.iter().map(arcs).sum()
    }

    /// Uses all rules until none applies.
    fn shrink(&mut self, facts: &mut Facts) {
        loop {
            let before = (self.transitions.len(), self.is_kept.clone());
            agglomerate::all(self, facts);
            redundant::twins(self);
            redundant::parallel(self, facts);
            redundant::implied(self, facts);
            if before == (self.transitions.len(), self.is_kept.clone()) || !self.works(0) {
                return;
            }
        }
    }
}

/// A smaller net, and how to come back.
pub(crate) struct Smaller {
    body: NetBody,
    original: Arc<Packed>,
    /// For each place of the smaller net that of the net.
    places: Vec<u32>,
    /// For each transition of the smaller net those of the net.
    parts: Vec<Vec<u32>>,
    /// Which transitions of the net the question may notice.
    visible: Vec<bool>,
}

impl Smaller {
    /// For a question that sees no more than this; none if nothing can be left out, or it is not known how.
    pub fn new(packed: &Arc<Packed>, conditions: &[Condition], sight: &Sight) -> Option<Smaller> {
        let net = &packed.net;
        let arcs = net
            .transitions
            .iter()
            .map(|t| t.needs.len() + t.changes.len());
        if !sight.items.is_empty() || arcs.sum::<usize>() > MOST_ARCS {
            return None;
        }
        let mut seen = vec![false; net.places.len()];
        for proposition in &sight.propositions {
            let condition = conditions.get(proposition.0 as usize)?;
            condition.reads(net, &mut |place| seen[place as usize] = true);
        }
        let mut growing = Growing::new(net, seen);
        let visible = growing
            .transitions
            .iter()
            .map(|merged| merged.is_visible)
            .collect();
        growing.shrink(&mut Facts::new(&packed.invariants));
        let changes = crate::structure::changes(net);
        let is_less = growing.transitions.len() < net.transitions.len()
            || growing
                .is_kept
                .iter()
                .zip(&changes)
                .any(|(kept, changes)| !kept && *changes);
        if !is_less {
            return None;
        }
        let kept = growing
            .is_kept
            .iter()
            .enumerate()
            .filter(|(_, kept)| **kept);
        let places: Vec<u32> = kept.map(|(place, _)| place as u32).collect();
        let mut new = vec![u32::MAX; net.places.len()];
        for (number, &place) in places.iter().enumerate() {
            new[place as usize] = number as u32;
        }
        let mut small = Net {
            places: places
                .iter()
                .map(|&p| net.places[p as usize].clone())
                .collect::<Vec<Place>>(),
            ..Net::default()
        };
        let mut parts = Vec::new();
        for merged in growing.transitions {
            let mut whole = merged.whole;
            whole
                .needs
                .iter_mut()
                .for_each(|need| need.place = new[need.place as usize]);
            whole
                .changes
                .iter_mut()
                .for_each(|c| c.place = new[c.place as usize]);
            small.transitions.push(whole);
            parts.push(merged.parts);
        }
        let known = |condition: &Condition| translated(net, condition, &new);
        let mut own: Vec<Condition> = vec![Condition::Constant(false); conditions.len()];
        for proposition in &sight.propositions {
            let at = proposition.0 as usize;
            own[at] = known(&conditions[at])?;
        }
        let signature = Signature {
            actions: small.transitions.iter().map(action).collect(),
            ..packed.signature.clone()
        };
        let mut small = Packed::new((small, signature), None, Vec::new());
        small.is_whole = false;
        Some(Smaller {
            body: NetBody::new(Arc::new(small), own),
            original: packed.clone(),
            places,
            parts,
            visible,
        })
    }

    /// The smaller net.
    pub fn body(&self) -> &NetBody {
        &self.body
    }

    /// The marking of the smaller net that one of the net is.
    fn project(&self, state: &[u8]) -> Option<Vec<u32>> {
        let layouts = &self.original.layouts;
        layouts.rest(state)?;
        let tokens = self
            .places
            .iter()
            .map(|&place| layouts.tokens(place, state));
        Some(tokens.collect())
    }

    fn pack(packed: &Packed, marking: &[u32]) -> Vec<u8> {
        let mut bytes = Vec::new();
        packed.layouts.pack(marking, &mut bytes);
        bytes
    }
}

fn action(transition: &Transition) -> ActionInfo {
    ActionInfo {
        text: transition.id.clone(),
        span: transition.span,
        ..ActionInfo::default()
    }
}

/// A condition in the numbers of the smaller net; none if it is about all of the net.
fn translated(net: &Net, condition: &Condition, new: &[u32]) -> Option<Condition> {
    let place = |place: u32| Some(new[place as usize]).filter(|&place| place != u32::MAX);
    let list = |list: &[Condition]| {
        let list = list.iter().map(|part| translated(net, part, new));
        list.collect::<Option<Vec<Condition>>>()
    };
    Some(match condition {
        Condition::Constant(value) => Condition::Constant(*value),
        Condition::Fireable(transitions) => {
            let mut any = Vec::new();
            for &transition in transitions {
                let mut all = Vec::new();
                for need in &net.transitions[transition as usize].needs {
                    let compare = |sign, number: u32| {
                        Some(Condition::Compare {
                            sum: vec![(place(need.place)?, 1)],
                            sign,
                            number: number.into(),
                        })
                    };
                    all.push(compare(Sign::AtLeast, need.least)?);
                    if need.most < MOST_TOKENS {
                        all.push(compare(Sign::AtMost, need.most)?);
                    }
                }
                any.push(Condition::All(all));
            }
            Condition::Any(any)
        }
        Condition::Dead => return None,
        Condition::Compare { sum, sign, number } => {
            let sum = sum.iter().map(|&(p, factor)| Some((place(p)?, factor)));
            Condition::Compare {
                sum: sum.collect::<Option<Vec<_>>>()?,
                sign: *sign,
                number: *number,
            }
        }
        Condition::Not(inner) => Condition::Not(Box::new(translated(net, inner, new)?)),
        Condition::All(parts) => Condition::All(list(parts)?),
        Condition::Any(parts) => Condition::Any(list(parts)?),
    })
}

impl Lift for Smaller {
    fn initial(&self) -> Vec<u8> {
        Smaller::pack(&self.original, &self.original.net.initial())
    }

    fn down(&self, state: &[u8]) -> Option<Vec<u8>> {
        let marking = self.project(state)?;
        Some(Smaller::pack(&self.body.packed, &marking))
    }

    fn up(&self, from: &[u8], to: &[u8]) -> Option<Vec<Vec<u8>>> {
        let (small, net) = (&self.body.packed, &self.original.net);
        let (mut begin, mut end) = (Vec::new(), Vec::new());
        self.original.layouts.rest(from)?;
        small.layouts.rest(to)?;
        self.original.layouts.unpack(from, &mut begin);
        small.layouts.unpack(to, &mut end);
        let before = self.project(from)?;
        let leads = |&t: &usize| {
            let mut behind = before.clone();
            small.net.is_enabled(t, &before) && small.net.fire(t, &mut behind) && behind == end
        };
        let mut ways = (0..small.net.transitions.len()).filter(leads);
        ways.find_map(|way| {
            let mut marking = begin.clone();
            let mut states = Vec::new();
            for &part in &self.parts[way] {
                let part = part as usize;
                if !net.is_enabled(part, &marking) || !net.fire(part, &mut marking) {
                    return None;
                }
                states.push(Smaller::pack(&self.original, &marking));
            }
            Some(states)
        })
    }

    fn is_end(&self, state: &[u8]) -> bool {
        let mut marking = Vec::new();
        if self.original.layouts.rest(state).is_none() {
            return false;
        }
        self.original.layouts.unpack(state, &mut marking);
        let net = &self.original.net;
        !(0..net.transitions.len()).any(|t| net.is_enabled(t, &marking))
    }

    fn settle(&self, state: &[u8]) -> Option<Vec<Vec<u8>>> {
        let mut marking = Vec::new();
        self.original.layouts.rest(state)?;
        self.original.layouts.unpack(state, &mut marking);
        let net = &self.original.net;
        let mut states = Vec::new();
        // Whatever fires, it was put off and cannot be seen, and there is an end to it.
        while let Some(next) = (0..net.transitions.len()).find(|&t| net.is_enabled(t, &marking)) {
            if self.visible[next] || states.len() >= LONGEST_END || !net.fire(next, &mut marking) {
                return None;
            }
            states.push(Smaller::pack(&self.original, &marking));
        }
        Some(states)
    }
}
