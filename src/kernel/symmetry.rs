//! Checks that a claimed symmetry is a group of automorphisms that acts freely.
//!
//! The symmetry carries everything canonical to the rest of the topology. So no other check means anything
//! before this one.

use crate::conviction::Conviction;
use crate::lit_graph::keeps_dark;
use fabc_topology::Demand;
use fabc_topology::ids::{BlockId, Id, NodeId};
use fabc_topology::{Scene, Symmetry, Topology};
use fixedbitset::FixedBitSet;

/// Checks the group itself: a list of permutations of the blocks that contains the identity and all products,
/// and whose other elements fix no block.
pub fn check_group(symmetry: &Symmetry) -> Result<(), Conviction> {
    let blocks = symmetry.blocks();
    let rows: Vec<Vec<BlockId>> = (0..symmetry.order())
        .map(|g| (0..blocks).map(|block| symmetry.image_block(g, BlockId::new(block))).collect())
        .collect();
    for (g, row) in rows.iter().enumerate() {
        let mut images = FixedBitSet::with_capacity(blocks);
        if row.iter().any(|image| image.index() >= blocks || images.put(image.index())) {
            return Err(Conviction::symmetry(format!("element {g} does not permute the blocks")));
        }
        let fixed = row.iter().enumerate().find(|&(block, image)| (block == image.index()) == (g != 0));
        if let Some((block, image)) = fixed {
            return Err(Conviction::symmetry(match g {
                0 => {
                    format!("its first element is not the identity, it takes block {block} to block {image}")
                }
                _ => format!("element {g} leaves block {block} in place"),
            }));
        }
    }
    check_closed(&rows)?;
    // These look-ups are what the other checks rely on.
    let size = symmetry.block_size();
    if symmetry.node_count() != blocks * size
        || symmetry.class_count() * symmetry.order() != symmetry.node_count()
    {
        let (nodes, classes) = (symmetry.node_count(), symmetry.class_count());
        return Err(Conviction::symmetry(format!(
            "{nodes} routers in {classes} classes do not form {blocks} blocks of {size}"
        )));
    }
    for node in (0..symmetry.node_count()).map(NodeId::new) {
        let (block, local) = (BlockId::new(node.index() / size), node.index() % size);
        if let Some(g) = (0..symmetry.order())
            .find(|&g| symmetry.image(g, node).index() != rows[g][block.index()].index() * size + local)
        {
            return Err(Conviction::symmetry(format!(
                "element {g} does not move node {node} with its block"
            )));
        }
        if symmetry.image(symmetry.element_to(node), symmetry.canonical_node(symmetry.class(node))) != node {
            return Err(Conviction::symmetry(format!(
                "node {node} is not the image of the canonical node of its class"
            )));
        }
    }
    for g in 0..symmetry.order() {
        let back = symmetry.image_block(symmetry.inverse(g), symmetry.image_block(g, BlockId(0)));
        if back != BlockId(0) {
            return Err(Conviction::symmetry(format!("element {g} has the wrong inverse")));
        }
    }
    Ok(())
}

/// Checks that the elements, which fix no block, are closed: after every element of a generating set, each
/// element gives an element again.
fn check_closed(rows: &[Vec<BlockId>]) -> Result<(), Conviction> {
    let mut element_to = vec![None; rows[0].len()];
    for (g, row) in rows.iter().enumerate() {
        if let Some(h) = element_to[row[0].index()].replace(g) {
            return Err(Conviction::symmetry(format!(
                "it is not a group that moves every block: elements {h} and {g} agree on block 0"
            )));
        }
    }
    let after = |g: usize, h: usize| {
        let product = |block: usize| rows[g][rows[h][block].index()];
        let element = element_to[product(0).index()]
            .filter(|&k: &usize| (0..rows[k].len()).all(|block| rows[k][block] == product(block)));
        element.ok_or_else(|| {
            Conviction::symmetry(format!("it is not a group: element {g} after element {h} is missing"))
        })
    };
    generate(rows.len(), after).map(|_| ())
}

/// A few elements from which `after` makes all the others. None of them is made from those before it. The
/// first element is the identity.
fn generate(
    order: usize,
    after: impl Fn(usize, usize) -> Result<usize, Conviction>,
) -> Result<Vec<usize>, Conviction> {
    let mut reached = FixedBitSet::with_capacity(order);
    reached.insert(0);
    let mut generators = Vec::new();
    for new in 1..order {
        if reached.contains(new) {
            continue;
        }
        generators.push(new);
        // Elements that were reached before meet the new generator alone. New elements meet all generators.
        let mut open: Vec<usize> = reached.ones().collect();
        let (old, mut next) = (open.len(), 0);
        while let Some(&h) = open.get(next) {
            let with = if next < old { &generators[generators.len() - 1..] } else { &generators[..] };
            for &g in with {
                let product = after(g, h)?;
                if !reached.put(product) {
                    open.push(product);
                }
            }
            next += 1;
        }
    }
    Ok(generators)
}

/// A generating set of a symmetry whose group was checked. What holds for its elements holds for all.
fn generators(symmetry: &Symmetry) -> Vec<usize> {
    let mut element_to = vec![0; symmetry.blocks()];
    for g in 0..symmetry.order() {
        element_to[symmetry.image_block(g, BlockId(0)).index()] = g;
    }
    let after = |g, h| Ok(element_to[symmetry.image_block(g, symmetry.image_block(h, BlockId(0))).index()]);
    generate(symmetry.order(), after).expect("every product is an element")
}

/// Checks the group, and that every element carries links onto links of the same ports, class and type.
pub fn check_automorphisms(topology: &Topology, symmetry: &Symmetry) -> Result<(), Conviction> {
    if symmetry.node_count() != topology.node_count() {
        let (has, is) = (symmetry.node_count(), topology.node_count());
        return Err(Conviction::symmetry(format!("it permutes {has} routers, but there are {is}")));
    }
    check_group(symmetry)?;
    let generators = generators(symmetry);
    for (id, link) in topology.links().enumerate() {
        for &g in &generators {
            let (a, b) = (symmetry.image(g, link.a.node), symmetry.image(g, link.b.node));
            let image = topology.outgoing(a, link.a.port).filter(|&channel| {
                let target = topology.target(channel);
                let image = topology.link(channel);
                target.node == b
                    && target.port == link.b.port
                    && image.class == link.class
                    && image.link_type == link.link_type
            });
            if image.is_none() {
                let (from, to) = (link.a.port, link.b.port);
                return Err(Conviction::symmetry(format!(
                    "element {g} maps link {id} to node {a} port {from}, but no such link leads from there to node {b} port {to}"
                )));
            }
        }
    }
    Ok(())
}

/// Checks that every element of a checked symmetry carries each pair of routers onto a pair of the same
/// weight.
pub fn check_demand_symmetry(symmetry: &Symmetry, demand: &Demand) -> Result<(), Conviction> {
    match generators(symmetry).into_iter().find(|&g| !demand.is_kept_by(|node| symmetry.image(g, node))) {
        None => Ok(()),
        Some(g) => Err(Conviction::symmetry(format!(
            "element {g} maps pairs of routers to pairs with another demand"
        ))),
    }
}

/// Checks a symmetry of the topology that also carries dark links onto dark ones.
pub fn check_lit_automorphisms(scene: &Scene<'_>, symmetry: &Symmetry) -> Result<(), Conviction> {
    check_automorphisms(scene.topology, symmetry)?;
    if keeps_dark(scene, symmetry) {
        return Ok(());
    }
    Err(Conviction::symmetry("it maps dark links to lit ones, so it is not a symmetry of this scenario"))
}
