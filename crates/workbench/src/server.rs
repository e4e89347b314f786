//! One thread for each connection, and an end.
//!
//! Connections come in one after the other; each gets a thread, up to a number, and is refused beyond it. What
//! takes long is a job with a thread of its own, so that these threads are short-lived. The server ends when a flag
//! is raised: then the jobs are cancelled.

use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use evenhand_verify::{Cancel, Options};

use crate::api::Api;
use crate::guard::Guard;
use crate::http::{Response, read, write};
use crate::pages;
use crate::reading::Opened;

/// So many connections are served at once.
const MOST_CONNECTIONS: usize = 64;

/// How a workbench works.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Settings {
    /// The port; 0 for any that is free.
    pub port: u16,
    /// The limits of a check.
    pub limits: Options,
}

/// A server that waits for its page to be opened.
pub struct Workbench {
    listener: TcpListener,
    guard: Guard,
    api: Arc<Api>,
}

impl Workbench {
    /// Listens for models that were opened, on the loopback interface alone.
    ///
    /// # Errors
    /// If the port is taken, or the machine has no random numbers.
    pub fn bind(models: Vec<Opened>, settings: Settings) -> std::io::Result<Workbench> {
        let place = SocketAddrV4::new(Ipv4Addr::LOCALHOST, settings.port);
        let listener = TcpListener::bind(place)?;
        let guard = Guard::new(listener.local_addr()?.port())?;
        let api = Arc::new(Api::new(models, settings.limits));
        Ok(Workbench {
            listener,
            guard,
            api,
        })
    }

    /// The address of the page. Whoever knows it may use the workbench.
    pub fn address(&self) -> String {
        self.guard.address()
    }

    /// Serves until the flag is raised.
    pub fn run(self, cancel: &Cancel) {
        let Workbench {
            listener,
            guard,
            api,
        } = self;
        let (guard, jobs) = (Arc::new(guard), Arc::clone(&api));
        std::thread::spawn(move || {
            let open = Arc::new(AtomicUsize::new(0));
            for stream in listener.incoming() {
                match stream {
                    Ok(stream) => accept(stream, &guard, &api, &open),
                    // There are no more descriptors, or somebody left at once.
                    Err(_) => std::thread::sleep(Duration::from_millis(20)),
                }
            }
        });
        while !cancel.is_cancelled() {
            std::thread::sleep(Duration::from_millis(50));
        }
        jobs.end();
    }
}

fn accept(mut stream: TcpStream, guard: &Arc<Guard>, api: &Arc<Api>, open: &Arc<AtomicUsize>) {
    if open.fetch_add(1, Ordering::SeqCst) >= MOST_CONNECTIONS {
        // Whoever is too many is not answered.
        open.fetch_sub(1, Ordering::SeqCst);
        return;
    }
    let (guard, api, counter) = (Arc::clone(guard), Arc::clone(api), Arc::clone(open));
    let serve = move || {
        let response = match read(&mut stream) {
            Ok(request) => answer(&request, &guard, &api),
            Err(refusal) => refusal,
        };
        write(&mut stream, &response);
    };
    let thread = std::thread::Builder::new().spawn(move || {
        let _ = catch_unwind(AssertUnwindSafe(serve));
        counter.fetch_sub(1, Ordering::SeqCst);
    });
    if thread.is_err() {
        open.fetch_sub(1, Ordering::SeqCst);
    }
}

fn answer(request: &crate::http::Request, guard: &Guard, api: &Arc<Api>) -> Response {
    let path = match guard.admit(request) {
        Ok(path) => path,
        Err(refusal) => return refusal,
    };
    match path.strip_prefix("api/") {
        Some(call) => {
            let work = || api.answer(&request.method, call, &request.body);
            catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
                let words = "internal error: the call failed; please report it with the model";
                Response::refusal(500, words)
            })
        }
        None if request.method == "GET" => pages::file(path),
        None => Response::refusal(405, "a file is only read"),
    }
}
