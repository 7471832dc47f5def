//! The text of an execution plan of MSCCL++, in the keys that `src/core/executor/execution_plan.cc` of
//! microsoft/mscclpp reads.

use super::super::json::{push, push_numbers, quote};
use super::mscclpp_blocks::{BlockProgram, ChannelKind, OwnChunks, PeerBuffer, PeerWrite, PlanOperation};
use super::places::BufferPlace;
use std::collections::BTreeMap;

/// What a plan says of itself.
pub(super) struct PlanHeader {
    pub(super) name: String,
    pub(super) collective: &'static str,
    pub(super) in_place: bool,
}

/// The types of channels with their words.
const KINDS: [(ChannelKind, &str); 2] = [(ChannelKind::Memory, "memory"), (ChannelKind::Port, "port")];

fn kind_name(kind: ChannelKind) -> &'static str {
    KINDS.iter().find(|(known, _)| *known == kind).map_or("", |(_, name)| name)
}

/// The text of a plan. `sizes` are the chunks of input, output and scratch of a GPU.
pub(super) fn plan_text(
    header: &PlanHeader,
    gpus: &[Vec<BlockProgram>],
    sizes: &dyn Fn(usize) -> [u32; 3],
) -> String {
    let PlanHeader { name, collective, in_place } = header;
    let mut out = String::new();
    push(
        &mut out,
        format_args!(
            "{{\"name\":{},\"collective\":\"{collective}\",\"protocol\":\"Simple\",\"inplace\":{in_place},\"reuse_resources\":false,\"num_threads_per_block\":1024,\"use_double_scratch_buffer\":false,\"buffer_alignment\":16,\"min_message_size\":0,\"max_message_size\":18446744073709551615,\n\"gpus\":[\n",
            quote(name)
        ),
    );
    for (rank, blocks) in gpus.iter().enumerate() {
        let [input, output, scratch] = sizes(rank);
        let separator = if rank > 0 { ",\n" } else { "" };
        push(
            &mut out,
            format_args!(
                "{separator}{{\"id\":{rank},\"input_chunks\":{input},\"output_chunks\":{output},\"scratch_chunks\":{scratch},\"threadblocks\":[\n"
            ),
        );
        push_gpu(&mut out, blocks);
    }
    out.push_str("\n]}\n");
    out
}

/// The channels and remote buffers of a GPU, by type.
#[derive(Default)]
struct GpuNumbers {
    channels: BTreeMap<ChannelKind, Vec<u32>>,
    buffers: Vec<PlacedBuffer>,
}

/// A remote buffer of a GPU, with the type of the channels that reach it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct PlacedBuffer {
    kind: ChannelKind,
    buffer: PeerBuffer,
}

impl GpuNumbers {
    fn buffer(&mut self, placed: PlacedBuffer) -> usize {
        self.buffers.iter().position(|&known| known == placed).unwrap_or_else(|| {
            self.buffers.push(placed);
            self.buffers.len() - 1
        })
    }
}

fn push_gpu(out: &mut String, blocks: &[BlockProgram]) {
    let mut numbers = GpuNumbers::default();
    for (id, block) in blocks.iter().enumerate() {
        push(out, format_args!("{}{{\"id\":{id},\"ops\":[", if id > 0 { ",\n" } else { "" }));
        for (position, operation) in block.operations.iter().enumerate() {
            out.push_str(if position > 0 { ",\n " } else { "\n " });
            push_operation(out, operation);
        }
        out.push_str("],\n \"channels\":[");
        for (position, (&kind, peers)) in block.peers.iter().enumerate() {
            let known = numbers.channels.entry(kind).or_default();
            let ids = known.len()..known.len() + peers.len();
            known.extend(peers);
            let separator = if position > 0 { "," } else { "" };
            push(out, format_args!("{separator}{{\"channel_type\":\"{}\",\"channel_ids\":", kind_name(kind)));
            push_numbers(out, ids);
            out.push('}');
        }
        out.push_str("],\"remote_buffer_refs\":[");
        for (position, (&kind, buffers)) in block.buffers.iter().enumerate() {
            let ids: Vec<usize> =
                buffers.iter().map(|&buffer| numbers.buffer(PlacedBuffer { kind, buffer })).collect();
            let separator = if position > 0 { "," } else { "" };
            let name = kind_name(kind);
            push(out, format_args!("{separator}{{\"access_channel_type\":\"{name}\",\"remote_buffer_ids\":"));
            push_numbers(out, ids);
            out.push('}');
        }
        out.push_str("]}");
    }
    out.push_str("],\n\"channels\":[");
    for (position, (&kind, peers)) in numbers.channels.iter().enumerate() {
        let separator = if position > 0 { "," } else { "" };
        push(out, format_args!("{separator}{{\"channel_type\":\"{}\",\"connected_to\":", kind_name(kind)));
        push_numbers(out, peers);
        out.push('}');
    }
    out.push_str("],\n\"remote_buffers\":[");
    for (position, PlacedBuffer { kind, buffer: PeerBuffer { rank, buffer } }) in
        numbers.buffers.iter().enumerate()
    {
        let separator = if position > 0 { "," } else { "" };
        push(
            out,
            format_args!(
                "{separator}{{\"rank\":{rank},\"type\":\"{buffer}\",\"access_channel_types\":[\"{}\"]}}",
                kind_name(*kind)
            ),
        );
    }
    out.push_str("],\"semaphores\":[]}");
}

fn push_operation(out: &mut String, operation: &PlanOperation) {
    match operation {
        PlanOperation::Meet => out.push_str("{\"name\":\"nop\"}"),
        PlanOperation::Signal { kind, channels, relaxed } => {
            push_channel_operation(out, if *relaxed { "rlxsignal" } else { "signal" }, *kind, channels);
        }
        PlanOperation::Wait { kind, channels, relaxed } => {
            push_channel_operation(out, if *relaxed { "rlxwait" } else { "wait" }, *kind, channels);
        }
        PlanOperation::Copy { source, target } => {
            out.push_str("{\"name\":\"copy\",\"src_buff\":[");
            push_own(out, *source);
            out.push_str("],\"dst_buff\":[");
            push_own(out, OwnChunks { place: *target, count: source.count });
            out.push_str("]}");
        }
        PlanOperation::Add { sources, target } => {
            out.push_str("{\"name\":\"re\",\"src_buff\":[");
            for (position, &source) in sources.iter().enumerate() {
                out.push_str(if position > 0 { "," } else { "" });
                push_own(out, source);
            }
            out.push_str("],\"dst_buff\":[");
            push_own(out, OwnChunks { place: *target, count: sources[0].count });
            out.push_str("],\"reduce_op\":\"sum\"}");
        }
        PlanOperation::Put { kind, writes } => push_put(out, *kind, writes),
    }
}

fn push_channel_operation(out: &mut String, name: &str, kind: ChannelKind, channels: &[usize]) {
    push(out, format_args!("{{\"name\":\"{name}\",\"channel_ids\":"));
    push_numbers(out, channels);
    push(out, format_args!(",\"channel_type\":\"{}\"}}", kind_name(kind)));
}

fn push_own(out: &mut String, OwnChunks { place: BufferPlace { buffer, offset }, count }: OwnChunks) {
    push(out, format_args!("{{\"type\":\"{buffer}\",\"index\":{offset},\"size\":{count}}}"));
}

fn push_put(out: &mut String, kind: ChannelKind, writes: &[PeerWrite]) {
    out.push_str("{\"name\":\"put\",\"src_buff\":[");
    for (position, write) in writes.iter().enumerate() {
        out.push_str(if position > 0 { "," } else { "" });
        push_own(out, write.source);
    }
    out.push_str("],\"dst_buff\":[");
    for (position, PeerWrite { source, buffer, offset, .. }) in writes.iter().enumerate() {
        let (separator, size) = (if position > 0 { "," } else { "" }, source.count);
        push(out, format_args!("{separator}{{\"buffer_id\":{buffer},\"index\":{offset},\"size\":{size}}}"));
    }
    out.push_str("],\"channel_ids\":");
    push_numbers(out, writes.iter().map(|write| write.channel));
    push(out, format_args!(",\"channel_type\":\"{}\"}}", kind_name(kind)));
}
