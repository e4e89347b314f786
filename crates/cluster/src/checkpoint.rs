//! A search that can be continued: what all workers know at the end of a level, in files.
//!
//! Each worker writes its nodes, which are states with states of the automaton that is followed, and from which nodes they
//! were met; when all have done so, the first worker says in `manifest` that these files count, and the ones before are
//! removed. Each set of files has a number that none in the folder has, so whatever happens in between, the one that counts
//! is complete. Files end in a hash of their contents, which the manifest knows, as it knows its own; nothing is read from
//! a file before that was compared. A random number in all files of a set keeps those of two calls apart, and only one call
//! at a time may keep its search in a folder.
//!
//! The processes that go on may be others, and more or fewer. They read the files in turns; each state goes to whoever
//! owns it now, and who reads a file remembers where its states went, so that the others can ask what the nodes are called
//! now from which theirs were met. States of the level that is expanded next come last, so they are a range of
//! numbers again. What was found by then is kept by the node where it was met, which gets its new name as parents do. No
//! edges are kept: a search for fair cycles generates them once more when all nodes are known.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::explore::Explore;
use crate::post::{Broken, Out, Part, Post};
use crate::shard::{Remote, owner};
use crate::token::{LENGTH, Words, digest, digest_of, hex};
use crate::wire::{Reader, put, put_bytes};

/// Where checkpoints are, and when they are written.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// A folder that all processes see.
    pub folder: PathBuf,
    /// How long a search goes on between two of them.
    pub every: Duration,
    /// Whether to go on where the last one was written.
    pub resume: bool,
    /// What it is about: another model or question has another one.
    pub about: String,
}

/// What a manifest says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub generation: u64,
    /// A random number, which is also in all files of the set.
    pub mark: u64,
    pub depth: u64,
    pub transitions: u64,
    pub deadlocks: u64,
    /// For each thing that is looked for, where it was met.
    pub found: Vec<Option<Remote>>,
    /// For each condition, whether nobody knows if it holds in some state.
    pub undecided: Vec<bool>,
    pub left_out: bool,
    /// For each worker, the hash of its file.
    pub files: Vec<String>,
}

const TITLE: &str = "evenhand checkpoint 3";

/// What the titles of all versions begin with.
const TITLES: &str = "evenhand checkpoint ";

/// The node of what was found before there was any state.
const NOWHERE: u32 = u32::MAX;

impl Manifest {
    /// As a text, about something.
    fn text(&self, about: &str) -> String {
        let mut text = format!("{TITLE}\n{about}\n");
        for number in [
            self.generation,
            self.mark,
            self.depth,
            self.transitions,
            self.deadlocks,
            u64::from(self.left_out),
        ] {
            text += &format!("{number}\n");
        }
        for (at, found) in self.found.iter().enumerate() {
            if let Some(Remote { worker, node }) = found {
                text += &format!("found {at} {worker} {node}\n");
            }
        }
        for (at, _) in self.undecided.iter().enumerate().filter(|(_, is)| **is) {
            text += &format!("undecided {at}\n");
        }
        for file in &self.files {
            text += &format!("file {file}\n");
        }
        let hash = digest([text.as_bytes()]);
        text + &format!("hash {hash}\n")
    }

    /// What the lines of a text say behind what it is about; none if that makes no sense.
    fn read<'t>(mut lines: impl Iterator<Item = &'t str>) -> Option<Manifest> {
        let mut number = || lines.next()?.parse::<u64>().ok();
        let mut manifest = Manifest {
            generation: number()?,
            mark: number()?,
            depth: number()?,
            transitions: number()?,
            deadlocks: number()?,
            left_out: number()? != 0,
            ..Manifest::default()
        };
        for line in lines {
            match line.split(' ').collect::<Vec<_>>()[..] {
                ["found", at, worker, node] => {
                    let (worker, node) = (worker.parse().ok()?, node.parse().ok()?);
                    set(&mut manifest.found, at, Some(Remote { worker, node }))?;
                }
                ["undecided", at] => set(&mut manifest.undecided, at, true)?,
                ["file", hash] => manifest.files.push(hash.to_string()),
                _ => return None,
            }
        }
        Some(manifest)
    }
}

/// Sets what stands at a place that a text names.
fn set<T: Clone + Default>(list: &mut Vec<T>, at: &str, value: T) -> Option<()> {
    let at: usize = at.parse().ok()?;
    if list.len() <= at {
        list.resize(at.checked_add(1)?, T::default());
    }
    list[at] = value;
    Some(())
}

/// A folder in which no other call keeps its search. The system ends that when the process ends, however that happens.
#[derive(Debug)]
pub struct Held(#[expect(dead_code, reason = "it is held as long as it is open")] File);

impl Checkpoint {
    /// Has the folder for this call alone, which the first process does.
    ///
    /// # Errors
    /// If another call has it, or nothing can be written there.
    pub fn hold(&self) -> Result<Held, String> {
        let name = self.folder.display();
        let cannot =
            |error: io::Error| format!("no checkpoint can be written to `{name}`: {error}");
        fs::create_dir_all(&self.folder).map_err(cannot)?;
        let path = self.folder.join("lock");
        let mut options = File::options();
        let file = options.create(true).truncate(false).write(true).open(&path);
        let mut file = file.map_err(cannot)?;
        match file.try_lock() {
            Ok(()) => {
                // Who it is, for those who would like to know.
                let _ = file.set_len(0);
                let _ = file.write_all(std::process::id().to_string().as_bytes());
                Ok(Held(file))
            }
            Err(TryLockError::WouldBlock) => {
                let who = fs::read_to_string(&path).unwrap_or_default();
                let who = match who.is_empty() {
                    true => String::new(),
                    false => format!(" (process {who})"),
                };
                let what = "keeps its search in";
                Err(format!("another call{who} {what} `{name}`"))
            }
            // Some file systems have no locks.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                Ok(Held(file))
            }
            Err(TryLockError::Error(error)) => Err(cannot(error)),
        }
    }

    /// Where one of several searches of a call is kept.
    pub(crate) fn part(&self, name: u64) -> Checkpoint {
        Checkpoint {
            folder: self.folder.join(format!("{name:016x}")),
            ..self.clone()
        }
    }

    fn manifest(&self) -> PathBuf {
        self.folder.join("manifest")
    }

    fn file(&self, generation: u64, worker: u64) -> PathBuf {
        self.folder.join(format!("states-{generation}-{worker}"))
    }

    /// The number of the next set of files: whoever wrote those that are there, none has it.
    pub(crate) fn next_generation(&self) -> u64 {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let number = |entry: fs::DirEntry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let (number, _) = name.strip_prefix("states-")?.split_once('-')?;
            number.parse::<u64>().ok()
        };
        entries.filter_map(number).max().unwrap_or(0) + 1
    }

    /// Whether the files of all workers are seen from here, as they were written.
    pub(crate) fn sees_all(&self, manifest: &Manifest) -> bool {
        let mut files = (0..).zip(&manifest.files);
        files.all(|(worker, hash)| {
            let known = ending(&self.file(manifest.generation, worker));
            known.is_ok_and(|known| hex(&known) == *hash)
        })
    }

    /// What the manifest says; none if nothing was written yet.
    pub(crate) fn read(&self) -> Result<Option<Manifest>, String> {
        let name = self.manifest();
        let text = match fs::read_to_string(&name) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("cannot read `{}`: {error}", name.display())),
        };
        let folder = self.folder.display();
        let mut lines = text.lines();
        let title = lines.next().unwrap_or("");
        if title != TITLE && title.starts_with(TITLES) {
            return Err(format!(
                "the checkpoint in `{folder}` was written by another version"
            ));
        }
        let damaged = || format!("`{}` is damaged", name.display());
        let hash = lines
            .next_back()
            .and_then(|line| line.strip_prefix("hash "));
        let body = hash.and_then(|hash| text.strip_suffix(&format!("hash {hash}\n")));
        if body.is_none_or(|body| Some(&*digest([body.as_bytes()])) != hash) {
            return Err(damaged());
        }
        if lines.next() != Some(&*self.about) {
            return Err(format!(
                "the checkpoint in `{folder}` is about another model or question"
            ));
        }
        Manifest::read(lines).map(Some).ok_or_else(damaged)
    }

    /// From now on the files of a generation count.
    pub(crate) fn commit(&self, manifest: &Manifest) -> io::Result<()> {
        let new = self.folder.join("manifest.new");
        let mut file = File::create(&new)?;
        file.write_all(manifest.text(&self.about).as_bytes())?;
        file.sync_all()?;
        // What the manifest names is there before it is, whatever happens to the machine.
        self.sync();
        fs::rename(new, self.manifest())?;
        self.sync();
        Ok(())
    }

    /// The names in the folder are on disk, where the system can be asked for that.
    fn sync(&self) {
        let _ = File::open(&self.folder).and_then(|folder| folder.sync_all());
    }

    /// The files of all generations but one are of no use any more.
    pub(crate) fn tidy(&self, generation: u64) {
        let keep = format!("states-{generation}-");
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with("states-") && !name.starts_with(&keep) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Writes the states of a worker to the files of a generation with that mark; `end` is where the level begins that
    /// is expanded next. The hash of the file.
    pub(crate) fn write(
        &self,
        (generation, mark): (u64, u64),
        explore: &mut Explore<'_>,
        worker: usize,
        end: usize,
    ) -> io::Result<String> {
        fs::create_dir_all(&self.folder)?;
        let mut file = Hashing {
            inner: BufWriter::new(File::create(self.file(generation, worker as u64))?),
            hash: Sha256::new(),
        };
        let mut bytes = Vec::new();
        put(&mut bytes, mark);
        put(&mut bytes, explore.shard.len() as u64);
        put(&mut bytes, end as u64);
        file.put(&(bytes.len() as u64).to_le_bytes())?;
        file.put(&bytes)?;
        for node in 0..explore.shard.len() as u32 {
            bytes.clear();
            match explore.shard.parent(node) {
                Some(parent) => {
                    put(&mut bytes, u64::from(parent.worker) + 1);
                    put(&mut bytes, parent.node.into());
                }
                None => put(&mut bytes, 0),
            }
            put(&mut bytes, explore.shard.parts(node).1.into());
            let (head, tail) = explore.export(node);
            put_bytes(&mut bytes, head);
            put_bytes(&mut bytes, tail);
            file.put(&(bytes.len() as u64).to_le_bytes())?;
            file.put(&bytes)?;
        }
        let hash: Words = file.hash.finalize().into();
        file.inner.write_all(&hash)?;
        file.inner.into_inner()?.sync_all()?;
        Ok(hex(&hash))
    }
}

struct Hashing<F> {
    inner: F,
    hash: Sha256,
}

impl<F: Write> Hashing<F> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.inner.write_all(bytes)
    }
}

/// What a file ends in.
fn ending(path: &Path) -> io::Result<Words> {
    let mut file = File::open(path)?;
    let mut hash: Words = [0; LENGTH];
    file.seek(SeekFrom::End(-(LENGTH as i64)))?;
    file.read_exact(&mut hash)?;
    Ok(hash)
}

/// Whether a file is the one with that hash.
fn is_whole(path: &Path, hash: &str) -> io::Result<bool> {
    let file = File::open(path)?;
    let Some(body) = file.metadata()?.len().checked_sub(LENGTH as u64) else {
        return Ok(false);
    };
    Ok(digest_of(file.take(body))? == hash && hex(&ending(path)?) == hash)
}

/// A file that is read piece by piece.
struct Source {
    worker: u64,
    file: BufReader<File>,
    count: u64,
    /// Where the level begins that is expanded next.
    end: u64,
    next: u64,
}

impl Source {
    fn open(path: &Path, worker: u64, hash: &str) -> io::Result<Source> {
        if !is_whole(path, hash)? {
            let error = format!("`{}` is damaged", path.display());
            return Err(io::Error::new(io::ErrorKind::InvalidData, error));
        }
        let mut source = Source {
            worker,
            file: BufReader::new(File::open(path)?),
            count: 0,
            end: 0,
            next: 0,
        };
        let head = source.piece()?;
        let mut reader = Reader(&head);
        let _mark = reader.number();
        (source.count, source.end) = (reader.number(), reader.number());
        Ok(source)
    }

    /// The next piece.
    fn piece(&mut self) -> io::Result<Vec<u8>> {
        let mut length = [0; 8];
        self.file.read_exact(&mut length)?;
        let mut bytes = vec![0; u64::from_le_bytes(length) as usize];
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

/// Reads a checkpoint into the shards of those who go on; where the level begins that is expanded next, and for each
/// thing that was looked for where it was met, as nodes are called now.
pub(crate) fn load(
    post: &mut Post,
    explore: &mut Explore<'_>,
    checkpoint: &Checkpoint,
    manifest: &Manifest,
) -> Result<(usize, Vec<Option<Remote>>), Broken> {
    let (own, peers) = (post.index() as u64, post.peers() as u64);
    let files = (0..).zip(&manifest.files);
    let files = files.filter(|(worker, _)| worker % peers == own);
    let opened: io::Result<Vec<Source>> = files
        .map(|(worker, hash)| {
            let path = checkpoint.file(manifest.generation, worker);
            Source::open(&path, worker, hash)
        })
        .collect();
    let sources = match opened {
        Ok(sources) => sources,
        Err(error) => {
            let name = checkpoint.folder.display();
            post.alarm.raise(format!(
                "the checkpoint in `{name}` cannot be read: {error}"
            ));
            return Err(Broken);
        }
    };
    let mut load = Load {
        explore,
        sources,
        last: false,
        fault: None,
        went: std::collections::HashMap::new(),
        parents: Vec::new(),
        asked: 0,
        phase: Phase::States,
    };
    post.run(&mut load)?;
    let end = load.explore.shard.len();
    load.last = true;
    post.run(&mut load)?;
    load.phase = Phase::Parents;
    post.run(&mut load)?;
    // Who has read a file knows what its nodes are called now.
    let mut known = Vec::new();
    let own_files = |met: &Remote| u64::from(met.worker) % peers == own;
    for (at, met) in manifest.found.iter().enumerate() {
        let Some(met) = met.filter(own_files) else {
            continue;
        };
        let now = match met.node {
            NOWHERE => Some(&met),
            node => load.went.get(&(met.worker.into(), node.into())),
        };
        match now {
            Some(now) => {
                put(&mut known, at as u64);
                put(&mut known, now.worker.into());
                put(&mut known, now.node.into());
            }
            None => load.fault = Some("a state is missing".to_string()),
        }
    }
    if let Some(fault) = load.fault {
        let name = checkpoint.folder.display();
        post.alarm.raise(format!(
            "the checkpoint in `{name}` cannot be used: {fault}"
        ));
    }
    // Nobody goes on before all have read theirs.
    let all = post.agree(&known)?;
    if post.alarm.is_raised() {
        return Err(Broken);
    }
    let mut found = vec![None; manifest.found.len()];
    for said in &all {
        let mut reader = Reader(said);
        while !reader.is_empty() {
            let at = reader.number() as usize;
            let worker = reader.number() as u32;
            let node = reader.number() as u32;
            if let Some(place) = found.get_mut(at) {
                *place = Some(Remote { worker, node });
            }
        }
    }
    Ok((end, found))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    States,
    Parents,
}

struct Load<'l, 'a> {
    explore: &'l mut Explore<'a>,
    sources: Vec<Source>,
    /// Whether the states of the last level are read.
    last: bool,
    fault: Option<String>,
    /// Where the states of the files went that this worker reads.
    went: std::collections::HashMap<(u64, u64), Remote>,
    /// Nodes with the ones from which they were met, as these were called.
    parents: Vec<(u32, u64, u64)>,
    asked: usize,
    phase: Phase,
}

const STATE: u8 = 0;
const WENT: u8 = 1;
const ASK: u8 = 2;
const PARENT: u8 = 3;

/// Pieces between two looks at the inbox.
const CHUNK: usize = 1024;

impl Load<'_, '_> {
    /// Sends the next state of a file to its owner.
    fn send(&mut self, at: usize, out: &mut Out) -> io::Result<()> {
        let source = &mut self.sources[at];
        let piece = source.piece()?;
        let mut reader = Reader(&piece);
        let (worker, mut node) = (reader.number(), 0);
        if worker > 0 {
            node = reader.number();
        }
        let automaton = reader.number();
        let (head, tail) = (reader.bytes(), reader.bytes());
        let letter = out.to(owner(head, tail, out.peers()));
        letter.push(STATE);
        put(letter, source.worker);
        put(letter, source.next);
        put(letter, worker);
        put(letter, node);
        put(letter, automaton);
        put_bytes(letter, head);
        put_bytes(letter, tail);
        source.next += 1;
        Ok(())
    }

    fn read(&mut self, from: usize, reader: &mut Reader<'_>, out: &mut Out) {
        match reader.byte() {
            STATE => {
                let (worker, place) = (reader.number(), reader.number());
                let (parent, node) = (reader.number(), reader.number());
                let automaton = reader.number() as u32;
                let (head, tail) = (reader.bytes(), reader.bytes());
                let own = out.own() as u32;
                let Some(state) = self.explore.import(head, tail) else {
                    self.fault = Some("it has states that the model has not".to_string());
                    return;
                };
                match self.explore.shard.meet(&state, automaton, None) {
                    Ok(new) => {
                        if parent > 0 {
                            self.parents.push((new, parent - 1, node));
                        }
                        let letter = out.to(from);
                        letter.push(WENT);
                        put(letter, worker);
                        put(letter, place);
                        put(letter, own.into());
                        put(letter, new.into());
                    }
                    Err(stop) => self.fault = Some(stop.to_string()),
                }
            }
            WENT => {
                let old = (reader.number(), reader.number());
                let worker = reader.number() as u32;
                let node = reader.number() as u32;
                self.went.insert(old, Remote { worker, node });
            }
            ASK => {
                let old = (reader.number(), reader.number());
                let node = reader.number();
                match self.went.get(&old) {
                    Some(new) => {
                        let letter = out.to(from);
                        letter.push(PARENT);
                        put(letter, node);
                        put(letter, new.worker.into());
                        put(letter, new.node.into());
                    }
                    None => self.fault = Some("a state is missing".to_string()),
                }
            }
            _ => {
                let node = reader.number() as u32;
                let worker = reader.number() as u32;
                let parent = Remote {
                    worker,
                    node: reader.number() as u32,
                };
                self.explore.shard.set_parent(node, parent);
            }
        }
    }
}

impl Part for Load<'_, '_> {
    fn more(&mut self, out: &mut Out) -> bool {
        if self.phase == Phase::Parents {
            let peers = out.peers() as u64;
            let end = (self.asked + CHUNK).min(self.parents.len());
            for &(node, worker, place) in &self.parents[self.asked..end] {
                let letter = out.to((worker % peers) as usize);
                letter.push(ASK);
                put(letter, worker);
                put(letter, place);
                put(letter, node.into());
            }
            self.asked = end;
            return self.asked < self.parents.len();
        }
        for _ in 0..CHUNK {
            let last = self.last;
            let is_open = |source: &Source| {
                let end = if last { source.count } else { source.end };
                source.next < end
            };
            let Some(at) = self.sources.iter().position(is_open) else {
                return false;
            };
            if self.fault.is_none()
                && let Err(error) = self.send(at, out)
            {
                self.fault = Some(error.to_string());
            }
            if self.fault.is_some() {
                return false;
            }
        }
        true
    }

    fn take(&mut self, from: usize, letter: &[u8], out: &mut Out) {
        let mut reader = Reader(letter);
        while !reader.is_empty() {
            self.read(from, &mut reader, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_folder(name: &str) -> Checkpoint {
        let folder = format!("evenhand-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        let _ = fs::remove_dir_all(&folder);
        Checkpoint {
            folder,
            every: Duration::ZERO,
            resume: false,
            about: "a test".to_string(),
        }
    }

    #[test]
    fn a_manifest_is_read_as_it_was_written_or_not_at_all() {
        let checkpoint = in_folder("manifest");
        fs::create_dir_all(&checkpoint.folder).expect("a folder");
        let manifest = Manifest {
            generation: 7,
            mark: u64::MAX,
            depth: 5,
            transitions: 4,
            deadlocks: 1,
            found: vec![
                None,
                Some(Remote {
                    worker: 1,
                    node: 17,
                }),
            ],
            undecided: vec![false, false, true],
            left_out: true,
            files: vec!["0a".to_string(), "0b".to_string()],
        };
        checkpoint.commit(&manifest).expect("written");
        assert_eq!(checkpoint.read(), Ok(Some(manifest)));
        let whole = fs::read(checkpoint.manifest()).expect("a manifest");
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(checkpoint.manifest(), &damaged).expect("written");
            assert!(checkpoint.read().is_err(), "{at}");
            fs::write(checkpoint.manifest(), &whole[..at]).expect("written");
            assert!(checkpoint.read().is_err(), "{at}");
        }
        fs::remove_dir_all(&checkpoint.folder).expect("removed");
    }

    #[test]
    fn one_call_at_a_time_has_a_folder() {
        let checkpoint = in_folder("held");
        let held = checkpoint.hold().expect("it is free");
        let refusal = checkpoint.hold().expect_err("it is not");
        assert!(refusal.contains("another call"), "{refusal}");
        drop(held);
        // The file stays, and means nothing.
        drop(checkpoint.hold().expect("it is free again"));
        fs::remove_dir_all(&checkpoint.folder).expect("removed");
    }
}
