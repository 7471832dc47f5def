//! The news of arrivals that acknowledgements bring, and what of it waits.

use fabc_model::Ack;
use std::collections::BTreeMap;

/// The acknowledgements of one run.
pub(super) struct Acks {
    pub(super) kind: Ack,
    /// `[packet]`: the arrivals that it reports.
    pub(super) reports: Vec<u32>,
    /// The number of every pair of a destination and a source whose news has ever waited.
    numbers: BTreeMap<(u32, u32), u32>,
    /// `[pair]`: its news that waits for a packet.
    pub(super) pairs: Vec<WaitingNews>,
    /// The longest wait in cycles.
    pub(super) wait: u32,
    /// Packets of one flit in flight.
    pub(super) in_flight: u64,
}

/// News for one endpoint that waits at another one.
#[derive(Clone, Copy)]
pub(super) struct WaitingNews {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) arrivals: u32,
    /// The cycle from which the oldest of them waits.
    pub(super) since: u32,
}

impl Acks {
    pub(super) fn new(kind: Ack, wait: u32) -> Self {
        let (numbers, pairs) = (BTreeMap::new(), Vec::new());
        Self { kind, reports: Vec::new(), numbers, pairs, wait, in_flight: 0 }
    }

    /// Lets the news of an arrival wait. Returns the pair if no other news of it waits.
    pub(super) fn wait_for_packet(&mut self, from: u32, to: u32, now: u32) -> Option<u32> {
        let new = self.pairs.len() as u32;
        let pair = *self.numbers.entry((from, to)).or_insert(new);
        if pair == new {
            self.pairs.push(WaitingNews { from, to, arrivals: 0, since: now });
        }
        let news = &mut self.pairs[pair as usize];
        news.arrivals += 1;
        let is_first = news.arrivals == 1;
        if is_first {
            news.since = now;
        }
        is_first.then_some(pair)
    }

    /// Takes the news that waits for a packet from one endpoint to another.
    pub(super) fn take(&mut self, from: u32, to: u32) -> u32 {
        let news = self.numbers.get(&(from, to)).map(|&pair| &mut self.pairs[pair as usize]);
        news.map_or(0, |news| std::mem::take(&mut news.arrivals))
    }

    /// Sets how many arrivals a packet reports.
    pub(super) fn report(&mut self, place: u32, places: usize, arrivals: u32) {
        if self.reports.len() < places {
            self.reports.resize(places, 0);
        }
        self.reports[place as usize] = arrivals;
    }
}
