//! Nested groups: complete graphs of routers, blocks of those, blocks of blocks, joined level by level.
//!
//! The ports that the routers of a block give a level are numbered through. Port k < joined (n - 1) of a
//! block, with t = k mod (n - 1), leads `t + 1` blocks ahead (`palmtree`: back) and meets port n - 2 - t of
//! the same copy k div (n - 1) there. `consecutive` deals the ports of a copy out, one to every router, where
//! that comes out even, and begins every copy at another router, so that the cables between two blocks hang
//! on different ones; otherwise, and in a `palmtree`, router k / ports has port k. `fold` hangs the cable to
//! the block ahead by some offset and the one to the block as far back on one router, and goes through the
//! blocks inside before it takes a second router of one. Source: the software-defined TSP multiprocessor
//! (ISCA 2022), whose figures leave the arrangements open. Cost: linear in the links.

use super::edge::Edge;
use fabc_ir::LinkClass;
use fabc_model::{Arrangement, FamilyFacts, Level, Levels};

/// The links of nested groups, from the inside out.
pub(super) fn edges(levels: &Levels) -> Vec<Edge> {
    let routers = levels.router_count() as u32;
    let (mut size, mut inner, mut before) = (1, 1, 0);
    let mut edges = Vec::new();
    for level in &levels.0 {
        let joint = Joint { level, size, inner, before };
        for first in (0..routers).step_by((size * level.blocks) as usize) {
            if size == 1 { joint.complete(first, &mut edges) } else { joint.between(first, &mut edges) }
        }
        before += level.ports;
        (size, inner) = (size * level.blocks, level.blocks);
    }
    edges
}

/// A level, and what it joins.
struct Joint<'a> {
    level: &'a Level,
    /// Routers of a block.
    size: u32,
    /// Blocks in such a block.
    inner: u32,
    /// Ports of a router that belong to the levels below.
    before: u32,
}

impl Joint<'_> {
    fn edge(&self, class: LinkClass, [(from, out), (to, into)]: [(u32, u32); 2]) -> Edge {
        let port = |port: u32| Some((self.before + port) as u16);
        Edge { ends: [from, to], class, link_type: self.level.link, ports: [port(out), port(into)] }
    }

    /// All routers from the first one on, by neighbor.
    fn complete(&self, first: u32, edges: &mut Vec<Edge>) {
        let &Level { blocks, joined, .. } = self.level;
        for router in 0..blocks {
            for other in router + 1..blocks {
                let ends = |copy| {
                    [(first + router, (other - 1) * joined + copy), (first + other, router * joined + copy)]
                };
                edges.extend((0..joined).map(|copy| self.edge(LinkClass::Local, ends(copy))));
            }
        }
    }

    /// The blocks from a router on.
    fn between(&self, first: u32, edges: &mut Vec<Edge>) {
        let &Level { blocks, joined, arrangement, .. } = self.level;
        let round = blocks - 1;
        for block in 0..blocks {
            for k in 0..joined * round {
                let (turn, copy) = (k % round, k / round);
                let there = match arrangement {
                    Arrangement::Palmtree => (block + round - turn) % blocks,
                    Arrangement::Consecutive | Arrangement::Fold => (block + turn + 1) % blocks,
                };
                if block < there {
                    let end = |block: u32, k| {
                        let (router, port) = self.holder(k);
                        (first + block * self.size + router, port)
                    };
                    let met = copy * round + round - 1 - turn;
                    edges.push(self.edge(LinkClass::Global, [end(block, k), end(there, met)]));
                }
            }
        }
    }

    /// The router of a block that has port k, and which of its ports of this level that is.
    fn holder(&self, k: u32) -> (u32, u32) {
        let &Level { blocks, joined, ports, arrangement, .. } = self.level;
        let round = blocks - 1;
        let (offset, copy) = (k % round + 1, k / round);
        match arrangement {
            Arrangement::Consecutive if round == self.size => {
                ((k % round + copy * (self.size / joined)) % self.size, copy)
            }
            Arrangement::Consecutive | Arrangement::Palmtree => (k / ports, k % ports),
            Arrangement::Fold => {
                // Pairs of an offset and its opposite, copy by copy: a router has half as many as ports.
                let pair = copy * (round / 2) + offset.min(blocks - offset) - 1;
                let (place, half) = (pair / (ports / 2), pair % (ports / 2));
                let router = place % self.inner * (self.size / self.inner) + place / self.inner;
                (router, 2 * half + u32::from(2 * offset > blocks))
            }
        }
    }
}
