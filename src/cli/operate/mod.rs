//! Commands for a running fabric: its switches, its tables, its placement.

pub(crate) mod change;
pub(crate) mod drift;
pub(crate) mod drift_slices;
pub(crate) mod live;
pub(crate) mod place;
pub(crate) mod placed;
pub(crate) mod plan;
pub(crate) mod plan_slices;
pub(crate) mod power;
pub(crate) mod repair;
pub(crate) mod repair_swap;
pub(crate) mod route;
pub(crate) mod switches;
pub(crate) mod tables;
