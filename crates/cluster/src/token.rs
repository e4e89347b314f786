//! Who may take part: whoever knows the token.
//!
//! Both ends of a connection prove that they know it before anything else is read: each sends a random number, and
//! answers that of the other with HMAC-SHA256 (RFC 2104) of both numbers under the token. The token itself never
//! travels, and what was heard once is worth nothing later. What follows is not encrypted.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::Read;

use sha2::{Digest, Sha256};

/// The length of random numbers and answers.
pub(crate) const LENGTH: usize = 32;

/// A random number, or an answer to one.
pub(crate) type Words = [u8; LENGTH];

/// A secret that all processes of a cluster share.
#[derive(Clone)]
pub struct Token(Vec<u8>);

impl Token {
    /// The token of that text.
    pub fn new(text: &str) -> Token {
        Token(text.trim().as_bytes().to_vec())
    }

    /// A token that nobody can guess, as a text.
    pub fn random() -> String {
        hex(&random())
    }

    /// The answer to some numbers.
    pub(crate) fn answer(&self, parts: &[&[u8]]) -> Words {
        const BLOCK: usize = 64;
        let mut key = [0; BLOCK];
        match self.0.len() > BLOCK {
            true => key[..LENGTH].copy_from_slice(&Sha256::digest(&self.0)),
            false => key[..self.0.len()].copy_from_slice(&self.0),
        }
        let mut inner = Sha256::new();
        inner.update(key.map(|byte| byte ^ 0x36));
        parts.iter().for_each(|part| inner.update(part));
        let mut outer = Sha256::new();
        outer.update(key.map(|byte| byte ^ 0x5c));
        outer.update(inner.finalize());
        outer.finalize().into()
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token")
    }
}

/// Whether two answers are the same, in a time that does not depend on where they differ.
pub(crate) fn same(a: &Words, b: &Words) -> bool {
    let pairs = a.iter().zip(b);
    pairs.fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

/// Some texts in a word: others give another one.
pub fn digest<'t>(texts: impl IntoIterator<Item = &'t [u8]>) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    hex(&hash.finalize().into())
}

/// What somebody reads, in a word: other contents give another one.
///
/// # Errors
/// If it cannot be read.
pub fn digest_of(mut source: impl Read) -> std::io::Result<String> {
    let mut hash = Sha256::new();
    let mut bytes = vec![0; 1 << 16];
    loop {
        match source.read(&mut bytes)? {
            0 => break,
            read => hash.update(&bytes[..read]),
        }
    }
    Ok(hex(&hash.finalize().into()))
}

/// A word of some bytes.
pub(crate) fn hex(words: &Words) -> String {
    words.map(|byte| format!("{byte:02x}")).concat()
}

/// A random number: of the system, and where it has none, of the keys that hash tables get from it.
pub(crate) fn random() -> Words {
    let mut words = [0; LENGTH];
    let read = std::fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut words));
    if read.is_err() {
        for part in words.chunks_exact_mut(8) {
            let hash = RandomState::new().build_hasher().finish();
            part.copy_from_slice(&hash.to_le_bytes());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second test case of RFC 4231.
    #[test]
    fn answers_are_those_of_the_standard() {
        let answer = Token::new("Jefe").answer(&[b"what do ya want ", b"for nothing?"]);
        let hex: String = answer.iter().map(|byte| format!("{byte:02x}")).collect();
        let expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(hex, expected);
    }

    #[test]
    fn tokens_differ() {
        assert_ne!(Token::random(), Token::random());
        assert!(!same(&random(), &random()));
    }
}
