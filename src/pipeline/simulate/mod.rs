//! Simulations of built directories and of third-party tables.

mod foreign;

pub use foreign::{ForeignFabric, ForeignFiles, ForeignRouter, UnfitForeign, foreign_fabric};
