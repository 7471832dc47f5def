//! Where routers stand, and what the cables between them come to.

use super::{Fraction, Topology};
use crate::ids::{Id, IdVec, LinkId, LinkTypeId, NodeId};
use crate::model::{Bundles, Fabric, Floor, FloorMetric, LinkType, Plant};
use std::collections::BTreeMap;

/// Which router stands in which cabinet, and where that stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placement {
    /// `[router]`: its cabinet.
    pub cabinet_of: Vec<u32>,
    /// `[cabinet]`: row and column.
    pub place_of: Vec<[u32; 2]>,
}

/// What the cables of a floor come to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FloorMetrics {
    /// Cables between routers.
    pub cables: u64,
    /// Of them, those between cabinets.
    pub between: u64,
    /// Length of all of them, and of those between cabinets, 0.1 m.
    pub lengths: [u64; 2],
    /// The longest, 0.1 m.
    pub longest: u32,
    /// Price of all cables laid, in ten-thousandths.
    pub cost: u128,
    /// Power of all cables, mW.
    pub power_mw: u64,
    /// Bundles between cabinets, or groups.
    pub bundles: u64,
    /// Declared links in use, by id: cables of each, and their length, 0.1 m.
    pub by_type: Vec<(LinkTypeId, u64, u64)>,
}

impl Placement {
    /// Length of a cable between two routers, 0.1 m.
    pub fn length(&self, floor: &Floor, ends: [NodeId; 2]) -> u32 {
        let [one, other] = ends.map(|end| self.cabinet_of[end.index()]);
        if one == other { floor.inside } else { self.between(floor, one, other) }
    }
    /// Length of a cable between two cabinets, 0.1 m.
    pub fn between(&self, floor: &Floor, one: u32, other: u32) -> u32 {
        let [one, other] = [one, other].map(|cabinet| self.place_of[cabinet as usize]);
        let [pitch_x, pitch_y] = floor.pitch;
        one[1].abs_diff(other[1]) * pitch_x + one[0].abs_diff(other[0]) * pitch_y + 2 * floor.overhead
    }
    /// `[cabinet]`: its routers, ascending; the place in the list is the position in the cabinet.
    pub fn routers(&self) -> Vec<Vec<u32>> {
        let mut all = vec![Vec::new(); self.place_of.len()];
        (0u32..).zip(&self.cabinet_of).for_each(|(router, &cabinet)| all[cabinet as usize].push(router));
        all
    }
    /// The cables of a topology: how long they are, and, where lengths decide, which declared link each is.
    /// None where no link is long enough.
    pub fn cables(&self, floor: &Floor, topology: &Topology) -> IdVec<LinkId, (u32, Option<LinkTypeId>)> {
        let cable = |link: &super::Link| {
            let length = self.length(floor, [link.a.node, link.b.node]);
            let by_length = |by: &crate::model::ByLength| {
                let fitting = by.up_to.iter().find(|&&(_, most)| length <= most).map(|&(link, _)| link);
                fitting.or(by.beyond)
            };
            (length, floor.by_length.as_ref().map_or(Some(link.link_type), by_length))
        };
        topology.links().iter().map(cable).collect()
    }
}

/// The two cabinets, or groups, whose cables share a bundle; `None` where a cable runs inside one.
pub fn bundle(fabric: &Fabric, floor: &Floor, placement: &Placement, ends: [NodeId; 2]) -> Option<[u32; 2]> {
    let group = match (&fabric.plant, floor.bundles) {
        (Plant::Network(network), Bundles::ByGroup) => network.family.group_size(),
        _ => None,
    };
    let [one, other] = ends.map(|end| group.map_or(placement.cabinet_of[end.index()], |size| end.0 / size));
    (one != other).then_some([one.min(other), one.max(other)])
}

impl FloorMetrics {
    /// Adds up the cables of a topology that has their lengths.
    pub fn of(fabric: &Fabric, floor: &Floor, placement: &Placement, topology: &Topology) -> Self {
        let mut all = Self { cables: 0, between: 0, lengths: [0; 2], longest: 0, cost: 0, power_mw: 0, bundles: 0, by_type: Vec::new() };
        let mut bundles: BTreeMap<[u32; 2], u64> = BTreeMap::new();
        let mut by_type: BTreeMap<LinkTypeId, (u64, u64)> = BTreeMap::new();
        for (id, link) in topology.links().enumerate() {
            let (ends, length) = ([link.a.node, link.b.node], topology.length(id));
            let of: &LinkType = &fabric.link_types[link.link_type];
            all.cables += 1;
            all.lengths[0] += u64::from(length);
            all.longest = all.longest.max(length);
            if ends.map(|end| placement.cabinet_of[end.index()]).windows(2).any(|pair| pair[0] != pair[1]) {
                all.between += 1;
                all.lengths[1] += u64::from(length);
            }
            let [once, per_metre] = of.cost.map(u128::from);
            all.cost += 10 * (once + u128::from(floor.install)) + per_metre * u128::from(length);
            all.power_mw += of.power_mw;
            bundle(fabric, floor, placement, ends).into_iter().for_each(|pair| *bundles.entry(pair).or_default() += 1);
            let (cables, metres) = by_type.entry(link.link_type).or_default();
            (*cables, *metres) = (*cables + 1, *metres + u64::from(length));
        }
        let by_type = by_type.into_iter().map(|(of, (cables, length))| (of, cables, length)).collect();
        Self { bundles: bundles.len() as u64, by_type, ..all }
    }
    /// The value of a metric.
    pub fn value(&self, metric: FloorMetric) -> Fraction {
        match metric {
            FloorMetric::CableLength => Fraction::new(self.lengths[0], 10u8),
            FloorMetric::AverageCable => Fraction::new(self.lengths[0], 10 * self.cables.max(1)),
            FloorMetric::LongestCable => Fraction::new(self.longest, 10u8),
            FloorMetric::Cost => Fraction::new(self.cost, 10_000u32),
            FloorMetric::Power => Fraction::new(self.power_mw, 1000u32),
            FloorMetric::Bundles => Fraction::whole(self.bundles),
        }
    }
    /// Mean length of the cables between cabinets, m; `None` without any.
    pub fn average_between(&self) -> Option<Fraction> {
        (self.between > 0).then(|| Fraction::new(self.lengths[1], 10 * self.between))
    }
}

impl Topology {
    /// `[link]`: cycles of a hop over it: of the router that is left, of the link, and of its length.
    pub fn hop_cycles(&self, fabric: &Fabric) -> IdVec<LinkId, u64> {
        let of = |id| u64::from(fabric.router.latency_cycles) + u64::from(self.link_cycles(fabric, id));
        self.links().ids().map(of).collect()
    }
    /// Cycles over a link: its latency, and that of its length, rounded up.
    pub fn link_cycles(&self, fabric: &Fabric, link: LinkId) -> u32 {
        let of = &fabric.link_types[self.links()[link].link_type];
        let run = u128::from(of.per_metre_ps) * u128::from(self.length(link)) * u128::from(fabric.clock_hz);
        of.latency_cycles + run.div_ceil(10 * 1_000_000_000_000) as u32
    }
}
