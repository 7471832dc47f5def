//! Static routes, one `routes.batch` per switch: lines for `ip -batch` with the addresses of the switch and
//! the next-hop groups of the healthy network.

use super::addressing::{AddressedSwitch, IpSwitches, addressed_switches, largest_group};
use super::chunks::{EmitError, Take};
use crate::compiled::CompiledFabric;
use crate::json::push;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::GroupTables;
use fabc_model::address_text;

const FORMAT: &str = "routes";

/// The largest weight of a next hop that `ip route` takes.
const MAX_WEIGHT: u32 = 256;

pub(super) fn routes<E: From<EmitError>>(compiled: &CompiledFabric, take: &mut Take<'_, E>) -> Result<(), E> {
    let routed = IpSwitches::new(compiled);
    let Some(tables) = compiled.scenarios.first().and_then(|scenario| routed.tables(scenario)) else {
        return Ok(());
    };
    if compiled.fabric.addresses().links.is_none() {
        let problem = "a static route names the address of the next hop, and `links = unnumbered` has none";
        return Err(EmitError::NotConfigured { format: FORMAT, problem: problem.to_owned() }.into());
    }
    let switches = addressed_switches(FORMAT, &compiled.fabric, routed.topology())?;
    largest_group(FORMAT, [tables.clone()])?;
    if let Some(weight) = tables.weights.iter().flatten().max().filter(|&&weight| weight > MAX_WEIGHT) {
        let problem = format!("a next hop has weight {weight}, and `ip route` takes at most {MAX_WEIGHT}");
        return Err(EmitError::NotConfigured { format: FORMAT, problem }.into());
    }
    for (number, switch) in switches.iter().enumerate() {
        let text = batch(NodeId::new(number), &switches, &tables);
        take(&format!("{}/routes.batch", switch.name), text.as_bytes())?;
    }
    Ok(())
}

/// The lines of one switch.
fn batch(node: NodeId, switches: &[AddressedSwitch], tables: &GroupTables) -> String {
    let switch = &switches[node.index()];
    let mut out = format!("address replace {}/32 dev lo\n", address_text(switch.loopback));
    for port in &switch.ports {
        if let Some([own, _]) = port.ends {
            push(
                &mut out,
                format_args!("address replace {}/31 dev {}\n", address_text(own), port.interface()),
            );
        }
    }
    if let Some(prefix) = switch.hosts {
        let gateway = address_text(prefix.address(1));
        push(&mut out, format_args!("address replace {gateway}/{} dev hosts\n", prefix.length));
    }
    let leaves = switches.iter().enumerate().filter_map(|(leaf, switch)| Some((leaf, switch.hosts?)));
    for (leaf, prefix) in leaves {
        let group = tables.group(node, NodeId::new(leaf));
        if group.is_empty() {
            continue;
        }
        push(&mut out, format_args!("route replace {prefix} proto static"));
        for (number, weight) in tables.members(node, NodeId::new(leaf)) {
            let port = switch.ports.iter().find(|port| port.port == number);
            if let Some((port, [_, far])) = port.and_then(|port| Some((port, port.ends?))) {
                let (far, interface) = (address_text(far), port.interface());
                push(&mut out, format_args!(" nexthop via {far} dev {interface} weight {weight}"));
            }
        }
        out.push('\n');
    }
    out
}
