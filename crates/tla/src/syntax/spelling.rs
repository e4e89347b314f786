//! How tokens are spelled: what begins with a backslash, steps of proofs, numbers and strings.

use super::token::{Keyword, StepLevel, TokenKind, keyword, operator};

/// What begins with a backslash: the longest word that is known, or a number; none where it is the operator alone.
pub(super) fn backslash(rest: &str) -> Option<(TokenKind, usize)> {
    let bytes = rest.as_bytes();
    let digits = |base: u32| {
        let digit = |byte: &&u8| char::from(**byte).is_digit(base);
        bytes.iter().skip(2).take_while(digit).count()
    };
    let count = match bytes.get(1)? {
        b'b' | b'B' => digits(2),
        b'o' | b'O' => digits(8),
        b'h' | b'H' => digits(16),
        _ => 0,
    };
    if count > 0 {
        return Some((TokenKind::Number, count + 2));
    }
    let letters = bytes
        .iter()
        .skip(1)
        .take_while(|byte| byte.is_ascii_alphabetic())
        .count();
    for length in (2..=letters + 1).rev() {
        let word = &rest[..length];
        if let Some(keyword) = keyword(word) {
            return Some((TokenKind::Keyword(keyword), length));
        }
        if let Some(id) = operator(word) {
            return Some((TokenKind::Operator(id), length));
        }
    }
    None
}

/// The beginning of a step of a proof: `<1>`, `<*>a.`, `<+>`.
pub(super) fn step(bytes: &[u8]) -> Option<(StepLevel, usize)> {
    let digits = bytes[1..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let (level, mut length) = match (digits, bytes.get(1)?) {
        (0, b'*') => (StepLevel::Same, 2),
        (0, b'+') => (StepLevel::Below, 2),
        (0, _) => return None,
        _ => {
            let digits = bytes[1..=digits].iter();
            let level = digits.fold(0u32, |level, byte| {
                level
                    .saturating_mul(10)
                    .saturating_add(u32::from(byte - b'0'))
            });
            (
                StepLevel::Number(level),
                bytes[1..]
                    .iter()
                    .take_while(|byte| byte.is_ascii_digit())
                    .count()
                    + 1,
            )
        }
    };
    if bytes.get(length) != Some(&b'>') {
        return None;
    }
    length += 1;
    let part_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let name = bytes[length..].iter().take_while(part_of_name).count();
    length += name;
    if name == 0 && matches!(bytes.get(length), Some(b'*' | b'-')) {
        length += 1;
    }
    length += bytes[length..]
        .iter()
        .take_while(|&&byte| byte == b'.')
        .count();
    Some((level, length))
}

/// The value of a number: none if it is too large for TLC.
pub fn number(text: &str) -> Option<i32> {
    let (base, digits) = match text.as_bytes() {
        [b'\\', b'b' | b'B', ..] => (2, &text[2..]),
        [b'\\', b'o' | b'O', ..] => (8, &text[2..]),
        [b'\\', b'h' | b'H', ..] => (16, &text[2..]),
        _ => (10, text),
    };
    i32::from_str_radix(digits, base).ok()
}

/// The characters of a string that stands in a text with its quotes.
pub fn characters(text: &str) -> String {
    let inner = text.strip_prefix('"').unwrap_or(text);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut result = String::with_capacity(inner.len());
    let mut escaped = false;
    for c in inner.chars() {
        if escaped {
            result.push(match c {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'f' => '\u{c}',
                c => c,
            });
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else {
            result.push(c);
        }
    }
    result
}

/// Whether a token may name a field or a module although it is a reserved word.
pub fn may_name(kind: TokenKind, text: &str) -> bool {
    match kind {
        TokenKind::Identifier => true,
        TokenKind::Keyword(word) => {
            !matches!(
                word,
                Keyword::Exists
                    | Keyword::ForAll
                    | Keyword::ExistsTemporal
                    | Keyword::ForAllTemporal
            ) && text.bytes().all(|byte| byte.is_ascii_alphabetic())
        }
        TokenKind::Operator(id) => id
            .operator()
            .name
            .bytes()
            .all(|byte| byte.is_ascii_uppercase()),
        _ => false,
    }
}
