//! An exploration that is kept at the end of a level, and continued.

use std::time::Instant;

use evenhand_system::Successors;

use super::{Explore, Totals};
use crate::checkpoint::{Manifest, load};
use crate::post::{Broken, Post};

impl Explore<'_> {
    /// Goes on where a search was left; whether there was one.
    pub(super) fn resume(&mut self, post: &mut Post) -> Result<bool, Broken> {
        let Some(checkpoint) = self.task.checkpoint.as_ref().filter(|c| c.resume) else {
            return Ok(false);
        };
        let manifest = match checkpoint.read() {
            Ok(manifest) => manifest,
            Err(reason) => {
                post.alarm.raise(reason);
                return Err(Broken);
            }
        };
        let all = post.agree(format!("{manifest:?}").as_bytes())?;
        if all.iter().any(|said| *said != all[0]) {
            let name = checkpoint.folder.display();
            post.alarm.raise(format!(
                "not all processes see the same checkpoint in `{name}`"
            ));
            return Err(Broken);
        }
        let Some(manifest) = manifest else {
            return Ok(false);
        };
        self.end = load(post, self, checkpoint, &manifest)?;
        self.first = 0;
        self.depth = manifest.depth;
        self.is_resumed = true;
        if post.index() == 0 {
            (self.transitions, self.deadlocks) = (manifest.transitions, manifest.deadlocks);
        }
        let mut initial = Successors::new();
        self.explorer.initial(&mut initial);
        self.initial = initial.len() as u64;
        Ok(true)
    }

    /// Writes a checkpoint, if the last one is old enough and nothing was found that ends the search.
    pub(super) fn save(
        &mut self,
        post: &mut Post,
        totals: &Totals,
        last: &mut Instant,
    ) -> Result<(), Broken> {
        let Some(checkpoint) = &self.task.checkpoint else {
            return Ok(());
        };
        let is_plain = self.task.follow.is_none();
        let is_found = is_plain && totals.found.iter().any(Option::is_some);
        let is_known = is_found || totals.undecided.contains(&true);
        let is_due = post.index() == 0 && !is_known && last.elapsed() >= checkpoint.every;
        let next = match is_due {
            true => checkpoint.next_generation(),
            false => 0,
        };
        let generation = post.sum(&[next])?[0];
        if generation == 0 {
            return Ok(());
        }
        let written = checkpoint.write(generation, self, post.index(), self.end);
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
            if !checkpoint.sees_all(&manifest) {
                failed = "not all processes see the same folder".to_string();
            } else if let Err(error) = checkpoint.commit(&manifest) {
                failed = error.to_string();
            } else {
                checkpoint.tidy(generation);
            }
        }
        if !failed.is_empty() {
            let name = checkpoint.folder.display();
            post.alarm.raise(format!(
                "no checkpoint can be written to `{name}`: {failed}"
            ));
            return Err(Broken);
        }
        *last = Instant::now();
        Ok(())
    }
}
