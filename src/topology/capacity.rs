//! The capacities of the links in use, in units of the common divisor of their bandwidths.
//!
//! A channel of capacity c bears a route of weight w as a load of w / c. To keep loads integers, they are
//! counted in parts of a unit. There are as many parts as the least common multiple of all capacities. So a
//! route of weight w counts w times the *slowness* of the channel, which is parts / c. Where all links have
//! the same bandwidth, capacities, slownesses and parts are 1.

use crate::divisors::{greatest_common_divisor, least_common_multiple};
use crate::ids::{IdVec, LinkTypeId};

/// The capacities of the declared links.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Capacities {
    /// `[link type]`: bandwidth over the unit, 1 for types of which there is no link. Empty where all are 1.
    by_type: IdVec<LinkTypeId, u64>,
    parts: u64,
    unit_bps: u64,
}

impl Default for Capacities {
    /// The capacities of equal links whose bandwidth does not matter.
    fn default() -> Self {
        Self { by_type: IdVec::new(), parts: 1, unit_bps: 1 }
    }
}

impl Capacities {
    /// The capacities of links with these bandwidths (bit/s, positive) by type, `None` for a type that is not
    /// in use. Returns `None` where the capacities have no common multiple up to `most_parts`.
    pub fn new(bandwidths: &[Option<u64>], most_parts: u64) -> Option<Self> {
        let used = || bandwidths.iter().copied().flatten();
        let unit_bps = used().fold(0, greatest_common_divisor).max(1);
        let mut parts = 1u64;
        for bandwidth in used() {
            let capacity = bandwidth / unit_bps;
            parts = least_common_multiple(parts.into(), capacity.into(), most_parts.into())? as u64;
        }
        let by_type: Vec<u64> = bandwidths
            .iter()
            .map(|bandwidth| bandwidth.map_or(1, |bandwidth| bandwidth / unit_bps))
            .collect();
        Some(Self { by_type: if parts == 1 { IdVec::new() } else { by_type.into() }, parts, unit_bps })
    }

    /// Capacity of a channel of this type, in units. It divides [`Capacities::parts`].
    #[inline]
    pub fn capacity(&self, link_type: LinkTypeId) -> u64 {
        if self.by_type.is_empty() { 1 } else { self.by_type[link_type] }
    }
    /// Parts of a unit of load that a route of weight 1 puts on a channel of this type.
    #[inline]
    pub fn slowness(&self, link_type: LinkTypeId) -> u64 {
        self.parts / self.capacity(link_type)
    }
    /// Parts into which a unit of load is divided.
    #[inline]
    pub fn parts(&self) -> u64 {
        self.parts
    }
    /// Whether all links in use have the same bandwidth.
    pub fn are_equal(&self) -> bool {
        self.parts == 1
    }
    /// Bandwidth of a channel of capacity 1, bit/s.
    pub fn unit_bps(&self) -> u64 {
        self.unit_bps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_is_the_common_divisor_and_the_parts_are_the_common_multiple() {
        let capacities = Capacities::new(&[Some(100), None, Some(400), Some(600)], 1 << 20).unwrap();
        assert_eq!([0, 1, 2, 3].map(|id| capacities.capacity(LinkTypeId(id))), [1, 1, 4, 6]);
        assert_eq!([0, 2, 3].map(|id| capacities.slowness(LinkTypeId(id))), [12, 3, 2]);
        assert_eq!((capacities.parts(), capacities.unit_bps()), (12, 100));
        let equal = Capacities::new(&[Some(7), Some(7)], 1 << 20).unwrap();
        assert!(equal.are_equal() && equal.capacity(LinkTypeId(1)) == 1 && equal.unit_bps() == 7);
        assert!(Capacities::new(&[Some(1_000_003), Some(1_000_000)], 1 << 20).is_none());
    }
}
