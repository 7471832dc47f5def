//! The pipeline runs every stage in its order. This crate also verifies written directories, operates on them
//! and holds the front door of the library. It knows no disk, no terminal and no clock.

pub mod availability;
pub mod collective;
pub mod compare;
pub mod compile;
pub mod estimate;
pub mod folder;
pub mod library;
pub mod operate;
pub mod refusal;
pub mod scenarios;
pub mod show;
pub mod simulate;
pub mod verify;
pub mod years;
