//! `simulations/*.json` (`fabc.simulation/1`): what simulations found. What follows from counts, and from
//! the tables, is not kept: whoever reads works it out again.

use super::json::formats;
use serde::Deserialize;
use serde::de::IgnoredAny;

formats! { SimulationFile = "fabc.simulation/1"; }

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SimulationFile {
    format: String,
    #[serde(rename = "fabric")]
    _fabric: IgnoredAny,
    pub(crate) simulation: Option<String>,
    pub(crate) scenarios: Vec<SimulatedLine>,
}

/// One scenario.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SimulatedLine {
    pub(crate) scenario: String,
    pub(crate) model: ModelLine,
    #[serde(rename = "senders")]
    _senders: IgnoredAny,
    #[serde(rename = "mean_share")]
    _mean_share: IgnoredAny,
    #[serde(rename = "bound")]
    _bound: IgnoredAny,
    #[serde(rename = "bound_by")]
    _bound_by: IgnoredAny,
    /// Over and under the line.
    pub(crate) bound_ratio: [u64; 2],
    #[serde(rename = "mean_hops")]
    _mean_hops: IgnoredAny,
    #[serde(rename = "mean_cycles")]
    _mean_cycles: IgnoredAny,
    #[serde(rename = "most_cycles")]
    _most_cycles: IgnoredAny,
    #[serde(rename = "load")]
    _load: IgnoredAny,
    pub(crate) saturation: Vec<BracketLine>,
    pub(crate) points: Vec<PointLine>,
    #[serde(rename = "messages", default)]
    _messages: IgnoredAny,
    #[serde(rename = "packets", default)]
    _packets: IgnoredAny,
    #[serde(rename = "bytes", default)]
    _bytes: IgnoredAny,
    /// Of traffic that ends, the lower bound of `completions`.
    pub(crate) least_cycles: Option<u64>,
    #[serde(default)]
    pub(crate) completions: Vec<CompletionLine>,
}

/// One run of traffic that ends.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CompletionLine {
    pub(crate) seed: u64,
    pub(crate) cycles: u32,
    #[serde(rename = "us")]
    _us: IgnoredAny,
    #[serde(rename = "share")]
    _share: IgnoredAny,
    #[serde(rename = "gbs")]
    _gbs: IgnoredAny,
    #[serde(rename = "gbs_per_sender")]
    _gbs_per_sender: IgnoredAny,
    pub(crate) delivered: u64,
    pub(crate) latency: Option<DelayLine>,
    pub(crate) busiest: BusiestLine,
    pub(crate) hops: u64,
    pub(crate) general_hops: u64,
    #[serde(rename = "general_share")]
    _general_share: IgnoredAny,
    pub(crate) vcs: Vec<VcUseLine>,
    pub(crate) busy_cycles: Vec<u64>,
    /// Older files have none.
    #[serde(default)]
    pub(crate) digests: Vec<String>,
}

/// How it was modelled, as far as others ask.
#[derive(Deserialize)]
pub(crate) struct ModelLine {
    #[serde(default)]
    pub(crate) warmup_cycles: u64,
    #[serde(default)]
    pub(crate) measure_cycles: u64,
}

/// Between which rates it saturates, by one seed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BracketLine {
    pub(crate) seed: u64,
    pub(crate) stable: Option<f64>,
    pub(crate) unstable: Option<f64>,
    #[serde(rename = "share")]
    _share: IgnoredAny,
    pub(crate) runs: u32,
    pub(crate) beyond: BeyondLine,
}

/// A run past saturation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BeyondLine {
    pub(crate) rate: f64,
    pub(crate) delivered: u64,
    #[serde(rename = "accepted")]
    _accepted: IgnoredAny,
}

/// One run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PointLine {
    pub(crate) rate: f64,
    pub(crate) seed: u64,
    #[serde(rename = "offered")]
    _offered: IgnoredAny,
    #[serde(rename = "accepted")]
    _accepted: IgnoredAny,
    #[serde(rename = "accepted_second_half")]
    _accepted_second_half: IgnoredAny,
    pub(crate) stable: bool,
    pub(crate) born: u64,
    pub(crate) delivered: u64,
    pub(crate) delivered_second_half: u64,
    pub(crate) unfinished: u64,
    pub(crate) latency: Option<DelayLine>,
    pub(crate) inside: [u64; 3],
    pub(crate) inside_sum: u64,
    #[serde(rename = "inside_mean")]
    _inside_mean: IgnoredAny,
    pub(crate) worst_source: SourceLine,
    pub(crate) best_source: SourceLine,
    pub(crate) busiest: BusiestLine,
    pub(crate) hops: u64,
    pub(crate) general_hops: u64,
    #[serde(rename = "general_share")]
    _general_share: IgnoredAny,
    pub(crate) vcs: Vec<VcUseLine>,
    pub(crate) busy_cycles: Vec<u64>,
    pub(crate) cycles: u32,
    pub(crate) born_ever: u64,
    pub(crate) delivered_ever: u64,
    pub(crate) in_flight: u64,
    pub(crate) flits_delivered_ever: u64,
    pub(crate) flits_in_flight: u64,
    /// Older files have none.
    #[serde(default)]
    pub(crate) digests: Vec<String>,
}

/// How long packets took.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DelayLine {
    pub(crate) packets: u64,
    pub(crate) sum: u64,
    #[serde(rename = "mean")]
    _mean: IgnoredAny,
    pub(crate) median: u64,
    pub(crate) p99: u64,
    pub(crate) max: u64,
    pub(crate) source_wait_sum: u64,
    #[serde(rename = "mean_source_wait")]
    _mean_source_wait: IgnoredAny,
    pub(crate) hops: u64,
    #[serde(rename = "mean_hops")]
    _mean_hops: IgnoredAny,
}

/// One sending endpoint.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SourceLine {
    #[serde(rename = "router")]
    _router: IgnoredAny,
    pub(crate) endpoint: u32,
    pub(crate) packets: u32,
    #[serde(rename = "accepted")]
    _accepted: IgnoredAny,
}

/// The busiest channel.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BusiestLine {
    #[serde(rename = "channel")]
    _channel: IgnoredAny,
    pub(crate) id: u32,
    pub(crate) cycles: u32,
    #[serde(rename = "utilization")]
    _utilization: IgnoredAny,
}

/// How full the queues of a virtual channel were.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VcUseLine {
    pub(crate) hops: u64,
    #[serde(rename = "hop_share")]
    _hop_share: IgnoredAny,
    pub(crate) flit_cycles: u64,
    #[serde(rename = "mean_flits")]
    _mean_flits: IgnoredAny,
    pub(crate) p99_flits: u64,
    pub(crate) full_cycles: u64,
    #[serde(rename = "full_share")]
    _full_share: IgnoredAny,
    pub(crate) queue_cycles: u64,
}

/// A rate, which is written with at most six digits behind the point, in millionths.
pub(crate) fn millionths(rate: f64) -> u64 {
    libm::round(rate * 1e6) as u64
}
