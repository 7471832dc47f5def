//! What is planned, where, and beside what.

use super::ground::Ground;
use super::taken::Taken;
use fabc_base::ids::NodeId;
use fabc_ir::{Scene, Timed, TimedMessage};
use fabc_model::{Collective, MessageWays, SlotPace};

/// A collective that is to be planned.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// What is done.
    pub collective: Collective,
    /// How many there are: of an all-to-all for each pair, of a gather or a reduce-scatter for each chip,
    /// otherwise in all.
    pub vectors: u64,
    /// What is sent, of a send.
    pub messages: Option<Messages<'a>>,
    /// Who takes part, if not all chips do.
    pub members: Option<&'a [NodeId]>,
    /// Where a broadcast starts.
    pub root: Option<NodeId>,
    /// Of what is drawn.
    pub seed: u64,
    /// The first cycle in which anything may be sent.
    pub start: u32,
    /// Routers of a group.
    pub block: usize,
}

/// Where vectors are planned.
#[derive(Clone, Copy)]
pub struct Site<'a> {
    /// Spare routers have no lit channel.
    pub scene: &'a Scene<'a>,
    /// How fast vectors are.
    pub pace: SlotPace,
    /// Cycles of a second.
    pub clock_hz: u64,
    /// What else has its cycles on the same channels.
    pub before: &'a [&'a Timed],
}

/// What is sent between chips.
#[derive(Clone, Copy, Debug)]
pub struct Messages<'a> {
    /// In order, their vectors numbered.
    pub all: &'a [TimedMessage],
    /// Which ways they may take.
    pub ways: MessageWays,
}

/// What is planned, and on what.
pub(super) struct Plan<'a> {
    pub(super) site: Site<'a>,
    pub(super) job: Job<'a>,
    pub(super) ground: &'a Ground<'a>,
    pub(super) taken: Taken,
}
