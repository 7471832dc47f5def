//! Errors of slices: FAB01nn.

use fabc_base::diag::Span;
use miette::Diagnostic;
use thiserror::Error;

/// An error in the sizes of `slice` items.
#[derive(Clone, PartialEq, Debug, Error, Diagnostic)]
#[allow(missing_docs)] // the message of every variant is its documentation
pub enum SliceError {
    #[error("the slices need {needed} cubes, and the pod has {cubes}")]
    #[diagnostic(code(FAB0149), help("{arithmetic}"))]
    TooMany {
        needed: u64,
        cubes: u32,
        arithmetic: String,
        #[label("too few for them")]
        span: Span,
    },

    #[error("slice `{slice}` needs {needed} cubes on the same groups of switches, but at most {largest} are")]
    #[diagnostic(
        code(FAB0150),
        help("all cubes of a slice must be on the same groups of switches: let each group serve more cubes")
    )]
    Apart {
        slice: String,
        needed: u32,
        largest: usize,
        #[label("{needed} cubes each")]
        span: Span,
        #[label("this group serves only some of the cubes")]
        group: Span,
    },

    #[error("`{fabric}` is divided into slices: only each kind of slice has a topology")]
    #[diagnostic(
        code(FAB0211),
        help("`fabc build` builds all kinds. Then each kind has its own spec, `DIR/slices/KIND/spec.fab`")
    )]
    Divided {
        fabric: String,
        #[label("this fabric has slices")]
        span: Span,
    },
}
