//! Writes a schedule as a trace for Perfetto and other viewers of the Trace Event format: a track per
//! channel, with a slice for every message on it.
//!
//! Input: a scene, a schedule, and the start times of its sends. Output: JSON with `traceEvents`. A process
//! is a router that sends, and a thread of it the neighbor that receives, one for each of parallel links.
//! Times are microseconds with six digits, so that a slice may start in any picosecond. The cost is that of
//! sorting the messages.

use super::super::json::{push, quote};
use super::super::number::fixed;
use super::errors::ProgramError;
use super::trace::TraceSettings;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{ATTOSECONDS, ATTOSECONDS_OF_A_PICOSECOND, Fraction, MessageStart, Scene, Schedule, Transfers};
use std::collections::{BTreeMap, BTreeSet};

/// The name of the format.
const FORMAT: &str = "perfetto";

/// Maximum number of slices, of about 100 bytes each. Viewers read no larger files with ease.
const SLICES: u64 = 1 << 20;

/// The trace events of a schedule.
///
/// # Errors
/// [`ProgramError::TooLarge`] if there are more messages than a timeline holds. [`ProgramError::Untimed`] for
/// trees, forests and paths of pairs with barriers.
pub fn collective_perfetto(
    scene: &Scene<'_>,
    schedule: &Schedule,
    settings: &TraceSettings<'_>,
) -> Result<String, ProgramError> {
    let TraceSettings { starts, cost, bytes, .. } = *settings;
    if starts.messages > SLICES {
        let reason = format!("it would have {} slices, at most {SLICES} are written", starts.messages);
        return Err(ProgramError::too_large(FORMAT, &reason));
    }
    let is_pipelined =
        matches!(schedule.transfers, Transfers::Trees(_) | Transfers::Forest(_) | Transfers::Paths(_));
    if cost.barrier && is_pipelined {
        return Err(ProgramError::Untimed { format: FORMAT });
    }
    let symmetry = scene.topology.symmetry();
    let elements = if starts.canonical { symmetry.order() } else { 1 };
    let image = |start: &MessageStart, element: usize| match starts.canonical {
        true => MessageStart {
            from: symmetry.image(element, start.from),
            to: symmetry.image(element, start.to),
            ..*start
        },
        false => *start,
    };
    let mut messages: Vec<MessageStart> = starts
        .listed
        .iter()
        .flat_map(|start| (0..elements).map(move |element| image(start, element)))
        .collect();
    messages.sort_unstable_by_key(|start| (start.attoseconds, start.from, start.to));
    let (collective, algorithm) = (schedule.collective.name(), schedule.algorithm.name());
    // A message keeps a channel of one lane busy for as long as its bytes take.
    let carried = u128::from(starts.parts.max(1)) * u128::from(cost.bandwidth_bps.max(1));
    let busy = Fraction::new(u128::from(bytes) * 8, carried).times(Fraction::integer(ATTOSECONDS));
    let slices = slices(scene, &messages, busy);
    let mut out = format!(
        "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"fabric\":{},\"scenario\":{},\"collective\":{},\"algorithm\":{},\"bytes\":\"{bytes}\"}},\n\"traceEvents\":[\n",
        quote(settings.fabric),
        quote(settings.scenario),
        quote(collective),
        quote(algorithm)
    );
    push_names(&mut out, scene, &slices);
    for (index, Slice { message, track, busy }) in slices.iter().enumerate() {
        push(
            &mut out,
            format_args!(
                "{{\"name\":\"{collective}\",\"cat\":\"{algorithm}\",\"ph\":\"X\",\"pid\":{},\"tid\":{track},\"ts\":{},\"dur\":{}}}{}",
                message.from.index(),
                trace_microseconds(message.attoseconds),
                trace_microseconds(*busy),
                if index + 1 < slices.len() { ",\n" } else { "\n" }
            ),
        );
    }
    out.push_str("]}\n");
    Ok(out)
}

/// A message on a track.
struct Slice {
    message: MessageStart,
    /// The number of the receiver, and of which link to it: `link * routers + receiver`.
    track: usize,
    /// How long it keeps the channel busy, attoseconds.
    busy: u128,
}

/// The messages with their tracks. Messages over parallel links overlap, so each of these links has a track.
fn slices(scene: &Scene<'_>, messages: &[MessageStart], busy: Fraction) -> Vec<Slice> {
    let topology = scene.topology;
    // `[link]` for every pair: when it is free again.
    let mut free: BTreeMap<(NodeId, NodeId), Vec<u128>> = BTreeMap::new();
    let slice = |message: &MessageStart| {
        let to_receiver =
            scene.channels_from(message.from).filter(|&channel| topology.target(channel).node == message.to);
        let lanes = to_receiver.map(|channel| topology.channel_capacity(channel)).max().unwrap_or(1);
        let busy = busy.over(Fraction::integer(lanes)).floor();
        let links = free.entry((message.from, message.to)).or_default();
        // Times are rounded up to the attosecond, so an excess below a picosecond is rounding.
        let start = message.attoseconds + ATTOSECONDS_OF_A_PICOSECOND;
        let link = links.iter().position(|&end| end <= start).unwrap_or_else(|| {
            links.push(0);
            links.len() - 1
        });
        links[link] = message.attoseconds + busy;
        Slice { message: *message, track: link * topology.node_count() + message.to.index(), busy }
    };
    messages.iter().map(slice).collect()
}

/// The names of processes and threads, as events of their own.
fn push_names(out: &mut String, scene: &Scene<'_>, slices: &[Slice]) {
    let routers = scene.topology.node_count();
    let tracks: BTreeSet<(NodeId, usize)> =
        slices.iter().map(|slice| (slice.message.from, slice.track)).collect();
    let senders: BTreeSet<NodeId> = tracks.iter().map(|&(from, _)| from).collect();
    for from in senders {
        push_trace_name(out, TraceName::Process(from.index()), &scene.topology.name(from));
    }
    for (from, track) in tracks {
        let receiver = scene.topology.name(NodeId::new(track % routers));
        let name = match track / routers {
            0 => format!("to {receiver}"),
            link => format!("to {receiver}, link {}", link + 1),
        };
        push_trace_name(out, TraceName::Thread(from.index(), track), &name);
    }
}

/// What a name of a trace belongs to: a process, or a thread of a process.
#[derive(Clone, Copy)]
pub(crate) enum TraceName {
    Process(usize),
    Thread(usize, usize),
}

/// Writes the name of a process or a thread as an event of its own.
pub(crate) fn push_trace_name(out: &mut String, owner: TraceName, name: &str) {
    let (kind, pid, thread) = match owner {
        TraceName::Process(pid) => ("process_name", pid, String::new()),
        TraceName::Thread(pid, tid) => ("thread_name", pid, format!(",\"tid\":{tid}")),
    };
    push(
        out,
        format_args!(
            "{{\"name\":\"{kind}\",\"ph\":\"M\",\"pid\":{pid}{thread},\"args\":{{\"name\":{}}}}},\n",
            quote(name)
        ),
    );
}

/// A time in microseconds with six digits.
pub(crate) fn trace_microseconds(attoseconds: u128) -> String {
    fixed(Fraction::new(attoseconds, ATTOSECONDS / 1_000_000), 6)
}
