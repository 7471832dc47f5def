//! What no schedule can do better, as short witnesses that are checked by counting.

use super::cut::Groups;
use super::flow;
use super::ground::{Ground, copyable};
use super::newton;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{CollectiveBound, Fraction};
use fabc_model::Collective;

/// The bounds of a collective: volume first, then latencies by distance.
pub(super) fn bounds(
    ground: &Ground<'_>,
    collective: Collective,
    root: Option<NodeId>,
) -> Vec<CollectiveBound> {
    match (collective, root) {
        (Collective::Broadcast | Collective::Reduce, Some(root)) => {
            vec![root_cut(ground, collective, root), root_way(ground, collective, root)]
        }
        (Collective::AllReduce, _) => {
            // All of the sum depends on the farthest chip.
            let whole = ground.living as u32;
            let far = latencies(ground).pop().map(|bound| match bound {
                CollectiveBound::Latency { node, distance, channels, .. } => {
                    CollectiveBound::Latency { node, distance, channels, shards: whole }
                }
                other => other,
            });
            std::iter::once(partition(ground)).chain(far).collect()
        }
        (Collective::AllToAll, _) => {
            [flow::by_hops(ground), cut(ground)].into_iter().chain(latencies(ground)).collect()
        }
        _ => std::iter::once(cut(ground)).chain(latencies(ground)).collect(),
    }
}

/// The least cut between the root and a chip.
fn root_cut(ground: &Ground<'_>, collective: Collective, root: NodeId) -> CollectiveBound {
    let (channels, all_but) = match copyable(ground.scene) {
        Ok(()) => Groups::apart(ground).least_cut(root),
        Err(_) => newton::from_root(ground, root, collective == Collective::Reduce),
    };
    CollectiveBound::Cut { all_but, channels: channels as u32, shards: 1 }
}

/// The longest way: of a broadcast to the farthest chip, of a reduction to the root. Routers have no symmetry
/// here, so that a class is a router.
fn root_way(ground: &Ground<'_>, collective: Collective, root: NodeId) -> CollectiveBound {
    let hops = |from: NodeId, to: NodeId| ground.hops[to.index()][from.index()];
    let farthest = |hops: &dyn Fn(NodeId) -> u32| {
        ground.scene.endpoints().rev().map(|chip| (hops(chip), chip)).max_by_key(|(hops, _)| *hops)
    };
    let (way, node) = match collective {
        Collective::Reduce => (farthest(&|chip| hops(chip, root)), Some(root)),
        _ => (farthest(&|chip| hops(root, chip)), None),
    };
    let (hops, chip) = way.unwrap_or((1, root));
    let node = node.unwrap_or(chip);
    CollectiveBound::Latency {
        node,
        distance: hops - 1,
        channels: ground.degree(node.index()) as u32,
        shards: 1,
    }
}

/// The tightest cut of a gather: exactly, but where links run one way of those around one chip.
fn cut(ground: &Ground<'_>) -> CollectiveBound {
    let least = ground.alive().min_by_key(|&class| ground.degree(class)).unwrap_or(0);
    let (channels, shards) = (ground.degree(least), ground.living as u64 - 1);
    let found = ground.scene.one_way().is_none().then(|| {
        let mut groups = Groups::apart(ground);
        groups.contract(channels);
        (newton::tightest(&groups, channels, shards), groups)
    });
    match found.and_then(|(set, groups)| Some((set?, groups))) {
        None => CollectiveBound::Cut {
            all_but: vec![ground.chips[least]],
            channels: channels as u32,
            shards: shards as u32,
        },
        Some((set, groups)) => CollectiveBound::Cut {
            all_but: groups.routers(|group| !set.inside[group as usize]),
            channels: set.channels as u32,
            shards: set.chips as u32,
        },
    }
}

/// For every distance the chip with most to come from farther away, for each channel into it.
pub(super) fn latencies(ground: &Ground<'_>) -> Vec<CollectiveBound> {
    let mut best: Vec<Option<(Fraction, CollectiveBound)>> = Vec::new();
    for class in ground.alive() {
        let mut at: Vec<u32> = Vec::new();
        for chip in ground.scene.endpoints() {
            let hops = ground.hops[class][chip.index()];
            at.resize(at.len().max(hops as usize + 1), 0);
            at[hops as usize] += 1;
        }
        let mut farther = ground.living as u32;
        for (distance, here) in at.iter().enumerate().take(at.len() - 1) {
            farther -= here;
            let (node, channels) = (ground.chips[class], ground.degree(class) as u32);
            let bound =
                CollectiveBound::Latency { node, distance: distance as u32, channels, shards: farther };
            let volume = bound.volume();
            best.resize(best.len().max(distance + 1), None);
            if best[distance].as_ref().is_none_or(|(most, _)| volume > *most) {
                best[distance] = Some((volume, bound));
            }
        }
    }
    best.into_iter().flatten().map(|(_, bound)| bound).collect()
}

/// All chips apart, or (where every router is one) parts that only thin cuts join, whichever bounds more.
fn partition(ground: &Ground<'_>) -> CollectiveBound {
    let lanes = |channel: ChannelId| ground.scene.topology.channel_capacity(channel);
    let into_chips: u64 =
        ground.scene.endpoints().flat_map(|chip| ground.scene.channels_into(chip)).map(lanes).sum();
    let alone = CollectiveBound::Partition {
        part_of: Vec::new(),
        parts: ground.living as u32,
        channels: into_chips as u32,
    };
    if copyable(ground.scene).is_err() {
        return alone;
    }
    let most = alone.volume();
    let mut groups = Groups::apart(ground);
    // Parts inside which no cut bounds more than this.
    groups.contract((Fraction::whole(1u8).over(most)).floor() as u64 + 1);
    if groups.len() < 2 {
        return alone;
    }
    let channels: u64 = (0..groups.len()).map(|group| groups.degree(group)).sum();
    let coarse = CollectiveBound::Partition {
        part_of: groups.parts(),
        parts: groups.len() as u32,
        channels: channels as u32,
    };
    if coarse.volume() > most { coarse } else { alone }
}
