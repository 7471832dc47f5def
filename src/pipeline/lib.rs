//! The pipeline runs every stage in its order. This crate also verifies written directories and holds the
//! front door of the library.

pub mod compile;
pub mod library;
pub mod show;
pub mod verify;
