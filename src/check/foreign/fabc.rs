//! Reads `fabc.topology/1`, `fabc.topology/2`, `fabc.tables/1` and `fabc.tables.bin/1` as a stranger would: no pod, no family, no wiring
//! rules, only links and entries.

use super::network::{Endpoint, Lookup, MISSING, NOWHERE, Network, Table, packed};
use super::{NamedFile, malformed, text};
use crate::check::entries::{Line, key_of, width_of};
use crate::check::{BinaryTables, CheckError};
use crate::ids::NodeId;
use crate::ir::{Entry, Symmetry, TableKey};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};

/// More input and output ports than these are not laid out: 2 GiB.
const MOST_PORTS: usize = 1 << 28;

/// Most inputs that all routers tell apart together: as many entries are looked at for every destination.
const MOST_INPUTS: usize = 1 << 30;

/// Which of the two forms.
#[derive(Deserialize)]
struct Tag {
    format: String,
}

/// `fabc.topology/1`: ports have names.
#[derive(Deserialize)]
struct PodFile {
    ports: Vec<String>,
    nodes: Vec<ChipLine>,
    links: Vec<LinkLine>,
    symmetry: Option<SymmetryLine>,
}

#[derive(Deserialize)]
struct ChipLine {
    id: u32,
    cube: Option<u32>,
    at: Option<[u32; 3]>,
}

/// `fabc.topology/2`: ports have numbers, routers names and hosts.
#[derive(Deserialize)]
struct NetworkFile {
    ports: u16,
    nodes: Vec<RouterLine>,
    links: Vec<ArcLine>,
    symmetry: Option<BlockSymmetryLine>,
}

#[derive(Deserialize)]
struct RouterLine {
    id: u32,
    name: Option<String>,
    hosts: Option<u16>,
}

#[derive(Deserialize)]
struct LinkLine {
    a: (u32, u16),
    b: (u32, u16),
}

#[derive(Deserialize)]
struct ArcLine {
    a: (u32, u16),
    b: (u32, u16),
    #[serde(default)]
    simplex: bool,
}

#[derive(Deserialize)]
struct BlockSymmetryLine {
    block: Option<u32>,
    generators: Vec<Vec<u32>>,
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
    routers: Vec<TableLine>,
}

#[derive(Deserialize)]
struct TableLine {
    node: u32,
    entries: Vec<Line>,
}

/// A network, and the permutations of its routers that carry canonical tables.
pub(super) struct Topology {
    pub(super) network: Network,
    /// All elements of the group that the generators make, the identity first.
    elements: Vec<Vec<u32>>,
    /// Routers of a block, which the group moves as a whole.
    block: usize,
}

/// What both forms of a topology say.
struct Wiring {
    port_names: Vec<String>,
    /// `[router]`: its id, its name and its hosts.
    routers: Vec<(u32, String, u16)>,
    links: Vec<ArcLine>,
    generators: Vec<Vec<u32>>,
    block: usize,
}

/// Tables of listed routers, carried to the others.
pub(super) struct CarriedTables {
    vcs: usize,
    ports: usize,
    lookup: Lookup,
    /// (router, sorted entries).
    listed: Vec<(u32, Vec<Entry>)>,
    /// `[router]`: which listed one it is an image of, under which element; `u32::MAX` if of none.
    home: Vec<(u32, u32)>,
    /// `[element]`: where it takes every router back from.
    inverse: Vec<Vec<u32>>,
    /// `[endpoint]`: its router.
    destinations: Vec<u32>,
}

fn json<T: DeserializeOwned>(file: NamedFile<'_>) -> Result<T, CheckError> {
    serde_json::from_str(text(file)?).map_err(|error| malformed(file.name, error.line(), error.to_string()))
}

/// Reads a network.
pub(super) fn topology(file: NamedFile<'_>) -> Result<Topology, CheckError> {
    let Tag { format } = json(file)?;
    let wrong = |what: String| malformed(file.name, 1, what);
    let Wiring { port_names, routers, links, generators, block } = match format.as_str() {
        "fabc.topology/1" => of_pod(json(file)?),
        "fabc.topology/2" => of_network(json(file)?),
        _ => return Err(wrong(format!("its format is `{format}`, but this fabc reads `fabc.topology/1` and `fabc.topology/2`"))),
    };
    let ports = port_names.len();
    if ports == 0 || ports > i16::MAX as usize || routers.is_empty() {
        return Err(wrong(format!("{ports} ports at each of {} nodes make no network", routers.len())));
    }
    if ports * routers.len() > MOST_PORTS {
        return Err(wrong(format!("{ports} ports at each of {} nodes are more than can be walked", routers.len())));
    }
    if let Some((k, (id, ..))) = routers.iter().enumerate().find(|(k, (id, ..))| *id as usize != *k) {
        return Err(wrong(format!("`nodes[{k}]` has the id {id}, but ids count from 0")));
    }
    let common = routers.iter().fold(0, |common, (.., hosts)| greatest_divisor(common, u32::from(*hosts)));
    if common == 0 {
        return Err(wrong("no router has hosts, so that nobody sends packets".to_owned()));
    }
    let endpoint = |(id, name, hosts): &(u32, String, u16)| {
        let endpoint = Endpoint { name: name.clone(), router: *id, port: None, weight: u32::from(*hosts) / common };
        (*hosts > 0).then_some(endpoint)
    };
    let endpoints = routers.iter().filter_map(endpoint).collect();
    let names: Vec<String> = routers.into_iter().map(|(_, name, _)| name).collect();
    let mut next = vec![(NOWHERE, 0); names.len() * ports];
    // Of links that run one way, outputs and inputs are numbered apart.
    let mut entered = vec![false; next.len()];
    for (k, link) in links.iter().enumerate() {
        let slot = |(node, port): (u32, u16)| {
            let exists = (node as usize) < names.len() && usize::from(port) < ports;
            let place = || wrong(format!("`links[{k}]`: [{node},{port}] is no port of this network"));
            if exists { Ok(node as usize * ports + usize::from(port)) } else { Err(place()) }
        };
        let (a, b) = (slot(link.a)?, slot(link.b)?);
        let channels = [(a, b, link.b), (b, a, link.a)];
        for &(from, to, (node, port)) in &channels[..if link.simplex { 1 } else { 2 }] {
            let twice = if next[from].0 != NOWHERE { Some(from) } else { entered[to].then_some(to) };
            if let Some(slot) = twice {
                return Err(wrong(format!("`links[{k}]`: {}.{} carries two links", names[slot / ports], port_names[slot % ports])));
            }
            next[from] = (node, u32::from(port));
            entered[to] = true;
        }
    }
    let elements = group(names.len(), &generators).map_err(wrong)?;
    Ok(Topology { network: Network { names, ports, port_names, next, endpoints }, elements, block })
}

fn of_pod(PodFile { ports, nodes, links, symmetry }: PodFile) -> Wiring {
    let cubes: Vec<u32> = nodes.iter().map(|node| node.cube.unwrap_or(node.id)).collect();
    let name = |node: &ChipLine| match (node.cube, node.at) {
        (Some(cube), Some([x, y, z])) => format!("cube{cube}[{x},{y},{z}]"),
        _ => format!("node{}", node.id),
    };
    Wiring {
        port_names: ports,
        routers: nodes.iter().map(|node| (node.id, name(node), 1)).collect(),
        links: links.into_iter().map(|LinkLine { a, b }| ArcLine { a, b, simplex: false }).collect(),
        generators: symmetry.map(|symmetry| symmetry.generators).unwrap_or_default(),
        block: cubes.iter().take_while(|cube| **cube == cubes[0]).count(),
    }
}

fn of_network(NetworkFile { ports, nodes, links, symmetry }: NetworkFile) -> Wiring {
    let router = |RouterLine { id, name, hosts }| (id, name.unwrap_or_else(|| format!("node{id}")), hosts.unwrap_or(1));
    let (block, generators) = symmetry.map_or((None, Vec::new()), |symmetry| (symmetry.block, symmetry.generators));
    Wiring {
        port_names: (0..ports).map(|port| format!("port{port}")).collect(),
        routers: nodes.into_iter().map(router).collect(),
        links,
        generators,
        block: block.unwrap_or(1) as usize,
    }
}

fn greatest_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
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
            let known = "[\"dst\", \"in_port\", \"in_vc\"], [\"dst\"], or [\"dst\"] and the rule `hop` for virtual channels";
            let rule = vc.map_or_else(String::new, |rule| format!(" and the rule `{rule}`"));
            return Err(wrong(format!("tables with the key {key:?}{rule} cannot be walked, only those with {known}")));
        };
        let router = |TableLine { node, entries }| {
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
    let lookup = match key {
        TableKey::DstInput => Lookup::Input,
        TableKey::Dst => Lookup::Destination,
        TableKey::DstHop => Lookup::Hops,
    };
    let (vcs, ports) = (usize::from(vcs), topology.network.ports);
    if lookup.inputs(ports, vcs).saturating_mul(nodes) > MOST_INPUTS {
        return Err(wrong(format!("tables of {nodes} routers that tell apart {ports} ports with {vcs} VCs are more than can be walked")));
    }
    let inverse = elements.iter().map(back).collect();
    let destinations = topology.network.endpoints.iter().map(|endpoint| endpoint.router).collect();
    Ok(CarriedTables { vcs, ports, lookup, listed, home, inverse, destinations })
}

impl Topology {
    /// The group as one of cubes, which is how `fabc.tables.bin/1` counts its routers.
    fn symmetry(&self, canonical: bool) -> Symmetry {
        let nodes = self.network.routers();
        let chips = self.block.max(1);
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
                } else if !injected && !(arrived && self.lookup == Lookup::Input) {
                    "has an input that no packet comes by".to_owned()
                } else if self.lookup == Lookup::Hops && *out_vc != 0 {
                    "names a VC, but it is the hops that say it".to_owned()
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
    fn lookup(&self) -> Lookup {
        self.lookup
    }
    fn fill(&self, endpoint: usize, row: &mut Vec<u32>) {
        let inputs = self.lookup.inputs(self.ports, self.vcs);
        row.clear();
        row.resize(self.home.len() * inputs, MISSING);
        for (row, &(listed, g)) in row.chunks_mut(inputs).zip(&self.home) {
            let Some((_, entries)) = self.listed.get(listed as usize) else { continue };
            let dst = NodeId(self.inverse[g as usize][self.destinations[endpoint] as usize]);
            let start = entries.partition_point(|entry| entry.dst < dst);
            for entry in entries[start..].iter().take_while(|entry| entry.dst == dst) {
                let &Entry { in_port, in_vc, out_port, out_vc, .. } = entry;
                match self.lookup {
                    Lookup::Hops => row.iter_mut().zip(0..).take(self.vcs).for_each(|(output, hops)| *output = packed(out_port, hops)),
                    _ if in_port < 0 => row[0] = packed(out_port, out_vc),
                    _ => row[self.lookup.input(in_port as usize, in_vc as usize, self.vcs)] = packed(out_port, out_vc),
                }
            }
        }
    }
}
