//! Execution plans of MSCCL++: a collective as one-sided writes, signals and waits of thread blocks. Other
//! keys are skipped, as the runtime does.
//!
//! The keys are those that `src/core/executor/execution_plan.cc` of microsoft/mscclpp reads.

use serde::Deserialize;

/// A plan: the whole file.
#[derive(Deserialize)]
pub struct MscclppPlan {
    pub name: String,
    pub collective: String,
    /// `Simple`, or `LL` for packets that carry a flag.
    pub protocol: String,
    #[serde(rename = "inplace")]
    pub in_place: bool,
    /// Whether a scratch of fixed size is used for messages of every size.
    #[serde(default)]
    pub reuse_resources: bool,
    pub gpus: Vec<MscclppGpu>,
}

/// A GPU with its thread blocks.
#[derive(Deserialize)]
pub struct MscclppGpu {
    pub id: u32,
    pub input_chunks: u32,
    pub output_chunks: u32,
    pub scratch_chunks: u32,
    #[serde(rename = "threadblocks")]
    pub blocks: Vec<MscclppBlock>,
    #[serde(default)]
    pub channels: Vec<MscclppChannels>,
    #[serde(default)]
    pub remote_buffers: Vec<MscclppRemoteBuffer>,
    #[serde(default)]
    pub semaphores: Vec<MscclppSemaphore>,
}

/// Channels of one type. Channels of a type have numbers in the order of all lists.
#[derive(Deserialize)]
pub struct MscclppChannels {
    pub channel_type: String,
    /// The peers, one per channel.
    #[serde(default)]
    pub connected_to: Vec<u32>,
    /// Of a switch: the buffer that it joins.
    #[serde(alias = "buff")]
    pub buffer_type: Option<String>,
    #[serde(default)]
    pub rank_groups: Vec<MscclppRankGroup>,
}

/// GPUs whose buffers a switch joins.
#[derive(Deserialize)]
pub struct MscclppRankGroup {
    pub ranks: Vec<u32>,
}

/// A buffer of another GPU.
#[derive(Deserialize)]
pub struct MscclppRemoteBuffer {
    pub rank: u32,
    #[serde(rename = "type")]
    pub buffer: String,
    pub access_channel_types: Vec<String>,
}

/// A counter that thread blocks of a GPU share.
#[derive(Deserialize)]
pub struct MscclppSemaphore {
    pub init_value: u32,
}

/// A thread block with its operations.
#[derive(Deserialize)]
pub struct MscclppBlock {
    pub id: u32,
    #[serde(rename = "ops")]
    pub operations: Vec<MscclppOperation>,
    #[serde(default)]
    pub channels: Vec<MscclppUsedChannels>,
    #[serde(default)]
    pub remote_buffer_refs: Vec<MscclppUsedBuffers>,
}

/// Channels of a GPU that a thread block uses.
#[derive(Deserialize)]
pub struct MscclppUsedChannels {
    pub channel_type: String,
    pub channel_ids: Vec<u32>,
}

/// Remote buffers of a GPU that a thread block uses.
#[derive(Deserialize)]
pub struct MscclppUsedBuffers {
    pub access_channel_type: String,
    pub remote_buffer_ids: Vec<u32>,
}

/// An operation of a thread block.
#[derive(Deserialize)]
pub struct MscclppOperation {
    pub name: String,
    pub channel_type: Option<String>,
    #[serde(default)]
    pub channel_ids: Vec<u32>,
    #[serde(default, rename = "src_buff")]
    pub sources: Vec<MscclppBuffer>,
    #[serde(default, rename = "dst_buff")]
    pub targets: Vec<MscclppBuffer>,
    pub barrier_id: Option<u32>,
    #[serde(rename = "num_threadblocks")]
    pub barrier_blocks: Option<u32>,
    #[serde(default)]
    pub semaphore_ids: Vec<u32>,
    /// The share of the operation that the thread block does.
    #[serde(rename = "tbg_info")]
    pub share: Option<MscclppShare>,
    /// Of a pipeline: how often it repeats.
    #[serde(rename = "iter_context")]
    pub iterations: Option<MscclppIterations>,
    /// Of a pipeline: what it repeats.
    #[serde(default, rename = "ops")]
    pub repeated: Vec<MscclppOperation>,
}

/// A part of a buffer, in chunks.
#[derive(Deserialize)]
pub struct MscclppBuffer {
    /// Of the own GPU: its letter.
    #[serde(rename = "type")]
    pub buffer: Option<String>,
    /// Of another GPU: its number among those of the thread block.
    pub buffer_id: Option<u32>,
    /// Of all GPUs of a switch: its number among those of the thread block.
    pub switch_channel_id: Option<u32>,
    pub index: u32,
    pub size: u32,
}

/// Which of equal shares of an operation.
#[derive(Deserialize)]
pub struct MscclppShare {
    pub tb_id: u32,
    pub tbg_size: u32,
}

/// How often a pipeline repeats: until so many chunks are done, `unit_size` bytes at a time.
#[derive(Deserialize)]
pub struct MscclppIterations {
    pub unit_size: u64,
    pub num_chunks: u32,
}

impl MscclppPlan {
    /// Whether JSON is a plan, and not a schedule of fabc.
    pub fn is_plan(bytes: &[u8]) -> bool {
        #[derive(Deserialize)]
        struct PlanKeys {
            format: Option<serde::de::IgnoredAny>,
            gpus: Option<serde::de::IgnoredAny>,
        }
        serde_json::from_slice(bytes)
            .is_ok_and(|PlanKeys { format, gpus }: PlanKeys| format.is_none() && gpus.is_some())
    }
}
