//! Walks tables hop by hop, the way routers would: one walk for the compiler's tables and for anybody's.
//!
//! The walk follows every ordered pair of endpoints and counts loads, hops and cycles. It notes which channel
//! a packet holds while it asks for which. A packet is a function of its position: the next position depends
//! on nothing else. So a route of more hops than there are positions never ends.

use crate::conviction::{Loss, Position, TableFault};
use crate::dependencies::{Dependencies, Held};
use crate::network::{Endpoint, NOWHERE, Network};
use crate::table::{DISCARDED, Lookup, MISSING, NO_LANE, Table, unpacked};
use fabc_topology::Symmetry;
use fabc_topology::ids::{Id, NodeId};
use fixedbitset::FixedBitSet;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Parts that the destinations are cut into. The cut does not depend on the number of threads.
const PARTS: usize = 32;

/// What is walked, and how much each pair and each hop counts.
pub(crate) struct Walker<'a, T: ?Sized, W> {
    /// The network.
    pub network: &'a Network,
    /// The tables.
    pub table: &'a T,
    /// The symmetry that carries tables and network onto themselves. It must have been checked.
    pub symmetry: &'a Symmetry,
    /// The destinations that stand for all others, ascending.
    pub destinations: Vec<usize>,
    /// `[endpoint]`: whether it sends and receives.
    pub sends: Vec<bool>,
    /// The weight of an ordered pair (source, destination) in the loads.
    pub weight: W,
    /// `[slot]`: load that a route of weight 1 puts on the channel.
    pub slowness: Vec<u64>,
    /// `[slot]`: cycles of a flit over the channel and through the router before it.
    pub cycles: Vec<u64>,
}

/// What a walk counted: sums over the destinations that were walked.
pub struct Walked {
    /// `[class of a slot]`: `class of the router * ports + port`.
    pub loads: Vec<u64>,
    /// `[vc]`: hops.
    pub vc_hops: Vec<u64>,
    /// `[h]`: pairs whose route has h hops.
    pub route_hops: Vec<u64>,
    /// Cycles of all routes and their images together.
    pub cycles_total: u64,
    /// Cycles of the slowest route.
    pub cycles_most: u64,
}

/// Why a walk failed.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Failed {
    /// Pairs that do not arrive.
    pub lost: u64,
    /// The first pair that is lost.
    pub first_lost: Option<Pair>,
    /// The first pair that never ends.
    pub first_circling: Option<Pair>,
    /// The first entry that no packet uses: its destination, and its place in the row of that.
    pub first_unused: Option<(usize, usize)>,
}

/// An ordered pair of endpoints. Pairs are ordered by their destination.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Pair {
    /// Where packets end.
    pub destination: usize,
    /// Where they start.
    pub source: usize,
}

/// What a router does with a packet.
enum Step {
    Arrived,
    Lost(Loss),
    Hop { held: Held, next: Position },
}

/// Where packets that stand at a position end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Unknown,
    /// On the path that is being followed.
    Open,
    Arrives,
    Lost,
    Circles,
}

/// Sums over some destinations.
struct Tally {
    walked: Walked,
    failed: Failed,
}

/// The walk to some of the destinations.
struct Part<'a> {
    layout: &'a Layout,
    dependencies: &'a Dependencies,
    /// Whether some channel takes longer than its images under the symmetry do.
    uneven: bool,
    /// The tables of all routers for one destination.
    row: Vec<u32>,
    /// `[place in the row]`: whether some route to that destination uses the entry.
    used: FixedBitSet,
    /// The channels of one route; empty unless `uneven`.
    slots: Vec<usize>,
    tally: Tally,
}

impl<T: Table + ?Sized, W: Fn(usize, usize) -> u64 + Sync> Walker<'_, T, W> {
    /// Walks from every source to every destination, and notes all dependencies.
    ///
    /// # Errors
    /// Pairs that do not arrive, and entries that must be used and are not.
    pub(crate) fn walk(&self, dependencies: &Dependencies) -> Result<Walked, Failed> {
        let layout = self.layout();
        let uneven = self.is_uneven();
        let walk_part = |destinations: &[usize]| {
            let mut part = Part {
                layout: &layout,
                dependencies,
                uneven,
                row: Vec::new(),
                used: FixedBitSet::with_capacity(self.network.routers() * layout.entries),
                slots: Vec::new(),
                tally: self.empty_tally(),
            };
            destinations.iter().for_each(|&destination| self.walk_to(destination, &mut part));
            part.tally
        };
        let parts = self.destinations.par_chunks(self.destinations.len().div_ceil(PARTS).max(1));
        let tallies: Vec<Tally> = parts.map(walk_part).collect();
        let mut sum = self.empty_tally();
        for tally in tallies {
            sum.add(&tally);
        }
        let Tally { walked, failed } = sum;
        if failed.lost > 0 || failed.first_unused.is_some() { Err(failed) } else { Ok(walked) }
    }

    fn empty_tally(&self) -> Tally {
        let classes = self.symmetry.class_count() * self.network.ports;
        let walked = Walked {
            loads: vec![0; classes],
            vc_hops: vec![0; self.table.vcs()],
            route_hops: vec![0],
            cycles_total: 0,
            cycles_most: 0,
        };
        Tally { walked, failed: Failed::default() }
    }

    fn layout(&self) -> Layout {
        let (lookup, vcs) = (self.table.lookup(), self.table.vcs());
        Layout {
            lookup,
            vcs,
            inputs: lookup.inputs(self.network.ports, vcs),
            entries: lookup.entries(self.network.ports, vcs),
            ports: self.network.ports,
            class_of_slot: (0..self.network.next.len()).map(|slot| self.class_of_slot(slot) as u32).collect(),
        }
    }

    fn class_of_slot(&self, slot: usize) -> usize {
        self.symmetry.class(NodeId::new(slot / self.network.ports)) * self.network.ports
            + slot % self.network.ports
    }

    /// Walks from every source to one destination.
    fn walk_to(&self, destination: usize, part: &mut Part<'_>) {
        let entries = self.table.fill(destination, &mut part.row);
        part.used.clear();
        // Made when the first pair fails. From then on every position is followed once, and no sum counts.
        let mut fates: Option<Vec<Fate>> = None;
        for source in self.sources_to(destination) {
            let pair = Pair { destination, source };
            let Some(start) = self.start(pair) else {
                part.tally.failed.note(pair, Fate::Lost);
                continue;
            };
            let is_first = fates.is_none();
            if is_first && self.count_route(pair, start, part) {
                continue;
            }
            let fates = fates.get_or_insert_with(|| vec![Fate::Unknown; self.positions(part.layout)]);
            let fate = match self.fate(part.layout, &part.row, pair, fates) {
                // It had more hops than there are positions: whatever else is said of it, it did not arrive.
                Fate::Arrives if is_first => Fate::Circles,
                fate => fate,
            };
            part.tally.failed.note(pair, fate);
        }
        if fates.is_none() && entries.is_some_and(|entries| entries != part.used.count_ones(..)) {
            let unused = (0..part.row.len()).find(|&at| part.row[at] != MISSING && !part.used.contains(at));
            let failed = &mut part.tally.failed;
            failed.first_unused = failed.first_unused.or(unused.map(|at| (destination, at)));
        }
    }

    /// Follows the route of a pair, and adds what it uses to the sums. Returns whether it arrives; if it does
    /// not, the sums mean nothing.
    fn count_route(&self, pair: Pair, start: Position, part: &mut Part<'_>) -> bool {
        let Part { layout, dependencies, row, used, slots, tally, .. } = part;
        let walked = &mut tally.walked;
        let end = self.network.endpoints[pair.destination];
        let weight = (self.weight)(pair.source, pair.destination);
        let most_hops = self.positions(layout);
        let (mut position, mut held, mut hops, mut cycles) = (start, None, 0, 0);
        slots.clear();
        loop {
            let (next_held, next) = match self.step(layout, row, end, position) {
                Step::Arrived => break,
                Step::Hop { held, next } if hops <= most_hops => (held, next),
                Step::Lost(_) | Step::Hop { .. } => return false,
            };
            used.insert(layout.entry(position));
            walked.loads[layout.class_of_slot[next_held.slot] as usize] +=
                weight * self.slowness[next_held.slot];
            walked.vc_hops[next_held.vc] += 1;
            cycles += self.cycles[next_held.slot];
            if part.uneven {
                slots.push(next_held.slot);
            }
            if let Some(held) = held {
                dependencies.insert(dependencies.number(held, next_held));
            }
            (position, held) = (next, Some(next_held));
            hops += 1;
        }
        if hops >= walked.route_hops.len() {
            walked.route_hops.resize(hops + 1, 0);
        }
        walked.route_hops[hops] += 1;
        let order = self.symmetry.order() as u64;
        let (total, most) = if part.uneven { self.cycles_of_images(slots) } else { (cycles * order, cycles) };
        walked.cycles_total += total;
        walked.cycles_most = walked.cycles_most.max(most);
        true
    }

    /// How many positions there are.
    fn positions(&self, layout: &Layout) -> usize {
        self.network.routers() * layout.inputs
    }

    fn sources_to(&self, destination: usize) -> impl Iterator<Item = usize> {
        let endpoints = if self.sends[destination] { 0..self.network.endpoints.len() } else { 0..0 };
        endpoints.filter(move |&source| source != destination && self.sends[source])
    }

    /// Where packets of a pair start; `None` if their source discards them.
    fn start(&self, pair: Pair) -> Option<Position> {
        let input = self.table.start(pair.source, pair.destination)?;
        Some(Position { router: self.network.endpoints[pair.source].router, input: input as u32 })
    }

    /// What happens to packets for an endpoint at a position. As a call of its own it would make the walk a
    /// quarter longer, counted in instructions.
    #[inline(always)]
    fn step(&self, layout: &Layout, row: &[u32], end: Endpoint, position: Position) -> Step {
        let home = end.router == position.router;
        if home && end.port.is_none() {
            return Step::Arrived;
        }
        let counts = matches!(layout.lookup, Lookup::Count(_));
        if counts && position.input as usize == layout.vcs {
            return Step::Lost(Loss::NoCount);
        }
        match row[layout.entry(position)] {
            MISSING => Step::Lost(Loss::NoEntry),
            DISCARDED => Step::Lost(Loss::Discarded),
            NO_LANE => Step::Lost(Loss::NoLane),
            output => {
                let (port, named_vc) = unpacked(output);
                if home && end.port.map(usize::from) == Some(port) {
                    return Step::Arrived;
                }
                let slot = position.router as usize * layout.ports + port;
                let (router, in_port) = self.network.next[slot];
                if router == NOWHERE {
                    return Step::Lost(Loss::NoChannel);
                }
                let vc = if counts { position.input as usize } else { named_vc };
                let global = self.network.global.get(slot).is_some_and(|global| *global);
                let input = layout.lookup.next_input(
                    position.input as usize,
                    in_port as usize,
                    vc,
                    layout.vcs,
                    global,
                );
                Step::Hop { held: Held { slot, vc }, next: Position { router, input: input as u32 } }
            }
        }
    }

    /// Where packets of a pair end. Every position is followed once.
    fn fate(&self, layout: &Layout, row: &[u32], pair: Pair, fates: &mut [Fate]) -> Fate {
        let Some(mut position) = self.start(pair) else { return Fate::Lost };
        let end = self.network.endpoints[pair.destination];
        let mut path = Vec::new();
        let fate = loop {
            let place = position.router as usize * layout.inputs + position.input as usize;
            match fates[place] {
                Fate::Unknown => {}
                Fate::Open => break Fate::Circles,
                known => break known,
            }
            fates[place] = Fate::Open;
            path.push(place);
            match self.step(layout, row, end, position) {
                Step::Arrived => break Fate::Arrives,
                Step::Lost(_) => break Fate::Lost,
                Step::Hop { next, .. } => position = next,
            }
        };
        path.iter().for_each(|&place| fates[place] = fate);
        fate
    }

    /// Whether some channel takes longer than its images under the symmetry do.
    fn is_uneven(&self) -> bool {
        let ports = self.network.ports;
        let times = |node: NodeId| &self.cycles[node.index() * ports..][..ports];
        let mut routers = (0..self.network.routers()).map(NodeId::new);
        !self.symmetry.is_trivial()
            && routers
                .any(|node| times(node) != times(self.symmetry.canonical_node(self.symmetry.class(node))))
    }

    /// The cycles of a route and its images together, and those of the slowest.
    fn cycles_of_images(&self, slots: &[usize]) -> (u64, u64) {
        let ports = self.network.ports;
        let cycles_of = |element: usize| -> u64 {
            let image = |slot: usize| {
                self.symmetry.image(element, NodeId::new(slot / ports)).index() * ports + slot % ports
            };
            slots.iter().map(|&slot| self.cycles[image(slot)]).sum()
        };
        (0..self.symmetry.order())
            .map(cycles_of)
            .fold((0, 0), |(total, most), cycles| (total + cycles, most.max(cycles)))
    }

    /// The first fault of a failed walk.
    pub(crate) fn first_fault(&self, failed: &Failed) -> Option<TableFault> {
        let lost = failed.first_lost.map(|pair| (pair.destination, pair.source));
        let circling = failed.first_circling.map(|pair| (pair.destination, pair.source));
        let unused = failed.first_unused.map(|(destination, _)| (destination, usize::MAX));
        let first = [lost, circling, unused].into_iter().flatten().min()?;
        if Some(first) == lost {
            failed.first_lost.map(|pair| self.lost(pair))
        } else if Some(first) == circling {
            failed.first_circling.map(|pair| self.circling(pair))
        } else {
            failed.first_unused.map(|(destination, place)| self.unused(destination, place))
        }
    }

    /// How packets of a pair get lost.
    pub(crate) fn lost(&self, pair: Pair) -> TableFault {
        let (mut positions, mut loss) = (Vec::new(), Loss::Discarded);
        self.follow(pair, |position, step| {
            positions.push(position);
            if let Step::Lost(why) = step {
                loss = *why;
            }
            true
        });
        TableFault::Lost { source: pair.source, destination: pair.destination, positions, loss }
    }

    /// The circle in which packets of a pair go round.
    pub(crate) fn circling(&self, pair: Pair) -> TableFault {
        let (mut seen, mut circle) = (BTreeMap::new(), Vec::new());
        self.follow(pair, |position, step| match (seen.insert(position, circle.len()), step) {
            (None, Step::Hop { held, .. }) => {
                circle.push(*held);
                true
            }
            (first, _) => {
                circle.drain(..first.unwrap_or(0));
                false
            }
        });
        TableFault::Circling { source: pair.source, destination: pair.destination, circle }
    }

    fn unused(&self, destination: usize, place: usize) -> TableFault {
        let (layout, mut row) = (self.layout(), Vec::new());
        self.table.fill(destination, &mut row);
        let (port, vc) = unpacked(row[place]);
        let position =
            Position { router: (place / layout.entries) as u32, input: (place % layout.entries) as u32 };
        TableFault::Unused { destination, position, port, vc }
    }

    /// Visits the positions of a pair in order, until `visit` says no or the packet ends.
    fn follow(&self, pair: Pair, mut visit: impl FnMut(Position, &Step) -> bool) {
        let (layout, mut row) = (self.layout(), Vec::new());
        self.table.fill(pair.destination, &mut row);
        let mut next_position = self.start(pair);
        while let Some(position) = next_position {
            let step = self.step(&layout, &row, self.network.endpoints[pair.destination], position);
            let goes_on = visit(position, &step);
            next_position =
                if let (true, Step::Hop { next, .. }) = (goes_on, step) { Some(next) } else { None };
        }
    }

    /// Visits every dependency of packets that arrive: its number, the pair, and the channel that is held.
    /// Stops when `visit` says no.
    pub(crate) fn each_dependency(
        &self,
        dependencies: &Dependencies,
        mut visit: impl FnMut(u64, Pair, Held) -> bool,
    ) {
        let layout = self.layout();
        let mut row = Vec::new();
        for &destination in &self.destinations {
            self.table.fill(destination, &mut row);
            let mut fates = vec![Fate::Unknown; self.positions(&layout)];
            for source in self.sources_to(destination) {
                let pair = Pair { destination, source };
                if self.fate(&layout, &row, pair, &mut fates) != Fate::Arrives {
                    continue;
                }
                let (mut next_position, mut held) = (self.start(pair), None);
                while let Some(position) = next_position.take() {
                    let step = self.step(&layout, &row, self.network.endpoints[destination], position);
                    let Step::Hop { held: next_held, next } = step else { break };
                    if let Some(held) = held
                        && !visit(dependencies.number(held, next_held), pair, held)
                    {
                        return;
                    }
                    (held, next_position) = (Some(next_held), Some(next));
                }
            }
        }
    }
}

/// How positions and entries are numbered.
struct Layout {
    lookup: Lookup,
    vcs: usize,
    /// Of a router.
    inputs: usize,
    /// Of a router, for one destination.
    entries: usize,
    ports: usize,
    /// `[slot]`: its class under the symmetry.
    class_of_slot: Vec<u32>,
}

impl Layout {
    /// The place of the entry in a row that packets at a position are looked up at.
    #[inline]
    fn entry(&self, position: Position) -> usize {
        position.router as usize * self.entries + self.lookup.entry(position.input as usize)
    }
}

impl Tally {
    fn add(&mut self, other: &Self) {
        let (sum, more) = (&mut self.walked, &other.walked);
        add(&mut sum.loads, &more.loads);
        add(&mut sum.vc_hops, &more.vc_hops);
        add(&mut sum.route_hops, &more.route_hops);
        sum.cycles_total += more.cycles_total;
        sum.cycles_most = sum.cycles_most.max(more.cycles_most);
        let (sum, more) = (&mut self.failed, &other.failed);
        sum.lost += more.lost;
        sum.first_lost = sum.first_lost.or(more.first_lost);
        sum.first_circling = sum.first_circling.or(more.first_circling);
        sum.first_unused = sum.first_unused.or(more.first_unused);
    }
}

impl Failed {
    fn note(&mut self, pair: Pair, fate: Fate) {
        let first = match fate {
            Fate::Lost => &mut self.first_lost,
            Fate::Circles => &mut self.first_circling,
            Fate::Unknown | Fate::Open | Fate::Arrives => return,
        };
        first.get_or_insert(pair);
        self.lost += 1;
    }
}

/// Adds a list to another one, place by place.
pub(crate) fn add(sum: &mut Vec<u64>, more: &[u64]) {
    sum.resize(sum.len().max(more.len()), 0);
    for (sum, more) in sum.iter_mut().zip(more) {
        *sum += more;
    }
}
