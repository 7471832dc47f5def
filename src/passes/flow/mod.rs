//! Analysis: exact hop distances and the certified maximum concurrent flow of a topology, healthy or with
//! dark OCSes.
//!
//! In: a scene. Out: [`Distances`](fabc_ir::Distances) and [`ConcurrentFlow`](fabc_ir::ConcurrentFlow).
//! Everything that is reported is exact integer arithmetic on what the methods return; the methods themselves
//! may be heuristic.

mod circle;
mod concurrent;
mod distances;
mod lengths;
mod mixture;
mod quotient;
mod rebalance;

pub use concurrent::{Settings, Start, concurrent, price};
pub use distances::{demand_hops, distances};
