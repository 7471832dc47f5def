//! The loads of channels in every phase of a job: a histogram by kind of link, and the busiest channels.

use super::super::figure::figure;
use crate::compiled::CompiledFabric;
use crate::number::grouped;
use crate::svg::{Chart, Series, round_step, scaled};
use fabc_base::ids::{ChannelId, Id};
use fabc_ir::{JobOutcome, JobPhaseOutcome, LinkClass, Topology};
use fabc_model::{Job, JobPhase};
use minijinja::{Value, context};

/// The most bars of a kind.
const BINS: u64 = 24;
/// The most phases with a histogram. Those with the longest times have one.
const DRAWN: usize = 8;
/// The most busiest channels of a kind that are named.
const NAMED: usize = 3;
/// Units of loads, and what the axis of a histogram is called in each.
const UNITS: [(u64, &str, &str); 5] = [
    (1_000_000_000_000, "TB", "TB over the channel in a step"),
    (1_000_000_000, "GB", "GB over the channel in a step"),
    (1_000_000, "MB", "MB over the channel in a step"),
    (1_000, "kB", "kB over the channel in a step"),
    (1, "B", "B over the channel in a step"),
];

/// The channels of a kind of link in a phase, with their bytes per lane, the busiest first.
struct PhaseChannels {
    name: &'static str,
    class: &'static str,
    loads: Vec<(u64, ChannelId)>,
}

/// The histograms and the table of all phases that send something.
pub(super) fn loads(compiled: &CompiledFabric, job: &Job, outcome: &JobOutcome) -> Value {
    let phases = || job.phases.iter().zip(&outcome.phases).filter(|(_, planned)| planned.volume > 0);
    let mut longest: Vec<u128> = phases().map(|(_, planned)| planned.time()).collect();
    longest.sort_unstable_by(|a, b| b.cmp(a));
    let least_drawn = longest.get(DRAWN - 1).copied().unwrap_or(0);
    let (mut drawn, mut rows) = (Vec::new(), Vec::new());
    for (phase, planned) in phases() {
        let kinds = kinds(compiled, planned);
        if planned.time() >= least_drawn && drawn.len() < DRAWN {
            drawn.push(context! { name => phase.name, histogram => histogram(phase, &kinds) });
        }
        rows.extend(kinds.iter().map(|kind| row(&compiled.topology, phase, kind)));
    }
    let hidden = (longest.len() > drawn.len()).then(|| grouped((longest.len() - drawn.len()) as u64));
    context! { drawn, rows, hidden }
}

fn kinds(compiled: &CompiledFabric, planned: &JobPhaseOutcome) -> Vec<PhaseChannels> {
    let topology = &compiled.topology;
    let names = match compiled.fabric.pod() {
        Some(_) => ["copper", "fiber"],
        None => ["local links", "global links"],
    };
    let kind = |link_class: LinkClass, name, class| {
        let channels = topology.channels().filter(|&channel| topology.link(channel).class == link_class);
        let load = |channel: ChannelId| {
            let lanes = u128::from(topology.channel_capacity(channel).max(1));
            let bytes = planned.loads.get(channel.index()).map_or(0, |bytes| bytes.div_ceil(lanes));
            (u64::try_from(bytes).unwrap_or(u64::MAX), channel)
        };
        let mut loads: Vec<(u64, ChannelId)> = channels.map(load).collect();
        loads.sort_by_key(|&(load, channel)| (std::cmp::Reverse(load), channel));
        PhaseChannels { name, class, loads }
    };
    let mut kinds =
        vec![kind(LinkClass::Local, names[0], "bar one"), kind(LinkClass::Global, names[1], "bar two")];
    kinds.retain(|kind| !kind.loads.is_empty());
    kinds
}

fn most_of(kinds: &[PhaseChannels]) -> u64 {
    kinds.iter().filter_map(|kind| kind.loads.first()).map(|&(load, _)| load).max().unwrap_or(0)
}

/// The unit in which a load has one to three digits before its point.
fn unit(load: u64) -> (u64, &'static str, &'static str) {
    UNITS.into_iter().find(|&(bytes, _, _)| load >= bytes).unwrap_or(UNITS[4])
}

fn load_text(load: u64) -> String {
    let (bytes, name, _) = unit(load);
    format!("{} {name}", scaled(load, bytes))
}

fn histogram(phase: &JobPhase, kinds: &[PhaseChannels]) -> String {
    let most = most_of(kinds);
    let width = round_step(most.saturating_add(1), BINS);
    let bins = most / width + 1;
    let (unit, unit_name, x_title) = unit(most);
    let range = |bin: u64| {
        let [from, to] = [bin * width, (bin + 1).saturating_mul(width)].map(|load| scaled(load, unit));
        if width == 1 { format!("{from} {unit_name}") } else { format!("{from} to {to} {unit_name}") }
    };
    let ranges: Vec<String> = (0..bins).map(range).collect();
    let series = |kind: &PhaseChannels| {
        let mut values = vec![0; ranges.len()];
        for &(load, _) in &kind.loads {
            values[(load / width) as usize] += 1;
        }
        let title =
            |(range, &count): (&String, &u64)| format!("{}, {range}: {} channels", kind.name, grouped(count));
        let titles = ranges.iter().zip(&values).map(title).collect();
        Series { class: kind.class, name: kind.name, values, titles }
    };
    let chart = Chart {
        label: format!("Channels by their load in phase {}; the table below has the numbers", phase.name),
        height: 190.0,
        categories: (0..bins).map(|bin| scaled(bin * width, unit)).collect(),
        x_title,
        y_title: "channels",
        series: kinds.iter().map(series).collect(),
        mark: None,
    };
    figure(&chart, "load", &ranges, &format!("Channels by load in phase {}", phase.name))
}

/// A row of the table: what a kind of channels carries in a phase.
fn row(topology: &Topology, phase: &JobPhase, kind: &PhaseChannels) -> Value {
    let most = kind.loads[0].0;
    let at_most = kind.loads.iter().take_while(|(load, _)| *load == most).count();
    let idle = kind.loads.iter().filter(|(load, _)| *load == 0).count();
    let sum: u128 = kind.loads.iter().map(|&(load, _)| u128::from(load)).sum();
    let mean = u64::try_from(sum / kind.loads.len() as u128).unwrap_or(u64::MAX);
    let named = kind.loads.iter().take(at_most.min(NAMED)).filter(|_| most > 0);
    let counts = [kind.loads.len(), idle].map(|count| grouped(count as u64));
    context! {
        phase => phase.name,
        kind => kind.name,
        counts,
        mean => load_text(mean),
        most => load_text(most),
        busiest => named.map(|&(_, channel)| topology.channel_name(channel)).collect::<Vec<_>>(),
        more => (most > 0 && at_most > NAMED).then(|| grouped((at_most - NAMED) as u64)),
    }
}
