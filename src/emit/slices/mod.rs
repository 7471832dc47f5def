//! What a pod in slices has beside the directories of its kinds: which slice has which cubes, the setting of
//! its switches, and a report with a row per kind and per slice.

mod files;
mod page;
mod plan;
mod text;

pub use files::{PLACEMENT, placed_artifacts, placed_contract};
pub use plan::{slices_plan_json, slices_plan_text};
pub use text::{PlacedKind, PlacedPod, placed_text};
