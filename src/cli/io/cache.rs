//! Results of earlier builds, in the user's cache directory.
//!
//! Input: entries by key. Output: files of the same names. Invariants: an entry exists completely or not at
//! all. The cache never decides what a build writes, and a build never fails because of it: an entry that
//! cannot be read or written counts as missing. When the entries exceed [`LIMIT`], the ones that were not
//! used for longest go.

use crate::io::errors::DriverError;
use crate::io::progress::now;
use crate::io::read;
use crate::io::terminal::Terminal;
use crate::io::write;
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_emit::CheckedResults;
use fabc_lang::syntax::ast::Spec;
use fabc_lsp::EarlierBuilds;
use fabc_model::Fabric;
use fabc_pipeline::compile::{MeasuredLine, ResultStore, measured_lines};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The most bytes of all entries together.
pub(crate) const LIMIT: u64 = 2 << 30;

/// What remains when entries are removed, in percent of the limit.
const KEPT_PERCENT: u64 = 80;

/// The variable that names another directory, or is `off`.
pub(crate) const VARIABLE: &str = "FABC_CACHE";

/// The cache of a command.
pub(crate) struct ResultCache {
    directory: PathBuf,
    terminal: Terminal,
    has_written: AtomicBool,
}

/// An entry on the disk.
struct Entry {
    path: PathBuf,
    bytes: u64,
    /// When it was written or used last, in nanoseconds. 0 where the system does not say.
    used: u128,
}

/// The number and the size of the entries of a cache.
pub(crate) struct CacheContents {
    pub(crate) entries: usize,
    pub(crate) bytes: u64,
}

impl ResultCache {
    /// The cache in a directory, or else that of this user. `None` if the user wants none, or if the system
    /// has no place for one.
    pub(crate) fn open(directory: Option<PathBuf>, terminal: Terminal) -> Option<Self> {
        let directory = directory.or_else(cache_directory)?;
        Some(Self { directory, terminal, has_written: AtomicBool::new(false) })
    }

    fn path(&self, key: &str) -> PathBuf {
        entry_path(&self.directory, key)
    }
}

fn entry_path(directory: &Path, key: &str) -> PathBuf {
    directory.join(format!("{key}.bin"))
}

impl ResultStore for ResultCache {
    fn load(&self, key: &str) -> Option<Vec<u8>> {
        let path = self.path(key);
        let bytes = read::read_bytes(&path, ARTIFACT_BYTES).ok()?;
        mark_used(&path);
        Some(bytes)
    }

    fn store(&self, key: &str, bytes: &[u8]) {
        match write::write_file(&self.path(key), bytes) {
            Ok(()) => self.has_written.store(true, Ordering::Relaxed),
            Err(error) => self.terminal.detail(&format!("the cache keeps nothing: {error}")),
        }
    }

    fn discard(&self, key: &str, reason: &str) {
        self.terminal.detail(&format!("dropped an entry of the cache: {reason}"));
        // It counts as missing even if it cannot be removed, because it will be convicted again.
        let _ = std::fs::remove_file(self.path(key));
    }
}

/// What the builds of this user measured, for an editor. It only reads.
pub(crate) struct CachedBuilds;

impl EarlierBuilds for CachedBuilds {
    fn measured_lines(&self, fabric: &Fabric, spec: &Spec) -> Vec<MeasuredLine> {
        match cache_directory().zip(code_version()) {
            Some((directory, version)) => {
                let normal = fabc_lang::normal_form(fabric, spec);
                measured_lines(&CacheReader { directory }, fabric, &normal, &version)
            }
            None => Vec::new(),
        }
    }
}

/// A cache that is only read: no entry is marked as used.
struct CacheReader {
    directory: PathBuf,
}

impl ResultStore for CacheReader {
    fn load(&self, key: &str) -> Option<Vec<u8>> {
        read::read_bytes(&entry_path(&self.directory, key), ARTIFACT_BYTES).ok()
    }

    fn store(&self, _: &str, _: &[u8]) {}

    fn discard(&self, _: &str, _: &str) {}
}

/// Compares the entries of a cache with the results of new searches. It has no result for a build, so that
/// everything is searched for, and it stores nothing.
pub(crate) struct CacheComparison {
    cache: ResultCache,
    same: AtomicUsize,
    different: AtomicUsize,
    missing: AtomicUsize,
}

impl CacheComparison {
    pub(crate) fn new(cache: ResultCache) -> Self {
        let [same, different, missing] = [0, 0, 0].map(AtomicUsize::new);
        Self { cache, same, different, missing }
    }

    /// The numbers of results so far: kept ones that are the same, kept ones that differed and were removed,
    /// and those that are not kept.
    pub(crate) fn counts(&self) -> CheckedResults {
        let count = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        CheckedResults {
            same: count(&self.same),
            different: count(&self.different),
            missing: count(&self.missing),
        }
    }
}

impl ResultStore for CacheComparison {
    fn load(&self, _: &str) -> Option<Vec<u8>> {
        None
    }

    fn store(&self, key: &str, bytes: &[u8]) {
        let count = match self.cache.load(key) {
            None => &self.missing,
            Some(kept) if kept == bytes => &self.same,
            Some(_) => {
                self.cache.discard(key, "a new search finds another result");
                &self.different
            }
        };
        count.fetch_add(1, Ordering::Relaxed);
    }

    fn discard(&self, _: &str, _: &str) {}
}

impl Drop for ResultCache {
    fn drop(&mut self) {
        if self.has_written.load(Ordering::Relaxed) {
            remove_oldest(&self.directory, LIMIT);
        }
    }
}

/// The directory of the cache. `None` if the user wants none, or if the system has no place for one.
pub(crate) fn cache_directory() -> Option<PathBuf> {
    match std::env::var_os(VARIABLE) {
        Some(value) if value.is_empty() || value == "off" => None,
        Some(value) => Some(PathBuf::from(value)),
        None => user_directory(),
    }
}

#[cfg(not(target_family = "wasm"))]
fn user_directory() -> Option<PathBuf> {
    use etcetera::BaseStrategy;
    etcetera::choose_base_strategy().ok().map(|strategy| strategy.cache_dir().join("fabc"))
}

/// A page keeps nothing between two commands.
#[cfg(target_family = "wasm")]
fn user_directory() -> Option<PathBuf> {
    None
}

/// The name of the code that runs: its version, and the size and time of its file. Another binary shares no
/// results.
/// `None` if the system does not say.
pub(crate) fn code_version() -> Option<String> {
    let file = std::env::current_exe().ok()?.metadata().ok()?;
    let age = file.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(format!("{} {} {}", env!("FABC_VERSION"), file.len(), age.as_nanos()))
}

/// Marks an entry as used now. A directory that cannot be written keeps its times.
fn mark_used(path: &Path) {
    let _ = std::fs::File::options().append(true).open(path).and_then(|file| file.set_modified(now()));
}

/// The entries of a directory. Other files are none.
fn entries(directory: &Path) -> Vec<Entry> {
    let Ok(files) = std::fs::read_dir(directory) else { return Vec::new() };
    let entry = |file: std::fs::DirEntry| {
        let path = file.path();
        let name = path.file_name()?.to_str()?.strip_suffix(".bin")?;
        let is_key = name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let kind = file.metadata().ok().filter(|kind| is_key && kind.is_file())?;
        let used = kind.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        Some(Entry { bytes: kind.len(), used: used.map_or(0, |age| age.as_nanos()), path })
    };
    files.flatten().filter_map(entry).collect()
}

/// Removes the entries that were not used for longest, if all together exceed the limit.
fn remove_oldest(directory: &Path, limit: u64) {
    let mut all = entries(directory);
    let mut total: u64 = all.iter().map(|entry| entry.bytes).sum();
    if total <= limit {
        return;
    }
    all.sort_by(|first, second| (first.used, &first.path).cmp(&(second.used, &second.path)));
    for entry in all {
        if total <= limit * KEPT_PERCENT / 100 {
            break;
        }
        if std::fs::remove_file(&entry.path).is_ok() {
            total -= entry.bytes;
        }
    }
}

/// Counts the entries of a directory.
pub(crate) fn contents(directory: &Path) -> CacheContents {
    let all = entries(directory);
    CacheContents { entries: all.len(), bytes: all.iter().map(|entry| entry.bytes).sum() }
}

/// Removes all entries of a directory, and nothing else.
///
/// # Errors
/// `DriverError::Unwritable` if an entry cannot be removed.
pub(crate) fn clear(directory: &Path) -> Result<(), DriverError> {
    let remove = |entry: Entry| {
        std::fs::remove_file(&entry.path).map_err(|error| DriverError::Unwritable {
            path: read::display(&entry.path),
            reason: read::error_words(&error),
        })
    };
    entries(directory).into_iter().try_for_each(remove)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(digit: char) -> String {
        digit.to_string().repeat(64)
    }

    fn entry_file(directory: &Path, digit: char) -> PathBuf {
        directory.join(format!("{}.bin", key(digit)))
    }

    #[test]
    fn the_oldest_entries_go_first_and_other_files_stay() {
        let folder = tempfile::tempdir().unwrap();
        let write = |digit: char, seconds: u64| {
            let path = entry_file(folder.path(), digit);
            std::fs::write(&path, vec![0; 100]).unwrap();
            let used = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            std::fs::File::options().append(true).open(&path).unwrap().set_modified(used).unwrap();
        };
        [('a', 30), ('b', 10), ('c', 20)].into_iter().for_each(|(digit, seconds)| write(digit, seconds));
        std::fs::write(folder.path().join("notes.bin"), vec![0; 1000]).unwrap();
        remove_oldest(folder.path(), 300);
        assert_eq!(contents(folder.path()).entries, 3, "three entries are not too many");
        remove_oldest(folder.path(), 299);
        let left = ['a', 'b', 'c'].map(|digit| entry_file(folder.path(), digit).exists());
        assert_eq!(left, [true, false, true]);
        clear(folder.path()).unwrap();
        assert_eq!(contents(folder.path()).bytes, 0);
        assert!(folder.path().join("notes.bin").exists());
    }
}
