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
mod block;
mod choice;
mod completion;
mod consistency;
mod cycles;
mod digest;
mod endpoints;
mod errors;
mod flit;
mod layout;
mod load;
mod packet;
mod point;
mod prepare;
mod rate;
mod remake;
mod report;
mod reported;
mod routes;
mod routing;
mod run;
mod saturation;
mod setting;
mod simulate;
mod slab;
mod supply;
mod tally;
mod traffic;
mod waiting;
mod wheel;

pub use block::{rates, run_block, settle};
pub use completion::{Completion, Volume};
pub use consistency::Misfit;
pub use errors::{BlockError, SimError};
pub use fabc_model::{
    Arbitration, Bursts, Choosing, Credits, Details, Hosts, Lanes, Model, Order, Parameters, Rate, Routing,
    Score, Shortest, Trace, Traffic,
};
pub use load::{Limit, StaticLoad};
pub use point::{Delays, Point, VcUse};
pub use prepare::{Prepared, has_births, has_traffic, has_vcs, prepare};
pub use remake::{ReportedRun, every_run};
pub use report::{AlikeChannels, SimReport};
pub use reported::reported;
pub use routing::{PathSelection, Ugal};
pub use run::{complete, run};
pub use saturation::{Beyond, Saturation, saturation};
pub use setting::Setting;
pub use simulate::{curve, simulate};
pub use traffic::read_trace;
