//! What the tree of cubes overlooks: the cubes behind the face ports of one cube are at most C.
//!
//! In: the pod as a [`Shape`] in which every face port has one partner, copper of length 1, fibers of length
//! `FIBER`. Out: a larger least sum of lengths, with the numbers that prove it.
//!
//! Take one cube as the source. A *word* is one of its face ports: it leads over one fiber into some cube.
//! For a pair z = (p, q) of positions let T(z, r) be the copies of q within r of p in the tree, and n(S, z,
//! r) the words of a set S that reach q within r: copper to the port, fiber, copper from its partner to q.
//! If all words of S lead to the same cube, all but one of the n copies are lost: of the tree's T(z, r)
//! copies at most T(z, r) - (n - 1)^+ are different chips. With S_h the words that lead to cube h, and the
//! empty word (no fiber) among those of the source's own cube,
//!
//! D >= D_tree + sum over h of f(S_h), f(S) = sum over (z, r) with T(z, r) <= C of (n(S, z, r) - 1)^+,
//!
//! where D is the distance sum of one source cube. Dropping longer words of the tree lowers the loss only;
//! dark ports, and switches that serve a few cubes, only remove wirings: what they leave dark could be lit,
//! which makes no length larger. The words are shared out among C cubes. With a price y(w) for every word,
//! the same for words that a symmetry of the cube exchanges, let sigma be the least f(S) - y(S) over all
//! sets S, and sigma_own the same with the empty word. Then for every wiring
//!
//! D >= D_tree + sum of y(w) + (C - 1) sigma + sigma_own.
//!
//! All numbers are integers. With a(w, z) the number of r that count w, f(S) = sum over z of (sum of a - max
//! of a): adding a word costs more, the larger S is (f is supermodular). So a depth-first search that ends
//! where the value and all negative costs of single words cannot beat the best is exact; one port of each
//! class stands for the first one taken. Prices: multiples of what words count for, then steps along all
//! directions. From 44 cubes of 4x4x4 on there are disjoint pairs of balls, and nothing is gained. Source:
//! our own.

use super::shape::Shape;
use super::tree::{self, Lengths};

/// Numbers of cubes for which the search is made: below it takes long, above it finds nothing.
pub(super) const CUBES: std::ops::RangeInclusive<u64> = 16..=40;
/// Length of a fiber against copper 1.
const FIBER: usize = 3;
/// Positions of a cube, at most.
const POSITIONS: usize = 128;
/// Pairs of positions that all costs of words together look at, at most.
const WORK: u64 = 6_000_000 * 4096;
/// Prices to start from, in parts of what a word counts for at most; the likeliest first.
const STARTS: [i64; 9] = [5, 6, 4, 7, 3, 8, 2, 9, 1];
const START_PARTS: i64 = 32;
/// Steps of the prices.
const STEPS: [i64; 5] = [32, 16, 8, 4, 2];
/// Classes of words, at most: all directions are tried.
const CLASSES: usize = 4;

/// What the packing adds to the tree.
pub(super) struct Packing {
    pub(super) lengths: Lengths,
    /// Least sum of lengths over the ordered pairs.
    pub(super) distance: u128,
    /// `[class of words]`.
    pub(super) prices: Vec<u32>,
    /// Minus sigma, and minus sigma of the own cube.
    pub(super) deficits: [u64; 2],
    /// Costs that were looked at.
    pub(super) costs: u64,
}

/// The best bound over the prices that are tried; `None` where none beats the tree of these lengths, or the
/// argument does not fit.
pub(super) fn pack(shape: &Shape) -> Option<Packing> {
    let lone = |slot: usize| matches!(shape.partners[shape.partners_of[slot]][..], [other] if other != slot);
    let slots = shape.position.len();
    let positions = shape.positions();
    if !CUBES.contains(&shape.cubes)
        || positions > POSITIONS
        || slots == 0
        || !(0..slots).all(lone)
        || shape.slots.len() > CLASSES
    {
        return None;
    }
    let lengths = Lengths { copper: shape.dims.map(|dim| vec![1; dim - 1]), fiber: FIBER };
    let (distance, _) = tree::distance(shape, &lengths, usize::MAX);
    // `counted[p * positions + q]`: how many r have T(z, r) <= C.
    let mut counted = vec![0; positions * positions];
    for q in 0..positions {
        let levels = tree::levels_to(shape, &lengths, q, shape.cubes);
        levels.into_iter().enumerate().for_each(|(p, levels)| counted[p * positions + q] = levels);
    }
    // What a way of some length counts for at a pair; at most one byte.
    let counts = |z: usize, length: usize| u8::try_from(counted[z].saturating_sub(length)).unwrap_or(u8::MAX);
    if counted.iter().any(|&levels| levels > usize::from(u8::MAX)) {
        return None;
    }
    let row = |length: &dyn Fn(usize, usize) -> usize| -> Vec<u8> {
        (0..positions * positions).map(|z| counts(z, length(z / positions, z % positions))).collect()
    };
    let copper = |p: usize, q: usize| lengths.between(shape.dims, p, q);
    let words: Vec<Vec<u8>> = shape
        .slots
        .iter()
        .flatten()
        .map(|&slot| {
            let entry = shape.position[shape.partners[shape.partners_of[slot]][0]];
            row(&|p, q| copper(p, shape.position[slot]) + FIBER + copper(entry, q))
        })
        .collect();
    let mut search = Search {
        total: words.iter().map(|word| word.iter().map(|&count| i64::from(count)).sum()).collect(),
        words,
        classes: shape.slots.iter().map(Vec::len).collect(),
        own: row(&copper),
        none: vec![0; positions * positions],
        cubes: shape.cubes as i64,
        left: WORK / (positions * positions) as u64,
        costs: 0,
    };
    let (prices, [sigma, own], gain) = search.best()?;
    Some(Packing {
        lengths,
        distance: distance + gain as u128 * u128::from(shape.cubes),
        prices: prices.into_iter().map(|price| price as u32).collect(),
        deficits: [-sigma, -own].map(|deficit| deficit as u64),
        costs: search.costs,
    })
}

struct Search {
    /// `[word][pair]`: for how many r the word counts; words of a class stand together.
    words: Vec<Vec<u8>>,
    /// `[word]`: the sum over all pairs.
    total: Vec<i64>,
    /// Words of every class.
    classes: Vec<usize>,
    /// The empty word.
    own: Vec<u8>,
    /// No word.
    none: Vec<u8>,
    cubes: i64,
    /// Costs that may still be looked at, and those that were.
    left: u64,
    costs: u64,
}

impl Search {
    /// Prices, both least values, what they add to the tree.
    fn best(&mut self) -> Option<(Vec<i64>, [i64; 2], i64)> {
        let first: Vec<i64> = self
            .classes
            .iter()
            .scan(0, |at, &members| Some(std::mem::replace(at, *at + members)))
            .map(|at| self.total[at])
            .collect();
        let mut best: Option<(Vec<i64>, [i64; 2], i64)> = None;
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
                        let (before, ..) = best.as_ref()?;
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
        best.filter(|&(.., gain)| gain > 0)
    }

    /// Whether these prices add more; they are then kept.
    fn improve(&mut self, prices: Vec<i64>, best: &mut Option<(Vec<i64>, [i64; 2], i64)>) -> bool {
        let paid: i64 =
            prices.iter().zip(&self.classes).map(|(price, &members)| price * members as i64).sum();
        // What sigma must exceed for the sum to be larger.
        let stop = best.as_ref().map_or(i64::MIN, |&(.., gain)| (gain - paid).div_euclid(self.cubes - 1));
        if stop >= 0 {
            return false;
        }
        let least = |search: &mut Self, own: bool, stop: i64| {
            search.least(&prices, own, stop).filter(|&least| least > stop)
        };
        let Some(sigma) = least(self, false, stop) else { return false };
        let left = paid + (self.cubes - 1) * sigma;
        let stop = best.as_ref().map_or(i64::MIN, |&(.., gain)| gain - left);
        let Some(own) = least(self, true, stop) else { return false };
        *best = Some((prices, [sigma, own], left + own));
        true
    }

    /// The least f(S) - y(S), or any value that is not above `stop`; `None` where the costs run out.
    fn least(&mut self, prices: &[i64], own: bool, stop: i64) -> Option<i64> {
        let class_of: Vec<usize> =
            self.classes.iter().enumerate().flat_map(|(class, &members)| vec![class; members]).collect();
        let base: Vec<i64> =
            class_of.iter().zip(&self.total).map(|(&class, total)| total - prices[class]).collect();
        let start = if own { &self.own } else { &self.none };
        let mut descent = Descent { words: &self.words, base, best: 0, stop, left: self.left };
        let mut at = 0;
        for members in &self.classes {
            // The first word of a class stands for whichever is in a set without words of the classes before.
            let later: Vec<usize> = (at + 1..self.words.len()).collect();
            let value = descent.cost(at, start);
            descent.search(&with(start, &self.words[at]), value, &later);
            at += members;
        }
        let (best, left) = (descent.best, descent.left);
        self.costs += self.left - left;
        self.left = left;
        (left > 0).then_some(best)
    }
}

/// Depth-first search for the cheapest set.
struct Descent<'a> {
    words: &'a [Vec<u8>],
    /// `[word]`: what it costs if no other word takes from what it counts for.
    base: Vec<i64>,
    best: i64,
    stop: i64,
    /// Costs that may still be looked at.
    left: u64,
}

impl Descent<'_> {
    /// What a word adds to a set in which `most` is the largest count at every pair.
    fn cost(&self, word: usize, most: &[u8]) -> i64 {
        self.base[word] - excess(&self.words[word], most)
    }

    fn search(&mut self, most: &[u8], value: i64, words: &[usize]) {
        self.best = self.best.min(value);
        let mut cheap: Vec<(i64, usize)> =
            words.iter().map(|&word| (self.cost(word, most), word)).filter(|&(cost, _)| cost < 0).collect();
        self.left = self.left.saturating_sub(words.len() as u64);
        cheap.sort_unstable();
        // All words that are still cheap, without what they cost each other.
        let mut room: i64 = cheap.iter().map(|&(cost, _)| cost).sum();
        for (at, &(cost, word)) in cheap.iter().enumerate() {
            if value + room >= self.best || self.best <= self.stop || self.left == 0 {
                return;
            }
            let rest: Vec<usize> = cheap[at + 1..].iter().map(|&(_, word)| word).collect();
            self.search(&with(most, &self.words[word]), value + cost, &rest);
            room -= cost;
        }
    }
}

/// The larger of two counts at every pair.
fn with(most: &[u8], word: &[u8]) -> Vec<u8> {
    most.iter().zip(word).map(|(most, count)| *most.max(count)).collect()
}

/// By how much the counts of a word exceed others, over all pairs.
fn excess(word: &[u8], most: &[u8]) -> i64 {
    // 64 differences of a byte fit 16 bits.
    let parts = word.chunks(64).zip(most.chunks(64));
    parts
        .map(|(word, most)| {
            i64::from(
                word.iter().zip(most).map(|(word, most)| u16::from(word.saturating_sub(*most))).sum::<u16>(),
            )
        })
        .sum()
}
