//! The body of a HOA automaton: its states and edges.
//!
//! A state may carry a label (for all its edges) and marks (for all its edges). If neither state
//! nor edges have labels, the i-th edge is for the letter whose number is i: bit p says whether
//! proposition p holds. Labels become one edge per cube. Large automata have few different labels, so
//! each is read and numbered once for each way in which it is written, and so is each set of marks.

use super::lexer::{Token, unescape};
use super::reader::{Fallible, Header, Parser};
use crate::{Automaton, Bits, Builder, Cube, CubeId, Mark, MarkSet, MarksId, State};
use evenhand_source::{Diagnostic, Span};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Implicit labels are counted out up to this number of propositions.
const IMPLICIT_LIMIT: usize = 20;
/// State numbers below this are always taken; larger ones only in a text long enough to describe
/// them, so that a short text cannot ask for much memory.
const SMALL_STATE: usize = 1 << 16;

struct Body<'p, 'a> {
    parser: &'p mut Parser<'a>,
    header: Header,
    props: usize,
    builder: Builder,
    defined: Vec<bool>,
    /// Where each state is mentioned first, until it is described.
    mentioned: Vec<Option<Span>>,
    /// The largest number of a state so far.
    largest: Option<u32>,
    /// Labels by what is written between their brackets.
    labels: FxHashMap<&'a str, Rc<[CubeId]>>,
    /// Sets of marks that fit into a word.
    mark_sets: FxHashMap<u64, MarksId>,
}

/// Reads from `--BODY--` to `--END--`.
pub(super) fn read(
    parser: &mut Parser<'_>,
    mut header: Header,
    diagnostics: &mut Vec<Diagnostic>,
) -> Fallible<Automaton> {
    let props = header.props.take().unwrap_or_default();
    let mut builder = Builder::new(props.clone(), header.acceptance());
    builder.name = header.name.take();
    builder.reserve_marks(header.marks as usize + header.complements.len());
    header.props = Some(props.clone());
    let body = Body {
        parser,
        header,
        props: props.len(),
        builder,
        defined: Vec::new(),
        mentioned: Vec::new(),
        largest: None,
        labels: FxHashMap::default(),
        mark_sets: FxHashMap::default(),
    };
    body.run(diagnostics)
}

impl Body<'_, '_> {
    fn run(mut self, diagnostics: &mut Vec<Diagnostic>) -> Fallible<Automaton> {
        for (start, span) in std::mem::take(&mut self.header.start) {
            self.mention(start, span)?;
            self.builder.reserve_states(start as usize + 1);
            self.builder.add_initial(State(start));
        }
        self.parser.advance()?;
        while let Token::Header("State") = self.parser.token {
            self.parser.advance()?;
            self.state()?;
        }
        match self.parser.token {
            Token::End => {}
            Token::Abort => {
                let message = "the writer of this automaton gave up (--ABORT--)";
                return Err(Box::new(Diagnostic::error(self.parser.span, message)));
            }
            _ => return self.parser.unexpected("\"State:\" or --END--"),
        }
        // "States:" bounds the numbers (see `mention`); states nobody speaks of are not made, so
        // that a large announcement costs nothing.
        if let Some(largest) = self.largest {
            self.builder.reserve_states(largest as usize + 1);
        }
        self.warn_of_undescribed(diagnostics);
        Ok(self.builder.build())
    }

    fn mention(&mut self, state: u32, span: Span) -> Fallible<()> {
        let bound = SMALL_STATE.max(self.parser.text_length());
        let message = match self.header.states {
            Some(count) if state >= count => {
                format!("state {state} is not among the {count} of \"States:\"")
            }
            _ if state as usize >= bound => {
                format!("state {state}: this text is too short to describe so many states")
            }
            _ => {
                self.largest = self.largest.max(Some(state));
                let at = state as usize;
                if self.mentioned.len() <= at {
                    self.mentioned.resize(at + 1, None);
                }
                self.mentioned[at].get_or_insert(span);
                return Ok(());
            }
        };
        Err(Box::new(Diagnostic::error(span, message)))
    }

    /// A state that is only mentioned has no edges: no run goes on from it.
    fn warn_of_undescribed(&self, diagnostics: &mut Vec<Diagnostic>) {
        let states = self.mentioned.iter().enumerate();
        let is_described = |at: usize| self.defined.get(at) == Some(&true);
        let mut left = states.filter(|&(at, _)| !is_described(at));
        if let Some((state, &Some(span))) = left.find(|(_, span)| span.is_some()) {
            let others = left.filter(|(_, span)| span.is_some()).count();
            let message = format!("state {state} is never described: no run goes on from it");
            let help = match others {
                0 => None,
                1 => Some("nor is one more".to_string()),
                more => Some(format!("nor are {more} more")),
            };
            diagnostics.push(Diagnostic::warning(span, message).maybe_help(help));
        }
    }

    fn state(&mut self) -> Fallible<()> {
        let state_label = self.label()?;
        let span = self.parser.span;
        let number = self.parser.number("a state")?;
        self.mention(number, span)?;
        let state = State(number);
        if self.defined.len() <= state.index() {
            self.defined.resize(state.index() + 1, false);
        }
        if std::mem::replace(&mut self.defined[state.index()], true) {
            let message = format!("state {number} is described twice");
            return Err(Box::new(Diagnostic::error(span, message)));
        }
        self.builder.reserve_states(state.index() + 1);
        if let Token::Text(text) = self.parser.token {
            self.builder.name_state(state, &unescape(text));
            self.parser.advance()?;
        }
        let state_marks = self.marks()?;
        let mut implicit = 0usize;
        let mut explicit = false;
        loop {
            let at = self.parser.span;
            let label = match self.parser.token {
                Token::Symbol(b'[') => self.label()?,
                Token::Number(_) => None,
                _ => break,
            };
            let target_span = self.parser.span;
            let target = self.parser.number("a state")?;
            self.parser.refuse_branching()?;
            self.mention(target, target_span)?;
            let mut marks = self.marks()?;
            marks.0.union_with(&state_marks.0);
            self.complement(&mut marks);
            explicit |= label.is_some();
            let implicit_label;
            let cubes = match (&state_label, &label) {
                (Some(_), Some(_)) => {
                    let message = "a label on an edge of a state that has a label itself";
                    return Err(Box::new(Diagnostic::error(at, message)));
                }
                (Some(cubes), None) | (None, Some(cubes)) => &cubes[..],
                (None, None) => {
                    let label = self.implicit(implicit, at)?;
                    implicit_label = [self.builder.label(&label)];
                    implicit += 1;
                    &implicit_label
                }
            };
            let marks = self.marks_number(&marks);
            for &label in cubes {
                self.builder
                    .add_known_edge(state, label, marks, State(target));
            }
        }
        self.check_implicit(implicit, explicit, span)
    }

    /// `[label]`, if there is one.
    fn label(&mut self) -> Fallible<Option<Rc<[CubeId]>>> {
        if self.parser.token != Token::Symbol(b'[') {
            return Ok(None);
        }
        let text = self.parser.bracketed();
        if let Some(text) = text
            && let Some(known) = self.labels.get(text)
        {
            let known = known.clone();
            self.parser.skip_bracketed(text)?;
            return Ok(Some(known));
        }
        let end = self.parser.span.end as usize + text.map_or(0, str::len);
        self.parser.advance()?;
        let span = self.parser.span;
        let (cubes, _) = self.parser.label(&self.header, 0)?;
        // A bracket in a comment does not end a label.
        let is_whole = self.parser.span.start as usize == end;
        self.parser.expect_symbol(b']')?;
        let bound = |set: &Bits| set.iter().last().is_some_and(|p| p >= self.props);
        if cubes
            .iter()
            .any(|c| bound(c.positive()) || bound(c.negative()))
        {
            let message = "an alias in this label uses a proposition that \"AP:\" has not";
            return Err(Box::new(Diagnostic::error(span, message)));
        }
        let cubes: Rc<[CubeId]> = cubes.iter().map(|cube| self.builder.label(cube)).collect();
        if let Some(text) = text.filter(|_| is_whole) {
            self.labels.insert(text, cubes.clone());
        }
        Ok(Some(cubes))
    }

    /// `{1 2}`, if it is there.
    fn marks(&mut self) -> Fallible<MarkSet> {
        let mut marks = MarkSet::EMPTY;
        if self.parser.token != Token::Symbol(b'{') {
            return Ok(marks);
        }
        self.parser.advance()?;
        while self.parser.token != Token::Symbol(b'}') {
            let span = self.parser.span;
            let mark = self.parser.number("an acceptance set or \"}\"")?;
            if mark >= self.header.marks {
                let message = format!(
                    "set {mark} is not among the {} announced",
                    self.header.marks
                );
                return Err(Box::new(Diagnostic::error(span, message)));
            }
            marks.insert(Mark(mark));
        }
        self.parser.advance()?;
        Ok(marks)
    }

    fn marks_number(&mut self, marks: &MarkSet) -> MarksId {
        if !marks.0.fits_word() {
            return self.builder.marks(marks);
        }
        let number = self.mark_sets.entry(marks.0.low());
        *number.or_insert_with(|| self.builder.marks(marks))
    }

    /// Adds the marks that stand for "not in set x".
    fn complement(&self, marks: &mut MarkSet) {
        for (&set, &complement) in &self.header.complements {
            if !marks.contains(Mark(set)) {
                marks.insert(complement);
            }
        }
    }

    fn implicit(&self, number: usize, span: Span) -> Fallible<Cube> {
        if self.props > IMPLICIT_LIMIT {
            let message = format!("implicit labels over more than {IMPLICIT_LIMIT} propositions");
            return Err(Box::new(Diagnostic::error(span, message)));
        }
        if number >= 1 << self.props {
            let message = format!(
                "more edges without label than the {} letters over {} propositions",
                1 << self.props,
                self.props
            );
            return Err(Box::new(Diagnostic::error(span, message)));
        }
        let positive = Bits::from_word(number as u64);
        let negative = Bits::below(self.props).difference(&positive);
        Ok(Cube::new(positive, negative).unwrap_or(Cube::TRUE))
    }

    fn check_implicit(&self, implicit: usize, explicit: bool, span: Span) -> Fallible<()> {
        if implicit > 0 && explicit {
            let message = "some edges of this state have a label and some have none";
            return Err(Box::new(Diagnostic::error(span, message)));
        }
        if implicit > 0 && implicit != 1 << self.props {
            let message = format!(
                "edges without labels must be one per letter: {} are needed, {implicit} are there",
                1 << self.props
            );
            return Err(Box::new(Diagnostic::error(span, message)));
        }
        Ok(())
    }
}
