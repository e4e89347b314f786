//! Files and their addresses.
//!
//! Editors name files by `file:` addresses, with whatever is no plain character written as `%20`. The name of a
//! model is the path, so that files it includes are found beside it. A text that is in no file has a name too:
//! what stands behind the scheme.

use std::path::Path;
use std::str::FromStr;

use lsp_types::Uri;

/// The name of the file behind an address.
pub(crate) fn name_of(uri: &Uri) -> String {
    let text = uri.as_str();
    let rest = text.split_once(':').map_or(text, |(_, rest)| rest);
    // `file://host/path`: the host is this machine.
    let path = match rest.strip_prefix("//") {
        Some(rest) => rest.find('/').map_or("", |at| &rest[at..]),
        None => rest,
    };
    let path = decoded(path);
    // `/c:/models` is a path on Windows.
    match path.as_bytes() {
        [b'/', drive, b':', ..] if drive.is_ascii_alphabetic() => path[1..].to_string(),
        _ => path,
    }
}

/// The address of a file.
pub(crate) fn address_of(path: &Path) -> Option<Uri> {
    let path = match path.is_absolute() {
        true => path.to_path_buf(),
        false => std::env::current_dir().ok()?.join(path),
    };
    let mut text = String::from("file://");
    let name = path.to_str()?.replace('\\', "/");
    if !name.starts_with('/') {
        text.push('/');
    }
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                text.push(char::from(byte));
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    Uri::from_str(&text).ok()
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        let code = tail.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match code.and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => bytes.push(*first),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_addresses_are_inverse() {
        for name in ["/tmp/a.pml", "/tmp/with blank/ä#?%.pml", "/"] {
            let uri = address_of(Path::new(name)).expect(name);
            assert_eq!(name_of(&uri), name, "{}", uri.as_str());
        }
    }

    #[test]
    fn other_addresses_have_names_too() {
        let name = |text: &str| name_of(&Uri::from_str(text).expect(text));
        assert_eq!(name("untitled:Untitled-1"), "Untitled-1");
        assert_eq!(name("file://localhost/tmp/m.smv"), "/tmp/m.smv");
        assert_eq!(name("file:///c%3A/m.smv"), "c:/m.smv");
        assert_eq!(name("file:///50%25"), "/50%");
    }
}
