//! Searches the largest stable rate: an interval over independent replications.
//!
//! No rate at or above the static bound is stable, since the busiest channel would have to move more than a
//! flit per cycle for ever. Below it, runs decide ([`super::trial`]). Every replication has random numbers of
//! its own and ends with a bracket: a rate that was stable, and the next one that was not. A coarse search
//! with short runs says where the first replication begins. The others begin in the middle of its bracket
//! ([`super::bracket`]). Hence neither the number of threads nor the order of replications has an effect on
//! the result.
//!
//! The saturation is the confidence interval of the mean of the brackets' middles (Student's t), widened by
//! half of the mean width of a bracket. A middle is known only within the width with which a search ends, so
//! that replications that agree say no more than that.

use super::bracket::{SearchRange, StableRates, WIDTH, first_bracket, next_bracket};
use super::errors::SimError;
use super::overload::Overload;
use super::overload_runs::overloads;
use super::prepare::Prepared;
use super::replication::{MILLION, Replication, in_millionths};
use super::run::try_rate;
use super::setting::{RunCycles, Setting};
use super::statistics::half_width_of_steps;
use super::trial::{Trial, TrialEnd, TrialRun};
use fabc_base::progress::Progress;
use fabc_base::random::KeyedStream;
use fabc_ir::Fraction;
use fabc_model::Rate;
use rayon::prelude::*;
use std::convert::Infallible;

/// No replications are added where half of the interval is at most this wide, in millionths of the static
/// bound.
const NARROW: u64 = 10_000;

/// The fewest replications, where that many are allowed.
const FEWEST: usize = 3;

/// The rate of the run past saturation, in millionths of the bound.
const BEYOND: u64 = 1_100_000;

/// The stream of random numbers that the seeds of replications are drawn from.
const REPLICATIONS: u64 = 9;

/// The interval of rates in which a fabric saturates, for one seed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Saturation {
    /// The seed that the seeds of all replications follow from.
    pub seed: u64,
    /// The confidence interval over the replications.
    pub interval: RateInterval,
    /// The bracket of the coarse search, whose runs are shorter. `None` where all runs are as long.
    pub coarse: Option<Replication>,
    /// The replications, in the order of their seeds.
    pub replications: Vec<Replication>,
    /// The run a tenth above the static bound.
    pub beyond: Beyond,
    /// The long runs at multiples of the mean, in the order of the multiples.
    pub overloads: Vec<Overload>,
}

/// An interval of rates around an estimate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RateInterval {
    /// The lower end, rounded down.
    pub low: Rate,
    /// The mean of the middles of the brackets of all replications.
    pub mean: Rate,
    /// The upper end, rounded up. It is at most the static bound.
    pub high: Rate,
}

/// The result of a run past saturation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Beyond {
    /// Flits offered per cycle and sending endpoint.
    pub rate: Rate,
    /// Packets delivered in the measured cycles of the coarse search.
    pub delivered: u64,
}

impl Beyond {
    /// The accepted traffic, in flits per cycle and sending endpoint.
    pub fn accepted(&self, setting: &Setting, senders: u32) -> Fraction {
        setting.per_cycle(self.delivered, setting.coarse.measure, senders)
    }
}

impl Saturation {
    /// The lower end of the interval: the rate that the fabric sustains, with the confidence of the setting.
    pub fn at_least(&self) -> Rate {
        self.interval.low
    }

    /// Adds the interval to the replications of a seed.
    ///
    /// # Errors
    /// [`SimError::AboveBound`] if a replication found a stable rate above the static bound.
    pub(super) fn new(
        prepared: &Prepared<'_>,
        seed: u64,
        coarse: Option<Replication>,
        replications: Vec<Replication>,
        beyond: Beyond,
    ) -> Result<Self, SimError> {
        let bound = prepared.load().bound;
        let interval = interval(&replications, bound, prepared.setting.confidence).ok_or_else(|| {
            let highest = replications.iter().filter_map(|replication| replication.stable).max();
            SimError::AboveBound {
                scenario: prepared.scenario.clone(),
                rate: highest.unwrap_or(Rate::millionths(0)).to_string(),
                bound: format!("{:.6}", bound.as_f64()),
            }
        })?;
        Ok(Self { seed, interval, coarse, replications, beyond, overloads: Vec::new() })
    }
}

/// The confidence interval over replications. `None` if one of them is stable above the bound, or if there
/// are none.
fn interval(replications: &[Replication], bound: Fraction, confidence: Rate) -> Option<RateInterval> {
    let is_below = |rate: Rate| Fraction::from(rate) <= bound;
    if replications.is_empty() || !replications.iter().filter_map(|found| found.stable).all(is_below) {
        return None;
    }
    let middles: Vec<f64> = replications
        .iter()
        .map(|found| {
            let [low, high] = found.ends();
            (low + high) as f64 / 2.0
        })
        .collect();
    let count = replications.len() as f64;
    let widths: u64 = replications.iter().map(|found| found.ends()[1] - found.ends()[0]).sum();
    let mean = middles.iter().sum::<f64>() / count;
    let most = in_millionths(bound) as f64;
    let step = most * WIDTH as f64 / MILLION as f64;
    let spread = half_width_of_steps(&middles, step, confidence.as_f64()).unwrap_or(0.0);
    let half = spread + widths as f64 / (2.0 * count);
    let rate = |value: f64| Rate::millionths(value.clamp(0.0, most) as u64);
    Some(RateInterval {
        low: rate((mean - half).floor()),
        mean: rate(mean.round()),
        high: rate((mean + half).ceil()),
    })
}

/// Whether a rate is not stable by the static bound, without any run.
pub(super) fn is_proved_unstable(bound: Fraction, rate: Rate) -> bool {
    rate.in_millionths() >= in_millionths(bound)
}

/// The seed of a replication. The first one has the seed itself.
fn replication_seed(seed: u64, number: u32) -> u64 {
    // Files carry seeds as numbers, and some readers keep 53 bits of a number.
    if number == 0 { seed } else { KeyedStream::new(seed, REPLICATIONS).number(0, number) >> 11 }
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
    let overloads = prepared.setting.overload.len() as u64;
    let runs = FIRST_RUNS + (FEWEST as u64 - 1) * NEXT_RUNS + overloads;
    progress.begin("saturation", seeds.len() as u64 * runs);
    let searches: Vec<_> = seeds.par_iter().map(|&seed| search(prepared, seed, progress)).collect();
    progress.end();
    searches.into_iter().collect()
}

/// The usual number of runs of the first replication, with the coarse search and the run past saturation, and
/// of another replication.
const FIRST_RUNS: u64 = 12;
const NEXT_RUNS: u64 = 3;

/// Whether a coarse search with shorter runs comes first.
fn has_coarse_search(prepared: &Prepared<'_>) -> bool {
    prepared.setting.coarse != prepared.setting.trial
}

fn search(prepared: &Prepared<'_>, seed: u64, progress: &dyn Progress) -> Result<Saturation, SimError> {
    let Setting { coarse: short, trial: long, .. } = prepared.setting;
    let run = |rate: Rate, trial: TrialRun| {
        let found = try_rate(prepared, rate, trial);
        progress.advance();
        found
    };
    let judge_with = |seed: u64, cycles: RunCycles| {
        move |rates: &[Rate]| -> Result<StableRates, SimError> {
            let end = TrialEnd::WhenCertain;
            let trials: Vec<Result<Trial, SimError>> =
                rates.par_iter().map(|&rate| run(rate, TrialRun { seed, cycles, end })).collect();
            trials.into_iter().zip(rates).map(|(trial, &rate)| Ok((rate, trial?.is_stable))).collect()
        }
    };
    let range = SearchRange::new(prepared);
    let beginning = || {
        let judge = judge_with(seed, short);
        first_bracket(&range, &judge).map(|bracket| bracket.replication(seed))
    };
    let past = || run(rate_beyond(prepared), TrialRun { seed, cycles: short, end: TrialEnd::Whole });
    let (beginning, beyond) = rayon::join(beginning, past);
    let (beginning, beyond) = (beginning?, beyond?);
    let next = |number: u32, begin: u64| {
        let seed = replication_seed(seed, number);
        next_bracket(&range, begin, &judge_with(seed, long)).map(|bracket| bracket.replication(seed))
    };
    let (coarse, first) = match has_coarse_search(prepared) {
        true => (Some(beginning), next(0, range.above_coarse(&beginning))?),
        false => (None, beginning),
    };
    let next = |number: u32| next(number, range.middle(&first));
    let most = u32::from(prepared.setting.replications);
    let fewest = most.min(FEWEST as u32);
    let others: Vec<_> = (1..fewest).into_par_iter().map(next).collect();
    let mut replications = vec![first];
    for other in others {
        replications.push(other?);
    }
    while wants_more(prepared, &replications) {
        replications.push(next(replications.len() as u32)?);
    }
    let beyond = Beyond { rate: rate_beyond(prepared), delivered: beyond.delivered };
    let found = Saturation::new(prepared, seed, coarse, replications, beyond)?;
    let overloads = overloads(prepared, found.interval.mean, seed, progress)?;
    Ok(Saturation { overloads, ..found })
}

/// Whether another replication follows these: there are too few, or their interval is still wide.
fn wants_more(prepared: &Prepared<'_>, replications: &[Replication]) -> bool {
    let (setting, bound) = (&prepared.setting, prepared.load().bound);
    if replications.len() >= usize::from(setting.replications) {
        return false;
    }
    let narrow = in_millionths(bound.times(Fraction::new(NARROW, MILLION)));
    let is_wide = |found: RateInterval| {
        let [low, mean, high] = [found.low, found.mean, found.high].map(Rate::in_millionths);
        (mean - low).max(high - mean) > narrow
    };
    replications.len() < FEWEST || interval(replications, bound, setting.confidence).is_none_or(is_wide)
}

/// The rate of the run past saturation. It is limited to what hosts can offer.
fn rate_beyond(prepared: &Prepared<'_>) -> Rate {
    let beyond = prepared.load().bound.times(Fraction::new(BEYOND, MILLION));
    Rate::millionths(in_millionths(beyond.min(prepared.births().highest_rate())).max(1))
}

/// Whether a search can end like this. The search keeps the last stable rate and the next one. Whatever its
/// runs showed, it takes the same steps as if all rates up to its lower end were stable and all others were
/// not. The number of replications follows from their brackets.
pub(super) fn can_end(prepared: &Prepared<'_>, claimed: &Saturation) -> bool {
    let range = SearchRange::new(prepared);
    let Some(first) = claimed.replications.first() else { return false };
    let judge = |found: Replication| {
        move |rates: &[Rate]| -> Result<StableRates, Infallible> {
            Ok(rates.iter().map(|&rate| (rate, found.stable.is_some_and(|end| rate <= end))).collect())
        }
    };
    let begins_so = |found: &Replication| {
        let Ok(again) = first_bracket(&range, &judge(*found));
        again.replication(claimed.seed) == *found
    };
    let ends_so = |number: u32, begin: u64, found: &Replication| {
        let Ok(again) = next_bracket(&range, begin, &judge(*found));
        again.replication(replication_seed(claimed.seed, number)) == *found
    };
    let first_is_possible = match &claimed.coarse {
        Some(coarse) => begins_so(coarse) && ends_so(0, range.above_coarse(coarse), first),
        None => begins_so(first),
    };
    let is_possible = |(number, found): (u32, &Replication)| ends_so(number, range.middle(first), found);
    let count = claimed.replications.len();
    claimed.coarse.is_some() == has_coarse_search(prepared)
        && first_is_possible
        && (0..).zip(&claimed.replications).skip(1).all(is_possible)
        && (1..count).all(|fewer| wants_more(prepared, &claimed.replications[..fewer]))
        && !wants_more(prepared, &claimed.replications)
        && claimed.beyond.rate == rate_beyond(prepared)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replication(stable: u64, unstable: u64) -> Replication {
        let rate = |rate| Some(Rate::millionths(rate));
        Replication { seed: 1, stable: rate(stable), unstable: rate(unstable), runs: 8 }
    }

    /// By hand: middles 0.801, 0.811, 0.821, deviation 0.01, known within 0.005, so that the variance is
    /// 0.0001 + 0.005^2 / 12. t = 4.3027 with two degrees of freedom. Half of the interval is 4.3027 x
    /// 0.0101036 / sqrt(3) + 0.001.
    #[test]
    fn the_interval_is_that_of_student_and_ends_at_the_bound() {
        let found = [800_000, 810_000, 820_000].map(|low| replication(low, low + 2000));
        let confidence = Rate::millionths(950_000);
        let over = interval(&found, Fraction::integer(1u8), confidence).unwrap();
        assert_eq!([over.low, over.mean, over.high].map(Rate::in_millionths), [784_901, 811_000, 837_099]);
        let near = interval(&found, Fraction::new(825u32, 1000u32), confidence).unwrap();
        assert_eq!(near.high, Rate::millionths(825_000));
        assert_eq!(
            interval(&found, Fraction::new(815u32, 1000u32), confidence),
            None,
            "stable above the bound"
        );
        assert_eq!(interval(&[], Fraction::integer(1u8), confidence), None);
    }

    #[test]
    fn seeds_of_replications_differ_and_fit_a_number_of_json() {
        let mut seeds: Vec<u64> =
            (1..=20).flat_map(|seed| (0..20).map(move |k| replication_seed(seed, k))).collect();
        assert!(seeds.iter().all(|seed| *seed < 1 << 53));
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 400);
    }
}
