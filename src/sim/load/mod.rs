//! What a traffic puts on the channels: the promise that a run is held against.
//!
//! In: what the traffic comes to between routers, and how packets find their ways. Out: loads of channels in
//! integers, and the highest rate that they and the ports of hosts allow. Sums are of integers, so that no
//! order of adding shows.

mod astray;
mod by_choice;
mod by_tables;
mod whole;

pub(super) use astray::Why;
pub use whole::{Limit, StaticLoad};
pub(super) use whole::{Ways, load};
