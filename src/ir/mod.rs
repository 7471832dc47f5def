//! Data that passes hand forward: no pass logic, nothing that is changed after it was made.

mod cross_connect;
mod flow;
mod fraction;
mod limit;
mod metrics;
mod names;
mod network_metrics;
mod packed_tables;
mod plan;
mod routes;
mod scenario;
mod scene;
mod survivors;
mod symmetry;
mod tables;
mod topology;
mod trees;
mod verdict;

pub use cross_connect::*;
pub use flow::*;
pub use fraction::*;
pub use limit::*;
pub use metrics::*;
pub use names::*;
pub use network_metrics::*;
pub use packed_tables::*;
pub use plan::*;
pub use routes::*;
pub use scenario::*;
pub use scene::*;
pub use survivors::*;
pub use symmetry::*;
pub use tables::*;
pub use topology::*;
pub use trees::*;
