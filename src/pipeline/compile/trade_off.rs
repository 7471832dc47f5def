//! A synthesis that weighs cables: the graph for the weight of the spec, and the results of other weights.
//!
//! In: a fabric on a floor whose network is searched with `cable = ..`. Out: its topology, and the curve of
//! flow against cable. The other weights get fewer restarts each. Every flow is certified by the same number
//! of rounds.

use super::finalists;
use fabc_base::ids::NodeId;
use fabc_base::units::Decimal;
use fabc_emit::number::lower;
use fabc_ir::{Fraction, Topology, TradeOff};
use fabc_model::{Fabric, Floor, FreeGraph, Network};
use fabc_passes::{draw, place, wire};
use std::collections::BTreeSet;

/// Weights of the curve besides the one of the spec, in thousandths.
const WEIGHTS: [u32; 6] = [0, 100, 200, 400, 600, 800];
/// Restarts for each of these weights.
const RESTARTS: u64 = 3;

/// The topology for the weight of the spec (in thousandths), and the curve over all weights.
pub(super) fn weighed_topology(
    fabric: &Fabric,
    network: &Network,
    floor: &Floor,
    free: &FreeGraph,
    spec_weight: u32,
) -> (Topology, Vec<TradeOff>) {
    let order = place::in_order(floor, free.routers);
    let length = |ends: [u32; 2]| order.length(floor, ends.map(NodeId));
    let graph_for_weight = |weight: u32| {
        let restarts = (weight != spec_weight).then_some(RESTARTS);
        let drawn = draw::weighed(free, &draw::Weighing { weight, length: &length }, restarts);
        let topology = wire::wire_drawn(fabric, network, &drawn.links);
        let flow = finalists::trial(fabric, &topology, &wire::start_lengths(&topology)).lower_end();
        let printed = Decimal::parse(&lower(flow)).map_or(Fraction::ZERO, Fraction::from);
        (topology, TradeOff { weight, distances: drawn.distances, cable: drawn.cable, flow: printed })
    };
    let weights: BTreeSet<u32> = WEIGHTS.into_iter().chain([spec_weight]).collect();
    let (topologies, curve): (Vec<Topology>, Vec<TradeOff>) =
        weights.iter().map(|&weight| graph_for_weight(weight)).unzip();
    let spec_index =
        curve.iter().position(|point| point.weight == spec_weight).expect("the own weight is one of them");
    (topologies.into_iter().nth(spec_index).expect("a topology per weight"), curve)
}
