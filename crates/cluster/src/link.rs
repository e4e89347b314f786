//! A connection that carries timely's messages, and what becomes of it when the other end is gone.
//!
//! Timely ends its communication threads in a panic when a connection breaks. Here nothing is handed to it that it
//! could stumble over: a connection that breaks raises the alarm, and whoever reads or writes then waits for the end
//! of the process. A peer that has said goodbye may close its end at any time.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use timely::communication::allocator::zero_copy::stream::Stream;

use crate::alarm::Alarm;

/// How long a closed connection may be a goodbye that was not heard yet.
const GOODBYE: Duration = Duration::from_secs(3);

/// One end of a connection to another process.
#[derive(Debug)]
pub(crate) struct Link {
    pub stream: TcpStream,
    pub alarm: Alarm,
    /// What the other end is called.
    pub name: Arc<str>,
    /// Whether the other end has said goodbye, or this one is about to.
    pub over: Arc<AtomicBool>,
    /// Bytes that were written.
    pub sent: Arc<AtomicU64>,
}

impl Link {
    /// The connection is of no use any more.
    fn broken(&self, why: &str) -> ! {
        if !self.over.load(Ordering::Acquire) {
            std::thread::sleep(GOODBYE);
        }
        if !self.over.load(Ordering::Acquire) {
            self.alarm.raise(format!("{} {why}", self.name));
        }
        loop {
            std::thread::park();
        }
    }
}

impl Read for Link {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.stream.read(into) {
                Ok(0) => self.broken("has closed its connection"),
                Ok(read) => return Ok(read),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => self.broken(&format!("cannot be heard: {error}")),
            }
        }
    }
}

impl Write for Link {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.stream.write(bytes) {
                Ok(written) => {
                    self.sent.fetch_add(written as u64, Ordering::Relaxed);
                    return Ok(written);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => self.broken(&format!("cannot be told anything: {error}")),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Link {
    fn try_clone(&self) -> io::Result<Link> {
        Ok(Link {
            stream: self.stream.try_clone()?,
            alarm: self.alarm.clone(),
            name: self.name.clone(),
            over: self.over.clone(),
            sent: self.sent.clone(),
        })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.stream.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        let _ = self.stream.shutdown(how);
        Ok(())
    }
}
