//! What shells are told that an argument may be, beyond what the command line itself says.

use clap_complete::{ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter};
use fabc_base::diag;
use fabc_emit::{FORMATS, SCHEMAS};
use std::path::Path;

/// Values that are known.
pub(crate) fn of(candidates: fn() -> Vec<CompletionCandidate>) -> ArgValueCandidates {
    ArgValueCandidates::new(candidates)
}

/// Specs, and the folders on the way to them.
pub(crate) fn specs() -> ArgValueCompleter {
    ArgValueCompleter::new(
        PathCompleter::any().filter(|path: &Path| path.extension().is_some_and(|end| end == "fab")).stdio(),
    )
}

/// Error codes with their titles.
pub(crate) fn codes() -> Vec<CompletionCandidate> {
    diag::codes().map(|doc| one(doc.code, doc.title)).collect()
}

/// Schemas with what they describe.
pub(crate) fn schemas() -> Vec<CompletionCandidate> {
    SCHEMAS.iter().map(|schema| one(schema.name, &schema.title())).collect()
}

/// Formats of `--emit` with what they are.
pub(crate) fn formats() -> Vec<CompletionCandidate> {
    FORMATS.iter().map(|format| one(format.name, format.description)).collect()
}

fn one(value: &str, help: &str) -> CompletionCandidate {
    CompletionCandidate::new(value).help(Some(help.to_owned().into()))
}
