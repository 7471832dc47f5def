//! What schedules take, by how they move chunks.

use fabc_ir::{CollectiveCost, CollectiveTime, ForwardingTables, Scene, Schedule, Starts, Transfers};
use fabc_passes::collective::{CollectiveError, Pipelined, Sent, Timetable};

/// A schedule that can be timed again and again.
pub(super) enum Times {
    Rounds(Timetable),
    Trees(Pipelined),
    Sends(Sent),
}

impl Times {
    /// Lays out a schedule that was checked, of messages with the tables that they follow.
    pub(super) fn new(
        scene: &Scene<'_>,
        schedule: &Schedule,
        tables: Option<&ForwardingTables>,
    ) -> Result<Self, CollectiveError> {
        Ok(match (&schedule.transfers, tables) {
            (Transfers::Rounds(rounds), _) => Times::Rounds(Timetable::new(scene, schedule, rounds)?),
            (Transfers::Trees(trees), _) => Times::Trees(Pipelined::new(scene.topology, trees)),
            (Transfers::Sends(sends), Some(tables)) => {
                Times::Sends(Sent::new(scene, tables, schedule, sends)?)
            }
            (Transfers::Sends(_) | Transfers::Timed(_), _) => return Err(CollectiveError::Untabled),
        })
    }

    /// Into how many chunks a schedule cuts so many bytes.
    pub(super) fn chunks(
        &self,
        schedule: &Schedule,
        cost: &CollectiveCost,
        bytes: u64,
        asked: Option<u32>,
    ) -> u32 {
        match self {
            Times::Rounds(_) | Times::Sends(_) => schedule.chunks,
            Times::Trees(trees) => trees.pieces(cost, bytes, asked),
        }
    }

    /// How long it takes, attoseconds.
    pub(super) fn total(&self, cost: &CollectiveCost, bytes: u64, chunks: u32) -> u128 {
        match self {
            Times::Rounds(table) => table.whole(cost, bytes),
            Times::Sends(sent) => sent.whole(cost, bytes),
            Times::Trees(trees) => trees.whole(cost, bytes, chunks),
        }
    }

    /// The same by what it is spent on.
    pub(super) fn time(&self, cost: &CollectiveCost, bytes: u64, chunks: u32) -> CollectiveTime {
        match self {
            Times::Rounds(table) => table.time(cost, bytes),
            Times::Sends(sent) => sent.time(cost, bytes),
            Times::Trees(trees) => trees.time(cost, bytes, chunks),
        }
    }

    /// When what is sent leaves; none of it is listed if that is more than `most`, of all chips, nor of trees
    /// with barriers, whose timetable is one of periods.
    pub(super) fn starts(
        &self,
        scene: &Scene<'_>,
        schedule: &Schedule,
        cost: &CollectiveCost,
        (bytes, chunks): (u64, u32),
        most: u64,
    ) -> Starts {
        let topology = scene.topology;
        // Routers without hosts send nothing of their own.
        let whole = match &schedule.transfers {
            Transfers::Sends(sends) if scene.forwarder().is_some() => Some(schedule.legs(sends)),
            _ => None,
        };
        let (listed, parts) = match self {
            Times::Rounds(table) => (table.transfers(), table.parts()),
            Times::Sends(sent) => (sent.messages(whole.is_none()), sent.parts()),
            Times::Trees(trees) => (trees.transfers(chunks), trees.parts(chunks)),
        };
        let canonical = match &schedule.transfers {
            Transfers::Rounds(rounds) => rounds.canonical,
            Transfers::Sends(sends) => sends.canonical,
            Transfers::Trees(_) | Transfers::Timed(_) => false,
        };
        let elements = if canonical { topology.symmetry().order() as u64 } else { 1 };
        let messages = listed.saturating_mul(elements);
        let listed = match self {
            _ if messages > most => Vec::new(),
            Times::Rounds(table) => table.starts(topology, cost, bytes),
            Times::Sends(sent) => sent.starts(cost, bytes, whole.as_deref()),
            Times::Trees(trees) if !cost.barrier => trees.starts(topology, cost, bytes, chunks),
            Times::Trees(_) => Vec::new(),
        };
        Starts { canonical, messages, parts, end: self.total(cost, bytes, chunks), listed }
    }

    /// Rounds one after the other, and chunk times.
    pub(super) fn steps(&self, schedule: &Schedule, chunks: u32) -> (u64, u64) {
        match self {
            Times::Rounds(_) => {
                schedule.rounds().map_or((0, 0), |rounds| (rounds.steps() as u64, rounds.volume()))
            }
            Times::Sends(sent) => (sent.slots(), sent.slots()),
            Times::Trees(trees) => (trees.steps(chunks), trees.volume(chunks)),
        }
    }
}
