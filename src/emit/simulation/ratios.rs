//! Formats ratios and cells of simulations.

use super::super::number::{fixed, round_down_sig};
use fabc_base::csv;
use fabc_ir::Fraction;
use fabc_sim::{Saturation, SimReport};

/// Decimals of printed utilizations and shares.
pub(super) const SHARE: u32 = 4;

/// The lower end of the interval of a saturation, divided by the static bound.
pub(super) fn share_of_bound(report: &SimReport, saturation: &Saturation) -> Fraction {
    Fraction::from(saturation.at_least()).over(report.load.bound)
}

/// A part of a total, which may be zero.
pub(super) fn share_text(part: u64, total: u64) -> String {
    fixed(Fraction::new(part, total.max(1)), SHARE)
}

/// A static bound, rounded down so that it does not promise too much.
pub(super) fn bound_text(value: Fraction) -> String {
    round_down_sig(value, 6)
}

/// A CSV cell. Names of routers contain commas.
pub(super) fn csv_cell(text: &str) -> String {
    csv::cell(text).into_owned()
}
