//! Requests: what is answered from the outline at once, and what is worked on beside.

use std::sync::Arc;

use lsp_server::{ErrorCode, Request, RequestId, Response};
use lsp_types::{self as lsp, CodeActionOrCommand, Position, Range, Uri, WorkspaceEdit};
use serde_json::Value;

use super::{Event, Server, read};
use crate::answers::Page;
use crate::lens::{self, CHECK, REPORT};
use crate::{fixes, hover, rename};

impl Server<'_> {
    pub(super) fn request(&mut self, request: Request) {
        let id = request.id.clone();
        if request.method == "workspace/executeCommand" {
            return match read::<lsp::ExecuteCommandParams>(request.params) {
                Some(command) => self.command(id, &command),
                None => self.refuse(id, ErrorCode::InvalidParams, "no command"),
            };
        }
        let Some(uri) = uri_of(&request.params) else {
            return self.refuse(id, ErrorCode::MethodNotFound, "this is not known here");
        };
        let Some(document) = self.documents.get(uri.as_str()) else {
            return self.refuse(id, ErrorCode::InvalidParams, "this text is not open");
        };
        // Questions about names wait for the outline of the text that they are about.
        let Some(page) = document.page.clone() else {
            self.waiting.push(request);
            return;
        };
        let params = request.params;
        let position = position_of(&params);
        match &*request.method {
            "textDocument/definition" => self.answer(id, page.definition(position)),
            "textDocument/references" => {
                let with = params.pointer("/context/includeDeclaration");
                let with = with.and_then(Value::as_bool).unwrap_or(true);
                self.answer(id, page.references(position, with));
            }
            "textDocument/documentHighlight" => self.answer(id, page.highlights(position)),
            "textDocument/documentSymbol" => self.answer(id, page.symbols()),
            "textDocument/completion" => self.answer(id, page.completion(position)),
            "textDocument/foldingRange" => self.answer(id, page.folds()),
            "textDocument/prepareRename" => self.answer(id, rename::prepare(&page, position)),
            "textDocument/codeLens" => {
                let lenses = lens::lenses(&page, &document.verdicts, document.version);
                self.answer(id, lenses);
            }
            "textDocument/hover" => self.hover(id, &uri, &page, position),
            "textDocument/rename" => self.rename(id, &uri, page, position, &params),
            "textDocument/codeAction" => self.actions(id, &uri, &page, &params),
            _ => self.refuse(id, ErrorCode::MethodNotFound, "this is not known here"),
        }
    }

    /// Works on an answer beside the server.
    fn beside(&self, work: impl FnOnce() -> Response + Send + 'static) {
        let events = self.events.clone();
        let thread = std::thread::Builder::new().stack_size(64 << 20);
        let _ = thread.spawn(move || {
            let _ = events.send(Event::Answered(work()));
        });
    }

    fn hover(&self, id: RequestId, uri: &Uri, page: &Page, position: Position) {
        let (mut words, property) = match hover::hover(page, position) {
            Some(found) => found,
            None => return self.answer(id, Value::Null),
        };
        let (Some(property), Some(job)) = (property, self.job(uri)) else {
            return self.answer(id, words);
        };
        self.beside(move || {
            if let Some(line) = hover::automaton(&job, &property) {
                hover::add(&mut words, &line);
            }
            Response::new_ok(id, words)
        });
    }

    fn rename(
        &self,
        id: RequestId,
        uri: &Uri,
        page: Arc<Page>,
        position: Position,
        params: &Value,
    ) {
        let Some(name) = params.get("newName").and_then(Value::as_str) else {
            return self.refuse(id, ErrorCode::InvalidParams, "no new name");
        };
        let (Some(job), name) = (self.job(uri), name.to_string()) else {
            return;
        };
        self.beside(move || match rename::rename(&page, &job, position, &name) {
            Ok(edits) => {
                #[expect(
                    clippy::mutable_key_type,
                    reason = "the protocol's type has addresses as keys"
                )]
                let changes = [(page.uri.clone(), edits)].into_iter().collect();
                Response::new_ok(id, WorkspaceEdit::new(changes))
            }
            Err(why) => Response::new_err(id, ErrorCode::RequestFailed as i32, why),
        });
    }

    /// What can be done at a place: hints as edits, and checks of the properties there.
    fn actions(&self, id: RequestId, uri: &Uri, page: &Page, params: &Value) {
        let range = params.get("range").cloned().unwrap_or_default();
        let range: Range = serde_json::from_value(range).unwrap_or_default();
        let (Some(document), Some(job)) = (self.documents.get(uri.as_str()), self.job(uri)) else {
            return;
        };
        let remarks = document.remarks.clone();
        let extent = |at: evenhand::Span| {
            let symbols = page.outline.symbols.iter();
            let symbol = symbols.filter(|symbol| symbol.at == at);
            symbol.map(|symbol| symbol.extent).next().unwrap_or(at)
        };
        let mut commands = Vec::new();
        for property in &page.outline.properties {
            let place = page.text.range(extent(property.at));
            if property.at.file != page.outline.main
                || place.start.line > range.end.line
                || place.end.line < range.start.line
            {
                continue;
            }
            let name = Some(&*property.name);
            let title = format!("check {}", property.name);
            commands.push(lens::command(title, CHECK, uri, name));
            if document.verdicts.answer(name).is_some_and(|c| c.violated) {
                let title = format!("show the run of {}", property.name);
                commands.push(lens::command(title, REPORT, uri, name));
            }
        }
        self.beside(move || {
            let fixes = fixes::fixes(&job, &remarks, range).into_iter();
            let fixes = fixes.map(CodeActionOrCommand::CodeAction);
            let commands = commands.into_iter().map(CodeActionOrCommand::Command);
            Response::new_ok(id, fixes.chain(commands).collect::<Vec<_>>())
        });
    }
}

fn uri_of(params: &Value) -> Option<Uri> {
    let uri = params.pointer("/textDocument/uri")?.as_str()?;
    uri.parse().ok()
}

fn position_of(params: &Value) -> Position {
    let position = params.get("position").cloned();
    position.and_then(read).unwrap_or_default()
}
