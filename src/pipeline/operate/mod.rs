//! Operations on built directories: repairs, changes, comparisons with live switches, placements of slices.
//!
//! In: folders of builds, live settings of switches, names of parts. Out: values, which the caller prints or
//! writes. An operation ends with a [`Refusal`](crate::refusal::Refusal) where it cannot be done, and with a
//! [`Convicted`](crate::refusal::Convicted) where the checker rejects what it read.

mod built;
mod carried;
mod chain;
mod change;
mod chip_plans;
mod down;
mod drift;
mod job_settings;
mod live_tables;
mod local_slice;
mod opened;
mod place;
mod placed;
mod plan;
mod pods;
mod repair;
mod reported;
mod route;
mod slice_tables;
mod slices_drift;
mod stored;
mod swap;

pub(crate) use change::check_fit;
pub(crate) use live_tables::{AlignedTables, earlier_repair, served_scene};
pub(crate) use place::placing;
pub(crate) use repair::{MOST_ENTRIES, ProvedDown, prove_down};
pub(crate) use stored::has_scenario;

pub use built::{BuiltFabric, manifest_hash};
pub use chain::ChangeManifest;
pub use change::{StagingRequest, stage_change};
pub use chip_plans::{ScheduledFabric, read_chip_plans};
pub use down::{AsBuilt, DownParts};
pub use drift::{BuiltWiring, PodDrift, drifted_switches};
pub use job_settings::with_settings;
pub use local_slice::LocalSlice;
pub use opened::OpenedFabric;
pub use place::{
    ConvertedSlice, PlacementChange, initial_placement, lit_placement, placed_files, placed_light,
    refuse_dark_pod,
};
pub use placed::{PlacedFabric, placement_settings, pod_of_slices, read_kind};
pub use plan::BuiltSwitches;
pub use pods::{complete_settings, face_port_count, pod_of};
pub use repair::{FinishedRepair, RepairRequest, repair_down};
pub use reported::{COLLECTIVE_COLUMNS, SIZES, reported_collectives, reported_metrics};
pub use route::{EVERY_SCENARIO, PairOfRouters, RoutedPair, read_routes};
pub use slice_tables::{NamedRouter, SliceScenarios};
pub use stored::{read_group_tables, read_scenario_tables, stored_scenarios};
pub use swap::{SliceRepair, SwappedFabric, swap_dead_cubes};
