//! Commands: checks are begun and ended, their verdicts told, their runs shown.

use std::path::Path;
use std::sync::Arc;

use evenhand::Cancel;
use lsp_server::{ErrorCode, RequestId};
use lsp_types::{self as lsp, Uri};
use serde_json::{Value, json};

use super::{Event, Server};
use crate::checks::{self, Asked, Checked, Progress};
use crate::lens::{CANCEL, CHECK, REPORT};
use crate::place::address_of;

impl Server<'_> {
    pub(super) fn command(&mut self, id: RequestId, command: &lsp::ExecuteCommandParams) {
        let text = |at: usize| command.arguments.get(at).and_then(Value::as_str);
        let Some(uri) = text(0).and_then(|uri| uri.parse::<Uri>().ok()) else {
            return self.refuse(id, ErrorCode::InvalidParams, "which file?");
        };
        let property = text(1).map(str::to_string);
        let Some(document) = self.documents.get(uri.as_str()) else {
            return self.refuse(id, ErrorCode::InvalidParams, "this text is not open");
        };
        match &*command.command {
            CHECK => self.check(id, uri, property),
            CANCEL => {
                document.verdicts.cancel(property.as_deref());
                self.answer(id, Value::Null);
            }
            REPORT => match document.verdicts.answer(property.as_deref()) {
                Some(checked) => {
                    let name = document.name.clone();
                    self.report(id, &name, &checked);
                }
                None => self.refuse(id, ErrorCode::RequestFailed, "nothing was checked yet"),
            },
            _ => self.refuse(id, ErrorCode::InvalidParams, "no such command"),
        }
    }

    fn check(&mut self, id: RequestId, uri: Uri, property: Option<String>) {
        let Some(job) = self.job(&uri) else { return };
        let cancel = Cancel::new();
        let token = format!("evenhand/{id}");
        if let Some(document) = self.documents.get_mut(uri.as_str()) {
            document.verdicts.cancel(property.as_deref());
            let running = Progress::Running(cancel.clone());
            document.verdicts.set(property.clone(), running);
        }
        self.checks
            .push((id.clone(), token.clone(), cancel.clone()));
        if self.tells_progress() {
            self.ask("window/workDoneProgress/create", json!({"token": token}));
            let title = format!("check {}", property.as_deref().unwrap_or("all properties"));
            let value = json!({"kind": "begin", "title": title, "cancellable": true});
            self.progress(&token, value);
        }
        let asked = Asked {
            id,
            uri,
            property,
            token,
        };
        let events = self.events.clone();
        let ear = move |told| {
            let _ = events.send(Event::Told(told));
        };
        checks::begin(job, asked, cancel, Arc::new(ear));
        self.refresh_lenses();
    }

    pub(super) fn checked(&mut self, asked: Asked, answer: Result<Checked, String>) {
        let Asked {
            id,
            uri,
            property,
            token,
        } = asked;
        self.checks.retain(|(known, _, _)| *known != id);
        let (told, explained) = match &answer {
            Ok(checked) => (checked.told.clone(), checked.explained()),
            Err(why) => (why.clone(), why.clone()),
        };
        self.progress(&token, json!({"kind": "end", "message": told}));
        let progress = match answer {
            Ok(checked) => {
                self.answer(id, checked.json());
                Progress::Done(Arc::new(checked))
            }
            Err(why) => {
                self.refuse(id, ErrorCode::RequestFailed, &*why);
                Progress::Failed(why)
            }
        };
        // Editors without lenses say it in words.
        let lenses = self.capabilities.text_document.as_ref();
        if lenses.is_none_or(|text| text.code_lens.is_none()) {
            let name = property.as_deref().unwrap_or("all properties");
            let message = format!("{name}: {explained}");
            self.notify("window/showMessage", json!({"type": 3, "message": message}));
        }
        if let Some(document) = self.documents.get_mut(uri.as_str()) {
            document.verdicts.set(property, progress);
            self.publish_own(&uri);
        }
        self.refresh_lenses();
    }

    pub(super) fn cancel(&mut self, id: &RequestId) {
        for (known, _, cancel) in &self.checks {
            if known == id {
                cancel.cancel();
            }
        }
        if let Some(at) = self.waiting.iter().position(|request| request.id == *id) {
            let request = self.waiting.remove(at);
            self.refuse(request.id, ErrorCode::RequestCanceled, "cancelled");
        }
    }

    fn tells_progress(&self) -> bool {
        let window = self.capabilities.window.as_ref();
        window.is_some_and(|window| window.work_done_progress == Some(true))
    }

    pub(super) fn progress(&self, token: &str, value: Value) {
        if self.tells_progress() {
            self.notify("$/progress", json!({"token": token, "value": value}));
        }
    }

    fn refresh_lenses(&mut self) {
        let workspace = self.capabilities.workspace.as_ref();
        let lens = workspace.and_then(|workspace| workspace.code_lens.as_ref());
        if lens.is_some_and(|lens| lens.refresh_support == Some(true)) {
            self.ask("workspace/codeLens/refresh", Value::Null);
        }
    }

    /// Writes the page of an answer; the editor shows it, or its address is told.
    fn report(&mut self, id: RequestId, name: &str, checked: &Checked) {
        self.counter += 1;
        let stem = Path::new(name).file_stem();
        let stem = stem.map(|stem| stem.to_string_lossy().into_owned());
        let file = format!("{}-{}.html", stem.unwrap_or_default(), self.counter);
        let path = checks::folder().join(file);
        let written =
            private_folder(&checks::folder()).and_then(|()| std::fs::write(&path, checked.page()));
        if let Err(error) = written {
            let message = format!("cannot write `{}`: {error}", path.display());
            return self.refuse(id, ErrorCode::RequestFailed, message);
        }
        let uri = address_of(&path);
        self.answer(id, json!({"uri": uri}));
        let window = self.capabilities.window.as_ref();
        let shows = window.and_then(|window| window.show_document.as_ref());
        if shows.is_some_and(|shows| shows.support) && !self.settings.shows_runs {
            self.ask("window/showDocument", json!({"uri": uri, "external": true}));
        }
    }
}

/// Makes a folder that nobody else can look into.
fn private_folder(path: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    }
}
