//! Verifies that a network has the links of its parameters. Every link belongs to the family, with its
//! class, type and ports, none is missing, and hosts are where they must be.
//!
//! Each family has a rule: how often u and v are connected, by which class of link, and closed forms for the
//! totals. Suppose that every link satisfies the rule, no two routers have more links than it allows, and
//! the total matches the closed form. Then no link is missing either.

use super::families;
use crate::CheckError;
use fabc_base::ids::Id;
use fabc_ir::{Topology, router_names};
use fabc_model::{Fabric, Network};

/// Verifies routers, links and ports of a network after [`verify_names`].
pub(super) fn verify_wiring(
    fabric: &Fabric,
    network: &Network,
    topology: &Topology,
) -> Result<(), CheckError> {
    let verdict =
        families::verify_family(fabric, network, topology).and_then(|()| verify_last_port(topology));
    verdict.map_err(|violation| CheckError::Wiring { violation, span: Some(network.span) })?;
    let (block_size, block) = (topology.symmetry().block_size(), network.family.blocks().0 as usize);
    if block_size != block {
        return Err(CheckError::symmetry(format!(
            "it moves blocks of {block_size} routers, but those of the network have {block}"
        )));
    }
    Ok(())
}

/// Verifies the number and the names of the routers. Only then does every router have a name for errors.
pub(super) fn verify_names(
    fabric: &Fabric,
    network: &Network,
    topology: &Topology,
) -> Result<(), CheckError> {
    let reject = |violation: String| Err(CheckError::Wiring { violation, span: Some(network.span) });
    let (count, expected) = (topology.node_count(), network.router_count());
    if count != expected {
        return reject(format!("{count} routers, but the spec has {expected}"));
    }
    if *topology.names() != router_names(fabric) {
        return reject("the routers have the names of another network".to_owned());
    }
    Ok(())
}

/// Verifies that the last port that the topology counts is in use.
fn verify_last_port(topology: &Topology) -> Result<(), String> {
    let ports = topology.links().iter().flat_map(|link| [link.a.port, link.b.port]);
    match ports.max().map_or(0, |port| port.index() + 1) {
        used if used == topology.ports() => Ok(()),
        used => Err(format!("routers have {} ports, but {used} are in use", topology.ports())),
    }
}
