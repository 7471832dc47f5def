//! Deadlock-free single-path routing within a VC budget; one file per method.
//!
//! In: a topology, which links are lit, and (for `allowed_turns`) channel prices. Out:
//! [`Routes`](fabc_ir::Routes): one route per ordered pair, agreeing wherever two routes share (dst,
//! in_port, in_vc), with a rank order that proves them free of deadlock.

pub mod algebraic;
pub mod allowed_turns;
pub mod axis_order;
mod by_order;
pub mod dimension_order;
mod error;
pub mod lanes;
pub mod minimal;
mod ranks;
pub mod up_down;

pub use error::RouteError;
