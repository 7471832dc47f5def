//! The meaning of a spec.
//!
//! Comes in: syntax. Goes out: a [`Fabric`], or every error that can be told apart ([`resolve`]); [`load`] does it from a path.

mod contract;
mod demand;
mod errors;
mod fabric;
mod names;
mod network;
mod pod;
mod resolve;
mod routing;
mod switches;
mod synthesis;

pub use contract::*;
pub use demand::{Component, Demand, DemandShape, MAX_MATRIX_NODES, MAX_WEIGHT, Plane};
pub use errors::ResolveError;
pub use fabric::*;
pub use names::file_stem;
pub use network::*;
pub use pod::*;
pub use resolve::{MAX_NODES, MAX_OCSES, MAX_ROUTERS, resolve};
pub use routing::*;
pub use switches::*;
pub use synthesis::*;

use crate::diag::{Failure, SourceMap};
use crate::syntax::{self, Identity, Loader, ast};

/// Reads, parses and resolves a spec; also returns the normal form that is written beside what is built, and the text of all files for later diagnostics.
///
/// # Errors
/// Every syntax error, or else every other error of the spec, in source order.
pub fn load(path: &str, loader: &Loader<'_>) -> Result<(Fabric, ast::Spec, SourceMap), (Failure, SourceMap)> {
    load_files(path, loader, &str::to_owned)
}

/// As [`load`], where several paths may lead to one file.
///
/// # Errors
/// The same.
pub fn load_files(path: &str, loader: &Loader<'_>, identity: &Identity<'_>) -> Result<(Fabric, ast::Spec, SourceMap), (Failure, SourceMap)> {
    let (parsed, sources) = syntax::parse_files(path, loader, identity);
    let spec = match parsed {
        Ok(spec) => spec,
        Err(errors) => return Err((Failure::Spec(errors.into_iter().map(|error| Box::new(error) as _).collect()), sources)),
    };
    match resolve(&spec, loader) {
        Ok(fabric) => Ok((fabric, syntax::with_inputs(syntax::normalize(&spec)), sources)),
        Err(errors) => Err((Failure::Spec(errors.into_iter().map(|error| Box::new(error) as _).collect()), sources)),
    }
}
