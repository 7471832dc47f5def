//! A built directory as a program opens it: what its spec declares, its topology, and tables as they are
//! asked for. Nothing of it is proved.

use super::stored::{read_scenario_tables, stored_scenarios};
use crate::folder::Folder;
use crate::library::Loaded;
use crate::refusal::{Convicted, Refusal};
use fabc_check::{Files, ReadWiring};
use fabc_emit::PLACEMENT;
use fabc_ir::{ForwardingTables, Topology};

/// A built directory that was opened.
pub struct OpenedFabric<F> {
    folder: F,
    /// The spec of the directory, with its normal form.
    pub loaded: Loaded,
    /// The topology. `None` for a pod in slices, whose kinds have topologies of their own.
    pub topology: Option<Topology>,
}

impl<F: Folder> OpenedFabric<F> {
    /// Reads the spec and the topology.
    ///
    /// # Errors
    /// [`Refusal::NotBuilt`] without a spec, and [`Convicted`] for a wiring that does not fit the spec.
    pub fn read(folder: F) -> Result<Self, F::Error> {
        if !folder.has("spec.fab") {
            let reason = "there is no `spec.fab`".to_owned();
            return Err(Refusal::NotBuilt { path: folder.path(), reason }.into());
        }
        let loaded = folder.spec()?;
        if folder.has(PLACEMENT) {
            return Ok(Self { folder, loaded, topology: None });
        }
        if !folder.has("topology.json") {
            let reason = "there is no `topology.json`".to_owned();
            return Err(Refusal::NotBuilt { path: folder.path(), reason }.into());
        }
        let mut files = Files::new();
        for path in ["topology.json", "ocs.json"].into_iter().filter(|path| folder.has(path)) {
            files.insert(path.to_owned(), folder.read(path)?);
        }
        let ReadWiring { topology, .. } = fabc_check::read_wiring(&files, &loaded.fabric)
            .map_err(|error| Convicted::because(error, &loaded.sources))?;
        Ok(Self { folder, loaded, topology: Some(topology) })
    }

    /// The names of the scenarios that have tables, the healthy one first.
    ///
    /// # Errors
    /// [`Refusal::NotBuilt`] for a damaged file of tables.
    pub fn scenarios(&self) -> Result<Vec<String>, F::Error> {
        stored_scenarios(&self.folder)
    }

    /// The forwarding tables of a scenario.
    ///
    /// # Errors
    /// [`Refusal::UnknownScenario`] without such tables, and [`Refusal::NotBuilt`] for a damaged file.
    pub fn tables(&self, scenario: &str) -> Result<ForwardingTables, F::Error> {
        read_scenario_tables(&self.folder, &self.loaded.fabric, scenario)
    }
}
