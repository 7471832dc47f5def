//! Diagnostics for programs, in versioned forms.
//!
//! In: a diagnostic and the sources that it points into. Out: a line of `fabc.message/1`, a command of a
//! GitHub workflow, or a result of SARIF.

mod github;
mod json;
mod sarif;

pub use github::{command, notice};
pub use json::{bare_message, message, remark};
pub use sarif::{log, notification, result};

use miette::{Diagnostic, LabeledSpan, Severity};

/// The severity in a word: `error`, `warning` or `advice`.
pub fn severity(diagnostic: &dyn Diagnostic) -> &'static str {
    match diagnostic.severity() {
        Some(Severity::Advice) => "advice",
        Some(Severity::Warning) => "warning",
        Some(Severity::Error) | None => "error",
    }
}

/// The labels of a diagnostic, the primary one first.
fn labels(diagnostic: &dyn Diagnostic) -> Vec<LabeledSpan> {
    let mut labels: Vec<LabeledSpan> = diagnostic.labels().into_iter().flatten().collect();
    if let Some(index) = labels.iter().position(LabeledSpan::primary) {
        labels[..=index].rotate_right(1);
    }
    labels
}

/// The begin and the end of a label: its file, with lines and columns from 1. Columns count characters.
struct Region<'s> {
    file: &'s str,
    start: [usize; 2],
    end: [usize; 2],
}

fn region<'s>(label: &LabeledSpan, sources: &'s fabc_base::diag::SourceMap) -> Option<Region<'s>> {
    let (file, line, column) = sources.position(label.offset() as u32)?;
    let end = sources
        .position((label.offset() + label.len()) as u32)
        .filter(|(label_file, ..)| *label_file == file);
    let end = end.map_or([line, column], |(_, line, column)| [line, column]);
    Some(Region { file, start: [line, column], end })
}
