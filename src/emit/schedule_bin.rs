//! `schedule.bin` (`fabc.schedule.bin/1`): what chips send as `fabc.schedule/1` says it, in a few bytes per
//! vector. One line of JSON, then the sends.

use crate::compiled::Compiled;
use crate::ids::{NodeId, PortId};
use crate::ir::{Timed, TimedSend};
use rayon::prelude::*;

/// Sends and receives that the plans list.
pub(super) fn listed_entries(compiled: &Compiled) -> u64 {
    2 * timed(compiled).map(|timed| timed.sends.len() as u64).sum::<u64>()
}

/// The file.
pub(super) fn bytes(compiled: &Compiled) -> Vec<u8> {
    // Line ends stand between values alone, never in a string.
    let mut out: Vec<u8> = super::schedule::head_of(compiled, "fabc.schedule.bin/1").into_bytes();
    out.retain(|&byte| byte != b'\n');
    out.extend_from_slice(b"}\n");
    for timed in timed(compiled) {
        push_sends(&mut out, timed);
    }
    out
}

fn timed(compiled: &Compiled) -> impl Iterator<Item = &Timed> {
    compiled.collectives.iter().filter_map(|result| result.nominal()?.schedule.timed())
}

/// How many channels send; then of each, by chip and port: chip, port, how many vectors, and of every one the
/// cycles since the one before, of the first since the start of the plan, and its number.
fn push_sends(out: &mut Vec<u8>, timed: &Timed) {
    let mut sends: Vec<(NodeId, PortId, u32, u64)> =
        timed.sends.iter().map(|&TimedSend { cycle, chip, port, vector }| (chip, port, cycle, vector)).collect();
    sends.par_sort_unstable();
    let channels = || sends.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1));
    push_number(out, channels().count() as u64);
    for channel in channels() {
        push_number(out, channel[0].0.0.into());
        push_number(out, channel[0].1.0.into());
        push_number(out, channel.len() as u64);
        let mut before = timed.start;
        for &(.., cycle, vector) in channel {
            push_number(out, u64::from(cycle - before));
            push_number(out, vector);
            before = cycle;
        }
    }
}

/// Groups of seven bits, the lowest first, the top bit set on all bytes but the last.
fn push_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
