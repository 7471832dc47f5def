//! The largest rate that is accepted for good: a search between rates that are and rates that are not.
//!
//! A rate is stable if at most one in a hundred of the packets born in the measured cycles is missing among
//! those delivered in them. So runs end with the measured cycles. The search cuts an interval in three, and
//! two rates run at a time, whatever the number of threads: what is found does not depend on it.

use super::errors::SimError;
use super::point::Point;
use super::prepare::Prepared;
use super::run::run_measured_cycles;
use super::setting::Setting;
use fabc_base::progress::Progress;
use fabc_ir::Fraction;
use fabc_model::Rate;
use rayon::prelude::*;

/// Where the search begins, in millionths of the static bound.
const ENDS: [u64; 2] = [500_000, 1_050_000];

/// How often the lower end is halved where it is not stable.
const HALVINGS: u32 = 6;

/// It ends where the bracket is narrower than this, in millionths of the bound.
const WIDTH: u64 = 4_000;

/// Whether rates past saturation hold is asked so far above the bound, in millionths of it.
const BEYOND: u64 = 1_100_000;

/// Between which rates a fabric saturates, by one seed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Saturation {
    /// The seed.
    pub seed: u64,
    /// The largest rate that was run and is stable; `None` if a 128th of the static bound is not.
    pub stable: Option<Rate>,
    /// The smallest above it that was run and is not; `None` if all are stable.
    pub unstable: Option<Rate>,
    /// Runs of the search.
    pub runs: u32,
    /// What happens a tenth above the static bound.
    pub beyond: Beyond,
}

/// One run past saturation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Beyond {
    /// Flits offered per cycle and sending endpoint.
    pub rate: Rate,
    /// Packets delivered in the measured cycles.
    pub delivered: u64,
}

impl Beyond {
    /// Accepted of what was offered: flits per cycle and sending endpoint.
    pub fn accepted(&self, setting: &Setting, senders: u32) -> Fraction {
        setting.per_cycle(self.delivered, setting.measure, senders)
    }
}

impl Saturation {
    /// The lower end of the bracket.
    pub fn at_least(&self) -> Rate {
        self.stable.unwrap_or(Rate::millionths(0))
    }
}

/// Searches with every seed.
///
/// # Errors
/// Packets wait for each other for ever at some rate that is run.
pub fn saturation(
    prepared: &Prepared<'_>,
    seeds: &[u64],
    progress: &dyn Progress,
) -> Result<Vec<Saturation>, SimError> {
    let mut seeds = seeds.to_vec();
    seeds.sort_unstable();
    seeds.dedup();
    progress.begin("saturation", seeds.len() as u64 * RUNS);
    let found: Vec<_> = seeds.par_iter().map(|&seed| search(prepared, seed, progress)).collect();
    progress.end();
    found.into_iter().collect()
}

/// Runs of one search: both ends, two at a time until the bracket is narrow, one far above.
const RUNS: u64 = 13;

/// What one search has found so far.
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
    let all = |rates: &[Rate]| {
        rates.par_iter().map(run).collect::<Vec<_>>().into_iter().collect::<Result<Vec<Point>, SimError>>()
    };
    let [low, high] = ENDS.map(|share| rate_at(prepared, share));
    let first = all(&[low, high, rate_at(prepared, BEYOND)])?;
    let beyond = &first[2];
    let stable =
        |points: &[Point]| points.iter().map(|point| (point.rate, point.is_stable())).collect::<Vec<_>>();
    let Bracket { stable, unstable, runs } =
        narrowed(prepared, &stable(&first[..2]), &|rates| Ok(stable(&all(rates)?)))?;
    let beyond = Beyond { rate: beyond.rate, delivered: beyond.delivered };
    Ok(Saturation { seed, stable, unstable, runs, beyond })
}

/// A share of the bound, in millionths, as a rate; what hosts cannot offer is not asked for.
fn rate_at(prepared: &Prepared<'_>, share: u64) -> Rate {
    let rate =
        prepared.load().bound.times(Fraction::new(share, 1_000_000u32)).min(prepared.births().highest_rate());
    Rate::millionths(
        u64::try_from(rate.times(Fraction::whole(1_000_000u32)).floor()).unwrap_or(u64::MAX).max(1),
    )
}

/// Rates, and whether they are stable.
type Judged = Vec<(Rate, bool)>;

/// Narrows the bracket that both ends make; `judge` says which of some rates are stable.
fn narrowed<E>(
    prepared: &Prepared<'_>,
    ends: &[(Rate, bool)],
    judge: &dyn Fn(&[Rate]) -> Result<Judged, E>,
) -> Result<Bracket, E> {
    let mut bracket = Bracket { stable: None, unstable: None, runs: 0 };
    bracket.narrow(ends);
    // Where even that is too much, half of it, and so on.
    for halvings in 1..=HALVINGS {
        if bracket.stable.is_some() {
            break;
        }
        bracket.narrow(&judge(&[rate_at(prepared, ENDS[0] >> halvings)])?);
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

/// Whether a search can end with these ends after so many runs. The search keeps the last rate that was
/// stable and the next one: whatever it found, it takes the same steps where all rates up to its lower end
/// are stable and all others are not.
pub(super) fn can_end(prepared: &Prepared<'_>, claimed: &Saturation) -> bool {
    let judge = |rates: &[Rate]| -> Result<Judged, ()> {
        Ok(rates.iter().map(|&rate| (rate, claimed.stable.is_some_and(|end| rate <= end))).collect())
    };
    let ends = judge(&ENDS.map(|share| rate_at(prepared, share)));
    let found = ends.and_then(|ends| narrowed(prepared, &ends, &judge));
    let is_same = |found: Bracket| {
        (found.stable, found.unstable, found.runs) == (claimed.stable, claimed.unstable, claimed.runs)
    };
    found.is_ok_and(is_same) && claimed.beyond.rate == rate_at(prepared, BEYOND)
}

impl Bracket {
    /// Takes the largest of some ascending rates that is stable, and the next one, as its new ends.
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
