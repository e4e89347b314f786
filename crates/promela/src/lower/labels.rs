//! Which label a `goto` means.
//!
//! The rule is SPIN's, and it is one about *mentions* in the order of the text. A label name is
//! entered in a table at the block (`{ … }`, the body of an inline, of a loop) where it is first
//! mentioned, whether by a label or by a `goto`; later mentions in that block or inside of it are
//! the same name. So each of two inlines has a `done` of its own, but where the process says `goto
//! done` before it calls them, all three are one name.
//!
//! A `goto` leads to the last label of its own name. If that has none, it leads to the first label
//! of an equally spelled name in a block around it, and failing that to the last one anywhere else
//! in the process. References from outside (`p@done`) mean the first label so spelled.
//!
//! A name may have several labels only if they come from the texts of different inlines.

use evenhand_source::Span;

use super::flow::ElementId;
use crate::token::Name;

/// A mentioned name of a process, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mention(usize);

/// A label.
#[derive(Clone, Debug)]
pub(super) struct Label {
    pub name: Name,
    pub mention: Mention,
    pub element: ElementId,
    pub span: Span,
    /// The inline whose text it stands in, by the place of that text.
    pub inline: Option<Span>,
}

/// The label names of a process, and the blocks they belong to.
#[derive(Clone, Debug)]
pub(super) struct Mentions {
    /// For each block the one around it; the first is the body of the process.
    around: Vec<usize>,
    /// The block that is being read.
    block: usize,
    /// Spelling and block.
    names: Vec<(Name, usize)>,
}

impl Default for Mentions {
    fn default() -> Mentions {
        Mentions {
            around: vec![0],
            block: 0,
            names: Vec::new(),
        }
    }
}

impl Mentions {
    /// A block begins.
    pub fn enter(&mut self) {
        self.around.push(self.block);
        self.block = self.around.len() - 1;
    }

    /// The block ends.
    pub fn leave(&mut self) {
        self.block = self.around[self.block];
    }

    /// What a spelling means here.
    pub fn mention(&mut self, name: &Name) -> Mention {
        let block = self.block;
        let mut known = self.names.iter();
        let known = known.rposition(|(n, at)| n == name && self.lies_in(block, *at));
        Mention(known.unwrap_or_else(|| {
            self.names.push((name.clone(), block));
            self.names.len() - 1
        }))
    }

    /// Where a `goto` leads.
    pub fn find<'l>(&self, wanted: Mention, labels: &'l [Label]) -> Option<&'l Label> {
        let (name, block) = &self.names[wanted.0];
        let spelled = || labels.iter().filter(|l| l.name == *name);
        let own = spelled().rev().find(|l| l.mention == wanted);
        own.or_else(|| spelled().find(|l| self.lies_in(*block, self.names[l.mention.0].1)))
            .or_else(|| spelled().next_back())
    }

    /// Whether a block is another one or inside of it.
    fn lies_in(&self, mut block: usize, outer: usize) -> bool {
        while block > outer {
            block = self.around[block];
        }
        block == outer
    }
}
