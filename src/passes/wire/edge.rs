//! A link as the families list it, and the pattern of links inside and between blocks.

use fabc_base::ids::LinkTypeId;
use fabc_ir::LinkClass;
use fabc_model::Network;

/// Two routers. Of a simplex link the source comes first.
pub(super) type RouterPair = [u32; 2];
/// The ports at both ends of a link, where they are set.
pub(super) type FixedPorts = [Option<u16>; 2];

/// A link before its ports are numbered. A simplex link runs from the first end to the second.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnnumberedLink {
    pub(super) ends: RouterPair,
    pub(super) class: LinkClass,
    pub(super) link_type: LinkTypeId,
    /// Ports that the family or the file sets, one per end. Links without one get the lowest free ports.
    pub(super) ports: FixedPorts,
}

impl UnnumberedLink {
    /// A link inside a group, or of a family without groups.
    pub(super) fn local(network: &Network, ends: RouterPair) -> Self {
        Self { ends, class: LinkClass::Local, link_type: network.local, ports: [None, None] }
    }
    /// A link that joins two groups.
    pub(super) fn global(network: &Network, ends: RouterPair) -> Self {
        Self { ends, class: LinkClass::Global, link_type: network.global, ports: [None, None] }
    }
}

/// The links inside a block of a star product, and the places that they join in two blocks.
pub(super) struct BlockPattern {
    /// `[place]`: places of the same block that it is joined to.
    pub(super) inside: Vec<Vec<u32>>,
    /// `[place]`: the place that it is joined to in blocks of higher number.
    in_higher: Vec<u32>,
    /// `[place]`: the place that it is joined to in blocks of lower number.
    in_lower: Vec<u32>,
}

impl BlockPattern {
    /// The pattern of a supernode. `across` is the place that each place meets in a block of higher number.
    pub(super) fn new(links: &[RouterPair], across: &[u32]) -> Self {
        let mut inside = vec![Vec::new(); across.len()];
        for &[first, other] in links {
            inside[first as usize].push(other);
            inside[other as usize].push(first);
        }
        let mut inverse = vec![0; across.len()];
        across.iter().zip(0..).for_each(|(&other_place, place)| inverse[other_place as usize] = place);
        Self { inside, in_higher: across.to_vec(), in_lower: inverse }
    }
    /// The router of block `to` that a place of block `from` is joined to.
    pub(super) fn meets(&self, from: u32, place: u32, to: u32) -> u32 {
        let across = if to < from { &self.in_lower } else { &self.in_higher };
        to * self.inside.len() as u32 + across[place as usize]
    }
}
