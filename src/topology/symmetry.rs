//! The symmetry of a topology: a group that permutes the blocks and keeps positions inside blocks, ports and
//! links.
//!
//! The group acts freely: only the identity fixes a block. So blocks fall into orbits of `order` blocks each,
//! and the first block of every orbit is *canonical*. Without symmetry the order is 1 and every block is
//! canonical. Everything that is invariant under the group can be stored for canonical nodes only.

use crate::ids::{BlockId, Id, NodeId};
use std::sync::Arc;

/// A group of permutations of the blocks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symmetry {
    blocks: u32,
    block_size: u32,
    /// `[g * blocks + block]`: the image of the block under element g. Row 0 is the identity, and rows ascend
    /// by the image of block 0. All copies share it, because it takes memory per pair of blocks.
    images: Arc<[BlockId]>,
    /// `[block]`: the rank of its canonical block among the canonical ones, and the element that takes that
    /// block to it.
    home: Vec<(u32, u32)>,
    /// `[g]`: the number of the inverse of element g.
    inverse: Vec<u32>,
    canonical: Vec<BlockId>,
}

impl Symmetry {
    /// The group with these elements, each given as the image of every block. They must form a group that
    /// acts freely.
    pub fn new(block_size: u32, mut elements: Vec<Vec<BlockId>>) -> Self {
        elements.sort();
        let blocks = elements[0].len() as u32;
        debug_assert!(
            elements[0].iter().enumerate().all(|(block, image)| image.index() == block),
            "the first element is the identity"
        );
        let mut home = vec![(u32::MAX, 0); blocks as usize];
        let mut canonical = Vec::new();
        for block in 0..blocks as usize {
            if home[block].0 == u32::MAX {
                for (g, element) in elements.iter().enumerate() {
                    home[element[block].index()] = (canonical.len() as u32, g as u32);
                }
                canonical.push(BlockId::new(block));
            }
        }
        // The element that takes g(block 0) back to block 0. Free action makes it unique.
        let inverse = elements
            .iter()
            .map(|g| {
                elements.iter().position(|h| h[g[0].index()] == BlockId(0)).expect("a group has inverses")
                    as u32
            })
            .collect();
        Self { blocks, block_size, images: elements.concat().into(), home, inverse, canonical }
    }

    /// The trivial group: every block is canonical.
    pub fn trivial(block_size: u32, blocks: u32) -> Self {
        Self::new(block_size, vec![(0..blocks).map(BlockId).collect()])
    }

    /// The trivial group on the same blocks.
    pub fn to_trivial(&self) -> Self {
        Self::trivial(self.block_size, self.blocks)
    }

    /// The subgroup of the elements that `keeps` accepts. They must form a group.
    pub fn subgroup(&self, keeps: impl Fn(usize) -> bool) -> Self {
        let kept = (0..self.order()).filter(|&g| keeps(g));
        Self::new(
            self.block_size,
            kept.map(|g| self.images[g * self.blocks()..][..self.blocks()].to_vec()).collect(),
        )
    }

    /// The same group on blocks that were moved: `to[block]` is the new number of a block.
    pub fn with_moved_blocks(&self, to: &[BlockId]) -> Self {
        let element = |g: usize| {
            let mut images = vec![BlockId(0); to.len()];
            for (block, &moved) in to.iter().enumerate() {
                images[moved.index()] = to[self.image_block(g, BlockId::new(block)).index()];
            }
            images
        };
        Self::new(self.block_size, (0..self.order()).map(element).collect())
    }

    /// Number of elements of the group.
    #[inline]
    pub fn order(&self) -> usize {
        self.inverse.len()
    }
    /// Whether only the identity is in the group.
    #[inline]
    pub fn is_trivial(&self) -> bool {
        self.order() == 1
    }
    /// Number of blocks that it permutes.
    #[inline]
    pub fn blocks(&self) -> usize {
        self.blocks as usize
    }
    /// Number of routers of a block.
    #[inline]
    pub fn block_size(&self) -> usize {
        self.block_size as usize
    }
    /// Number of nodes in all blocks.
    #[inline]
    pub fn node_count(&self) -> usize {
        self.blocks() * self.block_size()
    }
    /// The image of a node under element `g`.
    #[inline]
    pub fn image(&self, g: usize, node: NodeId) -> NodeId {
        let (block, local) = (node.0 / self.block_size, node.0 % self.block_size);
        NodeId(self.images[g * self.blocks() + block as usize].0 * self.block_size + local)
    }
    /// The number of the inverse of element `g`.
    #[inline]
    pub fn inverse(&self, g: usize) -> usize {
        self.inverse[g] as usize
    }
    /// The element that takes the canonical node of `node`'s class to `node`.
    #[inline]
    pub fn element_to(&self, node: NodeId) -> usize {
        self.home[(node.0 / self.block_size) as usize].1 as usize
    }
    /// The class of a node: an index into [`Symmetry::canonical_nodes`].
    #[inline]
    pub fn class(&self, node: NodeId) -> usize {
        let (block, local) = (node.0 / self.block_size, node.0 % self.block_size);
        (self.home[block as usize].0 * self.block_size + local) as usize
    }
    /// Number of classes of nodes: orbits of the group.
    #[inline]
    pub fn class_count(&self) -> usize {
        self.canonical.len() * self.block_size()
    }
    /// The canonical node of a class.
    #[inline]
    pub fn canonical_node(&self, class: usize) -> NodeId {
        let block = self.canonical[class / self.block_size()];
        NodeId(block.0 * self.block_size + (class % self.block_size()) as u32)
    }
    /// The canonical nodes, by class, ascending.
    pub fn canonical_nodes(&self) -> impl ExactSizeIterator<Item = NodeId> {
        (0..self.class_count()).map(|class| self.canonical_node(class))
    }
    /// A small set of elements that generate the group: the first elements, each outside the subgroup of
    /// those before it.
    pub fn generators(&self) -> Vec<usize> {
        let mut reached = vec![false; self.order()];
        reached[0] = true;
        let mut generators = Vec::new();
        for g in 1..self.order() {
            if reached[g] {
                continue;
            }
            generators.push(g);
            let mut open: Vec<usize> = (0..self.order()).filter(|&h| reached[h]).collect();
            while let Some(h) = open.pop() {
                for &generator in &generators {
                    let product = self.home
                        [self.image_block(generator, self.image_block(h, BlockId(0))).index()]
                    .1 as usize;
                    if !reached[product] {
                        reached[product] = true;
                        open.push(product);
                    }
                }
            }
        }
        generators
    }
    /// The image of a block under element `g`.
    #[inline]
    pub fn image_block(&self, g: usize, block: BlockId) -> BlockId {
        self.images[g * self.blocks() + block.index()]
    }
}
