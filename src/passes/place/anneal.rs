//! Where cabinets stand: a quadratic assignment, by threshold accepting.
//!
//! A move exchanges two places of the floor, of which one at least has a cabinet, and is kept if it lengthens
//! all cables together by no more than a threshold that falls geometrically. Five runs have streams of their
//! own, and so has a descent from the given order; the shortest counts, of equal ones the first. Source:
//! Dueck and Scheuer 1990. Cost: effort x the moves, each a sum over the cables of two cabinets.

use super::cables::Cables;
use fabc_base::random::Stream;
use rayon::prelude::*;

/// Runs beside the descent.
const RUNS: u64 = 5;
/// Moves of a run at effort 1: so many, or so many per cabinet if those are more.
const MOVES: u64 = 200_000;
const MOVES_OF_A_CABINET: u64 = 12_000;
/// Moves of a run look at so many cables in all at most, for each unit of effort.
const LOOKS: u64 = 1 << 30;
/// The last threshold, as a part of the first.
const COOLED: f64 = 0.003;
/// Times that the threshold falls.
const STAGES: u64 = 200;
/// The first threshold is the mean change of exchanges so many, less some.
const SAMPLE: usize = 2_000;
const HEAT: f64 = 0.35;

/// What was found.
pub(super) struct Found {
    /// `[cabinet]`: its place.
    pub(super) place_of: Vec<u32>,
    /// Moves that were looked at, in all runs.
    pub(super) moves: u64,
    /// Those that were kept, in the best one.
    pub(super) exchanges: u64,
}

/// A floor under exchanges.
struct Room<'a> {
    cables: &'a Cables,
    /// `[place]`: x and y, 0.1 m.
    at: &'a [[i64; 2]],
    /// `[cabinet]`: its place.
    place_of: Vec<u32>,
    /// `[place]`: the cabinet there.
    stands: Vec<Option<u32>>,
    /// Cabinets from this one on stay where they are.
    free: usize,
    /// Length of all cables, without what all of them have.
    length: i64,
}

/// The best of all runs, in which the first `free` cabinets change places.
pub(super) fn anneal(
    cables: &Cables,
    free: usize,
    places: &[[u32; 2]],
    pitch: [u32; 2],
    effort: u32,
    seed: u64,
) -> Found {
    let cabinets = cables.to.len() as u64;
    let at: Vec<[i64; 2]> = places
        .iter()
        .map(|&[row, column]| [i64::from(column) * i64::from(pitch[0]), i64::from(row) * i64::from(pitch[1])])
        .collect();
    // A move looks at the neighbors of two cabinets.
    let looks = cables.to.iter().map(Vec::len).sum::<usize>() as u64 * 2 / cabinets.max(1);
    let moves = MOVES.max(MOVES_OF_A_CABINET * cabinets).min(LOOKS / looks.max(1)) * u64::from(effort);
    let run = |number: u64| {
        let mut room = Room::in_order(cables, free, &at);
        let mut stream = Stream::new(seed, number);
        let exchanges = if number == 0 {
            room.run(moves, 0.0, &mut stream)
        } else {
            room.run(moves, room.heat(&mut stream), &mut stream)
        };
        (room, exchanges)
    };
    let runs: Vec<(Room<'_>, u64)> = (0..=RUNS).into_par_iter().map(run).collect();
    let best = runs.into_iter().reduce(|best, next| if next.0.length < best.0.length { next } else { best });
    let (room, exchanges) = best.expect("there is a descent at least");
    Found { place_of: room.place_of, moves: moves * (RUNS + 1), exchanges }
}

impl<'a> Room<'a> {
    fn in_order(cables: &'a Cables, free: usize, at: &'a [[i64; 2]]) -> Self {
        let cabinets = cables.to.len() as u32;
        let mut stands = vec![None; at.len()];
        (0..cabinets).for_each(|cabinet| stands[cabinet as usize] = Some(cabinet));
        let mut room = Self { cables, at, place_of: (0..cabinets).collect(), stands, free, length: 0 };
        room.length = room.total();
        room
    }

    fn apart(&self, one: u32, other: u32) -> i64 {
        let ([x, y], [u, v]) = (self.at[one as usize], self.at[other as usize]);
        (x - u).abs() + (y - v).abs()
    }

    fn total(&self) -> i64 {
        let of = |(cabinet, to): (usize, &Vec<(u32, u32)>)| {
            let place = self.place_of[cabinet];
            to.iter()
                .map(|&(other, count)| i64::from(count) * self.apart(place, self.place_of[other as usize]))
                .sum::<i64>()
        };
        self.cables.to.iter().enumerate().map(of).sum::<i64>() / 2
    }

    /// What all cables together gain in length if the cabinets of two places change them.
    fn change(&self, one: u32, other: u32) -> i64 {
        let half = |cabinet: Option<u32>, from: u32, to: u32, partner: Option<u32>| {
            let Some(cabinet) = cabinet else { return 0 };
            let cables = self.cables.to[cabinet as usize].iter().filter(|(met, _)| Some(*met) != partner);
            let gain = |&(met, count): &(u32, u32)| {
                let place = self.place_of[met as usize];
                i64::from(count) * (self.apart(to, place) - self.apart(from, place))
            };
            cables.map(gain).sum::<i64>()
        };
        let (here, there) = (self.stands[one as usize], self.stands[other as usize]);
        half(here, one, other, there) + half(there, other, one, here)
    }

    /// Two different places, of which the first has a cabinet; none whose cabinet stays where it is.
    fn any_two(&self, stream: &mut Stream) -> Option<(u32, u32)> {
        let one = self.place_of[stream.below(self.free)];
        let other = stream.below(self.at.len()) as u32;
        let stays = self.stands[other as usize].is_some_and(|cabinet| cabinet as usize >= self.free);
        (one != other && !stays).then_some((one, other))
    }

    /// A threshold under which much is kept: a part of what exchanges change on average.
    fn heat(&self, stream: &mut Stream) -> f64 {
        let changes = (0..SAMPLE)
            .filter_map(|_| self.any_two(stream))
            .map(|(one, other)| self.change(one, other).abs());
        let (sum, count) = changes.fold((0, 0), |(sum, count), change| (sum + change, count + 1));
        HEAT * sum as f64 / f64::from(count.max(1))
    }

    /// Many moves under a falling threshold, then the best that was met; returns how many were kept.
    fn run(&mut self, moves: u64, heat: f64, stream: &mut Stream) -> u64 {
        let mut best = (self.length, self.place_of.clone());
        let mut exchanges = 0;
        // The root of the last threshold, by steps that all machines take alike.
        let fall = root(COOLED, STAGES);
        let mut threshold = heat;
        for stage in 0..STAGES {
            // The last stages only descend.
            let most = if stage * 20 >= STAGES * 19 { 0 } else { threshold as i64 };
            for _ in 0..moves / STAGES {
                let Some((one, other)) = self.any_two(stream) else { continue };
                let change = self.change(one, other);
                if change <= most {
                    self.exchange(one, other, change);
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

    fn exchange(&mut self, one: u32, other: u32, change: i64) {
        self.stands.swap(one as usize, other as usize);
        for place in [one, other] {
            if let Some(cabinet) = self.stands[place as usize] {
                self.place_of[cabinet as usize] = place;
            }
        }
        self.length += change;
    }
}

/// The number whose power is `of`, 0 < of < 1, by halving an interval.
fn root(of: f64, power: u64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if (0..power).fold(1.0, |product, _| product * middle) < of {
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
        let mut room = Room::in_order(&cables, 16, &at);
        room.place_of = found.place_of;
        // A ring through all places of a square floor takes one step per cable.
        assert_eq!(room.total(), 160);
    }

    #[test]
    fn changes_are_what_totals_differ_by() {
        let places: Vec<[i64; 2]> = (0..12).map(|place| [place % 4 * 6, place / 4 * 21]).collect();
        let cables = ring(10);
        let mut room = Room::in_order(&cables, 10, &places);
        let mut stream = Stream::new(3, 3);
        for _ in 0..200 {
            let Some((one, other)) = room.any_two(&mut stream) else { continue };
            let change = room.change(one, other);
            room.exchange(one, other, change);
            assert_eq!(room.total(), room.length);
        }
    }
}
