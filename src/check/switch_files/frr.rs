//! Reads a configuration of FRR. Only statements whose effect this check knows are accepted, each once.

use super::expected::{ExpectedSwitch, HOSTS, convict};
use crate::CheckError;
use fabc_model::{Prefix, address_text};
use std::collections::{BTreeMap, BTreeSet};
use std::net::Ipv4Addr;

/// Statements of `router bgp` that must stand there. Without one of them, the groups are others.
const BGP_STATEMENTS: [&str; 6] = [
    "bgp bestpath as-path multipath-relax",
    "no bgp ebgp-requires-policy",
    "timers bgp 3 9",
    "neighbor fabric peer-group",
    "neighbor fabric remote-as external",
    "neighbor fabric advertisement-interval 0",
];

/// Statements outside every section that must stand there.
const GLOBAL_STATEMENTS: [&str; 2] = ["frr defaults datacenter", "no zebra nexthop kernel enable"];

/// The most paths that FRR installs for one route.
const MOST_PATHS: u32 = 256;

/// A session with a neighbor, as a switch configures it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Neighbor {
    Address(u32),
    Interface(String),
}

/// The section that a statement stands in.
#[derive(Clone, PartialEq, Debug)]
enum Section {
    Global,
    Interface(String),
    Bgp,
    Unicast,
}

/// The statements of a file, as far as they differ from switch to switch.
#[derive(Default, Debug)]
struct FrrFile {
    hostname: Option<String>,
    interfaces: BTreeMap<String, Prefix>,
    as_number: Option<u32>,
    router_id: Option<u32>,
    /// The neighbors that are in the peer group.
    neighbors: BTreeSet<Neighbor>,
    descriptions: BTreeMap<Neighbor, String>,
    networks: BTreeSet<Prefix>,
    maximum_paths: Option<u32>,
    /// The fixed statements that were met.
    fixed: BTreeSet<&'static str>,
}

/// What the configuration of a switch says beyond what all switches say.
#[derive(Debug)]
pub(super) struct BgpSwitch {
    pub(super) as_number: u32,
    pub(super) maximum_paths: u32,
    /// The addresses of its interfaces.
    pub(super) interfaces: BTreeMap<String, Prefix>,
}

/// Reads the configuration of a switch, and checks that it has exactly the addresses and neighbors that it
/// must have. `names` has the names of all switches.
pub(super) fn read_switch(
    path: &str,
    text: &str,
    switch: &ExpectedSwitch,
    names: &[&str],
) -> Result<BgpSwitch, CheckError> {
    let file = FrrFile::read(path, text)?;
    for statement in GLOBAL_STATEMENTS.iter().chain(&BGP_STATEMENTS) {
        if !file.fixed.contains(statement) {
            return Err(convict(path, format!("there is no `{statement}`")));
        }
    }
    file.check_identity(path, switch)?;
    file.check_neighbors(path, switch, names)?;
    let as_number = file.as_number.ok_or_else(|| convict(path, "there is no `router bgp`"))?;
    let maximum_paths = file.maximum_paths.ok_or_else(|| convict(path, "there is no `maximum-paths`"))?;
    Ok(BgpSwitch { as_number, maximum_paths, interfaces: file.interfaces })
}

impl FrrFile {
    fn read(path: &str, text: &str) -> Result<Self, CheckError> {
        let (mut file, mut section) = (Self::default(), Section::Global);
        for (number, line) in text.lines().enumerate() {
            let statement = line.trim();
            if statement.is_empty() || statement.starts_with('!') {
                continue;
            }
            match file.statement(statement, &section) {
                Some(next) => section = next,
                None => {
                    let line = number + 1;
                    return Err(convict(
                        path,
                        format!(
                            "line {line}: `{statement}` is no statement that the check knows, or a second one"
                        ),
                    ));
                }
            }
        }
        Ok(file)
    }

    /// Reads one statement. Returns the section after it. `None` for a statement that is unknown in its
    /// section, or that stands twice.
    fn statement(&mut self, statement: &str, section: &Section) -> Option<Section> {
        let words: Vec<&str> = statement.split_ascii_whitespace().collect();
        match (section, words.as_slice()) {
            (Section::Interface(_), ["exit"]) | (Section::Bgp, ["exit"]) => Some(Section::Global),
            (Section::Unicast, ["exit-address-family"]) => Some(Section::Bgp),
            (Section::Global, ["interface", name]) => Some(Section::Interface((*name).to_owned())),
            (Section::Global, ["hostname", name]) => {
                set_once(&mut self.hostname, (*name).to_owned())?;
                Some(Section::Global)
            }
            (Section::Global, ["router", "bgp", number]) => {
                set_once(&mut self.as_number, number.parse().ok()?)?;
                Some(Section::Bgp)
            }
            (Section::Global, _) => self.fixed_statement(statement, &GLOBAL_STATEMENTS, section),
            (Section::Interface(name), ["ip", "address", written]) => {
                let none = self.interfaces.insert(name.clone(), interface_address(written)?).is_none();
                none.then(|| section.clone())
            }
            (Section::Interface(_), _) => None,
            (Section::Bgp, ["bgp", "router-id", id]) => {
                set_once(&mut self.router_id, address(id)?)?;
                Some(Section::Bgp)
            }
            (Section::Bgp, ["neighbor", name, "interface", "peer-group", "fabric"]) => {
                self.neighbors.insert(Neighbor::Interface((*name).to_owned())).then_some(Section::Bgp)
            }
            (Section::Bgp, ["neighbor", peer, "peer-group", "fabric"]) => {
                self.neighbors.insert(Neighbor::Address(address(peer)?)).then_some(Section::Bgp)
            }
            (Section::Bgp, ["neighbor", peer, "description", text]) => {
                let neighbor =
                    address(peer).map_or_else(|| Neighbor::Interface((*peer).to_owned()), Neighbor::Address);
                self.descriptions.insert(neighbor, (*text).to_owned()).is_none().then_some(Section::Bgp)
            }
            (Section::Bgp, ["address-family", "ipv4", "unicast"]) => Some(Section::Unicast),
            (Section::Bgp, _) => self.fixed_statement(statement, &BGP_STATEMENTS, section),
            (Section::Unicast, ["network", prefix]) => {
                self.networks.insert(Prefix::parse(prefix).ok()?).then_some(Section::Unicast)
            }
            (Section::Unicast, ["maximum-paths", paths]) => {
                let paths = paths.parse().ok().filter(|paths| (1..=MOST_PATHS).contains(paths))?;
                set_once(&mut self.maximum_paths, paths)?;
                Some(Section::Unicast)
            }
            (Section::Unicast, _) => None,
        }
    }

    /// Reads one of the statements that stand in every file.
    fn fixed_statement(
        &mut self,
        statement: &str,
        known: &[&'static str],
        section: &Section,
    ) -> Option<Section> {
        let fixed = known.iter().copied().find(|known| *known == statement)?;
        self.fixed.insert(fixed).then(|| section.clone())
    }

    /// Checks the name and the addresses of a switch, and which prefix it announces.
    fn check_identity(&self, path: &str, switch: &ExpectedSwitch) -> Result<(), CheckError> {
        if self.hostname.as_deref() != Some(switch.name.as_str()) {
            return Err(convict(path, format!("the hostname is not `{}`", switch.name)));
        }
        if self.router_id != Some(switch.loopback) {
            let loopback = address_text(switch.loopback);
            return Err(convict(path, format!("the router-id is not {loopback}")));
        }
        let mut interfaces: BTreeMap<String, Prefix> = BTreeMap::new();
        interfaces.insert("lo".to_owned(), Prefix { first: switch.loopback, length: 32 });
        if let Some(prefix) = switch.hosts {
            let gateway = Prefix { first: prefix.first + 1, length: prefix.length };
            interfaces.insert(HOSTS.to_owned(), gateway);
        }
        for port in &switch.ports {
            if let (Some(pair), Some(own)) = (port.pair, self.interfaces.get(&port.interface())) {
                // Which end has which of the two addresses follows from the neighbors.
                if own.length == 31 && pair.contains(&own.first) {
                    interfaces.insert(port.interface(), *own);
                    continue;
                }
            }
            if let Some(pair) = port.pair {
                let pair = pair.map(address_text).join(" or ");
                return Err(convict(path, format!("the address of `{}` is not {pair}", port.interface())));
            }
        }
        if let Some((name, address)) =
            interfaces.iter().find(|(name, address)| self.interfaces.get(*name) != Some(address))
        {
            let (first, length) = (address_text(address.first), address.length);
            return Err(convict(path, format!("the address of `{name}` is not {first}/{length}")));
        }
        if let Some(name) = self.interfaces.keys().find(|name| !interfaces.contains_key(*name)) {
            return Err(convict(path, format!("the network has no interface `{name}` here")));
        }
        let announced: Vec<Prefix> = self.networks.iter().copied().collect();
        match (switch.hosts, announced.as_slice()) {
            (None, []) => Ok(()),
            (Some(prefix), [announced]) if prefix == *announced => Ok(()),
            (Some(prefix), _) => Err(convict(path, format!("it must announce {prefix}, and nothing else"))),
            (None, _) => Err(convict(path, "it announces a prefix, but it has no hosts")),
        }
    }

    /// Checks that a switch has one session over every link and no other.
    fn check_neighbors(&self, path: &str, switch: &ExpectedSwitch, names: &[&str]) -> Result<(), CheckError> {
        let mut expected = BTreeSet::new();
        for port in &switch.ports {
            let (far, far_port) = (names[port.far.0 as usize], port.far.1);
            let interface = port.interface();
            let neighbor = match (port.pair, self.interfaces.get(&interface)) {
                (Some([first, second]), Some(own)) => {
                    Neighbor::Address(if own.first == first { second } else { first })
                }
                _ => Neighbor::Interface(interface.clone()),
            };
            if !self.neighbors.contains(&neighbor) {
                return Err(convict(path, format!("there is no neighbor {far} at {interface}")));
            }
            let description = format!("{far}:p{far_port}");
            if self.descriptions.get(&neighbor) != Some(&description) {
                return Err(convict(
                    path,
                    format!("the neighbor at {interface} is {description}, but its description differs"),
                ));
            }
            expected.insert(neighbor);
        }
        match self.neighbors.iter().chain(self.descriptions.keys()).find(|peer| !expected.contains(*peer)) {
            None => Ok(()),
            Some(Neighbor::Address(peer)) => {
                Err(convict(path, format!("no link leads to the neighbor {}", address_text(*peer))))
            }
            Some(Neighbor::Interface(name)) => {
                Err(convict(path, format!("no link leads to a neighbor at {name}")))
            }
        }
    }
}

/// Stores a value. `None` if there is one already.
fn set_once<T>(place: &mut Option<T>, value: T) -> Option<()> {
    place.replace(value).is_none().then_some(())
}

fn address(text: &str) -> Option<u32> {
    text.parse::<Ipv4Addr>().ok().map(u32::from)
}

/// Reads the address of an interface, such as `172.16.0.1/31`. Bits after the length may be set.
fn interface_address(text: &str) -> Option<Prefix> {
    let (first, length) = text.split_once('/')?;
    let length = length.parse().ok().filter(|length| *length <= 32)?;
    Some(Prefix { first: address(first)?, length })
}
