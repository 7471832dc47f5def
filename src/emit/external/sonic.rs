//! Configurations of SONiC, one `config_db.json` per switch: the same addresses, AS numbers and sessions as
//! those of FRR, in the tables of CONFIG_DB.
//!
//! SONiC runs FRR, and makes its configuration of these tables with templates of its own. They have
//! `bestpath as-path multipath-relax`, `maximum-paths 514`, and announce the networks of VLAN interfaces.
//! Port p is `Ethernet<4 p>`, as on a switch with four lanes a port. The hosts of a leaf are in `Vlan1000`.
//! `PORT` and `VLAN_MEMBER` depend on the hardware and are left out. Source: `Configuration.md` of
//! sonic-net/sonic-buildimage (`src/sonic-yang-models/doc`).

use super::addressing::AddressedSwitch;
use super::bgp::{BgpFormat, SwitchFiles};
use fabc_check::BgpNetwork;
use fabc_ir::{Topology, topology_tiers};
use fabc_model::{Fabric, MemberWeights, address_text};
use serde_json::{Map, Value, json};

pub(super) const SONIC: BgpFormat = BgpFormat { name: "sonic", lacks, files, read: BgpNetwork::read_sonic };

fn lacks(fabric: &Fabric) -> Option<&'static str> {
    if fabric.addresses().links.is_none() {
        return Some("a BGP_NEIGHBOR of CONFIG_DB has an address, and `links = unnumbered` has none");
    }
    (fabric.routing.weights() != MemberWeights::Equal).then_some(
        "BGP divides packets equally among its next hops, and CONFIG_DB has no place for the weights of `weights = capacity`: `--emit routes` writes them",
    )
}

fn files(topology: &Topology, switches: &[AddressedSwitch], _: usize) -> SwitchFiles {
    let tiers = topology_tiers(topology).unwrap_or_default();
    let file = |(number, switch): (usize, &AddressedSwitch)| {
        let tables = config_db(switch, switches, device_type(tiers.get(number).copied().unwrap_or(0)));
        (format!("{}/config_db.json", switch.name), format!("{tables:#}\n").into_bytes())
    };
    switches.iter().enumerate().map(file).collect()
}

/// The `type` of a switch by its tier, as SONiC names the tiers of a Clos network.
fn device_type(tier: u32) -> &'static str {
    match tier {
        0 => "ToRRouter",
        1 => "LeafRouter",
        _ => "SpineRouter",
    }
}

fn interface(port: u16) -> String {
    format!("Ethernet{}", 4 * u32::from(port))
}

/// The tables of one switch.
fn config_db(switch: &AddressedSwitch, switches: &[AddressedSwitch], device_type: &str) -> Value {
    let AddressedSwitch { name, loopback, as_number, hosts, ports } = switch;
    let loopback = format!("Loopback0|{}/32", address_text(*loopback));
    let (mut interfaces, mut neighbors, mut devices) = (Map::new(), Map::new(), Map::new());
    for port in ports {
        let Some([own, far]) = port.ends.map(|ends| ends.map(address_text)) else { continue };
        let (own_interface, far_switch) = (interface(port.port), &switches[port.far.0.0 as usize]);
        interfaces.insert(own_interface.clone(), json!({}));
        interfaces.insert(format!("{own_interface}|{own}/31"), json!({}));
        neighbors.insert(
            far,
            json!({
                "asn": far_switch.as_number.to_string(), "holdtime": "9", "keepalive": "3",
                "local_addr": own, "name": far_switch.name, "nhopself": "0", "rrclient": "0",
            }),
        );
        devices.insert(own_interface, json!({"name": far_switch.name, "port": interface(port.far.1)}));
    }
    let mut tables = json!({
        "BGP_NEIGHBOR": neighbors,
        "DEVICE_METADATA": {
            "localhost": {"bgp_asn": as_number.to_string(), "hostname": name, "type": device_type},
        },
        "DEVICE_NEIGHBOR": devices,
        "INTERFACE": interfaces,
        "LOOPBACK_INTERFACE": {"Loopback0": {}, loopback: {}},
    });
    if let Some(prefix) = hosts {
        let gateway = format!("Vlan1000|{}/{}", address_text(prefix.address(1)), prefix.length);
        tables["VLAN"] = json!({"Vlan1000": {"vlanid": "1000"}});
        tables["VLAN_INTERFACE"] = json!({"Vlan1000": {}, gateway: {}});
    }
    tables
}
