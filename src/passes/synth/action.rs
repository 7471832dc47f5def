//! Groups that permute the cubes freely: by number within cubes of one kind, and also otherwise if that
//! does not move every cube to every other.
//!
//! Input: a pod. Output: actions of abelian groups that keep the demand and carry every OCS to one that
//! serves the images of its cubes alike. Chips keep their position in the cube.
//!
//! Actions by number keep every OCS in place. The others come from a backtracking search that labels cube
//! after cube with an element. The bond of two cubes (OCSes that serve both, demand between them) may
//! depend only on the difference of their elements. The work is counted. Cost: milliseconds up to 64 cubes,
//! the most that are tried.

use fabc_base::divisors::greatest_common_divisor;
use fabc_base::ids::{BlockId, Id, NodeId, OcsId};
use fabc_model::{Budget, Demand, FacePort, Pod};
use std::collections::BTreeMap;

/// The most cubes for which labels are searched.
const MAX_CUBES: usize = 64;
/// The most labels tried for one group.
const MAX_TRIES: u32 = 50_000;
/// The most actions that are kept.
const MAX_ACTIONS: usize = 3;

/// A finite abelian group: a product of cyclic ones. An element is a mixed radix number, the first factor
/// fastest. 0 is neutral.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Group {
    /// The orders of the cyclic factors.
    pub(super) factors: Vec<usize>,
}

impl Group {
    /// The number of elements of the group.
    pub(super) fn order(&self) -> usize {
        self.factors.iter().product()
    }
    /// The sum of two elements of the group.
    pub(super) fn add(&self, a: usize, b: usize) -> usize {
        self.combine(a, b, |a, b, order| (a + b) % order)
    }
    /// The difference of two elements of the group.
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

    /// Every abelian group of an order, the cyclic one first. Each factor divides the one before it.
    fn abelian_groups(order: usize) -> Vec<Self> {
        fn extend(remaining: usize, last: usize, factors: &mut Vec<usize>, groups: &mut Vec<Group>) {
            if remaining == 1 {
                groups.push(Group { factors: if factors.is_empty() { vec![1] } else { factors.clone() } });
            }
            for factor in (2..=remaining)
                .rev()
                .filter(|factor| remaining.is_multiple_of(*factor) && last.is_multiple_of(*factor))
            {
                factors.push(factor);
                extend(remaining / factor, factor, factors, groups);
                factors.pop();
            }
        }
        let mut groups = Vec::new();
        extend(order, order, &mut Vec::new(), &mut groups);
        groups
    }
}

/// A group and its action on the cubes.
#[derive(Clone, Debug)]
pub(super) struct GroupAction {
    pub(super) group: Group,
    /// `[orbit][element]`: the cube. The group acts freely: every cube is listed once.
    pub(super) orbits: Vec<Vec<BlockId>>,
    /// Whether the action may carry OCSes to others.
    pub(super) moves_switches: bool,
}

impl GroupAction {
    /// The action on cubes by number, kind by kind. The order of the group must divide the number of cubes
    /// of every kind.
    pub(super) fn by_number(kinds: &[Vec<BlockId>], factors: Vec<usize>) -> Self {
        let group = Group { factors };
        let order = group.order();
        // Orbits interleave: element h takes the first cubes of all orbits to the h-th ones, so that
        // consecutive cubes move together.
        let orbit = |kind: &Vec<BlockId>, first: usize| {
            (0..order).map(|element| kind[element * (kind.len() / order) + first]).collect()
        };
        let orbits = kinds
            .iter()
            .flat_map(|kind| (0..kind.len() / order).map(|first| orbit(kind, first)).collect::<Vec<_>>())
            .collect();
        Self { group, orbits, moves_switches: false }
    }

    /// Whether the action keeps the demand of the pod.
    pub(super) fn keeps_demand_of_pod(&self, demand: &Demand, pod: &Pod) -> bool {
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

    /// The OCSes by their orbits under the group.
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
        let mut orbits = Vec::new();
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
            orbits.push(SwitchOrbit { carried: orbit, kept_by: kept });
        }
        orbits
    }
}

/// An orbit of OCSes: the group carries them to each other.
pub(super) struct SwitchOrbit {
    /// Each OCS with the least element that takes the first one to it.
    pub(super) carried: Vec<(OcsId, usize)>,
    /// The elements that keep the first one.
    pub(super) kept_by: Vec<usize>,
}

/// The ports of a cube that OCSes serve: chip, port, OCS, whether on side B.
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

/// Cubes by kind. Cubes of one kind have the same face ports on the same sides of the same OCSes. Kinds and
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

/// The order of the largest group that acts by number: the greatest common divisor of the numbers of cubes
/// of every kind.
pub(super) fn largest_order(kinds: &[Vec<BlockId>]) -> usize {
    kinds.iter().map(Vec::len).fold(0, greatest_common_divisor)
}

/// Actions that move every cube to every other, whatever the numbers of the cubes. Also returns whether the
/// search was cut short (by its work limit or the number of cubes), so that there may be others.
///
/// If the budget tolerates dark OCSes, every OCS stays in place. A fault would break a symmetry that moves
/// its OCS.
pub(super) fn transitive_actions(demand: &Demand, pod: &Pod, budget: &Budget) -> (Vec<GroupAction>, bool) {
    let cubes = pod.cubes as usize;
    if cubes > MAX_CUBES {
        return (Vec::new(), true);
    }
    let moves_switches = budget.faults.dark_ocses() == 0;
    let bonds = bonds(demand, pod, moves_switches);
    // If cubes have different bonds to the others, no action moves one to the other.
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
    let (mut actions, mut cut_short) = (Vec::new(), false);
    for group in Group::abelian_groups(cubes) {
        let mut labels = LabelSearch::new(&bonds, &group);
        match labels.extend() {
            Some(true) => actions.push(GroupAction { orbits: vec![labels.cubes()], group, moves_switches }),
            Some(false) => {}
            None => cut_short = true,
        }
    }
    actions.truncate(MAX_ACTIONS);
    (actions, cut_short)
}

/// `[cube][other]`: a number for the bond of an ordered pair of cubes. Equal numbers mean equal bonds. The
/// diagonal describes the cube itself.
fn bonds(demand: &Demand, pod: &Pod, moves_switches: bool) -> Vec<Vec<u32>> {
    let (cubes, chips) = (pod.cubes as usize, pod.chips_per_cube());
    let signatures = signatures(pod);
    // Per pair of cubes, the pairs of their face ports that one OCS serves.
    let mut shared: Vec<Vec<(u32, u16, u32, u16)>> = vec![Vec::new(); cubes * cubes];
    if moves_switches {
        for ocs in pod.ocses.iter() {
            let faces = || ocs.a.iter().chain(&ocs.b);
            for a in faces() {
                for b in faces() {
                    let pair = (a.node.0 % chips, a.port.0, b.node.0 % chips, b.port.0);
                    shared[a.cube.index() * cubes + b.cube.index()].push(pair);
                }
            }
        }
    }
    // OCSes that move must be alike. Others are the same.
    let cube_signature = |cube: usize| -> Vec<u64> {
        let ocs_signature = |&(chip, port, ocs, side): &(u32, u16, OcsId, bool)| {
            let first = |ocs: OcsId| {
                let alike = |candidate: OcsId| {
                    let (ocs, candidate) = (&pod.ocses[ocs], &pod.ocses[candidate]);
                    (ocs.rule, ocs.link, ocs.duplex) == (candidate.rule, candidate.link, candidate.duplex)
                };
                pod.ocses.ids().find(|&candidate| alike(candidate)).expect("an OCS is like itself")
            };
            [
                u64::from(chip),
                u64::from(port),
                u64::from(side),
                u64::from((if moves_switches { first(ocs) } else { ocs }).0),
            ]
        };
        signatures[cube].iter().flat_map(ocs_signature).collect()
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
    let mut numbers = BTreeMap::new();
    let mut number = |bond| {
        let next = numbers.len() as u32;
        *numbers.entry(bond).or_insert(next)
    };
    let mut row = |cube: usize| {
        let mut bond = |to_cube: usize| {
            let mut shared = std::mem::take(&mut shared[cube * cubes + to_cube]);
            shared.sort_unstable();
            number((
                shared,
                sent(cube, to_cube),
                if cube == to_cube { Some(cube_signature(cube)) } else { None },
            ))
        };
        (0..cubes).map(&mut bond).collect()
    };
    (0..cubes).map(&mut row).collect()
}

/// The elements given to cubes so far, in their order.
struct LabelSearch<'a> {
    bonds: &'a [Vec<u32>],
    group: &'a Group,
    /// `[element]`: the cube that has it.
    cubes: Vec<usize>,
    taken: Vec<bool>,
    /// `[difference]`: the bond between cubes whose elements differ by it, once there are two.
    by_difference: Vec<Option<u32>>,
    tries: u32,
}

impl<'a> LabelSearch<'a> {
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

    /// Gives the remaining elements to the remaining cubes. Returns whether that is possible, or `None` if
    /// the work limit came first.
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
            if self.tries > MAX_TRIES {
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

    /// Whether a cube may have the next element. Records the differences that this cube is the first to
    /// show.
    fn fits(&mut self, cube: usize, learnt: &mut Vec<usize>) -> bool {
        let next = self.cubes.len();
        for element in 0..=next {
            let labelled = self.cubes.get(element).copied().unwrap_or(cube);
            for ((from, cube_here), (to, cube_there)) in
                [((next, cube), (element, labelled)), ((element, labelled), (next, cube))]
            {
                let difference = self.group.subtract(to, from);
                match self.by_difference[difference] {
                    None => {
                        self.by_difference[difference] = Some(self.bonds[cube_here][cube_there]);
                        learnt.push(difference);
                    }
                    Some(known) if known != self.bonds[cube_here][cube_there] => return false,
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
        let factors = |order: usize| {
            Group::abelian_groups(order).into_iter().map(|group| group.factors).collect::<Vec<_>>()
        };
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
            let mut labels = LabelSearch::new(&bonds, &group);
            assert_eq!(labels.extend(), Some(acts), "{group:?}");
        }
    }
}
