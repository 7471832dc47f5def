//! What happens to the packets at every key of the old tables.

use super::graph::StateGraph;
use super::rows::NONE;
use fabc_base::ids::{Id, NodeId};

/// What happens to a packet at a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum KeyFate {
    /// The fate is not known yet.
    Unknown,
    Arrives,
    /// The packet meets a missing entry or a dark channel.
    Broken,
}

/// `[key]`: what happens to packets to `dst`. Entries of failed routers must be removed from `row` before.
pub(super) fn fates(graph: &StateGraph<'_>, row: &[u32], dst: NodeId) -> Vec<KeyFate> {
    let mut fates = vec![KeyFate::Unknown; row.len()];
    let mut open = Vec::new();
    for start in 0..row.len() {
        let mut key = start;
        let fate = loop {
            if row[key] == NONE {
                break KeyFate::Broken;
            }
            if fates[key] != KeyFate::Unknown {
                break fates[key];
            }
            open.push(key);
            let state = graph.state_after(key, row[key]);
            if !graph.open[state / graph.vcs] {
                break KeyFate::Broken;
            }
            if graph.target_router[state] == dst.0 {
                break KeyFate::Arrives;
            }
            key = graph.key[state] as usize;
        };
        open.drain(..).for_each(|key| fates[key] = fate);
    }
    fates
}

/// `[key]`: whether packets use it that start at surviving endpoints.
pub(super) fn used_keys(graph: &StateGraph<'_>, row: &[u32], dst: NodeId) -> Vec<bool> {
    let mut used_keys = vec![false; row.len()];
    for source in graph.scene.endpoints().filter(|&source| source != dst) {
        let mut key = source.index() * graph.inputs;
        while row[key] != NONE && !used_keys[key] {
            used_keys[key] = true;
            let state = graph.state_after(key, row[key]);
            if graph.target_router[state] == dst.0 {
                break;
            }
            key = graph.key[state] as usize;
        }
    }
    used_keys
}
