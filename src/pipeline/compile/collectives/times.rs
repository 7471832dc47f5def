//! Times of schedules, by the way they move chunks.

use fabc_ir::{CollectiveCost, CollectiveTime, ForwardingTables, MessageStarts, Scene, Schedule, Transfers};
use fabc_passes::collective::{
    CollectiveError, ForestTimetable, MessageTimetable, PathTimetable, PipelinedTrees, Timetable,
};

/// A schedule that can be timed again and again.
pub(super) enum ScheduleTimes {
    Rounds(Timetable),
    Trees(PipelinedTrees),
    Sends(MessageTimetable),
    Forest(ForestTimetable),
    Paths(PathTimetable),
}

impl ScheduleTimes {
    /// Lays out a checked schedule. Messages need the tables that they follow.
    pub(super) fn new(
        scene: &Scene<'_>,
        schedule: &Schedule,
        tables: Option<&ForwardingTables>,
    ) -> Result<Self, CollectiveError> {
        Ok(match (&schedule.transfers, tables) {
            (Transfers::Rounds(rounds), _) => ScheduleTimes::Rounds(Timetable::new(scene, schedule, rounds)?),
            (Transfers::Trees(trees), _) => ScheduleTimes::Trees(PipelinedTrees::new(scene.topology, trees)),
            (Transfers::Forest(forest), _) => {
                ScheduleTimes::Forest(ForestTimetable::new(scene, schedule, forest))
            }
            (Transfers::Paths(paths), _) => ScheduleTimes::Paths(PathTimetable::new(scene, schedule, paths)),
            (Transfers::Sends(sends), Some(tables)) => {
                ScheduleTimes::Sends(MessageTimetable::new(scene, tables, schedule, sends)?)
            }
            (Transfers::Sends(_) | Transfers::Timed(_), _) => return Err(CollectiveError::Untabled),
        })
    }

    /// The number of chunks into which a schedule cuts `bytes`.
    pub(super) fn chunks(
        &self,
        schedule: &Schedule,
        cost: &CollectiveCost,
        bytes: u64,
        requested: Option<u32>,
    ) -> u32 {
        match self {
            ScheduleTimes::Rounds(_) | ScheduleTimes::Sends(_) => schedule.chunks,
            ScheduleTimes::Trees(trees) => trees.pieces(cost, bytes, requested),
            ScheduleTimes::Forest(forest) => forest.pieces(cost, bytes, requested),
            ScheduleTimes::Paths(paths) => paths.pieces(cost, bytes, requested),
        }
    }

    /// The time of the schedule, in attoseconds.
    pub(super) fn total(&self, cost: &CollectiveCost, bytes: u64, chunks: u32) -> u128 {
        match self {
            ScheduleTimes::Rounds(table) => table.total_time(cost, bytes),
            ScheduleTimes::Sends(sent) => sent.total_time(cost, bytes),
            ScheduleTimes::Trees(trees) => trees.total_time(cost, bytes, chunks),
            ScheduleTimes::Forest(forest) => forest.total_time(cost, bytes, chunks),
            ScheduleTimes::Paths(paths) => paths.total_time(cost, bytes, chunks),
        }
    }

    /// The time of the schedule, by the causes of it.
    pub(super) fn time(&self, cost: &CollectiveCost, bytes: u64, chunks: u32) -> CollectiveTime {
        match self {
            ScheduleTimes::Rounds(table) => table.time(cost, bytes),
            ScheduleTimes::Sends(sent) => sent.time(cost, bytes),
            ScheduleTimes::Trees(trees) => trees.time(cost, bytes, chunks),
            ScheduleTimes::Forest(forest) => forest.time(cost, bytes, chunks),
            ScheduleTimes::Paths(paths) => paths.time(cost, bytes, chunks),
        }
    }

    /// The start times of the messages. They are not listed where those of all chips together are more than
    /// `most`. Nor are they listed for trees, forests and paths with barriers, whose timetables
    /// consist of periods.
    pub(super) fn starts(
        &self,
        scene: &Scene<'_>,
        schedule: &Schedule,
        cost: &CollectiveCost,
        bytes: u64,
        chunks: u32,
        most: u64,
    ) -> MessageStarts {
        let topology = scene.topology;
        // Routers without hosts send nothing of their own.
        let legs = match &schedule.transfers {
            Transfers::Sends(sends) if scene.first_forwarder().is_some() => {
                Some(schedule.message_lists(sends))
            }
            _ => None,
        };
        let (count, parts) = match self {
            ScheduleTimes::Rounds(table) => (table.transfers(), table.vector_parts()),
            ScheduleTimes::Sends(sent) => (sent.messages(legs.is_none()), sent.parts()),
            ScheduleTimes::Trees(trees) => (trees.transfers(chunks), trees.parts(chunks)),
            ScheduleTimes::Forest(forest) => (forest.transfers(chunks), forest.vector_pieces(chunks)),
            ScheduleTimes::Paths(paths) => (paths.transfers(chunks), paths.vector_pieces(chunks)),
        };
        let canonical = match &schedule.transfers {
            Transfers::Rounds(rounds) => rounds.canonical,
            Transfers::Sends(sends) => sends.canonical,
            Transfers::Trees(_) | Transfers::Timed(_) | Transfers::Forest(_) | Transfers::Paths(_) => false,
        };
        let elements = if canonical { topology.symmetry().order() as u64 } else { 1 };
        let messages = count.saturating_mul(elements);
        let listed = match self {
            _ if messages > most => Vec::new(),
            ScheduleTimes::Rounds(table) => table.starts(topology, cost, bytes),
            ScheduleTimes::Sends(sent) => sent.starts(cost, bytes, legs.as_deref()),
            ScheduleTimes::Trees(trees) if !cost.barrier => trees.starts(topology, cost, bytes, chunks),
            ScheduleTimes::Forest(forest) if !cost.barrier => forest.starts(cost, bytes, chunks),
            ScheduleTimes::Paths(paths) if !cost.barrier => paths.starts(cost, bytes, chunks),
            ScheduleTimes::Trees(_) | ScheduleTimes::Forest(_) | ScheduleTimes::Paths(_) => Vec::new(),
        };
        let pieces = match self {
            ScheduleTimes::Rounds(_) | ScheduleTimes::Sends(_) => 1,
            ScheduleTimes::Trees(_) | ScheduleTimes::Forest(_) | ScheduleTimes::Paths(_) => chunks,
        };
        MessageStarts { canonical, messages, parts, pieces, end: self.total(cost, bytes, chunks), listed }
    }

    /// The number of rounds one after the other.
    pub(super) fn steps(&self, schedule: &Schedule, chunks: u32) -> u64 {
        match self {
            ScheduleTimes::Rounds(_) => schedule.rounds().map_or(0, |rounds| rounds.steps() as u64),
            ScheduleTimes::Sends(sent) => sent.slots(),
            ScheduleTimes::Trees(trees) => trees.steps(chunks),
            ScheduleTimes::Forest(forest) => forest.steps(chunks),
            ScheduleTimes::Paths(paths) => paths.steps(chunks),
        }
    }
}
