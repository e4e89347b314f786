//! For editors: the language server, which answers what is asked about a text by the front-ends, and a debug adapter, which
//! steps through runs ([`debug`]).
//!
//! One thread reads messages, keeps the texts and answers; it does nothing that takes long. Two others look at
//! each new text: one makes its [`Outline`](evenhand::system::Outline), the other reads it as the command does and
//! tells what is wrong (`analysis.rs`). A new text ends what was going on about the old one. Questions about
//! names wait for the outline of the text that they are about; nothing else is ever waited for. A check of a
//! property has a thread of its own, limits, and a flag that ends it (`checks.rs`).
//!
//! The server knows no language: it asks `Language::outline`, `Language::read` and the library's `Check`.
//!
//! | file | what |
//! | --- | --- |
//! | `server/` | messages, texts, requests, commands: who waits for what |
//! | `analysis.rs` | outlines and diagnostics, beside the server |
//! | `answers.rs` | what follows from an outline: definitions, references, symbols, completion, folds |
//! | `hover.rs` | words about a place, with the size of a property's automaton |
//! | `rename.rs` | new names, where nothing else changes its meaning |
//! | `fixes.rs` | hints as edits, each tried before it is offered |
//! | `lens.rs`, `checks.rs` | properties: what stands above them, and checking them |
//! | `text.rs`, `place.rs` | positions in texts, files and their addresses |
//! | `debug/` | the debug adapter: a run, a place in it, and what is shown of it |

mod analysis;
mod answers;
mod checks;
mod debug;
mod fixes;
mod hover;
mod lens;
mod place;
mod rename;
mod server;
mod settings;
mod text;

use std::io::{Error, Result};

use lsp_server::Connection;

pub use debug::debug;

/// Serves an editor on the standard streams until it says goodbye.
///
/// # Errors
/// If the editor does not keep to the protocol, or goes away without a word.
pub fn serve() -> Result<()> {
    let (connection, threads) = Connection::stdio();
    let (id, parameters) = connection.initialize_start().map_err(Error::other)?;
    let parameters = serde_json::from_value(parameters).map_err(Error::other)?;
    let answer = serde_json::json!({
        "capabilities": server::capabilities(),
        "serverInfo": {"name": "evenhand", "version": evenhand::report::VERSION},
    });
    connection
        .initialize_finish(id, answer)
        .map_err(Error::other)?;
    let ended = server::Server::new(&connection, &parameters).run();
    drop(connection);
    threads.join()?;
    match ended {
        true => Ok(()),
        false => Err(Error::other("it left without a word")),
    }
}
