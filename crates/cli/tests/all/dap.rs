//! The debug adapter, by its protocol.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

use crate::hollow;

/// An editor that debugs.
struct Debugger {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    /// Events that came while an answer was waited for.
    events: Vec<Value>,
    count: u64,
}

fn message(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        output.read_line(&mut line).ok().filter(|&read| read > 0)?;
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", value)) => length = value.parse().ok()?,
            _ => break,
        }
    }
    let mut text = vec![0; length];
    output.read_exact(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

impl Debugger {
    fn start() -> Debugger {
        let mut child = Command::new(hollow::command())
            .arg("dap")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command");
        let input = child.stdin.take().expect("a pipe");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (send, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = message(&mut output) {
                if send.send(message).is_err() {
                    return;
                }
            }
        });
        let mut debugger = Debugger {
            child,
            input,
            messages,
            events: Vec::new(),
            count: 0,
        };
        let can = debugger.ask("initialize", json!({"adapterID": "evenhand"}));
        assert_eq!(can["supportsStepBack"], true);
        debugger
    }

    /// Starts and goes to the beginning of a run.
    fn launch(arguments: Value) -> Debugger {
        let mut debugger = Debugger::start();
        debugger.ask("launch", arguments);
        debugger.event("initialized");
        debugger.ask("configurationDone", json!({}));
        let stopped = debugger.event("stopped");
        assert_eq!(stopped["reason"], "entry");
        debugger
    }

    fn send(&mut self, command: &str, arguments: Value) -> u64 {
        self.count += 1;
        let message = json!({
            "seq": self.count, "type": "request", "command": command, "arguments": arguments,
        });
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("it reads");
        self.input.flush().expect("it reads");
        self.count
    }

    /// Asks, and gets the whole answer.
    fn answer(&mut self, command: &str, arguments: Value) -> Value {
        let number = self.send(command, arguments);
        loop {
            let message = self
                .messages
                .recv_timeout(hollow::patience())
                .expect("an answer");
            if message["type"] == "event" {
                self.events.push(message);
                continue;
            }
            assert_eq!(message["request_seq"], number);
            assert_eq!(message["command"], command);
            return message;
        }
    }

    /// Asks, and gets the body of the answer.
    fn ask(&mut self, command: &str, arguments: Value) -> Value {
        let mut answer = self.answer(command, arguments);
        assert_eq!(answer["success"], true, "{answer}");
        answer["body"].take()
    }

    /// The next event of a kind.
    fn event(&mut self, name: &str) -> Value {
        loop {
            if let Some(at) = self.events.iter().position(|e| e["event"] == name) {
                return self.events.remove(at)["body"].take();
            }
            let message = self
                .messages
                .recv_timeout(hollow::patience())
                .expect("an event");
            self.events.push(message);
        }
    }

    /// Moves, and says why and where it stopped: the words, the thread and the line.
    fn go(&mut self, command: &str) -> (String, String, i64) {
        self.ask(command, json!({"threadId": 1}));
        self.place()
    }

    fn place(&mut self) -> (String, String, i64) {
        let stopped = self.event("stopped");
        let thread = stopped["threadId"].as_u64().expect("a thread");
        let frames = self.ask("stackTrace", json!({"threadId": thread}));
        let line = frames["stackFrames"][0]["line"].as_i64().expect("a line");
        let threads = self.ask("threads", json!({}));
        let threads = threads["threads"].as_array().expect("threads");
        let name = threads.iter().find(|t| t["id"] == thread).expect("known");
        let reason = stopped["reason"].as_str().expect("a reason");
        let name = name["name"].as_str().expect("a name");
        (reason.to_string(), name.to_string(), line)
    }

    /// The variables of a scope of a thread, as lines.
    fn variables(&mut self, thread: u64, scope: &str) -> Vec<String> {
        let scopes = self.ask("scopes", json!({"frameId": thread}));
        let scopes = scopes["scopes"].as_array().expect("scopes");
        let Some(found) = scopes.iter().find(|s| s["name"] == scope) else {
            return Vec::new();
        };
        let number = found["variablesReference"].clone();
        let told = self.ask("variables", json!({"variablesReference": number}));
        let told = told["variables"].as_array().expect("variables").iter();
        told.map(|v| {
            let text = |name: &str| v[name].as_str().expect("a text").to_string();
            format!("{} = {}", text("name"), text("value"))
        })
        .collect()
    }

    fn end(mut self) {
        self.ask("disconnect", json!({}));
        assert!(self.child.wait().expect("an end").success());
    }
}

fn model(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let path = root.join(name).canonicalize().expect("a model");
    path.to_string_lossy().into_owned()
}

/// The line of a text in a model.
fn line(model: &str, what: &str) -> i64 {
    let text = std::fs::read_to_string(model).expect("a model");
    let at = text.lines().position(|line| line.contains(what));
    at.expect("it occurs") as i64 + 1
}

#[test]
fn a_counterexample_is_stepped_through_in_both_directions() {
    let program = model("promela/semaphore.pml");
    let mut debugger = Debugger::launch(json!({
        "program": program, "property": "entry", "fair": "weak", "noFairness": true,
    }));
    let told = debugger.event("output")["output"].clone();
    let told = told.as_str().expect("words");
    assert!(
        told.starts_with("entry: violated by a run of 8 steps"),
        "{told}"
    );
    assert!(
        told.contains("the last 6 of which repeat for ever"),
        "{told}"
    );
    let threads = debugger.ask("threads", json!({}));
    let names: Vec<&Value> = threads["threads"]
        .as_array()
        .expect("threads")
        .iter()
        .collect();
    assert_eq!(names.len(), 3);
    assert_eq!(names[0]["name"], "process[0]");
    // Process 0 goes to the semaphore, and the others go in and out.
    let (_, first, _) = debugger.go("next");
    let mut way = vec![first];
    let mut lines = Vec::new();
    for _ in 0..7 {
        let (reason, thread, line) = debugger.go("next");
        assert_eq!(reason, "step");
        way.push(thread);
        lines.push(line);
    }
    assert!(way[1..].iter().all(|thread| *thread == way[1]), "{way:?}");
    let critical = line(&program, "critical:");
    assert!(lines.contains(&critical), "{lines:?}");
    // All of it backward: the same places.
    let mut back = Vec::new();
    for _ in 0..7 {
        back.push(debugger.go("stepBack").2);
    }
    back.reverse();
    assert_eq!(back[1..], lines[..6]);
    debugger.go("stepBack");
    let stay = debugger.ask("stepBack", json!({"threadId": 1}));
    assert_eq!(stay, Value::Null);
    assert_eq!(
        debugger.event("stopped")["description"],
        "the beginning of the run"
    );
    debugger.end();
}

#[test]
fn variables_are_those_of_the_state_and_breakpoints_hold() {
    let program = model("promela/semaphore.pml");
    let mut debugger = Debugger::launch(json!({
        "program": program, "property": "entry", "fair": ["weak"], "noFairness": true,
    }));
    let state = debugger.variables(1, "State");
    assert!(state.contains(&"semaphore = 1".to_string()), "{state:?}");
    let critical = line(&program, "critical:");
    let blank = line(&program, "#define N 3") + 1;
    let set = debugger.ask(
        "setBreakpoints",
        json!({"source": {"path": program}, "breakpoints": [{"line": critical}, {"line": blank}]}),
    );
    assert_eq!(set["breakpoints"][0]["verified"], true);
    assert_eq!(set["breakpoints"][1]["verified"], false);
    let (reason, thread, stands) = debugger.go("continue");
    assert_eq!((reason.as_str(), stands), ("breakpoint", critical));
    assert_ne!(thread, "process[0]");
    let inside = debugger.ask("evaluate", json!({"expression": "inside", "frameId": 1}));
    assert_eq!(inside["result"], "1");
    let changed = debugger.variables(1, "Changed by the last step");
    assert_eq!(changed, ["inside = 1 (was 0)"]);
    let wrong = debugger.answer("evaluate", json!({"expression": "insida"}));
    assert_eq!(wrong["success"], false);
    // Around the cycle to the same line again, and back to the beginning.
    let (reason, ..) = debugger.go("continue");
    assert_eq!(reason, "pause");
    assert_eq!(debugger.go("continue").0, "breakpoint");
    assert_eq!(debugger.go("reverseContinue").0, "entry");
    assert_eq!(debugger.variables(1, "State"), state);
    debugger.end();
}

#[test]
fn a_breakpoint_can_be_on_any_line_of_a_step() {
    let folder = tempfile();
    let program = folder.join("labelled.pml");
    let text = "byte x;\nactive proctype p() {\n  x = 1;\nagain:\n  x = 2;\n  x == 0\n}\n";
    std::fs::write(&program, text).expect("a folder");
    for wanted in [4, 5] {
        let mut debugger = Debugger::launch(json!({"program": program}));
        let set = debugger.ask(
            "setBreakpoints",
            json!({"source": {"path": program}, "breakpoints": [{"line": wanted}, {"line": 2}]}),
        );
        assert_eq!(set["breakpoints"][0]["verified"], true, "line {wanted}");
        assert_eq!(set["breakpoints"][1]["verified"], false);
        assert_eq!(debugger.go("continue").0, "breakpoint", "line {wanted}");
        assert_eq!(debugger.variables(1, "State"), ["x = 1"]);
        debugger.end();
    }
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn all_languages_have_runs_to_step_through() {
    for (name, more) in [
        (
            "promela/peterson.pml",
            json!({"simulate": true, "seed": 3, "steps": 20}),
        ),
        ("smv/semaphore.smv", json!({"simulate": true, "steps": 12})),
        ("tla/Semaphore.tla", json!({"simulate": true, "steps": 12})),
        ("petri/ring.pnml", json!({"simulate": true, "steps": 12})),
        ("petri/post.pn", json!({"simulate": true, "steps": 12})),
    ] {
        let mut arguments = more;
        arguments["program"] = json!(model(name));
        let mut debugger = Debugger::launch(arguments);
        let before = debugger.variables(1, "State");
        assert!(!before.is_empty(), "{name}");
        let mut changed = false;
        for _ in 0..5 {
            let (reason, _, _) = debugger.go("next");
            assert_eq!(reason, "step", "{name}");
            changed |= !debugger.variables(1, "Changed by the last step").is_empty();
        }
        assert!(changed, "{name}: nothing ever changes");
        assert_eq!(debugger.go("reverseContinue").0, "entry");
        assert_eq!(debugger.variables(1, "State"), before, "{name}");
        debugger.end();
    }
}

#[test]
fn a_run_that_ends_stops_at_its_end_and_says_why() {
    let folder = tempfile();
    let program = folder.join("stuck.pml");
    let text = "byte x;\nactive proctype p() {\n  x = 1;\n  x = 2;\n  x == 0\n}\n";
    std::fs::write(&program, text).expect("a folder");
    let mut debugger = Debugger::launch(json!({"program": program}));
    let (reason, thread, stands) = debugger.go("continue");
    assert_eq!((reason.as_str(), thread.as_str()), ("exception", "p[0]"));
    assert_eq!(stands, 4, "the last step that was taken");
    assert_eq!(debugger.variables(1, "State"), ["x = 2"]);
    assert_eq!(debugger.go("stepBack").2, 4);
    assert_eq!(debugger.variables(1, "State"), ["x = 1"]);
    debugger.end();
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn where_there_is_no_run_it_is_said_why() {
    let program = model("promela/semaphore.pml");
    for (arguments, why) in [
        (json!({}), "`program` names its file"),
        (json!({"program": "/nowhere.pml"}), "no file `/nowhere.pml`"),
        (
            json!({"program": program}),
            "no run breaks a property (assertions: holds",
        ),
        (json!({"program": program, "property": "entri"}), "entri"),
    ] {
        let mut debugger = Debugger::start();
        let answer = debugger.answer("launch", arguments);
        assert_eq!(answer["success"], false);
        let message = answer["message"].as_str().expect("words");
        assert!(message.contains(why), "{message}");
        let early = debugger.answer("next", json!({"threadId": 1}));
        assert_eq!(early["message"], "there is no run yet");
        debugger.end();
    }
}

fn tempfile() -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("evenhand-dap-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}
