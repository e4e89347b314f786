//! Whether the others are still there.
//!
//! Each process above zero has a connection to the first one over which both say that they are alive, every second.
//! A connection that closes, or is silent for too long, raises the alarm; the first process tells all others why. A
//! process whose work is done says goodbye, and may go.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
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
const GOODBYE: u8 = 2;
const ALARM: u8 = 3;

/// The connections over which processes say that they are alive.
pub(crate) struct Pulse {
    /// Whether each process has said goodbye, or this one has.
    pub over: Vec<Arc<AtomicBool>>,
    writers: Arc<Mutex<Vec<TcpStream>>>,
    done: Arc<AtomicBool>,
}

impl Pulse {
    /// Begins to listen.
    pub fn begin(
        connections: Vec<Option<TcpStream>>,
        names: &[Arc<str>],
        alarm: &Alarm,
    ) -> std::io::Result<Pulse> {
        let over: Vec<Arc<AtomicBool>> = names.iter().map(|_| Arc::default()).collect();
        let mut writers = Vec::new();
        for (process, stream) in connections.into_iter().enumerate() {
            let Some(stream) = stream else { continue };
            stream.set_read_timeout(Some(SILENCE))?;
            writers.push(stream.try_clone()?);
            let (name, over, alarm) =
                (names[process].clone(), over[process].clone(), alarm.clone());
            std::thread::spawn(move || listen(stream, &name, &over, &alarm));
        }
        let pulse = Pulse {
            over,
            writers: Arc::new(Mutex::new(writers)),
            done: Arc::default(),
        };
        let (writers, done, alarm) = (pulse.writers.clone(), pulse.done.clone(), alarm.clone());
        std::thread::spawn(move || beat(&writers, &done, &alarm));
        Ok(pulse)
    }

    /// The work of this process is done.
    pub fn goodbye(&self) {
        self.over
            .iter()
            .for_each(|over| over.store(true, Ordering::Release));
        self.done.store(true, Ordering::Release);
        say(&self.writers, &[GOODBYE]);
        let writers = self.writers.lock().unwrap_or_else(PoisonError::into_inner);
        for writer in writers.iter() {
            let _ = writer.shutdown(Shutdown::Write);
        }
    }
}

/// Says something to all.
fn say(writers: &Mutex<Vec<TcpStream>>, bytes: &[u8]) {
    let mut writers = writers.lock().unwrap_or_else(PoisonError::into_inner);
    for writer in writers.iter_mut() {
        let _ = writer.write_all(bytes);
    }
}

/// Says that this process is alive, until it is done or has to say that something is wrong.
fn beat(writers: &Mutex<Vec<TcpStream>>, done: &AtomicBool, alarm: &Alarm) {
    let mut last: Option<Instant> = None;
    while !done.load(Ordering::Acquire) {
        if alarm.is_raised() {
            let reason = alarm.reason().unwrap_or_default();
            let reason = &reason.as_bytes()[..reason.len().min(1000)];
            let mut bytes = vec![ALARM];
            bytes.extend((reason.len() as u16).to_le_bytes());
            bytes.extend(reason);
            say(writers, &bytes);
            return;
        }
        if last.is_none_or(|last| last.elapsed() >= BEAT) {
            say(writers, &[ALIVE]);
            last = Some(Instant::now());
        }
        std::thread::sleep(LOOK);
    }
}

/// Listens to one process.
fn listen(mut stream: TcpStream, name: &str, over: &AtomicBool, alarm: &Alarm) {
    loop {
        let mut kind = [0];
        let heard = stream.read_exact(&mut kind);
        match (heard, kind[0]) {
            (Ok(()), ALIVE) => {}
            (Ok(()), GOODBYE) => return over.store(true, Ordering::Release),
            (Ok(()), ALARM) => {
                let mut length = [0; 2];
                let mut reason = Vec::new();
                if stream.read_exact(&mut length).is_ok() {
                    reason.resize(usize::from(u16::from_le_bytes(length)), 0);
                    let _ = stream.read_exact(&mut reason);
                }
                return alarm.raise(String::from_utf8_lossy(&reason));
            }
            (Ok(()), _) => return alarm.raise(format!("{name} says what makes no sense")),
            (Err(_), _) if over.load(Ordering::Acquire) => return,
            (Err(error), _) => {
                let is_silent = matches!(
                    error.kind(),
                    std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
                );
                return alarm.raise(match is_silent {
                    true => format!("{name} has been silent for {} s", SILENCE.as_secs()),
                    false => format!("{name} has ended"),
                });
            }
        }
    }
}
