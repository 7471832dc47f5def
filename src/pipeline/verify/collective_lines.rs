//! What `report.json` says of collectives beside what their schedules prove: slower algorithms, the curve.

use fabc_check::{CheckError, Files, REPORT};
use fabc_ir::read::{self, Ordered};
use fabc_ir::{ATTOSECONDS_OF_A_PICOSECOND, CollectiveCandidate, CollectiveCrossover, CollectivePoint};
use fabc_model::{Collective, CollectiveAlgorithm};
use serde::Deserialize;
use serde_json::value::RawValue;

/// What a report says of a collective.
pub(super) struct Stated {
    /// By scenario: what was slower; and what was not tried.
    pub(super) others: Vec<(Vec<CollectiveCandidate>, Vec<CollectiveAlgorithm>)>,
    /// Where the fastest algorithm changes.
    pub(super) crossovers: Vec<CollectiveCrossover>,
    /// What the algorithms take, by size.
    pub(super) curve: Vec<CollectivePoint>,
}

/// What the report of a directory says of its collectives, in its order.
pub(super) fn stated(files: &Files) -> Result<Vec<Stated>, CheckError> {
    let wrong = |what: String| CheckError::Unreadable { file: REPORT.to_owned(), what };
    let bytes = files.get(REPORT).ok_or_else(|| wrong("it is missing".to_owned()))?;
    let Report { collectives } = read::json(bytes).map_err(wrong)?;
    let all: Option<Vec<Stated>> = collectives.into_iter().map(CollectiveLine::stated).collect();
    all.ok_or_else(|| wrong("`collectives` has an algorithm or a time that is none".to_owned()))
}

/// The key that is read here.
#[derive(Deserialize)]
struct Report {
    #[serde(default)]
    collectives: Vec<CollectiveLine>,
}

/// A collective; of its other keys each is proved.
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
    times_ns: Ordered<Box<RawValue>>,
}

impl CollectiveLine {
    /// What it says; `None` where a word or number is none.
    fn stated(self) -> Option<Stated> {
        let collective = Collective::ALL.into_iter().find(|known| known.name() == self.collective)?;
        let crossover = |CrossoverLine { size, below, above }: CrossoverLine| {
            Some(CollectiveCrossover {
                collective,
                size,
                below: algorithm(&below)?,
                above: algorithm(&above)?,
            })
        };
        Some(Stated {
            others: self.scenarios.into_iter().map(ScenarioLine::stated).collect::<Option<_>>()?,
            crossovers: self.crossovers.into_iter().map(crossover).collect::<Option<_>>()?,
            curve: self.curve.into_iter().map(PointLine::stated).collect::<Option<_>>()?,
        })
    }
}

impl ScenarioLine {
    fn stated(self) -> Option<(Vec<CollectiveCandidate>, Vec<CollectiveAlgorithm>)> {
        let other = |OtherLine { algorithm: name, chunks, time_ns }: OtherLine| {
            let total = picoseconds(&time_ns)?.checked_mul(ATTOSECONDS_OF_A_PICOSECOND)?;
            Some(CollectiveCandidate::of_total(algorithm(&name)?, chunks, total))
        };
        let others = self.others.into_iter().map(other).collect::<Option<_>>()?;
        Some((others, self.left_out.iter().map(|name| algorithm(name)).collect::<Option<_>>()?))
    }
}

impl PointLine {
    fn stated(self) -> Option<CollectivePoint> {
        let time = |(name, time): (String, Box<RawValue>)| Some((algorithm(&name)?, picoseconds(&time)?));
        let times = self.times_ns.0.into_iter().map(time).collect::<Option<_>>()?;
        Some(CollectivePoint { size: self.size, bound: picoseconds(&self.bound_ns)?, times })
    }
}

fn algorithm(name: &str) -> Option<CollectiveAlgorithm> {
    CollectiveAlgorithm::ALL.into_iter().find(|known| known.name() == name)
}

/// Nanoseconds with three decimals, in picoseconds.
fn picoseconds(written: &RawValue) -> Option<u128> {
    let (whole, decimals) = written.get().split_once('.')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    let fits = decimals.len() == 3 && digits(whole) && digits(decimals);
    if fits { format!("{whole}{decimals}").parse().ok() } else { None }
}
