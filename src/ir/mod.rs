//! Data that passes hand forward: no pass logic, nothing that is changed after it was made.

mod cross_connect;
mod flow;
mod metrics;
mod routes;
mod scenario;
mod survivors;
mod symmetry;
mod tables;
mod topology;

pub use cross_connect::*;
pub use flow::*;
pub use metrics::*;
pub use routes::*;
pub use scenario::*;
pub use survivors::*;
pub use symmetry::*;
pub use tables::*;
pub use topology::*;
