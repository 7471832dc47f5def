//! What a training job moves: volumes of a transformer model by axis.
//!
//! In: a model, its batch, the bytes of its numbers, and how ranks share it. Out: phases of operations with
//! their bytes and runs, the floating-point operations of a rank, and the time that a pipeline waits. All are
//! closed forms in integers. Bytes are rounded up to whole ones, once per operation. Formulas:
//! `docs/language.md`, section "Jobs".
//!
//! Sizes of operations are those of collectives: the full vector of one chip.

mod cut;
mod misfit;
mod phases;
mod transformer;
mod work;

#[cfg(test)]
mod tests;

pub use cut::{AXES, Axis, Batch, ElementBits, ParallelSizes};
pub use misfit::Misfit;
pub use phases::Overlap;
pub use transformer::{Experts, Transformer};

use fabc_base::diag::Span;
use fabc_model::{JobAxis, JobPhase};

/// A training job on a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrainingJob {
    /// The model that is trained.
    pub model: Transformer,
    /// The sequences of a step.
    pub batch: Batch,
    /// Bits of single numbers.
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
    /// Nothing.
    None,
    /// Parts of the attention, which need no communication.
    Selective,
    /// Every layer.
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

impl TrainingJob {
    /// The phases of a step, one after the other. Phases without bytes are left out. `axes` are those of the
    /// job, which may have other sizes for axes that are not written. All parts get the place `span`.
    ///
    /// # Errors
    /// The first part of the model that the ranks cannot share evenly, or an operation that is too large.
    pub fn phases(&self, axes: &[JobAxis], overlap: &Overlap, span: Span) -> Result<Vec<JobPhase>, Misfit> {
        self.check()?;
        phases::phases(self, axes, overlap, span)
    }
}
