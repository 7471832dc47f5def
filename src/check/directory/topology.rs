//! Reads `topology.json` and verifies its format against the spec.

use super::read::{contradiction, tagged};
use super::{Files, TOPOLOGY};
use crate::CheckError;
use fabc_base::ids::{Id, IdVec, LinkId, LinkTypeId, NodeId, OcsId, PortId};
use fabc_ir::read::{ClassLine, LinkKind, NetworkFile, NoGroup, TopologyFile, of_blocks};
use fabc_ir::{End, Link, LinkClass, RouterNames, Symmetry, Topology, router_names};
use fabc_model::{Fabric, PORT_NAMES, Plant, Pod};
use std::collections::{BTreeMap, BTreeSet};

/// Reads the topology, and the OCS that each of its links runs through. A network has no OCS.
pub(super) fn read_topology(
    files: &Files,
    fabric: &Fabric,
) -> Result<(Topology, IdVec<LinkId, Option<OcsId>>), CheckError> {
    match &fabric.plant {
        Plant::Pod(pod) => read_pod(files, fabric, pod),
        Plant::Network(_) => {
            let topology = read_network(files, fabric)?;
            let ocs_of = IdVec::filled(None, topology.links().len());
            Ok((topology, ocs_of))
        }
    }
}

fn read_pod(
    files: &Files,
    fabric: &Fabric,
    pod: &Pod,
) -> Result<(Topology, IdVec<LinkId, Option<OcsId>>), CheckError> {
    let file: TopologyFile = tagged(files, TOPOLOGY)?;
    let reject = |place: String, violation: String| Err(contradiction(TOPOLOGY, place, violation));
    verify_fabric_name(&file.fabric, fabric)?;
    if file.ports != PORT_NAMES {
        return reject("ports".to_owned(), format!("must be {PORT_NAMES:?}"));
    }
    verify_router_count(file.nodes.len(), fabric)?;
    for (k, line) in file.nodes.iter().enumerate() {
        let node = NodeId::new(k);
        if line.id as usize != k || line.cube != pod.cube_of(node).0 || line.at != pod.coordinates(node) {
            let (cube, at) = (pod.cube_of(node), pod.coordinates(node));
            return reject(format!("nodes[{k}]"), format!("must be router {k} at {at:?} of cube {cube}"));
        }
    }
    let by_name: BTreeMap<&str, OcsId> =
        pod.ocses.enumerate().map(|(id, ocs)| (ocs.name.as_str(), id)).collect();
    let mut ports = BTreeSet::new();
    let (mut links, mut ocs_of, mut cables) = (Vec::<Link>::new(), Vec::new(), Vec::new());
    for (k, line) in file.links.iter().enumerate() {
        let place = || format!("links[{k}]");
        if line.id as usize != k {
            return reject(place(), format!("has the id {}, but ids count from 0", line.id));
        }
        if line.length.is_some() != fabric.floor.is_some() {
            return reject(
                place(),
                "must have the length of its cable if the spec has a floor, and no length otherwise"
                    .to_owned(),
            );
        }
        for (end, (node, port)) in [("a", line.a), ("b", line.b)] {
            if node as usize >= pod.node_count() || usize::from(port) >= PORT_NAMES.len() {
                return reject(
                    format!("links[{k}].{end}"),
                    format!("[{node},{port}] is not a port of this pod"),
                );
            }
            if !ports.insert((node, port)) {
                let name = pod.node_name(NodeId(node));
                return reject(
                    format!("links[{k}].{end}"),
                    format!("{name}.{} carries two links", PORT_NAMES[usize::from(port)]),
                );
            }
        }
        let ends = [line.a, line.b].map(|(node, port)| End { node: NodeId(node), port: PortId(port) });
        if ends[0] >= ends[1] || links.last().is_some_and(|before| (before.a, before.b) >= (ends[0], ends[1]))
        {
            return reject(
                place(),
                "is out of order: links ascend by their ends, and name the smaller end first".to_owned(),
            );
        }
        let (class, ocs, link_type) = match (line.kind, &line.ocs) {
            (LinkKind::Copper, None) => (LinkClass::Local, None, pod.cube.mesh),
            (LinkKind::Copper, Some(ocs)) => {
                return reject(place(), format!("is copper, but runs through {ocs}"));
            }
            (LinkKind::Fiber, None) => return reject(place(), "is fiber, but names no OCS".to_owned()),
            (LinkKind::Fiber, Some(name)) => match by_name.get(name.as_str()) {
                Some(&id) => (LinkClass::Global, Some(id), pod.ocses[id].link),
                None => {
                    return reject(place(), format!("runs through {name}, which the spec does not declare"));
                }
            },
        };
        links.push(Link { a: ends[0], b: ends[1], class, link_type, simplex: false });
        cables.extend(line.length.map(|length| (length, link_type)));
        ocs_of.push(ocs);
    }
    let symmetry = read_symmetry(pod.chips_per_cube(), pod.cubes, &file.symmetry.generators, "cube")?;
    let topology = Topology::new(PORT_NAMES.len(), links, symmetry).named(RouterNames::Cubes(pod.cube.dims));
    let topology = topology.with_capacities(fabric.capacities.clone());
    Ok((if fabric.floor.is_some() { topology.with_cables(cables) } else { topology }, ocs_of.into()))
}

/// Reads the topology of a network. The predicate of its family verifies that it is the declared one.
fn read_network(files: &Files, fabric: &Fabric) -> Result<Topology, CheckError> {
    let file: NetworkFile = tagged(files, TOPOLOGY)?;
    let reject = |place: String, violation: String| Err(contradiction(TOPOLOGY, place, violation));
    verify_fabric_name(&file.fabric, fabric)?;
    verify_router_count(file.nodes.len(), fabric)?;
    let (names, mut hosts) = (router_names(fabric), Vec::new());
    for (k, line) in file.nodes.iter().enumerate() {
        let name = names.node(NodeId::new(k));
        if line.id as usize != k || line.name != name {
            return reject(format!("nodes[{k}]"), format!("must be router {k}, called `{name}`"));
        }
        hosts.push(line.hosts);
    }
    let types: BTreeMap<&str, LinkTypeId> =
        fabric.link_types.enumerate().map(|(id, link_type)| (link_type.name.as_str(), id)).collect();
    let mut taken = BTreeSet::new();
    let (mut links, mut lengths) = (Vec::<Link>::new(), Vec::new());
    for (k, line) in file.links.iter().enumerate() {
        let place = || format!("links[{k}]");
        if line.id as usize != k {
            return reject(place(), format!("has the id {}, but ids count from 0", line.id));
        }
        if line.length.is_some() != fabric.floor.is_some() {
            return reject(
                place(),
                "must have the length of its cable if the spec has a floor, and no length otherwise"
                    .to_owned(),
            );
        }
        lengths.extend(line.length);
        // Where links are single channels, output ports and input ports are numbered separately.
        for (end, (node, port), input) in [("a", line.a, false), ("b", line.b, line.simplex)] {
            if node as usize >= fabric.node_count() || port >= file.ports {
                return reject(
                    format!("links[{k}].{end}"),
                    format!("[{node},{port}] is not a port of this network"),
                );
            }
            if !taken.insert((node, port, input)) {
                let name = names.node(NodeId(node));
                return reject(
                    format!("links[{k}].{end}"),
                    format!("{name}.{} carries two links", names.port(PortId(port))),
                );
            }
        }
        let ends = [line.a, line.b].map(|(node, port)| End { node: NodeId(node), port: PortId(port) });
        let is_reversed = !line.simplex && ends[0] >= ends[1];
        if is_reversed || links.last().is_some_and(|before| (before.a, before.b) >= (ends[0], ends[1])) {
            let violation =
                "is out of order: links ascend by their ends, and a duplex link names the smaller end first";
            return reject(place(), violation.to_owned());
        }
        let Some(&link_type) = types.get(line.link.as_str()) else {
            return reject(place(), format!("is a link of `{}`, which the spec does not declare", line.link));
        };
        let class = match line.class {
            ClassLine::Local => LinkClass::Local,
            ClassLine::Global => LinkClass::Global,
        };
        links.push(Link { a: ends[0], b: ends[1], class, link_type, simplex: line.simplex });
    }
    if links.windows(2).any(|pair| pair[0].simplex != pair[1].simplex) {
        return reject("links".to_owned(), "must all have one channel, or all have two".to_owned());
    }
    let (size, blocks) = fabric.blocks();
    if file.symmetry.block != size {
        return reject(
            "symmetry.block".to_owned(),
            format!("says {}, but blocks have {size} routers", file.symmetry.block),
        );
    }
    let symmetry = read_symmetry(size, blocks, &file.symmetry.generators, "block")?;
    let cables: Vec<(u32, LinkTypeId)> =
        lengths.into_iter().zip(links.iter().map(|link| link.link_type)).collect();
    let topology = Topology::new(usize::from(file.ports), links, symmetry).with_hosts(hosts).named(names);
    let topology = topology.with_capacities(fabric.capacities.clone());
    Ok(if fabric.floor.is_some() { topology.with_cables(cables) } else { topology })
}

fn verify_fabric_name(name: &str, fabric: &Fabric) -> Result<(), CheckError> {
    if name == fabric.name {
        return Ok(());
    }
    let violation = format!("says `{name}`, but the spec declares `{}`", fabric.name);
    Err(contradiction(TOPOLOGY, "fabric", violation))
}

fn verify_router_count(routers: usize, fabric: &Fabric) -> Result<(), CheckError> {
    if routers == fabric.node_count() {
        return Ok(());
    }
    let violation = format!("has {routers} routers, but the spec declares {}", fabric.node_count());
    Err(contradiction(TOPOLOGY, "nodes", violation))
}

/// Closes the generators to a group that moves whole blocks (cubes in a pod) and fixes none.
fn read_symmetry(
    size: u32,
    blocks: u32,
    generators: &[Vec<u32>],
    word: &str,
) -> Result<Symmetry, CheckError> {
    of_blocks(size, blocks, generators).map_err(|error| {
        let place = |generator: usize| format!("symmetry.generators[{generator}]");
        match error {
            NoGroup::Length { generator, images } => {
                let violation =
                    format!("has {images} images for {} routers", u64::from(size) * u64::from(blocks));
                contradiction(TOPOLOGY, place(generator), violation)
            }
            NoGroup::Torn { generator, router, image } => {
                let violation = format!("maps router {router} to {image}, which splits its {word}");
                contradiction(TOPOLOGY, format!("{}[{router}]", place(generator)), violation)
            }
            NoGroup::NoPermutation { generator } => {
                contradiction(TOPOLOGY, place(generator), "is not a permutation")
            }
            NoGroup::Fixes { block } => CheckError::symmetry(format!(
                "the generators of topology.json make an element that leaves {word}{block} in place"
            )),
            NoGroup::TooMany => CheckError::symmetry(format!(
                "the generators of topology.json make more elements than there are {word}s"
            )),
        }
    })
}
