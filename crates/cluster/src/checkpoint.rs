//! A search that can be continued: what all workers know at the end of a level, in files.
//!
//! Each worker writes its nodes, which are states with states of the automaton that is followed, and from which nodes they
//! were met; when all have done so, the first worker says in `manifest` that these files count, and the ones before are
//! removed. Each set of files has a number that none in the folder has, so whatever happens in between, the one that counts
//! is complete. Files end in a hash of their contents, and nothing is read from one before that was compared.
//!
//! The processes that go on may be others, and more or fewer. They read the files in turns; each state goes to whoever
//! owns it now, and who reads a file remembers where its states went, so that the others can ask what the nodes are called
//! now from which theirs were met. States of the level that is expanded next come last, so they are a range of
//! numbers again. No edges are kept: a search for fair cycles generates them once more when all nodes are known. A plain
//! search writes no checkpoint once something was found.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::explore::Explore;
use crate::post::{Broken, Out, Part, Post};
use crate::shard::{Remote, owner};
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
    pub workers: u64,
    pub depth: u64,
    pub transitions: u64,
    pub deadlocks: u64,
}

const TITLE: &str = "evenhand checkpoint 2";

impl Checkpoint {
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

    /// Whether the files of all workers are seen from here.
    pub(crate) fn sees_all(&self, manifest: &Manifest) -> bool {
        let mut workers = 0..manifest.workers;
        workers.all(|worker| self.file(manifest.generation, worker).exists())
    }

    /// What the manifest says; none if nothing was written yet.
    pub(crate) fn read(&self) -> Result<Option<Manifest>, String> {
        let name = self.manifest();
        let text = match fs::read_to_string(&name) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("cannot read `{}`: {error}", name.display())),
        };
        let mut lines = text.lines();
        let damaged = || format!("`{}` is no manifest of a checkpoint", name.display());
        if lines.next() != Some(TITLE) {
            return Err(damaged());
        }
        if lines.next() != Some(&*self.about) {
            let name = self.folder.display();
            return Err(format!(
                "the checkpoint in `{name}` is about another model or question"
            ));
        }
        let mut next = || lines.next()?.parse::<u64>().ok();
        let mut number = || next().ok_or_else(damaged);
        Ok(Some(Manifest {
            generation: number()?,
            workers: number()?,
            depth: number()?,
            transitions: number()?,
            deadlocks: number()?,
        }))
    }

    /// From now on the files of a generation count.
    pub(crate) fn commit(&self, manifest: &Manifest) -> io::Result<()> {
        let Manifest {
            generation,
            workers,
            depth,
            transitions,
            deadlocks,
        } = manifest;
        let about = &self.about;
        let text = format!(
            "{TITLE}\n{about}\n{generation}\n{workers}\n{depth}\n{transitions}\n{deadlocks}\n"
        );
        let new = self.folder.join("manifest.new");
        fs::write(&new, text)?;
        fs::rename(new, self.manifest())
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

    /// Writes the states of a worker; `end` is where the level begins that is expanded next.
    pub(crate) fn write(
        &self,
        generation: u64,
        explore: &mut Explore<'_>,
        worker: usize,
        end: usize,
    ) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let mut file = Hashing {
            inner: BufWriter::new(File::create(self.file(generation, worker as u64))?),
            hash: Sha256::new(),
        };
        let mut bytes = Vec::new();
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
        let hash = file.hash.finalize();
        file.inner.write_all(&hash)?;
        file.inner.into_inner()?.sync_all()
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

/// Whether a file ends as it was written.
fn is_whole(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let Some(mut left) = file.metadata()?.len().checked_sub(32) else {
        return Ok(false);
    };
    let mut hash = Sha256::new();
    let mut bytes = vec![0; 1 << 16];
    while left > 0 {
        let some = left.min(bytes.len() as u64) as usize;
        file.read_exact(&mut bytes[..some])?;
        hash.update(&bytes[..some]);
        left -= some as u64;
    }
    file.read_exact(&mut bytes[..32])?;
    Ok(hash.finalize()[..] == bytes[..32])
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
    fn open(path: &Path, worker: u64) -> io::Result<Source> {
        if !is_whole(path)? {
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

/// Reads a checkpoint into the shards of those who go on; where the level begins that is expanded next.
pub(crate) fn load(
    post: &mut Post,
    explore: &mut Explore<'_>,
    checkpoint: &Checkpoint,
    manifest: &Manifest,
) -> Result<usize, Broken> {
    let (own, peers) = (post.index() as u64, post.peers() as u64);
    let files = (0..manifest.workers).filter(|worker| worker % peers == own);
    let opened: io::Result<Vec<Source>> = files
        .map(|worker| Source::open(&checkpoint.file(manifest.generation, worker), worker))
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
    if let Some(fault) = load.fault {
        let name = checkpoint.folder.display();
        post.alarm.raise(format!(
            "the checkpoint in `{name}` cannot be used: {fault}"
        ));
    }
    // Nobody goes on before all have read theirs.
    post.agree(&[])?;
    match post.alarm.is_raised() {
        true => Err(Broken),
        false => Ok(end),
    }
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
