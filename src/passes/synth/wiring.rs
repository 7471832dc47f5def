//! From fibers to a topology: adds the copper of every cube and finds the translation symmetry.

use super::{SynthError, torus};
use fabc_base::ids::{BlockId, Id, LinkTypeId, NodeId, PortId};
use fabc_ir::{End, Link, LinkClass, Mirrors, RouterNames, Symmetry, Topology};
use fabc_model::{Demand, Fabric, FacePort, PORT_NAMES, Pod};
use std::collections::BTreeMap;

/// The topology of switches that are set to these mirrors, between two topologies of a plan. Its symmetry
/// is not searched.
pub fn topology_from_mirrors(fabric: &Fabric, pod: &Pod, mirrors: &Mirrors) -> Topology {
    let mut links = mesh(pod);
    for (id, ocs) in pod.ocses.enumerate() {
        let end = |face: FacePort| End { node: face.node, port: face.port };
        let fiber = |&pair: &[u32; 2]| {
            let [a, b] = ocs.faces(pair).map(end);
            Link { a, b, class: LinkClass::Global, link_type: ocs.link, simplex: false }
        };
        links.extend(mirrors[id].iter().map(fiber));
    }
    let symmetry = Symmetry::trivial(pod.chips_per_cube(), pod.cubes);
    let topology = Topology::new(PORT_NAMES.len(), links, symmetry).named(RouterNames::Cubes(pod.cube.dims));
    topology.with_capacities(fabric.capacities.clone())
}

/// The topology of a pod whose cubes are each wrapped on themselves: one torus per cube, without a fiber
/// between two cubes. No spec can ask for it. Its symmetry is not searched.
pub fn wrapped_cubes(pod: &Pod) -> Topology {
    let fibers = torus::wrapped_cubes(pod);
    let links = linked(pod, &fibers, &fiber_types(pod));
    let symmetry = Symmetry::trivial(pod.chips_per_cube(), pod.cubes);
    Topology::new(PORT_NAMES.len(), links, symmetry).named(RouterNames::Cubes(pod.cube.dims))
}

/// The topology with these fibers and the copper meshes.
///
/// # Errors
/// [`SynthError::Disconnected`] if they do not connect the pod.
pub(super) fn topology_from_fibers(
    pod: &Pod,
    demand: &Demand,
    fibers: &[[FacePort; 2]],
) -> Result<Topology, SynthError> {
    let link_of = fiber_types(pod);
    let links = linked(pod, fibers, &link_of);
    let symmetry = translations(pod, demand, fibers, &link_of);
    let topology = Topology::new(PORT_NAMES.len(), links, symmetry).named(RouterNames::Cubes(pod.cube.dims));
    check_connected(pod, &topology)?;
    Ok(topology)
}

/// The type of the fiber at every face port that an OCS serves.
fn fiber_types(pod: &Pod) -> BTreeMap<FacePort, LinkTypeId> {
    pod.ocses.iter().flat_map(|ocs| ocs.a.iter().chain(&ocs.b).map(|&face| (face, ocs.link))).collect()
}

/// The copper links of all cubes, then the fibers.
fn linked(pod: &Pod, fibers: &[[FacePort; 2]], link_of: &BTreeMap<FacePort, LinkTypeId>) -> Vec<Link> {
    let mut links = mesh(pod);
    for [a, b] in fibers {
        // `cross_connect` reports a port without an OCS by name. Any fiber type will do until then.
        let link_type = link_of.get(a).copied().unwrap_or(pod.cube.mesh);
        let end = |face: &FacePort| End { node: face.node, port: face.port };
        links.push(Link { a: end(a), b: end(b), class: LinkClass::Global, link_type, simplex: false });
    }
    links
}

/// The copper links of all cubes.
fn mesh(pod: &Pod) -> Vec<Link> {
    let dims = pod.cube.dims;
    let mut links = Vec::new();
    for node in (0..pod.node_count()).map(fabc_base::ids::NodeId::new) {
        let position = pod.coordinates(node);
        for dimension in 0..3 {
            if position[dimension] + 1 < dims[dimension] {
                let mut next = position;
                next[dimension] += 1;
                links.push(Link {
                    a: End { node, port: PortId::new(dimension * 2) },
                    b: End { node: pod.node(pod.cube_of(node), next), port: PortId::new(dimension * 2 + 1) },
                    class: LinkClass::Local,
                    link_type: pod.cube.mesh,
                    simplex: false,
                });
            }
        }
    }
    links
}

/// All permutations of the cubes that keep the demand, and every fiber with its link type (and the set of
/// coupled face ports). The image of cube 0 determines each of them.
fn translations(
    pod: &Pod,
    demand: &Demand,
    fibers: &[[FacePort; 2]],
    coupled: &BTreeMap<FacePort, LinkTypeId>,
) -> Symmetry {
    let chips = pod.chips_per_cube();
    let cubes = pod.cubes as usize;
    // `wired_to[port of a cube][cube]`: the far end of the port, as (port of a cube, cube). A coupled port
    // without fiber counts as dark, which differs from a port that no OCS serves.
    const DARK: (u32, u32) = (u32::MAX, 1);
    const UNCOUPLED: (u32, u32) = (u32::MAX, 0);
    let local = |face: &FacePort| (face.node.0 % chips) * PORT_NAMES.len() as u32 + u32::from(face.port.0);
    let mut wired_to: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    for face in coupled.keys() {
        wired_to.entry(local(face)).or_insert_with(|| vec![UNCOUPLED; cubes])[face.cube.index()] = DARK;
    }
    for [a, b] in fibers {
        for (from, to) in [(a, b), (b, a)] {
            wired_to.entry(local(from)).or_insert_with(|| vec![UNCOUPLED; cubes])[from.cube.index()] =
                (local(to), to.cube.0);
        }
    }
    let rows: Vec<Vec<(u32, u32)>> = wired_to.into_values().collect();
    let mut elements: Vec<Vec<BlockId>> = Vec::new();
    for first in 0..pod.cubes {
        if let Some(element) = translation_to(&rows, cubes, first) {
            elements.push(element);
        }
    }
    // Fibers of other types may carry less.
    let types: BTreeMap<FacePort, LinkTypeId> =
        fibers.iter().flatten().filter_map(|face| Some((*face, *coupled.get(face)?))).collect();
    let alike = types.values().all(|link_type| Some(link_type) == types.values().next());
    elements.retain(|element| {
        alike
            || types.iter().all(|(face, link_type)| {
                let cube = element[face.cube.index()];
                let image =
                    FacePort { cube, node: NodeId(cube.0 * chips + face.node.0 % chips), port: face.port };
                types.get(&image) == Some(link_type)
            })
    });
    // A permutation must keep the demand. Those that do form a subgroup.
    let image_of = |element: &[BlockId], node: NodeId| {
        NodeId(element[(node.0 / chips) as usize].0 * chips + node.0 % chips)
    };
    elements.retain(|element| demand.is_kept_by(|at| image_of(element, at)));
    // If the cubes are disconnected, one image does not determine an element. Then no symmetry is used.
    if elements.is_empty() { Symmetry::trivial(chips, pod.cubes) } else { Symmetry::new(chips, elements) }
}

/// The translation that takes cube 0 to `first`, if there is one.
fn translation_to(rows: &[Vec<(u32, u32)>], cubes: usize, first: u32) -> Option<Vec<BlockId>> {
    let mut image = vec![u32::MAX; cubes];
    let mut taken = vec![false; cubes];
    image[0] = first;
    taken[first as usize] = true;
    let mut open = vec![0usize];
    while let Some(cube) = open.pop() {
        for row in rows {
            let (source, image_row) = (row[cube], row[image[cube] as usize]);
            if source.0 != image_row.0 || (source.0 == u32::MAX && source.1 != image_row.1) {
                return None;
            }
            if source.0 == u32::MAX {
                continue;
            }
            match image[source.1 as usize] {
                u32::MAX => {
                    if std::mem::replace(&mut taken[image_row.1 as usize], true) {
                        return None;
                    }
                    image[source.1 as usize] = image_row.1;
                    open.push(source.1 as usize);
                }
                known if known != image_row.1 => return None,
                _ => {}
            }
        }
    }
    // A cube that was not reached is in another part of the pod, and nothing determines its image.
    (!image.contains(&u32::MAX)).then(|| image.into_iter().map(BlockId).collect())
}

/// Checks that the OCSes could join all cubes, whatever they are set to.
///
/// # Errors
/// [`SynthError::Disconnected`] if no setting connects the pod.
pub(super) fn check_joinable(pod: &Pod) -> Result<(), SynthError> {
    let mut joined = vec![false; pod.cubes as usize];
    joined[0] = true;
    let mut is_growing = true;
    while is_growing {
        is_growing = false;
        // A fiber leads from any face of side A to any face of side B. Without a side B both ends are in A.
        for ocs in pod.ocses.iter().filter(|ocs| !ocs.a.is_empty()) {
            let cubes = || ocs.a.iter().chain(&ocs.b).map(|face| face.cube.index());
            if cubes().any(|cube| joined[cube]) {
                for cube in cubes() {
                    is_growing |= !std::mem::replace(&mut joined[cube], true);
                }
            }
        }
    }
    let reached = joined.iter().filter(|joined| **joined).count();
    if reached == joined.len() {
        Ok(())
    } else {
        Err(disconnected(pod, reached * pod.chips_per_cube() as usize))
    }
}

fn check_connected(pod: &Pod, topology: &Topology) -> Result<(), SynthError> {
    let reached = topology.reachable(NodeId(0), |_| true).count_ones(..);
    if reached == topology.node_count() {
        return Ok(());
    }
    Err(disconnected(pod, reached))
}

/// The error of a pod of which only so many chips can be reached from the first one.
fn disconnected(pod: &Pod, reached: usize) -> SynthError {
    let dark = match pod.ocs_groups.len() {
        0 => "OCSes (none are declared)".to_owned(),
        _ => pod.ocs_groups.iter().map(|group| format!("`{}`", group.name)).collect::<Vec<_>>().join(", "),
    };
    SynthError::Disconnected {
        reached,
        nodes: pod.node_count(),
        from: pod.node_name(NodeId(0)),
        dark,
        span: pod.topology_span,
    }
}
