//! The static loads that a traffic puts on the channels, against which a run is compared.
//!
//! In: the expected traffic between routers, and the rule by which packets find their paths. Out: loads of
//! channels as integers, and the highest rate that they and the ports of hosts allow. Sums are of integers,
//! so the order of addition has no effect.
//! order of adding shows.

mod astray;
mod by_choice;
mod by_tables;
mod whole;

pub(super) use astray::{Astray, AstrayReason};
pub use whole::{Limit, StaticLoad};
pub(super) use whole::{LoadInputs, load, walk_back};
