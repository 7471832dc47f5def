//! Ratios and cells of simulations as they are printed.

use super::super::number::{fixed, round_down_sig};
use fabc_base::csv;
use fabc_ir::Fraction;
use fabc_sim::{Saturation, SimReport};

/// Decimals of utilizations.
pub(super) const SHARE: u32 = 4;

/// The lower end of a bracket over the static bound.
pub(super) fn share_of_bound(report: &SimReport, found: &Saturation) -> Fraction {
    Fraction::from(found.at_least()).over(report.load.bound)
}

/// A part of a whole, which may be nothing.
pub(super) fn share(part: u64, whole: u64) -> String {
    fixed(Fraction::new(part, whole.max(1)), SHARE)
}

/// A static bound: nobody may read more into it than there is.
pub(super) fn bound(value: Fraction) -> String {
    round_down_sig(value, 6)
}

/// A cell of CSV: names of routers have commas in them.
pub(super) fn cell_of(text: &str) -> String {
    csv::cell(text).into_owned()
}
