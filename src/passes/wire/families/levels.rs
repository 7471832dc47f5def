//! Nested groups: complete graphs of routers, blocks of those, blocks of blocks, joined level by level.
//!
//! The ports that the routers of a block use for a level are numbered consecutively. Consider port k < joined
//! (n - 1) of a block, with t = k mod (n - 1). It leads `t + 1` blocks ahead (`palmtree`: back). There it
//! meets port n - 2 - t of the same copy k div (n - 1).
//!
//! `consecutive` gives every router one port of a copy, where the numbers allow this. It begins every copy at
//! another router, so that the cables between two blocks are on different routers. Otherwise, and in a
//! `palmtree`, router k / ports has port k. `fold` gives a router the cable to the block ahead by some offset
//! and the one to the block as far back. It goes through the blocks inside before it takes a second router of
//! one.
//!
//! Source: the software-defined TSP multiprocessor (ISCA 2022), whose figures leave the arrangements open.
//! Cost: linear in the links.

use crate::wire::edge::UnnumberedLink;
use fabc_ir::LinkClass;
use fabc_model::{Arrangement, FamilyFacts, Level, Levels};

/// The links of nested groups, from the innermost level out.
pub(super) fn edges(levels: &Levels) -> Vec<UnnumberedLink> {
    let routers = levels.router_count() as u32;
    let (mut block_size, mut blocks_inside, mut ports_below) = (1, 1, 0);
    let mut edges = Vec::new();
    for level in &levels.0 {
        let joint = LevelJoin { level, size: block_size, blocks_inside, ports_below };
        for first in (0..routers).step_by((block_size * level.blocks) as usize) {
            if block_size == 1 {
                joint.join_routers(first, &mut edges)
            } else {
                joint.join_blocks(first, &mut edges)
            }
        }
        ports_below += level.ports;
        (block_size, blocks_inside) = (block_size * level.blocks, level.blocks);
    }
    edges
}

/// The joining of one level.
struct LevelJoin<'a> {
    level: &'a Level,
    /// Routers of a block that this level joins.
    size: u32,
    /// Blocks of the level below in such a block.
    blocks_inside: u32,
    /// Ports of a router that belong to the levels below.
    ports_below: u32,
}

impl LevelJoin<'_> {
    fn edge(&self, class: LinkClass, router_ports: [(u32, u32); 2]) -> UnnumberedLink {
        let [(from, out), (to, into)] = router_ports;
        let port = |port: u32| Some((self.ports_below + port) as u16);
        UnnumberedLink { ends: [from, to], class, link_type: self.level.link, ports: [port(out), port(into)] }
    }

    /// Joins all routers of an innermost group, which starts at router `first`.
    fn join_routers(&self, first: u32, edges: &mut Vec<UnnumberedLink>) {
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

    /// Joins the blocks of a larger block, which starts at router `first`.
    fn join_blocks(&self, first: u32, edges: &mut Vec<UnnumberedLink>) {
        let &Level { blocks, joined, arrangement, .. } = self.level;
        let other_blocks = blocks - 1;
        for block in 0..blocks {
            for k in 0..joined * other_blocks {
                let (offset, copy) = (k % other_blocks, k / other_blocks);
                let other_block = match arrangement {
                    Arrangement::Palmtree => (block + other_blocks - offset) % blocks,
                    Arrangement::Consecutive | Arrangement::Fold => (block + offset + 1) % blocks,
                };
                if block < other_block {
                    let end_at = |block: u32, k| {
                        let (router, port) = self.port_holder(k);
                        (first + block * self.size + router, port)
                    };
                    let met_port = copy * other_blocks + other_blocks - 1 - offset;
                    edges.push(
                        self.edge(LinkClass::Global, [end_at(block, k), end_at(other_block, met_port)]),
                    );
                }
            }
        }
    }

    /// The router of a block that has port k, and the number of that port among its ports of this level.
    fn port_holder(&self, k: u32) -> (u32, u32) {
        let &Level { blocks, joined, ports, arrangement, .. } = self.level;
        let other_blocks = blocks - 1;
        let (offset, copy) = (k % other_blocks + 1, k / other_blocks);
        match arrangement {
            Arrangement::Consecutive if other_blocks == self.size => {
                ((k % other_blocks + copy * (self.size / joined)) % self.size, copy)
            }
            Arrangement::Consecutive | Arrangement::Palmtree => (k / ports, k % ports),
            Arrangement::Fold => {
                // Pairs of an offset and its opposite, copy by copy. A router has half as many pairs as
                // ports.
                let pair = copy * (other_blocks / 2) + offset.min(blocks - offset) - 1;
                let (half_ports_before, half) = (pair / (ports / 2), pair % (ports / 2));
                let router = half_ports_before % self.blocks_inside * (self.size / self.blocks_inside)
                    + half_ports_before / self.blocks_inside;
                (router, 2 * half + u32::from(2 * offset > blocks))
            }
        }
    }
}
