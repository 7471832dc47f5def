//! Other designs of a network's family with the same radix.

use crate::compiled::CompiledFabric;
use fabc_model::{DesignSpace, Family};

/// The designs of a family that fit a radix.
pub(super) struct RadixDesigns<'a> {
    /// Network ports of the router that has the most.
    pub(super) radix: u32,
    /// The diameter of the family.
    pub(super) hops: u32,
    pub(super) network: &'a Family,
    /// All designs of the radix, by rising number of routers.
    pub(super) designs: Vec<Family>,
}

/// The design space of a network; `None` if its family has none.
pub(super) fn radix_designs(compiled: &CompiledFabric) -> Option<RadixDesigns<'_>> {
    let family = compiled.fabric.family()?;
    let space = DesignSpace::space_of(family)?;
    let radix = DesignSpace::radix(family).filter(|&radix| radix <= DesignSpace::LARGEST_RADIX)?;
    Some(RadixDesigns { radix, hops: space.hops(), network: family, designs: space.of_radix(radix) })
}

impl RadixDesigns<'_> {
    /// The Moore bound: the most routers that any graph of this radix and diameter has.
    pub(super) fn moore_bound(&self) -> u128 {
        moore_bound(self.radix, self.hops)
    }
}

/// 1 + k + k (k - 1) + ..: the most routers of `radix` links each within `hops` hops of one router.
pub(super) fn moore_bound(radix: u32, hops: u32) -> u128 {
    let further = u128::from(radix) - 1;
    1 + (0..hops).map(|hop| u128::from(radix) * further.pow(hop)).sum::<u128>()
}
