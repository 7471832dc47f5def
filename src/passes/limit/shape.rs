//! What a cube can be joined to, whatever the switches are set to: the part of a pod that the limit depends on.
//!
//! In: `Pod`. Out: [`Shape`]. Where cubes differ, every cube gets the ports and partners of all of them: that only adds wirings, so a bound
//! for the result holds for the pod.

use crate::ids::NodeId;
use crate::model::{CoupleRule, FacePort, PORT_NAMES, Pod};
use std::collections::{BTreeMap, BTreeSet};

/// A slot is a face port without its cube: (position, port).
pub(super) struct Shape {
    pub(super) dims: [usize; 3],
    pub(super) cubes: u64,
    /// `[slot]`: its position.
    pub(super) position: Vec<usize>,
    /// `[slot]`: index into `partners`.
    pub(super) partners_of: Vec<usize>,
    /// Sets of slots that a slot can be wired to, ascending.
    pub(super) partners: Vec<Vec<usize>>,
    /// Copper links of the pod.
    pub(super) copper: u64,
    /// Fibres of the pod, at most.
    pub(super) fibers: u64,
    /// (position, size of its class): one position of each class under the symmetries of the cube that keep who can be wired to whom.
    pub(super) classes: Vec<(usize, u64)>,
}

impl Shape {
    pub(super) fn new(pod: &Pod) -> Self {
        let dims = pod.cube.dims.map(|dim| dim as usize);
        let chips = pod.chips_per_cube();
        let key = |face: &FacePort| (face.node.0 % chips) as usize * PORT_NAMES.len() + usize::from(face.port.0);
        let mut reach: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let mut fibers = 0;
        for ocs in pod.ocses.iter() {
            let [a, b] = [&ocs.a, &ocs.b].map(|side| side.iter().map(key).collect::<BTreeSet<usize>>());
            match ocs.rule {
                CoupleRule::Sided => {
                    fibers += ocs.a.len().min(ocs.b.len()) as u64;
                    for (from, to) in [(&a, &b), (&b, &a)] {
                        from.iter().for_each(|&slot| reach.entry(slot).or_default().extend(to));
                    }
                }
                CoupleRule::Any => {
                    fibers += ocs.a.len() as u64 / 2;
                    a.iter().for_each(|&slot| reach.entry(slot).or_default().extend(&a));
                }
            }
        }
        // A slot whose switches have nothing on the other side can be wired to nothing.
        reach.retain(|_, partners| !partners.is_empty());
        let keys: Vec<usize> = reach.keys().copied().collect();
        let slot_of: BTreeMap<usize, usize> = keys.iter().enumerate().map(|(slot, &key)| (key, slot)).collect();
        let mut index: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
        let mut partners = Vec::new();
        let mut partners_of = Vec::new();
        for set in reach.values() {
            let set: Vec<usize> = set.iter().map(|key| slot_of[key]).collect();
            partners_of.push(*index.entry(set.clone()).or_insert_with(|| {
                partners.push(set);
                partners.len() - 1
            }));
        }
        let copper_of_cube: usize = (0..3).map(|axis| dims.iter().product::<usize>() / dims[axis] * (dims[axis] - 1)).sum();
        let mut shape = Self {
            dims,
            cubes: u64::from(pod.cubes),
            position: keys.iter().map(|key| key / PORT_NAMES.len()).collect(),
            partners_of,
            partners,
            copper: copper_of_cube as u64 * u64::from(pod.cubes),
            fibers,
            classes: Vec::new(),
        };
        shape.classes = shape.position_classes(pod, &keys, &slot_of);
        shape
    }

    pub(super) fn positions(&self) -> usize {
        self.dims.iter().product()
    }

    pub(super) fn at(&self, position: usize) -> [usize; 3] {
        let [ax, ay, _] = self.dims;
        [position % ax, position / ax % ay, position / (ax * ay)]
    }

    /// The positions by what the symmetries of the cube can map onto each other.
    fn position_classes(&self, pod: &Pod, keys: &[usize], slot_of: &BTreeMap<usize, usize>) -> Vec<(usize, u64)> {
        let maps: Vec<CubeMap> = CubeMap::all(self.dims).filter(|map| self.keeps_partners(pod, map, keys, slot_of)).collect();
        let mut classes: BTreeMap<usize, u64> = BTreeMap::new();
        for position in 0..self.positions() {
            let smallest = maps.iter().map(|map| map.position(pod, self.at(position))).min().expect("the identity is among them");
            *classes.entry(smallest).or_default() += 1;
        }
        classes.into_iter().collect()
    }

    fn keeps_partners(&self, pod: &Pod, map: &CubeMap, keys: &[usize], slot_of: &BTreeMap<usize, usize>) -> bool {
        let image = |slot: usize| {
            let key = keys[slot];
            let (position, port) = (map.position(pod, self.at(key / PORT_NAMES.len())), map.port(key % PORT_NAMES.len()));
            slot_of.get(&(position * PORT_NAMES.len() + port)).copied()
        };
        let Some(images) = (0..keys.len()).map(image).collect::<Option<Vec<usize>>>() else { return false };
        let sets: Vec<Vec<usize>> = self
            .partners
            .iter()
            .map(|set| {
                let mut set: Vec<usize> = set.iter().map(|&slot| images[slot]).collect();
                set.sort_unstable();
                set
            })
            .collect();
        (0..keys.len()).all(|slot| self.partners[self.partners_of[images[slot]]] == sets[self.partners_of[slot]])
    }
}

/// A symmetry of the cube: coordinate `axes[k]`, mirrored or not, becomes coordinate k.
struct CubeMap {
    axes: [usize; 3],
    mirrored: [bool; 3],
    dims: [usize; 3],
}

impl CubeMap {
    fn all(dims: [usize; 3]) -> impl Iterator<Item = CubeMap> {
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let fitting = orders.into_iter().filter(move |axes| (0..3).all(|axis| dims[axes[axis]] == dims[axis]));
        fitting.flat_map(move |axes| (0..8).map(move |bits| CubeMap { axes, mirrored: [0, 1, 2].map(|axis| bits >> axis & 1 == 1), dims }))
    }

    fn position(&self, pod: &Pod, at: [usize; 3]) -> usize {
        let image = [0, 1, 2].map(|axis| {
            let from = at[self.axes[axis]];
            (if self.mirrored[axis] { self.dims[axis] - 1 - from } else { from }) as u32
        });
        let NodeId(node) = pod.node(crate::ids::CubeId(0), image);
        node as usize
    }

    fn port(&self, port: usize) -> usize {
        let axis = (0..3).find(|&axis| self.axes[axis] == port / 2).expect("a permutation");
        2 * axis + (port % 2 ^ usize::from(self.mirrored[axis]))
    }
}
