//! This process as one of many.
//!
//! `--processes N` starts the others on this machine: the same call, with the address of the first process, a number and
//! a token of their own in the environment. `--cluster` takes the addresses from a file and the token from the
//! environment. The first process reports; the others print nothing but what is wrong.

use std::fs::File;
use std::net::IpAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use evenhand::Model;
use evenhand_cluster::{
    Checkpoint, Cluster, Door, Held, Joining, NotJoined, Token, digest, digest_of,
};
use evenhand_source::{Diagnostic, MOST_BYTES, read_file};
use evenhand_verify::{Counterexamples, Options, Reduce};

use crate::arguments::{ClusterArguments, OutputArguments};
use crate::console::wrong_about;
use crate::outcome::Outcome;

/// The token that all processes share.
const TOKEN: &str = "EVENHAND_CLUSTER_TOKEN";

/// What a process that was started by another one is told: its number, how many there are, and the first one's address.
const PART: &str = "EVENHAND_CLUSTER_PART";

/// How long to wait for the others unless something else is said.
const WAIT: Duration = Duration::from_secs(60);

/// How long a search goes on before it is kept again, unless something else is said.
const EVERY: Duration = Duration::from_secs(300);

/// How long processes that were started here have to end by themselves.
const LEAVE: Duration = Duration::from_secs(3);

/// This process with all others.
pub(crate) struct Together {
    pub cluster: Cluster,
    /// Where the search is kept.
    pub checkpoint: Option<Checkpoint>,
    /// Whether successors are generated twice to save memory.
    pub memory_for_time: bool,
    children: Vec<Child>,
    /// The folder of checkpoints, for this call alone; the first process has it.
    _held: Option<Held>,
}

/// Whether this process reports: the only one, or the first of several.
pub(crate) fn is_first(arguments: &ClusterArguments) -> bool {
    let process = match part() {
        Some(part) if arguments.is_asked() => part.process,
        _ => arguments.process.unwrap_or(0),
    };
    process == 0
}

/// Finds the other processes, if several are asked for. `about` is the question, and the limits that all must agree on.
pub(crate) fn join(
    arguments: &ClusterArguments,
    model: (&Model, &Path),
    about: [&str; 2],
    options: &mut Options,
    output: &OutputArguments,
) -> Result<Option<Together>, Outcome> {
    if !arguments.is_asked() {
        let for_many = |name: &str, help: &'static str| {
            let message = format!("`--{name}` is for `--processes` and `--cluster`");
            Err(wrong_about(Diagnostic::global(message).help(help), output))
        };
        if arguments.checkpoint.is_some() {
            let help = "`--processes 1` is one process that can be continued";
            return for_many("checkpoint", help);
        }
        if arguments.memory_for_time {
            return for_many("memory-for-time", "one process has `--compress`");
        }
        return Ok(None);
    }
    let wrong = |message: String, help: &str| {
        wrong_about(Diagnostic::global(message).help(help.to_string()), output)
    };
    if model.1 == Path::new("-") {
        let message = "several processes cannot read one standard input".to_string();
        return Err(wrong(message, "give the name of a file"));
    }
    let mut place = place(arguments).map_err(|(message, help)| wrong(message, help))?;
    let count = place.addresses.len();
    let cores = available_parallelism().map_or(1, |cores| cores.get());
    let usual = if place.is_local { cores / count } else { cores };
    let threads = options
        .threads
        .map_or(usual.max(1), |threads| threads.get());
    if place.is_local {
        options.limit_memory = options.limit_memory.map(|limit| limit / count as u64);
    }
    options.engine = Some(evenhand_cluster::NAME.to_string());
    options.reduce = Reduce::None;
    if place.process > 0 {
        options.counterexample = Counterexamples::None;
        (options.hints, options.observe) = (false, false);
        // The first one's time is that of all: where each looked at its own clock, one might begin what another leaves out.
        options.limit_time = None;
    }
    // All keep and continue, or nobody does.
    let (is_kept, again) = (arguments.checkpoint.is_some(), arguments.memory_for_time);
    let limits = format!("{} {again} {is_kept} {}", about[1], arguments.resume);
    let joining = Joining {
        addresses: place.addresses.clone(),
        process: place.process,
        token: Token::new(&place.token),
        about: vec![
            ("version".to_string(), env!("CARGO_PKG_VERSION").to_string()),
            ("model".to_string(), texts(model.0)),
            ("question".to_string(), digest([about[0].as_bytes()])),
            ("limit".to_string(), digest([limits.as_bytes()])),
            ("program".to_string(), program(&place)),
        ],
        threads,
        wait: arguments.wait.unwrap_or(WAIT),
    };
    // A search may go on under other limits.
    let words = joining.about.iter().take(3);
    let about = digest(words.map(|(_, word)| word.as_bytes()));
    let checkpoint = arguments.checkpoint.as_ref().map(|folder| Checkpoint {
        folder: folder.clone(),
        every: arguments.checkpoint_every.unwrap_or(EVERY),
        resume: arguments.resume,
        about,
    });
    let mut held = None;
    if let Some(checkpoint) = checkpoint.as_ref().filter(|_| place.process == 0) {
        let help = "wait until it has ended, or keep this search in another folder";
        held = Some(checkpoint.hold().map_err(|message| wrong(message, help))?);
    }
    let joined = Door::open(&place.own).and_then(|door| {
        let children = place.start(&door)?;
        match Cluster::join(&joining, door) {
            Ok(cluster) => Ok(Together {
                cluster,
                checkpoint,
                memory_for_time: arguments.memory_for_time,
                children,
                _held: held,
            }),
            Err(error) => {
                end(children, Duration::ZERO);
                Err(error)
            }
        }
    });
    match joined {
        Ok(together) => Ok(Some(together)),
        Err(error) => {
            let diagnostic = Diagnostic::global(error.to_string());
            let outcome = wrong_about(diagnostic, output);
            Err(match error {
                NotJoined::Different(_) => outcome,
                NotJoined::Absent(_) => Outcome::Unknown,
            })
        }
    }
}

/// What the texts of a model are, in a word.
fn texts(model: &Model) -> String {
    let files = model.signature().files.iter();
    digest(files.map(|(_, file)| file.text.as_bytes()))
}

/// What tells this program from others of the same version. Those that were started here are the same.
fn program(place: &Place) -> String {
    if place.is_local {
        return String::new();
    }
    // The file may have been replaced since the program was started.
    let running = File::open("/proc/self/exe");
    let file = running.or_else(|_| File::open(std::env::current_exe()?));
    file.and_then(digest_of).unwrap_or_default()
}

/// What a process is told that was started by another one.
struct Part {
    process: usize,
    count: usize,
    /// Where the first process listens.
    chief: String,
    token: String,
}

fn part() -> Option<Part> {
    let part = std::env::var(PART).ok()?;
    let [process, count, chief] = part.split_whitespace().collect::<Vec<_>>()[..] else {
        return None;
    };
    let (process, count) = (process.parse::<usize>().ok()?, count.parse::<usize>().ok()?);
    (1..count).contains(&process).then_some(Part {
        process,
        count,
        chief: chief.to_string(),
        token: token()?,
    })
}

fn token() -> Option<String> {
    let token = std::env::var(TOKEN).ok();
    token.filter(|token| !token.trim().is_empty())
}

/// Where this process stands among the others.
struct Place {
    process: usize,
    addresses: Vec<String>,
    /// Where it listens.
    own: String,
    token: String,
    /// Whether all are on this machine, started by the first.
    is_local: bool,
    /// How many are to be started here.
    starts: usize,
}

type Fault = (String, &'static str);

fn place(arguments: &ClusterArguments) -> Result<Place, Fault> {
    const NOWHERE: &str = "127.0.0.1:0";
    if let Some(part) = part() {
        let mut addresses = vec![String::new(); part.count];
        addresses[0] = part.chief;
        return Ok(Place {
            process: part.process,
            addresses,
            own: NOWHERE.to_string(),
            token: part.token,
            is_local: true,
            starts: 0,
        });
    }
    let Some(file) = &arguments.cluster else {
        let count = arguments.processes.map_or(1, |count| count.get());
        return Ok(Place {
            process: 0,
            addresses: vec![String::new(); count],
            own: NOWHERE.to_string(),
            token: Token::random(),
            is_local: true,
            starts: count - 1,
        });
    };
    let name = file.display();
    let text = read_file(file, MOST_BYTES);
    let text = text.map_err(|error| (format!("cannot read `{name}`: {error}"), HOSTS))?;
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or(""));
    let lines = lines.map(str::trim).filter(|line| !line.is_empty());
    let addresses: Vec<String> = lines.map(str::to_string).collect();
    let process = arguments.process.unwrap_or(0);
    let Some(own) = addresses.get(process).cloned() else {
        let count = addresses.len();
        let message = format!("there is no process {process}: `{name}` has {count} addresses");
        return Err((message, HOSTS));
    };
    if let Some(bad) = addresses.iter().find(|address| !has_port(address)) {
        return Err((format!("`{bad}` in `{name}` has no port"), HOSTS));
    }
    let is_here = addresses.iter().all(|address| is_loopback(address));
    let token = match token() {
        Some(token) => token,
        None if is_here => String::new(),
        None => {
            let message = format!("there is no token in {TOKEN}");
            let help =
                "give all processes the same secret text there: whoever knows it may take part";
            return Err((message, help));
        }
    };
    Ok(Place {
        process,
        addresses,
        own,
        token,
        is_local: false,
        starts: 0,
    })
}

const HOSTS: &str =
    "the file has one address to a line, such as `10.0.0.7:7700`; process 0 is the first";

fn has_port(address: &str) -> bool {
    let port = address.rsplit_once(':');
    port.is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
}

/// Whether an address is one of this machine alone.
fn is_loopback(address: &str) -> bool {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    let host = host.trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

impl Place {
    /// Starts the processes that are to be started here.
    fn start(&mut self, door: &Door) -> Result<Vec<Child>, NotJoined> {
        let mut children = Vec::new();
        let absent = |error: std::io::Error| {
            NotJoined::Absent(format!("cannot start another process: {error}"))
        };
        let count = self.addresses.len();
        for process in 1..=self.starts {
            let chief = door.address().map_err(absent)?;
            let program = std::env::current_exe().map_err(absent)?;
            let child = Command::new(program)
                .args(std::env::args_os().skip(1))
                .env(TOKEN, &self.token)
                .env(PART, format!("{process} {count} {chief}"))
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn();
            match child {
                Ok(child) => children.push(child),
                Err(error) => {
                    end(children, Duration::ZERO);
                    return Err(absent(error));
                }
            }
        }
        Ok(children)
    }
}

/// Processes that were started here end, after a while by force.
fn end(children: Vec<Child>, patience: Duration) {
    let until = Instant::now() + patience;
    for mut child in children {
        while matches!(child.try_wait(), Ok(None)) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = child.kill();
        let _ = child.wait();
    }
}

impl Drop for Together {
    fn drop(&mut self) {
        end(std::mem::take(&mut self.children), LEAVE);
    }
}
