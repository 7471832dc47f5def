//! Runs one rate, or traffic that ends, in the packet model or the flit model.

use super::completion::Completion;
use super::errors::SimError;
use super::overload::Overload;
use super::point::Point;
use super::prepare::Prepared;
use super::traffic::OfferedTraffic;
use super::trial::{Trial, TrialRun};
use super::{cycles, flit, packet};
use fabc_model::{Rate, RouterModel};

/// Evaluates an expression about the routers of a new run, which have the type of their model.
macro_rules! with_routers {
    ($prepared:expr, $seed:expr, $routers:ident => $run:expr) => {
        match $prepared.setting.model {
            RouterModel::Packet => {
                let $routers = packet::PacketRun::new($prepared, $seed);
                $run
            }
            RouterModel::Flit => {
                let $routers = flit::FlitRun::new($prepared, $seed);
                $run
            }
        }
    };
}

/// Runs one rate: the warm-up and the measured cycles, then until all packets born in the measured ones have
/// arrived. The last part takes at most as long again as the measured cycles.
///
/// # Errors
/// Packets wait for each other for ever, or the traffic ends and has no rate.
pub fn run(prepared: &Prepared<'_>, rate: Rate, seed: u64) -> Result<Point, SimError> {
    let OfferedTraffic::Rates(pattern) = &prepared.offer else { return Err(prepared.has_no("rates")) };
    with_routers!(prepared, seed, routers => cycles::run(routers, prepared, pattern, rate, seed))
}

/// Runs a rate for the cycles of a trial.
///
/// # Errors
/// Packets wait for each other for ever, or the traffic ends and has no rate.
pub(super) fn try_rate(prepared: &Prepared<'_>, rate: Rate, run: TrialRun) -> Result<Trial, SimError> {
    let OfferedTraffic::Rates(pattern) = &prepared.offer else { return Err(prepared.has_no("rates")) };
    let offered = cycles::OfferedRate::new(prepared, pattern, rate, run.seed);
    with_routers!(prepared, run.seed, routers => cycles::try_rate(routers, prepared, offered, run))
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
    with_routers!(prepared, seed, routers => cycles::overload(routers, prepared, offered, multiple))
}

/// Runs traffic that ends until everything has arrived.
///
/// # Errors
/// Packets wait for each other for ever, the run exceeds the limit of cycles, or the traffic does not end.
pub fn complete(prepared: &Prepared<'_>, seed: u64) -> Result<Completion, SimError> {
    if prepared.offer.messages().is_none() {
        return Err(prepared.has_no("an end"));
    }
    with_routers!(prepared, seed, routers => cycles::complete(routers, prepared, seed))
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
    with_routers!(prepared, seed, routers => cycles::begin(routers, prepared, pattern, rate, seed, cycles))
}

/// Repeats the beginning of a run of traffic that ends. Returns the digests of every thousand cycles.
///
/// # Errors
/// The errors of [`complete`].
pub(super) fn begin_messages(prepared: &Prepared<'_>, seed: u64, cycles: u32) -> Result<Vec<u64>, SimError> {
    if prepared.offer.messages().is_none() {
        return Err(prepared.has_no("an end"));
    }
    with_routers!(prepared, seed, routers => cycles::begin_messages(routers, prepared, cycles))
}
