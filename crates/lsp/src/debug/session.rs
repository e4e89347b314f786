//! What an editor asks while it debugs, and what it is told.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use evenhand::{Cancel, Files, Model, Span, TraceStep, Value};
use serde_json::{Value as Json, json};

use super::launch::{Launched, launch};
use super::run::Run;

pub(super) struct Session {
    cancel: Cancel,
    launched: Option<(Model, Run)>,
    /// Lines at which the run stops, by file.
    breakpoints: HashMap<PathBuf, Vec<i64>>,
    /// Variables that were shown since the run moved, by number.
    shown: Vec<Vec<(String, Value)>>,
    /// The number of the first line.
    first_line: i64,
    /// What is to be sent.
    out: Vec<Json>,
    count: u64,
}

impl Session {
    pub fn new(cancel: Cancel) -> Session {
        Session {
            cancel,
            launched: None,
            breakpoints: HashMap::new(),
            shown: Vec::new(),
            first_line: 1,
            out: Vec::new(),
            count: 0,
        }
    }

    /// What is to be sent.
    pub fn said(&mut self) -> Vec<Json> {
        std::mem::take(&mut self.out)
    }

    fn send(&mut self, kind: &str, mut message: Json) {
        self.count += 1;
        message["seq"] = json!(self.count);
        message["type"] = json!(kind);
        self.out.push(message);
    }

    fn event(&mut self, event: &str, body: Json) {
        self.send("event", json!({"event": event, "body": body}));
    }

    fn answer(&mut self, request: &Json, answer: Result<Json, String>) {
        let mut message = json!({
            "request_seq": request["seq"],
            "command": request["command"],
            "success": answer.is_ok(),
        });
        match answer {
            Ok(body) => message["body"] = body,
            Err(why) => {
                message["message"] = json!(why);
                message["body"] = json!({"error": {"id": 1, "format": why, "showUser": true}});
            }
        }
        self.send("response", message);
    }

    /// Answers a request; whether there will be others.
    pub fn request(&mut self, request: &Json) -> bool {
        let command = request["command"].as_str().unwrap_or_default();
        let arguments = &request["arguments"];
        match command {
            "initialize" => {
                let from_zero = arguments["linesStartAt1"] == json!(false);
                self.first_line = i64::from(!from_zero);
                let can = json!({
                    "supportsConfigurationDoneRequest": true,
                    "supportsStepBack": true,
                    "supportsEvaluateForHovers": true,
                    "supportsTerminateRequest": true,
                });
                self.answer(request, Ok(can));
            }
            "launch" | "attach" => self.launch(request, arguments),
            "disconnect" => {
                self.answer(request, Ok(Json::Null));
                return false;
            }
            "terminate" => {
                self.answer(request, Ok(Json::Null));
                self.event("terminated", json!({}));
            }
            "setExceptionBreakpoints" => self.answer(request, Ok(json!({"breakpoints": []}))),
            _ if self.launched.is_none() => {
                self.answer(request, Err("there is no run yet".to_string()));
            }
            "configurationDone" => {
                self.answer(request, Ok(Json::Null));
                self.stopped("entry", "the beginning of the run");
            }
            "next" | "stepIn" | "stepOut" | "stepBack" => {
                self.answer(request, Ok(Json::Null));
                self.step(command == "stepBack");
            }
            "continue" => {
                self.answer(request, Ok(json!({"allThreadsContinued": true})));
                self.travel(false);
            }
            "reverseContinue" => {
                self.answer(request, Ok(Json::Null));
                self.travel(true);
            }
            // It stands still whenever a request is read.
            "pause" => self.answer(request, Ok(Json::Null)),
            _ => {
                let answer = match command {
                    "setBreakpoints" => Ok(self.set_breakpoints(arguments)),
                    "threads" => Ok(self.threads()),
                    "stackTrace" => Ok(self.frames(arguments)),
                    "scopes" => Ok(self.scopes(arguments)),
                    "variables" => self.variables(arguments),
                    "evaluate" => self.evaluate(arguments),
                    _ => Err(format!("`{command}` is not known here")),
                };
                self.answer(request, answer);
            }
        }
        true
    }

    fn launch(&mut self, request: &Json, arguments: &Json) {
        match launch(arguments, &self.cancel) {
            Ok(Launched { model, run, told }) => {
                let (steps, repeated) = run.len();
                let rest = match repeated {
                    0 => String::new(),
                    count => format!(", the last {count} of which repeat for ever"),
                };
                self.launched = Some((model, run));
                self.answer(request, Ok(Json::Null));
                let output = format!("{told}\n{steps} steps{rest}\n");
                self.event("output", json!({"category": "console", "output": output}));
                // Lines can be told apart from now on.
                self.event("initialized", json!({}));
            }
            Err(why) => self.answer(request, Err(why)),
        }
    }

    fn run(&mut self) -> Option<&mut Run> {
        self.launched.as_mut().map(|(_, run)| run)
    }

    fn stopped(&mut self, reason: &str, description: &str) {
        self.shown.clear();
        let Some(run) = self.run() else { return };
        let body = json!({
            "reason": reason,
            "description": description,
            "threadId": run.turn() + 1,
            "allThreadsStopped": true,
        });
        self.event("stopped", body);
    }

    fn step(&mut self, back: bool) {
        let Some(run) = self.run() else { return };
        let moved = match back {
            true => run.backward(),
            false => run.forward(),
        };
        let words = match (moved, back) {
            (true, _) if run.is_around() => "from here on the same steps repeat".to_string(),
            (true, _) => format!("behind step {}", run.number()),
            (false, true) => "the beginning of the run".to_string(),
            (false, false) => run.ending.clone(),
        };
        self.stopped("step", &words);
    }

    /// Goes to the next line at which the run is to stop, or as far as there is something new.
    fn travel(&mut self, back: bool) {
        let stops = std::mem::take(&mut self.breakpoints);
        let Some(run) = self.run() else { return };
        let (reason, words) = loop {
            let moved = match back {
                true => run.backward(),
                false => run.forward(),
            };
            if !moved && back {
                break ("entry", "the beginning of the run".to_string());
            }
            if !moved {
                break ("exception", run.ending.clone());
            }
            let next = run.next();
            let stands = |span: Span| is_at(&stops, run, span);
            if next.is_some_and(|step| Run::places(step).any(stands)) {
                break ("breakpoint", format!("behind step {}", run.number()));
            }
            if !back && run.is_around() {
                break ("pause", "from here on the same steps repeat".to_string());
            }
        };
        self.breakpoints = stops;
        self.stopped(reason, &words);
    }

    /// A breakpoint can be where some step of the model stands.
    fn set_breakpoints(&mut self, arguments: &Json) -> Json {
        let first_line = self.first_line;
        let Some((model, _)) = &self.launched else {
            return json!({"breakpoints": []});
        };
        let path = arguments["source"]["path"].as_str().unwrap_or_default();
        let file = whole(Path::new(path));
        let wanted = arguments["breakpoints"].as_array();
        let lines = wanted.into_iter().flatten();
        let lines = lines.filter_map(|one| Some(one["line"].as_i64()? + 1 - first_line));
        let lines: Vec<i64> = lines.collect();
        let signature = model.signature();
        let steps: Vec<RangeInclusive<i64>> = signature
            .actions
            .iter()
            .filter(|action| whole(Path::new(&signature.files.get(action.span.file).name)) == file)
            .map(|action| lines_of(&signature.files, action.span))
            .collect();
        let told: Vec<Json> = lines
            .iter()
            .map(|line| match steps.iter().any(|step| step.contains(line)) {
                true => json!({"verified": true, "line": line - 1 + first_line}),
                false => json!({"verified": false, "message": "no step stands in this line"}),
            })
            .collect();
        self.breakpoints.insert(file, lines);
        json!({"breakpoints": told})
    }

    fn threads(&mut self) -> Json {
        let names = self
            .run()
            .map(|run| run.threads.clone())
            .unwrap_or_default();
        let threads = names.iter().zip(1..);
        let threads = threads.map(|(name, id)| json!({"id": id, "name": name}));
        json!({"threads": threads.collect::<Vec<_>>()})
    }

    /// One frame: the next step of the thread.
    fn frames(&mut self, arguments: &Json) -> Json {
        let first_line = self.first_line;
        let Some(run) = self.run() else {
            return json!({"stackFrames": [], "totalFrames": 0});
        };
        let id = arguments["threadId"].as_u64().unwrap_or(1);
        let stands = run.stands(id.saturating_sub(1) as usize);
        let mut frame = json!({"id": id, "name": "no step", "line": 0, "column": 0});
        if let Some(step) = stands {
            frame["name"] = json!(shown(step));
            if let Some(span) = Run::places(step).next() {
                let file = run.files.get(span.file);
                let (start, end) = (file.position(span.start), file.position(span.end));
                let path = std::path::absolute(&file.name);
                let path = path.unwrap_or_else(|_| PathBuf::from(&file.name));
                frame["line"] = json!(i64::from(start.line) - 1 + first_line);
                frame["column"] = json!(start.column);
                frame["endLine"] = json!(i64::from(end.line) - 1 + first_line);
                frame["endColumn"] = json!(end.column);
                frame["source"] = json!({
                    "name": path.file_name().map(|name| name.to_string_lossy()),
                    "path": path.to_string_lossy(),
                });
            }
        }
        json!({"stackFrames": [frame], "totalFrames": 1})
    }

    /// The variables of the thread, those of all, what the last step has changed, and the inputs of the next.
    fn scopes(&mut self, arguments: &Json) -> Json {
        let frame = arguments["frameId"].as_u64().unwrap_or(1);
        let Some(run) = self.run() else {
            return json!({"scopes": []});
        };
        let thread = run.threads.get(frame.saturating_sub(1) as usize).cloned();
        let own = format!("{}:", thread.unwrap_or_default());
        let all = run.state().iter().cloned();
        let (mut local, global): (Vec<_>, Vec<_>) = all.partition(|(n, _)| n.starts_with(&own));
        for (name, _) in &mut local {
            *name = name.split_off(own.len());
        }
        let changes = run.changes().into_iter().map(|(name, old, new)| {
            let words = match old {
                Some(old) => format!("{new} (was {old})"),
                None => new.to_string(),
            };
            (name.to_string(), Value::Text(words))
        });
        let changes = changes.collect();
        let inputs = run.next().map(|step| step.inputs.clone());
        let lists = [
            ("Locals", local),
            ("State", global),
            ("Changed by the last step", changes),
            ("Inputs of the next step", inputs.unwrap_or_default()),
        ];
        let mut scopes = Vec::new();
        for (name, list) in lists {
            if !list.is_empty() || name == "State" {
                let number = self.keep(list);
                scopes
                    .push(json!({"name": name, "variablesReference": number, "expensive": false}));
            }
        }
        json!({"scopes": scopes})
    }

    /// Keeps variables to be asked for, under a number.
    fn keep(&mut self, list: Vec<(String, Value)>) -> usize {
        self.shown.push(list);
        self.shown.len()
    }

    fn variables(&mut self, arguments: &Json) -> Result<Json, String> {
        let number = arguments["variablesReference"].as_u64().unwrap_or(0) as usize;
        let list = number.checked_sub(1).and_then(|at| self.shown.get(at));
        let list = list.cloned().ok_or("the run has moved since")?;
        let list = list
            .into_iter()
            .map(|(name, value)| self.variable(&name, value));
        let list: Vec<Json> = list.collect();
        Ok(json!({"variables": list}))
    }

    fn variable(&mut self, name: &str, value: Value) -> Json {
        let text = value.to_string();
        let parts = match value {
            Value::List(list) => {
                let numbered = list.into_iter().zip(0..);
                numbered
                    .map(|(value, at)| (format!("[{at}]"), value))
                    .collect()
            }
            Value::Whole(_, parts) => parts,
            _ => Vec::new(),
        };
        let inside = match parts.is_empty() {
            true => 0,
            false => self.keep(parts),
        };
        json!({"name": name, "value": text, "variablesReference": inside})
    }

    /// A variable by its name: as the state has it, or without the process that it belongs to.
    fn evaluate(&mut self, arguments: &Json) -> Result<Json, String> {
        let text = arguments["expression"].as_str().unwrap_or_default().trim();
        let frame = arguments["frameId"].as_u64().unwrap_or(1);
        let run = self.run().ok_or("there is no run yet")?;
        let thread = run.threads.get(frame.saturating_sub(1) as usize);
        let own = thread.map(|name| format!("{name}:{text}"));
        let named = |wanted: &str| run.state().iter().find(|(name, _)| name == wanted);
        let found = own.and_then(|own| named(&own)).or_else(|| named(text));
        let (_, value) = found.ok_or_else(|| format!("there is no variable `{text}` here"))?;
        let value = value.clone();
        let told = self.variable(text, value);
        Ok(json!({"result": told["value"], "variablesReference": told["variablesReference"]}))
    }
}

/// Whether the run is to stop at a place.
fn is_at(stops: &HashMap<PathBuf, Vec<i64>>, run: &Run, span: Span) -> bool {
    if stops.values().all(Vec::is_empty) {
        return false;
    }
    let lines = stops.get(&whole(Path::new(&run.files.get(span.file).name)));
    let stands = lines_of(&run.files, span);
    lines.is_some_and(|lines| lines.iter().any(|line| stands.contains(line)))
}

/// The lines from the first to the last of a place.
fn lines_of(files: &Files, span: Span) -> RangeInclusive<i64> {
    let file = files.get(span.file);
    let line = |at: u32| i64::from(file.position(at).line);
    line(span.start)..=line(span.end)
}

/// The one name of a file.
fn whole(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// A step in a few words.
fn shown(step: &TraceStep) -> String {
    match (step.action.is_empty(), &step.process) {
        (false, _) => step.action.clone(),
        (true, Some(process)) => process.clone(),
        (true, None) => "step".to_string(),
    }
}
