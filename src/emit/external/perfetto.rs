//! Writes the schedules of scheduled vectors as one trace for Perfetto and other viewers of the Trace Event
//! format: a process per router, a track per port, a slice for every vector on its channel.
//!
//! Times are microseconds with six digits, from the cycle in which the first schedule starts. The schedules
//! come one after the other, as they do on the fabric.

use super::chunks::{EmitError, Take};
use crate::collective::{TraceName, collective_title, push_trace_name, trace_microseconds};
use crate::compiled::CompiledFabric;
use crate::json::{push, quote};
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{ATTOSECONDS, Fraction, Timed, TimedSend};
use fabc_model::{DeclaredCollective, Fabric};
use std::collections::BTreeSet;

/// The name of the format.
const FORMAT: &str = "perfetto";

/// Maximum number of slices, of about 100 bytes each. Viewers read no larger files with ease.
const SLICES: u64 = 1 << 20;

/// Refuses a fabric whose packets follow forwarding tables.
pub(super) fn check_fabric(fabric: &Fabric) -> Result<(), EmitError> {
    if fabric.routing.is_scheduled() { Ok(()) } else { Err(EmitError::NotScheduled { format: FORMAT }) }
}

/// A schedule with what its slices are called.
struct Track<'c> {
    declared: &'c DeclaredCollective,
    timed: &'c Timed,
}

/// Writes the trace, one schedule after the other.
pub(super) fn trace<E: From<EmitError>>(compiled: &CompiledFabric, take: &mut Take<'_, E>) -> Result<(), E> {
    let results = compiled.fabric.collectives.iter().zip(&compiled.collectives);
    let tracks: Vec<Track<'_>> = results
        .filter_map(|(declared, result)| Some(Track { declared, timed: result.nominal()?.schedule.timed()? }))
        .collect();
    let symmetry = compiled.topology.symmetry();
    let slices = |all: bool| -> u64 {
        let images = |timed: &Timed| if all && timed.canonical { symmetry.order() as u64 } else { 1 };
        tracks.iter().map(|Track { timed, .. }| images(timed) * timed.sends.len() as u64).sum()
    };
    let all = slices(true) <= SLICES;
    if slices(all) > SLICES {
        return Err(EmitError::TooManySlices { format: FORMAT, slices: slices(all), most: SLICES }.into());
    }
    let routers = if all { "all" } else { "one of each orbit of the symmetry" };
    let mut out = format!(
        "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"fabric\":{},\"routers\":\"{routers}\"}},\n\"traceEvents\":[\n",
        quote(&compiled.fabric.name)
    );
    push_names(&mut out, compiled, &tracks, all);
    for (index, track) in tracks.iter().enumerate() {
        push_slices(&mut out, compiled, track, all);
        // The comma of the last slice goes.
        if index + 1 == tracks.len() {
            out.truncate(out.trim_end_matches([',', '\n']).len());
        }
        take("schedule.perfetto.json", std::mem::take(&mut out).as_bytes())?;
    }
    out.push_str("\n]}\n");
    take("schedule.perfetto.json", out.as_bytes())
}

/// The channels of a send: its own and, where it stands for its images, those of all of them.
fn channels<'c>(
    compiled: &'c CompiledFabric,
    timed: &Timed,
    send: &TimedSend,
    all: bool,
) -> impl Iterator<Item = ChannelId> + use<'c> {
    let (topology, symmetry) = (&compiled.topology, compiled.topology.symmetry());
    let elements = if all && timed.canonical { symmetry.order() } else { 1 };
    let (chip, port, moved) = (send.chip, send.port, elements > 1);
    (0..elements).filter_map(move |element| {
        let chip = if moved { symmetry.image(element, chip) } else { chip };
        topology.outgoing(chip, port)
    })
}

fn push_names(out: &mut String, compiled: &CompiledFabric, tracks: &[Track<'_>], all: bool) {
    let topology = &compiled.topology;
    let sends = tracks.iter().flat_map(|track| track.timed.sends.iter().map(move |send| (track.timed, send)));
    let used: BTreeSet<ChannelId> =
        sends.flat_map(|(timed, send)| channels(compiled, timed, send, all)).collect();
    let senders: BTreeSet<NodeId> = used.iter().map(|&channel| topology.source(channel).node).collect();
    for sender in senders {
        push_trace_name(out, TraceName::Process(sender.index()), &topology.name(sender));
    }
    let mut used: Vec<ChannelId> = used.into_iter().collect();
    used.sort_by_key(|&channel| {
        let source = topology.source(channel);
        (source.node, source.port)
    });
    for channel in used {
        let source = topology.source(channel);
        let name = format!(
            "{} to {}",
            topology.names().port(source.port),
            topology.name(topology.target(channel).node)
        );
        push_trace_name(out, TraceName::Thread(source.node.index(), source.port.index()), &name);
    }
}

fn push_slices(out: &mut String, compiled: &CompiledFabric, track: &Track<'_>, all: bool) {
    let Track { declared, timed } = track;
    let cycle = Fraction::new(ATTOSECONDS, timed.clock_hz.max(1));
    let time = |cycles: u32| trace_microseconds(cycle.times(Fraction::integer(cycles)).floor());
    let (name, title) = (quote(&declared.name), quote(&collective_title(declared)));
    let busy = time(timed.pace.slot);
    for send in &timed.sends {
        for channel in channels(compiled, timed, send, all) {
            let source = compiled.topology.source(channel);
            push(
                out,
                format_args!(
                    "{{\"name\":{name},\"cat\":{title},\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{busy}}},\n",
                    source.node.index(),
                    source.port.index(),
                    time(send.cycle)
                ),
            );
        }
    }
}
