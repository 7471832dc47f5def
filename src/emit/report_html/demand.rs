//! The demand as a picture: how much the endpoints of two blocks send each other.

use super::grid::{self, GridCell, TableGrid, range, step};
use crate::compiled::CompiledFabric;
use crate::number::grouped;
use crate::svg::compact;
use fabc_base::ids::NodeId;
use fabc_model::{Demand, DemandComponent, DemandShape};
use minijinja::{Value, context};
use std::ops::Range;

/// Maximum blocks along a side.
const BLOCKS: usize = 32;

/// The demand for the template; `None` with fewer than two endpoints.
pub(super) fn demand(compiled: &CompiledFabric) -> Option<Value> {
    let demand = &compiled.fabric.demand;
    let endpoints: Vec<NodeId> = demand.endpoints().collect();
    let count = endpoints.len();
    if count < 2 {
        return None;
    }
    let (node, nodes) = if compiled.pod.is_some() { ("chip", "chips") } else { ("router", "routers") };
    // A table of ones would say no more than the sentence.
    if *demand.shape() == DemandShape::Uniform {
        return Some(context! { what => demand_sentence(demand, node, nodes), grid => None::<String> });
    }
    let unit =
        if endpoints.len() == demand.node_count() { compiled.topology.symmetry().block_size() } else { 1 };
    let size = block_size(count, unit, BLOCKS);
    let blocks: Vec<Range<usize>> =
        (0..count).step_by(size).map(|first| first..count.min(first + size)).collect();
    let means: Vec<Vec<Option<f64>>> =
        blocks.iter().map(|a| blocks.iter().map(|b| mean(demand, a, b)).collect()).collect();
    let scale = range(means.iter().flatten().flatten().copied());
    let named = |rank: usize| {
        if compiled.pod.is_some() {
            endpoints[rank].to_string()
        } else {
            compiled.topology.name(endpoints[rank])
        }
    };
    let word = |block: &Range<usize>| match size {
        1 => format!("{node} {}", named(block.start)),
        _ => format!("{nodes} {} to {}", named(block.start), named(block.end - 1)),
    };
    let cell = |mean: Option<f64>, a: &Range<usize>, b: &Range<usize>| {
        let mean = mean?;
        let text = short(mean);
        Some(GridCell::of_scale(
            'h',
            step(mean, scale),
            text.clone(),
            format!("{} to {}: {text} a pair", word(a), word(b)),
        ))
    };
    let row = |(a, means): (&Range<usize>, &Vec<Option<f64>>)| {
        let head = if compiled.pod.is_some() {
            named(a.start)
        } else {
            format!("{}: {}", named(a.start), a.start / size)
        };
        (head, means.iter().zip(&blocks).map(|(&mean, b)| cell(mean, a, b)).collect())
    };
    let column = |block: &Range<usize>| {
        if compiled.pod.is_some() { named(block.start) } else { (block.start / size).to_string() }
    };
    let grid = grid::grid_table(&TableGrid {
        caption: String::new(),
        class: if blocks.len() > 16 { "tight" } else { "" },
        items: None,
        columns: blocks.iter().map(column).collect(),
        rows: blocks.iter().zip(&means).map(row).collect(),
    });
    let lead = match size {
        1 => format!("Rows send, columns receive, by {node}"),
        _ => format!(
            "Rows send, columns receive, {} {nodes} to a block, named by its first {node}",
            grouped(size as u64)
        ),
    };
    let sentence = demand_sentence(demand, node, nodes);
    Some(
        context! { what => sentence, lead, grid, low => short(scale[0]), high => short(scale[1]), even => scale[0] == scale[1] },
    )
}

fn demand_sentence(demand: &Demand, node: &str, nodes: &str) -> String {
    let sent = grouped(demand.sent_most(None));
    match demand.shape() {
        DemandShape::Uniform => format!("Uniform all-to-all: every {node} sends as much to every other one."),
        DemandShape::Groups(components) => {
            let part = |part: &DemandComponent| match part.group as usize == demand.endpoint_count() {
                true => format!("all {nodes} (weight {})", part.weight),
                false => format!("groups of {} {nodes} (weight {})", part.group, part.weight),
            };
            let parts: Vec<String> = components.iter().map(part).collect();
            format!(
                "All-to-all within {}; the busiest {node} sends {sent} in all.",
                parts.join(" and within ")
            )
        }
        DemandShape::Matrix(_) => {
            format!(
                "A matrix of weights up to {}; the busiest {node} sends {sent} in all.",
                grouped(demand.largest().into())
            )
        }
    }
}

/// The smallest block size that makes at most `blocks` blocks, and is a multiple or a divisor of `unit`, the
/// routers of a cube or group.
fn block_size(count: usize, unit: usize, blocks: usize) -> usize {
    let smallest = count.div_ceil(blocks);
    (smallest..=count)
        .find(|size| unit.is_multiple_of(*size) || size.is_multiple_of(unit))
        .unwrap_or(smallest)
}

/// The mean weight of the ordered pairs from one block to another. `None` if there is no pair.
fn mean(demand: &Demand, a: &Range<usize>, b: &Range<usize>) -> Option<f64> {
    let common = |first: &Range<usize>, second: &Range<usize>| {
        first.end.min(second.end).saturating_sub(first.start.max(second.start))
    };
    let same = common(a, b) as u128;
    let pairs = (a.len() * b.len()) as u128 - same;
    let sum: u128 = match demand.shape() {
        DemandShape::Uniform => pairs,
        DemandShape::Groups(components) => {
            let within = |component: &DemandComponent| {
                let size = component.group as usize;
                let groups =
                    (a.start / size..=(a.end - 1) / size).map(|group| group * size..(group + 1) * size);
                let pairs: u128 = groups.map(|group| (common(a, &group) * common(b, &group)) as u128).sum();
                (pairs - same) * u128::from(component.weight)
            };
            components.iter().map(within).sum()
        }
        DemandShape::Matrix(weights) => {
            let count = demand.endpoint_count();
            a.clone()
                .flat_map(|source| &weights[source * count..][b.clone()])
                .map(|&weight| u128::from(weight))
                .sum()
        }
    };
    (pairs > 0).then(|| sum as f64 / pairs as f64)
}

/// A weight with at most four characters.
fn short(weight: f64) -> String {
    if weight >= 1000.0 {
        compact(weight.round() as u64)
    } else if weight.fract() == 0.0 || weight >= 100.0 {
        format!("{weight:.0}")
    } else if weight >= 10.0 {
        format!("{weight:.1}")
    } else {
        format!("{weight:.2}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_add_up_to_the_weights_of_their_pairs() {
        let component = |group, weight| DemandComponent { group, weight };
        let cells = (0..144).map(|at| if at % 13 == 0 { 0 } else { (at * 7 % 11) as u32 });
        let all = [
            Demand::uniform(12),
            Demand::groups(12, vec![component(12, 1), component(4, 4), component(2, 3)]),
            Demand::matrix(12, cells.collect()),
        ];
        for demand in all {
            for size in 1..=12 {
                let blocks: Vec<Range<usize>> =
                    (0..12).step_by(size).map(|first| first..12.min(first + size)).collect();
                for (a, b) in blocks.iter().flat_map(|a| blocks.iter().map(move |b| (a, b))) {
                    let pairs: Vec<(usize, usize)> = a
                        .clone()
                        .flat_map(|s| b.clone().map(move |t| (s, t)))
                        .filter(|(s, t)| s != t)
                        .collect();
                    let sum: u32 =
                        pairs.iter().map(|&(s, t)| demand.weight(NodeId(s as u32), NodeId(t as u32))).sum();
                    let expected = (!pairs.is_empty()).then(|| f64::from(sum) / pairs.len() as f64);
                    assert_eq!(mean(&demand, a, b), expected, "{demand:?} {a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn blocks_keep_cubes_whole() {
        let sizes =
            [(64, 64, 2), (256, 64, 8), (1024, 64, 32), (8192, 64, 256), (264, 8, 16), (80, 1, 3), (2, 1, 1)];
        for (count, unit, size) in sizes {
            assert_eq!(block_size(count, unit, 32), size, "{count} in cubes of {unit}");
        }
        assert_eq!(block_size(256, 64, 8), 32);
    }
}
