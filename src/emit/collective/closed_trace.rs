//! Writes a schedule as a trace in which every message waits for those whose data it needs.
//!
//! Input: a scene, a schedule, and its costs. Output: lines `cycle,src,dst,flits,after`, in an order in which
//! they can happen. A send waits for the message that brought its data, and for all messages that were added
//! to it. Messages of a timetable start at their times instead: that is a `trace`. A pipelined schedule is
//! repeated for every piece. With a barrier, every round waits for the one before it. A flit is what a
//! channel carries in a cycle, so that cycles over the clock rate are times. The cost is linear in messages
//! and dependencies.

use super::errors::ProgramError;
use super::moves::{ChunkMove, ChunkMoves};
use super::trace::{TRACE_MESSAGES, TraceFile, TraceSettings, router_names};
use fabc_base::ids::NodeId;
use fabc_base::limits::SIMULATED_CYCLES;
use fabc_ir::{ATTOSECONDS, RoutedMessage, Scene, Schedule, Sends, Transfers};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The name of the format.
const FORMAT: &str = "closed_trace";

/// The most messages that one line may name, over all lines. A name takes some bytes of the file.
const DEPENDENCIES: usize = 1 << 25;

/// One line: a message, or a wait without flits.
struct ClosedMessage {
    from: NodeId,
    to: NodeId,
    flits: u64,
    /// Indexes of the lines that must have arrived before.
    after: Vec<u32>,
}

/// The trace of a schedule, closed over its dependencies.
///
/// # Errors
/// [`ProgramError::TooLarge`] if there are more than [`TRACE_MESSAGES`] messages, or longer ones than are
/// simulated. [`ProgramError::Unwritten`] for schedules of vectors, and for forests in groups.
pub fn collective_closed_trace(
    scene: &Scene<'_>,
    schedule: &Schedule,
    settings: &TraceSettings<'_>,
) -> Result<TraceFile, ProgramError> {
    let lines = match &schedule.transfers {
        Transfers::Sends(sends) => routed_lines(scene, schedule, sends, settings)?,
        _ => moved_lines(scene, schedule, settings)?,
    };
    let dependencies: usize = lines.iter().map(|line| line.after.len()).sum();
    if dependencies > DEPENDENCIES {
        let reason =
            format!("its messages wait for {dependencies} others in all, and {DEPENDENCIES} are written");
        return Err(ProgramError::too_large(FORMAT, &reason));
    }
    let overhead = (settings.cost.overhead * u128::from(settings.clock_hz)).div_ceil(ATTOSECONDS);
    let names = router_names(scene);
    let mut text = head(schedule, settings, lines.iter().filter(|line| line.flits > 0).count());
    for ClosedMessage { from, to, flits, after } in &lines {
        let [from, to] = [from, to].map(|node| &names[node.0 as usize]);
        let delay = if *flits > 0 { overhead } else { 0 };
        let _ = write!(text, "{delay},{from},{to},{flits},");
        for (position, before) in after.iter().enumerate() {
            let space = if position == 0 { "" } else { " " };
            let _ = write!(text, "{space}{}", before + 1);
        }
        text.push('\n');
    }
    Ok(TraceFile { text, notes: Vec::new() })
}

/// The comment and the names of the columns.
fn head(schedule: &Schedule, settings: &TraceSettings<'_>, messages: usize) -> String {
    let (collective, algorithm) = (schedule.collective.name(), schedule.algorithm.name());
    let TraceSettings { fabric, scenario, bytes, .. } = settings;
    format!(
        "# {collective} by {algorithm} on {fabric}, {scenario}: {bytes} bytes a chip, {messages} messages, {} cycles by its plan\ncycle,src,dst,flits,after\n",
        planned_cycles(settings)
    )
}

/// The cycles that the plan of a schedule takes, rounded up.
fn planned_cycles(settings: &TraceSettings<'_>) -> u128 {
    (settings.starts.end * u128::from(settings.clock_hz)).div_ceil(ATTOSECONDS)
}

/// Flits of so many equal parts of the vector of a chip. A flit is what the fastest channel carries in a
/// cycle. The last one is filled up.
fn flits(settings: &TraceSettings<'_>, parts: u64) -> Result<u64, ProgramError> {
    let TraceSettings { cost, bytes, clock_hz, starts, .. } = settings;
    let bits = u128::from(*bytes) * 8 * u128::from(parts) * u128::from(*clock_hz);
    let carried = u128::from(cost.bandwidth_bps) * u128::from(cost.lanes) * u128::from(starts.parts.max(1));
    let flits = bits.div_ceil(carried.max(1)).max(1);
    if flits >= u128::from(SIMULATED_CYCLES) {
        let reason = format!("a message has {flits} flits, and {SIMULATED_CYCLES} cycles are the most");
        return Err(ProgramError::too_large(FORMAT, &reason));
    }
    Ok(flits as u64)
}

fn check_count(messages: u64) -> Result<(), ProgramError> {
    if messages <= TRACE_MESSAGES {
        return Ok(());
    }
    let reason = format!("it would have {messages} messages, at most {TRACE_MESSAGES} are written");
    Err(ProgramError::too_large(FORMAT, &reason))
}

/// The lines of a schedule whose moves are known one by one.
fn moved_lines(
    scene: &Scene<'_>,
    schedule: &Schedule,
    settings: &TraceSettings<'_>,
) -> Result<Vec<ClosedMessage>, ProgramError> {
    let chips: Vec<NodeId> = scene.endpoints().collect();
    let moves = ChunkMoves::new(scene, schedule, chips, FORMAT, TRACE_MESSAGES)?.moves;
    let pieces = settings.starts.pieces.max(1);
    check_count(moves.len() as u64 * u64::from(pieces))?;
    let mut lines: Vec<ClosedMessage> = Vec::with_capacity(moves.len() * pieces as usize);
    for _ in 0..pieces {
        let first = lines.len() as u32;
        let mut barrier = Barrier::default();
        for chunk_move in &moves {
            let mut after: Vec<u32> = if settings.cost.barrier {
                barrier.enter(chunk_move.round, chunk_move.from, &mut lines);
                barrier.sent.push(lines.len() as u32);
                barrier.wait.into_iter().collect()
            } else {
                needed(&moves, chunk_move).map(|before| first + before).collect()
            };
            after.sort_unstable();
            let flits = flits(settings, chunk_move.count.into())?;
            lines.push(ClosedMessage { from: chunk_move.from, to: chunk_move.to, flits, after });
        }
    }
    Ok(lines)
}

/// The moves that a move waits for: the one that brought its data last, and where that was an addition, all
/// additions before it.
fn needed<'a>(moves: &'a [ChunkMove], chunk_move: &ChunkMove) -> impl Iterator<Item = u32> + 'a {
    std::iter::successors(chunk_move.source_move, |&before| moves[before as usize].previous_addition)
}

/// The wait between two rounds.
#[derive(Default)]
struct Barrier {
    round: Option<u32>,
    /// The lines of the round.
    sent: Vec<u32>,
    /// The line that waits for the round before.
    wait: Option<u32>,
}

impl Barrier {
    /// Adds the wait for the round that has ended, if a move belongs to another one.
    fn enter(&mut self, round: u32, chip: NodeId, lines: &mut Vec<ClosedMessage>) {
        if self.round.is_some_and(|current| current != round) {
            self.wait = Some(lines.len() as u32);
            let after = std::mem::take(&mut self.sent);
            lines.push(ClosedMessage { from: chip, to: chip, flits: 0, after });
        }
        self.round = Some(round);
    }
}

/// The lines of messages along the tables. Those of a later list wait for all that came to their source.
fn routed_lines(
    scene: &Scene<'_>,
    schedule: &Schedule,
    sends: &Sends,
    settings: &TraceSettings<'_>,
) -> Result<Vec<ClosedMessage>, ProgramError> {
    let symmetry = scene.topology.symmetry();
    let elements = if sends.canonical { symmetry.order() } else { 1 };
    let lists = schedule.message_lists(sends);
    check_count(lists.iter().map(|list| list.len() as u64 * elements as u64).sum())?;
    let flits = flits(settings, 1)?;
    let (mut lines, mut heard): (Vec<ClosedMessage>, BTreeMap<NodeId, Vec<u32>>) = Default::default();
    for list in lists {
        let mut waits: BTreeMap<NodeId, u32> = BTreeMap::new();
        for (chip, after) in std::mem::take(&mut heard) {
            waits.insert(chip, lines.len() as u32);
            lines.push(ClosedMessage { from: chip, to: chip, flits: 0, after });
        }
        // A source sends in the order of the plan. The first element of the group is the identity.
        let mut by_slot: Vec<&RoutedMessage> = list.iter().collect();
        by_slot.sort_by_key(|message| message.slots.first());
        for message in by_slot {
            for element in 0..elements {
                let [from, to] = [message.source, message.destination].map(|end| match sends.canonical {
                    true => symmetry.image(element, end),
                    false => end,
                });
                heard.entry(to).or_default().push(lines.len() as u32);
                let after = waits.get(&from).copied().into_iter().collect();
                lines.push(ClosedMessage { from, to, flits, after });
            }
        }
    }
    Ok(lines)
}
