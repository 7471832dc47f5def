//! The transfers of a plan, one by one, as the routers that they stand for see them.

use super::ScheduleError;
use crate::CheckError;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{Rounds, Scene, Schedule};
use fixedbitset::FixedBitSet;

/// One chunk over one channel; routers by class.
#[derive(Clone, Copy)]
pub(super) struct Transfer {
    pub(super) round: u32,
    pub(super) channel: ChannelId,
    /// As numbered in the plan.
    pub(super) chunk: u32,
    /// The class that the channel leads to, and the chunk as a column of its state.
    pub(super) to: (u32, u32),
    /// The class that it comes from, and what the canonical router of that class has where the sender has the
    /// chunk.
    pub(super) from: (u32, u32),
}

/// A plan whose channels and chunks exist and whose rounds are not too wide.
pub(super) struct Plan<'a> {
    pub(super) scene: &'a Scene<'a>,
    /// By round.
    pub(super) transfers: Vec<Transfer>,
    /// `[class]`: its router.
    pub(super) routers: Vec<NodeId>,
    /// Columns of the state of a router: the chunks of all routers, or of the root.
    pub(super) columns: usize,
    pub(super) chunks: u32,
    pub(super) latency: u32,
    /// The first chunk.
    pub(super) base: u32,
}

impl<'a> Plan<'a> {
    pub(super) fn new(
        scene: &'a Scene<'a>,
        schedule: &Schedule,
        rounds: &Rounds,
    ) -> Result<Self, CheckError> {
        let (topology, chunks) = (scene.topology, schedule.chunks);
        let symmetry = topology.symmetry();
        if rounds.canonical && schedule.root.is_some() {
            return Err(ScheduleError::shape("a plan with a root has no symmetry".to_owned()).into());
        }
        let routers: Vec<NodeId> =
            if rounds.canonical { symmetry.canonical_nodes().collect() } else { topology.nodes().collect() };
        let class = |node: NodeId| if rounds.canonical { symmetry.class(node) } else { node.index() };
        let base = schedule.root.map_or(0, |root| root.0 * chunks);
        let columns =
            if schedule.root.is_some() { chunks as usize } else { topology.node_count() * chunks as usize };
        let mut transfers = Vec::new();
        for (at, round) in rounds.rounds.iter().enumerate() {
            let mut used = FixedBitSet::with_capacity(topology.channel_count());
            for pull in &round.pulls {
                let failed = |what| ScheduleError::Channel { round: at, channel: pull.channel.0, what };
                if pull.channel.index() >= topology.channel_count() {
                    return Err(failed("does not exist").into());
                }
                if topology.link(pull.channel).simplex {
                    return Err(failed("runs one way only").into());
                }
                if !scene.is_channel_lit(pull.channel) {
                    return Err(failed("is dark").into());
                }
                let (from, to) = (topology.source(pull.channel).node, topology.target(pull.channel).node);
                if rounds.canonical && symmetry.canonical_node(symmetry.class(to)) != to {
                    return Err(failed("leads to no canonical router").into());
                }
                if used.put(pull.channel.index()) {
                    return Err(failed("is listed twice").into());
                }
                let name = || topology.channel_name(pull.channel);
                let most = u64::from(round.width).saturating_mul(topology.channel_capacity(pull.channel));
                if pull.chunks.len() as u64 > most {
                    let (chunks, width) = (pull.chunks.len(), u32::try_from(most).unwrap_or(u32::MAX));
                    return Err(ScheduleError::Width { round: at, channel: name(), chunks, width }.into());
                }
                let back = if rounds.canonical { symmetry.inverse(symmetry.element_to(from)) } else { 0 };
                for &chunk in &pull.chunks {
                    let source = NodeId(chunk / chunks);
                    let column = chunk.checked_sub(base).filter(|&column| (column as usize) < columns);
                    let Some(column) = column.filter(|_| scene.is_endpoint(source)) else {
                        return Err(ScheduleError::Chunk { round: at, channel: name(), chunk }.into());
                    };
                    let there = if rounds.canonical {
                        symmetry.image(back, source).0 * chunks + chunk % chunks
                    } else {
                        column
                    };
                    transfers.push(Transfer {
                        round: at as u32,
                        channel: pull.channel,
                        chunk,
                        to: (class(to) as u32, column),
                        from: (class(from) as u32, there),
                    });
                }
            }
        }
        Ok(Self { scene, transfers, routers, columns, chunks, latency: rounds.latency, base })
    }

    /// Where the state of a router has a column.
    pub(super) fn cell(&self, (class, column): (u32, u32)) -> usize {
        class as usize * self.columns + column as usize
    }
    /// The router whose chunk a column is.
    pub(super) fn source(&self, column: u32) -> NodeId {
        NodeId((column + self.base) / self.chunks)
    }
    /// Whether a router starts with what a column stands for; as a reduction, ends with the sum.
    pub(super) fn owns(&self, class: u32, column: u32) -> bool {
        self.routers[class as usize] == self.source(column)
    }
    /// Cells of living routers: (class, column), sources alive too.
    pub(super) fn cells(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let classes =
            (0..self.routers.len() as u32).filter(|&class| self.scene.lives(self.routers[class as usize]));
        classes
            .flat_map(|class| (0..self.columns as u32).map(move |column| (class, column)))
            .filter(|&(_, column)| self.scene.is_endpoint(self.source(column)))
    }
    /// The name of a transfer's channel.
    pub(super) fn name(&self, transfer: &Transfer) -> String {
        self.scene.topology.channel_name(transfer.channel)
    }
}
