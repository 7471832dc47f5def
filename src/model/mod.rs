//! The meaning of a spec.
//!
//! Comes in: syntax. Goes out: a [`Fabric`], or every error that can be told apart ([`resolve`]); [`load`]
//! does it from a path.

mod arrangement;
mod capacity;
mod closed_form;
mod collective;
mod contract;
mod demand;
mod design_space;
mod direction;
mod draw;
mod errors;
mod fabric;
mod family;
mod floor;
mod free_graph;
mod levels;
mod names;
mod network;
mod permuted;
mod pod;
mod resolve;
mod routing;
mod shortcuts;
mod simulation;
mod slice_errors;
mod slices;
mod switch_errors;
mod switches;
mod synthesis;
mod warnings;
mod word;

pub use arrangement::Arrangement;
pub use capacity::Capacities;
pub use closed_form::{ClosedForm, Farthest, Reached};
pub use collective::{Collective, CollectiveAlgorithm, DeclaredCollective, DeclaredMessage, DeclaredMessages, MessageWays};
pub use contract::*;
pub use demand::{Component, Demand, DemandShape, Plane};
pub use design_space::*;
pub use direction::{Direction, direction};
pub use draw::{ATTEMPTS, Draw};
pub use errors::ResolveError;
pub use fabric::*;
pub use family::*;
pub use floor::*;
pub use free_graph::{Arcs, FreeGraph};
pub use levels::{Level, Levels};
pub use names::file_stem;
pub use network::*;
pub use permuted::{Duplicates, Method};
pub use pod::*;
pub use resolve::resolve;
pub use routing::*;
pub use shortcuts::{Reach, Shortcuts};
pub use simulation::*;
pub use slice_errors::SliceError;
pub use slices::{Class, Role, Served};
pub use switch_errors::SwitchError;
pub use switches::*;
pub use synthesis::*;
pub use warnings::{Warning, warnings};
pub use word::Word;

use crate::diag::{Failure, SourceMap};
use crate::syntax::{self, Loader, ast};

/// What a path leads to: what it means, the spec, and the text of all its files for later diagnostics.
type Read = Result<(Fabric, ast::Spec, SourceMap), (Failure, SourceMap)>;

/// Reads, parses and resolves a spec; also returns it as it was written.
///
/// # Errors
/// Every syntax error, or else every other error of the spec, in source order.
pub fn read(path: &str, loader: &dyn Loader) -> Read {
    read_with(path, loader, &[])
}

/// The same, with `name=value` for some parameters.
///
/// # Errors
/// Every syntax error, or else every other error of the spec and of what is set, in source order.
pub fn read_with(path: &str, loader: &dyn Loader, sets: &[String]) -> Read {
    let (parsed, sources) = syntax::parse_with(path, loader, sets);
    let spec = match parsed {
        Ok(spec) => spec,
        Err(errors) => return Err((Failure::Spec(errors.into_iter().map(|error| Box::new(error) as _).collect()), sources)),
    };
    match resolve(&spec, loader) {
        Ok(fabric) => Ok((fabric, spec, sources)),
        Err(errors) => Err((Failure::Spec(errors.into_iter().map(|error| Box::new(error) as _).collect()), sources)),
    }
}

/// Reads, parses and resolves a spec; also returns the normal form that is written beside what is built.
///
/// # Errors
/// Every syntax error, or else every other error of the spec, in source order.
pub fn load(path: &str, loader: &dyn Loader) -> Read {
    let (fabric, spec, sources) = read(path, loader)?;
    let normal = normal_form(&fabric, &spec);
    Ok((fabric, normal, sources))
}

/// The normal form of a spec that is written beside what is built: with the design that a goal chose.
pub fn normal_form(fabric: &Fabric, spec: &ast::Spec) -> ast::Spec {
    let normal = syntax::with_inputs(syntax::normalize(spec));
    match &fabric.plant {
        Plant::Network(network) => syntax::with_design(normal, &network.family.written()),
        Plant::Pod(_) => normal,
    }
}
