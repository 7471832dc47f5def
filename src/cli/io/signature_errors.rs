//! Errors of signed directories. They have the codes FAB0586 and FAB0587.

use miette::Diagnostic;
use thiserror::Error;

/// A directory whose signature does not hold, or a file of signers that cannot be read.
#[derive(Debug, Error, Diagnostic)]
#[cfg_attr(target_family = "wasm", expect(dead_code, reason = "a page in a browser checks no signatures"))]
pub(crate) enum SignatureError {
    /// The manifest has no signature, or one that does not hold.
    #[error("`{directory}` is not signed: {problem}")]
    #[diagnostic(code(FAB0586), help("{hint}"))]
    NotSigned { directory: String, problem: String, hint: String },
    /// A placement that does not start from the directory that it is said to start from.
    #[error("`{directory}` does not start from `{start}`: {problem}")]
    #[diagnostic(
        code(FAB0586),
        help("name the directory that it was placed from, with the manifest that it had then")
    )]
    OtherStart { directory: String, start: String, problem: String },
    /// A line of the file of signers that is invalid, or asks for what fabc does not do.
    #[error("line {line} of `{path}` {problem}")]
    #[diagnostic(code(FAB0587), help("{hint}"))]
    Signers { path: String, line: usize, problem: String, hint: &'static str },
}

impl SignatureError {
    /// The exit code of the command: 1 for a file that cannot be read, 3 where the chain does not hold.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Signers { .. } => 1,
            Self::NotSigned { .. } | Self::OtherStart { .. } => 3,
        }
    }
}
