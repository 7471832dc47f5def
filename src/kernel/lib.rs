//! The part of fabc that must be right.
//!
//! Whoever trusts fabc trusts this crate, the values of `fabc-topology`, and two libraries. One of them has
//! sets of bits, the other runs loops in parallel. `docs/kernel.md` states every property that is proved here
//! and the argument for it. Nothing here knows a spec, a family, a pod or a file.
//!
//! | property | function | argument |
//! |---|---|---|
//! | a symmetry holds | [`check_automorphisms`], [`check_demand_symmetry`] | it carries links onto links |
//! | packets arrive | [`judge`], [`judge_third_party`] | every ordered pair is walked, entry by entry |
//! | loads, hops and latencies | [`judge`] | counted along the same walk |
//! | packets arrive by any choice of a group | [`judge_groups`] | every group is found again by a search |
//! | no deadlock | [`judge`] | ranks rise along every dependency, or no cycle is found |
//! | distances | [`check_distances`] | breadth-first search from every class of routers |
//! | an upper end of the throughput | [`check_dual`] | channel lengths, by linear-programming duality |
//! | a lower end of loads of shortest routes | [`volume_and_shortest_distance`] | the same, on such paths |
//! | a lower end of the throughput | [`check_flow`] | an integer flow that balances at every router |

#![forbid(unsafe_code)]

mod conviction;
mod deadlock;
mod dependencies;
mod distances;
mod dual;
mod flow;
mod forwarding;
mod groups;
mod judge;
mod lit_graph;
mod network;
mod relays;
mod symmetry;
mod table;
mod tally;
mod valid_paths;
mod walker;

pub use conviction::{Conviction, Loss, Position, TableConviction, TableFault, WaitingPacket};
pub use deadlock::{DeadlockFree, shortest_cycle};
pub use dependencies::{Dependencies, HeldChannel};
pub use distances::{check_distances, demand_hops, measured_distances};
pub use dual::{check_dual, volume_and_distance, volume_and_shortest_distance};
pub use flow::check_flow;
pub use forwarding::Forwarding;
pub use groups::{GroupConviction, GroupsProved, judge_groups};
pub use judge::{Judged, Rejection, ThirdParty, judge, judge_third_party};
pub use lit_graph::{LitGraph, Nearest, expect_length, expect_lit, port_name, scene_symmetry};
pub use network::{Endpoint, NOWHERE, PortGraph};
pub use symmetry::{check_automorphisms, check_demand_symmetry, check_group, check_lit_automorphisms};
pub use table::{DISCARDED, Lookup, LookupTable, MISSING, NO_LANE, packed, unpacked};
pub use tally::Walked;
pub use valid_paths::{TierGraph, ValidPaths};

#[cfg(test)]
mod tests;
