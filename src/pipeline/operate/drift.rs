//! How the live switches of a pod differ from its build, and what the difference means.

use super::down::{AsBuilt, DownParts, tolerated_fault};
use super::pods::pod_of;
use super::stored::tables_file;
use crate::folder::Folder;
use crate::library::Loaded;
use crate::refusal::{Convicted, Refusal};
use fabc_base::diag::SourceMap;
use fabc_check::{Files, ReadWiring};
use fabc_ir::{
    CrossConnects, Drift, LightDrift, LiveSwitches, Meaning, MeasuredPower, SwitchDrift, Topology,
};
use fabc_model::{Fabric, Pod};
use fabc_passes::{drift, light};
use std::collections::BTreeMap;

/// A built pod with its wiring, as a comparison with live switches needs it.
pub struct BuiltWiring<F> {
    /// The folder that was read.
    folder: F,
    /// The fabric that the spec declares.
    pub fabric: Fabric,
    sources: SourceMap,
    topology: Topology,
    cross_connects: Option<CrossConnects>,
}

/// A drift of a pod, with the tables that are prepared for it.
pub struct PodDrift {
    /// The difference and its meaning.
    pub drift: Drift,
    /// The path of the tables that the build has for exactly this loss.
    pub tables: Option<String>,
}

impl<F: Folder> BuiltWiring<F> {
    /// Reads the wiring of a built pod.
    ///
    /// # Errors
    /// [`Refusal::NoSwitches`] for a network, and [`Convicted`] for a wiring that does not fit the spec.
    pub fn read(folder: F) -> Result<Self, F::Error> {
        let Loaded { fabric, sources, .. } = folder.fabric()?;
        pod_of(&fabric)?;
        let mut files = Files::new();
        for path in ["topology.json", "ocs.json"] {
            files.insert(path.to_owned(), folder.read(path)?);
        }
        let ReadWiring { topology, cross_connects } =
            fabc_check::read_wiring(&files, &fabric).map_err(|error| Convicted::because(error, &sources))?;
        Ok(Self { folder, fabric, sources, topology, cross_connects })
    }

    /// The pod of the fabric.
    ///
    /// # Errors
    /// [`Refusal::NoSwitches`] for a network.
    pub fn pod(&self) -> Result<&Pod, Refusal> {
        pod_of(&self.fabric)
    }

    /// Compares measured light with the budgets of the links that are lit as built. `None` where the spec
    /// gives no light.
    ///
    /// # Errors
    /// [`Convicted`] where a link does not close, and [`Refusal::NoSwitches`] for a network.
    pub fn light_drift(
        &self,
        live: &LiveSwitches,
        powers: &BTreeMap<String, MeasuredPower>,
    ) -> Result<Option<LightDrift>, F::Error> {
        let Self { fabric, topology, cross_connects, .. } = self;
        let budgets = fabc_check::verify_light(fabric, topology, cross_connects.as_ref())
            .map_err(|error| Convicted::because(error, &self.sources))?;
        let pod = pod_of(fabric)?;
        Ok(budgets.map(|budgets| light::weak_receivers(fabric, pod, &budgets, &live.lit, powers)))
    }

    /// Compares the live switches with the build. With `soon`, pending cross-connects count as set.
    ///
    /// # Errors
    /// [`Refusal::NoSwitches`] for a network.
    pub fn drift(&self, live: &LiveSwitches, soon: bool) -> Result<PodDrift, Refusal> {
        let Self { folder, fabric, topology, cross_connects, .. } = self;
        let as_built = AsBuilt { fabric, topology, cross_connects: cross_connects.as_ref() };
        let (switches, down) = drifted_switches(as_built, pod_of(fabric)?, live, soon);
        let names = down.names(as_built);
        let scenario = tolerated_fault(as_built, &names);
        let tables = scenario
            .as_ref()
            .and_then(|(scenario, _)| tables_file(folder, &fabc_emit::tables_path(&scenario.name)));
        let meaning = match scenario {
            _ if switches.iter().any(|switch| !switch.extra.is_empty()) => Meaning::Foreign(names),
            _ if names.is_empty() => Meaning::Same,
            Some((_, name)) if tables.is_some() => Meaning::Scenario(name),
            _ => Meaning::Repair(names),
        };
        let parts = fabc_check::connected_parts(&down.scene(as_built)).len();
        let built = cross_connects.as_ref().map(CrossConnects::mirrors);
        let has_lost_all = |switch: &&SwitchDrift| {
            let count = built.as_ref().map_or(0, |built| built[switch.ocs].len());
            count > 0 && switch.missing.len() == count
        };
        let lost = switches.iter().filter(has_lost_all).map(|switch| switch.ocs).collect();
        Ok(PodDrift { drift: Drift { switches, meaning, parts, lost }, tables })
    }
}

/// The switches that differ, and the parts that are down because of it. With `soon`, pending cross-connects
/// count as set.
pub fn drifted_switches(
    as_built: AsBuilt<'_>,
    pod: &Pod,
    live: &LiveSwitches,
    soon: bool,
) -> (Vec<SwitchDrift>, DownParts) {
    let Some(cross_connects) = as_built.cross_connects else { return (Vec::new(), DownParts::default()) };
    let built = cross_connects.mirrors();
    let switches = drift::differences(pod, &built, live, soon);
    let down = DownParts::by_dark(as_built, &drift::dark(&built, &switches));
    (switches, down)
}
