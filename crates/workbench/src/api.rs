//! Calls: which one, and its answer.
//!
//! Everything that a page asks is a POST with a JSON object, but for the list of models and the state of a job. An answer
//! with `error` says in words why there is no other.

use std::sync::Arc;

use evenhand_verify::Options;
use serde_json::{Value as Json, json};

use crate::asked::{asking, granularity, path};
use crate::check::{advised, checked};
use crate::graph::graph;
use crate::http::Response;
use crate::jobs::Jobs;
use crate::reading::{Opened, Shelf, Version, mistakes, short};
use crate::walk::{follow, walk};

/// What calls are about.
pub(crate) struct Api {
    shelf: Shelf,
    jobs: Jobs,
    limits: Options,
}

/// An answer, or a status and why there is none.
type Answer = Result<Json, (u16, String)>;

impl Api {
    pub fn new(models: Vec<Opened>, limits: Options) -> Api {
        Api {
            shelf: Shelf::new(models),
            jobs: Jobs::default(),
            limits,
        }
    }

    /// Ends what is going on.
    pub fn end(&self) {
        self.jobs.end();
    }

    /// The answer to a call.
    pub fn answer(&self, method: &str, call: &str, body: &[u8]) -> Response {
        let answer = match method {
            "GET" => self.get(call),
            _ => match serde_json::from_slice(body) {
                Ok(body) => self.post(call, &body),
                Err(_) => Err((400, "the call is no JSON".to_string())),
            },
        };
        let (status, told) = match answer {
            Ok(told) => (200, told),
            Err((status, why)) => (status, json!({ "error": why })),
        };
        Response {
            status,
            kind: "application/json",
            body: told.to_string().into_bytes(),
        }
    }

    fn get(&self, call: &str) -> Answer {
        if call == "models" {
            return Ok(json!({ "models": self.shelf.list() }));
        }
        let number = call.strip_prefix("jobs/").and_then(|n| n.parse().ok());
        let Some(number) = number else {
            return Err((404, "there is no such call".to_string()));
        };
        match self.jobs.get(number) {
            Some(job) => Ok(job.told()),
            None => Err((410, "this job is forgotten".to_string())),
        }
    }

    fn post(&self, call: &str, body: &Json) -> Answer {
        match call {
            "read" => self.read(body),
            "check" => {
                let (version, limits) = (self.version(body)?, self.limits.clone());
                let asked = asking(body).map_err(wrong)?;
                let work = self
                    .jobs
                    .begin(move |watcher| checked(&version, &asked, &limits, watcher));
                begun(work)
            }
            "advise" => {
                let (version, limits) = (self.version(body)?, self.limits.clone());
                let asked = asking(body).map_err(wrong)?;
                let by = granularity(body);
                let work = self
                    .jobs
                    .begin(move |watcher| advised(&version, asked, by, &limits, watcher));
                begun(work)
            }
            "assume" => {
                let version = self.version(body)?;
                let asked = asking(body).map_err(wrong)?;
                self.shortly(|| Ok(json!({ "errors": mistakes(&version.model, &asked) })))
            }
            "cancel" => {
                let number = body["job"].as_u64().unwrap_or(0);
                if let Some(job) = self.jobs.get(number) {
                    job.cancel.cancel();
                }
                Ok(json!({}))
            }
            "walk" => {
                let version = self.version(body)?;
                let asked = asking(body).map_err(wrong)?;
                self.shortly(|| walk(&version.model, &asked, &path(body)))
            }
            "follow" => {
                let number = body["job"].as_u64().unwrap_or(0);
                let kept = self.jobs.get(number).and_then(|job| job.kept());
                let Some(kept) = kept else {
                    return Err((410, "this job is forgotten".to_string()));
                };
                let version = self.kept(kept.version)?;
                let asked = asking(body).map_err(wrong)?;
                let at = |name: &str| body[name].as_u64().unwrap_or(0) as usize;
                let Some(result) = kept.results.get(at("result")) else {
                    return Err((404, "there is no such result".to_string()));
                };
                self.shortly(|| follow(&version.model, &asked, result, at("step")))
            }
            "graph" => {
                let version = self.version(body)?;
                let asked = asking(body).map_err(wrong)?;
                self.shortly(|| graph(&version.model, &asked))
            }
            _ => Err((404, "there is no such call".to_string())),
        }
    }

    fn read(&self, body: &Json) -> Answer {
        let number = body["model"].as_u64().unwrap_or(0) as usize;
        let Some(opened) = self.shelf.models.get(number) else {
            return Err((404, "there is no such model".to_string()));
        };
        let text = body["text"].as_str().unwrap_or(&opened.text);
        let by = granularity(body);
        Ok(self.shelf.read(opened, text, by, &self.limits))
    }

    fn version(&self, body: &Json) -> Result<Arc<Version>, (u16, String)> {
        self.kept(body["version"].as_u64().unwrap_or(0))
    }

    fn kept(&self, number: u64) -> Result<Arc<Version>, (u16, String)> {
        let found = self.shelf.version(number);
        found.ok_or_else(|| (410, "this text is forgotten: read it again".to_string()))
    }

    /// Does something that a person waits for.
    fn shortly(&self, work: impl FnOnce() -> Result<Json, String>) -> Answer {
        match short(&self.limits).run(work) {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(why)) => Ok(json!({ "error": why })),
            Err(why) => Ok(json!({ "error": why.to_string() })),
        }
    }
}

fn wrong(why: String) -> (u16, String) {
    (400, why)
}

fn begun(job: Option<u64>) -> Answer {
    match job {
        Some(number) => Ok(json!({ "job": number })),
        None => {
            let why = "enough is going on: wait, or cancel something";
            Err((429, why.to_string()))
        }
    }
}
