//! Proofs are read past: their grammar is followed, so that it is known where they end, and nothing is kept.
//!
//! The steps of one proof have one level; a step of a higher level begins the proof of the step before it.

use evenhand_source::Diagnostic;

use super::{Failed, Parsed, Parser};
use crate::syntax::token::{Keyword, StepLevel, TokenKind};

impl Parser<'_> {
    /// Whether a proof begins here.
    pub(super) fn begins_proof(&self) -> bool {
        let level = self.proofs.last().copied().flatten();
        match self.kind() {
            TokenKind::Keyword(
                Keyword::By | Keyword::Proof | Keyword::Obvious | Keyword::Omitted,
            ) => true,
            TokenKind::Step(StepLevel::Below) => true,
            TokenKind::Step(StepLevel::Same) => self.proofs.is_empty(),
            TokenKind::Step(StepLevel::Number(number)) => level.is_none_or(|level| number > level),
            _ => false,
        }
    }

    /// A proof.
    pub(super) fn proof(&mut self) -> Parsed<()> {
        self.proofs.push(None);
        let result = self.nested(Self::proof_body);
        self.proofs.pop();
        result
    }

    fn proof_body(&mut self) -> Parsed<()> {
        self.eat_keyword(Keyword::Proof);
        match self.kind() {
            TokenKind::Keyword(Keyword::By) => {
                self.bump();
                self.facts()
            }
            TokenKind::Keyword(Keyword::Obvious | Keyword::Omitted) => {
                self.bump();
                Ok(())
            }
            _ => self.steps(),
        }
    }

    fn steps(&mut self) -> Parsed<()> {
        loop {
            let token = self.peek(0);
            let TokenKind::Step(level) = token.kind else {
                return Err(self.expected("a step of the proof"));
            };
            self.check_level(level)?;
            self.bump();
            if self.eat_keyword(Keyword::Qed).is_some() {
                if self.begins_proof() {
                    self.proof()?;
                }
                return Ok(());
            }
            self.step()?;
        }
    }

    /// The steps of one proof have the same level.
    fn check_level(&mut self, level: StepLevel) -> Parsed<()> {
        let outer = self.proofs.iter().rev().skip(1).find_map(|level| *level);
        let below = outer.map_or(0, |level| level.saturating_add(1));
        let level = match level {
            StepLevel::Number(number) => number,
            StepLevel::Same => self.proofs.last().copied().flatten().unwrap_or(below),
            StepLevel::Below => below,
        };
        let span = self.peek(0).span;
        let Some(own) = self.proofs.last_mut() else {
            return Err(Failed);
        };
        if *own.get_or_insert(level) == level {
            return Ok(());
        }
        let problem = Diagnostic::error(
            span,
            "this step is not of the level of the proof that goes on",
        );
        Err(self.problem(problem.help("a proof of steps ends with a step QED")))
    }

    fn step(&mut self) -> Parsed<()> {
        let TokenKind::Keyword(word) = self.kind() else {
            return self.statement();
        };
        match word {
            Keyword::Use | Keyword::Hide => {
                self.bump();
                self.facts()
            }
            Keyword::Instance => {
                let start = self.peek(0).span;
                self.instance(start, None, Vec::new(), false).map(drop)
            }
            Keyword::Define => {
                self.bump();
                self.let_units().map(drop)
            }
            Keyword::Have => {
                self.bump();
                self.expression().map(drop)
            }
            Keyword::Witness => {
                self.bump();
                self.expressions().map(drop)
            }
            Keyword::Take => {
                self.bump();
                match self.at_bound(true) {
                    true => self.bounds().map(drop),
                    false => self.idents("a name").map(drop),
                }
            }
            Keyword::Pick => {
                self.bump();
                self.quantified()?;
                self.expect(TokenKind::Colon, "`,` or `:`")?;
                self.expression()?;
                self.proof_if_any()
            }
            Keyword::Case => {
                self.bump();
                self.expression()?;
                self.proof_if_any()
            }
            Keyword::Suffices => {
                self.bump();
                self.statement()
            }
            _ => self.statement(),
        }
    }

    /// A definition, or what is to be shown with its proof.
    fn statement(&mut self) -> Parsed<()> {
        if self.at_definition(0) || self.kind() == TokenKind::Keyword(Keyword::Recursive) {
            return self.let_units().map(drop);
        }
        match self.at_assumptions() {
            true => self.assumptions()?,
            false => drop(self.expression()?),
        }
        self.proof_if_any()
    }

    fn proof_if_any(&mut self) -> Parsed<()> {
        if self.begins_proof() {
            self.proof()
        } else {
            Ok(())
        }
    }

    /// What a proof uses: facts and definitions.
    pub(super) fn facts(&mut self) -> Parsed<()> {
        self.eat_keyword(Keyword::Only);
        if self.kind() != TokenKind::Keyword(Keyword::Def) {
            self.fact_list()?;
        }
        if self.eat_keyword(Keyword::Def).is_some() {
            self.fact_list()?;
        }
        Ok(())
    }

    fn fact_list(&mut self) -> Parsed<()> {
        loop {
            if self.eat_keyword(Keyword::Module).is_some() {
                self.field("the name of a module")?;
            } else if let TokenKind::Operator(_) = self.kind()
                && self.bare_operator()
            {
                self.bump();
            } else {
                self.expression()?;
            }
            if self.eat(TokenKind::Comma).is_none() {
                return Ok(());
            }
        }
    }

    /// Whether the operator that is next stands alone.
    fn bare_operator(&self) -> bool {
        matches!(
            self.peek(1).kind,
            TokenKind::Comma
                | TokenKind::Step(_)
                | TokenKind::Keyword(Keyword::Def | Keyword::Use | Keyword::Hide)
        ) || self.ends_unit(1)
            || self.at_definition(1)
    }

    /// Whether `ASSUME` comes, with a label before it or not.
    pub(super) fn at_assumptions(&self) -> bool {
        let assume = |ahead| self.peek(ahead).kind == TokenKind::Keyword(Keyword::Assume);
        assume(0)
            || (self.kind() == TokenKind::Identifier
                && self.peek(1).kind == TokenKind::DoubleColon
                && assume(2))
    }

    /// `ASSUME a, NEW x \in S PROVE b`
    pub(super) fn assumptions(&mut self) -> Parsed<()> {
        self.nested(|p| {
            if p.eat(TokenKind::Identifier).is_some() {
                p.bump();
            }
            p.bump();
            loop {
                match p.at_assumptions() {
                    true => p.assumptions()?,
                    false => p.assumption()?,
                }
                if p.eat(TokenKind::Comma).is_none() {
                    break;
                }
            }
            p.expect_keyword(Keyword::Prove, "`,` or `PROVE`")?;
            p.expression().map(drop)
        })
    }

    /// A new symbol, or an expression.
    fn assumption(&mut self) -> Parsed<()> {
        use Keyword as K;
        let new = self.eat_keyword(K::New).is_some();
        match self.kind() {
            TokenKind::Keyword(K::Constant | K::Variable | K::State | K::Action | K::Temporal) => {
                self.bump();
            }
            _ if !new => return self.expression().map(drop),
            _ => {}
        }
        self.declared()?;
        if self
            .eat(TokenKind::Operator(crate::syntax::token::known::IN))
            .is_some()
        {
            self.expression()?;
        }
        Ok(())
    }
}
