//! Writes a schedule as a trace in which every message waits for those whose data it needs.
//!
//! Input: a scene, a schedule, and its costs. Output: lines `cycle,src,dst,flits,after,port`, in an order in
//! which they can happen. A send waits for the message that brought its data, and for all messages that were
//! added to it. No message has a time of its own: that is a `trace`. A pipelined schedule is repeated for
//! every piece. With a barrier, every round waits for the one before it. A flit is what a channel carries in
//! a cycle, so that cycles over the clock rate are times. The cost is linear in messages and dependencies.

use super::errors::ProgramError;
use super::moves::{ChunkMove, ChunkMoves};
use super::planned::ForestPathPlace;
use super::trace::{TRACE_MESSAGES, TraceFile, TraceSettings, router_names};
use fabc_base::ids::{ChannelId, Id, NodeId, PortId};
use fabc_base::limits::SIMULATED_CYCLES;
use fabc_ir::{ATTOSECONDS, CollectiveCost, RoutedMessage, Scene, Schedule, Sends, Transfers};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The name of the format.
const FORMAT: &str = "closed_trace";

/// The most messages that one line may name, over all lines. A name takes some bytes of the file.
const DEPENDENCIES: usize = 1 << 25;

/// The most flits of a message that a chip on the way hands on.
const HANDED_ON: u64 = 64;

/// One line: a message, or a wait without flits.
struct ClosedMessage {
    /// Cycles after the last arrival that it waits for.
    delay: u32,
    from: NodeId,
    to: NodeId,
    flits: u64,
    /// The port by which it leaves its router, for the other end of that link. `None`: by the tables.
    port: Option<PortId>,
    /// Indexes of the lines that must have arrived before.
    after: Vec<u32>,
}

/// Messages that wait for those whose data they need, of one schedule or of several at the same time.
#[derive(Default)]
pub struct ClosedTrace {
    lines: Vec<ClosedMessage>,
}

/// The trace of a schedule, closed over its dependencies.
///
/// # Errors
/// The errors of [`ClosedTrace::add_schedule`].
pub fn collective_closed_trace(
    scene: &Scene<'_>,
    schedule: &Schedule,
    settings: &TraceSettings<'_>,
) -> Result<TraceFile, ProgramError> {
    let mut trace = ClosedTrace::default();
    trace.add_schedule(scene, schedule, settings)?;
    let (collective, algorithm) = (schedule.collective.name(), schedule.algorithm.name());
    let TraceSettings { fabric, scenario, bytes, .. } = settings;
    let head = format!(
        "# {collective} by {algorithm} on {fabric}, {scenario}: {bytes} bytes a chip, {} messages, {} cycles by its plan\n",
        trace.messages(),
        cycles(settings.starts.end, settings.clock_hz)
    );
    Ok(TraceFile { text: head + &trace.text(scene), notes: Vec::new() })
}

impl ClosedTrace {
    /// Adds a schedule. It waits for nothing that was added before.
    ///
    /// # Errors
    /// [`ProgramError::TooLarge`] if there are more than [`TRACE_MESSAGES`] messages, or longer ones than are
    /// simulated. [`ProgramError::Unwritten`] for schedules of vectors.
    pub fn add_schedule(
        &mut self,
        scene: &Scene<'_>,
        schedule: &Schedule,
        settings: &TraceSettings<'_>,
    ) -> Result<(), ProgramError> {
        let lines = match &schedule.transfers {
            Transfers::Sends(sends) => routed_lines(scene, schedule, sends, settings)?,
            _ => moved_lines(scene, schedule, settings)?,
        };
        check_count((self.lines.len() + lines.len()) as u64)?;
        let dependencies: usize = lines.iter().map(|line| line.after.len()).sum();
        if dependencies > DEPENDENCIES {
            let reason =
                format!("its messages wait for {dependencies} others in all, and {DEPENDENCIES} are written");
            return Err(ProgramError::too_large(FORMAT, &reason));
        }
        let first = self.lines.len() as u32;
        self.lines.extend(lines.into_iter().map(|mut line| {
            line.after.iter_mut().for_each(|before| *before += first);
            line
        }));
        Ok(())
    }

    /// Adds messages of so many flits that wait for nothing.
    ///
    /// # Errors
    /// [`ProgramError::TooLarge`] if there are more than [`TRACE_MESSAGES`] messages.
    pub fn add_messages(&mut self, pairs: &[(NodeId, NodeId)], flits: u64) -> Result<(), ProgramError> {
        check_count((self.lines.len() + pairs.len()) as u64)?;
        let line = |&(from, to): &(NodeId, NodeId)| ClosedMessage {
            delay: 0,
            from,
            to,
            flits,
            port: None,
            after: Vec::new(),
        };
        self.lines.extend(pairs.iter().map(line));
        Ok(())
    }

    /// The number of messages, without waits.
    pub fn messages(&self) -> usize {
        self.lines.iter().filter(|line| line.flits > 0).count()
    }

    /// The flits of every message.
    pub fn flits(&self) -> impl Iterator<Item = u64> {
        self.lines.iter().map(|line| line.flits).filter(|flits| *flits > 0)
    }

    /// The lines `cycle,src,dst,flits,after,port`, after the names of these columns.
    pub fn text(&self, scene: &Scene<'_>) -> String {
        let names = router_names(scene);
        let mut text = String::from("cycle,src,dst,flits,after,port\n");
        for ClosedMessage { delay, from, to, flits, port, after } in &self.lines {
            let [from, to] = [from, to].map(|node| &names[node.index()]);
            let _ = write!(text, "{delay},{from},{to},{flits},");
            for (position, before) in after.iter().enumerate() {
                let space = if position == 0 { "" } else { " " };
                let _ = write!(text, "{space}{}", before + 1);
            }
            let _ = match port {
                Some(port) => writeln!(text, ",{}", port.0),
                None => writeln!(text, ","),
            };
        }
        text
    }
}

/// The cycles of a time, rounded up.
fn cycles(attoseconds: u128, clock_hz: u64) -> u128 {
    (attoseconds * u128::from(clock_hz)).div_ceil(ATTOSECONDS)
}

/// The cycles that a message keeps its sender busy before it leaves.
fn overhead(settings: &TraceSettings<'_>) -> u32 {
    u32::try_from(cycles(settings.cost.overhead, settings.clock_hz)).unwrap_or(u32::MAX)
}

/// The flits of so many bits. A flit is what the fastest channel carries in a cycle. The last one is filled
/// up.
pub fn flits_of_bits(bits: u128, cost: &CollectiveCost, clock_hz: u64) -> u64 {
    let carried_bps = u128::from(cost.bandwidth_bps) * u128::from(cost.lanes);
    let flits = (bits * u128::from(clock_hz)).div_ceil(carried_bps.max(1)).max(1);
    u64::try_from(flits).unwrap_or(u64::MAX)
}

/// Flits of so many equal parts of the vector of a chip.
fn flits(settings: &TraceSettings<'_>, parts: u64) -> Result<u64, ProgramError> {
    let TraceSettings { cost, bytes, clock_hz, starts, .. } = settings;
    let bits = (u128::from(*bytes) * 8 * u128::from(parts)).div_ceil(u128::from(starts.parts.max(1)));
    let flits = flits_of_bits(bits, cost, *clock_hz);
    if flits >= SIMULATED_CYCLES {
        let reason = format!("a message has {flits} flits, and {SIMULATED_CYCLES} cycles are the most");
        return Err(ProgramError::too_large(FORMAT, &reason));
    }
    Ok(flits)
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
    let moves = ChunkMoves::also_in_groups(scene, schedule, chips, FORMAT, TRACE_MESSAGES)?.moves;
    let (pieces, delay) = (settings.starts.pieces.max(1), overhead(settings));
    check_count(moves.len() as u64 * u64::from(pieces))?;
    let mut lines: Vec<ClosedMessage> = Vec::with_capacity(moves.len() * pieces as usize);
    // `[move]`: the line with which it arrives.
    let mut arrivals: Vec<u32> = Vec::new();
    for _ in 0..pieces {
        arrivals.clear();
        let mut barrier = Barrier::default();
        for chunk_move in &moves {
            let mut after: Vec<u32> = if settings.cost.barrier {
                barrier.enter(chunk_move.round, chunk_move.from, &mut lines);
                barrier.wait.into_iter().collect()
            } else {
                needed(&moves, chunk_move).map(|before| arrivals[before as usize]).collect()
            };
            after.sort_unstable();
            let flits = flits(settings, chunk_move.count.into())?;
            let arrival = push_hops(&mut lines, &hops(scene, schedule, chunk_move), flits, delay, after);
            barrier.sent.push(arrival);
            arrivals.push(arrival);
        }
        check_count(lines.len() as u64)?;
    }
    Ok(lines)
}

/// Adds a move over its hops. Returns the line with which all of it has arrived. What other chips hand on
/// goes in short messages, so that they send the first of it while the last is still to come.
fn push_hops(
    lines: &mut Vec<ClosedMessage>,
    hops: &[MoveHop],
    flits: u64,
    delay: u32,
    after: Vec<u32>,
) -> u32 {
    let count = if hops.len() > 1 { flits.div_ceil(HANDED_ON) } else { 1 };
    let mut last = Vec::new();
    for number in 0..count {
        let flits = flits * (number + 1) / count - flits * number / count;
        let mut after = after.clone();
        for &MoveHop { from, to, port } in hops {
            lines.push(ClosedMessage { delay, from, to, flits, port, after });
            after = vec![lines.len() as u32 - 1];
        }
        last.extend(after);
    }
    if let (2.., Some(&MoveHop { to, .. })) = (last.len(), hops.last()) {
        lines.push(ClosedMessage { delay: 0, from: to, to, flits: 0, port: None, after: last });
    }
    lines.len() as u32 - 1
}

/// A part of a move, from one chip to another one.
#[derive(Clone, Copy)]
struct MoveHop {
    from: NodeId,
    to: NodeId,
    port: Option<PortId>,
}

/// The hops of a move from chip to chip. Of a path through routers that only forward, the tables decide.
fn hops(scene: &Scene<'_>, schedule: &Schedule, chunk_move: &ChunkMove) -> Vec<MoveHop> {
    let topology = scene.topology;
    let channels = match (chunk_move.path, &schedule.transfers) {
        (Some(ForestPathPlace { tree, send, path }), Transfers::Forest(forest)) => {
            let path = &forest.trees[tree as usize].sends[send as usize].paths[path as usize];
            match chunk_move.adds {
                false => path.channels.clone(),
                true => path.channels.iter().rev().filter_map(|&channel| topology.reverse(channel)).collect(),
            }
        }
        _ => vec![chunk_move.channel],
    };
    let hop = |&channel: &ChannelId| {
        let [source, target] = [topology.source(channel), topology.target(channel)];
        MoveHop { from: source.node, to: target.node, port: Some(source.port) }
    };
    let hops: Vec<MoveHop> = channels.iter().map(hop).collect();
    let is_chip = |node: NodeId| topology.hosts(node) > 0;
    let leads_there = hops.last().is_some_and(|hop| hop.to == chunk_move.to);
    match leads_there && hops.iter().all(|hop| is_chip(hop.to)) {
        true => hops,
        false => vec![MoveHop { from: chunk_move.from, to: chunk_move.to, port: None }],
    }
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
            lines.push(ClosedMessage { delay: 0, from: chip, to: chip, flits: 0, port: None, after });
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
    let (flits, delay) = (flits(settings, 1)?, overhead(settings));
    let (mut lines, mut heard): (Vec<ClosedMessage>, BTreeMap<NodeId, Vec<u32>>) = Default::default();
    for list in lists {
        let mut waits: BTreeMap<NodeId, u32> = BTreeMap::new();
        for (chip, after) in std::mem::take(&mut heard) {
            waits.insert(chip, lines.len() as u32);
            lines.push(ClosedMessage { delay: 0, from: chip, to: chip, flits: 0, port: None, after });
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
                lines.push(ClosedMessage { delay, from, to, flits, port: None, after });
            }
        }
    }
    Ok(lines)
}
