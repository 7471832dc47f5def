//! How unevenly a hash of flows fills next-hop groups.

use super::Fraction;

/// Number of parts of 1 in which [`Collisions::expected`] is counted.
pub const COLLISION_PARTS: u64 = 1_000_000_000_000;

/// A next-hop group that leads up, and the flows that share it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct HashedGroup {
    /// Number of flows that come to the router whatever the hashes choose. At least 1.
    pub flows: u64,
    /// Number of members of the group. At least 1.
    pub members: u64,
}

/// The collisions of flows in one scenario.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Collisions {
    /// Expected number of flows on the fullest member over the mean of all members: the largest over all
    /// groups, in parts of 1 / [`COLLISION_PARTS`], rounded up. `None` where a group has more flows than are
    /// counted.
    pub expected: Option<u64>,
    /// The group that loses most if all of its flows choose one member.
    pub worst: HashedGroup,
}

impl Collisions {
    /// The value of `collision`. `None` where a group has more flows than are counted.
    pub fn expected_over_mean(&self) -> Option<Fraction> {
        self.expected.map(|parts| Fraction::new(parts, COLLISION_PARTS))
    }
    /// The value of `collision_worst`: all flows on one member, over the fullest of an even spread.
    pub fn worst_over_even(&self) -> Fraction {
        let HashedGroup { flows, members } = self.worst;
        Fraction::new(flows, flows.div_ceil(members))
    }
}
