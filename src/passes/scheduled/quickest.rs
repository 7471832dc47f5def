//! What a message takes by itself: ways that share no channel, and the certificate that nothing is quicker.
//!
//! In: channels, two chips. Out: for every number of ways the ways of fewest hops in all, by successive
//! shortest augmenting paths; and how far every router is in what the last search saw. A message is dealt to
//! the ways so that all end at the same time: by the theory of flows over time (Ford and Fulkerson 1958) that
//! is the least time, to a slot. Those distances prove it: see [`cycles`].

use super::paths::Net;
use fabc_base::ids::{Id, NodeId};
use fabc_model::SlotPace;
use std::collections::VecDeque;

/// Ways that share no channel, at most.
pub(super) const DISJOINT: usize = 16;
/// The most routers for which levels, or lengths of channels, are listed as a bound.
pub(super) const LISTED_NODES: usize = 2048;

/// So many ways at a time, and what they prove.
pub(super) struct Disjoint {
    /// Each a list of channels, by number in the [`Net`].
    pub(super) ways: Vec<Vec<u32>>,
    /// `[router]`: hops from the source where channels of the ways are walked backwards alone, and gain a
    /// hop; none at the destination, and where that does not lead.
    pub(super) levels: Levels,
}

/// `[router]`: what counts as the source from when on, as in [`Disjoint`].
pub(super) type Levels = Vec<Option<u32>>;

/// The levels before there is a way, which are distances; `[k - 1]`: k ways from one chip to another, up to
/// so many.
pub(super) fn disjoint(
    net: &Net,
    into: &[Vec<(u32, u32)>],
    [from, to]: [NodeId; 2],
    most: usize,
) -> (Levels, Vec<Disjoint>) {
    let nodes = net.starts.len() - 1;
    let mut used = vec![false; net.out.len()];
    let mut all = Vec::new();
    let mut next = search(net, into, from, &used);
    let levels = |far: &[i32]| -> Levels {
        let level =
            |node: usize| u32::try_from(far[node]).ok().filter(|_| far[node] != FAR && node != to.index());
        (0..nodes).map(level).collect()
    };
    let first = levels(&next.0);
    while all.len() < most && next.0[to.index()] != FAR {
        let mut at = to.0;
        while at != from.0 {
            let (before, channel) = next.1[at as usize];
            used[channel as usize] = !used[channel as usize];
            at = before;
        }
        next = search(net, into, from, &used);
        all.push(Disjoint { ways: ways(net, &used, [from, to]), levels: levels(&next.0) });
    }
    (first, all)
}

const FAR: i32 = i32::MAX;

/// `[router]`: hops from a source, and by which channel from where; used channels lead backwards alone.
fn search(net: &Net, into: &[Vec<(u32, u32)>], from: NodeId, used: &[bool]) -> (Vec<i32>, Vec<(u32, u32)>) {
    let nodes = net.starts.len() - 1;
    let (mut far, mut came, mut queued) =
        (vec![FAR; nodes], vec![(u32::MAX, u32::MAX); nodes], vec![false; nodes]);
    far[from.index()] = 0;
    let mut queue = VecDeque::from([from.0]);
    while let Some(at) = queue.pop_front() {
        queued[at as usize] = false;
        let here = far[at as usize];
        let out =
            (net.starts[at as usize]..net.starts[at as usize + 1]).filter(|&channel| !used[channel as usize]);
        let onwards = out.map(|channel| (net.out[channel as usize].0, channel, here + 1));
        let back = into[at as usize].iter().filter(|(_, channel)| used[*channel as usize]);
        for (to, channel, hops) in onwards.chain(back.map(|&(other, channel)| (other, channel, here - 1))) {
            if hops < far[to as usize] {
                far[to as usize] = hops;
                came[to as usize] = (at, channel);
                if !queued[to as usize] {
                    queued[to as usize] = true;
                    queue.push_back(to);
                }
            }
        }
    }
    (far, came)
}

/// `[router]`: (from where, channel) of every channel into it.
pub(super) fn into(net: &Net) -> Vec<Vec<(u32, u32)>> {
    let nodes = net.starts.len() - 1;
    let mut into = vec![Vec::new(); nodes];
    for node in 0..nodes as u32 {
        for channel in net.starts[node as usize]..net.starts[node as usize + 1] {
            into[net.out[channel as usize].0 as usize].push((node, channel));
        }
    }
    into
}

/// The ways that used channels make, those of fewest hops first.
fn ways(net: &Net, used: &[bool], [from, to]: [NodeId; 2]) -> Vec<Vec<u32>> {
    let mut left = used.to_vec();
    let mut all = Vec::new();
    let leave = |left: &mut Vec<bool>, at: u32| {
        let channel =
            (net.starts[at as usize]..net.starts[at as usize + 1]).find(|&channel| left[channel as usize])?;
        left[channel as usize] = false;
        Some(channel)
    };
    while let Some(first) = leave(&mut left, from.0) {
        let mut way = vec![first];
        let mut at = net.out[first as usize].0;
        while at != to.0 {
            let Some(channel) = leave(&mut left, at) else { break };
            way.push(channel);
            at = net.out[channel as usize].0;
        }
        all.push(way);
    }
    all.sort_by_key(Vec::len);
    all
}

/// Cycles in which ways of so many hops bring so many vectors, if nothing else is on them.
pub(super) fn dealt(hops: impl Iterator<Item = usize> + Clone, vectors: u64, pace: SlotPace) -> u64 {
    let by = |end: u64| {
        let of = |hops: usize| {
            end.checked_sub(hops as u64 * u64::from(pace.hop))
                .map_or(0, |rest| rest / u64::from(pace.slot) + 1)
        };
        hops.clone().map(of).sum::<u64>()
    };
    least(|end| by(end) >= vectors)
}

/// Cycles before which so many vectors are not all at their destination, by levels: a router counts as the
/// source from its level times a hop on, without a level never. What is on time crosses a channel from a
/// router that counts to one that does not when it comes there; a channel starts one per slot meanwhile.
pub(super) fn cycles(net: &Net, levels: &[Option<u32>], vectors: u64, pace: SlotPace) -> u64 {
    let (hop, slot) = (u64::from(pace.hop), u64::from(pace.slot));
    let crossed = |end: u64| {
        let from = |node: usize| levels[node].map_or(end + 1, |level| (u64::from(level) * hop).min(end + 1));
        let mut starts = 0;
        for node in 0..levels.len() {
            let since = from(node) + hop;
            for &(to, _) in &net.out[net.starts[node] as usize..net.starts[node + 1] as usize] {
                starts += from(to as usize).saturating_sub(since).div_ceil(slot);
            }
        }
        starts
    };
    least(|end| crossed(end) >= vectors)
}

/// The least number that is enough, where all larger ones are.
fn least(enough: impl Fn(u64) -> bool) -> u64 {
    let mut most = 1;
    while !enough(most) && most < u64::from(u32::MAX) * 4 {
        most *= 2;
    }
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = (low + high) / 2;
        if enough(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}
