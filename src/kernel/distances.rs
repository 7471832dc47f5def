//! Checks claimed hop distances by a breadth-first search from every class of routers.

use crate::conviction::Conviction;
use crate::lit_graph::{LitGraph, Nearest, expect_lit, representative_sources, scene_symmetry};
use crate::tally::add_lists;
use fabc_topology::Demand;
use fabc_topology::ids::{Id, NodeId};
use fabc_topology::{Distances, Scene};
use rayon::prelude::*;

/// Recomputes the hop distances over the lit links, without the pairs of a dead router, and compares them
/// with the claimed ones.
///
/// # Errors
/// The first number that differs, or two routers that cannot reach each other.
pub fn check_distances(scene: &Scene<'_>, claimed: &Distances) -> Result<(), Conviction> {
    expect_lit(scene)?;
    let measured = measured_distances(scene).map_err(|(from, to)| Conviction::Disconnected { from, to })?;
    let refuted = |figure, claimed: String, measured: String| {
        Err(Conviction::Distances { what: figure, claimed, measured })
    };
    if claimed.diameter != measured.diameter {
        return refuted("the diameter", claimed.diameter.to_string(), measured.diameter.to_string());
    }
    if claimed.total != measured.total {
        return refuted("the sum of distances", claimed.total.to_string(), measured.total.to_string());
    }
    if claimed.histogram != measured.histogram {
        return refuted(
            "the histogram",
            format!("{:?}", claimed.histogram),
            format!("{:?}", measured.histogram),
        );
    }
    Ok(())
}

/// Checks that every route is a shortest one. `route_hops` is `[h]`: ordered pairs whose route has h hops.
///
/// # Errors
/// The claimed and the measured counts, where they differ.
pub(crate) fn check_shortest_hops(scene: &Scene<'_>, route_hops: &[u64]) -> Result<(), Conviction> {
    let measured = measured_distances(scene).map_or(Vec::new(), |measured| measured.histogram);
    // No pair is 0 hops apart.
    if measured.get(1..) == route_hops.get(1..) {
        return Ok(());
    }
    let (claimed, measured) = (format!("{route_hops:?}"), format!("{measured:?}"));
    Err(Conviction::Distances { what: "the hops of shortest routes", claimed, measured })
}

/// The sum over all ordered pairs of weight x hop distance, without the pairs of a dead router. The lit links
/// must connect all living routers.
pub fn demand_hops(scene: &Scene<'_>, demand: &Demand) -> u64 {
    let graph = LitGraph::new(scene);
    let (sources, times) = representative_sources(scene, &scene_symmetry(scene));
    let weighted_hops = |nearest: &mut Nearest, &source: &NodeId| {
        graph.search_from(source, nearest);
        for dead in &scene.dead {
            nearest.hops[dead.index()] = 0;
        }
        let hops = nearest.hops.iter();
        hops.zip(demand.row(source)).map(|(&hops, weight)| u64::from(hops) * u64::from(weight)).sum::<u64>()
    };
    sources.par_iter().map_init(Nearest::default, weighted_hops).sum::<u64>() * times
}

/// Hop distances over the lit links between all living routers that send and receive.
///
/// # Errors
/// Two routers of which the first cannot reach the second.
pub fn measured_distances(scene: &Scene<'_>) -> Result<Distances, (NodeId, NodeId)> {
    let graph = LitGraph::new(scene);
    let (sources, weight) = representative_sources(scene, &scene_symmetry(scene));
    let pairs_by_hops = |nearest: &mut Nearest, &source: &NodeId| {
        let mut pairs: Vec<u64> = vec![0];
        graph.search_from(source, nearest);
        for (node, &hops) in nearest.hops.iter().enumerate() {
            if !scene.is_endpoint(NodeId::new(node)) {
                continue;
            }
            if hops == u32::MAX {
                return Err((source, NodeId::new(node)));
            }
            if hops as usize >= pairs.len() {
                pairs.resize(hops as usize + 1, 0);
            }
            pairs[hops as usize] += weight;
        }
        Ok(pairs)
    };
    // All sources are searched, so that the first disconnected pair is the same with any number of threads.
    let rows = sources.par_iter().map_init(Nearest::default, pairs_by_hops).collect::<Vec<_>>();
    let mut histogram = vec![0];
    for row in rows {
        add_lists(&mut histogram, &row?);
    }
    histogram[0] = 0;
    let total = histogram.iter().zip(0u64..).map(|(&pairs, hops)| pairs * hops).sum();
    Ok(Distances { diameter: histogram.len() as u32 - 1, total, histogram })
}
