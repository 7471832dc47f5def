//! Reads artifacts: the formats of docs/artifacts.md as values, and nothing more.
//!
//! Comes in: the bytes of a file. Goes out: what it says, or where it is not what its format asks for.
//! Whether that is true, or fits a spec, is for whoever reads. A format is described once, strictly: every
//! key that fabc writes, and no other. Where other programs write it as well, a second shape beside that one
//! takes what is needed and skips the rest.
//!
//! The checker stands on this room, so it has no codes of the compiler in it: no packing of tables, no
//! formula, no list of faults.

#![allow(
    missing_docs,
    reason = "the types and fields are those of the formats, and docs/artifacts.md says what they mean"
)]

mod certificates;
mod collective;
mod floor;
mod formula;
mod json;
mod kept;
mod manifest;
mod msccl;
mod ocs;
mod placement;
mod plan;
mod repair;
mod report;
mod schedule;
mod schedule_bin;
mod simulation;
mod sweep;
mod switch;
mod symmetry;
mod tables;
mod tables_bin;
mod topology;

pub use certificates::{Certificates, FlowLine, ScenarioLine};
pub use collective::CollectiveFile;
pub use floor::FloorFile;
pub use formula::{FieldLine, FormulaFile, SupernodeLine, VcLine};
pub use json::{Ordered, Tagged, json, tagged};
pub use kept::{KeptFile, KeptReport, ShardsFile};
pub use manifest::Manifest;
pub use msccl::{MscclBlock, MscclGpu, MscclKind, MscclProgram, MscclStep};
pub use ocs::OcsSetting;
pub use ocs::{AnyConfigDb, AnyOcsFile, ConfigCrossConnect, ConfigDb, ConfigPort, OcsFile};
pub use placement::PlacementFile;
pub use plan::{PlanFile, StageLine};
pub use repair::{DeltaFile, RepairFile};
pub use report::{Report, RequireLine};
pub use schedule::ScheduleFile;
pub use simulation::{
    BracketLine, CompletionLine, DelayLine, PointLine, SimulatedLine, SimulationFile, VcUseLine, millionths,
};
pub use sweep::{FailedFile, SweepFile};
pub use switch::{Light, StateDb, SwitchFile, is_normal, switch_file};
pub use symmetry::{NoGroup, closure, of_blocks};
pub use tables::{
    AnyRouterLine, AnyTablesFile, Line, RouterLine, Served, TablesFile, TablesHead, key_of, width_of,
};
pub use tables_bin::BinaryTables;
pub use topology::{AnyRouter, AnyTopology, ClassLine, Generators, KindLine, NetworkFile, TopologyFile};
