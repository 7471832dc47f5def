//! How few links a set of chips has among them, whatever the switches of a pod are set to.
//!
//! A coordinate of a chip in its cube is written in a Gray code, where the next one differs in one bit. If
//! every link that may ever be made flips one bit of one coordinate, the links that flip a given bit join the
//! chips with 0 there to those with 1. So there are at most as many as the fewer of these, times the links of
//! a chip that flip the bit. Each half is halved by another bit, down to single chips, or to chips with equal
//! bits, which have no links. The worst halves are equal halves.

use fabc_base::ids::NodeId;
use fabc_model::{Capacities, Pod};
use std::collections::{BTreeMap, BTreeSet};

/// A chip in a cube, as an index.
pub(super) type Position = usize;

/// A bound on the links among chips.
pub(crate) struct FewLinks {
    /// The most lanes by which a chip flips the same bit.
    flips: u128,
    /// The most channels of a chip by which it passes on what it takes in by another one.
    pub(crate) copies: u128,
}

impl FewLinks {
    /// `faces` has the position of every face that a switch connects, and those that it may be connected to.
    /// `None` where some link may flip no bit, or more than one.
    pub(super) fn new(
        pod: &Pod,
        capacities: &Capacities,
        faces: impl Iterator<Item = (Position, Vec<Position>)>,
    ) -> Option<Self> {
        let mut flipped: BTreeMap<(Position, [u32; 3]), u64> = BTreeMap::new();
        let mut links: BTreeMap<Position, u64> = BTreeMap::new();
        let positions = pod.chips_per_cube() as usize;
        for one in 0..positions {
            for other in (0..positions).filter(|&other| steps_between(pod, one, other) == 1) {
                *flipped.entry((one, flip(pod, one, other)?)).or_default() +=
                    capacities.capacity(pod.cube.mesh);
                *links.entry(one).or_default() += 1;
            }
        }
        let fiber = pod.ocses.iter().map(|ocs| capacities.capacity(ocs.link)).max().unwrap_or(0);
        for (one, others) in faces {
            let mut bits = BTreeSet::new();
            for other in others {
                bits.insert(flip(pod, one, other)?);
            }
            for bit in bits {
                *flipped.entry((one, bit)).or_default() += fiber;
            }
            *links.entry(one).or_default() += 1;
        }
        let flips = u128::from(flipped.into_values().max()?);
        let copies = u128::from(links.into_values().max()?.max(2) - 1);
        Some(Self { flips, copies })
    }

    /// The most lanes of channels among so many chips.
    pub(crate) fn lanes_among(&self, chips: usize) -> u128 {
        2 * self.flips * most_links(chips as u128)
    }
}

/// The most links of a set that is halved again and again, with a link for each chip of the smaller half.
fn most_links(chips: u128) -> u128 {
    if chips < 2 {
        return 0;
    }
    let smaller = chips / 2;
    smaller + most_links(smaller) + most_links(chips - smaller)
}

/// The coordinates of a position of a cube.
fn coordinates(pod: &Pod, position: Position) -> [u32; 3] {
    pod.coordinates(NodeId(position as u32))
}

fn steps_between(pod: &Pod, one: Position, other: Position) -> u32 {
    coordinates(pod, one).iter().zip(coordinates(pod, other)).map(|(&one, other)| one.abs_diff(other)).sum()
}

/// The bits of the Gray codes in which two positions differ, if it is one.
fn flip(pod: &Pod, one: Position, other: Position) -> Option<[u32; 3]> {
    let code = |coordinate: u32| coordinate ^ (coordinate >> 1);
    let (one, other) = (coordinates(pod, one), coordinates(pod, other));
    let bits = [0, 1, 2].map(|axis| code(one[axis]) ^ code(other[axis]));
    (bits.iter().map(|bits| bits.count_ones()).sum::<u32>() == 1).then_some(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against all sets of up to 8 corners of a cube, and 16 corners of a cube of four dimensions.
    #[test]
    fn no_set_of_corners_has_more_links() {
        let links_of = |set: u32, corners: u32| {
            let holds = |corner: u32| set >> corner & 1 == 1;
            let pairs = (0..corners).flat_map(|one| (0..one).map(move |other| (one, other)));
            pairs
                .filter(|&(one, other)| holds(one) && holds(other) && (one ^ other).is_power_of_two())
                .count()
        };
        for corners in [8, 16] {
            let mut most = vec![0; corners as usize + 1];
            for set in 0..1u32 << corners {
                let size = set.count_ones() as usize;
                most[size] = links_of(set, corners).max(most[size]);
            }
            let bounds: Vec<usize> =
                (0..=corners as usize).map(|chips| most_links(chips as u128) as usize).collect();
            assert_eq!(most, bounds);
        }
    }
}
