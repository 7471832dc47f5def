//! A directory that `fabc build` wrote, opened by a program that uses the library.

use crate::io::folder::DiskFolder;
use crate::io::input_errors::needs_directory;
use crate::io::stop::Stop;
use fabc_ir::{ForwardingTables, Topology};
use fabc_model::Fabric;
use fabc_pipeline::library::Diagnostics;
use fabc_pipeline::operate::OpenedFabric;
use std::path::Path;

/// A directory that `fabc build` wrote: what its spec declares, and its topology. Tables are read when they
/// are asked for. Nothing of it is proved: that is what `fabc verify` does.
pub struct OpenedBuild(OpenedFabric<DiskFolder>);

impl OpenedBuild {
    /// Reads the spec and the topology of a directory.
    ///
    /// # Errors
    /// It is no such directory (FAB0510), or a file of it is damaged.
    pub fn read(directory: &Path) -> Result<Self, Diagnostics> {
        let read = || -> Result<OpenedFabric<DiskFolder>, Stop> {
            needs_directory(directory)?;
            OpenedFabric::read(DiskFolder::new(directory))
        };
        read().map(Self).map_err(Stop::into_diagnostics)
    }

    /// The fabric that the spec of the directory declares.
    pub fn fabric(&self) -> &Fabric {
        &self.0.loaded.fabric
    }

    /// The normal form of the spec, as `spec.fab` has it.
    pub fn normal_form(&self) -> &str {
        &self.0.loaded.text
    }

    /// The topology. `None` for a pod in slices, whose kinds have topologies of their own.
    pub fn topology(&self) -> Option<&Topology> {
        self.0.topology.as_ref()
    }

    /// The names of the scenarios that have tables, the healthy one first.
    ///
    /// # Errors
    /// A file of tables is damaged.
    pub fn scenarios(&self) -> Result<Vec<String>, Diagnostics> {
        self.0.scenarios().map_err(Stop::into_diagnostics)
    }

    /// The forwarding tables of a scenario.
    ///
    /// # Errors
    /// There are no such tables, or their file is damaged.
    pub fn tables(&self, scenario: &str) -> Result<ForwardingTables, Diagnostics> {
        self.0.tables(scenario).map_err(Stop::into_diagnostics)
    }
}
