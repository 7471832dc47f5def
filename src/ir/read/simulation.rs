//! `simulations/*.json` (`fabc.simulation/1`): the results of simulations. What follows from counts and
//! tables is not kept: readers compute it again.

use super::json::formats;
use serde::Deserialize;
use serde::de::IgnoredAny;

formats! { SimulationFile = "fabc.simulation/1"; }

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimulationFile {
    format: String,
    #[serde(rename = "fabric")]
    _fabric: IgnoredAny,
    pub simulation: Option<String>,
    pub scenarios: Vec<SimulatedLine>,
}

/// The results of one scenario.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimulatedLine {
    pub scenario: String,
    pub model: ModelLine,
    #[serde(rename = "senders")]
    _senders: IgnoredAny,
    #[serde(rename = "mean_share")]
    _mean_share: IgnoredAny,
    #[serde(rename = "bound")]
    _bound: IgnoredAny,
    #[serde(rename = "bound_by")]
    _bound_by: IgnoredAny,
    /// Numerator and denominator of the static bound.
    pub bound_ratio: Ratio,
    #[serde(rename = "mean_hops")]
    _mean_hops: IgnoredAny,
    #[serde(rename = "mean_cycles")]
    _mean_cycles: IgnoredAny,
    #[serde(rename = "most_cycles")]
    _most_cycles: IgnoredAny,
    #[serde(rename = "load")]
    _load: IgnoredAny,
    pub saturation: Vec<SaturationLine>,
    pub points: Vec<PointLine>,
    #[serde(rename = "messages", default)]
    _messages: IgnoredAny,
    #[serde(rename = "packets", default)]
    _packets: IgnoredAny,
    #[serde(rename = "bytes", default)]
    _bytes: IgnoredAny,
    /// For finite traffic, the lower bound of `completions`.
    pub least_cycles: Option<u64>,
    #[serde(default)]
    pub completions: Vec<CompletionLine>,
}

/// A numerator and a denominator.
pub type Ratio = [u64; 2];

/// One run of finite traffic.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompletionLine {
    pub seed: u64,
    pub cycles: u32,
    #[serde(rename = "us")]
    _us: IgnoredAny,
    #[serde(rename = "share")]
    _share: IgnoredAny,
    #[serde(rename = "gbs")]
    _gbs: IgnoredAny,
    #[serde(rename = "gbs_per_sender")]
    _gbs_per_sender: IgnoredAny,
    pub delivered: u64,
    pub latency: Option<DelayLine>,
    pub busiest: BusiestLine,
    pub hops: u64,
    pub general_hops: u64,
    #[serde(rename = "general_share")]
    _general_share: IgnoredAny,
    pub vcs: Vec<VcUseLine>,
    pub busy_cycles: Vec<u64>,
    /// Digests of the run. Older files have none.
    #[serde(default)]
    pub digests: Vec<String>,
}

/// The parameters of the model that other readers need.
#[derive(Deserialize)]
pub struct ModelLine {
    #[serde(default)]
    pub warmup_cycles: u64,
    #[serde(default)]
    pub measure_cycles: u64,
}

/// The interval of rates in which it saturates, for one seed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SaturationLine {
    pub seed: u64,
    /// The lower end of the interval, which contracts are about.
    pub low: f64,
    #[serde(rename = "mean")]
    _mean: IgnoredAny,
    #[serde(rename = "high")]
    _high: IgnoredAny,
    #[serde(rename = "share")]
    _share: IgnoredAny,
    #[serde(default)]
    pub coarse: Option<ReplicationLine>,
    pub replications: Vec<ReplicationLine>,
    pub beyond: BeyondLine,
    #[serde(default)]
    pub overload: Vec<OverloadLine>,
}

/// One long run at a multiple of the saturation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OverloadLine {
    pub multiple: f64,
    pub rate: f64,
    pub born: u64,
    pub delivered: u64,
    #[serde(rename = "accepted")]
    _accepted: IgnoredAny,
    #[serde(rename = "sustained")]
    _sustained: IgnoredAny,
    /// Numerator and denominator of the accepted traffic over the saturation.
    pub sustained_ratio: Ratio,
    #[serde(rename = "fairness")]
    _fairness: IgnoredAny,
    /// Numerator and denominator of the packets of the worst source over those of the best one.
    pub fairness_ratio: Ratio,
    #[serde(rename = "elsewhere", default)]
    _elsewhere: IgnoredAny,
    /// The packets for other endpoints than the hot ones: delivered, and born. Only of hotspot traffic.
    #[serde(default)]
    pub elsewhere_packets: Option<Ratio>,
    pub hops: u64,
    #[serde(rename = "mean_hops")]
    _mean_hops: IgnoredAny,
    pub worst_source: SourceLine,
    pub best_source: SourceLine,
    pub moved_flits: u64,
    pub ack_flits: u64,
}

/// The rates between which one replication saturates.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplicationLine {
    pub seed: u64,
    pub stable: Option<f64>,
    pub unstable: Option<f64>,
    pub runs: u32,
}

/// One run past the saturation rate.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BeyondLine {
    pub rate: f64,
    pub delivered: u64,
    #[serde(rename = "accepted")]
    _accepted: IgnoredAny,
}

/// One run at a rate and a seed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointLine {
    pub rate: f64,
    pub seed: u64,
    #[serde(rename = "offered")]
    _offered: IgnoredAny,
    #[serde(rename = "accepted")]
    _accepted: IgnoredAny,
    #[serde(rename = "accepted_second_half")]
    _accepted_second_half: IgnoredAny,
    /// Half the widths of the confidence intervals: of the accepted traffic, of the mean latency, and of the
    /// 99th percentile.
    #[serde(rename = "accepted_half_width")]
    _accepted_half_width: IgnoredAny,
    #[serde(rename = "mean_half_width")]
    _mean_half_width: IgnoredAny,
    #[serde(rename = "p99_half_width")]
    _p99_half_width: IgnoredAny,
    pub stable: bool,
    pub warmup_cycles: u32,
    pub settled: bool,
    pub batches: BatchLines,
    pub born: u64,
    pub delivered: u64,
    pub delivered_second_half: u64,
    pub unfinished: u64,
    pub latency: Option<DelayLine>,
    pub inside: [u64; 3],
    pub inside_sum: u64,
    #[serde(rename = "inside_mean")]
    _inside_mean: IgnoredAny,
    pub worst_source: SourceLine,
    pub best_source: SourceLine,
    pub busiest: BusiestLine,
    pub hops: u64,
    pub general_hops: u64,
    #[serde(rename = "general_share")]
    _general_share: IgnoredAny,
    pub vcs: Vec<VcUseLine>,
    pub busy_cycles: Vec<u64>,
    pub cycles: u32,
    pub born_ever: u64,
    pub delivered_ever: u64,
    pub in_flight: u64,
    pub flits_delivered_ever: u64,
    pub flits_in_flight: u64,
    /// Flits of acknowledgements that channels moved. Without them, files do not have it.
    #[serde(default)]
    pub ack_flits: u64,
    /// Digests of the run. Older files have none.
    #[serde(default)]
    pub digests: Vec<String>,
}

/// The counts of equal parts of the measured cycles.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchLines {
    pub delivered: Vec<u64>,
    pub arrived: Vec<u64>,
    pub latency_sum: Vec<u64>,
    pub p99: Vec<u64>,
}

/// The delays of packets, in cycles.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DelayLine {
    pub packets: u64,
    pub sum: u64,
    #[serde(rename = "mean")]
    _mean: IgnoredAny,
    pub median: u64,
    pub p99: u64,
    pub max: u64,
    pub source_wait_sum: u64,
    #[serde(rename = "mean_source_wait")]
    _mean_source_wait: IgnoredAny,
    pub hops: u64,
    #[serde(rename = "mean_hops")]
    _mean_hops: IgnoredAny,
}

/// The counts of one sending endpoint.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceLine {
    #[serde(rename = "router")]
    _router: IgnoredAny,
    pub endpoint: u32,
    pub packets: u32,
    #[serde(rename = "accepted")]
    _accepted: IgnoredAny,
}

/// The channel that was busy for most cycles.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BusiestLine {
    #[serde(rename = "channel")]
    _channel: IgnoredAny,
    pub id: u32,
    pub cycles: u32,
    #[serde(rename = "utilization")]
    _utilization: IgnoredAny,
}

/// The occupancy of the queues of a virtual channel.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VcUseLine {
    pub hops: u64,
    #[serde(rename = "hop_share")]
    _hop_share: IgnoredAny,
    pub flit_cycles: u64,
    #[serde(rename = "mean_flits")]
    _mean_flits: IgnoredAny,
    pub p99_flits: u64,
    pub full_cycles: u64,
    #[serde(rename = "full_share")]
    _full_share: IgnoredAny,
    pub queue_cycles: u64,
}

/// A rate in millionths. Files write at most six digits behind the point.
pub fn millionths(rate: f64) -> u64 {
    libm::round(rate * 1e6) as u64
}
