//! Writes members that runs of all kinds have: latencies, virtual channels and digests.

use super::super::json::{push, push_numbers};
use super::super::number::{fixed, ratio};
use super::ratios::{SHARE, share_text};
use fabc_ir::Fraction;
use fabc_sim::{Batch, Delays, Setting, VcUse};

/// Writes the latencies of packets.
pub(super) fn push_delays(out: &mut String, delays: &Delays) {
    let Delays { packets, sum, median, p99, most, waited, hops } = *delays;
    let mean = |sum: u64| ratio(Fraction::new(sum, packets));
    push(out, format_args!("{{\"packets\":{packets},\"sum\":{sum},\"mean\":{}", mean(sum)));
    push(out, format_args!(",\"median\":{median},\"p99\":{p99},\"max\":{most},\"source_wait_sum\":{waited}"));
    push(
        out,
        format_args!(",\"mean_source_wait\":{},\"hops\":{hops},\"mean_hops\":{}}}", mean(waited), mean(hops)),
    );
}

/// Writes how full the queues of every virtual channel were. `hops` is the number of hops on all channels.
pub(super) fn push_vcs(out: &mut String, setting: &Setting, hops: u64, vcs: &[VcUse]) {
    for (vc, used) in vcs.iter().enumerate() {
        out.push(if vc > 0 { ',' } else { '[' });
        push_vc(out, setting, hops, used);
    }
    out.push(']');
}

fn push_vc(out: &mut String, setting: &Setting, total_hops: u64, used: &VcUse) {
    let VcUse { hops, flit_cycles, p99, full_cycles, queue_cycles } = *used;
    let mean = fixed(Fraction::new(flit_cycles, queue_cycles.max(1)), SHARE);
    debug_assert!(p99 <= u64::from(setting.buffer));
    push(
        out,
        format_args!(
            "{{\"hops\":{hops},\"hop_share\":{},\"flit_cycles\":{flit_cycles}",
            share_text(hops, total_hops)
        ),
    );
    push(out, format_args!(",\"mean_flits\":{mean},\"p99_flits\":{p99},\"full_cycles\":{full_cycles}"));
    push(
        out,
        format_args!(
            ",\"full_share\":{},\"queue_cycles\":{queue_cycles}}}",
            share_text(full_cycles, queue_cycles)
        ),
    );
}

/// Writes the counts of the batches, a list for each kind.
pub(super) fn push_batches(out: &mut String, batches: &[Batch]) {
    let mut push_list = |key: &str, count: &dyn Fn(&Batch) -> u64| {
        out.push_str(key);
        push_numbers(out, batches.iter().map(|batch| count(batch).to_string()));
    };
    push_list(",\"batches\":{\"delivered\":", &|batch| batch.delivered);
    push_list(",\"arrived\":", &|batch| batch.arrived);
    push_list(",\"latency_sum\":", &|batch| batch.sum);
    push_list(",\"p99\":", &|batch| batch.p99);
    out.push('}');
}

/// Writes the digests of the intervals of a run, and the digest of its results.
pub(super) fn push_digests(out: &mut String, digests: &[u64], last: u64) {
    let written: Vec<String> =
        digests.iter().chain([&last]).map(|digest| format!("\"{digest:016x}\"")).collect();
    push(out, format_args!(",\"digests\":[{}]", written.join(",")));
}
