//! Writes `schedule.bin` (`fabc.schedule.bin/1`), which holds the sends of `fabc.schedule/1` in a few bytes
//! per vector. The file is one line of JSON, then the sends.

use crate::compiled::CompiledFabric;
use fabc_base::ids::Id;
use fabc_ir::{Timed, TimedSend};
use rayon::prelude::*;

/// Number of sends and receives that the plans list.
pub(super) fn listed_entries(compiled: &CompiledFabric) -> u64 {
    2 * timed(compiled).map(|timed| timed.sends.len() as u64).sum::<u64>()
}

/// The contents of the file.
pub(super) fn bytes(compiled: &CompiledFabric) -> Vec<u8> {
    // Line ends stand only between values, never in a string.
    let mut out: Vec<u8> = super::schedule::compiled_head(compiled, "fabc.schedule.bin/1").into_bytes();
    out.retain(|&byte| byte != b'\n');
    out.extend_from_slice(b"}\n");
    for timed in timed(compiled) {
        push_sends(&mut out, timed);
    }
    out
}

fn timed(compiled: &CompiledFabric) -> impl Iterator<Item = &Timed> {
    compiled.collectives.iter().filter_map(|result| result.nominal()?.schedule.timed())
}

/// Writes the number of channels that send. Then it writes every such channel, by chip and port: chip, port,
/// number of vectors, and the vectors. A vector is the number of cycles since the one before, or since the
/// start of the plan, and its id.
fn push_sends(out: &mut Vec<u8>, timed: &Timed) {
    let ports = timed.sends.iter().map(|send| send.port.index() + 1).max().unwrap_or(0);
    let channel = |send: &TimedSend| send.chip.index() * ports + send.port.index();
    let channels = timed.sends.iter().map(|send| channel(send) + 1).max().unwrap_or(0);
    // Sends are listed by cycle. Sorted into channels, each channel keeps that order.
    let mut counts = vec![0usize; channels];
    timed.sends.iter().for_each(|send| counts[channel(send)] += 1);
    let mut sends: Vec<Vec<(u32, u64)>> = counts.into_iter().map(Vec::with_capacity).collect();
    timed.sends.iter().for_each(|send| sends[channel(send)].push((send.cycle, send.vector)));
    push_number(out, sends.iter().filter(|sends| !sends.is_empty()).count() as u64);
    let encode = |(index, sends): (usize, &Vec<(u32, u64)>)| {
        let mut out = Vec::with_capacity(8 + 6 * sends.len());
        push_number(&mut out, (index / ports) as u64);
        push_number(&mut out, (index % ports) as u64);
        push_number(&mut out, sends.len() as u64);
        let mut before = timed.start;
        for &(cycle, vector) in sends {
            push_number(&mut out, u64::from(cycle - before));
            push_number(&mut out, vector);
            before = cycle;
        }
        out
    };
    let written: Vec<Vec<u8>> =
        sends.par_iter().enumerate().filter(|(_, sends)| !sends.is_empty()).map(encode).collect();
    written.iter().for_each(|channel_bytes| out.extend_from_slice(channel_bytes));
}

/// Writes groups of seven bits, the lowest first. The top bit is set on all bytes but the last.
fn push_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
