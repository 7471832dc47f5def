//! Writes the files of a pod in slices beside the directories of its kinds. They hold the cubes of every
//! slice, the settings of the switches, and a report with a row per kind and per slice.

mod files;
mod page;
mod picture;
mod plan;
mod text;

pub use files::{PLACEMENT, placed_artifacts, placed_contract, placement_json};
pub use plan::{slices_plan_json, slices_plan_text};
pub use text::{PlacedKind, PlacedPod, placed_text};
