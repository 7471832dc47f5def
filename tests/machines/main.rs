//! What other programs take from fabc: JSON by its schemas, completions and man pages, and files for CI.

mod ci;
#[path = "../support/plain.rs"]
mod plain;
mod printed;
mod schemas;
mod shells;
#[path = "../support/spec_text.rs"]
mod spec_text;
mod tampered;
