//! Builds the topology that a setting of the OCS mirrors makes, by the rules of the spec: the meshes of the
//! cubes, and one fiber link per cross-connect.

use crate::CheckError;
use fabc_base::ids::{Id, IdVec, LinkId, NodeId, OcsId, PortId};
use fabc_ir::{CrossConnect, CrossConnects, End, Link, LinkClass, Mirrors, RouterNames, Symmetry, Topology};
use fabc_model::{CoupleRule, Fabric, FacePort, PORT_NAMES, Pod};
use std::collections::BTreeMap;

/// The topology of a setting, without symmetry, and the cross-connect of every link. Both are verified
/// against the spec.
///
/// # Errors
/// A port that does not exist, or one that two cross-connects use.
pub(super) fn topology_of_mirrors(
    fabric: &Fabric,
    pod: &Pod,
    mirrors: &Mirrors,
) -> Result<(Topology, CrossConnects), CheckError> {
    let mut links = mesh_links(pod);
    let mut ocs_at_end: BTreeMap<End, (OcsId, [u32; 2])> = BTreeMap::new();
    for (id, pairs) in mirrors.enumerate() {
        let ocs = &pod.ocses[id];
        let second = if ocs.rule == CoupleRule::Sided { &ocs.b } else { &ocs.a };
        for &[a, b] in pairs {
            let violation = |text: &str| CheckError::CrossConnect {
                ocs: ocs.name.clone(),
                violation: text.to_owned(),
                span: Some(ocs.span),
            };
            let (Some(&from), Some(&to)) = (ocs.a.get(a as usize), second.get(b as usize)) else {
                return Err(violation("it is set to a port that does not exist"));
            };
            let [from, to] = [from, to].map(|FacePort { node, port, .. }| End { node, port });
            for end in [from, to] {
                if ocs_at_end.insert(end, (id, [a, b])).is_some() {
                    return Err(violation("a port is joined to two ports at the same time"));
                }
            }
            links.push(Link {
                a: from,
                b: to,
                class: LinkClass::Global,
                link_type: ocs.link,
                simplex: false,
            });
        }
    }
    let symmetry = Symmetry::trivial(pod.chips_per_cube(), pod.cubes);
    let topology = Topology::new(PORT_NAMES.len(), links, symmetry).named(RouterNames::Cubes(pod.cube.dims));
    let topology = topology.with_capacities(fabric.capacities.clone());
    let mut settings: IdVec<OcsId, Vec<CrossConnect>> = IdVec::filled(Vec::new(), pod.ocses.len());
    let mut ocs_of: IdVec<LinkId, Option<OcsId>> = IdVec::filled(None, topology.links().len());
    for (link, ends) in topology.links().enumerate().filter(|(_, link)| link.class == LinkClass::Global) {
        if let Some(&(ocs, [a, b])) = ocs_at_end.get(&ends.a) {
            settings[ocs].push(CrossConnect { a, b, link });
            ocs_of[link] = Some(ocs);
        }
    }
    for ocs in pod.ocses.ids() {
        settings[ocs].sort_unstable();
    }
    let cross_connects = CrossConnects { settings, ocs_of };
    super::verify_wiring(fabric, &topology, Some(&cross_connects))?;
    Ok((topology, cross_connects))
}

/// The mesh links of all cubes.
fn mesh_links(pod: &Pod) -> Vec<Link> {
    let mut links = Vec::new();
    for node in (0..pod.node_count()).map(NodeId::new) {
        let position = pod.coordinates(node);
        for axis in (0..3).filter(|&axis| position[axis] + 1 < pod.cube.dims[axis]) {
            let mut neighbor_position = position;
            neighbor_position[axis] += 1;
            let neighbor = pod.node(pod.cube_of(node), neighbor_position);
            let [a, b] = [(node, 2 * axis), (neighbor, 2 * axis + 1)]
                .map(|(node, port)| End { node, port: PortId::new(port) });
            links.push(Link { a, b, class: LinkClass::Local, link_type: pod.cube.mesh, simplex: false });
        }
    }
    links
}
