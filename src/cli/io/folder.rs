//! Folders of the disk, for the operations of the pipeline.

use crate::io::read::{self, display};
use crate::io::stop::Stop;
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_pipeline::folder::Folder;
use fabc_pipeline::library::Loaded;
use std::path::{Path, PathBuf};

/// A folder of the disk.
#[derive(Clone)]
pub(crate) struct DiskFolder(PathBuf);

impl DiskFolder {
    /// The folder at a path. It need not exist.
    pub(crate) fn new(path: &Path) -> Self {
        Self(path.to_owned())
    }
}

impl Folder for DiskFolder {
    type Error = Stop;

    fn path(&self) -> String {
        display(&self.0)
    }

    fn below(&self, folder: &str) -> Self {
        Self(self.0.join(folder))
    }

    fn has(&self, file: &str) -> bool {
        self.0.join(file).is_file()
    }

    fn has_folder(&self, folder: &str) -> bool {
        self.0.join(folder).is_dir()
    }

    fn size(&self, file: &str) -> Option<u64> {
        std::fs::metadata(self.0.join(file)).ok().map(|metadata| metadata.len())
    }

    fn read(&self, file: &str) -> Result<Vec<u8>, Stop> {
        Ok(read::read_bytes(&self.0.join(file), ARTIFACT_BYTES)?)
    }

    fn text(&self, file: &str, limit: u64) -> Result<String, Stop> {
        Ok(read::read_text(&display(&self.0.join(file)), limit)?)
    }

    fn paths(&self) -> Result<Vec<String>, Stop> {
        Ok(read::file_paths(&self.0)?)
    }

    fn spec(&self) -> Result<Loaded, Stop> {
        read::built_spec(&self.0)
    }

    fn fabric(&self) -> Result<Loaded, Stop> {
        read::built_fabric(&self.0)
    }

    fn convicting(error: Stop) -> Stop {
        Stop { exit_code: 3, ..error }
    }
}
