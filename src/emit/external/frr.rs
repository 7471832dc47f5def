//! Configurations of FRR, one `frr.conf` per switch: external BGP between all neighbors, as in RFC 7938.
//!
//! Before anything is written, the checker reads the files back and compares the routes of BGP with the
//! next-hop groups of every scenario.

use super::addressing::{AddressedSwitch, addressed_switches, largest_group};
use super::chunks::{EmitError, Take};
use crate::compiled::CompiledFabric;
use crate::json::push;
use fabc_check::{BgpNetwork, CheckError};
use fabc_ir::surviving_scene;
use fabc_model::{MemberWeights, address_text};
use std::collections::BTreeMap;

const FORMAT: &str = "frr";

pub(super) fn configurations<E: From<EmitError>>(
    compiled: &CompiledFabric,
    take: &mut Take<'_, E>,
) -> Result<(), E> {
    let sprayed =
        || compiled.scenarios.iter().filter_map(|scenario| Some((scenario, scenario.sprayed.as_ref()?)));
    if sprayed().next().is_none() {
        return Ok(());
    }
    if compiled.fabric.routing.weights() != MemberWeights::Equal {
        let problem = "BGP divides packets equally among its next hops, and no line of `frr.conf` carries the weights of `weights = capacity`: `--emit routes` writes them";
        return Err(EmitError::NotConfigured { format: FORMAT, problem: problem.to_owned() }.into());
    }
    let switches = addressed_switches(FORMAT, compiled)?;
    let largest = largest_group(FORMAT, sprayed().map(|(_, sprayed)| &sprayed.tables))?;
    let file = |switch: &AddressedSwitch| {
        (format!("{}/frr.conf", switch.name), configuration(switch, &switches, largest).into_bytes())
    };
    let files: BTreeMap<String, Vec<u8>> = switches.iter().map(file).collect();
    let refused = |error: CheckError| EmitError::NotTheGroups { conviction: error.to_string() };
    let network = BgpNetwork::read(&compiled.fabric, &compiled.topology, &files).map_err(refused)?;
    for (scenario, sprayed) in sprayed() {
        let scene = surviving_scene(&scenario.scenario.fault, &compiled.topology, None);
        network.check_groups(&scene, &sprayed.tables).map_err(refused)?;
    }
    for (path, bytes) in &files {
        take(path, bytes)?;
    }
    Ok(())
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
