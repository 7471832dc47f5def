//! The universal limit: an upper bound on lambda that holds for every topology the switches of a pod can realise.
//!
//! In: `Pod` (its topology choice is not looked at). Out: [`UniversalLimit`], the smallest of the bounds below, as an exact fraction.
//!
//! **Tree of cubes.** Give every copper link the length a and every fibre the length b, the same in all topologies. By linear-programming
//! duality lambda <= volume / S for any topology, where volume is the sum of the lengths of its channels and S the sum of its shortest
//! lengths over ordered pairs. Volume: every switch can carry at most min(|A|, |B|) fibres (half of its ports under `any of`). For S,
//! fix a router at position p and a position q. A shortest path never goes back through the fibre it came from. So it is described by the list
//! of the face ports through which it leaves its cubes, and in a given topology this list determines the cube it ends in. Think of all such
//! lists as a tree of cubes: a fresh cube behind every face port. There is a copy of q in every tree cube, and every real router at position q
//! within a length d of p has a copy of its own within d in the tree. The real pod has exactly C routers at q, one per cube, so the C nearest
//! copies of q in the tree are together no farther than the C real ones. Adding up over p and q (a router itself is the copy of p at length 0
//! when p = q) bounds S from below. What the tree still depends on is where a fibre comes out (several positions on one switch):
//! the counts take the largest number of copies over all possible ends, separately for every fibre, q and d, and again cannot be
//! below those of a real wiring. Dark ports and fibres that lead back into the same cube only remove copies.
//!
//! Every choice of a and b gives a bound. V is linear in them and S concave, so along b = 1, 2, 3, .. (a = 1) the bound
//! falls to its minimum and then rises: the scan stops at the first rise; after it, the half steps beside the best b are tried (a = 2).
//!
//! **Cuts.** See [`cuts`]: planes through all cubes (they bind where the fibres never cross them, as without z switches), and sets of cubes.
//!
//! Not used: that the words of one exit port must share the C cubes between them (a packing of one-hop port words), which would take another
//! 0.3 to 0.5 % off at 12 to 32 cubes of 4x4x4. Its fractional form gives nothing, and its integer form would have to be solved exactly to be a proof.

mod cuts;
mod shape;
mod tree;

use crate::ir::{LimitArgument, PassRecord, UniversalLimit};
use crate::model::Pod;
use shape::Shape;

/// Largest fibre length that the scan tries, in copper lengths.
const LONGEST_FIBER: usize = 64;
/// Position counts that may be made for one pair of lengths; what lies farther is cut off, which leaves a valid bound.
const COUNTS: usize = 1 << 32;

/// The strongest of the bounds, ties for the tree; `None` for a pod of one router, which has no pairs.
pub fn universal(pod: &Pod) -> (Option<UniversalLimit>, PassRecord) {
    let mut trees = Trees { shape: Shape::new(pod), counted: 0, tried: 0 };
    let mut best = trees.best();
    let mut cuts = 0;
    for cut in cuts::planes(pod).chain(cuts::cubes(pod)) {
        cuts += 1;
        if best.is_none_or(|best| cut.compare(&best).is_lt()) {
            best = Some(cut);
        }
    }
    let counters = [("lengths", trees.tried), ("distances", trees.counted), ("cuts", cuts)];
    let counters = counters.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
    (best, PassRecord { name: "limit".to_owned(), stopped_by: "done".to_owned(), counters })
}

struct Trees {
    shape: Shape,
    /// Distances looked at, over all lengths.
    counted: u64,
    /// Pairs of lengths.
    tried: u64,
}

impl Trees {
    /// The best bound over the lengths that the scan tries.
    fn best(&mut self) -> Option<UniversalLimit> {
        let mut best = self.bound(1, 1)?;
        let mut at = 1;
        if self.shape.fibers > 0 {
            while at < LONGEST_FIBER
                && let Some(next) = self.bound(1, at + 1)
                && next.compare(&best).is_lt()
            {
                (best, at) = (next, at + 1);
            }
            for fiber in [2 * at - 1, 2 * at + 1] {
                if let Some(half) = self.bound(2, fiber)
                    && half.compare(&best).is_lt()
                {
                    best = half;
                }
            }
        }
        Some(best)
    }

    fn bound(&mut self, copper: usize, fiber: usize) -> Option<UniversalLimit> {
        let shape = &self.shape;
        let budget = (COUNTS / (shape.classes.len() * shape.positions())).max(1);
        let (distance, levels) = tree::distance(shape, copper, fiber, budget);
        (self.counted, self.tried) = (self.counted + levels as u64, self.tried + 1);
        let volume = 2 * (u128::from(shape.copper) * copper as u128 + u128::from(shape.fibers) * fiber as u128);
        let argument = LimitArgument::Tree { copper: copper as u32, fiber: fiber as u32, levels: levels as u32 };
        (distance > 0).then_some(UniversalLimit { volume, distance, argument })
    }
}
