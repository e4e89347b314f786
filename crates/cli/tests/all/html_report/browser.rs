//! A headless Chromium, driven over a pipe.
//!
//! The DevTools protocol is JSON, one message after the other, each ended by a zero byte. With
//! `--remote-debugging-pipe` the browser reads them from descriptor 3 and answers on 4; a shell
//! lays those onto the standard input and output of the child, so that nothing but the standard
//! library is needed. Every wait has a limit.

use serde_json::{Value, json};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::hollow;

/// No answer takes longer, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one page.
pub struct Browser {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    session: Option<String>,
    next: u64,
    /// What happened that nobody asked for.
    pub events: Vec<Value>,
    profile: PathBuf,
}

/// The command of a Chromium, if there is one.
fn command() -> Option<String> {
    let own = std::env::var("EVENHAND_CHROMIUM").ok();
    let known = ["chromium", "chromium-browser", "google-chrome"];
    let names = own.into_iter().chain(known.map(str::to_string));
    names.into_iter().find(|name| {
        let found = Command::new(name)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        found.is_ok_and(|status| status.success())
    })
}

impl Browser {
    /// Starts one; a message and nothing where there is none to start.
    ///
    /// # Panics
    /// Where one must be there: `EVENHAND_NO_SKIPS` says so.
    pub fn start(name: &str) -> Option<Browser> {
        let Some(command) = command() else {
            let must = std::env::var_os("EVENHAND_NO_SKIPS").is_some();
            assert!(!must, "{name}: there is no Chromium here");
            println!("{name}: skipped, there is no Chromium here");
            return None;
        };
        let profile = std::env::temp_dir().join(format!("evenhand-{name}-{}", std::process::id()));
        let line = format!(
            "exec {command} --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
             --no-first-run --disable-extensions --disable-background-networking \
             --remote-debugging-pipe --user-data-dir=\"$1\" about:blank \
             3<&0 4>&1 </dev/null >/dev/null 2>/dev/null"
        );
        let mut child = Command::new("sh")
            .args(["-c", &line, "sh"])
            .arg(&profile)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let input = child.stdin.take();
        let mut output = child.stdout.take().expect("a pipe");
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut buffer = Vec::new();
            let mut chunk = vec![0; 1 << 16];
            while let Ok(count @ 1..) = output.read(&mut chunk) {
                buffer.extend_from_slice(&chunk[..count]);
                while let Some(end) = buffer.iter().position(|&b| b == 0) {
                    let message: Vec<u8> = buffer.drain(..=end).collect();
                    let value = serde_json::from_slice(&message[..end]).unwrap_or(Value::Null);
                    if sender.send(value).is_err() {
                        return;
                    }
                }
            }
        });
        let mut browser = Browser {
            child,
            input,
            messages,
            session: None,
            next: 0,
            events: Vec::new(),
            profile,
        };
        let targets = browser.call("Target.getTargets", json!({}));
        let list = targets["targetInfos"].as_array().expect("a list");
        let page = list.iter().find(|t| t["type"] == "page").expect("a page");
        let attach = json!({ "targetId": page["targetId"], "flatten": true });
        let session = browser.call("Target.attachToTarget", attach);
        browser.session = session["sessionId"].as_str().map(str::to_string);
        for domain in ["Page", "Runtime", "Log", "Network", "Accessibility"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// A call of the protocol.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.next += 1;
        let mut message = json!({ "id": self.next, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let input = self.input.as_mut().expect("the pipe is open");
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        input
            .write_all(&bytes)
            .and_then(|()| input.flush())
            .expect("the browser reads");
        let begun = Instant::now();
        loop {
            let left = PATIENCE.saturating_sub(begun.elapsed());
            let answer = self.messages.recv_timeout(left);
            let answer = answer.unwrap_or_else(|_| panic!("{method}: no answer"));
            if answer["id"] == json!(self.next) {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    /// The value of an expression on the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true });
        let result = self.call("Runtime.evaluate", parameters);
        assert!(
            result["exceptionDetails"].is_null(),
            "{expression}: {result}"
        );
        result["result"]["value"].clone()
    }

    /// The text of an expression on the page.
    pub fn text(&mut self, expression: &str) -> String {
        let value = self.value(expression);
        let text = value.as_str().map(str::to_string);
        text.unwrap_or_else(|| panic!("{expression} is {value}"))
    }

    /// Waits until an expression is true.
    pub fn wait(&mut self, expression: &str) {
        self.wait_for(expression, |value| *value == json!(true));
    }

    /// Waits until an expression has a value of the wanted kind: this value, since the next may be another.
    fn wait_for(&mut self, expression: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            let value = self.value(expression);
            if wanted(&value) {
                return value;
            }
            assert!(
                begun.elapsed() < hollow::patience(),
                "{expression} is {value} and stays so"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The size of the window.
    pub fn resize(&mut self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500 });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Whether the person prefers dark pages.
    pub fn prefer_dark(&mut self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let feature = json!({ "name": "prefers-color-scheme", "value": value });
        self.call(
            "Emulation.setEmulatedMedia",
            json!({ "features": [feature] }),
        );
    }

    /// Opens a file, with what stands behind `#`, and waits until the page is built.
    pub fn open(&mut self, file: &Path, fragment: &str) {
        self.call("Page.navigate", json!({ "url": "about:blank" }));
        self.events.clear();
        let path: String = file
            .to_str()
            .expect("a path in UTF-8")
            .bytes()
            .map(|b| match b {
                b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                    (b as char).to_string()
                }
                other => format!("%{other:02X}"),
            })
            .collect();
        let url = format!("file://{path}{fragment}");
        self.call("Page.navigate", json!({ "url": url }));
        self.wait("location.protocol === 'file:' && document.readyState === 'complete'");
        // The first layout draws the chart.
        self.value("document.documentElement.offsetHeight");
        self.call("Runtime.evaluate", json!({
            "expression": "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
            "awaitPromise": true,
        }));
    }

    /// Opens an address, and waits until something is true there.
    pub fn visit(&mut self, address: &str, until: &str) {
        self.events.clear();
        self.call("Page.navigate", json!({ "url": address }));
        self.wait(until);
    }

    /// Clicks into the middle of an element, as a hand does: what lies above it is what is hit.
    pub fn click(&mut self, selector: &str) {
        // Once nothing moves any more, and nothing lies above it.
        let place = format!(
            "(() => {{ const e = document.querySelector({selector:?}); if (!e) return null; \
             e.scrollIntoView({{ block: 'center', inline: 'center' }}); \
             const r = e.getClientRects()[0]; if (!r) return null; \
             const [x, y] = [r.left + r.width / 2, r.top + r.height / 2]; \
             const same = window.lastPlace === `${{x}} ${{y}}`; window.lastPlace = `${{x}} ${{y}}`; \
             const hit = document.elementFromPoint(x, y); \
             return same && hit && e.contains(hit) ? [x, y] : null; }})()"
        );
        let place = self.wait_for(&place, Value::is_array);
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let event = json!({
                "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1,
            });
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Types a text where the cursor is.
    pub fn type_text(&mut self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// A picture of the whole page, as PNG in base 64.
    pub fn screenshot(&mut self) -> String {
        let how = json!({ "format": "png", "captureBeyondViewport": true });
        let picture = self.call("Page.captureScreenshot", how);
        picture["data"].as_str().unwrap_or_default().to_string()
    }

    /// Presses a key while others are held down: 2 is Ctrl, 8 is Shift.
    pub fn press_with(&mut self, key: &str, modifiers: u32) {
        for kind in ["keyDown", "keyUp"] {
            self.call(
                "Input.dispatchKeyEvent",
                json!({ "type": kind, "key": key, "modifiers": modifiers }),
            );
        }
    }

    /// Presses a key.
    pub fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.call(
                "Input.dispatchKeyEvent",
                json!({ "type": kind, "key": key }),
            );
        }
    }

    /// Exceptions, complaints of the browser (the security policy's among them), dialogs.
    pub fn complaints(&self) -> Vec<&Value> {
        let bad = [
            "Runtime.exceptionThrown",
            "Log.entryAdded",
            "Runtime.consoleAPICalled",
            "Page.javascriptDialogOpening",
        ];
        let is_bad = |event: &&Value| bad.iter().any(|name| event["method"] == *name);
        self.events.iter().filter(is_bad).collect()
    }

    /// The addresses that were asked for.
    pub fn requests(&self) -> Vec<String> {
        let asked = self.events.iter();
        let asked = asked.filter(|e| e["method"] == "Network.requestWillBeSent");
        let address = |e: &Value| {
            e["params"]["request"]["url"]
                .as_str()
                .unwrap_or("")
                .to_string()
        };
        asked.map(address).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Without its pipe the browser ends.
        self.input = None;
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(5) {
            if matches!(self.child.try_wait(), Ok(Some(_)) | Err(_)) {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}
