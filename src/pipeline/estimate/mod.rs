//! Estimates by closed forms, without a spec: collectives on a shape, and training jobs.
//!
//! In: words of a command line. Out: values. Errors point at a word of the line.

mod answer;
mod job;
mod quantities;
mod words;

pub use answer::answer_estimate;
pub use fabc_estimate::{EstimateRequest, EstimateTable};
pub use job::{JobOptions, UnfitJob, estimate_job};
pub use quantities::{CollectiveQuantities, QuantityWords, parse_quantities};
pub use words::UnreadWords;
