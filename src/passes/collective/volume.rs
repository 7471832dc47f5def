//! The volume that bounds prove.

use fabc_ir::{CollectiveBound, Fraction};

/// The largest volume of the bounds that hold for every schedule, 0 without any.
pub(super) fn largest_volume<'a>(bounds: impl IntoIterator<Item = &'a CollectiveBound>) -> Fraction {
    let universal = bounds.into_iter().filter(|bound| bound.is_universal());
    universal.map(CollectiveBound::volume).max().unwrap_or(Fraction::ZERO)
}
