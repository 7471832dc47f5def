//! The values that one phase hands to the next: no pass logic, and nothing that changes after it was made.

mod chip_groups;
mod collective_report;
mod collective_result;
mod collision;
mod cross_connect;
mod diff;
mod drift;
mod flow;
mod forest;
mod hardware;
mod job_result;
mod kept;
mod light;
mod limit;
mod makespan;
mod metrics;
mod neighbors;
mod network_metrics;
mod packed_tables;
mod pair_paths;
mod pair_route;
mod permutation;
mod placement;
mod plan;
pub mod read;
mod repair;
mod router_names;
mod routes;
mod scenario;
mod scenario_tables;
mod scenes;
mod schedule;
mod slices;
mod starts;
mod survivors;
mod sweep;
mod tiers;
mod timed;
mod trade_off;
mod trees;
mod verdict;

pub use chip_groups::*;
pub use collective_report::*;
pub use collective_result::*;
pub use collision::*;
pub use cross_connect::*;
pub use diff::*;
pub use drift::*;
pub use flow::*;
pub use forest::*;
pub use hardware::*;
pub use job_result::*;
pub use kept::*;
pub use light::*;
pub use limit::*;
pub use makespan::*;
pub use metrics::*;
pub use neighbors::*;
pub use network_metrics::*;
pub use packed_tables::*;
pub use pair_paths::*;
pub use pair_route::*;
pub use permutation::*;
pub use placement::*;
pub use plan::*;
pub use repair::*;
pub use router_names::router_names;
pub use routes::*;
pub use scenario::*;
pub use scenario_tables::ScenarioTables;
pub use scenes::*;
pub use schedule::*;
pub use slices::*;
pub use starts::*;
pub use survivors::*;
pub use sweep::*;
pub use tiers::{ordered_tiers, tiers_above_endpoints, topology_tiers};
pub use timed::*;
pub use trade_off::*;
pub use trees::*;

pub use fabc_topology::{
    Distances, DualLengths, End, FlowCertificate, ForwardingTables, Fraction, GroupEntry, GroupMembers,
    GroupTables, GroupTablesBuilder, Link, LinkClass, MOST_RELAYS, Relay, RouterNames, Scene, Symmetry,
    TableEntry, TableKey, TierNames, Topology, Walk,
};
