//! Where included files are found: beside the one that names them, and in the folders of the call.

use std::io;
use std::path::{Path, PathBuf};

use evenhand_source::{FileId, Files, MOST_BYTES, is_below, read_file};
use evenhand_system::ReadOptions;

/// How included files are read; none at all in texts that are no nets.
pub(crate) struct Includes<'o>(Option<(&'o ReadOptions, PathBuf)>);

impl<'o> Includes<'o> {
    /// Files are read as the options of a net say.
    pub fn new(files: &Files, main: FileId, options: &'o ReadOptions) -> Includes<'o> {
        Includes(Some((options, folder(files, main))))
    }

    /// No file is read.
    pub fn none() -> Includes<'static> {
        Includes(None)
    }

    /// The file that another one names.
    pub fn find(&self, files: &mut Files, name: &str, from: FileId) -> Result<FileId, String> {
        let Some((options, own)) = &self.0 else {
            return Err("nothing is included here".to_string());
        };
        let beside = folder(files, from);
        for folder in std::iter::once(&beside).chain(&options.include_dirs) {
            let place = folder.join(name);
            let mut allowed = std::iter::once(own).chain(&options.include_dirs);
            if options.confined && !allowed.any(|folder| is_below(&place, folder)) {
                // Whether there is such a file is nobody's business then.
                return Err("it is outside of the folder of the model".to_string());
            }
            match read_file(&place, options.most_bytes.unwrap_or(MOST_BYTES)) {
                Ok(text) => return Ok(files.add(place.display().to_string(), text)),
                Err(error) => match io::Error::from(error) {
                    error if error.kind() == io::ErrorKind::NotFound => {}
                    error => return Err(error.to_string()),
                },
            }
        }
        Err("there is no such file".to_string())
    }
}

fn folder(files: &Files, file: FileId) -> PathBuf {
    let parent = Path::new(&files.get(file).name).parent();
    parent.map(Path::to_path_buf).unwrap_or_default()
}
