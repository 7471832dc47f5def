//! The certified maximum concurrent flow.

use fabc_base::limits;
use fabc_topology::{DualLengths, FlowCertificate, Fraction, Topology};

/// Why an iterative method ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// Primal meets dual.
    Optimal,
    /// The gap asked for was reached.
    Gap,
    /// The work budget was used up.
    Budget,
}

impl StopReason {
    /// The name in reports.
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
    /// Upper end.
    pub dual: DualLengths,
    /// Lower end; `None` of a network so large that what its tables carry takes this place.
    pub primal: Option<FlowCertificate>,
    /// Rounds of the method.
    pub rounds: u32,
    /// Sweeps that re-balanced the flow after the rounds; 0 where those were enough.
    pub sweeps: u32,
    /// Why it stopped.
    pub stopped_by: StopReason,
}

impl ConcurrentFlow {
    /// The lower bound on lambda, for searches; 0 where no flow proves one.
    pub fn value(&self) -> f64 {
        self.primal.as_ref().map_or(0.0, FlowCertificate::value)
    }
    /// The lower bound on lambda; zero where no flow proves one.
    pub fn lower_end(&self) -> Fraction {
        self.primal.as_ref().map_or(Fraction::ZERO, FlowCertificate::lower_end)
    }
}

/// Whether the flow of a healthy network is in the certificates; that of a pod always is.
pub fn flow_is_listed(topology: &Topology) -> bool {
    let sources = topology.symmetry().class_count() as u64;
    sources * topology.channel_count() as u64 <= limits::FLOW_ENTRIES
}

/// Integers that the flows of all fault scenarios may list together.
const LISTED_FLOWS: usize = 1_000_000;

/// Whether faults that keep the symmetry have a flow of their own in the certificates, if there are so many
/// faults in all; of larger pods what their tables carry is the lower end of their flow.
pub fn fault_flows_are_listed(topology: &Topology, faults: usize) -> bool {
    faults * topology.symmetry().class_count() * topology.channel_count() <= LISTED_FLOWS
}
