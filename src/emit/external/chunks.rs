//! How the files of these formats are handed over, and why a fabric has none.

use miette::Diagnostic;
use thiserror::Error;

/// Takes a chunk of the file at a path; the chunks of one file follow each other.
pub type Take<'t, E> = dyn FnMut(&str, &[u8]) -> Result<(), E> + 't;

/// Why a pod has no such format.
#[derive(Clone, PartialEq, Eq, Debug, Error, Diagnostic)]
pub enum EmitError {
    /// Tables that look at more than the destination.
    #[error("`{format}` has one port per destination, but {router} sends packets to {dst} by {ports}, depending on where they come from")]
    #[diagnostic(
        code(FAB0517),
        help("choose a routing that looks at the destination alone, such as `dimension_order`, or another format, such as `tables_csv`")
    )]
    NotDestinationKeyed {
        /// The format.
        format: &'static str,
        /// The first router that does not fit.
        router: String,
        /// The first destination there.
        dst: String,
        /// The ports.
        ports: String,
    },
    /// Routes that look at more than the destination, as the spec chooses them.
    #[error("`{format}` has one port per destination, but these routes look at where a packet comes from")]
    #[diagnostic(code(FAB0517), help("write `routing = allowed_turns {{ key = dst; }}`, or choose another format, such as `tables_csv`"))]
    NeedsKey {
        /// The format.
        format: &'static str,
    },
    /// A network that a format has no words for.
    #[error("`{format}` cannot hold this network: {reason}")]
    #[diagnostic(code(FAB0534), help("`graphml`, `csv` and `tables_csv` hold every network"))]
    NotHeld {
        /// The format.
        format: &'static str,
        /// What it has no words for.
        reason: &'static str,
    },
    /// A pod that is too large for a format.
    #[error("`{format}` holds pods of at most {most} chips, but this one has {chips}")]
    #[diagnostic(code(FAB0518), help("{reason}"))]
    TooLarge {
        /// The format.
        format: &'static str,
        /// Chips of the pod.
        chips: usize,
        /// Chips that fit.
        most: usize,
        /// Why not more.
        reason: &'static str,
    },
}
