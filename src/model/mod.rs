//! The meaning of a spec. `resolve` turns syntax into a [`Pod`] and reports everything it finds.

mod errors;
mod pod;
mod resolve;

pub use errors::ResolveError;
pub use pod::*;
pub use resolve::{MAX_NODES, MAX_OCSES, resolve};
