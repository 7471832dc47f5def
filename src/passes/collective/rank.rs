//! The order in which a chip wants chunks: nearest source first, ties at random.

use super::ground::Ground;
use fabc_base::ids::Id;
use fabc_base::random::Keyed;
use fabc_ir::Breadth;

/// The stream of ties.
const TIES: u64 = 0x636f_6c6c;

/// The wishes of one chip. A *place* is a position in its order, nearest first.
pub(super) struct Rank {
    /// `[chunk]`: its place; [`Rank::NONE`] for what the chip starts with and for chunks of dead routers.
    pub(super) place: Vec<u32>,
    /// `[place]`: the chunk.
    pub(super) chunk: Vec<u32>,
    /// `[distance]`: the first place that is farther.
    pub(super) until: Vec<u32>,
}

impl Rank {
    /// Not wanted.
    pub(super) const NONE: u32 = u32::MAX;

    /// The wishes of the canonical chip of a class, with so many chunks to a shard.
    pub(super) fn new(ground: &Ground<'_>, class: usize, chunks: u32, seed: u64) -> Self {
        let ties = ties(seed);
        let (chip, hops) = (ground.chips[class], &ground.hops[class]);
        let mut keyed: Vec<(u32, u32, u32)> = Vec::new();
        for source in ground
            .scene
            .endpoints()
            .filter(|&source| source != chip && hops[source.index()] != Breadth::APART)
        {
            let all = source.0 * chunks..(source.0 + 1) * chunks;
            keyed.extend(
                all.map(|chunk| (hops[source.index()], (ties.at(chip.0, chunk) >> 32) as u32, chunk)),
            );
        }
        keyed.sort_unstable();
        let mut place = vec![Self::NONE; ground.nodes() * chunks as usize];
        let mut until = Vec::new();
        for (at, &(hops, _, chunk)) in keyed.iter().enumerate() {
            place[chunk as usize] = at as u32;
            until.resize(hops as usize + 1, at as u32);
            until[hops as usize] = at as u32 + 1;
        }
        Self { place, chunk: keyed.iter().map(|&(_, _, chunk)| chunk).collect(), until }
    }
}

/// What ties are broken by: the number of (router, chunk).
pub(super) fn ties(seed: u64) -> Keyed {
    Keyed::new(seed, TIES)
}
