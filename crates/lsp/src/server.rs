//! Messages, texts, and who waits for what.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use evenhand::system::Outline;
use evenhand::{Cancel, Language, language, language_of_path, language_of_text};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{
    self as lsp, ClientCapabilities, CodeActionKind, CodeActionOptions, CodeActionOrCommand,
    CodeActionProviderCapability, CodeLensOptions, CompletionOptions, DiagnosticSeverity,
    ExecuteCommandOptions, FoldingRangeProviderCapability, HoverProviderCapability,
    InitializeParams, OneOf, Position, PublishDiagnosticsParams, Range, RenameOptions,
    ServerCapabilities, TextDocumentSyncCapability, TextDocumentSyncKind, Uri, WorkspaceEdit,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::analysis::{self, Desk, Job, Remark, Seen};
use crate::answers::Page;
use crate::checks::{self, Asked, Checked, Progress, Told, Verdicts};
use crate::lens::{self, CANCEL, CHECK, REPORT};
use crate::place::{address_of, name_of};
use crate::settings::Settings;
use crate::text::Text;
use crate::{fixes, hover, rename};

/// What happens to the server.
pub(crate) enum Event {
    Message(Message),
    /// The editor is gone.
    Gone,
    Seen(Seen),
    Told(Told),
    /// The answer to a request that was worked on beside.
    Answered(Response),
}

/// A text that the editor has open.
struct Document {
    language: &'static dyn Language,
    name: String,
    version: i32,
    text: Arc<Text>,
    /// The outline, if it is that of this version.
    page: Option<Arc<Page>>,
    remarks: Arc<Vec<Remark>>,
    /// The other files that something was said about.
    spoken_of: Vec<Uri>,
    verdicts: Verdicts,
}

pub(crate) struct Server<'c> {
    connection: &'c Connection,
    events: Sender<Event>,
    coming: Receiver<Event>,
    capabilities: ClientCapabilities,
    settings: Arc<Settings>,
    documents: HashMap<String, Document>,
    /// Requests that wait for an outline.
    waiting: Vec<Request>,
    outlines: Desk,
    diagnoses: Desk,
    /// What ends the checks that requests asked for.
    checks: Vec<(RequestId, String, Cancel)>,
    counter: i32,
}

/// What the server can do.
pub(crate) fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Kind(
            TextDocumentSyncKind::INCREMENTAL,
        )),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(vec![".".into(), "@".into()]),
            ..CompletionOptions::default()
        }),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: Default::default(),
        })),
        code_lens_provider: Some(CodeLensOptions {
            resolve_provider: Some(false),
        }),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX, CodeActionKind::EMPTY]),
            ..CodeActionOptions::default()
        })),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: [CHECK, CANCEL, REPORT].map(str::to_string).to_vec(),
            ..ExecuteCommandOptions::default()
        }),
        ..ServerCapabilities::default()
    }
}

impl<'c> Server<'c> {
    pub(crate) fn new(connection: &'c Connection, parameters: &InitializeParams) -> Server<'c> {
        let (events, coming) = channel();
        let mut settings = Settings::default();
        if let Some(said) = &parameters.initialization_options {
            settings.take(said);
        }
        let messages = connection.receiver.clone();
        let forward = events.clone();
        std::thread::spawn(move || {
            for message in messages {
                if forward.send(Event::Message(message)).is_err() {
                    return;
                }
            }
            let _ = forward.send(Event::Gone);
        });
        Server {
            connection,
            capabilities: parameters.capabilities.clone(),
            settings: Arc::new(settings),
            documents: HashMap::new(),
            waiting: Vec::new(),
            outlines: Desk::new(analysis::outline, ear(&events)),
            diagnoses: Desk::new(analysis::diagnose, ear(&events)),
            checks: Vec::new(),
            counter: 0,
            events,
            coming,
        }
    }

    /// Serves until the editor says goodbye; whether it did.
    pub(crate) fn run(mut self) -> bool {
        // Between `shutdown` and `exit` nothing is answered any more.
        let mut ends = false;
        while let Ok(event) = self.coming.recv() {
            match event {
                Event::Gone => break,
                Event::Message(Message::Request(request)) if request.method == "shutdown" => {
                    ends = true;
                    self.answer(request.id, Value::Null);
                }
                Event::Message(Message::Request(request)) if ends => {
                    self.refuse(request.id, ErrorCode::InvalidRequest, "this is the end");
                }
                Event::Message(Message::Request(request)) => self.request(request),
                Event::Message(Message::Notification(notification)) => {
                    if notification.method == "exit" {
                        break;
                    }
                    self.notification(notification);
                }
                Event::Message(Message::Response(_)) => {}
                Event::Answered(response) => self.send(response),
                Event::Seen(seen) => self.seen(seen),
                Event::Told(Told::Progress { token, told }) => {
                    self.progress(&token, json!({"kind": "report", "message": told}));
                }
                Event::Told(Told::Checked { asked, answer }) => self.checked(asked, answer),
            }
        }
        for (_, _, cancel) in &self.checks {
            cancel.cancel();
        }
        let _ = std::fs::remove_dir_all(checks::folder());
        ends
    }

    fn send(&self, message: impl Into<Message>) {
        let _ = self.connection.sender.send(message.into());
    }

    fn answer(&self, id: RequestId, result: impl Serialize) {
        self.send(Response::new_ok(id, result));
    }

    fn refuse(&self, id: RequestId, code: ErrorCode, message: impl Into<String>) {
        self.send(Response::new_err(id, code as i32, message.into()));
    }

    fn notify(&self, method: &str, parameters: impl Serialize) {
        self.send(Notification::new(method.to_string(), parameters));
    }

    fn ask(&mut self, method: &str, parameters: impl Serialize) {
        self.counter += 1;
        let id = RequestId::from(self.counter);
        self.send(Request::new(id, method.to_string(), parameters));
    }

    // Texts.

    fn notification(&mut self, notification: Notification) {
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

    fn job(&self, uri: &Uri) -> Option<Job> {
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
            self.outlines.put(job);
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

    fn seen(&mut self, seen: Seen) {
        match seen {
            Seen::Outlined {
                uri,
                version,
                outline,
            } => self.outlined(uri, version, *outline),
            Seen::Diagnosed {
                uri,
                version,
                remarks,
            } => {
                if let Some(remarks) = remarks {
                    self.diagnosed(&uri, version, remarks);
                }
            }
            Seen::Broken(job) => {
                let name = &job.name;
                let message =
                    format!("`{name}` cannot be looked at: an internal error, please report");
                self.notify("window/logMessage", json!({"type": 1, "message": message}));
                // Whoever waits for the outline gets an empty one.
                if !job.cancel.is_cancelled() {
                    let nothing = analysis::nothing(&job);
                    self.outlined(job.uri, job.version, nothing);
                }
            }
        }
    }

    fn outlined(&mut self, uri: Uri, version: i32, outline: Outline) {
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
        for request in std::mem::take(&mut self.waiting) {
            self.request(request);
        }
        if let Some(job) = self.job(&uri) {
            self.diagnoses.put(job);
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
    fn publish_own(&self, uri: &Uri) {
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
                        message: checked.told.clone(),
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

    // Requests.

    fn request(&mut self, request: Request) {
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

    // Checks.

    fn command(&mut self, id: RequestId, command: &lsp::ExecuteCommandParams) {
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

    fn checked(&mut self, asked: Asked, answer: Result<Checked, String>) {
        let Asked {
            id,
            uri,
            property,
            token,
        } = asked;
        self.checks.retain(|(known, _, _)| *known != id);
        let told = match &answer {
            Ok(checked) => checked.told.clone(),
            Err(why) => why.clone(),
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
            let message = format!("{name}: {told}");
            self.notify("window/showMessage", json!({"type": 3, "message": message}));
        }
        if let Some(document) = self.documents.get_mut(uri.as_str()) {
            document.verdicts.set(property, progress);
            self.publish_own(&uri);
        }
        self.refresh_lenses();
    }

    fn cancel(&mut self, id: &RequestId) {
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

    fn progress(&self, token: &str, value: Value) {
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

/// Tells the server what was seen, as long as it is there.
fn ear(events: &Sender<Event>) -> impl Fn(Seen) -> bool + Send + 'static {
    let events = events.clone();
    move |seen| events.send(Event::Seen(seen)).is_ok()
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

fn read<T: DeserializeOwned>(value: Value) -> Option<T> {
    serde_json::from_value(value).ok()
}

fn uri_of(params: &Value) -> Option<Uri> {
    let uri = params.pointer("/textDocument/uri")?.as_str()?;
    uri.parse().ok()
}

fn position_of(params: &Value) -> Position {
    let position = params.get("position").cloned();
    position.and_then(read).unwrap_or_default()
}
