//! Who may ask.
//!
//! Any page that the person has open can send requests to this machine, and any user of it can connect. So
//!
//! - the address begins with a random token, which no other page and no other user knows;
//! - `Host` must be this address: a name of somebody else that was bound to 127.0.0.1 for a moment (DNS
//!   rebinding) is not;
//! - `Origin`, which browsers add to every request of another page and to every POST, must be this one, and a
//!   POST must have it;
//! - `Sec-Fetch-Site`, where a browser sends it, must say that the page itself asks, or a person who typed the address;
//! - a POST is JSON: what a form of another page can send is not.
//!
//! Each of these is enough against most; together they do not depend on one header of one browser.

use crate::http::{Request, Response};

/// What is known of the address of a server.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    port: u16,
    token: String,
}

/// Random bytes of a token.
const TOKEN: usize = 24;

impl Guard {
    /// A guard with a token of its own.
    ///
    /// # Errors
    /// If the machine has no random numbers.
    pub fn new(port: u16) -> std::io::Result<Guard> {
        let mut bytes = [0; TOKEN];
        let random = getrandom::fill(&mut bytes);
        random.map_err(|error| std::io::Error::other(error.to_string()))?;
        let token = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Guard { port, token })
    }

    /// The address that a person opens.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// What is asked for, behind the token.
    ///
    /// # Errors
    /// The answer to somebody who may not ask.
    pub fn admit<'r>(&self, request: &'r Request) -> Result<&'r str, Response> {
        let own = [
            format!("127.0.0.1:{}", self.port),
            format!("localhost:{}", self.port),
        ];
        let host = request.header("host").unwrap_or_default();
        if !own.iter().any(|known| known == host) {
            return Err(Response::refusal(421, "this is another host"));
        }
        let is_post = request.method == "POST";
        let origin = request.header("origin");
        let is_own = origin.is_some_and(|origin| origin == format!("http://{host}"));
        if !is_own && (is_post || request.has_header("origin")) {
            return Err(Response::refusal(403, "another origin may not ask"));
        }
        let site = request.header("sec-fetch-site");
        let is_near = site.is_some_and(|site| ["same-origin", "none"].contains(&site));
        if request.has_header("sec-fetch-site") && !is_near {
            return Err(Response::refusal(403, "another site may not ask"));
        }
        let path = request.path.strip_prefix('/').unwrap_or_default();
        let (token, rest) = path.split_once('/').unwrap_or((path, ""));
        if !same(token.as_bytes(), self.token.as_bytes()) {
            return Err(Response::refusal(404, "there is nothing here"));
        }
        if !path.contains('/') {
            // Without the slash the page would ask beside its address.
            return Err(Response::refusal(404, "the address ends with /"));
        }
        let kind = request.header("content-type").unwrap_or_default();
        if is_post && kind.split(';').next().map(str::trim) != Some("application/json") {
            return Err(Response::refusal(415, "calls are JSON"));
        }
        match is_post || request.method == "GET" {
            true => Ok(rest),
            false => Err(Response::refusal(405, "only GET and POST are known")),
        }
    }
}

/// Whether two texts are the same, in a time that does not tell how much of them is.
fn same(one: &[u8], other: &[u8]) -> bool {
    let differ = one.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b));
    one.len() == other.len() && differ == 0
}
