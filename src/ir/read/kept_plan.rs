//! Reads plans that the cache keeps: `fabc.kept_plan.bin/1`.

use super::kept::{expect_format, unsealed};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The files of a kept plan, by the paths that they have in a directory.
pub struct KeptPlan {
    /// Whether its proof needs the tables of its scenarios.
    pub needs_tables: bool,
    pub files: BTreeMap<String, Vec<u8>>,
}

#[derive(Deserialize)]
#[serde(rename = "Head", deny_unknown_fields)]
struct PlanHead {
    format: String,
    key: String,
    needs_tables: bool,
    files: Vec<FileLength>,
}

/// The path of a file, and its length in bytes.
#[derive(Deserialize)]
struct FileLength(String, usize);

impl KeptPlan {
    /// Reads a file and compares its hash and its key.
    ///
    /// # Errors
    /// The hash or the key differs, the format is another one, or its files do not have the stated lengths.
    pub fn read(bytes: &[u8], key: &str) -> Result<Self, String> {
        let (PlanHead { format, key: own, needs_tables, files: lengths }, body, _) = unsealed(bytes)?;
        expect_format(&format, "fabc.kept_plan.bin/1")?;
        if own != key {
            return Err("it belongs to another build".to_owned());
        }
        let mut rest = &body[..];
        let mut files = BTreeMap::new();
        for FileLength(path, length) in lengths {
            let (file, after) = rest.split_at_checked(length).ok_or("one of its files is cut off")?;
            files.insert(path, file.to_vec());
            rest = after;
        }
        if rest.is_empty() {
            Ok(Self { needs_tables, files })
        } else {
            Err("it has bytes of no file".to_owned())
        }
    }
}
