//! Walks tables hop by hop, as routers do. The same walk serves the compiler's tables and third-party tables.
//!
//! The walk follows every ordered pair of endpoints and counts loads, hops and cycles. It also notes every
//! dependency: the channel that a packet holds, and the one it asks for. The next position of a packet
//! depends on its position and on nothing else. So a route with more hops than there are positions never
//! ends.

use crate::conviction::{Loss, Position, TableFault};
use crate::dependencies::{Dependencies, HeldChannel};
use crate::network::{Endpoint, NOWHERE, PortGraph};
use crate::table::{DISCARDED, Lookup, LookupTable, MISSING, NO_LANE, unpacked};
use crate::tally::{EndpointPair, FailedWalk, PacketFate, WalkTally, Walked};
use fabc_topology::Symmetry;
use fabc_topology::ids::{Id, NodeId};
use fixedbitset::FixedBitSet;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Number of parts that the destinations are cut into. The cut does not depend on the number of threads.
const PARTS: usize = 32;

/// What is walked, and how much each pair and each hop counts.
pub(crate) struct Walker<'a, T: ?Sized, W> {
    pub network: &'a PortGraph,
    pub table: &'a T,
    /// The symmetry that carries tables and network onto themselves. The caller has checked it.
    pub symmetry: &'a Symmetry,
    /// The destinations that stand for all others, ascending.
    pub destinations: Vec<usize>,
    /// `[endpoint]`: whether it sends and receives.
    pub sends: Vec<bool>,
    /// The weight of an ordered pair (source, destination) in the loads.
    pub weight: W,
    /// `[slot]`: load that a route of weight 1 puts on the channel, in parts of a unit.
    pub slowness: Vec<u64>,
    /// `[slot]`: cycles of a flit over the channel and through the router before it.
    pub cycles: Vec<u64>,
}

/// What a router does with a packet.
enum WalkStep {
    Arrived,
    Lost(Loss),
    Hop { held: HeldChannel, next: Position },
}

/// The state of the walk to the destinations of one part.
struct WalkPart<'a> {
    layout: &'a RowLayout,
    dependencies: &'a Dependencies,
    /// Whether some channel takes longer than its images under the symmetry do.
    uneven: bool,
    /// The tables of all routers for one destination.
    row: Vec<u32>,
    /// `[place in the row]`: whether some route to that destination uses the entry.
    used: FixedBitSet,
    /// The channels of one route. Empty unless `uneven`.
    slots: Vec<usize>,
    tally: WalkTally,
}

impl<T: LookupTable + ?Sized, W: Fn(usize, usize) -> u64 + Sync> Walker<'_, T, W> {
    /// Walks from every source to every destination, and notes all dependencies.
    ///
    /// # Errors
    /// A [`FailedWalk`] if packets of some pair do not arrive, or if an entry that must be used is not.
    pub(crate) fn walk(&self, dependencies: &Dependencies) -> Result<Walked, FailedWalk> {
        let layout = self.layout();
        let uneven = self.is_uneven();
        let walk_part = |destinations: &[usize]| {
            let mut part = WalkPart {
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
        let tallies: Vec<WalkTally> = parts.map(walk_part).collect();
        let mut sum = self.empty_tally();
        for tally in tallies {
            sum.add(&tally);
        }
        let WalkTally { walked, failed } = sum;
        if failed.lost > 0 || failed.first_unused.is_some() { Err(failed) } else { Ok(walked) }
    }

    fn empty_tally(&self) -> WalkTally {
        let classes = self.symmetry.class_count() * self.network.ports;
        let walked = Walked {
            loads: vec![0; classes],
            vc_hops: vec![0; self.table.vcs()],
            route_hops: vec![0],
            cycles_total: 0,
            cycles_most: 0,
        };
        WalkTally { walked, failed: FailedWalk::default() }
    }

    fn layout(&self) -> RowLayout {
        let (lookup, vcs) = (self.table.lookup(), self.table.vcs());
        RowLayout {
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
    fn walk_to(&self, destination: usize, part: &mut WalkPart<'_>) {
        let entries = self.table.fill(destination, &mut part.row);
        part.used.clear();
        // It is made when the first pair fails. From then on every position is followed once, and the sums no
        // longer count.
        let mut fates: Option<Vec<PacketFate>> = None;
        for source in self.sources_to(destination) {
            let pair = EndpointPair { destination, source };
            let Some(start) = self.start_position(pair) else {
                part.tally.failed.note(pair, PacketFate::Lost);
                continue;
            };
            let is_first = fates.is_none();
            if is_first && self.count_route(pair, start, part) {
                continue;
            }
            let fates = fates.get_or_insert_with(|| vec![PacketFate::Unknown; self.positions(part.layout)]);
            let fate = match self.fate(part.layout, &part.row, pair, fates) {
                // The packet made more hops than there are positions. So it did not arrive, whatever this
                // search says.
                PacketFate::Arrives if is_first => PacketFate::Loops,
                fate => fate,
            };
            part.tally.failed.note(pair, fate);
        }
        if fates.is_none() && entries.is_some_and(|entries| entries != part.used.count_ones(..)) {
            let unused =
                (0..part.row.len()).find(|&place| part.row[place] != MISSING && !part.used.contains(place));
            let failed = &mut part.tally.failed;
            failed.first_unused = failed.first_unused.or(unused.map(|at| (destination, at)));
        }
    }

    /// Follows the route of a pair, and adds what it uses to the sums. Returns whether the packets arrive. If
    /// they do not, the sums mean nothing.
    fn count_route(&self, pair: EndpointPair, start: Position, part: &mut WalkPart<'_>) -> bool {
        let WalkPart { layout, dependencies, row, used, slots, tally, .. } = part;
        let walked = &mut tally.walked;
        let end = self.network.endpoints[pair.destination];
        let weight = (self.weight)(pair.source, pair.destination);
        let most_hops = self.positions(layout);
        let (mut position, mut held, mut hops, mut cycles) = (start, None, 0, 0);
        slots.clear();
        loop {
            let (next_held, next) = match self.step(layout, row, end, position) {
                WalkStep::Arrived => break,
                WalkStep::Hop { held, next } if hops <= most_hops => (held, next),
                WalkStep::Lost(_) | WalkStep::Hop { .. } => return false,
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
                dependencies.insert(dependencies.bit_of(held, next_held));
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

    /// The number of positions: a router and an input of it.
    fn positions(&self, layout: &RowLayout) -> usize {
        self.network.routers() * layout.inputs
    }

    fn sources_to(&self, destination: usize) -> impl Iterator<Item = usize> {
        let endpoints = if self.sends[destination] { 0..self.network.endpoints.len() } else { 0..0 };
        endpoints.filter(move |&source| source != destination && self.sends[source])
    }

    /// Where packets of a pair start. `None` if their source discards them.
    fn start_position(&self, pair: EndpointPair) -> Option<Position> {
        let input = self.table.start(pair.source, pair.destination)?;
        Some(Position { router: self.network.endpoints[pair.source].router, input: input as u32 })
    }

    /// What a router does with packets for an endpoint at a position. It is inlined because a call would make
    /// the walk a quarter longer, counted in instructions.
    #[inline(always)]
    fn step(&self, layout: &RowLayout, row: &[u32], end: Endpoint, position: Position) -> WalkStep {
        let home = end.router == position.router;
        if home && end.port.is_none() {
            return WalkStep::Arrived;
        }
        let counts = matches!(layout.lookup, Lookup::Count(_));
        if counts && position.input as usize == layout.vcs {
            return WalkStep::Lost(Loss::NoCount);
        }
        match row[layout.entry(position)] {
            MISSING => WalkStep::Lost(Loss::NoEntry),
            DISCARDED => WalkStep::Lost(Loss::Discarded),
            NO_LANE => WalkStep::Lost(Loss::NoLane),
            output => {
                let (port, named_vc) = unpacked(output);
                if home && end.port.map(usize::from) == Some(port) {
                    return WalkStep::Arrived;
                }
                let slot = position.router as usize * layout.ports + port;
                let (router, in_port) = self.network.next[slot];
                if router == NOWHERE {
                    return WalkStep::Lost(Loss::NoChannel);
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
                WalkStep::Hop {
                    held: HeldChannel { slot, vc },
                    next: Position { router, input: input as u32 },
                }
            }
        }
    }

    /// What becomes of the packets of a pair. It follows every position once.
    fn fate(
        &self,
        layout: &RowLayout,
        row: &[u32],
        pair: EndpointPair,
        fates: &mut [PacketFate],
    ) -> PacketFate {
        let Some(mut position) = self.start_position(pair) else { return PacketFate::Lost };
        let end = self.network.endpoints[pair.destination];
        let mut path = Vec::new();
        let fate = loop {
            let place = position.router as usize * layout.inputs + position.input as usize;
            match fates[place] {
                PacketFate::Unknown => {}
                PacketFate::Open => break PacketFate::Loops,
                known => break known,
            }
            fates[place] = PacketFate::Open;
            path.push(place);
            match self.step(layout, row, end, position) {
                WalkStep::Arrived => break PacketFate::Arrives,
                WalkStep::Lost(_) => break PacketFate::Lost,
                WalkStep::Hop { next, .. } => position = next,
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

    /// The cycles of a route and its images: the sum, and the cycles of the slowest.
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
    pub(crate) fn first_fault(&self, failed: &FailedWalk) -> Option<TableFault> {
        let lost = failed.first_lost.map(|pair| (pair.destination, pair.source));
        let looping = failed.first_looping.map(|pair| (pair.destination, pair.source));
        let unused = failed.first_unused.map(|(destination, _)| (destination, usize::MAX));
        let first = [lost, looping, unused].into_iter().flatten().min()?;
        if Some(first) == lost {
            failed.first_lost.map(|pair| self.lost_fault(pair))
        } else if Some(first) == looping {
            failed.first_looping.map(|pair| self.looping_fault(pair))
        } else {
            failed.first_unused.map(|(destination, place)| self.unused_fault(destination, place))
        }
    }

    /// The positions of a lost pair, and why its packets get lost at the last one.
    pub(crate) fn lost_fault(&self, pair: EndpointPair) -> TableFault {
        let (mut positions, mut loss) = (Vec::new(), Loss::Discarded);
        self.visit_positions(pair, |position, step| {
            positions.push(position);
            if let WalkStep::Lost(why) = step {
                loss = *why;
            }
            true
        });
        TableFault::Lost { source: pair.source, destination: pair.destination, positions, loss }
    }

    /// The cycle in which packets of a pair go round.
    pub(crate) fn looping_fault(&self, pair: EndpointPair) -> TableFault {
        let (mut seen, mut cycle) = (BTreeMap::new(), Vec::new());
        self.visit_positions(pair, |position, step| match (seen.insert(position, cycle.len()), step) {
            (None, WalkStep::Hop { held, .. }) => {
                cycle.push(*held);
                true
            }
            (first, _) => {
                cycle.drain(..first.unwrap_or(0));
                false
            }
        });
        TableFault::Looping { source: pair.source, destination: pair.destination, cycle }
    }

    fn unused_fault(&self, destination: usize, place: usize) -> TableFault {
        let (layout, mut row) = (self.layout(), Vec::new());
        self.table.fill(destination, &mut row);
        let (port, vc) = unpacked(row[place]);
        let position =
            Position { router: (place / layout.entries) as u32, input: (place % layout.entries) as u32 };
        TableFault::Unused { destination, position, port, vc }
    }

    /// Visits the positions of a pair in order, until `visit` returns false or the packet's path ends.
    fn visit_positions(&self, pair: EndpointPair, mut visit: impl FnMut(Position, &WalkStep) -> bool) {
        let (layout, mut row) = (self.layout(), Vec::new());
        self.table.fill(pair.destination, &mut row);
        let mut next_position = self.start_position(pair);
        while let Some(position) = next_position {
            let step = self.step(&layout, &row, self.network.endpoints[pair.destination], position);
            let goes_on = visit(position, &step);
            next_position =
                if let (true, WalkStep::Hop { next, .. }) = (goes_on, step) { Some(next) } else { None };
        }
    }

    /// Visits every dependency of packets that arrive: its number, the pair, and the held channel. Stops when
    /// `visit` returns false.
    pub(crate) fn visit_dependencies(
        &self,
        dependencies: &Dependencies,
        mut visit: impl FnMut(u64, EndpointPair, HeldChannel) -> bool,
    ) {
        let layout = self.layout();
        let mut row = Vec::new();
        for &destination in &self.destinations {
            self.table.fill(destination, &mut row);
            let mut fates = vec![PacketFate::Unknown; self.positions(&layout)];
            for source in self.sources_to(destination) {
                let pair = EndpointPair { destination, source };
                if self.fate(&layout, &row, pair, &mut fates) != PacketFate::Arrives {
                    continue;
                }
                let (mut next_position, mut held) = (self.start_position(pair), None);
                while let Some(position) = next_position.take() {
                    let step = self.step(&layout, &row, self.network.endpoints[destination], position);
                    let WalkStep::Hop { held: next_held, next } = step else { break };
                    if let Some(held) = held
                        && !visit(dependencies.bit_of(held, next_held), pair, held)
                    {
                        return;
                    }
                    (held, next_position) = (Some(next_held), Some(next));
                }
            }
        }
    }
}

/// The numbering of positions and entries.
struct RowLayout {
    lookup: Lookup,
    vcs: usize,
    /// The number of inputs of a router.
    inputs: usize,
    /// Entries of a router for one destination.
    entries: usize,
    ports: usize,
    /// `[slot]`: its class under the symmetry.
    class_of_slot: Vec<u32>,
}

impl RowLayout {
    /// The index in a row of the entry that serves packets at a position.
    #[inline]
    fn entry(&self, position: Position) -> usize {
        position.router as usize * self.entries + self.lookup.entry(position.input as usize)
    }
}
