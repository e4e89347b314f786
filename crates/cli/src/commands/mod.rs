//! One file per command.

pub(crate) mod advise;
pub(crate) mod certify;
pub(crate) mod check;
pub(crate) mod empty;
pub(crate) mod engines;
pub(crate) mod formula;
pub(crate) mod lsp;
pub(crate) mod packaging;
pub(crate) mod serve;
pub(crate) mod simulate;
pub(crate) mod states;
pub(crate) mod translate;
