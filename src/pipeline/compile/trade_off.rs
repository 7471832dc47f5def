//! A synthesis that weighs cables: the graph for the weight of the spec, and what other weights would give.
//!
//! In: a fabric on a floor whose network is searched with `cable = ..`. Out: its topology, and the curve of
//! flow against cable. The other weights take fewer restarts each; every flow is certified by as many rounds.

use super::finalists;
use fabc_base::ids::NodeId;
use fabc_base::units::Decimal;
use fabc_emit::number::lower;
use fabc_ir::{Fraction, Topology, TradeOff};
use fabc_model::{Fabric, Floor, FreeGraph, Network};
use fabc_passes::{draw, place, wire};
use std::collections::BTreeSet;

/// Weights of the curve beside the spec's own, in thousandths.
const WEIGHTS: [u32; 6] = [0, 100, 200, 400, 600, 800];
/// Restarts for each of those.
const RESTARTS: u64 = 3;

/// The topology for a weight in thousandths, and the curve.
pub(super) fn weighed(
    fabric: &Fabric,
    network: &Network,
    floor: &Floor,
    (free, own): (&FreeGraph, u32),
) -> (Topology, Vec<TradeOff>) {
    let order = place::in_order(floor, free.routers);
    let length = |ends: [u32; 2]| order.length(floor, ends.map(NodeId));
    let found = |weight: u32| {
        let most = (weight != own).then_some(RESTARTS);
        let found = draw::weighed(free, &draw::Weighing { weight, length: &length }, most);
        let topology = wire::wire_drawn(fabric, network, &found.links);
        let flow = finalists::trial(fabric, &topology, &wire::start_lengths(&topology)).lower_end();
        let printed = Decimal::parse(&lower(flow)).map_or(Fraction::ZERO, Fraction::from);
        (topology, TradeOff { weight, distances: found.distances, cable: found.cable, flow: printed })
    };
    let weights: BTreeSet<u32> = WEIGHTS.into_iter().chain([own]).collect();
    let (topologies, curve): (Vec<Topology>, Vec<TradeOff>) =
        weights.iter().map(|&weight| found(weight)).unzip();
    let at = curve.iter().position(|of| of.weight == own).expect("the own weight is one of them");
    (topologies.into_iter().nth(at).expect("a topology per weight"), curve)
}
