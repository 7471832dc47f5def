//! Other designs of a network's family with the same radix.

use crate::compiled::CompiledFabric;
use crate::number::grouped;
use fabc_model::{DesignSpace, Family, LargestKnown};

/// The designs of a family that fit a radix.
pub(super) struct RadixDesigns<'a> {
    /// Network ports of the router that has the most.
    pub(super) radix: u32,
    /// The diameter of the family.
    pub(super) hops: u32,
    pub(super) network: &'a Family,
    /// All designs of the radix, by rising number of routers.
    pub(super) designs: Vec<Family>,
    /// The largest network of any family with these ports and hops. `None` beyond 3 hops.
    pub(super) largest_known: Option<LargestKnown>,
}

/// The design space of a network; `None` if its family has none.
pub(super) fn radix_designs(compiled: &CompiledFabric) -> Option<RadixDesigns<'_>> {
    let family = compiled.fabric.family()?;
    let space = DesignSpace::space_of(family)?;
    let radix = DesignSpace::radix(family).filter(|&radix| radix <= DesignSpace::LARGEST_RADIX)?;
    let (hops, designs) = (space.hops(), space.of_radix(radix));
    Some(RadixDesigns {
        radix,
        hops,
        network: family,
        designs,
        largest_known: LargestKnown::find(radix, hops),
    })
}

/// The largest known network with the ports and hops of a family, in words.
pub(super) fn known_of_family(family: &Family) -> Option<String> {
    let space = DesignSpace::space_of(family)?;
    let radix = DesignSpace::radix(family).filter(|&radix| radix <= DesignSpace::LARGEST_RADIX)?;
    LargestKnown::find(radix, space.hops()).as_ref().map(known_text)
}

impl RadixDesigns<'_> {
    /// The Moore bound: the most routers that any graph of this radix and diameter has.
    pub(super) fn moore_bound(&self) -> u128 {
        moore_bound(self.radix, self.hops)
    }
}

/// The largest known network in words: its routers, and the topology if fabc has it.
pub(super) fn known_text(known: &LargestKnown) -> String {
    let by = known
        .topology
        .as_ref()
        .map_or_else(|| "by a search of others".to_owned(), |topology| format!("`{topology}`"));
    format!("{} routers, {by}", grouped(known.routers))
}

/// 1 + k + k (k - 1) + ..: the most routers of `radix` links each within `hops` hops of one router.
pub(super) fn moore_bound(radix: u32, hops: u32) -> u128 {
    let further = u128::from(radix) - 1;
    1 + (0..hops).map(|hop| u128::from(radix) * further.pow(hop)).sum::<u128>()
}
