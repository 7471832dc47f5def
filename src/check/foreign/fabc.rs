//! Reads `fabc.topology/1`, `fabc.topology/2`, `fabc.tables/1` and `fabc.tables.bin/1` without knowing a
//! pod, a family or wiring rules. Only links and entries count.

use super::network::{ForeignEndpoint, ForeignNetwork, ThirdPartyTable};
use super::verdict::{NamedFile, malformed, text};
use crate::CheckError;
use fabc_base::divisors::greatest_common_divisor;
use fabc_base::ids::NodeId;
use fabc_ir::read::{
    AnyRouter, AnyRouterLine, AnyTablesFile, AnyTopology, BinaryTables, ClassLine, EntryNumbers, NoGroup,
    closure, entry_width, parse_key,
};
use fabc_ir::{ForwardingTables, Symmetry, TableEntry, TableKey};
use fabc_kernel::{Lookup, LookupTable, MISSING, NOWHERE, packed};
use fabc_model::VcCount;
use std::collections::BTreeMap;

/// Limit on input and output ports: 2 GiB.
const MAX_PORTS: usize = 1 << 28;

/// Limit on the inputs of all routers together. That many entries are read for every destination.
const MAX_INPUTS: usize = 1 << 30;

/// A network, and the permutations of its routers that carry canonical tables.
pub(super) struct WalkedTopology {
    pub(super) network: ForeignNetwork,
    /// All elements of the group that the generators make, the identity first.
    elements: Vec<Vec<u32>>,
    /// Number of routers in a block, which the group moves as a whole.
    block: usize,
}

/// Tables of the listed routers, carried to all others by the symmetry.
pub(super) struct CarriedTables {
    key: TableKey,
    vcs: usize,
    ports: usize,
    lookup: Lookup,
    /// The listed routers, each with its sorted entries.
    listed: Vec<(u32, Vec<TableEntry>)>,
    /// `[router]`: (index of the listed router that it is an image of, element). `u32::MAX` if there is
    /// none.
    listed_origin: Vec<(u32, u32)>,
    /// `[element]`: the inverse permutation of the routers.
    inverse: Vec<Vec<u32>>,
    /// `[endpoint]`: the router that it is attached to.
    destinations: Vec<u32>,
}

/// Reads a network, and closes its generators to a group.
pub(super) fn read_topology(file: NamedFile<'_>) -> Result<WalkedTopology, CheckError> {
    let violation = |message: String| malformed(file.name, 1, message);
    let read =
        AnyTopology::read(text(file)?).map_err(|(line, message)| malformed(file.name, line, message))?;
    let AnyTopology { port_names, routers, links, generators, block, pod: chips } = read;
    let ports = port_names.len();
    let count = routers.len();
    if ports == 0 || ports > i16::MAX as usize || routers.is_empty() {
        return Err(violation(format!("{ports} ports at each of {count} nodes do not form a network")));
    }
    if ports * count > MAX_PORTS {
        return Err(violation(format!("{ports} ports at each of {count} nodes are too many to be walked")));
    }
    if let Some((k, router)) = routers.iter().enumerate().find(|(k, router)| router.id as usize != *k) {
        return Err(violation(format!("`nodes[{k}]` has the id {}, but ids count from 0", router.id)));
    }
    let common =
        routers.iter().fold(0, |common, router| greatest_common_divisor(common, u32::from(router.hosts)));
    if common == 0 {
        return Err(violation("no router has hosts, so no packets are sent".to_owned()));
    }
    let endpoint = |router: &AnyRouter| {
        let weight = u32::from(router.hosts) / common;
        (weight > 0).then(|| ForeignEndpoint {
            name: router.name.clone(),
            router: router.id,
            port: None,
            weight,
            hosts: router.hosts,
        })
    };
    let endpoints = routers.iter().filter_map(endpoint).collect();
    let names: Vec<String> = routers.into_iter().map(|router| router.name).collect();
    let mut next = vec![(NOWHERE, 0); names.len() * ports];
    let classed = links.iter().all(|link| link.class.is_some());
    let mut global = vec![false; if classed { next.len() } else { 0 }];
    // Where links are single channels, output ports and input ports are numbered separately.
    let mut entered = vec![false; next.len()];
    for (k, link) in links.iter().enumerate() {
        let slot = |(node, port): (u32, u16)| {
            let exists = (node as usize) < names.len() && usize::from(port) < ports;
            let place = || violation(format!("`links[{k}]`: [{node},{port}] is not a port of this network"));
            if exists { Ok(node as usize * ports + usize::from(port)) } else { Err(place()) }
        };
        let (a, b) = (slot(link.a)?, slot(link.b)?);
        let channels = [(a, b, link.b), (b, a, link.a)];
        for &(from, to, (node, port)) in &channels[..if link.simplex { 1 } else { 2 }] {
            let occupied = if next[from].0 != NOWHERE { Some(from) } else { entered[to].then_some(to) };
            if let Some(slot) = occupied {
                return Err(violation(format!(
                    "`links[{k}]`: {}.{} carries two links",
                    names[slot / ports],
                    port_names[slot % ports]
                )));
            }
            next[from] = (node, u32::from(port));
            if let Some(global) = global.get_mut(from) {
                *global = matches!(link.class, Some(ClassLine::Global));
            }
            entered[to] = true;
        }
    }
    let elements = closure(names.len(), &generators, false).map_err(|no_group| {
        violation(match no_group {
            NoGroup::NoPermutation { generator } => {
                format!(
                    "`symmetry.generators[{generator}]` is not a permutation of the {} nodes",
                    names.len()
                )
            }
            _ => "the generators make more elements than there are nodes".to_owned(),
        })
    })?;
    Ok(WalkedTopology {
        network: ForeignNetwork { names, ports, port_names, next, global, endpoints, chips },
        elements,
        block,
    })
}

/// Reads tables. [`CarriedTables::verify_entries`] verifies their entries.
pub(super) fn read_tables(
    file: NamedFile<'_>,
    topology: &WalkedTopology,
) -> Result<CarriedTables, CheckError> {
    let nodes = topology.network.routers();
    let violation = |message: String| malformed(file.name, 1, message);
    let (vcs, canonical, key, mut listed) = if BinaryTables::begins(file.bytes) {
        let binary = BinaryTables::read(file.bytes).map_err(violation)?;
        let canonical = binary.is_canonical();
        // The body lists the routers itself. The symmetry of the pod only tells which routers are expected.
        let tables = binary.tables(topology.symmetry(canonical)).map_err(violation)?;
        let nodes: Vec<u32> = tables.symmetry.canonical_nodes().map(|node| node.0).collect();
        (tables.vcs, canonical, tables.key, nodes.into_iter().zip(tables.routers).collect::<Vec<_>>())
    } else {
        read_json_tables(file)?
    };
    if vcs == 0 || vcs > 100 {
        return Err(violation(format!("{vcs} virtual channels are not supported")));
    }
    let trivial = &topology.elements[..1];
    let elements = if canonical { &topology.elements[..] } else { trivial };
    let mut home = vec![(u32::MAX, 0); nodes];
    for (k, (node, entries)) in listed.iter_mut().enumerate() {
        entries.sort_unstable();
        if *node as usize >= nodes {
            return Err(violation(format!("it lists router {node}, but there are only {nodes}")));
        }
        for (g, element) in elements.iter().enumerate() {
            let slot = &mut home[element[*node as usize] as usize];
            if slot.0 != u32::MAX {
                return Err(violation(format!(
                    "router {} is listed twice, or is an image of two listed ones",
                    element[*node as usize]
                )));
            }
            *slot = (k as u32, g as u32);
        }
    }
    let invert = |element: &Vec<u32>| {
        let mut inverse = vec![0; nodes];
        element.iter().zip(0..).for_each(|(image, node)| inverse[*image as usize] = node);
        inverse
    };
    let lookup = match key {
        TableKey::DstInput => Lookup::Input,
        TableKey::Dst => Lookup::Destination,
        TableKey::DstCount(VcCount::GlobalHops) if topology.network.global.is_empty() => {
            return Err(violation(
                "virtual channels that count global links need a topology whose links all have a `class`"
                    .to_owned(),
            ));
        }
        TableKey::DstCount(count) => Lookup::Count(count),
    };
    let (vcs, ports) = (usize::from(vcs), topology.network.ports);
    if lookup.inputs(ports, vcs).saturating_mul(nodes) > MAX_INPUTS {
        return Err(violation(format!(
            "tables of {nodes} routers with {ports} ports and {vcs} VCs as keys are too large to be walked"
        )));
    }
    let inverse = elements.iter().map(invert).collect();
    let destinations = topology.network.endpoints.iter().map(|endpoint| endpoint.router).collect();
    Ok(CarriedTables { key, vcs, ports, lookup, listed, listed_origin: home, inverse, destinations })
}

/// The number of VCs, whether the tables are canonical, their key, and the entries of every listed router.
type ListedTables = (u8, bool, TableKey, Vec<(u32, Vec<TableEntry>)>);

/// Reads tables in the format `fabc.tables/1`.
fn read_json_tables(file: NamedFile<'_>) -> Result<ListedTables, CheckError> {
    let violation = |message: String| malformed(file.name, 1, message);
    let read = serde_json::from_str(text(file)?)
        .map_err(|error| malformed(file.name, error.line(), error.to_string()))?;
    let AnyTablesFile { format, vcs, canonical, key, vc, routers } = read;
    if format == super::groups::FORMAT {
        let message = "it lists next-hop groups, but here every pair must have one path";
        return Err(violation(message.to_owned()));
    }
    if format != "fabc.tables/1" {
        return Err(violation(format!(
            "its format is `{format}`, but this fabc reads `fabc.tables/1` and `fabc.tables/2`"
        )));
    }
    let Some(key) = parse_key(&key, vc.as_deref()) else {
        let known = "[\"dst\", \"in_port\", \"in_vc\"], [\"dst\"], or [\"dst\"] and the rule `hop` or `global` for virtual channels";
        let rule = vc.map_or_else(String::new, |rule| format!(" and the rule `{rule}`"));
        return Err(violation(format!(
            "tables with the key {key:?}{rule} cannot be walked, only those with {known}"
        )));
    };
    let router = |AnyRouterLine { node, entries }| {
        let entry = |(index, line): (usize, EntryNumbers)| {
            let message = || {
                format!("entry {index} of router {node} does not have {} numbers in range", entry_width(key))
            };
            line.entry(key).ok_or_else(|| violation(message()))
        };
        Ok((node, entries.into_iter().enumerate().map(entry).collect::<Result<Vec<_>, _>>()?))
    };
    Ok((vcs, canonical, key, routers.into_iter().map(router).collect::<Result<Vec<_>, CheckError>>()?))
}

impl WalkedTopology {
    /// The group as a symmetry of cubes. `fabc.tables.bin/1` counts its routers by it.
    fn symmetry(&self, canonical: bool) -> Symmetry {
        let nodes = self.network.routers();
        let chips = self.block.max(1);
        let moves_whole_cubes = nodes.is_multiple_of(chips)
            && self.elements.iter().all(|element| {
                element.iter().enumerate().all(|(node, image)| *image as usize % chips == node % chips)
                    && element.chunks(chips).all(|cube| {
                        cube.iter().all(|image| *image as usize / chips == cube[0] as usize / chips)
                    })
            });
        if !moves_whole_cubes || !canonical {
            return Symmetry::trivial(1, nodes as u32);
        }
        let cubes = |element: &Vec<u32>| {
            element.iter().step_by(chips).map(|image| fabc_base::ids::BlockId(image / chips as u32)).collect()
        };
        Symmetry::new(chips as u32, self.elements.iter().map(cubes).collect())
    }
}

impl CarriedTables {
    /// Verifies that entries name existing routers, ports and VCs, and that no two contradict each other.
    pub(super) fn verify_entries(&self, file: &str, network: &ForeignNetwork) -> Result<(), CheckError> {
        let (ports, vcs) = (network.ports as i32, self.vcs as i32);
        for (node, entries) in &self.listed {
            let mut outputs: BTreeMap<(NodeId, i16, i8), (u16, u8)> = BTreeMap::new();
            for TableEntry { dst, in_port, in_vc, out_port, out_vc } in entries {
                let injected = (*in_port, *in_vc) == (-1, -1);
                let exists =
                    (0..ports).contains(&i32::from(*in_port)) && (0..vcs).contains(&i32::from(*in_vc));
                let arrived = self.lookup == Lookup::Input && exists;
                let reason = if dst.0 as usize >= network.routers() {
                    "is for a router that does not exist".to_owned()
                } else if !injected && !arrived {
                    "has an input by which no packet arrives".to_owned()
                } else if matches!(self.lookup, Lookup::Count(_)) && *out_vc != 0 {
                    "names a VC, but the rule of the tables determines the VC".to_owned()
                } else if i32::from(*out_port) >= ports || i32::from(*out_vc) >= vcs {
                    format!(
                        "leaves by a port or VC that does not exist, there are {ports} ports with {vcs} VCs"
                    )
                } else {
                    match outputs.insert((*dst, *in_port, *in_vc), (*out_port, *out_vc)) {
                        None => continue,
                        Some((port, vc)) => format!(
                            "conflicts with another one for the same packets, which leaves by {port},{vc}"
                        ),
                    }
                };
                return Err(CheckError::BadEntry {
                    scenario: file.to_owned(),
                    router: network.names[*node as usize].clone(),
                    violation: format!("entry [{dst},{in_port},{in_vc},{out_port},{out_vc}] {reason}"),
                });
            }
        }
        Ok(())
    }
}

impl CarriedTables {
    /// The tables under the symmetry of their network. `None` unless they list all routers, or exactly the
    /// canonical ones.
    pub(super) fn to_forwarding_tables(&self, network_symmetry: &Symmetry) -> Option<ForwardingTables> {
        let mut listed: Vec<&(u32, Vec<TableEntry>)> = self.listed.iter().collect();
        listed.sort_unstable_by_key(|(node, _)| *node);
        let without_symmetry = network_symmetry.to_trivial();
        let fits = |symmetry: &&Symmetry| {
            symmetry.canonical_nodes().map(|node| node.0).eq(listed.iter().map(|(node, _)| *node))
        };
        let symmetry = [&without_symmetry, network_symmetry].into_iter().find(fits)?.clone();
        let routers = listed.into_iter().map(|(_, entries)| entries.clone()).collect();
        Some(ForwardingTables {
            scenario: "nominal".to_owned(),
            vcs: u8::try_from(self.vcs).ok()?,
            key: self.key,
            symmetry,
            routers,
        })
    }
}

impl LookupTable for CarriedTables {
    fn vcs(&self) -> usize {
        self.vcs
    }
    fn lookup(&self) -> Lookup {
        self.lookup
    }
    fn fill(&self, endpoint: usize, row: &mut Vec<u32>) -> Option<usize> {
        let inputs = self.lookup.entries(self.ports, self.vcs);
        row.clear();
        row.resize(self.listed_origin.len() * inputs, MISSING);
        for (row, &(listed, g)) in row.chunks_mut(inputs).zip(&self.listed_origin) {
            let Some((_, entries)) = self.listed.get(listed as usize) else { continue };
            let dst = NodeId(self.inverse[g as usize][self.destinations[endpoint] as usize]);
            let start = entries.partition_point(|entry| entry.dst < dst);
            for entry in entries[start..].iter().take_while(|entry| entry.dst == dst) {
                let &TableEntry { in_port, in_vc, out_port, out_vc, .. } = entry;
                let input = if in_port < 0 { 0 } else { 1 + in_port as usize * self.vcs + in_vc as usize };
                row[input] = packed(out_port, out_vc);
            }
        }
        None
    }
}

impl ThirdPartyTable for CarriedTables {}
