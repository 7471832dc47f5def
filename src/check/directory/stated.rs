//! What `report.json` alone says: the arguments of its bounds, how the passes went, and what another topology
//! carries.

use super::files::{Files, REPORT};
use super::read::json;
use crate::CheckError;
use fabc_base::units::Decimal;
use fabc_ir::read::Ordered;
use fabc_ir::{PassRecord, TreeBounds, UniversalLimit};
use serde::Deserialize;

/// What no other file of the directory says. The bounds have been proved; the rest is as it stands there.
#[derive(Clone, Debug)]
pub struct Stated {
    /// How many disjoint trees there can be; `None` if the report does not say.
    pub tree_bounds: Option<TreeBounds>,
    /// What no topology of the pod can carry more than; `None` if the report does not say.
    pub limit: Option<UniversalLimit>,
    /// The lower and upper end of what the topology for uniform demand is said to reach, both positive.
    pub uniform: Option<[Decimal; 2]>,
    /// What other weights of cables are said to give, by rising weight.
    pub trade_off: Vec<StatedTradeOff>,
    /// What the passes are said to have done.
    pub passes: Vec<PassRecord>,
}

/// A graph for a weight of cables, as the report has it: the weight in thousandths, the sum of distances, the
/// length of all cables in 0.1 m, and the flow.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StatedTradeOff {
    /// In thousandths.
    pub weight: u32,
    /// Of all ordered pairs.
    pub distances: u64,
    /// Of all cables, 0.1 m.
    pub cable: u64,
    /// As printed.
    pub flow: Decimal,
}

/// The keys of the report that are read here; the others have been compared.
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
    counters: Ordered<u64>,
    #[serde(default)]
    notes: Vec<String>,
}

/// Reads what is only stated.
pub(super) fn stated(
    files: &Files,
    tree_bounds: Option<TreeBounds>,
    limit: Option<UniversalLimit>,
) -> Result<Stated, CheckError> {
    let Report { gain, network, passes } = json(files, REPORT)?;
    // As written: what was compared has shown that both are positive.
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
        let what = "has a flow that is no decimal number".to_owned();
        return Err(super::read::contradiction(REPORT, "network.trade_off".to_owned(), what));
    };
    Ok(Stated { tree_bounds, limit, uniform, trade_off, passes: passes.into_iter().map(record).collect() })
}
