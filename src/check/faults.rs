//! The faults that a fabric tolerates: their names, their images under the symmetry, and the links that they
//! darken.
//!
//! Input: the budget of the spec, and for faults of links and routers the topology, whose symmetry maps
//! faults to each other. Output: the list that a directory must serve. `ir/scenario.rs` makes the compiler's
//! list. This list is found by other means: sets of switches by counting up, orbits of links and routers by
//! a union-find, and classes of a folded Clos network by walking.

mod fault;
mod shifts;

pub(super) use fault::{Failed, ToleratedFault, file_name_part};

use super::CheckError;
use fabc_base::ids::{BlockId, Id, LinkId, NodeId, OcsId};
use fabc_ir::{End, FaultSymmetry, Image, Scenario, Symmetry, Topology};
use fabc_model::{Fabric, Faults, Pod};
use fault::{port_name, router_name};
use std::borrow::Borrow;
use std::collections::BTreeMap;

/// The healthy fabric and all faults that must be served. `topology` is called only where links or routers
/// may fail.
pub(super) fn tolerated_faults<T: Borrow<Topology>>(
    fabric: &Fabric,
    topology: impl FnOnce() -> Result<T, CheckError>,
) -> Result<Vec<ToleratedFault>, CheckError> {
    let faults = match fabric.budget.faults {
        Faults::Ocses(max_switches) => {
            fabric.pod().map_or_else(Vec::new, |pod| switch_faults(pod, max_switches as usize))
        }
        Faults::Link | Faults::Router => {
            let topology = topology()?;
            let topology = topology.borrow();
            match (fabric.clos_shifts(), fabric.budget.faults) {
                (Some(shifts), Faults::Link) => shifts::cable_faults(fabric, topology, &shifts)?,
                (Some(shifts), _) => shifts::switch_faults(fabric, topology, &shifts)?,
                (None, Faults::Link) => link_faults(fabric, topology),
                (None, _) => router_faults(fabric, topology),
            }
        }
    };
    let healthy = ToleratedFault { name: "nominal".to_owned(), failed: Failed::Nothing, images: Vec::new() };
    Ok(std::iter::once(healthy).chain(faults).collect())
}

/// Compares the compiler's list of scenarios with the list found here.
///
/// # Errors
/// The first fault that is missing, superfluous, misnamed, or has other images.
pub fn verify_faults(fabric: &Fabric, topology: &Topology, claimed: &[Scenario]) -> Result<(), CheckError> {
    let expected = tolerated_faults(fabric, || Ok(topology))?;
    let mismatch = |index: usize, violation: String| {
        Err(CheckError::Shape { scenario: format!("fault {index}"), violation })
    };
    if claimed.len() != expected.len() {
        return mismatch(
            expected.len(),
            format!("{} scenarios, but there must be {}", claimed.len(), expected.len()),
        );
    }
    for (index, (claimed, fault)) in claimed.iter().zip(&expected).enumerate() {
        let failed = match &claimed.fault {
            fabc_ir::ScenarioFault::None => Failed::Nothing,
            fabc_ir::ScenarioFault::Link(link) => Failed::Link(topology.links()[*link].a),
            fabc_ir::ScenarioFault::Router(chip) => Failed::Router(*chip),
            fabc_ir::ScenarioFault::Switches(dark) => Failed::Switches(dark.clone()),
        };
        let listed = ToleratedFault { name: claimed.name.clone(), failed, images: claimed.images.clone() };
        if listed != *fault {
            return mismatch(
                index,
                format!(
                    "`{}` is listed in the place of `{}`: {listed:?} instead of {fault:?}",
                    listed.name, fault.name
                ),
            );
        }
    }
    Ok(())
}

/// Sets of one switch, of two, and so on, each in ascending order. The last digit counts up first.
fn switch_faults(pod: &Pod, max_switches: usize) -> Vec<ToleratedFault> {
    let count = pod.ocses.len();
    let mut faults = Vec::new();
    for size in 1..=max_switches.min(count) {
        let mut digits: Vec<usize> = (0..size).collect();
        loop {
            let names: Vec<&str> =
                digits.iter().map(|&ocs| pod.ocses[OcsId::new(ocs)].name.as_str()).collect();
            let failed = Failed::Switches(digits.iter().map(|&ocs| OcsId::new(ocs)).collect());
            faults.push(ToleratedFault { name: names.join("+"), failed, images: Vec::new() });
            let Some(digit) = (0..size).rev().find(|&digit| digits[digit] + (size - digit) < count) else {
                break;
            };
            digits[digit] += 1;
            for later in digit + 1..size {
                digits[later] = digits[later - 1] + 1;
            }
        }
    }
    faults
}

/// One link of every orbit under the symmetry.
fn link_faults(fabric: &Fabric, topology: &Topology) -> Vec<ToleratedFault> {
    let moves = moves(topology.symmetry());
    // The source of a single channel comes first, because another channel may run back between the same
    // ports.
    let key = |simplex: bool, [first, second]: [End; 2]| {
        if simplex || first < second { [first, second] } else { [second, first] }
    };
    let by_ends: BTreeMap<[End; 2], usize> = topology
        .links()
        .iter()
        .enumerate()
        .map(|(link_index, link)| (key(link.simplex, [link.a, link.b]), link_index))
        .collect();
    let image = |link_index: usize, blocks: &[u32]| {
        let link = topology.links()[LinkId::new(link_index)];
        let ends = [link.a, link.b]
            .map(|end| End { node: image_of_router(topology, end.node, blocks), port: end.port });
        by_ends.get(&key(link.simplex, ends)).copied()
    };
    let name = |link_index: usize| {
        let end = topology.links()[LinkId::new(link_index)].a;
        format!("{}.{}", router_name(fabric, topology, end.node), port_name(fabric, end.port))
    };
    let failed = |link_index: usize| Failed::Link(topology.links()[LinkId::new(link_index)].a);
    one_fault_per_orbit(topology.links().len(), &moves, image, name, failed)
}

/// One router of every orbit under the symmetry.
fn router_faults(fabric: &Fabric, topology: &Topology) -> Vec<ToleratedFault> {
    let image =
        |router: usize, blocks: &[u32]| Some(image_of_router(topology, NodeId::new(router), blocks).index());
    let name = |router: usize| router_name(fabric, topology, NodeId::new(router));
    one_fault_per_orbit(topology.node_count(), &moves(topology.symmetry()), image, name, |router| {
        Failed::Router(NodeId::new(router))
    })
}

/// Partitions things into orbits by the images under the moves. The first thing of an orbit represents it.
/// The others are its images, in the order of the first move that leads to each.
fn one_fault_per_orbit(
    things: usize,
    moves: &[Vec<u32>],
    image: impl Fn(usize, &[u32]) -> Option<usize>,
    name: impl Fn(usize) -> String,
    failed: impl Fn(usize) -> Failed,
) -> Vec<ToleratedFault> {
    let mut parent: Vec<usize> = (0..things).collect();
    for thing in 0..things {
        for other in moves.iter().filter_map(|blocks| image(thing, blocks)) {
            let (thing_root, other_root) = (find_root(&mut parent, thing), find_root(&mut parent, other));
            // The smaller root remains the root.
            parent[thing_root.max(other_root)] = thing_root.min(other_root);
        }
    }
    let mut faults = Vec::new();
    for first in (0..things).filter(|&thing| parent[thing] == thing) {
        let mut reached: BTreeMap<usize, usize> = BTreeMap::new();
        for (index, blocks) in moves.iter().enumerate().rev() {
            // The earliest move is entered last, and overwrites later ones.
            if let Some(thing) = image(first, blocks).filter(|&thing| thing != first) {
                reached.insert(thing, index);
            }
        }
        let mut order: Vec<(usize, usize)> =
            reached.into_iter().map(|(thing, index)| (index, thing)).collect();
        order.sort_unstable();
        let images = order
            .into_iter()
            .map(|(index, thing)| {
                let blocks = moves[index].iter().map(|&block| BlockId(block)).collect();
                Image { scenario: name(thing), symmetry: FaultSymmetry::Blocks(blocks) }
            })
            .collect();
        faults.push(ToleratedFault { name: name(first), failed: failed(first), images });
    }
    faults
}

fn find_root(parent: &mut [usize], mut thing: usize) -> usize {
    while parent[thing] != thing {
        parent[thing] = parent[parent[thing]];
        thing = parent[thing];
    }
    thing
}

/// `[element][block]`: the images of all blocks under every element of the group, ascending.
fn moves(symmetry: &Symmetry) -> Vec<Vec<u32>> {
    let row = |g: usize| {
        (0..symmetry.blocks()).map(|block| symmetry.image_block(g, BlockId::new(block)).0).collect()
    };
    let mut moves: Vec<Vec<u32>> = (0..symmetry.order()).map(row).collect();
    moves.sort_unstable();
    moves
}

/// The router at the same place of the image of its block.
fn image_of_router(topology: &Topology, node: NodeId, blocks: &[u32]) -> NodeId {
    let size = (topology.node_count() / blocks.len()) as u32;
    NodeId(blocks[(node.0 / size) as usize] * size + node.0 % size)
}
