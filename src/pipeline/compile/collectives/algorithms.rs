//! Which plans an algorithm tries.

use fabc_ir::{CollectiveCost, Fraction};
use fabc_model::CollectiveAlgorithm;

/// How copies are planned, of which a schedule is made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Base {
    /// Few rounds, with so many chunks of a shard.
    Steps(u32),
    /// Rounds of one chunk: chunks of a shard, slots that one is on its way.
    Slots(u32, u32),
    /// Epochs of whole shards.
    MultiTree,
    /// From the root: chunks of its vector, slots that one is on its way.
    Pull(u32, u32),
    /// Spanning trees that share links, whatever the number of pieces.
    Trees,
    /// Along the tables: chunks of a message, slots that one is on its way.
    Direct(u32, u32),
}

impl Base {
    /// Whether it cuts what it moves into as many parts as are asked for.
    pub(super) fn is_cut(self) -> bool {
        self != Base::MultiTree
    }
}

/// What is known of a scene before anything is planned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    /// Chips that take part.
    pub(super) chips: u64,
    /// Chips for which plans are made.
    pub(super) classes: u64,
    /// Chips for which messages along the tables are planned.
    pub(super) senders: u64,
    /// Parts of a shard with which bounds are whole numbers.
    pub(super) natural: u32,
    /// The fewest channels into a chip.
    pub(super) degree: u32,
    /// Hops from the root to the chip that is farthest from it, where there is a root.
    pub(super) farthest: u32,
}

/// Chunks that canonical chips take in together, up to which plans of many rounds are tried unasked.
const TRIED: u64 = 1 << 20;
/// Chunks that canonical chips take in together, up to which shards are cut unasked.
const CUT: u64 = 1 << 22;
/// Chunks that canonical chips take in together, up to which shards are also cut finer than the bound of the
/// volume asks for.
const FINER: u64 = 1 << 15;
/// Times as fine: what thin cuts and links of unlike bandwidths leave over is a part of a chunk.
const FINER_BY: u32 = 4;
/// Messages that are planned one by one, up to which an all-to-all is planned unasked.
const SENT: u64 = 1 << 17;
/// Chunks of them up to which they are cut unasked.
const CUT_SENT: u64 = 1 << 15;
/// The most chunks of a message, unasked.
const MOST_CHUNKS: u32 = 4;
/// The most slots that a chunk is planned to be on its way; a plan for fewer waits a little longer.
const MOST_LATENCY: u128 = 16;
/// The most parts of the vector of a root.
const MOST_PARTS: u64 = 512;

/// Plans of an algorithm for vectors of so many bytes; the fastest of them counts. `named`: it was asked for
/// by name, whatever that costs.
pub(super) fn plans(
    algorithm: CollectiveAlgorithm,
    (size, cost): (&Size, &CollectiveCost),
    bytes: u64,
    asked: Option<u32>,
    named: bool,
) -> Vec<Base> {
    let fit = |shards: u64| parts_of_a_flit(bytes, shards, cost.flit_bytes);
    let taken_in = |chunks: u32| size.classes * size.chips * u64::from(chunks);
    let counts = |most: u32| {
        let natural = if taken_in(size.natural) <= CUT { size.natural } else { 1 };
        let finer = Some(FINER_BY * natural).filter(|&finer| natural < FINER_BY && taken_in(finer) <= FINER);
        let unasked = || [natural, 1].into_iter().chain(finer).collect();
        let wanted: Vec<u32> = asked.map_or_else(unasked, |chunks| vec![chunks]);
        let mut counts = Vec::new();
        for chunks in wanted.into_iter().map(|chunks| chunks.min(most).max(1)) {
            if !counts.contains(&chunks) {
                counts.push(chunks);
            }
        }
        counts
    };
    let steps = |most: u32| counts(most).into_iter().map(Base::Steps);
    let slots = |most: u32| {
        let tried = counts(most).into_iter().filter(|&chunks| named || taken_in(chunks) <= TRIED);
        let plans = tried.flat_map(|chunks| {
            latencies(cost, bytes, size.chips * u64::from(chunks))
                .map(move |on_way| Base::Slots(chunks, on_way))
        });
        plans.collect::<Vec<_>>()
    };
    match algorithm {
        CollectiveAlgorithm::Steps => steps(fit(size.chips)).collect(),
        CollectiveAlgorithm::Slots => slots(fit(size.chips)),
        // Its plan is made without symmetry.
        CollectiveAlgorithm::MultiTree if named || size.chips * size.chips <= TRIED => vec![Base::MultiTree],
        CollectiveAlgorithm::GatherReduce => steps(fit(size.chips)).chain(slots(fit(size.chips))).collect(),
        // Every shard is a whole vector.
        CollectiveAlgorithm::Local => steps(fit(1)).collect(),
        CollectiveAlgorithm::Pull => {
            let chunks = asked.unwrap_or_else(|| pieces(size, cost, bytes)).min(fit(1)).max(1);
            latencies(cost, bytes, u64::from(chunks)).map(|on_way| Base::Pull(chunks, on_way)).collect()
        }
        // The packing, and the moves of branches after it, look at all chips.
        CollectiveAlgorithm::Trees if named || size.chips * size.chips <= TRIED => vec![Base::Trees],
        CollectiveAlgorithm::Direct => {
            let mut counts =
                asked.map_or_else(|| vec![1, messages(size, cost, bytes)], |chunks| vec![chunks]);
            counts.iter_mut().for_each(|chunks| *chunks = (*chunks).min(fit(size.chips)).max(1));
            counts.dedup();
            let plans = |chunks: u32| {
                latencies(cost, bytes, size.chips * u64::from(chunks))
                    .map(move |on_way| Base::Direct(chunks, on_way))
            };
            counts.into_iter().flat_map(plans).collect()
        }
        CollectiveAlgorithm::MultiTree | CollectiveAlgorithm::Trees => Vec::new(),
        // Of schedules without tables.
        CollectiveAlgorithm::Paths
        | CollectiveAlgorithm::Flood
        | CollectiveAlgorithm::Hops
        | CollectiveAlgorithm::Portions
        | CollectiveAlgorithm::Quickest => Vec::new(),
    }
}

/// Whether messages along the tables are few enough to be planned unasked.
pub(super) fn few_messages(size: &Size) -> bool {
    size.senders * size.chips <= SENT
}

/// The chunks of a message, a power of two: as many as take a hop each or longer.
fn messages(size: &Size, cost: &CollectiveCost, bytes: u64) -> u32 {
    let counts =
        std::iter::successors(Some(MOST_CHUNKS), |chunks| Some(chunks / 2)).take_while(|&chunks| chunks > 1);
    let fits = |&chunks: &u32| {
        let few = size.senders * size.chips * u64::from(chunks) <= CUT_SENT;
        few && cost.carried(bytes, size.chips * u64::from(chunks)) >= cost.hop
    };
    counts.into_iter().find(fits).unwrap_or(1)
}

/// None, and how many slots a hop takes, in powers of four, so that near sizes share their plans.
fn latencies(cost: &CollectiveCost, bytes: u64, parts: u64) -> impl Iterator<Item = u32> {
    let slot = cost.carried(bytes, parts).max(1) + cost.overhead;
    let slots = cost.hop.div_ceil(slot).min(MOST_LATENCY);
    let rounded = [0, 1, 4, 16].into_iter().find(|&rounded| rounded >= slots).unwrap_or(MOST_LATENCY) as u32;
    std::iter::once(0).chain((rounded > 0).then_some(rounded))
}

/// The parts of a root's vector with which it is everywhere soonest, if every slot is used and the last one
/// comes two late: multiples of the channels of a chip, each twice as many as the one before.
fn pieces(size: &Size, cost: &CollectiveCost, bytes: u64) -> u32 {
    let degree = u64::from(size.degree.max(1));
    let most = (TRIED / size.chips.max(1)).clamp(degree, MOST_PARTS.max(degree));
    let time = |&pieces: &u64| {
        (cost.carried(bytes, pieces) + cost.overhead)
            * u128::from(pieces / degree + u64::from(size.farthest) + 1)
    };
    let all =
        std::iter::successors(Some(degree), |pieces| Some(pieces * 2)).take_while(|pieces| *pieces <= most);
    all.min_by_key(time).unwrap_or(1) as u32
}

/// The whole number of one ratio over another, at least 1: parts of which none is below a flit.
fn parts_of_a_flit(bytes: u64, shards: u64, flit: u32) -> u32 {
    let most = Fraction::new(bytes, u128::from(shards.max(1)) * u128::from(flit.max(1))).floor();
    u32::try_from(most).unwrap_or(u32::MAX).max(1)
}
