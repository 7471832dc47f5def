//! Schedules slot by slot. In each slot every lane of every input of every chip brings at most one chunk.
//!
//! Copying costs nothing, so each chip decides alone what it takes in a slot. The slot before decides which
//! chip has which chunk. A chip matches its inputs to chunks that it lacks and that the senders have, with
//! the largest weight. [`nearest`] prefers sources that are near. [`rarest`] prefers chunks that few chips
//! have. Cost: chunks received by canonical chips, times inputs of a chip ([`nearest`]) or candidates of a
//! slot ([`rarest`]).

use super::canonical::{CanonicalScene, ChipInput};
use super::chunk_order::{ChunkOrder, tie_keys};
use super::row::PlaceSet;
use super::seats::Seats;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{GatherRound, Pull};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What is gathered, and how long chunks are in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlotSettings {
    /// Number of chunks of a shard.
    pub(super) chunks: u32,
    /// Slots that a chunk is in flight beyond the slot in which it is sent.
    pub(super) latency: u32,
    pub(super) seed: u64,
}

/// The state of a chip that gathers.
#[derive(Default)]
struct SlotReceiver {
    /// `[input]`: places of chunks that the sender has and that this chip neither has nor awaits.
    ready: Vec<PlaceSet>,
    /// Places of chunks that this chip has or awaits.
    held: Option<PlaceSet>,
    /// Chunks that it has yet to request.
    missing: usize,
    seats: Seats,
    /// Places of the chunks that were offered to the seats.
    offered: Vec<u32>,
    /// `[input]`: the next place to offer.
    next: Vec<Option<u32>>,
}

impl SlotReceiver {
    fn new(inputs: usize, places: usize, missing: usize) -> Self {
        let ready = vec![PlaceSet::new(places); inputs];
        Self {
            ready,
            held: Some(PlaceSet::new(places)),
            missing,
            next: vec![None; inputs],
            ..Self::default()
        }
    }

    fn held(&mut self) -> &mut PlaceSet {
        self.held.get_or_insert_with(|| PlaceSet::new(0))
    }

    /// Notes that the sender at an input has the chunk of this place from now on.
    fn add_ready(&mut self, input: usize, place: u32) {
        if !self.held().contains(place) {
            self.ready[input].insert(place);
        }
    }

    /// Offers chunks by place until every input that has one brings one.
    fn match_nearest(&mut self) {
        let inputs = self.ready.len();
        self.seats.clear(inputs);
        self.offered.clear();
        for (next, row) in self.next.iter_mut().zip(&mut self.ready) {
            *next = row.first();
        }
        while self.seats.is_open() {
            let Some(place) = self.next.iter().flatten().copied().min() else { break };
            self.offered.push(place);
            let next = &self.next;
            let seated = self.seats.offer((0..inputs).filter(|&input| next[input] == Some(place)));
            for input in 0..inputs {
                if self.next[input] == Some(place) {
                    self.next[input] = self.ready[input].next_after(place);
                }
                if !seated && self.seats.is_closed(input) {
                    self.next[input] = None;
                }
            }
        }
    }

    /// Offers chunks in the order of their keys until every input that has one brings one. `words` and `heap`
    /// are scratch space.
    fn match_by_key(
        &mut self,
        words: &mut Vec<u64>,
        heap: &mut BinaryHeap<RarityKey>,
        key: impl Fn(u32) -> RarityKey,
    ) {
        let mut keys = std::mem::take(heap).into_vec();
        keys.clear();
        PlaceSet::union(&self.ready, words, |place| keys.push(key(place)));
        *heap = BinaryHeap::from(keys);
        self.seats.clear(self.ready.len());
        self.offered.clear();
        while self.seats.is_open() {
            let Some(Reverse((_, _, place))) = heap.pop() else { break };
            self.offered.push(place);
            let ready = &self.ready;
            self.seats.offer((0..ready.len()).filter(|&input| ready[input].contains(place)));
        }
    }

    /// Takes the matched chunks and reports each as (input, place).
    fn take_matched(&mut self, mut on_chunk: impl FnMut(usize, u32)) {
        for input in 0..self.ready.len() {
            let Some(owner) = self.seats.owner(input) else { continue };
            let place = self.offered[owner];
            self.held().insert(place);
            self.ready.iter_mut().for_each(|row| row.remove(place));
            self.missing -= 1;
            on_chunk(input, place);
        }
    }
}

/// (holders, tie, place) of a chunk, the rarest first.
type RarityKey = Reverse<(u32, u64, u32)>;

/// `[class][input]`: the chunk that the input brought in a slot.
type Brought = Vec<Vec<Option<u32>>>;

/// An all-to-all gather that prefers the nearest source.
pub(super) fn nearest(
    canonical: &CanonicalScene<'_>,
    ranks: &[ChunkOrder],
    settings: SlotSettings,
) -> Vec<GatherRound> {
    let lanes = canonical.input_lanes();
    let mut receivers: Vec<SlotReceiver> = (0..canonical.chips.len())
        .map(|class| {
            let places = ranks[class].chunk_at.len();
            SlotReceiver::new(lanes[class].len(), places, if lanes[class].is_empty() { 0 } else { places })
        })
        .collect();
    let mut slots: Vec<Brought> = Vec::new();
    while receivers.iter().any(|receiver| receiver.missing > 0) {
        let arrived = slots.len().checked_sub(1 + settings.latency as usize).map(|slot| &slots[slot]);
        let first = slots.is_empty();
        let receive = |(class, receiver): (usize, &mut SlotReceiver)| {
            let rank = &ranks[class];
            for (index, input) in lanes[class].iter().enumerate() {
                let mut add_chunk = |chunk: u32| {
                    let place =
                        rank.place_of_chunk[image_chunk(canonical, input, chunk, settings.chunks) as usize];
                    if place != ChunkOrder::UNWANTED {
                        receiver.add_ready(index, place);
                    }
                };
                if first {
                    initial_chunks(canonical, input.class, settings.chunks).for_each(&mut add_chunk);
                }
                arrived
                    .iter()
                    .flat_map(|brought| &brought[input.class])
                    .flatten()
                    .copied()
                    .for_each(&mut add_chunk);
            }
            let mut brought = vec![None; lanes[class].len()];
            if receiver.missing > 0 {
                receiver.match_nearest();
                receiver.take_matched(|input, place| brought[input] = Some(rank.chunk_at[place as usize]));
            }
            brought
        };
        slots.push(receivers.par_iter_mut().enumerate().map(receive).collect());
    }
    slot_rounds(&lanes, &slots)
}

/// A gather that prefers the chunks that few chips have. Chips decide one after the other, so that each sees
/// what earlier chips requested in the same slot. With a root only its shard is gathered, and the scene must
/// be without symmetry. Returns `None` if more than `slot_limit` slots would be needed.
pub(super) fn rarest(
    canonical: &CanonicalScene<'_>,
    settings: SlotSettings,
    root: Option<NodeId>,
    slot_limit: usize,
) -> Option<Vec<GatherRound>> {
    let lanes = canonical.input_lanes();
    let chunks = settings.chunks;
    let ties = tie_keys(settings.seed);
    // A place is a chunk, counted from the first chunk that is gathered.
    let base = root.map_or(0, |root| root.0 * chunks);
    let places = if root.is_some() { chunks as usize } else { canonical.nodes() * chunks as usize };
    let starts_with_data = |class: usize| root.is_none_or(|root| canonical.chips[class] == root);
    let wanted_chunks = |class: usize| match root {
        _ if lanes[class].is_empty() => 0,
        Some(root) if canonical.chips[class] == root => 0,
        Some(_) => chunks as usize,
        None => (canonical.surviving - 1) * chunks as usize,
    };
    let mut receivers: Vec<SlotReceiver> = (0..canonical.chips.len())
        .map(|class| SlotReceiver::new(lanes[class].len(), places, wanted_chunks(class)))
        .collect();
    for class in (0..receivers.len()).filter(|&class| starts_with_data(class)) {
        initial_chunks(canonical, class, chunks)
            .for_each(|chunk| receivers[class].held().insert(chunk - base));
    }
    // `[class of the source * chunks + part]`: number of chips that have it. All images have the same number.
    let rarity = |chunk: u32| {
        canonical.symmetry.class(NodeId(chunk / chunks)) * chunks as usize + (chunk % chunks) as usize
    };
    let mut holders = vec![0u32; canonical.chips.len() * chunks as usize];
    let mut slots: Vec<Brought> = Vec::new();
    let (mut words, mut heap) = (Vec::new(), BinaryHeap::new());
    while receivers.iter().any(|receiver| receiver.missing > 0) {
        if slots.len() >= slot_limit {
            return None;
        }
        let arrived = slots.len().checked_sub(1 + settings.latency as usize).map(|slot| &slots[slot]);
        let mut current = Vec::with_capacity(receivers.len());
        for (class, receiver) in receivers.iter_mut().enumerate() {
            for (index, input) in lanes[class].iter().enumerate() {
                let mut add_chunk = |chunk: u32| {
                    receiver.add_ready(index, image_chunk(canonical, input, chunk, chunks) - base)
                };
                if slots.is_empty() && starts_with_data(input.class) {
                    initial_chunks(canonical, input.class, chunks).for_each(&mut add_chunk);
                }
                arrived
                    .iter()
                    .flat_map(|brought| &brought[input.class])
                    .flatten()
                    .copied()
                    .for_each(&mut add_chunk);
            }
            let mut brought = vec![None; lanes[class].len()];
            if receiver.missing > 0 {
                let key = |place: u32| {
                    let chunk = place + base;
                    Reverse((holders[rarity(chunk)], ties.number(canonical.chips[class].0, chunk), place))
                };
                receiver.match_by_key(&mut words, &mut heap, key);
                receiver.take_matched(|input, place| {
                    brought[input] = Some(place + base);
                    holders[rarity(place + base)] += 1;
                });
            }
            current.push(brought);
        }
        slots.push(current);
    }
    Some(slot_rounds(&lanes, &slots))
}

/// The chunks that the canonical chip of a class starts with.
fn initial_chunks(
    canonical: &CanonicalScene<'_>,
    class: usize,
    chunks: u32,
) -> impl Iterator<Item = u32> + use<> {
    let chip = canonical.chips[class].0;
    chip * chunks..(chip + 1) * chunks
}

/// The chunk that a sender has where the canonical chip of its class has `chunk`.
pub(super) fn image_chunk(canonical: &CanonicalScene<'_>, input: &ChipInput, chunk: u32, chunks: u32) -> u32 {
    if input.element == 0 {
        return chunk;
    }
    canonical.symmetry.image(input.element, NodeId(chunk / chunks)).0 * chunks + chunk % chunks
}

fn slot_rounds(lanes: &[Vec<ChipInput>], slots: &[Brought]) -> Vec<GatherRound> {
    let places = inputs_by_channel(lanes);
    let pulls = |brought: &Brought| {
        let mut pulls: Vec<Pull> = Vec::new();
        for &(class, input) in &places {
            let channel = lanes[class][input].channel;
            match (brought[class][input], pulls.last_mut()) {
                (Some(chunk), Some(last)) if last.channel == channel => last.chunks.push(chunk),
                (Some(chunk), _) => pulls.push(Pull { channel, chunks: vec![chunk] }),
                (None, _) => {}
            }
        }
        pulls
    };
    slots.iter().map(|brought| GatherRound { width: 1, pulls: pulls(brought) }).collect()
}

/// (class, input) of all lanes into canonical chips, sorted by channel.
pub(super) fn inputs_by_channel(lanes: &[Vec<ChipInput>]) -> Vec<(usize, usize)> {
    let inputs = lanes.iter().enumerate();
    let mut places: Vec<(usize, usize)> =
        inputs.flat_map(|(class, inputs)| (0..inputs.len()).map(move |input| (class, input))).collect();
    places.sort_by_key(|&(class, input)| lanes[class][input].channel.index());
    places
}
