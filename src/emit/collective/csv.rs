//! Writes a report on collectives as CSV: a row per scenario, collective, size and algorithm.

use super::super::number::fixed;
use super::json::vectors;
use super::nanoseconds;
use fabc_base::csv::quoted;
use fabc_ir::CollectiveReport;
use std::fmt::Write;

/// The rows under their heads. The fastest algorithm of each size comes first.
pub fn collectives_csv(report: &CollectiveReport) -> String {
    let mut out = String::from(
        "scenario,collective,root,size_bytes,algorithm,fastest,chunks,steps,volume,time_ns,volume_ns,latency_ns,overhead_ns,bound_ns,share,busbw_gb_s\n",
    );
    for row in &report.rows {
        for (index, candidate) in row.candidates.iter().enumerate() {
            let time = candidate.time;
            let _ = writeln!(
                out,
                "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
                quoted(&row.scenario),
                row.collective.name(),
                quoted(row.root.as_deref().unwrap_or("")),
                row.size,
                candidate.algorithm.name(),
                index == 0,
                candidate.chunks,
                candidate.steps,
                vectors(candidate.volume),
                nanoseconds(time.total()),
                nanoseconds(time.volume),
                nanoseconds(time.latency),
                nanoseconds(time.overhead),
                nanoseconds(row.bound),
                fixed(row.share(candidate), 6),
                fixed(row.bus_bandwidth(candidate), 3),
            );
        }
    }
    out
}
