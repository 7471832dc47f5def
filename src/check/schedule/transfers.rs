//! The single transfers of a schedule in rounds, seen from the canonical routers.

use super::ScheduleError;
use crate::CheckError;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{Rounds, Scene, Schedule};
use fixedbitset::FixedBitSet;

/// A column of the state of a router. The router is given by its class.
#[derive(Clone, Copy)]
pub(super) struct StateCell {
    pub(super) class: u32,
    pub(super) column: u32,
}

/// One chunk over one channel. Routers are given by class.
#[derive(Clone, Copy)]
pub(super) struct Transfer {
    pub(super) round: u32,
    pub(super) channel: ChannelId,
    /// The chunk, as numbered in the schedule.
    pub(super) chunk: u32,
    /// The class that the channel leads to, and the column of the chunk in its state.
    pub(super) to: StateCell,
    /// The class that the channel comes from, and the column that the chunk has in the state of its
    /// canonical router.
    pub(super) from: StateCell,
}

/// The transfers of a schedule whose channels and chunks exist and whose rounds are not too wide.
pub(super) struct RoundTransfers<'a> {
    pub(super) scene: &'a Scene<'a>,
    /// The transfers, sorted by round.
    pub(super) transfers: Vec<Transfer>,
    /// `[class]`: the canonical router of the class.
    pub(super) routers: Vec<NodeId>,
    /// Columns of the state of a router: the chunks of all routers, or of the root.
    pub(super) columns: usize,
    pub(super) chunks: u32,
    pub(super) latency: u32,
    /// Number of the first chunk.
    pub(super) base: u32,
}

impl<'a> RoundTransfers<'a> {
    pub(super) fn new(
        scene: &'a Scene<'a>,
        schedule: &Schedule,
        rounds: &Rounds,
    ) -> Result<Self, CheckError> {
        let (topology, chunks) = (scene.topology, schedule.chunks);
        let symmetry = topology.symmetry();
        if rounds.canonical && schedule.root.is_some() {
            return Err(ScheduleError::shape("a schedule with a root must list every chip".to_owned()).into());
        }
        let routers: Vec<NodeId> =
            if rounds.canonical { symmetry.canonical_nodes().collect() } else { topology.nodes().collect() };
        let class = |node: NodeId| if rounds.canonical { symmetry.class(node) } else { node.index() };
        let base = schedule.root.map_or(0, |root| root.0 * chunks);
        let columns =
            if schedule.root.is_some() { chunks as usize } else { topology.node_count() * chunks as usize };
        let mut transfers = Vec::new();
        for (number, round) in rounds.rounds.iter().enumerate() {
            let mut used = FixedBitSet::with_capacity(topology.channel_count());
            for pull in &round.pulls {
                let channel_error =
                    |violation| ScheduleError::Channel { round: number, channel: pull.channel.0, violation };
                if pull.channel.index() >= topology.channel_count() {
                    return Err(channel_error("does not exist").into());
                }
                if topology.link(pull.channel).simplex {
                    return Err(channel_error("runs one way only").into());
                }
                if !scene.is_channel_lit(pull.channel) {
                    return Err(channel_error("is dark").into());
                }
                let (from, to) = (topology.source(pull.channel).node, topology.target(pull.channel).node);
                if rounds.canonical && symmetry.canonical_node(symmetry.class(to)) != to {
                    return Err(channel_error("leads to no canonical router").into());
                }
                if used.put(pull.channel.index()) {
                    return Err(channel_error("is listed twice").into());
                }
                let name = || topology.channel_name(pull.channel);
                let max_chunks =
                    u64::from(round.width).saturating_mul(topology.channel_capacity(pull.channel));
                if pull.chunks.len() as u64 > max_chunks {
                    let (chunks, width) = (pull.chunks.len(), u32::try_from(max_chunks).unwrap_or(u32::MAX));
                    return Err(ScheduleError::Width { round: number, channel: name(), chunks, width }.into());
                }
                let element = if rounds.canonical { symmetry.inverse(symmetry.element_to(from)) } else { 0 };
                for &chunk in &pull.chunks {
                    let source = NodeId(chunk / chunks);
                    let column = chunk.checked_sub(base).filter(|&column| (column as usize) < columns);
                    let Some(column) = column.filter(|_| scene.is_endpoint(source)) else {
                        return Err(ScheduleError::Chunk { round: number, channel: name(), chunk }.into());
                    };
                    let canonical_column = if rounds.canonical {
                        symmetry.image(element, source).0 * chunks + chunk % chunks
                    } else {
                        column
                    };
                    transfers.push(Transfer {
                        round: number as u32,
                        channel: pull.channel,
                        chunk,
                        to: StateCell { class: class(to) as u32, column },
                        from: StateCell { class: class(from) as u32, column: canonical_column },
                    });
                }
            }
        }
        Ok(Self { scene, transfers, routers, columns, chunks, latency: rounds.latency, base })
    }

    /// The index of a (class, column) in the state of all routers.
    pub(super) fn cell(&self, cell: StateCell) -> usize {
        cell.class as usize * self.columns + cell.column as usize
    }
    /// The router that a column's chunk comes from.
    pub(super) fn source(&self, column: u32) -> NodeId {
        NodeId((column + self.base) / self.chunks)
    }
    /// Whether a router starts with the chunk of a column. In a reduction, whether it ends with the sum.
    pub(super) fn owns(&self, cell: StateCell) -> bool {
        self.routers[cell.class as usize] == self.source(cell.column)
    }
    /// All (class, column) of living routers whose source lives too.
    pub(super) fn cells(&self) -> impl Iterator<Item = StateCell> + '_ {
        let classes =
            (0..self.routers.len() as u32).filter(|&class| self.scene.lives(self.routers[class as usize]));
        classes
            .flat_map(|class| (0..self.columns as u32).map(move |column| StateCell { class, column }))
            .filter(|cell| self.scene.is_endpoint(self.source(cell.column)))
    }
    /// The name of the channel of a transfer.
    pub(super) fn name(&self, transfer: &Transfer) -> String {
        self.scene.topology.channel_name(transfer.channel)
    }
}
