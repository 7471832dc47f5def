//! Faults of the compiler that are known and not yet mended: each is counted, and fails no test.
//!
//! The list is for development. It is empty in what is committed.

use super::run::Failure;
use super::spec::Spec;

/// Tells whether a failure of a spec is this fault.
type Tells = fn(&Spec, &Failure) -> bool;

/// Names of faults.
const KNOWN: &[(&str, Tells)] = &[
    ("001 cubes of one chip", |_, failure| failure.step.starts_with("repair") && failure.kind.starts_with("FAB0572")),
    ("002 bridge of a repair", |_, failure| failure.kind.contains("repair/bridge.rs")),
    ("004 ratio to nothing", |_, failure| failure.kind.contains("ir/fraction.rs:24")),
    ("005 inputs/ocs.json", |_, failure| failure.step == "normal form" && failure.kind.starts_with("FAB0125")),
    ("006 relaxation in parts", |spec, failure| spec.plant == "pod relax" && failure.kind.starts_with("FAB0202")),
    ("007 traffic of groups", |_, failure| failure.step == "build" && failure.kind.starts_with("FAB0606")),
];

/// The known fault that a failure is.
pub(crate) fn known(spec: &Spec, failure: &Failure) -> Option<&'static str> {
    KNOWN.iter().find(|(_, tells)| tells(spec, failure)).map(|(name, _)| *name)
}
