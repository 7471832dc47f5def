//! What a training job moves: volumes of a transformer model by axis.
//!
//! In: a model, its batch, the bytes of its numbers, and how ranks share it. Out: phases of operations with
//! their bytes and runs, the floating-point operations of a rank, and the time that a pipeline waits. All are
//! closed forms in integers. Bytes are rounded up to whole ones, once per operation. Formulas:
//! `docs/language.md`, section "Jobs".
//!
//! Sizes of operations are those of collectives: the full vector of one chip.

mod cut;
mod known;
mod misfit;
mod phases;
mod training_job;
mod transformer;
mod work;

#[cfg(test)]
mod tests;

pub use cut::{AXES, Axis, Batch, ElementBits, ParallelSizes};
pub use known::{KNOWN_MODELS, KnownModel};
pub use misfit::Misfit;
pub use phases::Overlap;
pub use training_job::{ContextExchange, ParallelSettings, Recompute, TrainingJob};
pub use transformer::{Experts, Transformer};
