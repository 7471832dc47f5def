//! A built directory with the tables that are live: those of the build, or the last ones of a plan.
//!
//! In: the folder of a build. Out: its wiring, tables and certificates, as repairs, changes and their
//! verification need them. A repair needs tables that look at the input port.

use super::carried::carried_along;
use super::down::{AsBuilt, tolerated_fault};
use super::stored::tables_file;
use crate::compile::repair::Covered;
use crate::folder::Folder;
use crate::library::Loaded;
use crate::refusal::{Convicted, Refusal};
use crate::scenarios::NOMINAL;
use fabc_base::diag::SourceMap;
use fabc_base::ids::{Id, NodeId};
use fabc_check::{CheckError, Files, MANIFEST, ReadWiring};
use fabc_ir::read::{Certificates, CertifiedScenario, PlanFile, tagged};
use fabc_ir::{CrossConnects, FaultSymmetry, ForwardingTables, Mirrors, Scene, TableKey, Topology};
use fabc_model::Fabric;

/// The part of a built directory that a repair needs.
pub struct BuiltFabric<F> {
    /// The folder that was read.
    pub folder: F,
    /// The fabric that the spec declares.
    pub fabric: Fabric,
    /// The text of the spec, for messages.
    pub sources: SourceMap,
    /// The wiring of the healthy fabric.
    pub topology: Topology,
    /// The cross-connects of a pod.
    pub cross_connects: Option<CrossConnects>,
    /// The tables that are live.
    pub tables: ForwardingTables,
    /// The certificates of the healthy fabric, with the ranks of the live tables.
    pub nominal: CertifiedScenario,
    /// The hash of the manifest of the plan whose last tables are live. `None` for the tables of the build.
    pub(super) running: Option<String>,
    /// The files with topology, switches and the healthy tables.
    files: Files,
    /// The certificates of faults. Empty if other tables than those of the build are live.
    faults: Vec<CertifiedScenario>,
}

impl<F: Folder> BuiltFabric<F> {
    /// Reads a folder whose own tables are live.
    ///
    /// # Errors
    /// [`Refusal::NotBuilt`] if a file is missing or damaged, [`Refusal::UnknownScenario`] without tables,
    /// [`Refusal::NoRepair`] for tables without input ports, and [`Convicted`] for files that do not fit.
    pub fn read(folder: F) -> Result<Self, F::Error> {
        let Loaded { fabric, sources, .. } = folder.fabric()?;
        let mut files = Files::new();
        if fabric.routing.has_many_paths() {
            return Err(Refusal::NoRepair {
                problem: "they have groups of next hops, and a repair adds routes one by one",
                hint: "build with `routing = allowed_turns;`, or with a fault budget: then the groups of every tolerated fault are prepared",
            }
            .into());
        }
        let tables =
            tables_file(&folder, &fabc_emit::tables_path(NOMINAL)).ok_or_else(|| no_tables(&folder))?;
        let switches = Some("ocs.json").filter(|path| folder.has(path));
        for path in [Some("topology.json"), switches, Some(&tables)].into_iter().flatten() {
            files.insert(path.to_owned(), folder.read(path)?);
        }
        let stop = |error| Convicted::because(error, &sources);
        let healthy = fabc_check::read_scenario(&files, &fabric, NOMINAL)
            .map_err(stop)?
            .ok_or_else(|| no_tables(&folder))?;
        let ReadWiring { cross_connects, .. } = fabc_check::read_wiring(&files, &fabric).map_err(stop)?;
        let not_built = |reason| Refusal::NotBuilt { path: folder.path(), reason };
        let certificates: Certificates = tagged(&folder.read("certificates.json")?)
            .map_err(|problem| not_built(format!("`certificates.json`: {problem}")))?;
        let mut lines = certificates.scenarios.into_iter();
        let nominal = lines.next().filter(|line| line.scenario == NOMINAL);
        let nominal =
            nominal.ok_or_else(|| not_built("`certificates.json`: `nominal` is missing".to_owned()))?;
        match healthy.tables.key {
            TableKey::DstInput => {}
            TableKey::Dst | TableKey::DstCount(_) => {
                return Err(Refusal::NoRepair {
                    problem: "the tables use the destination alone as key, so a new route for one source would change it for all",
                    hint: "build with `routing = allowed_turns;`: its tables use the input as well",
                }
                .into());
            }
        }
        let (topology, tables) = (healthy.topology, healthy.tables);
        Ok(Self {
            folder,
            fabric,
            sources,
            topology,
            cross_connects,
            tables,
            nominal,
            running: None,
            files,
            faults: lines.collect(),
        })
    }

    /// The settings of the switches.
    pub fn mirrors(&self) -> Mirrors {
        self.cross_connects.as_ref().map(CrossConnects::mirrors).unwrap_or_default()
    }

    /// Proves the healthy tables, and returns the largest load of a channel in parts of a unit of load.
    ///
    /// # Errors
    /// [`Convicted`] if the tables violate the proof.
    pub fn max_channel_load(&self) -> Result<u64, Convicted> {
        let walked = fabc_check::judge_tables(
            &self.fabric,
            &Scene::healthy(&self.topology),
            &self.tables,
            &self.nominal.ranks,
        );
        walked.map(|(walk, _)| walk.max_channel_load()).map_err(|error| self.convicted(error))
    }

    /// The ranks of the live tables for all routers, not only the canonical ones.
    pub fn ranks(&self) -> Vec<u32> {
        fabc_check::ranks_by_port(
            &self.topology,
            &self.tables.symmetry,
            usize::from(self.tables.vcs),
            &self.nominal.ranks,
        )
    }

    /// The fabric before anything went down.
    pub fn as_built(&self) -> AsBuilt<'_> {
        AsBuilt {
            fabric: &self.fabric,
            topology: &self.topology,
            cross_connects: self.cross_connects.as_ref(),
        }
    }

    /// A conviction because of a file of this folder.
    pub fn convicted(&self, error: CheckError) -> Convicted {
        Convicted::because(error, &self.sources)
    }

    /// Reads a folder where the last tables of a plan are live. `plan_folder` has them with their ranks.
    ///
    /// # Errors
    /// [`Refusal::NotBuilt`] if a file is missing or damaged, and [`Convicted`] if the tables violate the
    /// proof.
    pub fn read_running(folder: F, plan_folder: Option<F>) -> Result<Self, F::Error> {
        let mut built = Self::read(folder)?;
        let Some(plan_folder) = plan_folder else { return Ok(built) };
        built.running = manifest_hash(&plan_folder).ok();
        let unfit = |problem: String| Refusal::NotBuilt {
            path: plan_folder.path(),
            reason: format!("`plan.json`: {problem}"),
        };
        let plan: PlanFile = tagged(&plan_folder.read("plan.json")?).map_err(unfit)?;
        if plan.fabric != built.fabric.name {
            let problem = format!("is of the fabric `{}`, not of `{}`", plan.fabric, built.fabric.name);
            return Err(unfit(problem).into());
        }
        if plan.last.len() > 1 {
            // The plan ends with the tables of the build.
            return Ok(built);
        }
        let tables = built.read_single_tables(&plan_folder.below("final"), NOMINAL)?;
        fabc_check::judge_tables(&built.fabric, &Scene::healthy(&built.topology), &tables, &plan.ranks)
            .map_err(|error| built.convicted(error))?;
        let nominal = CertifiedScenario { ranks: plan.ranks, ..built.nominal };
        Ok(Self { tables, nominal, faults: Vec::new(), ..built })
    }

    /// Reads the tables of a folder that holds a single file of them.
    ///
    /// # Errors
    /// [`Refusal::NotBuilt`] without such a file, and [`Convicted`] for tables that do not fit the fabric.
    pub fn read_single_tables(&self, folder: &F, scenario: &str) -> Result<ForwardingTables, F::Error> {
        let mut files = Files::new();
        for path in ["tables.json", "tables.bin"].into_iter().filter(|path| folder.has(path)) {
            files.insert(path.to_owned(), folder.read(path)?);
        }
        if files.is_empty() {
            let reason = "`tables.json`: is missing: the live tables are needed".to_owned();
            return Err(Refusal::NotBuilt { path: folder.path(), reason }.into());
        }
        Ok(fabc_check::read_tables(&files, &self.topology, scenario)
            .map_err(|error| self.convicted(error))?)
    }

    /// The tables that the build has for exactly these parts down.
    ///
    /// # Errors
    /// [`Convicted`] if the tables do not fit the fabric.
    pub fn covered_tables(&self, down: &[String]) -> Result<Option<Covered>, F::Error> {
        let Some((scenario, name)) = tolerated_fault(self.as_built(), down) else { return Ok(None) };
        let Some(path) = tables_file(&self.folder, &fabc_emit::tables_path(&scenario.name)) else {
            return Ok(None);
        };
        let Some(line) = self.faults.iter().find(|line| line.scenario == scenario.name) else {
            return Ok(None);
        };
        let mut files = self.files.clone();
        files.insert(path.clone(), self.folder.read(&path)?);
        let read = fabc_check::read_scenario(&files, &self.fabric, &scenario.name)
            .map_err(|error| self.convicted(error))?;
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
            let Some(carried) = carried_along(&tables, &name, blocks, block) else { return Ok(None) };
            tables = carried;
        }
        Ok(Some(Covered { scenario: name, tables, ranks: ranks.concat() }))
    }
}

/// The error for a folder without healthy tables.
fn no_tables(folder: &impl Folder) -> Refusal {
    let hint = format!("the build of `{}` stopped before routing, or plans vectors", folder.path());
    Refusal::UnknownScenario { name: NOMINAL.to_owned(), hint }
}

/// The hash of the manifest of a directory, in hexadecimal digits.
///
/// # Errors
/// There is no manifest, or it cannot be read.
pub fn manifest_hash<F: Folder>(folder: &F) -> Result<String, F::Error> {
    Ok(blake3::hash(&folder.read(MANIFEST)?).to_hex().to_string())
}
