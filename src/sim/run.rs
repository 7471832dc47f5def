//! One run, by the model that was asked for.

use super::errors::SimError;
use super::point::Point;
use super::prepare::Prepared;
use super::{cycles, flit, packet};
use crate::model::{Model, Rate};

/// Runs one rate: the cycles to warm up, those that are measured, and then until all packets that were born
/// in the measured ones have arrived, at most as long again.
///
/// # Errors
/// Packets wait for each other for ever.
pub fn run(prepared: &Prepared<'_>, rate: Rate, seed: u64) -> Result<Point, SimError> {
    match prepared.setting.model {
        Model::Packet => cycles::run(packet::Run::new(prepared, seed), prepared, rate, seed),
        Model::Flit => cycles::run(flit::Run::new(prepared), prepared, rate, seed),
    }
}
