//! What a file says of runs (`fabc.simulation/1`): counts are taken as they stand there, and all that follows
//! from tables and counts is worked out again.

use super::block::rates;
use super::completion::Completion;
use super::point::{Delays, Point, VcUse};
use super::prepare::Prepared;
use super::report::SimReport;
use super::saturation::{Beyond, Saturation};
use crate::model::{Fabric, Rate, Simulation};
use crate::read::{self, BracketLine, CompletionLine, DelayLine, PointLine, SimulatedLine, VcUseLine};

/// What of a file is not what was asked for.
pub(crate) struct Misfit {
    /// The key of its scenario.
    pub(crate) place: &'static str,
    /// What is wrong there.
    pub(crate) what: &'static str,
}

/// The report of a simulation of a spec, from a file: what [`super::run_block`] returns, but for the counts
/// of single channels, which files do not have.
///
/// # Errors
/// The runs are not those that the spec asks for.
pub(crate) fn reported(
    fabric: &Fabric,
    simulation: &Simulation,
    prepared: &Prepared<'_>,
    line: &SimulatedLine,
) -> Result<SimReport, Misfit> {
    let seeds = simulation.all_seeds();
    let ends = prepared.volume().is_some();
    if ends != line.least_cycles.is_some() {
        return Err(Misfit { place: "completions", what: "these are not what such traffic has" });
    }
    let completions: Vec<Completion> = line.completions.iter().map(|line| completion(line, prepared)).collect();
    if ends {
        return match seeds.into_iter().eq(completions.iter().map(|run| run.seed)) {
            true => Ok(prepared.completed(completions)),
            false => Err(Misfit { place: "completions", what: "these are not the seeds of the spec, each once" }),
        };
    }
    let rates = rates(fabric, simulation, prepared);
    let asked = rates.iter().flat_map(|&rate| seeds.iter().map(move |&seed| (rate, seed)));
    let points: Vec<Point> = line.points.iter().map(|line| point(line, prepared)).collect();
    if !asked.eq(points.iter().map(|point| (point.rate, point.seed))) {
        return Err(Misfit { place: "points", what: "these are not the rates and seeds of the spec, each once" });
    }
    let saturations: Vec<Saturation> = line.saturation.iter().map(saturation).collect();
    if !seeds.iter().copied().eq(saturations.iter().map(|found| found.seed)) {
        return Err(Misfit { place: "saturation", what: "these are not the seeds of the spec, each once" });
    }
    Ok(prepared.report(saturations, points))
}

fn rate(value: f64) -> Rate {
    Rate::millionths(read::millionths(value))
}

fn saturation(line: &BracketLine) -> Saturation {
    let BracketLine { seed, stable, unstable, runs, beyond, .. } = line;
    let beyond = Beyond { rate: rate(beyond.rate), delivered: beyond.delivered };
    Saturation { seed: *seed, stable: stable.map(rate), unstable: unstable.map(rate), runs: *runs, beyond }
}

fn delays(of: &DelayLine) -> Option<Delays> {
    let DelayLine { packets, sum, median, p99, max, source_wait_sum, hops, .. } = *of;
    (packets > 0).then_some(Delays { packets, sum, median, p99, most: max, waited: source_wait_sum, hops })
}

fn vc(of: &VcUseLine) -> VcUse {
    VcUse { hops: of.hops, flit_cycles: of.flit_cycles, p99: of.p99_flits, full_cycles: of.full_cycles, queue_cycles: of.queue_cycles }
}

/// What is told by name must be there.
fn channel(channel: u32, prepared: &Prepared<'_>) -> u32 {
    channel.min(prepared.channel_count().saturating_sub(1))
}

fn completion(line: &CompletionLine, prepared: &Prepared<'_>) -> Completion {
    Completion {
        seed: line.seed,
        cycles: line.cycles,
        packets: line.delivered,
        delays: line.latency.as_ref().and_then(delays),
        busiest: (channel(line.busiest.id, prepared), line.busiest.cycles),
        busy: Vec::new(),
        busy_by_class: line.busy_cycles.clone(),
        hops: line.hops,
        general_hops: line.general_hops,
        vcs: line.vcs.iter().map(vc).collect(),
    }
}

fn point(line: &PointLine, prepared: &Prepared<'_>) -> Point {
    // What is told by name must be there.
    let source = |endpoint: u32| endpoint.min(prepared.endpoint_count().saturating_sub(1));
    Point {
        rate: rate(line.rate),
        seed: line.seed,
        born: line.born,
        delivered: line.delivered,
        delivered_late: line.delivered_second_half,
        born_ever: line.born_ever,
        delivered_ever: line.delivered_ever,
        in_flight: line.in_flight,
        flits_delivered_ever: line.flits_delivered_ever,
        flits_in_flight: line.flits_in_flight,
        cycles: line.cycles,
        delays: line.latency.as_ref().and_then(delays),
        unfinished: line.unfinished,
        inside_at: line.inside,
        inside_sum: line.inside_sum,
        worst_source: (source(line.worst_source.endpoint), line.worst_source.packets),
        best_source: (source(line.best_source.endpoint), line.best_source.packets),
        busiest: (channel(line.busiest.id, prepared), line.busiest.cycles),
        busy: Vec::new(),
        busy_by_class: line.busy_cycles.clone(),
        hops: line.hops,
        general_hops: line.general_hops,
        vcs: line.vcs.iter().map(vc).collect(),
    }
}
