//! The values that the kernel judges: a topology, which of it is lit, its demand, its tables and
//! certificates.
//!
//! Nothing here reads a spec or knows what a fabric is made of. The crate depends on one other, for sets of
//! bits.

mod capacity;
mod certificates;
mod demand;
pub mod divisors;
mod fraction;
pub mod ids;
mod names;
mod scene;
mod symmetry;
mod tables;
mod topology;
mod walk;

pub use capacity::Capacities;
pub use certificates::{Distances, DualLengths, FlowCertificate};
pub use demand::*;
pub use fraction::Fraction;
pub use names::{PORT_NAMES, RouterNames, TierNames};
pub use scene::Scene;
pub use symmetry::Symmetry;
pub use tables::{
    ForwardingTables, GroupEntry, GroupMembers, GroupTables, GroupTablesBuilder, MOST_RELAYS, Relay,
    TableEntry, TableKey, VcCount,
};
pub use topology::{End, Link, LinkClass, Topology};
pub use walk::Walk;
