//! What a walk by halves does differently: channels by their ends, handshakes by their partners, the
//! birth and the death of processes apart from each other.
//!
//! A process that ends is the youngest one, so nobody else can end before it: what its end reads is
//! whether a process is born. What it writes is everything that was its own.

use super::expr::Expr;
use super::footprint::{BIRTH, DEATH, Walker};

impl Walker<'_> {
    /// Which processes there are matters: where a walk is about one shape, that is known.
    pub(super) fn processes(&mut self) {
        if self.halves.is_some() {
            self.found.reads.insert(0..2);
        }
    }

    /// Whether `timeout` is known to be false; from now on it was asked for.
    pub(super) fn is_time_known(&mut self) -> bool {
        let Some(halves) = &mut self.halves else {
            return false;
        };
        halves.asks_time = true;
        !halves.time
    }

    /// The end of the process at hand, and of its channels.
    pub(super) fn die(&mut self) {
        self.found.resizes = true;
        self.found.reads.insert(BIRTH..BIRTH + 1);
        self.found.writes.insert(DEATH..DEATH + 1);
        let len = self.program.spec.types[usize::from(self.process.0)].len as usize;
        self.found.writes.insert(self.base..self.base + len);
        for index in 0..self.shape.channels.len() {
            if self.shape.channels[index].owner == Some(self.pid) {
                self.whole_channel(index, true);
                self.meet(index);
            }
        }
    }

    /// The claims of other processes to use a channel exclusively.
    pub(super) fn claims(&mut self) {
        self.processes();
        let own = (self.process, self.pid, self.base);
        for (pid, &(process, base)) in self.shape.processes.iter().enumerate() {
            if pid == usize::from(own.1) {
                continue;
            }
            (self.process, self.pid, self.base) = (process, pid as u8, base as usize);
            let program = self.program;
            for (channel, _) in &program.spec.types[usize::from(process.0)].exclusive {
                self.expr(channel);
            }
        }
        (self.process, self.pid, self.base) = own;
    }

    fn meet(&mut self, index: usize) {
        let kind = usize::from(self.shape.channels[index].kind);
        let is_unbuffered = self.program.spec.channel_types[kind].capacity == 0;
        if let Some(halves) = self.halves.as_mut().filter(|_| is_unbuffered) {
            halves.meets.insert(index);
        }
    }

    /// One end of the channels that an expression may mean.
    pub(super) fn use_half(&mut self, channel: &Expr, sends: bool) {
        self.channel_may_end(channel);
        for index in self.channels(channel) {
            self.meet(index);
            let Some(halves) = &mut self.halves else {
                continue;
            };
            match sends {
                true => halves.sends.insert(index),
                false => halves.receives.insert(index),
            };
        }
    }

    /// Both ends of the channels that an expression may mean.
    pub(super) fn both_ends(&mut self, channel: &Expr) {
        self.channel_may_end(channel);
        for index in self.channels(channel) {
            self.whole_channel(index, true);
        }
    }

    /// From here on, whatever was sent or received depends on both ends of its channel.
    pub(super) fn ends_are_both(&mut self) {
        let Some(halves) = &self.halves else {
            return;
        };
        let used: Vec<usize> = halves.sends.union(&halves.receives).copied().collect();
        for index in used {
            self.whole_channel(index, true);
        }
    }
}
