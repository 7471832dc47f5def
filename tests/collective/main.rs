//! Collectives: schedules on small graphs with known answers, on random graphs, and on pods.

mod answers;
mod bounds;
mod direct;
mod graphs;
mod pods;
mod random;
mod symmetric;
mod tampering;
mod times;
mod trees;
