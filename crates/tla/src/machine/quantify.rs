//! Bound names: quantifiers, `CHOOSE`, and the values of an expression for all values of names.

use super::Machine;
use super::eval::Evaluated;
use crate::code::{Bind, Code, Target};
use crate::failure::Failure;
use crate::value::{Elements, Value};

impl<'c> Machine<'c> {
    /// Gathers the values of an expression for all values of bound names: where they begin.
    pub(super) fn image(
        &mut self,
        body: &'c Code,
        binds: &'c [Bind],
        base: usize,
    ) -> Result<usize, Failure> {
        self.gather(|this| {
            this.each(binds, base, &mut |this| {
                this.cover(body.span, true);
                this.add_part(body, base)?;
                Ok(true)
            })?;
            Ok(())
        })
    }

    /// Does something for all values of bound names until it says no more.
    pub(super) fn each(
        &mut self,
        binds: &'c [Bind],
        base: usize,
        then: &mut dyn FnMut(&mut Self) -> Result<bool, Failure>,
    ) -> Result<bool, Failure> {
        match binds {
            [] => then(self),
            [bind] if bind.targets.len() == 1 => {
                let mut elements = self.listing(&bind.set, base)?;
                while let Some(value) = elements.next()? {
                    self.bind(base, &bind.targets[0], value)?;
                    if !then(self)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => {
                let mut sets = Vec::new();
                for bind in binds {
                    let set = self.eval(&bind.set, base)?;
                    let set = self.set_of(set)?;
                    sets.extend(bind.targets.iter().map(|target| (target, set.clone())));
                }
                self.nested(&sets, base, then)
            }
        }
    }

    fn nested(
        &mut self,
        sets: &[(&'c Target, Value)],
        base: usize,
        then: &mut dyn FnMut(&mut Self) -> Result<bool, Failure>,
    ) -> Result<bool, Failure> {
        let Some(((target, set), rest)) = sets.split_first() else {
            return then(self);
        };
        let mut elements = set.elements()?;
        while let Some(value) = elements.next()? {
            self.bind(base, target, value)?;
            if !self.nested(rest, base, then)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The elements of the set that code is.
    pub(super) fn listing(&mut self, set: &'c Code, base: usize) -> Result<Elements, Failure> {
        let value = self.eval(set, base)?;
        let value = self.set_of(value)?;
        value.elements().map_err(|failure| failure.at(set.span))
    }

    /// Whether a predicate has this value for some values of bound names.
    pub(super) fn some(
        &mut self,
        binds: &'c [Bind],
        body: &'c Code,
        base: usize,
        wanted: bool,
    ) -> Result<bool, Failure> {
        let all = self.each(binds, base, &mut |this| {
            Ok(this.condition(body, base)? != wanted)
        })?;
        Ok(!all)
    }

    pub(super) fn choose(&mut self, bind: &'c Bind, body: &'c Code, base: usize) -> Evaluated {
        let set = self.eval(&bind.set, base)?;
        let set = self.set_of(set)?;
        let mut elements = set.elements()?;
        while let Some(value) = elements.next()? {
            self.bind(base, &bind.targets[0], value.clone())?;
            if self.condition(body, base)? {
                return Ok(value);
            }
        }
        Err(Failure::new(format!(
            "no element of {} satisfies the condition of this CHOOSE",
            set.quoted()
        )))
    }
}
