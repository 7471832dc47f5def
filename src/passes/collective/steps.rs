//! Schedules with few rounds. In each round every lane of every input of every chip brings up to `width`
//! chunks that the sender had before the round.
//!
//! The width of a round is the number of chunks per input that the median chip (or another quantile) could
//! take, so that no channel has to rest. Once everything missing can be had, the width is the least one that
//! ends the schedule. A chip takes near chunks first, and of equally near ones those that the fewest inputs
//! can bring. Cost: candidates of all canonical chips, times inputs of a chip, for every round.

use super::canonical::CanonicalScene;
use super::chunk_order::ChunkOrder;
use super::loads::{Candidates, InputLoads, NOT_TAKEN};
use super::row::PlaceSet;
use super::slots::{image_chunk, inputs_by_channel};
use fabc_ir::{GatherRound, Pull};
use rayon::prelude::*;

/// How the widths of rounds are chosen.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundWidths {
    /// The chip that decides, in quarters of the chips: 0 is the chip with the fewest candidates, 4 the one
    /// with the most.
    pub(super) quarter: usize,
    /// Whether the last round comes as soon as possible, even if some channels then rest in it.
    pub(super) eager: bool,
}

/// The state of a chip that gathers.
struct RoundReceiver {
    /// `[input]`: places of chunks that the sender has and this chip lacks.
    ready: Vec<PlaceSet>,
    held: PlaceSet,
    missing: usize,
    candidates: Candidates,
    loads: InputLoads,
    words: Vec<u64>,
    keys: Vec<u64>,
}

impl RoundReceiver {
    fn new(inputs: usize, places: usize) -> Self {
        Self {
            ready: vec![PlaceSet::new(places); inputs],
            held: PlaceSet::new(places),
            missing: if inputs == 0 { 0 } else { places },
            candidates: Candidates::default(),
            loads: InputLoads::default(),
            words: Vec::new(),
            keys: Vec::new(),
        }
    }

    /// Lists the chunks that the chip could take now. Near chunks come first, then those that the fewest
    /// inputs bring.
    fn list_candidates(&mut self, rank: &ChunkOrder) {
        let Self { ready, candidates, words, keys, .. } = self;
        keys.clear();
        let mut distance = 0u64;
        PlaceSet::union(ready, words, |place| {
            while rank.distance_ends[distance as usize] <= place {
                distance += 1;
            }
            let bringers = ready.iter().filter(|row| row.contains(place)).count() as u64;
            keys.push(distance << 48 | bringers.min(0xffff) << 32 | u64::from(place));
        });
        keys.sort_unstable();
        candidates.clear();
        for &key in keys.iter() {
            let place = key as u32;
            let inputs = ready.iter().enumerate().filter(|(_, row)| row.contains(place));
            candidates.push(place, inputs.map(|(input, _)| input as u32));
        }
    }

    /// The least width at which all candidates are taken. The inputs then share them as evenly as possible.
    fn least_width(&mut self) -> u32 {
        let inputs = self.ready.len();
        let (mut low, mut high) =
            (self.candidates.len().div_ceil(inputs.max(1)) as u32, self.candidates.len() as u32);
        // Mostly an even share is possible.
        let mut middle = low;
        while low < high {
            self.loads.fill(&self.candidates, inputs, middle);
            if self.loads.taken == self.candidates.len() {
                high = middle
            } else {
                low = middle + 1
            }
            middle = (low + high) / 2;
        }
        high
    }

    /// Takes the candidates that fit a width. Returns the places that each input brings.
    fn take_within(&mut self, width: u32) -> Vec<Vec<u32>> {
        let mut brought = vec![Vec::new(); self.ready.len()];
        self.loads.fill(&self.candidates, self.ready.len(), width);
        for (&place, &input) in
            self.candidates.places.iter().zip(&self.loads.input_of).filter(|(_, input)| **input != NOT_TAKEN)
        {
            self.held.insert(place);
            self.ready.iter_mut().for_each(|row| row.remove(place));
            brought[input as usize].push(place);
        }
        self.missing -= self.loads.taken;
        brought
    }
}

/// A gather from all chips to all, in few rounds.
pub(super) fn few_rounds(
    canonical: &CanonicalScene<'_>,
    ranks: &[ChunkOrder],
    chunks: u32,
    widths: RoundWidths,
) -> Vec<GatherRound> {
    let lanes = canonical.input_lanes();
    let mut receivers: Vec<RoundReceiver> = lanes
        .iter()
        .zip(ranks)
        .map(|(inputs, rank)| RoundReceiver::new(inputs.len(), rank.chunk_at.len()))
        .collect();
    let places = inputs_by_channel(&lanes);
    let mut rounds: Vec<GatherRound> = Vec::new();
    // `[class][input]`: chunks that the input brought in the round before.
    let mut brought: Vec<Vec<Vec<u32>>> = Vec::new();
    while receivers.iter().any(|receiver| receiver.missing > 0) {
        receivers.par_iter_mut().enumerate().for_each(|(class, receiver)| {
            let rank = &ranks[class];
            for (index, input) in lanes[class].iter().enumerate() {
                let mut add_chunk = |chunk: u32| {
                    let place = rank.place_of_chunk[image_chunk(canonical, input, chunk, chunks) as usize];
                    if place != ChunkOrder::UNWANTED && !receiver.held.contains(place) {
                        receiver.ready[index].insert(place);
                    }
                };
                match brought.get(input.class) {
                    Some(inputs) => inputs.iter().flatten().copied().for_each(&mut add_chunk),
                    None => {
                        let chip = canonical.chips[input.class].0;
                        (chip * chunks..(chip + 1) * chunks).for_each(&mut add_chunk);
                    }
                }
            }
            receiver.list_candidates(rank);
        });
        let width = width(&mut receivers, widths);
        brought = receivers
            .par_iter_mut()
            .zip(ranks)
            .map(|(receiver, rank)| {
                let mut brought = receiver.take_within(width);
                brought.iter_mut().flatten().for_each(|place| *place = rank.chunk_at[*place as usize]);
                brought
            })
            .collect();
        let mut pulls: Vec<Pull> = Vec::new();
        let mut width = 0;
        for &(class, input) in &places {
            let (input_lane, chunks) = (&lanes[class][input], &brought[class][input]);
            match pulls.last_mut() {
                _ if chunks.is_empty() => continue,
                Some(last) if last.channel == input_lane.channel => last.chunks.extend(chunks),
                _ => pulls.push(Pull { channel: input_lane.channel, chunks: chunks.clone() }),
            }
            let carried = pulls.last().map_or(0, |pull| pull.chunks.len());
            width = width.max(carried.div_ceil(input_lane.lanes as usize) as u32);
        }
        rounds.push(GatherRound { width, pulls });
    }
    rounds
}

fn width(receivers: &mut [RoundReceiver], widths: RoundWidths) -> u32 {
    if receivers.iter().all(|receiver| receiver.candidates.len() == receiver.missing) {
        let even = receivers
            .iter()
            .map(|receiver| receiver.missing.div_ceil(receiver.ready.len().max(1)) as u32)
            .max()
            .unwrap_or(1);
        let least_width = receivers.par_iter_mut().map(RoundReceiver::least_width).max().unwrap_or(1);
        if widths.eager || least_width == even {
            return least_width;
        }
    }
    let busy = receivers.iter().filter(|receiver| receiver.missing > 0);
    let mut shares: Vec<usize> =
        busy.map(|receiver| receiver.candidates.len() / receiver.ready.len()).collect();
    shares.sort_unstable();
    shares[(shares.len() - 1) * widths.quarter / 4].max(1) as u32
}
