//! What a directory proves: the values that its verification returns.

use super::ProvedSchedule;
use super::stated::StatedClaims;
use crate::measures::ScenarioCounts;
use crate::{CheckError, Wired};
use fabc_base::ids::OcsId;
use fabc_ir::{
    CrossConnects, DualLengths, FloorMetrics, FlowCertificate, ForwardingTables, GroupTables, Hardware,
    JobResult, LightBudgets, NetworkMetrics, Permutation, Placement, Scene, Topology,
};
use fabc_kernel::{DeadlockFree, GroupsProved};
use fabc_model::Spreading;

/// How much of a directory was verified.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Number of files, the manifest included.
    pub files: usize,
    /// Number of scenarios, the nominal one included.
    pub scenarios: usize,
    /// Number of scenarios with tables. All of them were walked.
    pub routed: usize,
    /// Ordered pairs whose route was walked, over all scenarios.
    pub pairs: u64,
    /// Hops that were walked, over all scenarios.
    pub hops: u64,
    /// Table entries, over all routers and scenarios.
    pub entries: u64,
    /// Files whose hash was compared but whose content was not read: drawings, foreign formats, other
    /// versions.
    pub only_hashed: Vec<String>,
}

/// Everything that the files of a directory prove, and the claims that they only state.
#[derive(Debug)]
pub struct ProvedDirectory {
    /// How much of the directory was verified.
    pub extent: Extent,
    /// The topology that the directory lists.
    pub topology: Topology,
    /// The proof that this topology is what the spec declares.
    pub wired: Wired,
    /// The settings of every OCS of a pod.
    pub cross_connects: Option<CrossConnects>,
    /// The places of routers and switches. `None` without a floor.
    pub placement: Option<Placement>,
    /// The totals of the cables on a floor. `None` without a floor.
    pub cables: Option<FloorMetrics>,
    /// The light budgets. `None` where no link has light.
    pub light: Option<LightBudgets>,
    /// The switches, cables and prices.
    pub hardware: Hardware,
    /// The counts of the graph of a network.
    pub network: Option<NetworkMetrics>,
    /// The flow of the healthy fabric.
    pub flow: Option<FlowCertificate>,
    /// Sets of OCSes that are disjoint spanning trees over the cubes.
    pub trees: Vec<Vec<OcsId>>,
    /// All scenarios, the nominal one first.
    pub scenarios: Vec<ProvedScenario>,
    /// The collectives of the spec, each by scenario, nominal first.
    pub collectives: Vec<Vec<ProvedSchedule>>,
    /// The training jobs of the spec.
    pub jobs: Vec<JobResult>,
    /// The claims that only the report makes.
    pub stated: StatedClaims,
    /// The requires that do not hold, as report and manifest admit.
    pub broken: Vec<CheckError>,
    /// The program that the manifest names, with its version.
    pub tool: String,
    /// The options that the manifest lists, as name and value. They fit the files.
    pub options: Vec<(String, String)>,
}

/// The certified interval of lambda.
#[derive(Clone, Copy, Debug)]
pub struct FlowInterval {
    /// Lower bound, as (numerator, denominator).
    pub low: (u128, u128),
    /// Upper bound, as (numerator, denominator). `None` where a fault leaves no sender.
    pub high: Option<(u128, u128)>,
}

/// A scenario whose claims were proved.
#[derive(Debug)]
pub struct ProvedScenario {
    /// The counts, recomputed from topology and tables.
    pub counts: ScenarioCounts,
    /// The certified interval of lambda in this scenario.
    pub flow_interval: FlowInterval,
    /// The certificates of the interval, and the tables.
    pub certified: ScenarioProof,
}

/// The certificates of one scenario.
#[derive(Debug)]
pub struct ScenarioProof {
    /// The lengths that prove the upper end of its flow.
    pub lengths: DualLengths,
    /// The lengths that prove a bound on the loads of shortest routes, if the certificates list any.
    pub shortest: Option<DualLengths>,
    /// The flow that the certificates list for a fault.
    pub flow: Option<FlowCertificate>,
    /// The head of its tables, which were walked, without entries, and their proof. `None` without tables.
    pub routed: Option<(ForwardingTables, DeadlockFree)>,
    /// The proof of its group tables, and the worst permutation of hosts where it is measured. `None` unless
    /// packets are sprayed.
    pub sprayed: Option<(GroupsProved, Option<Permutation>)>,
}

impl ScenarioProof {
    /// Whether the scenario has tables of either kind.
    pub fn has_tables(&self) -> bool {
        self.routed.is_some() || self.sprayed.is_some()
    }
}

/// Called with the tables of each scenario once they are proved. The tables of all scenarios are never in
/// memory at the same time.
pub type TableVisitor<'a> = dyn Fn(&str, VisitedTables<'_>, &Topology) -> Result<(), CheckError> + Sync + 'a;

/// The proved tables of a scenario, of either kind.
#[derive(Clone, Copy, Debug)]
pub enum VisitedTables<'a> {
    /// Tables with one path per pair.
    SinglePath(&'a ForwardingTables),
    /// Tables in which a destination has a group of next hops, with the scene that they are for, and the rule
    /// by which one of them is chosen.
    Groups(&'a GroupTables, &'a Scene<'a>, Spreading),
}
