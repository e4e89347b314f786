//! Bits into bytes and back, in less room the better they can be foreseen.
//!
//! Both sides keep for each place where a bit can stand how likely it is to be set, and learn from each
//! bit. A sequence of bits is an interval of numbers: each bit cuts the interval in two, in the ratio
//! of the two chances, and keeps one part. Whenever both ends agree in their first byte, that byte is
//! known and written, and the rest is made wider (Witten, Neal and Cleary 1987, with the ends as 32
//! bits that never carry). The reader has the bytes and sees in which part they lie.

use std::io::{self, Read, Write};

/// How likely a bit is to be set, in 4096ths.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chance(u16);

impl Chance {
    /// Nothing is known.
    pub(super) const EVEN: Chance = Chance(2048);

    fn learn(&mut self, bit: bool) {
        match bit {
            true => self.0 += (4096 - self.0) >> 5,
            false => self.0 -= self.0 >> 5,
        }
    }
}

/// The interval.
struct Interval {
    low: u32,
    high: u32,
}

impl Interval {
    const WHOLE: Interval = Interval {
        low: 0,
        high: u32::MAX,
    };

    /// The last number of the part for a bit that is set. Neither part is ever empty: the ends differ
    /// in their first byte, and no chance is nothing or all.
    fn middle(&self, chance: Chance) -> u32 {
        let width = u64::from(self.high - self.low);
        self.low + (width * u64::from(chance.0) / 4096) as u32
    }

    fn keep(&mut self, bit: bool, middle: u32) {
        match bit {
            true => self.high = middle,
            false => self.low = middle + 1,
        }
    }

    /// Takes away the first byte if both ends agree in it.
    fn known_byte(&mut self) -> Option<u8> {
        if (self.low ^ self.high) >> 24 != 0 {
            return None;
        }
        let byte = (self.high >> 24) as u8;
        self.low <<= 8;
        self.high = (self.high << 8) | 0xff;
        Some(byte)
    }
}

/// A place where bits are put, or taken from.
pub(super) trait Coder {
    /// Puts a bit, or takes one in its place.
    fn bit(&mut self, chance: &mut Chance, bit: bool) -> io::Result<bool>;

    /// The bits of a number below `2^bits`, the highest first; each has a place of its own that depends
    /// on those before it.
    fn symbol(&mut self, chances: &mut [Chance], bits: u32, symbol: u32) -> io::Result<u32> {
        let mut place = 1;
        for bit in (0..bits).rev() {
            let bit = self.bit(&mut chances[place as usize], symbol >> bit & 1 == 1)?;
            place = (place << 1) | u32::from(bit);
        }
        Ok(place ^ (1 << bits))
    }

    /// A number of any size: how many bits it has is foreseen, the bits are not. One more than the
    /// number has at most 33 bits.
    fn number(&mut self, chances: &mut [Chance; 64], number: u32) -> io::Result<u32> {
        let number = u64::from(number) + 1;
        let bits = self.symbol(chances, 6, 63 - number.leading_zeros())?;
        let mut read = 1u64;
        for bit in (0..bits).rev() {
            let bit = self.bit(&mut { Chance::EVEN }, number >> bit & 1 == 1)?;
            read = read << 1 | u64::from(bit);
        }
        let wrong = || io::Error::from(io::ErrorKind::InvalidData);
        u32::try_from(read.wrapping_sub(1)).map_err(|_| wrong())
    }
}

/// Writes.
pub(super) struct Encoder<W> {
    out: W,
    interval: Interval,
}

impl<W: Write> Encoder<W> {
    pub(super) fn new(out: W) -> Encoder<W> {
        let interval = Interval::WHOLE;
        Encoder { out, interval }
    }

    /// Writes what is left: a number inside the interval.
    pub(super) fn finish(mut self) -> io::Result<W> {
        self.out.write_all(&self.interval.low.to_be_bytes())?;
        Ok(self.out)
    }
}

impl<W: Write> Coder for Encoder<W> {
    fn bit(&mut self, chance: &mut Chance, bit: bool) -> io::Result<bool> {
        let middle = self.interval.middle(*chance);
        self.interval.keep(bit, middle);
        chance.learn(bit);
        while let Some(byte) = self.interval.known_byte() {
            self.out.write_all(&[byte])?;
        }
        Ok(bit)
    }
}

/// Reads.
pub(super) struct Decoder<R> {
    input: R,
    interval: Interval,
    /// Four bytes of the file; they lie in the interval.
    number: u32,
}

impl<R: Read> Decoder<R> {
    pub(super) fn new(mut input: R) -> io::Result<Decoder<R>> {
        let mut bytes = [0; 4];
        input.read_exact(&mut bytes)?;
        Ok(Decoder {
            input,
            interval: Interval::WHOLE,
            number: u32::from_be_bytes(bytes),
        })
    }

    /// What was not read.
    pub(super) fn into_inner(self) -> R {
        self.input
    }
}

impl<R: Read> Coder for Decoder<R> {
    fn bit(&mut self, chance: &mut Chance, _: bool) -> io::Result<bool> {
        let middle = self.interval.middle(*chance);
        let bit = self.number <= middle;
        self.interval.keep(bit, middle);
        chance.learn(bit);
        while self.interval.known_byte().is_some() {
            let mut byte = [0];
            self.input.read_exact(&mut byte)?;
            self.number = self.number << 8 | u32::from(byte[0]);
        }
        Ok(bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_source::SplitMix64;

    #[test]
    fn what_is_written_is_read() {
        let mut random = SplitMix64::new(7);
        for round in 0..50 {
            let often = random.below(4097);
            let numbers: Vec<u32> = (0..500)
                .map(|_| match random.below(4) {
                    0 => random.number() as u32,
                    1 => u32::MAX - random.below(3) as u32,
                    _ => random.below(20) as u32,
                })
                .collect();
            let bits: Vec<bool> = (0..500).map(|_| random.below(4096) < often).collect();
            let mut encoder = Encoder::new(Vec::new());
            let run = |coder: &mut dyn Coder, known: bool| {
                let (mut chance, mut chances) = (Chance::EVEN, [Chance::EVEN; 64]);
                for (&number, &bit) in numbers.iter().zip(&bits) {
                    let (n, b) = if known { (number, bit) } else { (0, false) };
                    let found = coder.number(&mut chances, n).expect("a number");
                    assert_eq!(found, number, "round {round}");
                    assert_eq!(coder.bit(&mut chance, b).expect("a bit"), bit);
                }
            };
            run(&mut encoder, true);
            let bytes = encoder.finish().expect("memory");
            let mut decoder = Decoder::new(&bytes[..]).expect("bytes");
            run(&mut decoder, false);
            assert!(decoder.into_inner().is_empty(), "bytes are left");
        }
    }

    #[test]
    fn what_is_always_the_same_takes_no_room() {
        let mut encoder = Encoder::new(Vec::new());
        let mut chance = Chance::EVEN;
        for _ in 0..100_000 {
            encoder.bit(&mut chance, true).expect("memory");
        }
        let bytes = encoder.finish().expect("memory");
        assert!(bytes.len() < 200, "{}", bytes.len());
    }
}
