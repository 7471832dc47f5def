//! Converts third-party tables and their network to values that other crates can use.
//!
//! Input: files that were read and judged. Output: routers, links and a table per router, without symmetry.
//! An endpoint behind a port of its router, such as an adapter of a subnet, becomes a router of one port
//! with one host. Tables may send packets for two adapters of one switch over different paths.

use super::network::{ForeignNetwork, ThirdPartyTable};
use super::verdict::{ForeignTables, malformed};
use crate::CheckError;
use fabc_base::ids::{Id, LinkTypeId, NodeId, PortId};
use fabc_ir::{End, ForwardingTables, Link, LinkClass, Symmetry, TableEntry, TableKey};
use fabc_kernel::{Lookup, MISSING, NO_LANE, NOWHERE, unpacked};

/// Limit on the number of entries: 1 GiB.
const MAX_ENTRIES: usize = 1 << 26;

/// A third-party network with its tables.
pub struct ForeignScene {
    /// The counts of the walk of all pairs.
    pub verdict: ForeignTables,
    /// `[router]`: its name, and its number of hosts.
    pub routers: Vec<(String, u16)>,
    /// The largest number of ports of a router.
    pub ports: usize,
    /// The links, all of one type.
    pub links: Vec<Link>,
    /// The tables, with every router listed.
    pub tables: ForwardingTables,
    /// Whether endpoints are inside the routers, as the chips of a pod are.
    pub chips: bool,
}

/// Converts what was judged.
///
/// # Errors
/// More entries than fit, or service levels that ports and lanes do not determine.
pub(super) fn build_scene(
    file: &str,
    verdict: ForeignTables,
    network: &ForeignNetwork,
    table: &dyn ThirdPartyTable,
) -> Result<ForeignScene, CheckError> {
    let violation = |message: String| malformed(file, 1, message);
    let key = match table.lookup() {
        Lookup::Destination => TableKey::Dst,
        Lookup::Count(count) => TableKey::DstCount(count),
        Lookup::Input | Lookup::Level(_) => TableKey::DstInput,
    };
    let leveled = matches!(table.lookup(), Lookup::Level(_));
    let (switches, vcs) = (network.routers(), used_vcs(network, table));
    let mut routers: Vec<(String, u16)> = network.names.iter().map(|name| (name.clone(), 0)).collect();
    let mut links = links(network);
    let destinations = add_adapters(network, &mut routers, &mut links);
    let inputs = if leveled { Lookup::Input } else { table.lookup() }.entries(network.ports, vcs);
    let mut tables = vec![Vec::new(); routers.len()];
    let (mut row, mut count) = (Vec::new(), 0);
    for (endpoint, &dst) in destinations.iter().enumerate() {
        table.fill(endpoint, &mut row);
        if leveled {
            row = row_by_lane(network, table, endpoint, &row, vcs).map_err(&violation)?;
        }
        for (router, outputs) in row.chunks(inputs).enumerate().filter(|(router, _)| *router as u32 != dst) {
            for (input, &output) in outputs.iter().enumerate().filter(|(_, output)| is_entry(**output)) {
                let (out_port, out_vc) = unpacked(output);
                let arrival = input.checked_sub(1).filter(|_| key == TableKey::DstInput);
                let (in_port, in_vc) =
                    arrival.map_or((-1, -1), |input| ((input / vcs) as i16, (input % vcs) as i8));
                let out_vc = if key.count().is_some() { 0 } else { out_vc as u8 };
                tables[router].push(TableEntry {
                    dst: NodeId(dst),
                    in_port,
                    in_vc,
                    out_port: out_port as u16,
                    out_vc,
                });
                count += 1;
            }
        }
        let adapters =
            destinations.iter().enumerate().filter(|&(_, &from)| from as usize >= switches && from != dst);
        for (src, &from) in adapters {
            let out_vc = table.injection_vc(src, endpoint) as u8;
            tables[from as usize].push(TableEntry {
                dst: NodeId(dst),
                in_port: -1,
                in_vc: -1,
                out_port: 0,
                out_vc,
            });
            count += 1;
        }
        if count > MAX_ENTRIES {
            return Err(violation(format!(
                "it has more than {MAX_ENTRIES} entries, which is more than can be laid out"
            )));
        }
    }
    tables.iter_mut().for_each(|entries| entries.sort_unstable());
    let symmetry = Symmetry::trivial(1, routers.len() as u32);
    let tables =
        ForwardingTables { scenario: "nominal".to_owned(), vcs: vcs as u8, key, symmetry, routers: tables };
    links.sort_unstable_by_key(|link| (link.a, link.b));
    Ok(ForeignScene { verdict, routers, ports: network.ports, links, tables, chips: network.chips })
}

/// Adds adapters as routers of one port. Returns the router of every endpoint.
fn add_adapters(
    network: &ForeignNetwork,
    routers: &mut Vec<(String, u16)>,
    links: &mut Vec<Link>,
) -> Vec<u32> {
    let mut destinations = Vec::with_capacity(network.endpoints.len());
    for endpoint in &network.endpoints {
        let node = match endpoint.port {
            None => endpoint.router,
            Some(port) => {
                let adapter = routers.len() as u32;
                routers.push((endpoint.name.clone(), 0));
                links.push(link((endpoint.router, u32::from(port)), (adapter, 0), LinkClass::Local, false));
                adapter
            }
        };
        routers[node as usize].1 = endpoint.hosts;
        destinations.push(node);
    }
    destinations
}

/// Number of virtual channels that the tables use, including those of adapters.
fn used_vcs(network: &ForeignNetwork, table: &dyn ThirdPartyTable) -> usize {
    let endpoints = 0..network.endpoints.len();
    let pairs = endpoints
        .clone()
        .flat_map(|src| endpoints.clone().filter(move |&dst| dst != src).map(move |dst| (src, dst)));
    let injected = match table.lookup() {
        Lookup::Level(_) => pairs.map(|(src, dst)| table.injection_vc(src, dst) + 1).max(),
        _ => None,
    };
    table.vcs().max(injected.unwrap_or(1))
}

/// Converts a row keyed by service level to a row keyed by input port and virtual channel, by walking every
/// pair. Service levels get lost. Hence packets that enter by one port on one channel must continue alike.
fn row_by_lane(
    network: &ForeignNetwork,
    table: &dyn ThirdPartyTable,
    dst: usize,
    row: &[u32],
    vcs: usize,
) -> Result<Vec<u32>, String> {
    let (lookup, ports, end) = (table.lookup(), network.ports, &network.endpoints[dst]);
    let (leveled, inputs) = (lookup.inputs(ports, vcs), Lookup::Input.inputs(ports, vcs));
    let mut by_input = vec![MISSING; network.routers() * inputs];
    for (src, from) in network.endpoints.iter().enumerate().filter(|(src, _)| *src != dst) {
        let Some(mut key) = table.start(src, dst) else { continue };
        let mut router = from.router as usize;
        let mut input =
            from.port.map_or(0, |port| 1 + usize::from(port) * vcs + table.injection_vc(src, dst));
        // Every route was walked before, so it ends.
        while router != end.router as usize || end.port.is_some() {
            let output = row[router * leveled + key];
            let known = &mut by_input[router * inputs + input];
            if *known != MISSING && *known != output {
                let (arrival, names) = (input.checked_sub(1), &network.port_names);
                let arrival = arrival.map_or("start there".to_owned(), |arrival| {
                    format!("come in by {} on lane {}", names[arrival / vcs], arrival % vcs)
                });
                return Err(format!(
                    "at {}, packets for {} that {arrival} take different ports or lanes for different service levels: such tables can be verified, but not simulated",
                    network.names[router], end.name
                ));
            }
            *known = output;
            let (port, vc) = unpacked(output);
            let (to, in_port) = network.next[router * ports + port];
            if to == NOWHERE {
                break;
            }
            (key, input) =
                (lookup.next_input(key, in_port as usize, vc, vcs, false), 1 + in_port as usize * vcs + vc);
            router = to as usize;
        }
    }
    Ok(by_input)
}

fn is_entry(output: u32) -> bool {
    output < NO_LANE && output != MISSING
}

/// The links between the routers of a network.
pub(super) fn links(network: &ForeignNetwork) -> Vec<Link> {
    let mut links = Vec::new();
    for (slot, &(to, port)) in network.next.iter().enumerate().filter(|(_, next)| next.0 != NOWHERE) {
        let back = to as usize * network.ports + port as usize;
        let from = ((slot / network.ports) as u32, (slot % network.ports) as u32);
        let duplex = network.next[back] == from;
        if duplex && back < slot {
            continue;
        }
        let class = if network.global.get(slot).copied().unwrap_or(false) {
            LinkClass::Global
        } else {
            LinkClass::Local
        };
        links.push(link(from, (to, port), class, !duplex));
    }
    links
}

fn link(a: (u32, u32), b: (u32, u32), class: LinkClass, simplex: bool) -> Link {
    let [a, b] = [a, b].map(|(node, port)| End { node: NodeId(node), port: PortId::new(port as usize) });
    Link { a, b, class, link_type: LinkTypeId(0), simplex }
}
