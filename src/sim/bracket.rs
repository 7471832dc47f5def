//! The steps of a search for the largest stable rate: from rates that a run has judged to the next ones.
//!
//! A first search cuts an interval in three, two runs at a time. Another one begins near the bracket of an
//! earlier search, and takes steps of growing size until it has a bracket, which it then halves. Which rates
//! are run depends on nothing but what the runs before have shown.

use super::prepare::Prepared;
use super::replication::{MILLION, Replication, in_millionths};
use fabc_model::Rate;

/// The first two rates of the search, in millionths of the highest rate.
const FIRST_RATES: [u64; 2] = [800_000, 900_000];

/// How often the lower one is halved where it is not stable.
const HALVINGS: u32 = 6;

/// A search ends where its bracket is at most this wide, in millionths of the highest rate.
pub(super) const WIDTH: u64 = 5_000;

/// The search after a coarse one begins so far above its bracket, in millionths of the highest rate. Short
/// runs take queues that fill up for growth without end.
const LIFT: u64 = 20_000;

/// The rates of a search.
pub(super) struct SearchRange {
    /// The highest rate, in millionths: the static bound, or less where hosts cannot offer that much.
    highest: u64,
    /// Whether the highest rate is the static bound, and hence not stable.
    is_bound: bool,
}

impl SearchRange {
    pub(super) fn new(prepared: &Prepared<'_>) -> Self {
        let (bound, offered) = (prepared.load().bound, prepared.births().highest_rate());
        Self { highest: in_millionths(bound.min(offered)).max(1), is_bound: bound <= offered }
    }

    /// A share of the highest rate, in millionths.
    fn share(&self, share: u64) -> u64 {
        (u128::from(self.highest) * u128::from(share) / u128::from(MILLION)).max(1) as u64
    }

    /// The lowest rate that is tried.
    fn lowest(&self) -> u64 {
        self.share(FIRST_RATES[0] >> HALVINGS)
    }

    /// The width of the bracket with which a search ends.
    fn width(&self) -> u64 {
        self.share(WIDTH).max(2)
    }

    /// The rate at which a search begins after a replication of equal length: the middle of its bracket.
    pub(super) fn middle(&self, found: &Replication) -> u64 {
        let [low, high] = found.ends();
        low.midpoint(high)
    }

    /// The rate at which a search begins after a coarse one.
    pub(super) fn above_coarse(&self, found: &Replication) -> u64 {
        let middle = self.middle(found);
        (middle + self.share(LIFT)).min(middle.midpoint(self.highest))
    }

    /// A bracket before any run.
    fn bracket(&self) -> Bracket {
        let unstable = self.is_bound.then(|| Rate::millionths(self.highest));
        Bracket { stable: None, unstable, runs: 0 }
    }
}

/// Rates, and whether each is stable.
pub(super) type StableRates = Vec<(Rate, bool)>;

/// A function that runs rates.
pub(super) type Judge<'a, E> = &'a dyn Fn(&[Rate]) -> Result<StableRates, E>;

/// The state of a search: its bracket and its runs so far.
pub(super) struct Bracket {
    stable: Option<Rate>,
    unstable: Option<Rate>,
    runs: u32,
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

    /// Both ends in millionths, where the bracket is wider than `width`.
    fn wider_than(&self, width: u64) -> Option<[u64; 2]> {
        let [low, high] = [self.stable?, self.unstable?].map(Rate::in_millionths);
        (high - low > width).then_some([low, high])
    }

    pub(super) fn replication(self, seed: u64) -> Replication {
        Replication { seed, stable: self.stable, unstable: self.unstable, runs: self.runs }
    }
}

/// The bracket of a first search.
pub(super) fn first_bracket<E>(range: &SearchRange, judge: Judge<'_, E>) -> Result<Bracket, E> {
    let mut bracket = range.bracket();
    let [low, high] = FIRST_RATES.map(|share| range.share(share));
    let pair = if range.is_bound { [low, high] } else { [high, range.highest] };
    let mut rates = pair.map(Rate::millionths).to_vec();
    rates.dedup();
    bracket.narrow(&judge(&rates)?);
    // Where even the lower end is too much, try half of it, and so on.
    for halvings in 1..=HALVINGS {
        if bracket.stable.is_some() {
            break;
        }
        bracket.narrow(&judge(&[Rate::millionths(range.share(FIRST_RATES[0] >> halvings))])?);
    }
    while let Some([low, high]) = bracket.wider_than(range.width()) {
        let third = (high - low) / 3;
        bracket.narrow(&judge(&[low + third, high - third].map(Rate::millionths))?);
    }
    Ok(bracket)
}

/// The bracket of a search that begins at a rate, in millionths.
pub(super) fn next_bracket<E>(range: &SearchRange, begin: u64, judge: Judge<'_, E>) -> Result<Bracket, E> {
    let mut bracket = range.bracket();
    let (mut rate, mut step) = (begin.clamp(range.lowest(), range.highest), range.width());
    loop {
        bracket.narrow(&judge(&[Rate::millionths(rate)])?);
        if bracket.stable == Some(Rate::millionths(rate)) {
            let end = bracket.unstable.map_or(range.highest + 1, Rate::in_millionths);
            // Up to the highest rate, where that is not known to be unstable.
            let next =
                if bracket.unstable.is_none() { (rate + step).min(range.highest) } else { rate + step };
            if next >= end || next == rate {
                break;
            }
            rate = next;
        } else {
            if bracket.stable.is_some() || rate == range.lowest() {
                break;
            }
            rate = rate.saturating_sub(step).max(range.lowest());
        }
        step *= 2;
    }
    while let Some([low, high]) = bracket.wider_than(range.width()) {
        bracket.narrow(&judge(&[Rate::millionths(low.midpoint(high))])?);
    }
    Ok(bracket)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(highest: u64, is_bound: bool) -> SearchRange {
        SearchRange { highest, is_bound }
    }

    fn judged(limit: u64) -> impl Fn(&[Rate]) -> Result<StableRates, ()> {
        move |rates| Ok(rates.iter().map(|&rate| (rate, rate.in_millionths() <= limit)).collect())
    }

    /// Whatever the first bracket is, another replication finds its own limit.
    #[test]
    fn every_replication_ends_around_its_own_limit() {
        let range = range(875_000, true);
        for first_limit in [5_000, 300_000, 700_000, 860_000, 874_999] {
            let first = first_bracket(&range, &judged(first_limit)).unwrap().replication(1);
            for limit in [12_000, 200_000, 700_000, 790_000, 861_000, 874_999] {
                let found = next_bracket(&range, range.middle(&first), &judged(limit)).unwrap();
                let [low, high] = [found.stable, found.unstable].map(|end| end.unwrap().in_millionths());
                assert!(
                    low <= limit && limit < high && high - low <= 4375,
                    "{first_limit}, {limit}: {low} {high}"
                );
                assert!(high <= 875_000 && found.runs <= 20, "{first_limit}, {limit}: {}", found.runs);
            }
        }
    }

    #[test]
    fn hosts_that_cannot_offer_the_bound_are_tried_at_their_limit() {
        let range = range(1_000_000, false);
        let first = first_bracket(&range, &judged(2_000_000)).unwrap().replication(1);
        assert_eq!((first.stable, first.unstable, first.runs), (Some(Rate::millionths(1_000_000)), None, 2));
        let next = next_bracket(&range, range.middle(&first), &judged(2_000_000)).unwrap().replication(2);
        assert_eq!((next.stable, next.unstable, next.runs), (Some(Rate::millionths(1_000_000)), None, 1));
        let lower = next_bracket(&range, range.middle(&first), &judged(940_000)).unwrap().replication(2);
        assert!(lower.stable.is_some_and(|rate| rate.in_millionths() >= 935_000), "{lower:?}");
        assert!(lower.unstable.is_some_and(|rate| rate.in_millionths() <= 945_000), "{lower:?}");
    }

    #[test]
    fn not_even_the_lowest_rate_is_stable() {
        let range = range(640_000, true);
        let first = first_bracket(&range, &judged(0)).unwrap().replication(1);
        assert_eq!((first.stable, first.unstable), (None, Some(Rate::millionths(8000))));
        let next = next_bracket(&range, range.middle(&first), &judged(0)).unwrap();
        assert_eq!((next.stable, next.unstable), (None, Some(Rate::millionths(8000))));
    }
}
