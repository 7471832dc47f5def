//! Reads `fabc.topology/1`, `fabc.tables/1` and `fabc.tables.bin/1` as a stranger would: no pod, no wiring rules, only links and entries.

use super::network::{Endpoint, MISSING, NOWHERE, Network, Table};
use super::{NamedFile, malformed, text};
use crate::check::entries::{Line, key_of, width_of};
use crate::check::{BinaryTables, CheckError};
use crate::ids::NodeId;
use crate::ir::{Entry, Symmetry, TableKey};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Deserialize)]
struct TopologyFile {
    format: String,
    ports: Vec<String>,
    nodes: Vec<NodeLine>,
    links: Vec<LinkLine>,
    symmetry: Option<SymmetryLine>,
}

#[derive(Deserialize)]
struct NodeLine {
    id: u32,
    cube: Option<u32>,
    at: Option<[u32; 3]>,
}

#[derive(Deserialize)]
struct LinkLine {
    a: (u32, u8),
    b: (u32, u8),
}

#[derive(Deserialize)]
struct SymmetryLine {
    generators: Vec<Vec<u32>>,
}

#[derive(Deserialize)]
struct TablesFile {
    format: String,
    vcs: u8,
    #[serde(default)]
    canonical: bool,
    key: Vec<String>,
    #[serde(default)]
    vc: Option<String>,
    routers: Vec<RouterLine>,
}

#[derive(Deserialize)]
struct RouterLine {
    node: u32,
    entries: Vec<Line>,
}

/// A network, and the permutations of its routers that carry canonical tables.
pub(super) struct Topology {
    pub(super) network: Network,
    /// All elements of the group that the generators make, the identity first.
    elements: Vec<Vec<u32>>,
    cubes: Vec<u32>,
}

/// Tables of listed routers, carried to the others.
pub(super) struct CarriedTables {
    vcs: usize,
    inputs: usize,
    /// (router, sorted entries).
    listed: Vec<(u32, Vec<Entry>)>,
    /// `[router]`: which listed one it is an image of, under which element; `u32::MAX` if of none.
    home: Vec<(u32, u32)>,
    /// `[element]`: where it takes every router back from.
    inverse: Vec<Vec<u32>>,
}

fn json<T: DeserializeOwned>(file: NamedFile<'_>) -> Result<T, CheckError> {
    serde_json::from_str(text(file)?).map_err(|error| malformed(file.name, error.line(), error.to_string()))
}

/// Reads a network.
pub(super) fn topology(file: NamedFile<'_>) -> Result<Topology, CheckError> {
    let TopologyFile { format, ports, nodes, links, symmetry } = json(file)?;
    let wrong = |what: String| malformed(file.name, 1, what);
    if format != "fabc.topology/1" {
        return Err(wrong(format!("its format is `{format}`, but this fabc reads `fabc.topology/1`")));
    }
    if ports.is_empty() || ports.len() > 255 || nodes.is_empty() {
        return Err(wrong(format!("{} ports at each of {} nodes make no network", ports.len(), nodes.len())));
    }
    if let Some((k, node)) = nodes.iter().enumerate().find(|(k, node)| node.id as usize != *k) {
        return Err(wrong(format!("`nodes[{k}]` has the id {}, but ids count from 0", node.id)));
    }
    let names: Vec<String> = nodes
        .iter()
        .map(|node| match (node.cube, node.at) {
            (Some(cube), Some([x, y, z])) => format!("cube{cube}[{x},{y},{z}]"),
            _ => format!("node{}", node.id),
        })
        .collect();
    let mut next = vec![(NOWHERE, 0); names.len() * ports.len()];
    for (k, link) in links.iter().enumerate() {
        for ((node, port), (to, to_port)) in [(link.a, link.b), (link.b, link.a)] {
            if node as usize >= names.len() || usize::from(port) >= ports.len() {
                return Err(wrong(format!("`links[{k}]`: [{node},{port}] is no port of this network")));
            }
            let slot = &mut next[node as usize * ports.len() + usize::from(port)];
            if slot.0 != NOWHERE {
                return Err(wrong(format!("`links[{k}]`: {}.{} carries two links", names[node as usize], ports[usize::from(port)])));
            }
            *slot = (to, u32::from(to_port));
        }
    }
    let generators = symmetry.map(|symmetry| symmetry.generators).unwrap_or_default();
    let elements = group(names.len(), &generators).map_err(wrong)?;
    let endpoints = names.iter().zip(0..).map(|(name, router)| Endpoint { name: name.clone(), router, port: None }).collect();
    let cubes = nodes.iter().map(|node| node.cube.unwrap_or(node.id)).collect();
    Ok(Topology { network: Network { names, ports: ports.len(), port_names: ports, next, endpoints }, elements, cubes })
}

/// All products of some permutations, the identity first.
fn group(nodes: usize, generators: &[Vec<u32>]) -> Result<Vec<Vec<u32>>, String> {
    for (k, generator) in generators.iter().enumerate() {
        let images: BTreeSet<u32> = generator.iter().copied().collect();
        if generator.len() != nodes || images.len() != nodes || images.last().is_some_and(|last| *last as usize >= nodes) {
            return Err(format!("`symmetry.generators[{k}]` is no permutation of the {nodes} nodes"));
        }
    }
    let identity: Vec<u32> = (0..nodes as u32).collect();
    let mut elements = BTreeSet::from([identity.clone()]);
    let mut open = vec![identity];
    while let Some(element) = open.pop() {
        for generator in generators {
            let product: Vec<u32> = element.iter().map(|node| generator[*node as usize]).collect();
            if elements.len() > nodes {
                return Err("the generators make more elements than there are nodes".to_owned());
            }
            if elements.insert(product.clone()) {
                open.push(product);
            }
        }
    }
    Ok(elements.into_iter().collect())
}

/// Reads tables; whether their entries make sense is for [`CarriedTables::check`].
pub(super) fn tables(file: NamedFile<'_>, topology: &Topology) -> Result<CarriedTables, CheckError> {
    let nodes = topology.network.routers();
    let wrong = |what: String| malformed(file.name, 1, what);
    let (vcs, canonical, key, mut listed) = if BinaryTables::begins(file.bytes) {
        let binary = BinaryTables::read(file.bytes).map_err(wrong)?;
        let canonical = binary.is_canonical();
        // The body lists the routers itself; the symmetry of the pod is needed only to know which are expected.
        let tables = binary.tables(topology.symmetry(canonical)).map_err(wrong)?;
        let nodes: Vec<u32> = tables.symmetry.canonical_nodes().map(|node| node.0).collect();
        (tables.vcs, canonical, tables.key, nodes.into_iter().zip(tables.routers).collect::<Vec<_>>())
    } else {
        let TablesFile { format, vcs, canonical, key, vc, routers } = json(file)?;
        if format != "fabc.tables/1" {
            return Err(wrong(format!("its format is `{format}`, but this fabc reads `fabc.tables/1`")));
        }
        let Some(key) = key_of(&key, vc.as_deref()) else {
            let known = "[\"dst\", \"in_port\", \"in_vc\"] or [\"dst\"]";
            return Err(wrong(format!("tables with the key {key:?} cannot be walked, only those with {known}")));
        };
        let router = |RouterLine { node, entries }| {
            let entry = |(at, line): (usize, Line)| {
                let what = || format!("entry {at} of router {node} is none of {} numbers in range", width_of(key));
                line.under(key).ok_or_else(|| wrong(what()))
            };
            Ok((node, entries.into_iter().enumerate().map(entry).collect::<Result<Vec<_>, _>>()?))
        };
        (vcs, canonical, key, routers.into_iter().map(router).collect::<Result<Vec<_>, CheckError>>()?)
    };
    if vcs == 0 || vcs > 100 {
        return Err(wrong(format!("{vcs} virtual channels cannot be used")));
    }
    let trivial = &topology.elements[..1];
    let elements = if canonical { &topology.elements[..] } else { trivial };
    let mut home = vec![(u32::MAX, 0); nodes];
    for (k, (node, entries)) in listed.iter_mut().enumerate() {
        entries.sort_unstable();
        if *node as usize >= nodes {
            return Err(wrong(format!("it lists router {node}, but there are only {nodes}")));
        }
        for (g, element) in elements.iter().enumerate() {
            let slot = &mut home[element[*node as usize] as usize];
            if slot.0 != u32::MAX {
                return Err(wrong(format!("router {} is listed twice, or is an image of two listed ones", element[*node as usize])));
            }
            *slot = (k as u32, g as u32);
        }
    }
    let back = |element: &Vec<u32>| {
        let mut inverse = vec![0; nodes];
        element.iter().zip(0..).for_each(|(image, node)| inverse[*image as usize] = node);
        inverse
    };
    // Where the destination alone decides, there is one input for all.
    let inputs = if key == TableKey::Dst { 1 } else { topology.network.ports * usize::from(vcs) + 1 };
    Ok(CarriedTables { vcs: usize::from(vcs), inputs, listed, home, inverse: elements.iter().map(back).collect() })
}

impl Topology {
    /// The group as one of cubes, which is how `fabc.tables.bin/1` counts its routers.
    fn symmetry(&self, canonical: bool) -> Symmetry {
        let nodes = self.network.routers();
        let chips = self.cubes.iter().take_while(|cube| **cube == self.cubes[0]).count();
        let whole = nodes.is_multiple_of(chips)
            && self.elements.iter().all(|element| {
                element.iter().enumerate().all(|(node, image)| *image as usize % chips == node % chips)
                    && element.chunks(chips).all(|cube| cube.iter().all(|image| *image as usize / chips == cube[0] as usize / chips))
            });
        if !whole || !canonical {
            return Symmetry::trivial(1, nodes as u32);
        }
        let cubes = |element: &Vec<u32>| element.iter().step_by(chips).map(|image| crate::ids::CubeId(image / chips as u32)).collect();
        Symmetry::new(chips as u32, self.elements.iter().map(cubes).collect())
    }
}

impl CarriedTables {
    /// Whether every entry names things that exist, and no two contradict each other.
    pub(super) fn check(&self, file: &str, network: &Network) -> Result<(), CheckError> {
        let (ports, vcs) = (network.ports as i32, self.vcs as i32);
        for (node, entries) in &self.listed {
            let mut outputs: BTreeMap<(NodeId, i16, i8), (u16, u8)> = BTreeMap::new();
            for Entry { dst, in_port, in_vc, out_port, out_vc } in entries {
                let injected = (*in_port, *in_vc) == (-1, -1);
                let arrived = (0..ports).contains(&i32::from(*in_port)) && (0..vcs).contains(&i32::from(*in_vc));
                let what = if dst.0 as usize >= network.routers() {
                    "is for a router that does not exist".to_owned()
                } else if !injected && !arrived {
                    "has an input that no packet comes by".to_owned()
                } else if i32::from(*out_port) >= ports || i32::from(*out_vc) >= vcs {
                    format!("leaves by a port or VC that does not exist, there are {ports} ports with {vcs} VCs")
                } else {
                    match outputs.insert((*dst, *in_port, *in_vc), (*out_port, *out_vc)) {
                        None => continue,
                        Some((port, vc)) => format!("conflicts with another one for the same packets, which leaves by {port},{vc}"),
                    }
                };
                return Err(CheckError::BadEntry {
                    scenario: file.to_owned(),
                    router: network.names[*node as usize].clone(),
                    what: format!("entry [{dst},{in_port},{in_vc},{out_port},{out_vc}] {what}"),
                });
            }
        }
        Ok(())
    }
}

impl Table for CarriedTables {
    fn vcs(&self) -> usize {
        self.vcs
    }
    fn inputs(&self) -> usize {
        self.inputs
    }
    fn fill(&self, endpoint: usize, row: &mut Vec<u16>) {
        row.clear();
        row.resize(self.home.len() * self.inputs, MISSING);
        for (router, &(listed, g)) in self.home.iter().enumerate() {
            let Some((_, entries)) = self.listed.get(listed as usize) else { continue };
            let dst = NodeId(self.inverse[g as usize][endpoint]);
            let start = entries.partition_point(|entry| entry.dst < dst);
            for entry in entries[start..].iter().take_while(|entry| entry.dst == dst) {
                let input = if entry.in_port < 0 { 0 } else { 1 + entry.in_port as usize * self.vcs + entry.in_vc as usize };
                row[router * self.inputs + input] = u16::from(entry.out_vc) << 8 | u16::from(entry.out_port);
            }
        }
    }
}
