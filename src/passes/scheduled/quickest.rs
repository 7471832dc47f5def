//! The time of one message alone: paths that share no channel, and the certificate that nothing is faster.
//!
//! Input: channels and two chips. Output: for every number of paths, the channel-disjoint paths with the
//! fewest hops in all, by successive shortest augmenting paths. Also the distance of every router in the last
//! search. A message is dealt to the paths so that all end at the same time. By the theory of flows over time
//! (Ford and Fulkerson 1958) that is the least time, to within a slot. The distances prove it: see
//! [`cycles`].
//! is the least time, to a slot. Those distances prove it: see [`cycles`].

use super::paths::SearchNet;
use fabc_base::ids::{Id, NodeId};
use fabc_model::SlotPace;
use std::collections::VecDeque;

/// Limit on the number of paths that share no channel.
pub(super) const DISJOINT: usize = 16;
/// Limit on routers for which a bound lists levels or lengths of channels.
pub(super) const LISTED_NODES: usize = 2048;

/// A set of paths that share no channel, and the levels that they prove.
pub(super) struct DisjointPaths {
    /// Each path is a list of channels, by number in the [`SearchNet`].
    pub(super) paths: Vec<Vec<u32>>,
    /// `[router]`: hops from the source, where a channel of the paths can only be walked backwards and then
    /// gains a hop. `None` at the destination and for routers that such a walk does not reach.
    pub(super) levels: SourceLevels,
}

/// `[router]`: the level at which it counts as a source, as in [`DisjointPaths`].
pub(super) type SourceLevels = Vec<Option<u32>>;

/// The levels before there is a path, which are distances, and the sets of 1, 2, .. up to `limit` disjoint
/// paths from one chip to another.
pub(super) fn disjoint_paths(
    net: &SearchNet,
    channels_into: &[Vec<(u32, u32)>],
    from: NodeId,
    to: NodeId,
    limit: usize,
) -> (SourceLevels, Vec<DisjointPaths>) {
    let nodes = net.starts.len() - 1;
    let mut used = vec![false; net.out.len()];
    let mut sets = Vec::new();
    let mut search_result = shortest_residual(net, channels_into, from, &used);
    let levels = |hops_to: &[i32]| -> SourceLevels {
        let level = |node: usize| {
            u32::try_from(hops_to[node]).ok().filter(|_| hops_to[node] != UNREACHED && node != to.index())
        };
        (0..nodes).map(level).collect()
    };
    let first = levels(&search_result.0);
    while sets.len() < limit && search_result.0[to.index()] != UNREACHED {
        let mut node = to.0;
        while node != from.0 {
            let (before, channel) = search_result.1[node as usize];
            used[channel as usize] = !used[channel as usize];
            node = before;
        }
        search_result = shortest_residual(net, channels_into, from, &used);
        sets.push(DisjointPaths { paths: paths(net, &used, from, to), levels: levels(&search_result.0) });
    }
    (first, sets)
}

const UNREACHED: i32 = i32::MAX;

/// `[router]`: hops from a source, and the (router, channel) that leads to it. Used channels can only be
/// walked backwards.
fn shortest_residual(
    net: &SearchNet,
    channels_into: &[Vec<(u32, u32)>],
    from: NodeId,
    used: &[bool],
) -> (Vec<i32>, Vec<(u32, u32)>) {
    let nodes = net.starts.len() - 1;
    let (mut hops_to, mut arrival, mut queued) =
        (vec![UNREACHED; nodes], vec![(u32::MAX, u32::MAX); nodes], vec![false; nodes]);
    hops_to[from.index()] = 0;
    let mut queue = VecDeque::from([from.0]);
    while let Some(node) = queue.pop_front() {
        queued[node as usize] = false;
        let hops_here = hops_to[node as usize];
        let out = (net.starts[node as usize]..net.starts[node as usize + 1])
            .filter(|&channel| !used[channel as usize]);
        let onwards = out.map(|channel| (net.out[channel as usize].0, channel, hops_here + 1));
        let back = channels_into[node as usize].iter().filter(|(_, channel)| used[*channel as usize]);
        for (to, channel, hops) in
            onwards.chain(back.map(|&(other, channel)| (other, channel, hops_here - 1)))
        {
            if hops < hops_to[to as usize] {
                hops_to[to as usize] = hops;
                arrival[to as usize] = (node, channel);
                if !queued[to as usize] {
                    queued[to as usize] = true;
                    queue.push_back(to);
                }
            }
        }
    }
    (hops_to, arrival)
}

/// `[router]`: (source, channel) of every channel into it.
pub(super) fn channels_into(net: &SearchNet) -> Vec<Vec<(u32, u32)>> {
    let nodes = net.starts.len() - 1;
    let mut incoming = vec![Vec::new(); nodes];
    for node in 0..nodes as u32 {
        for channel in net.starts[node as usize]..net.starts[node as usize + 1] {
            incoming[net.out[channel as usize].0 as usize].push((node, channel));
        }
    }
    incoming
}

/// The paths that the used channels form, those of the fewest hops first.
fn paths(net: &SearchNet, used: &[bool], from: NodeId, to: NodeId) -> Vec<Vec<u32>> {
    let mut unused = used.to_vec();
    let mut found_paths = Vec::new();
    let take_output = |unused: &mut Vec<bool>, node: u32| {
        let channel = (net.starts[node as usize]..net.starts[node as usize + 1])
            .find(|&channel| unused[channel as usize])?;
        unused[channel as usize] = false;
        Some(channel)
    };
    while let Some(first) = take_output(&mut unused, from.0) {
        let mut path = vec![first];
        let mut node = net.out[first as usize].0;
        while node != to.0 {
            let Some(channel) = take_output(&mut unused, node) else { break };
            path.push(channel);
            node = net.out[channel as usize].0;
        }
        found_paths.push(path);
    }
    found_paths.sort_by_key(Vec::len);
    found_paths
}

/// Cycles in which paths of these hops deliver `vectors` vectors, if no other traffic uses them.
pub(super) fn dealt_cycles(hops: impl Iterator<Item = usize> + Clone, vectors: u64, pace: SlotPace) -> u64 {
    let arrivals = |end: u64| {
        let arrivals_by_path = |hops: usize| {
            end.checked_sub(hops as u64 * u64::from(pace.hop))
                .map_or(0, |rest| rest / u64::from(pace.slot) + 1)
        };
        hops.clone().map(arrivals_by_path).sum::<u64>()
    };
    least_sufficient(|end| arrivals(end) >= vectors)
}

/// Lower bound, from levels, on the cycles in which `vectors` vectors reach their destination. A router
/// counts as a source from its level times a hop on, and without a level it never does. A vector that is on
/// time crosses from a router that counts to one that does not yet count when the vector arrives. A channel
/// starts one vector per slot in that time.
pub(super) fn cycles(net: &SearchNet, levels: &[Option<u32>], vectors: u64, pace: SlotPace) -> u64 {
    let (hop, slot) = (u64::from(pace.hop), u64::from(pace.slot));
    let crossings = |end: u64| {
        let source_cycle =
            |node: usize| levels[node].map_or(end + 1, |level| (u64::from(level) * hop).min(end + 1));
        let mut starts = 0;
        for node in 0..levels.len() {
            let earliest_arrival = source_cycle(node) + hop;
            for &(to, _) in &net.out[net.starts[node] as usize..net.starts[node + 1] as usize] {
                starts += source_cycle(to as usize).saturating_sub(earliest_arrival).div_ceil(slot);
            }
        }
        starts
    };
    least_sufficient(|end| crossings(end) >= vectors)
}

/// The least number that is enough, if every larger one is.
fn least_sufficient(is_enough: impl Fn(u64) -> bool) -> u64 {
    let mut upper = 1;
    while !is_enough(upper) && upper < u64::from(u32::MAX) * 4 {
        upper *= 2;
    }
    let (mut low, mut high) = (0, upper);
    while low < high {
        let middle = (low + high) / 2;
        if is_enough(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}
