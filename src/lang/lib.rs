//! The language: what a spec says, and what it means.
//!
//! [`syntax`] parses text to a syntax tree, and prints trees as text. [`resolve()`] turns a tree into a
//! [`Fabric`], or reports every independent error. [`read`] does both from a path.

mod cross_connects;
mod file_errors;
mod forms;
mod job_errors;
mod job_file_errors;
mod normal_form;
mod resolve;
mod resolve_errors;
mod slice_errors;
mod switch_errors;
pub mod syntax;
mod warnings;

pub use cross_connects::{NamedSwitch, SwitchMisfit, fit_switches, read_cross_connects};
pub use file_errors::FileError;
pub use job_errors::JobError;
pub use job_file_errors::JobFileError;
pub use normal_form::{normal_form, parse_normal_form};
pub use resolve::{chips_of_ranks, resolve, simulation_of_settings};
pub use resolve_errors::ResolveError;
pub use slice_errors::SliceError;
pub use switch_errors::SwitchError;
pub use warnings::{Warning, warnings};

use fabc_base::diag::{Failure, SourceMap};
use fabc_model::Fabric;
use syntax::{Loader, ast};

/// The result of reading a path: the fabric, the spec, and the text of all files for later diagnostics.
type Read = Result<(Fabric, ast::Spec, SourceMap), (Failure, SourceMap)>;

/// Reads, parses and resolves a spec. Also returns the spec as it was written.
///
/// # Errors
/// Every syntax error, or else every error of the resolution, in source order.
pub fn read(path: &str, loader: &dyn Loader) -> Read {
    read_with(path, loader, &[])
}

/// As [`read`], with `name=value` for some parameters.
///
/// # Errors
/// Every syntax error, or else every error of the resolution and of the values that are set, in source order.
pub fn read_with(path: &str, loader: &dyn Loader, sets: &[String]) -> Read {
    let (parsed, sources) = syntax::parse_with(path, loader, sets);
    let spec = match parsed {
        Ok(spec) => spec,
        Err(errors) => return Err((Failure::spec_errors(errors), sources)),
    };
    match resolve(&spec, loader) {
        Ok(fabric) => Ok((fabric, spec, sources)),
        Err(errors) => Err((Failure::spec_errors(errors), sources)),
    }
}

/// As [`read`], with the normal form in place of the spec as written. A build writes this form.
///
/// # Errors
/// Every syntax error, or else every error of the resolution, in source order.
pub fn read_normal(path: &str, loader: &dyn Loader) -> Read {
    let (fabric, spec, sources) = read(path, loader)?;
    let normal = normal_form(&fabric, &spec);
    Ok((fabric, normal, sources))
}
