//! Definitions with frames of their own: recursive ones, and large ones that are used more than once.
//!
//! Such a definition is compiled when it is first called. While it is open, nothing is known of what it depends on, so
//! a call of itself is taken to depend on everything it may see.

use evenhand_source::Span;

use super::action::Search;
use super::apply::Given;
use super::scope::{Binding, DefId, Defined, FrameId, Rows, ScopeId};
use super::{Compiled, Compiler, PieceState, Recorder, refused};
use crate::code::{Act, ActPiece, Code, Facts, Op, Piece, Slot};

/// A definition as an action: for which rows, which row is searched for, and whether steps are called after it.
pub(super) type ActKey = (DefId, Rows, Search, bool);

/// What a definition with a frame of its own was compiled to, its parameters, and what it needs from outside.
type Framed<T> = (Compiled<T>, Box<[Slot]>, Vec<(FrameId, Slot)>);

impl<'a> Compiler<'a> {
    /// Calls the piece of code of a definition, which is made when it is first called.
    pub(super) fn call(&mut self, id: DefId, args: Vec<Code>, rows: Rows, span: Span) -> Code {
        let number = match self.piece_of.get(&(id, rows)) {
            Some(&number) => number,
            None => self.piece(id, rows),
        };
        let given = args
            .iter()
            .fold(Facts::NONE, |facts, arg| facts.and(arg.facts));
        let state = self.piece_states[number as usize].clone();
        let facts = self.called(&state, given, rows);
        let Some(distance) = self.distance_of(id) else {
            return refused("a definition cannot be used outside of its scope", span);
        };
        let op = Op::Call(number, distance, args.into());
        Code { op, span, facts }
    }

    /// The same for a definition that is an action.
    pub(super) fn call_act(&mut self, key: ActKey, args: &[Given<'a>], span: Span) -> (Act, Facts) {
        let (id, rows, search, naming) = key;
        let mut codes = Vec::with_capacity(args.len());
        let mut given = Facts::NONE;
        for &arg in args {
            let code = self.given(arg, rows, span);
            given = given.and(code.facts);
            let once = !code.facts.reads(search.row) && code.facts.is_pure();
            codes.push((code, once));
        }
        let number = match self.act_piece_of.get(&key) {
            Some(&number) => number,
            None => self.act_piece(key),
        };
        let state = self.act_piece_states[number as usize].clone();
        let facts = self.called(&state, given, rows);
        let Some(distance) = self.distance_of(id) else {
            let code = refused("a definition cannot be used outside of its scope", span);
            let facts = code.facts;
            return (Act::Test(code), facts);
        };
        (Act::Call(number, distance, codes.into(), naming), facts)
    }

    fn distance_of(&self, id: DefId) -> Option<u32> {
        let frame = self.defs[id.0 as usize].frame;
        self.distance(frame).or((frame == FrameId(0)).then_some(0))
    }

    /// What a call depends on, besides its arguments.
    fn called(&mut self, state: &PieceState, mut facts: Facts, rows: Rows) -> Facts {
        match state {
            PieceState::Open => {
                let mut bits = 1u16 << rows.now;
                if let Some(next) = rows.next {
                    bits |= 1 << next;
                }
                facts.rows |= bits;
                facts.lowest = 0;
            }
            PieceState::Done { facts: own, needs } => {
                facts.rows |= own.rows;
                facts.impure |= own.impure;
                facts.drawn |= own.drawn;
                for &(frame, slot) in needs {
                    self.note(frame, slot);
                    let lowest = if frame == self.frame { slot } else { 0 };
                    facts.lowest = facts.lowest.min(lowest);
                }
            }
        }
        facts
    }

    fn piece(&mut self, id: DefId, rows: Rows) -> u32 {
        let number = u32::try_from(self.piece_states.len()).unwrap_or(u32::MAX);
        self.piece_states.push(PieceState::Open);
        self.open_pieces.push(None);
        self.piece_of.insert((id, rows), number);
        let (made, params, needs) = self.framed_definition(id, rows, |this, what, scope| {
            let code = match what {
                Defined::Operator(definition) => this.expr(&definition.body, scope, rows),
                Defined::Function(definition) => this.function_definition(definition, scope, rows),
            };
            this.hoisted(code)
        });
        let Compiled { code, frame } = made;
        let facts = code.facts;
        let alone = params.is_empty() && needs.is_empty() && facts.lowest == Slot::MAX;
        let plain = matches!(code.op, Op::Variable(..));
        self.open_pieces[number as usize] = Some(Piece {
            frame,
            params,
            code,
            memo: match alone && facts.is_pure() && !plain {
                true => facts.rows,
                false => 0,
            },
            reads: Box::default(),
        });
        self.piece_states[number as usize] = PieceState::Done { facts, needs };
        number
    }

    fn act_piece(&mut self, key: ActKey) -> u32 {
        let (id, rows, search, naming) = key;
        let span = match self.defs[id.0 as usize].what {
            Defined::Operator(definition) => definition.body.span,
            Defined::Function(definition) => definition.body.span,
        };
        let number = u32::try_from(self.act_piece_states.len()).unwrap_or(u32::MAX);
        self.act_piece_states.push(PieceState::Open);
        self.open_act_pieces.push(None);
        self.act_piece_of.insert(key, number);
        let (made, params, needs) = self.framed_definition(id, rows, |this, what, scope| {
            let Defined::Operator(definition) = what else {
                return (Act::Or(Box::new([])), Facts::NONE);
            };
            let (act, facts) = this.act(&definition.body, scope, rows, search, naming);
            let act = match naming {
                true => {
                    let shown = this.shown(definition, scope, rows);
                    this.named_act(definition, shown, act)
                }
                false => act,
            };
            (this.hoisted_act(act), facts)
        });
        let Compiled {
            code: (act, facts),
            frame,
        } = made;
        self.open_act_pieces[number as usize] = Some(ActPiece {
            frame,
            params,
            act,
            span,
        });
        self.act_piece_states[number as usize] = PieceState::Done { facts, needs };
        number
    }

    /// Compiles a definition in a frame of its own, with slots for its parameters.
    fn framed_definition<T>(
        &mut self,
        id: DefId,
        rows: Rows,
        make: impl FnOnce(&mut Self, Defined<'a>, ScopeId) -> T,
    ) -> Framed<T> {
        let (what, scope, parent) = {
            let def = &self.defs[id.0 as usize];
            (def.what, def.scope, def.frame)
        };
        let before = self.size;
        let depth = std::mem::replace(&mut self.depth, 0);
        let made = self.framed(Some(parent), |this| {
            let own = this.frame;
            this.recorders.push(Recorder {
                frame: own,
                first: 0,
                found: Vec::new(),
            });
            let mut params = Vec::new();
            let mut inner = scope;
            if let Defined::Operator(definition) = what {
                inner = this.scopes.add(Some(scope));
                for declared in &definition.params {
                    let slot = this.slot();
                    params.push(slot);
                    let binding = Binding::Param(own, slot, rows.now);
                    this.scopes.bind(inner, declared.ident.name, binding);
                }
            }
            let code = make(this, what, inner);
            let recorder = this.recorders.pop();
            let needs = recorder.map(|recorder| recorder.found).unwrap_or_default();
            (code, params, needs)
        });
        self.depth = depth;
        self.size = before + 1;
        let (code, params, needs) = made.code;
        let frame = made.frame;
        (Compiled { code, frame }, params.into(), needs)
    }
}
