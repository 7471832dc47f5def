//! Results of earlier builds, so that a build searches only for what has changed.
//!
//! Every search has a key: the hash of the version, of that part of the normal form which the search reads,
//! and of the results that it starts from. `parts` has these parts as values, and searches get nothing else.
//! So the flow and the tables have the hash of the topology in their key, and neither a `require` nor another
//! tolerated fault changes it. A known result is trusted no more than a new one: the checker proves it before
//! it is used. One that is damaged or convicted is discarded, and searched for again.

mod figures;
mod keys;
mod parts;
mod plans;
mod tables;

pub use figures::{MeasuredLine, measured_lines};
pub use keys::hash_of_texts;
pub(super) use parts::{collectives_part, job_part, routed_part, searched_part, simulated_part};
pub(super) use plans::{NewPlans, PlanScenarios};
pub(super) use tables::KnownTables;

use fabc_base::diag::Failure;
use fabc_ir::read::KeptTopology;
use fabc_ir::{PassRecord, Topology, UniformTopology};
use fabc_lang::syntax::ast::Spec;
use fabc_model::Fabric;
use keys::key_of;
use parts::PartTexts;

/// A place for results, by key. Keys are hexadecimal digits.
pub trait ResultStore: Sync {
    /// The bytes of an entry. `None` if there is no such entry, or if it cannot be read.
    fn load(&self, key: &str) -> Option<Vec<u8>>;

    /// Stores an entry. A store that is full or cannot be written stores nothing.
    fn store(&self, key: &str, bytes: &[u8]);

    /// Removes an entry that cannot be used, for a reason.
    fn discard(&self, key: &str, reason: &str);
}

/// The known results of a build. `None` if nothing is known and nothing is stored.
pub struct KnownResults<'a>(Option<StoredResults<'a>>);

/// A store, and what the keys of a build are made of.
struct StoredResults<'a> {
    store: &'a dyn ResultStore,
    texts: PartTexts,
}

/// The topology of a pod that a search found, with its record.
pub(super) type SearchedTopology = (Topology, PassRecord, Option<UniformTopology>);

impl<'a> KnownResults<'a> {
    /// Nothing is known, and nothing is stored.
    pub fn none() -> Self {
        Self(None)
    }

    /// The results that a store has for a fabric. `normal` is the normal form of its spec, and `version`
    /// names the code that searches.
    pub fn new(store: &'a dyn ResultStore, fabric: &Fabric, normal: &Spec, version: &str) -> Self {
        Self(Some(StoredResults { store, texts: PartTexts::new(fabric, normal, version) }))
    }

    /// The key of a result. Empty where nothing is stored.
    fn key(&self, parts: impl FnOnce(&PartTexts) -> String) -> String {
        self.0.as_ref().map_or_else(String::new, |stored| parts(&stored.texts))
    }

    /// An entry, as `read` reads it. An entry that cannot be read is discarded.
    fn load<T>(&self, key: &str, read: impl FnOnce(&[u8]) -> Result<T, String>) -> Option<T> {
        let StoredResults { store, .. } = self.0.as_ref()?;
        let bytes = store.load(key)?;
        read(&bytes).map_err(|reason| store.discard(key, &reason)).ok()
    }

    fn store(&self, key: &str, bytes: impl FnOnce() -> Vec<u8>) {
        if let Some(StoredResults { store, .. }) = &self.0 {
            store.store(key, &bytes());
        }
    }

    /// Removes an entry that was convicted.
    fn discard(&self, key: &str, reason: &str) {
        if let Some(StoredResults { store, .. }) = &self.0 {
            store.discard(key, reason);
        }
    }

    /// The texts of the keys. `None` where nothing is stored.
    fn texts(&self) -> Option<&PartTexts> {
        self.0.as_ref().map(|stored| &stored.texts)
    }

    /// The topology of a pod: the known one, or else that of the search.
    pub(super) fn topology(
        &self,
        fabric: &Fabric,
        search: impl FnOnce() -> Result<SearchedTopology, Failure>,
    ) -> Result<SearchedTopology, Failure> {
        let key = self.key(|texts| key_of(&["topology", &texts.topology]));
        let read = |bytes: &[u8]| KeptTopology::read(bytes)?.topology(&key, fabric);
        if let Some(known) = self.load(&key, read) {
            return Ok(known);
        }
        let searched = search()?;
        let (topology, record, uniform) = &searched;
        self.store(&key, || fabc_emit::kept_topology(&key, topology, record, uniform.as_ref()));
        Ok(searched)
    }
}
