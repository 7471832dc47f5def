//! Searches the largest stable rate, between rates that are stable and rates that are not.
//!
//! A rate is stable if at most one in a hundred of the packets born in the measured cycles is missing among
//! those delivered in them. Hence runs end with the measured cycles. The search cuts an interval in three,
//! and two rates run at a time, whatever the number of threads. So the result does not depend on that number.

use super::errors::SimError;
use super::point::Point;
use super::prepare::Prepared;
use super::run::run_measured_cycles;
use super::setting::Setting;
use fabc_base::progress::Progress;
use fabc_ir::Fraction;
use fabc_model::Rate;
use rayon::prelude::*;

/// The first lower and upper end of the search, in millionths of the static bound.
const FIRST_ENDS: [u64; 2] = [500_000, 1_050_000];

/// How often the lower end is halved where it is not stable.
const HALVINGS: u32 = 6;

/// The search ends where the bracket is narrower than this, in millionths of the bound.
const WIDTH: u64 = 4_000;

/// The rate of the run past saturation, in millionths of the bound.
const BEYOND: u64 = 1_100_000;

/// The interval of rates in which a fabric saturates, for one seed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Saturation {
    /// The seed of the runs.
    pub seed: u64,
    /// The largest rate that was run and is stable. `None` if a 128th of the static bound is not stable.
    pub stable: Option<Rate>,
    /// The smallest rate above it that was run and is not stable. `None` if all are stable.
    pub unstable: Option<Rate>,
    /// The number of runs of the search.
    pub runs: u32,
    /// The run a tenth above the static bound.
    pub beyond: Beyond,
}

/// The result of a run past saturation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Beyond {
    /// Flits offered per cycle and sending endpoint.
    pub rate: Rate,
    /// Packets delivered in the measured cycles.
    pub delivered: u64,
}

impl Beyond {
    /// The accepted traffic, in flits per cycle and sending endpoint.
    pub fn accepted(&self, setting: &Setting, senders: u32) -> Fraction {
        setting.per_cycle(self.delivered, setting.measure, senders)
    }
}

impl Saturation {
    /// The lower end of the bracket, or 0 if no rate is stable.
    pub fn at_least(&self) -> Rate {
        self.stable.unwrap_or(Rate::millionths(0))
    }
}

/// Searches the saturation for every seed.
///
/// # Errors
/// Packets wait for each other forever at some rate.
pub fn saturation(
    prepared: &Prepared<'_>,
    seeds: &[u64],
    progress: &dyn Progress,
) -> Result<Vec<Saturation>, SimError> {
    let mut seeds = seeds.to_vec();
    seeds.sort_unstable();
    seeds.dedup();
    progress.begin("saturation", seeds.len() as u64 * RUNS);
    let searches: Vec<_> = seeds.par_iter().map(|&seed| search(prepared, seed, progress)).collect();
    progress.end();
    searches.into_iter().collect()
}

/// The runs of one search: both ends, two at a time until the bracket is narrow, and one far above.
const RUNS: u64 = 13;

/// The state of a search: its bracket and its runs so far.
struct Bracket {
    stable: Option<Rate>,
    unstable: Option<Rate>,
    runs: u32,
}

fn search(prepared: &Prepared<'_>, seed: u64, progress: &dyn Progress) -> Result<Saturation, SimError> {
    let run = |rate: &Rate| {
        let point = run_measured_cycles(prepared, *rate, seed);
        progress.advance();
        point
    };
    let run_rates = |rates: &[Rate]| {
        rates.par_iter().map(run).collect::<Vec<_>>().into_iter().collect::<Result<Vec<Point>, SimError>>()
    };
    let [low, high] = FIRST_ENDS.map(|share| rate_at(prepared, share));
    let first = run_rates(&[low, high, rate_at(prepared, BEYOND)])?;
    let beyond = &first[2];
    let stable =
        |points: &[Point]| points.iter().map(|point| (point.rate, point.is_stable())).collect::<Vec<_>>();
    let Bracket { stable, unstable, runs } =
        narrow_bracket(prepared, &stable(&first[..2]), &|rates| Ok(stable(&run_rates(rates)?)))?;
    let beyond = Beyond { rate: beyond.rate, delivered: beyond.delivered };
    Ok(Saturation { seed, stable, unstable, runs, beyond })
}

/// A share of the bound, in millionths, as a rate. It is limited to what hosts can offer.
fn rate_at(prepared: &Prepared<'_>, share: u64) -> Rate {
    let rate =
        prepared.load().bound.times(Fraction::new(share, 1_000_000u32)).min(prepared.births().highest_rate());
    Rate::millionths(
        u64::try_from(rate.times(Fraction::integer(1_000_000u32)).floor()).unwrap_or(u64::MAX).max(1),
    )
}

/// Rates, and whether each is stable.
type StableRates = Vec<(Rate, bool)>;

/// Narrows the bracket from its first ends. `judge` returns which rates are stable.
fn narrow_bracket<E>(
    prepared: &Prepared<'_>,
    ends: &[(Rate, bool)],
    judge: &dyn Fn(&[Rate]) -> Result<StableRates, E>,
) -> Result<Bracket, E> {
    let mut bracket = Bracket { stable: None, unstable: None, runs: 0 };
    bracket.narrow(ends);
    // Where even the lower end is too much, try half of it, and so on.
    for halvings in 1..=HALVINGS {
        if bracket.stable.is_some() {
            break;
        }
        bracket.narrow(&judge(&[rate_at(prepared, FIRST_ENDS[0] >> halvings)])?);
    }
    let width = rate_at(prepared, WIDTH).in_millionths();
    while let (Some(low), Some(high)) = (bracket.stable, bracket.unstable) {
        let [low, high] = [low, high].map(Rate::in_millionths);
        if high - low <= width.max(2) {
            break;
        }
        let third = (high - low) / 3;
        bracket.narrow(&judge(&[low + third, high - third].map(Rate::millionths))?);
    }
    Ok(bracket)
}

/// Whether a search can end with these ends after so many runs. The search keeps the last stable rate and the
/// next one. Whatever its runs showed, it takes the same steps as if all rates up to its lower end were
/// stable and all others were not.
pub(super) fn can_end(prepared: &Prepared<'_>, claimed: &Saturation) -> bool {
    let judge = |rates: &[Rate]| -> Result<StableRates, ()> {
        Ok(rates.iter().map(|&rate| (rate, claimed.stable.is_some_and(|end| rate <= end))).collect())
    };
    let first_ends = judge(&FIRST_ENDS.map(|share| rate_at(prepared, share)));
    let bracket = first_ends.and_then(|first_ends| narrow_bracket(prepared, &first_ends, &judge));
    let is_same = |bracket: Bracket| {
        (bracket.stable, bracket.unstable, bracket.runs) == (claimed.stable, claimed.unstable, claimed.runs)
    };
    bracket.is_ok_and(is_same) && claimed.beyond.rate == rate_at(prepared, BEYOND)
}

impl Bracket {
    /// Takes the largest stable one of some ascending rates, and the next one, as new ends.
    fn narrow(&mut self, rates: &[(Rate, bool)]) {
        self.runs += rates.len() as u32;
        match rates.iter().rposition(|(_, stable)| *stable) {
            Some(last) => {
                self.stable = Some(rates[last].0);
                self.unstable = rates.get(last + 1).map(|(rate, _)| *rate).or(self.unstable);
            }
            None => self.unstable = rates.first().map(|(rate, _)| *rate),
        }
    }
}
