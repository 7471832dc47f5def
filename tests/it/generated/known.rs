//! Faults of the compiler that are known and not yet mended: each is counted, and fails no test.
//!
//! The list is for development. It is empty in what is committed.

use super::run::Failure;
use super::spec::Spec;

/// Tells whether a failure of a spec is this fault.
type Tells = fn(&Spec, &Failure) -> bool;

/// The known faults, by name.
const KNOWN: &[(&str, Tells)] = &[];

/// The known fault that a failure is.
pub(crate) fn known(spec: &Spec, failure: &Failure) -> Option<&'static str> {
    KNOWN.iter().find(|(_, tells)| tells(spec, failure)).map(|(name, _)| *name)
}
