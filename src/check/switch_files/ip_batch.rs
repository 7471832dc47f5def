//! Reads the lines for `ip -batch` of every switch, and compares their routes with group tables.

use super::expected::{
    ExpectedSwitch, HOSTS, convict, expect_two_ends, expected_switches, leaf_of_prefix, port_list,
    texts_by_switch,
};
use super::outside::RoutedPart;
use crate::CheckError;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{GroupTables, Scene, Topology};
use fabc_model::{Fabric, Prefix, address_text};
use std::collections::{BTreeMap, BTreeSet};
use std::net::Ipv4Addr;

/// The largest weight of a next hop that `ip route` takes.
const MAX_WEIGHT: u64 = 256;

/// The name of the file of every switch.
const FILE: &str = "routes.batch";

/// The static routes of all switches.
#[derive(Debug)]
pub struct StaticRoutes {
    /// `[switch]`: the name of its folder.
    names: Vec<String>,
    /// `[switch]`: the ports to every leaf, ascending.
    groups: Vec<BTreeMap<NodeId, Vec<WeightedPort>>>,
    part: RoutedPart,
}

impl StaticRoutes {
    /// Reads the `routes.batch` of every switch. `files` maps paths such as `leaf-0/routes.batch` to their
    /// bytes.
    ///
    /// # Errors
    /// The first file that is missing, has an unknown line, or has an address that does not fit the network.
    pub fn read(
        fabric: &Fabric,
        topology: &Topology,
        files: &BTreeMap<String, Vec<u8>>,
    ) -> Result<Self, CheckError> {
        let part = RoutedPart::new(fabric, topology)?;
        let expected = expected_switches(fabric, part.topology(topology))?;
        let leaves = leaf_of_prefix(&expected);
        let mut own_addresses: Vec<BTreeMap<String, Prefix>> = Vec::with_capacity(expected.len());
        let texts = texts_by_switch(&expected, files, FILE)?;
        for (switch, (path, text)) in expected.iter().zip(&texts) {
            own_addresses.push(read_addresses(path, text, switch)?);
        }
        expect_two_ends(&expected, FILE, |switch| &own_addresses[switch])?;
        let mut groups = Vec::with_capacity(expected.len());
        for (number, (path, text)) in texts.iter().enumerate() {
            let ends = Ends { switch: &expected[number], own: &own_addresses[number] };
            groups.push(read_routes(path, text, &ends, &leaves)?);
        }
        let names = expected.into_iter().map(|switch| switch.name).collect();
        Ok(Self { names, groups, part })
    }

    /// Checks that the routes are the groups of the tables. Returns the number of routes.
    ///
    /// # Errors
    /// The first switch and leaf whose next hops differ.
    pub fn check_groups(&self, topology: &Topology, tables: &GroupTables) -> Result<u64, CheckError> {
        let routed = self.part.groups(&Scene::healthy(topology), tables);
        let mut compared = 0;
        for (number, routes) in self.groups.iter().enumerate() {
            let path = || format!("{}/{FILE}", self.names[number]);
            for leaf in routed.scene.endpoints() {
                let listed = routes.get(&leaf).map_or(&[][..], Vec::as_slice);
                let to = &self.names[leaf.index()];
                let group: Vec<WeightedPort> =
                    routed.members(NodeId::new(number), leaf).ok_or_else(|| {
                        convict(&path(), format!("the GPUs at {to} have different groups in the tables"))
                    })?;
                if listed != group {
                    let (listed, group) = (weighted_list(listed), weighted_list(&group));
                    return Err(convict(
                        &path(),
                        format!("the next hops to {to} are {listed}, but the group in the tables is {group}"),
                    ));
                }
                compared += u64::from(!listed.is_empty());
            }
        }
        Ok(compared)
    }
}

/// A switch with the addresses that its file gives to its interfaces.
struct Ends<'a> {
    switch: &'a ExpectedSwitch,
    own: &'a BTreeMap<String, Prefix>,
}

impl Ends<'_> {
    /// The port of a next hop. `None` if the address is not that of the neighbor at the interface.
    fn port_of(&self, address: u32, interface: &str) -> Option<u16> {
        let port = self.switch.ports.iter().find(|port| port.interface() == interface)?;
        let own = self.own.get(interface)?.first;
        (port.pair?.contains(&address) && address != own).then_some(port.port)
    }
}

/// Reads the lines `address replace A dev D`.
fn read_addresses(
    path: &str,
    text: &str,
    switch: &ExpectedSwitch,
) -> Result<BTreeMap<String, Prefix>, CheckError> {
    let mut addresses = BTreeMap::new();
    for line in text.lines() {
        let ["address", "replace", written, "dev", interface] = *words(line) else { continue };
        let parsed = written.split_once('/').and_then(|(first, length)| {
            Some(Prefix { first: first.parse::<Ipv4Addr>().ok()?.into(), length: length.parse().ok()? })
        });
        let parsed = parsed.ok_or_else(|| convict(path, format!("`{written}` is no address")))?;
        if addresses.insert(interface.to_owned(), parsed).is_some() {
            return Err(convict(path, format!("`{interface}` has two addresses")));
        }
    }
    let mut expected = BTreeSet::from(["lo".to_owned()]);
    let mut expect = |interface: &str, allowed: &[Prefix]| {
        expected.insert(interface.to_owned());
        match addresses.get(interface) {
            Some(address) if allowed.contains(address) => Ok(()),
            _ => {
                let words = |prefix: &Prefix| format!("{}/{}", address_text(prefix.first), prefix.length);
                let allowed = allowed.iter().map(words).collect::<Vec<_>>().join(" or ");
                Err(convict(path, format!("the address of `{interface}` is not {allowed}")))
            }
        }
    };
    expect("lo", &[Prefix { first: switch.loopback, length: 32 }])?;
    if let Some(prefix) = switch.hosts {
        expect(HOSTS, &[Prefix { first: prefix.first + 1, length: prefix.length }])?;
    }
    for port in &switch.ports {
        if let Some(pair) = port.pair {
            expect(&port.interface(), &pair.map(|first| Prefix { first, length: 31 }))?;
        }
    }
    match addresses.keys().find(|interface| !expected.contains(*interface)) {
        Some(interface) => Err(convict(path, format!("the network has no interface `{interface}` here"))),
        None => Ok(addresses),
    }
}

/// A port of a route, with its weight.
type WeightedPort = (u16, u64);

/// Reads the lines `route replace P proto static nexthop via A dev D weight W ..`.
fn read_routes(
    path: &str,
    text: &str,
    ends: &Ends<'_>,
    leaves: &BTreeMap<Prefix, NodeId>,
) -> Result<BTreeMap<NodeId, Vec<WeightedPort>>, CheckError> {
    let mut groups = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        let refused = |what: &str| Err(convict(path, format!("line {}: {what}", number + 1)));
        let words = words(line);
        let ["route", "replace", prefix, "proto", "static", hops @ ..] = &*words else {
            match &*words {
                [] | ["address", "replace", _, "dev", _] => continue,
                _ => return refused("no line that the check knows"),
            }
        };
        let leaf = Prefix::parse(prefix).ok().and_then(|prefix| leaves.get(&prefix));
        let Some(&leaf) = leaf else { return refused("no leaf has this prefix") };
        let mut ports = Vec::new();
        for hop in hops.chunks(7) {
            let ["nexthop", "via", address, "dev", interface, "weight", weight] = hop else {
                return refused("a next hop is not `nexthop via A dev D weight W`");
            };
            let Some(weight) = weight.parse().ok().filter(|weight| (1..=MAX_WEIGHT).contains(weight)) else {
                return refused(&format!("`{weight}` is no weight of 1 to {MAX_WEIGHT}"));
            };
            let port = address.parse::<Ipv4Addr>().ok().and_then(|a| ends.port_of(a.into(), interface));
            match port {
                Some(port) if ports.iter().all(|&(other, _)| other != port) => ports.push((port, weight)),
                _ => return refused(&format!("no neighbor, or one twice: {address} at {interface}")),
            }
        }
        ports.sort_unstable();
        if groups.insert(leaf, ports).is_some() {
            return refused("a second route to one leaf");
        }
    }
    Ok(groups)
}

fn words(line: &str) -> Box<[&str]> {
    line.split_ascii_whitespace().collect()
}

/// The ports in words, with their weights unless all are 1.
fn weighted_list(ports: &[WeightedPort]) -> String {
    let is_weighted = ports.iter().any(|&(_, weight)| weight != 1);
    let numbers: Vec<u16> = ports.iter().map(|&(port, _)| port).collect();
    let weights: Vec<String> = ports.iter().map(|(_, weight)| weight.to_string()).collect();
    let weights = if is_weighted { format!(" with weights {}", weights.join(", ")) } else { String::new() };
    port_list(&numbers) + &weights
}
