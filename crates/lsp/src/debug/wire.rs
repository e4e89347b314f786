//! Messages of the protocol: a head with a length, an empty line, JSON.

use std::io::{BufRead, Error, ErrorKind, Read, Result, Write};

use serde_json::Value;

/// A message has at most so many bytes.
const MOST: u64 = 64 << 20;

/// The next message; none if there will be none any more.
pub(super) fn read(input: &mut impl BufRead) -> Result<Option<Value>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        // Whoever sends a line without an end is no editor.
        if input.by_ref().take(4096).read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
    let length = length.filter(|&length| length <= MOST);
    let wrong = |message: String| Error::new(ErrorKind::InvalidData, message);
    let length = length.ok_or_else(|| wrong("a message without a length".to_string()))?;
    let mut text = Vec::new();
    input.by_ref().take(length).read_to_end(&mut text)?;
    if text.len() as u64 != length {
        return Err(wrong("a message that ends too soon".to_string()));
    }
    let message = serde_json::from_slice(&text);
    message.map(Some).map_err(|error| wrong(error.to_string()))
}

pub(super) fn write(output: &mut impl Write, message: &Value) -> Result<()> {
    let text = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let messages = [json!({"seq": 1, "text": "→ ü"}), json!({"seq": 2})];
        let mut bytes = Vec::new();
        for message in &messages {
            write(&mut bytes, message).expect("written");
        }
        let mut input = bytes.as_slice();
        for message in &messages {
            assert_eq!(read(&mut input).expect("read").as_ref(), Some(message));
        }
        assert_eq!(read(&mut input).expect("the end"), None);
    }

    #[test]
    fn what_is_no_message_is_an_error() {
        for text in [
            "hello\r\n\r\n{}",
            "Content-Length: 99999999999\r\n\r\n{}",
            "Content-Length: 4\r\n\r\n{}",
        ] {
            assert!(read(&mut text.as_bytes()).is_err(), "{text}");
        }
    }
}
