//! The meaning of a spec.
//!
//! Comes in: syntax. Goes out: a [`Fabric`], or every error that can be told apart ([`resolve`]); [`load`]
//! does it from a path.

mod capacity;
mod contract;
mod demand;
mod errors;
mod fabric;
mod names;
mod network;
mod pod;
mod resolve;
mod routing;
mod switch_errors;
mod switches;
mod synthesis;

pub use capacity::Capacities;
pub use contract::*;
pub use demand::{Component, Demand, DemandShape, Plane};
pub use errors::ResolveError;
pub use fabric::*;
pub use names::file_stem;
pub use network::*;
pub use pod::*;
pub use resolve::resolve;
pub use routing::*;
pub use switch_errors::SwitchError;
pub use switches::*;
pub use synthesis::*;

use crate::diag::{Failure, SourceMap};
use crate::syntax::{self, Loader, ast};

/// Reads, parses and resolves a spec; also returns the normal form that is written beside what is built, and
/// the text of all files for later diagnostics.
///
/// # Errors
/// Every syntax error, or else every other error of the spec, in source order.
pub fn load(path: &str, loader: &dyn Loader) -> Result<(Fabric, ast::Spec, SourceMap), (Failure, SourceMap)> {
    let (parsed, sources) = syntax::parse(path, loader);
    let spec = match parsed {
        Ok(spec) => spec,
        Err(errors) => return Err((Failure::Spec(errors.into_iter().map(|error| Box::new(error) as _).collect()), sources)),
    };
    match resolve(&spec, loader) {
        Ok(fabric) => Ok((fabric, syntax::with_inputs(syntax::normalize(&spec)), sources)),
        Err(errors) => Err((Failure::Spec(errors.into_iter().map(|error| Box::new(error) as _).collect()), sources)),
    }
}
