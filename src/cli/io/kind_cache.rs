//! Kinds of slices that were compiled before, by what they were compiled from.

use crate::args::options::BuildArgs;
use crate::io::content;
use crate::io::errors::{DriverError, Stop};
use crate::io::read;
use crate::io::staging::{self, MANIFEST, Staging};
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_emit::{Artifact, TOOL, inputs};
use fabc_ir::read::{Manifest, tagged};
use fabc_model::Fabric;
use std::path::{Path, PathBuf};

/// A folder with a directory for every kind that was compiled.
pub(crate) struct Cache<'a> {
    directory: &'a Path,
}

impl<'a> Cache<'a> {
    pub(crate) fn of(args: &'a BuildArgs) -> Option<Self> {
        args.cache.as_deref().map(|directory| Self { directory })
    }

    fn place(&self, key: &str) -> PathBuf {
        self.directory.join(key)
    }

    /// All files of a kind, if they are there as they were written.
    pub(crate) fn found(&self, key: &str) -> Result<Option<Vec<Artifact>>, DriverError> {
        let place = self.place(key);
        let Ok(manifest) = read::bytes(&place.join(MANIFEST), ARTIFACT_BYTES) else { return Ok(None) };
        let Ok(Manifest { files, tool, .. }) = tagged::<Manifest>(&manifest) else { return Ok(None) };
        let mut all = Vec::new();
        for line in files {
            let Ok(bytes) = read::bytes(&place.join(&line.path), ARTIFACT_BYTES) else { return Ok(None) };
            // What somebody changed is compiled again.
            if tool != TOOL || blake3::hash(&bytes).to_hex().as_str() != line.blake3 {
                return Ok(None);
            }
            all.push(Artifact { path: line.path, bytes });
        }
        all.push(Artifact { path: MANIFEST.to_owned(), bytes: manifest });
        Ok(Some(all))
    }

    /// Where a kind is kept that is being written.
    pub(crate) fn keep(&self, key: &str) -> Result<Staging, Stop> {
        Ok(Staging::at(&self.place(key), staging::BUILT)?)
    }
}

/// What a kind is compiled from, as one number: this version, the normal form, the files that it names, and
/// the options that decide what is written.
pub(crate) fn key(fabric: &Fabric, text: &str, args: &BuildArgs) -> String {
    let inputs = inputs(fabric);
    let options = format!("{:?} {:?}", args.compile.stop_after, args.tables);
    let files = inputs.iter().flat_map(|(path, text)| [path.as_str(), text.as_str()]);
    content::key([text].into_iter().chain(files).chain([options.as_str()])).to_hex().to_string()
}
