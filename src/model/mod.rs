//! The meaning of a spec.
//!
//! Comes in: syntax. Goes out: a [`Pod`], or every error that can be told apart ([`resolve`]); [`load`] does it from a path.

mod demand;
mod errors;
mod names;
mod pod;
mod resolve;

pub use demand::{Component, Demand, DemandShape, Plane};
pub use errors::ResolveError;
pub use names::file_stem;
pub use pod::*;
pub use resolve::resolve;

use crate::diag::{Failure, SourceMap};
use crate::syntax::{self, Loader, ast};

/// Reads, parses and resolves a spec; also returns the normal form that is written beside what is built, and the text of all files for later diagnostics.
///
/// # Errors
/// Every syntax error, or else every other error of the spec, in source order.
pub fn load(path: &str, loader: &dyn Loader) -> Result<(Pod, ast::Spec, SourceMap), (Failure, SourceMap)> {
    let (parsed, sources) = syntax::parse(path, loader);
    let spec = match parsed {
        Ok(spec) => spec,
        Err(errors) => return Err((Failure::Spec(errors.into_iter().map(|error| Box::new(error) as _).collect()), sources)),
    };
    match resolve(&spec, loader) {
        Ok(pod) => Ok((pod, syntax::with_inputs(syntax::normalize(&spec)), sources)),
        Err(errors) => Err((Failure::Spec(errors.into_iter().map(|error| Box::new(error) as _).collect()), sources)),
    }
}
