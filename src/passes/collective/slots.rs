//! Schedules slot by slot: in each slot every lane of every input of every chip brings at most one chunk.
//!
//! To copy costs nothing, so within a slot each chip decides alone what it takes in; the slot before decides
//! who has what. A chip matches its inputs to chunks that it lacks and that the senders have, of the largest
//! weight: [`nearest`] prefers short ways from the source, [`rarest`] chunks that few chips have. Cost:
//! chunks taken in by canonical chips, times inputs of a chip ([`nearest`]), times candidates of a slot
//! ([`rarest`]).

use super::ground::{Ground, Input};
use super::rank::{Rank, ties};
use super::row::Row;
use super::seats::Seats;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{Pull, Round};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What is gathered, and how chunks travel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setting {
    /// Parts of a shard.
    pub(super) chunks: u32,
    /// Slots that a chunk is on its way beyond the one in which it is sent.
    pub(super) latency: u32,
    pub(super) seed: u64,
}

/// A chip that gathers.
#[derive(Default)]
struct Desk {
    /// `[input]`: places of what the sender has and this chip neither has nor awaits.
    ready: Vec<Row>,
    /// Places of what this chip has or awaits.
    held: Option<Row>,
    /// What it still has to ask for.
    missing: usize,
    seats: Seats,
    /// Places of the chunks that were offered to the seats.
    offered: Vec<u32>,
    /// `[input]`: the next place to offer.
    next: Vec<Option<u32>>,
}

impl Desk {
    fn new(inputs: usize, places: usize, missing: usize) -> Self {
        let ready = vec![Row::new(places); inputs];
        Self { ready, held: Some(Row::new(places)), missing, next: vec![None; inputs], ..Self::default() }
    }

    fn held(&mut self) -> &mut Row {
        self.held.get_or_insert_with(|| Row::new(0))
    }

    /// The sender at an input has the chunk of this place from now on.
    fn arrive(&mut self, input: usize, place: u32) {
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
                    self.next[input] = self.ready[input].after(place);
                }
                if !seated && self.seats.is_closed(input) {
                    self.next[input] = None;
                }
            }
        }
    }

    /// Takes what was matched: (input, place).
    fn take(&mut self, mut each: impl FnMut(usize, u32)) {
        for input in 0..self.ready.len() {
            let Some(owner) = self.seats.owner(input) else { continue };
            let place = self.offered[owner];
            self.held().insert(place);
            self.ready.iter_mut().for_each(|row| row.remove(place));
            self.missing -= 1;
            each(input, place);
        }
    }
}

/// `[input of a class]`: the chunk that it brought; of all classes.
type Brought = Vec<Vec<Option<u32>>>;

/// Nearest source first, for a gather from all to all.
pub(super) fn nearest(ground: &Ground<'_>, ranks: &[Rank], setting: Setting) -> Vec<Round> {
    let lanes = ground.lanes();
    let mut desks: Vec<Desk> = (0..ground.chips.len())
        .map(|class| {
            let places = ranks[class].chunk.len();
            Desk::new(lanes[class].len(), places, if lanes[class].is_empty() { 0 } else { places })
        })
        .collect();
    let mut slots: Vec<Brought> = Vec::new();
    while desks.iter().any(|desk| desk.missing > 0) {
        let arrived = slots.len().checked_sub(1 + setting.latency as usize).map(|slot| &slots[slot]);
        let first = slots.is_empty();
        let of_class = |(class, desk): (usize, &mut Desk)| {
            let rank = &ranks[class];
            for (at, input) in lanes[class].iter().enumerate() {
                let mut arrive = |chunk: u32| {
                    let place = rank.place[image(ground, input, chunk, setting.chunks) as usize];
                    if place != Rank::NONE {
                        desk.arrive(at, place);
                    }
                };
                if first {
                    own(ground, input.class, setting.chunks).for_each(&mut arrive);
                }
                arrived
                    .iter()
                    .flat_map(|brought| &brought[input.class])
                    .flatten()
                    .copied()
                    .for_each(&mut arrive);
            }
            let mut brought = vec![None; lanes[class].len()];
            if desk.missing > 0 {
                desk.match_nearest();
                desk.take(|input, place| brought[input] = Some(rank.chunk[place as usize]));
            }
            brought
        };
        slots.push(desks.par_iter_mut().enumerate().map(of_class).collect());
    }
    rounds(&lanes, &slots)
}

/// What few chips have first; chips decide one after the other, so that each sees what the ones before it
/// asked for in the same slot. With a root its shard is all there is; the ground then has no symmetry. Stops
/// with nothing when more than `most` slots would be needed.
pub(super) fn rarest(
    ground: &Ground<'_>,
    setting: Setting,
    root: Option<NodeId>,
    most: usize,
) -> Option<Vec<Round>> {
    let lanes = ground.lanes();
    let chunks = setting.chunks;
    let ties = ties(setting.seed);
    // Places are chunks, counted from the first one there is.
    let base = root.map_or(0, |root| root.0 * chunks);
    let places = if root.is_some() { chunks as usize } else { ground.nodes() * chunks as usize };
    let starts = |class: usize| root.is_none_or(|root| ground.chips[class] == root);
    let wanted = |class: usize| match root {
        _ if lanes[class].is_empty() => 0,
        Some(root) if ground.chips[class] == root => 0,
        Some(_) => chunks as usize,
        None => (ground.living - 1) * chunks as usize,
    };
    let mut desks: Vec<Desk> =
        (0..ground.chips.len()).map(|class| Desk::new(lanes[class].len(), places, wanted(class))).collect();
    for class in (0..desks.len()).filter(|&class| starts(class)) {
        own(ground, class, chunks).for_each(|chunk| desks[class].held().insert(chunk - base));
    }
    // `[class of the source * chunks + part]`: how many have it; all images have it alike.
    let rarity = |chunk: u32| {
        ground.symmetry.class(NodeId(chunk / chunks)) * chunks as usize + (chunk % chunks) as usize
    };
    let mut holders = vec![0u32; ground.chips.len() * chunks as usize];
    let mut slots: Vec<Brought> = Vec::new();
    let (mut words, mut heap) = (Vec::new(), BinaryHeap::new());
    while desks.iter().any(|desk| desk.missing > 0) {
        if slots.len() >= most {
            return None;
        }
        let arrived = slots.len().checked_sub(1 + setting.latency as usize).map(|slot| &slots[slot]);
        let mut now = Vec::with_capacity(desks.len());
        for (class, desk) in desks.iter_mut().enumerate() {
            for (at, input) in lanes[class].iter().enumerate() {
                let mut arrive = |chunk: u32| desk.arrive(at, image(ground, input, chunk, chunks) - base);
                if slots.is_empty() && starts(input.class) {
                    own(ground, input.class, chunks).for_each(&mut arrive);
                }
                arrived
                    .iter()
                    .flat_map(|brought| &brought[input.class])
                    .flatten()
                    .copied()
                    .for_each(&mut arrive);
            }
            let mut brought = vec![None; lanes[class].len()];
            if desk.missing > 0 {
                let mut keys = std::mem::take(&mut heap).into_vec();
                keys.clear();
                let key = |place: u32| {
                    let chunk = place + base;
                    Reverse((holders[rarity(chunk)], ties.at(ground.chips[class].0, chunk), place))
                };
                Row::union(&desk.ready, &mut words, |place| keys.push(key(place)));
                heap = BinaryHeap::from(keys);
                desk.seats.clear(desk.ready.len());
                desk.offered.clear();
                while desk.seats.is_open() {
                    let Some(Reverse((_, _, place))) = heap.pop() else { break };
                    desk.offered.push(place);
                    let ready = &desk.ready;
                    desk.seats.offer((0..ready.len()).filter(|&input| ready[input].contains(place)));
                }
                desk.take(|input, place| {
                    brought[input] = Some(place + base);
                    holders[rarity(place + base)] += 1;
                });
            }
            now.push(brought);
        }
        slots.push(now);
    }
    Some(rounds(&lanes, &slots))
}

/// The chunks that the canonical chip of a class starts with.
fn own(ground: &Ground<'_>, class: usize, chunks: u32) -> impl Iterator<Item = u32> + use<> {
    let chip = ground.chips[class].0;
    chip * chunks..(chip + 1) * chunks
}

/// What a sender has where the canonical chip of its class has a chunk.
pub(super) fn image(ground: &Ground<'_>, input: &Input, chunk: u32, chunks: u32) -> u32 {
    if input.element == 0 {
        return chunk;
    }
    ground.symmetry.image(input.element, NodeId(chunk / chunks)).0 * chunks + chunk % chunks
}

fn rounds(lanes: &[Vec<Input>], slots: &[Brought]) -> Vec<Round> {
    let places = by_channel(lanes);
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
    slots.iter().map(|brought| Round { width: 1, pulls: pulls(brought) }).collect()
}

/// (class, input) of all lanes into canonical chips, by channel.
pub(super) fn by_channel(lanes: &[Vec<Input>]) -> Vec<(usize, usize)> {
    let inputs = lanes.iter().enumerate();
    let mut places: Vec<(usize, usize)> =
        inputs.flat_map(|(class, inputs)| (0..inputs.len()).map(move |input| (class, input))).collect();
    places.sort_by_key(|&(class, input)| lanes[class][input].channel.index());
    places
}
