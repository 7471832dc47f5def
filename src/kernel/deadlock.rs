//! The proof that no cycle of channels can wait on itself.
//!
//! A rank that rises along every dependency excludes cycles, and a reader can check it line by line (Dally
//! and Seitz, 1987). Classes of channels suffice. A cycle of classes is the image of a real one, because
//! going round often enough comes back to the same channel. Where no ranks are claimed, the kernel looks for
//! a cycle.

use crate::conviction::{TableConviction, TableFault, WaitingPacket};
use crate::dependencies::{Dependencies, HeldChannel};
use crate::lit_graph::expect_length;
use crate::table::LookupTable;
use crate::tally::EndpointPair;
use crate::walker::Walker;
use fabc_topology::Symmetry;
use fabc_topology::ids::{Id, NodeId};
use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};

/// The right to emit tables. Only this module makes this value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeadlockFree {
    ranks: Vec<u32>,
}

impl DeadlockFree {
    /// `[channel class * vcs + vc]`: a rank that rises along every route.
    pub fn ranks(&self) -> &[u32] {
        &self.ranks
    }
}

/// Checks that claimed ranks rise along every dependency that a walk saw.
///
/// `ranks` is `[channel class * vcs + vc]`. `subject` names the list in errors.
///
/// # Errors
/// A shortest cycle of channels if there is one. Otherwise the first dependency whose rank does not rise.
pub(crate) fn ranks_rise<T: LookupTable + ?Sized, W: Fn(usize, usize) -> u64 + Sync>(
    walker: &Walker<'_, T, W>,
    dependencies: &Dependencies,
    ranks: &[u32],
    subject: &str,
) -> Result<DeadlockFree, TableConviction> {
    let (symmetry, ports, vcs) = (walker.symmetry, walker.network.ports, dependencies.vcs());
    expect_length(subject, "ranks", ranks.len(), symmetry.class_count() * ports * vcs)?;
    let rank_of = |held: HeldChannel| {
        let class = symmetry.class(NodeId::new(held.slot / ports)) * ports + held.slot % ports;
        ranks[class * vcs + held.vc]
    };
    let slots = symmetry.canonical_nodes().flat_map(|node| node.index() * ports..(node.index() + 1) * ports);
    for held in slots.flat_map(|slot| (0..vcs).map(move |vc| HeldChannel { slot, vc })) {
        for next in dependencies.next_channels(held) {
            let (rank, next_rank) = (rank_of(held), rank_of(next));
            if rank < next_rank {
                continue;
            }
            return Err(TableConviction::Fault(match shortest_cycle(dependencies) {
                Some(cycle) => deadlock_fault(walker, dependencies, &cycle),
                None => TableFault::Rank { held, next, rank, next_rank },
            }));
        }
    }
    Ok(DeadlockFree { ranks: ranks.to_vec() })
}

/// A shortest cycle of channels that can wait for each other. Of equally short ones it is the one with the
/// smallest first channel. `None` means that the tables cannot deadlock.
pub fn shortest_cycle(dependencies: &Dependencies) -> Option<Vec<HeldChannel>> {
    let vcs = dependencies.vcs();
    let held_of = |vertex: usize| HeldChannel { slot: vertex / vcs, vc: vertex % vcs };
    let vertices = dependencies.slots() * vcs;
    let after: Vec<Vec<u32>> = (0..vertices)
        .map(|vertex| {
            dependencies
                .next_channels(held_of(vertex))
                .map(|next| (next.slot * vcs + next.vc) as u32)
                .collect()
        })
        .collect();
    let open = remaining_after_trimming(&after);
    let mut best: Option<Vec<usize>> = None;
    for start in (0..vertices).filter(|&vertex| open[vertex]) {
        let longest = best.as_ref().map_or(usize::MAX, |cycle| cycle.len() - 1);
        if let Some(cycle) = cycle_through(&after, &open, start, longest) {
            best = Some(cycle);
        }
    }
    best.map(|cycle| cycle.into_iter().map(held_of).collect())
}

/// Takes away vertices without a predecessor or without a successor, again and again, and returns which
/// remain. A graph without cycles has none left. Every cycle remains whole.
fn remaining_after_trimming(after: &[Vec<u32>]) -> Vec<bool> {
    let mut before = vec![Vec::new(); after.len()];
    for (vertex, successors) in after.iter().enumerate() {
        successors.iter().for_each(|&next| before[next as usize].push(vertex as u32));
    }
    let mut remaining = vec![true; after.len()];
    for (forward, back) in [(after, &before[..]), (&before[..], after)] {
        let remains = |vertex: &u32| remaining[*vertex as usize];
        let mut degree: Vec<usize> =
            back.iter().map(|vertices| vertices.iter().filter(|vertex| remains(vertex)).count()).collect();
        let mut bare: Vec<usize> =
            (0..after.len()).filter(|&vertex| remaining[vertex] && degree[vertex] == 0).collect();
        while let Some(vertex) = bare.pop() {
            remaining[vertex] = false;
            for &next in forward[vertex].iter().filter(|&&next| remaining[next as usize]) {
                degree[next as usize] -= 1;
                if degree[next as usize] == 0 {
                    bare.push(next as usize);
                }
            }
        }
    }
    remaining
}

/// The shortest cycle through `start` of at most `longest` vertices, by breadth-first search.
fn cycle_through(after: &[Vec<u32>], open: &[bool], start: usize, longest: usize) -> Option<Vec<usize>> {
    let mut parent: BTreeMap<usize, usize> = BTreeMap::new();
    let mut ring = vec![start];
    for _ in 0..longest {
        let mut next_ring = Vec::new();
        for &vertex in &ring {
            for next in after[vertex].iter().map(|&next| next as usize).filter(|&next| open[next]) {
                if next == start {
                    let mut cycle = vec![vertex];
                    while let Some(&before) = parent.get(cycle.last()?) {
                        cycle.push(before);
                    }
                    cycle.reverse();
                    return Some(cycle);
                }
                if let Entry::Vacant(unseen) = parent.entry(next) {
                    unseen.insert(vertex);
                    next_ring.push(next);
                }
            }
        }
        if next_ring.is_empty() {
            return None;
        }
        ring = next_ring;
    }
    None
}

/// The conviction for a cycle, with a packet that waits at every channel.
pub(crate) fn deadlock_fault<T: LookupTable + ?Sized, W: Fn(usize, usize) -> u64 + Sync>(
    walker: &Walker<'_, T, W>,
    dependencies: &Dependencies,
    cycle: &[HeldChannel],
) -> TableFault {
    let next = cycle.iter().cycle().skip(1);
    let numbers: Vec<u64> =
        cycle.iter().zip(next).map(|(&held, &next)| dependencies.bit_of(held, next)).collect();
    let wanted: BTreeSet<u64> = numbers.iter().copied().collect();
    let mut seen: BTreeMap<u64, (EndpointPair, HeldChannel)> = BTreeMap::new();
    walker.visit_dependencies(dependencies, |number, pair, held| {
        if wanted.contains(&number) {
            seen.entry(number).or_insert((pair, held));
        }
        seen.len() < wanted.len()
    });
    let ports = walker.network.ports;
    let waiting = |(&held, number): (&HeldChannel, &u64)| {
        let pair = seen.get(number).map(|(pair, seen_at)| {
            let carry =
                |endpoint| carried_router(walker.symmetry, seen_at.slot / ports, held.slot / ports, endpoint);
            (carry(pair.source), carry(pair.destination))
        });
        WaitingPacket { held, pair }
    };
    TableFault::Deadlock(cycle.iter().zip(&numbers).map(waiting).collect())
}

/// The image of `router` under the element that takes router `from` to router `to`. Without symmetry it is
/// `router` itself, and then endpoints need not be routers.
fn carried_router(symmetry: &Symmetry, from: usize, to: usize, router: usize) -> usize {
    if symmetry.is_trivial() {
        return router;
    }
    let (back, there) =
        (symmetry.inverse(symmetry.element_to(NodeId::new(from))), symmetry.element_to(NodeId::new(to)));
    symmetry.image(there, symmetry.image(back, NodeId::new(router))).index()
}
