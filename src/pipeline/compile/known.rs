//! Results of earlier builds, so that a build searches only for what has changed.
//!
//! Every search has a key: the hash of the version, and of that part of the normal form which the search
//! reads. [`searched_part`] is that part as a value, and searches get nothing else. So a `require`, a
//! simulation, a collective, or a job that the topology is not searched for changes no key and no result. A
//! known result is trusted no more than a new one: the checker proves it before it is used. One that is
//! damaged or convicted is discarded, and searched for again.

use super::Stage;
use crate::verify::kept_report;
use fabc_base::diag::Failure;
use fabc_ir::read::{KeptFile, KeptReport, KeptTopology};
use fabc_ir::{KeptHealthy, KeptScenario, PassRecord, Topology, UniformTopology};
use fabc_lang::syntax::ast::{ItemKind, Spec};
use fabc_lang::syntax::print_items;
use fabc_model::{Fabric, Metric, Require, Simulation};
use fabc_sim::{Prepared, SimError, SimReport};
use std::borrow::Cow;

/// A place for results, by key. Keys are hexadecimal digits.
pub trait ResultStore: Sync {
    /// The bytes of an entry. `None` if there is no such entry, or if it cannot be read.
    fn load(&self, key: &str) -> Option<Vec<u8>>;

    /// Stores an entry. A store that is full or cannot be written stores nothing.
    fn store(&self, key: &str, bytes: &[u8]);

    /// Removes an entry that cannot be used, for a reason.
    fn discard(&self, key: &str, reason: &str);
}

/// The known results of a build.
pub struct KnownResults<'a> {
    /// `None` if nothing is known and nothing is stored.
    store: Option<&'a dyn ResultStore>,
    /// The text that the search for a topology reads.
    topology_text: String,
    /// The text that the flow and the tables depend on.
    tables_text: String,
    /// `[simulation]`: the text that it depends on beside the tables.
    simulation_texts: Vec<String>,
}

/// The topology of a pod that a search found, with its record.
pub(super) type SearchedTopology = (Topology, PassRecord, Option<UniformTopology>);

impl<'a> KnownResults<'a> {
    /// Nothing is known, and nothing is stored.
    pub fn none() -> Self {
        Self {
            store: None,
            topology_text: String::new(),
            tables_text: String::new(),
            simulation_texts: Vec::new(),
        }
    }

    /// The results that a store has for a fabric. `normal` is the normal form of its spec, and `version`
    /// names the code that searches.
    pub fn new(store: &'a dyn ResultStore, fabric: &Fabric, normal: &Spec, version: &str) -> Self {
        // Vectors of scheduled networks and placements of jobs are not stored.
        if fabric.routing.is_scheduled() || !fabric.searched_for.is_empty() {
            return Self::none();
        }
        let inputs: String = fabc_emit::input_copies(fabric)
            .into_iter()
            .map(|(path, text)| format!("{path}\n{text}\n"))
            .collect();
        let text = |keeps: &dyn Fn(&ItemKind) -> bool| {
            format!("{version}\n{}\n{inputs}", print_items(normal, keeps))
        };
        let of_simulation = |simulation: &Simulation| text(&|kind| is_of_simulation(kind, &simulation.name));
        Self {
            store: Some(store),
            topology_text: text(&|kind| is_searched(kind) && kind.keyword() != "routing"),
            tables_text: text(&is_searched),
            simulation_texts: fabric.simulations.iter().map(of_simulation).collect(),
        }
    }

    /// An entry, as `read` reads it. An entry that cannot be read is discarded.
    fn load<T>(&self, key: &str, read: impl FnOnce(&[u8]) -> Result<T, String>) -> Option<T> {
        let store = self.store?;
        let bytes = store.load(key)?;
        read(&bytes).map_err(|reason| store.discard(key, &reason)).ok()
    }

    fn store(&self, key: &str, bytes: impl FnOnce() -> Vec<u8>) {
        if let Some(store) = self.store {
            store.store(key, &bytes());
        }
    }

    /// The topology of a pod: the known one, or else that of the search.
    pub(super) fn topology(
        &self,
        fabric: &Fabric,
        search: impl FnOnce() -> Result<SearchedTopology, Failure>,
    ) -> Result<SearchedTopology, Failure> {
        let key = key_of(&["topology", &self.topology_text]);
        let read = |bytes: &[u8]| KeptTopology::read(bytes)?.topology(&key, fabric);
        if let Some(known) = self.load(&key, read) {
            return Ok(known);
        }
        let searched = search()?;
        let (topology, record, uniform) = &searched;
        self.store(&key, || fabc_emit::kept_topology(&key, topology, record, uniform.as_ref()));
        Ok(searched)
    }

    /// The known tables of a build as far as `last`, on its topology.
    pub(super) fn tables<'b>(&'b self, topology: &'b Topology, last: Stage) -> KnownTables<'b> {
        KnownTables { results: self, topology, stage: last.name() }
    }
}

/// The known flow and tables of a fabric on a topology.
pub(super) struct KnownTables<'a> {
    results: &'a KnownResults<'a>,
    topology: &'a Topology,
    stage: &'static str,
}

impl KnownTables<'_> {
    fn key(&self, scenario: &str) -> String {
        key_of(&["scenario", self.stage, scenario, &self.results.tables_text])
    }

    /// The known results of the healthy fabric.
    pub(super) fn healthy(&self) -> Option<KeptHealthy> {
        let key = self.key("nominal");
        self.results.load(&key, |bytes| self.entry(&key, "nominal", bytes)?.healthy(self.topology))
    }

    /// The known results of a fault.
    pub(super) fn fault(&self, scenario: &str) -> Option<KeptScenario> {
        let key = self.key(scenario);
        self.results.load(&key, |bytes| self.entry(&key, scenario, bytes)?.scenario(self.topology))
    }

    fn entry(&self, key: &str, scenario: &str, bytes: &[u8]) -> Result<KeptFile, String> {
        let file = KeptFile::read(bytes)?;
        let is_of = file.key() == key && file.name() == scenario;
        if is_of { Ok(file) } else { Err("it belongs to another build".to_owned()) }
    }

    /// Discards a scenario that the checker convicted.
    pub(super) fn discard(&self, scenario: &str, reason: &str) {
        if let Some(store) = self.results.store {
            store.discard(&self.key(scenario), reason);
        }
    }

    /// The report of a simulation on the tables of a scenario: the known one, or else that of a run.
    pub(super) fn report<'p>(
        &self,
        fabric: &Fabric,
        number: usize,
        prepared: impl FnOnce() -> Result<Prepared<'p>, SimError>,
        run: impl FnOnce() -> Result<SimReport, SimError>,
        scenario: &str,
    ) -> Result<SimReport, SimError> {
        let results = self.results;
        let Some(text) = results.simulation_texts.get(number) else { return run() };
        let simulation = &fabric.simulations[number];
        let tables = self.key(scenario);
        let key = key_of(&["simulation", &tables, text]);
        let known = results.load(&key, |bytes| {
            let file = KeptReport::read(bytes)?;
            if !file.is_of(&key, &simulation.name, scenario, &tables) {
                return Err("it belongs to another build".to_owned());
            }
            let prepared = prepared().map_err(|error| error.to_string())?;
            kept_report(fabric, simulation, &prepared, file.report())
        });
        if let Some(report) = known {
            return Ok(report);
        }
        let report = run()?;
        results.store(&key, || {
            fabc_emit::kept_simulation(&key, &tables, fabric, self.topology, &simulation.name, &report)
        });
        Ok(report)
    }

    pub(super) fn store_healthy(&self, healthy: impl FnOnce() -> KeptHealthy) {
        let key = self.key("nominal");
        self.results.store(&key, || fabc_emit::kept_healthy(&key, &healthy()));
    }

    pub(super) fn store_fault(&self, kept: impl FnOnce() -> KeptScenario) {
        if self.results.store.is_some() {
            let kept = kept();
            let key = self.key(&kept.scenario);
            self.results.store(&key, || fabc_emit::kept_fault(&key, &kept));
        }
    }
}

/// The hash of texts. The lengths of the texts are hashed as well.
pub fn hash_of_texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> blake3::Hash {
    let mut hash = blake3::Hasher::new();
    for text in texts {
        hash.update(&(text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    hash.finalize()
}

fn key_of(parts: &[&str]) -> String {
    hash_of_texts(parts.iter().copied()).to_hex().to_string()
}

/// Whether a search may read an item.
fn is_searched(kind: &ItemKind) -> bool {
    match kind {
        ItemKind::Require(require) => &*require.metric.value == "fault.concurrent_flow",
        ItemKind::Simulate(..) | ItemKind::Collective(_) | ItemKind::Job(..) | ItemKind::Addresses(_) => {
            false
        }
        _ => true,
    }
}

/// Whether a simulation depends on an item, beside its tables: on itself, and on lines of the contract about
/// it.
fn is_of_simulation(kind: &ItemKind, simulation: &str) -> bool {
    match kind {
        ItemKind::Simulate(name, _) => &*name.value == simulation,
        ItemKind::Require(require) => require.metric.value.contains(&format!("{simulation}.")),
        _ => false,
    }
}

/// The part of a fabric that one of its simulations reads.
pub(super) fn simulated_part(fabric: &Fabric, simulation: &Simulation) -> Fabric {
    let is_about =
        |require: &Require| require.simulation().is_some_and(|about| about.name == simulation.name);
    let requires = fabric.requires.iter().filter(|require| is_about(require)).cloned().collect();
    Fabric { requires, simulations: vec![simulation.clone()], ..searched_part(fabric).into_owned() }
}

/// The part of a fabric that searches read: without simulations, collectives, addresses, jobs that the
/// topology is not searched for, and every `require` but those that steer the search.
pub(super) fn searched_part(fabric: &Fabric) -> Cow<'_, Fabric> {
    if fabric.routing.is_scheduled() || !fabric.searched_for.is_empty() {
        return Cow::Borrowed(fabric);
    }
    let mut part = fabric.clone();
    part.requires.retain(|require| require.fault && require.metric == Metric::ConcurrentFlow);
    part.simulations.clear();
    part.collectives.clear();
    part.jobs.clear();
    part.addresses = None;
    Cow::Owned(part)
}
