//! Reads artifacts: the formats of docs/artifacts.md as values, and nothing more.
//!
//! In: the bytes of a file. Out: its content, or the place where it violates its format. The callers decide
//! whether the content is true and fits a spec. A format is described once, strictly: every key that fabc
//! writes, and no other. Where other programs write the format as well, a second shape takes what is needed
//! and skips the rest.
//!
//! The checker depends on this module, so it has no code of the compiler in it: no packing of tables, no
//! formula, no list of faults.

#![allow(
    missing_docs,
    reason = "the types and fields are those of the formats, and docs/artifacts.md says what they mean"
)]

mod certificates;
mod collective;
mod floor;
mod formula;
mod images;
mod job;
mod json;
mod kept;
mod kept_plan;
mod manifest;
mod msccl;
mod mscclpp;
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

pub use certificates::{
    BisectionLine, Certificates, CertifiedScenario, CutWeightsLine, FlowLine, PathDemandLine, PermutationLine,
};
pub use collective::CollectiveFile;
pub use floor::FloorFile;
pub use formula::{FieldLine, FormulaFile, SupernodeLine, VcLine};
pub use job::{
    JobCandidateLine, JobFile, JobOperationLine, JobPhaseLine, JobScenarioLine, JobTopologyLine,
    JobWitnessLine, PhaseTopologyLine, ReconfigureLine,
};
pub use json::{OrderedKeys, Tagged, json, picoseconds_of, tagged};
pub use kept::{KeptFile, KeptReport, KeptTopology, QueueFile, ShardsFile};
pub use kept_plan::KeptPlan;
pub use manifest::Manifest;
pub use msccl::{MscclBlock, MscclGpu, MscclKind, MscclProgram, MscclStep, SizeRange};
pub use mscclpp::{
    MscclppBlock, MscclppBuffer, MscclppChannels, MscclppGpu, MscclppIterations, MscclppOperation,
    MscclppPlan, MscclppRankGroup, MscclppRemoteBuffer, MscclppSemaphore, MscclppShare, MscclppUsedBuffers,
    MscclppUsedChannels,
};
pub use ocs::OcsSetting;
pub use ocs::{AnyConfigDb, AnyOcsFile, ConfigCrossConnect, ConfigDb, ConfigPort, OcsFile};
pub use placement::PlacementFile;
pub use plan::{PlanFile, StageLine};
pub use repair::{DeltaFile, RepairFile};
pub use report::{ReportFigures, RequireLine};
pub use schedule::ScheduleFile;
pub use simulation::{
    BatchLines, CompletionLine, DelayLine, OverloadLine, PointLine, Ratio, ReplicationLine, SaturationLine,
    SimulatedLine, SimulationFile, SourceLine, VcUseLine, millionths,
};
pub use sweep::{FailedFile, SweepFile};
pub use switch::{EndLights, Light, PortNames, StateDb, SwitchFile, is_normal, opm_power, switch_file};
pub use symmetry::{NoGroup, closure, of_blocks};
pub use tables::{
    AnyGroupTablesFile, AnyRouterLine, AnyTablesFile, EntryNumbers, GroupTablesFile, RouterLine, TablesFile,
    TablesFormat, TablesHead, entry_width, parse_key,
};
pub use tables_bin::BinaryTables;
pub use topology::{AnyRouter, AnyTopology, ClassLine, Generators, LinkKind, NetworkFile, TopologyFile};
