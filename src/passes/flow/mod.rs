//! Analysis: exact hop distances and the certified maximum concurrent flow of a topology, healthy or with
//! dark OCSes.
//!
//! Input: a scene. Output: [`Distances`](fabc_ir::Distances) and
//! [`ConcurrentFlow`](fabc_ir::ConcurrentFlow). Every reported number is exact integer arithmetic on the
//! results of the methods. The methods themselves may be heuristic.

mod certify;
mod circulant;
mod concurrent;
mod descent;
mod distances;
mod lengths;
mod mixture;
mod quotient;
mod rebalance;
mod settings;
mod split;

pub use concurrent::{concurrent, price};
pub use distances::{demand_hops, distances};
pub use settings::{FlowSettings, StartLengths};
