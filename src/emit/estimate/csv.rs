//! Writes an estimate as CSV.

use fabc_estimate::{EstimateRequest, EstimateTable};
use std::fmt::Write;

/// The heads of the columns.
pub(super) const HEAD: &str = "bytes,row,name,links,steps,messages,volume,latency_ns,volume_ns,time_ns,algbw_gb_s,busbw_gb_s,even_bytes";

/// The rows of every size: its algorithms, the fastest first, then its bounds.
pub fn estimate_csv(request: &EstimateRequest, table: &EstimateTable) -> String {
    format!("{HEAD}\n{}", csv_rows(request, table))
}

/// The rows without the heads.
pub(super) fn csv_rows(request: &EstimateRequest, table: &EstimateTable) -> String {
    let mut out = String::new();
    let mut table = table.clone();
    for &bytes in &request.sizes {
        let size = bytes as f64;
        table.sort(size);
        let rows = table
            .rows
            .iter()
            .map(|row| ("algorithm", row))
            .chain(table.bounds.iter().map(|row| ("bound", row)));
        for (kind, row) in rows {
            let (time, cost) = (row.time(size), row.cost());
            let algbw = size / time.total_ns();
            let bus = algbw * request.question.bus_factor(table.chips);
            let _ = write!(
                out,
                "{bytes},{kind},{},{},{},{},{:.9},",
                row.name,
                row.links.name(),
                cost.steps,
                cost.messages,
                cost.volume
            );
            let _ = write!(out, "{:.3},{:.3},{:.3},", time.latency_ns, time.volume_ns, time.total_ns());
            let _ = writeln!(out, "{algbw:.6},{bus:.6},{:.0}", row.even_bytes());
        }
    }
    out
}
