//! Configurations of FRR, one `frr.conf` per switch: external BGP between all neighbors, as in RFC 7938.

use super::addressing::AddressedSwitch;
use super::bgp::{BgpFormat, SwitchFiles};
use crate::json::push;
use fabc_check::BgpNetwork;
use fabc_ir::Topology;
use fabc_model::{Fabric, MemberWeights, address_text};

pub(super) const FRR: BgpFormat = BgpFormat { name: "frr", lacks, files, read: BgpNetwork::read_frr };

fn lacks(fabric: &Fabric) -> Option<&'static str> {
    (fabric.routing.weights() != MemberWeights::Equal).then_some(
        "BGP divides packets equally among its next hops, and no line of `frr.conf` carries the weights of `weights = capacity`: `--emit routes` writes them",
    )
}

fn files(_: &Topology, switches: &[AddressedSwitch], largest_group: usize) -> SwitchFiles {
    let file = |switch: &AddressedSwitch| {
        (format!("{}/frr.conf", switch.name), configuration(switch, switches, largest_group).into_bytes())
    };
    switches.iter().map(file).collect()
}

/// The configuration of one switch.
fn configuration(switch: &AddressedSwitch, switches: &[AddressedSwitch], largest: usize) -> String {
    let AddressedSwitch { name, loopback, as_number, hosts, ports } = switch;
    let loopback = address_text(*loopback);
    let mut out = format!("frr defaults datacenter\nhostname {name}\nno zebra nexthop kernel enable\n!\n");
    push(&mut out, format_args!("interface lo\n ip address {loopback}/32\nexit\n!\n"));
    for port in ports {
        if let Some([own, _]) = port.ends {
            let (interface, own) = (port.interface(), address_text(own));
            push(&mut out, format_args!("interface {interface}\n ip address {own}/31\nexit\n!\n"));
        }
    }
    if let Some(prefix) = hosts {
        let (gateway, length) = (address_text(prefix.address(1)), prefix.length);
        push(&mut out, format_args!("interface hosts\n ip address {gateway}/{length}\nexit\n!\n"));
    }
    push(
        &mut out,
        format_args!(
            "router bgp {as_number}\n bgp router-id {loopback}\n bgp bestpath as-path multipath-relax\n no bgp ebgp-requires-policy\n \
             timers bgp 3 9\n neighbor fabric peer-group\n neighbor fabric remote-as external\n neighbor fabric advertisement-interval 0\n"
        ),
    );
    for port in ports {
        let (far, far_port) = port.far;
        let peer = match port.ends {
            Some([_, far_address]) => {
                let peer = address_text(far_address);
                push(&mut out, format_args!(" neighbor {peer} peer-group fabric\n"));
                peer
            }
            None => {
                let peer = port.interface();
                push(&mut out, format_args!(" neighbor {peer} interface peer-group fabric\n"));
                peer
            }
        };
        let far_name = &switches[far.0 as usize].name;
        push(&mut out, format_args!(" neighbor {peer} description {far_name}:p{far_port}\n"));
    }
    out.push_str(" !\n address-family ipv4 unicast\n");
    if let Some(prefix) = hosts {
        push(&mut out, format_args!("  network {prefix}\n"));
    }
    push(&mut out, format_args!("  maximum-paths {largest}\n exit-address-family\nexit\n!\n"));
    out
}
