//! Routers change cabinets, once those have places, while that shortens cables.
//!
//! Input: the neighbors of routers, cabinets, and their places. Output: the same cabinets with other routers,
//! and cables that are no longer in all. A move takes a router into the cabinet of one of its neighbors, in
//! exchange for another router or into free room. It is kept if it lengthens all cables together by no more
//! than a threshold, which falls geometrically to zero. Clustering keeps links within cabinets. This pass
//! also shortens links between cabinets. Source: Dueck and Scheuer 1990. Cost: effort x [`MOVES`] per router,
//! each a sum over the links of two routers.

use fabc_base::random::Stream;

/// Moves of a router at effort 1.
const MOVES: u64 = 3_000;
/// Number of times that the threshold falls, and the factor of each fall.
const STAGES: u64 = 100;
const FALL: f64 = 0.95;
/// The first threshold, as a part of the average change of moves.
const HEAT: f64 = 0.3;
/// Moves sampled for that average.
const SAMPLE: usize = 2_000;

/// Fixed facts of the floor while routers move.
pub(super) struct RouterFloor<'a> {
    /// `[router]`: its neighbors, one entry per link.
    pub(super) neighbors: &'a [Vec<u32>],
    /// `[cabinet]`: x and y, 0.1 m.
    pub(super) positions: Vec<[i64; 2]>,
    /// Limit on routers of a cabinet.
    pub(super) capacity: usize,
    /// Length of a cable inside a cabinet, and the overhead of a cable between cabinets, 0.1 m.
    pub(super) inside: i64,
    pub(super) overhead: i64,
}

/// The cabinets of routers while they move.
#[derive(Clone)]
struct RouterPositions {
    cabinet_of: Vec<u32>,
    /// `[router]`: its index in `members` of its cabinet.
    slot_of: Vec<u32>,
    members: Vec<Vec<u32>>,
}

/// A move of a router into another cabinet.
#[derive(Clone, Copy)]
struct RouterMove {
    router: u32,
    cabinet: u32,
    /// The router that comes back in exchange.
    partner: Option<u32>,
}

impl RouterFloor<'_> {
    /// `[router]`: its cabinet after all moves, and the number of moves kept.
    pub(super) fn shorten_cables(&self, cabinet_of: &[u32], effort: u32, seed: u64) -> (Vec<u32>, u64) {
        let mut standing = RouterPositions::new(cabinet_of, self.positions.len());
        let mut stream = Stream::new(seed, u64::MAX);
        let changes = (0..SAMPLE)
            .filter_map(|_| self.draw_move(&standing, &mut stream))
            .map(|step| self.length_change(&standing, step).abs());
        let (sum, count) =
            changes.fold((0, 0), |(sum, count), length_change| (sum + length_change, count + 1));
        let mut threshold = HEAT * sum as f64 / f64::from(count.max(1));
        let moves = MOVES * u64::from(effort) * self.neighbors.len() as u64 / STAGES;
        let (mut length, mut kept_moves) = (0i64, 0);
        let mut best = (0i64, standing.cabinet_of.clone());
        for stage in 0..STAGES {
            // The last stages only descend.
            let limit = if stage * 10 >= STAGES * 9 { 0 } else { threshold as i64 };
            for _ in 0..moves {
                let Some(step) = self.draw_move(&standing, &mut stream) else { continue };
                let length_change = self.length_change(&standing, step);
                if length_change <= limit {
                    standing.apply_move(step);
                    length += length_change;
                    kept_moves += 1;
                }
            }
            if length < best.0 {
                best = (length, standing.cabinet_of.clone());
            }
            threshold *= FALL;
        }
        (best.1, kept_moves)
    }

    /// A random router, the cabinet of one of its neighbors, and a random slot there.
    fn draw_move(&self, standing: &RouterPositions, stream: &mut Stream) -> Option<RouterMove> {
        let router = stream.below(self.neighbors.len());
        let neighbors = &self.neighbors[router];
        let to = standing.cabinet_of[neighbors[stream.below(neighbors.len())] as usize];
        let from = standing.cabinet_of[router];
        let partner = standing.members[to as usize].get(stream.below(self.capacity)).copied();
        let empties = partner.is_none() && standing.members[from as usize].len() == 1;
        (to != from && !empties).then_some(RouterMove { router: router as u32, cabinet: to, partner })
    }

    fn length(&self, first: u32, second: u32) -> i64 {
        if first == second {
            return self.inside;
        }
        let ([x, y], [u, v]) = (self.positions[first as usize], self.positions[second as usize]);
        (x - u).abs() + (y - v).abs() + self.overhead
    }

    /// The change in length of all cables.
    fn length_change(&self, standing: &RouterPositions, router_move: RouterMove) -> i64 {
        let RouterMove { router, cabinet: to, partner } = router_move;
        let from = standing.cabinet_of[router as usize];
        let change_of_router = |router: u32, from: u32, to: u32, partner: Option<u32>| {
            let neighbors =
                self.neighbors[router as usize].iter().filter(|&&neighbor| Some(neighbor) != partner);
            neighbors
                .map(|&neighbor| {
                    let cabinet = standing.cabinet_of[neighbor as usize];
                    self.length(to, cabinet) - self.length(from, cabinet)
                })
                .sum::<i64>()
        };
        change_of_router(router, from, to, partner)
            + partner.map_or(0, |partner| change_of_router(partner, to, from, Some(router)))
    }
}

impl RouterPositions {
    fn new(cabinet_of: &[u32], cabinets: usize) -> Self {
        let mut standing = Self {
            cabinet_of: cabinet_of.to_vec(),
            slot_of: Vec::new(),
            members: vec![Vec::new(); cabinets],
        };
        for (router, &cabinet) in (0u32..).zip(cabinet_of) {
            standing.slot_of.push(standing.members[cabinet as usize].len() as u32);
            standing.members[cabinet as usize].push(router);
        }
        standing
    }

    fn apply_move(&mut self, router_move: RouterMove) {
        let RouterMove { router, cabinet: to, partner } = router_move;
        let (from, slot) = (self.cabinet_of[router as usize], self.slot_of[router as usize]);
        match partner {
            Some(partner) => {
                let place = self.slot_of[partner as usize];
                self.set_slot(partner, from, slot);
                self.set_slot(router, to, place);
            }
            None => {
                self.members[from as usize].swap_remove(slot as usize);
                if let Some(&moved) = self.members[from as usize].get(slot as usize) {
                    self.slot_of[moved as usize] = slot;
                }
                self.members[to as usize].push(router);
                self.set_slot(router, to, self.members[to as usize].len() as u32 - 1);
            }
        }
    }

    fn set_slot(&mut self, router: u32, cabinet: u32, slot: u32) {
        self.members[cabinet as usize][slot as usize] = router;
        self.cabinet_of[router as usize] = cabinet;
        self.slot_of[router as usize] = slot;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(room: &RouterFloor<'_>, cabinet_of: &[u32]) -> i64 {
        let of = |(router, met): (usize, &Vec<u32>)| {
            met.iter().map(|&other| room.length(cabinet_of[router], cabinet_of[other as usize])).sum::<i64>()
        };
        room.neighbors.iter().enumerate().map(of).sum::<i64>() / 2
    }

    /// A line of routers in six cabinets in a row, every other one a cabinet too far; the first has free
    /// room. (Whole cabinets are put in order before.)
    #[test]
    fn a_line_is_straightened() {
        let neighbors: Vec<Vec<u32>> = (0..22u32)
            .map(|router| (0..22u32).filter(|other| other.abs_diff(router) == 1).collect())
            .collect();
        let dealt: Vec<u32> = (0..22).map(|router| ((router + router % 2 * 4) / 4).min(5)).collect();
        let room = RouterFloor {
            neighbors: &neighbors,
            positions: (0..6).map(|x| [x * 10, 0]).collect(),
            capacity: 4,
            inside: 20,
            overhead: 40,
        };
        let (found, kept) = room.shorten_cables(&dealt, 1, 1);
        // Five cables between neighboring cabinets, sixteen within.
        assert_eq!(total(&room, &found), 5 * 50 + 16 * 20, "{found:?} {kept}");
        let held = |cabinet: u32| found.iter().filter(|&&at| at == cabinet).count();
        assert!((0..6).all(|cabinet| (1..=4).contains(&held(cabinet))));
    }

    #[test]
    fn changes_are_what_totals_differ_by() {
        let neighbors: Vec<Vec<u32>> = (0..20u32)
            .map(|router| vec![(router + 1) % 20, (router + 19) % 20, (router + 10) % 20])
            .collect();
        let room = RouterFloor {
            neighbors: &neighbors,
            positions: vec![[0, 0], [6, 0], [0, 21], [6, 21]],
            capacity: 6,
            inside: 20,
            overhead: 40,
        };
        let mut standing = RouterPositions::new(&(0..20).map(|router| router % 4).collect::<Vec<_>>(), 4);
        let mut stream = Stream::new(3, 3);
        for _ in 0..300 {
            let Some(step) = room.draw_move(&standing, &mut stream) else { continue };
            let (before, length_change) =
                (total(&room, &standing.cabinet_of), room.length_change(&standing, step));
            standing.apply_move(step);
            assert_eq!(total(&room, &standing.cabinet_of) - before, length_change);
        }
    }
}
