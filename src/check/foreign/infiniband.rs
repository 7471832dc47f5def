//! Reads a subnet as `ibnetdiscover` prints it, and as ibsim takes it.
//!
//! A record is `Switch <ports> "<id>"` (or `Ca`, `Hca`, `Rt`), then a line `[<port>] "<id>"[<port>]` for
//! every link; GUIDs stand in lines before it and in parentheses, LIDs and descriptions after `#`. Source:
//! the man page of ibnetdiscover(8).

use super::network::{Endpoint, Network};
use super::verdict::{NamedFile, malformed, text};
use crate::CheckError;
use fabc_kernel::NOWHERE;
use std::collections::{BTreeMap, BTreeSet};

/// A subnet: its switches are the routers, the ports of its adapters the endpoints (the switches themselves,
/// if there are no adapters).
pub(super) struct Subnet {
    pub(super) network: Network,
    /// Routers by GUID.
    pub(super) by_guid: BTreeMap<u64, u32>,
    /// Routers by description.
    pub(super) by_description: BTreeMap<String, u32>,
    /// `[endpoint]`: its LID, if the file says it.
    pub(super) lids: Vec<Option<u16>>,
    /// Endpoints by the GUID of their port.
    pub(super) by_port_guid: BTreeMap<u64, usize>,
    /// Endpoints by the GUID of their node, where it has no other endpoint.
    pub(super) by_node_guid: BTreeMap<u64, usize>,
}

struct Node {
    line: usize,
    is_switch: bool,
    id: String,
    ports: usize,
    guid: Option<u64>,
    description: String,
    lid: Option<u16>,
    links: Vec<Link>,
}

struct Link {
    line: usize,
    port: usize,
    guid: Option<u64>,
    lid: Option<u16>,
    remote: String,
    remote_port: usize,
}

/// Reads a subnet.
pub(super) fn subnet(file: NamedFile<'_>) -> Result<Subnet, CheckError> {
    let nodes = nodes(file)?;
    let wrong = |line: usize, what: String| Err(malformed(file.name, line, what));
    let index: BTreeMap<&str, usize> =
        nodes.iter().enumerate().map(|(k, node)| (node.id.as_str(), k)).collect();
    if let Some((k, node)) = nodes.iter().enumerate().find(|(k, node)| index[node.id.as_str()] != *k) {
        return wrong(
            nodes[index[node.id.as_str()]].line,
            format!("\"{}\" has a record already in line {}", node.id, nodes[k].line),
        );
    }
    let switches: Vec<usize> = (0..nodes.len()).filter(|k| nodes[*k].is_switch).collect();
    if switches.is_empty() {
        return wrong(1, "there is no line `Switch <ports> \"<id>\"`".to_owned());
    }
    let router: BTreeMap<usize, u32> = switches.iter().copied().zip(0..).collect();
    let ports = switches.iter().map(|k| nodes[*k].ports + 1).max().unwrap_or(1);
    let mut next = vec![(NOWHERE, 0); switches.len() * ports];
    let (mut endpoints, mut lids, mut by_port_guid) = (Vec::new(), Vec::new(), BTreeMap::new());
    let mut by_node_guid = BTreeMap::new();
    let distinct: BTreeSet<&str> =
        nodes.iter().filter(|node| node.is_switch).map(|node| node.description.as_str()).collect();
    let name = |node: &Node| {
        let said = distinct.len() == switches.len() && !node.description.is_empty();
        if said { node.description.clone() } else { node.id.clone() }
    };
    for (k, node) in nodes.iter().enumerate() {
        let mut seen = BTreeSet::new();
        for link in &node.links {
            let Some(&other) = index.get(link.remote.as_str()) else {
                return wrong(link.line, format!("\"{}\" has no record of its own", link.remote));
            };
            let (mine, theirs) = (&nodes[k], &nodes[other]);
            if link.port == 0
                || link.port > mine.ports
                || link.remote_port == 0
                || link.remote_port > theirs.ports
            {
                return wrong(
                    link.line,
                    format!(
                        "ports {} and {} of {} and {}",
                        link.port, link.remote_port, mine.ports, theirs.ports
                    ),
                );
            }
            if !seen.insert(link.port) {
                return wrong(link.line, format!("port {} has a link already", link.port));
            }
            if !theirs.links.iter().any(|back| {
                (back.port, back.remote.as_str(), back.remote_port)
                    == (link.remote_port, node.id.as_str(), link.port)
            }) {
                return wrong(
                    link.line,
                    format!("the record of \"{}\" does not list this link", link.remote),
                );
            }
            match (router.get(&k), router.get(&other)) {
                (Some(&from), Some(&to)) => {
                    next[from as usize * ports + link.port] = (to, link.remote_port as u32)
                }
                (None, Some(&to)) => {
                    if let Some(guid) = link.guid {
                        by_port_guid.insert(guid, endpoints.len());
                    }
                    if let (Some(guid), 1) = (mine.guid, mine.links.len()) {
                        by_node_guid.insert(guid, endpoints.len());
                    }
                    let port_name =
                        if mine.links.len() > 1 { format!(" port {}", link.port) } else { String::new() };
                    let said = if mine.description.is_empty() { &mine.id } else { &mine.description };
                    endpoints.push(Endpoint {
                        name: format!("{said}{port_name}"),
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
    let names: Vec<String> = switches.iter().map(|k| name(&nodes[*k])).collect();
    if endpoints.is_empty() {
        let of_switch = |(name, router): (&String, u32)| Endpoint {
            name: name.clone(),
            router,
            port: None,
            weight: 1,
            hosts: 1,
        };
        endpoints = names.iter().zip(0..).map(of_switch).collect();
        lids = switches.iter().map(|k| nodes[*k].lid).collect();
        by_port_guid =
            switches.iter().enumerate().filter_map(|(router, k)| Some((nodes[*k].guid?, router))).collect();
    }
    let routers = || switches.iter().zip(0..).map(|(k, router)| (&nodes[*k], router));
    Ok(Subnet {
        by_guid: routers().filter_map(|(node, router)| Some((node.guid?, router))).collect(),
        by_description: routers().map(|(node, router)| (node.description.clone(), router)).collect(),
        network: Network {
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

fn nodes(file: NamedFile<'_>) -> Result<Vec<Node>, CheckError> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut guid = None;
    for (number, line) in (1..).zip(text(file)?.lines()) {
        let (plain, comment) = line.split_once('#').unwrap_or((line, ""));
        let plain = plain.trim();
        let expected = |what: &str| malformed(file.name, number, format!("expected {what}, found `{plain}`"));
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
                // The GUID is in the id, too: "S-<16 hexadecimal digits>".
                let of_id = || u64::from_str_radix(id.split_once('-')?.1, 16).ok();
                nodes.push(Node {
                    line: number,
                    is_switch: word == "Switch",
                    id: id.to_owned(),
                    ports,
                    guid: guid.take().or_else(of_id),
                    description: description(comment),
                    lid: lid(comment),
                    links: Vec::new(),
                });
            }
            "" if plain.starts_with('[') => {
                let link =
                    link(plain, comment, number).ok_or_else(|| expected("`[<port>] \"<id>\"[<port>]`"))?;
                nodes.last_mut().ok_or_else(|| expected("a record before its links"))?.links.push(link);
            }
            "switchguid" | "caguid" | "rtguid" => {
                let digits = plain.split_once("=0x").map_or("", |(_, rest)| rest);
                let digits =
                    digits.split(|letter: char| !letter.is_ascii_hexdigit()).next().unwrap_or_default();
                guid = Some(u64::from_str_radix(digits, 16).map_err(|_| expected("`=0x` and a GUID"))?);
            }
            // What is said about vendors and chassis is not needed.
            "" if plain.is_empty() => {}
            "vendid" | "devid" | "sysimgguid" | "Chassis" | "Non" | "Hop" => {}
            _ => return Err(expected("a record of ibnetdiscover")),
        }
    }
    Ok(nodes)
}

/// `[1](guid) "id"[2](guid)`, the parts in parentheses and `[ext 3]` optional.
fn link(plain: &str, comment: &str, line: usize) -> Option<Link> {
    let (near, rest) = plain.split_once('"')?;
    let (remote, far) = rest.split_once('"')?;
    let port = |text: &str| text.trim().strip_prefix('[')?.split_once(']')?.0.trim().parse::<usize>().ok();
    let guid = near
        .split_once('(')
        .and_then(|(_, rest)| u64::from_str_radix(rest.split(')').next()?.trim_start_matches("0x"), 16).ok());
    Some(Link {
        line,
        port: port(near)?,
        guid,
        lid: lid(comment),
        remote: remote.to_owned(),
        remote_port: port(far)?,
    })
}

/// What is in quotes.
fn description(comment: &str) -> String {
    comment.split('"').nth(1).unwrap_or_default().to_owned()
}

/// The first LID: that of the switch itself in its record, that of the adapter's own port in its links.
fn lid(comment: &str) -> Option<u16> {
    let outside: String = comment.split('"').step_by(2).collect::<Vec<_>>().join(" ");
    let mut words = outside.split_whitespace();
    words.find(|word| *word == "lid")?;
    words.next()?.parse().ok()
}
