//! Groups that permute the cubes freely: by number within cubes of one kind; where that does not move every
//! cube to every other, also otherwise.
//!
//! In: a pod. Out: actions of abelian groups that keep the demand and carry every OCS to one that serves the
//! images of its cubes alike. Chips keep their position in the cube. Actions by number keep every OCS in
//! place; the others are found by labelling cube after cube with an element so that what joins two cubes
//! (OCSes that serve both, what they send each other) depends on the difference of their elements only:
//! backtracking, in counted work. Cost: milliseconds up to 64 cubes, the most that are tried.

use fabc_base::ids::{BlockId, Id, NodeId, OcsId};
use fabc_model::{Budget, Demand, FacePort, Pod};
use std::collections::BTreeMap;

/// Cubes, at most, whose labels are searched.
const MOST_CUBES: usize = 64;
/// Labels that are tried for one group, at most.
const TRIES: u32 = 50_000;
/// Actions that are kept, at most.
const ACTIONS: usize = 3;

/// A finite abelian group: a product of cyclic ones. An element is a mixed radix number, the first factor
/// fastest; 0 is neutral.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Group {
    /// Orders of the cyclic factors.
    pub(super) factors: Vec<usize>,
}

impl Group {
    /// Number of elements.
    pub(super) fn order(&self) -> usize {
        self.factors.iter().product()
    }
    /// The sum of two elements.
    pub(super) fn add(&self, a: usize, b: usize) -> usize {
        self.combine(a, b, |a, b, order| (a + b) % order)
    }
    /// The difference of two elements.
    pub(super) fn subtract(&self, a: usize, b: usize) -> usize {
        self.combine(a, b, |a, b, order| (a + order - b) % order)
    }
    fn combine(&self, mut a: usize, mut b: usize, digit: impl Fn(usize, usize, usize) -> usize) -> usize {
        let (mut place, mut result) = (1, 0);
        for &order in &self.factors {
            result += place * digit(a % order, b % order, order);
            (a, b, place) = (a / order, b / order, place * order);
        }
        result
    }

    /// Every abelian group of an order, the cyclic one first: each factor divides the one before it.
    fn abelian(order: usize) -> Vec<Self> {
        fn extend(left: usize, last: usize, factors: &mut Vec<usize>, found: &mut Vec<Group>) {
            if left == 1 {
                found.push(Group { factors: if factors.is_empty() { vec![1] } else { factors.clone() } });
            }
            for factor in
                (2..=left).rev().filter(|factor| left.is_multiple_of(*factor) && last.is_multiple_of(*factor))
            {
                factors.push(factor);
                extend(left / factor, factor, factors, found);
                factors.pop();
            }
        }
        let mut found = Vec::new();
        extend(order, order, &mut Vec::new(), &mut found);
        found
    }
}

/// A group and what it does to the cubes.
#[derive(Clone, Debug)]
pub(super) struct Action {
    pub(super) group: Group,
    /// `[orbit][element]`: the cube. The group acts freely: every cube stands here once.
    pub(super) orbits: Vec<Vec<BlockId>>,
    /// Whether OCSes may be carried to others.
    pub(super) moves_switches: bool,
}

impl Action {
    /// The action on cubes by number, kind by kind; the order of the group must divide the number of cubes of
    /// every kind.
    pub(super) fn by_number(kinds: &[Vec<BlockId>], factors: Vec<usize>) -> Self {
        let group = Group { factors };
        let order = group.order();
        // Orbits interleave: element h takes the first cubes of all orbits to the h-th ones, so that cubes in
        // a row move together.
        let orbit = |kind: &Vec<BlockId>, first: usize| {
            (0..order).map(|element| kind[element * (kind.len() / order) + first]).collect()
        };
        let orbits = kinds
            .iter()
            .flat_map(|kind| (0..kind.len() / order).map(|first| orbit(kind, first)).collect::<Vec<_>>())
            .collect();
        Self { group, orbits, moves_switches: false }
    }

    /// Whether the demand of the pod is kept.
    pub(super) fn keeps_demand(&self, demand: &Demand, pod: &Pod) -> bool {
        let chips = pod.chips_per_cube();
        let mut image = vec![BlockId(0); pod.cubes as usize];
        let mut generator = 1;
        self.group.factors.iter().all(|factor| {
            for cubes in &self.orbits {
                for (element, cube) in cubes.iter().enumerate() {
                    image[cube.index()] = cubes[self.group.add(element, generator % self.group.order())];
                }
            }
            generator *= factor;
            demand.is_kept_by(|node| NodeId(image[(node.0 / chips) as usize].0 * chips + node.0 % chips))
        })
    }

    /// The OCSes by orbit.
    pub(super) fn switches(&self, pod: &Pod) -> Vec<SwitchOrbit> {
        let order = self.group.order();
        if !self.moves_switches {
            return pod
                .ocses
                .ids()
                .map(|ocs| SwitchOrbit { carried: vec![(ocs, 0)], kept_by: (0..order).collect() })
                .collect();
        }
        let faces = |ocs: OcsId| pod.ocses[ocs].a.iter().chain(&pod.ocses[ocs].b);
        let served: BTreeMap<FacePort, OcsId> =
            pod.ocses.ids().flat_map(|ocs| faces(ocs).map(move |&face| (face, ocs))).collect();
        let mut label = vec![(0, 0); pod.cubes as usize];
        for (orbit, cubes) in self.orbits.iter().enumerate() {
            cubes.iter().enumerate().for_each(|(element, cube)| label[cube.index()] = (orbit, element));
        }
        let image = |ocs: OcsId, by: usize| {
            let face = faces(ocs).next().expect("an OCS serves a cube");
            let (orbit, element) = label[face.cube.index()];
            let cube = self.orbits[orbit][self.group.add(element, by)];
            let node = NodeId(cube.0 * pod.chips_per_cube() + face.node.0 % pod.chips_per_cube());
            served[&FacePort { cube, node, port: face.port }]
        };
        let mut placed = vec![false; pod.ocses.len()];
        let mut found = Vec::new();
        for first in pod.ocses.ids() {
            if placed[first.index()] {
                continue;
            }
            let (mut orbit, mut kept) = (Vec::new(), Vec::new());
            for element in 0..order {
                let ocs = image(first, element);
                if ocs == first {
                    kept.push(element);
                }
                if !std::mem::replace(&mut placed[ocs.index()], true) {
                    orbit.push((ocs, element));
                }
            }
            found.push(SwitchOrbit { carried: orbit, kept_by: kept });
        }
        found
    }
}

/// OCSes that a group carries to each other.
pub(super) struct SwitchOrbit {
    /// Each with the least element that takes the first one to it.
    pub(super) carried: Vec<(OcsId, usize)>,
    /// The elements that keep the first one.
    pub(super) kept_by: Vec<usize>,
}

/// What the OCSes serve of a cube: chip, port, OCS, whether on side B.
type Signature = Vec<(u32, u16, OcsId, bool)>;

fn signatures(pod: &Pod) -> Vec<Signature> {
    let chips = pod.chips_per_cube();
    let mut signatures: Vec<Signature> = vec![Vec::new(); pod.cubes as usize];
    for (id, ocs) in pod.ocses.enumerate() {
        for (faces, side) in [(&ocs.a, false), (&ocs.b, true)] {
            for face in faces {
                signatures[face.cube.0 as usize].push((face.node.0 % chips, face.port.0, id, side));
            }
        }
    }
    signatures.iter_mut().for_each(|signature| signature.sort_unstable());
    signatures
}

/// Cubes by kind: cubes of one kind have the same face ports on the same sides of the same OCSes. Kinds and
/// cubes ascend.
pub(super) fn kinds(pod: &Pod) -> Vec<Vec<BlockId>> {
    let mut kinds: BTreeMap<Signature, Vec<BlockId>> = BTreeMap::new();
    for (cube, signature) in signatures(pod).into_iter().enumerate() {
        kinds.entry(signature).or_default().push(BlockId(cube as u32));
    }
    let mut kinds: Vec<Vec<BlockId>> = kinds.into_values().collect();
    kinds.sort_unstable();
    kinds
}

/// The order of the largest group that acts by number: the greatest common divisor of the numbers of cubes of
/// every kind.
pub(super) fn largest_order(kinds: &[Vec<BlockId>]) -> usize {
    fn gcd(a: usize, b: usize) -> usize {
        if b == 0 { a } else { gcd(b, a % b) }
    }
    kinds.iter().map(Vec::len).fold(0, gcd)
}

/// Actions that move every cube to every other, whatever the numbers of the cubes, and whether the search was
/// cut short (by its work limit or the number of cubes), so that there may be others.
///
/// Where the budget tolerates dark OCSes, every OCS stays in place: a fault would break a symmetry that moves
/// its OCS.
pub(super) fn of_all_cubes(demand: &Demand, pod: &Pod, budget: &Budget) -> (Vec<Action>, bool) {
    let cubes = pod.cubes as usize;
    if cubes > MOST_CUBES {
        return (Vec::new(), true);
    }
    let moves_switches = budget.faults.dark_ocses() == 0;
    let bonds = bonds(demand, pod, moves_switches);
    // Where cubes are joined to the others in different ways, none moves one to the other.
    let profile = |row: &Vec<u32>| {
        let mut profile = row.clone();
        profile.sort_unstable();
        profile
    };
    let alike = (0..cubes)
        .all(|cube| bonds[cube][cube] == bonds[0][0] && profile(&bonds[cube]) == profile(&bonds[0]));
    if !alike {
        return (Vec::new(), false);
    }
    let (mut found, mut cut_short) = (Vec::new(), false);
    for group in Group::abelian(cubes) {
        let mut labels = Labels::new(&bonds, &group);
        match labels.extend() {
            Some(true) => found.push(Action { orbits: vec![labels.cubes()], group, moves_switches }),
            Some(false) => {}
            None => cut_short = true,
        }
    }
    found.truncate(ACTIONS);
    (found, cut_short)
}

/// `[cube][other]`: a number for what joins an ordered pair of cubes; equal numbers, equal bonds. The
/// diagonal says what a cube is.
fn bonds(demand: &Demand, pod: &Pod, moves_switches: bool) -> Vec<Vec<u32>> {
    let (cubes, chips) = (pod.cubes as usize, pod.chips_per_cube());
    let signatures = signatures(pod);
    // Per pair of cubes the pairs of their face ports that one OCS serves.
    let mut shared: Vec<Vec<(u32, u16, u32, u16)>> = vec![Vec::new(); cubes * cubes];
    if moves_switches {
        for ocs in pod.ocses.iter() {
            let faces = || ocs.a.iter().chain(&ocs.b);
            for one in faces() {
                for other in faces() {
                    let pair = (one.node.0 % chips, one.port.0, other.node.0 % chips, other.port.0);
                    shared[one.cube.index() * cubes + other.cube.index()].push(pair);
                }
            }
        }
    }
    // OCSes that are moved must be alike; others are the same.
    let own = |cube: usize| -> Vec<u64> {
        let like = |&(chip, port, ocs, side): &(u32, u16, OcsId, bool)| {
            let first = |ocs: OcsId| {
                let alike = |other: OcsId| {
                    let (ocs, other) = (&pod.ocses[ocs], &pod.ocses[other]);
                    (ocs.rule, ocs.link, ocs.duplex) == (other.rule, other.link, other.duplex)
                };
                pod.ocses.ids().find(|&other| alike(other)).expect("an OCS is like itself")
            };
            [
                u64::from(chip),
                u64::from(port),
                u64::from(side),
                u64::from((if moves_switches { first(ocs) } else { ocs }).0),
            ]
        };
        signatures[cube].iter().flat_map(like).collect()
    };
    let sent = |from: usize, to: usize| -> Vec<u32> {
        if demand.is_uniform() {
            return Vec::new();
        }
        let chips_of = |cube: usize| (cube as u32 * chips..(cube as u32 + 1) * chips).map(NodeId);
        chips_of(from)
            .flat_map(|from| chips_of(to).map(move |to| (from, to)))
            .map(|(from, to)| demand.weight(from, to))
            .collect()
    };
    let mut known = BTreeMap::new();
    let mut number = |bond| {
        let next = known.len() as u32;
        *known.entry(bond).or_insert(next)
    };
    let mut row = |cube: usize| {
        let mut bond = |other: usize| {
            let mut shared = std::mem::take(&mut shared[cube * cubes + other]);
            shared.sort_unstable();
            number((shared, sent(cube, other), if cube == other { Some(own(cube)) } else { None }))
        };
        (0..cubes).map(&mut bond).collect()
    };
    (0..cubes).map(&mut row).collect()
}

/// Elements given to cubes so far, in their order.
struct Labels<'a> {
    bonds: &'a [Vec<u32>],
    group: &'a Group,
    /// `[element]`: the cube.
    cubes: Vec<usize>,
    taken: Vec<bool>,
    /// `[difference]`: the bond between cubes whose elements differ so much, once there are two.
    by_difference: Vec<Option<u32>>,
    tries: u32,
}

impl<'a> Labels<'a> {
    fn new(bonds: &'a [Vec<u32>], group: &'a Group) -> Self {
        let cubes = bonds.len();
        Self {
            bonds,
            group,
            cubes: Vec::new(),
            taken: vec![false; cubes],
            by_difference: vec![None; cubes],
            tries: 0,
        }
    }

    /// Gives the remaining elements to the remaining cubes: whether that can be done, or `None` where the
    /// work limit came first.
    fn extend(&mut self) -> Option<bool> {
        let element = self.cubes.len();
        if element == self.bonds.len() {
            return Some(true);
        }
        // Any cube may have the neutral element, so cube 0 has.
        let choice = if element == 0 { 0..1 } else { 1..self.bonds.len() };
        for cube in choice {
            if self.taken[cube] {
                continue;
            }
            self.tries += 1;
            if self.tries > TRIES {
                return None;
            }
            let mut learnt = Vec::new();
            if self.fits(cube, &mut learnt) {
                self.cubes.push(cube);
                self.taken[cube] = true;
                if self.extend()? {
                    return Some(true);
                }
                self.cubes.pop();
                self.taken[cube] = false;
            }
            learnt.into_iter().for_each(|difference: usize| self.by_difference[difference] = None);
        }
        Some(false)
    }

    /// Whether a cube may have the next element; notes the differences that this is the first to show.
    fn fits(&mut self, cube: usize, learnt: &mut Vec<usize>) -> bool {
        let next = self.cubes.len();
        for element in 0..=next {
            let other = self.cubes.get(element).copied().unwrap_or(cube);
            for ((from, at), (to, there)) in
                [((next, cube), (element, other)), ((element, other), (next, cube))]
            {
                let difference = self.group.subtract(to, from);
                match self.by_difference[difference] {
                    None => {
                        self.by_difference[difference] = Some(self.bonds[at][there]);
                        learnt.push(difference);
                    }
                    Some(known) if known != self.bonds[at][there] => return false,
                    Some(_) => {}
                }
            }
        }
        true
    }

    fn cubes(&self) -> Vec<BlockId> {
        self.cubes.iter().map(|&cube| BlockId(cube as u32)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_abelian_group_is_listed_once() {
        let factors =
            |order: usize| Group::abelian(order).into_iter().map(|group| group.factors).collect::<Vec<_>>();
        assert_eq!(factors(1), [[1]]);
        assert_eq!(factors(6), [[6]]);
        assert_eq!(factors(8), [vec![8], vec![4, 2], vec![2, 2, 2]]);
        assert_eq!(factors(12), [vec![12], vec![6, 2]]);
        assert_eq!(factors(36), [vec![36], vec![18, 2], vec![12, 3], vec![6, 6]]);
        assert_eq!(factors(64).len(), 11);
    }

    /// Cubes in a grid, joined along rows and along columns.
    #[test]
    fn a_grid_of_four_by_four_has_no_cyclic_action_but_a_product() {
        let bond = |one: usize, other: usize| match (one == other, one / 4 == other / 4, one % 4 == other % 4)
        {
            (true, ..) => 0,
            (_, true, _) => 1,
            (_, _, true) => 2,
            _ => 3,
        };
        let bonds: Vec<Vec<u32>> =
            (0..16).map(|one| (0..16).map(|other| bond(one, other)).collect()).collect();
        for (factors, acts) in
            [(vec![16], false), (vec![8, 2], false), (vec![4, 4], true), (vec![4, 2, 2], true)]
        {
            let group = Group { factors };
            let mut labels = Labels::new(&bonds, &group);
            assert_eq!(labels.extend(), Some(acts), "{group:?}");
        }
    }
}
