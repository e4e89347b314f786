//! Channels in packed states: sending, receiving, matching.
//!
//! A buffered channel is a counter and slots; the oldest message is slot 0 and unused slots are
//! zero, so that equal contents are equal bytes.

use super::code::{CompiledPattern, CompiledReceive};
use super::expr::Scalar;
use super::machine::{Env, Failure, Frame, Memory};
use super::{ChannelType, CompiledSend};
use crate::fault::{Fault, FaultKind};

/// A channel in a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChannelRef<'p> {
    pub kind: &'p ChannelType,
    /// Where its segment begins.
    pub offset: usize,
}

impl ChannelRef<'_> {
    pub fn len(self, state: &[u8]) -> u8 {
        if self.kind.capacity == 0 {
            0
        } else {
            state[self.offset]
        }
    }

    fn slot(self, index: usize) -> usize {
        self.offset + 1 + index * self.kind.message_len() as usize
    }

    /// A field of a stored message.
    pub fn field(self, state: &[u8], slot: usize, field: usize) -> i32 {
        let before: usize = self.kind.fields[..field]
            .iter()
            .map(|f| usize::from(f.bytes))
            .sum();
        read_scalar(&state[self.slot(slot) + before..], self.kind.fields[field])
    }

    /// Stores a message in front of slot `index`, moving the later ones.
    fn insert(self, state: &mut [u8], index: usize, values: &[i32]) {
        let (from, len) = (self.slot(index), self.slot(self.len(state).into()));
        let size = self.kind.message_len() as usize;
        state.copy_within(from..len, from + size);
        let mut at = from;
        for (&scalar, &value) in self.kind.fields.iter().zip(values) {
            write_scalar(&mut state[at..], scalar, value);
            at += usize::from(scalar.bytes);
        }
        state[self.offset] += 1;
    }

    /// Removes the message in slot `index`.
    fn remove(self, state: &mut [u8], index: usize) {
        let size = self.kind.message_len() as usize;
        let (from, end) = (self.slot(index), self.slot(self.len(state).into()));
        state.copy_within(from + size..end, from);
        state[end - size..end].fill(0);
        state[self.offset] -= 1;
    }
}

pub(crate) fn read_scalar(bytes: &[u8], scalar: Scalar) -> i32 {
    match (scalar.bytes, scalar.signed) {
        (1, false) => bytes[0].into(),
        (1, true) => (bytes[0] as i8).into(),
        (2, false) => u16::from_le_bytes([bytes[0], bytes[1]]).into(),
        (2, true) => i16::from_le_bytes([bytes[0], bytes[1]]).into(),
        _ => i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
    }
}

fn write_scalar(bytes: &mut [u8], scalar: Scalar, value: i32) {
    let raw = scalar.truncate(value).to_le_bytes();
    let count = usize::from(scalar.bytes);
    bytes[..count].copy_from_slice(&raw[..count]);
}

/// Capacity and number of messages of a channel.
pub(crate) fn occupancy(env: &mut Env<'_>, state: &[u8], id: i32) -> Result<(u8, u8), FaultKind> {
    let channel = resolve(env, state, id)?;
    Ok((channel.kind.capacity, channel.len(state)))
}

/// The channel of that number.
pub(crate) fn resolve<'p>(
    env: &mut Env<'p>,
    state: &[u8],
    id: i32,
) -> Result<ChannelRef<'p>, FaultKind> {
    if id == 0 {
        return Err(FaultKind::NoChannel);
    }
    let program = env.program;
    let entry = usize::try_from(id - 1)
        .ok()
        .and_then(|i| env.shapes.of(state).channels.get(i));
    let entry = entry.ok_or(FaultKind::BadChannel(id))?;
    let kind = &program.spec.channel_types[entry.kind as usize];
    Ok(ChannelRef {
        kind,
        offset: entry.offset as usize,
    })
}

impl<'p> Env<'p> {
    /// The channel that an expression names.
    pub fn channel(
        &mut self,
        code: super::CodeId,
        state: &[u8],
        frame: Frame,
        span: evenhand_source::Span,
    ) -> Result<(i32, ChannelRef<'p>), Failure> {
        let id = self.value(code, state, frame)?;
        let found = resolve(self, state, id).map_err(|kind| Box::new(Fault { kind, span }))?;
        Ok((id, found))
    }

    /// Evaluates the fields of a message into `message`, not yet cut to the fields' types.
    pub fn message(
        &mut self,
        send: &CompiledSend,
        channel: ChannelRef<'_>,
        state: &[u8],
        frame: Frame,
        message: &mut Vec<i32>,
    ) -> Result<(), Failure> {
        message.clear();
        for &value in &send.values {
            message.push(self.value(value, state, frame)?);
        }
        let (expected, given) = (channel.kind.fields.len() as u8, message.len() as u8);
        if expected != given {
            let kind = FaultKind::MessageSize { expected, given };
            return Err(Box::new(Fault {
                kind,
                span: send.span,
            }));
        }
        Ok(())
    }

    /// Which message of a buffered channel a receive takes; none if it is not executable.
    pub fn matching_slot(
        &mut self,
        receive: &CompiledReceive,
        channel: ChannelRef<'_>,
        state: &[u8],
        frame: Frame,
    ) -> Result<Option<usize>, Failure> {
        let len = usize::from(channel.len(state));
        if len == 0 {
            return Ok(None);
        }
        let fields = channel.kind.fields.len();
        let candidates = if receive.anywhere { len } else { 1 };
        'slots: for slot in 0..candidates {
            for (field, pattern) in receive.patterns.iter().enumerate().take(fields) {
                if let CompiledPattern::Equal(code) = *pattern
                    && self.value(code, state, frame)? != channel.field(state, slot, field)
                {
                    continue 'slots;
                }
            }
            check_size(receive, channel)?;
            return Ok(Some(slot));
        }
        Ok(None)
    }

    /// Whether a handshake with these values fits a receive.
    pub fn accepts(
        &mut self,
        receive: &CompiledReceive,
        channel: ChannelRef<'_>,
        message: &[i32],
        state: &[u8],
        frame: Frame,
    ) -> Result<bool, Failure> {
        for (pattern, &value) in receive.patterns.iter().zip(message) {
            if let CompiledPattern::Equal(code) = *pattern
                && self.value(code, state, frame)? != value
            {
                return Ok(false);
            }
        }
        check_size(receive, channel)?;
        Ok(true)
    }

    /// Whether a receive could be done now.
    pub fn poll(
        &mut self,
        receive: &CompiledReceive,
        state: &[u8],
        frame: Frame,
    ) -> Result<bool, Failure> {
        let (_, channel) = self.channel(receive.channel, state, frame, receive.span)?;
        if channel.kind.capacity == 0 {
            let (kind, span) = (FaultKind::RendezvousPoll, receive.span);
            return Err(Box::new(Fault { kind, span }));
        }
        Ok(self
            .matching_slot(receive, channel, state, frame)?
            .is_some())
    }

    /// Takes a message out of a buffered channel.
    pub fn take(
        &mut self,
        receive: &CompiledReceive,
        channel: ChannelRef<'_>,
        slot: usize,
        state: &mut Vec<u8>,
        frame: Frame,
    ) -> Result<(), Failure> {
        for (field, pattern) in receive.patterns.iter().enumerate() {
            if let CompiledPattern::Bind(code) = *pattern {
                let value = channel.field(state, slot, field);
                self.execute(code, state, frame, value)?;
            }
        }
        if !receive.keep {
            channel.remove(state, slot);
        }
        Ok(())
    }

    /// Assigns the fields of a handshake.
    pub fn bind<M: Memory>(
        &mut self,
        receive: &CompiledReceive,
        message: &[i32],
        state: &mut M,
        frame: Frame,
    ) -> Result<(), Failure> {
        for (pattern, &value) in receive.patterns.iter().zip(message) {
            if let CompiledPattern::Bind(code) = *pattern {
                self.execute(code, state, frame, value)?;
            }
        }
        Ok(())
    }
}

/// Whether a receive that matches a message names as many fields as it has. Who leaves the message
/// where it is may look at the first few of them alone; the others would lose the rest.
fn check_size(receive: &CompiledReceive, channel: ChannelRef<'_>) -> Result<(), Failure> {
    let (expected, given) = (channel.kind.fields.len(), receive.patterns.len());
    if expected == given || receive.keep && given < expected {
        return Ok(());
    }
    let kind = FaultKind::MessageSize {
        expected: expected as u8,
        given: given as u8,
    };
    Err(Box::new(Fault {
        kind,
        span: receive.span,
    }))
}

/// Cuts the values of a message to the types of the fields.
pub(crate) fn truncate(channel: ChannelRef<'_>, message: &mut [i32]) {
    for (value, scalar) in message.iter_mut().zip(&channel.kind.fields) {
        *value = scalar.truncate(*value);
    }
}

/// Puts a message into a buffered channel that is not full. The place of a sorted message is found
/// by the values before they are cut to the fields' types, as SPIN's verifier does.
pub(crate) fn put(channel: ChannelRef<'_>, state: &mut [u8], message: &[i32], sorted: bool) {
    let len = usize::from(channel.len(state));
    let before = |state: &[u8], slot: usize| {
        let stored = (0..message.len()).map(|field| channel.field(state, slot, field));
        message.iter().copied().cmp(stored) == std::cmp::Ordering::Less
    };
    let slot = if sorted {
        (0..len).find(|&slot| before(state, slot)).unwrap_or(len)
    } else {
        len
    };
    channel.insert(state, slot, message);
}
