//! Verifies shared spanning trees: that each spans, and how many share a link.

use super::ScheduleError;
use crate::CheckError;
use fabc_base::ids::{Id, IdVec, LinkId};
use fabc_ir::{Scene, Schedule, SharedTrees};

/// Verifies that each tree leads every living chip to its root over lit channels, and that no link is in
/// more trees than allowed.
pub(super) fn verify_trees(
    scene: &Scene<'_>,
    schedule: &Schedule,
    shared: &SharedTrees,
) -> Result<(), CheckError> {
    let topology = scene.topology;
    let mut uses: IdVec<LinkId, u32> = IdVec::filled(0, topology.links().len());
    if shared.trees.is_empty() {
        return Err(ScheduleError::shape("it has no trees".to_owned()).into());
    }
    for (number, tree) in shared.trees.iter().enumerate() {
        let tree_error = |violation: String| ScheduleError::Tree { tree: number, violation };
        if tree.up.len() != topology.node_count() || schedule.root.is_some_and(|root| root != tree.root) {
            return Err(
                tree_error("it is not a tree of these routers, or it has another root".to_owned()).into()
            );
        }
        for node in topology.nodes() {
            let Some(channel) = tree.up[node.index()] else {
                if node != tree.root && scene.is_endpoint(node) {
                    return Err(tree_error(format!("{} has no channel up", topology.name(node))).into());
                }
                continue;
            };
            let exists = channel.index() < topology.channel_count();
            let is_usable = |link: LinkId| !topology.links()[link].simplex && scene.is_lit(link);
            if !exists
                || !is_usable(topology.link_of(channel))
                || topology.source(channel).node != node
                || node == tree.root
            {
                return Err(tree_error(format!(
                    "{} does not go up by channel {channel}",
                    topology.name(node)
                ))
                .into());
            }
            uses[topology.link_of(channel)] += 1;
            let max_trees = u64::from(shared.capacity).saturating_mul(topology.channel_capacity(channel));
            if u64::from(uses[topology.link_of(channel)]) > max_trees {
                return Err(tree_error(format!(
                    "{} is in more than {max_trees} trees",
                    topology.channel_name(channel)
                ))
                .into());
            }
        }
        for start in scene.endpoints() {
            let (mut node, mut remaining_hops) = (start, topology.node_count());
            while let Some(channel) = tree.up[node.index()].filter(|_| remaining_hops > 0) {
                (node, remaining_hops) = (topology.target(channel).node, remaining_hops - 1);
            }
            if node != tree.root {
                return Err(tree_error(format!(
                    "the channels up from {} do not reach the root",
                    topology.name(start)
                ))
                .into());
            }
        }
    }
    Ok(())
}
