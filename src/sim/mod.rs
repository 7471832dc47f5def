//! The fabric in motion: a cycle-level model of the routers runs finished forwarding tables.
//!
//! Comes in: what is left of a topology, its tables, and how the routers are to be modelled. Goes out: what
//! was accepted of what was offered, and how long it took. Nothing here knows how the tables were made: they
//! are asked hop by hop, as a router asks them. Invariant: a run is a function of tables, parameters, rate
//! and seed; no number of threads and no order of visits shows.
//!
//! Time is in cycles; a channel moves one flit per cycle. `packet` holds the model of whole packets: virtual
//! cut-through (Kermani and Kleinrock, 1979) with queues at the inputs, as CNSim has it. `flit` holds the
//! model of single flits: wormholes through routers whose virtual channels and switch are allocated, as
//! BookSim has it. `run` chooses.

mod births;
mod endpoints;
mod errors;
mod flit;
mod layout;
mod load;
mod packet;
mod parameters;
mod point;
mod prepare;
mod rate;
mod report;
mod routes;
mod run;
mod saturation;
mod simulate;
mod tally;
mod traffic;
mod waiting;
mod wheel;

pub use errors::SimError;
pub use load::StaticLoad;
pub use parameters::{Arbitration, Credits, Hosts, Lanes, Model, Parameters, Setting, Traffic};
pub use point::{Delays, Point, VcUse};
pub use prepare::{Prepared, prepare};
pub use rate::Rate;
pub use report::SimReport;
pub use run::run;
pub use saturation::{Saturation, saturation};
pub use simulate::{curve, simulate};
