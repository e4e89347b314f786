//! Which transitions of a marking stand for all: stubborn sets.
//!
//! **Problem.** Transitions that have nothing to do with each other fire in any order, and all orders lead through
//! markings of their own. Of these orders a question that does not count steps needs to see one.
//!
//! **Idea** (Valmari). Begin with a transition that can fire and close the set: with one that can fire goes
//! everything that could disable it, that it could disable, or that does not commute with it, by the arcs; with one
//! that cannot fire goes, for one of the places that keep it from firing, everything that could change that. Whatever
//! the others do first, those of the set that can fire still can, no further one of the set comes to be able to, and the order
//! makes no difference: the enabled ones are a persistent set. What else such a set must keep to is said in
//! `evenhand_system::reduce`: nothing in it is visible, nothing sticky ([`crate::sticky`]).
//!
//! With chains this does what agglomeration does to a net: a transition whose only effect is to let another one
//! fire leaves no marking behind.
//!
//! **Cost.** A closure looks at each arc at most once; a few are tried, the smallest counts.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use evenhand_system::reduce::{Choice, Chooser, Choosers, Sight};
use evenhand_system::{ItemSpec, Successors};

use crate::body::Packed;
use crate::condition::Condition;
use crate::net::{MOST_TOKENS, Net};
use crate::sticky::sticky;

/// How many transitions a closure is begun with, at most, in one marking.
const MOST_TRIALS: usize = 12;

/// What is known of a net for one question.
pub(crate) struct Stubborn {
    packed: Arc<Packed>,
    /// For each transition those that go with it where it can fire.
    partners: Vec<Vec<u32>>,
    /// For each place those that may put tokens into it, and those that may take some out.
    fill: Vec<Vec<u32>>,
    drain: Vec<Vec<u32>>,
    /// Which may be in a set that is not all.
    fit: Vec<bool>,
    /// Never raised: what it costs is known beforehand.
    gave_up: Arc<AtomicBool>,
}

impl Stubborn {
    /// For a question that sees no more than this; none if nothing could be left out.
    pub fn new(packed: &Arc<Packed>, conditions: &[Condition], sight: &Sight) -> Option<Stubborn> {
        let net = &packed.net;
        let visible = visible(packed, conditions, sight)?;
        let sticky = sticky(net, &visible);
        let fit: Vec<bool> = sticky.iter().map(|sticky| !sticky).collect();
        if !fit.contains(&true) {
            return None;
        }
        let (mut fill, mut drain) = (vec![Vec::new(); net.places.len()], Vec::new());
        drain.resize(net.places.len(), Vec::new());
        for (number, transition) in net.transitions.iter().enumerate() {
            for change in &transition.changes {
                if change.difference > 0 {
                    fill[change.place as usize].push(number as u32);
                }
                if change.difference < 0 || change.reset {
                    drain[change.place as usize].push(number as u32);
                }
            }
        }
        let partners = partners(net, &fill, &drain)?;
        Some(Stubborn {
            gave_up: Arc::default(),
            packed: packed.clone(),
            partners,
            fill,
            drain,
            fit,
        })
    }
}

/// How large the lists of partners may be together: nets in which everything hangs together are not reduced.
const MOST_PARTNERS: usize = 20_000_000;

/// For each transition those that cannot be put off where it can fire.
fn partners(net: &Net, fill: &[Vec<u32>], drain: &[Vec<u32>]) -> Option<Vec<Vec<u32>>> {
    let count = net.places.len();
    // Who asks of a place that there are some, or not too many, and who changes it.
    let (mut least, mut most) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    let (mut changers, mut resets) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    for (number, transition) in net.transitions.iter().enumerate() {
        for need in &transition.needs {
            if need.least > 0 {
                least[need.place as usize].push(number as u32);
            }
            if need.most < MOST_TOKENS {
                most[need.place as usize].push(number as u32);
            }
        }
        for change in &transition.changes {
            changers[change.place as usize].push(number as u32);
            if change.reset {
                resets[change.place as usize].push(number as u32);
            }
        }
    }
    let mut all = Vec::new();
    let mut size = 0;
    for (number, transition) in net.transitions.iter().enumerate() {
        let mut own: Vec<u32> = Vec::new();
        for need in &transition.needs {
            let place = need.place as usize;
            if need.least > 0 {
                own.extend(&drain[place]);
            }
            if need.most < MOST_TOKENS {
                own.extend(&fill[place]);
            }
        }
        for change in &transition.changes {
            let place = change.place as usize;
            if change.difference > 0 {
                own.extend(&most[place]);
            }
            if change.difference < 0 || change.reset {
                own.extend(&least[place]);
            }
            own.extend(if change.reset {
                &changers[place]
            } else {
                &resets[place]
            });
        }
        own.sort_unstable();
        own.dedup();
        own.retain(|&other| other as usize != number);
        size += own.len();
        evenhand_source::budget::spend_many(own.len());
        if size > MOST_PARTNERS {
            return None;
        }
        all.push(own);
    }
    Some(all)
}

/// Which transitions a question may notice; none if that is not known.
fn visible(packed: &Packed, conditions: &[Condition], sight: &Sight) -> Option<Vec<bool>> {
    let net = &packed.net;
    let mut seen = vec![false; net.places.len()];
    for proposition in &sight.propositions {
        let condition = conditions.get(proposition.0 as usize)?;
        condition.reads(net, &mut |place| seen[place as usize] = true);
    }
    let changes = |transition: usize, places: &[bool]| {
        let mut changes = net.transitions[transition].changes.iter();
        changes.any(|change| places[change.place as usize])
    };
    let all = 0..net.transitions.len();
    let mut visible: Vec<bool> = all.map(|t| changes(t, &seen)).collect();
    for item in &sight.items {
        let &ItemSpec::Process { pid, .. } = item else {
            return None;
        };
        let own = packed.taken_by(pid);
        let mut places = vec![false; net.places.len()];
        for &transition in &own {
            let transition = net.transitions.get(transition as usize)?;
            for need in &transition.needs {
                places[need.place as usize] = true;
            }
        }
        // One that takes the item is taken as often wherever it stands.
        for (t, visible) in visible.iter_mut().enumerate() {
            *visible |= !own.contains(&(t as u32)) && changes(t, &places);
        }
    }
    Some(visible)
}

impl Stubborn {
    /// For a transition that cannot fire, those that could change one of the places that keep it from firing: the
    /// place with the fewest.
    fn missing(&self, transition: usize, state: &[u8]) -> &[u32] {
        let layouts = &self.packed.layouts;
        let needs = self.packed.net.transitions[transition].needs.iter();
        let ways = needs.filter_map(|need| {
            let (tokens, place) = (layouts.tokens(need.place, state), need.place as usize);
            if tokens < need.least {
                Some(&self.fill[place])
            } else if tokens > need.most {
                Some(&self.drain[place])
            } else {
                None
            }
        });
        // One that nothing keeps from firing is among the steps, or there was an error.
        ways.min_by_key(|list| list.len())
            .map_or(&[], Vec::as_slice)
    }
}

impl Choosers for Stubborn {
    fn chooser<'a>(&'a self) -> Box<dyn Chooser + 'a> {
        let count = self.packed.net.transitions.len();
        Box::new(StubbornChooser {
            table: self,
            enabled: vec![u32::MAX; count],
            member: vec![0; count],
            round: 0,
            open: Vec::new(),
            found: Vec::new(),
        })
    }

    fn gave_up(&self) -> &Arc<AtomicBool> {
        &self.gave_up
    }
}

struct StubbornChooser<'s> {
    table: &'s Stubborn,
    /// For each transition its place in the list of steps, if it can fire.
    enabled: Vec<u32>,
    /// The closure in which a transition was met last.
    member: Vec<u32>,
    round: u32,
    open: Vec<u32>,
    found: Vec<usize>,
}

impl StubbornChooser<'_> {
    /// The transitions of the smallest set with one that can fire, by their places in the list of steps; whether
    /// it may stand for all and has fewer steps than are known already.
    fn close(&mut self, state: &[u8], begin: u32, fewer_than: usize) -> bool {
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.member.fill(0);
            self.round = 1;
        }
        self.found.clear();
        self.open.clear();
        self.open.push(begin);
        self.member[begin as usize] = self.round;
        let table = self.table;
        while let Some(transition) = self.open.pop() {
            let at = transition as usize;
            let others = match self.enabled[at] {
                u32::MAX => table.missing(at, state),
                place => {
                    self.found.push(place as usize);
                    if !table.fit[at] || self.found.len() >= fewer_than {
                        return false;
                    }
                    &table.partners[at]
                }
            };
            for &other in others {
                if std::mem::replace(&mut self.member[other as usize], self.round) != self.round {
                    self.open.push(other);
                }
            }
        }
        true
    }
}

impl Chooser for StubbornChooser<'_> {
    fn chooses_singles(&self) -> bool {
        true
    }

    fn choose(&mut self, state: &[u8], all: &Successors, kept: &mut Vec<usize>) -> Choice {
        kept.clear();
        if all.is_empty() || !all.faults().is_empty() {
            return Choice::All;
        }
        let action = |index: usize| all.step(index).action.map(|action| action.index());
        self.enabled.fill(u32::MAX);
        for index in 0..all.len() {
            match action(index) {
                Some(transition) => self.enabled[transition] = index as u32,
                None => return Choice::All,
            }
        }
        let mut fewest = usize::MAX;
        let mut trials = 0;
        for index in 0..all.len() {
            let Some(transition) = action(index).filter(|&t| self.table.fit[t]) else {
                continue;
            };
            if self.close(state, transition as u32, fewest) {
                fewest = self.found.len();
                kept.clone_from(&self.found);
            }
            trials += 1;
            if fewest == 1 || trials == MOST_TRIALS {
                break;
            }
        }
        kept.sort_unstable();
        match fewest {
            usize::MAX => Choice::All,
            _ => Choice::Some,
        }
    }
}
