//! A fact that the tree of cubes ignores: the cubes behind the face ports of one cube are at most C.
//!
//! Input: the pod as a [`CubeShape`] in which every face port has one partner, copper of length 1, fibers
//! of length `FIBER`. Output: a larger least sum of lengths, with the numbers that prove it.
//!
//! Take one cube as the source. A *word* is one of its face ports: it leads over one fiber into some cube.
//! For a pair z = (p, q) of positions let T(z, r) be the copies of q within r of p in the tree. Let n(S, z,
//! r) be the words of a set S that reach q within r: copper to the port, fiber, copper from its partner to
//! q. If all words of S lead to the same cube, all but one of the n copies are lost. So of the tree's T(z,
//! r) copies at most T(z, r) - (n - 1)^+ are different chips. With S_h the words that lead to cube h, and
//! the empty word (no fiber) among those of the source's own cube,
//!
//! D >= D_tree + sum over h of f(S_h), f(S) = sum over (z, r) with T(z, r) <= C of (n(S, z, r) - 1)^+,
//!
//! where D is the distance sum of one source cube. Dropping longer words of the tree lowers the loss only.
//! Dark ports, and switches that serve a few cubes, only remove wirings: their dark ports could be lit,
//! which makes no length larger. The words are shared out among C cubes. Give every word a price y(w), the
//! same for words that a symmetry of the cube exchanges. Let sigma be the least f(S) - y(S) over all sets
//! S, and sigma_own the same with the empty word. Then for every wiring
//!
//! D >= D_tree + sum of y(w) + (C - 1) sigma + sigma_own.
//!
//! All numbers are integers. With a(w, z) the number of r that count w, f(S) = sum over z of (sum of a -
//! max of a). Adding a word costs more, the larger S is (f is supermodular). So a depth-first search is
//! exact if it ends a branch whose value and all negative costs of single words cannot beat the best. One
//! port of each class stands for the first one taken.
//!
//! The prices start as multiples of the counts of words, then take steps along all directions. From 44
//! cubes of 4x4x4 on there are disjoint pairs of balls, and nothing is gained. Source: our own.

use super::shape::CubeShape;
use super::tree::{self, Lengths};

/// The numbers of cubes for which the search is made. Below it takes long, above it finds nothing.
pub(super) const CUBES: std::ops::RangeInclusive<u64> = 16..=40;
/// The length of a fiber against copper 1.
const FIBER: usize = 3;
/// The most positions of a cube.
const POSITIONS: usize = 128;
/// The most pairs of positions that all costs of words together examine.
const WORK: u64 = 6_000_000 * 4096;
/// Prices to start from, in parts of the total count of a word, the likeliest first.
const STARTS: [i64; 9] = [5, 6, 4, 7, 3, 8, 2, 9, 1];
const START_PARTS: i64 = 32;
/// The steps of the prices, in turn.
const STEPS: [i64; 5] = [32, 16, 8, 4, 2];
/// The most classes of words, because all directions are tried.
const CLASSES: usize = 4;

/// The bound that the packing adds to the tree.
pub(super) struct OneHopPacking {
    pub(super) lengths: Lengths,
    /// The least sum of lengths over the ordered pairs.
    pub(super) distance: u128,
    /// `[class of words]`: the price of a word.
    pub(super) prices: Vec<u32>,
    /// The shortfall of words to another cube, which is minus sigma.
    pub(super) deficit: u64,
    /// Minus sigma of the source's own cube.
    pub(super) own_deficit: u64,
    /// The number of costs examined.
    pub(super) costs: u64,
}

/// The best bound over the prices tried. `None` if none beats the tree of these lengths, or the argument
/// does not apply.
pub(super) fn pack(shape: &CubeShape) -> Option<OneHopPacking> {
    let has_one_partner =
        |slot: usize| matches!(shape.partners[shape.partners_of[slot]][..], [other] if other != slot);
    let slots = shape.position.len();
    let positions = shape.positions();
    if !CUBES.contains(&shape.cubes)
        || positions > POSITIONS
        || slots == 0
        || !(0..slots).all(has_one_partner)
        || shape.slots.len() > CLASSES
    {
        return None;
    }
    let lengths = Lengths { copper: shape.dims.map(|dim| vec![1; dim - 1]), fiber: FIBER };
    let (distance, _) = tree::distance(shape, &lengths, usize::MAX);
    // `levels_within[p * positions + q]`: how many r have T(z, r) <= C.
    let mut levels_within = vec![0; positions * positions];
    for q in 0..positions {
        let levels = tree::levels_to(shape, &lengths, q, shape.cubes);
        levels.into_iter().enumerate().for_each(|(p, levels)| levels_within[p * positions + q] = levels);
    }
    // The count of a path of some length at a pair. It fits a byte.
    let clamped_count =
        |z: usize, length: usize| u8::try_from(levels_within[z].saturating_sub(length)).unwrap_or(u8::MAX);
    if levels_within.iter().any(|&levels| levels > usize::from(u8::MAX)) {
        return None;
    }
    let row = |length: &dyn Fn(usize, usize) -> usize| -> Vec<u8> {
        (0..positions * positions).map(|z| clamped_count(z, length(z / positions, z % positions))).collect()
    };
    let copper = |p: usize, q: usize| lengths.between(shape.dims, p, q);
    let words: Vec<Vec<u8>> = shape
        .slots
        .iter()
        .flatten()
        .map(|&slot| {
            let entry_position = shape.position[shape.partners[shape.partners_of[slot]][0]];
            row(&|p, q| copper(p, shape.position[slot]) + FIBER + copper(entry_position, q))
        })
        .collect();
    let mut search = PriceSearch {
        total: words.iter().map(|word| word.iter().map(|&count| i64::from(count)).sum()).collect(),
        words,
        classes: shape.slots.iter().map(Vec::len).collect(),
        own_counts: row(&copper),
        zero_counts: vec![0; positions * positions],
        cubes: shape.cubes as i64,
        remaining: WORK / (positions * positions) as u64,
        costs: 0,
    };
    let PriceBound { prices, sigma, own_sigma, gain } = search.best()?;
    Some(OneHopPacking {
        lengths,
        distance: distance + gain as u128 * u128::from(shape.cubes),
        prices: prices.into_iter().map(|price| price as u32).collect(),
        deficit: -sigma as u64,
        own_deficit: -own_sigma as u64,
        costs: search.costs,
    })
}

/// Prices and the bound that they prove.
struct PriceBound {
    /// `[class]`: the price of a word.
    prices: Vec<i64>,
    sigma: i64,
    own_sigma: i64,
    /// The distance that they add to the tree, per source cube.
    gain: i64,
}

/// The search for the prices that add most.
struct PriceSearch {
    /// `[word][pair]`: for how many r the word counts. Words of a class are adjacent.
    words: Vec<Vec<u8>>,
    /// `[word]`: the sum over all pairs.
    total: Vec<i64>,
    /// `[class]`: the number of its words.
    classes: Vec<usize>,
    /// `[pair]`: the counts of the empty word.
    own_counts: Vec<u8>,
    /// `[pair]`: the counts of no word.
    zero_counts: Vec<u8>,
    cubes: i64,
    /// The number of costs that may still be examined, and of those that were.
    remaining: u64,
    costs: u64,
}

impl PriceSearch {
    /// The best prices found, or `None` if they add nothing to the tree.
    fn best(&mut self) -> Option<PriceBound> {
        let first: Vec<i64> = self
            .classes
            .iter()
            .scan(0, |first_word, &members| Some(std::mem::replace(first_word, *first_word + members)))
            .map(|first_word| self.total[first_word])
            .collect();
        let mut best: Option<PriceBound> = None;
        for part in STARTS {
            self.improve(first.iter().map(|total| total * part / START_PARTS).collect(), &mut best);
        }
        let directions = 3usize.pow(self.classes.len() as u32);
        for step in STEPS {
            let mut moved = true;
            while std::mem::replace(&mut moved, false) {
                for direction in 0..directions {
                    let along = |class: usize| step * ((direction / 3usize.pow(class as u32) % 3) as i64 - 1);
                    loop {
                        let before = &best.as_ref()?.prices;
                        let next: Vec<i64> =
                            before.iter().enumerate().map(|(class, price)| price + along(class)).collect();
                        if next == *before
                            || next.iter().any(|&price| price < 0)
                            || !self.improve(next, &mut best)
                        {
                            break;
                        }
                        moved = true;
                    }
                }
            }
        }
        best.filter(|best| best.gain > 0)
    }

    /// Whether these prices add more. If so, keeps them.
    fn improve(&mut self, prices: Vec<i64>, best: &mut Option<PriceBound>) -> bool {
        let price_sum: i64 =
            prices.iter().zip(&self.classes).map(|(price, &members)| price * members as i64).sum();
        // The value that sigma must exceed for the sum to be larger.
        let stop = best.as_ref().map_or(i64::MIN, |best| (best.gain - price_sum).div_euclid(self.cubes - 1));
        if stop >= 0 {
            return false;
        }
        let least_above = |search: &mut Self, with_empty_word: bool, stop: i64| {
            search.least_cost(&prices, with_empty_word, stop).filter(|&cost| cost > stop)
        };
        let Some(sigma) = least_above(self, false, stop) else { return false };
        let gain_without_own = price_sum + (self.cubes - 1) * sigma;
        let stop = best.as_ref().map_or(i64::MIN, |best| best.gain - gain_without_own);
        let Some(own_sigma) = least_above(self, true, stop) else { return false };
        *best = Some(PriceBound { prices, sigma, own_sigma, gain: gain_without_own + own_sigma });
        true
    }

    /// The least f(S) - y(S), or any value that is not above `stop`. With `with_empty_word`, S holds the
    /// empty word. `None` if the costs run out.
    fn least_cost(&mut self, prices: &[i64], with_empty_word: bool, stop: i64) -> Option<i64> {
        let class_of: Vec<usize> =
            self.classes.iter().enumerate().flat_map(|(class, &members)| vec![class; members]).collect();
        let base: Vec<i64> =
            class_of.iter().zip(&self.total).map(|(&class, total)| total - prices[class]).collect();
        let start = if with_empty_word { &self.own_counts } else { &self.zero_counts };
        let mut descent =
            WordSetSearch { words: &self.words, base, best: 0, stop, remaining: self.remaining };
        let mut first_word = 0;
        for members in &self.classes {
            // The first word of a class represents any word in a set without words of the classes before.
            let later: Vec<usize> = (first_word + 1..self.words.len()).collect();
            let value = descent.cost_of_adding(first_word, start);
            descent.search(&merge_counts(start, &self.words[first_word]), value, &later);
            first_word += members;
        }
        let WordSetSearch { best, remaining, .. } = descent;
        self.costs += self.remaining - remaining;
        self.remaining = remaining;
        (remaining > 0).then_some(best)
    }
}

/// A depth-first search for the cheapest set of words.
struct WordSetSearch<'a> {
    words: &'a [Vec<u8>],
    /// `[word]`: its cost if no other word takes any of its counts.
    base: Vec<i64>,
    best: i64,
    stop: i64,
    /// The number of costs that may still be examined.
    remaining: u64,
}

impl WordSetSearch<'_> {
    /// The cost of adding a word to a set whose largest counts, at every pair, are `largest`.
    fn cost_of_adding(&self, word: usize, largest: &[u8]) -> i64 {
        self.base[word] - excess(&self.words[word], largest)
    }

    fn search(&mut self, largest: &[u8], value: i64, words: &[usize]) {
        self.best = self.best.min(value);
        let mut cheap: Vec<(i64, usize)> = words
            .iter()
            .map(|&word| (self.cost_of_adding(word, largest), word))
            .filter(|&(cost, _)| cost < 0)
            .collect();
        self.remaining = self.remaining.saturating_sub(words.len() as u64);
        cheap.sort_unstable();
        // The sum over all cheap words, without the cost that they cause each other.
        let mut potential: i64 = cheap.iter().map(|&(cost, _)| cost).sum();
        for (at, &(cost, word)) in cheap.iter().enumerate() {
            if value + potential >= self.best || self.best <= self.stop || self.remaining == 0 {
                return;
            }
            let rest: Vec<usize> = cheap[at + 1..].iter().map(|&(_, word)| word).collect();
            self.search(&merge_counts(largest, &self.words[word]), value + cost, &rest);
            potential -= cost;
        }
    }
}

/// The larger of two counts, at every pair.
fn merge_counts(largest: &[u8], word: &[u8]) -> Vec<u8> {
    largest.iter().zip(word).map(|(largest, count)| *largest.max(count)).collect()
}

/// The sum over all pairs by which the counts of a word exceed others.
fn excess(word: &[u8], largest: &[u8]) -> i64 {
    // 64 differences of a byte fit 16 bits, so no sum wraps. Additions that may wrap take whole vectors.
    let difference = |(count, largest): (&u8, &u8)| u16::from(count.saturating_sub(*largest));
    let parts = word.chunks(64).zip(largest.chunks(64));
    parts
        .map(|(word, largest)| i64::from(word.iter().zip(largest).map(difference).fold(0, u16::wrapping_add)))
        .sum()
}
