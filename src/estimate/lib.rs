//! What collectives cost by closed form: no spec, no topology, no search.
//!
//! Comes in: a kind, a size, a shape of the fabric, and what a channel takes. Goes out: a row per algorithm
//! and per bound, each with its time as a line over the size. Invariant: a row is `steps x latency + messages
//! x overhead + volume x size / bandwidth`, and the three parts stay apart until they are printed. Sizes are
//! per chip, of the whole vector (`docs/collectives.md`).

mod algorithms;
mod ask;
pub mod availability;
mod bounds;
mod cost;
mod counts;
mod errors;
mod hierarchy;
mod load;
mod quantity;
mod shape;
mod sizes;
mod table;
mod words;

pub use algorithms::{Algorithm, Links, algorithms, in_switch};
pub use ask::{Arguments, Ask, ask};
pub use bounds::bounds;
pub use cost::{Channel, Cost, Derating, Time};
pub use errors::EstimateError;
pub use hierarchy::{Level, Phase};
pub use load::{line_load, ring_load};
pub use shape::{Quantity, Shape};
pub use sizes::{all_sizes, duration, size};
pub use table::{Crossover, Over, Question, Row, Table, crossovers, table};
pub use words::Word;
