//! The connections of a program for GPU runtimes: which channels a schedule uses, and their numbers there.
//!
//! A connection leads from one chip to another. Routers that only forward may be between them. Its number
//! (*chan*) is unique between the two chips. If all runs of a schedule together carry more than a thread
//! block has steps, each run has connections of its own.

use super::moves::ChunkMoves;
use fabc_base::ids::{ChannelId, Id, NodeId};
use std::collections::{BTreeMap, BTreeSet};

/// What moves over one connection have in common: the channel by which they leave, and both chips.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct ConnectedEnds {
    channel: ChannelId,
    from: NodeId,
    to: NodeId,
}

/// A connection from one chip to another.
pub(super) struct ChipConnection {
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    /// Its number, unique between its two chips. A chip has a limited number of connections with the same
    /// number.
    pub(super) chan: u32,
    /// Indices of the moves over it, in order.
    pub(super) moves: Vec<u32>,
}

/// All connections of a schedule.
pub(super) struct Connections {
    /// Connections by channel, then by run.
    pub(super) connections: Vec<ChipConnection>,
    /// `[move]`: index of its connection.
    pub(super) connection_of: Vec<u32>,
    /// `[move]`: number of moves before it on its connection.
    pub(super) position_of: Vec<u32>,
}

impl Connections {
    /// Plans the connections of a schedule. A thread block has at most `steps` steps. A chip has at most
    /// `peers` connections in each direction under one number.
    pub(super) fn new(chunk_moves: &ChunkMoves<'_>, steps: usize, peers: u32) -> Self {
        let mut carried: BTreeMap<(ConnectedEnds, u32), Vec<u32>> = BTreeMap::new();
        for (index, chunk_move) in chunk_moves.moves.iter().enumerate() {
            let ends =
                ConnectedEnds { channel: chunk_move.channel, from: chunk_move.from, to: chunk_move.to };
            carried.entry((ends, chunk_move.run)).or_default().push(index as u32);
        }
        let mut moves_per_channel: BTreeMap<ConnectedEnds, usize> = BTreeMap::new();
        carried
            .iter()
            .for_each(|(&(ends, _), moves)| *moves_per_channel.entry(ends).or_default() += moves.len());
        let by_run = moves_per_channel.values().any(|&moves| moves > steps);
        let mut lists: Vec<(ConnectedEnds, Vec<u32>)> = Vec::new();
        for ((ends, _), moves) in carried {
            match lists.last_mut().filter(|(last, _)| *last == ends && !by_run) {
                Some((_, list)) => list.extend(moves),
                None => lists.push((ends, moves)),
            }
        }
        let (mut connection_of, mut position_of) =
            (vec![0; chunk_moves.moves.len()], vec![0; chunk_moves.moves.len()]);
        let mut taken = BTreeSet::new();
        // By chip and number: connections out, and connections in.
        let mut counts = [BTreeMap::new(), BTreeMap::new()];
        let mut connections = Vec::with_capacity(lists.len());
        for (number, (ConnectedEnds { from, to, .. }, moves)) in lists.into_iter().enumerate() {
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
            for (position, &index) in moves.iter().enumerate() {
                (connection_of[index as usize], position_of[index as usize]) =
                    (number as u32, position as u32);
            }
            connections.push(ChipConnection { from, to, chan, moves });
        }
        Self { connections, connection_of, position_of }
    }
}
