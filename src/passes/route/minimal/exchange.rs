//! Exchanges of routes: a tabu search that takes routes off overloaded channels, or proves that nothing can.
//!
//! Input: trees of shortest routes with their loads, and a target. Output: trees whose busiest channel
//! carries at most the target, or channel lengths that prove that no shortest routes do. Or neither, when
//! the work is done.
//!
//! A step picks an overloaded channel at random. Of all routers whose routes use it, one moves to another
//! next hop, with all routes through it. The move that is taken makes the weighted overload least, and for a
//! while the router may not move back. Channels that stay overloaded gain weight, so that no group of
//! channels keeps the search in a corner. The weights are also multipliers of the constraints that loads are
//! at most the target. As channel lengths they prove a bound once the search goes round in a circle.
//! Sources: Glover 1986 (tabu search), Morris 1993 (weights of violated constraints).
//!
//! Cost: counted in moves that are examined (`EXCHANGE_WORK`), some 0.5 us each.

use super::proof::OverloadHistory;
use super::{BestTrees, TreeBalance};
use fabc_base::ids::{Id, NodeId};
use fabc_base::random::KeyedStream;
use fabc_ir::{DualLengths, NextHops};

/// Most moves that are examined, over all targets. Proofs count as the moves that take as long.
const EXCHANGE_WORK: u64 = 1 << 24;
/// Most entries of next hops, trees times routers. Beyond that there is no search.
const ENTRIES: usize = 1 << 22;
/// A router does not move back for so many steps, and for up to as many more, drawn at random.
const TENURE: u64 = 10;
/// Channels with less room than so many of the smallest routes are avoided.
const NARROW: i64 = 6;
/// The price of a part of overload, against that of narrow room.
const OVERLOAD_PRICE: i64 = 1024;
/// The price of channels without much room does not rise beyond this.
const NARROW_PRICE: i64 = 60;
/// Work before the first attempt at a proof. It doubles with every attempt.
const FIRST_PROOF: u64 = 1 << 14;

/// How a search for a target ended.
enum SearchEnd {
    /// No channel carries more than the target.
    Reached,
    /// It is proved that some channel carries more.
    Impossible,
    /// The work was done before either.
    Budget,
}

/// A move of a router of a tree to another next hop.
#[derive(Clone, Copy)]
struct Move {
    tree: usize,
    node: usize,
    channel: u32,
}

/// The state of the search.
struct Exchange<'b, 'a> {
    balance: &'b TreeBalance<'a>,
    /// `[channel]`: the router that it leaves.
    tails: Vec<u32>,
    /// The channels into router v are `into[into_starts[v]..into_starts[v + 1]]`.
    into: Vec<u32>,
    into_starts: Vec<u32>,
    /// `[class]`: all channels of the class, by the router that they leave.
    members: Vec<Vec<u32>>,
    /// `[tree * nodes + node]`: the channel of the next hop. Defined wherever there is a shortest path.
    next: Vec<u32>,
    /// `[tree * nodes + node]`: the weight of the routes through the router.
    weight: Vec<u64>,
    /// `[tree * nodes + node]`: the channel to which the router may not move, and the step up to which.
    forbidden: Vec<(u32, u32)>,
    /// `[class]`: load of a channel, in parts of a unit.
    load: Vec<i64>,
    history: OverloadHistory,
    /// The least load of a route of any pair.
    grain: i64,
    noise: KeyedStream,
    step: u32,
    work: u64,
}

impl TreeBalance<'_> {
    /// Exchanges routes of the best trees until their busiest channel carries `bound`, until a proof says
    /// that no shortest routes load all channels less, or until the work is done.
    /// Returns the lengths that prove most.
    pub(super) fn exchange(&mut self, best: &mut BestTrees, bound: u64) -> Option<DualLengths> {
        let entries = self.trees.len() * self.topology.node_count();
        if best.busiest <= bound || best.busiest == u64::MAX || entries > ENTRIES {
            return None;
        }
        self.adopt(&best.ports);
        let mut search = Exchange::new(self);
        let mut improved = None;
        let mut busiest = best.busiest;
        while busiest > bound {
            let SearchEnd::Reached = search.reach(busiest as i64 - 1) else { break };
            busiest = search.load.iter().copied().max().unwrap_or(0) as u64;
            improved = Some(search.ports());
        }
        let history = search.history;
        if let Some(ports) = improved {
            self.adopt(&ports);
            (0..self.trees.len()).for_each(|tree| self.remove_unused_hops(tree));
            best.offer(self);
        }
        // A search that reached the bound needs no proof.
        if best.busiest > bound { self.best_proof(&history, false) } else { None }
    }
}

impl<'b, 'a> Exchange<'b, 'a> {
    fn new(balance: &'b TreeBalance<'a>) -> Self {
        let nodes = balance.topology.node_count();
        let channels = balance.heads.len();
        let mut tails = vec![0; channels];
        let mut members = vec![Vec::new(); balance.load.len()];
        let mut rows = vec![Vec::new(); nodes];
        for node in 0..nodes {
            for channel in balance.starts[node]..balance.starts[node + 1] {
                tails[channel as usize] = node as u32;
                members[balance.classes[channel as usize] as usize].push(channel);
                rows[balance.heads[channel as usize] as usize].push(channel);
            }
        }
        let mut into_starts = vec![0];
        for row in &rows {
            into_starts.push(into_starts[into_starts.len() - 1] + row.len() as u32);
        }
        let mut search = Self {
            balance,
            tails,
            into: rows.concat(),
            into_starts,
            members,
            next: vec![u32::MAX; balance.trees.len() * nodes],
            weight: vec![0; balance.trees.len() * nodes],
            forbidden: vec![(u32::MAX, 0); balance.trees.len() * nodes],
            load: balance.load.iter().map(|&load| load as i64).collect(),
            history: OverloadHistory::new(balance.load.len()),
            grain: 1,
            noise: KeyedStream::new(1, 0),
            step: 0,
            work: 0,
        };
        search.lay_trees();
        search
    }

    /// Copies the trees, gives every router a next hop, and counts the routes through it.
    fn lay_trees(&mut self) {
        let TreeBalance { topology, demand, trees, heads, slowness, .. } = self.balance;
        let nodes = topology.node_count();
        let mut least = u64::MAX;
        for (place, tree) in trees.iter().enumerate() {
            for &node in tree.order.iter().skip(1).rev() {
                let (from, node) = (NodeId(node), node as usize);
                let channel = match tree.ports[node] {
                    NextHops::NONE => {
                        let first = self.balance.nearer_channels(tree).nearer(node).next();
                        first.expect("a router that is reached has a nearer neighbor") as u32
                    }
                    port => self.balance.channel(node, port) as u32,
                };
                let own = if topology.is_endpoint(from) {
                    u64::from(demand.weight(from, tree.destination))
                } else {
                    0
                };
                if own > 0 {
                    least = least.min(own * slowness[channel as usize]);
                }
                self.next[place * nodes + node] = channel;
                self.weight[place * nodes + node] += own;
                let passing = self.weight[place * nodes + node];
                self.weight[place * nodes + heads[channel as usize] as usize] += passing;
            }
        }
        self.grain = i64::try_from(least).unwrap_or(1).max(1);
    }

    /// The output ports of all trees, `[tree][node]`.
    fn ports(&self) -> Vec<Vec<u16>> {
        let port = |&channel: &u32| match channel {
            u32::MAX => NextHops::NONE,
            channel => self.balance.outputs[channel as usize],
        };
        self.next
            .chunks(self.balance.topology.node_count())
            .map(|row| row.iter().map(port).collect())
            .collect()
    }

    /// Moves routers until no channel carries more than the target.
    fn reach(&mut self, target: i64) -> SearchEnd {
        self.history.restart();
        let mut next_proof = self.work + FIRST_PROOF.max(4 * self.balance.proof_work());
        loop {
            let overloaded: Vec<u32> =
                (0..self.load.len() as u32).filter(|&class| self.load[class as usize] > target).collect();
            if overloaded.is_empty() {
                return SearchEnd::Reached;
            }
            if self.work >= EXCHANGE_WORK {
                return SearchEnd::Budget;
            }
            if self.work >= next_proof {
                let parts = self.balance.topology.capacities().parts();
                let proof = self.balance.best_proof(&self.history, true);
                if proof.is_some_and(|proof| proof.least_load(parts) > target as u64) {
                    return SearchEnd::Impossible;
                }
                self.work += 4 * self.balance.proof_work();
                next_proof = 2 * self.work;
            }
            self.step += 1;
            self.work += 1;
            self.history.note(&overloaded);
            let drawn = self.noise.number(self.step, 0) % overloaded.len() as u64;
            let class = overloaded[drawn as usize];
            match self.best_move(class, target) {
                None => self.history.raise(&[class]),
                Some((cost, chosen)) => {
                    if cost >= 0 {
                        self.history.raise(&overloaded);
                    }
                    self.apply(chosen);
                }
            }
        }
    }

    /// The cheapest move that takes routes off the channels of a class, and the change of the price of all
    /// loads. Equally cheap moves are drawn from at random.
    fn best_move(&mut self, class: u32, target: i64) -> Option<(i64, Move)> {
        let nodes = self.balance.topology.node_count();
        let mut best: Option<((i64, u64), Move)> = None;
        let (mut open, mut changes) = (Vec::new(), Vec::new());
        let mut examined = 0;
        for &channel in &self.members[class as usize] {
            let tail = self.tails[channel as usize] as usize;
            for tree in 0..self.balance.trees.len() {
                let row = tree * nodes;
                if self.next[row + tail] != channel || self.weight[row + tail] == 0 {
                    continue;
                }
                let nearer = self.balance.nearer_channels(&self.balance.trees[tree]);
                open.clear();
                open.push(tail);
                while let Some(node) = open.pop() {
                    for &before in
                        &self.into[self.into_starts[node] as usize..self.into_starts[node + 1] as usize]
                    {
                        let from = self.tails[before as usize] as usize;
                        if self.next[row + from] == before && self.weight[row + from] > 0 {
                            open.push(from);
                        }
                    }
                    for other in nearer.nearer(node).map(|channel| channel as u32) {
                        let (barred, until) = self.forbidden[row + node];
                        if other == self.next[row + node] || (barred == other && until > self.step) {
                            continue;
                        }
                        examined += 1;
                        let candidate = Move { tree, node, channel: other };
                        self.list_changes(candidate, &mut changes);
                        if !changes.iter().any(|&(changed, load)| changed == class && load < 0) {
                            continue;
                        }
                        let cost = self.price_of(&changes, target);
                        let key = (cost, self.noise.number(self.step, examined));
                        if best.is_none_or(|(best, _)| key < best) {
                            best = Some((key, candidate));
                        }
                    }
                }
            }
        }
        self.work += u64::from(examined);
        best.map(|((cost, _), chosen)| (cost, chosen))
    }

    /// Lists how much the load of each class changes by a move.
    fn list_changes(&self, candidate: Move, changes: &mut Vec<(u32, i64)>) {
        let TreeBalance { heads, classes, slowness, .. } = self.balance;
        let row = candidate.tree * self.balance.topology.node_count();
        let moved = self.weight[row + candidate.node] as i64;
        changes.clear();
        let mut add = |channel: u32, weight: i64| {
            let (class, load) = (classes[channel as usize], weight * slowness[channel as usize] as i64);
            match changes.iter_mut().find(|(changed, _)| *changed == class) {
                Some((_, sum)) => *sum += load,
                None => changes.push((class, load)),
            }
        };
        // Both paths have the same number of hops, so they meet at the latest in the destination.
        let (mut old, mut new) = (self.next[row + candidate.node], candidate.channel);
        loop {
            add(old, -moved);
            add(new, moved);
            let [old_head, new_head] = [old, new].map(|channel| heads[channel as usize] as usize);
            if old_head == new_head {
                return;
            }
            [old, new] = [old_head, new_head].map(|head| self.next[row + head]);
        }
    }

    /// The change of the price of all loads.
    fn price_of(&self, changes: &[(u32, i64)], target: i64) -> i64 {
        let grain = self.grain;
        let narrow = |load: i64| match load - target + NARROW * grain {
            room if room <= 0 => 0,
            room => (room / grain).min(NARROW_PRICE).pow(2).min(NARROW_PRICE),
        };
        let change = |&(class, change): &(u32, i64)| {
            let before = self.load[class as usize];
            let after = before + change;
            let overload =
                ((after - target).max(0) - (before - target).max(0)).saturating_mul(OVERLOAD_PRICE);
            overload.saturating_mul(self.history.weight(class)) + narrow(after) - narrow(before)
        };
        changes.iter().map(change).fold(0, i64::saturating_add)
    }

    /// Moves a router with all routes through it.
    fn apply(&mut self, Move { tree, node, channel }: Move) {
        let nodes = self.balance.topology.node_count();
        let row = tree * nodes;
        let old = std::mem::replace(&mut self.next[row + node], channel);
        let drawn = TENURE + self.noise.number(self.step, u32::MAX) % TENURE;
        self.forbidden[row + node] = (old, self.step + drawn as u32);
        let moved = self.weight[row + node];
        for (first, sign) in [(old, -1), (channel, 1)] {
            let mut channel = first;
            loop {
                let TreeBalance { heads, classes, slowness, trees, .. } = self.balance;
                let load = moved as i64 * slowness[channel as usize] as i64;
                self.load[classes[channel as usize] as usize] += sign * load;
                let head = heads[channel as usize] as usize;
                if head == trees[tree].destination.index() {
                    break;
                }
                let weight = &mut self.weight[row + head];
                *weight = weight.wrapping_add_signed(sign * moved as i64);
                channel = self.next[row + head];
            }
        }
    }
}
