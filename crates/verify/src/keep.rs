//! Proofs to keep: where they go.

use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use evenhand_certify::file::Archive;
use evenhand_system::Kind;

use crate::answer::PropertyResult;

/// Where certificates are written.
pub type CertificateOutput = Box<dyn Write + Send>;

/// Takes proofs while a check goes on. Copies are the same.
#[derive(Clone)]
pub struct Keep(Arc<Mutex<Kept>>);

struct Kept {
    /// None once something could not be written.
    archive: Option<Archive<CertificateOutput>>,
    error: Option<io::Error>,
    /// The properties of which there is a proof.
    proved: Vec<String>,
    /// Those of which there is none though they hold, and why.
    refused: Vec<(String, String)>,
}

/// What was kept.
#[derive(Clone, Debug, Default)]
pub struct KeptProofs {
    /// The properties of which there is a proof.
    pub proved: Vec<String>,
    /// Those of which there is none, and why.
    pub refused: Vec<(String, String)>,
}

impl Keep {
    /// Proofs go there.
    ///
    /// # Errors
    /// If nothing can be written.
    pub fn new(out: CertificateOutput) -> io::Result<Keep> {
        let archive = Archive::new(out)?;
        Ok(Keep(Arc::new(Mutex::new(Kept {
            archive: Some(archive),
            error: None,
            proved: Vec::new(),
            refused: Vec::new(),
        }))))
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the proof of a property, or finds out why there is none.
    pub(crate) fn write(
        &self,
        name: &str,
        write: impl FnOnce(&mut Archive<CertificateOutput>) -> io::Result<Option<&'static str>>,
    ) {
        let mut kept = self.lock();
        let Some(archive) = &mut kept.archive else {
            return;
        };
        match write(archive) {
            Ok(None) => kept.proved.push(name.to_string()),
            Ok(Some(why)) => kept.refused.push((name.to_string(), why.to_string())),
            Err(error) => {
                kept.error = Some(error);
                kept.archive = None;
            }
        }
    }

    /// There is no proof of a property that holds.
    pub(crate) fn refuse(&self, name: &str, why: &str) {
        self.lock()
            .refused
            .push((name.to_string(), why.to_string()));
    }

    /// Says why there is no proof of a property that holds.
    pub(crate) fn miss(&self, result: &PropertyResult) {
        let mut kept = self.lock();
        let name = &result.name;
        let is_known = kept.proved.contains(name) || kept.refused.iter().any(|(p, _)| p == name);
        if result.verdict.holds() && !is_known && kept.archive.is_some() {
            let engine = result.engine.unwrap_or("none");
            let why = match (&result.value, result.kind) {
                (Some(_), _) => "a number has no proof".to_string(),
                (None, Kind::Feasible) => "a fair run was found".to_string(),
                _ => format!("the engine `{engine}` has none to keep"),
            };
            kept.refused.push((name.clone(), why));
        }
    }

    /// Writes the end.
    ///
    /// # Errors
    /// If something could not be written.
    pub fn finish(self) -> io::Result<KeptProofs> {
        let mut kept = self.lock();
        if let Some(error) = kept.error.take() {
            return Err(error);
        }
        if let Some(archive) = kept.archive.take() {
            archive.finish()?;
        }
        Ok(KeptProofs {
            proved: std::mem::take(&mut kept.proved),
            refused: std::mem::take(&mut kept.refused),
        })
    }
}

impl fmt::Debug for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keep")
            .field("proved", &self.lock().proved)
            .finish_non_exhaustive()
    }
}
