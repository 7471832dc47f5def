//! Lower bounds on the time of a collective, as short witnesses that a checker verifies by counting.

use super::canonical::{CanonicalScene, check_chunks_can_rest};
use super::cut::CutGroups;
use super::flow;
use super::newton;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{CollectiveBound, Fraction};
use fabc_model::Collective;

/// The bounds of a collective: volume first, then latency by distance.
pub(super) fn collective_bounds(
    canonical: &CanonicalScene<'_>,
    collective: Collective,
    root: Option<NodeId>,
) -> Vec<CollectiveBound> {
    match (collective, root) {
        (Collective::Broadcast | Collective::Reduce, Some(root)) => {
            vec![root_cut(canonical, collective, root), root_latency(canonical, collective, root)]
        }
        (Collective::AllReduce, _) => {
            // Every part of the sum depends on the farthest chip.
            let shards = canonical.surviving as u32;
            let farthest = latency_bounds(canonical).pop().map(|bound| match bound {
                CollectiveBound::Latency { node, distance, channels, .. } => {
                    CollectiveBound::Latency { node, distance, channels, shards }
                }
                other => other,
            });
            std::iter::once(partition_bound(canonical)).chain(farthest).collect()
        }
        (Collective::AllToAll, _) => [flow::flow_bound_by_hops(canonical), tightest_cut(canonical)]
            .into_iter()
            .chain(latency_bounds(canonical))
            .collect(),
        _ => std::iter::once(tightest_cut(canonical)).chain(latency_bounds(canonical)).collect(),
    }
}

/// The least cut between the root and any chip.
fn root_cut(canonical: &CanonicalScene<'_>, collective: Collective, root: NodeId) -> CollectiveBound {
    let (channels, all_but) = match check_chunks_can_rest(canonical.scene) {
        Ok(()) => CutGroups::singletons(canonical).least_cut(root),
        Err(_) => newton::least_root_cut(canonical, root, collective == Collective::Reduce),
    };
    CollectiveBound::Cut { all_but, channels: channels as u32, shards: 1 }
}

/// The longest distance: from the root to a chip in a broadcast, from a chip to the root in a reduction. The
/// scene is without symmetry here, so a class is a router.
fn root_latency(canonical: &CanonicalScene<'_>, collective: Collective, root: NodeId) -> CollectiveBound {
    let hops = |from: NodeId, to: NodeId| canonical.hops[to.index()][from.index()];
    let farthest = |hops: &dyn Fn(NodeId) -> u32| {
        canonical.scene.endpoints().rev().map(|chip| (hops(chip), chip)).max_by_key(|(hops, _)| *hops)
    };
    let (farthest_hops, node) = match collective {
        Collective::Reduce => (farthest(&|chip| hops(chip, root)), Some(root)),
        _ => (farthest(&|chip| hops(root, chip)), None),
    };
    let (hops, chip) = farthest_hops.unwrap_or((1, root));
    let node = node.unwrap_or(chip);
    CollectiveBound::Latency {
        node,
        distance: hops - 1,
        channels: canonical.degree(node.index()) as u32,
        shards: 1,
    }
}

/// The tightest cut of a gather. It is exact unless some link runs one way. Then only cuts around one chip
/// count.
fn tightest_cut(canonical: &CanonicalScene<'_>) -> CollectiveBound {
    let narrowest = canonical.surviving_classes().min_by_key(|&class| canonical.degree(class)).unwrap_or(0);
    let (channels, shards) = (canonical.degree(narrowest), canonical.surviving as u64 - 1);
    let exact = canonical.scene.first_simplex().is_none().then(|| {
        let mut groups = CutGroups::singletons(canonical);
        groups.contract(channels);
        (newton::tightest_set(&groups, channels, shards), groups)
    });
    match exact.and_then(|(set, groups)| Some((set?, groups))) {
        None => CollectiveBound::Cut {
            all_but: vec![canonical.chips[narrowest]],
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

/// For every distance, the chip with the most data per input channel from sources farther away.
pub(super) fn latency_bounds(canonical: &CanonicalScene<'_>) -> Vec<CollectiveBound> {
    let mut best: Vec<Option<(Fraction, CollectiveBound)>> = Vec::new();
    for class in canonical.surviving_classes() {
        let mut chips_at: Vec<u32> = Vec::new();
        for chip in canonical.scene.endpoints() {
            let hops = canonical.hops[class][chip.index()];
            chips_at.resize(chips_at.len().max(hops as usize + 1), 0);
            chips_at[hops as usize] += 1;
        }
        let mut farther = canonical.surviving as u32;
        for (distance, chips_here) in chips_at.iter().enumerate().take(chips_at.len() - 1) {
            farther -= chips_here;
            let (node, channels) = (canonical.chips[class], canonical.degree(class) as u32);
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

/// Limit on the sizes of cuts that are tried for parts among routers that only forward.
const MOST_CUT_SIZES: usize = 64;

/// The bound of all chips apart, or of parts that only small cuts join, whichever is larger.
fn partition_bound(canonical: &CanonicalScene<'_>) -> CollectiveBound {
    let lanes = |channel: ChannelId| canonical.scene.topology.channel_capacity(channel);
    let into_chips: u64 =
        canonical.scene.endpoints().flat_map(|chip| canonical.scene.channels_into(chip)).map(lanes).sum();
    let singletons = CollectiveBound::Partition {
        part_of: Vec::new(),
        parts: canonical.surviving as u32,
        channels: into_chips as u32,
    };
    if canonical.scene.first_simplex().is_some() {
        return singletons;
    }
    if canonical.scene.first_forwarder().is_some() {
        return partition_around_forwarders(canonical, singletons);
    }
    let volume = singletons.volume();
    let mut groups = CutGroups::singletons(canonical);
    // Contract groups inside which no cut gives a larger bound.
    groups.contract((Fraction::integer(1u8).over(volume)).floor() as u64 + 1);
    if groups.len() < 2 {
        return singletons;
    }
    let channels: u64 = (0..groups.len()).map(|group| groups.degree(group)).sum();
    let coarse = CollectiveBound::Partition {
        part_of: groups.group_of_router(),
        parts: groups.len() as u32,
        channels: channels as u32,
    };
    if coarse.volume() > volume { coarse } else { singletons }
}

/// The largest bound of parts that only small cuts join, for several sizes of cuts, or `singletons`. A router
/// that only forwards is in the part of the chips around it, or in none.
fn partition_around_forwarders(
    canonical: &CanonicalScene<'_>,
    singletons: CollectiveBound,
) -> CollectiveBound {
    // Parts with cuts of more lanes than twice this do not bound more.
    let lanes = (Fraction::integer(1u8).over(singletons.volume())).floor() as usize;
    let stride = (lanes + 1).div_ceil(MOST_CUT_SIZES);
    let mut best = singletons;
    for size in (lanes + 1..=2 * lanes + 2).step_by(stride) {
        let mut groups = CutGroups::singletons(canonical);
        groups.contract(size as u64);
        let with_chips: Vec<usize> = (0..groups.len()).filter(|&group| groups.sizes[group] > 0).collect();
        if with_chips.len() < 2 {
            continue;
        }
        let part = |group: u32| with_chips.binary_search(&(group as usize)).ok().map(|part| part as u32);
        let channels: u64 = with_chips.iter().map(|&group| groups.degree(group)).sum();
        let coarse = CollectiveBound::Partition {
            part_of: groups.group_of_router().into_iter().map(|group| part(group?)).collect(),
            parts: with_chips.len() as u32,
            channels: channels as u32,
        };
        if coarse.volume() > best.volume() {
            best = coarse;
        }
    }
    best
}
