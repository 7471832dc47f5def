//! The scenarios of a built directory: their names, and the wiring and tables of one.

use crate::folder::Folder;
use crate::refusal::{Convicted, Refusal};
use fabc_base::diag::SourceMap;
use fabc_base::ids::NodeId;
use fabc_check::{CheckError, Files, ReadScenario, ReadScene, ReadSimulated, ReadWiring};
use fabc_ir::read::{Certificates, JobFile, tagged};
use fabc_ir::{ForwardingTables, Topology};
use fabc_model::{Fabric, Job, PacketRouting};
use fabc_passes::collective::check_chunks_can_rest;
use std::collections::BTreeSet;

/// The name of the healthy fabric among the scenarios.
pub const NOMINAL: &str = "nominal";

/// Lengths of channels are not read from a longer `certificates.json`, which lists mostly flows.
const CERTIFICATE_BYTES: u64 = 64 << 20;

/// The scenarios of a built directory.
pub struct BuiltScenarios<'a, F> {
    /// The folder of the build.
    pub folder: &'a F,
    /// The fabric that its spec declares.
    pub fabric: &'a Fabric,
    /// The text of the spec, for messages.
    pub sources: &'a SourceMap,
}

/// A scenario with its tables.
pub struct ScenarioInput {
    /// The wiring of the scenario.
    pub wiring: ReadScene,
    /// The tables, if they were requested and exist.
    pub tables: Option<ForwardingTables>,
    /// `[channel]`: the lengths that certify the flow of the scenario. Empty if the directory has none.
    pub lengths: Vec<u64>,
}

impl<F: Folder> BuiltScenarios<'_, F> {
    /// The names of all scenarios that the spec tolerates, the healthy fabric first.
    ///
    /// # Errors
    /// [`Convicted`] if the wiring does not fit the spec.
    pub fn names(&self) -> Result<Vec<String>, F::Error> {
        Ok(fabc_check::scenario_names(&self.wiring_files()?, self.fabric)
            .map_err(|error| self.convicted(error))?)
    }

    /// The wiring of a scenario. `None` if the spec tolerates no such fault.
    ///
    /// # Errors
    /// [`Convicted`] if the wiring does not fit the spec.
    pub fn wiring(&self, name: &str) -> Result<Option<ReadScene>, F::Error> {
        self.wiring_of(&self.wiring_files()?, name)
    }

    /// The wiring of the healthy fabric, with the switches of a pod.
    ///
    /// # Errors
    /// [`Convicted`] if the wiring does not fit the spec.
    pub(crate) fn healthy_wiring(&self) -> Result<ReadWiring, F::Error> {
        let files = self.wiring_files()?;
        Ok(fabc_check::read_wiring(&files, self.fabric).map_err(|error| self.convicted(error))?)
    }

    /// A scenario for the planning of messages. `None` if the spec tolerates no such fault. Tables are read
    /// if `tabled`, or if chips cannot pass chunks on, but not where they list next-hop groups.
    ///
    /// # Errors
    /// [`Convicted`] if wiring or tables do not fit the spec.
    pub fn input(&self, name: &str, tabled: bool) -> Result<Option<ScenarioInput>, F::Error> {
        let without_tables = |wiring| ScenarioInput { wiring, tables: None, lengths: Vec::new() };
        let mut files = self.wiring_files()?;
        if !tabled {
            let Some(wiring) = self.wiring_of(&files, name)? else { return Ok(None) };
            if check_chunks_can_rest(&wiring.scene()).is_ok() {
                return Ok(Some(without_tables(wiring)));
            }
        }
        self.add_tables(&mut files, name)?;
        // Next-hop groups are no paths that a message follows.
        if self.fabric.routing.has_many_paths() || !has_tables(&files) {
            return Ok(self.wiring_of(&files, name)?.map(without_tables));
        }
        let read =
            fabc_check::read_scenario(&files, self.fabric, name).map_err(|error| self.convicted(error))?;
        let Some(ReadScenario { topology, lit, dead, tables }) = read else { return Ok(None) };
        let wiring = ReadScene { topology, lit, dead };
        Ok(Some(ScenarioInput { wiring, tables: Some(tables), lengths: self.lengths(name)? }))
    }

    /// A scenario for a simulation. Without tables, only the healthy fabric can be simulated, and only where
    /// packets choose their paths by `routing`.
    ///
    /// # Errors
    /// [`Refusal::UnknownScenario`] without tables, and [`Convicted`] if the files do not fit the spec.
    pub fn simulated(&self, name: &str, routing: Option<PacketRouting>) -> Result<ReadSimulated, F::Error> {
        let mut files = self.wiring_files()?;
        self.add_tables(&mut files, name)?;
        if !self.fabric.routing.has_many_paths() && !has_tables(&files) {
            // Packets that choose their own paths need no tables.
            let chooses = routing.is_some_and(|routing| routing != PacketRouting::Tables);
            if chooses && name == NOMINAL && !self.folder.has_folder("tables") {
                return Ok(
                    fabc_check::read_unrouted(&files, self.fabric).map_err(|error| self.convicted(error))?
                );
            }
            return Err(self.not_simulated(name).into());
        }
        let read =
            fabc_check::read_simulated(&files, self.fabric, name).map_err(|error| self.convicted(error))?;
        Ok(read.ok_or_else(|| self.not_simulated(name))?)
    }

    /// The refusal of messages that need forwarding tables with one path per pair, in a directory without
    /// them.
    pub fn no_tables(&self, name: &str) -> Refusal {
        if self.fabric.routing.has_many_paths() {
            return Refusal::ManyPaths { algorithm: "direct", path: self.folder.path() };
        }
        let hint = match self.folder.has_folder("tables") {
            true => format!(
                "messages follow forwarding tables: `fabc tables {}` lists the scenarios that have tables",
                self.folder.path()
            ),
            false => "messages follow forwarding tables, but the build stopped before routing: build without `--until`".to_owned(),
        };
        Refusal::UnknownScenario { name: name.to_owned(), hint }
    }

    /// The reason why a collective whose messages need such tables is left out.
    pub(crate) fn why_no_tables(&self) -> &'static str {
        match self.fabric.routing.has_many_paths() {
            true => "it follows one path per pair, and this directory has groups of next hops",
            false => {
                "it follows forwarding tables, and this directory has none: its build stopped before routing"
            }
        }
    }

    /// The refusal of a simulation without tables.
    fn not_simulated(&self, name: &str) -> Refusal {
        const UNROUTED: &str = "Without tables only `routing = min`, `valiant` or `ugal` can be run";
        let hint = match self.folder.has_folder("tables") {
            true => format!("`fabc tables {}` lists the scenarios", self.folder.path()),
            false if self.fabric.routing.is_scheduled() => {
                format!("{}. {UNROUTED}", planned_hint(&self.folder.path()))
            }
            false => {
                format!("the directory has no tables, since its build stopped before routing. {UNROUTED}")
            }
        };
        Refusal::UnknownScenario { name: name.to_owned(), hint }
    }

    fn convicted(&self, error: CheckError) -> Convicted {
        Convicted::because(error, self.sources)
    }

    fn wiring_of(&self, files: &Files, name: &str) -> Result<Option<ReadScene>, F::Error> {
        Ok(fabc_check::read_scene(files, self.fabric, name).map_err(|error| self.convicted(error))?)
    }

    /// The files with the wiring that exist.
    fn wiring_files(&self) -> Result<Files, F::Error> {
        let mut files = Files::new();
        for path in ["topology.json", "ocs.json"] {
            self.add_file(&mut files, path.to_owned())?;
        }
        Ok(files)
    }

    /// Adds the tables of a scenario that exist, in either form.
    fn add_tables(&self, files: &mut Files, name: &str) -> Result<(), F::Error> {
        let paths = ["json", "bin"].map(|ending| format!("{}.{ending}", fabc_emit::tables_path(name)));
        paths.into_iter().try_for_each(|path| self.add_file(files, path))
    }

    fn add_file(&self, files: &mut Files, path: String) -> Result<(), F::Error> {
        if self.folder.has(&path) {
            let bytes = self.folder.read(&path)?;
            files.insert(path, bytes);
        }
        Ok(())
    }

    /// The lengths that certify the flow of a scenario. Any lengths give a valid bound, so a wrong file
    /// cannot make the result wrong.
    /// `[rank]`: the chip that a build gave to each rank of a job. `None` if the directory has no such file,
    /// or one that fits no such fabric.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn job_ranks(&self, job: &Job, topology: &Topology) -> Result<Option<Vec<NodeId>>, F::Error> {
        let path = format!("jobs/{}.json", job.name);
        if !self.folder.has(&path) {
            return Ok(None);
        }
        let read: Option<JobFile> = tagged(&self.folder.read(&path)?).ok();
        let chips: BTreeSet<NodeId> = topology.endpoints().collect();
        let fits = |ranks: &Vec<NodeId>| {
            let distinct: BTreeSet<NodeId> = ranks.iter().copied().collect();
            ranks.len() == distinct.len()
                && Some(ranks.len() as u64) == job.rank_count()
                && distinct.is_subset(&chips)
        };
        let ranks = |file: JobFile| file.ranks.into_iter().map(NodeId).collect();
        Ok(read.map(ranks).filter(fits))
    }

    fn lengths(&self, name: &str) -> Result<Vec<u64>, F::Error> {
        const CERTIFICATES: &str = "certificates.json";
        if self.folder.size(CERTIFICATES).is_none_or(|size| size > CERTIFICATE_BYTES) {
            return Ok(Vec::new());
        }
        let read: Option<Certificates> = tagged(&self.folder.read(CERTIFICATES)?).ok();
        let lines = read.into_iter().flat_map(|read| read.scenarios);
        Ok(lines.into_iter().find(|line| line.scenario == name).map(|line| line.lengths).unwrap_or_default())
    }
}

fn has_tables(files: &Files) -> bool {
    files.keys().any(|path| path.starts_with("tables/"))
}

/// A hint for an operation that needs tables, on the directory of a fabric with scheduled vectors.
pub fn planned_hint(directory: &str) -> String {
    format!(
        "every vector has its cycle, planned at compile time: `fabc tables {directory} --router 0` prints what a chip sends and receives"
    )
}
