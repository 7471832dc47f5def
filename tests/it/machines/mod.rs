//! Files of fabc that other programs read: JSON by its schemas, completions and man pages, and files for CI.

mod ci;
mod printed;
mod report_fields;
mod schemas;
mod shells;

mod tampered;

use crate::support::plain;
use crate::support::spec_text;
