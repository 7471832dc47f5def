//! Reads a subnet as `ibnetdiscover` prints it, and as ibsim accepts it.
//!
//! A record is `Switch <ports> "<id>"` (or `Ca`, `Hca`, `Rt`), followed by a line `[<port>] "<id>"[<port>]`
//! per link. GUIDs stand in the lines before a record and in parentheses. LIDs and descriptions stand after
//! `#`. Source: the man page ibnetdiscover(8).

use super::network::{ForeignEndpoint, ForeignNetwork};
use super::verdict::{NamedFile, malformed, text};
use crate::CheckError;
use fabc_kernel::NOWHERE;
use std::collections::{BTreeMap, BTreeSet};

/// A subnet. Its switches are the routers. The ports of its adapters are the endpoints, or the switches
/// themselves if there are no adapters.
pub(super) struct InfinibandSubnet {
    pub(super) network: ForeignNetwork,
    /// Routers by the GUID of their switch.
    pub(super) by_guid: BTreeMap<u64, u32>,
    /// Routers by the description of their switch.
    pub(super) by_description: BTreeMap<String, u32>,
    /// `[endpoint]`: its LID, if the file has it.
    pub(super) lids: Vec<Option<u16>>,
    /// Endpoints by the GUID of their port.
    pub(super) by_port_guid: BTreeMap<u64, usize>,
    /// Endpoints by the GUID of their node, where the node has no other endpoint.
    pub(super) by_node_guid: BTreeMap<u64, usize>,
}

struct SubnetNode {
    line: usize,
    is_switch: bool,
    id: String,
    ports: usize,
    guid: Option<u64>,
    description: String,
    lid: Option<u16>,
    links: Vec<SubnetLink>,
}

struct SubnetLink {
    line: usize,
    port: usize,
    guid: Option<u64>,
    lid: Option<u16>,
    remote: String,
    remote_port: usize,
}

/// Reads a subnet and connects its records.
pub(super) fn read_subnet(file: NamedFile<'_>) -> Result<InfinibandSubnet, CheckError> {
    let nodes = read_nodes(file)?;
    let reject = |line: usize, message: String| Err(malformed(file.name, line, message));
    let index: BTreeMap<&str, usize> =
        nodes.iter().enumerate().map(|(k, node)| (node.id.as_str(), k)).collect();
    if let Some((k, node)) = nodes.iter().enumerate().find(|(k, node)| index[node.id.as_str()] != *k) {
        return reject(
            nodes[index[node.id.as_str()]].line,
            format!("\"{}\" has a record already in line {}", node.id, nodes[k].line),
        );
    }
    let switches: Vec<usize> = (0..nodes.len()).filter(|k| nodes[*k].is_switch).collect();
    if switches.is_empty() {
        return reject(1, "there is no line `Switch <ports> \"<id>\"`".to_owned());
    }
    let router: BTreeMap<usize, u32> = switches.iter().copied().zip(0..).collect();
    let ports = switches.iter().map(|k| nodes[*k].ports + 1).max().unwrap_or(1);
    let mut next = vec![(NOWHERE, 0); switches.len() * ports];
    let (mut endpoints, mut lids, mut by_port_guid) = (Vec::new(), Vec::new(), BTreeMap::new());
    let mut by_node_guid = BTreeMap::new();
    for (k, node) in nodes.iter().enumerate() {
        let mut used_ports = BTreeSet::new();
        for link in &node.links {
            let other = far_node(file, &nodes, &index, node, link, &mut used_ports)?;
            match (router.get(&k), router.get(&other)) {
                (Some(&from), Some(&to)) => {
                    next[from as usize * ports + link.port] = (to, link.remote_port as u32)
                }
                (None, Some(&to)) => {
                    if let Some(guid) = link.guid {
                        by_port_guid.insert(guid, endpoints.len());
                    }
                    if let (Some(guid), 1) = (node.guid, node.links.len()) {
                        by_node_guid.insert(guid, endpoints.len());
                    }
                    let port_name =
                        if node.links.len() > 1 { format!(" port {}", link.port) } else { String::new() };
                    let node_name = if node.description.is_empty() { &node.id } else { &node.description };
                    endpoints.push(ForeignEndpoint {
                        name: format!("{node_name}{port_name}"),
                        router: to,
                        port: Some(link.remote_port as u8),
                        weight: 1,
                        hosts: 1,
                    });
                    lids.push(link.lid);
                }
                _ => {}
            }
        }
    }
    let names = switch_names(&nodes, &switches);
    if endpoints.is_empty() {
        endpoints = names.iter().zip(0..).map(|(name, router)| switch_endpoint(name, router)).collect();
        lids = switches.iter().map(|k| nodes[*k].lid).collect();
        by_port_guid =
            switches.iter().enumerate().filter_map(|(router, k)| Some((nodes[*k].guid?, router))).collect();
    }
    let routers = || switches.iter().zip(0..).map(|(k, router)| (&nodes[*k], router));
    Ok(InfinibandSubnet {
        by_guid: routers().filter_map(|(node, router)| Some((node.guid?, router))).collect(),
        by_description: routers().map(|(node, router)| (node.description.clone(), router)).collect(),
        network: ForeignNetwork {
            names,
            ports,
            port_names: (0..ports).map(|port| format!("[{port}]")).collect(),
            next,
            global: Vec::new(),
            endpoints,
            chips: false,
        },
        lids,
        by_port_guid,
        by_node_guid,
    })
}

/// The node at the other end of a link. Its record must list the link too.
fn far_node(
    file: NamedFile<'_>,
    nodes: &[SubnetNode],
    index: &BTreeMap<&str, usize>,
    node: &SubnetNode,
    link: &SubnetLink,
    used_ports: &mut BTreeSet<usize>,
) -> Result<usize, CheckError> {
    let reject = |line: usize, message: String| Err(malformed(file.name, line, message));
    let Some(&other) = index.get(link.remote.as_str()) else {
        return reject(link.line, format!("\"{}\" has no record of its own", link.remote));
    };
    let far = &nodes[other];
    if link.port == 0 || link.port > node.ports || link.remote_port == 0 || link.remote_port > far.ports {
        return reject(
            link.line,
            format!("ports {} and {} of {} and {}", link.port, link.remote_port, node.ports, far.ports),
        );
    }
    if !used_ports.insert(link.port) {
        return reject(link.line, format!("port {} has a link already", link.port));
    }
    if !far.links.iter().any(|back| {
        (back.port, back.remote.as_str(), back.remote_port) == (link.remote_port, node.id.as_str(), link.port)
    }) {
        return reject(link.line, format!("the record of \"{}\" does not list this link", link.remote));
    }
    Ok(other)
}

/// The endpoint of a switch, in a subnet without adapters.
fn switch_endpoint(name: &str, router: u32) -> ForeignEndpoint {
    ForeignEndpoint { name: name.to_owned(), router, port: None, weight: 1, hosts: 1 }
}

/// The names of all switches: their descriptions where these are distinct and not empty, otherwise their ids.
fn switch_names(nodes: &[SubnetNode], switches: &[usize]) -> Vec<String> {
    let distinct: BTreeSet<&str> =
        nodes.iter().filter(|node| node.is_switch).map(|node| node.description.as_str()).collect();
    let name = |node: &SubnetNode| {
        let has_description = distinct.len() == switches.len() && !node.description.is_empty();
        if has_description { node.description.clone() } else { node.id.clone() }
    };
    switches.iter().map(|k| name(&nodes[*k])).collect()
}

fn read_nodes(file: NamedFile<'_>) -> Result<Vec<SubnetNode>, CheckError> {
    let mut nodes: Vec<SubnetNode> = Vec::new();
    let mut guid = None;
    for (number, line) in (1..).zip(text(file)?.lines()) {
        let (plain, comment) = line.split_once('#').unwrap_or((line, ""));
        let plain = plain.trim();
        let expected = |expectation: &str| {
            malformed(file.name, number, format!("expected {expectation}, found `{plain}`"))
        };
        let word = plain.split(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or_default();
        match word {
            "Switch" | "Ca" | "Hca" | "Rt" => {
                let shape = || expected("`<kind> <ports> \"<id>\"`");
                let rest = plain[word.len()..].trim_start();
                let (ports, rest) = rest.split_once(char::is_whitespace).ok_or_else(shape)?;
                let id = rest
                    .trim()
                    .strip_prefix('"')
                    .and_then(|rest| rest.split('"').next())
                    .ok_or_else(shape)?;
                let ports = ports
                    .parse()
                    .ok()
                    .filter(|ports| (1..=254).contains(ports))
                    .ok_or_else(|| expected("1 to 254 ports"))?;
                // The id contains the GUID too: "S-<16 hexadecimal digits>".
                let guid_of_id = || u64::from_str_radix(id.split_once('-')?.1, 16).ok();
                nodes.push(SubnetNode {
                    line: number,
                    is_switch: word == "Switch",
                    id: id.to_owned(),
                    ports,
                    guid: guid.take().or_else(guid_of_id),
                    description: parse_description(comment),
                    lid: parse_lid(comment),
                    links: Vec::new(),
                });
            }
            "" if plain.starts_with('[') => {
                let link = parse_link(plain, comment, number)
                    .ok_or_else(|| expected("`[<port>] \"<id>\"[<port>]`"))?;
                nodes.last_mut().ok_or_else(|| expected("a record before its links"))?.links.push(link);
            }
            "switchguid" | "caguid" | "rtguid" => {
                let digits = plain.split_once("=0x").map_or("", |(_, rest)| rest);
                let digits =
                    digits.split(|letter: char| !letter.is_ascii_hexdigit()).next().unwrap_or_default();
                guid = Some(u64::from_str_radix(digits, 16).map_err(|_| expected("`=0x` and a GUID"))?);
            }
            // Vendors and chassis do not matter.
            "" if plain.is_empty() => {}
            "vendid" | "devid" | "sysimgguid" | "Chassis" | "Non" | "Hop" => {}
            _ => return Err(expected("a record of ibnetdiscover")),
        }
    }
    Ok(nodes)
}

/// Reads `[1](guid) "id"[2](guid)`. The parts in parentheses and `[ext 3]` are optional.
fn parse_link(plain: &str, comment: &str, line: usize) -> Option<SubnetLink> {
    let (near, rest) = plain.split_once('"')?;
    let (remote, far) = rest.split_once('"')?;
    let port = |text: &str| text.trim().strip_prefix('[')?.split_once(']')?.0.trim().parse::<usize>().ok();
    let guid = near
        .split_once('(')
        .and_then(|(_, rest)| u64::from_str_radix(rest.split(')').next()?.trim_start_matches("0x"), 16).ok());
    Some(SubnetLink {
        line,
        port: port(near)?,
        guid,
        lid: parse_lid(comment),
        remote: remote.to_owned(),
        remote_port: port(far)?,
    })
}

/// The text within quotes in a comment.
fn parse_description(comment: &str) -> String {
    comment.split('"').nth(1).unwrap_or_default().to_owned()
}

/// The first LID of a comment. In the record of a switch it is that of the switch. In a link of an adapter
/// it is that of the adapter's own port.
fn parse_lid(comment: &str) -> Option<u16> {
    let outside: String = comment.split('"').step_by(2).collect::<Vec<_>>().join(" ");
    let mut words = outside.split_whitespace();
    words.find(|word| *word == "lid")?;
    words.next()?.parse().ok()
}
