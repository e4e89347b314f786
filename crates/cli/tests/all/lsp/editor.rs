//! A client of the language server: it spawns the command and speaks the protocol, message by message.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use crate::hollow;

pub struct Editor {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// What came while something else was waited for.
    kept: VecDeque<Value>,
    next: i64,
}

impl Editor {
    /// Starts the server with some settings.
    pub fn start(settings: Value) -> Editor {
        let mut child = Command::new(hollow::command())
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command");
        let input = child.stdin.take();
        let output = child.stdout.take().expect("a pipe");
        let (send, messages) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = message(&mut output) {
                if send.send(message).is_err() {
                    return;
                }
            }
        });
        let mut editor = Editor {
            child,
            input,
            messages,
            kept: VecDeque::new(),
            next: 0,
        };
        let capabilities = json!({
            "textDocument": {"codeLens": {}},
            "window": {"workDoneProgress": true},
        });
        let parameters = json!({
            "processId": null,
            "rootUri": null,
            "capabilities": capabilities,
            "initializationOptions": settings,
        });
        let answer = editor.ask("initialize", parameters);
        assert_eq!(answer["serverInfo"]["name"], "evenhand");
        editor.tell("initialized", json!({}));
        editor
    }

    fn write(&mut self, message: &Value) {
        let text = message.to_string();
        let input = self.input.as_mut().expect("the server runs");
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
        input.flush().expect("the server reads");
    }

    pub fn tell(&mut self, method: &str, parameters: Value) {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": parameters}));
    }

    /// Asks without waiting for the answer.
    pub fn begin(&mut self, method: &str, parameters: Value) -> i64 {
        self.next += 1;
        let id = self.next;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}));
        id
    }

    /// The answer to a request, whole.
    pub fn answer(&mut self, id: i64) -> Value {
        self.wait(|message| message.get("method").is_none() && message["id"] == id)
    }

    /// Asks, and gets the result.
    pub fn ask(&mut self, method: &str, parameters: Value) -> Value {
        let id = self.begin(method, parameters);
        let mut answer = self.answer(id);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    /// The first message that is wanted; others are kept.
    pub fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.kept.iter().position(&wanted) {
            return self.kept.remove(at).expect("it is there");
        }
        let begun = Instant::now();
        loop {
            let left = hollow::patience().saturating_sub(begun.elapsed());
            let message = self.messages.recv_timeout(left).expect("an answer");
            // What the server asks is granted.
            if message.get("method").is_some() && message.get("id").is_some() {
                self.write(&json!({"jsonrpc": "2.0", "id": message["id"], "result": null}));
            }
            if wanted(&message) {
                return message;
            }
            self.kept.push_back(message);
        }
    }

    pub fn open(&mut self, uri: &str, language: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": language, "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
    }

    /// Replaces a part of a text.
    pub fn change(&mut self, uri: &str, version: i32, range: Value, text: &str) {
        let parameters = json!({
            "textDocument": {"uri": uri, "version": version},
            "contentChanges": [{"range": range, "text": text}],
        });
        self.tell("textDocument/didChange", parameters);
    }

    /// What is said about a version of a text.
    pub fn diagnostics(&mut self, uri: &str, version: i32) -> Vec<Value> {
        let mut said = self.wait(|message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
                && message["params"]["version"] == version
        });
        let list = said["params"]["diagnostics"].take();
        list.as_array().expect("a list").clone()
    }

    /// Asks about a place in a text.
    pub fn ask_at(&mut self, what: &str, uri: &str, (line, character): (u32, u32)) -> Value {
        let parameters = json!({
            "textDocument": {"uri": uri},
            "position": {"line": line, "character": character},
            "context": {"includeDeclaration": true},
        });
        self.ask(&format!("textDocument/{what}"), parameters)
    }

    /// Asks about a text.
    pub fn ask_about(&mut self, what: &str, uri: &str) -> Value {
        let parameters = json!({"textDocument": {"uri": uri}});
        self.ask(&format!("textDocument/{what}"), parameters)
    }

    /// Runs a command of the server.
    pub fn command(&mut self, name: &str, arguments: Value) -> Value {
        let parameters = json!({"command": name, "arguments": arguments});
        self.ask("workspace/executeCommand", parameters)
    }

    /// Says goodbye; the server ends without a complaint.
    pub fn end(mut self) {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        self.input = None;
        let status = self.child.wait().expect("it was started");
        assert!(status.success(), "{status}");
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn message(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim().split_once(": ") {
            Some(("Content-Length", number)) => length = number.parse().ok()?,
            Some(_) => {}
            None => break,
        }
    }
    let mut text = vec![0; length];
    output.read_exact(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}
