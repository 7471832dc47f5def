//! Simulations of built directories and of third-party tables.

mod foreign;
mod runs;

pub use fabc_check::ReadSimulated;
pub use fabc_sim::{SimError, SimReport};
pub use foreign::{ForeignFabric, ForeignFiles, ForeignRouter, UnfitForeign, foreign_fabric};
pub use runs::SimulationRuns;
