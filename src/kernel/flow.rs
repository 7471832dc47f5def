//! Checks that a flow proves a lower bound of the concurrent flow: exact conservation, exact loads.

use crate::conviction::Conviction;
use crate::lit_graph::{expect_length, expect_lit};
use fabc_topology::Demand;
use fabc_topology::ids::{ChannelId, Id, LinkId, NodeId};
use fabc_topology::{FlowCertificate, Scene};

/// Checks three things:
/// - No units use a channel whose class has a dark channel.
/// - Every canonical source sends `demand` units times the weight of the pair to every other router.
/// - The busiest link bears exactly `busiest`: the units of all sources and their images, each as often as
///   the slowness of the link says.
///
/// If the flow is `mirrored`, the demand must be symmetric. The reversed flow of v then carries as many units
/// from every router to v. Together, the flow and its reverse carry 2 `demand` units per weight of an ordered
/// pair. Each channel of a link then carries what the flow alone puts on both channels. So lambda >= 2 demand
/// parts / busiest. Otherwise `busiest` is the load of a channel.
///
/// # Errors
/// The router where units appear or vanish, or the load that differs.
pub fn check_flow(scene: &Scene<'_>, demand: &Demand, claimed: &FlowCertificate) -> Result<(), Conviction> {
    expect_lit(scene)?;
    let (topology, symmetry) = (scene.topology, scene.topology.symmetry());
    let nodes = topology.node_count();
    let sources = || symmetry.canonical_nodes().filter(|&node| topology.is_endpoint(node));
    expect_length("flow", "sources", claimed.flows.len(), sources().count())?;
    if claimed.demand == 0 {
        return Err(Conviction::Flow("it has no demand".to_owned()));
    }
    if claimed.mirrored && topology.has_simplex() {
        return Err(Conviction::Flow("it counts its reverse, but some links run one way only".to_owned()));
    }
    if claimed.mirrored && !demand.is_symmetric() {
        return Err(Conviction::Flow("it counts its reverse, but the demand is not symmetric".to_owned()));
    }
    if claimed.parts != topology.capacities().parts() {
        return Err(Conviction::Flow(format!(
            "it counts {} parts of a unit of load, but there are {}",
            claimed.parts,
            topology.capacities().parts()
        )));
    }
    let mut dark = vec![false; topology.class_count(symmetry)];
    for channel in topology.channels().filter(|&channel| !scene.is_channel_lit(channel)) {
        dark[topology.channel_class(symmetry, channel).index()] = true;
    }
    // The images of one source's flow put the load of a whole channel class on each channel of the class.
    let mut loads = vec![0u128; topology.class_count(symmetry)];
    for (source, units) in sources().zip(&claimed.flows) {
        expect_length(
            &format!("flow from node {source}"),
            "channels",
            units.len(),
            topology.channel_count(),
        )?;
        let absorbed =
            |to: usize| i128::from(claimed.demand) * i128::from(demand.weight(source, NodeId::new(to)));
        let mut balance: Vec<i128> = (0..nodes).map(|to| -absorbed(to)).collect();
        balance[source.index()] = (0..nodes).map(absorbed).sum();
        for (channel, &units) in topology.channels().zip(units) {
            balance[topology.source(channel).node.index()] -= i128::from(units);
            balance[topology.target(channel).node.index()] += i128::from(units);
            let class = topology.channel_class(symmetry, channel).index();
            if units > 0 && dark[class] {
                return Err(Conviction::Flow(format!(
                    "the flow from node {source} has {units} units on a dark channel"
                )));
            }
            loads[class] += u128::from(units) * u128::from(topology.slowness(channel));
        }
        if let Some((node, &excess)) = balance.iter().enumerate().find(|&(_, &excess)| excess != 0) {
            let (node, excess) = (NodeId::new(node), excess);
            let verb = if excess > 0 { "vanish" } else { "appear" };
            return Err(Conviction::Flow(format!(
                "of the flow from node {source}, {} units {verb} at node {node}",
                excess.unsigned_abs()
            )));
        }
    }
    let claimed_load = |link: LinkId| {
        let load = |channel: ChannelId| loads[topology.channel_class(symmetry, channel).index()];
        let loads_of_link = topology.channels_of(link).map(load);
        if claimed.mirrored { loads_of_link.sum() } else { loads_of_link.max().unwrap_or(0) }
    };
    let busiest = topology.links().ids().map(claimed_load).max().unwrap_or(0);
    if busiest != u128::from(claimed.busiest) {
        let (claimed, of) = (claimed.busiest, if claimed.mirrored { "link" } else { "channel" });
        return Err(Conviction::Flow(format!(
            "the busiest {of} is claimed to carry {claimed} units, but it carries {busiest}"
        )));
    }
    Ok(())
}
