//! Verifies that the links of a pod are those of the spec: meshes of copper, and one fiber link per
//! cross-connect of an OCS.

use crate::CheckError;
use fabc_base::ids::{BlockId, Id, IdVec, LinkId, NodeId, PortId};
use fabc_ir::{CrossConnect, CrossConnects, Link, LinkClass, Topology};
use fabc_model::{CoupleRule, Fabric, FacePort, Ocs, PORT_NAMES, Pod};

/// Verifies size, links and cross-connects.
pub(super) fn verify_wiring(
    fabric: &Fabric,
    pod: &Pod,
    topology: &Topology,
    cross_connects: &CrossConnects,
) -> Result<(), CheckError> {
    let reject = |violation: String| Err(CheckError::Wiring { violation, span: Some(fabric.span) });
    if topology.node_count() != pod.node_count() || topology.ports() != PORT_NAMES.len() {
        let (nodes, ports) = (topology.node_count(), topology.ports());
        return reject(format!(
            "{nodes} routers with {ports} ports, but the spec has {} with {}",
            pod.node_count(),
            PORT_NAMES.len()
        ));
    }
    if cross_connects.settings.len() != pod.ocses.len()
        || cross_connects.ocs_of.len() != topology.links().len()
    {
        return reject("the cross-connects belong to other switches or other links".to_owned());
    }
    verify_copper(pod, topology, cross_connects)?;
    verify_fibers(fabric, pod, topology, cross_connects)?;
    if topology.symmetry().block_size() != pod.chips_per_cube() as usize {
        return Err(CheckError::symmetry(format!(
            "it moves blocks of {} routers, not cubes",
            topology.symmetry().block_size()
        )));
    }
    Ok(())
}

/// Verifies that every neighboring pair of a cube has its one copper link, and that there is no other
/// copper.
fn verify_copper(pod: &Pod, topology: &Topology, cross_connects: &CrossConnects) -> Result<(), CheckError> {
    let reject = |violation: String| Err(CheckError::Wiring { violation, span: Some(pod.cube.span) });
    let mut expected = 0;
    for cube in (0..pod.cubes).map(BlockId) {
        for local in 0..pod.chips_per_cube() {
            let node = NodeId(cube.0 * pod.chips_per_cube() + local);
            for axis in 0..3usize {
                let mut neighbor_position = pod.coordinates(node);
                neighbor_position[axis] += 1;
                if neighbor_position[axis] == pod.cube.dims[axis] {
                    continue;
                }
                let neighbor = pod.node(cube, neighbor_position);
                let (port, back) = (PortId::new(2 * axis), PortId::new(2 * axis + 1));
                let link = topology.outgoing(node, port).filter(|&channel| {
                    let (link, target) = (topology.link(channel), topology.target(channel));
                    target.node == neighbor
                        && target.port == back
                        && link.class == LinkClass::Local
                        && link.link_type == pod.cube.mesh
                });
                if link.is_none() {
                    let (from, to, port) =
                        (pod.node_name(node), pod.node_name(neighbor), PORT_NAMES[port.index()]);
                    return reject(format!("the copper link from {from}.{port} to {to} is missing"));
                }
                expected += 1;
            }
        }
    }
    let copper: Vec<LinkId> =
        topology.links().ids().filter(|&id| topology.links()[id].class == LinkClass::Local).collect();
    if copper.len() != expected {
        return reject(format!(
            "{} copper links, but the meshes of {} cubes have {expected}",
            copper.len(),
            pod.cubes
        ));
    }
    match copper.into_iter().find(|&id| cross_connects.ocs_of[id].is_some()) {
        Some(id) => reject(format!("{} is copper, but runs through an OCS", topology.link_name(id))),
        None => Ok(()),
    }
}

/// Verifies that switches can take their settings, and that settings and fiber links correspond one to one.
fn verify_fibers(
    fabric: &Fabric,
    pod: &Pod,
    topology: &Topology,
    cross_connects: &CrossConnects,
) -> Result<(), CheckError> {
    let mut runs_through: IdVec<LinkId, bool> = IdVec::filled(false, topology.links().len());
    for (id, ocs) in pod.ocses.enumerate() {
        let reject = |violation: String| {
            Err(CheckError::CrossConnect { ocs: ocs.name.clone(), violation, span: Some(ocs.span) })
        };
        let settings = &cross_connects.settings[id];
        verify_matching(pod, ocs, settings)?;
        for setting in settings {
            let [a, b] = face_ports(ocs, setting);
            let names = || format!("{} - {}", pod.face_port_name(a), pod.face_port_name(b));
            let Some(link) = topology.links().get(setting.link) else {
                return reject(format!(
                    "{} is claimed to carry link {}, which does not exist",
                    names(),
                    setting.link
                ));
            };
            if !connects(link, a, b) {
                let (name, other) = (names(), topology.link_name(setting.link));
                return reject(format!("{name} is claimed to carry {other}, which has other ends"));
            }
            if link.class != LinkClass::Global || link.link_type != ocs.link {
                return reject(format!(
                    "{} must be a link of `{}`",
                    names(),
                    fabric.link_types[ocs.link].name
                ));
            }
            if cross_connects.ocs_of[setting.link] != Some(id) {
                return reject(format!(
                    "{} is set here, but link {} is listed under another switch",
                    names(),
                    setting.link
                ));
            }
            if std::mem::replace(&mut runs_through[setting.link], true) {
                return reject(format!("{} carries a link that runs through an OCS already", names()));
            }
        }
    }
    let dangling =
        topology.links().enumerate().find(|&(id, link)| link.class == LinkClass::Global && !runs_through[id]);
    if let Some((id, _)) = dangling {
        let name = topology.link_name(id);
        return match cross_connects.ocs_of[id].and_then(|ocs| pod.ocses.get(ocs)) {
            Some(ocs) => Err(CheckError::CrossConnect {
                ocs: ocs.name.clone(),
                violation: format!("no cross-connect is set for the link {name}"),
                span: Some(ocs.span),
            }),
            None => Err(CheckError::Wiring {
                violation: format!("the fiber link {name} runs through no OCS"),
                span: Some(fabric.span),
            }),
        };
    }
    Ok(())
}

/// Verifies that settings ascend, and that they use every port at most once, by the rule of the switch.
fn verify_matching(pod: &Pod, ocs: &Ocs, settings: &[CrossConnect]) -> Result<(), CheckError> {
    let reject = |violation: String| {
        Err(CheckError::CrossConnect { ocs: ocs.name.clone(), violation, span: Some(ocs.span) })
    };
    let mut used = [vec![false; ocs.a.len()], vec![false; ocs.b.len()]];
    let second = if ocs.rule == CoupleRule::Sided { 1 } else { 0 };
    for (k, setting) in settings.iter().enumerate() {
        for (side, index) in [(0, setting.a), (second, setting.b)] {
            let Some(slot) = used[side].get_mut(index as usize) else {
                return reject(format!(
                    "cross-connect {k} uses port {index} of side {}, which does not exist",
                    ["A", "B"][side]
                ));
            };
            if std::mem::replace(slot, true) {
                let port =
                    pod.face_port_name(if side == 0 { ocs.a[index as usize] } else { ocs.b[index as usize] });
                return reject(format!("{port} is joined to two ports at the same time"));
            }
        }
        if ocs.rule == CoupleRule::Any && setting.a >= setting.b {
            return reject(format!("cross-connect {k} must name the smaller port first"));
        }
        if k > 0 && settings[k - 1].a >= setting.a {
            return reject(format!("cross-connect {k} is out of order"));
        }
    }
    Ok(())
}

/// The two face ports that a setting connects. Its indices must be in range.
fn face_ports(ocs: &Ocs, setting: &CrossConnect) -> [FacePort; 2] {
    let second = if ocs.rule == CoupleRule::Sided { &ocs.b } else { &ocs.a };
    [ocs.a[setting.a as usize], second[setting.b as usize]]
}

fn connects(link: &Link, a: FacePort, b: FacePort) -> bool {
    let (from, to) = ((a.node, a.port), (b.node, b.port));
    let link = ((link.a.node, link.a.port), (link.b.node, link.b.port));
    link == (from, to) || link == (to, from)
}
