//! Paths that are chosen while packets move: random shortest ones, over a random router, or the best one by
//! the queues (UGAL).
//!
//! In: distances between routers, and the settings. Out: for a packet at its source its [`PacketPath`], for a
//! packet at a router its next channel. Draws are a function of the packet and of its place, so the order of
//! packets has no effect. Hop number k uses virtual channel k, so a packet waits for higher ones only.
//! Through tiers (`spray`, `ecmp`) one virtual channel is enough, and `spray` takes ports in turn.
//! Sources: Valiant (1982); Singh (2005) and Kim and others (2008) (UGAL); Lakhotia and others (2024).

mod build;
mod decide;
mod metric;

pub(super) use build::{choice, shortest_by_default};
pub(super) use decide::{KnownLoad, PacketPath, PathChoice, PathStreams};
