//! All runs of one call: rates, and the search for saturation.

use super::completion::Completion;
use super::consistency::check_consistency;
use super::errors::SimError;
use super::layout::NONE;
use super::point::Point;
use super::prepare::Prepared;
use super::report::{AlikeChannels, SimReport};
use super::run::{complete as complete_one, run as run_one};
use super::saturation::{Saturation, saturation};
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_base::progress::Progress;
use fabc_model::Rate;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Runs every rate with every seed, as many at a time as there are threads.
///
/// # Errors
/// The error of the lowest rate that fails: it cannot be offered, or packets wait for each other for ever.
pub fn curve(
    prepared: &Prepared<'_>,
    rates: &[Rate],
    seeds: &[u64],
    progress: &dyn Progress,
) -> Result<SimReport, SimError> {
    simulate(prepared, rates, seeds, false, progress)
}

/// Runs every rate with every seed. With `search`, it also finds the rate at which the fabric saturates, for
/// every seed. Traffic that ends has no rates and nothing to search. Every seed is then run until everything
/// has arrived.
///
/// # Errors
/// The errors of [`curve`], and one for rates of traffic that ends.
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
    if prepared.volume.is_some() {
        return match (search, rates.is_empty()) {
            (true, _) => Err(prepared.has_no("saturation")),
            (_, false) => Err(prepared.has_no("rates")),
            _ => complete(prepared, &seeds, progress),
        };
    }
    for &rate in &rates {
        prepared.births().check(rate)?;
    }
    let saturations = if search { saturation(prepared, &seeds, progress)? } else { Vec::new() };
    let runs: Vec<(Rate, u64)> =
        rates.iter().flat_map(|&rate| seeds.iter().map(move |&seed| (rate, seed))).collect();
    progress.begin("simulate", runs.len() as u64);
    let run = |&(rate, seed): &(Rate, u64)| {
        let point = run_one(prepared, rate, seed);
        progress.advance();
        point
    };
    let points: Vec<_> = runs.par_iter().map(run).collect();
    progress.end();
    let points = points.into_iter().collect::<Result<Vec<Point>, SimError>>()?;
    let points = points.into_iter().map(|point| prepared.by_class(point)).collect();
    let report = prepared.report(saturations, points);
    debug_assert_eq!(check_consistency(prepared, &report), Ok(()), "a run is thought to be impossible");
    Ok(report)
}

/// Runs traffic that ends with every seed.
fn complete(prepared: &Prepared<'_>, seeds: &[u64], progress: &dyn Progress) -> Result<SimReport, SimError> {
    progress.begin("simulate", seeds.len() as u64);
    let run = |&seed: &u64| {
        let run = complete_one(prepared, seed);
        progress.advance();
        run
    };
    let runs: Vec<_> = seeds.par_iter().map(run).collect();
    progress.end();
    let runs = runs.into_iter().collect::<Result<Vec<Completion>, SimError>>()?;
    let by_class = |run: Completion| Completion { busy_by_class: prepared.busy_by_class(&run.busy), ..run };
    let report = prepared.completed(runs.into_iter().map(by_class).collect());
    debug_assert_eq!(check_consistency(prepared, &report), Ok(()), "a run is thought to be impossible");
    Ok(report)
}

impl Prepared<'_> {
    /// A report of runs of traffic that ends.
    pub fn completed(&self, completions: Vec<Completion>) -> SimReport {
        SimReport { completions, ..self.report(Vec::new(), Vec::new()) }
    }

    /// A report of runs of this fabric.
    pub fn report(&self, saturations: Vec<Saturation>, points: Vec<Point>) -> SimReport {
        let sources = self.endpoints.router.iter().map(|&router| NodeId(router)).collect();
        let mut classes = Vec::new();
        for (channel, class) in self.classes() {
            classes.resize(classes.len().max(class + 1), AlikeChannels { channels: 0, load: 0 });
            classes[class].channels += 1;
            classes[class].load += self.load.channels[channel];
        }
        classes.retain(|class| class.channels > 0);
        let (scenario, setting, load) = (self.scenario.clone(), self.setting.clone(), self.load.clone());
        let (volume, completions) = (self.volume, Vec::new());
        SimReport { scenario, setting, load, sources, classes, saturations, points, volume, completions }
    }

    /// The same point with the sums over every class of channels.
    pub fn by_class(&self, point: Point) -> Point {
        Point { busy_by_class: self.busy_by_class(&point.busy), ..point }
    }

    /// `[class of channels]`: the cycles in which channels of the class moved a flit, summed from those of
    /// every channel.
    pub fn busy_by_class(&self, busy: &[u32]) -> Vec<u64> {
        let mut sums: Vec<Option<u64>> = Vec::new();
        for (channel, class) in self.classes() {
            sums.resize(sums.len().max(class + 1), None);
            *sums[class].get_or_insert(0) += u64::from(busy[channel]);
        }
        sums.into_iter().flatten().collect()
    }

    /// The rank of the class of a channel among those of a report. `None` for a dark channel.
    pub(super) fn class_rank(&self, channel: ChannelId) -> Option<usize> {
        let classes: BTreeSet<usize> = self.classes().map(|(_, class)| class).collect();
        let (_, class) = self.classes().find(|(lit, _)| *lit == channel.index())?;
        Some(classes.range(..class).count())
    }

    /// The lit channels, each with its class under the symmetry of the tables.
    fn classes(&self) -> impl Iterator<Item = (usize, usize)> {
        let lit = (0..self.layout.channels).filter(|&channel| self.layout.ends[channel].queue != NONE);
        let class =
            |channel| self.topology.channel_class(self.routes.symmetry(), ChannelId::new(channel)).index();
        lit.map(move |channel| (channel, class(channel)))
    }
}
