//! A model beside testers: one fair system again.
//!
//! A tester adds bits, constraints on them at the start and in each step, and justice. The product
//! is built from the pieces of the model, each with the constraints of the tester joined to it, so
//! that early quantification sees both.

use crate::coding::Bit;
use crate::feasible::Fairness;
use crate::image::{Piece, Steps, Towards};
use crate::manager::{Manager, Outcome, Set};
use crate::reach::closure;

/// A fair system as sets.
pub(crate) struct Product {
    pub init: Set,
    pub steps: Steps,
    pub fairness: Fairness,
    /// All bits of its states.
    pub bits: Vec<Bit>,
    /// What can be reached, once it is known.
    pub reached: Option<Set>,
}

/// What is put beside a model.
#[derive(Clone, Default)]
pub(crate) struct Addition {
    pub bits: Vec<Bit>,
    pub init: Vec<Set>,
    pub steps: Vec<Set>,
    pub justice: Vec<Set>,
}

impl Product {
    /// The model with its pieces and further ones beside it.
    pub fn new(
        m: &Manager,
        model_init: &Set,
        pieces: &[Piece],
        bits: &[Bit],
        fairness: &Fairness,
        additions: &[Addition],
    ) -> Outcome<Product> {
        let mut product = Product {
            init: model_init.clone(),
            steps: Steps { list: Vec::new() },
            fairness: fairness.clone(),
            bits: bits.to_vec(),
            reached: None,
        };
        let mut pieces = pieces.to_vec();
        for addition in additions {
            for piece in &mut pieces {
                *piece = piece.with(m, &addition.bits, &addition.steps)?;
            }
            for condition in &addition.init {
                product.init = m.and(&product.init, condition)?;
            }
            product.bits.extend_from_slice(&addition.bits);
            product
                .fairness
                .justice
                .extend(addition.justice.iter().cloned());
        }
        product.steps = Steps::new(m, pieces)?;
        Ok(product)
    }

    /// What can be reached.
    pub fn reached(&mut self, m: &Manager, within: Option<&Set>) -> Outcome<Set> {
        if let Some(reached) = &self.reached {
            return Ok(reached.clone());
        }
        let reached = closure(m, &self.steps, &self.init, within, Towards::Future)?;
        self.reached = Some(reached.clone());
        Ok(reached)
    }
}
