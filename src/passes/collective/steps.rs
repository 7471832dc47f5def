//! Schedules with few rounds: in each every lane of every input of every chip brings up to `width` chunks
//! that the sender had before it.
//!
//! The width of a round is what a chip of the middle (or of another quantile) has candidates for, so that no
//! channel has to rest; once all that is missing can be had, the least width that ends it. A chip takes near
//! chunks first, of equally near ones those that fewest inputs can bring. Cost: candidates of all canonical
//! chips, times inputs of a chip, for every round.

use super::ground::Ground;
use super::loads::{Candidates, LEFT, Loads};
use super::rank::Rank;
use super::row::Row;
use super::slots::{by_channel, image};
use fabc_ir::{Pull, Round};
use rayon::prelude::*;

/// How wide rounds are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Widths {
    /// The chip that decides, in quarters of the chips: 0 is the one with the fewest candidates, 4 the one
    /// with most.
    pub(super) quarter: usize,
    /// Whether the last round comes as soon as it can, even if some channels then rest in it.
    pub(super) eager: bool,
}

/// A chip that gathers.
struct Desk {
    /// `[input]`: places of what the sender has and this chip lacks.
    ready: Vec<Row>,
    held: Row,
    missing: usize,
    candidates: Candidates,
    loads: Loads,
    words: Vec<u64>,
    keys: Vec<u64>,
}

impl Desk {
    fn new(inputs: usize, places: usize) -> Self {
        Self {
            ready: vec![Row::new(places); inputs],
            held: Row::new(places),
            missing: if inputs == 0 { 0 } else { places },
            candidates: Candidates::default(),
            loads: Loads::default(),
            words: Vec::new(),
            keys: Vec::new(),
        }
    }

    /// Lists what could be had now: near first, then what fewest inputs bring.
    fn look(&mut self, rank: &Rank) {
        let Self { ready, candidates, words, keys, .. } = self;
        keys.clear();
        let mut distance = 0u64;
        Row::union(ready, words, |place| {
            while rank.until[distance as usize] <= place {
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

    /// The least width at which all candidates are taken; the inputs then share them as evenly as can be.
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

    /// Takes what fits a width: (input, place).
    fn take(&mut self, width: u32) -> Vec<Vec<u32>> {
        let mut brought = vec![Vec::new(); self.ready.len()];
        self.loads.fill(&self.candidates, self.ready.len(), width);
        for (&place, &input) in
            self.candidates.places.iter().zip(&self.loads.at).filter(|(_, input)| **input != LEFT)
        {
            self.held.insert(place);
            self.ready.iter_mut().for_each(|row| row.remove(place));
            brought[input as usize].push(place);
        }
        self.missing -= self.loads.taken;
        brought
    }
}

/// A gather from all to all.
pub(super) fn steps(ground: &Ground<'_>, ranks: &[Rank], chunks: u32, widths: Widths) -> Vec<Round> {
    let lanes = ground.lanes();
    let mut desks: Vec<Desk> =
        lanes.iter().zip(ranks).map(|(inputs, rank)| Desk::new(inputs.len(), rank.chunk.len())).collect();
    let places = by_channel(&lanes);
    let mut rounds: Vec<Round> = Vec::new();
    // `[class][input]`: chunks that it brought in the round before.
    let mut brought: Vec<Vec<Vec<u32>>> = Vec::new();
    while desks.iter().any(|desk| desk.missing > 0) {
        desks.par_iter_mut().enumerate().for_each(|(class, desk)| {
            let rank = &ranks[class];
            for (at, input) in lanes[class].iter().enumerate() {
                let mut arrive = |chunk: u32| {
                    let place = rank.place[image(ground, input, chunk, chunks) as usize];
                    if place != Rank::NONE && !desk.held.contains(place) {
                        desk.ready[at].insert(place);
                    }
                };
                match brought.get(input.class) {
                    Some(inputs) => inputs.iter().flatten().copied().for_each(&mut arrive),
                    None => {
                        let chip = ground.chips[input.class].0;
                        (chip * chunks..(chip + 1) * chunks).for_each(&mut arrive);
                    }
                }
            }
            desk.look(rank);
        });
        let width = width(&mut desks, widths);
        brought = desks
            .par_iter_mut()
            .zip(ranks)
            .map(|(desk, rank)| {
                let mut brought = desk.take(width);
                brought.iter_mut().flatten().for_each(|place| *place = rank.chunk[*place as usize]);
                brought
            })
            .collect();
        let mut pulls: Vec<Pull> = Vec::new();
        let mut width = 0;
        for &(class, input) in &places {
            let (of, chunks) = (&lanes[class][input], &brought[class][input]);
            match pulls.last_mut() {
                _ if chunks.is_empty() => continue,
                Some(last) if last.channel == of.channel => last.chunks.extend(chunks),
                _ => pulls.push(Pull { channel: of.channel, chunks: chunks.clone() }),
            }
            let carried = pulls.last().map_or(0, |pull| pull.chunks.len());
            width = width.max(carried.div_ceil(of.lanes as usize) as u32);
        }
        rounds.push(Round { width, pulls });
    }
    rounds
}

fn width(desks: &mut [Desk], widths: Widths) -> u32 {
    if desks.iter().all(|desk| desk.candidates.len() == desk.missing) {
        let even =
            desks.iter().map(|desk| desk.missing.div_ceil(desk.ready.len().max(1)) as u32).max().unwrap_or(1);
        let least = desks.par_iter_mut().map(Desk::least_width).max().unwrap_or(1);
        if widths.eager || least == even {
            return least;
        }
    }
    let busy = desks.iter().filter(|desk| desk.missing > 0);
    let mut shares: Vec<usize> = busy.map(|desk| desk.candidates.len() / desk.ready.len()).collect();
    shares.sort_unstable();
    shares[(shares.len() - 1) * widths.quarter / 4].max(1) as u32
}
