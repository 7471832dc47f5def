//! Whole parts on paths, balanced over the channels.
//!
//! Input: the channels of a scene, and a lower bound on their load. Output: paths for every pair of chips,
//! with whole amounts of parts, such that the busiest channel carries little more than the bound.
//!
//! Every pair in turn moves parts from its costliest path to the cheapest one, as many as a Newton step of
//! the potential asks for ([`LoadPotential`]), if that lowers the potential. When whole parts are too coarse
//! they are cut, and the search goes on from there.
//!
//! Cost: a search of cheapest paths for every chip in a sweep, and few exponentials for every pair. Source:
//! Basu and others, HPDC 2024 (all-to-alls from concurrent flows).

use super::super::load_potential::{ChannelBalance, LoadPotential};
use super::ground::{CheapestPaths, PathGround};
use fabc_base::ids::{ChannelId, Id};
use fabc_ir::Fraction;

/// The cost of every channel beside the potential, whose largest cost per lane is about 1. So no cost is 0,
/// and idle channels invite no detours.
const BASE_COST: f64 = 1e-6;
/// What the load of the bound adds to the cost of a channel while the first paths are chosen. Hops cost 1.
const FIRST_LOAD_COST: f64 = 1e-3;
/// A move must lower the potential by this part of the largest cost.
const LEAST_GAIN: f64 = 1e-9;

/// Parts of a pair that take the same path.
#[derive(Clone)]
pub(super) struct UsedPath {
    pub(super) amount: u32,
    pub(super) channels: Vec<ChannelId>,
}

/// The paths of all pairs, with the loads that they put on channels.
#[derive(Clone)]
pub(super) struct PathBalance<'a> {
    ground: &'a PathGround<'a>,
    /// Parts of the data of a pair.
    pub(super) parts: u32,
    /// `[source * chips + destination]`: the paths of the pair, none from a chip to itself.
    pub(super) paths: Vec<Vec<UsedPath>>,
    /// `[channel]`: number of parts on it.
    loads: Vec<u64>,
    /// `[channel]`: what one more part on it costs.
    costs: Vec<f64>,
    potential: LoadPotential,
    cheapest: CheapestPaths,
}

impl<'a> PathBalance<'a> {
    /// One part for every pair, on a path of the fewest hops. `bound` is the least load of the busiest
    /// channel per lane.
    pub(super) fn new(ground: &'a PathGround<'a>, bound: Fraction) -> Self {
        let (chips, channels) = (ground.chips.len(), ground.lanes.len());
        let potential =
            LoadPotential { full: bound.as_f64(), width: Self::FIRST_WIDTH, base_cost: BASE_COST };
        let mut balance = Self {
            ground,
            parts: 1,
            paths: vec![Vec::new(); chips * chips],
            loads: vec![0; channels],
            costs: vec![0.0; channels],
            potential,
            cheapest: CheapestPaths::new(ground),
        };
        for (from, &source) in ground.chips.iter().enumerate() {
            let load_cost = |(&load, &lanes): (&u64, &u64)| {
                1.0 + FIRST_LOAD_COST * load as f64 / (lanes as f64 * potential.full)
            };
            let costs: Vec<f64> = balance.loads.iter().zip(&ground.lanes).map(load_cost).collect();
            balance.cheapest.search(ground, &costs, source);
            for (to, &destination) in
                ground.chips.iter().enumerate().filter(|&(to, _)| ground.exchange(from, to))
            {
                let channels = balance.cheapest.path_to(ground, destination);
                channels.iter().for_each(|&channel| balance.add(channel, 1));
                balance.paths[from * chips + to] = vec![UsedPath { amount: 1, channels }];
            }
        }
        balance
    }

    /// Cuts every part into so many.
    pub(super) fn cut(&mut self, times: u32) {
        self.parts *= times;
        self.paths.iter_mut().flatten().for_each(|path| path.amount *= times);
        self.loads.iter_mut().for_each(|load| *load *= u64::from(times));
    }

    fn add(&mut self, channel: ChannelId, parts: i64) {
        let (load, lanes) = (&mut self.loads[channel.index()], self.ground.lanes[channel.index()]);
        *load = load.saturating_add_signed(parts);
        self.costs[channel.index()] = self.potential.cost(*load, lanes);
    }

    /// Moves parts of a pair from its costliest path to another one, if that lowers the potential.
    fn shift(&mut self, pair: usize, path: Vec<ChannelId>) -> bool {
        let cost = |channels: &[ChannelId]| channels.iter().map(|channel| self.costs[channel.index()]).sum();
        let costly = (0..self.paths[pair].len())
            .map(|index| (cost(&self.paths[pair][index].channels), index))
            .filter(|&(_, index)| self.paths[pair][index].channels != path)
            .max_by(|one: &(f64, usize), other| one.0.total_cmp(&other.0).then(other.1.cmp(&one.1)));
        let Some((old_cost, index)) = costly else { return false };
        let gain = old_cost - cost(&path);
        if gain <= LEAST_GAIN * old_cost {
            return false;
        }
        let UsedPath { amount, channels: old } = &self.paths[pair][index];
        let left: Vec<ChannelId> = old.iter().copied().filter(|channel| !path.contains(channel)).collect();
        let joined: Vec<ChannelId> = path.iter().copied().filter(|channel| !old.contains(channel)).collect();
        let Some(moved) = self.moved_parts(gain, *amount, &left, &joined) else { return false };
        left.iter().for_each(|&channel| self.add(channel, -i64::from(moved)));
        joined.iter().for_each(|&channel| self.add(channel, i64::from(moved)));
        let paths = &mut self.paths[pair];
        paths[index].amount -= moved;
        match paths.iter_mut().find(|used| used.channels == path) {
            Some(used) => used.amount += moved,
            None => paths.push(UsedPath { amount: moved, channels: path }),
        }
        paths.retain(|used| used.amount > 0);
        true
    }

    /// The parts that a Newton step moves, or fewer. `None` where one part raises the potential.
    fn moved_parts(&self, gain: f64, amount: u32, left: &[ChannelId], joined: &[ChannelId]) -> Option<u32> {
        let LoadPotential { full, width, .. } = self.potential;
        let growth = |channel: &ChannelId| {
            (self.costs[channel.index()] - BASE_COST)
                / (full * width * self.ground.lanes[channel.index()] as f64)
        };
        let growth: f64 = left.iter().chain(joined).map(growth).sum();
        let wanted = if growth > 0.0 { (gain / growth).round() } else { f64::INFINITY };
        let mut moved = wanted.clamp(1.0, f64::from(amount)) as u32;
        while moved > 0 {
            let change = |channel: &ChannelId, parts: i64| {
                let (load, lanes) = (self.loads[channel.index()], self.ground.lanes[channel.index()]);
                self.potential.value(load.saturating_add_signed(parts), lanes)
                    - self.potential.value(load, lanes)
            };
            let change = left.iter().map(|channel| change(channel, -i64::from(moved))).sum::<f64>()
                + joined.iter().map(|channel| change(channel, i64::from(moved))).sum::<f64>();
            if change < -LEAST_GAIN * gain {
                return Some(moved);
            }
            moved /= 2;
        }
        None
    }
}

impl ChannelBalance for PathBalance<'_> {
    type Paths = Vec<Vec<UsedPath>>;
    const FIRST_WIDTH: f64 = 0.2;
    const SWEEPS: u32 = 20;

    fn busiest(&self) -> Fraction {
        let loads = self.loads.iter().zip(&self.ground.lanes);
        loads.map(|(&load, &lanes)| Fraction::new(load, lanes)).max().unwrap_or(Fraction::ZERO)
    }

    fn paths(&self) -> &Self::Paths {
        &self.paths
    }

    fn set_paths(&mut self, paths: Self::Paths) {
        self.paths = paths;
        self.loads.fill(0);
        for path in self.paths.iter().flatten() {
            path.channels.iter().for_each(|channel| self.loads[channel.index()] += u64::from(path.amount));
        }
    }

    fn set_potential(&mut self, full: f64, width: f64) {
        self.potential = LoadPotential { full, width, base_cost: BASE_COST };
        for (index, cost) in self.costs.iter_mut().enumerate() {
            *cost = self.potential.cost(self.loads[index], self.ground.lanes[index]);
        }
    }

    /// Lets every pair move parts once.
    fn sweep(&mut self) -> u64 {
        let (ground, chips) = (self.ground, self.ground.chips.len());
        let mut moves = 0;
        for (from, &source) in ground.chips.iter().enumerate() {
            self.cheapest.search(ground, &self.costs, source);
            for step in 1..chips {
                let to = (from + step) % chips;
                if !ground.exchange(from, to) {
                    continue;
                }
                let path = self.cheapest.path_to(ground, ground.chips[to]);
                moves += u64::from(self.shift(from * chips + to, path));
            }
        }
        moves
    }
}
