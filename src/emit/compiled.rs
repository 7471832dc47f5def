//! The result of a compilation, from which the emitters write every file.

use fabc_base::ids::OcsId;
use fabc_check::{DeadlockFree, GroupsProved, Sampled, Wired};
use fabc_ir::{
    CollectiveResult, ConcurrentFlow, CrossConnects, DualLengths, FloorMetrics, FlowCertificate, Fraction,
    GroupTables, Hardware, JobResult, KeptScenario, KeptTables, LightBudgets, NetworkMetrics, PackedTables,
    PassRecord, Permutation, Placement, RequireOutcome, Scenario, ScenarioMetrics, Topology, TradeOff,
    TreeBounds, UniformTopology, UniversalLimit, Walk,
};
use fabc_model::{ClosedForm, Fabric, Pod};
use fabc_sim::SimReport;

/// A compiled fabric with everything that was measured and proved.
#[derive(Debug)]
pub struct CompiledFabric {
    /// The fabric as the spec declares it.
    pub fabric: Fabric,
    /// Its routers, links and symmetry.
    pub topology: Topology,
    /// Proof that the topology is the declared one.
    pub wired: Wired,
    /// Results that only pods have; `None` for a network.
    pub pod: Option<CompiledPod>,
    /// Positions of routers; `None` without a floor.
    pub placement: Option<Placement>,
    /// Metrics of the cables on that floor.
    pub cables: Option<FloorMetrics>,
    /// The light budgets; `None` where no link has light.
    pub light: Option<LightBudgets>,
    /// Its switches, cables, prices and powers, with its hosts.
    pub hardware: Hardware,
    /// Pairs of flow and cable length, by rising weight of cable. Empty unless the search weighed cables.
    pub trade_off: Vec<TradeOff>,
    /// Metrics of the graph of a network; `None` for a pod.
    pub network: Option<NetworkMetrics>,
    /// The certified flow of the healthy fabric.
    pub flow: ConcurrentFlow,
    /// The nominal scenario, then every tolerated fault.
    pub scenarios: Vec<CompiledScenario>,
    /// Reports of the simulations of the spec. Each has one report per scenario, nominal first, and none if
    /// there are no tables.
    pub simulations: Vec<Vec<SimReport>>,
    /// Results of the collectives of the spec, in its order.
    pub collectives: Vec<CollectiveResult>,
    /// Results of the jobs of the spec, in its order.
    pub jobs: Vec<JobResult>,
    /// Outcomes of the `require` lines, in the order of the normalized spec.
    pub requires: Vec<RequireOutcome>,
    /// Records of the passes, in their order.
    pub passes: Vec<PassRecord>,
}

/// A fabric that is wired but neither measured nor routed.
#[derive(Debug)]
pub struct WiredFabric {
    /// The fabric as the spec declares it.
    pub fabric: Fabric,
    /// Its routers, links and symmetry.
    pub topology: Topology,
    /// Proof that the topology is the declared one.
    pub wired: Wired,
    /// Cross-connects of every OCS; `None` for a network.
    pub cross_connects: Option<CrossConnects>,
    /// Number of `require` lines that only a full build can decide.
    pub undecided: usize,
}

/// The input for files that hold only links.
#[derive(Clone, Copy, Debug)]
pub struct WiredLinks<'a> {
    /// The fabric as the spec declares it.
    pub fabric: &'a Fabric,
    /// Its routers, links and symmetry.
    pub topology: &'a Topology,
    /// Cross-connects of every OCS; `None` for a network.
    pub cross_connects: Option<&'a CrossConnects>,
}

impl<'a> WiredLinks<'a> {
    /// The pod with the cross-connects of its switches; `None` for a network.
    pub fn pod(self) -> Option<(&'a Pod, &'a CrossConnects)> {
        self.fabric.pod().zip(self.cross_connects)
    }
}

impl WiredFabric {
    /// The links of this fabric, for files that hold only links.
    pub fn wiring(&self) -> WiredLinks<'_> {
        WiredLinks {
            fabric: &self.fabric,
            topology: &self.topology,
            cross_connects: self.cross_connects.as_ref(),
        }
    }
}

/// A network that is too large to be built. Formulas describe it, and the checker examined a sample.
#[derive(Debug)]
pub struct DescribedNetwork {
    /// Values of the closed formulas.
    pub form: ClosedForm,
    /// The sample that the checker found to match the formulas.
    pub sampled: Sampled,
    /// Outcomes of the `require` lines, in the order of the normalized spec. A line that no formula decides
    /// is not measured.
    pub requires: Vec<RequireOutcome>,
}

/// Results that only a compiled pod has.
#[derive(Debug)]
pub struct CompiledPod {
    /// Cross-connects that every OCS has to set.
    pub cross_connects: CrossConnects,
    /// Upper bound on the flow of every topology of the pod; `None` for a single router.
    pub limit: Option<UniversalLimit>,
    /// Flow of the topology that is synthesized for uniform demand. `None` unless the demand is another one.
    pub uniform: Option<UniformTopology>,
    /// OCS-disjoint spanning trees over the cubes, each as the OCSes that it uses.
    pub trees: Vec<Vec<OcsId>>,
    /// Bounds on the number of such trees.
    pub tree_bounds: TreeBounds,
}

/// One scenario with its measurements, certificates and tables.
#[derive(Debug)]
pub struct CompiledScenario {
    /// The fault of this scenario, or none.
    pub scenario: Scenario,
    /// Metrics of the fabric in this scenario.
    pub metrics: ScenarioMetrics,
    /// Channel lengths that prove the upper bound of the flow.
    pub lengths: DualLengths,
    /// Channel lengths that prove a bound on the loads of all shortest routes. Only of the healthy fabric, if
    /// its routes are such ones and the bound is above that of all routes.
    pub shortest: Option<DualLengths>,
    /// A flow that proves the lower bound. `None` if the routes of the tables prove it. Also `None` for the
    /// healthy fabric, whose flow is [`CompiledFabric::flow`].
    pub flow: Option<FlowCertificate>,
    /// Tables and their proof. `None` if the build stopped before routing, and where packets are sprayed.
    pub routed: Option<RoutedScenario>,
    /// Group tables and their proof. `None` unless packets are sprayed.
    pub sprayed: Option<SprayedScenario>,
}

/// Tables, with the proof that permits to emit them.
#[derive(Debug)]
pub struct RoutedScenario {
    /// The forwarding tables. They are packed because the tables of all scenarios stay in memory until they
    /// are written.
    pub tables: PackedTables,
    /// Proof that the tables are free of deadlock.
    pub proof: DeadlockFree,
}

/// Group tables, with the proof that permits to emit them.
#[derive(Debug)]
pub struct SprayedScenario {
    /// The tables with next-hop groups.
    pub tables: GroupTables,
    /// The worst permutation of hosts. `None` where it is not measured.
    pub permutation: Option<Permutation>,
    /// Proof that they deliver every packet and are free of deadlock.
    pub proof: GroupsProved,
}

impl CompiledScenario {
    /// Whether it has tables of either kind.
    pub fn has_tables(&self) -> bool {
        self.routed.is_some() || self.sprayed.is_some()
    }
    /// A lower bound on the maximum channel load of all shortest routes, if it is above that of all routes.
    pub fn shortest_load_bound(&self) -> Option<Fraction> {
        let parts = self.metrics.parts;
        self.shortest.as_ref().map(|shortest| Fraction::new(shortest.least_load(parts), parts))
    }
    /// The part of this scenario that cannot be recomputed from the rest.
    pub fn kept_scenario(&self) -> KeptScenario {
        let routed = self.routed.as_ref();
        KeptScenario {
            scenario: self.scenario.name.clone(),
            lengths: self.lengths.clone(),
            shortest: self.shortest.clone(),
            flow: self.flow.clone(),
            routed: routed.map(|routed| KeptTables {
                tables: routed.tables.clone(),
                ranks: routed.proof.ranks().to_vec(),
            }),
        }
    }
}

impl CompiledPod {
    /// Upper bound on the flow of every topology of the pod, as a rate per ordered pair.
    pub fn universal_bound(&self) -> Option<Fraction> {
        self.limit.as_ref().map(UniversalLimit::value)
    }
}

impl CompiledFabric {
    /// The links of this fabric, for files that hold only links.
    pub fn wiring(&self) -> WiredLinks<'_> {
        let cross_connects = self.pod.as_ref().map(|pod| &pod.cross_connects);
        WiredLinks { fabric: &self.fabric, topology: &self.topology, cross_connects }
    }
    /// The pod and its results; `None` for a network.
    pub fn pod(&self) -> Option<(&Pod, &CompiledPod)> {
        self.fabric.pod().zip(self.pod.as_ref())
    }
    /// Whether the healthy fabric provably carries as much as any topology of the pod.
    pub fn is_optimal(&self) -> bool {
        let load = self.scenarios[0].metrics.routed.as_ref().map(Walk::max_channel_load);
        self.pod
            .as_ref()
            .and_then(|pod| pod.limit.as_ref())
            .is_some_and(|limit| limit.is_met(&self.flow, load))
    }
    /// The pod and its results, for callers that handle only pods.
    ///
    /// # Panics
    /// If the fabric is a network.
    pub fn expect_pod(&self) -> (&Pod, &CompiledPod) {
        self.pod().expect("what is of pods only is asked of pods only")
    }
    /// Metrics of all scenarios, nominal first.
    pub fn metrics(&self) -> Vec<ScenarioMetrics> {
        self.scenarios.iter().map(|scenario| scenario.metrics.clone()).collect()
    }
}
