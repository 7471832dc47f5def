//! What else the radix of a network allows in its family.

use crate::compiled::Compiled;
use fabc_model::{DesignSpace, Family};

/// The designs beside a network.
pub(super) struct Space<'a> {
    /// Network ports of its fullest router.
    pub(super) radix: u32,
    /// Hops that the family promises.
    pub(super) hops: u32,
    /// The network itself.
    pub(super) own: &'a Family,
    /// All designs of the radix, by rising number of routers.
    pub(super) designs: Vec<Family>,
}

/// The design space of a network; `None` where it belongs to none.
pub(super) fn of(compiled: &Compiled) -> Option<Space<'_>> {
    let own = compiled.fabric.family()?;
    let space = DesignSpace::of(own)?;
    let radix = DesignSpace::radix(own).filter(|&radix| radix <= DesignSpace::LARGEST_RADIX)?;
    Some(Space { radix, hops: space.hops(), own, designs: space.of_radix(radix) })
}

impl Space<'_> {
    /// The most routers that any graph of this radix has within these hops.
    pub(super) fn moore_bound(&self) -> u128 {
        moore_bound(self.radix, self.hops)
    }
}

/// 1 + k + k (k - 1) + .. : the most routers of `radix` links each that are within so many hops of one.
pub(super) fn moore_bound(radix: u32, hops: u32) -> u128 {
    let further = u128::from(radix) - 1;
    1 + (0..hops).map(|hop| u128::from(radix) * further.pow(hop)).sum::<u128>()
}
