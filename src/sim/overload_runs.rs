//! Makes the long runs of a simulation beyond its saturation.

use super::errors::SimError;
use super::overload::Overload;
use super::prepare::Prepared;
use super::run::overloaded;
use fabc_base::progress::Progress;
use fabc_ir::Fraction;
use fabc_model::Rate;
use rayon::prelude::*;

const MILLION: u64 = 1_000_000;

/// The rate of an overload. It is limited to what hosts can offer.
pub(super) fn overload_rate(prepared: &Prepared<'_>, multiple: Rate, saturation: Rate) -> Rate {
    let product = u128::from(multiple.in_millionths()) * u128::from(saturation.in_millionths());
    let highest = prepared.births().highest_rate().times(Fraction::integer(MILLION)).floor();
    let rate = (product / u128::from(MILLION)).min(highest).max(1);
    Rate::millionths(u64::try_from(rate).unwrap_or(u64::MAX))
}

/// The runs in overload of one seed, in the order of their multiples.
pub(super) fn overloads(
    prepared: &Prepared<'_>,
    saturation: Rate,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Vec<Overload>, SimError> {
    let run = |&multiple: &Rate| {
        let found = overloaded(prepared, multiple, overload_rate(prepared, multiple, saturation), seed);
        progress.advance();
        found
    };
    let runs: Vec<_> = prepared.setting.overload.par_iter().map(run).collect();
    runs.into_iter().collect()
}
