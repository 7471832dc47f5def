//! All runs of one call: rates, and the search for saturation.

use super::errors::SimError;
use super::layout::NONE;
use super::prepare::Prepared;
use super::rate::Rate;
use super::report::SimReport;
use super::run::run as run_one;
use super::saturation::saturation;
use crate::ids::{ChannelId, Id, NodeId};
use crate::progress::Progress;
use rayon::prelude::*;

/// Runs every rate with every seed, as many at a time as there are threads.
///
/// # Errors
/// Of the lowest rate that fails: it cannot be offered, or packets wait for each other for ever.
pub fn curve(prepared: &Prepared<'_>, rates: &[Rate], seeds: &[u64], progress: &dyn Progress) -> Result<SimReport, SimError> {
    simulate(prepared, rates, seeds, false, progress)
}

/// The same; and with `search` the rate at which the fabric saturates, by every seed.
///
/// # Errors
/// As [`curve`].
pub fn simulate(
    prepared: &Prepared<'_>,
    rates: &[Rate],
    seeds: &[u64],
    search: bool,
    progress: &dyn Progress,
) -> Result<SimReport, SimError> {
    let (mut rates, mut seeds) = (rates.to_vec(), seeds.to_vec());
    rates.sort_unstable();
    rates.dedup();
    seeds.sort_unstable();
    seeds.dedup();
    if let Some(rate) = rates.iter().find(|rate| rate.fraction() > prepared.most()) {
        let most = prepared.most().floor().to_string();
        return Err(SimError::RateTooHigh { rate: rate.to_string(), packet: prepared.setting.packet, most });
    }
    let saturations = if search { saturation(prepared, &seeds, progress)? } else { Vec::new() };
    let runs: Vec<(Rate, u64)> = rates.iter().flat_map(|&rate| seeds.iter().map(move |&seed| (rate, seed))).collect();
    progress.begin("simulate", runs.len() as u64);
    let run = |&(rate, seed): &(Rate, u64)| {
        let point = run_one(prepared, rate, seed);
        progress.advance();
        point
    };
    let points: Vec<_> = runs.par_iter().map(run).collect();
    progress.end();
    let points = points.into_iter().collect::<Result<_, SimError>>()?;
    let sources = prepared.endpoints.router.iter().map(|&router| NodeId(router)).collect();
    let layout = &prepared.layout;
    let class = |channel: usize| {
        let class = prepared.topology.channel_class(prepared.routes.symmetry(), ChannelId::new(channel));
        (layout.input_queue[channel] != NONE).then_some(class)
    };
    let classes = (0..layout.channels).map(class).collect();
    let (scenario, setting, load) = (prepared.scenario.clone(), prepared.setting.clone(), prepared.load.clone());
    Ok(SimReport { scenario, setting, load, sources, classes, saturations, points })
}
