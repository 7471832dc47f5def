//! Ways that are chosen while packets move: shortest ones at random, over a random router, or the better one
//! by the queues (UGAL).
//!
//! In: how far it is from router to router, and what is asked for. Out: for a packet at its source its
//! [`Way`], for a packet at a router the channel that it takes next. What is drawn is a function of the
//! packet and of where it is, so that no order of asking shows. Hop number k is taken on virtual channel k:
//! what waits on it waits for higher ones only. Sources: Valiant (1982); Singh (2005) and Kim and others
//! (2008) (UGAL); Lakhotia and others (2024).

mod decide;
mod metric;
mod ways;

pub(super) use decide::{Choice, Over, Way};
pub(super) use ways::{choice, shortest_by_default};
