//! What no schedule goes below, with all channels of every chip in use.
//!
//! Hops: something has to get to the farthest chip, and schedules of steps that wait for each other take a
//! step per hop. Volume: whatever a set of chips has to take in comes over the channels into it. Both hold at
//! once for schedules of such steps; a schedule that lets bytes fly while others are sent may overlap the
//! two.

use super::algorithms::{Algorithm, Links};
use super::cost::Cost;
use super::counts::others;
use super::shape::Shape;
use fabc_model::Collective;

/// The bounds of a collective on a shape, the one that holds for every algorithm last.
pub fn bounds(kind: Collective, shape: &Shape) -> Vec<Algorithm> {
    let (hops, chips) = (shape.hops(), shape.chips());
    // A chip takes in the shards of all others.
    let gather = others(chips) / shape.ports() as f64;
    let bound = |what, cost| Algorithm { name: "bound", what, links: all(shape), cost };
    match kind {
        Collective::AllGather | Collective::ReduceScatter => {
            vec![bound(
                "no schedule whose steps wait for each other ends sooner: hops, and N - 1 shards through the fewest ports of a chip",
                Cost::of(hops, gather),
            )]
        }
        Collective::Broadcast | Collective::Reduce => {
            let volume = 1.0 / shape.ports() as f64;
            vec![bound(
                "no schedule whose steps wait for each other ends sooner: hops, and a vector through the fewest ports of a chip",
                Cost::of(shape.hops_from_the_middle(), volume),
            )]
        }
        Collective::AllReduce => {
            let what = "the least of a reduce-scatter and then an all-gather, by all links";
            let volume = match shape.links() {
                // Through one port and without a switch that adds.
                None => 2.0 * others(chips),
                // Between N parts every byte crosses 2 (N - 1) times; fewer parts never ask for more here.
                Some(links) => (chips - 1) as f64 / links,
            };
            vec![
                Algorithm {
                    name: "all_links",
                    what,
                    links: all(shape),
                    cost: Cost::of(2 * hops, 2.0 * gather),
                },
                bound(
                    "no schedule whose steps wait for each other ends sooner: hops, and 2 (N - 1) vectors over all channels",
                    Cost::of(hops, volume),
                ),
            ]
        }
        Collective::AllToAll | Collective::Send => {
            let volume = shape.axis_loads().into_iter().fold(gather.max(out_of_a_group(shape)), f64::max);
            let what = "no schedule whose steps wait for each other ends sooner: hops, and the fullest of the ports and cuts";
            vec![bound(what, Cost { steps: hops, messages: 1, volume })]
        }
    }
}

fn all(shape: &Shape) -> Links {
    if shape.ports() == 1 { Links::Port } else { Links::All }
}

/// Vectors over each channel out of a group of a dragonfly: every chip of it sends to all chips elsewhere.
fn out_of_a_group(shape: &Shape) -> f64 {
    let Shape::Dragonfly { group, globals } = shape else { return 0.0 };
    let chips = shape.chips();
    (chips - group) as f64 / *globals as f64 / chips as f64
}
