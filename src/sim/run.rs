//! Runs one rate, or traffic that ends, in the packet model or the flit model.

use super::completion::Completion;
use super::errors::SimError;
use super::point::Point;
use super::prepare::Prepared;
use super::traffic::Offer;
use super::{cycles, flit, packet};
use fabc_model::{Model, Rate};

/// Runs one rate: the cycles to warm up, those that are measured, and then until all packets that were born
/// in the measured ones have arrived, at most as long again.
///
/// # Errors
/// Packets wait for each other for ever; or the traffic ends, and has no rate.
pub fn run(prepared: &Prepared<'_>, rate: Rate, seed: u64) -> Result<Point, SimError> {
    run_until(prepared, (rate, seed), true)
}

/// Runs one rate to the end of the measured cycles. Packets that are still inside are not waited for, so only
/// packets that arrived in the measured cycles count.
///
/// # Errors
/// As [`run`].
pub(super) fn run_measured_cycles(prepared: &Prepared<'_>, rate: Rate, seed: u64) -> Result<Point, SimError> {
    run_until(prepared, (rate, seed), false)
}

fn run_until(prepared: &Prepared<'_>, (rate, seed): (Rate, u64), late: bool) -> Result<Point, SimError> {
    let Offer::Rates(pattern) = &prepared.offer else { return Err(prepared.has_no("rates")) };
    match prepared.setting.model {
        Model::Packet => cycles::run(packet::Run::new(prepared, seed), prepared, pattern, (rate, seed), late),
        Model::Flit => cycles::run(flit::Run::new(prepared), prepared, pattern, (rate, seed), late),
    }
}

/// Runs traffic that ends until everything has arrived.
///
/// # Errors
/// Packets wait for each other for ever, or there are more cycles than are counted; or the traffic does not
/// end.
pub fn complete(prepared: &Prepared<'_>, seed: u64) -> Result<Completion, SimError> {
    if prepared.offer.messages().is_none() {
        return Err(prepared.has_no("an end"));
    }
    match prepared.setting.model {
        Model::Packet => cycles::complete(packet::Run::new(prepared, seed), prepared, seed),
        Model::Flit => cycles::complete(flit::Run::new(prepared), prepared, seed),
    }
}

/// Begins a run of one rate again: digests of every thousand cycles.
///
/// # Errors
/// As [`run`].
pub(super) fn begin(
    prepared: &Prepared<'_>,
    rate: Rate,
    seed: u64,
    cycles: u32,
) -> Result<Vec<u64>, SimError> {
    let Offer::Rates(pattern) = &prepared.offer else { return Err(prepared.has_no("rates")) };
    match prepared.setting.model {
        Model::Packet => {
            cycles::begin(packet::Run::new(prepared, seed), prepared, pattern, (rate, seed), cycles)
        }
        Model::Flit => cycles::begin(flit::Run::new(prepared), prepared, pattern, (rate, seed), cycles),
    }
}

/// The same of traffic that ends.
///
/// # Errors
/// As [`complete`].
pub(super) fn begin_messages(prepared: &Prepared<'_>, seed: u64, cycles: u32) -> Result<Vec<u64>, SimError> {
    if prepared.offer.messages().is_none() {
        return Err(prepared.has_no("an end"));
    }
    match prepared.setting.model {
        Model::Packet => cycles::begin_messages(packet::Run::new(prepared, seed), prepared, cycles),
        Model::Flit => cycles::begin_messages(flit::Run::new(prepared), prepared, cycles),
    }
}
