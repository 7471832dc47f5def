//! The fabric in motion: a cycle-level model of the routers runs finished forwarding tables.
//!
//! In: a surviving topology, its tables, and the model of the routers. Out: which part of the offered traffic
//! was accepted, and how long packets took. Nothing here knows how the tables were made. The model looks hops
//! up one by one, as a router does. Invariant: a run is a function of tables, parameters, rate and seed. It
//! depends neither on the number of threads nor on the order of visits.
//!
//! Time is in cycles, and the fastest channels move one flit per cycle. `packet` holds the model of whole
//! packets. It is virtual cut-through (Kermani and Kleinrock, 1979) with queues at the inputs, as in CNSim.
//! `flit` holds the model of single flits. These are wormholes through routers that allocate virtual channels
//! and the switch, as in BookSim. `run` chooses between the two.

mod backlog;
mod batches;
mod births;
mod block;
mod bracket;
mod choice;
mod closed_messages;
mod completion;
mod consistency;
mod control;
mod cycles;
mod defaults;
mod dependencies;
mod digest;
mod elsewhere;
mod endpoints;
mod errors;
mod flit;
mod layout;
mod links;
mod load;
mod mark_laws;
mod overload;
mod overload_runs;
mod packet;
mod patience;
mod point;
mod prepare;
mod rate;
mod remake;
mod replication;
mod report;
mod reported;
mod routes;
mod routing;
mod run;
mod saturation;
mod setting;
mod simulate;
mod slab;
mod statistics;
mod supply;
mod tables;
mod tally;
mod traffic;
mod trial;
mod waiting;
mod wheel;

pub use block::{rates, run_block, settle};
pub use completion::{Completion, Volume};
pub use consistency::Misfit;
pub use control::has_control;
pub use defaults::parameters_of_chips;
pub use elsewhere::Elsewhere;
pub use errors::{BlockError, SimError};
pub use fabc_model::{
    Ack, Arbitration, Bursts, Credits, HalfRoutes, HostPorts, LaneChoice, MarkControl, MarkLaw, MessageOrder,
    PacketRouting, Rate, RouterModel, RoutingSettings, Score, SimulationParameters, Trace, Traffic,
    TrafficDetails, WindowControl,
};
pub use load::{Limit, StaticLoad};
pub use overload::{Overload, SourceCount};
pub use point::{Batch, Delays, HalfWidths, Point, VcUse};
pub use prepare::{Prepared, has_births, has_links, has_traffic, has_vcs, prepare};
pub use remake::{ReportedRun, every_run};
pub use replication::Replication;
pub use report::{AlikeChannels, SimReport};
pub use reported::reported;
pub use routing::{PathSelection, Ugal};
pub use run::{complete, run};
pub use saturation::{Beyond, RateInterval, Saturation, saturation};
pub use setting::{LinkPace, RunCycles, Setting, SourceControl, SourceMarks};
pub use simulate::{curve, simulate};
pub use statistics::half_width;
pub use tables::SimulatedTables;
pub use traffic::read_trace;
