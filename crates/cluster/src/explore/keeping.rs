//! An exploration that is kept at the end of a level, and continued.

use std::time::Instant;

use evenhand_system::Successors;

use super::{Explore, Totals};
use crate::checkpoint::{Manifest, load};
use crate::post::{Broken, Post};
use crate::token::random;

impl Explore<'_> {
    /// Goes on where a search was left; whether there was one.
    pub(super) fn resume(&mut self, post: &mut Post, totals: &mut Totals) -> Result<bool, Broken> {
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
        let found;
        (self.end, found) = load(post, self, checkpoint, &manifest)?;
        for (known, found) in totals.found.iter_mut().zip(found) {
            *known = found;
        }
        for (known, &undecided) in totals.undecided.iter_mut().zip(&manifest.undecided) {
            *known = undecided;
        }
        totals.left_out = manifest.left_out;
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

    /// Writes a checkpoint, if the last one is old enough.
    pub(super) fn save(
        &mut self,
        post: &mut Post,
        totals: &Totals,
        last: &mut Instant,
    ) -> Result<(), Broken> {
        let Some(checkpoint) = &self.task.checkpoint else {
            return Ok(());
        };
        let is_due = post.index() == 0 && last.elapsed() >= checkpoint.every;
        let next = match is_due {
            true => [checkpoint.next_generation(), mark()],
            false => [0, 0],
        };
        let all = post.sum(&next)?;
        let (generation, mark) = (all[0], all[1]);
        if generation == 0 {
            return Ok(());
        }
        let written = checkpoint.write((generation, mark), self, post.index(), self.end);
        let mut own = vec![u8::from(written.is_ok())];
        let mut failed = String::new();
        match written {
            Ok(hash) => own.extend(hash.into_bytes()),
            Err(error) => failed = error.to_string(),
        }
        let all = post.agree(&own)?;
        let is_written = all.iter().all(|said| said.first() == Some(&1));
        if is_written && post.index() == 0 {
            let hash = |said: &Vec<u8>| String::from_utf8_lossy(&said[1..]).into_owned();
            let manifest = Manifest {
                generation,
                mark,
                depth: self.depth,
                transitions: totals.transitions,
                deadlocks: totals.deadlocks,
                found: totals.found.clone(),
                undecided: totals.undecided.clone(),
                left_out: totals.left_out,
                files: all.iter().map(hash).collect(),
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

/// A number that no other set of files has.
fn mark() -> u64 {
    let random = random();
    u64::from_le_bytes(random.as_chunks::<8>().0[0])
}
