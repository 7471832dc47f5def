//! Reads artifacts: the formats of docs/artifacts.md as values, and nothing more.
//!
//! Comes in: the bytes of a file. Goes out: what it says, or where it is not what its format asks for.
//! Whether that is true, or fits a spec, is for whoever reads. A format is described once, strictly: every
//! key that fabc writes, and no other. Where other programs write it as well, a second shape beside that one
//! takes what is needed and skips the rest.
//!
//! The checker stands on this room, so it has no codes of the compiler in it: no packing of tables, no
//! formula, no list of faults.

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

pub(crate) use certificates::{Certificates, FlowLine, ScenarioLine};
pub(crate) use collective::CollectiveFile;
pub(crate) use floor::FloorFile;
pub(crate) use formula::{FieldLine, FormulaFile, SupernodeLine, VcLine};
pub(crate) use json::{Ordered, Tagged, json, tagged};
pub(crate) use kept::{KeptFile, KeptReport, ShardsFile};
pub(crate) use manifest::Manifest;
pub(crate) use msccl::{MscclBlock, MscclGpu, MscclKind, MscclProgram, MscclStep};
pub use ocs::OcsSetting;
pub(crate) use ocs::{AnyConfigDb, AnyOcsFile, ConfigCrossConnect, ConfigDb, ConfigPort, OcsFile};
pub(crate) use placement::PlacementFile;
pub(crate) use plan::PlanFile;
pub(crate) use repair::{DeltaFile, RepairFile};
pub(crate) use report::{Report, RequireLine};
pub(crate) use schedule::ScheduleFile;
pub(crate) use simulation::{BracketLine, CompletionLine, DelayLine, PointLine, SimulatedLine, SimulationFile, VcUseLine, millionths};
pub(crate) use sweep::{FailedFile, SweepFile};
pub(crate) use switch::{Light, StateDb, SwitchFile, is_normal, switch_file};
pub(crate) use symmetry::{NoGroup, closure, of_blocks};
pub(crate) use tables::{AnyRouterLine, AnyTablesFile, Line, RouterLine, Served, TablesFile, TablesHead, key_of, width_of};
pub(crate) use tables_bin::BinaryTables;
pub(crate) use topology::{AnyRouter, AnyTopology, ClassLine, Generators, KindLine, NetworkFile, TopologyFile};
