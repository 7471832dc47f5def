//! Recomputes a bound by arrival from its witness.

use super::reach::total_lanes;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{CollectiveBound, Scene};
use fabc_model::Collective;

/// The chips that take part in a collective together.
pub(super) struct Partners<'a> {
    pub(super) count: u64,
    /// Whether a router is one of them.
    pub(super) includes: &'a dyn Fn(NodeId) -> bool,
}

/// The bound of chips that are `far` from a router: the shards between them, over its channels. It holds for
/// any set of chips. Only the time of their paths makes it strong.
pub(super) fn count_arrival(
    scene: &Scene<'_>,
    collective: Collective,
    root: Option<NodeId>,
    node: NodeId,
    far: &[NodeId],
    partners: Partners<'_>,
) -> Result<CollectiveBound, String> {
    if node.index() >= scene.topology.node_count() || !scene.is_endpoint(node) {
        return Err("does not name a surviving chip".to_owned());
    }
    let ascending = far.windows(2).all(|pair| pair[0] < pair[1]);
    let are_partners = far.iter().all(|&chip| (partners.includes)(chip));
    if !ascending || far.is_empty() || far.contains(&node) || !are_partners {
        return Err("is not a set of surviving chips that have data for the router".to_owned());
    }
    let shards = match (collective, root) {
        (Collective::AllGather | Collective::ReduceScatter | Collective::AllToAll, None) => far.len() as u64,
        // Every part of the sum waits for every chip.
        (Collective::AllReduce, None) => partners.count,
        (Collective::Broadcast, Some(root)) if far == [root] => 1,
        (Collective::Reduce, Some(root)) if node == root => 1,
        _ => return Err(format!("does not bound {} from these chips", collective.name())),
    };
    let channels = match collective {
        Collective::ReduceScatter => total_lanes(scene, scene.channels_from(node)),
        _ => total_lanes(scene, scene.channels_into(node)),
    };
    Ok(CollectiveBound::Arrival { node, far: far.to_vec(), channels, shards: shards as u32 })
}
