//! Estimates collectives by closed forms. It needs no spec, no topology and no search.
//!
//! Input: a kind of collective, a size, a shape of the fabric, and the costs of a channel. Output: one row
//! per algorithm and per bound, each with its time as a linear function of the size. Invariant: the time of a
//! row is `steps x latency + messages x overhead + volume x size / bandwidth`. The three parts stay separate
//! until they are printed. Sizes are bytes per chip, of the whole vector (`docs/collectives.md`).

mod algorithms;
pub mod availability;
mod bounds;
mod cost;
mod counts;
mod errors;
mod hierarchy;
mod load;
mod quantity;
mod request;
mod shape;
mod sizes;
mod table;
mod words;

pub use algorithms::{Algorithm, LinkUse, algorithms, in_switch};
pub use bounds::bounds;
pub use cost::{Channel, Cost, Derating, Time};
pub use errors::EstimateError;
pub use hierarchy::{NetworkLevel, Phase};
pub use load::{line_load, ring_load};
pub use request::{Arguments, EstimateRequest, parse_request, parse_shape};
pub use shape::{FabricShape, ShapeQuantity};
pub use sizes::{parse_duration, parse_size, parse_sizes};
pub use table::{Crossover, EstimateRow, EstimateTable, OuterFabric, Question, crossovers, estimate_table};
pub use words::CommandWord;
