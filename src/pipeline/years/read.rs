//! Reads back what was played from `operate.json`.

use super::policy::{PolicyError, parse_policy};
use super::query::YearsQuery;
use fabc_emit::{NightWindow, PerPart};
use fabc_ir::read::json;
use serde::Deserialize;

/// The format tag of `operate.json`.
const FORMAT: &str = "fabc.operate/1";

/// A value for every kind of part.
#[derive(Deserialize)]
struct PerPartLine<T> {
    host: T,
    cable: T,
    ocs: T,
}

impl<T> From<PerPartLine<T>> for PerPart<T> {
    fn from(line: PerPartLine<T>) -> Self {
        Self { host: line.host, cable: line.cable, ocs: line.ocs }
    }
}

#[derive(Deserialize)]
struct PolicyLine {
    spare: u32,
    faults: u32,
    cables: String,
    swap: String,
}

/// The part of `operate.json` that says what was played.
#[derive(Deserialize)]
struct OperateFile {
    format: String,
    manifest: String,
    months: u32,
    seeds: u32,
    host_chips: u32,
    failures_per_day: PerPartLine<f64>,
    repair_h: f64,
    restart_min: f64,
    stock: PerPartLine<Option<u32>>,
    restock_h: f64,
    night: [u32; 2],
    policies: Vec<PolicyLine>,
}

/// What a file says that was played.
pub struct PlayedFile {
    /// The hash of the manifest of the directory that was played.
    pub manifest: String,
    /// What was played, without its results.
    pub query: YearsQuery,
}

/// Reads the text of `operate.json`.
///
/// # Errors
/// A sentence about what is wrong with it.
pub fn read_played(bytes: &[u8]) -> Result<PlayedFile, String> {
    let file: OperateFile = json(bytes)?;
    if file.format != FORMAT {
        return Err(format!("its format is `{}`, but this fabc reads `{FORMAT}`", file.format));
    }
    let policy = |line: &PolicyLine| {
        let PolicyLine { spare, faults, cables, swap } = line;
        let text = format!("spare = {spare}; faults = {faults}; cables = {cables}; swap = {swap};");
        parse_policy(&text).map_err(|error| match error {
            PolicyError::Refused(refusal) => refusal.to_string(),
            PolicyError::Syntax(..) => format!("`{text}` is no policy"),
        })
    };
    let milliseconds = |value: f64, unit: f64| libm::round(value * unit).max(0.0) as u64;
    let query = YearsQuery {
        months: file.months,
        seeds: file.seeds,
        host_chips: file.host_chips,
        per_day: file.failures_per_day.into(),
        repair_ms: milliseconds(file.repair_h, 3_600_000.0),
        restart_ms: milliseconds(file.restart_min, 60_000.0),
        stock: file.stock.into(),
        restock_ms: milliseconds(file.restock_h, 3_600_000.0),
        night: NightWindow { from: file.night[0], to: file.night[1] },
        policies: file.policies.iter().map(policy).collect::<Result<_, _>>()?,
    };
    Ok(PlayedFile { manifest: file.manifest, query })
}
