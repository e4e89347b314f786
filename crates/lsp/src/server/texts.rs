//! Texts come, change and go; what others found out about them is told.

use std::path::Path;
use std::sync::Arc;

use evenhand::system::Outline;
use evenhand::{Cancel, language, language_of_path, language_of_text};
use lsp_server::{Notification, RequestId};
use lsp_types::{self as lsp, DiagnosticSeverity, PublishDiagnosticsParams, Uri};
use serde_json::{Value, json};

use super::{Document, Server, read};
use crate::analysis::{self, Job, Remark, Rest, Seen};
use crate::answers::Page;
use crate::checks::{Progress, Verdicts};
use crate::place::name_of;
use crate::text::Text;

impl Server<'_> {
    pub(super) fn notification(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        match &*method {
            "textDocument/didOpen" => {
                if let Some(opened) = read::<lsp::DidOpenTextDocumentParams>(params) {
                    self.open(opened.text_document);
                }
            }
            "textDocument/didChange" => {
                if let Some(changed) = read::<lsp::DidChangeTextDocumentParams>(params) {
                    self.change(&changed);
                }
            }
            "textDocument/didSave" => self.look_again(),
            "textDocument/didClose" => {
                if let Some(closed) = read::<lsp::DidCloseTextDocumentParams>(params) {
                    self.close(&closed.text_document.uri);
                }
            }
            "workspace/didChangeConfiguration" => {
                if let Some(changed) = read::<lsp::DidChangeConfigurationParams>(params) {
                    Arc::make_mut(&mut self.settings).take(&changed.settings);
                    self.look_again();
                }
            }
            "$/cancelRequest" => {
                if let Some(cancelled) = read::<lsp::CancelParams>(params) {
                    let id = match cancelled.id {
                        lsp::NumberOrString::Number(id) => RequestId::from(id),
                        lsp::NumberOrString::String(id) => RequestId::from(id),
                    };
                    self.cancel(&id);
                }
            }
            "window/workDoneProgress/cancel" => {
                let token = params.get("token").and_then(Value::as_str);
                for (_, known, cancel) in &self.checks {
                    if Some(known.as_str()) == token {
                        cancel.cancel();
                    }
                }
            }
            _ => {}
        }
    }

    fn open(&mut self, opened: lsp::TextDocumentItem) {
        let name = name_of(&opened.uri);
        // The name of the file tells the language; else the editor does, else the text.
        let language = language_of_path(Path::new(&name))
            .or_else(|| language(&opened.language_id))
            .unwrap_or_else(|| language_of_text(&opened.text));
        let document = Document {
            language,
            name,
            version: opened.version,
            text: Arc::new(Text::new(opened.text)),
            page: None,
            remarks: Arc::default(),
            spoken_of: Vec::new(),
            verdicts: Verdicts::default(),
        };
        let key = opened.uri.as_str().to_string();
        self.documents.insert(key, document);
        self.look_at(&opened.uri);
    }

    fn change(&mut self, changed: &lsp::DidChangeTextDocumentParams) {
        let uri = &changed.text_document.uri;
        let Some(document) = self.documents.get_mut(uri.as_str()) else {
            return;
        };
        let text = Arc::make_mut(&mut document.text);
        for change in &changed.content_changes {
            text.change(change);
        }
        document.version = changed.text_document.version;
        document.page = None;
        document.verdicts.forgive();
        self.look_at(uri);
    }

    fn close(&mut self, uri: &Uri) {
        let Some(document) = self.documents.remove(uri.as_str()) else {
            return;
        };
        document.verdicts.cancel(None);
        for spoken_of in document.spoken_of.into_iter().chain([uri.clone()]) {
            self.publish(spoken_of, Vec::new(), None);
        }
        let waiting = std::mem::take(&mut self.waiting);
        for request in waiting {
            self.request(request);
        }
    }

    pub(super) fn job(&self, uri: &Uri) -> Option<Job> {
        let document = self.documents.get(uri.as_str())?;
        Some(Job {
            uri: uri.clone(),
            name: document.name.clone(),
            language: document.language,
            version: document.version,
            text: document.text.clone(),
            settings: self.settings.clone(),
            cancel: Cancel::new(),
        })
    }

    /// Looks at a text: at its names first, since somebody may wait for them.
    fn look_at(&self, uri: &Uri) {
        if let Some(job) = self.job(uri) {
            self.outlines.put(job, ());
        }
    }

    /// Something outside of the texts has changed: settings, or files that they include.
    fn look_again(&mut self) {
        let uris: Vec<Uri> = self
            .documents
            .keys()
            .filter_map(|uri| uri.parse().ok())
            .collect();
        for uri in uris {
            self.look_at(&uri);
        }
    }

    // What the others tell.

    pub(super) fn seen(&mut self, seen: Seen) {
        match seen {
            Seen::Outlined {
                uri,
                version,
                outline,
                rest,
            } => self.outlined(uri, version, *outline, rest),
            Seen::Diagnosed {
                uri,
                version,
                remarks,
            } => {
                if let Some(remarks) = remarks {
                    self.diagnosed(&uri, version, remarks);
                }
            }
            Seen::Broken { job, is_outline } => {
                let name = &job.name;
                let message =
                    format!("`{name}` cannot be looked at: an internal error, please report");
                self.notify("window/logMessage", json!({"type": 1, "message": message}));
                // Whoever waits for the outline gets an empty one.
                if is_outline && !job.cancel.is_cancelled() {
                    let nothing = analysis::nothing(&job);
                    self.outlined(job.uri, job.version, nothing, None);
                }
            }
        }
    }

    fn outlined(&mut self, uri: Uri, version: i32, outline: Outline, rest: Rest) {
        let Some(document) = self.documents.get_mut(uri.as_str()) else {
            return;
        };
        if document.version != version {
            return;
        }
        document.page = Some(Arc::new(Page {
            uri: uri.clone(),
            text: document.text.clone(),
            outline,
        }));
        // What is wrong is looked for while the answers are written.
        if let Some(job) = self.job(&uri) {
            self.diagnoses.put(job, rest);
        }
        for request in std::mem::take(&mut self.waiting) {
            self.request(request);
        }
    }

    fn diagnosed(&mut self, uri: &Uri, version: i32, remarks: Vec<Remark>) {
        let Some(document) = self.documents.get_mut(uri.as_str()) else {
            return;
        };
        if document.version != version {
            return;
        }
        let mut others: Vec<(Uri, Vec<lsp::Diagnostic>)> = Vec::new();
        for spoken_of in std::mem::take(&mut document.spoken_of) {
            others.push((spoken_of, Vec::new()));
        }
        for remark in &remarks {
            let Some(other) = remark.uri.as_ref().filter(|other| *other != uri) else {
                continue;
            };
            match others.iter_mut().find(|(known, _)| known == other) {
                Some((_, list)) => list.push(remark.said.clone()),
                None => others.push((other.clone(), vec![remark.said.clone()])),
            }
        }
        let spoken = others.iter().filter(|(_, list)| !list.is_empty());
        document.spoken_of = spoken.map(|(uri, _)| uri.clone()).collect();
        document.remarks = Arc::new(remarks);
        for (other, list) in others {
            self.publish(other, list, None);
        }
        self.publish_own(uri);
    }

    /// Tells what is wrong with a text, and which of its properties are violated.
    pub(super) fn publish_own(&self, uri: &Uri) {
        let Some(document) = self.documents.get(uri.as_str()) else {
            return;
        };
        let own = document.remarks.iter();
        let own = own.filter(|remark| remark.uri.as_ref().is_none_or(|other| other == uri));
        let mut list: Vec<lsp::Diagnostic> = own.map(|remark| remark.said.clone()).collect();
        if let Some(page) = &document.page {
            for property in &page.outline.properties {
                let Some(Progress::Done(checked)) = document.verdicts.of(Some(&property.name))
                else {
                    continue;
                };
                if checked.violated && checked.version == document.version {
                    list.push(lsp::Diagnostic {
                        range: page.text.range(property.at),
                        severity: Some(DiagnosticSeverity::INFORMATION),
                        source: Some("evenhand check".into()),
                        message: checked.explained(),
                        ..lsp::Diagnostic::default()
                    });
                }
            }
        }
        self.publish(uri.clone(), list, Some(document.version));
    }

    fn publish(&self, uri: Uri, list: Vec<lsp::Diagnostic>, version: Option<i32>) {
        let parameters = PublishDiagnosticsParams::new(uri, list, version);
        self.notify("textDocument/publishDiagnostics", parameters);
    }
}
