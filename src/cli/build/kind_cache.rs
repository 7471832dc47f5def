//! A cache of compiled kinds of slices, by the hash of their inputs.

use crate::args::options::BuildArgs;
use crate::io::content;
use crate::io::errors::DriverError;
use crate::io::read;
use crate::io::staging::{self, MANIFEST, Staging};
use crate::io::stop::Stop;
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_emit::{Artifact, TOOL, input_copies};
use fabc_ir::read::{Manifest, tagged};
use fabc_model::Fabric;
use std::path::{Path, PathBuf};

/// A folder with one directory for every compiled kind.
pub(crate) struct KindCache<'a> {
    directory: &'a Path,
}

impl<'a> KindCache<'a> {
    pub(crate) fn from_args(args: &'a BuildArgs) -> Option<Self> {
        args.cache.as_deref().map(|directory| Self { directory })
    }

    fn entry(&self, key: &str) -> PathBuf {
        self.directory.join(key)
    }

    /// All files of a kind. `None` if the cache has no such kind, or a file is damaged.
    pub(crate) fn load(&self, key: &str) -> Result<Option<Vec<Artifact>>, DriverError> {
        let place = self.entry(key);
        let Ok(manifest) = read::read_bytes(&place.join(MANIFEST), ARTIFACT_BYTES) else { return Ok(None) };
        let Ok(Manifest { files, tool, .. }) = tagged::<Manifest>(&manifest) else { return Ok(None) };
        let mut artifacts = Vec::new();
        for line in files {
            let Ok(bytes) = read::read_bytes(&place.join(&line.path), ARTIFACT_BYTES) else {
                return Ok(None);
            };
            // A kind with changed files is compiled again.
            if tool != TOOL || blake3::hash(&bytes).to_hex().as_str() != line.blake3 {
                return Ok(None);
            }
            artifacts.push(Artifact { path: line.path, bytes });
        }
        artifacts.push(Artifact { path: MANIFEST.to_owned(), bytes: manifest });
        Ok(Some(artifacts))
    }

    /// Stages the directory of a kind that is being written.
    pub(crate) fn begin(&self, key: &str) -> Result<Staging, Stop> {
        Ok(Staging::for_directory(&self.entry(key), staging::BUILT)?)
    }
}

/// The key of a kind: the hash of this version, its normal form, its input files, and the options that affect
/// the output.
pub(crate) fn kind_key(fabric: &Fabric, text: &str, args: &BuildArgs) -> String {
    let inputs = input_copies(fabric);
    let options = format!("{:?} {:?}", args.compile.until, args.tables);
    let files = inputs.iter().flat_map(|(path, text)| [path.as_str(), text.as_str()]);
    content::content_hash([text].into_iter().chain(files).chain([options.as_str()])).to_hex().to_string()
}
