//! The command line: one file of options per command.

pub(crate) mod candidates;
pub(crate) mod choice;
pub(crate) mod collective;
pub(crate) mod diff;
pub(crate) mod estimate;
pub(crate) mod estimate_job;
pub(crate) mod foreign;
pub(crate) mod former_forms;
pub(crate) mod former_sim_options;
pub(crate) mod help;
pub(crate) mod hosts;
pub(crate) mod job;
pub(crate) mod operate;
pub(crate) mod options;
pub(crate) mod place;
pub(crate) mod remake;
pub(crate) mod route;
pub(crate) mod running;
pub(crate) mod shard;
pub(crate) mod shards;
pub(crate) mod shells;
pub(crate) mod sim;
pub(crate) mod sweep;
pub(crate) mod verify;
pub(crate) mod watch;
