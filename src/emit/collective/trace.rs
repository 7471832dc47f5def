//! A schedule as a trace for the simulator: who sends how many flits to whom in which cycle.
//!
//! In: a scene, a schedule, when what it sends leaves. Out: lines `cycle,src,dst,flits`, cycles ascending; of
//! those in one cycle what leaves first comes first, then by sender and receiver. A router with several hosts
//! sends by its first. Whatever waits for data in the schedule is a time here. Cost: sorting the messages.

use super::super::number::fixed;
use super::errors::ProgramError;
use fabc_base::csv::cell;
use fabc_base::ids::{Id, NodeId};
use fabc_base::limits::SIMULATED_CYCLES;
use fabc_ir::{
    ATTOSECONDS, ATTOSECONDS_OF_A_PICOSECOND, CollectiveCost, Fraction, Scene, Schedule, Starts, Transfers,
};
use std::fmt::Write;

/// The name of the format.
const FORMAT: &str = "trace";

/// Messages, at most: some 40 bytes each.
pub const TRACE_MESSAGES: u64 = 1 << 22;

/// What a trace says beside the schedule.
#[derive(Clone, Copy, Debug)]
pub struct TraceTold<'a> {
    /// The fabric's name.
    pub fabric: &'a str,
    /// The scenario's name.
    pub scenario: &'a str,
    /// The size of the vector of a chip.
    pub bytes: u64,
    /// Cycles of a second.
    pub clock_hz: u64,
    /// What a channel takes.
    pub cost: &'a CollectiveCost,
    /// When what is sent leaves.
    pub starts: &'a Starts,
}

/// A trace, and what is to be known of it.
pub struct TraceFile {
    /// The file.
    pub text: String,
    /// What a reader should know, one sentence each.
    pub notes: Vec<String>,
}

/// The trace of a schedule.
///
/// # Errors
/// More than [`TRACE_MESSAGES`]; more cycles or longer messages than are simulated; trees with barriers.
pub fn collective_trace(
    scene: &Scene<'_>,
    schedule: &Schedule,
    told: &TraceTold<'_>,
) -> Result<TraceFile, ProgramError> {
    let TraceTold { starts, cost, bytes, .. } = *told;
    if starts.messages > TRACE_MESSAGES {
        let what =
            format!("{} messages are more than the {TRACE_MESSAGES} that are written", starts.messages);
        return Err(ProgramError::too_large(FORMAT, &what));
    }
    if cost.barrier && matches!(schedule.transfers, Transfers::Trees(_)) {
        return Err(ProgramError::Untimed { format: FORMAT });
    }
    let last = starts.listed.iter().map(|start| start.at).max().unwrap_or(0);
    let flit = u128::from(cost.flit_bytes.max(1));
    let flits = u128::from(bytes).div_ceil(flit * u128::from(starts.parts.max(1))).max(1);
    let latest = cycle(last, told.clock_hz);
    if latest.max(flits) >= u128::from(SIMULATED_CYCLES) {
        let what = format!(
            "the last message is sent in cycle {latest}, each has {flits} flits, and {SIMULATED_CYCLES} cycles are the most"
        );
        return Err(ProgramError::too_large(FORMAT, &what));
    }
    let symmetry = scene.topology.symmetry();
    let elements = if starts.canonical { symmetry.order() } else { 1 };
    let mut messages: Vec<(u128, NodeId, NodeId)> = Vec::with_capacity(starts.messages as usize);
    for start in &starts.listed {
        // The first element leaves everything where it is.
        messages.extend((0..elements).map(|g| match starts.canonical {
            true => (start.at, symmetry.image(g, start.from), symmetry.image(g, start.to)),
            false => (start.at, start.from, start.to),
        }));
    }
    messages.sort_unstable();
    let names = names(scene);
    let mut text = head(schedule, told, messages.len());
    for (at, from, to) in messages {
        let [from, to] = [from, to].map(|node| &names[node.index()]);
        let _ = writeln!(text, "{},{from},{to},{flits}", cycle(at, told.clock_hz));
    }
    Ok(TraceFile { text, notes: notes(told, flits) })
}

/// `[router]`: its name as a cell, or the number of its first host where it has several; those of a dead one
/// have none.
fn names(scene: &Scene<'_>) -> Vec<String> {
    let topology = scene.topology;
    let mut first = 0;
    let named = |node: NodeId| {
        let (hosts, number) = (if scene.lives(node) { u32::from(topology.hosts(node)) } else { 0 }, first);
        first += hosts;
        if hosts > 1 { number.to_string() } else { cell(&topology.name(node)).into_owned() }
    };
    topology.nodes().map(named).collect()
}

fn head(schedule: &Schedule, told: &TraceTold<'_>, messages: usize) -> String {
    let (collective, algorithm) = (schedule.collective.name(), schedule.algorithm.name());
    let end = cycle(told.starts.end, told.clock_hz);
    format!(
        "# {collective} by {algorithm} on {}, {}: {} bytes a chip, {messages} messages, {end} cycles by its own timetable\ncycle,src,dst,flits\n",
        told.fabric, told.scenario, told.bytes
    )
}

/// Where the simulator's channels are not those of the timetable.
fn notes(told: &TraceTold<'_>, flits: u128) -> Vec<String> {
    let (TraceTold { cost, clock_hz, bytes, starts, .. }, flit) =
        (*told, u128::from(told.cost.flit_bytes.max(1)));
    let mut notes = Vec::new();
    let carried = Fraction::new(cost.bandwidth_bps, u128::from(clock_hz.max(1)) * 8);
    if carried != Fraction::whole(flit as u64) {
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

/// The first cycle that begins no sooner. Times are sums of parts that are rounded up to the attosecond, so
/// that a picosecond more than a cycle is none.
fn cycle(at: u128, clock_hz: u64) -> u128 {
    (at.saturating_sub(ATTOSECONDS_OF_A_PICOSECOND) * u128::from(clock_hz)).div_ceil(ATTOSECONDS)
}
