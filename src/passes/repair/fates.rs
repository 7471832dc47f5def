//! What becomes of the packets at every key of the old tables.

use super::ground::Ground;
use super::rows::NONE;
use fabc_base::ids::{Id, NodeId};

/// What becomes of a packet at a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    /// There is no entry.
    Unknown,
    Arrives,
    /// It comes to something dark.
    Broken,
}

/// `[key]`: what becomes of packets to `dst`. Entries of routers that are dead are taken away before.
pub(super) fn fates(ground: &Ground<'_>, row: &[u32], dst: NodeId) -> Vec<Fate> {
    let mut fates = vec![Fate::Unknown; row.len()];
    let mut open = Vec::new();
    for start in 0..row.len() {
        let mut key = start;
        let fate = loop {
            if row[key] == NONE {
                break Fate::Broken;
            }
            if fates[key] != Fate::Unknown {
                break fates[key];
            }
            open.push(key);
            let state = ground.after(key, row[key]);
            if !ground.open[state / ground.vcs] {
                break Fate::Broken;
            }
            if ground.head[state] == dst.0 {
                break Fate::Arrives;
            }
            key = ground.key[state] as usize;
        };
        open.drain(..).for_each(|key| fates[key] = fate);
    }
    fates
}

/// The keys that packets use which are injected at routers that take part.
pub(super) fn used(ground: &Ground<'_>, row: &[u32], dst: NodeId) -> Vec<bool> {
    let mut used = vec![false; row.len()];
    for source in ground.scene.endpoints().filter(|&source| source != dst) {
        let mut key = source.index() * ground.inputs;
        while row[key] != NONE && !used[key] {
            used[key] = true;
            let state = ground.after(key, row[key]);
            if ground.head[state] == dst.0 {
                break;
            }
            key = ground.key[state] as usize;
        }
    }
    used
}
