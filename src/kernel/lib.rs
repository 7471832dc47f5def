//! The part of fabc that must be right.
//!
//! Whoever trusts fabc trusts this crate, the values of `fabc-topology`, and two libraries: one for sets of
//! bits, one that runs loops in parallel. `docs/kernel.md` states every property that is proved here and the
//! argument for it. Nothing here knows a spec, a family, a pod or a file.
//!
//! | property | function | argument |
//! |---|---|---|
//! | a symmetry holds | [`automorphisms`], [`keeps_demand`] | it carries links onto links |
//! | packets arrive | [`judge`], [`judge_third_party`] | every ordered pair is walked, entry by entry |
//! | loads, hops and latencies | [`judge`] | counted along the same walk |
//! | no deadlock | [`judge`] | ranks rise along every dependency, or no circle is found |
//! | distances | [`distances`] | breadth-first search from every class of routers |
//! | an upper end of the throughput | [`dual`] | channel lengths, by linear-programming duality |
//! | a lower end of the throughput | [`flow`] | an integer flow that balances at every router |

#![forbid(unsafe_code)]

mod conviction;
mod deadlock;
mod dependencies;
mod distances;
mod dual;
mod flow;
mod forwarding;
mod judge;
mod lit_graph;
mod network;
mod symmetry;
mod table;
mod walker;

pub use conviction::{Conviction, Loss, Position, TableConviction, TableFault, Waiting};
pub use deadlock::DeadlockFree;
pub use dependencies::Held;
pub use distances::{demand_hops, distances, measured_distances};
pub use dual::{dual, volume_and_distance};
pub use flow::flow;
pub use forwarding::Forwarding;
pub use judge::{Judged, Rejection, ThirdParty, judge, judge_third_party};
pub use lit_graph::{LitGraph, expect_length, expect_lit, port_name, symmetry_of};
pub use network::{Endpoint, NOWHERE, Network};
pub use symmetry::{automorphisms, automorphisms_of_lit, group, keeps_demand};
pub use table::{DISCARDED, Lookup, MISSING, NO_LANE, Table, packed, unpacked};
pub use walker::Walked;

#[cfg(test)]
mod tests;
