//! The meaning of a spec. `resolve` turns syntax into a [`Pod`] and reports everything it finds.

mod pod;

pub use pod::*;
