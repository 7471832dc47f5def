//! The part of a pod that the limit depends on: which face ports of a cube can be joined to which, whatever
//! the switches are set to.
//!
//! Input: `Pod`. Output: [`CubeShape`]. If cubes differ, every cube gets the ports and partners of all of
//! them. That only adds wirings, so a bound for the result holds for the pod.

use fabc_model::{Capacities, CoupleRule, FacePort, PORT_NAMES, Pod};
use std::collections::{BTreeMap, BTreeSet};

/// The joinable face ports of a cube. A slot is a face port without its cube: (position, port).
pub(super) struct CubeShape {
    pub(super) dims: [usize; 3],
    pub(super) cubes: u64,
    /// `[slot]`: its position in the cube.
    pub(super) position: Vec<usize>,
    /// `[slot]`: its set of partners, as an index into `partners`.
    pub(super) partners_of: Vec<usize>,
    /// Sets of slots that a slot can be wired to, ascending.
    pub(super) partners: Vec<Vec<usize>>,
    /// The capacity of a copper link, in units.
    pub(super) mesh_capacity: u64,
    /// The largest possible capacity of all fibers of the pod.
    pub(super) fibers: u64,
    /// (position, size of its class): one position of each class under the symmetries of the cube that keep
    /// the partners of all slots.
    pub(super) classes: Vec<(usize, u64)>,
    /// The classes of slots under those symmetries.
    pub(super) slots: Vec<Vec<usize>>,
    /// The classes, under those symmetries, of the planes through all cubes, as (axis, coordinate below
    /// it).
    pub(super) planes: Vec<Vec<(usize, usize)>>,
}

impl CubeShape {
    pub(super) fn new(pod: &Pod, capacities: &Capacities) -> Self {
        let dims = pod.cube.dims.map(|dim| dim as usize);
        let chips = pod.chips_per_cube();
        let key =
            |face: &FacePort| (face.node.0 % chips) as usize * PORT_NAMES.len() + usize::from(face.port.0);
        let mut partners_by_key: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let mut fibers = 0;
        for ocs in pod.ocses.iter() {
            let [a, b] = [&ocs.a, &ocs.b].map(|side| side.iter().map(key).collect::<BTreeSet<usize>>());
            match ocs.rule {
                CoupleRule::Sided => {
                    fibers += ocs.a.len().min(ocs.b.len()) as u64 * capacities.capacity(ocs.link);
                    for (from, to) in [(&a, &b), (&b, &a)] {
                        from.iter().for_each(|&slot| partners_by_key.entry(slot).or_default().extend(to));
                    }
                }
                CoupleRule::Any => {
                    fibers += ocs.a.len() as u64 / 2 * capacities.capacity(ocs.link);
                    a.iter().for_each(|&slot| partners_by_key.entry(slot).or_default().extend(&a));
                }
            }
        }
        // A slot whose switches have no port on the other side has no partner.
        partners_by_key.retain(|_, partners| !partners.is_empty());
        let keys: Vec<usize> = partners_by_key.keys().copied().collect();
        let slot_of: BTreeMap<usize, usize> =
            keys.iter().enumerate().map(|(slot, &key)| (key, slot)).collect();
        let mut index: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
        let mut partners = Vec::new();
        let mut partners_of = Vec::new();
        for set in partners_by_key.values() {
            let set: Vec<usize> = set.iter().map(|key| slot_of[key]).collect();
            partners_of.push(*index.entry(set.clone()).or_insert_with(|| {
                partners.push(set);
                partners.len() - 1
            }));
        }
        let mut shape = Self {
            dims,
            cubes: u64::from(pod.cubes),
            mesh_capacity: capacities.capacity(pod.cube.mesh),
            position: keys.iter().map(|key| key / PORT_NAMES.len()).collect(),
            partners_of,
            partners,
            fibers,
            classes: Vec::new(),
            slots: Vec::new(),
            planes: Vec::new(),
        };
        let maps: Vec<CubeMap> =
            CubeMap::list(dims).filter(|map| shape.keeps_partners(map, &keys, &slot_of)).collect();
        let positions = (0..shape.positions())
            .map(|position| (position, maps.iter().map(|map| map.position(position)).min()));
        shape.classes = group_by_image(positions)
            .into_values()
            .map(|members| (members[0], members.len() as u64))
            .collect();
        let slots = (0..keys.len()).map(|slot| (slot, maps.iter().map(|map| map.key(keys[slot])).min()));
        shape.slots = group_by_image(slots).into_values().collect();
        let planes = (0..3).flat_map(|axis| (1..dims[axis]).map(move |above| (axis, above - 1)));
        let planes =
            planes.map(|(axis, below)| ((axis, below), maps.iter().map(|map| map.plane(axis, below)).min()));
        shape.planes = group_by_image(planes).into_values().collect();
        shape
    }

    pub(super) fn positions(&self) -> usize {
        self.dims.iter().product()
    }

    fn keeps_partners(&self, map: &CubeMap, keys: &[usize], slot_of: &BTreeMap<usize, usize>) -> bool {
        let image = |slot: usize| slot_of.get(&map.key(keys[slot])).copied();
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
        (0..keys.len())
            .all(|slot| self.partners[self.partners_of[images[slot]]] == sets[self.partners_of[slot]])
    }
}

/// A symmetry of the cube: coordinate `axes[k]`, mirrored or not, becomes coordinate k.
struct CubeMap {
    axes: [usize; 3],
    mirrored: [bool; 3],
    dims: [usize; 3],
}

impl CubeMap {
    fn list(dims: [usize; 3]) -> impl Iterator<Item = CubeMap> {
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let fitting =
            orders.into_iter().filter(move |axes| (0..3).all(|axis| dims[axes[axis]] == dims[axis]));
        fitting.flat_map(move |axes| {
            (0..8).map(move |bits| CubeMap {
                axes,
                mirrored: [0, 1, 2].map(|axis| bits >> axis & 1 == 1),
                dims,
            })
        })
    }

    fn position(&self, position: usize) -> usize {
        let [ax, ay, _] = self.dims;
        let coordinates = [position % ax, position / ax % ay, position / (ax * ay)];
        let [x, y, z] = [0, 1, 2].map(|axis| {
            let from = coordinates[self.axes[axis]];
            if self.mirrored[axis] { self.dims[axis] - 1 - from } else { from }
        });
        x + ax * y + ax * ay * z
    }

    fn plane(&self, from: usize, below: usize) -> (usize, usize) {
        let axis = self.image_axis(from);
        (axis, if self.mirrored[axis] { self.dims[axis] - 2 - below } else { below })
    }

    /// The image of a face port without its cube, numbered by position and port.
    fn key(&self, key: usize) -> usize {
        self.position(key / PORT_NAMES.len()) * PORT_NAMES.len() + self.port(key % PORT_NAMES.len())
    }

    fn image_axis(&self, from: usize) -> usize {
        (0..3).find(|&axis| self.axes[axis] == from).expect("a permutation")
    }

    fn port(&self, port: usize) -> usize {
        let axis = self.image_axis(port / 2);
        2 * axis + ((port % 2) ^ usize::from(self.mirrored[axis]))
    }
}

/// Groups items by their image. Images and items ascend.
fn group_by_image<T: Ord>(items: impl Iterator<Item = (T, Option<T>)>) -> BTreeMap<T, Vec<T>> {
    let mut classes: BTreeMap<T, Vec<T>> = BTreeMap::new();
    for (item, image) in items {
        classes.entry(image.expect("the identity is among the symmetries")).or_default().push(item);
    }
    classes
}
