//! Deadlock-free routing within a VC budget, with one file per method.
//!
//! Input: a topology, the lit links, and channel prices for `allowed_turns`. Output:
//! [`Routes`](fabc_ir::Routes), one route per ordered pair, next hops, or next-hop groups. Invariants: two
//! routes that share (dst, in_port, in_vc) are the same from there on, and a rank order proves that the
//! routes are free of deadlock.

pub mod algebraic;
pub mod allowed_turns;
pub mod axis_order;
mod by_order;
pub mod dimension_order;
mod error;
pub mod groups;
pub mod lanes;
pub mod minimal;
pub mod ordered_groups;
mod ranks;
mod relays;
mod tiers;
pub mod up_down;
pub mod weights;

pub use error::RouteError;
