//! Simulations of built directories and of third-party tables.

mod foreign;
mod motion;
mod runs;

pub use fabc_check::ReadSimulated;
pub use fabc_sim::{SimError, SimReport};
pub use foreign::{ForeignFabric, ForeignFiles, ForeignRouter, UnfitForeign, foreign_fabric};
pub use motion::{MotionError, MotionSite};
pub use runs::SimulationRuns;
