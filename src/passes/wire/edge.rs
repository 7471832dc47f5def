//! A link as the families list it.

use fabc_base::ids::LinkTypeId;
use fabc_ir::LinkClass;
use fabc_model::Network;

/// A link before its ports are numbered; of a simplex network it runs from the first end to the second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) ends: [u32; 2],
    pub(super) class: LinkClass,
    pub(super) link_type: LinkTypeId,
    /// Ports that the family or the file decides; the others are the least free ones.
    pub(super) ports: [Option<u16>; 2],
}

impl Edge {
    /// A link inside a group, or of a family without groups.
    pub(super) fn local(network: &Network, ends: [u32; 2]) -> Self {
        Self { ends, class: LinkClass::Local, link_type: network.local, ports: [None, None] }
    }
    /// A link between groups.
    pub(super) fn global(network: &Network, ends: [u32; 2]) -> Self {
        Self { ends, class: LinkClass::Global, link_type: network.global, ports: [None, None] }
    }
}

/// Who is joined to whom inside a block, and which place of another block every place meets.
pub(super) struct Places {
    /// `[place]`: places of the same block.
    pub(super) inside: Vec<Vec<u32>>,
    /// `[place]`: its place in a block of higher number, and in one of lower number.
    pub(super) across: [Vec<u32>; 2],
}

impl Places {
    /// Those of a supernode.
    pub(super) fn new(links: &[[u32; 2]], across: &[u32]) -> Self {
        let mut inside = vec![Vec::new(); across.len()];
        for &[one, other] in links {
            inside[one as usize].push(other);
            inside[other as usize].push(one);
        }
        let mut back = vec![0; across.len()];
        across.iter().zip(0..).for_each(|(&far, place)| back[far as usize] = place);
        Self { inside, across: [across.to_vec(), back] }
    }
    /// The router of block `to` that a place of block `from` meets.
    pub(super) fn meets(&self, from: u32, place: u32, to: u32) -> u32 {
        to * self.inside.len() as u32 + self.across[usize::from(to < from)][place as usize]
    }
}
