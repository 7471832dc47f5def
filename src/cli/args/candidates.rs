//! Completions of arguments that clap cannot know from the command line itself.

use clap_complete::{ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter};
use fabc_base::diag;
use fabc_emit::{FORMATS, SCHEMAS};
use std::path::Path;

/// The completions for an argument from a list.
pub(crate) fn from_list(candidates: fn() -> Vec<CompletionCandidate>) -> ArgValueCandidates {
    ArgValueCandidates::new(candidates)
}

/// Specs, and the folders that may contain them.
pub(crate) fn specs() -> ArgValueCompleter {
    ArgValueCompleter::new(
        PathCompleter::any().filter(|path: &Path| path.extension().is_some_and(|end| end == "fab")).stdio(),
    )
}

/// Error codes with their titles, and words of the language.
pub(crate) fn topics() -> Vec<CompletionCandidate> {
    let codes = diag::codes().map(|doc| candidate(doc.code, doc.title));
    let words = fabc_lsp::explained_words().into_iter().filter_map(|word| {
        let meaning = fabc_lsp::explain_word(word).first()?.meaning;
        Some(candidate(word, meaning))
    });
    codes.chain(words).collect()
}

pub(crate) fn schemas() -> Vec<CompletionCandidate> {
    SCHEMAS.iter().map(|schema| candidate(schema.name, &schema.title())).collect()
}

/// Formats of `--emit` with their descriptions.
pub(crate) fn formats() -> Vec<CompletionCandidate> {
    FORMATS.iter().map(|format| candidate(format.name, format.description)).collect()
}

fn candidate(value: &str, help: &str) -> CompletionCandidate {
    CompletionCandidate::new(value).help(Some(help.to_owned().into()))
}
