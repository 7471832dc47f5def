//! Assigns cabinets to places on the floor: a quadratic assignment problem, solved by threshold accepting.
//!
//! A move exchanges two places, of which at least one has a cabinet. It is kept if it lengthens all cables
//! together by no more than a threshold, which falls geometrically. Five runs have random streams of their
//! own. A descent from the given order is a sixth. The result with the shortest cables counts, and of equal
//! ones the first. Source: Dueck and Scheuer 1990. Cost: effort x the moves, each a sum over the cables of
//! two cabinets.

use super::cables::Cables;
use fabc_base::random::Stream;
use rayon::prelude::*;

/// Number of runs beside the descent.
const RUNS: u64 = 5;
/// Moves of a run at effort 1: the first number, or the second times the cabinets if that is more.
const MOVES: u64 = 200_000;
const MOVES_PER_CABINET: u64 = 12_000;
/// Limit on the cables examined by the moves of a run, for each unit of effort.
const LOOKUPS: u64 = 1 << 30;
/// The last threshold, as a part of the first.
const LAST_THRESHOLD: f64 = 0.003;
/// Number of times that the threshold falls.
const STAGES: u64 = 200;
/// The first threshold is the mean change of `SAMPLE` exchanges, times `HEAT`.
const SAMPLE: usize = 2_000;
const HEAT: f64 = 0.35;

/// The result of the search.
pub(super) struct AnnealedPlaces {
    /// `[cabinet]`: the place where it stands.
    pub(super) place_of: Vec<u32>,
    /// Moves tried, in all runs.
    pub(super) moves: u64,
    /// Moves kept, in the best run.
    pub(super) exchanges: u64,
}

/// The assignment of cabinets to places while it changes.
struct CabinetFloor<'a> {
    cables: &'a Cables,
    /// `[place]`: x and y, 0.1 m.
    positions: &'a [[i64; 2]],
    /// `[cabinet]`: the place where it stands.
    place_of: Vec<u32>,
    /// `[place]`: the cabinet that stands there.
    cabinet_at: Vec<Option<u32>>,
    /// Number of cabinets that may move. The cabinets after these stay in their places.
    free: usize,
    /// Length of all cables, without the part that every cable has.
    length: i64,
}

/// The best result of all runs. Only the first `free` cabinets change places.
pub(super) fn anneal(
    cables: &Cables,
    free: usize,
    places: &[[u32; 2]],
    pitch: [u32; 2],
    effort: u32,
    seed: u64,
) -> AnnealedPlaces {
    let cabinets = cables.to.len() as u64;
    let positions: Vec<[i64; 2]> = places
        .iter()
        .map(|&[row, column]| [i64::from(column) * i64::from(pitch[0]), i64::from(row) * i64::from(pitch[1])])
        .collect();
    // A move examines the neighbors of two cabinets.
    let lookups = cables.to.iter().map(Vec::len).sum::<usize>() as u64 * 2 / cabinets.max(1);
    let moves = MOVES.max(MOVES_PER_CABINET * cabinets).min(LOOKUPS / lookups.max(1)) * u64::from(effort);
    let one_run = |number: u64| {
        let mut floor = CabinetFloor::in_order(cables, free, &positions);
        let mut stream = Stream::new(seed, number);
        let exchanges = if number == 0 {
            floor.accept_moves(moves, 0.0, &mut stream)
        } else {
            floor.accept_moves(moves, floor.start_threshold(&mut stream), &mut stream)
        };
        (floor, exchanges)
    };
    let runs: Vec<(CabinetFloor<'_>, u64)> = (0..=RUNS).into_par_iter().map(one_run).collect();
    let best = runs.into_iter().reduce(|best, next| if next.0.length < best.0.length { next } else { best });
    let (floor, exchanges) = best.expect("there is a descent at least");
    AnnealedPlaces { place_of: floor.place_of, moves: moves * (RUNS + 1), exchanges }
}

impl<'a> CabinetFloor<'a> {
    fn in_order(cables: &'a Cables, free: usize, positions: &'a [[i64; 2]]) -> Self {
        let cabinets = cables.to.len() as u32;
        let mut cabinet_at = vec![None; positions.len()];
        (0..cabinets).for_each(|cabinet| cabinet_at[cabinet as usize] = Some(cabinet));
        let mut floor =
            Self { cables, positions, place_of: (0..cabinets).collect(), cabinet_at, free, length: 0 };
        floor.length = floor.total_length();
        floor
    }

    fn distance(&self, first: u32, second: u32) -> i64 {
        let ([x, y], [u, v]) = (self.positions[first as usize], self.positions[second as usize]);
        (x - u).abs() + (y - v).abs()
    }

    fn total_length(&self) -> i64 {
        let length_of_cabinet = |(cabinet, to): (usize, &Vec<(u32, u32)>)| {
            let place = self.place_of[cabinet];
            to.iter()
                .map(|&(other, count)| i64::from(count) * self.distance(place, self.place_of[other as usize]))
                .sum::<i64>()
        };
        self.cables.to.iter().enumerate().map(length_of_cabinet).sum::<i64>() / 2
    }

    /// The change in length of all cables if two places exchange their cabinets.
    fn length_change(&self, first: u32, second: u32) -> i64 {
        let change_of_cabinet = |cabinet: Option<u32>, from: u32, to: u32, partner: Option<u32>| {
            let Some(cabinet) = cabinet else { return 0 };
            let cables =
                self.cables.to[cabinet as usize].iter().filter(|(neighbor, _)| Some(*neighbor) != partner);
            let gain = |&(neighbor, count): &(u32, u32)| {
                let place = self.place_of[neighbor as usize];
                i64::from(count) * (self.distance(to, place) - self.distance(from, place))
            };
            cables.map(gain).sum::<i64>()
        };
        let (first_cabinet, second_cabinet) =
            (self.cabinet_at[first as usize], self.cabinet_at[second as usize]);
        change_of_cabinet(first_cabinet, first, second, second_cabinet)
            + change_of_cabinet(second_cabinet, second, first, first_cabinet)
    }

    /// Two different places, of which the first has a cabinet. `None` if the second has a cabinet that must
    /// stay.
    fn draw_exchange(&self, stream: &mut Stream) -> Option<(u32, u32)> {
        let first = self.place_of[stream.below(self.free)];
        let second = stream.below(self.positions.len()) as u32;
        let is_fixed = self.cabinet_at[second as usize].is_some_and(|cabinet| cabinet as usize >= self.free);
        (first != second && !is_fixed).then_some((first, second))
    }

    /// A threshold under which most moves are kept: a part of the average change of exchanges.
    fn start_threshold(&self, stream: &mut Stream) -> f64 {
        let changes = (0..SAMPLE)
            .filter_map(|_| self.draw_exchange(stream))
            .map(|(first, second)| self.length_change(first, second).abs());
        let (sum, count) =
            changes.fold((0, 0), |(sum, count), length_change| (sum + length_change, count + 1));
        HEAT * sum as f64 / f64::from(count.max(1))
    }

    /// Tries moves under a falling threshold, then restores the best state. Returns the number of moves kept.
    fn accept_moves(&mut self, moves: u64, start_threshold: f64, stream: &mut Stream) -> u64 {
        let mut best = (self.length, self.place_of.clone());
        let mut exchanges = 0;
        // The root of the last threshold, by steps that give the same result on all machines.
        let fall = power_root(LAST_THRESHOLD, STAGES);
        let mut threshold = start_threshold;
        for stage in 0..STAGES {
            // The last stages only descend.
            let limit = if stage * 20 >= STAGES * 19 { 0 } else { threshold as i64 };
            for _ in 0..moves / STAGES {
                let Some((first, second)) = self.draw_exchange(stream) else { continue };
                let length_change = self.length_change(first, second);
                if length_change <= limit {
                    self.swap_places(first, second, length_change);
                    exchanges += 1;
                }
            }
            if self.length < best.0 {
                best = (self.length, self.place_of.clone());
            }
            threshold *= fall;
        }
        (self.length, self.place_of) = best;
        exchanges
    }

    fn swap_places(&mut self, first: u32, second: u32, length_change: i64) {
        self.cabinet_at.swap(first as usize, second as usize);
        for place in [first, second] {
            if let Some(cabinet) = self.cabinet_at[place as usize] {
                self.place_of[cabinet as usize] = place;
            }
        }
        self.length += length_change;
    }
}

/// The number whose power is `power_value`, with 0 < power_value < 1, by halving an interval.
fn power_root(power_value: f64, power: u64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if (0..power).fold(1.0, |product, _| product * middle) < power_value {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring of cabinets, one cable between neighbors.
    fn ring(cabinets: u32) -> Cables {
        let to = |cabinet: u32| {
            let mut met = vec![((cabinet + 1) % cabinets, 1), ((cabinet + cabinets - 1) % cabinets, 1)];
            met.sort_unstable();
            met
        };
        Cables { to: (0..cabinets).map(to).collect() }
    }

    #[test]
    fn a_ring_is_laid_around_the_floor() {
        let places: Vec<[u32; 2]> = (0..16).map(|place| [place / 4, place % 4]).collect();
        let found = anneal(&ring(16), 16, &places, [10, 10], 1, 1);
        let at: Vec<[i64; 2]> =
            places.iter().map(|&[row, column]| [i64::from(column) * 10, i64::from(row) * 10]).collect();
        let cables = ring(16);
        let mut floor = CabinetFloor::in_order(&cables, 16, &at);
        floor.place_of = found.place_of;
        // A ring through all places of a square floor takes one step per cable.
        assert_eq!(floor.total_length(), 160);
    }

    #[test]
    fn changes_are_what_totals_differ_by() {
        let places: Vec<[i64; 2]> = (0..12).map(|place| [place % 4 * 6, place / 4 * 21]).collect();
        let cables = ring(10);
        let mut floor = CabinetFloor::in_order(&cables, 10, &places);
        let mut stream = Stream::new(3, 3);
        for _ in 0..200 {
            let Some((one, other)) = floor.draw_exchange(&mut stream) else { continue };
            let length_change = floor.length_change(one, other);
            floor.swap_places(one, other, length_change);
            assert_eq!(floor.total_length(), floor.length);
        }
    }
}
