//! Commands that run something on a built fabric, or compute what would happen.

pub(crate) mod availability;
pub(crate) mod collective;
pub(crate) mod collective_declared;
pub(crate) mod collective_emit;
pub(crate) mod estimate;
mod estimate_job;
pub(crate) mod job;
mod motion;
pub(crate) mod operate;
pub(crate) mod rates;
pub(crate) mod scheduled;
pub(crate) mod sim;
mod sim_settings;
