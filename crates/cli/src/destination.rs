//! Files that a call writes beside its answer.
//!
//! A check may take hours, and its report is written at the end: so whether it can be written at all is
//! found out before. Nothing that the call reads is ever written over, whatever name it goes by: files
//! are compared by what they are (device and number), so that links do not deceive. The text goes to a file
//! of its own beside the wanted one and takes its name when it is complete; a full disk or a
//! crash leaves what was there before. What is no regular file is written to directly, and so is a
//! file in a folder in which nothing can be made; where answers or messages go (`/dev/stdout`, or the file
//! that it was redirected to), the text goes with them.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{BufWriter, Error, ErrorKind, Write};
use std::path::{Path, PathBuf};

use evenhand_source::{Diagnostic, Exhausted, Files};

/// The files that a call reads.
#[derive(Default)]
pub(crate) struct Sources(Vec<PathBuf>);

impl Sources {
    /// The model, with everything that it includes.
    pub fn of_model(model: &Path, files: &Files) -> Sources {
        // A model that comes through a redirection has a file too.
        let model = match model == Path::new("-") {
            true => Path::new("/dev/stdin"),
            false => model,
        };
        let included = files.iter().map(|(_, file)| PathBuf::from(&file.name));
        Sources(
            std::iter::once(model.to_path_buf())
                .chain(included)
                .collect(),
        )
    }

    /// And further files.
    pub fn and<'p>(mut self, others: impl IntoIterator<Item = &'p PathBuf>) -> Sources {
        self.0.extend(others.into_iter().cloned());
        self
    }

    /// The one of them that a path names too.
    fn same_as(&self, path: &Path) -> Option<&Path> {
        let wanted = identity(path)?;
        let own = self.0.iter();
        let mut own = own.filter(|source| identity(source).as_ref() == Some(&wanted));
        own.next().map(PathBuf::as_path)
    }
}

/// What makes a file the same under two names.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let found = path.metadata().ok()?;
    Some((found.dev(), found.ino()))
}

/// What makes a file the same under two names.
#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

/// A file that will be written.
#[derive(Debug)]
pub(crate) struct Destination {
    /// As the call names it.
    name: PathBuf,
    /// Where it really is.
    target: PathBuf,
    /// How it is written.
    way: Way,
}

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Beside, and renamed.
    Beside,
    /// As it is.
    Directly,
    /// It is where answers go, under whatever name.
    Output,
    /// It is where messages go.
    Errors,
}

impl Destination {
    /// Finds out whether a file can be written; `option` names it.
    ///
    /// # Errors
    /// If it cannot, or must not.
    pub fn new(option: &str, path: &Path, sources: &Sources) -> Result<Destination, Diagnostic> {
        let name = path.display();
        if let Some(source) = sources.same_as(path) {
            let message = match source == path {
                true => format!("`{option} {name}` would write over what is read"),
                false => {
                    let source = source.display();
                    format!("`{option} {name}` would write over `{source}`, which is read")
                }
            };
            return Err(Diagnostic::global(message).help("give the name of another file"));
        }
        Destination::probe(path).map_err(|error| cannot_write(path, &error))
    }

    /// A limit was reached before there was anything to write.
    ///
    /// # Errors
    /// Always: that.
    pub fn given_up(&self, why: Exhausted) -> Result<(), Diagnostic> {
        let name = self.name.display();
        Err(Diagnostic::global(format!(
            "`{name}` was not written: {why}"
        )))
    }

    /// Several at once, none of them twice.
    ///
    /// # Errors
    /// As [`Destination::new`].
    pub fn all<const N: usize>(
        wanted: [(&str, Option<&PathBuf>); N],
        sources: Sources,
    ) -> Result<[Option<Destination>; N], Diagnostic> {
        let mut found = [const { None }; N];
        for (at, (option, path)) in wanted.into_iter().enumerate() {
            let Some(path) = path else {
                continue;
            };
            let new = Destination::new(option, path, &sources)?;
            let is_same =
                |other: &Destination| other.way == Way::Beside && other.target == new.target;
            if found.iter().flatten().any(is_same) {
                let message = format!("`{}` would be written twice", path.display());
                return Err(Diagnostic::global(message).help("give the names of two files"));
            }
            found[at] = Some(new);
        }
        Ok(found)
    }

    fn probe(path: &Path) -> Result<Destination, Error> {
        // What a link points to is what is written.
        let target = match path.canonicalize() {
            Ok(target) => target,
            Err(error) if error.kind() == ErrorKind::NotFound => absolute(path)?,
            Err(error) => return Err(error),
        };
        let known = target.metadata().ok();
        if known.as_ref().is_some_and(Metadata::is_dir) {
            return Err(Error::from(ErrorKind::IsADirectory));
        }
        let mut way = match known.as_ref().is_none_or(Metadata::is_file) {
            true => Way::Beside,
            false => Way::Directly,
        };
        // What is printed is there already, or comes behind it.
        for (stream, own) in [("/dev/stdout", Way::Output), ("/dev/stderr", Way::Errors)] {
            let stream = identity(Path::new(stream));
            if known.is_some() && stream.is_some() && stream == identity(&target) {
                way = own;
            }
        }
        if way == Way::Beside && known.is_some() {
            OpenOptions::new().append(true).open(&target)?;
        }
        if way == Way::Beside {
            match create(&target) {
                Ok((_, place)) => std::fs::remove_file(place)?,
                Err(_) if known.is_some() => way = Way::Directly,
                Err(error) => return Err(error),
            }
        }
        let name = path.to_path_buf();
        Ok(Destination { name, target, way })
    }

    /// The file as the call names it.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Writes it.
    ///
    /// # Errors
    /// If that fails; what was there before is there still.
    pub fn write(&self, text: &str) -> Result<(), Diagnostic> {
        let written = match self.way {
            Way::Beside => self.replace(text),
            Way::Directly => std::fs::write(&self.target, text),
            Way::Output => std::io::stdout().write_all(text.as_bytes()),
            Way::Errors => std::io::stderr().write_all(text.as_bytes()),
        };
        written.map_err(|error| cannot_write(&self.name, &error))
    }

    fn replace(&self, text: &str) -> Result<(), Error> {
        let (mut file, place) = create(&self.target)?;
        let mut part = Part(Some(place));
        file.write_all(text.as_bytes())?;
        part.settle(&self.target)
    }

    /// Begins to write it, to be ended by [`Stream::finish`].
    ///
    /// # Errors
    /// If that fails.
    pub fn begin(self) -> Result<(Box<dyn Write + Send>, Stream), Diagnostic> {
        let mut part = Part(None);
        let out: Result<Box<dyn Write + Send>, Error> = match self.way {
            Way::Beside => create(&self.target).map(|(file, place)| {
                part = Part(Some(place));
                Box::new(BufWriter::new(file)) as _
            }),
            Way::Directly => {
                File::create(&self.target).map(|file| Box::new(BufWriter::new(file)) as _)
            }
            Way::Output => Ok(Box::new(std::io::stdout())),
            Way::Errors => Ok(Box::new(std::io::stderr())),
        };
        let out = out.map_err(|error| cannot_write(&self.name, &error))?;
        let destination = self;
        Ok((out, Stream { destination, part }))
    }
}

/// A file that is being written; what was there before stays until it is finished.
pub(crate) struct Stream {
    destination: Destination,
    part: Part,
}

impl Stream {
    /// The file as the call names it.
    pub fn name(&self) -> &Path {
        &self.destination.name
    }

    /// Everything was written, or why not.
    ///
    /// # Errors
    /// If it was not; what was there before is there still.
    pub fn finish(mut self, written: Result<(), Error>) -> Result<(), Diagnostic> {
        let Destination { name, target, .. } = &self.destination;
        written
            .and_then(|()| self.part.settle(target))
            .map_err(|error| cannot_write(name, &error))
    }
}

/// A file beside the wanted one; gone unless it takes its name.
struct Part(Option<PathBuf>);

impl Part {
    fn settle(&mut self, target: &Path) -> Result<(), Error> {
        let Some(place) = &self.0 else {
            return Ok(());
        };
        let file = OpenOptions::new().append(true).open(place)?;
        file.sync_all()?;
        if let Ok(known) = target.metadata() {
            file.set_permissions(known.permissions())?;
        }
        std::fs::rename(place, target)?;
        self.0 = None;
        Ok(())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if let Some(place) = &self.0 {
            let _ = std::fs::remove_file(place);
        }
    }
}

/// The place of a file that does not exist; links on the way, and one that points to nothing, are
/// followed.
fn absolute(path: &Path) -> Result<PathBuf, Error> {
    if let Ok(target) = path.read_link() {
        let folder = path.parent().unwrap_or(Path::new(""));
        return Ok(folder.join(target));
    }
    let Some(name) = path.file_name() else {
        return Err(Error::from(ErrorKind::NotFound));
    };
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    Ok(folder.canonicalize()?.join(name))
}

/// A new file beside another one.
fn create(target: &Path) -> Result<(File, PathBuf), Error> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    // A name may not be arbitrarily long.
    let name: String = name.chars().take(40).collect();
    let mut number = 0;
    loop {
        let own = format!(".{name}.{}-{number}.part", std::process::id());
        let place = target.with_file_name(own);
        match OpenOptions::new().write(true).create_new(true).open(&place) {
            Ok(file) => return Ok((file, place)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && number < 100 => number += 1,
            Err(error) => return Err(error),
        }
    }
}

fn cannot_write(path: &Path, error: &Error) -> Diagnostic {
    Diagnostic::global(format!("cannot write `{}`: {error}", path.display()))
}
