//! The freedom that a pod leaves: its cubes as orbits of a group of translations, and per OCS the ends that it may join.
//!
//! Cubes that every OCS treats alike are of one *kind*; a group whose order divides the number of cubes of every kind permutes them freely, kind by
//! kind. A wiring that the group keeps is fixed by what happens at the canonical cubes: OCS by OCS a matching of canonical ends, with one
//! translation ("shift") per matched pair. In the common pod every OCS has one end on each side and all cubes are of one kind: one shift per
//! OCS is the whole topology. The trivial group leaves arbitrary matchings: the same data serve the search without symmetry.

use super::random::Stream;
use crate::ids::{CubeId, Id, NodeId, OcsId, PortId};
use crate::model::{CoupleRule, Demand, FacePort, PORT_NAMES, Pod};
use petgraph::unionfind::UnionFind;
use std::collections::BTreeMap;

/// A pod under one group.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// Orders of the cyclic factors of the group; an element is a mixed radix number, first factor fastest.
    pub(super) factors: Vec<usize>,
    /// Elements of the group.
    pub(super) order: usize,
    /// Canonical nodes: the chips of the first cube of every orbit.
    pub(super) nodes: usize,
    /// Copper neighbours of every canonical node.
    pub(super) mesh: Vec<Vec<usize>>,
    /// What every OCS may join, by OCS.
    pub(super) switches: Vec<Switch>,
    /// The demand; empty where every pair has weight 1.
    pub(super) planes: Vec<Plane>,
    /// Cuts that no choice of fibre lengths sees.
    pub(super) cuts: Vec<Cut>,
    /// Elements of order two.
    involutions: Vec<usize>,
    /// `[orbit][element]`: the cube.
    orbits: Vec<Vec<CubeId>>,
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

/// The canonical ends of one OCS.
#[derive(Clone, Debug)]
pub(super) struct Switch {
    /// Which ends may be joined.
    pub(super) rule: CoupleRule,
    /// Canonical face ports; those of side A first.
    pub(super) ends: Vec<End>,
    /// How many of them are on side A.
    a_count: usize,
}

/// A face port of a canonical cube.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    /// Canonical node.
    pub(super) node: usize,
    port: PortId,
}

/// Ends that are joined: `a` at cube g with `b` at cube g + shift, for every element g. `a` and `b` are the same end where a switch without sides joins
/// it to itself by an element of order two; an end without partner is dark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Slot {
    pub(super) a: Option<usize>,
    pub(super) b: Option<usize>,
    pub(super) shift: usize,
}

/// The slots of every OCS.
pub(super) type Wiring = Vec<Vec<Slot>>;

/// What the OCSes serve of a cube: chip, port, OCS, whether on side B.
type Signature = Vec<(u32, u16, OcsId, bool)>;

/// Cubes by kind: cubes of one kind have the same face ports on the same sides of the same OCSes. Kinds and cubes ascend.
pub(super) fn kinds(pod: &Pod) -> Vec<Vec<CubeId>> {
    let chips = pod.chips_per_cube();
    let mut signatures: Vec<Signature> = vec![Vec::new(); pod.cubes as usize];
    for (id, ocs) in pod.ocses.enumerate() {
        for (faces, side) in [(&ocs.a, false), (&ocs.b, true)] {
            for face in faces {
                signatures[face.cube.0 as usize].push((face.node.0 % chips, face.port.0, id, side));
            }
        }
    }
    let mut kinds: BTreeMap<Signature, Vec<CubeId>> = BTreeMap::new();
    for (cube, mut signature) in signatures.into_iter().enumerate() {
        signature.sort_unstable();
        kinds.entry(signature).or_default().push(CubeId(cube as u32));
    }
    let mut kinds: Vec<Vec<CubeId>> = kinds.into_values().collect();
    kinds.sort_unstable();
    kinds
}

/// The order of the largest group of translations: the greatest common divisor of the numbers of cubes of every kind.
pub(super) fn largest_order(kinds: &[Vec<CubeId>]) -> usize {
    fn gcd(a: usize, b: usize) -> usize {
        if b == 0 { a } else { gcd(b, a % b) }
    }
    kinds.iter().map(Vec::len).fold(0, gcd)
}

impl Shape {
    /// The pod under the group with these factors; its order must divide the number of cubes of every kind.
    pub(super) fn new(demand: &Demand, pod: &Pod, kinds: &[Vec<CubeId>], factors: Vec<usize>) -> Self {
        let order = factors.iter().product();
        let chips = pod.chips_per_cube() as usize;
        // Orbits interleave: element h takes the first cubes of all orbits to the h-th ones, so that cubes in a row move together.
        let orbit = |kind: &Vec<CubeId>, first: usize| (0..order).map(|element| kind[element * (kind.len() / order) + first]).collect();
        let orbits: Vec<Vec<CubeId>> =
            kinds.iter().flat_map(|kind| (0..kind.len() / order).map(|first| orbit(kind, first)).collect::<Vec<_>>()).collect();
        let canonical: BTreeMap<CubeId, usize> = orbits.iter().enumerate().map(|(orbit, cubes)| (cubes[0], orbit)).collect();
        let ends = |faces: &[FacePort]| -> Vec<End> {
            let end = |face: &FacePort| {
                canonical.get(&face.cube).map(|orbit| End { node: orbit * chips + face.node.0 as usize % chips, port: face.port })
            };
            faces.iter().filter_map(end).collect()
        };
        let switches = pod
            .ocses
            .iter()
            .map(|ocs| {
                let (a, b) = (ends(&ocs.a), ends(&ocs.b));
                Switch { rule: ocs.rule, a_count: a.len(), ends: [a, b].concat() }
            })
            .collect();
        let mut shape = Self {
            factors,
            order,
            nodes: orbits.len() * chips,
            mesh: mesh(pod, orbits.len()),
            switches,
            involutions: Vec::new(),
            planes: Vec::new(),
            cuts: Vec::new(),
            orbits,
            chips,
        };
        shape.involutions = (1..order).filter(|&element| shape.add(element, element) == 0).collect();
        if !demand.is_uniform() {
            shape.planes = shape.planes_of(demand);
        }
        shape.cuts = shape.cuts_of(pod);
        shape
    }

    /// Whether the group keeps the demand of the pod.
    pub(super) fn keeps_demand(&self, demand: &Demand, pod: &Pod) -> bool {
        let mut image = vec![NodeId(0); pod.node_count()];
        let mut place = 1;
        self.factors.iter().all(|factor| {
            let generator = place;
            place *= factor;
            for cubes in &self.orbits {
                for (element, cube) in cubes.iter().enumerate() {
                    let to = cubes[self.add(element, generator % self.order)];
                    for local in 0..self.chips as u32 {
                        image[(cube.0 * self.chips as u32 + local) as usize] = NodeId(to.0 * self.chips as u32 + local);
                    }
                }
            }
            demand.is_kept_by(|node| image[node.index()])
        })
    }

    /// The demand of the canonical sources, by weight.
    fn planes_of(&self, demand: &Demand) -> Vec<Plane> {
        let words = self.nodes.div_ceil(64);
        let mut planes: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for source in 0..self.nodes {
            for plane in demand.planes(self.node(source, 0)) {
                let mask = planes.entry(u64::from(plane.weight)).or_insert_with(|| vec![0; self.nodes * self.order * words]);
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

    /// The cuts between two neighbouring planes of chips, through all cubes.
    fn cuts_of(&self, pod: &Pod) -> Vec<Cut> {
        let words = self.nodes.div_ceil(64);
        let planes = (0..3).flat_map(|dimension| (1..pod.cube.dims[dimension]).map(move |plane| (dimension, plane)));
        planes
            .map(|(dimension, plane)| {
                let below: Vec<bool> = (0..self.nodes).map(|node| pod.at(self.node(node, 0))[dimension] < plane).collect();
                let apart = |node: usize| self.mesh[node].iter().filter(|&&to| below[to] != below[node]).count() as u64;
                let copper = (0..self.nodes).map(apart).sum();
                let demand = if self.planes.is_empty() {
                    let low = below.iter().filter(|below| **below).count();
                    (2 * low * (self.nodes - low) * self.order) as u64
                } else {
                    let mut sources = vec![0u64; words];
                    (0..self.nodes).filter(|&node| below[node]).for_each(|node| sources[node / 64] |= 1 << (node % 64));
                    let weight = |plane: &Plane| {
                        let rows = plane.mask.chunks(words).enumerate();
                        let across = rows.map(|(row, bits)| {
                            let other = if below[row / self.order] { u64::MAX } else { 0 };
                            bits.iter().zip(&sources).map(|(bits, low)| u64::from((bits & (low ^ other)).count_ones())).sum::<u64>()
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
        self.combine(a, b, |a, b, order| (a + b) % order)
    }
    /// The inverse of an element.
    pub(super) fn negative(&self, a: usize) -> usize {
        self.combine(0, a, |a, b, order| (a + order - b) % order)
    }
    fn combine(&self, mut a: usize, mut b: usize, digit: impl Fn(usize, usize, usize) -> usize) -> usize {
        let (mut place, mut result) = (1, 0);
        for &order in &self.factors {
            result += place * digit(a % order, b % order, order);
            (a, b, place) = (a / order, b / order, place * order);
        }
        result
    }

    /// The two ends of a slot that carries light; a fibre from a chip to itself carries none.
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
        let ends = &self.switches[ocs].ends;
        match (a == b, ends[a].node == ends[b].node, self.order) {
            (true, _, _) => self.involutions.get(stream.below(self.involutions.len().max(1))).copied().unwrap_or(0),
            (false, true, 1) => 0,
            (false, true, order) => 1 + stream.below(order - 1),
            (false, false, order) => stream.below(order),
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
                let partner =
                    |pair: &[Option<usize>]| pair.get(1).copied().unwrap_or(if self.involutions.is_empty() { None } else { pair[0] });
                ends.chunks(2).map(|pair| [pair[0], partner(pair)]).collect()
            }
        };
        pairs.into_iter().map(|[a, b]| Slot { a, b, shift: a.zip(b).map_or(0, |(a, b)| self.random_shift(ocs, [a, b], stream)) }).collect()
    }

    /// Changes one slot or two of an OCS at random; `false` where the OCS leaves nothing to change.
    pub(super) fn mutate(&self, ocs: usize, slots: &mut Vec<Slot>, stream: &mut Stream) -> bool {
        let one = stream.below(slots.len().max(1));
        let many = slots.len() > 1;
        let re_pair = many && (self.order == 1 || stream.below(4) == 0);
        if !re_pair {
            let Some(&Slot { a: Some(a), b: Some(b), .. }) = slots.get(one) else { return false };
            if self.order == 1 {
                return false;
            }
            // A switch without sides may join an end to itself instead of to the other.
            if self.switches[ocs].rule == CoupleRule::Any && a != b && !self.involutions.is_empty() && stream.below(3) == 0 {
                let own = |end, stream: &mut Stream| Slot { a: Some(end), b: Some(end), shift: self.random_shift(ocs, [end, end], stream) };
                slots[one] = own(a, stream);
                slots.push(own(b, stream));
                return true;
            }
            slots[one].shift = self.random_shift(ocs, [a, b], stream);
            return true;
        }
        let other = (one + 1 + stream.below(slots.len() - 1)) % slots.len();
        let [first, second] = [slots[one], slots[other]];
        if self.switches[ocs].rule == CoupleRule::Any {
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
        let ends = self.switches[ocs].ends.len();
        ends > 0 && (self.order > 1 || ends > 2)
    }

    /// Exchanges the shifts of one slot each of two OCSes; `false` where a shift does not fit the other slot.
    pub(super) fn swap_shifts(&self, wiring: &mut Wiring, one: usize, other: usize, stream: &mut Stream) -> bool {
        let (first, second) = (stream.below(wiring[one].len()), stream.below(wiring[other].len()));
        let (a, b) = (wiring[one][first], wiring[other][second]);
        let (after, before) = (Slot { shift: b.shift, ..a }, Slot { shift: a.shift, ..b });
        // An end that is joined to itself takes elements of order two only.
        let fits = |ocs, slot: Slot| self.joined(ocs, slot).is_some_and(|[a, b]| a != b || self.involutions.contains(&slot.shift));
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
        let cube = |ocs: usize, end: usize, element: usize| self.switches[ocs].ends[end].node / self.chips * self.order + element;
        let mut cubes = UnionFind::<usize>::new(self.orbits.len() * self.order);
        let mut parts = self.orbits.len() * self.order;
        for (ocs, slots) in wiring.iter().enumerate().filter(|&(ocs, _)| ocs != dark) {
            for &slot in slots {
                let Some([a, b]) = self.joined(ocs, slot) else { continue };
                for element in 0..self.order {
                    parts -= usize::from(cubes.union(cube(ocs, a, element), cube(ocs, b, self.add(element, slot.shift))));
                    if parts == 1 {
                        return 1;
                    }
                }
            }
        }
        parts
    }

    /// The fibres of a wiring, all cubes.
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
        let End { node, port } = self.switches[ocs].ends[end];
        FacePort { cube: self.orbits[node / self.chips][element], node: self.node(node, element), port }
    }
}

/// Copper neighbours of every chip of `cubes` cubes, numbered one after the other.
pub(super) fn mesh<T: TryFrom<usize>>(pod: &Pod, cubes: usize) -> Vec<Vec<T>> {
    let dims = pod.cube.dims;
    let chips = pod.chips_per_cube() as usize;
    (0..cubes * chips)
        .map(|node| {
            let at = pod.at(NodeId((node % chips) as u32));
            let mut neighbours = Vec::new();
            for dimension in 0..PORT_NAMES.len() / 2 {
                let mut step = |to: u32| {
                    let mut there = at;
                    there[dimension] = to;
                    neighbours.extend(T::try_from(node / chips * chips + pod.node(CubeId(0), there).0 as usize).ok());
                };
                if at[dimension] > 0 {
                    step(at[dimension] - 1);
                }
                if at[dimension] + 1 < dims[dimension] {
                    step(at[dimension] + 1);
                }
            }
            neighbours
        })
        .collect()
}
