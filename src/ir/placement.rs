//! Where routers stand, and what the cables between them come to.

use super::{End, Fraction, LinkClass, Topology};
use fabc_base::algebra::Plane;
use fabc_base::ids::{Id, IdVec, LinkId, LinkTypeId, NodeId, OcsId};
use fabc_model::{Bundles, Clustering, Fabric, Family, Floor, FloorMetric, LinkType};
use std::collections::{BTreeMap, BTreeSet};

/// Which router stands in which cabinet, which switch in which rack, and where those stand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placement {
    /// `[router]`: its cabinet.
    pub cabinet_of: Vec<u32>,
    /// `[OCS]`: its rack, a cabinet like the others; empty in a network.
    pub rack_of: Vec<u32>,
    /// `[cabinet]`: row and column.
    pub place_of: Vec<[u32; 2]>,
}

/// What a cable is plugged into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Plug {
    /// A port of a router.
    Router(End),
    /// A port of a switch: the side that has the port, 0 or 1, and its index there.
    Switch(OcsId, usize, u32),
}

/// A cable as it is cut and laid: of a network every link is one; in a pod the copper of the cubes, and from
/// every face port a fiber to its switch, be it lit or not.
#[derive(Clone, Copy, Debug)]
pub struct Cable {
    /// Its ends; of a fiber of a pod the chip, then the switch.
    pub ends: [Plug; 2],
    /// Which declared link it is.
    pub link_type: LinkTypeId,
    /// Its length, 0.1 m.
    pub length: u32,
    /// The link that runs over it; `None` for a fiber that is dark.
    pub link: Option<LinkId>,
}

/// What the cables of a floor come to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FloorMetrics {
    /// Cables between routers, and in a pod those to its switches.
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
    /// Cables in bundles, and in the widest of them.
    pub bundled: [u64; 2],
    /// Where clusters of a projective plane stand together: how its points are joined.
    pub clusters: Option<Clusters>,
    /// Declared links in use, by id: cables of each, and their length, 0.1 m.
    pub by_type: Vec<(LinkTypeId, u64, u64)>,
}

/// Clusters of the points of a projective plane, and the pairs of points that links join.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clusters {
    /// How many there are.
    pub count: u64,
    /// Pairs within a cluster.
    pub inside: u64,
    /// Pairs of a quadric and another point.
    pub to_quadrics: u64,
    /// Pairs between other clusters.
    pub between: u64,
}

impl Clusters {
    /// Of a fabric whose floor has them.
    fn of(fabric: &Fabric, floor: &Floor, topology: &Topology) -> Option<Self> {
        let [q, size] = fabric.family()?.plane().filter(|_| floor.clustering == Clustering::ByCluster)?;
        let cluster_of = Plane::new(q).clusters();
        let point = |end: End| end.node.0 / size;
        let pairs = topology.links().iter().map(|link| [point(link.a), point(link.b)]);
        let pairs: BTreeSet<[u32; 2]> =
            pairs.filter(|[a, b]| a != b).map(|[a, b]| [a.min(b), a.max(b)]).collect();
        let count = u64::from(cluster_of.iter().copied().max().unwrap_or(0)) + 1;
        let mut all = Self { count, inside: 0, to_quadrics: 0, between: 0 };
        for pair in pairs {
            let [one, other] = pair.map(|point| cluster_of[point as usize]);
            *(if one == other {
                &mut all.inside
            } else if one == 0 || other == 0 {
                &mut all.to_quadrics
            } else {
                &mut all.between
            }) += 1;
        }
        Some(all)
    }
}

impl Placement {
    /// Length of a cable between two routers, 0.1 m.
    pub fn length(&self, floor: &Floor, ends: [NodeId; 2]) -> u32 {
        let [one, other] = ends.map(|end| self.cabinet_of[end.index()]);
        if one == other { floor.inside } else { self.between(floor, one, other) }
    }
    /// The cabinet of a plug.
    pub fn cabinet(&self, plug: Plug) -> u32 {
        match plug {
            Plug::Router(end) => self.cabinet_of[end.node.index()],
            Plug::Switch(ocs, ..) => self.rack_of[ocs.index()],
        }
    }
    /// Length of the way between two chips of a pod, 0.1 m: of the copper within a cube, or of both fibers
    /// and the switch between them.
    pub fn way(&self, floor: &Floor, ends: [NodeId; 2], through: Option<OcsId>) -> u32 {
        let Some(ocs) = through else { return self.length(floor, ends) };
        ends.iter()
            .map(|end| self.between(floor, self.cabinet_of[end.index()], self.rack_of[ocs.index()]))
            .sum()
    }
    /// All cables that are laid: those of links by link, then the fibers of a pod by switch, side and port.
    pub fn laid(&self, fabric: &Fabric, floor: &Floor, topology: &Topology) -> Vec<Cable> {
        let of_pod = fabric.pod();
        let direct = topology
            .links()
            .enumerate()
            .filter(|(_, link)| of_pod.is_none() || link.class == LinkClass::Local);
        let mut all: Vec<Cable> = direct
            .map(|(id, link)| Cable {
                ends: [link.a, link.b].map(Plug::Router),
                link_type: link.link_type,
                length: topology.length(id),
                link: Some(id),
            })
            .collect();
        for (ocs, of) in of_pod.iter().flat_map(|pod| pod.ocses.enumerate()) {
            let sides = [&of.a, &of.b].into_iter().enumerate();
            for (side, at, face) in
                sides.flat_map(|(side, faces)| (0u32..).zip(faces).map(move |(at, face)| (side, at, face)))
            {
                let length =
                    self.between(floor, self.cabinet_of[face.node.index()], self.rack_of[ocs.index()]);
                let chip = Plug::Router(End { node: face.node, port: face.port });
                let link = topology.outgoing(face.node, face.port).map(|channel| topology.link_of(channel));
                all.push(Cable {
                    ends: [chip, Plug::Switch(ocs, side, at)],
                    link_type: of.link,
                    length,
                    link,
                });
            }
        }
        all
    }
    /// `[rack]`, by cabinet: its switches, ascending; nothing for other cabinets.
    pub fn switches(&self) -> Vec<Vec<OcsId>> {
        let mut all = vec![Vec::new(); self.place_of.len()];
        self.rack_of.iter().enumerate().for_each(|(ocs, &rack)| all[rack as usize].push(OcsId::new(ocs)));
        all
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
            let by_length = |by: &fabc_model::ByLength| {
                let fitting = by.up_to.iter().find(|&&(_, most)| length <= most).map(|&(link, _)| link);
                fitting.or(by.beyond)
            };
            (length, floor.by_length.as_ref().map_or(Some(link.link_type), by_length))
        };
        topology.links().iter().map(cable).collect()
    }
}

/// The two cabinets, or groups, whose cables share a bundle; `None` where a cable runs inside one.
pub fn bundle(fabric: &Fabric, floor: &Floor, placement: &Placement, ends: [Plug; 2]) -> Option<[u32; 2]> {
    let by_group = floor.bundles == Bundles::ByGroup;
    let group = fabric.family().filter(|_| by_group).and_then(Family::group_size);
    let of = |plug: Plug| match (plug, group) {
        (Plug::Router(end), Some(size)) => end.node.0 / size,
        _ => placement.cabinet(plug),
    };
    let [one, other] = ends.map(of);
    (one != other).then_some([one.min(other), one.max(other)])
}

impl FloorMetrics {
    /// Adds up the cables that are laid for a topology; of a network it has their lengths.
    pub fn of(fabric: &Fabric, floor: &Floor, placement: &Placement, topology: &Topology) -> Self {
        let mut all = Self {
            cables: 0,
            between: 0,
            lengths: [0; 2],
            longest: 0,
            cost: 0,
            power_mw: 0,
            bundles: 0,
            bundled: [0; 2],
            clusters: Clusters::of(fabric, floor, topology),
            by_type: Vec::new(),
        };
        let mut bundles: BTreeMap<[u32; 2], u64> = BTreeMap::new();
        let mut by_type: BTreeMap<LinkTypeId, (u64, u64)> = BTreeMap::new();
        for Cable { ends, link_type, length, .. } in placement.laid(fabric, floor, topology) {
            let of: &LinkType = &fabric.link_types[link_type];
            all.cables += 1;
            all.lengths[0] += u64::from(length);
            all.longest = all.longest.max(length);
            if placement.cabinet(ends[0]) != placement.cabinet(ends[1]) {
                all.between += 1;
                all.lengths[1] += u64::from(length);
            }
            let [once, per_metre] = of.cost.map(u128::from);
            all.cost += 10 * (once + u128::from(floor.install)) + per_metre * u128::from(length);
            all.power_mw += of.power_mw;
            bundle(fabric, floor, placement, ends)
                .into_iter()
                .for_each(|pair| *bundles.entry(pair).or_default() += 1);
            let (cables, metres) = by_type.entry(link_type).or_default();
            (*cables, *metres) = (*cables + 1, *metres + u64::from(length));
        }
        let by_type = by_type.into_iter().map(|(of, (cables, length))| (of, cables, length)).collect();
        let bundled = [bundles.values().sum(), bundles.values().copied().max().unwrap_or(0)];
        Self { bundles: bundles.len() as u64, bundled, by_type, ..all }
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

/// `[link]`: cycles of a hop over it: of the router that is left, of the link, and of its length.
pub fn hop_cycles(fabric: &Fabric, topology: &Topology) -> IdVec<LinkId, u64> {
    let through_router = u64::from(fabric.router.latency_cycles);
    topology
        .links()
        .ids()
        .map(|link| through_router + u64::from(link_cycles(fabric, topology, link)))
        .collect()
}

/// Cycles over a link: its latency, and that of its length, rounded up.
pub fn link_cycles(fabric: &Fabric, topology: &Topology, link: LinkId) -> u32 {
    let link_type = &fabric.link_types[topology.links()[link].link_type];
    let run =
        u128::from(link_type.per_metre_ps) * u128::from(topology.length(link)) * u128::from(fabric.clock_hz);
    link_type.latency_cycles + run.div_ceil(10 * 1_000_000_000_000) as u32
}
