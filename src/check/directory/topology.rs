//! Reads `topology.json` against the spec.

use super::read::{contradiction, tagged};
use super::{Files, TOPOLOGY};
use crate::CheckError;
use fabc_base::ids::{Id, IdVec, LinkId, LinkTypeId, NodeId, OcsId, PortId};
use fabc_ir::read::{ClassLine, KindLine, NetworkFile, NoGroup, TopologyFile, of_blocks};
use fabc_ir::{End, Link, LinkClass, Names, Symmetry, Topology, router_names};
use fabc_model::{Fabric, PORT_NAMES, Plant, Pod};
use std::collections::{BTreeMap, BTreeSet};

/// A topology, and the OCS that each of its links is said to run through: none in a network.
pub(super) fn topology(
    files: &Files,
    fabric: &Fabric,
) -> Result<(Topology, IdVec<LinkId, Option<OcsId>>), CheckError> {
    match &fabric.plant {
        Plant::Pod(pod) => of_pod(files, fabric, pod),
        Plant::Network(_) => {
            let topology = of_network(files, fabric)?;
            let ocs_of = IdVec::filled(None, topology.links().len());
            Ok((topology, ocs_of))
        }
    }
}

fn of_pod(
    files: &Files,
    fabric: &Fabric,
    pod: &Pod,
) -> Result<(Topology, IdVec<LinkId, Option<OcsId>>), CheckError> {
    let file: TopologyFile = tagged(files, TOPOLOGY)?;
    let wrong = |place: String, what: String| Err(contradiction(TOPOLOGY, place, what));
    if file.fabric != fabric.name {
        return wrong(
            "fabric".to_owned(),
            format!("says `{}`, but the spec declares `{}`", file.fabric, fabric.name),
        );
    }
    if file.ports != PORT_NAMES {
        return wrong("ports".to_owned(), format!("must be {PORT_NAMES:?}"));
    }
    if file.nodes.len() != pod.node_count() {
        return wrong(
            "nodes".to_owned(),
            format!("has {} routers, but the spec declares {}", file.nodes.len(), pod.node_count()),
        );
    }
    for (k, line) in file.nodes.iter().enumerate() {
        let node = NodeId::new(k);
        if line.id as usize != k || line.cube != pod.cube_of(node).0 || line.at != pod.at(node) {
            let (cube, at) = (pod.cube_of(node), pod.at(node));
            return wrong(format!("nodes[{k}]"), format!("must be router {k} at {at:?} of cube {cube}"));
        }
    }
    let by_name: BTreeMap<&str, OcsId> =
        pod.ocses.enumerate().map(|(id, ocs)| (ocs.name.as_str(), id)).collect();
    let mut ports = BTreeSet::new();
    let (mut links, mut ocs_of, mut ways) = (Vec::<Link>::new(), Vec::new(), Vec::new());
    for (k, line) in file.links.iter().enumerate() {
        let place = || format!("links[{k}]");
        if line.id as usize != k {
            return wrong(place(), format!("has the id {}, but ids count from 0", line.id));
        }
        if line.length.is_some() != fabric.floor.is_some() {
            return wrong(
                place(),
                "must have the length of its way, where there is a floor, and nowhere else".to_owned(),
            );
        }
        for (end, (node, port)) in [("a", line.a), ("b", line.b)] {
            if node as usize >= pod.node_count() || usize::from(port) >= PORT_NAMES.len() {
                return wrong(format!("links[{k}].{end}"), format!("[{node},{port}] is no port of this pod"));
            }
            if !ports.insert((node, port)) {
                let name = pod.node_name(NodeId(node));
                return wrong(
                    format!("links[{k}].{end}"),
                    format!("{name}.{} carries two links", PORT_NAMES[usize::from(port)]),
                );
            }
        }
        let ends = [line.a, line.b].map(|(node, port)| End { node: NodeId(node), port: PortId(port) });
        if ends[0] >= ends[1] || links.last().is_some_and(|before| (before.a, before.b) >= (ends[0], ends[1]))
        {
            return wrong(
                place(),
                "is out of order: links ascend by their ends, the smaller end first".to_owned(),
            );
        }
        let (class, ocs, link_type) = match (line.kind, &line.ocs) {
            (KindLine::Copper, None) => (LinkClass::Local, None, pod.cube.mesh),
            (KindLine::Copper, Some(ocs)) => {
                return wrong(place(), format!("is copper and yet runs through {ocs}"));
            }
            (KindLine::Fiber, None) => return wrong(place(), "is fiber, but names no OCS".to_owned()),
            (KindLine::Fiber, Some(name)) => match by_name.get(name.as_str()) {
                Some(&id) => (LinkClass::Global, Some(id), pod.ocses[id].link),
                None => {
                    return wrong(place(), format!("runs through {name}, which the spec does not declare"));
                }
            },
        };
        links.push(Link { a: ends[0], b: ends[1], class, link_type, simplex: false });
        ways.extend(line.length.map(|length| (length, link_type)));
        ocs_of.push(ocs);
    }
    let symmetry = symmetry((pod.chips_per_cube(), pod.cubes), &file.symmetry.generators, "cube")?;
    let topology = Topology::new(PORT_NAMES.len(), links, symmetry).named(Names::Cubes(pod.cube.dims));
    let topology = topology.with_capacities(fabric.capacities.clone());
    Ok((if fabric.floor.is_some() { topology.with_cables(ways) } else { topology }, ocs_of.into()))
}

/// The same of a network: whether it is the declared one is for the predicate of its family.
fn of_network(files: &Files, fabric: &Fabric) -> Result<Topology, CheckError> {
    let file: NetworkFile = tagged(files, TOPOLOGY)?;
    let wrong = |place: String, what: String| Err(contradiction(TOPOLOGY, place, what));
    if file.fabric != fabric.name {
        return wrong(
            "fabric".to_owned(),
            format!("says `{}`, but the spec declares `{}`", file.fabric, fabric.name),
        );
    }
    if file.nodes.len() != fabric.node_count() {
        return wrong(
            "nodes".to_owned(),
            format!("has {} routers, but the spec declares {}", file.nodes.len(), fabric.node_count()),
        );
    }
    let (names, mut hosts) = (router_names(fabric), Vec::new());
    for (k, line) in file.nodes.iter().enumerate() {
        let name = names.node(NodeId::new(k));
        if line.id as usize != k || line.name != name {
            return wrong(format!("nodes[{k}]"), format!("must be router {k}, called `{name}`"));
        }
        hosts.push(line.hosts);
    }
    let types: BTreeMap<&str, LinkTypeId> =
        fabric.link_types.enumerate().map(|(id, of)| (of.name.as_str(), id)).collect();
    let mut taken = BTreeSet::new();
    let (mut links, mut lengths) = (Vec::<Link>::new(), Vec::new());
    for (k, line) in file.links.iter().enumerate() {
        let place = || format!("links[{k}]");
        if line.id as usize != k {
            return wrong(place(), format!("has the id {}, but ids count from 0", line.id));
        }
        if line.length.is_some() != fabric.floor.is_some() {
            return wrong(
                place(),
                "must have the length of its cable, where there is a floor, and nowhere else".to_owned(),
            );
        }
        lengths.extend(line.length);
        // The ports of outputs and inputs are numbered apart where links are single channels.
        for (end, (node, port), input) in [("a", line.a, false), ("b", line.b, line.simplex)] {
            if node as usize >= fabric.node_count() || port >= file.ports {
                return wrong(
                    format!("links[{k}].{end}"),
                    format!("[{node},{port}] is no port of this network"),
                );
            }
            if !taken.insert((node, port, input)) {
                let name = names.node(NodeId(node));
                return wrong(
                    format!("links[{k}].{end}"),
                    format!("{name}.{} carries two links", names.port(PortId(port))),
                );
            }
        }
        let ends = [line.a, line.b].map(|(node, port)| End { node: NodeId(node), port: PortId(port) });
        let turned = !line.simplex && ends[0] >= ends[1];
        if turned || links.last().is_some_and(|before| (before.a, before.b) >= (ends[0], ends[1])) {
            let what = "is out of order: links ascend by their ends, of two channels the smaller end first";
            return wrong(place(), what.to_owned());
        }
        let Some(&link_type) = types.get(line.link.as_str()) else {
            return wrong(place(), format!("is a link of `{}`, which the spec does not declare", line.link));
        };
        let class = match line.class {
            ClassLine::Local => LinkClass::Local,
            ClassLine::Global => LinkClass::Global,
        };
        links.push(Link { a: ends[0], b: ends[1], class, link_type, simplex: line.simplex });
    }
    if links.windows(2).any(|pair| pair[0].simplex != pair[1].simplex) {
        return wrong("links".to_owned(), "must be single channels all, or none".to_owned());
    }
    let (size, blocks) = fabric.blocks();
    if file.symmetry.block != size {
        return wrong(
            "symmetry.block".to_owned(),
            format!("says {}, but blocks have {size} routers", file.symmetry.block),
        );
    }
    let symmetry = symmetry((size, blocks), &file.symmetry.generators, "block")?;
    let cables: Vec<(u32, LinkTypeId)> =
        lengths.into_iter().zip(links.iter().map(|link| link.link_type)).collect();
    let topology = Topology::new(usize::from(file.ports), links, symmetry).with_hosts(hosts).named(names);
    let topology = topology.with_capacities(fabric.capacities.clone());
    Ok(if fabric.floor.is_some() { topology.with_cables(cables) } else { topology })
}

/// Closes the generators to a group that moves whole blocks, cubes in a pod, and fixes none; `(size, blocks)`
/// are the routers of a block and how many blocks there are.
fn symmetry((size, blocks): (u32, u32), generators: &[Vec<u32>], word: &str) -> Result<Symmetry, CheckError> {
    of_blocks(size, blocks, generators).map_err(|wrong| {
        let place = |generator: usize| format!("symmetry.generators[{generator}]");
        match wrong {
            NoGroup::Length { generator, images } => {
                let what = format!("has {images} images for {} routers", u64::from(size) * u64::from(blocks));
                contradiction(TOPOLOGY, place(generator), what)
            }
            NoGroup::Torn { generator, router, image } => {
                let what =
                    format!("takes router {router} to {image}, which does not keep its {word} together");
                contradiction(TOPOLOGY, format!("{}[{router}]", place(generator)), what)
            }
            NoGroup::NoPermutation { generator } => {
                contradiction(TOPOLOGY, place(generator), "is no permutation")
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
