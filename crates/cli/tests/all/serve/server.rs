//! A workbench that runs as the command starts it, and requests byte by byte.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::hollow;

/// A server; it ends with the test.
pub struct Server {
    child: Child,
    /// `http://127.0.0.1:PORT/TOKEN/`.
    pub address: String,
    pub port: u16,
    pub token: String,
}

/// An answer: its status, its head in small letters, its body.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.body))
    }
}

impl Server {
    /// Serves some files with some options.
    pub fn start(folder: &Path, arguments: &[&str]) -> Server {
        let mut child = Command::new(hollow::command())
            .arg("serve")
            .args(arguments)
            .current_dir(folder)
            .stdout(Stdio::piped())
            .spawn()
            .expect("evenhand runs");
        let out = child.stdout.take().expect("a pipe");
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line).expect("a line");
        let start = line.find("http://").expect("an address");
        let address = line[start..].trim().to_string();
        let rest = address.strip_prefix("http://127.0.0.1:").expect("loopback");
        let (port, token) = rest.split_once('/').expect("a path");
        Server {
            port: port.parse().expect("a port"),
            token: token.trim_end_matches('/').to_string(),
            address,
            child,
        }
    }

    /// The same for a text.
    pub fn of_text(name: &str, file: &str, text: &str) -> Server {
        let folder = folder(name);
        std::fs::write(folder.join(file), text).expect("a model");
        Server::start(&folder, &[file])
    }

    /// Sends bytes and reads everything that comes back.
    pub fn send(&self, bytes: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        let limit = Some(hollow::patience());
        stream.set_read_timeout(limit).expect("a limit");
        // A server that has heard enough may be gone before all is said.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let text = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|s| s.parse().ok());
        Answer {
            status: status.unwrap_or(0),
            head: head.to_ascii_lowercase(),
            body: body.to_string(),
        }
    }

    /// A GET with further lines in its head.
    pub fn get(&self, path: &str, host: &str, lines: &[&str]) -> Answer {
        let lines: String = lines.iter().map(|line| format!("{line}\r\n")).collect();
        self.send(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{lines}\r\n").as_bytes())
    }

    /// The host that it is.
    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// A call as the page makes it.
    pub fn call(&self, call: &str, body: &Value) -> Answer {
        let (host, token) = (self.host(), &self.token);
        let body = body.to_string();
        let request = format!(
            "POST /{token}/api/{call} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        self.send(request.as_bytes())
    }

    /// Waits for a job.
    pub fn job(&self, number: &Value) -> Value {
        let begun = Instant::now();
        loop {
            assert!(begun.elapsed() < hollow::patience(), "the job does not end");
            let path = format!("/{}/api/jobs/{number}", self.token);
            let job = self.get(&path, &self.host(), &[]).json();
            if job["over"] == true {
                return job;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Reads the text of the first model, or another one.
    pub fn read(&self, text: Option<&str>) -> Value {
        self.call("read", &json!({ "model": 0, "text": text }))
            .json()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A folder for the files of a test, empty.
pub fn folder(name: &str) -> PathBuf {
    let path = folder_of(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder for the test");
    path
}

/// Where that folder is; a test that runs twice at a time has two.
pub fn folder_of(name: &str) -> PathBuf {
    let hollow = std::env::var_os("EVENHAND_HOLLOW").map_or("", |_| "_hollow");
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("serve_{name}{hollow}"))
}
