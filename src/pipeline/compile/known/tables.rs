//! The known flow and tables of a fabric on its topology, and the reports of its simulations.

use super::KnownResults;
use super::keys::{hash_of_texts, key_of};
use crate::compile::Stage;
use crate::compile::plant::BuiltPlant;
use crate::verify::kept_report;
use fabc_base::ids::{BlockId, Id};
use fabc_ir::read::{KeptFile, KeptReport};
use fabc_ir::{KeptHealthy, KeptScenario, LinkClass, Topology, fault_flows_are_listed};
use fabc_model::{Fabric, Simulation};
use fabc_passes::flow::FlowSettings;
use fabc_sim::{Prepared, SimError, SimReport};

/// The known flow and tables of a fabric on a topology.
pub(in crate::compile) struct KnownTables<'a> {
    pub(super) results: &'a KnownResults<'a>,
    /// The key of the healthy fabric.
    healthy: String,
    lists_flows: bool,
}

impl<'a> KnownTables<'a> {
    /// The known flow and tables of a build as far as `last` on its plant, with so many `faults`.
    pub(in crate::compile) fn new(
        results: &'a KnownResults<'a>,
        fabric: &Fabric,
        plant: &BuiltPlant,
        settings: &FlowSettings,
        faults: usize,
        last: Stage,
    ) -> Self {
        let settings = format!("{settings:?}");
        let healthy = results.key(|texts| {
            key_of(&["healthy", last.name(), &texts.tables, &settings, &plant_hash(fabric, plant)])
        });
        // Where there are many faults, none of them gets a flow of its own.
        Self { results, healthy, lists_flows: fault_flows_are_listed(&plant.topology, faults) }
    }

    /// The key of a scenario. A fault is routed from the routes of the healthy fabric.
    pub(in crate::compile) fn key(&self, scenario: &str) -> String {
        match (scenario, self.lists_flows) {
            ("nominal", _) => self.healthy.clone(),
            (_, true) => key_of(&["fault", scenario, "with flow", &self.healthy]),
            (_, false) => key_of(&["fault", scenario, &self.healthy]),
        }
    }

    /// The known results of the healthy fabric.
    pub(in crate::compile) fn healthy(&self, topology: &Topology) -> Option<KeptHealthy> {
        let key = self.key("nominal");
        self.results.load(&key, |bytes| self.entry(&key, "nominal", bytes)?.healthy(topology))
    }

    /// The known results of a fault.
    pub(in crate::compile) fn fault(&self, topology: &Topology, scenario: &str) -> Option<KeptScenario> {
        let key = self.key(scenario);
        self.results.load(&key, |bytes| self.entry(&key, scenario, bytes)?.scenario(topology))
    }

    /// Whether the results of a fault are stored and intact.
    pub(in crate::compile) fn has_fault(&self, scenario: &str) -> bool {
        let key = self.key(scenario);
        self.results.load(&key, |bytes| self.entry(&key, scenario, bytes)).is_some()
    }

    fn entry(&self, key: &str, scenario: &str, bytes: &[u8]) -> Result<KeptFile, String> {
        let file = KeptFile::read(bytes)?;
        let is_of = file.key() == key && file.name() == scenario;
        if is_of { Ok(file) } else { Err("it belongs to another build".to_owned()) }
    }

    /// Discards a scenario that the checker convicted.
    pub(in crate::compile) fn discard(&self, scenario: &str, reason: &str) {
        self.results.discard(&self.key(scenario), reason);
    }

    /// The report of a simulation on the tables of a scenario: the known one, or else that of a run.
    pub(in crate::compile) fn report<'p>(
        &self,
        fabric: &Fabric,
        topology: &Topology,
        number: usize,
        prepared: impl FnOnce() -> Result<Prepared<'p>, SimError>,
        run: impl FnOnce() -> Result<SimReport, SimError>,
        scenario: &str,
    ) -> Result<SimReport, SimError> {
        let results = self.results;
        if results.texts().is_none() {
            return run();
        }
        let simulation = &fabric.simulations[number];
        let (key, tables) = (self.report_key(number, scenario), self.key(scenario));
        let known = results.load(&key, |bytes| {
            let file = self.report_entry(&key, &simulation.name, scenario, bytes)?;
            let prepared = prepared().map_err(|error| error.to_string())?;
            kept_report(fabric, simulation, &prepared, file.report())
        });
        if let Some(report) = known {
            return Ok(report);
        }
        let report = run()?;
        results.store(&key, || {
            fabc_emit::kept_simulation(&key, &tables, fabric, topology, &simulation.name, &report)
        });
        Ok(report)
    }

    /// The key of the report of a simulation, by its number in the spec, on the tables of a scenario.
    pub(in crate::compile) fn report_key(&self, number: usize, scenario: &str) -> String {
        let tables = self.key(scenario);
        self.results.key(|texts| key_of(&["simulation", &tables, &texts.simulations[number]]))
    }

    /// Whether the report of a simulation is stored and intact.
    pub(in crate::compile) fn has_report(
        &self,
        simulation: &Simulation,
        number: usize,
        scenario: &str,
    ) -> bool {
        let key = self.report_key(number, scenario);
        self.results.load(&key, |bytes| self.report_entry(&key, &simulation.name, scenario, bytes)).is_some()
    }

    fn report_entry(
        &self,
        key: &str,
        simulation: &str,
        scenario: &str,
        bytes: &[u8],
    ) -> Result<KeptReport, String> {
        let file = KeptReport::read(bytes)?;
        let is_of = file.is_of(key, simulation, scenario, &self.key(scenario));
        if is_of { Ok(file) } else { Err("it belongs to another build".to_owned()) }
    }

    pub(in crate::compile) fn store_healthy(&self, healthy: impl FnOnce() -> KeptHealthy) {
        self.results.store(&self.healthy, || fabc_emit::kept_healthy(&self.healthy, &healthy()));
    }

    pub(in crate::compile) fn store_fault(&self, kept: impl FnOnce() -> KeptScenario) {
        if self.results.texts().is_some() {
            let kept = kept();
            let key = self.key(&kept.scenario);
            self.results.store(&key, || fabc_emit::kept_fault(&key, &kept));
        }
    }
}

/// The hash of everything that flow and routes read of a built plant: links, symmetry, the start lengths of
/// the flow, and the placements of jobs. The text of the spec determines everything else of the topology.
fn plant_hash(fabric: &Fabric, plant: &BuiltPlant) -> String {
    let numbers = |numbers: &[u32]| format!("{numbers:?}");
    let seeds = plant.seeds.iter().map(|lengths| numbers(lengths));
    let targets = plant.targets.iter().map(|target| format!("{:?}", target.placed(fabric).ranks));
    let torus = format!("{:?}", plant.torus);
    let texts: Vec<String> = links_text(&plant.topology).into_iter().chain(seeds).chain(targets).collect();
    hash_of_texts(texts.iter().chain([&torus]).map(String::as_str)).to_hex().to_string()
}

/// The links of a topology, and its symmetry.
fn links_text(topology: &Topology) -> [String; 2] {
    let links = topology.links().iter().map(|link| {
        let (a, b, is_local) = (link.a, link.b, link.class == LinkClass::Local);
        format!(
            "{}.{} {}.{} {is_local} {} {}\n",
            a.node, a.port, b.node, b.port, link.link_type, link.simplex
        )
    });
    let symmetry = topology.symmetry();
    let image = |generator: usize| -> Vec<u32> {
        (0..symmetry.blocks()).map(|block| symmetry.image_block(generator, BlockId::new(block)).0).collect()
    };
    let images: Vec<Vec<u32>> = symmetry.generators().into_iter().map(image).collect();
    [
        links.collect(),
        format!("{} {} {} {images:?}", topology.ports(), symmetry.block_size(), symmetry.blocks()),
    ]
}
