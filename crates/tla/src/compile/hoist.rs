//! What depends on nothing is evaluated once.
//!
//! The largest parts of an expression that read no variable and no bound name become cells of the program. They are
//! evaluated when they are first needed, so that what is never needed may have no value.

use super::Compiler;
use crate::code::{Act, Argument, Code, Op};
use crate::value::Value;

impl Compiler<'_> {
    /// The same code with cells for what depends on nothing.
    pub(super) fn hoisted(&mut self, mut code: Code) -> Code {
        self.hoist(&mut code);
        code
    }

    pub(super) fn hoisted_act(&mut self, mut act: Act) -> Act {
        self.hoist_act(&mut act);
        act
    }

    fn hoist(&mut self, code: &mut Code) {
        // Values of different kinds have no order: they are asked one after the other.
        if let Op::In(value, set) | Op::NotIn(value, set) = &mut code.op
            && let Op::SetOf(parts) = &mut set.op
            && !is_uniform(parts)
        {
            self.hoist(value);
            parts.iter_mut().for_each(|part| self.hoist(part));
            return;
        }
        if code.facts.is_constant() {
            if is_cheap(&code.op) {
                return;
            }
            let size = self.first();
            let (span, facts) = (code.span, code.facts);
            let op = std::mem::replace(&mut code.op, Op::Global(0));
            let whole = Code { op, span, facts };
            code.op = Op::Global(self.global(whole, size));
            return;
        }
        let mut each = |part: &mut Code| self.hoist(part);
        match &mut code.op {
            Op::And(list) | Op::Or(list) => {
                for part in list {
                    self.hoist(part);
                    self.keep(part);
                }
            }
            Op::Implies(a, b) => {
                for part in [a, b] {
                    self.hoist(part);
                    self.keep(part);
                }
            }
            Op::Enabled(_, act) => self.hoist_act(act),
            Op::Composed(_, both) => both.iter_mut().for_each(|act| self.hoist_act(act)),
            op => op.parts(&mut each),
        }
    }

    fn hoist_act(&mut self, act: &mut Act) {
        match act {
            Act::And(list) | Act::Or(list) => list.iter_mut().for_each(|act| self.hoist_act(act)),
            Act::Exists(binds, body) | Act::All(binds, body, _) => {
                binds.iter_mut().for_each(|bind| self.hoist(&mut bind.set));
                self.hoist_act(body);
            }
            Act::If(condition, yes, no) => {
                self.hoist(condition);
                self.hoist_act(yes);
                self.hoist_act(no);
            }
            Act::Case(arms, other, _) => {
                for (condition, act) in arms {
                    self.hoist(condition);
                    self.hoist_act(act);
                }
                if let Some(other) = other {
                    self.hoist_act(other);
                }
            }
            Act::Let(thunks, body) => {
                thunks
                    .iter_mut()
                    .for_each(|(thunk, _)| self.hoist(&mut thunk.code));
                self.hoist_act(body);
            }
            Act::Assign(_, _, code) | Act::AssignIn(_, _, code, _) => self.hoist(code),
            Act::AssignSubset(_, _, code, _) => self.hoist(code),
            Act::Test(code) => {
                self.hoist(code);
                self.keep(code);
            }
            Act::Unchanged(..) => {}
            Act::Compose(_, both) => both.iter_mut().for_each(|act| self.hoist_act(act)),
            Act::Call(_, _, args, _) => args.iter_mut().for_each(|(arg, _)| self.hoist(arg)),
            Act::Kept(_, body) => self.hoist_act(body),
            Act::Named(_, args, body) | Act::Watched(_, args, body) => {
                args.iter_mut().for_each(|arg| self.hoist(arg));
                self.hoist_act(body);
            }
        }
    }
}

/// Whether all are constants of one simple kind.
fn is_uniform(parts: &[Code]) -> bool {
    let kind = |part: &Code| match &part.op {
        Op::Constant(Value::Number(_)) => Some(0),
        Op::Constant(Value::Text(_)) => Some(1),
        Op::Constant(Value::Truth(_)) => Some(2),
        Op::Constant(Value::Model(..)) => Some(3),
        _ => None,
    };
    let first = parts.first().and_then(kind);
    first.is_some() && parts.iter().all(|part| kind(part) == first)
}

fn is_cheap(op: &Op) -> bool {
    matches!(op, Op::Constant(_) | Op::Global(_) | Op::Refused(_))
}

impl Op {
    /// Does something with each part; what is in other places of the program, and actions, are left alone.
    pub(super) fn parts(&mut self, each: &mut dyn FnMut(&mut Code)) {
        match self {
            Op::Constant(_) | Op::Global(_) | Op::Variable(..) | Op::Slot(..) => {}
            Op::Enabled(..) | Op::Composed(..) | Op::Refused(_) => {}
            Op::Let(thunks, body) => {
                thunks.iter_mut().for_each(|thunk| each(&mut thunk.code));
                each(body);
            }
            Op::And(list)
            | Op::Or(list)
            | Op::SetOf(list)
            | Op::Tuple(list)
            | Op::Product(list) => {
                list.iter_mut().for_each(each);
            }
            Op::Call(_, _, list) | Op::Function(list, _) | Op::Machine(_, list) => {
                list.iter_mut().for_each(each);
            }
            Op::Known(_, a) | Op::Not(a) | Op::PowerSet(a) | Op::BigUnion(a) | Op::Domain(a) => {
                each(a)
            }
            Op::Filter(a, _) | Op::Field(a, _) => each(a),
            Op::Implies(a, b) | Op::Equivalent(a, b) | Op::Equal(a, b) | Op::Different(a, b) => {
                each(a);
                each(b);
            }
            Op::In(a, b) | Op::NotIn(a, b) | Op::SubsetOf(a, b) | Op::Functions(a, b) => {
                each(a);
                each(b);
            }
            Op::Arithmetic(_, a, b) | Op::Sets(_, a, b) => {
                each(a);
                each(b);
            }
            Op::If(a, b, c) => {
                each(a);
                each(b);
                each(c);
            }
            Op::Case(arms, other) => {
                for (condition, value) in arms {
                    each(condition);
                    each(value);
                }
                if let Some(other) = other {
                    each(other);
                }
            }
            Op::Exists(binds, body) | Op::All(binds, body) | Op::Image(body, binds) => {
                binds.iter_mut().for_each(|bind| each(&mut bind.set));
                each(body);
            }
            Op::Choose(bind, body) => {
                each(&mut bind.set);
                each(body);
            }
            Op::Apply(function, args) => {
                each(function);
                args.iter_mut().for_each(each);
            }
            Op::Except(function, changes) => {
                each(function);
                for change in changes {
                    change.place.iter_mut().for_each(&mut *each);
                    each(&mut change.value);
                }
            }
            Op::Record(fields) | Op::Records(fields) => {
                fields.iter_mut().for_each(|(_, value)| each(value));
            }
            Op::Native(_, _, args) => {
                for arg in args {
                    match arg {
                        Argument::Value(code) | Argument::Operator(_, code) => each(code),
                    }
                }
            }
        }
    }
}
