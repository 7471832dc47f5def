//! Tables of anybody and the network under them as values that other rooms can work with.
//!
//! Comes in: what was read, after it was judged. Goes out: routers, links and a table per router, with no
//! symmetry. An endpoint behind a port of its router, as the adapters of a subnet are, becomes a router of
//! one port with one host: tables may send packets for two adapters of one switch different ways.

use super::network::{Network, ThirdPartyTable};
use super::verdict::{ForeignTables, malformed};
use crate::CheckError;
use fabc_base::ids::{Id, LinkTypeId, NodeId, PortId};
use fabc_ir::{End, Entry, ForwardingTables, Link, LinkClass, Symmetry, TableKey};
use fabc_kernel::{Lookup, MISSING, NO_LANE, NOWHERE, unpacked};

/// More entries than these are not laid out: 1 GiB.
const MOST_ENTRIES: usize = 1 << 26;

/// A network of anybody, with its tables.
pub struct ForeignScene {
    /// What the walk of all pairs found.
    pub verdict: ForeignTables,
    /// `[router]`: its name, and how many hosts it has.
    pub routers: Vec<(String, u16)>,
    /// The most ports of a router.
    pub ports: usize,
    /// All of one type.
    pub links: Vec<Link>,
    /// Every router is listed.
    pub tables: ForwardingTables,
    /// Whether its endpoints are inside its routers, as the chips of a pod are.
    pub chips: bool,
}

/// Lays out what was judged.
///
/// # Errors
/// There are more entries than fit.
pub(super) fn scene(
    file: &str,
    verdict: ForeignTables,
    network: &Network,
    table: &dyn ThirdPartyTable,
) -> Result<ForeignScene, CheckError> {
    let wrong = |what: String| malformed(file, 1, what);
    let key = match table.lookup() {
        Lookup::Destination => TableKey::Dst,
        Lookup::Count(count) => TableKey::DstCount(count),
        Lookup::Input | Lookup::Level(_) => TableKey::DstInput,
    };
    let leveled = matches!(table.lookup(), Lookup::Level(_));
    let (switches, vcs) = (network.routers(), vcs(network, table));
    let mut routers: Vec<(String, u16)> = network.names.iter().map(|name| (name.clone(), 0)).collect();
    let mut links = links(network);
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
    let inputs = if leveled { Lookup::Input } else { table.lookup() }.entries(network.ports, vcs);
    let mut tables = vec![Vec::new(); routers.len()];
    let (mut row, mut count) = (Vec::new(), 0);
    for (endpoint, &dst) in destinations.iter().enumerate() {
        table.fill(endpoint, &mut row);
        if leveled {
            row = by_lane(network, table, (endpoint, &row), vcs).map_err(&wrong)?;
        }
        for (router, outputs) in row.chunks(inputs).enumerate().filter(|(router, _)| *router as u32 != dst) {
            for (input, &output) in outputs.iter().enumerate().filter(|(_, output)| is_entry(**output)) {
                let (out_port, out_vc) = unpacked(output);
                let came = input.checked_sub(1).filter(|_| key == TableKey::DstInput);
                let (in_port, in_vc) =
                    came.map_or((-1, -1), |input| ((input / vcs) as i16, (input % vcs) as i8));
                let out_vc = if key.count().is_some() { 0 } else { out_vc as u8 };
                tables[router].push(Entry {
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
            let out_vc = table.injected(src, endpoint) as u8;
            tables[from as usize].push(Entry {
                dst: NodeId(dst),
                in_port: -1,
                in_vc: -1,
                out_port: 0,
                out_vc,
            });
            count += 1;
        }
        if count > MOST_ENTRIES {
            return Err(wrong(format!(
                "it has more than {MOST_ENTRIES} entries, which is more than can be laid out"
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

/// Virtual channels that the tables use, those of adapters too.
fn vcs(network: &Network, table: &dyn ThirdPartyTable) -> usize {
    let all = 0..network.endpoints.len();
    let pairs =
        all.clone().flat_map(|src| all.clone().filter(move |&dst| dst != src).map(move |dst| (src, dst)));
    let injected = match table.lookup() {
        Lookup::Level(_) => pairs.map(|(src, dst)| table.injected(src, dst) + 1).max(),
        _ => None,
    };
    table.vcs().max(injected.unwrap_or(1))
}

/// The row of a table with service levels by input port and virtual channel, as tables without such levels
/// have it: every pair that ends there is walked. Levels are lost, so what comes in by one port on one
/// channel must go on alike.
fn by_lane(
    network: &Network,
    table: &dyn ThirdPartyTable,
    (dst, row): (usize, &[u32]),
    vcs: usize,
) -> Result<Vec<u32>, String> {
    let (lookup, ports, end) = (table.lookup(), network.ports, &network.endpoints[dst]);
    let (leveled, inputs) = (lookup.inputs(ports, vcs), Lookup::Input.inputs(ports, vcs));
    let mut told = vec![MISSING; network.routers() * inputs];
    for (src, from) in network.endpoints.iter().enumerate().filter(|(src, _)| *src != dst) {
        let Some(mut at) = table.start(src, dst) else { continue };
        let mut router = from.router as usize;
        let mut input = from.port.map_or(0, |port| 1 + usize::from(port) * vcs + table.injected(src, dst));
        // Every route was walked: it ends.
        while router != end.router as usize || end.port.is_some() {
            let output = row[router * leveled + at];
            let known = &mut told[router * inputs + input];
            if *known != MISSING && *known != output {
                let (came, names) = (input.checked_sub(1), &network.port_names);
                let came = came.map_or("start there".to_owned(), |came| {
                    format!("come in by {} on lane {}", names[came / vcs], came % vcs)
                });
                return Err(format!(
                    "at {}, packets for {} that {came} go on unlike ways, or on unlike lanes, by their service levels: they can be \
                     walked, but not be simulated",
                    network.names[router], end.name
                ));
            }
            *known = output;
            let (port, vc) = unpacked(output);
            let (to, in_port) = network.next[router * ports + port];
            if to == NOWHERE {
                break;
            }
            (at, input) =
                (lookup.next_input(at, in_port as usize, vc, vcs, false), 1 + in_port as usize * vcs + vc);
            router = to as usize;
        }
    }
    Ok(told)
}

fn is_entry(output: u32) -> bool {
    output < NO_LANE && output != MISSING
}

/// The links between routers.
fn links(network: &Network) -> Vec<Link> {
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
