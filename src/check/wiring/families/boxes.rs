//! The rule of boxes of GPUs: every part is written down with what it belongs to, and two parts are joined as
//! their box, their rail or their digits say. Nothing here computes the id of a neighbor.

use super::clos::DigitTiers;
use crate::wiring::rule::FamilyRule;
use fabc_base::ids::{ChannelId, Id, LinkTypeId, NodeId, PortId};
use fabc_ir::{End, LinkClass, Topology};
use fabc_model::{Attach, BoxKind, Boxes, Outside};
use std::collections::BTreeMap;

/// A part of the network with all that decides its links.
enum Part {
    /// A GPU or a switch in a box. Parts of a box are counted with the GPUs first.
    Inside { place: usize, part: u32 },
    /// A switch outside, by its plane and its number there.
    Outside { plane: u32, switch: u32 },
}

/// The parts of all boxes and planes, by id.
pub(super) struct BoxRule<'a> {
    kinds: Vec<&'a BoxKind>,
    parts: Vec<Part>,
    /// `[gpu]`: the leaves of its NICs within a plane.
    leaves: Vec<Vec<u32>>,
    /// By leaf: the number of its NICs, which is the same in each plane.
    nics: BTreeMap<u32, u32>,
    outside: Option<&'a Outside>,
    tiers: Option<DigitTiers>,
}

impl<'a> BoxRule<'a> {
    pub(super) fn new(boxes: &'a Boxes) -> Self {
        let runs = boxes.placed.iter().map(|run| (&boxes.kinds[run.kind], run.count as usize));
        let kinds: Vec<&BoxKind> = runs.flat_map(|(kind, count)| std::iter::repeat_n(kind, count)).collect();
        let outside = boxes.outside.as_ref();
        let mut parts = Vec::new();
        for (place, kind) in kinds.iter().enumerate() {
            parts.extend((0..kind.gpus).map(|part| Part::Inside { place, part }));
        }
        for (place, kind) in kinds.iter().enumerate() {
            let switches = kind.gpus..kind.gpus + kind.switches.len() as u32;
            parts.extend(switches.map(|part| Part::Inside { place, part }));
        }
        let tiers = outside.and_then(|outside| outside.upper.as_ref()).map(DigitTiers::new);
        if let Some(outside) = outside {
            let size = tiers.as_ref().map_or(outside.leaves, |tiers| tiers.routers() as u32);
            for plane in 0..outside.planes {
                parts.extend((0..size).map(|switch| Part::Outside { plane, switch }));
            }
        }
        let leaves = outside.map_or_else(Vec::new, |outside| leaves_of_gpus(&kinds, outside));
        let mut nics = BTreeMap::new();
        for &leaf in leaves.iter().flatten() {
            *nics.entry(leaf).or_default() += 1;
        }
        Self { kinds, parts, leaves, nics, outside, tiers }
    }

    /// The number of links between two parts of one box, and their declared link. `None` without a link, and
    /// where links differ.
    fn inner(&self, place: usize, from: u32, to: u32) -> Option<(u32, LinkTypeId)> {
        let between = |gpu: u32, other: u32| [gpu, other] == [from, to] || [gpu, other] == [to, from];
        let mut links = self.kinds[place].links.iter().filter(|link| between(link.gpu, link.other));
        let first = links.next()?.link;
        let mut copies = 1;
        for link in links {
            if link.link != first {
                return None;
            }
            copies += 1;
        }
        Some((copies, first))
    }

    /// The number of cables between two parts, their class and their declared link.
    fn joining(&self, from: u32, to: u32) -> Option<(u32, LinkClass, LinkTypeId)> {
        match (self.parts.get(from as usize)?, self.parts.get(to as usize)?) {
            (&Part::Inside { place, part }, &Part::Inside { place: other, part: to }) => {
                let (copies, link) = self.inner(place, part, to).filter(|_| place == other)?;
                Some((copies, LinkClass::Local, link))
            }
            (Part::Outside { .. }, Part::Inside { .. }) => self.joining(to, from),
            (&Part::Inside { place, .. }, &Part::Outside { switch, .. }) => {
                let leaves = self.leaves.get(from as usize)?;
                let copies = leaves.iter().filter(|&&leaf| leaf == switch).count() as u32;
                (copies > 0).then_some((copies, LinkClass::Global, self.kinds[place].nic_link?))
            }
            (&Part::Outside { plane, switch }, &Part::Outside { plane: other, switch: to }) => {
                let tiers = self.tiers.as_ref().filter(|_| plane == other)?;
                let (copies, _) = tiers.joined(switch, to)?;
                Some((copies, LinkClass::Global, tiers.link_type(switch, to)?))
            }
        }
    }
}

/// `[gpu]`: the leaves of its NICs within a plane, in the order of the NICs.
fn leaves_of_gpus(kinds: &[&BoxKind], outside: &Outside) -> Vec<Vec<u32>> {
    let mut leaves = Vec::new();
    let mut attached = 0;
    for (place, kind) in kinds.iter().enumerate() {
        let mut of_box = vec![Vec::new(); kind.gpus as usize];
        for (number, &gpu) in kind.nics.iter().enumerate() {
            let leaf = match outside.attach {
                Attach::Box { per_leaf } => attached / per_leaf,
                Attach::Rail { per, leaves } => {
                    let group = place as u32 / per;
                    group * leaves + number as u32 % leaves
                }
            };
            of_box[gpu as usize].push(leaf);
            attached += 1;
        }
        leaves.extend(of_box);
    }
    leaves
}

impl FamilyRule for BoxRule<'_> {
    fn routers(&self) -> usize {
        self.parts.len()
    }

    fn links(&self) -> u64 {
        let inside: u64 = self.kinds.iter().map(|kind| kind.links.len() as u64).sum();
        let planes = self.outside.map_or(0, |outside| u64::from(outside.planes));
        let nics: u64 = self.leaves.iter().map(|leaves| leaves.len() as u64).sum();
        inside + planes * (nics + self.tiers.as_ref().map_or(0, DigitTiers::links))
    }

    fn degree(&self, router: u32) -> u32 {
        match self.parts[router as usize] {
            Part::Inside { place, part } => {
                let ends = self.kinds[place].links.iter().flat_map(|link| [link.gpu, link.other]);
                let planes = self.outside.map_or(0, |outside| outside.planes);
                let nics = self.leaves.get(router as usize).map_or(0, |leaves| leaves.len() as u32);
                ends.filter(|&end| end == part).count() as u32 + nics * planes
            }
            Part::Outside { switch, .. } => {
                let nics = self.nics.get(&switch).copied().unwrap_or(0);
                nics + self.tiers.as_ref().map_or(0, |tiers| tiers.degree(switch))
            }
        }
    }

    fn joined(&self, from: u32, to: u32) -> Option<(u32, LinkClass)> {
        self.joining(from, to).map(|(copies, class, _)| (copies, class))
    }

    fn link_type(&self, from: u32, to: u32) -> Option<LinkTypeId> {
        self.joining(from, to).map(|(.., link)| link)
    }

    fn has_hosts(&self, router: u32) -> bool {
        matches!(self.parts[router as usize], Part::Inside { place, part } if part < self.kinds[place].gpus)
    }

    fn numbers_ports(&self, _class: LinkClass) -> bool {
        true
    }

    /// A GPU has its links in the order of its box, then those of its NICs by plane. Every other part has
    /// them by neighbor. Of parallel links, the first one at one end is the first one at the other end.
    fn misplaced(&self, topology: &Topology, channel: ChannelId) -> Option<String> {
        let (from, to) = (topology.source(channel), topology.target(channel));
        let is_placed = match self.parts[from.node.index()] {
            Part::Inside { place, part } if part < self.kinds[place].gpus => {
                self.follows_box(place, part, from, to.node)
            }
            _ => follows_neighbors(topology, from, to.node),
        };
        let copies =
            [(from, to.node), (to, from.node)].map(|(end, other)| copies_before(topology, end, other));
        if is_placed && copies[0] == copies[1] {
            return None;
        }
        let name = topology.channel_name(channel);
        Some(format!("{name} arrives at port{}, but ports follow the order of boxes and neighbors", to.port))
    }
}

impl BoxRule<'_> {
    /// Whether a port of a GPU leads to the part that its box or its NIC says. `place` is the box of the GPU,
    /// `gpu` its number there.
    fn follows_box(&self, place: usize, gpu: u32, from: End, to: NodeId) -> bool {
        let links = self.kinds[place].links.iter();
        let inner: Vec<u32> = links
            .filter(|link| link.gpu == gpu || link.other == gpu)
            .map(|link| if link.gpu == gpu { link.other } else { link.gpu })
            .collect();
        let port = from.port.index();
        match self.parts[to.index()] {
            Part::Inside { part, .. } => inner.get(port) == Some(&part),
            Part::Outside { plane, switch } => {
                let leaves = &self.leaves[from.node.index()];
                let nic = port.checked_sub(inner.len() + plane as usize * leaves.len());
                nic.and_then(|nic| leaves.get(nic)) == Some(&switch)
            }
        }
    }
}

/// Whether the port before this one leads to a neighbor of lower or equal number.
fn follows_neighbors(topology: &Topology, from: End, to: NodeId) -> bool {
    let Some(port) = from.port.index().checked_sub(1) else { return true };
    let before = topology.outgoing(from.node, PortId::new(port));
    before.is_some_and(|before| topology.target(before).node <= to)
}

/// The number of ports below one that lead to the same neighbor.
fn copies_before(topology: &Topology, end: End, neighbor: NodeId) -> usize {
    let channels = topology.channels_from(end.node);
    channels
        .filter(|&channel| topology.target(channel).node == neighbor)
        .filter(|&channel| topology.source(channel).port < end.port)
        .count()
}
