//! The order in which a chip wants chunks: nearest source first, ties broken at random.

use super::canonical::CanonicalScene;
use fabc_base::ids::Id;
use fabc_base::random::KeyedStream;
use fabc_ir::Breadth;

/// Random stream that breaks ties.
const TIE_STREAM: u64 = 0x636f_6c6c;

/// The chunks that one chip wants, in order. A *place* is a position in this order.
pub(super) struct ChunkOrder {
    /// `[chunk]`: its place, or [`ChunkOrder::UNWANTED`] for chunks that the chip starts with and for those
    /// of failed routers.
    pub(super) place_of_chunk: Vec<u32>,
    /// `[place]`: the chunk that has this place.
    pub(super) chunk_at: Vec<u32>,
    /// `[distance]`: the first place that is farther.
    pub(super) distance_ends: Vec<u32>,
}

impl ChunkOrder {
    /// Place of a chunk that the chip does not want.
    pub(super) const UNWANTED: u32 = u32::MAX;

    /// The order of the canonical chip of a class, with `chunks` chunks to a shard.
    pub(super) fn new(canonical: &CanonicalScene<'_>, class: usize, chunks: u32, seed: u64) -> Self {
        let ties = tie_keys(seed);
        let (chip, hops) = (canonical.chips[class], &canonical.hops[class]);
        let mut keyed: Vec<(u32, u32, u32)> = Vec::new();
        for source in canonical
            .scene
            .endpoints()
            .filter(|&source| source != chip && hops[source.index()] != Breadth::APART)
        {
            let shard = source.0 * chunks..(source.0 + 1) * chunks;
            keyed.extend(
                shard.map(|chunk| (hops[source.index()], (ties.number(chip.0, chunk) >> 32) as u32, chunk)),
            );
        }
        keyed.sort_unstable();
        let mut place_of_chunk = vec![Self::UNWANTED; canonical.nodes() * chunks as usize];
        let mut distance_ends = Vec::new();
        for (place, &(hops, _, chunk)) in keyed.iter().enumerate() {
            place_of_chunk[chunk as usize] = place as u32;
            distance_ends.resize(hops as usize + 1, place as u32);
            distance_ends[hops as usize] = place as u32 + 1;
        }
        Self { place_of_chunk, chunk_at: keyed.iter().map(|&(_, _, chunk)| chunk).collect(), distance_ends }
    }
}

/// Keyed random numbers of (router, chunk) that break ties.
pub(super) fn tie_keys(seed: u64) -> KeyedStream {
    KeyedStream::new(seed, TIE_STREAM)
}
