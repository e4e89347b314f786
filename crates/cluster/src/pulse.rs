//! Whether the others are still there.
//!
//! Each process above zero has a connection to the first one over which both say that they are alive, every second.
//! A connection that closes, or is silent for too long, raises the alarm; the first process tells all others why.
//!
//! A process that leaves says goodbye, with the number of jobs that it has finished, and the first one passes this on.
//! All have the same jobs, so whoever has begun more than that waits for somebody who will never come: that raises the
//! alarm too, whatever made the other one leave. A process in which the alarm rings says so when it leaves.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::alarm::Alarm;

/// How often a process says that it is alive.
const BEAT: Duration = Duration::from_secs(1);

/// How long it may be silent.
const SILENCE: Duration = Duration::from_secs(15);

/// How often the alarm is looked at.
const LOOK: Duration = Duration::from_millis(50);

const ALIVE: u8 = 1;
/// This process leaves: how many jobs it has finished.
const GOODBYE: u8 = 2;
const ALARM: u8 = 3;
/// Another process has left: which, and how many jobs it had finished.
const LEFT: u8 = 4;

/// No number of jobs: the process has not left.
const HERE: u64 = u64::MAX;

/// The connections over which processes say that they are alive.
pub(crate) struct Pulse {
    shared: Arc<Shared>,
    /// Jobs that this process has finished.
    finished: AtomicU64,
}

struct Shared {
    names: Vec<Arc<str>>,
    /// Whether each process has said goodbye, or this one has.
    over: Vec<Arc<AtomicBool>>,
    /// How many jobs each process that has left had finished.
    left: Vec<AtomicU64>,
    /// Jobs that this process has begun.
    begun: AtomicU64,
    /// Those to whom this process is connected.
    writers: Mutex<Vec<(usize, TcpStream)>>,
    done: AtomicBool,
    alarm: Alarm,
}

impl Pulse {
    /// Begins to listen.
    pub fn begin(
        connections: Vec<Option<TcpStream>>,
        names: &[Arc<str>],
        alarm: &Alarm,
    ) -> std::io::Result<Pulse> {
        let (mut writers, mut readers) = (Vec::new(), Vec::new());
        for (process, stream) in connections.into_iter().enumerate() {
            let Some(stream) = stream else { continue };
            stream.set_read_timeout(Some(SILENCE))?;
            writers.push((process, stream.try_clone()?));
            readers.push((process, stream));
        }
        let shared = Arc::new(Shared {
            names: names.to_vec(),
            over: names.iter().map(|_| Arc::default()).collect(),
            left: names.iter().map(|_| AtomicU64::new(HERE)).collect(),
            begun: AtomicU64::new(0),
            writers: Mutex::new(writers),
            done: AtomicBool::new(false),
            alarm: alarm.clone(),
        });
        for (process, stream) in readers {
            let shared = shared.clone();
            std::thread::spawn(move || shared.listen(process, stream));
        }
        let beating = shared.clone();
        std::thread::spawn(move || beating.beat());
        let finished = AtomicU64::new(0);
        Ok(Pulse { shared, finished })
    }

    /// Whether a process has said goodbye, or this one has.
    pub fn over(&self, process: usize) -> Arc<AtomicBool> {
        self.shared.over[process].clone()
    }

    /// A job is begun together with all others.
    pub fn begin_job(&self) {
        self.shared.begun.fetch_add(1, Ordering::SeqCst);
        self.shared.miss();
    }

    /// It has come to its end here.
    pub fn finish_job(&self) {
        self.finished.fetch_add(1, Ordering::SeqCst);
    }

    /// Whether somebody has left.
    pub fn has_left(&self) -> bool {
        let mut left = self.shared.left.iter();
        left.any(|left| left.load(Ordering::SeqCst) != HERE)
    }

    /// This process leaves.
    pub fn goodbye(&self) {
        let shared = &self.shared;
        shared
            .over
            .iter()
            .for_each(|over| over.store(true, Ordering::Release));
        shared.done.store(true, Ordering::Release);
        match shared.alarm.reason() {
            Some(reason) => shared.say(&alarming(&reason), None),
            None => {
                let finished = self.finished.load(Ordering::SeqCst);
                let mut bytes = vec![GOODBYE];
                bytes.extend(finished.to_le_bytes());
                shared.say(&bytes, None);
            }
        }
        let writers = shared.writers.lock();
        for (_, writer) in writers.unwrap_or_else(PoisonError::into_inner).iter() {
            let _ = writer.shutdown(Shutdown::Write);
        }
    }
}

/// What is said when the alarm rings.
fn alarming(reason: &str) -> Vec<u8> {
    let reason = &reason.as_bytes()[..reason.len().min(1000)];
    let mut bytes = vec![ALARM];
    bytes.extend((reason.len() as u16).to_le_bytes());
    bytes.extend(reason);
    bytes
}

impl Shared {
    /// Says something to all but one.
    fn say(&self, bytes: &[u8], but: Option<usize>) {
        let mut writers = self.writers.lock().unwrap_or_else(PoisonError::into_inner);
        for (process, writer) in writers.iter_mut() {
            if Some(*process) != but {
                let _ = writer.write_all(bytes);
            }
        }
    }

    /// Raises the alarm if somebody has left who is waited for.
    fn miss(&self) {
        let begun = self.begun.load(Ordering::SeqCst);
        let left = self.left.iter().map(|left| left.load(Ordering::SeqCst));
        for (name, left) in self.names.iter().zip(left) {
            if left < begun {
                let why = "has ended before everything was answered";
                self.alarm.raise(format!("{name} {why}"));
            }
        }
    }

    /// A process has left.
    fn leave(&self, process: usize, finished: u64) {
        // Either this is seen by who begins a job, or that is seen here.
        self.left[process].store(finished, Ordering::SeqCst);
        self.miss();
        self.over[process].store(true, Ordering::Release);
    }

    /// Says that this process is alive, until it is done or has to say that something is wrong.
    fn beat(&self) {
        let mut last: Option<Instant> = None;
        while !self.done.load(Ordering::Acquire) {
            if self.alarm.is_raised() {
                let reason = self.alarm.reason().unwrap_or_default();
                return self.say(&alarming(&reason), None);
            }
            if last.is_none_or(|last| last.elapsed() >= BEAT) {
                self.say(&[ALIVE], None);
                last = Some(Instant::now());
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Listens to one process.
    fn listen(&self, process: usize, mut stream: TcpStream) {
        let name = &self.names[process];
        let error = loop {
            match self.hear(process, &mut stream) {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => break error,
            }
        };
        if self.over[process].load(Ordering::Acquire) {
            return;
        }
        self.alarm.raise(match error.kind() {
            std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut => {
                format!("{name} has been silent for {} s", SILENCE.as_secs())
            }
            std::io::ErrorKind::InvalidData => format!("{name} says what makes no sense"),
            _ => format!("{name} has ended"),
        });
    }

    /// Hears one thing that a process says; whether there will be more.
    fn hear(&self, process: usize, stream: &mut TcpStream) -> std::io::Result<bool> {
        let (mut kind, mut number) = ([0], [0; 8]);
        stream.read_exact(&mut kind)?;
        match kind[0] {
            ALIVE => {}
            GOODBYE => {
                stream.read_exact(&mut number)?;
                self.leave(process, u64::from_le_bytes(number));
                if process == 0 {
                    // Nobody passes on from now on who else leaves.
                    let over = self.over.iter();
                    over.for_each(|over| over.store(true, Ordering::Release));
                }
                let mut bytes = vec![LEFT];
                bytes.extend((process as u32).to_le_bytes());
                bytes.extend(number);
                self.say(&bytes, Some(process));
                return Ok(false);
            }
            LEFT => {
                let mut who = [0; 4];
                stream.read_exact(&mut who)?;
                stream.read_exact(&mut number)?;
                let who = u32::from_le_bytes(who) as usize;
                if who >= self.names.len() {
                    return Err(std::io::ErrorKind::InvalidData.into());
                }
                self.leave(who, u64::from_le_bytes(number));
            }
            ALARM => {
                let (mut length, mut reason) = ([0; 2], Vec::new());
                if stream.read_exact(&mut length).is_ok() {
                    reason.resize(usize::from(u16::from_le_bytes(length)), 0);
                    let _ = stream.read_exact(&mut reason);
                }
                self.alarm.raise(String::from_utf8_lossy(&reason));
                return Ok(false);
            }
            _ => return Err(std::io::ErrorKind::InvalidData.into()),
        }
        Ok(true)
    }
}
