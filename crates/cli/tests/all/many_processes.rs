//! Processes that are given addresses: one that cannot go on, or is interrupted, ends the others too.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const MODEL: &str = "
#define N 60
byte a, b, c, d;
active proctype p() {
    do
    :: a < N -> a++
    :: b < N -> b++
    :: c < N -> c++
    :: d < N -> d++
    :: a == N -> a = 0
    od
}
ltl one { [] <> (a == 0) }
ltl two { [] <> (b == 0) }
";

/// A folder with a model and two addresses.
struct Hosts(PathBuf);

impl Hosts {
    fn new(name: &str) -> Hosts {
        let folder = format!("evenhand-hosts-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        let ports: Vec<TcpListener> = (0..2)
            .map(|_| TcpListener::bind("127.0.0.1:0").expect("a port"))
            .collect();
        let lines = ports.iter().map(|port| {
            let address = port.local_addr().expect("an address");
            format!("{address}\n")
        });
        std::fs::write(folder.join("hosts"), lines.collect::<String>()).expect("written");
        std::fs::write(folder.join("model.pml"), MODEL).expect("written");
        Hosts(folder)
    }

    fn start(&self, process: &str, more: &[&str]) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_evenhand"));
        command.current_dir(&self.0).args(["check", "model.pml"]);
        command.args(["--cluster", "hosts", "--process", process]);
        command.args(["--threads", "1"]).args(more);
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("evenhand runs")
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What a process came to, which must not take for ever.
fn ended(mut child: Child) -> Output {
    let begun = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if begun.elapsed() > Duration::from_secs(120) {
            let _ = child.kill();
            panic!("a process goes on for ever: {:?}", child.wait_with_output());
        }
        sleep(Duration::from_millis(20));
    }
    child.wait_with_output().expect("a child")
}

#[test]
fn a_file_that_cannot_be_written_leaves_nobody_waiting() {
    let hosts = Hosts::new("files");
    let other = hosts.start("1", &["--wait", "1s"]);
    let first = ended(hosts.start("0", &["--report", "no/such/folder.html"]));
    assert_eq!(first.status.code(), Some(2), "{first:?}");
    let other = ended(other);
    assert_eq!(other.status.code(), Some(3), "{other:?}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_of_one_ends_all() {
    for victim in ["1", "0"] {
        let hosts = Hosts::new(&format!("interrupt-{victim}"));
        let (other, first) = (hosts.start("1", &[]), hosts.start("0", &[]));
        sleep(Duration::from_secs(2));
        let id = match victim {
            "0" => first.id(),
            _ => other.id(),
        };
        let killed = Command::new("kill")
            .args(["-INT", &id.to_string()])
            .status();
        assert!(killed.expect("kill runs").success());
        for process in [first, other] {
            let process = ended(process);
            let code = process.status.code();
            assert!(matches!(code, Some(3 | 130)), "{process:?}");
        }
    }
}
