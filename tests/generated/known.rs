//! Faults of the compiler that are known and not yet mended: each is counted, and fails no test.
//!
//! The list is for development. It is empty in what is committed.

use super::run::Failure;
use super::spec::Spec;

/// Tells whether a failure of a spec is this fault.
type Tells = fn(&Spec, &Failure) -> bool;

/// Names of faults.
const KNOWN: &[(&str, Tells)] = &[
    ("per_metre under faults", |spec, failure| spec.has("floor", "per_metre") && failure.kind.starts_with("FAB0416")),
    ("order of pods on a floor", |spec, failure| spec.has("floor", "per_metre") && failure.kind.starts_with("FAB0423")),
    ("demand at one router", |spec, failure| {
        let shapes = ["one receiver", "one sender", "one pair", "sparse", "permutation"];
        let one = shapes.iter().any(|shape| spec.has("demand", shape));
        one && (failure.kind.contains("ir/flow.rs") || failure.kind.starts_with("FAB0407"))
    }),
    ("dark links", |spec, failure| spec.has("links", "unlike") && failure.kind.starts_with("FAB0402")),
    ("hop below slot", |spec, failure| spec.has("scheduled", "after") && failure.kind.starts_with("FAB0428")),
];

/// The known fault that a failure is.
pub(crate) fn known(spec: &Spec, failure: &Failure) -> Option<&'static str> {
    KNOWN.iter().find(|(_, tells)| tells(spec, failure)).map(|(name, _)| *name)
}
