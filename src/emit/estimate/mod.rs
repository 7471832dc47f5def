//! Estimates of collectives: text, `fabc.estimate/1`, CSV.

mod csv;
mod fabrics;
mod figures;
mod json;
mod text;

pub use csv::estimate_csv;
pub use fabrics::{estimates_csv, estimates_json, estimates_text};
pub use figures::PrintedUnit;
pub(super) use figures::{approximate_size, exact_size};
pub use json::estimate_json;
pub(super) use text::Columns;
pub use text::estimate_text;
