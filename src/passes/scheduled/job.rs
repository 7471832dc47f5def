//! The inputs of the planner: a job, where it is planned, and earlier schedules.

use super::busy::BusyCycles;
use super::graph::LaneGraph;
use fabc_base::ids::NodeId;
use fabc_ir::{Scene, Timed, TimedMessage};
use fabc_model::{Collective, MessageWays, SlotPace};

/// A collective to plan, with its options.
#[derive(Clone, Copy, Debug)]
pub struct VectorJob<'a> {
    /// The collective that the job performs.
    pub collective: Collective,
    /// Number of vectors: of each pair in an all-to-all, of each chip in a gather or a reduce-scatter,
    /// otherwise in all.
    pub vectors: u64,
    /// The messages of a send.
    pub messages: Option<MessageSet<'a>>,
    /// The chips that take part, or `None` for all.
    pub members: Option<&'a [NodeId]>,
    /// The root of a broadcast.
    pub root: Option<NodeId>,
    /// Seed of all random draws.
    pub seed: u64,
    /// The first cycle in which anything may be sent.
    pub start: u32,
    /// Number of routers in a group.
    pub block: usize,
}

/// Where and how fast vectors are sent.
#[derive(Clone, Copy)]
pub struct PlanningSite<'a> {
    /// The scene. Spare routers have no lit channel.
    pub scene: &'a Scene<'a>,
    /// Slot and hop of a vector, in cycles.
    pub pace: SlotPace,
    /// Clock of the network, in cycles per second.
    pub clock_hz: u64,
    /// Earlier schedules that use the same channels.
    pub earlier: &'a [&'a Timed],
}

/// The messages that a send delivers.
#[derive(Clone, Copy, Debug)]
pub struct MessageSet<'a> {
    /// The messages in order. Their vectors are numbered in this order.
    pub list: &'a [TimedMessage],
    /// Which paths they may take.
    pub paths: MessageWays,
}

/// A job on a site, with the graph and the cycles that earlier schedules use.
pub(super) struct VectorPlanner<'a> {
    pub(super) site: PlanningSite<'a>,
    pub(super) job: VectorJob<'a>,
    pub(super) graph: &'a LaneGraph<'a>,
    pub(super) busy: BusyCycles,
}
