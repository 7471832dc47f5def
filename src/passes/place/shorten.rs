//! Routers change cabinets, once those stand, while that shortens cables.
//!
//! In: who is joined to whom, cabinets and where they stand. Out: the same cabinets with other routers, no
//! longer in all. A move takes a router into the cabinet of one of its neighbors, there in exchange for
//! another router, or into free room; it is kept if it lengthens all cables together by no more than a
//! threshold that falls geometrically to zero. Clusters keep links within cabinets; this also brings near
//! what is not in the same one. Source: Dueck and Scheuer 1990. Cost: effort x [`MOVES`] per router, each a
//! sum over the links of two routers.

use fabc_base::random::Stream;

/// Moves of a router at effort 1.
const MOVES: u64 = 3_000;
/// Times that the threshold falls, and how far in all.
const STAGES: u64 = 100;
const FALL: f64 = 0.95;
/// The first threshold, as a part of what moves change on average.
const HEAT: f64 = 0.3;
/// Moves that are looked at for that.
const SAMPLE: usize = 2_000;

/// A floor under exchanges of routers.
pub(super) struct Room<'a> {
    /// `[router]`: its neighbors, each as often as it is joined.
    pub(super) neighbors: &'a [Vec<u32>],
    /// `[cabinet]`: x and y, 0.1 m.
    pub(super) at: Vec<[i64; 2]>,
    /// Routers of a cabinet, at most.
    pub(super) most: usize,
    /// A cable inside a cabinet, and what one between cabinets has more than its way, 0.1 m.
    pub(super) inside: i64,
    pub(super) more: i64,
}

/// Which router stands where.
#[derive(Clone)]
struct Standing {
    cabinet_of: Vec<u32>,
    /// `[router]`: its place in the list of its cabinet.
    slot_of: Vec<u32>,
    members: Vec<Vec<u32>>,
}

/// A router, its new cabinet, and who comes back in exchange.
type Move = (u32, u32, Option<u32>);

impl Room<'_> {
    /// `[router]`: its cabinet, after all moves; and how many were kept.
    pub(super) fn shortened(&self, cabinet_of: &[u32], effort: u32, seed: u64) -> (Vec<u32>, u64) {
        let mut standing = Standing::new(cabinet_of, self.at.len());
        let mut stream = Stream::new(seed, u64::MAX);
        let changes = (0..SAMPLE)
            .filter_map(|_| self.any(&standing, &mut stream))
            .map(|step| self.change(&standing, step).abs());
        let (sum, count) = changes.fold((0, 0), |(sum, count), change| (sum + change, count + 1));
        let mut threshold = HEAT * sum as f64 / f64::from(count.max(1));
        let moves = MOVES * u64::from(effort) * self.neighbors.len() as u64 / STAGES;
        let (mut length, mut kept) = (0i64, 0);
        let mut best = (0i64, standing.cabinet_of.clone());
        for stage in 0..STAGES {
            // The last stages only descend.
            let most = if stage * 10 >= STAGES * 9 { 0 } else { threshold as i64 };
            for _ in 0..moves {
                let Some(step) = self.any(&standing, &mut stream) else { continue };
                let change = self.change(&standing, step);
                if change <= most {
                    standing.take(step);
                    length += change;
                    kept += 1;
                }
            }
            if length < best.0 {
                best = (length, standing.cabinet_of.clone());
            }
            threshold *= FALL;
        }
        (best.1, kept)
    }

    /// A router and the cabinet of one of its neighbors.
    fn any(&self, standing: &Standing, stream: &mut Stream) -> Option<Move> {
        let router = stream.below(self.neighbors.len());
        let neighbors = &self.neighbors[router];
        let to = standing.cabinet_of[neighbors[stream.below(neighbors.len())] as usize];
        let from = standing.cabinet_of[router];
        let partner = standing.members[to as usize].get(stream.below(self.most)).copied();
        let empties = partner.is_none() && standing.members[from as usize].len() == 1;
        (to != from && !empties).then_some((router as u32, to, partner))
    }

    fn length(&self, one: u32, other: u32) -> i64 {
        if one == other {
            return self.inside;
        }
        let ([x, y], [u, v]) = (self.at[one as usize], self.at[other as usize]);
        (x - u).abs() + (y - v).abs() + self.more
    }

    /// What all cables together gain in length.
    fn change(&self, standing: &Standing, (router, to, partner): Move) -> i64 {
        let from = standing.cabinet_of[router as usize];
        let half = |router: u32, from: u32, to: u32, partner: Option<u32>| {
            let met = self.neighbors[router as usize].iter().filter(|&&met| Some(met) != partner);
            met.map(|&met| {
                let stands = standing.cabinet_of[met as usize];
                self.length(to, stands) - self.length(from, stands)
            })
            .sum::<i64>()
        };
        half(router, from, to, partner) + partner.map_or(0, |partner| half(partner, to, from, Some(router)))
    }
}

impl Standing {
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

    fn take(&mut self, (router, to, partner): Move) {
        let (from, slot) = (self.cabinet_of[router as usize], self.slot_of[router as usize]);
        match partner {
            Some(partner) => {
                let place = self.slot_of[partner as usize];
                self.put(partner, from, slot);
                self.put(router, to, place);
            }
            None => {
                self.members[from as usize].swap_remove(slot as usize);
                if let Some(&moved) = self.members[from as usize].get(slot as usize) {
                    self.slot_of[moved as usize] = slot;
                }
                self.members[to as usize].push(router);
                self.put(router, to, self.members[to as usize].len() as u32 - 1);
            }
        }
    }

    fn put(&mut self, router: u32, cabinet: u32, slot: u32) {
        self.members[cabinet as usize][slot as usize] = router;
        self.cabinet_of[router as usize] = cabinet;
        self.slot_of[router as usize] = slot;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(room: &Room<'_>, cabinet_of: &[u32]) -> i64 {
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
        let room = Room {
            neighbors: &neighbors,
            at: (0..6).map(|x| [x * 10, 0]).collect(),
            most: 4,
            inside: 20,
            more: 40,
        };
        let (found, kept) = room.shortened(&dealt, 1, 1);
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
        let room = Room {
            neighbors: &neighbors,
            at: vec![[0, 0], [6, 0], [0, 21], [6, 21]],
            most: 6,
            inside: 20,
            more: 40,
        };
        let mut standing = Standing::new(&(0..20).map(|router| router % 4).collect::<Vec<_>>(), 4);
        let mut stream = Stream::new(3, 3);
        for _ in 0..300 {
            let Some(step) = room.any(&standing, &mut stream) else { continue };
            let (before, change) = (total(&room, &standing.cabinet_of), room.change(&standing, step));
            standing.take(step);
            assert_eq!(total(&room, &standing.cabinet_of) - before, change);
        }
    }
}
