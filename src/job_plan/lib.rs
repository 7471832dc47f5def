//! Plans of training jobs: which chip is which rank, what every phase puts on channels, how long a step
//! takes, and how long it must take at least.
//!
//! Input: a [`Job`](fabc_model::Job), a scene with forwarding tables, and schedules of collectives in groups.
//! Output: the parts of a [`JobOutcome`](fabc_ir::JobOutcome). Times are whole attoseconds. Those of plans
//! are rounded up, those of bounds down, so that no share is above 1.
//!
//! - [`placements`] lists the placements that a job compares.
//! - [`exchange_ranks`] searches for a better one.
//! - [`OperationLoad`] is what a step of one operation puts on every channel.
//! - [`phase_times`] adds the loads of a phase. [`job_step`] adds phases up to a step.
//! - [`search_demand`] is what a search for a topology weighs, [`message_demand`] what routes balance.
//! - [`best_plan_by_rules`] says whether topologies of their own for some phases pay.
//! - [`PhaseBounds`] proves how long a phase takes at least on a topology with a placement, and
//!   [`UniversalLimits`] on any.

mod bounded;
mod bounds;
mod chip_paths;
mod demands;
mod exchange;
mod length_classes;
mod loads;
mod messages;
mod pair_flow;
mod places;
mod quick;
mod reconfigure;
mod step;
mod universal;
mod volume;

pub use bounded::BoundedOperation;
pub use bounds::PhaseBounds;
pub use chip_paths::{ChipPaths, MOST_PATH_CHIPS, MessageWays};
pub use demands::{PlacedJob, message_demand, search_demand};
pub use exchange::{ExchangeSettings, exchange_ranks};
pub use loads::{OperationLoad, PhaseTimes, phase_times};
pub use messages::{exchanged_pairs, message_pairs, operation_groups};
pub use places::{PlacementError, RankPlacement, check_chosen, only_placement, placements};
pub use quick::quick_gather_time;
pub use reconfigure::{ChangeRules, StagePlan, best_plan_by_rules};
pub use step::{PhaseTime, job_step};
pub use universal::{GroupedChips, UniversalLimits};
