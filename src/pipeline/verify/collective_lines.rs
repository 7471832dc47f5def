//! The statements of `report.json` about collectives that their schedules do not prove: slower algorithms,
//! and the curve.

use fabc_check::{CheckError, Files, REPORT};
use fabc_ir::read::{self, OrderedKeys, picoseconds_of};
use fabc_ir::{ATTOSECONDS_OF_A_PICOSECOND, CollectiveCandidate, CollectiveCrossover, CollectivePoint};
use fabc_model::{Collective, CollectiveAlgorithm};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The statements of a report about a collective.
pub(super) struct StatedCollective {
    /// For each scenario, the slower algorithms, and those that were not tried.
    pub(super) others: Vec<(Vec<CollectiveCandidate>, Vec<CollectiveAlgorithm>)>,
    /// The sizes at which the fastest algorithm changes.
    pub(super) crossovers: Vec<CollectiveCrossover>,
    /// The times of the algorithms, by size.
    pub(super) curve: Vec<CollectivePoint>,
}

/// Reads the statements of a directory about its collectives, in its order.
pub(super) fn read_stated(files: &Files) -> Result<Vec<StatedCollective>, CheckError> {
    let unreadable = |reason: String| CheckError::Unreadable { file: REPORT.to_owned(), reason };
    let bytes = files.get(REPORT).ok_or_else(|| unreadable("it is missing".to_owned()))?;
    let StatedReport { collectives } = read::json(bytes).map_err(unreadable)?;
    let stated: Option<Vec<StatedCollective>> =
        collectives.into_iter().map(CollectiveLine::into_stated).collect();
    stated.ok_or_else(|| unreadable("`collectives` has an algorithm or a time that is none".to_owned()))
}

/// The only key of the report that is read here.
#[derive(Deserialize)]
struct StatedReport {
    #[serde(default)]
    collectives: Vec<CollectiveLine>,
}

/// A collective. Its other keys are proved elsewhere.
#[derive(Deserialize)]
struct CollectiveLine {
    collective: String,
    scenarios: Vec<ScenarioLine>,
    #[serde(default)]
    crossovers: Vec<CrossoverLine>,
    #[serde(default)]
    curve: Vec<PointLine>,
}

#[derive(Deserialize)]
struct ScenarioLine {
    others: Vec<OtherLine>,
    left_out: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OtherLine {
    algorithm: String,
    chunks: u32,
    time_ns: Box<RawValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CrossoverLine {
    size: u64,
    below: String,
    above: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PointLine {
    size: u64,
    bound_ns: Box<RawValue>,
    times_ns: OrderedKeys<Box<RawValue>>,
}

impl CollectiveLine {
    /// The statements of the line. `None` where it has an unknown word or a malformed number.
    fn into_stated(self) -> Option<StatedCollective> {
        let collective = Collective::ALL.into_iter().find(|known| known.name() == self.collective)?;
        let crossover = |CrossoverLine { size, below, above }: CrossoverLine| {
            Some(CollectiveCrossover {
                collective,
                size,
                below: algorithm(&below)?,
                above: algorithm(&above)?,
            })
        };
        Some(StatedCollective {
            others: self.scenarios.into_iter().map(ScenarioLine::into_stated).collect::<Option<_>>()?,
            crossovers: self.crossovers.into_iter().map(crossover).collect::<Option<_>>()?,
            curve: self.curve.into_iter().map(PointLine::into_stated).collect::<Option<_>>()?,
        })
    }
}

impl ScenarioLine {
    fn into_stated(self) -> Option<(Vec<CollectiveCandidate>, Vec<CollectiveAlgorithm>)> {
        let candidate = |OtherLine { algorithm: name, chunks, time_ns }: OtherLine| {
            let total = picoseconds_of(&time_ns)?.checked_mul(ATTOSECONDS_OF_A_PICOSECOND)?;
            Some(CollectiveCandidate::of_total(algorithm(&name)?, chunks, total))
        };
        let others = self.others.into_iter().map(candidate).collect::<Option<_>>()?;
        Some((others, self.left_out.iter().map(|name| algorithm(name)).collect::<Option<_>>()?))
    }
}

impl PointLine {
    fn into_stated(self) -> Option<CollectivePoint> {
        let time = |(name, time): (String, Box<RawValue>)| Some((algorithm(&name)?, picoseconds_of(&time)?));
        let times = self.times_ns.0.into_iter().map(time).collect::<Option<_>>()?;
        Some(CollectivePoint { size: self.size, bound: picoseconds_of(&self.bound_ns)?, times })
    }
}

fn algorithm(name: &str) -> Option<CollectiveAlgorithm> {
    CollectiveAlgorithm::ALL.into_iter().find(|known| known.name() == name)
}
