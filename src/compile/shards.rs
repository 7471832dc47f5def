//! A build in parts: what one process does of it, and how the parts come together.
//!
//! Every part finds the healthy fabric, since all faults start from it, and of the faults only its own; what
//! it keeps of a scenario is what was searched. To merge is to look at every scenario once more and have the
//! checker prove it, as it proves those that were just found: nothing that was kept is believed.

use super::context::Context;
use super::faults::Faults;
use super::scenario::Found;
use super::{Stage, certified_flow, decidable, finish, plant, prepared, scenario};
use crate::check::{self, CheckError};
use crate::compiled::{Compiled, CompiledScenario};
use crate::diag::Failure;
use crate::ir::{KeptHealthy, KeptScenario, KeptTables, Scenario, Scene, Topology};
use crate::model::Fabric;
use crate::progress::Progress;

/// Keeps what a part has found.
pub trait Keeper: Sync {
    /// What keeping may end with.
    type Error: From<Failure> + Send;

    /// Keeps the healthy fabric.
    ///
    /// # Errors
    /// It cannot be kept.
    fn healthy(&self, healthy: KeptHealthy) -> Result<(), Self::Error>;

    /// Whether a fault, given by its number and name, is of this part and not kept yet.
    fn wants(&self, fault: usize, name: &str) -> bool;

    /// Keeps a fault.
    ///
    /// # Errors
    /// It cannot be kept.
    fn fault(&self, kept: KeptScenario) -> Result<(), Self::Error>;
}

/// Has what parts have kept.
pub trait Kept: Sync {
    /// What reading may end with.
    type Error: From<Failure> + Send;

    /// The healthy fabric.
    ///
    /// # Errors
    /// It is not there, or damaged.
    fn healthy(&self, topology: &Topology) -> Result<KeptHealthy, Self::Error>;

    /// A fault, by its name.
    ///
    /// # Errors
    /// It is not there, or damaged.
    fn fault(&self, name: &str, topology: &Topology) -> Result<KeptScenario, Self::Error>;

    /// The error where the checker convicts what was kept.
    fn convicted(&self, name: &str, what: Failure) -> Self::Error;
}

/// Compiles a part of a fabric: all that is healthy, and of the faults those that are wanted.
///
/// # Errors
/// As [`super::compile`], and what keeping may end with.
pub fn shard<K: Keeper>(fabric: &Fabric, last: Stage, keeper: &K, progress: &dyn Progress) -> Result<(), K::Error> {
    decidable(fabric, last)?;
    let built = plant::build(fabric, progress)?;
    let faults = Faults::new(fabric, &built.topology, built.pod.as_ref(), last, progress)?;
    let flow = certified_flow(fabric, &built, progress)?;
    let routing = prepared(fabric, &built, &flow, last, progress)?;
    let context = Context::new(fabric, &built.topology, built.pod.as_ref(), &flow.dual, faults.len());
    let wanted = faults.names().enumerate().filter(|(at, name)| keeper.wants(*at, name)).count();
    progress.begin("scenarios", 1 + wanted as u64);
    let (nominal, routes) = context.scenario(routing.as_ref(), &Scenario::nominal(), None)?;
    let record = routing.as_ref().map(|routing| routing.record(&nominal, 1 + faults.len()));
    let names = faults.names().map(str::to_owned).collect();
    keeper.healthy(KeptHealthy { nominal: nominal.kept(), flow: flow.clone(), routing: record, faults: names })?;
    progress.advance();
    let kept = faults.compile(|at, fault| {
        if !keeper.wants(at, &fault.name) {
            return Ok(());
        }
        let (compiled, _) = context.scenario(routing.as_ref(), fault, routes.as_ref())?;
        progress.advance();
        keeper.fault(compiled.kept())
    });
    progress.end();
    kept.into_iter().collect()
}

/// Puts together what the parts have kept: what [`super::compile`] returns.
///
/// # Errors
/// As [`super::compile`], and what reading may end with.
pub fn merged<K: Kept>(fabric: Fabric, last: Stage, kept: &K, progress: &dyn Progress) -> Result<Compiled, K::Error> {
    decidable(&fabric, last)?;
    let built = plant::build(&fabric, progress)?;
    let faults = Faults::new(&fabric, &built.topology, built.pod.as_ref(), last, progress)?;
    let KeptHealthy { nominal, flow, routing, .. } = kept.healthy(&built.topology)?;
    let convicted = |name: &str, what: Failure| kept.convicted(name, what);
    let whole = Scene::whole(&built.topology);
    scenario::proved(&whole, &fabric.demand, &flow).map_err(|what| convicted("nominal", what))?;
    let context = Context::new(&fabric, &built.topology, built.pod.as_ref(), &flow.dual, faults.len());
    progress.begin("scenarios", 1 + faults.len() as u64);
    let nominal = context.known(&Scenario::nominal(), nominal).map_err(|what| convicted("nominal", what))?;
    progress.advance();
    let found = faults.compile(|_, fault| {
        let known = context.known(fault, kept.fault(&fault.name, &built.topology)?).map_err(|what| convicted(&fault.name, what));
        progress.advance();
        known
    });
    progress.end();
    let scenarios: Vec<CompiledScenario> = std::iter::once(Ok(nominal)).chain(found).collect::<Result<_, K::Error>>()?;
    Ok(finish::finish(fabric, last, built, flow, scenarios, routing, progress)?)
}

impl Context<'_> {
    /// A scenario that was found before: measured and proved as a new one is.
    fn known(&self, fault: &Scenario, kept: KeptScenario) -> Result<CompiledScenario, Failure> {
        let KeptScenario { lengths, flow, routed, .. } = kept;
        let ground = self.ground(fault)?;
        if let Some(flow) = &flow {
            check::flow(&ground.scene, &self.fabric.demand, flow).map_err(Failure::internal)?;
        }
        let found = routed.map(|KeptTables { tables, ranks }| {
            let unpacked = tables.unpack().map_err(|what| CheckError::Shape { scenario: fault.name.clone(), what })?;
            Ok(Found { tables: unpacked, packed: Some(tables), ranks, carried: None })
        });
        self.measured(fault, &ground, lengths, flow, found.transpose().map_err(|error: CheckError| Failure::internal(error))?)
    }
}
