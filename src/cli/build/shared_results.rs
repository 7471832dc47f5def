//! The results that the processes of a build share: a file for each in `kept/`, named by its key, and
//! `queue.json`, which lists the pieces.
//!
//! Input: what one process found. Output: the same for all others, and for the merge. Invariants: a file
//! exists completely or not at all. A piece is worked on by the process that has locked its lock file, and
//! the lock ends with its process. A key names everything that a result depends on, so a file of another spec
//! or version is never found.

use crate::build::parts::BuildParts;
use crate::io::errors::DriverError;
use crate::io::lock::WorkLock;
use crate::io::read::{self, display};
use crate::io::terminal::Terminal;
use crate::io::write;
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_ir::QueuedPiece;
use fabc_lang::syntax::ast::Spec;
use fabc_model::Fabric;
use fabc_pipeline::compile::{KnownResults, ResultStore, WorkQueue};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The name of the code that works: only processes of the same version and commit share results.
const VERSION: &str = env!("FABC_VERSION");

/// The name of the claim of the healthy fabric. No key is spelled so.
const HEALTHY: &str = "healthy";

/// The shared results of a build, for one of its processes.
pub(crate) struct SharedResults<'a> {
    parts: &'a BuildParts,
    terminal: Terminal,
    written: AtomicUsize,
    /// The first result that could not be stored.
    failed: Mutex<Option<DriverError>>,
}

impl<'a> SharedResults<'a> {
    pub(crate) fn new(parts: &'a BuildParts, terminal: Terminal) -> Self {
        Self { parts, terminal, written: AtomicUsize::new(0), failed: Mutex::new(None) }
    }

    /// The number of results that this process has stored.
    pub(crate) fn written_files(&self) -> usize {
        self.written.load(Ordering::Relaxed)
    }

    /// Reports the first result that could not be stored.
    ///
    /// # Errors
    /// `DriverError::Unwritable`.
    pub(crate) fn require_stored(self) -> Result<(), DriverError> {
        self.failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    fn note_failure(&self, outcome: Result<(), DriverError>) {
        if let Err(error) = outcome {
            self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }

    fn lock_path(&self, key: &str) -> PathBuf {
        self.parts.kept_folder().join(format!(".{key}.lock"))
    }
}

/// The results of a store that a build reads and writes. `normal` is the normal form of the spec.
pub(crate) fn known_results<'s>(
    store: &'s dyn ResultStore,
    fabric: &Fabric,
    normal: &Spec,
) -> KnownResults<'s> {
    KnownResults::new(store, fabric, normal, VERSION)
}

impl ResultStore for SharedResults<'_> {
    fn load(&self, key: &str) -> Option<Vec<u8>> {
        read::read_bytes(&self.parts.kept_path(key), ARTIFACT_BYTES).ok()
    }

    fn store(&self, key: &str, bytes: &[u8]) {
        let outcome = write::write_file(&self.parts.kept_path(key), bytes);
        if outcome.is_ok() {
            self.written.fetch_add(1, Ordering::Relaxed);
        }
        self.note_failure(outcome);
    }

    fn discard(&self, key: &str, reason: &str) {
        let path = self.parts.kept_path(key);
        self.terminal.note(&format!("`{}` is made again: {reason}", display(&path)));
        let _ = std::fs::remove_file(path);
    }
}

impl WorkQueue for SharedResults<'_> {
    type Claim = WorkLock;

    fn claim_healthy(&self) -> Option<WorkLock> {
        if self.parts.has_healthy() {
            return None;
        }
        let claim = WorkLock::wait(&self.lock_path(HEALTHY));
        // Another process may have finished while this one waited.
        (!self.parts.has_healthy()).then_some(claim)
    }

    fn list(&self, pieces: &[QueuedPiece]) {
        self.note_failure(self.parts.write_queue(pieces));
    }

    fn try_claim(&self, key: &str) -> Option<WorkLock> {
        WorkLock::try_take(&self.lock_path(key))
    }

    fn claim(&self, key: &str) -> WorkLock {
        WorkLock::wait(&self.lock_path(key))
    }
}

/// The shared results of a build that is merged. A sample of the pieces counts as missing, is made again, and
/// compared.
pub(crate) struct MergedResults<'a> {
    shared: SharedResults<'a>,
    /// The keys of all pieces.
    pieces: BTreeSet<String>,
    /// The keys of the pieces that are made again.
    sample: BTreeSet<String>,
    /// The pieces whose result is another one, by their keys.
    different: Mutex<BTreeSet<String>>,
}

impl<'a> MergedResults<'a> {
    /// `count` of the pieces are made again, chosen by the hash of all results. The healthy fabric, which is
    /// the first piece, is none of them: to make it again is to build anew.
    pub(crate) fn new(
        parts: &'a BuildParts,
        pieces: &[QueuedPiece],
        count: usize,
        terminal: Terminal,
    ) -> Self {
        let shared = SharedResults::new(parts, terminal);
        let mut hash = blake3::Hasher::new();
        for piece in pieces {
            hash.update(blake3::hash(&shared.load(&piece.key).unwrap_or_default()).as_bytes());
        }
        let chance = *hash.finalize().as_bytes();
        let place = |piece: &QueuedPiece| *blake3::keyed_hash(&chance, piece.key.as_bytes()).as_bytes();
        let mut others: Vec<&QueuedPiece> = pieces.iter().skip(1).collect();
        others.sort_by_cached_key(|piece| place(piece));
        let sample = others.into_iter().take(count).map(|piece| piece.key.clone()).collect();
        let pieces = pieces.iter().map(|piece| piece.key.clone()).collect();
        Self { shared, pieces, sample, different: Mutex::new(BTreeSet::new()) }
    }

    /// The keys of the pieces whose result differs from that of a new search.
    pub(crate) fn different(self) -> BTreeSet<String> {
        self.different.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ResultStore for MergedResults<'_> {
    fn load(&self, key: &str) -> Option<Vec<u8>> {
        if self.sample.contains(key) { None } else { self.shared.load(key) }
    }

    fn store(&self, key: &str, bytes: &[u8]) {
        if self.sample.contains(key) {
            if self.shared.load(key).is_none_or(|kept| kept != bytes) {
                self.different.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_owned());
            }
        } else if self.pieces.contains(key) {
            self.shared.store(key, bytes);
        }
    }

    fn discard(&self, key: &str, reason: &str) {
        self.shared.discard(key, reason);
    }
}
