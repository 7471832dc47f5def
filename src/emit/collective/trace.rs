//! Writes a schedule as a trace for the simulator: who sends how many flits to whom in which cycle.
//!
//! Input: a scene, a schedule, and the start times of its sends. Output: lines `cycle,src,dst,flits`,
//! ascending by cycle. Lines of one cycle ascend by exact start time, then by sender and receiver. A router
//! with several hosts sends from its first host. A dependency of the schedule becomes a time in the trace.
//! The cost is that of sorting the messages.

use super::super::number::fixed;
use super::errors::ProgramError;
use fabc_base::csv::cell;
use fabc_base::ids::{Id, NodeId};
use fabc_base::limits::SIMULATED_CYCLES;
use fabc_ir::{
    ATTOSECONDS, ATTOSECONDS_OF_A_PICOSECOND, CollectiveCost, Fraction, MessageStarts, Scene, Schedule,
    Transfers,
};
use fabc_model::CollectiveAlgorithm;
use std::fmt::Write;

/// The name of the format.
const FORMAT: &str = "trace";

/// Maximum number of messages, of about 40 bytes each.
pub const TRACE_MESSAGES: u64 = 1 << 22;

/// The parameters of a trace beside the schedule.
#[derive(Clone, Copy, Debug)]
pub struct TraceSettings<'a> {
    /// Name of the fabric, for the head.
    pub fabric: &'a str,
    /// Name of the scenario, for the head.
    pub scenario: &'a str,
    /// Bytes of the vector of a chip.
    pub bytes: u64,
    /// Clock rate in cycles per second.
    pub clock_hz: u64,
    /// Costs that the schedule assumes for a channel.
    pub cost: &'a CollectiveCost,
    /// Start times of all sends.
    pub starts: &'a MessageStarts,
}

/// A trace with notes for its reader.
pub struct TraceFile {
    /// Contents of the trace file.
    pub text: String,
    /// Differences from the schedule that a reader should know, one sentence each.
    pub notes: Vec<String>,
}

/// The trace of a schedule.
///
/// # Errors
/// [`ProgramError::TooLarge`] if there are more than [`TRACE_MESSAGES`] messages, or more cycles or longer
/// messages than are simulated. [`ProgramError::Untimed`] for trees, forests and
/// paths of pairs with barriers.
pub fn collective_trace(
    scene: &Scene<'_>,
    schedule: &Schedule,
    settings: &TraceSettings<'_>,
) -> Result<TraceFile, ProgramError> {
    let TraceSettings { starts, cost, bytes, .. } = *settings;
    if starts.messages > TRACE_MESSAGES {
        let reason =
            format!("it would have {} messages, at most {TRACE_MESSAGES} are written", starts.messages);
        return Err(ProgramError::too_large(FORMAT, &reason));
    }
    let is_pipelined =
        matches!(schedule.transfers, Transfers::Trees(_) | Transfers::Forest(_) | Transfers::Paths(_));
    if cost.barrier && is_pipelined {
        return Err(ProgramError::Untimed { format: FORMAT });
    }
    let last = starts.listed.iter().map(|start| start.attoseconds).max().unwrap_or(0);
    let flit = u128::from(cost.flit_bytes.max(1));
    let flits = u128::from(bytes).div_ceil(flit * u128::from(starts.parts.max(1))).max(1);
    let latest = cycle(last, settings.clock_hz);
    if latest.max(flits) >= u128::from(SIMULATED_CYCLES) {
        let reason = format!(
            "the last message is sent in cycle {latest}, each has {flits} flits, and {SIMULATED_CYCLES} cycles are the most"
        );
        return Err(ProgramError::too_large(FORMAT, &reason));
    }
    let symmetry = scene.topology.symmetry();
    let elements = if starts.canonical { symmetry.order() } else { 1 };
    let mut messages: Vec<(u128, NodeId, NodeId)> = Vec::with_capacity(starts.messages as usize);
    for start in &starts.listed {
        // The first element of the group is the identity.
        messages.extend((0..elements).map(|element| match starts.canonical {
            true => {
                (start.attoseconds, symmetry.image(element, start.from), symmetry.image(element, start.to))
            }
            false => (start.attoseconds, start.from, start.to),
        }));
    }
    messages.sort_unstable();
    let names = router_names(scene);
    let mut text = head(schedule, settings, messages.len());
    for (start, from, to) in messages {
        let [from, to] = [from, to].map(|node| &names[node.index()]);
        let _ = writeln!(text, "{},{from},{to},{flits}", cycle(start, settings.clock_hz));
    }
    let mut notes = notes(settings, flits);
    if schedule.groups.is_some() && schedule.algorithm == CollectiveAlgorithm::Trees {
        notes.push(
            "what a tree sends through other chips takes the way of the tables in `fabc sim`".to_owned(),
        );
    }
    Ok(TraceFile { text, notes })
}

/// `[router]`: its name as a CSV cell, or the number of its first host if it has several. Failed routers have
/// no hosts.
pub(super) fn router_names(scene: &Scene<'_>) -> Vec<String> {
    let topology = scene.topology;
    let mut first = 0;
    let named = |node: NodeId| {
        let (hosts, number) = (if scene.lives(node) { u32::from(topology.hosts(node)) } else { 0 }, first);
        first += hosts;
        if hosts > 1 { number.to_string() } else { cell(&topology.name(node)).into_owned() }
    };
    topology.nodes().map(named).collect()
}

fn head(schedule: &Schedule, settings: &TraceSettings<'_>, messages: usize) -> String {
    let (collective, algorithm) = (schedule.collective.name(), schedule.algorithm.name());
    let end = cycle(settings.starts.end, settings.clock_hz);
    format!(
        "# {collective} by {algorithm} on {}, {}: {} bytes a chip, {messages} messages, {end} cycles by its own timetable\ncycle,src,dst,flits\n",
        settings.fabric, settings.scenario, settings.bytes
    )
}

/// Sentences about differences between the simulator's channels and those of the schedule.
fn notes(settings: &TraceSettings<'_>, flits: u128) -> Vec<String> {
    let (TraceSettings { cost, clock_hz, bytes, starts, .. }, flit) =
        (*settings, u128::from(settings.cost.flit_bytes.max(1)));
    let mut notes = Vec::new();
    let carried = Fraction::new(cost.bandwidth_bps, u128::from(clock_hz.max(1)) * 8);
    if carried != Fraction::integer(flit as u64) {
        notes.push(format!(
            "a channel carries {} bytes a cycle, and one flit of {flit} bytes in `fabc sim`: the trace has the cycles of the timetable",
            fixed(carried, 3)
        ));
    }
    if flits * flit * u128::from(starts.parts) != u128::from(bytes) {
        let chunk = fixed(Fraction::new(bytes, starts.parts), 3);
        notes.push(format!("a message of {chunk} bytes is filled up to {flits} flits in the trace"));
    }
    notes
}

/// The first cycle that begins at or after a time in attoseconds. Times are sums of parts rounded up to the
/// attosecond, so an excess below a picosecond is rounding.
fn cycle(time: u128, clock_hz: u64) -> u128 {
    (time.saturating_sub(ATTOSECONDS_OF_A_PICOSECOND) * u128::from(clock_hz)).div_ceil(ATTOSECONDS)
}
