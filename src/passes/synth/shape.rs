//! The freedom that a pod leaves: its cubes as orbits of a group of translations, and per OCS the ends that
//! it may join.
//!
//! A wiring that the group keeps is fixed by what happens at the canonical cubes: OCS by OCS a matching of
//! canonical ends, with one translation ("shift") per matched pair. In the common pod every OCS has one end
//! on each side and the group moves every cube to every other: one shift per OCS is the whole topology. OCSes
//! that the group carries to each other are wired alike and stand here as one. The trivial group leaves
//! arbitrary matchings: the same data serve the search without symmetry.

use super::action::{Action, Group, SwitchOrbit};
use fabc_base::ids::{BlockId, Id, NodeId, OcsId, PortId};
use fabc_base::random::Stream;
use fabc_model::{CoupleRule, Demand, FacePort, Ocs, PORT_NAMES, Pod};
use petgraph::unionfind::UnionFind;
use std::collections::BTreeMap;

/// A pod under one group.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// The group.
    pub(super) group: Group,
    /// Elements of the group.
    pub(super) order: usize,
    /// Canonical nodes: the chips of the first cube of every orbit.
    pub(super) nodes: usize,
    /// Copper neighbors of every canonical node.
    pub(super) mesh: Vec<Vec<usize>>,
    /// What every OCS may join, by the first OCS of those that the group carries to each other; by OCS where
    /// it keeps each.
    pub(super) switches: Vec<Switch>,
    /// The demand; empty where every pair has weight 1.
    pub(super) planes: Vec<Plane>,
    /// Cuts that no choice of fiber lengths sees.
    pub(super) cuts: Vec<Cut>,
    /// `[orbit][element]`: the cube.
    orbits: Vec<Vec<BlockId>>,
    chips: usize,
}

/// Pairs that share a part of their weight.
#[derive(Clone, Debug)]
pub(super) struct Plane {
    /// The part.
    pub(super) weight: u64,
    /// `[canonical node][element][word]`: a bit per canonical source.
    pub(super) mask: Vec<u64>,
    /// Bits that are set.
    pub(super) total: u64,
}

/// A cut that is the same in every cube.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    /// Which canonical nodes are below it.
    pub(super) below: Vec<bool>,
    /// Copper channels across it, per element.
    pub(super) copper: u64,
    /// Weight of the pairs across it, from the canonical nodes.
    pub(super) demand: u64,
}

/// The canonical ends of one OCS, and of those that the group carries it to.
#[derive(Clone, Debug)]
pub(super) struct Switch {
    /// Which ends may be joined.
    pub(super) rule: CoupleRule,
    /// Canonical face ports; those of side A first.
    pub(super) ends: Vec<FaceEnd>,
    /// How many of them are on side A.
    pub(super) a_count: usize,
    /// Elements of the group that keep the OCS, ascending.
    pub(super) kept_by: Vec<usize>,
    /// Those of order two.
    involutions: Vec<usize>,
}

/// A face port of a canonical cube.
#[derive(Clone, Copy, Debug)]
pub(super) struct FaceEnd {
    /// Canonical node.
    pub(super) node: usize,
    pub(super) port: PortId,
    /// The element that carries the first OCS of the switch to the one of this end.
    carried: usize,
}

/// Ends that are joined: `a` at cube g with `b` at cube g + shift, for every element g. `a` and `b` are the
/// same end where a switch without sides joins it to itself by an element of order two; an end without
/// partner is dark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Slot {
    pub(super) a: Option<usize>,
    pub(super) b: Option<usize>,
    pub(super) shift: usize,
}

/// The slots of every OCS.
pub(super) type Wiring = Vec<Vec<Slot>>;

impl Shape {
    /// The pod under a group.
    pub(super) fn new(demand: &Demand, pod: &Pod, action: Action) -> Self {
        let order = action.group.order();
        let chips = pod.chips_per_cube() as usize;
        let switches = switches(pod, &action);
        let Action { group, orbits, .. } = action;
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
            shape.planes = shape.planes_of(demand);
        }
        shape.cuts = shape.cuts_of(pod);
        shape
    }

    /// The demand of the canonical sources, by weight.
    fn planes_of(&self, demand: &Demand) -> Vec<Plane> {
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
        planes.into_iter().map(|(weight, mask)| Plane { weight, total: total(&mask), mask }).collect()
    }

    /// The cuts between two neighboring planes of chips, through all cubes.
    fn cuts_of(&self, pod: &Pod) -> Vec<Cut> {
        let words = self.nodes.div_ceil(64);
        let planes =
            (0..3).flat_map(|dimension| (1..pod.cube.dims[dimension]).map(move |plane| (dimension, plane)));
        planes
            .map(|(dimension, plane)| {
                let below: Vec<bool> =
                    (0..self.nodes).map(|node| pod.at(self.node(node, 0))[dimension] < plane).collect();
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
                    let weight = |plane: &Plane| {
                        let rows = plane.mask.chunks(words).enumerate();
                        let across = rows.map(|(row, bits)| {
                            let other = if below[row / self.order] { u64::MAX } else { 0 };
                            bits.iter()
                                .zip(&sources)
                                .map(|(bits, low)| u64::from((bits & (low ^ other)).count_ones()))
                                .sum::<u64>()
                        });
                        plane.weight * across.sum::<u64>()
                    };
                    self.planes.iter().map(weight).sum()
                };
                Cut { below, copper, demand }
            })
            .collect()
    }

    /// Weight of all pairs from the canonical nodes, and their number.
    pub(super) fn demand(&self) -> (u64, u64) {
        let pairs = (self.nodes * (self.nodes * self.order - 1)) as u64;
        let weight = self.planes.iter().map(|plane| plane.weight * plane.total).sum();
        (if self.planes.is_empty() { pairs } else { weight }, pairs.max(1))
    }

    /// A canonical node under an element.
    fn node(&self, canonical: usize, element: usize) -> NodeId {
        let cube = self.orbits[canonical / self.chips][element];
        NodeId(cube.0 * self.chips as u32 + (canonical % self.chips) as u32)
    }

    /// The sum of two elements.
    pub(super) fn add(&self, a: usize, b: usize) -> usize {
        self.group.add(a, b)
    }
    /// The inverse of an element.
    pub(super) fn negative(&self, a: usize) -> usize {
        self.group.subtract(0, a)
    }

    /// The two ends of a slot that carries light; a fiber from a chip to itself carries none.
    pub(super) fn joined(&self, ocs: usize, slot: Slot) -> Option<[usize; 2]> {
        let [a, b] = [slot.a?, slot.b?];
        let ends = &self.switches[ocs].ends;
        (slot.shift != 0 || ends[a].node != ends[b].node).then_some([a, b])
    }

    /// Whether a slot joins a cube to itself.
    pub(super) fn inside(&self, ocs: usize, slot: Slot) -> bool {
        let orbit = |end: Option<usize>| end.map(|end| self.switches[ocs].ends[end].node / self.chips);
        slot.shift == 0 && orbit(slot.a) == orbit(slot.b)
    }

    /// A shift for these ends that lights them, if there is one.
    pub(super) fn random_shift(&self, ocs: usize, [a, b]: [usize; 2], stream: &mut Stream) -> usize {
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

    /// A wiring with every end joined, as far as the numbers of ends allow.
    pub(super) fn random_wiring(&self, stream: &mut Stream) -> Wiring {
        (0..self.switches.len()).map(|ocs| self.random_slots(ocs, stream)).collect()
    }

    fn random_slots(&self, ocs: usize, stream: &mut Stream) -> Vec<Slot> {
        let switch = &self.switches[ocs];
        let mut shuffled = |ends: std::ops::Range<usize>, slots: usize| {
            let mut ends: Vec<Option<usize>> = ends.map(Some).collect();
            ends.resize(slots, None);
            for at in (1..ends.len()).rev() {
                ends.swap(at, stream.below(at + 1));
            }
            ends
        };
        let (a_count, all) = (switch.a_count, switch.ends.len());
        let pairs: Vec<[Option<usize>; 2]> = match switch.rule {
            CoupleRule::Sided => {
                let slots = a_count.max(all - a_count);
                let b = shuffled(a_count..all, slots);
                (0..a_count).map(Some).chain(std::iter::repeat(None)).zip(b).map(|(a, b)| [a, b]).collect()
            }
            CoupleRule::Any => {
                let ends = shuffled(0..all, all);
                // The last of an odd number of ends is joined to itself where the group can.
                let partner = |pair: &[Option<usize>]| {
                    pair.get(1).copied().unwrap_or(if switch.involutions.is_empty() { None } else { pair[0] })
                };
                ends.chunks(2).map(|pair| [pair[0], partner(pair)]).collect()
            }
        };
        pairs
            .into_iter()
            .map(|[a, b]| Slot {
                a,
                b,
                shift: a.zip(b).map_or(0, |(a, b)| self.random_shift(ocs, [a, b], stream)),
            })
            .collect()
    }

    /// Changes one slot or two of an OCS at random; `false` where the OCS leaves nothing to change.
    pub(super) fn mutate(&self, ocs: usize, slots: &mut Vec<Slot>, stream: &mut Stream) -> bool {
        let one = stream.below(slots.len().max(1));
        let many = slots.len() > 1;
        let Switch { rule, ref kept_by, ref involutions, .. } = self.switches[ocs];
        let re_pair = many && (kept_by.len() == 1 || stream.below(4) == 0);
        if !re_pair {
            let Some(&Slot { a: Some(a), b: Some(b), .. }) = slots.get(one) else { return false };
            if kept_by.len() == 1 {
                return false;
            }
            // A switch without sides may join an end to itself instead of to the other.
            if rule == CoupleRule::Any && a != b && !involutions.is_empty() && stream.below(3) == 0 {
                let own = |end, stream: &mut Stream| Slot {
                    a: Some(end),
                    b: Some(end),
                    shift: self.random_shift(ocs, [end, end], stream),
                };
                slots[one] = own(a, stream);
                slots.push(own(b, stream));
                return true;
            }
            slots[one].shift = self.random_shift(ocs, [a, b], stream);
            return true;
        }
        let other = (one + 1 + stream.below(slots.len() - 1)) % slots.len();
        let [first, second] = [slots[one], slots[other]];
        if rule == CoupleRule::Any {
            let own = |slot: Slot| slot.a == slot.b;
            match (own(first), own(second)) {
                // Two ends that were joined to themselves are joined to each other.
                (true, true) => {
                    slots[one].b = second.a;
                    slots.swap_remove(other);
                    let one = if one == slots.len() { other } else { one };
                    self.shift_anew(ocs, &mut slots[one], stream);
                }
                (false, false) => {
                    if stream.below(2) == 0 {
                        (slots[one].b, slots[other].a) = (second.a, first.b);
                    } else {
                        (slots[one].b, slots[other].b) = (second.b, first.b);
                    }
                    self.shift_anew(ocs, &mut slots[one], stream);
                    self.shift_anew(ocs, &mut slots[other], stream);
                }
                _ => {
                    let (lone, pair) = if own(first) { (one, other) } else { (other, one) };
                    let end = slots[lone].a;
                    let freed = std::mem::replace(&mut slots[pair].b, end);
                    slots[lone] = Slot { a: freed, b: freed, shift: 0 };
                    self.shift_anew(ocs, &mut slots[lone], stream);
                    self.shift_anew(ocs, &mut slots[pair], stream);
                }
            }
        } else {
            (slots[one].b, slots[other].b) = (second.b, first.b);
            for at in [one, other] {
                self.shift_anew(ocs, &mut slots[at], stream);
            }
        }
        true
    }

    /// Whether an OCS can be set in more than one way.
    pub(super) fn is_free(&self, ocs: usize) -> bool {
        let Switch { ends, kept_by, .. } = &self.switches[ocs];
        !ends.is_empty() && (kept_by.len() > 1 || ends.len() > 2)
    }

    /// Exchanges the shifts of one slot each of two OCSes; `false` where a shift does not fit the other slot.
    pub(super) fn swap_shifts(
        &self,
        wiring: &mut Wiring,
        one: usize,
        other: usize,
        stream: &mut Stream,
    ) -> bool {
        let (first, second) = (stream.below(wiring[one].len()), stream.below(wiring[other].len()));
        let (a, b) = (wiring[one][first], wiring[other][second]);
        let (after, before) = (Slot { shift: b.shift, ..a }, Slot { shift: a.shift, ..b });
        // An end that is joined to itself takes elements of order two only.
        let fits = |ocs: usize, slot: Slot| {
            let Switch { ends, kept_by, involutions, .. } = &self.switches[ocs];
            self.joined(ocs, slot).is_some_and(|[a, b]| {
                let apart = self.group.subtract(ends[a].carried, ends[b].carried);
                let meets = kept_by.binary_search(&self.group.subtract(slot.shift, apart)).is_ok();
                meets && (a != b || involutions.contains(&slot.shift))
            })
        };
        if a.shift == b.shift || !fits(one, after) || !fits(other, before) {
            return false;
        }
        wiring[one][first] = after;
        wiring[other][second] = before;
        true
    }

    fn shift_anew(&self, ocs: usize, slot: &mut Slot, stream: &mut Stream) {
        slot.shift = slot.a.zip(slot.b).map_or(0, |(a, b)| self.random_shift(ocs, [a, b], stream));
    }

    /// In how many parts a wiring leaves the cubes while one OCS is dark.
    pub(super) fn parts(&self, wiring: &[Vec<Slot>], dark: usize) -> usize {
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

    /// The fibers of a wiring, all cubes.
    pub(super) fn fibers(&self, wiring: &[Vec<Slot>]) -> Vec<[FacePort; 2]> {
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
fn switches(pod: &Pod, action: &Action) -> Vec<Switch> {
    let chips = pod.chips_per_cube() as usize;
    let canonical: BTreeMap<BlockId, usize> =
        action.orbits.iter().enumerate().map(|(orbit, cubes)| (cubes[0], orbit)).collect();
    let switch = |SwitchOrbit { carried, kept_by }: SwitchOrbit| {
        let ends = |faces: fn(&Ocs) -> &[FacePort]| -> Vec<FaceEnd> {
            let of = |&(ocs, carried): &(OcsId, usize)| {
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
            carried.iter().flat_map(of).collect()
        };
        let (a, b) = (ends(|ocs| &ocs.a), ends(|ocs| &ocs.b));
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

/// Copper neighbors of every chip of `cubes` cubes, numbered one after the other.
pub(super) fn mesh<T: TryFrom<usize>>(pod: &Pod, cubes: usize) -> Vec<Vec<T>> {
    let dims = pod.cube.dims;
    let chips = pod.chips_per_cube() as usize;
    (0..cubes * chips)
        .map(|node| {
            let at = pod.at(NodeId((node % chips) as u32));
            let mut neighbors = Vec::new();
            for dimension in 0..PORT_NAMES.len() / 2 {
                let mut step = |to: u32| {
                    let mut there = at;
                    there[dimension] = to;
                    neighbors.extend(
                        T::try_from(node / chips * chips + pod.node(BlockId(0), there).0 as usize).ok(),
                    );
                };
                if at[dimension] > 0 {
                    step(at[dimension] - 1);
                }
                if at[dimension] + 1 < dims[dimension] {
                    step(at[dimension] + 1);
                }
            }
            neighbors
        })
        .collect()
}
