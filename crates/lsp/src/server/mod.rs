//! Messages, and who waits for what.
//!
//! One thread reads events: messages of the editor, and what others tell who work beside it. Texts are looked at by two
//! desks (`analysis.rs`), one for names and, once these are there, one for what is wrong; checks, renames
//! and whatever else may take long have threads of their own. A request about names waits until the outline of the newest
//! text is there, and for nothing else.

mod capabilities;
mod commands;
mod requests;
mod texts;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use evenhand::{Cancel, Language};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{ClientCapabilities, InitializeParams, Uri};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

pub(crate) use self::capabilities::capabilities;
use crate::analysis::{self, Desk, Remark, Rest, Seen};
use crate::answers::Page;
use crate::checks::{self, Told, Verdicts};
use crate::settings::Settings;
use crate::text::Text;

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
    outlines: Desk<()>,
    diagnoses: Desk<Rest>,
    /// What ends the checks that requests asked for.
    checks: Vec<(RequestId, String, Cancel)>,
    counter: i32,
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
            outlines: Desk::new(analysis::outline, true, ear(&events)),
            diagnoses: Desk::new(analysis::diagnose, false, ear(&events)),
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
}

/// Tells the server what was seen, as long as it is there.
fn ear(events: &Sender<Event>) -> impl Fn(Seen) -> bool + Send + 'static {
    let events = events.clone();
    move |seen| events.send(Event::Seen(seen)).is_ok()
}

fn read<T: DeserializeOwned>(value: Value) -> Option<T> {
    serde_json::from_value(value).ok()
}
