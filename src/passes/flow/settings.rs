//! How much work goes into a flow, and the lengths that it starts from.

use fabc_base::limits;
use fabc_ir::{DualLengths, Topology, flow_is_listed};

/// How much work goes into a flow.
#[derive(Clone, Copy, Debug)]
pub struct FlowSettings {
    /// The largest number of rounds.
    pub rounds: u32,
    /// Stop when dual / primal - 1 falls to this many parts per million.
    pub gap_ppm: u32,
    /// The most sweeps that rebalance the flow if the rounds leave a gap of more than 0.5 %.
    pub sweeps: u32,
    /// Whether to make a flow that proves the lower bound.
    pub primal: bool,
}

impl FlowSettings {
    /// The settings for the healthy fabric. A larger effort of the search gets more rounds, up to six times
    /// as many.
    pub fn certificate(effort: u32) -> Self {
        Self { rounds: 250 * effort.clamp(1, 6), gap_ppm: 100, sweeps: 200, primal: true }
    }
    /// The settings for a network. If a round examines many channels over all sources, they allow few
    /// rounds and a wider gap, because sweeps gain more than rounds there. If its flow is not listed, they
    /// ask for the upper bound only.
    pub fn for_network(topology: &Topology) -> Self {
        let work = topology.symmetry().class_count() * topology.channel_count();
        match work <= QUICK {
            true => Self::certificate(1),
            false if flow_is_listed(topology) => Self { rounds: 30, gap_ppm: 2000, sweeps: 60, primal: true },
            false => Self { rounds: FEW_ROUNDS, gap_ppm: 2000, sweeps: 0, primal: false },
        }
    }
    /// The settings for a network whose vectors are scheduled and whose spec asks for no flow. The flow
    /// bounds exchanges between all pairs, if there are some, and appears in the report. It gets few
    /// rounds, unless symmetry makes them cheap, and for a large network only the upper bound.
    pub fn for_scheduled(topology: &Topology, exchanges: bool) -> Self {
        let of_network_settings = Self::for_network(topology);
        let entries = topology.symmetry().class_count() as u64 * topology.channel_count() as u64;
        let large = entries > limits::SCHEDULED_FLOW_ENTRIES;
        match (exchanges && !topology.symmetry().is_trivial(), large) {
            (true, false) => of_network_settings,
            (true, true) => Self { rounds: EXCHANGE_ROUNDS, gap_ppm: 2000, sweeps: 0, primal: false },
            (false, _) => Self {
                rounds: of_network_settings.rounds.min(SCHEDULED_ROUNDS),
                gap_ppm: 5000,
                sweeps: 0,
                primal: !large,
            },
        }
    }
    /// The settings with as many rounds and sweeps as [`WORK`] allows, where a round examines `round`
    /// channels over all sources.
    pub(super) fn within_work(self, round: u64) -> Self {
        let affordable = |count: u32| {
            let allowed = u64::from(count) * (WORK / 250) / round.max(1);
            u32::try_from(allowed).unwrap_or(u32::MAX).clamp(FEWEST_ROUNDS.min(count), count.max(1))
        };
        Self { rounds: affordable(self.rounds), sweeps: affordable(self.sweeps).min(self.sweeps), ..self }
    }
    /// Enough work to distinguish finalists of the search.
    pub const TRIAL: Self = Self { rounds: 80, gap_ppm: 100, sweeps: 0, primal: true };
    /// The settings for a dark OCS, starting from the lengths of the healthy fabric.
    pub const FAULT: Self = Self { rounds: 40, gap_ppm: 100, sweeps: 0, primal: true };
    /// The settings for a dark link or router. Little changes, and every router is a source of its own.
    pub const LOCAL: Self = Self { rounds: 8, gap_ppm: 100, sweeps: 0, primal: true };
}

/// Most channels examined in a round over all sources for which a network gets the certificate of a pod:
/// about 50 ms on one core. On a PolarStar of 1064 routers (17 million channels), 30 rounds and 5 sweeps
/// reach a gap of 0.2 %. They take a fifth of the time that 250 rounds and 32 sweeps took to 0.01 %.
const QUICK: usize = 1 << 22;
/// Most channels examined over all sources in every 250 rounds, and the fewest rounds however large the
/// network.
const WORK: u64 = 1 << 35;
const FEWEST_ROUNDS: u32 = 24;
/// Rounds if only the upper bound is wanted: one, from the lengths that the structure suggests, to see
/// which channels are full. Later rounds swing too far to gain anything unless they are many.
const FEW_ROUNDS: u32 = 1;
/// Rounds for a scheduled network where they bound nothing, and for a large one where they bound an
/// exchange.
const SCHEDULED_ROUNDS: u32 = 8;
const EXCHANGE_ROUNDS: u32 = 24;

/// The lengths that the prices start from.
#[derive(Clone, Copy, Debug)]
pub enum StartLengths<'a> {
    /// The tightest of several lengths that the structure of the topology suggests. Each has one length per
    /// channel class.
    Seeds(&'a [Vec<u32>]),
    /// The lengths of another scenario of the same topology.
    Lengths(&'a DualLengths),
}
