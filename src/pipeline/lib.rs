//! The pipeline: every stage in its order, the proof of what was written, and the front door of the library.

pub mod compile;
pub mod library;
pub mod show;
pub mod verify;
