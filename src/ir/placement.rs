//! The places of routers on a floor, and the cables between them.

use super::{End, Fraction, Link, LinkClass, Topology};
use fabc_base::algebra::ProjectivePlane;
use fabc_base::ids::{ChannelId, Id, IdVec, LinkId, LinkTypeId, NodeId, OcsId};
use fabc_model::{Bundling, Clustering, Fabric, Family, Floor, FloorMetric, LinkType};
use std::collections::{BTreeMap, BTreeSet};

/// The cabinet of every router, the rack of every switch, and the places of cabinets and racks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placement {
    /// `[router]`: the number of its cabinet.
    pub cabinet_of: Vec<u32>,
    /// `[OCS]`: its rack, which is numbered among the cabinets. Empty in a network.
    pub rack_of: Vec<u32>,
    /// `[cabinet]`: its row and its column.
    pub place_of: Vec<[u32; 2]>,
}

/// The port that a cable is plugged into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Plug {
    /// A port of a router.
    Router(End),
    /// A port of a switch: the switch, its side (0 or 1), and the index of the port on that side.
    Switch(OcsId, usize, u32),
}

/// A cable as it is cut and laid. In a network, every link is one cable, but for those inside boxes. In a
/// pod, the copper of the cubes are cables, and so is the fiber from every face port to its switch, lit or
/// not.
#[derive(Clone, Copy, Debug)]
pub struct Cable {
    /// Its two ends. For a fiber of a pod, the chip and then the switch.
    pub ends: CableEnds,
    /// The declared link of which it is made.
    pub link_type: LinkTypeId,
    /// Its length between its two ends, 0.1 m.
    pub length: u32,
    /// The link that runs over it. `None` for a dark fiber.
    pub link: Option<LinkId>,
}

/// The two ports that a cable joins. For a fiber of a pod, the chip and then the switch.
pub type CableEnds = [Plug; 2];

/// The length of all cables, and the length of those between cabinets, both in 0.1 m.
pub type CableLengths = [u64; 2];

/// The number of cables in bundles, and the number of cables in the widest bundle.
pub type BundledCables = [u64; 2];

/// The totals of the cables on a floor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FloorMetrics {
    /// Number of cables between routers, and in a pod from chips to switches.
    pub cables: u64,
    /// Number of them that run between cabinets.
    pub between: u64,
    /// Length of all cables, and length of those between cabinets, both in 0.1 m.
    pub lengths: CableLengths,
    /// Length of the longest cable, 0.1 m.
    pub longest: u32,
    /// Price of all cables and of laying them, in ten-thousandths.
    pub cost: u128,
    /// Power of all cables together, mW.
    pub power_mw: u64,
    /// Number of bundles between cabinets, or between groups.
    pub bundles: u64,
    /// Number of cables in bundles, and number of cables in the widest bundle.
    pub bundled: BundledCables,
    /// Pairs of points by cluster, where the clusters of a projective plane share cabinets.
    pub clusters: Option<ClusterPairs>,
    /// (declared link, cables of it, their length in 0.1 m), by id, for those in use.
    pub by_type: Vec<(LinkTypeId, u64, u64)>,
}

/// The clusters of the points of a projective plane, and the pairs of points that links join.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClusterPairs {
    /// Number of clusters of the plane.
    pub count: u64,
    /// Number of pairs within a cluster.
    pub inside: u64,
    /// Number of pairs of a quadric and another point.
    pub to_quadrics: u64,
    /// Number of pairs between other clusters.
    pub between: u64,
}

impl ClusterPairs {
    /// The clusters of a fabric, if its floor places routers by cluster.
    fn for_floor(fabric: &Fabric, floor: &Floor, topology: &Topology) -> Option<Self> {
        let [q, size] = fabric.family()?.plane().filter(|_| floor.clustering == Clustering::ByCluster)?;
        let cluster_of = ProjectivePlane::new(q).clusters();
        let point = |end: End| end.node.0 / size;
        let pairs = topology.links().iter().map(|link| [point(link.a), point(link.b)]);
        let pairs: BTreeSet<[u32; 2]> =
            pairs.filter(|[a, b]| a != b).map(|[a, b]| [a.min(b), a.max(b)]).collect();
        let count = u64::from(cluster_of.iter().copied().max().unwrap_or(0)) + 1;
        let mut clusters = Self { count, inside: 0, to_quadrics: 0, between: 0 };
        for pair in pairs {
            let [first, second] = pair.map(|point| cluster_of[point as usize]);
            *(if first == second {
                &mut clusters.inside
            } else if first == 0 || second == 0 {
                &mut clusters.to_quadrics
            } else {
                &mut clusters.between
            }) += 1;
        }
        Some(clusters)
    }
}

impl Placement {
    /// Length of a cable between two routers, 0.1 m.
    pub fn length(&self, floor: &Floor, ends: [NodeId; 2]) -> u32 {
        let [first, second] = ends.map(|end| self.cabinet_of[end.index()]);
        if first == second { floor.inside } else { self.cabinet_distance(floor, first, second) }
    }
    /// The cabinet or rack that a plug is in.
    pub fn cabinet(&self, plug: Plug) -> u32 {
        match plug {
            Plug::Router(end) => self.cabinet_of[end.node.index()],
            Plug::Switch(ocs, ..) => self.rack_of[ocs.index()],
        }
    }
    /// Length of the path between two chips of a pod, 0.1 m: of the copper within a cube, or of both fibers
    /// to the switch between them.
    pub fn path_length(&self, floor: &Floor, ends: [NodeId; 2], through: Option<OcsId>) -> u32 {
        let Some(ocs) = through else { return self.length(floor, ends) };
        ends.iter()
            .map(|end| self.cabinet_distance(floor, self.cabinet_of[end.index()], self.rack_of[ocs.index()]))
            .sum()
    }
    /// All cables that are laid: one per link by link id but for links inside boxes, then the fibers of a pod
    /// by switch, side and port.
    pub fn laid_cables(&self, fabric: &Fabric, floor: &Floor, topology: &Topology) -> Vec<Cable> {
        let of_pod = fabric.pod();
        let is_direct = |link: &Link| match of_pod {
            Some(_) => link.class == LinkClass::Local,
            None => is_cable(fabric, link),
        };
        let direct = topology.links().enumerate().filter(|(_, link)| is_direct(link));
        let mut cables: Vec<Cable> = direct
            .map(|(id, link)| Cable {
                ends: [link.a, link.b].map(Plug::Router),
                link_type: link.link_type,
                length: topology.length(id),
                link: Some(id),
            })
            .collect();
        for (ocs, switch) in of_pod.iter().flat_map(|pod| pod.ocses.enumerate()) {
            let sides = [&switch.a, &switch.b].into_iter().enumerate();
            for (side, at, face) in
                sides.flat_map(|(side, faces)| (0u32..).zip(faces).map(move |(at, face)| (side, at, face)))
            {
                let length = self.cabinet_distance(
                    floor,
                    self.cabinet_of[face.node.index()],
                    self.rack_of[ocs.index()],
                );
                let chip = Plug::Router(End { node: face.node, port: face.port });
                let link = topology.outgoing(face.node, face.port).map(|channel| topology.link_of(channel));
                cables.push(Cable {
                    ends: [chip, Plug::Switch(ocs, side, at)],
                    link_type: switch.link,
                    length,
                    link,
                });
            }
        }
        cables
    }
    /// `[cabinet]`: the switches of a rack, ascending. Empty for other cabinets.
    pub fn switches_by_cabinet(&self) -> Vec<Vec<OcsId>> {
        let mut by_rack = vec![Vec::new(); self.place_of.len()];
        self.rack_of.iter().enumerate().for_each(|(ocs, &rack)| by_rack[rack as usize].push(OcsId::new(ocs)));
        by_rack
    }
    /// Length of a cable between two cabinets, 0.1 m.
    pub fn cabinet_distance(&self, floor: &Floor, first: u32, second: u32) -> u32 {
        let [first, second] = [first, second].map(|cabinet| self.place_of[cabinet as usize]);
        let [pitch_x, pitch_y] = floor.pitch;
        first[1].abs_diff(second[1]) * pitch_x + first[0].abs_diff(second[0]) * pitch_y + 2 * floor.overhead
    }
    /// `[cabinet]`: its routers, ascending. The index in the list is the position in the cabinet.
    pub fn routers_by_cabinet(&self) -> Vec<Vec<u32>> {
        let mut by_cabinet = vec![Vec::new(); self.place_of.len()];
        (0u32..)
            .zip(&self.cabinet_of)
            .for_each(|(router, &cabinet)| by_cabinet[cabinet as usize].push(router));
        by_cabinet
    }
    /// `[link]`: the length of its cable in 0.1 m, and its declared link. `None` where the length decides and
    /// no link is long enough. A link inside a box has no length.
    pub fn cables(
        &self,
        fabric: &Fabric,
        floor: &Floor,
        topology: &Topology,
    ) -> IdVec<LinkId, (u32, Option<LinkTypeId>)> {
        let cable = |link: &Link| {
            if !is_cable(fabric, link) {
                return (0, Some(link.link_type));
            }
            let length = self.length(floor, [link.a.node, link.b.node]);
            let by_length = |by: &fabc_model::ByLength| {
                let fitting = by.up_to.iter().find(|&&(_, most)| length <= most).map(|&(link, _)| link);
                fitting.or(by.beyond)
            };
            (length, floor.by_length.as_ref().map_or(Some(link.link_type), by_length))
        };
        topology.links().iter().map(cable).collect()
    }
}

/// Whether a link of a network is a cable. A link inside a box is not: it came with the box.
pub fn is_cable(fabric: &Fabric, link: &Link) -> bool {
    fabric.boxes().is_none() || link.class == LinkClass::Global
}

/// The two cabinets or groups whose cables share a bundle with this one, ascending. `None` where a cable
/// stays inside one.
pub fn bundle(fabric: &Fabric, floor: &Floor, placement: &Placement, ends: [Plug; 2]) -> Option<[u32; 2]> {
    let by_group = floor.bundles == Bundling::ByGroup;
    let group = fabric.family().filter(|_| by_group).and_then(Family::group_size);
    let group_of = |plug: Plug| match (plug, group) {
        (Plug::Router(end), Some(size)) => end.node.0 / size,
        _ => placement.cabinet(plug),
    };
    let [first, second] = ends.map(group_of);
    (first != second).then_some([first.min(second), first.max(second)])
}

impl FloorMetrics {
    /// Adds up the cables that are laid for a topology.
    pub fn for_placement(fabric: &Fabric, floor: &Floor, placement: &Placement, topology: &Topology) -> Self {
        let mut totals = Self {
            cables: 0,
            between: 0,
            lengths: [0; 2],
            longest: 0,
            cost: 0,
            power_mw: 0,
            bundles: 0,
            bundled: [0; 2],
            clusters: ClusterPairs::for_floor(fabric, floor, topology),
            by_type: Vec::new(),
        };
        let mut bundles: BTreeMap<[u32; 2], u64> = BTreeMap::new();
        let mut by_type: BTreeMap<LinkTypeId, (u64, u64)> = BTreeMap::new();
        for Cable { ends, link_type, length, .. } in placement.laid_cables(fabric, floor, topology) {
            let declared: &LinkType = &fabric.link_types[link_type];
            totals.cables += 1;
            totals.lengths[0] += u64::from(length);
            totals.longest = totals.longest.max(length);
            if placement.cabinet(ends[0]) != placement.cabinet(ends[1]) {
                totals.between += 1;
                totals.lengths[1] += u64::from(length);
            }
            let [once, per_metre] = declared.cost.map(u128::from);
            totals.cost += 10 * (once + u128::from(floor.install)) + per_metre * u128::from(length);
            totals.power_mw += declared.power_mw;
            bundle(fabric, floor, placement, ends)
                .into_iter()
                .for_each(|pair| *bundles.entry(pair).or_default() += 1);
            let (cables, metres) = by_type.entry(link_type).or_default();
            (*cables, *metres) = (*cables + 1, *metres + u64::from(length));
        }
        let by_type =
            by_type.into_iter().map(|(link_type, (cables, length))| (link_type, cables, length)).collect();
        let bundled = [bundles.values().sum(), bundles.values().copied().max().unwrap_or(0)];
        Self { bundles: bundles.len() as u64, bundled, by_type, ..totals }
    }
    /// The value of a metric.
    pub fn value(&self, metric: FloorMetric) -> Fraction {
        match metric {
            FloorMetric::CableLength => Fraction::new(self.lengths[0], 10u8),
            FloorMetric::AverageCable => Fraction::new(self.lengths[0], 10 * self.cables.max(1)),
            FloorMetric::LongestCable => Fraction::new(self.longest, 10u8),
            FloorMetric::Cost => Fraction::new(self.cost, 10_000u32),
            FloorMetric::Power => Fraction::new(self.power_mw, 1000u32),
            FloorMetric::Bundles => Fraction::integer(self.bundles),
        }
    }
    /// Mean length of the cables between cabinets, m. `None` if there are none.
    pub fn average_between(&self) -> Option<Fraction> {
        (self.between > 0).then(|| Fraction::new(self.lengths[1], 10 * self.between))
    }
}

/// `[channel]`: cycles of a hop over it. They are the latency of the router that is left, of the link, and of
/// its length.
pub fn hop_cycles(fabric: &Fabric, topology: &Topology) -> IdVec<ChannelId, u64> {
    let router_latency: Vec<u64> = match fabric.has_router_kinds() {
        true => topology.nodes().map(|node| fabric.router_kind(node).latency_cycles.into()).collect(),
        false => vec![fabric.router.latency_cycles.into(); topology.node_count()],
    };
    let over = |channel: ChannelId| {
        router_latency[topology.source(channel).node.index()]
            + u64::from(link_cycles(fabric, topology, topology.link_of(channel)))
    };
    topology.channels().map(over).collect()
}

/// Cycles over a link: its latency, and that of its length, rounded up.
pub fn link_cycles(fabric: &Fabric, topology: &Topology, link: LinkId) -> u32 {
    let link_type = &fabric.link_types[topology.links()[link].link_type];
    let run =
        u128::from(link_type.per_metre_ps) * u128::from(topology.length(link)) * u128::from(fabric.clock_hz);
    link_type.latency_cycles + run.div_ceil(10 * 1_000_000_000_000) as u32
}
