//! How processes find each other.
//!
//! Each process listens at one address. Every connection begins with the proof that both ends know the token
//! ([`crate::token`]); one that cannot, or says something else, or takes more than some seconds, is closed, and nobody
//! else has waited for it. If very many try at a time, the one that has tried longest is closed. Then the processes with a
//! number above zero report to the first one and tell what they are about: the version and the program, a hash of the
//! texts of the model and one of what is asked. If two differ, all end before anything is explored. The first process
//! answers with the list of all addresses, and each pair connects: the one with the greater number calls.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::token::{LENGTH, Token, Words, random, same};

/// What every connection begins with.
const GREETING: &[u8; 20] = b"evenhand cluster 02\n";

/// How long a connection may take to prove itself.
const PATIENCE: Duration = Duration::from_secs(5);

/// How many strangers may try at a time.
const STRANGERS: usize = 64;

/// Texts between processes are at most so long.
const LONGEST: usize = 1 << 16;

/// How to take part in a cluster.
#[derive(Clone, Debug)]
pub struct Joining {
    /// Where each process listens. Of the first process it must be known; the others tell theirs where it is empty.
    pub addresses: Vec<String>,
    /// The number of this process.
    pub process: usize,
    /// The secret that all share.
    pub token: Token,
    /// What this process is about: each part with its name, the same for all.
    pub about: Vec<(String, String)>,
    /// How many workers each process has; the first process decides.
    pub threads: usize,
    /// How long to wait for the others.
    pub wait: Duration,
}

/// Why there is no cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotJoined {
    /// Processes are about different things, or what was said makes no sense.
    Different(String),
    /// Somebody cannot be reached.
    Absent(String),
}

impl std::fmt::Display for NotJoined {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (NotJoined::Different(text) | NotJoined::Absent(text)) = self;
        f.write_str(text)
    }
}

impl std::error::Error for NotJoined {}

/// The connections of a process.
#[derive(Debug)]
pub(crate) struct Joined {
    /// To each other process, for work.
    pub data: Vec<Option<TcpStream>>,
    /// To whom the others are told to be alive: the first process to all, all to the first.
    pub control: Vec<Option<TcpStream>>,
    pub threads: usize,
    pub names: Vec<Arc<str>>,
}

/// What a connection is for.
const CONTROL: u8 = 1;
const DATA: u8 = 2;

/// A connection that proved itself.
struct Caller {
    stream: TcpStream,
    kind: u8,
    process: usize,
}

/// A listener that was bound before others have to know its address.
#[derive(Debug)]
pub struct Door {
    listener: TcpListener,
}

impl Door {
    /// Listens at an address.
    ///
    /// # Errors
    /// If that is not possible.
    pub fn open(address: &str) -> Result<Door, NotJoined> {
        let bound = TcpListener::bind(address);
        let listener = bound
            .map_err(|error| NotJoined::Absent(format!("cannot listen at `{address}`: {error}")))?;
        Ok(Door { listener })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// If the system does not say so.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// Finds the other processes.
///
/// # Errors
/// If they do not come in time, or are about something else.
pub(crate) fn join(joining: &Joining, door: Door) -> Result<Joined, NotJoined> {
    let until = Instant::now() + joining.wait;
    let own = joining.process;
    let address = door.address();
    let address = address.map_err(|error| NotJoined::Absent(error.to_string()))?;
    let callers = answer_callers(door, joining.token.clone());
    match own {
        0 => first(joining, &callers, &address.to_string(), until),
        _ => other(joining, &callers, &address.to_string(), until),
    }
}

/// The first process: all others report here.
fn first(
    joining: &Joining,
    callers: &Receiver<Caller>,
    address: &str,
    until: Instant,
) -> Result<Joined, NotJoined> {
    let count = joining.addresses.len();
    let mut addresses = joining.addresses.clone();
    addresses[0] = address.to_string();
    let mut control: Vec<Option<TcpStream>> = (0..count).map(|_| None).collect();
    let mut fault = None;
    while control[1..].iter().any(Option::is_none) && fault.is_none() {
        let Some(caller) = next(callers, until) else {
            let missing = (1..count).filter(|&k| control[k].is_none());
            let missing: Vec<String> = missing.map(|k| called(k, &joining.addresses[k])).collect();
            let (list, wait) = (missing.join(", "), joining.wait.as_secs());
            fault = Some(NotJoined::Absent(format!(
                "no sign of {list} within {wait} s"
            )));
            break;
        };
        if caller.kind != CONTROL || caller.process == 0 || caller.process >= count {
            continue;
        }
        let (mut stream, process) = (caller.stream, caller.process);
        let Ok(texts) = read_texts(&mut stream) else {
            continue;
        };
        let Some((place, about)) = texts.split_first() else {
            continue;
        };
        if addresses[process].is_empty() {
            addresses[process].clone_from(place);
        }
        fault = difference(
            joining,
            about,
            &called(process, &joining.addresses[process]),
        );
        control[process] = Some(stream);
    }
    let reply = match &fault {
        None => {
            let mut reply = vec!["welcome".to_string(), joining.threads.to_string()];
            reply.extend(addresses.iter().cloned());
            reply
        }
        Some(NotJoined::Different(why)) => vec!["different".to_string(), why.clone()],
        Some(NotJoined::Absent(why)) => vec!["absent".to_string(), why.clone()],
    };
    for stream in control.iter_mut().flatten() {
        let _ = write_texts(stream, &reply);
    }
    if let Some(fault) = fault {
        return Err(fault);
    }
    let data = connect(joining, callers, &addresses, until)?;
    Ok(Joined {
        data,
        control,
        threads: joining.threads,
        names: names(&addresses),
    })
}

/// In what a process differs from this one.
fn difference(joining: &Joining, about: &[String], who: &str) -> Option<NotJoined> {
    let own = joining.about.iter();
    let mut pairs = own.zip(about);
    let differs = |(own, other): &(&(String, String), &String)| own.1 != **other;
    let first = pairs.find(differs).map(|((name, _), _)| name.clone());
    let name = match (first, joining.about.len() == about.len()) {
        (None, true) => return None,
        (Some(name), _) => name,
        (None, false) => "version".to_string(),
    };
    let text = format!("{who} has another {name} than the first process");
    Some(NotJoined::Different(text))
}

/// The others: each reports to the first.
fn other(
    joining: &Joining,
    callers: &Receiver<Caller>,
    address: &str,
    until: Instant,
) -> Result<Joined, NotJoined> {
    let (own, count) = (joining.process, joining.addresses.len());
    let chief = called(0, &joining.addresses[0]);
    let mut stream = call(joining, 0, &joining.addresses[0], CONTROL, until)?;
    let mut texts = vec![address.to_string()];
    texts.extend(joining.about.iter().map(|(_, value)| value.clone()));
    let lost = |error: io::Error| NotJoined::Absent(format!("{chief} does not answer: {error}"));
    write_texts(&mut stream, &texts).map_err(lost)?;
    let left = until.saturating_duration_since(Instant::now()) + PATIENCE;
    stream.set_read_timeout(Some(left)).map_err(lost)?;
    let reply = read_texts(&mut stream).map_err(lost)?;
    let (threads, addresses) = match &reply[..] {
        [word, threads, addresses @ ..] if word == "welcome" && addresses.len() == count => {
            (threads.parse().unwrap_or(1), addresses.to_vec())
        }
        [word, why] if word == "different" => return Err(NotJoined::Different(why.clone())),
        [_, why] => return Err(NotJoined::Absent(why.clone())),
        _ => {
            let text = format!("{chief} knows another number of processes");
            return Err(NotJoined::Different(text));
        }
    };
    let data = connect(joining, callers, &addresses, until)?;
    let mut control: Vec<Option<TcpStream>> = (0..count).map(|_| None).collect();
    control[0] = Some(stream);
    debug_assert!(own > 0);
    Ok(Joined {
        data,
        control,
        threads,
        names: names(&addresses),
    })
}

/// A connection to each other process.
fn connect(
    joining: &Joining,
    callers: &Receiver<Caller>,
    addresses: &[String],
    until: Instant,
) -> Result<Vec<Option<TcpStream>>, NotJoined> {
    let (own, count) = (joining.process, addresses.len());
    let until = until.max(Instant::now() + PATIENCE);
    let mut data: Vec<Option<TcpStream>> = (0..count).map(|_| None).collect();
    for (process, address) in addresses.iter().enumerate().take(own) {
        data[process] = Some(call(joining, process, address, DATA, until)?);
    }
    while let Some(missing) = (own + 1..count).find(|&k| data[k].is_none()) {
        let Some(caller) = next(callers, until) else {
            let who = called(missing, &addresses[missing]);
            return Err(NotJoined::Absent(format!("{who} has not connected")));
        };
        if caller.kind == DATA && caller.process > own && caller.process < count {
            data[caller.process] = Some(caller.stream);
        }
    }
    Ok(data)
}

/// The next caller who proved to belong here.
fn next(callers: &Receiver<Caller>, until: Instant) -> Option<Caller> {
    let left = until.saturating_duration_since(Instant::now());
    callers.recv_timeout(left).ok()
}

/// How messages name a process.
pub(crate) fn called(process: usize, address: &str) -> String {
    match address.is_empty() {
        true => format!("process {process}"),
        false => format!("process {process} ({address})"),
    }
}

fn names(addresses: &[String]) -> Vec<Arc<str>> {
    let all = addresses.iter().enumerate();
    all.map(|(process, address)| Arc::from(called(process, address)))
        .collect()
}

/// Lets everybody who knows the token in, from a thread of its own.
fn answer_callers(door: Door, token: Token) -> Receiver<Caller> {
    let (sender, receiver) = channel();
    let strangers = Arc::new(Strangers::default());
    std::thread::spawn(move || {
        for (number, stream) in (0..).zip(door.listener.incoming().flatten()) {
            let (sender, token) = (sender.clone(), token.clone());
            let strangers = strangers.clone();
            if strangers.come(number, &stream).is_err() {
                continue;
            }
            std::thread::spawn(move || {
                let known = prove_as_server(stream, &token);
                strangers.go(number);
                admit(known, &sender);
            });
        }
    });
    receiver
}

/// Those who have not proved anything yet, the first to come in front.
#[derive(Default)]
struct Strangers(Mutex<VecDeque<(u64, TcpStream)>>);

impl Strangers {
    /// One more; where there are too many the first one has to go.
    fn come(&self, number: u64, stream: &TcpStream) -> io::Result<()> {
        let stream = stream.try_clone()?;
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= STRANGERS
            && let Some((_, first)) = all.pop_front()
        {
            let _ = first.shutdown(Shutdown::Both);
        }
        all.push_back((number, stream));
        Ok(())
    }

    /// One is no stranger any more, or was sent away.
    fn go(&self, number: u64) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|&(other, _)| other != number);
    }
}

/// Reads within what is left of a time, however slowly the other end speaks.
fn read_by(stream: &mut TcpStream, mut into: &mut [u8], until: Instant) -> io::Result<()> {
    while !into.is_empty() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(into) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => into = &mut into[read..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn admit(known: io::Result<Caller>, sender: &Sender<Caller>) {
    if let Ok(caller) = known {
        let _ = sender.send(caller);
    }
}

/// The end that was called: nothing of what a stranger sends is used before the proof.
fn prove_as_server(mut stream: TcpStream, token: &Token) -> io::Result<Caller> {
    let until = Instant::now() + PATIENCE;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    let mut greeting = [0; GREETING.len()];
    read_by(&mut stream, &mut greeting, until)?;
    if greeting != *GREETING {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut theirs: Words = [0; LENGTH];
    read_by(&mut stream, &mut theirs, until)?;
    let mine = random();
    stream.write_all(&mine)?;
    stream.write_all(&token.answer(&[b"called", &theirs, &mine]))?;
    let mut claim = [0; 5];
    read_by(&mut stream, &mut claim, until)?;
    let mut answer: Words = [0; LENGTH];
    read_by(&mut stream, &mut answer, until)?;
    if !same(
        &answer,
        &token.answer(&[b"calling", &mine, &theirs, &claim]),
    ) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    // Whoever knows the token may take longer for what it says then.
    stream.set_read_timeout(Some(PATIENCE))?;
    let process = u32::from_le_bytes([claim[1], claim[2], claim[3], claim[4]]);
    Ok(Caller {
        stream,
        kind: claim[0],
        process: process as usize,
    })
}

/// Calls a process until it answers.
fn call(
    joining: &Joining,
    process: usize,
    address: &str,
    kind: u8,
    until: Instant,
) -> Result<TcpStream, NotJoined> {
    let who = called(process, address);
    loop {
        let failed = match try_call(joining, address, kind) {
            Ok(stream) => return Ok(stream),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let text = format!("{who} has another token");
                return Err(NotJoined::Different(text));
            }
            Err(error) => error,
        };
        if Instant::now() >= until {
            let text = format!("{who} cannot be reached: {failed}");
            return Err(NotJoined::Absent(text));
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// The end that calls.
fn try_call(joining: &Joining, address: &str, kind: u8) -> io::Result<TcpStream> {
    let mut found = address.to_socket_addrs()?;
    let address = found.next().ok_or(io::ErrorKind::NotFound)?;
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    let mine = random();
    stream.write_all(GREETING)?;
    stream.write_all(&mine)?;
    let (mut theirs, mut answer): (Words, Words) = ([0; LENGTH], [0; LENGTH]);
    stream.read_exact(&mut theirs)?;
    stream.read_exact(&mut answer)?;
    let token = &joining.token;
    if !same(&answer, &token.answer(&[b"called", &mine, &theirs])) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let mut claim = [kind, 0, 0, 0, 0];
    claim[1..].copy_from_slice(&(joining.process as u32).to_le_bytes());
    stream.write_all(&claim)?;
    stream.write_all(&token.answer(&[b"calling", &theirs, &mine, &claim]))?;
    Ok(stream)
}

fn write_texts(stream: &mut TcpStream, texts: &[String]) -> io::Result<()> {
    let mut bytes = (texts.len() as u16).to_le_bytes().to_vec();
    for text in texts {
        bytes.extend((text.len() as u16).to_le_bytes());
        bytes.extend(text.as_bytes());
    }
    stream.write_all(&bytes)
}

fn read_texts(stream: &mut TcpStream) -> io::Result<Vec<String>> {
    let mut length = [0; 2];
    stream.read_exact(&mut length)?;
    let mut texts = Vec::new();
    let mut total = 0;
    for _ in 0..u16::from_le_bytes(length) {
        stream.read_exact(&mut length)?;
        let mut text = vec![0; usize::from(u16::from_le_bytes(length))];
        total += text.len();
        if total > LONGEST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        stream.read_exact(&mut text)?;
        let text = String::from_utf8(text);
        texts.push(text.map_err(|_| io::ErrorKind::InvalidData)?);
    }
    Ok(texts)
}
