//! Least cuts of the lit links, and what no small cut parts.
//!
//! A maximum adjacency order tells in linear time which links join routers that no cut of less than a given
//! size parts: those by which a router, when it comes, hangs on that many links of the ones before it. Such
//! routers are contracted (Nagamochi and Ibaraki 1992); the last router of an order is parted from the one
//! before by no less than its own links (Stoer and Wagner 1997). Cost: links times log, for each order.

use super::ground::Ground;
use fabc_base::ids::{Id, NodeId};
use std::collections::BinaryHeap;

/// Groups of routers, and the links between them, which run both ways.
pub(super) struct Groups {
    /// `[router]`: its group; none for a dead router.
    of: Vec<Option<u32>>,
    /// `[group]`: (another one, lanes of the links to it), by group.
    pub(super) joined: Vec<Vec<(u32, u64)>>,
    /// `[group]`: chips, of which there may be none among routers that only forward.
    pub(super) sizes: Vec<u64>,
}

/// Orders without a contraction before no more are tried.
const FRUITLESS: usize = 4;

impl Groups {
    /// Every living router by itself.
    pub(super) fn apart(ground: &Ground<'_>) -> Self {
        let scene = ground.scene;
        let living = || scene.topology.nodes().filter(|&node| scene.lives(node));
        let mut of = vec![None; ground.nodes()];
        living().zip(0..).for_each(|(node, group)| of[node.index()] = Some(group));
        let links = scene.links().filter_map(|link| {
            let ends = &scene.topology.links()[link];
            Some((of[ends.a.node.index()]?, of[ends.b.node.index()]?, scene.topology.capacity(link)))
        });
        let sizes: Vec<u64> = living().map(|node| u64::from(scene.is_endpoint(node))).collect();
        let joined = joined(sizes.len(), links);
        Self { of, joined, sizes }
    }

    /// Groups.
    pub(super) fn len(&self) -> usize {
        self.joined.len()
    }
    /// Links from a group to others.
    pub(super) fn degree(&self, group: usize) -> u64 {
        self.joined[group].iter().map(|&(_, links)| links).sum()
    }
    /// The routers of the groups that are chosen, ascending.
    pub(super) fn routers(&self, chosen: impl Fn(u32) -> bool) -> Vec<NodeId> {
        let members = self.of.iter().enumerate().filter(|(_, group)| group.is_some_and(&chosen));
        members.map(|(node, _)| NodeId::new(node)).collect()
    }
    /// `[router]`: its group.
    pub(super) fn parts(&self) -> Vec<Option<u32>> {
        self.of.clone()
    }

    /// Contracts what no cut of fewer than `links` links parts, as far as orders tell.
    pub(super) fn contract(&mut self, links: u64) {
        let (mut fruitless, mut start) = (0, 0);
        while self.len() > 1 && fruitless < FRUITLESS {
            let pairs = self.order(start % self.len(), |hangs| hangs >= links).0;
            fruitless = if pairs.is_empty() { fruitless + 1 } else { 0 };
            start = if pairs.is_empty() { start + self.len() / FRUITLESS + 1 } else { 0 };
            self.merge(&pairs);
        }
    }

    /// The least cut, and the routers on one side of it, one that does not hold `root`; every router is a
    /// chip.
    pub(super) fn least_cut(mut self, root: NodeId) -> (u64, Vec<NodeId>) {
        let mut best = (u64::MAX, Vec::new());
        while self.len() > 1 {
            for group in 0..self.len() {
                let degree = self.degree(group);
                if degree < best.0 {
                    let held = self.of[root.index()] == Some(group as u32);
                    best = (degree, self.routers(|other| (other == group as u32) != held));
                }
            }
            let (mut pairs, last) = self.order(0, |hangs| hangs >= best.0);
            pairs.push(last);
            self.merge(&pairs);
        }
        best
    }

    /// A maximum adjacency order: the pairs of which the later one hangs on the earlier ones strongly enough
    /// at this link, and the last pair.
    fn order(&self, start: usize, enough: impl Fn(u64) -> bool) -> (Vec<(u32, u32)>, (u32, u32)) {
        let mut hangs = vec![0u64; self.len()];
        let mut placed = vec![false; self.len()];
        let mut heap = BinaryHeap::from([(0, start as u32)]);
        let (mut pairs, mut last) = (Vec::new(), (0, 0));
        while let Some((by, group)) = heap.pop() {
            if placed[group as usize] || by < hangs[group as usize] {
                continue;
            }
            placed[group as usize] = true;
            last = (last.1, group);
            for &(other, links) in
                self.joined[group as usize].iter().filter(|(other, _)| !placed[*other as usize])
            {
                hangs[other as usize] += links;
                if enough(hangs[other as usize]) {
                    pairs.push((group, other));
                }
                heap.push((hangs[other as usize], other));
            }
        }
        (pairs, last)
    }

    /// Makes one group of each pair.
    fn merge(&mut self, pairs: &[(u32, u32)]) {
        if pairs.is_empty() {
            return;
        }
        let mut parent: Vec<u32> = (0..self.len() as u32).collect();
        for &(one, other) in pairs {
            let [one, other] = [one, other].map(|group| root(&mut parent, group));
            parent[one.max(other) as usize] = one.min(other);
        }
        let mut number = vec![u32::MAX; self.len()];
        let mut count = 0;
        for group in 0..self.len() as u32 {
            let first = root(&mut parent, group) as usize;
            if number[first] == u32::MAX {
                number[first] = count;
                count += 1;
            }
            number[group as usize] = number[first];
        }
        self.of.iter_mut().flatten().for_each(|group| *group = number[*group as usize]);
        let mut sizes = vec![0; count as usize];
        self.sizes.iter().zip(&number).for_each(|(size, &group)| sizes[group as usize] += size);
        let rows = self.joined.iter().enumerate();
        // Every pair of groups is in both rows; one of them is enough.
        let links = rows.flat_map(|(group, row)| {
            row.iter()
                .filter(move |(other, _)| (group as u32) < *other)
                .map(move |&(other, links)| (group, other, links))
        });
        let links = links.map(|(one, other, links)| (number[one], number[other as usize], links));
        self.joined = joined(count as usize, links);
        self.sizes = sizes;
    }
}

fn root(parent: &mut [u32], mut group: u32) -> u32 {
    while parent[group as usize] != group {
        parent[group as usize] = parent[parent[group as usize] as usize];
        group = parent[group as usize];
    }
    group
}

/// Rows of neighbors, parallel links as one.
fn joined(groups: usize, links: impl Iterator<Item = (u32, u32, u64)>) -> Vec<Vec<(u32, u64)>> {
    let mut rows: Vec<Vec<(u32, u64)>> = vec![Vec::new(); groups];
    for (one, other, links) in links.filter(|(one, other, _)| one != other) {
        rows[one as usize].push((other, links));
        rows[other as usize].push((one, links));
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
