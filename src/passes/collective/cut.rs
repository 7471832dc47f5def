//! Least cuts of the lit links, and the groups of routers that no small cut separates.
//!
//! A maximum adjacency order finds, in linear time, links whose ends no cut of less than a given size
//! separates. These are the links by which a router has at least that many links to earlier routers when it
//! is added. Such routers are contracted (Nagamochi and Ibaraki 1992). No cut between the last router of an
//! order and the one before is smaller than the last one's own links (Stoer and Wagner 1997). Cost: links
//! times log, for each order.

use super::canonical::CanonicalScene;
use fabc_base::ids::{Id, NodeId};
use std::collections::BinaryHeap;

/// Groups of routers, and the duplex links between them.
pub(super) struct CutGroups {
    /// `[router]`: its group. `None` for a failed router.
    group_of: Vec<Option<u32>>,
    /// `[group]`: (another group, lanes of the links to it), sorted by group.
    pub(super) joined: Vec<Vec<(u32, u64)>>,
    /// `[group]`: number of chips, which may be 0 among routers that only forward.
    pub(super) sizes: Vec<u64>,
}

/// Number of orders in a row without a contraction after which the search stops.
const FRUITLESS: usize = 4;

impl CutGroups {
    /// Every surviving router in a group of its own.
    pub(super) fn singletons(canonical: &CanonicalScene<'_>) -> Self {
        let scene = canonical.scene;
        let surviving = || scene.topology.nodes().filter(|&node| scene.lives(node));
        let mut group_of = vec![None; canonical.nodes()];
        surviving().zip(0..).for_each(|(node, group)| group_of[node.index()] = Some(group));
        let links = scene.links().filter_map(|link| {
            let joined_ends = &scene.topology.links()[link];
            Some((
                group_of[joined_ends.a.node.index()]?,
                group_of[joined_ends.b.node.index()]?,
                scene.topology.capacity(link),
            ))
        });
        let sizes: Vec<u64> = surviving().map(|node| u64::from(scene.is_endpoint(node))).collect();
        let joined = merged_rows(sizes.len(), links);
        Self { group_of, joined, sizes }
    }

    pub(super) fn len(&self) -> usize {
        self.joined.len()
    }
    /// Lanes of the links from a group to others.
    pub(super) fn degree(&self, group: usize) -> u64 {
        self.joined[group].iter().map(|&(_, links)| links).sum()
    }
    /// The routers of the chosen groups, ascending.
    pub(super) fn routers(&self, chosen: impl Fn(u32) -> bool) -> Vec<NodeId> {
        let members = self.group_of.iter().enumerate().filter(|(_, group)| group.is_some_and(&chosen));
        members.map(|(node, _)| NodeId::new(node)).collect()
    }
    /// `[router]`: its group, `None` for a failed router.
    pub(super) fn group_of_router(&self) -> Vec<Option<u32>> {
        self.group_of.clone()
    }

    /// Contracts groups that no cut of fewer than `links` links separates, as far as the orders show it.
    pub(super) fn contract(&mut self, links: u64) {
        let (mut fruitless, mut start) = (0, 0);
        while self.len() > 1 && fruitless < FRUITLESS {
            let pairs = self.order(start % self.len(), |attached| attached >= links).0;
            fruitless = if pairs.is_empty() { fruitless + 1 } else { 0 };
            start = if pairs.is_empty() { start + self.len() / FRUITLESS + 1 } else { 0 };
            self.merge(&pairs);
        }
    }

    /// The least cut, and the routers on the side of it that does not hold `root`. Every router must be a
    /// chip.
    pub(super) fn least_cut(mut self, root: NodeId) -> (u64, Vec<NodeId>) {
        let mut best = (u64::MAX, Vec::new());
        while self.len() > 1 {
            for group in 0..self.len() {
                let degree = self.degree(group);
                if degree < best.0 {
                    let has_root = self.group_of[root.index()] == Some(group as u32);
                    best = (degree, self.routers(|other| (other == group as u32) != has_root));
                }
            }
            let (mut pairs, last) = self.order(0, |links| links >= best.0);
            pairs.push(last);
            self.merge(&pairs);
        }
        best
    }

    /// A maximum adjacency order. Returns the pairs for which `is_tight` accepts the links of the later group
    /// to the earlier ones, and the last two groups.
    fn order(&self, start: usize, is_tight: impl Fn(u64) -> bool) -> (Vec<(u32, u32)>, (u32, u32)) {
        let mut attached = vec![0u64; self.len()];
        let mut placed = vec![false; self.len()];
        let mut heap = BinaryHeap::from([(0, start as u32)]);
        let (mut pairs, mut last) = (Vec::new(), (0, 0));
        while let Some((links, group)) = heap.pop() {
            if placed[group as usize] || links < attached[group as usize] {
                continue;
            }
            placed[group as usize] = true;
            last = (last.1, group);
            for &(other, links) in
                self.joined[group as usize].iter().filter(|(other, _)| !placed[*other as usize])
            {
                attached[other as usize] += links;
                if is_tight(attached[other as usize]) {
                    pairs.push((group, other));
                }
                heap.push((attached[other as usize], other));
            }
        }
        (pairs, last)
    }

    /// Merges each pair into one group.
    fn merge(&mut self, pairs: &[(u32, u32)]) {
        if pairs.is_empty() {
            return;
        }
        let mut parent: Vec<u32> = (0..self.len() as u32).collect();
        for &(first, other) in pairs {
            let [first, other] = [first, other].map(|group| find_root(&mut parent, group));
            parent[first.max(other) as usize] = first.min(other);
        }
        let mut number = vec![u32::MAX; self.len()];
        let mut count = 0;
        for group in 0..self.len() as u32 {
            let first = find_root(&mut parent, group) as usize;
            if number[first] == u32::MAX {
                number[first] = count;
                count += 1;
            }
            number[group as usize] = number[first];
        }
        self.group_of.iter_mut().flatten().for_each(|group| *group = number[*group as usize]);
        let mut sizes = vec![0; count as usize];
        self.sizes.iter().zip(&number).for_each(|(size, &group)| sizes[group as usize] += size);
        let rows = self.joined.iter().enumerate();
        // Every pair of groups is in both rows. One of them is enough.
        let links = rows.flat_map(|(group, row)| {
            row.iter()
                .filter(move |(other, _)| (group as u32) < *other)
                .map(move |&(other, links)| (group, other, links))
        });
        let renumbered = links.map(|(group, other, links)| (number[group], number[other as usize], links));
        self.joined = merged_rows(count as usize, renumbered);
        self.sizes = sizes;
    }
}

fn find_root(parent: &mut [u32], mut group: u32) -> u32 {
    while parent[group as usize] != group {
        parent[group as usize] = parent[parent[group as usize] as usize];
        group = parent[group as usize];
    }
    group
}

/// `[group]`: neighbors with the lanes to them, parallel links merged.
fn merged_rows(groups: usize, links: impl Iterator<Item = (u32, u32, u64)>) -> Vec<Vec<(u32, u64)>> {
    let mut rows: Vec<Vec<(u32, u64)>> = vec![Vec::new(); groups];
    for (first, other, links) in links.filter(|(first, other, _)| first != other) {
        rows[first as usize].push((other, links));
        rows[other as usize].push((first, links));
    }
    for row in &mut rows {
        row.sort_unstable();
        row.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
    }
    rows
}
