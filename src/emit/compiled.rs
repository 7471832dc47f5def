//! The result of a compilation: everything the emitters write.

use fabc_base::ids::OcsId;
use fabc_check::{DeadlockFree, Sampled, Wired};
use fabc_ir::{
    CollectiveResult, ConcurrentFlow, CrossConnects, DualLengths, FloorMetrics, FlowCertificate, Fraction,
    KeptScenario, KeptTables, NetworkMetrics, PackedTables, PassRecord, Placement, RequireOutcome, Scenario,
    ScenarioMetrics, Topology, TradeOff, TreeBounds, UniformTopology, UniversalLimit, Walk,
};
use fabc_model::{ClosedForm, Fabric, Pod};
use fabc_sim::SimReport;

/// A compiled fabric.
#[derive(Debug)]
pub struct Compiled {
    /// What was declared.
    pub fabric: Fabric,
    /// Who is wired to whom.
    pub topology: Topology,
    /// Proof that the topology is what was declared.
    pub wired: Wired,
    /// What is known of a pod; `None` for a network.
    pub pod: Option<CompiledPod>,
    /// Where routers stand; `None` without a floor.
    pub placement: Option<Placement>,
    /// What the cables of that floor come to.
    pub cables: Option<FloorMetrics>,
    /// What flow costs in cable, by rising weight; empty unless the search weighed it.
    pub trade_off: Vec<TradeOff>,
    /// What was measured of the graph of a network; `None` for a pod.
    pub network: Option<NetworkMetrics>,
    /// The certified flow of the healthy fabric.
    pub flow: ConcurrentFlow,
    /// Nominal first, then every tolerated fault.
    pub scenarios: Vec<CompiledScenario>,
    /// What the simulations of the spec found: of each its scenarios, nominal first; no scenario where there
    /// are no tables.
    pub simulations: Vec<Vec<SimReport>>,
    /// What the collectives of the spec take, in its order.
    pub collectives: Vec<CollectiveResult>,
    /// How the `require` lines came out, in the order of the normalized spec.
    pub requires: Vec<RequireOutcome>,
    /// What the passes did.
    pub passes: Vec<PassRecord>,
}

/// A fabric that was wired, and no more: nothing of it is measured, and nothing is routed.
#[derive(Debug)]
pub struct WiredFabric {
    /// What was declared.
    pub fabric: Fabric,
    /// Who is wired to whom.
    pub topology: Topology,
    /// Proof that the topology is what was declared.
    pub wired: Wired,
    /// What every OCS of a pod is set to.
    pub cross_connects: Option<CrossConnects>,
    /// How many `require` lines only a build can decide.
    pub undecided: usize,
}

/// What files about links alone are written from.
#[derive(Clone, Copy, Debug)]
pub struct Wiring<'a> {
    /// What was declared.
    pub fabric: &'a Fabric,
    /// Who is wired to whom.
    pub topology: &'a Topology,
    /// What every OCS of a pod is set to; `None` for a network.
    pub cross_connects: Option<&'a CrossConnects>,
}

impl<'a> Wiring<'a> {
    /// The pod with the settings of its switches, if the fabric is one.
    pub fn pod(self) -> Option<(&'a Pod, &'a CrossConnects)> {
        self.fabric.pod().zip(self.cross_connects)
    }
}

impl WiredFabric {
    /// Its links.
    pub fn wiring(&self) -> Wiring<'_> {
        Wiring {
            fabric: &self.fabric,
            topology: &self.topology,
            cross_connects: self.cross_connects.as_ref(),
        }
    }
}

/// A network that is too large to be built: what formulas say of it, and what was looked at.
#[derive(Debug)]
pub struct Described {
    /// What formulas say.
    pub form: ClosedForm,
    /// The sample that the checker found to be so.
    pub sampled: Sampled,
    /// How the `require` lines came out, in the order of the normalized spec; not measured where formulas do
    /// not decide.
    pub requires: Vec<RequireOutcome>,
}

/// What a compiled pod has beside any other fabric.
#[derive(Debug)]
pub struct CompiledPod {
    /// What every OCS is set to.
    pub cross_connects: CrossConnects,
    /// What no topology of the pod can carry more than; `None` for a single router.
    pub limit: Option<UniversalLimit>,
    /// What the topology for uniform demand reaches; `None` unless the topology is synthesized for another
    /// demand.
    pub uniform: Option<UniformTopology>,
    /// OCS-disjoint spanning trees over the cubes, each as the OCSes it uses.
    pub trees: Vec<Vec<OcsId>>,
    /// How many there can be.
    pub tree_bounds: TreeBounds,
}

/// One scenario.
#[derive(Debug)]
pub struct CompiledScenario {
    /// What has failed.
    pub scenario: Scenario,
    /// What was measured.
    pub metrics: ScenarioMetrics,
    /// The channel lengths that prove the upper end of its flow.
    pub lengths: DualLengths,
    /// A flow that proves the lower end; `None` where that is what the tables carry, and for the healthy
    /// fabric, whose flow is [`Compiled::flow`].
    pub flow: Option<FlowCertificate>,
    /// Tables and their proof; `None` if the build stopped before routing.
    pub routed: Option<RoutedScenario>,
}

/// Tables, and the right to emit them.
#[derive(Debug)]
pub struct RoutedScenario {
    /// The forwarding tables, packed: those of all scenarios wait here until they are written.
    pub tables: PackedTables,
    /// Proof of deadlock freedom.
    pub proof: DeadlockFree,
}

impl CompiledScenario {
    /// What of it does not follow from the rest.
    pub fn kept(&self) -> KeptScenario {
        let routed = self.routed.as_ref();
        KeptScenario {
            scenario: self.scenario.name.clone(),
            lengths: self.lengths.clone(),
            flow: self.flow.clone(),
            routed: routed.map(|routed| KeptTables {
                tables: routed.tables.clone(),
                ranks: routed.proof.ranks().to_vec(),
            }),
        }
    }
}

impl CompiledPod {
    /// What no topology of the pod can exceed, as a rate of every pair.
    pub fn universal(&self) -> Option<Fraction> {
        self.limit.as_ref().map(UniversalLimit::value)
    }
}

impl Compiled {
    /// Its links.
    pub fn wiring(&self) -> Wiring<'_> {
        let cross_connects = self.pod.as_ref().map(|pod| &pod.cross_connects);
        Wiring { fabric: &self.fabric, topology: &self.topology, cross_connects }
    }
    /// The pod and what is known of it, if the fabric is one.
    pub fn pod(&self) -> Option<(&Pod, &CompiledPod)> {
        self.fabric.pod().zip(self.pod.as_ref())
    }
    /// Whether the healthy fabric is proved to carry as much as any topology could.
    pub fn is_optimal(&self) -> bool {
        let load = self.scenarios[0].metrics.routed.as_ref().map(Walk::max_channel_load);
        self.pod
            .as_ref()
            .and_then(|pod| pod.limit.as_ref())
            .is_some_and(|limit| limit.is_met(&self.flow, load))
    }
    /// The same where only pods come.
    ///
    /// # Panics
    /// For a network.
    pub fn of_pod(&self) -> (&Pod, &CompiledPod) {
        self.pod().expect("what is of pods only is asked of pods only")
    }
    /// The metrics of all scenarios, nominal first.
    pub fn metrics(&self) -> Vec<ScenarioMetrics> {
        self.scenarios.iter().map(|scenario| scenario.metrics.clone()).collect()
    }
}
