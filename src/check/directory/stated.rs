//! Reads the claims that `report.json` alone makes: the arguments of its bounds, the records of the passes,
//! and the flow of other topologies.

use super::files::{Files, REPORT};
use super::read::json;
use crate::CheckError;
use fabc_base::units::Decimal;
use fabc_ir::read::OrderedKeys;
use fabc_ir::{PassRecord, TreeBounds, UniversalLimit};
use serde::Deserialize;

/// The claims that no other file of the directory makes. The bounds have been proved. All other values are
/// taken as written.
#[derive(Clone, Debug)]
pub struct StatedClaims {
    /// Bounds on the number of disjoint trees. `None` if the report has none.
    pub tree_bounds: Option<TreeBounds>,
    /// Upper bound on the flow of every topology of the pod. `None` if the report has none.
    pub limit: Option<UniversalLimit>,
    /// The interval of lambda on the topology for uniform demand, as [lower bound, upper bound], both
    /// positive.
    pub uniform: Option<[Decimal; 2]>,
    /// Results for other weights of cables, by rising weight.
    pub trade_off: Vec<StatedTradeOff>,
    /// The records of the passes.
    pub passes: Vec<PassRecord>,
}

/// The result for one weight of cables, as the report has it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StatedTradeOff {
    /// The weight of cables, in thousandths.
    pub weight: u32,
    /// The sum of distances over all ordered pairs.
    pub distances: u64,
    /// The length of all cables, in 0.1 m.
    pub cable: u64,
    /// The flow, with the digits as printed.
    pub flow: Decimal,
}

/// The keys of the report that are read here. The others have been compared.
#[derive(Deserialize)]
struct Report {
    #[serde(default)]
    gain: Option<Gain>,
    #[serde(default)]
    network: Option<OfNetwork>,
    passes: Vec<Pass>,
}

#[derive(Deserialize)]
struct OfNetwork {
    #[serde(default)]
    trade_off: Vec<TradeOffLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TradeOffLine {
    weight: u32,
    distances: u64,
    cable: u64,
    concurrent_flow: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Gain {
    uniform_topology: (f64, f64),
    #[serde(rename = "ratio")]
    _ratio: (f64, f64),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pass {
    name: String,
    stopped_by: String,
    counters: OrderedKeys<u64>,
    #[serde(default)]
    notes: Vec<String>,
}

/// Reads the claims that are only stated.
pub(super) fn read_stated(
    files: &Files,
    tree_bounds: Option<TreeBounds>,
    limit: Option<UniversalLimit>,
) -> Result<StatedClaims, CheckError> {
    let Report { gain, network, passes } = json(files, REPORT)?;
    // The comparison has shown that both are positive.
    let written = |value: f64| Decimal::parse(&value.to_string()).filter(|_| value > 0.0);
    let uniform =
        gain.and_then(|Gain { uniform_topology: (low, high), .. }| Some([written(low)?, written(high)?]));
    let record = |Pass { name, stopped_by, counters, notes }| PassRecord {
        name,
        stopped_by,
        counters: counters.0,
        notes,
    };
    let line = |TradeOffLine { weight, distances, cable, concurrent_flow }: TradeOffLine| {
        let flow = Decimal::parse(&format!("{concurrent_flow}"))?;
        Some(StatedTradeOff { weight, distances, cable, flow })
    };
    let trade_off =
        network.map_or(Some(Vec::new()), |network| network.trade_off.into_iter().map(line).collect());
    let Some(trade_off) = trade_off else {
        let violation = "has a flow that is not a decimal number".to_owned();
        return Err(super::read::contradiction(REPORT, "network.trade_off".to_owned(), violation));
    };
    Ok(StatedClaims {
        tree_bounds,
        limit,
        uniform,
        trade_off,
        passes: passes.into_iter().map(record).collect(),
    })
}
