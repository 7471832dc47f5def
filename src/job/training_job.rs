//! A training job on a model, and how its ranks share the model.

use super::cut::{Batch, ElementBits, ParallelSizes};
use super::transformer::Transformer;

/// A training job on a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrainingJob {
    /// The model that is trained.
    pub model: Transformer,
    /// The sequences of a step.
    pub batch: Batch,
    /// Bits of a single number, by kind.
    pub bits: ElementBits,
    /// How many ranks share the parts of the model.
    pub sizes: ParallelSizes,
    /// How the ranks share them.
    pub settings: ParallelSettings,
}

/// How ranks share a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParallelSettings {
    /// Whether activations are split along the sequence where `tensor` would copy them.
    pub sequence_parallel: bool,
    /// What the backward pass computes again.
    pub recompute: Recompute,
    /// Whether inputs of layers are kept split, and gathered again for the backward pass.
    pub gather_again: bool,
    /// How the ranks of `context` exchange keys and values.
    pub context: ContextExchange,
    /// Stages of a pipeline per rank, positive.
    pub virtual_stages: u32,
    /// The stage of ZeRO, 0 to 3.
    pub zero: u8,
    /// With ZeRO 3: whether gathered weights are kept for the whole step.
    pub keep_weights: bool,
    /// Whether a token that chooses several experts of one rank is sent once.
    pub dedup: bool,
}

/// What the backward pass computes again instead of keeping it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recompute {
    /// Nothing: all activations are kept.
    None,
    /// Parts of the attention, which need no communication.
    Selective,
    /// Every layer, from its inputs.
    Full,
}

/// How the ranks of `context` exchange keys and values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ContextExchange {
    /// Each rank sends them to the next one of a ring.
    Ring,
    /// Each rank gathers all of them.
    Gather,
}
