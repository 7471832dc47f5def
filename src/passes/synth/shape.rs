//! The freedom that a pod leaves: its cubes as orbits of a group of translations, and per OCS the ends that
//! it may join.
//!
//! A wiring that the group keeps is fixed at the canonical cubes. Per OCS it is a matching of canonical
//! ends, with one translation ("shift") per matched pair. In the common pod every OCS has one end on each
//! side and the group moves every cube to every other: one shift per OCS is the whole topology. OCSes that
//! the group carries to each other are wired alike and count as one here. The trivial group leaves
//! arbitrary matchings, so the same data serve the search without symmetry.

use super::action::{Group, GroupAction, SwitchOrbit};
use fabc_base::ids::{BlockId, Id, NodeId, OcsId, PortId};
use fabc_base::random::Stream;
use fabc_model::{CoupleRule, Demand, FacePort, Ocs, PORT_NAMES, Pod};
use petgraph::unionfind::UnionFind;
use std::collections::BTreeMap;

/// A pod under one group.
#[derive(Clone, Debug)]
pub(super) struct PodShape {
    pub(super) group: Group,
    /// The number of elements of the group.
    pub(super) order: usize,
    /// The number of canonical nodes: the chips of the first cube of every orbit.
    pub(super) nodes: usize,
    /// `[canonical node]`: the neighbors that copper joins it to.
    pub(super) mesh: Vec<Vec<usize>>,
    /// The ends of the OCSes. OCSes that the group carries to each other have one entry, that of the first.
    pub(super) switches: Vec<Switch>,
    /// The demand by weight, empty if every pair has weight 1.
    pub(super) planes: Vec<WeightPlane>,
    /// The cuts that no choice of fiber lengths sees.
    pub(super) cuts: Vec<PlaneCut>,
    /// `[orbit][element]`: the cube that it takes.
    orbits: Vec<Vec<BlockId>>,
    chips: usize,
}

/// The pairs that share a part of their weight.
#[derive(Clone, Debug)]
pub(super) struct WeightPlane {
    /// The shared part of the weight.
    pub(super) weight: u64,
    /// `[canonical node][element][word]`: a bit per canonical source.
    pub(super) mask: Vec<u64>,
    /// The number of bits set in the mask.
    pub(super) total: u64,
}

/// A cut that is the same in every cube.
#[derive(Clone, Debug)]
pub(super) struct PlaneCut {
    /// `[canonical node]`: whether it is below the cut.
    pub(super) below: Vec<bool>,
    /// The number of copper channels across it, per element.
    pub(super) copper: u64,
    /// The weight of the pairs across it, from the canonical nodes.
    pub(super) demand: u64,
}

/// The canonical ends of one OCS, and of those that the group carries it to.
#[derive(Clone, Debug)]
pub(super) struct Switch {
    /// The rule which ends may be joined.
    pub(super) rule: CoupleRule,
    /// The canonical face ports, those of side A first.
    pub(super) ends: Vec<FaceEnd>,
    /// The number of ends on side A.
    pub(super) a_count: usize,
    /// The elements of the group that keep the OCS, ascending.
    pub(super) kept_by: Vec<usize>,
    /// The elements of `kept_by` that have order two.
    involutions: Vec<usize>,
}

/// A face port of a canonical cube.
#[derive(Clone, Copy, Debug)]
pub(super) struct FaceEnd {
    /// The canonical node of the port.
    pub(super) node: usize,
    pub(super) port: PortId,
    /// The element that carries the first OCS of the switch to the one of this end.
    carried: usize,
}

/// Joined ends: `a` at cube g with `b` at cube g + shift, for every element g. Both are the same end if a
/// switch without sides joins it to itself by an element of order two. An end without partner is dark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct WiringSlot {
    pub(super) a: Option<usize>,
    pub(super) b: Option<usize>,
    pub(super) shift: usize,
}

/// A wiring as `[OCS]`: its slots.
pub(super) type CandidateWiring = Vec<Vec<WiringSlot>>;

impl PodShape {
    /// The pod under a group.
    pub(super) fn new(demand: &Demand, pod: &Pod, action: GroupAction) -> Self {
        let order = action.group.order();
        let chips = pod.chips_per_cube() as usize;
        let switches = switches(pod, &action);
        let GroupAction { group, orbits, .. } = action;
        let mut shape = Self {
            group,
            order,
            nodes: orbits.len() * chips,
            mesh: mesh(pod, orbits.len()),
            switches,
            planes: Vec::new(),
            cuts: Vec::new(),
            orbits,
            chips,
        };
        if !demand.is_uniform() {
            shape.planes = shape.demand_planes(demand);
        }
        shape.cuts = shape.plane_cuts(pod);
        shape
    }

    /// The demand of the canonical sources, by weight.
    fn demand_planes(&self, demand: &Demand) -> Vec<WeightPlane> {
        let words = self.nodes.div_ceil(64);
        let mut planes: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for source in 0..self.nodes {
            for plane in demand.planes(self.node(source, 0)) {
                let mask = planes
                    .entry(u64::from(plane.weight))
                    .or_insert_with(|| vec![0; self.nodes * self.order * words]);
                for row in 0..self.nodes {
                    for element in 0..self.order {
                        if plane.destinations.contains(self.node(row, element).index()) {
                            mask[(row * self.order + element) * words + source / 64] |= 1 << (source % 64);
                        }
                    }
                }
            }
        }
        let total = |mask: &[u64]| mask.iter().map(|bits| u64::from(bits.count_ones())).sum();
        planes.into_iter().map(|(weight, mask)| WeightPlane { weight, total: total(&mask), mask }).collect()
    }

    /// The cuts between two neighboring planes of chips, through all cubes.
    fn plane_cuts(&self, pod: &Pod) -> Vec<PlaneCut> {
        let words = self.nodes.div_ceil(64);
        let planes =
            (0..3).flat_map(|dimension| (1..pod.cube.dims[dimension]).map(move |plane| (dimension, plane)));
        planes
            .map(|(dimension, plane)| {
                let below: Vec<bool> = (0..self.nodes)
                    .map(|node| pod.coordinates(self.node(node, 0))[dimension] < plane)
                    .collect();
                let apart = |node: usize| {
                    self.mesh[node].iter().filter(|&&to| below[to] != below[node]).count() as u64
                };
                let copper = (0..self.nodes).map(apart).sum();
                let demand = if self.planes.is_empty() {
                    let low = below.iter().filter(|below| **below).count();
                    (2 * low * (self.nodes - low) * self.order) as u64
                } else {
                    let mut sources = vec![0u64; words];
                    (0..self.nodes)
                        .filter(|&node| below[node])
                        .for_each(|node| sources[node / 64] |= 1 << (node % 64));
                    let weight = |plane: &WeightPlane| {
                        let rows = plane.mask.chunks(words).enumerate();
                        let across = rows.map(|(row, bits)| {
                            let flipped = if below[row / self.order] { u64::MAX } else { 0 };
                            bits.iter()
                                .zip(&sources)
                                .map(|(bits, low)| u64::from((bits & (low ^ flipped)).count_ones()))
                                .sum::<u64>()
                        });
                        plane.weight * across.sum::<u64>()
                    };
                    self.planes.iter().map(weight).sum()
                };
                PlaneCut { below, copper, demand }
            })
            .collect()
    }

    /// The weight of all pairs from the canonical nodes, and their number.
    pub(super) fn demand(&self) -> (u64, u64) {
        let pairs = (self.nodes * (self.nodes * self.order - 1)) as u64;
        let weight = self.planes.iter().map(|plane| plane.weight * plane.total).sum();
        (if self.planes.is_empty() { pairs } else { weight }, pairs.max(1))
    }

    /// The image of a canonical node under an element.
    fn node(&self, canonical: usize, element: usize) -> NodeId {
        let cube = self.orbits[canonical / self.chips][element];
        NodeId(cube.0 * self.chips as u32 + (canonical % self.chips) as u32)
    }

    /// The sum of two elements of the group.
    pub(super) fn add(&self, a: usize, b: usize) -> usize {
        self.group.add(a, b)
    }
    /// The inverse of an element.
    pub(super) fn negative(&self, a: usize) -> usize {
        self.group.subtract(0, a)
    }

    /// The two ends of a slot if it carries light. A fiber from a chip to itself carries none.
    pub(super) fn joined(&self, ocs: usize, slot: WiringSlot) -> Option<[usize; 2]> {
        let [a, b] = [slot.a?, slot.b?];
        let ends = &self.switches[ocs].ends;
        (slot.shift != 0 || ends[a].node != ends[b].node).then_some([a, b])
    }

    /// Whether a slot joins a cube to itself.
    pub(super) fn is_inside_cube(&self, ocs: usize, slot: WiringSlot) -> bool {
        let orbit = |end: Option<usize>| end.map(|end| self.switches[ocs].ends[end].node / self.chips);
        slot.shift == 0 && orbit(slot.a) == orbit(slot.b)
    }

    /// A random shift for two ends that lights them, if there is one.
    pub(super) fn random_shift(&self, ocs: usize, a: usize, b: usize, stream: &mut Stream) -> usize {
        let Switch { ends, kept_by, involutions, .. } = &self.switches[ocs];
        let apart = self.group.subtract(ends[a].carried, ends[b].carried);
        match (a == b, ends[a].node == ends[b].node && apart == 0, kept_by.len()) {
            (true, _, _) => involutions.get(stream.below(involutions.len().max(1))).copied().unwrap_or(0),
            (false, true, 1) => 0,
            (false, true, kept) => kept_by[1 + stream.below(kept - 1)],
            // Both ends must come to the same OCS of those that the group carries to each other.
            (false, false, kept) => self.add(apart, kept_by[stream.below(kept)]),
        }
    }

    /// A random wiring with every end joined, as far as the numbers of ends allow.
    pub(super) fn random_wiring(&self, stream: &mut Stream) -> CandidateWiring {
        (0..self.switches.len()).map(|ocs| self.random_slots(ocs, stream)).collect()
    }

    fn random_slots(&self, ocs: usize, stream: &mut Stream) -> Vec<WiringSlot> {
        let switch = &self.switches[ocs];
        let mut shuffled = |shuffled_ends: std::ops::Range<usize>, slots: usize| {
            let mut shuffled_ends: Vec<Option<usize>> = shuffled_ends.map(Some).collect();
            shuffled_ends.resize(slots, None);
            for at in (1..shuffled_ends.len()).rev() {
                shuffled_ends.swap(at, stream.below(at + 1));
            }
            shuffled_ends
        };
        let (a_count, end_count) = (switch.a_count, switch.ends.len());
        let pairs: Vec<[Option<usize>; 2]> = match switch.rule {
            CoupleRule::Sided => {
                let slots = a_count.max(end_count - a_count);
                let b = shuffled(a_count..end_count, slots);
                (0..a_count).map(Some).chain(std::iter::repeat(None)).zip(b).map(|(a, b)| [a, b]).collect()
            }
            CoupleRule::Any => {
                let shuffled_ends = shuffled(0..end_count, end_count);
                // The last of an odd number of ends is joined to itself if the group allows it.
                let partner = |pair: &[Option<usize>]| {
                    pair.get(1).copied().unwrap_or(if switch.involutions.is_empty() { None } else { pair[0] })
                };
                shuffled_ends.chunks(2).map(|pair| [pair[0], partner(pair)]).collect()
            }
        };
        pairs
            .into_iter()
            .map(|[a, b]| WiringSlot {
                a,
                b,
                shift: a.zip(b).map_or(0, |(a, b)| self.random_shift(ocs, a, b, stream)),
            })
            .collect()
    }

    /// Changes one or two slots of an OCS at random. Returns `false` if nothing can change.
    pub(super) fn mutate(&self, ocs: usize, slots: &mut Vec<WiringSlot>, stream: &mut Stream) -> bool {
        let first_index = stream.below(slots.len().max(1));
        let many = slots.len() > 1;
        let Switch { rule, ref kept_by, ref involutions, .. } = self.switches[ocs];
        let re_pair = many && (kept_by.len() == 1 || stream.below(4) == 0);
        if !re_pair {
            let Some(&WiringSlot { a: Some(a), b: Some(b), .. }) = slots.get(first_index) else {
                return false;
            };
            if kept_by.len() == 1 {
                return false;
            }
            // A switch without sides may join an end to itself instead of to the other.
            if rule == CoupleRule::Any && a != b && !involutions.is_empty() && stream.below(3) == 0 {
                let self_joined = |end, stream: &mut Stream| WiringSlot {
                    a: Some(end),
                    b: Some(end),
                    shift: self.random_shift(ocs, end, end, stream),
                };
                slots[first_index] = self_joined(a, stream);
                slots.push(self_joined(b, stream));
                return true;
            }
            slots[first_index].shift = self.random_shift(ocs, a, b, stream);
            return true;
        }
        let second_index = (first_index + 1 + stream.below(slots.len() - 1)) % slots.len();
        let [first, second] = [slots[first_index], slots[second_index]];
        if rule == CoupleRule::Any {
            let self_joined = |slot: WiringSlot| slot.a == slot.b;
            match (self_joined(first), self_joined(second)) {
                // Two ends that were joined to themselves are joined to each other.
                (true, true) => {
                    slots[first_index].b = second.a;
                    slots.swap_remove(second_index);
                    let first_index = if first_index == slots.len() { second_index } else { first_index };
                    self.draw_shift(ocs, &mut slots[first_index], stream);
                }
                (false, false) => {
                    if stream.below(2) == 0 {
                        (slots[first_index].b, slots[second_index].a) = (second.a, first.b);
                    } else {
                        (slots[first_index].b, slots[second_index].b) = (second.b, first.b);
                    }
                    self.draw_shift(ocs, &mut slots[first_index], stream);
                    self.draw_shift(ocs, &mut slots[second_index], stream);
                }
                _ => {
                    let (lone_index, pair_index) = if self_joined(first) {
                        (first_index, second_index)
                    } else {
                        (second_index, first_index)
                    };
                    let end = slots[lone_index].a;
                    let freed = std::mem::replace(&mut slots[pair_index].b, end);
                    slots[lone_index] = WiringSlot { a: freed, b: freed, shift: 0 };
                    self.draw_shift(ocs, &mut slots[lone_index], stream);
                    self.draw_shift(ocs, &mut slots[pair_index], stream);
                }
            }
        } else {
            (slots[first_index].b, slots[second_index].b) = (second.b, first.b);
            for at in [first_index, second_index] {
                self.draw_shift(ocs, &mut slots[at], stream);
            }
        }
        true
    }

    /// Whether an OCS has more than one setting.
    pub(super) fn is_free(&self, ocs: usize) -> bool {
        let Switch { ends, kept_by, .. } = &self.switches[ocs];
        !ends.is_empty() && (kept_by.len() > 1 || ends.len() > 2)
    }

    /// Exchanges the shifts of one slot each of two OCSes. Returns `false` if a shift does not fit the
    /// other slot.
    pub(super) fn swap_shifts(
        &self,
        wiring: &mut CandidateWiring,
        first_ocs: usize,
        second_ocs: usize,
        stream: &mut Stream,
    ) -> bool {
        let (first, second) = (stream.below(wiring[first_ocs].len()), stream.below(wiring[second_ocs].len()));
        let (a, b) = (wiring[first_ocs][first], wiring[second_ocs][second]);
        let (after, before) = (WiringSlot { shift: b.shift, ..a }, WiringSlot { shift: a.shift, ..b });
        // An end that is joined to itself takes elements of order two only.
        let fits = |ocs: usize, slot: WiringSlot| {
            let Switch { ends, kept_by, involutions, .. } = &self.switches[ocs];
            self.joined(ocs, slot).is_some_and(|[a, b]| {
                let apart = self.group.subtract(ends[a].carried, ends[b].carried);
                let meets = kept_by.binary_search(&self.group.subtract(slot.shift, apart)).is_ok();
                meets && (a != b || involutions.contains(&slot.shift))
            })
        };
        if a.shift == b.shift || !fits(first_ocs, after) || !fits(second_ocs, before) {
            return false;
        }
        wiring[first_ocs][first] = after;
        wiring[second_ocs][second] = before;
        true
    }

    fn draw_shift(&self, ocs: usize, slot: &mut WiringSlot, stream: &mut Stream) {
        slot.shift = slot.a.zip(slot.b).map_or(0, |(a, b)| self.random_shift(ocs, a, b, stream));
    }

    /// The number of parts into which a wiring leaves the cubes while one OCS is dark.
    pub(super) fn parts(&self, wiring: &[Vec<WiringSlot>], dark: usize) -> usize {
        let cube = |ocs: usize, end: usize, element: usize| {
            self.switches[ocs].ends[end].node / self.chips * self.order + element
        };
        let mut cubes = UnionFind::<usize>::new(self.orbits.len() * self.order);
        let mut parts = self.orbits.len() * self.order;
        for (ocs, slots) in wiring.iter().enumerate().filter(|&(ocs, _)| ocs != dark) {
            for &slot in slots {
                let Some([a, b]) = self.joined(ocs, slot) else { continue };
                for element in 0..self.order {
                    parts -= usize::from(
                        cubes.union(cube(ocs, a, element), cube(ocs, b, self.add(element, slot.shift))),
                    );
                    if parts == 1 {
                        return 1;
                    }
                }
            }
        }
        parts
    }

    /// The fibers of a wiring, for all cubes.
    pub(super) fn fibers(&self, wiring: &[Vec<WiringSlot>]) -> Vec<[FacePort; 2]> {
        let mut fibers = Vec::new();
        for (ocs, slots) in wiring.iter().enumerate() {
            for &slot in slots {
                let Some([a, b]) = self.joined(ocs, slot) else { continue };
                for element in 0..self.order {
                    let to = self.add(element, slot.shift);
                    // An end that is joined to itself meets every pair of cubes twice.
                    if a != b || element < to {
                        fibers.push([self.face(ocs, a, element), self.face(ocs, b, to)]);
                    }
                }
            }
        }
        fibers
    }

    fn face(&self, ocs: usize, end: usize, element: usize) -> FacePort {
        let FaceEnd { node, port, .. } = self.switches[ocs].ends[end];
        FacePort { cube: self.orbits[node / self.chips][element], node: self.node(node, element), port }
    }
}

/// The canonical ends of all OCSes.
fn switches(pod: &Pod, action: &GroupAction) -> Vec<Switch> {
    let chips = pod.chips_per_cube() as usize;
    let canonical: BTreeMap<BlockId, usize> =
        action.orbits.iter().enumerate().map(|(orbit, cubes)| (cubes[0], orbit)).collect();
    let switch = |SwitchOrbit { carried, kept_by }: SwitchOrbit| {
        let ends_of_side = |faces: fn(&Ocs) -> &[FacePort]| -> Vec<FaceEnd> {
            let ends_of_ocs = |&(ocs, carried): &(OcsId, usize)| {
                let end = |face: &FacePort| {
                    let orbit = canonical.get(&face.cube)?;
                    Some(FaceEnd {
                        node: orbit * chips + face.node.0 as usize % chips,
                        port: face.port,
                        carried,
                    })
                };
                faces(&pod.ocses[ocs]).iter().filter_map(end).collect::<Vec<_>>()
            };
            carried.iter().flat_map(ends_of_ocs).collect()
        };
        let (a, b) = (ends_of_side(|ocs| &ocs.a), ends_of_side(|ocs| &ocs.b));
        let involutions = kept_by
            .iter()
            .copied()
            .filter(|&element| element != 0 && action.group.add(element, element) == 0)
            .collect();
        Switch {
            rule: pod.ocses[carried[0].0].rule,
            a_count: a.len(),
            ends: [a, b].concat(),
            kept_by,
            involutions,
        }
    };
    action.switches(pod).into_iter().map(switch).collect()
}

/// The copper neighbors of every chip of `cubes` cubes, numbered one after the other.
pub(super) fn mesh<T: TryFrom<usize>>(pod: &Pod, cubes: usize) -> Vec<Vec<T>> {
    let dims = pod.cube.dims;
    let chips = pod.chips_per_cube() as usize;
    (0..cubes * chips)
        .map(|node| {
            let position = pod.coordinates(NodeId((node % chips) as u32));
            let mut neighbors = Vec::new();
            for dimension in 0..PORT_NAMES.len() / 2 {
                let mut step = |to: u32| {
                    let mut neighbor = position;
                    neighbor[dimension] = to;
                    neighbors.extend(
                        T::try_from(node / chips * chips + pod.node(BlockId(0), neighbor).0 as usize).ok(),
                    );
                };
                if position[dimension] > 0 {
                    step(position[dimension] - 1);
                }
                if position[dimension] + 1 < dims[dimension] {
                    step(position[dimension] + 1);
                }
            }
            neighbors
        })
        .collect()
}
