//! The largest rate that is accepted for good: a search between rates that are and rates that are not.
//!
//! A rate is stable if at most one in a hundred of the packets born in the window is missing among those
//! delivered in it; so runs end with the window. The search cuts an interval in three, and two rates run at a
//! time, whatever the number of threads: what is found does not depend on it.

use super::errors::SimError;
use super::point::Point;
use super::prepare::Prepared;
use super::run::judge;
use super::setting::Setting;
use crate::ir::Fraction;
use crate::model::Rate;
use crate::progress::Progress;
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
    /// Packets delivered in the window.
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
pub fn saturation(prepared: &Prepared<'_>, seeds: &[u64], progress: &dyn Progress) -> Result<Vec<Saturation>, SimError> {
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
    let most = prepared.most();
    // What hosts cannot offer is not asked for.
    let at = |share: u64| {
        let rate = prepared.load().bound.times(Fraction::new(share, 1_000_000u32)).min(most);
        Rate::millionths(u64::try_from(rate.times(Fraction::whole(1_000_000u32)).floor()).unwrap_or(u64::MAX).max(1))
    };
    let run = |rate: &Rate| {
        let point = judge(prepared, *rate, seed);
        progress.advance();
        point
    };
    let all = |rates: &[Rate]| rates.par_iter().map(run).collect::<Vec<_>>().into_iter().collect::<Result<Vec<Point>, SimError>>();
    let [low, high] = ENDS.map(at);
    let first = all(&[low, high, at(BEYOND)])?;
    let mut bracket = Bracket { stable: None, unstable: None, runs: 0 };
    bracket.narrow(&first[..2]);
    // Where even that is too much, half of it, and so on.
    for halvings in 1..=HALVINGS {
        if bracket.stable.is_some() {
            break;
        }
        bracket.narrow(&all(&[at(ENDS[0] >> halvings)])?);
    }
    let width = at(WIDTH).in_millionths();
    while let (Some(low), Some(high)) = (bracket.stable, bracket.unstable) {
        let [low, high] = [low, high].map(Rate::in_millionths);
        if high - low <= width.max(2) {
            break;
        }
        let third = (high - low) / 3;
        bracket.narrow(&all(&[low + third, high - third].map(Rate::millionths))?);
    }
    let beyond = &first[2];
    let beyond = Beyond { rate: beyond.rate, delivered: beyond.delivered };
    Ok(Saturation { seed, stable: bracket.stable, unstable: bracket.unstable, runs: bracket.runs, beyond })
}

impl Bracket {
    /// Takes the largest of some ascending rates that is stable, and the next one, as its new ends.
    fn narrow(&mut self, points: &[Point]) {
        self.runs += points.len() as u32;
        match points.iter().rposition(Point::is_stable) {
            Some(last) => {
                self.stable = Some(points[last].rate);
                self.unstable = points.get(last + 1).map(|point| point.rate).or(self.unstable);
            }
            None => self.unstable = points.first().map(|point| point.rate),
        }
    }
}
