//! The addresses that the switches of a fabric must have, computed from the declaration alone.

use crate::CheckError;
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_ir::Topology;
use fabc_model::{Fabric, Prefix, address_text};
use std::collections::{BTreeMap, BTreeSet};

/// Name of the interface at a leaf that its hosts share.
pub(super) const HOSTS: &str = "hosts";

/// A conviction of the file at a path.
pub(super) fn convict(path: &str, violation: impl Into<String>) -> CheckError {
    CheckError::SwitchFile { path: path.to_owned(), violation: violation.into() }
}

/// What must stand in the files of one switch.
#[derive(Debug)]
pub(super) struct ExpectedSwitch {
    /// Name of its folder, which is also its host name.
    pub(super) name: String,
    pub(super) loopback: u32,
    /// The prefix of its hosts. `None` for a switch without hosts.
    pub(super) hosts: Option<Prefix>,
    /// Its ports with a link, by rising numbers.
    pub(super) ports: Vec<ExpectedPort>,
}

/// A port with a link.
#[derive(Debug)]
pub(super) struct ExpectedPort {
    pub(super) port: u16,
    /// The addresses that the two ends of the link share. `None` where links are unnumbered.
    pub(super) pair: Option<[u32; 2]>,
    /// The switch and the port at the other end.
    pub(super) far: (u32, u16),
}

impl ExpectedPort {
    /// Name of the interface that stands for this port.
    pub(super) fn interface(&self) -> String {
        format!("p{}", self.port)
    }
}

/// All switches, by id.
///
/// # Errors
/// Two switches of one name, addresses that do not suffice, or prefixes that are used twice.
pub(super) fn expected_switches(
    fabric: &Fabric,
    topology: &Topology,
) -> Result<Vec<ExpectedSwitch>, CheckError> {
    let addresses = fabric.addresses();
    let mut most_hosts = 0u64;
    for node in topology.nodes() {
        most_hosts = most_hosts.max(u64::from(topology.hosts(node)));
    }
    // The hosts, a gateway, the network itself and broadcast.
    let (mut leaf_length, mut leaf_size) = (32u8, 1u64);
    while leaf_size < most_hosts + 3 {
        leaf_size *= 2;
        leaf_length -= 1;
    }
    let mut pairs: Vec<Option<[u32; 2]>> = Vec::with_capacity(topology.links().len());
    for link in 0..topology.links().len() as u64 {
        pairs.push(match addresses.links {
            None => None,
            Some(pool) => Some([nth(pool, 2 * link)?, nth(pool, 2 * link + 1)?]),
        });
    }
    let mut switches = Vec::with_capacity(topology.node_count());
    let (mut names, mut leaves) = (BTreeSet::new(), 0u64);
    for node in topology.nodes() {
        let name = folder_name(&topology.name(node));
        if !names.insert(name.clone()) {
            return Err(convict(&name, "two switches have this name"));
        }
        let hosts = match topology.hosts(node) {
            0 => None,
            _ => {
                let first = nth(addresses.hosts, leaves * leaf_size)?;
                nth(addresses.hosts, (leaves + 1) * leaf_size - 1)?;
                leaves += 1;
                Some(Prefix { first, length: leaf_length })
            }
        };
        let mut ports = Vec::new();
        for port in 0..topology.ports() {
            let Some(channel) = topology.outgoing(node, PortId::new(port)) else { continue };
            let far = topology.target(channel);
            let pair = pairs[topology.link_of(channel).index()];
            ports.push(ExpectedPort { port: port as u16, pair, far: (far.node.0, far.port.0) });
        }
        let loopback = nth(addresses.loopbacks, node.index() as u64)?;
        switches.push(ExpectedSwitch { name, loopback, hosts, ports });
    }
    expect_distinct(&switches)?;
    Ok(switches)
}

/// The address of a pool at a position.
fn nth(pool: Prefix, position: u64) -> Result<u32, CheckError> {
    let outside = || convict("spec.fab", format!("{pool} has too few addresses for this network"));
    if position >> (32 - u32::from(pool.length)) > 0 {
        return Err(outside());
    }
    u32::try_from(u64::from(pool.first) + position).map_err(|_| outside())
}

/// Convicts a fabric in which some address would be given out twice.
fn expect_distinct(switches: &[ExpectedSwitch]) -> Result<(), CheckError> {
    // Ranges of addresses by their first one. A link counts once, at the end that is met first.
    let mut ranges: BTreeMap<u32, u64> = BTreeMap::new();
    let mut links = BTreeSet::new();
    let mut add = |first: u32, size: u64| match ranges.insert(first, size) {
        None => Ok(()),
        Some(_) => Err(convict("spec.fab", format!("{} is given out twice", address_text(first)))),
    };
    for switch in switches {
        add(switch.loopback, 1)?;
        if let Some(prefix) = switch.hosts {
            add(prefix.first, 1 << (32 - u32::from(prefix.length)))?;
        }
        for [first, _] in switch.ports.iter().filter_map(|port| port.pair) {
            if links.insert(first) {
                add(first, 2)?;
            }
        }
    }
    let mut end = 0u64;
    for (&first, &size) in &ranges {
        if u64::from(first) < end {
            return Err(convict("spec.fab", format!("{} is given out twice", address_text(first))));
        }
        end = u64::from(first) + size;
    }
    Ok(())
}

/// The name of a switch in paths and host names.
pub(super) fn folder_name(name: &str) -> String {
    let mut folder = String::with_capacity(name.len());
    let bare = name.strip_suffix(']').unwrap_or(name);
    for letter in bare.chars() {
        folder.push(if letter.is_ascii_alphanumeric() || letter == '_' { letter } else { '-' });
    }
    folder
}

/// Reads every file that a folder must have: `<switch>/<file>` for each switch, and nothing else.
pub(super) fn texts_by_switch<'f>(
    switches: &[ExpectedSwitch],
    files: &'f BTreeMap<String, Vec<u8>>,
    file: &str,
) -> Result<Vec<(String, &'f str)>, CheckError> {
    let mut texts = Vec::with_capacity(switches.len());
    for switch in switches {
        let path = format!("{}/{file}", switch.name);
        let bytes = files.get(&path).ok_or_else(|| convict(&path, "the file is missing"))?;
        let text = std::str::from_utf8(bytes).map_err(|_| convict(&path, "the file is not text"))?;
        texts.push((path, text));
    }
    let known: BTreeSet<&str> = texts.iter().map(|(path, _)| path.as_str()).collect();
    match files.keys().find(|path| path.ends_with(&format!("/{file}")) && !known.contains(path.as_str())) {
        Some(path) => Err(convict(path, "no switch of the network has this name")),
        None => Ok(texts),
    }
}

/// Convicts a link whose two ends have one address. `own` gives the interfaces of a switch by its id.
pub(super) fn expect_two_ends<'a>(
    switches: &[ExpectedSwitch],
    file: &str,
    own: impl Fn(usize) -> &'a BTreeMap<String, Prefix>,
) -> Result<(), CheckError> {
    for (number, switch) in switches.iter().enumerate() {
        for port in switch.ports.iter().filter(|port| port.pair.is_some()) {
            let (far, far_port) = port.far;
            let far_interface = format!("p{far_port}");
            if own(number).get(&port.interface()) == own(far as usize).get(&far_interface) {
                let (interface, far) = (port.interface(), &switches[far as usize].name);
                let violation =
                    format!("`{interface}` has the address of the other end, {far} {far_interface}");
                return Err(convict(&format!("{}/{file}", switch.name), violation));
            }
        }
    }
    Ok(())
}

/// Words for the ports of a group: `p0, p3`, or `none`.
pub(super) fn port_list(ports: &[u16]) -> String {
    if ports.is_empty() {
        return "none".to_owned();
    }
    ports.iter().map(|port| format!("p{port}")).collect::<Vec<_>>().join(", ")
}

/// The leaves of a network by the prefixes of their hosts.
pub(super) fn leaf_of_prefix(switches: &[ExpectedSwitch]) -> BTreeMap<Prefix, NodeId> {
    let mut leaves = BTreeMap::new();
    for (number, switch) in switches.iter().enumerate() {
        leaves.extend(switch.hosts.map(|prefix| (prefix, NodeId::new(number))));
    }
    leaves
}
