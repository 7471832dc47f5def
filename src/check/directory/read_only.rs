//! One scenario of a directory, read and not proved: for what runs tables and judges nothing.

use super::files::{Files, OCS};
use super::{switches, tables, topology};
use crate::CheckError;
use crate::faults::{ToleratedFault, tolerated};
use fabc_base::ids::{IdVec, LinkId, NodeId};
use fabc_ir::{CrossConnects, ForwardingTables, Scene, Symmetry, TableKey, Topology};
use fabc_model::Fabric;

/// What the files say of one scenario.
#[derive(Debug)]
pub struct ReadScenario {
    /// Who is wired to whom.
    pub topology: Topology,
    /// Which links are lit.
    pub lit: IdVec<LinkId, bool>,
    /// The routers that are dead.
    pub dead: Vec<NodeId>,
    /// The tables.
    pub tables: ForwardingTables,
}

/// What the files say of who is wired to whom in one scenario.
#[derive(Debug)]
pub struct ReadScene {
    /// Who is wired to whom.
    pub topology: Topology,
    /// Which links are lit.
    pub lit: IdVec<LinkId, bool>,
    /// The routers that are dead.
    pub dead: Vec<NodeId>,
}

impl ReadScenario {
    /// What is left.
    pub fn scene(&self) -> Scene<'_> {
        Scene { topology: &self.topology, lit: self.lit.clone(), dead: self.dead.clone() }
    }
}

impl ReadScene {
    /// What is left.
    pub fn scene(&self) -> Scene<'_> {
        Scene { topology: &self.topology, lit: self.lit.clone(), dead: self.dead.clone() }
    }
}

/// What the files say of who is wired to whom, and through which switch.
#[derive(Debug)]
pub struct ReadWiring {
    /// Who is wired to whom.
    pub topology: Topology,
    /// What the switches of a pod are set to.
    pub cross_connects: Option<CrossConnects>,
}

/// Reads the topology, and of a pod the settings of its switches.
///
/// # Errors
/// A file that is missing, is not what its format says, or does not fit the spec.
pub fn read_wiring(files: &Files, fabric: &Fabric) -> Result<ReadWiring, CheckError> {
    let (topology, ocs_of) = topology::topology(files, fabric)?;
    let pod = fabric.pod().filter(|_| files.contains_key(OCS));
    let cross_connects =
        pod.map(|pod| switches::cross_connects(files, pod, &topology, ocs_of)).transpose()?;
    Ok(ReadWiring { topology, cross_connects })
}

/// The healthy fabric of a directory whose build stopped before routing: no table has an entry.
///
/// # Errors
/// The topology does not fit the spec.
pub fn read_unrouted(files: &Files, fabric: &Fabric) -> Result<ReadScenario, CheckError> {
    let (topology, _) = topology::topology(files, fabric)?;
    let lit = IdVec::filled(true, topology.links().len());
    let symmetry = Symmetry::trivial(1, topology.node_count() as u32);
    let routers = vec![Vec::new(); topology.node_count()];
    let tables =
        ForwardingTables { scenario: "nominal".to_owned(), vcs: 1, key: TableKey::Dst, symmetry, routers };
    Ok(ReadScenario { topology, lit, dead: Vec::new(), tables })
}

/// The names of all scenarios that a directory should have tables for, nominal first.
///
/// # Errors
/// The topology does not fit the spec.
pub fn scenario_names(files: &Files, fabric: &Fabric) -> Result<Vec<String>, CheckError> {
    let faults = tolerated(fabric, || topology::topology(files, fabric).map(|(topology, _)| topology))?;
    Ok(faults.into_iter().map(|fault| fault.name).collect())
}

/// Reads topology and tables of a scenario; of the files only these, and `ocs.json` where switches are dark,
/// need to be there. `None` if the spec tolerates no such fault.
///
/// # Errors
/// A file that is missing, is not what its format says, or does not fit the spec.
pub fn read_scenario(files: &Files, fabric: &Fabric, name: &str) -> Result<Option<ReadScenario>, CheckError> {
    let Some((ReadScene { topology, lit, dead }, fault)) = scene(files, fabric, name)? else {
        return Ok(None);
    };
    let (tables, _) = tables::tables(files, &topology, &fault)?;
    Ok(Some(ReadScenario { topology, lit, dead, tables }))
}

/// The same without tables.
///
/// # Errors
/// As [`read_scenario`].
pub fn read_scene(files: &Files, fabric: &Fabric, name: &str) -> Result<Option<ReadScene>, CheckError> {
    Ok(scene(files, fabric, name)?.map(|(scene, _)| scene))
}

fn scene(
    files: &Files,
    fabric: &Fabric,
    name: &str,
) -> Result<Option<(ReadScene, ToleratedFault)>, CheckError> {
    let ReadWiring { topology, cross_connects } = read_wiring(files, fabric)?;
    let faults = tolerated(fabric, || Ok(&topology))?;
    let Some(fault) = faults.into_iter().find(|fault| fault.name == name) else { return Ok(None) };
    let lit = fault.lit(&topology, cross_connects.as_ref());
    Ok(Some((ReadScene { lit, dead: fault.dead().into_iter().collect(), topology }, fault)))
}
