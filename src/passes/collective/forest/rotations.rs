//! Rotations of a fabric that move every chip.
//!
//! Chips have numbers in the order of their ids. Written with several digits (box and GPU, pod and leaf and
//! host), a rotation adds one to a digit. Routers that only forward follow: a router goes to the one that is
//! joined alike to the images of its neighbors nearer to the chips, of equal ones in order. A rotation
//! counts only if it maps every link onto links of the same capacity. Products of such rotations move every
//! chip to a different one, so that one tree and its images load all images of a channel alike.

use super::ground::ForestGround;
use std::collections::{BTreeMap, VecDeque};

/// Rotations of different digits of the numbers of chips.
pub(super) struct Rotations {
    /// One per digit: `[router number]`: its image.
    generators: Vec<Vec<usize>>,
    /// Number of images of a chip under each generator.
    orders: Vec<usize>,
}

/// Capacities between routers by number.
pub(super) struct JoinedRouters {
    /// `[router number]`: (neighbor, lanes of the lit channels to it), ascending.
    pub(super) next: Vec<Vec<(usize, u64)>>,
    /// `[router number]`: hops from the nearest chip.
    tiers: Vec<usize>,
    pub(super) chips: usize,
}

impl JoinedRouters {
    pub(super) fn new(ground: &ForestGround<'_>) -> Self {
        let count = ground.nodes.len();
        let mut lanes: Vec<BTreeMap<usize, u64>> = vec![BTreeMap::new(); count];
        for channel in ground.scene.channels() {
            let [from, to] = ground.ends(channel);
            *lanes[from].entry(to).or_default() += ground.scene.topology.channel_capacity(channel);
        }
        let next: Vec<Vec<(usize, u64)>> = lanes.into_iter().map(|row| row.into_iter().collect()).collect();
        let mut tiers = vec![usize::MAX; count];
        tiers[..ground.chips].fill(0);
        let mut queue: VecDeque<usize> = (0..ground.chips).collect();
        while let Some(node) = queue.pop_front() {
            for &(other, _) in &next[node] {
                if tiers[other] == usize::MAX {
                    tiers[other] = tiers[node] + 1;
                    queue.push_back(other);
                }
            }
        }
        Self { next, tiers, chips: ground.chips }
    }

    /// The routers that a permutation of the chips leads to, if it is one of the whole fabric.
    fn extended(&self, chips: Vec<usize>) -> Option<Vec<usize>> {
        let count = self.next.len();
        let mut images = chips;
        images.resize(count, usize::MAX);
        let highest = self.tiers.iter().copied().max()?;
        for tier in 1..=highest {
            let members: Vec<usize> = (0..count).filter(|&node| self.tiers[node] == tier).collect();
            // Below a router are the neighbors whose images are known.
            let mut free: BTreeMap<Vec<(usize, u64)>, VecDeque<usize>> = BTreeMap::new();
            for &node in &members {
                let below = self.next[node].iter().copied().filter(|&(other, _)| self.tiers[other] < tier);
                free.entry(below.collect()).or_default().push_back(node);
            }
            for &node in &members {
                let below = self.next[node].iter().filter(|(other, _)| self.tiers[*other] < tier);
                let mut moved: Vec<(usize, u64)> =
                    below.map(|&(other, lanes)| (images[other], lanes)).collect();
                moved.sort_unstable();
                images[node] = free.get_mut(&moved)?.pop_front()?;
            }
        }
        let is_kept = |node: usize| {
            let mut moved: Vec<(usize, u64)> =
                self.next[node].iter().map(|&(other, lanes)| (images[other], lanes)).collect();
            moved.sort_unstable();
            moved == self.next[images[node]]
        };
        (0..count).all(is_kept).then_some(images)
    }
}

impl Rotations {
    /// The rotations of a fabric, of the lowest digit first. Each digit is as large as it can be.
    pub(super) fn new(joined: &JoinedRouters) -> Self {
        let chips = joined.chips;
        let (mut generators, mut orders) = (Vec::new(), Vec::new());
        let mut stride = 1;
        while stride < chips {
            let rest = chips / stride;
            let mut sizes = (2..=rest).rev().filter(|size| rest.is_multiple_of(*size));
            let found = sizes.find_map(|size| {
                let rotated = |chip: usize| {
                    let digit = chip / stride % size;
                    chip - digit * stride + (digit + 1) % size * stride
                };
                Some((size, joined.extended((0..chips).map(rotated).collect())?))
            });
            match found {
                Some((size, images)) => {
                    generators.push(images);
                    orders.push(size);
                    stride *= size;
                }
                // A digit that nothing rotates: the smallest factor.
                None => stride *= (2..=rest).find(|size| rest.is_multiple_of(*size)).unwrap_or(rest),
            }
        }
        Self { generators, orders }
    }

    /// Number of rotations that combine to different ones, the identity included.
    pub(super) fn order(&self) -> usize {
        self.orders.iter().product()
    }

    /// The image of a router under every element, the identity first.
    pub(super) fn images(&self, node: usize) -> Vec<usize> {
        let mut images = vec![node];
        for (generator, &order) in self.generators.iter().zip(&self.orders) {
            let mut powers = images.clone();
            for _ in 1..order {
                powers = powers.iter().map(|&image| generator[image]).collect();
                images.extend_from_slice(&powers);
            }
        }
        images
    }
}
