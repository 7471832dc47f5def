//! A schedule of rounds as single moves of chunks between chips, each with what it waits for.
//!
//! In: a scene and a schedule, canonical or not. Out: all moves, in an order in which they could happen one
//! after the other. Moves over a channel keep the order of the plan; additions into one place follow each
//! other. Cost: time and memory linear in the moves and in chips times chunks.

use super::errors::ProgramError;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{Order, Pull, Rounds, Scene, Schedule, Transfers};

/// A chunk over a channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    /// Which run of the rounds it belongs to.
    pub(super) run: u32,
    /// The channel, in the direction in which the chunk goes.
    pub(super) channel: ChannelId,
    /// As numbered among all: source times parts, plus part.
    pub(super) chunk: u32,
    /// Whether it is added to what is there.
    pub(super) adds: bool,
    /// The last move that brought the sender some of what it sends; none of what it started with.
    pub(super) from: Option<u32>,
    /// The last addition before this one to the same place.
    pub(super) onto: Option<u32>,
}

/// What a schedule of rounds does, chip by chip.
pub(super) struct Moves<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) schedule: &'a Schedule,
    /// In an order in which they could happen one after the other.
    pub(super) moves: Vec<Move>,
    /// Living chips, by rank.
    pub(super) chips: Vec<NodeId>,
    /// `[router]`: its rank; of one that is no living chip none.
    ranks: Vec<Option<u32>>,
}

/// Nothing yet.
const NONE: u32 = u32::MAX;

impl<'a> Moves<'a> {
    /// Lays out a schedule for a format of which `most` moves are too many.
    ///
    /// # Errors
    /// A schedule without rounds; more moves.
    pub(super) fn new(
        scene: &'a Scene<'a>,
        schedule: &'a Schedule,
        format: &'static str,
        most: u64,
    ) -> Result<Self, ProgramError> {
        let rounds = match &schedule.transfers {
            Transfers::Rounds(rounds) => rounds,
            Transfers::Trees(_) => return Err(ProgramError::unwritten(format, "shared trees")),
            Transfers::Timed(_) => return Err(ProgramError::unwritten(format, "vectors in cycles")),
            Transfers::Sends(_) => {
                return Err(ProgramError::unwritten(format, "messages along forwarding tables"));
            }
        };
        let elements = if rounds.canonical { scene.topology.symmetry().order() as u64 } else { 1 };
        let listed: u64 =
            rounds.rounds.iter().flat_map(|round| &round.pulls).map(|pull| pull.chunks.len() as u64).sum();
        let all = listed.saturating_mul(elements).saturating_mul(rounds.order.len() as u64);
        if all > most.min(u64::from(NONE - 1)) {
            return Err(ProgramError::too_large(
                format,
                &format!("{all} sends and as many receives are more than the {most} that fit into it"),
            ));
        }
        let chips: Vec<NodeId> = scene.endpoints().collect();
        let mut ranks = vec![None; scene.topology.node_count()];
        chips.iter().enumerate().for_each(|(rank, chip)| ranks[chip.index()] = Some(rank as u32));
        let mut laid = Self { scene, schedule, moves: Vec::with_capacity(all as usize), chips, ranks };
        laid.lay(rounds);
        Ok(laid)
    }

    fn lay(&mut self, rounds: &Rounds) {
        // `[cell]`: the last move to it.
        let mut last = vec![NONE; self.cells()];
        for (run, &order) in rounds.order.iter().enumerate() {
            for at in 0..rounds.rounds.len() {
                let at = if order == Order::Forward { at } else { rounds.rounds.len() - 1 - at };
                for (channel, chunk) in self.round(rounds, at, order) {
                    let [from, to] =
                        [self.cell(self.sender(channel), chunk), self.cell(self.receiver(channel), chunk)];
                    let adds = order == Order::Reverse;
                    let some = |number: u32| Some(number).filter(|&number| number != NONE);
                    let onto = some(last[to]).filter(|_| adds);
                    let one = Move { run: run as u32, channel, chunk, adds, from: some(last[from]), onto };
                    last[to] = self.moves.len() as u32;
                    self.moves.push(one);
                }
            }
        }
    }

    /// The moves of a round: first what every channel carries first.
    fn round(&self, rounds: &Rounds, at: usize, order: Order) -> Vec<(ChannelId, u32)> {
        let topology = self.scene.topology;
        let symmetry = topology.symmetry();
        let mut found = Vec::new();
        let mut list = |pull: &Pull, channel: ChannelId, image: &dyn Fn(u32) -> u32| {
            let channel = if order == Order::Forward { Some(channel) } else { topology.reverse(channel) };
            let channel = channel.expect("reductions run on duplex links");
            let place =
                |place: usize| if order == Order::Forward { place } else { pull.chunks.len() - 1 - place };
            found.extend(
                pull.chunks.iter().enumerate().map(|(at, &chunk)| (place(at), channel, image(chunk))),
            );
        };
        for pull in &rounds.rounds[at].pulls {
            if !rounds.canonical {
                list(pull, pull.channel, &|chunk| chunk);
                continue;
            }
            let from = topology.source(pull.channel);
            for g in 0..symmetry.order() {
                let parts = self.schedule.chunks;
                let chunk = |chunk: u32| symmetry.image(g, NodeId(chunk / parts)).0 * parts + chunk % parts;
                // An automorphism keeps ports.
                if let Some(channel) = topology.outgoing(symmetry.image(g, from.node), from.port) {
                    list(pull, channel, &chunk);
                }
            }
        }
        found.sort_unstable();
        found.into_iter().map(|(_, channel, chunk)| (channel, chunk)).collect()
    }

    /// Who sends over a channel.
    pub(super) fn sender(&self, channel: ChannelId) -> NodeId {
        self.scene.topology.source(channel).node
    }
    /// Who receives over it.
    pub(super) fn receiver(&self, channel: ChannelId) -> NodeId {
        self.scene.topology.target(channel).node
    }
    /// The rank of a living chip.
    pub(super) fn rank(&self, chip: NodeId) -> u32 {
        self.ranks[chip.index()].unwrap_or(NONE)
    }
    /// The chip that a chunk starts at or ends at.
    pub(super) fn owner(&self, chunk: u32) -> NodeId {
        NodeId(chunk / self.schedule.chunks)
    }
    /// A chunk, counted among those of living chips (of the root) alone.
    pub(super) fn column(&self, chunk: u32) -> u32 {
        let part = chunk % self.schedule.chunks;
        if self.schedule.root.is_some() {
            part
        } else {
            self.rank(self.owner(chunk)) * self.schedule.chunks + part
        }
    }
    /// How many of these there are.
    pub(super) fn columns(&self) -> usize {
        let sources = if self.schedule.root.is_some() { 1 } else { self.chips.len() };
        sources * self.schedule.chunks as usize
    }
    /// Where what a chip has of a chunk is kept.
    pub(super) fn cell(&self, chip: NodeId, chunk: u32) -> usize {
        self.rank(chip) as usize * self.columns() + self.column(chunk) as usize
    }
    /// How many cells there are.
    pub(super) fn cells(&self) -> usize {
        self.chips.len() * self.columns()
    }
}
