//! A coloured net as a fair system, without unfolding it: markings are states, bindings that fire are steps.
//!
//! A state is the list of tokens: how far each colour is behind the one before, and how many tokens of it there
//! are, seven bits in a byte. Each transition of the file is a process with one action; a step is told with its binding.

use std::collections::HashMap;
use std::sync::Arc;

use evenhand_source::Span;
use evenhand_system::explicit::{Explanation, Obstacle, Record, Step, Value};
use evenhand_system::{
    ActionId, AmountId, Body, Explicit, Explorer, Fault, FaultKind, ItemSpec, ProcessId,
    PropositionId, Refusal, Signature, Successors,
};

use super::fire::{Finder, Found, Rules, Tokens, count};
use crate::condition::{Condition, Reading};
use crate::net::Net;

/// A net that is not unfolded, and what it is about.
pub(crate) struct Folded {
    pub rules: Rules,
    /// What formulas may speak of.
    pub net: Net,
    pub signature: Signature,
    /// Sums of tokens whose largest value is asked.
    pub amounts: Vec<Vec<(u32, i64)>>,
}

impl Folded {
    pub fn new(
        rules: Rules,
        (net, signature): (Net, Signature),
        mut amounts: Vec<Vec<(u32, i64)>>,
    ) -> Folded {
        amounts.iter_mut().for_each(|sum| sum.sort_unstable());
        Folded {
            rules,
            net,
            signature,
            amounts,
        }
    }
}

/// A net with the conditions that questions are about.
#[derive(Clone)]
pub(crate) struct FoldedBody {
    folded: Arc<Folded>,
    conditions: Arc<[Condition]>,
}

impl FoldedBody {
    pub fn new(folded: Arc<Folded>, conditions: Vec<Condition>) -> FoldedBody {
        FoldedBody {
            folded,
            conditions: conditions.into_iter().map(Condition::sorted).collect(),
        }
    }
}

impl Body for FoldedBody {
    fn signature(&self) -> &Signature {
        &self.folded.signature
    }

    fn explicit(&self) -> Result<&dyn Explicit, Refusal> {
        Ok(self)
    }
}

impl Explicit for FoldedBody {
    fn signature(&self) -> &Signature {
        &self.folded.signature
    }

    fn explorer<'a>(&'a self, items: &[ItemSpec]) -> Box<dyn Explorer + 'a> {
        let folded = &*self.folded;
        let own = items.iter().enumerate();
        let own = own.filter_map(|(place, item)| match item {
            ItemSpec::Own(number) => Some((*number, place)),
            _ => None,
        });
        Box::new(FoldedExplorer {
            folded,
            conditions: &self.conditions,
            finder: Finder::new(&folded.rules),
            items: own.collect(),
            item_count: items.len(),
            bytes: Vec::new(),
            values: Vec::new(),
            executed: vec![false; folded.net.transitions.len()],
            told: None,
        })
    }

    fn is_portable(&self) -> bool {
        true
    }
}

struct FoldedExplorer<'a> {
    folded: &'a Folded,
    conditions: &'a [Condition],
    finder: Finder<'a>,
    /// The items of fairness by the numbers of their bindings.
    items: HashMap<u32, usize>,
    item_count: usize,
    bytes: Vec<u8>,
    values: Vec<u32>,
    executed: Vec<bool>,
    /// The bindings of successors as texts, where somebody wants to know.
    told: Option<Vec<String>>,
}

fn fault(kind: FaultKind) -> Fault {
    let span = Span::default();
    Fault { kind, span }
}

/// Writes tokens as a state.
fn pack(tokens: &Tokens, out: &mut Vec<u8>) {
    let mut write = |mut number: u32| {
        while number >= 0x80 {
            out.push(number as u8 | 0x80);
            number >>= 7;
        }
        out.push(number as u8);
    };
    let mut before = 0;
    for &(number, count) in tokens {
        write(number - before);
        write(count);
        before = number;
    }
}

/// Reads a number; and how many bytes it has.
fn number(bytes: &[u8]) -> Option<(u32, usize)> {
    let mut number = 0u64;
    for (at, byte) in bytes.iter().take(5).enumerate() {
        number |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((u32::try_from(number).ok()?, at + 1));
        }
    }
    None
}

/// Reads the tokens of a state, of numbers below a bound; none if the bytes are no state.
fn unpack(mut state: &[u8], bound: u32, out: &mut Tokens) -> Option<()> {
    out.clear();
    let mut last = 0u32;
    while !state.is_empty() {
        let (step, len) = number(state)?;
        state = &state[len..];
        let (count, len) = number(state)?;
        state = &state[len..];
        let is_further = step > 0 || out.is_empty();
        last = last.checked_add(step).filter(|own| *own < bound)?;
        if count == 0 || !is_further {
            return None;
        }
        out.push((last, count));
    }
    Some(())
}

impl FoldedExplorer<'_> {
    fn read(&mut self, state: &[u8]) -> Result<(), Fault> {
        self.finder.begin();
        let bound = self.folded.rules.numbers.count();
        let read = unpack(state, bound, &mut self.finder.marking);
        read.ok_or(fault(FaultKind::BadState))
    }

    /// Adds the steps of a transition; false if there are too many.
    fn fire(&mut self, transition: usize, out: &mut Successors) -> bool {
        let folded = self.folded;
        let pattern = &folded.rules.net.patterns[transition];
        let step = Step::of(ProcessId::new(transition), ActionId::new(transition));
        let (items, values, bytes) = (&self.items, &mut self.values, &mut self.bytes);
        let (executed, told) = (&mut self.executed[transition], &mut self.told);
        let mut goes_on = true;
        self.finder.search(transition, &mut |finder, found| {
            if let Found::Fault(kind) = found {
                goes_on = kind != FaultKind::TooManySuccessors;
                let span = pattern.span;
                out.fault(Fault { kind, span }, step);
                return goes_on;
            }
            *executed = true;
            bytes.clear();
            pack(&finder.behind, bytes);
            let mut item = None;
            if !items.is_empty() || told.is_some() {
                values.clear();
                values.extend(pattern.slots.iter().map(|&slot| finder.binding[slot]));
                let numbers = &folded.rules.numbers;
                let number = numbers.binding(&folded.rules.net, transition, values);
                item = number.and_then(|number| items.get(&number).copied());
            }
            if let Some(told) = told {
                told.push(folded.rules.net.binding_name(transition, values));
            }
            out.push(bytes, step, item);
            true
        });
        goes_on
    }
}

/// The marking at hand, for conditions.
struct HeldMarking<'m, 'r> {
    finder: &'m mut Finder<'r>,
    transitions: u32,
    fault: Option<FaultKind>,
}

impl Reading for HeldMarking<'_, '_> {
    fn sum(&mut self, places: &[(u32, i64)]) -> i128 {
        sum(places, &self.finder.marking)
    }

    fn is_enabled(&mut self, transition: u32) -> bool {
        let (mut is_enabled, fault) = (false, &mut self.fault);
        self.finder.search(transition as usize, &mut |_, found| {
            match found {
                Found::Step => is_enabled = true,
                Found::Fault(kind) => *fault = Some(kind),
            }
            false
        });
        is_enabled
    }

    fn transitions(&self) -> u32 {
        self.transitions
    }
}

/// A sum of tokens of places that are in order.
fn sum(places: &[(u32, i64)], tokens: &Tokens) -> i128 {
    if places.len() <= tokens.len() {
        let counted = places.iter();
        let counted = counted.map(|&(place, factor)| (count(tokens, place), factor));
        return counted.map(|(n, f)| i128::from(n) * i128::from(f)).sum();
    }
    let mut total = 0;
    for &(number, count) in tokens {
        let from = places.partition_point(|(place, _)| *place < number);
        let own = places[from..].iter().take_while(|(p, _)| *p == number);
        let factors = own.map(|(_, factor)| i128::from(*factor));
        total += i128::from(count) * factors.sum::<i128>();
    }
    total
}

impl Explorer for FoldedExplorer<'_> {
    fn initial(&mut self, out: &mut Successors) {
        out.start(self.item_count);
        let places = self.folded.net.places.iter().enumerate();
        let tokens = places.filter(|(_, place)| place.initial > 0);
        let tokens = tokens.map(|(number, place)| (number as u32, place.initial));
        self.bytes.clear();
        pack(&tokens.collect(), &mut self.bytes);
        out.push(&self.bytes, Step::default(), []);
    }

    fn expand(&mut self, state: &[u8], out: &mut Successors) {
        out.start(self.item_count);
        if let Err(fault) = self.read(state) {
            out.fault(fault, Step::default());
            return;
        }
        for transition in 0..self.folded.net.transitions.len() {
            if !self.fire(transition, out) {
                break;
            }
        }
        out.enable_taken();
    }

    fn holds(&mut self, proposition: PropositionId, state: &[u8]) -> Result<bool, Fault> {
        self.read(state)?;
        let condition = self.conditions.get(proposition.0 as usize);
        let condition = condition.ok_or(fault(FaultKind::BadState))?;
        let mut marking = HeldMarking {
            finder: &mut self.finder,
            transitions: self.folded.net.transitions.len() as u32,
            fault: None,
        };
        let holds = condition.holds_in(&mut marking);
        match marking.fault {
            Some(kind) => Err(fault(kind)),
            None => Ok(holds),
        }
    }

    fn amount(&mut self, amount: AmountId, state: &[u8]) -> Result<i64, Fault> {
        self.read(state)?;
        let places = self.folded.amounts.get(amount.0 as usize);
        let places = places.ok_or(fault(FaultKind::BadState))?;
        let total = sum(places, &self.finder.marking);
        i64::try_from(total).map_err(|_| fault(FaultKind::Overflow))
    }

    fn is_valid_end(&mut self, _: &[u8]) -> bool {
        false
    }

    fn obstacles(&mut self, state: &[u8], process: ProcessId) -> Vec<Obstacle> {
        let transition = process.index();
        if transition >= self.folded.net.transitions.len() || self.read(state).is_err() {
            return Vec::new();
        }
        let mut is_blocked = true;
        self.finder.search(transition, &mut |_, _| {
            is_blocked = false;
            false
        });
        let obstacle = Obstacle {
            action: ActionId::new(transition),
            reason: "no binding of its variables can fire".to_string(),
        };
        is_blocked.then_some(obstacle).into_iter().collect()
    }

    fn explain(&mut self, state: &[u8], out: &mut Successors) -> Explanation {
        self.told = Some(Vec::new());
        self.expand(state, out);
        let told = self.told.take().unwrap_or_default();
        let mut explanation = Explanation::default();
        for (index, text) in told.into_iter().enumerate() {
            let step = out.step(index);
            if let (Some(process), Some(action)) = (step.process, step.action) {
                let mut record = Record::new(process, action);
                record.text = Some(text);
                let number = explanation.add(0, record);
                out.explain_at(index, number);
            }
        }
        explanation
    }

    fn describe(&mut self, state: &[u8]) -> Vec<(String, Value)> {
        if self.read(state).is_err() {
            return Vec::new();
        }
        let rules = &self.folded.rules;
        let told = rules.net.places.iter().enumerate().map(|(place, own)| {
            let numbers = rules.numbers.of_place(place);
            let tokens = self.finder.marking.iter();
            let tokens = tokens.filter(|(number, _)| numbers.contains(number));
            let value = match own.domain.is_empty() {
                true => Value::Number(tokens.map(|(_, count)| i64::from(*count)).sum()),
                false => {
                    let named = tokens.map(|&(number, count)| {
                        let colour = rules.numbers.colour(place, number);
                        let shown = rules.net.sorts.named("", &own.domain, &colour);
                        match count {
                            1 => shown,
                            _ => format!("{count}{shown}"),
                        }
                    });
                    let named: Vec<String> = named.collect();
                    Value::Text(match named.is_empty() {
                        true => "empty".to_string(),
                        false => named.join(" "),
                    })
                }
            };
            (own.id.clone(), value)
        });
        told.collect()
    }

    fn has_process(&mut self, _: &[u8], process: ProcessId) -> bool {
        process.index() < self.folded.net.transitions.len()
    }

    fn process_name(&mut self, _: &[u8], process: ProcessId) -> String {
        match self.folded.net.transitions.get(process.index()) {
            Some(transition) => transition.id.clone(),
            None => format!("process {process}"),
        }
    }

    fn executed(&self) -> &[bool] {
        &self.executed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_packed_and_read_again() {
        let lists: [&[(u32, u32)]; 5] = [
            &[],
            &[(0, 1)],
            &[(0, u32::MAX), (1, 127), (2, 128)],
            &[(5, 3), (200, 1), (70_000, 16_384)],
            &[(400_000, 1)],
        ];
        for list in lists {
            let (mut bytes, mut read) = (Vec::new(), vec![(1, 1)]);
            pack(&list.to_vec(), &mut bytes);
            assert_eq!(unpack(&bytes, 1 << 19, &mut read), Some(()));
            assert_eq!(read, list);
            // A state that was cut short is none.
            for end in 1..bytes.len() {
                let cut = unpack(&bytes[..end], 1 << 19, &mut read);
                assert!(cut.is_none() || read.len() < list.len());
            }
        }
        let mut read = Vec::new();
        let wrong: [&[u8]; 4] = [
            &[1],
            &[1, 0],
            &[3, 1, 0, 1],
            &[0x80, 0x80, 0x80, 0x80, 0x80, 1],
        ];
        for bytes in wrong {
            assert_eq!(unpack(bytes, 1 << 19, &mut read), None, "{bytes:?}");
        }
        assert_eq!(unpack(&[5, 1], 5, &mut read), None);
    }

    #[test]
    fn sums_are_the_same_by_places_and_by_tokens() {
        let tokens = vec![(1, 2), (4, 1), (9, 5)];
        assert_eq!(sum(&[(1, 3), (5, 7)], &tokens), 6);
        let many: Vec<(u32, i64)> = (0..20).map(|n| (n, i64::from(n) - 4)).collect();
        assert_eq!(sum(&many, &tokens), -6 + 25);
        assert_eq!(sum(&[(4, 1), (4, 2), (9, -1), (9, -1)], &tokens), 3 - 10);
    }
}
