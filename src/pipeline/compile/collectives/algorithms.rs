//! The plans that an algorithm tries.

use fabc_ir::{CollectiveCost, Fraction};
use fabc_model::CollectiveAlgorithm;

/// How the copies are planned from which a schedule is made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Base {
    /// Few rounds, with so many chunks of a shard.
    Steps(u32),
    /// Rounds of one chunk. The numbers are the chunks of a shard, and the slots that a chunk is in flight.
    Slots(u32, u32),
    /// Epochs in which whole shards move.
    MultiTree,
    /// Pulled from the root. The numbers are the chunks of its vector, and the slots that a chunk is in
    /// flight.
    Pull(u32, u32),
    /// Spanning trees that share links, whatever the number of pieces.
    Trees,
    /// Along the tables. The numbers are the chunks of a message, and the slots that a chunk is in flight.
    Direct(u32, u32),
    /// Trees whose edges are paths. The number is the parts of what a root has, `None` for as many as the
    /// optimum needs.
    Forest(Option<u32>),
    /// Balanced paths between all pairs, whatever the number of pieces.
    Paths,
    /// Trees within groups. The number is the parts of the data of a chip, `None` for as many as the optimum
    /// needs.
    Within(Option<u32>),
    /// Trees in groups, through foreign chips. The number is the parts of the data of a chip.
    Relayed(u32),
    /// Around cycles of groups along the tables, `against` them where data runs backwards.
    Ring { against: bool },
    /// From every chip to all others of its group along the tables, or `against` them.
    Star { against: bool },
    /// Between all pairs of a group along the tables.
    Pairs,
    /// Balanced paths between all pairs of a group.
    GroupPaths,
}

impl Base {
    /// Whether the plan cuts its data into the requested number of parts.
    pub(super) fn is_cut(self) -> bool {
        self != Base::MultiTree
    }
}

/// The sizes of a scene that decide which plans are tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct SceneSize {
    /// The chips that take part.
    pub(super) chips: u64,
    /// The chips for which plans are made: one per class of the symmetry.
    pub(super) classes: u64,
    /// The chips for which messages along the tables are planned.
    pub(super) senders: u64,
    /// The parts of a shard with which bounds are whole numbers.
    pub(super) natural: u32,
    /// The fewest channels into a chip.
    pub(super) degree: u32,
    /// Hops from the root to the chip that is farthest from it. 0 without a root.
    pub(super) farthest: u32,
}

/// Plans of many rounds are tried unasked up to this number of chunks into canonical chips.
const TRIED_LIMIT: u64 = 1 << 20;
/// Shards are cut unasked up to this number of chunks into canonical chips.
const CUT_LIMIT: u64 = 1 << 22;
/// Shards are also cut finer than the bound of the volume needs, up to this number of chunks into canonical
/// chips.
const FINER_LIMIT: u64 = 1 << 15;
/// How much finer. Thin cuts and links of unlike bandwidths leave over a part of a chunk.
const FINER_BY: u32 = 4;
/// An all-to-all is planned unasked up to this number of messages, which are planned one by one.
const MESSAGE_LIMIT: u64 = 1 << 17;
/// Messages are cut unasked up to this number of chunks.
const CUT_MESSAGE_LIMIT: u64 = 1 << 15;
/// The most chunks into which a message is cut unasked.
const MAX_CHUNKS: u32 = 4;
/// The most slots for which a chunk is planned to be in flight. A plan for fewer waits a little longer.
const MAX_LATENCY: u128 = 16;
/// The most parts of the vector of a root.
const MAX_PARTS: u64 = 512;

/// Parts of the data of a root with which a forest is tried, beside those of the optimum. Fewer parts suit
/// small vectors.
const FOREST_PARTS: [u32; 2] = [1, 2];
/// The most edges of all trees of a forest that is tried beside that of the optimum.
const FOREST_EDGES: u64 = 1 << 19;

/// The plans of an algorithm for vectors of `bytes`. The fastest of them counts. `named` says that the user
/// asked for the algorithm by name, whatever it costs.
pub(super) fn plans_to_try(
    algorithm: CollectiveAlgorithm,
    size: &SceneSize,
    cost: &CollectiveCost,
    bytes: u64,
    requested: Option<u32>,
    named: bool,
) -> Vec<Base> {
    let fit = |shards: u64| parts_of_a_flit(bytes, shards, cost.flit_bytes);
    let taken_in = |chunks: u32| size.classes * size.chips * u64::from(chunks);
    let counts = |max_chunks: u32| {
        let natural = if taken_in(size.natural) <= CUT_LIMIT { size.natural } else { 1 };
        let finer =
            Some(FINER_BY * natural).filter(|&finer| natural < FINER_BY && taken_in(finer) <= FINER_LIMIT);
        let unasked = || [natural, 1].into_iter().chain(finer).collect();
        let wanted: Vec<u32> = requested.map_or_else(unasked, |chunks| vec![chunks]);
        let mut counts = Vec::new();
        for chunks in wanted.into_iter().map(|chunks| chunks.min(max_chunks).max(1)) {
            if !counts.contains(&chunks) {
                counts.push(chunks);
            }
        }
        counts
    };
    let steps = |max_chunks: u32| counts(max_chunks).into_iter().map(Base::Steps);
    let slots = |max_chunks: u32| {
        let tried = counts(max_chunks).into_iter().filter(|&chunks| named || taken_in(chunks) <= TRIED_LIMIT);
        let plans = tried.flat_map(|chunks| {
            latencies(cost, bytes, size.chips * u64::from(chunks))
                .map(move |on_way| Base::Slots(chunks, on_way))
        });
        plans.collect::<Vec<_>>()
    };
    match algorithm {
        CollectiveAlgorithm::Steps => steps(fit(size.chips)).collect(),
        CollectiveAlgorithm::Slots => slots(fit(size.chips)),
        // This plan is made without symmetry.
        CollectiveAlgorithm::MultiTree if named || size.chips * size.chips <= TRIED_LIMIT => {
            vec![Base::MultiTree]
        }
        CollectiveAlgorithm::GatherReduce => steps(fit(size.chips)).chain(slots(fit(size.chips))).collect(),
        // Every shard is a whole vector.
        CollectiveAlgorithm::Local => steps(fit(1)).collect(),
        CollectiveAlgorithm::Pull => {
            let chunks = requested.unwrap_or_else(|| parts_of_vector(size, cost, bytes)).min(fit(1)).max(1);
            latencies(cost, bytes, u64::from(chunks)).map(|on_way| Base::Pull(chunks, on_way)).collect()
        }
        // The packing, and the moves of branches after it, look at all chips.
        CollectiveAlgorithm::Trees if named || size.chips * size.chips <= TRIED_LIMIT => vec![Base::Trees],
        CollectiveAlgorithm::Direct => {
            let mut counts = requested
                .map_or_else(|| vec![1, chunks_of_message(size, cost, bytes)], |chunks| vec![chunks]);
            counts.iter_mut().for_each(|chunks| *chunks = (*chunks).min(fit(size.chips)).max(1));
            counts.dedup();
            let plans = |chunks: u32| {
                latencies(cost, bytes, size.chips * u64::from(chunks))
                    .map(move |on_way| Base::Direct(chunks, on_way))
            };
            counts.into_iter().flat_map(plans).collect()
        }
        CollectiveAlgorithm::Forest => {
            let is_small = |parts: &u32| size.chips * size.chips * u64::from(*parts) <= FOREST_EDGES;
            let counts = FOREST_PARTS.into_iter().filter(is_small).map(Some);
            std::iter::once(None).chain(counts).map(Base::Forest).collect()
        }
        CollectiveAlgorithm::Paths => vec![Base::Paths],
        CollectiveAlgorithm::MultiTree | CollectiveAlgorithm::Trees => Vec::new(),
        // Algorithms of groups, and for schedules without tables.
        CollectiveAlgorithm::Within
        | CollectiveAlgorithm::Ring
        | CollectiveAlgorithm::Flood
        | CollectiveAlgorithm::Hops
        | CollectiveAlgorithm::Portions
        | CollectiveAlgorithm::Quickest => Vec::new(),
    }
}

/// Whether messages along the tables are few enough to be planned unasked.
pub(super) fn few_messages(size: &SceneSize) -> bool {
    size.senders * size.chips <= MESSAGE_LIMIT
}

/// The chunks of a message, a power of two: as many as take at least the time of a hop each.
fn chunks_of_message(size: &SceneSize, cost: &CollectiveCost, bytes: u64) -> u32 {
    let counts =
        std::iter::successors(Some(MAX_CHUNKS), |chunks| Some(chunks / 2)).take_while(|&chunks| chunks > 1);
    let fits = |&chunks: &u32| {
        let few = size.senders * size.chips * u64::from(chunks) <= CUT_MESSAGE_LIMIT;
        few && cost.transfer_time(bytes, size.chips * u64::from(chunks)) >= cost.hop
    };
    counts.into_iter().find(fits).unwrap_or(1)
}

/// Zero, and the slots of a hop. These are rounded to powers of four, so that similar sizes share their
/// plans.
fn latencies(cost: &CollectiveCost, bytes: u64, parts: u64) -> impl Iterator<Item = u32> {
    let slot = cost.transfer_time(bytes, parts).max(1) + cost.overhead;
    let slots = cost.hop.div_ceil(slot).min(MAX_LATENCY);
    let rounded = [0, 1, 4, 16].into_iter().find(|&rounded| rounded >= slots).unwrap_or(MAX_LATENCY) as u32;
    std::iter::once(0).chain((rounded > 0).then_some(rounded))
}

/// The parts of a vector of a root with which it arrives everywhere soonest. This assumes that every slot is
/// used and that the last one comes two late. The counts tried are multiples of the channels of a chip, each
/// twice the one before.
fn parts_of_vector(size: &SceneSize, cost: &CollectiveCost, bytes: u64) -> u32 {
    let degree = u64::from(size.degree.max(1));
    let max_parts = (TRIED_LIMIT / size.chips.max(1)).clamp(degree, MAX_PARTS.max(degree));
    let time = |&pieces: &u64| {
        (cost.transfer_time(bytes, pieces) + cost.overhead)
            * u128::from(pieces / degree + u64::from(size.farthest) + 1)
    };
    let counts = std::iter::successors(Some(degree), |pieces| Some(pieces * 2))
        .take_while(|pieces| *pieces <= max_parts);
    counts.min_by_key(time).unwrap_or(1) as u32
}

/// The number of parts of which none is below a flit, at least 1.
fn parts_of_a_flit(bytes: u64, shards: u64, flit: u32) -> u32 {
    let parts = Fraction::new(bytes, u128::from(shards.max(1)) * u128::from(flit.max(1))).floor();
    u32::try_from(parts).unwrap_or(u32::MAX).max(1)
}
