//! Networks with tiers: a row for every tier.

use super::point::Point;
use crate::compiled::CompiledFabric;
use crate::host_blocks::HostBlocks;

/// Least distance of two routers of a row, and the least distance of two rows.
const STEP: f64 = 26.0;
const ROW: f64 = 130.0;

/// The places of the routers, hosts at the bottom. `None` without tiers.
pub(super) fn tiers(compiled: &CompiledFabric) -> Option<Vec<Point>> {
    compiled.fabric.family().filter(|family| family.facts().has_tiers())?;
    let topology = &compiled.topology;
    let blocks = HostBlocks::new(compiled);
    let has_boxes = compiled.fabric.boxes().is_some();
    // The parts of a box take two rows: GPUs, and the switches inside above them.
    let row_of = |router| match (blocks.tier(router), has_boxes) {
        (Some(tier), true) => tier as usize + 2,
        (Some(tier), false) => tier as usize,
        (None, _) => usize::from(!topology.is_endpoint(router)),
    };
    let rows: Vec<usize> = topology.nodes().map(row_of).collect();
    let used: Vec<usize> = {
        let mut used = rows.clone();
        used.sort_unstable();
        used.dedup();
        used
    };
    let members = |row: usize| rows.iter().filter(|&&other| other == row).count();
    let widest = used.iter().map(|&row| members(row)).max().unwrap_or(1) as f64 * STEP;
    let height = ROW.max(widest / 6.0);
    let mut next = vec![0usize; used.len()];
    let place = |row: &usize| {
        let level = used.binary_search(row).unwrap_or(0);
        let slot = widest / members(*row) as f64;
        next[level] += 1;
        Point { x: slot * (next[level] as f64 - 0.5), y: height * (used.len() - 1 - level) as f64 }
    };
    Some(rows.iter().map(place).collect())
}
