//! Parallel composition of relations, as constraints.
//!
//! The same operations as those on systems that are explored (`crate::compose`), done on the text
//! of the constraints, for engines that never enumerate: the synchronous composition joins the
//! constraints of a part of each side, the asynchronous one adds to each part that the private
//! variables of the other side keep their values. The invariant is part of the initial condition
//! and of the steps of its own side alone, as the definition of Kesten, Pnueli, Raviv and Shahar
//! has it: in an asynchronous composition a step of one side may break the other's.
//!
//! Shared variables must have the same values on both sides.

use super::{ExprId, Expressions, Part, Refusal, Relation, Role, VarId, Wide};
use crate::compose::ProcessId;
use crate::fairness::{Compassion, PropositionId};

impl Relation {
    /// Both relations make a step together.
    ///
    /// # Errors
    /// Where one is not well formed, or a shared variable is declared in two ways.
    pub fn synchronous(left: &Relation, right: &Relation) -> Result<Relation, Refusal> {
        let (mut joint, sides) = join(left, right)?;
        for side in &sides {
            joint.invar.extend(&side.invar);
        }
        for a in &sides[0].trans {
            for b in &sides[1].trans {
                joint.trans.push(Part {
                    participants: [&a.participants[..], &b.participants].concat(),
                    constraints: [&a.constraints[..], &b.constraints].concat(),
                });
            }
        }
        Ok(joint)
    }

    /// One of the relations makes a step, the other keeps its private variables.
    ///
    /// # Errors
    /// Where one is not well formed, or a shared variable is declared in two ways.
    pub fn asynchronous(left: &Relation, right: &Relation) -> Result<Relation, Refusal> {
        let (mut joint, sides) = join(left, right)?;
        let all = 0..joint.variables.len() as u32;
        for side in &sides {
            let mine = &side.variables;
            let kept: Vec<ExprId> = all
                .clone()
                .map(VarId)
                .filter(|id| !mine.contains(id))
                .filter(|id| joint.variables[id.0 as usize].role == Role::State)
                .map(|id| keep(&mut joint.expressions, id))
                .collect();
            let after: Vec<ExprId> = side
                .invar
                .iter()
                .map(|&expr| joint.expressions.primed(expr))
                .collect();
            for part in &side.trans {
                let mut constraints = part.constraints.clone();
                constraints.extend(side.invar.iter().chain(&after).chain(&kept));
                joint.trans.push(Part {
                    participants: part.participants.clone(),
                    constraints,
                });
            }
            joint.init.extend(&side.invar);
        }
        Ok(joint)
    }
}

fn keep(pool: &mut Expressions, id: VarId) -> ExprId {
    let (now, next) = (pool.current(id), pool.next(id));
    pool.equal(next, now)
}

/// What is left of a component once its variables and expressions are numbered jointly.
struct Side {
    variables: Vec<VarId>,
    invar: Vec<ExprId>,
    trans: Vec<Part>,
}

/// Everything but the invariant and the steps.
fn join(left: &Relation, right: &Relation) -> Result<(Relation, [Side; 2]), Refusal> {
    left.check()?;
    right.check()?;
    let symbols = match left.symbols.len() < right.symbols.len() {
        true => (&right.symbols, &left.symbols),
        false => (&left.symbols, &right.symbols),
    };
    if !symbols.0.starts_with(symbols.1) {
        return Err(Refusal::new("the names of values are numbered in two ways"));
    }
    let mut joint = Relation {
        name: [left.name.as_str(), right.name.as_str()].join("|"),
        symbols: symbols.0.clone(),
        ..Relation::default()
    };
    let left = add(&mut joint, left)?;
    let right = add(&mut joint, right)?;
    Ok((joint, [left, right]))
}

fn add(joint: &mut Relation, side: &Relation) -> Result<Side, Refusal> {
    let mut variables = Vec::new();
    for variable in &side.variables {
        let shared = joint.variables.iter().position(|v| v.name == variable.name);
        variables.push(match shared {
            None => joint.add(variable.clone()),
            Some(at) if joint.variables[at] == *variable => VarId(at as u32),
            Some(_) => {
                let reason = format!("`{}` is declared in two ways", variable.name);
                return Err(Refusal::new(reason));
            }
        });
    }
    for wide in &side.wide {
        if joint.wide.iter().all(|known| known.name != wide.name) {
            let limbs = wide.limbs.iter().map(|id| variables[id.0 as usize]);
            joint.wide.push(Wide {
                limbs: limbs.collect(),
                ..wide.clone()
            });
        }
    }
    let processes = joint.processes.len();
    joint.processes.extend(side.processes.iter().cloned());
    let pool = &mut joint.expressions;
    let mut import =
        |&expr: &ExprId| pool.import(&side.expressions, expr, |id| variables[id.0 as usize]);
    joint.init.extend(side.init.iter().map(&mut import));
    let first = joint.propositions.len() as u32;
    let propositions = side.propositions.iter();
    joint
        .propositions
        .extend(propositions.map(|(name, expr)| (name.clone(), import(expr))));
    let moved = |p: PropositionId| PropositionId(first + p.0);
    joint.justice.extend(side.justice.iter().map(|&p| moved(p)));
    joint
        .compassion
        .extend(side.compassion.iter().map(|pair| Compassion {
            when: moved(pair.when),
            then: moved(pair.then),
        }));
    let invar = side.invar.iter().map(&mut import).collect();
    let number = |p: ProcessId| p.plus(processes);
    let trans = side
        .trans
        .iter()
        .map(|part| Part {
            participants: part
                .participants
                .iter()
                .map(|(process, name)| (number(*process), name.clone()))
                .collect(),
            constraints: part.constraints.iter().map(&mut import).collect(),
        })
        .collect();
    Ok(Side {
        variables,
        invar,
        trans,
    })
}
