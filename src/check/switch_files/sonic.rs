//! Reads a `config_db.json` of SONiC. Only the tables and fields whose effect this check knows are accepted.
//!
//! The templates of SONiC add what every switch has in common: `bestpath as-path multipath-relax`, up to 514
//! paths of a route, and an announcement of the network of every VLAN interface.

use super::expected::{ExpectedSwitch, HOSTS, convict};
use super::frr::BgpSwitch;
use crate::CheckError;
use fabc_model::{Prefix, address_text};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::net::Ipv4Addr;

/// The most paths of a route in the templates of SONiC.
const MOST_PATHS: u32 = 514;

/// Lanes of a port. Ports are named by their first lane.
const LANES: u32 = 4;

/// A table whose entries have no fields.
type Keys = BTreeMap<String, BTreeMap<String, String>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConfigDb {
    #[serde(rename = "BGP_NEIGHBOR", default)]
    sessions: BTreeMap<String, Session>,
    #[serde(rename = "DEVICE_METADATA")]
    metadata: Metadata,
    #[serde(rename = "DEVICE_NEIGHBOR", default)]
    devices: BTreeMap<String, Device>,
    #[serde(rename = "INTERFACE", default)]
    interfaces: Keys,
    #[serde(rename = "LOOPBACK_INTERFACE", default)]
    loopbacks: Keys,
    #[serde(rename = "VLAN", default)]
    vlans: BTreeMap<String, Vlan>,
    #[serde(rename = "VLAN_INTERFACE", default)]
    vlan_interfaces: Keys,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Metadata {
    localhost: Localhost,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Localhost {
    bgp_asn: String,
    hostname: String,
    #[serde(rename = "type")]
    device_type: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Session {
    asn: String,
    holdtime: String,
    keepalive: String,
    local_addr: String,
    name: String,
    nhopself: String,
    rrclient: String,
}

#[derive(PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Device {
    name: String,
    port: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vlan {
    vlanid: String,
}

/// A switch, and the AS number that it expects of its neighbor at every port.
pub(super) struct SonicSwitch {
    pub(super) bgp: BgpSwitch,
    /// By port: the AS number of the neighbor.
    pub(super) expected_numbers: BTreeMap<u16, u32>,
}

/// Reads the tables of a switch, and checks that it has exactly the addresses and neighbors that it must
/// have. `names` has the names of all switches, and `tier` is that of this one.
pub(super) fn read_switch(
    path: &str,
    text: &str,
    switch: &ExpectedSwitch,
    names: &[&str],
    tier: u32,
) -> Result<SonicSwitch, CheckError> {
    let read: ConfigDb = serde_json::from_str(text).map_err(|error| convict(path, error.to_string()))?;
    let refused = |violation: String| Err(convict(path, violation));
    let Localhost { bgp_asn, hostname, device_type: written } = &read.metadata.localhost;
    if *hostname != switch.name {
        return refused(format!("the hostname is not `{}`", switch.name));
    }
    let device_type = match tier {
        0 => "ToRRouter",
        1 => "LeafRouter",
        _ => "SpineRouter",
    };
    if written != device_type {
        return refused(format!("the type is `{written}`, but a switch of this tier is a `{device_type}`"));
    }
    let Some(as_number) = as_number(bgp_asn) else {
        return refused(format!("`{bgp_asn}` is no AS number"));
    };
    expect_keys(path, "LOOPBACK_INTERFACE", &read.loopbacks, &[("Loopback0", address(switch.loopback, 32))])?;
    let hosts: Vec<(&str, String)> =
        switch.hosts.iter().map(|prefix| ("Vlan1000", address(prefix.first + 1, prefix.length))).collect();
    expect_keys(path, "VLAN_INTERFACE", &read.vlan_interfaces, &hosts)?;
    let vlans: Vec<(&str, &str)> =
        read.vlans.iter().map(|(name, vlan)| (name.as_str(), vlan.vlanid.as_str())).collect();
    if vlans != hosts.iter().map(|(name, _)| (*name, "1000")).collect::<Vec<_>>() {
        return refused("the table VLAN has not exactly the VLAN of the hosts".to_owned());
    }
    let mut interfaces = BTreeMap::from([("lo".to_owned(), Prefix { first: switch.loopback, length: 32 })]);
    if let Some(prefix) = switch.hosts {
        interfaces.insert(HOSTS.to_owned(), Prefix { first: prefix.first + 1, length: prefix.length });
    }
    let (mut own_addresses, mut expected_numbers) = (Vec::new(), BTreeMap::new());
    for port in &switch.ports {
        let Some([first, second]) = port.pair else {
            return refused("links are unnumbered, and CONFIG_DB has numbered ones only".to_owned());
        };
        let name = interface(port.port);
        let own = [first, second]
            .into_iter()
            .find(|own| read.interfaces.contains_key(&format!("{name}|{}", address(*own, 31))));
        let Some(own) = own else {
            let pair = [first, second].map(address_text).join(" or ");
            return refused(format!("the address of `{name}` is not {pair}"));
        };
        interfaces.insert(port.interface(), Prefix { first: own, length: 31 });
        own_addresses.push((name.clone(), address(own, 31)));
        let far = names[port.far.0 as usize];
        let device = Device { name: far.to_owned(), port: interface(port.far.1) };
        if read.devices.get(&name) != Some(&device) {
            return refused(format!("the neighbor at {name} is not {far}, {}", device.port));
        }
        let peer = address_text(if own == first { second } else { first });
        let Some(session) = read.sessions.get(&peer) else {
            return refused(format!("there is no BGP_NEIGHBOR {peer}, which is {far} at {name}"));
        };
        expected_numbers.insert(port.port, check_session(path, &peer, session, far, &address_text(own))?);
    }
    let wanted: Vec<(&str, String)> =
        own_addresses.iter().map(|(name, address)| (name.as_str(), address.clone())).collect();
    expect_keys(path, "INTERFACE", &read.interfaces, &wanted)?;
    if read.sessions.len() > switch.ports.len() || read.devices.len() > switch.ports.len() {
        return refused("it has neighbors to which no link leads".to_owned());
    }
    let bgp = BgpSwitch { as_number, maximum_paths: MOST_PATHS, interfaces };
    Ok(SonicSwitch { bgp, expected_numbers })
}

/// Checks the fields of a session. Returns the AS number of the neighbor.
fn check_session(path: &str, peer: &str, session: &Session, far: &str, own: &str) -> Result<u32, CheckError> {
    let Session { asn, holdtime, keepalive, local_addr, name, nhopself, rrclient } = session;
    let is_fixed = [holdtime, keepalive, nhopself, rrclient].map(String::as_str) == ["9", "3", "0", "0"];
    if !is_fixed || local_addr != own || name != far {
        return Err(convict(
            path,
            format!("BGP_NEIGHBOR {peer} is not a session of {own} with {far}, with timers 3 and 9"),
        ));
    }
    as_number(asn).ok_or_else(|| convict(path, format!("`{asn}` is no AS number")))
}

/// Checks that a table has an entry for every interface, one for its address, and no other.
fn expect_keys(path: &str, table: &str, found: &Keys, wanted: &[(&str, String)]) -> Result<(), CheckError> {
    let pair = |(name, address): &(&str, String)| [(*name).to_owned(), format!("{name}|{address}")];
    let mut keys: Vec<String> = wanted.iter().flat_map(pair).collect();
    keys.sort_unstable();
    if let Some(missing) = keys.iter().find(|key| !found.contains_key(*key)) {
        return Err(convict(path, format!("{table} has no entry `{missing}`")));
    }
    let other = found.iter().find(|(key, fields)| keys.binary_search(key).is_err() || !fields.is_empty());
    match other {
        Some((key, _)) => {
            Err(convict(path, format!("{table} has an entry `{key}` too much, or fields in it")))
        }
        None => Ok(()),
    }
}

fn interface(port: u16) -> String {
    format!("Ethernet{}", LANES * u32::from(port))
}

fn address(first: u32, length: u8) -> String {
    format!("{}/{length}", Ipv4Addr::from(first))
}

fn as_number(text: &str) -> Option<u32> {
    text.parse().ok().filter(|&number| number > 0)
}
