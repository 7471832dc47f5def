//! A built directory with the tables that are live: those of the build, or the last ones of a plan.
//!
//! Input: a directory of `fabc build`. Output: its wiring, tables and certificates, as `fabc repair`,
//! `fabc plan --tables` and their verification need them. A repair needs tables that look at the input port.

use crate::io::errors::DriverError;
use crate::io::read::{self, display};
use crate::io::stop::{Stop, convicted};
use crate::operate::down::{AsBuilt, tolerated_fault};
use crate::operate::tables::{carried_along, tables_file};
use fabc_base::diag::SourceMap;
use fabc_base::ids::{Id, NodeId};
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_check::{Files, ReadWiring};
use fabc_ir::read::{Certificates, CertifiedScenario, PlanFile, tagged};
use fabc_ir::{CrossConnects, FaultSymmetry, ForwardingTables, Mirrors, Scene, TableKey, Topology};
use fabc_model::Fabric;
use fabc_pipeline::compile::repair::Covered;
use fabc_pipeline::library::Loaded;
use std::path::{Path, PathBuf};

/// The part of a built directory that a repair needs.
pub(crate) struct BuiltDirectory {
    pub(crate) directory: PathBuf,
    pub(crate) fabric: Fabric,
    pub(crate) sources: SourceMap,
    pub(crate) topology: Topology,
    pub(crate) cross_connects: Option<CrossConnects>,
    pub(crate) tables: ForwardingTables,
    pub(crate) nominal: CertifiedScenario,
    /// The files with topology, switches and the healthy tables.
    pub(crate) files: Files,
    /// The certificates of faults. Empty if other tables than those of the build are live.
    pub(crate) faults: Vec<CertifiedScenario>,
}

impl BuiltDirectory {
    pub(crate) fn read(directory: &Path) -> Result<Self, Stop> {
        let Loaded { fabric, sources, .. } = read::built_fabric(directory)?;
        let mut files = Files::new();
        if fabric.routing.has_many_paths() {
            return Err(DriverError::NoRepair {
                problem: "they have groups of next hops, and a repair adds routes one by one",
                hint: "build with `routing = allowed_turns;`, or with a fault budget: then the groups of every tolerated fault are prepared",
            }
            .into());
        }
        let is_file = |path: &str| directory.join(path).is_file();
        let tables = tables_file(directory, &fabc_emit::tables_path("nominal"))
            .ok_or_else(|| no_tables_error(directory))?;
        for path in [Some("topology.json"), Some("ocs.json").filter(|path| is_file(path)), Some(&tables)]
            .into_iter()
            .flatten()
        {
            files.insert(path.to_owned(), read::read_bytes(&directory.join(path), ARTIFACT_BYTES)?);
        }
        let stop = |error| convicted(error, &sources);
        let healthy = fabc_check::read_scenario(&files, &fabric, "nominal")
            .map_err(stop)?
            .ok_or_else(|| no_tables_error(directory))?;
        let ReadWiring { cross_connects, .. } = fabc_check::read_wiring(&files, &fabric).map_err(stop)?;
        let not_built = |reason| DriverError::NotBuilt { path: display(directory), reason };
        let certificates: Certificates =
            tagged(&read::read_bytes(&directory.join("certificates.json"), ARTIFACT_BYTES)?)
                .map_err(|problem| not_built(format!("`certificates.json`: {problem}")))?;
        let mut lines = certificates.scenarios.into_iter();
        let nominal = lines.next().filter(|line| line.scenario == "nominal");
        let nominal =
            nominal.ok_or_else(|| not_built("`certificates.json`: `nominal` is missing".to_owned()))?;
        match healthy.tables.key {
            TableKey::DstInput => {}
            TableKey::Dst | TableKey::DstCount(_) => {
                return Err(DriverError::NoRepair {
                    problem: "the tables use the destination alone as key, so a new route for one source would change it for all",
                    hint: "build with `routing = allowed_turns;`: its tables use the input as well",
                }
                .into());
            }
        }
        let (topology, tables, directory) = (healthy.topology, healthy.tables, directory.to_owned());
        Ok(Self {
            directory,
            fabric,
            sources,
            topology,
            cross_connects,
            tables,
            nominal,
            files,
            faults: lines.collect(),
        })
    }

    /// The settings of the switches.
    pub(crate) fn mirrors(&self) -> Mirrors {
        self.cross_connects.as_ref().map(CrossConnects::mirrors).unwrap_or_default()
    }

    /// Proves the healthy tables, and returns the largest load of a channel in parts of a unit of load.
    ///
    /// # Errors
    /// A `CheckError` if the tables violate the proof.
    pub(crate) fn max_channel_load(&self) -> Result<u64, Stop> {
        let walked = fabc_check::judge_tables(
            &self.fabric,
            &Scene::healthy(&self.topology),
            &self.tables,
            &self.nominal.ranks,
        );
        walked.map(|(walk, _)| walk.max_channel_load()).map_err(|error| convicted(error, &self.sources))
    }

    /// The ranks of the live tables for all routers, not only the canonical ones.
    pub(crate) fn ranks(&self) -> Vec<u32> {
        fabc_check::ranks_by_port(
            &self.topology,
            &self.tables.symmetry,
            usize::from(self.tables.vcs),
            &self.nominal.ranks,
        )
    }

    pub(crate) fn as_built(&self) -> AsBuilt<'_> {
        AsBuilt {
            fabric: &self.fabric,
            topology: &self.topology,
            cross_connects: self.cross_connects.as_ref(),
        }
    }

    /// Reads a directory where the last tables of a plan are live. `fabc plan --tables` wrote them to
    /// `plan_folder` with their ranks.
    ///
    /// # Errors
    /// `DriverError::NotBuilt` if a file is missing or damaged, and a `CheckError` if the tables violate the
    /// proof.
    pub(crate) fn read_running(directory: &Path, plan_folder: Option<&Path>) -> Result<Self, Stop> {
        let built = Self::read(directory)?;
        let Some(plan_folder) = plan_folder else { return Ok(built) };
        let unfit = |problem: String| DriverError::NotBuilt {
            path: display(plan_folder),
            reason: format!("`plan.json`: {problem}"),
        };
        let plan: PlanFile =
            tagged(&read::read_bytes(&plan_folder.join("plan.json"), ARTIFACT_BYTES)?).map_err(unfit)?;
        if plan.fabric != built.fabric.name {
            return Err(
                unfit(format!("is of the fabric `{}`, not of `{}`", plan.fabric, built.fabric.name)).into()
            );
        }
        if plan.last.len() > 1 {
            // The plan ends with the tables of the build.
            return Ok(built);
        }
        let stop = |error| convicted(error, &built.sources);
        let tables = read_single_tables(&plan_folder.join("final"), &built, "nominal")?;
        fabc_check::judge_tables(&built.fabric, &Scene::healthy(&built.topology), &tables, &plan.ranks)
            .map_err(stop)?;
        let nominal = CertifiedScenario { ranks: plan.ranks, ..built.nominal };
        Ok(Self { tables, nominal, faults: Vec::new(), ..built })
    }

    /// The tables that the build has for exactly these parts down.
    pub(crate) fn covered_tables(&self, down: &[String]) -> Result<Option<Covered>, Stop> {
        let Some((scenario, name)) = tolerated_fault(self.as_built(), down) else { return Ok(None) };
        let Some(path) = tables_file(&self.directory, &fabc_emit::tables_path(&scenario.name)) else {
            return Ok(None);
        };
        let Some(line) = self.faults.iter().find(|line| line.scenario == scenario.name) else {
            return Ok(None);
        };
        let mut files = self.files.clone();
        files.insert(path.clone(), read::read_bytes(&self.directory.join(&path), ARTIFACT_BYTES)?);
        let read = fabc_check::read_scenario(&files, &self.fabric, &scenario.name)
            .map_err(|error| convicted(error, &self.sources))?;
        let Some(read) = read else { return Ok(None) };
        let row = self.topology.ports() * usize::from(read.tables.vcs);
        let ranks_of = |node: NodeId| {
            line.ranks.get(read.tables.symmetry.class(node) * row..).and_then(|ranks| ranks.get(..row))
        };
        let mut ranks: Vec<Vec<u32>> = self
            .topology
            .nodes()
            .map(|node| ranks_of(node).map_or_else(|| vec![0; row], <[u32]>::to_vec))
            .collect();
        let mut tables = read.tables;
        if let Some(image) = scenario.images.iter().find(|image| image.scenario == name) {
            // Only group tables are carried along shifts, and no repair reads those.
            let FaultSymmetry::Blocks(blocks) = &image.symmetry else { return Ok(None) };
            let (block, _) = self.fabric.blocks();
            let to = |node: NodeId| blocks[(node.0 / block) as usize].0 * block + node.0 % block;
            let mut moved = ranks.clone();
            self.topology.nodes().for_each(|node| moved[to(node) as usize] = ranks[node.index()].clone());
            ranks = moved;
            let Some(is_file) = carried_along(&tables, &name, blocks, block) else { return Ok(None) };
            tables = is_file;
        }
        Ok(Some(Covered { scenario: name, tables, ranks: ranks.concat() }))
    }
}

/// Reads the tables of a folder that holds a single file of them.
pub(crate) fn read_single_tables(
    folder: &Path,
    built: &BuiltDirectory,
    scenario: &str,
) -> Result<ForwardingTables, Stop> {
    let mut files = Files::new();
    for path in ["tables.json", "tables.bin"].into_iter().filter(|path| folder.join(path).is_file()) {
        files.insert(path.to_owned(), read::read_bytes(&folder.join(path), ARTIFACT_BYTES)?);
    }
    if files.is_empty() {
        let reason = "`tables.json`: is missing: the live tables are needed".to_owned();
        return Err(DriverError::NotBuilt { path: display(folder), reason }.into());
    }
    fabc_check::read_tables(&files, &built.topology, scenario)
        .map_err(|error| convicted(error, &built.sources))
}

fn no_tables_error(directory: &Path) -> DriverError {
    let hint = format!("the build of `{}` stopped before routing, or plans vectors", display(directory));
    DriverError::UnknownScenario { name: "nominal".to_owned(), hint }
}
