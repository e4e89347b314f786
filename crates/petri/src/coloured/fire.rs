//! Finds the bindings that can fire in a marking, and the markings behind them.
//!
//! The stages of a [`Plan`] are followed with the tokens that are there. With a complete binding the arcs are
//! added up for each colour that they touch, just as when the net is unfolded: what is asked of a colour and done to it
//! is the same, whichever way the net is explored.

use evenhand_source::{Diagnostic, Lasting, spend};
use evenhand_system::FaultKind;

use super::ColouredNet;
use super::numbers::Numbers;
use super::plan::{Part, Plan, Stage, parts};
use crate::flat::add;
use crate::net::Arcs;
use crate::pnml::ArcKind;

/// How many values may be tried in one marking, with the colours that `all` stands for.
const MOST_TRIALS: u64 = 20_000_000;
/// How many tokens the markings behind it may have together; each takes two bytes or more.
const MOST_MADE: u64 = 1 << 27;

/// A term of an arc: the place, the arc, how many, and the values.
type ArcTerm = (usize, u32, i64, Vec<Part>);

/// The arcs of a transition.
#[derive(Debug)]
struct PatternArcs {
    terms: Vec<ArcTerm>,
    /// The kind of each arc, and whether it leads to the transition.
    kinds: Vec<(ArcKind, bool)>,
}

/// What is done with a net that is not unfolded.
#[derive(Debug)]
pub(crate) struct Rules {
    pub net: ColouredNet,
    pub numbers: Numbers,
    plans: Vec<Plan>,
    /// The arcs of each transition.
    arcs: Vec<PatternArcs>,
}

impl Rules {
    /// Those of a net.
    ///
    /// # Errors
    /// The net, if it is too large, and why.
    pub fn new(net: ColouredNet) -> Result<Rules, Box<(ColouredNet, Diagnostic)>> {
        let plans = net.patterns.iter().map(|own| Plan::new(&net, own));
        let plans = plans.collect::<Result<Vec<Plan>, Diagnostic>>();
        let (numbers, plans) = match (Numbers::new(&net), plans) {
            (Ok(numbers), Ok(plans)) => (numbers, plans),
            (Err(problem), _) | (_, Err(problem)) => return Err(Box::new((net, problem))),
        };
        let mut arcs = Vec::new();
        for pattern in &net.patterns {
            let mut terms = Vec::new();
            for (number, (place, _, _, what)) in pattern.arcs.iter().enumerate() {
                for (count, term) in what.all_terms() {
                    terms.push((*place, number as u32, *count, parts(&net.sorts, term)));
                }
            }
            let kinds = pattern.arcs.iter();
            let kinds = kinds.map(|(_, kind, takes, _)| (*kind, *takes));
            let kinds = kinds.collect();
            arcs.push(PatternArcs { terms, kinds });
        }
        Ok(Rules {
            net,
            numbers,
            plans,
            arcs,
        })
    }
}

/// Tokens by the numbers of their colours, in order.
pub(super) type Tokens = Vec<(u32, u32)>;

/// How many tokens of a colour there are.
#[inline]
pub(super) fn count(tokens: &Tokens, number: u32) -> u32 {
    match tokens.binary_search_by_key(&number, |(own, _)| *own) {
        Ok(at) => tokens[at].1,
        Err(_) => 0,
    }
}

/// Follows the stages of transitions.
pub(super) struct Finder<'r> {
    rules: &'r Rules,
    pub marking: Tokens,
    /// The values of slots.
    pub binding: Vec<u32>,
    /// The marking behind the binding that was found.
    pub behind: Tokens,
    trials: u64,
    made: u64,
    /// Tokens that the arcs move: the colour, the arc, how many.
    moved: Vec<(u32, u32, i64)>,
    changes: Vec<(u32, u32)>,
}

/// What was found.
pub(super) enum Found {
    /// A binding that can fire.
    Step,
    /// Something that cannot be computed.
    Fault(FaultKind),
}

impl<'r> Finder<'r> {
    pub fn new(rules: &'r Rules) -> Finder<'r> {
        Finder {
            rules,
            marking: Tokens::new(),
            binding: vec![0; rules.net.sorts.slot_count()],
            behind: Tokens::new(),
            trials: 0,
            made: 0,
            moved: Vec::new(),
            changes: Vec::new(),
        }
    }

    /// Begins with the marking at hand.
    pub fn begin(&mut self) {
        (self.trials, self.made) = (0, 0);
    }

    /// Calls for each binding with which a transition can fire, until it is told that it is enough.
    pub fn search(&mut self, pattern: usize, found: &mut dyn FnMut(&Self, Found) -> bool) -> bool {
        let rules = self.rules;
        let guards = &rules.plans[pattern].first;
        !self.passes(pattern, guards) || self.stage(pattern, 0, found)
    }

    fn passes(&self, pattern: usize, guards: &[usize]) -> bool {
        let net = &self.rules.net;
        let parts = &net.patterns[pattern].guard;
        let mut guards = guards.iter().map(|&number| &parts[number]);
        guards.all(|guard| guard.holds(&net.sorts, &self.binding))
    }

    fn stage(
        &mut self,
        pattern: usize,
        depth: usize,
        found: &mut dyn FnMut(&Self, Found) -> bool,
    ) -> bool {
        let rules = self.rules;
        let Some((stage, guards)) = rules.plans[pattern].stages.get(depth) else {
            return match self.fire(pattern) {
                Some(what) => found(self, what),
                None => true,
            };
        };
        match stage {
            Stage::Value { slot, size } => (0..*size).all(|value| {
                self.binding[*slot] = value;
                self.go_on(pattern, (depth, guards), found)
            }),
            Stage::Token { place, parts } => {
                let numbers = rules.numbers.of_place(*place);
                let start = self.marking.partition_point(|(n, _)| *n < numbers.start);
                let mut at = start;
                while let Some(&(number, _)) = self.marking.get(at)
                    && number < numbers.end
                {
                    at += 1;
                    if self.matches(*place, parts, number)
                        && !self.go_on(pattern, (depth, guards), found)
                    {
                        return false;
                    }
                }
                true
            }
        }
    }

    /// Goes on behind a stage.
    fn go_on(
        &mut self,
        pattern: usize,
        (depth, guards): (usize, &[usize]),
        found: &mut dyn FnMut(&Self, Found) -> bool,
    ) -> bool {
        spend();
        self.trials += 1;
        if self.trials > MOST_TRIALS || self.made > MOST_MADE {
            found(self, Found::Fault(FaultKind::TooManySuccessors));
            return false;
        }
        !self.passes(pattern, guards) || self.stage(pattern, depth + 1, found)
    }

    /// Holds values against a colour, and binds those that are open.
    fn matches(&mut self, place: usize, parts: &[(Part, bool)], number: u32) -> bool {
        let numbers = &self.rules.numbers;
        parts.iter().enumerate().all(|(at, (part, is_new))| {
            let value = numbers.value(place, at, number);
            match part {
                Part::Slot { slot, by, size } if *is_new => {
                    self.binding[*slot] = (value + size - by) % size;
                    true
                }
                part => part.value(&self.binding) == Some(value),
            }
        })
    }

    /// The marking behind a binding, if it can fire.
    fn fire(&mut self, pattern: usize) -> Option<Found> {
        let PatternArcs { terms, kinds } = &self.rules.arcs[pattern];
        self.moved.clear();
        for (place, arc, count, parts) in terms {
            let first = self.rules.numbers.of_place(*place).start;
            self.add_colours((*place, *arc, *count), parts, (0, first));
        }
        self.moved.sort_unstable();
        self.changes.clear();
        let mut is_counted = true;
        let mut rest = &self.moved[..];
        while let Some(&(number, ..)) = rest.first() {
            let mut arcs = Arcs::default();
            while let Some(&(own, arc, _)) = rest.first()
                && own == number
            {
                let len = rest.iter().take_while(|(n, a, _)| (*n, *a) == (own, arc));
                let (here, behind) = rest.split_at(len.count());
                rest = behind;
                let sum = here.iter().map(|(.., count)| *count).sum::<i64>();
                let Ok(sum) = u64::try_from(sum) else {
                    let said = "an arc of this transition moves less than nothing";
                    return Some(Found::Fault(FaultKind::Limit(Lasting::known(said))));
                };
                let (kind, takes) = kinds[arc as usize];
                if sum > 0 {
                    add(&mut arcs, kind, takes, sum);
                }
            }
            let Some((need, change)) = arcs.meaning(number) else {
                return Some(Found::Fault(FaultKind::TooManyTokens));
            };
            let tokens = count(&self.marking, number);
            if need.is_some_and(|need| !(need.least..=need.most).contains(&tokens)) {
                return None;
            }
            if let Some(change) = change {
                let behind = change.apply(tokens);
                is_counted &= behind.is_some();
                self.changes.push((number, behind.unwrap_or(0)));
            }
        }
        // Told only if nothing else stands in the way.
        if !is_counted {
            return Some(Found::Fault(FaultKind::TooManyTokens));
        }
        self.merge();
        self.made += self.behind.len() as u64;
        Some(Found::Step)
    }

    /// Adds the colours of a term from one of its values on.
    fn add_colours(
        &mut self,
        (place, arc, count): (usize, u32, i64),
        parts: &[Part],
        (at, number): (usize, u32),
    ) {
        let numbers = &self.rules.numbers;
        match parts.get(at) {
            None => self.moved.push((number, arc, count)),
            Some(Part::Each(size)) => {
                for value in 0..*size {
                    spend();
                    self.trials += 1;
                    let number = number + numbers.digit(place, at, value);
                    self.add_colours((place, arc, count), parts, (at + 1, number));
                }
            }
            Some(part) => {
                let value = part.value(&self.binding).unwrap_or(0);
                let number = number + numbers.digit(place, at, value);
                self.add_colours((place, arc, count), parts, (at + 1, number));
            }
        }
    }

    /// Makes the marking behind the changes.
    fn merge(&mut self) {
        self.behind.clear();
        let (mut old, mut new) = (
            self.marking.iter().peekable(),
            self.changes.iter().peekable(),
        );
        loop {
            let next = match (old.peek(), new.peek()) {
                (None, None) => return,
                (Some(&&(a, _)), Some(&&(b, _))) if a == b => {
                    old.next();
                    new.next()
                }
                (Some(&&(a, _)), Some(&&(b, _))) if a < b => old.next(),
                (Some(_), None) => old.next(),
                (_, Some(_)) => new.next(),
            };
            if let Some(&(number, tokens)) = next
                && tokens > 0
            {
                self.behind.push((number, tokens));
            }
        }
    }
}
