//! Runs one rate, or traffic that ends, in the packet model or the flit model.

use super::completion::Completion;
use super::errors::SimError;
use super::overload::Overload;
use super::point::Point;
use super::prepare::Prepared;
use super::traffic::OfferedTraffic;
use super::trial::{Trial, TrialEnd};
use super::{cycles, flit, packet};
use fabc_model::{Rate, RouterModel};

/// Runs one rate: the warm-up and the measured cycles, then until all packets born in the measured ones have
/// arrived. The last part takes at most as long again as the measured cycles.
///
/// # Errors
/// Packets wait for each other for ever, or the traffic ends and has no rate.
pub fn run(prepared: &Prepared<'_>, rate: Rate, seed: u64) -> Result<Point, SimError> {
    let OfferedTraffic::Rates(pattern) = &prepared.offer else { return Err(prepared.has_no("rates")) };
    match prepared.setting.model {
        RouterModel::Packet => {
            cycles::run(packet::PacketRun::new(prepared, seed), prepared, pattern, rate, seed)
        }
        RouterModel::Flit => cycles::run(flit::FlitRun::new(prepared, seed), prepared, pattern, rate, seed),
    }
}

/// Runs a rate for the cycles of a search.
///
/// # Errors
/// Packets wait for each other for ever, or the traffic ends and has no rate.
pub(super) fn try_rate(
    prepared: &Prepared<'_>,
    rate: Rate,
    seed: u64,
    end: TrialEnd,
) -> Result<Trial, SimError> {
    let OfferedTraffic::Rates(pattern) = &prepared.offer else { return Err(prepared.has_no("rates")) };
    let offered = cycles::OfferedRate::new(prepared, pattern, rate, seed);
    match prepared.setting.model {
        RouterModel::Packet => {
            cycles::try_rate(packet::PacketRun::new(prepared, seed), prepared, offered, end)
        }
        RouterModel::Flit => cycles::try_rate(flit::FlitRun::new(prepared, seed), prepared, offered, end),
    }
}

/// Runs a rate in overload, for the cycles of such runs.
///
/// # Errors
/// Packets wait for each other for ever, or the traffic ends and has no rate.
pub(super) fn overloaded(
    prepared: &Prepared<'_>,
    multiple: Rate,
    rate: Rate,
    seed: u64,
) -> Result<Overload, SimError> {
    let OfferedTraffic::Rates(pattern) = &prepared.offer else { return Err(prepared.has_no("rates")) };
    let offered = cycles::OfferedRate::new(prepared, pattern, rate, seed);
    match prepared.setting.model {
        RouterModel::Packet => {
            cycles::overload(packet::PacketRun::new(prepared, seed), prepared, offered, multiple)
        }
        RouterModel::Flit => {
            cycles::overload(flit::FlitRun::new(prepared, seed), prepared, offered, multiple)
        }
    }
}

/// Runs traffic that ends until everything has arrived.
///
/// # Errors
/// Packets wait for each other for ever, the run exceeds the limit of cycles, or the traffic does not end.
pub fn complete(prepared: &Prepared<'_>, seed: u64) -> Result<Completion, SimError> {
    if prepared.offer.messages().is_none() {
        return Err(prepared.has_no("an end"));
    }
    match prepared.setting.model {
        RouterModel::Packet => cycles::complete(packet::PacketRun::new(prepared, seed), prepared, seed),
        RouterModel::Flit => cycles::complete(flit::FlitRun::new(prepared, seed), prepared, seed),
    }
}

/// Repeats the beginning of a run of one rate. Returns the digests of every thousand cycles.
///
/// # Errors
/// The errors of [`run`].
pub(super) fn begin(
    prepared: &Prepared<'_>,
    rate: Rate,
    seed: u64,
    cycles: u32,
) -> Result<Vec<u64>, SimError> {
    let OfferedTraffic::Rates(pattern) = &prepared.offer else { return Err(prepared.has_no("rates")) };
    match prepared.setting.model {
        RouterModel::Packet => {
            cycles::begin(packet::PacketRun::new(prepared, seed), prepared, pattern, rate, seed, cycles)
        }
        RouterModel::Flit => {
            cycles::begin(flit::FlitRun::new(prepared, seed), prepared, pattern, rate, seed, cycles)
        }
    }
}

/// Repeats the beginning of a run of traffic that ends. Returns the digests of every thousand cycles.
///
/// # Errors
/// The errors of [`complete`].
pub(super) fn begin_messages(prepared: &Prepared<'_>, seed: u64, cycles: u32) -> Result<Vec<u64>, SimError> {
    if prepared.offer.messages().is_none() {
        return Err(prepared.has_no("an end"));
    }
    match prepared.setting.model {
        RouterModel::Packet => {
            cycles::begin_messages(packet::PacketRun::new(prepared, seed), prepared, cycles)
        }
        RouterModel::Flit => cycles::begin_messages(flit::FlitRun::new(prepared, seed), prepared, cycles),
    }
}
