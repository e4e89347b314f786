//! The workbench: a local page on which models are edited, checked and walked through.
//!
//! A server on the loopback interface hands out one page and answers its calls. The page is plain text that
//! stands in `page/`, beside the script and the style of the reports, whose panels show the runs. Who may ask is decided
//! in one place (`guard.rs`): the address carries a random token, the `Host` must be this one, and no other
//! origin gets an answer. What a model says comes to the page as JSON and is put there as text.
//!
//! | file | what it does |
//! | --- | --- |
//! | `http` | requests are read and answers written, with limits on bytes and time |
//! | `guard` | who may ask |
//! | `server` | one thread for each connection, and an end |
//! | `pages` | the files of the page |
//! | `api` | calls: which one, and its answer |
//! | `reading` | texts become models; what is wrong with them; what can be asked |
//! | `asked` | what a call asks of a model |
//! | `jobs` | checks that take long: progress, an end on demand |
//! | `check` | what jobs do: check, advise |
//! | `walk` | a path through the states, choice by choice; why a process does not move |
//! | `graph` | a small state graph as a picture, with its components |
//!
//! Every call has limits: reading, walking and drawing a few seconds, a check those of the command. A panic ends
//! a call, not the server.

mod api;
mod asked;
mod check;
mod graph;
mod guard;
mod http;
mod jobs;
mod pages;
mod reading;
mod server;
mod walk;

pub use reading::Opened;
pub use server::{Settings, Workbench};
