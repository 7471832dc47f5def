//! Reads one scenario of a directory without proving it, for commands that only use the tables.

use super::files::{Files, OCS};
use super::{switches, tables, topology};
use crate::CheckError;
use crate::faults::{ToleratedFault, tolerated_faults};
use fabc_base::ids::{IdVec, LinkId, NodeId};
use fabc_ir::{CrossConnects, ForwardingTables, ScenarioTables, Scene, Symmetry, TableKey, Topology};
use fabc_model::Fabric;

/// The files of one scenario, with its tables.
#[derive(Debug)]
pub struct ReadScenario {
    /// The topology that the directory lists.
    pub topology: Topology,
    /// Which links are lit in the scenario.
    pub lit: IdVec<LinkId, bool>,
    /// The routers that are dead in the scenario.
    pub dead: Vec<NodeId>,
    /// The tables of the scenario.
    pub tables: ForwardingTables,
}

/// The wiring of one scenario, without tables.
#[derive(Debug)]
pub struct ReadScene {
    /// The topology that the directory lists.
    pub topology: Topology,
    /// Which links are lit in the scenario.
    pub lit: IdVec<LinkId, bool>,
    /// The routers that are dead in the scenario.
    pub dead: Vec<NodeId>,
}

/// The files of one scenario that a simulation needs.
#[derive(Debug)]
pub struct ReadSimulated {
    /// The wiring of the scenario.
    pub wiring: ReadScene,
    /// The tables of the scenario, of either kind.
    pub tables: ScenarioTables,
}

impl ReadScene {
    /// The surviving part of the fabric.
    pub fn scene(&self) -> Scene<'_> {
        Scene { topology: &self.topology, lit: self.lit.clone(), dead: self.dead.clone() }
    }
}

/// The wiring of the healthy fabric, and the switches that it runs through.
#[derive(Debug)]
pub struct ReadWiring {
    /// The topology that the directory lists.
    pub topology: Topology,
    /// The settings of the switches of a pod.
    pub cross_connects: Option<CrossConnects>,
}

/// Reads the topology, and for a pod the settings of its switches.
///
/// # Errors
/// A file that is missing, is not what its format says, or does not fit the spec.
pub fn read_wiring(files: &Files, fabric: &Fabric) -> Result<ReadWiring, CheckError> {
    let (topology, ocs_of) = topology::read_topology(files, fabric)?;
    let pod = fabric.pod().filter(|_| files.contains_key(OCS));
    let cross_connects =
        pod.map(|pod| switches::read_cross_connects(files, pod, &topology, ocs_of)).transpose()?;
    Ok(ReadWiring { topology, cross_connects })
}

/// The healthy fabric of a directory whose build stopped before routing: no table has an entry.
///
/// # Errors
/// A topology that does not fit the spec.
pub fn read_unrouted(files: &Files, fabric: &Fabric) -> Result<ReadSimulated, CheckError> {
    let (topology, _) = topology::read_topology(files, fabric)?;
    let lit = IdVec::filled(true, topology.links().len());
    let tables = empty_tables(&topology, "nominal");
    Ok(ReadSimulated { wiring: ReadScene { topology, lit, dead: Vec::new() }, tables })
}

/// A scenario for a simulation. Where the build of next-hop groups stopped before routing, no table has an
/// entry. Returns `None` if the spec tolerates no such fault.
///
/// # Errors
/// As [`read_scenario`].
pub fn read_simulated(
    files: &Files,
    fabric: &Fabric,
    name: &str,
) -> Result<Option<ReadSimulated>, CheckError> {
    let Some(spreading) = fabric.routing.spreading() else {
        let read = read_scenario(files, fabric, name)?;
        return Ok(read.map(|ReadScenario { topology, lit, dead, tables }| ReadSimulated {
            wiring: ReadScene { topology, lit, dead },
            tables: ScenarioTables::OnePath(tables),
        }));
    };
    let Some((wiring, fault)) = read_scene_and_fault(files, fabric, name)? else { return Ok(None) };
    let tables = match files.keys().any(|path| path.starts_with("tables/")) {
        true => {
            ScenarioTables::Groups(tables::read_group_tables(files, &wiring.topology, &fault, spreading)?)
        }
        false => empty_tables(&wiring.topology, name),
    };
    Ok(Some(ReadSimulated { wiring, tables }))
}

/// Tables of a scenario without any entry.
fn empty_tables(topology: &Topology, scenario: &str) -> ScenarioTables {
    let symmetry = Symmetry::trivial(1, topology.node_count() as u32);
    let routers = vec![Vec::new(); topology.node_count()];
    let scenario = scenario.to_owned();
    ScenarioTables::OnePath(ForwardingTables { scenario, vcs: 1, key: TableKey::Dst, symmetry, routers })
}

/// The names of all scenarios that a directory should have tables for, nominal first.
///
/// # Errors
/// A topology that does not fit the spec.
pub fn scenario_names(files: &Files, fabric: &Fabric) -> Result<Vec<String>, CheckError> {
    let faults =
        tolerated_faults(fabric, || topology::read_topology(files, fabric).map(|(topology, _)| topology))?;
    Ok(faults.into_iter().map(|fault| fault.name).collect())
}

/// Reads topology and tables of a scenario. It needs no other files, except `ocs.json` where switches are
/// dark. Returns `None` if the spec tolerates no such fault.
///
/// # Errors
/// A file that is missing, violates its format, or does not fit the spec.
pub fn read_scenario(files: &Files, fabric: &Fabric, name: &str) -> Result<Option<ReadScenario>, CheckError> {
    let Some((ReadScene { topology, lit, dead }, fault)) = read_scene_and_fault(files, fabric, name)? else {
        return Ok(None);
    };
    let (tables, _) = tables::read_scenario_tables(files, &topology, &fault)?;
    Ok(Some(ReadScenario { topology, lit, dead, tables }))
}

/// Reads the topology of a scenario without its tables.
///
/// # Errors
/// As [`read_scenario`].
pub fn read_scene(files: &Files, fabric: &Fabric, name: &str) -> Result<Option<ReadScene>, CheckError> {
    Ok(read_scene_and_fault(files, fabric, name)?.map(|(scene, _)| scene))
}

fn read_scene_and_fault(
    files: &Files,
    fabric: &Fabric,
    name: &str,
) -> Result<Option<(ReadScene, ToleratedFault)>, CheckError> {
    let ReadWiring { topology, cross_connects } = read_wiring(files, fabric)?;
    let faults = tolerated_faults(fabric, || Ok(&topology))?;
    let Some(fault) = faults.into_iter().find(|fault| fault.name == name) else { return Ok(None) };
    let lit = fault.lit_links(&topology, cross_connects.as_ref());
    Ok(Some((ReadScene { lit, dead: fault.dead().into_iter().collect(), topology }, fault)))
}
