//! Letters between workers, and when there are no more of them.
//!
//! **Problem.** Workers send each other work, and work makes more work, for whoever owns the state that it is about.
//! All must know when there is none left, without waiting for each other in between.
//!
//! **Idea.** One dataflow of timely with a single operator in a loop. What arrives waits in the inbox together with
//! the *capability* that it came with; what is sent takes one along; so timely's own account of who might still send
//! says when a phase is over, and nobody has to count letters. The work itself is done outside of the operator, by
//! whoever holds the borrowed system.
//!
//! Time is the number of the phase, and below it how often a letter was answered by another one. A phase in which
//! letters are not answered is one step in which all workers take part: a level of a breadth-first search. A phase in
//! which they are is a closure, and has no barrier per level: with 20 ms between two machines a letter's answer takes
//! 20 ms, and others are on the way meanwhile.
//!
//! What a worker sends to itself never leaves it.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};
use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::generic::operator::Operator;
use timely::dataflow::operators::{Capability, ConnectLoop, Feedback};
use timely::scheduling::activate::Activator;
use timely::worker::Worker;

use crate::alarm::Alarm;

/// Bits of a time below the number of the phase.
const ANSWERS: u32 = 32;

/// How long a worker without work sleeps before it looks at the alarm.
const NAP: Duration = Duration::from_millis(20);

/// Bytes on the way to a worker: who wrote them, in four bytes, and what.
#[derive(Clone, Debug, Default)]
struct Packet(Vec<u8>);

impl Serialize for Packet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'d> Deserialize<'d> for Packet {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Packet, D::Error> {
        deserializer.deserialize_byte_buf(PacketVisitor)
    }
}

struct PacketVisitor;

impl Visitor<'_> for PacketVisitor {
    type Value = Packet;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("bytes")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Packet, E> {
        Ok(Packet(bytes.to_vec()))
    }

    fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<Packet, E> {
        Ok(Packet(bytes))
    }
}

/// What the operator and the worker share.
#[derive(Default)]
struct Boxes {
    inbox: VecDeque<(Capability<u64>, Packet)>,
    outbox: Vec<(Capability<u64>, u64, Packet)>,
    /// What allows the worker to begin a phase.
    root: Option<Capability<u64>>,
    /// Nothing earlier than this can arrive; none if nothing can.
    frontier: Option<u64>,
}

/// What a worker writes in one turn, by who is to read it.
#[derive(Debug)]
pub(crate) struct Out {
    letters: Vec<Vec<u8>>,
    /// Letters that were read, to be written on again.
    spare: Vec<Vec<u8>>,
    own: usize,
}

impl Out {
    /// The letter to a worker, to be continued.
    #[inline]
    pub fn to(&mut self, worker: usize) -> &mut Vec<u8> {
        let letter = &mut self.letters[worker];
        if letter.is_empty() {
            if let Some(spare) = self.spare.pop() {
                *letter = spare;
            }
            letter.extend((self.own as u32).to_le_bytes());
        }
        letter
    }

    /// A letter was read: there is room in it.
    fn reuse(&mut self, mut letter: Vec<u8>) {
        if self.spare.len() < 2 * self.letters.len() {
            letter.clear();
            self.spare.push(letter);
        }
    }

    /// Whether nothing was written to a worker yet.
    #[inline]
    pub fn is_fresh(&self, worker: usize) -> bool {
        self.letters[worker].is_empty()
    }

    /// Writes the same to all others.
    pub fn for_others(&mut self, write: impl Fn(&mut Vec<u8>)) {
        for worker in 0..self.letters.len() {
            if worker != self.own {
                write(self.to(worker));
            }
        }
    }

    /// How many workers there are.
    pub fn peers(&self) -> usize {
        self.letters.len()
    }

    /// The worker that writes.
    pub fn own(&self) -> usize {
        self.own
    }
}

/// One worker's part in a phase.
pub(crate) trait Part {
    /// Does some of what it begins with; whether there is more of it.
    fn more(&mut self, out: &mut Out) -> bool {
        let _ = out;
        false
    }

    /// Reads what a worker wrote.
    fn take(&mut self, from: usize, letter: &[u8], out: &mut Out);

    /// Whether letters have left work for `more`.
    fn is_busy(&self) -> bool {
        false
    }
}

/// The alarm rings: nothing can be said any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken;

/// A worker's place in the cluster.
pub(crate) struct Post {
    worker: Worker,
    boxes: Rc<RefCell<Boxes>>,
    activator: Activator,
    out: Out,
    phase: u64,
    pub alarm: Alarm,
    /// Of the phases so far, letters to other workers and their bytes.
    pub letters: u64,
    pub bytes: u64,
    /// How often letters were answered by others in the last phase, at most.
    pub depth: u64,
}

impl Post {
    /// The place of a worker.
    pub fn new(mut worker: Worker, alarm: Alarm) -> Post {
        let boxes = Rc::new(RefCell::new(Boxes::default()));
        let shared = boxes.clone();
        let address = worker.dataflow::<u64, _, _>(move |scope| {
            let (handle, cycle) = scope.feedback::<Vec<(u64, Packet)>>(1);
            let pact = Exchange::new(|letter: &(u64, Packet)| letter.0);
            let mut address = None;
            let told = &mut address;
            let stream = cycle
                .unary_frontier::<CapacityContainerBuilder<Vec<(u64, Packet)>>, _, _, _>(
                    pact,
                    "post",
                    move |root, info| {
                        *told = Some(info.address);
                        shared.borrow_mut().root = Some(root);
                        shared.borrow_mut().frontier = Some(0);
                        move |(input, frontier), output| {
                            let mut boxes = shared.borrow_mut();
                            input.for_each(|capability, letters| {
                                let capability = capability.retain(output.output_index());
                                for (_, packet) in letters.drain(..) {
                                    boxes.inbox.push_back((capability.clone(), packet));
                                }
                            });
                            for (capability, to, packet) in boxes.outbox.drain(..) {
                                output.session(&capability).give((to, packet));
                            }
                            boxes.frontier = frontier.frontier().first().copied();
                        }
                    },
                );
            stream.connect_loop(handle);
            address
        });
        let activator = worker.activator_for(address.unwrap_or_else(|| Rc::from(Vec::new())));
        let (own, peers) = (worker.index(), worker.peers());
        Post {
            worker,
            boxes,
            activator,
            out: Out {
                letters: vec![Vec::new(); peers],
                spare: Vec::new(),
                own,
            },
            phase: 0,
            alarm,
            letters: 0,
            bytes: 0,
            depth: 0,
        }
    }

    /// The number of this worker.
    pub fn index(&self) -> usize {
        self.out.own
    }

    /// How many workers there are.
    pub fn peers(&self) -> usize {
        self.out.letters.len()
    }

    /// Takes part in a phase, until no worker has anything to say in it.
    pub fn run(&mut self, part: &mut dyn Part) -> Result<(), Broken> {
        let begin = self.phase << ANSWERS;
        self.phase += 1;
        let end = self.phase << ANSWERS;
        self.depth = 0;
        let mut more = true;
        // What allows to write: as long as there is more to do it is kept.
        let mut held = self.boxes.borrow().root.clone();
        loop {
            if self.alarm.is_raised() {
                return Err(Broken);
            }
            if more {
                more = part.more(&mut self.out);
                self.keep_own(part);
            }
            // Others may be in the next phase already.
            let arrived = std::mem::take(&mut self.boxes.borrow_mut().inbox);
            let is_now = |(capability, _): &(Capability<u64>, Packet)| *capability.time() < end;
            let (arrived, later): (VecDeque<_>, VecDeque<_>) =
                arrived.into_iter().partition(is_now);
            self.boxes.borrow_mut().inbox = later;
            for (capability, packet) in arrived {
                self.depth = self.depth.max(capability.time().saturating_sub(begin));
                let (from, letter) = packet.0.split_at(4);
                let from = u32::from_le_bytes([from[0], from[1], from[2], from[3]]);
                part.take(from as usize, letter, &mut self.out);
                self.out.reuse(packet.0);
                self.keep_own(part);
                held.get_or_insert(capability);
                more |= part.is_busy();
            }
            let is_idle = held.is_none();
            self.ship(held.as_ref());
            if !more {
                held = None;
            }
            let mut is_changed = !is_idle;
            if !more
                && let Some(root) = &mut self.boxes.borrow_mut().root
                && *root.time() < end
            {
                root.downgrade(&end);
                is_changed = true;
            }
            // Who changes nothing sleeps until somebody else does.
            if is_changed {
                self.activator.activate();
            }
            match is_idle {
                true => self.worker.step_or_park(Some(NAP)),
                false => self.worker.step(),
            };
            let boxes = self.boxes.borrow();
            let is_over = boxes.frontier.is_none_or(|frontier| frontier >= end);
            let is_later = |(capability, _): &(Capability<u64>, Packet)| *capability.time() >= end;
            if !more && is_over && boxes.inbox.iter().all(is_later) {
                return Ok(());
            }
        }
    }

    /// What a worker wrote to itself is read at once.
    fn keep_own(&mut self, part: &mut dyn Part) {
        let own = self.out.own;
        while !self.out.letters[own].is_empty() {
            let letter = std::mem::take(&mut self.out.letters[own]);
            part.take(own, &letter[4..], &mut self.out);
            self.out.reuse(letter);
        }
    }

    /// Sends what was written.
    fn ship(&mut self, capability: Option<&Capability<u64>>) {
        let Some(capability) = capability else {
            return;
        };
        let mut boxes = self.boxes.borrow_mut();
        for (to, letter) in self.out.letters.iter_mut().enumerate() {
            if !letter.is_empty() {
                self.letters += 1;
                self.bytes += letter.len() as u64;
                let packet = Packet(std::mem::take(letter));
                boxes.outbox.push((capability.clone(), to as u64, packet));
            }
        }
    }

    /// What each worker says, known to all, by their numbers.
    pub fn agree(&mut self, own: &[u8]) -> Result<Vec<Vec<u8>>, Broken> {
        let mut round = Round {
            own,
            all: vec![Vec::new(); self.peers()],
        };
        self.run(&mut round)?;
        Ok(round.all)
    }

    /// The same for a list of numbers; what comes back are their sums.
    pub fn sum(&mut self, own: &[u64]) -> Result<Vec<u64>, Broken> {
        let bytes: Vec<u8> = own.iter().flat_map(|number| number.to_le_bytes()).collect();
        let all = self.agree(&bytes)?;
        let mut sums = vec![0u64; own.len()];
        for said in &all {
            for (sum, number) in sums.iter_mut().zip(said.as_chunks::<8>().0) {
                *sum = sum.saturating_add(u64::from_le_bytes(*number));
            }
        }
        Ok(sums)
    }
}

/// Each worker says something to all.
struct Round<'r> {
    own: &'r [u8],
    all: Vec<Vec<u8>>,
}

impl Part for Round<'_> {
    fn more(&mut self, out: &mut Out) -> bool {
        for to in 0..out.peers() {
            out.to(to).extend_from_slice(self.own);
        }
        false
    }

    fn take(&mut self, from: usize, letter: &[u8], _: &mut Out) {
        self.all[from] = letter.to_vec();
    }
}
