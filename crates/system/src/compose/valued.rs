//! A fair system over valuations as a model, and thereby as a body for the engines.
//!
//! A state is packed value by value, each in as few bytes as it needs (seven bits at a time, the
//! sign folded into the lowest bit), so states have different lengths and equal states equal bytes.

use super::{FairSystem, Valuation};
use crate::explicit::Value;
use crate::fairness::{Compassion, PropositionId};
use crate::model::{Model, ModelAction, Steps};
use crate::pack::Pack;

/// A fair system as a [`Model`].
#[derive(Clone, Debug)]
pub struct Valued<S> {
    system: S,
    variables: Vec<String>,
}

impl<S: FairSystem> Valued<S> {
    /// Wraps a system.
    pub fn new(system: S) -> Valued<S> {
        let variables = system.variables();
        Valued { system, variables }
    }

    /// The system.
    pub fn system(&self) -> &S {
        &self.system
    }
}

/// A valuation that can be packed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PackedValuation(pub Valuation);

impl Pack for PackedValuation {
    fn pack(&self, bytes: &mut Vec<u8>) {
        for &value in &self.0 {
            let mut rest = ((value << 1) ^ (value >> 63)) as u64;
            while rest > 0x7f {
                bytes.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            bytes.push(rest as u8);
        }
    }

    /// Takes all of the bytes.
    fn unpack(bytes: &mut &[u8]) -> Option<PackedValuation> {
        let mut values = Vec::new();
        let (mut value, mut shift) = (0u64, 0);
        for &byte in std::mem::take(bytes) {
            if shift > 63 {
                return None;
            }
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                values.push((value >> 1) as i64 ^ -((value & 1) as i64));
                (value, shift) = (0, 0);
            }
        }
        (shift == 0).then_some(PackedValuation(values))
    }
}

impl<S: FairSystem + Send + Sync> Model for Valued<S> {
    type State = PackedValuation;

    fn processes(&self) -> Vec<String> {
        self.system.processes()
    }

    fn actions(&self) -> Vec<ModelAction> {
        let actions = self.system.actions().into_iter();
        actions
            .map(|(process, name)| ModelAction::new(process.index(), name))
            .collect()
    }

    fn initial(&self) -> Vec<PackedValuation> {
        self.system
            .initial()
            .into_iter()
            .map(PackedValuation)
            .collect()
    }

    fn steps(&self, state: &PackedValuation, steps: &mut Steps<PackedValuation>) {
        if state.0.len() != self.variables.len() {
            return;
        }
        for step in self.system.moves(&state.0) {
            steps.joined(step.participants, PackedValuation(step.target));
        }
    }

    fn describe(&self, state: &PackedValuation) -> Vec<(String, Value)> {
        let values = state.0.iter().map(|&value| Value::Number(value));
        self.variables.iter().cloned().zip(values).collect()
    }

    fn propositions(&self) -> Vec<String> {
        self.system.propositions()
    }

    fn holds(&self, proposition: PropositionId, state: &PackedValuation) -> bool {
        state.0.len() == self.variables.len() && self.system.holds(proposition, &state.0)
    }

    fn justice(&self) -> Vec<PropositionId> {
        self.system.justice()
    }

    fn compassion(&self) -> Vec<Compassion> {
        self.system.compassion()
    }
}

#[cfg(test)]
mod tests {
    use super::PackedValuation;
    use crate::pack::Pack;

    #[test]
    fn valuations_come_back_from_their_bytes() {
        let all = vec![0, 1, -1, 63, 64, -64, -65, 1 << 40, i64::MAX, i64::MIN];
        let mut bytes = Vec::new();
        PackedValuation(all.clone()).pack(&mut bytes);
        assert_eq!(
            PackedValuation::unpack(&mut &bytes[..]),
            Some(PackedValuation(all))
        );
        assert_eq!(PackedValuation::unpack(&mut &[0x80; 30][..]), None);
        assert_eq!(PackedValuation::unpack(&mut &[0x80][..]), None);
    }
}
