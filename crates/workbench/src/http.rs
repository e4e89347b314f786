//! Requests and answers of HTTP/1.1, as much of it as one page needs.
//!
//! `httparse` reads the head; everything around it is bounded here: the bytes of the head and of the body, the number of
//! headers, and the time until all of it has arrived. A body has a `Content-Length` or there is none;
//! transfer codings and a second length are refused, so that there is one way to read a request. Each
//! connection carries one request: nothing is left over that could be taken for another.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A head may have so many bytes.
const MOST_HEAD: usize = 16 << 10;

/// A head may have so many lines.
const MOST_HEADERS: usize = 64;

/// A body may have so many bytes: a model and some words about it.
pub(crate) const MOST_BODY: usize = 16 << 20;

/// All of a request arrives in this time.
const PATIENCE: Duration = Duration::from_secs(10);

/// A request.
#[derive(Debug, Default)]
pub(crate) struct Request {
    /// `GET`, `POST`, ….
    pub method: String,
    /// What is asked for, without the part behind `?`.
    pub path: String,
    headers: Vec<(String, String)>,
    /// What comes with it.
    pub body: Vec<u8>,
}

impl Request {
    /// The value of a header; none if there is none, or there are several.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known == name);
        match (found.next(), found.next()) {
            (Some((_, value)), None) => Some(value),
            _ => None,
        }
    }

    /// Whether there is such a header at all.
    pub fn has_header(&self, name: &str) -> bool {
        self.headers.iter().any(|(known, _)| known == name)
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Response {
    pub status: u16,
    pub kind: &'static str,
    pub body: Vec<u8>,
}

impl Response {
    /// A refusal in a few words.
    pub fn refusal(status: u16, words: &str) -> Response {
        Response {
            status,
            kind: "text/plain; charset=utf-8",
            body: words.as_bytes().to_vec(),
        }
    }
}

/// Reads a request.
///
/// # Errors
/// The answer to one that is too large, too slow, or none.
pub(crate) fn read(stream: &mut TcpStream) -> Result<Request, Response> {
    let end = Instant::now() + PATIENCE;
    let mut bytes = Vec::new();
    let (mut request, length, start) = loop {
        if let Some(found) = head(&bytes)? {
            break found;
        }
        if bytes.len() >= MOST_HEAD {
            return Err(Response::refusal(431, "the head is too large"));
        }
        let room = MOST_HEAD - bytes.len();
        more(stream, &mut bytes, room, end)?;
    };
    if length > MOST_BODY {
        return Err(Response::refusal(413, "the body is too large"));
    }
    let mut body = bytes.split_off(start);
    while body.len() < length {
        let room = length - body.len();
        more(stream, &mut body, room, end)?;
    }
    body.truncate(length);
    request.body = body;
    Ok(request)
}

/// Reads some more bytes, at most so many.
fn more(
    stream: &mut TcpStream,
    bytes: &mut Vec<u8>,
    most: usize,
    end: Instant,
) -> Result<(), Response> {
    let late = || Response::refusal(408, "the request did not arrive in time");
    let left = end.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(late());
    }
    let mut buffer = [0; 16 << 10];
    let most = most.min(buffer.len());
    // A timeout of zero is none; what is left is not zero.
    let waited = stream.set_read_timeout(Some(left));
    match waited.and_then(|()| stream.read(&mut buffer[..most])) {
        Ok(0) | Err(_) if Instant::now() >= end => Err(late()),
        Ok(0) | Err(_) => Err(Response::refusal(400, "the request is not complete")),
        Ok(count) => {
            bytes.extend_from_slice(&buffer[..count]);
            Ok(())
        }
    }
}

/// The head, if it is complete: a request, the length of its body, and where that begins.
fn head(bytes: &[u8]) -> Result<Option<(Request, usize, usize)>, Response> {
    let wrong = || Response::refusal(400, "this is no request");
    let mut lines = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut lines);
    let start = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(start)) => start,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(_) => return Err(wrong()),
    };
    let target = parsed.path.unwrap_or_default();
    let mut request = Request {
        method: parsed.method.unwrap_or_default().to_string(),
        path: target.split('?').next().unwrap_or_default().to_string(),
        ..Request::default()
    };
    for line in parsed.headers.iter() {
        let value = std::str::from_utf8(line.value).map_err(|_| wrong())?;
        let name = line.name.to_ascii_lowercase();
        request.headers.push((name, value.trim().to_string()));
    }
    if request.has_header("transfer-encoding") {
        return Err(Response::refusal(501, "bodies have a length here"));
    }
    let length = match request.has_header("content-length") {
        false => 0,
        true => {
            let digits = request.header("content-length").ok_or_else(wrong)?;
            let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            match digits.parse::<usize>() {
                Ok(length) if is_number => length,
                _ if is_number => usize::MAX,
                _ => return Err(wrong()),
            }
        }
    };
    Ok(Some((request, length, start)))
}

/// What the page may do: load its own files, call its own server, and nothing else. No text becomes
/// script, whoever tries.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
     img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
     require-trusted-types-for 'script'; trusted-types 'none'";

/// Writes an answer; whoever asked may be gone.
pub(crate) fn write(stream: &mut TcpStream, response: &Response) {
    let words = match response.status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        410 => "Gone",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        421 => "Misdirected Request",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    };
    let head = format!(
        "HTTP/1.1 {} {words}\r\n\
         Content-Type: {}\r\n\
         Content-Length: {}\r\n\
         Content-Security-Policy: {POLICY}\r\n\
         X-Content-Type-Options: nosniff\r\n\
         X-Frame-Options: DENY\r\n\
         Referrer-Policy: no-referrer\r\n\
         Cross-Origin-Opener-Policy: same-origin\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\n\
         Cache-Control: no-store\r\n\
         Connection: close\r\n\r\n",
        response.status,
        response.kind,
        response.body.len(),
    );
    let _ = stream.set_write_timeout(Some(PATIENCE));
    let written = stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(&response.body))
        .and_then(|()| stream.flush());
    if written.is_ok() {
        // A body that nobody reads must not turn the answer into a reset.
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
        let mut rest = [0; 16 << 10];
        let end = Instant::now() + Duration::from_secs(2);
        while Instant::now() < end && matches!(stream.read(&mut rest), Ok(1..)) {}
    }
}
