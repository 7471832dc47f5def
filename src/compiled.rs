//! The result of a compilation: everything the emitters write.

use crate::check::DeadlockFree;
use crate::ids::OcsId;
use crate::ir::{
    ConcurrentFlow, CrossConnects, DualLengths, ForwardingTables, PassRecord, RequireOutcome, Scenario, ScenarioMetrics, Topology,
    UniformTopology,
};
use crate::model::Pod;

/// A compiled pod.
#[derive(Debug)]
pub struct Compiled {
    /// What was declared.
    pub pod: Pod,
    /// Who is wired to whom.
    pub topology: Topology,
    /// What every OCS is set to.
    pub cross_connects: CrossConnects,
    /// The certified flow of the healthy pod.
    pub flow: ConcurrentFlow,
    /// What the topology for uniform demand reaches; `None` unless the topology is synthesized for another demand.
    pub uniform: Option<UniformTopology>,
    /// OCS-disjoint spanning trees over the cubes, each as the OCSes it uses.
    pub trees: Vec<Vec<OcsId>>,
    /// Nominal first, then every tolerated fault.
    pub scenarios: Vec<CompiledScenario>,
    /// How the `require` lines came out, in the order of the normalised spec.
    pub requires: Vec<RequireOutcome>,
    /// What the passes did.
    pub passes: Vec<PassRecord>,
}

/// One scenario.
#[derive(Debug)]
pub struct CompiledScenario {
    /// Which OCSes are dark.
    pub scenario: Scenario,
    /// What was measured.
    pub metrics: ScenarioMetrics,
    /// The channel lengths that prove the upper end of its flow.
    pub lengths: DualLengths,
    /// Tables and their proof; `None` if the build stopped before routing.
    pub routed: Option<RoutedScenario>,
}

/// Tables, and the right to emit them.
#[derive(Debug)]
pub struct RoutedScenario {
    /// The forwarding tables.
    pub tables: ForwardingTables,
    /// Proof of deadlock freedom.
    pub proof: DeadlockFree,
}

impl Compiled {
    /// The metrics of all scenarios, nominal first.
    pub fn metrics(&self) -> Vec<ScenarioMetrics> {
        self.scenarios.iter().map(|scenario| scenario.metrics.clone()).collect()
    }
}
