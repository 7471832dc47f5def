//! What `report.json` alone says: the arguments of its bounds, how the passes went, and what another topology
//! carries.

use super::files::{Files, REPORT};
use super::read::json;
use crate::check::CheckError;
use crate::ir::{PassRecord, TreeBounds, UniversalLimit};
use crate::read::Ordered;
use crate::units::Decimal;
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
    /// What the passes are said to have done.
    pub passes: Vec<PassRecord>,
}

/// The keys of the report that are read here; the others have been compared.
#[derive(Deserialize)]
struct Report {
    #[serde(default)]
    gain: Option<Gain>,
    passes: Vec<Pass>,
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
pub(super) fn stated(files: &Files, tree_bounds: Option<TreeBounds>, limit: Option<UniversalLimit>) -> Result<Stated, CheckError> {
    let Report { gain, passes } = json(files, REPORT)?;
    // As written: what was compared has shown that both are positive.
    let written = |value: f64| Decimal::parse(&value.to_string()).filter(|_| value > 0.0);
    let uniform = gain.and_then(|Gain { uniform_topology: (low, high), .. }| Some([written(low)?, written(high)?]));
    let record = |Pass { name, stopped_by, counters, notes }| PassRecord { name, stopped_by, counters: counters.0, notes };
    Ok(Stated { tree_bounds, limit, uniform, passes: passes.into_iter().map(record).collect() })
}
