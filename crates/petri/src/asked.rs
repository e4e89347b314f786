//! The conditions that formulas ask about, each with a number.

use std::collections::HashMap;

use evenhand_logic::{FormulaId, Formulas, Node, Place, Spelling, parse_with, print};
use evenhand_source::{Diagnostic, Files};
use evenhand_system::{Formula, PropositionId, Rejected};

use crate::atom::{Atoms, Wrong, atom};
use crate::condition::Condition;
use crate::fairness::Role;
use crate::maximal::{has_next, maximal};
use crate::net::Net;

/// How a text is called where something is wrong with it, and the text.
pub(crate) type Named<'t> = (&'static str, &'t str);

/// Conditions by number and by text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    pub conditions: Vec<Condition>,
    index: HashMap<String, PropositionId>,
    /// Whether a next was read over maximal paths.
    pub maximal_next: bool,
    /// Whether a next outside of CTL was left as it is.
    pub other_next: bool,
    /// Whether there is a next in a formula of linear time.
    pub linear_next: bool,
}

/// How the condition that no transition can fire is written.
const DEADLOCK: &str = "deadlock";

impl Asked {
    /// The number of a condition.
    pub fn number(&mut self, text: &str, condition: Condition) -> PropositionId {
        let conditions = &mut self.conditions;
        let number = self.index.entry(text.to_string()).or_insert_with(|| {
            conditions.push(condition);
            PropositionId(conditions.len() as u32 - 1)
        });
        *number
    }

    /// A formula from its text, with what its atoms are.
    pub fn read(
        &mut self,
        net: &Net,
        named: Named<'_>,
    ) -> Result<(Formulas, FormulaId, Vec<PropositionId>), Rejected> {
        let (_, text) = named;
        let mut store = Formulas::new();
        let mut reader = Atoms(net);
        let id = parse_with(
            &mut store,
            text,
            Spelling::Any,
            Place::default(),
            &mut reader,
        )
        .map_err(|problem| rejected(named, problem))?;
        let atoms = self.atoms(net, &store, named)?;
        Ok((store, id, atoms))
    }

    fn atoms(
        &mut self,
        net: &Net,
        store: &Formulas,
        named: Named<'_>,
    ) -> Result<Vec<PropositionId>, Rejected> {
        let mut atoms = Vec::new();
        for (_, read) in store.atoms() {
            let text = read.text.trim();
            let condition = match atom(net, text) {
                Ok(Some((condition, len))) if len == text.len() => condition,
                Ok(_) => return Err(unknown(net, text)),
                Err(Wrong { message, .. }) => {
                    return Err(rejected(named, Diagnostic::global(message)));
                }
            };
            atoms.push(self.number(text, condition));
        }
        Ok(atoms)
    }

    /// A formula of linear time.
    pub fn linear(&mut self, net: &Net, named: Named<'_>) -> Result<Formula, Rejected> {
        let (store, id, atoms) = self.read(net, named)?;
        if store.properties(id).has_quantifier() {
            let message = "this is no formula of linear time but one of CTL*";
            let help = "ask it as one of branching time";
            return Err(rejected(named, Diagnostic::global(message).help(help)));
        }
        self.linear_next |= has_next(&store, id);
        Ok(Formula::new(store, id, atoms))
    }

    /// A formula of CTL*; if it is one of CTL, and wanted so, over maximal paths.
    pub fn branching(
        &mut self,
        net: &Net,
        named: Named<'_>,
        over_maximal: bool,
    ) -> Result<Formula, Rejected> {
        let (store, id, atoms) = self.read(net, named)?;
        let mut open = vec![id];
        while let Some(part) = open.pop() {
            match store.node(part) {
                Node::Path(..) => {}
                Node::Unary(..) | Node::Binary(..) => {
                    let message = "a temporal operator must stand under a path quantifier";
                    let help = "write `A` or `E` before the formula: `A (p U q)`, `AG p`";
                    return Err(rejected(named, Diagnostic::global(message).help(help)));
                }
                node => open.extend(node.operands()),
            }
        }
        Ok(match over_maximal {
            true => self.maximal(store, id, atoms),
            false => Formula::new(store, id, atoms),
        })
    }

    /// The formula over maximal paths, if it is one of CTL.
    pub fn maximal(
        &mut self,
        mut store: Formulas,
        id: FormulaId,
        mut atoms: Vec<PropositionId>,
    ) -> Formula {
        if !has_next(&store, id) {
            return Formula::new(store, id, atoms);
        }
        let dead = store.host_atom(DEADLOCK);
        if let Node::Atom(atom) = store.node(dead)
            && atom.index() == atoms.len()
        {
            atoms.push(self.number(DEADLOCK, Condition::Dead));
        }
        let found = maximal(&mut store, id, dead);
        match found {
            Some(_) => self.maximal_next = true,
            None => self.other_next = true,
        }
        Formula::new(store, found.unwrap_or(id), atoms)
    }

    /// A condition on markings as a formula without temporal operators.
    pub fn condition(&mut self, net: &Net, named: Named<'_>) -> Result<Formula, Rejected> {
        let (store, id, atoms) = self.read(net, named)?;
        if !store.properties(id).is_boolean() {
            let message = "this is to be a condition on markings, without temporal operators";
            return Err(rejected(named, Diagnostic::global(message)));
        }
        Ok(Formula::new(store, id, atoms))
    }

    /// The same as one proposition.
    pub fn expression(&mut self, net: &Net, named: Named<'_>) -> Result<PropositionId, Rejected> {
        let (_, text) = named;
        let formula = self.condition(net, named)?;
        let condition = self.whole(&formula, formula.id);
        Ok(self.number(text.trim(), condition))
    }

    /// A condition of a fairness assumption, such that a run which ends is fair.
    pub fn where_runs_go_on(
        &mut self,
        role: Role,
        text: &str,
        known: PropositionId,
    ) -> PropositionId {
        let condition = self.conditions[known.0 as usize].clone();
        let (text, list) = (text.trim(), [condition, Condition::Dead]);
        match (role, list) {
            (Role::Then, _) => known,
            (Role::Justice, list) => {
                let text = format!("({text}) || {DEADLOCK}");
                self.number(&text, Condition::Any(list.into()))
            }
            (Role::When, [condition, dead]) => {
                let alive = Condition::Not(Box::new(dead));
                let text = format!("({text}) && !{DEADLOCK}");
                self.number(&text, Condition::All(vec![condition, alive]))
            }
        }
    }

    /// The same formula with one atom for each largest part without temporal operators: there are files
    /// with hundreds of comparisons, of which engines need to know only what they come to.
    pub fn condensed(&mut self, formula: &Formula) -> Formula {
        let store = &formula.store;
        let mut stands = HashMap::new();
        let mut open = vec![formula.id];
        while let Some(part) = open.pop() {
            if store.atoms_of(part).len() < 2 || stands.contains_key(&part) {
                continue;
            }
            if store.properties(part).is_boolean() {
                let text = print(store, part, Spelling::Spin);
                let condition = self.whole(formula, part);
                let number = self.number(&text, condition);
                stands.insert(part, (text, number));
            } else {
                open.extend(store.node(part).operands());
            }
        }
        formula.part(formula.id, &|part| stands.get(&part).cloned())
    }

    /// A formula without temporal operators as one condition.
    fn whole(&self, formula: &Formula, part: FormulaId) -> Condition {
        let not = |condition| Condition::Not(Box::new(condition));
        let of = |part: FormulaId| self.whole(formula, part);
        match formula.store.node(part) {
            Node::Constant(value) => Condition::Constant(*value),
            Node::Atom(atom) => {
                let number = formula.atoms.get(atom.index());
                let known = number.and_then(|p| self.conditions.get(p.0 as usize));
                known.cloned().unwrap_or(Condition::Constant(false))
            }
            Node::Not(f) => not(of(*f)),
            Node::And(list) => Condition::All(list.iter().map(|&f| of(f)).collect()),
            Node::Or(list) => Condition::Any(list.iter().map(|&f| of(f)).collect()),
            Node::Implies(f, g) => Condition::Any(vec![not(of(*f)), of(*g)]),
            Node::Iff(f, g) => Condition::Any(vec![
                Condition::All(vec![of(*f), of(*g)]),
                not(Condition::Any(vec![of(*f), of(*g)])),
            ]),
            Node::Xor(f, g) => Condition::Any(vec![
                Condition::All(vec![of(*f), not(of(*g))]),
                Condition::All(vec![not(of(*f)), of(*g)]),
            ]),
            // There are none of these.
            Node::Unary(..) | Node::Binary(..) | Node::Path(..) => Condition::Constant(false),
        }
    }
}

/// What is wrong with a text that stands in no file of the model.
fn rejected((name, text): Named<'_>, problem: Diagnostic) -> Rejected {
    let mut files = Files::new();
    files.add(name, text);
    Rejected::from((files, vec![problem]))
}

/// A name that is no atom.
fn unknown(net: &Net, text: &str) -> Rejected {
    let help = if net.transition_names.contains_key(text) {
        format!("that the transition can fire is `is-fireable({text})`")
    } else if net.place_names.contains_key(text) {
        format!("that the place has a token is `tokens({text}) >= 1`")
    } else {
        "write `is-fireable(TRANSITION)`, `tokens(PLACE) <= 3` or `deadlock`".to_string()
    };
    let message = format!("`{text}` is no condition on a marking");
    Rejected::about(Diagnostic::global(message).help(help))
}
