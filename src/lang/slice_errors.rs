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

    #[error(
        "slice `{slice}` needs {needed} cubes that all switches treat alike, and there are at most {largest}"
    )]
    #[diagnostic(
        code(FAB0150),
        help(
            "a slice lies among cubes that the same groups of switches serve: let each group serve more of them"
        )
    )]
    Apart {
        slice: String,
        needed: u32,
        largest: usize,
        #[label("so many of one kind")]
        span: Span,
        #[label("this group serves some of the cubes only")]
        group: Span,
    },

    #[error("`{fabric}` is divided into slices: only a kind of them has a topology")]
    #[diagnostic(
        code(FAB0211),
        help("`fabc build` builds all kinds; each has a spec of its own then, `DIR/slices/KIND/spec.fab`")
    )]
    Divided {
        fabric: String,
        #[label("this fabric has slices")]
        span: Span,
    },
}
