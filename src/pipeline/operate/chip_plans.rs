//! The plans of chips in a fabric with scheduled vectors.

use crate::folder::Folder;
use crate::refusal::Refusal;
use crate::scenarios::{BuiltScenarios, NOMINAL, planned_hint};
use fabc_base::diag::SourceMap;
use fabc_base::ids::{Id, NodeId};
use fabc_check::ReadScene;
use fabc_ir::read::ScheduleFile;
use fabc_ir::{Schedule, Topology};
use fabc_model::Fabric;

/// The file of all plans, in either form.
const SCHEDULES: [&str; 2] = ["schedule.json", "schedule.bin"];

/// The prefix of scenario names: in scenario `block3` the spare block replaces block 3.
const REPLACED: &str = "block";

/// The plans of a directory, in one scenario.
pub struct ScheduledFabric {
    /// The wiring of the healthy fabric.
    pub topology: Topology,
    /// The plan of every job, by its name.
    pub plans: Vec<(String, Schedule)>,
    /// The number of routers by which the network moves, so that the spare block takes the place of the
    /// failed one.
    moved: u32,
}

impl ScheduledFabric {
    /// The chip of the plans whose part a chip of the fabric has.
    pub fn planned_chip(&self, chip: NodeId) -> NodeId {
        let nodes = self.topology.node_count() as u32;
        NodeId((chip.0 + nodes - self.moved) % nodes)
    }
}

/// Reads the plans of a directory. In scenario `block3` the spare block replaces block 3.
///
/// # Errors
/// [`Refusal::UnknownScenario`] if there is no such spare, [`Refusal::NotBuilt`] for missing or damaged
/// files, and [`Convicted`](crate::refusal::Convicted) if the wiring does not fit the spec.
pub fn read_chip_plans<F: Folder>(
    folder: &F,
    fabric: &Fabric,
    scenario: &str,
) -> Result<ScheduledFabric, F::Error> {
    let not_built = |reason: String| Refusal::NotBuilt { path: folder.path(), reason };
    let unknown = || {
        let hint = match fabric.failover() {
            Some((_, blocks)) => {
                format!("block0 to block{}: the spare block replaces the named one", blocks - 1)
            }
            None => planned_hint(&folder.path()),
        };
        Refusal::UnknownScenario { name: scenario.to_owned(), hint }
    };
    // The number of routers by which the network moves, so that the spare block takes the failed one's place.
    let moved = match scenario
        .strip_prefix(REPLACED)
        .and_then(|block| block.parse::<u32>().ok())
        .zip(fabric.failover())
    {
        _ if scenario == NOMINAL => 0,
        Some((block, (size, blocks))) if block < blocks => (block + 1) % blocks * size,
        _ => return Err(unknown().into()),
    };
    let Some(schedule) = SCHEDULES.into_iter().find(|path| folder.has(path)) else {
        return Err(not_built(format!("there is no `{}`", SCHEDULES[0])).into());
    };
    let no_sources = SourceMap::default();
    let read = BuiltScenarios { folder, fabric, sources: &no_sources }.wiring(NOMINAL)?;
    let ReadScene { topology, .. } = read.ok_or_else(|| not_built("it has no healthy fabric".to_owned()))?;
    let damaged = |problem: String| not_built(format!("`{schedule}` is damaged: {problem}"));
    let file = ScheduleFile::read(&folder.read(schedule)?).map_err(damaged)?;
    let plans = file.plans().map_err(damaged)?;
    if let Some((name, _)) = plans.iter().find(|(_, plan)| !fits_topology(plan, &topology)) {
        return Err(damaged(format!("`{name}` sends from chips or ports that do not exist")).into());
    }
    Ok(ScheduledFabric { topology, plans, moved })
}

fn fits_topology(plan: &Schedule, topology: &Topology) -> bool {
    let of_topology = plan.nodes as usize == topology.node_count() && plan.chunks > 0;
    of_topology
        && plan.timed().is_some_and(|timed| {
            timed
                .sends
                .iter()
                .all(|send| send.chip.index() < topology.node_count() && send.port.index() < topology.ports())
        })
}
