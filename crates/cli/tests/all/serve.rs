//! The workbench: who may ask, what calls answer, and the page in a real browser by real clicks. Where no Chromium
//! is installed the tests that need one say so and pass, unless `EVENHAND_NO_SKIPS` is set.

mod calls;
mod page;
mod security;
mod server;
