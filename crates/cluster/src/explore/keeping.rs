//! An exploration that is kept at the end of a level, and continued.

use std::time::Instant;

use evenhand_system::Successors;

use super::{Explore, Totals};
use crate::checkpoint::{Due, Manifest, load};
use crate::post::{Broken, Post};

impl Explore<'_> {
    /// Goes on where a search was left; whether there was one.
    pub(super) fn resume(&mut self, post: &mut Post, due: &mut Due) -> Result<bool, Broken> {
        let Some(checkpoint) = self.task.checkpoint.as_ref().filter(|c| c.resume) else {
            return Ok(false);
        };
        let manifest = match checkpoint.read() {
            Ok(Some(manifest)) => manifest,
            Ok(None) => return Ok(false),
            Err(reason) => {
                post.alarm.raise(reason);
                return Err(Broken);
            }
        };
        self.end = load(post, self, checkpoint, &manifest)?;
        self.first = 0;
        self.depth = manifest.depth;
        self.is_resumed = true;
        due.generation = manifest.generation;
        if post.index() == 0 {
            (self.transitions, self.deadlocks) = (manifest.transitions, manifest.deadlocks);
        }
        let mut initial = Successors::new();
        self.explorer.initial(&mut initial);
        self.initial = initial.len() as u64;
        Ok(true)
    }

    /// Writes a checkpoint, if one is due and nothing was found.
    pub(super) fn save(
        &mut self,
        post: &mut Post,
        totals: &Totals,
        due: &mut Due,
    ) -> Result<(), Broken> {
        let Some(checkpoint) = &self.task.checkpoint else {
            return Ok(());
        };
        let is_found = totals.found.iter().any(Option::is_some);
        let is_open = is_found || totals.undecided.contains(&true);
        let is_due = post.index() == 0 && !is_open && due.last.elapsed() >= checkpoint.every;
        if post.sum(&[u64::from(is_due)])?[0] == 0 {
            return Ok(());
        }
        due.generation += 1;
        let (generation, end) = (due.generation, self.end);
        let written = checkpoint.write(generation, self, post.index(), end);
        let failed = written.as_ref().err().map(ToString::to_string);
        let mut failed = failed.unwrap_or_default();
        let all = post.agree(failed.as_bytes())?;
        let is_written = all.iter().all(Vec::is_empty);
        if is_written && post.index() == 0 {
            let manifest = Manifest {
                generation,
                workers: post.peers() as u64,
                depth: self.depth,
                transitions: totals.transitions,
                deadlocks: totals.deadlocks,
            };
            match checkpoint.commit(&manifest) {
                Ok(()) => checkpoint.tidy(generation),
                Err(error) => failed = error.to_string(),
            }
        }
        if !failed.is_empty() {
            let name = checkpoint.folder.display();
            post.alarm.raise(format!(
                "no checkpoint can be written to `{name}`: {failed}"
            ));
            return Err(Broken);
        }
        due.last = Instant::now();
        Ok(())
    }
}
