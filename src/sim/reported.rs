//! Reads runs from a file (`fabc.simulation/1`). Counts are taken as they are there. All that follows from
//! tables and counts is computed again.

use super::block::rates;
use super::completion::Completion;
use super::consistency::{Misfit, check_consistency};
use super::elsewhere::Elsewhere;
use super::errors::SimError;
use super::overload::{Overload, SourceCount};
use super::point::{Batch, Delays, Point, VcUse};
use super::prepare::Prepared;
use super::replication::Replication;
use super::report::SimReport;
use super::saturation::{Beyond, Saturation};
use fabc_ir::read::{
    self, BatchLines, CompletionLine, DelayLine, OverloadLine, PointLine, ReplicationLine, SaturationLine,
    SimulatedLine, SourceLine, VcUseLine,
};
use fabc_model::{Fabric, Rate, Simulation};

/// The report of a simulation of a spec, from a file. It equals the result of [`super::run_block`], except
/// for the counts of single channels, which files do not have.
///
/// # Errors
/// A [`Misfit`] where the runs are not those of the spec, or where their counts cannot be those of a run.
pub fn reported(
    fabric: &Fabric,
    simulation: &Simulation,
    prepared: &Prepared<'_>,
    line: &SimulatedLine,
) -> Result<SimReport, Misfit> {
    let misfit = |place: &str, what: &str| Misfit { place: place.to_owned(), what: what.to_owned() };
    let seeds = simulation.all_seeds();
    let is_finite = prepared.volume().is_some();
    if is_finite != line.least_cycles.is_some() {
        return Err(misfit("completions", "these are not what such traffic has"));
    }
    let report = if is_finite {
        let runs =
            line.completions.iter().map(|line| completion(line, prepared)).collect::<Result<Vec<_>, _>>();
        let runs = runs.map_err(|what| misfit("completions", what))?;
        if !seeds.into_iter().eq(runs.iter().map(|run| run.seed)) {
            return Err(misfit("completions", "these are not the seeds of the spec, each once"));
        }
        prepared.completed(runs)
    } else {
        let rates = rates(fabric, simulation, prepared);
        let expected = rates.iter().flat_map(|&rate| seeds.iter().map(move |&seed| (rate, seed)));
        let points = line.points.iter().map(|line| point(line, prepared)).collect::<Result<Vec<_>, _>>();
        let points = points.map_err(|what| misfit("points", what))?;
        if !expected.eq(points.iter().map(|point| (point.rate, point.seed))) {
            return Err(misfit("points", "these are not the rates and seeds of the spec, each once"));
        }
        let saturations = line.saturation.iter().map(|line| saturation(line, prepared));
        let saturations = saturations.collect::<Result<Vec<Saturation>, SimError>>();
        let saturations = saturations.map_err(|error| misfit("saturation", &error.to_string()))?;
        if !seeds.iter().copied().eq(saturations.iter().map(|search| search.seed)) {
            return Err(misfit("saturation", "these are not the seeds of the spec, each once"));
        }
        prepared.report(saturations, points)
    };
    check_consistency(prepared, &report)?;
    let point_digests = report
        .points
        .iter()
        .zip(&line.points)
        .map(|(run, line)| ("points", run.last_digest(), &line.digests));
    let run_digests = report
        .completions
        .iter()
        .zip(&line.completions)
        .map(|(run, line)| ("completions", run.last_digest(), &line.digests));
    for (place, digest, digests) in point_digests.chain(run_digests) {
        if digests.last() != Some(&format!("{digest:016x}")) {
            return Err(misfit(place, "the last digest of a run is not that of its counts"));
        }
    }
    Ok(report)
}

/// The digests of the cycles of a run. The last digest of the file is that of its counts.
fn digests(written: &[String]) -> Result<Vec<u64>, &'static str> {
    let digest =
        |text: &String| u64::from_str_radix(text, 16).ok().filter(|digest| format!("{digest:016x}") == *text);
    let digests: Option<Vec<u64>> = written.iter().map(digest).collect();
    let mut digests = digests.filter(|digests| !digests.is_empty()).ok_or("the digests of a run are none")?;
    digests.pop();
    Ok(digests)
}

fn rate(value: f64) -> Rate {
    Rate::millionths(read::millionths(value))
}

fn saturation(line: &SaturationLine, prepared: &Prepared<'_>) -> Result<Saturation, SimError> {
    let beyond = Beyond { rate: rate(line.beyond.rate), delivered: line.beyond.delivered };
    let replication = |&ReplicationLine { seed, stable, unstable, runs }: &ReplicationLine| Replication {
        seed,
        stable: stable.map(rate),
        unstable: unstable.map(rate),
        runs,
    };
    let coarse = line.coarse.as_ref().map(replication);
    let replications = line.replications.iter().map(replication).collect();
    let overloads = line.overload.iter().map(|line| overload(line, prepared)).collect();
    Ok(Saturation { overloads, ..Saturation::new(prepared, line.seed, coarse, replications, beyond)? })
}

fn overload(line: &OverloadLine, prepared: &Prepared<'_>) -> Overload {
    let source = |source: &SourceLine| {
        // Limited to endpoints that exist, since their names are printed.
        let endpoint = source.endpoint.min(prepared.endpoint_count().saturating_sub(1));
        let parts = prepared.parts_of(endpoint).unwrap_or(1);
        SourceCount { endpoint, packets: source.packets.into(), parts }
    };
    Overload {
        multiple: rate(line.multiple),
        rate: rate(line.rate),
        born: line.born,
        delivered: line.delivered,
        hops: line.hops,
        worst: source(&line.worst_source),
        best: source(&line.best_source),
        moved: line.moved_flits,
        moved_acks: line.ack_flits,
        elsewhere: line.elsewhere_packets.map(|[delivered, born]| Elsewhere { born, delivered }),
    }
}

fn delays(line: &DelayLine) -> Option<Delays> {
    let DelayLine { packets, sum, median, p99, max, source_wait_sum, hops, .. } = *line;
    (packets > 0).then_some(Delays { packets, sum, median, p99, most: max, waited: source_wait_sum, hops })
}

fn vc(line: &VcUseLine) -> VcUse {
    VcUse {
        hops: line.hops,
        flit_cycles: line.flit_cycles,
        p99: line.p99_flits,
        full_cycles: line.full_cycles,
        queue_cycles: line.queue_cycles,
    }
}

/// The id of a channel, limited to channels that exist, since their names are printed.
fn channel(channel: u32, prepared: &Prepared<'_>) -> u32 {
    channel.min(prepared.channel_count().saturating_sub(1))
}

fn completion(line: &CompletionLine, prepared: &Prepared<'_>) -> Result<Completion, &'static str> {
    Ok(Completion {
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
        digests: digests(&line.digests)?,
    })
}

/// The batches of a run, from lists of their counts.
fn batches(line: &BatchLines) -> Result<Vec<Batch>, &'static str> {
    let BatchLines { delivered, arrived, latency_sum, p99 } = line;
    if [arrived, latency_sum, p99].iter().any(|list| list.len() != delivered.len()) {
        return Err("the lists of the batches differ in length");
    }
    let batch =
        |k: usize| Batch { delivered: delivered[k], arrived: arrived[k], sum: latency_sum[k], p99: p99[k] };
    Ok((0..delivered.len()).map(batch).collect())
}

fn point(line: &PointLine, prepared: &Prepared<'_>) -> Result<Point, &'static str> {
    // Limited to endpoints that exist, since their names are printed.
    let source = |endpoint: u32| endpoint.min(prepared.endpoint_count().saturating_sub(1));
    Ok(Point {
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
        warmup: line.warmup_cycles,
        is_settled: line.settled,
        batches: batches(&line.batches)?,
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
        moved_acks: line.ack_flits,
        digests: digests(&line.digests)?,
    })
}
