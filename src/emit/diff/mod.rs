//! Writes the difference of two builds: for people, as `fabc.diff/1`, and as a page.

mod json;
mod page;
mod picture;
mod text;
mod words;

pub use json::diff_json;
pub use page::diff_html;
pub use text::diff_text;
pub use words::diff_summary;
