//! Reads `topology.json` against the pod.

use super::read::{KindLine, SymmetryLine, TopologyFile, contradiction, tagged};
use super::{Files, TOPOLOGY};
use crate::check::CheckError;
use crate::ids::{CubeId, Id, IdVec, LinkId, NodeId, OcsId, PortId};
use crate::ir::{Endpoint, Link, LinkClass, Names, Symmetry, Topology};
use crate::model::{Fabric, PORT_NAMES, Pod};
use std::collections::{BTreeMap, BTreeSet};

/// A topology, and the OCS that each of its links is said to run through.
pub(super) fn topology(files: &Files, fabric: &Fabric, pod: &Pod) -> Result<(Topology, IdVec<LinkId, Option<OcsId>>), CheckError> {
    let file: TopologyFile = tagged(files, TOPOLOGY)?;
    let wrong = |place: String, what: String| Err(contradiction(TOPOLOGY, place, what));
    if file.fabric != fabric.name {
        return wrong("fabric".to_owned(), format!("says `{}`, but the spec declares `{}`", file.fabric, fabric.name));
    }
    if file.ports != PORT_NAMES {
        return wrong("ports".to_owned(), format!("must be {PORT_NAMES:?}"));
    }
    if file.nodes.len() != pod.node_count() {
        return wrong("nodes".to_owned(), format!("has {} routers, but the spec declares {}", file.nodes.len(), pod.node_count()));
    }
    for (k, line) in file.nodes.iter().enumerate() {
        let node = NodeId::new(k);
        if line.id as usize != k || line.cube != pod.cube_of(node).0 || line.at != pod.at(node) {
            let (cube, at) = (pod.cube_of(node), pod.at(node));
            return wrong(format!("nodes[{k}]"), format!("must be router {k} at {at:?} of cube {cube}"));
        }
    }
    let by_name: BTreeMap<&str, OcsId> = pod.ocses.enumerate().map(|(id, ocs)| (ocs.name.as_str(), id)).collect();
    let mut ports = BTreeSet::new();
    let (mut links, mut ocs_of) = (Vec::<Link>::new(), Vec::new());
    for (k, line) in file.links.iter().enumerate() {
        let place = || format!("links[{k}]");
        if line.id as usize != k {
            return wrong(place(), format!("has the id {}, but ids count from 0", line.id));
        }
        for (end, (node, port)) in [("a", line.a), ("b", line.b)] {
            if node as usize >= pod.node_count() || usize::from(port) >= PORT_NAMES.len() {
                return wrong(format!("links[{k}].{end}"), format!("[{node},{port}] is no port of this pod"));
            }
            if !ports.insert((node, port)) {
                let name = pod.node_name(NodeId(node));
                return wrong(format!("links[{k}].{end}"), format!("{name}.{} carries two links", PORT_NAMES[usize::from(port)]));
            }
        }
        let ends = [line.a, line.b].map(|(node, port)| Endpoint { node: NodeId(node), port: PortId(port) });
        if ends[0] >= ends[1] || links.last().is_some_and(|before| (before.a, before.b) >= (ends[0], ends[1])) {
            return wrong(place(), "is out of order: links ascend by their ends, the smaller end first".to_owned());
        }
        let (class, ocs, link_type) = match (line.kind, &line.ocs) {
            (KindLine::Copper, None) => (LinkClass::Local, None, pod.cube.mesh),
            (KindLine::Copper, Some(ocs)) => return wrong(place(), format!("is copper and yet runs through {ocs}")),
            (KindLine::Fiber, None) => return wrong(place(), "is fiber, but names no OCS".to_owned()),
            (KindLine::Fiber, Some(name)) => match by_name.get(name.as_str()) {
                Some(&id) => (LinkClass::Global, Some(id), pod.ocses[id].link),
                None => return wrong(place(), format!("runs through {name}, which the spec does not declare")),
            },
        };
        links.push(Link { a: ends[0], b: ends[1], class, link_type, simplex: false });
        ocs_of.push(ocs);
    }
    let symmetry = symmetry(pod, &file.symmetry)?;
    Ok((Topology::new(PORT_NAMES.len(), links, symmetry).named(Names::Cubes(pod.cube.dims)), ocs_of.into()))
}

/// Closes the generators to a group that moves whole cubes and fixes none.
fn symmetry(pod: &Pod, line: &SymmetryLine) -> Result<Symmetry, CheckError> {
    let chips = pod.chips_per_cube();
    let mut generators = Vec::new();
    for (k, images) in line.generators.iter().enumerate() {
        let place = format!("symmetry.generators[{k}]");
        if images.len() != pod.node_count() {
            return Err(contradiction(TOPOLOGY, place, format!("has {} images for {} routers", images.len(), pod.node_count())));
        }
        let cubes: Vec<CubeId> = images.iter().step_by(chips as usize).map(|&image| CubeId(image / chips)).collect();
        for (node, &image) in (0u32..).zip(images) {
            if cubes[(node / chips) as usize].0.checked_mul(chips).and_then(|first| first.checked_add(node % chips)) != Some(image) {
                let place = format!("{place}[{node}]");
                return Err(contradiction(
                    TOPOLOGY,
                    place,
                    format!("takes router {node} to {image}, which does not keep its cube together"),
                ));
            }
        }
        let distinct: BTreeSet<CubeId> = cubes.iter().copied().collect();
        if distinct.len() != cubes.len() || distinct.iter().any(|cube| cube.0 >= pod.cubes) {
            return Err(contradiction(TOPOLOGY, place, "is no permutation"));
        }
        generators.push(cubes);
    }
    let identity: Vec<CubeId> = (0..pod.cubes).map(CubeId).collect();
    let mut elements = BTreeSet::from([identity.clone()]);
    let mut open = vec![identity];
    while let Some(element) = open.pop() {
        for generator in &generators {
            let product: Vec<CubeId> = element.iter().map(|cube| generator[cube.index()]).collect();
            if elements.contains(&product) {
                continue;
            }
            // A group that fixes no cube has at most as many elements as there are cubes: this also ends the closure.
            if let Some(cube) = product.iter().enumerate().position(|(cube, image)| cube == image.index()) {
                return Err(CheckError::symmetry(format!(
                    "the generators of topology.json make an element that leaves cube{cube} in place"
                )));
            }
            elements.insert(product.clone());
            open.push(product);
            if elements.len() > pod.cubes as usize {
                return Err(CheckError::symmetry("the generators of topology.json make more elements than there are cubes"));
            }
        }
    }
    Ok(Symmetry::new(chips, elements.into_iter().collect()))
}
