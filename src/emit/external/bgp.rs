//! What all formats share that configure BGP on every switch.
//!
//! Before anything is written, the checker reads the files back and compares the routes of BGP with the
//! next-hop groups of every scenario.

use super::addressing::{AddressedSwitch, IpSwitches, addressed_switches, largest_group};
use super::chunks::{EmitError, Take};
use crate::compiled::CompiledFabric;
use fabc_check::{BgpNetwork, CheckError};
use fabc_ir::{Topology, surviving_scene};
use fabc_model::Fabric;
use std::collections::BTreeMap;

/// The files of all switches, by paths such as `leaf-0/frr.conf`.
pub(super) type SwitchFiles = BTreeMap<String, Vec<u8>>;

/// A format with one file per switch that configures BGP.
pub(super) struct BgpFormat {
    pub(super) name: &'static str,
    /// What a fabric needs and the format has no place for.
    pub(super) lacks: fn(&Fabric) -> Option<&'static str>,
    /// The files of all switches, from the switches by id and the size of the largest group.
    pub(super) files: fn(&Topology, &[AddressedSwitch], usize) -> SwitchFiles,
    /// The checker of these files.
    pub(super) read: fn(&Fabric, &Topology, &SwitchFiles) -> Result<BgpNetwork, CheckError>,
}

impl BgpFormat {
    /// Writes the file of every switch.
    ///
    /// # Errors
    /// [`EmitError::NotConfigured`] where the format cannot express the fabric,
    /// [`EmitError::NotTheGroups`] where the routes of BGP are not the next-hop groups, and those of `take`.
    pub(super) fn write<E: From<EmitError>>(
        &self,
        compiled: &CompiledFabric,
        take: &mut Take<'_, E>,
    ) -> Result<(), E> {
        let CompiledFabric { fabric, topology, scenarios, .. } = compiled;
        if scenarios.iter().all(|scenario| scenario.sprayed.is_none()) {
            return Ok(());
        }
        let format = self.name;
        if let Some(problem) = (self.lacks)(fabric) {
            return Err(EmitError::NotConfigured { format, problem: problem.to_owned() }.into());
        }
        let routed = IpSwitches::new(compiled);
        let switches = addressed_switches(format, fabric, routed.topology())?;
        let largest = largest_group(format, scenarios.iter().filter_map(|scenario| routed.tables(scenario)))?;
        let files = (self.files)(routed.topology(), &switches, largest);
        let refused = |error: CheckError| EmitError::NotTheGroups { conviction: error.to_string() };
        let network = (self.read)(fabric, topology, &files).map_err(refused)?;
        for scenario in scenarios {
            let Some(sprayed) = &scenario.sprayed else { continue };
            let scene = surviving_scene(&scenario.scenario.fault, topology, None);
            network.check_groups(&scene, &sprayed.tables).map_err(refused)?;
        }
        for (path, bytes) in &files {
            take(path, bytes)?;
        }
        Ok(())
    }
}
