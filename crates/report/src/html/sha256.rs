//! SHA-256, for the Content-Security-Policy of the page.
//!
//! A page that forbids every script but its own names that script by its hash (CSP level 3, "hash
//! sources"): a digest of the text in base64. The text is fixed when the tool is built and the page is
//! written once, so a plain implementation of FIPS 180-4 serves, and no dependency is needed: pad
//! the message to blocks of 64 bytes, mix each block into eight words by 64 rounds. The round
//! constants are the first 32 bits of the fractional parts of the cube roots of the first 64 primes, the
//! initial words those of the square roots of the first eight; they are computed here, in integers.
//! Not made for secrets or speed.

/// The hash of a text as a source expression of a Content-Security-Policy: `sha256-…`.
pub(super) fn csp_source(text: &str) -> String {
    format!("sha256-{}", base64(&sha256(text.as_bytes())))
}

/// The first primes.
fn primes() -> impl Iterator<Item = u128> {
    (2u128..).filter(|&n| (2..n).take_while(|d| d * d <= n).all(|d| n % d != 0))
}

/// The first 32 bits of the fractional part of the root of a small number: the largest integer whose
/// power does not exceed `n · 2^(32 · power)`, without the whole part.
fn root_fraction(n: u128, power: u32) -> u32 {
    let bound = n << (32 * power);
    let (mut low, mut high) = (0u128, 1 << 37);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if middle.pow(power) <= bound {
            low = middle;
        } else {
            high = middle;
        }
    }
    low as u32
}

fn sha256(message: &[u8]) -> [u8; 32] {
    let constants: Vec<u32> = primes().take(64).map(|p| root_fraction(p, 3)).collect();
    let mut hash: Vec<u32> = primes().take(8).map(|p| root_fraction(p, 2)).collect();
    let mut padded = message.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend((message.len() as u64 * 8).to_be_bytes());
    for block in padded.chunks_exact(64) {
        let mut words = [0u32; 64];
        for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = bytes.iter().fold(0, |w, &b| w << 8 | u32::from(b));
        }
        for i in 16..64 {
            let (a, b) = (words[i - 15], words[i - 2]);
            let small0 = a.rotate_right(7) ^ a.rotate_right(18) ^ a >> 3;
            let small1 = b.rotate_right(17) ^ b.rotate_right(19) ^ b >> 10;
            words[i] = words[i - 16]
                .wrapping_add(small0)
                .wrapping_add(words[i - 7])
                .wrapping_add(small1);
        }
        let mut v = hash.clone();
        for (&word, &constant) in words.iter().zip(&constants) {
            let (a, e) = (v[0], v[4]);
            let big1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let choice = (e & v[5]) ^ (!e & v[6]);
            let first = v[7]
                .wrapping_add(big1)
                .wrapping_add(choice)
                .wrapping_add(constant)
                .wrapping_add(word);
            let big0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let majority = (a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]);
            v.rotate_right(1);
            v[4] = v[4].wrapping_add(first);
            v[0] = first.wrapping_add(big0).wrapping_add(majority);
        }
        for (word, more) in hash.iter_mut().zip(&v) {
            *word = word.wrapping_add(*more);
        }
    }
    let mut digest = [0; 32];
    for (bytes, word) in digest.chunks_exact_mut(4).zip(&hash) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            text.push(match i <= chunk.len() {
                true => SIGNS[(bits >> (18 - 6 * i) & 63) as usize] as char,
                false => '=',
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(text: &str) -> String {
        let digest = sha256(text.as_bytes());
        digest.iter().map(|b| format!("{b:02x}")).collect()
    }

    /// The examples of FIPS 180-2, and a message whose padding needs a block of its own.
    #[test]
    fn known_digests() {
        assert_eq!(
            hex(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        assert_eq!(
            hex("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(
            hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        );
        assert_eq!(
            hex(&"a".repeat(1_000_000)),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        );
    }

    #[test]
    fn base64_pads() {
        let cases = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
        ];
        for (text, expected) in cases {
            assert_eq!(base64(text.as_bytes()), expected);
        }
    }
}
