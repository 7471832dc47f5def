//! An estimate as rows.

use fabc_estimate::{Ask, Table};
use std::fmt::Write;

/// The columns.
pub(super) const HEAD: &str = "bytes,row,name,links,steps,messages,volume,latency_ns,volume_ns,time_ns,algbw_gb_s,busbw_gb_s,even_bytes";

/// A row per size and algorithm, the fastest of a size first, then its bounds.
pub fn estimate_csv(asked: &Ask, table: &Table) -> String {
    format!("{HEAD}\n{}", rows(asked, table))
}

/// Without the names of the columns.
pub(super) fn rows(asked: &Ask, table: &Table) -> String {
    let mut out = String::new();
    let mut table = table.clone();
    for &bytes in &asked.sizes {
        let size = bytes as f64;
        table.sort(size);
        let rows = table
            .rows
            .iter()
            .map(|row| ("algorithm", row))
            .chain(table.bounds.iter().map(|row| ("bound", row)));
        for (what, row) in rows {
            let (time, cost) = (row.time(size), row.cost());
            let algbw = size / time.total_ns();
            let bus = algbw * asked.question.bus_factor(table.chips);
            let _ = write!(
                out,
                "{bytes},{what},{},{},{},{},{:.9},",
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
