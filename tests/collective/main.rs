//! Collectives: schedules on small graphs with known answers, on random graphs, and on pods.

mod answers;
mod bounds;
mod graphs;
mod random;
mod symmetric;
mod tampering;
