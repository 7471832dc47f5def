//! The certified maximum concurrent flow.

use fabc_base::limits;
use fabc_topology::{DualLengths, FlowCertificate, Fraction, Topology};

/// Why an iterative method ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// The lower and the upper bound are equal.
    Optimal,
    /// The requested gap was reached.
    Gap,
    /// The work budget was used up.
    Budget,
}

impl StopReason {
    /// The name of the reason in reports.
    pub fn name(self) -> &'static str {
        match self {
            StopReason::Optimal => "optimal",
            StopReason::Gap => "gap",
            StopReason::Budget => "budget",
        }
    }
}

/// The certified maximum concurrent flow of one scenario.
#[derive(Clone, Debug)]
pub struct ConcurrentFlow {
    /// The proof of the upper bound.
    pub dual: DualLengths,
    /// The proof of the lower bound. `None` in a network so large that the flow of its tables takes this
    /// place.
    pub primal: Option<FlowCertificate>,
    /// Number of rounds of the method.
    pub rounds: u32,
    /// Number of sweeps that rebalanced the flow after the rounds. 0 where the rounds were enough.
    pub sweeps: u32,
    /// The reason why the method stopped.
    pub stopped_by: StopReason,
}

impl ConcurrentFlow {
    /// The lower bound on lambda as a float, for searches. 0 where no flow proves one.
    pub fn value(&self) -> f64 {
        self.primal.as_ref().map_or(0.0, FlowCertificate::value)
    }
    /// The lower bound on lambda, exactly. Zero where no flow proves one.
    pub fn lower_end(&self) -> Fraction {
        self.primal.as_ref().map_or(Fraction::ZERO, FlowCertificate::lower_end)
    }
}

/// Whether the certificates list the flow of a healthy network. That of a pod is always listed.
pub fn flow_is_listed(topology: &Topology) -> bool {
    let sources = topology.symmetry().class_count() as u64;
    sources * topology.channel_count() as u64 <= limits::FLOW_ENTRIES
}

/// The most integers that the flows of all fault scenarios may list together.
const LISTED_FLOWS: usize = 1_000_000;

/// Whether the certificates list a flow for each fault that keeps the symmetry, if there are `faults` in all.
/// In larger pods, what the tables carry is the lower bound of the flow.
pub fn fault_flows_are_listed(topology: &Topology, faults: usize) -> bool {
    faults * topology.symmetry().class_count() * topology.channel_count() <= LISTED_FLOWS
}
