//! The translation symmetry of a pod: a group that permutes the cubes and keeps positions inside cubes, ports
//! and links.
//!
//! The group acts freely (only the identity fixes a cube), so cubes fall into orbits of `order` cubes each;
//! the first cube of every orbit is *canonical*. Without symmetry the order is 1 and every cube is canonical.
//! Everything invariant under the group can be stored for canonical nodes only.

use crate::ids::{CubeId, Id, NodeId};
use std::sync::Arc;

/// A group of cube translations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symmetry {
    cubes: u32,
    chips_per_cube: u32,
    /// Shared by all copies: it takes memory per pair of cubes. Row g = image of every cube under element g;
    /// row 0 is the identity. Rows ascend by the image of cube 0.
    images: Arc<[CubeId]>,
    /// For every cube: its canonical cube's rank among the canonical ones, and the element that takes the
    /// canonical cube to it.
    home: Vec<(u32, u32)>,
    /// Row g = number of the inverse of element g.
    inverse: Vec<u32>,
    canonical: Vec<CubeId>,
}

impl Symmetry {
    /// The group with these elements, each given as the image of every cube. They must form a group that acts
    /// freely.
    pub fn new(chips_per_cube: u32, mut elements: Vec<Vec<CubeId>>) -> Self {
        elements.sort();
        let cubes = elements[0].len() as u32;
        debug_assert!(elements[0].iter().enumerate().all(|(cube, image)| image.index() == cube), "the first element is the identity");
        let mut home = vec![(u32::MAX, 0); cubes as usize];
        let mut canonical = Vec::new();
        for cube in 0..cubes as usize {
            if home[cube].0 == u32::MAX {
                for (g, element) in elements.iter().enumerate() {
                    home[element[cube].index()] = (canonical.len() as u32, g as u32);
                }
                canonical.push(CubeId::new(cube));
            }
        }
        // The element that takes g(cube 0) back to cube 0; free action makes it unique.
        let inverse = elements
            .iter()
            .map(|g| elements.iter().position(|h| h[g[0].index()] == CubeId(0)).expect("a group has inverses") as u32)
            .collect();
        Self { cubes, chips_per_cube, images: elements.concat().into(), home, inverse, canonical }
    }

    /// The trivial group: every cube is canonical.
    pub fn trivial(chips_per_cube: u32, cubes: u32) -> Self {
        Self::new(chips_per_cube, vec![(0..cubes).map(CubeId).collect()])
    }

    /// The trivial group on the same blocks.
    pub fn without(&self) -> Self {
        Self::trivial(self.chips_per_cube, self.cubes)
    }

    /// The elements that `keeps` accepts; they must form a group.
    pub fn subgroup(&self, keeps: impl Fn(usize) -> bool) -> Self {
        let kept = (0..self.order()).filter(|&g| keeps(g));
        Self::new(self.chips_per_cube, kept.map(|g| self.images[g * self.cubes()..][..self.cubes()].to_vec()).collect())
    }

    /// Number of elements.
    pub fn order(&self) -> usize {
        self.inverse.len()
    }
    /// Whether only the identity is in the group.
    pub fn is_trivial(&self) -> bool {
        self.order() == 1
    }
    /// Number of cubes.
    pub fn cubes(&self) -> usize {
        self.cubes as usize
    }
    /// Chips per cube.
    pub fn chips_per_cube(&self) -> usize {
        self.chips_per_cube as usize
    }
    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.cubes() * self.chips_per_cube()
    }
    /// The image of a node under element `g`.
    pub fn image(&self, g: usize, node: NodeId) -> NodeId {
        let (cube, local) = (node.0 / self.chips_per_cube, node.0 % self.chips_per_cube);
        NodeId(self.images[g * self.cubes() + cube as usize].0 * self.chips_per_cube + local)
    }
    /// The number of the inverse of element `g`.
    pub fn inverse(&self, g: usize) -> usize {
        self.inverse[g] as usize
    }
    /// The element that takes the canonical node of `node`'s class to `node`.
    pub fn element_to(&self, node: NodeId) -> usize {
        self.home[(node.0 / self.chips_per_cube) as usize].1 as usize
    }
    /// The class of a node: an index into [`Symmetry::canonical_nodes`].
    pub fn class(&self, node: NodeId) -> usize {
        let (cube, local) = (node.0 / self.chips_per_cube, node.0 % self.chips_per_cube);
        (self.home[cube as usize].0 * self.chips_per_cube + local) as usize
    }
    /// Number of node classes.
    pub fn class_count(&self) -> usize {
        self.canonical.len() * self.chips_per_cube()
    }
    /// The canonical node of a class.
    pub fn canonical_node(&self, class: usize) -> NodeId {
        let cube = self.canonical[class / self.chips_per_cube()];
        NodeId(cube.0 * self.chips_per_cube + (class % self.chips_per_cube()) as u32)
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
                    let product = self.home[self.image_cube(generator, self.image_cube(h, CubeId(0))).index()].1 as usize;
                    if !reached[product] {
                        reached[product] = true;
                        open.push(product);
                    }
                }
            }
        }
        generators
    }
    /// The image of a cube under element `g`.
    pub fn image_cube(&self, g: usize, cube: CubeId) -> CubeId {
        self.images[g * self.cubes() + cube.index()]
    }
}
