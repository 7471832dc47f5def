//! Collectives: schedules on small graphs with known answers, on random graphs, and on pods.

mod answers;
mod bounds;
mod chakra;
mod direct;
mod execution_plans;
mod foreign_execution_plans;
mod foreign_programs;
mod forest;
mod graphs;
mod groups;
pub(crate) mod interpreter;
mod lanes;
mod latencies;
mod paths;
mod pods;
mod programs;
mod programs_tampered;
mod programs_through_switches;
mod random;
mod relays;
mod switch_bounds;
mod symmetric;
mod tampering;
mod times;
mod trees;
