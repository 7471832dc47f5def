//! Lower bounds on the time of a collective, with all channels of every chip in use.
//!
//! Hops: data has to reach the farthest chip, and schedules whose steps wait for each other take one step per
//! hop. Volume: all data for a set of chips arrives over the channels into that set. Both bounds apply at
//! once to schedules of such steps. A schedule that sends new data while earlier data is in flight may
//! overlap the two.

use super::algorithms::{Algorithm, LinkUse};
use super::cost::Cost;
use super::counts::remote_part;
use super::shape::FabricShape;
use fabc_model::Collective;

/// The lower bounds of a collective on a shape. The one that holds for every algorithm comes last.
pub fn bounds(kind: Collective, shape: &FabricShape) -> Vec<Algorithm> {
    bounds_by_axis(kind, shape, &[])
}

/// The same with nanoseconds of a hop by axis. Without any, all hops take the latency of the channel.
pub(super) fn bounds_by_axis(kind: Collective, shape: &FabricShape, latencies: &[f64]) -> Vec<Algorithm> {
    let (hops, chips) = (shape.walk(latencies), shape.chips());
    // A chip receives the shards of all other chips.
    let gather = remote_part(chips) / shape.ports() as f64;
    let bound =
        |description, cost| Algorithm { name: "bound", description, links: full_link_use(shape), cost };
    match kind {
        Collective::AllGather | Collective::ReduceScatter => {
            vec![bound(
                "no schedule whose steps wait for each other ends sooner: hops, and N - 1 shards through the fewest ports of a chip",
                Cost::of_walk(hops, gather),
            )]
        }
        Collective::Broadcast | Collective::Reduce => {
            let volume = 1.0 / shape.ports() as f64;
            vec![bound(
                "no schedule whose steps wait for each other ends sooner: hops, and a vector through the fewest ports of a chip",
                Cost::of_walk(shape.walk_from_the_middle(latencies), volume),
            )]
        }
        Collective::AllReduce => {
            let description = "the least of a reduce-scatter and then an all-gather, by all links";
            let volume = match shape.links() {
                // With one port and without a switch that adds.
                None => 2.0 * remote_part(chips),
                // With N separate parts every byte is sent 2 (N - 1) times. Fewer parts never need more here.
                Some(links) => (chips - 1) as f64 / links,
            };
            vec![
                Algorithm {
                    name: "all_links",
                    description,
                    links: full_link_use(shape),
                    cost: Cost::of_walk(hops.times(2), 2.0 * gather),
                },
                bound(
                    "no schedule whose steps wait for each other ends sooner: hops, and 2 (N - 1) vectors over all channels",
                    Cost::of_walk(hops, volume),
                ),
            ]
        }
        Collective::AllToAll | Collective::Send => {
            let volume = shape.axis_loads().into_iter().fold(gather.max(group_exit_load(shape)), f64::max);
            let description = "no schedule whose steps wait for each other ends sooner: hops, and the fullest of the ports and cuts";
            vec![bound(description, Cost { messages: 1, ..Cost::of_walk(hops, volume) })]
        }
    }
}

fn full_link_use(shape: &FabricShape) -> LinkUse {
    if shape.ports() == 1 { LinkUse::Port } else { LinkUse::All }
}

/// Vectors over each channel out of a dragonfly group. Every chip of the group sends to all chips outside it.
fn group_exit_load(shape: &FabricShape) -> f64 {
    let FabricShape::Dragonfly { group, globals } = shape else { return 0.0 };
    let chips = shape.chips();
    (chips - group) as f64 / *globals as f64 / chips as f64
}
