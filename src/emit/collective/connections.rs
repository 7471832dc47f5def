//! Which chips are connected how often in a program for their runtime: the channels that a schedule uses, and
//! what they are called there.
//!
//! A connection is one way from chip to chip, under a number (*chan*) that it has alone between the two.
//! Where the runs of a schedule together carry more than a thread block has steps, each run has connections
//! of its own.

use super::moves::Moves;
use fabc_base::ids::{ChannelId, Id};
use std::collections::{BTreeMap, BTreeSet};

/// A way from chip to chip.
pub(super) struct Connection {
    pub(super) channel: ChannelId,
    /// Its number among those of the same two chips; also no chip has more than allowed under one number.
    pub(super) chan: u32,
    /// The moves over it, in order.
    pub(super) moves: Vec<u32>,
}

/// All connections of a schedule.
pub(super) struct Connections {
    /// By channel, then by run.
    pub(super) all: Vec<Connection>,
    /// `[move]`: its connection.
    pub(super) of: Vec<u32>,
    /// `[move]`: how many go before it.
    pub(super) at: Vec<u32>,
}

impl Connections {
    /// Those of a schedule, where a thread block has at most `steps`, and a chip at most `peers` connections
    /// each way under one number.
    pub(super) fn new(laid: &Moves<'_>, steps: usize, peers: u32) -> Self {
        let mut carried: BTreeMap<(ChannelId, u32), Vec<u32>> = BTreeMap::new();
        for (at, one) in laid.moves.iter().enumerate() {
            carried.entry((one.channel, one.run)).or_default().push(at as u32);
        }
        let mut together: BTreeMap<ChannelId, usize> = BTreeMap::new();
        carried
            .iter()
            .for_each(|(&(channel, _), moves)| *together.entry(channel).or_default() += moves.len());
        let apart = together.values().any(|&moves| moves > steps);
        let mut lists: Vec<(ChannelId, Vec<u32>)> = Vec::new();
        for ((channel, _), moves) in carried {
            match lists.last_mut().filter(|(last, _)| *last == channel && !apart) {
                Some((_, list)) => list.extend(moves),
                None => lists.push((channel, moves)),
            }
        }
        let (mut of, mut at) = (vec![0; laid.moves.len()], vec![0; laid.moves.len()]);
        let mut taken = BTreeSet::new();
        // `[chip][chan]`: connections out, and in.
        let mut counts = [BTreeMap::new(), BTreeMap::new()];
        let mut all = Vec::with_capacity(lists.len());
        for (number, (channel, moves)) in lists.into_iter().enumerate() {
            let [from, to] = [laid.sender(channel), laid.receiver(channel)];
            let full = |counts: &BTreeMap<(usize, u32), u32>, chip: usize, chan| {
                counts.get(&(chip, chan)).is_some_and(|&count| count >= peers)
            };
            let free = |&chan: &u32| {
                !taken.contains(&(from, to, chan))
                    && !full(&counts[0], from.index(), chan)
                    && !full(&counts[1], to.index(), chan)
            };
            let chan = (0..).find(free).unwrap_or(u32::MAX);
            taken.insert((from, to, chan));
            *counts[0].entry((from.index(), chan)).or_default() += 1;
            *counts[1].entry((to.index(), chan)).or_default() += 1;
            for (place, &one) in moves.iter().enumerate() {
                (of[one as usize], at[one as usize]) = (number as u32, place as u32);
            }
            all.push(Connection { channel, chan, moves });
        }
        Self { all, of, at }
    }
}
