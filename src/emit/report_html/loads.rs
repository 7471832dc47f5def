//! Channel loads: a histogram per kind of link, from the smallest to the largest load, and the busiest
//! channels by name. In a network with tiers, the loads between every two tiers as well.

use super::figure::figure;
use super::levels::channel_levels;
use crate::compiled::CompiledFabric;
use crate::number::{fixed, grouped};
use crate::summary;
use crate::svg::{self, Chart, Series};
use fabc_base::ids::{ChannelId, Id};
use fabc_ir::{Fraction, LinkClass, ScenarioMetrics, Topology};
use minijinja::{Value, context};

/// Maximum bars of a histogram.
const BINS: u64 = 32;
/// Maximum busiest channels of a kind that are named.
const NAMED: usize = 8;

/// Channels of one kind of link with their loads in parts, the busiest first.
struct LinkKindLoads {
    name: String,
    class: &'static str,
    channels: Vec<(u64, ChannelId)>,
}

/// The channel loads for the template; `None` before routing.
pub(super) fn loads(compiled: &CompiledFabric) -> Option<Value> {
    let metrics = &compiled.scenarios[0].metrics;
    let kinds = kinds(compiled)?;
    let topology = &compiled.topology;
    let axis = LoadAxis::new(metrics, &kinds)?;
    let height = if kinds.len() > 1 { 190.0 } else { 260.0 };
    let text = |load: u64| summary::load_text(metrics.load(load));
    let row = |kind: &LinkKindLoads| {
        let (highest, lowest) = (kind.channels[0].0, kind.channels[kind.channels.len() - 1].0);
        let sum: u128 = kind.channels.iter().map(|&(load, _)| u128::from(load)).sum();
        let mean = Fraction::new(sum, kind.channels.len() as u128 * u128::from(metrics.parts));
        let at_highest = kind.channels.iter().take_while(|(load, _)| *load == highest).count();
        let named = |&(load, channel): &(u64, ChannelId)| context! { name => topology.channel_name(channel), load => text(load) };
        context! {
            name => &kind.name,
            channels => grouped(kind.channels.len() as u64),
            least => text(lowest),
            mean => fixed(mean, 2),
            most => text(highest),
            on => grouped(at_highest as u64),
            busiest => kind.channels.iter().take(NAMED).map(named).collect::<Vec<_>>(),
            more => (at_highest > NAMED).then(|| grouped((at_highest - NAMED) as u64)),
        }
    };
    let unit = if metrics.parts == 1 { "routes" } else { "routes over capacity" };
    let shown = |kind: &LinkKindLoads| context! { name => &kind.name, class => kind.class, histogram => histogram(metrics, &axis, kind, height), facts => row(kind) };
    Some(
        context! { unit, near => axis.shows_bound, bound => summary::load_text(metrics.load_bound()), kinds => kinds.iter().map(shown).collect::<Vec<_>>(), levels => levels(compiled, &kinds).iter().map(row).collect::<Vec<_>>() },
    )
}

/// The channels between every two tiers, in the order of the first channel of each. Empty without tiers.
fn levels(compiled: &CompiledFabric, kinds: &[LinkKindLoads]) -> Vec<LinkKindLoads> {
    let Some(level_of) = channel_levels(compiled) else { return Vec::new() };
    let mut loads: Vec<(u64, ChannelId)> = kinds.iter().flat_map(|kind| kind.channels.clone()).collect();
    loads.sort_by_key(|&(_, channel)| channel);
    let mut levels: Vec<LinkKindLoads> = Vec::new();
    for (load, channel) in loads {
        let name = &level_of[channel.index()];
        match levels.iter_mut().find(|level| level.name == *name) {
            Some(level) => level.channels.push((load, channel)),
            None => {
                levels.push(LinkKindLoads { name: name.clone(), class: "", channels: vec![(load, channel)] });
            }
        }
    }
    for level in &mut levels {
        level.channels.sort_by_key(|&(load, channel)| (std::cmp::Reverse(load), channel));
    }
    levels
}

/// The common load axis of all histograms.
struct LoadAxis {
    /// Loads that share a bar.
    width: u64,
    /// Index of the first bar.
    first: u64,
    bins: u64,
    /// Whether the bound on the maximum load is drawn.
    shows_bound: bool,
}

impl LoadAxis {
    /// `None` if no kind has channels.
    fn new(metrics: &ScenarioMetrics, kinds: &[LinkKindLoads]) -> Option<Self> {
        let range = kinds
            .iter()
            .flat_map(|kind| [kind.channels.first(), kind.channels.last()])
            .flatten()
            .map(|&(load, _)| load);
        let (lowest, highest) =
            (whole_load(metrics, range.clone().min()?), whole_load(metrics, range.max()?));
        // The bound on the maximum is drawn only near the loads. A distant bound would stretch the axis.
        let bound = u64::try_from(metrics.load_bound().floor()).unwrap_or(u64::MAX);
        let span = highest - lowest + 1;
        let shows_bound = bound.saturating_add(span.saturating_mul(3)) >= lowest
            && bound <= highest.saturating_add(span.saturating_mul(3));
        let (low, top) =
            if shows_bound { (lowest.min(bound), highest.max(bound)) } else { (lowest, highest) };
        let width = svg::round_step(top - low + 1, BINS);
        Some(Self { width, first: low / width, bins: top / width - low / width + 1, shows_bound })
    }
}

/// A load in parts as a whole number, rounded down.
fn whole_load(metrics: &ScenarioMetrics, load: u64) -> u64 {
    u64::try_from(metrics.load(load).floor()).unwrap_or(u64::MAX)
}

/// The channels of one kind of link by load, with the table of numbers.
fn histogram(metrics: &ScenarioMetrics, axis: &LoadAxis, kind: &LinkKindLoads, height: f64) -> String {
    let &LoadAxis { width, first, bins, shows_bound } = axis;
    let x_title = if metrics.parts == 1 { "routes over the channel" } else { "routes over capacity" };
    let position =
        |load: Fraction| (load.as_f64() + if width == 1 { 0.5 } else { 0.0 }) / width as f64 - first as f64;
    let mut values = vec![0; bins as usize];
    for &(load, _) in &kind.channels {
        values[(whole_load(metrics, load) / width - first) as usize] += 1;
    }
    let range = |bin: u64| {
        if width == 1 { bin.to_string() } else { format!("{} to {}", bin * width, bin * width + width - 1) }
    };
    let ranges: Vec<String> = (first..).take(values.len()).map(range).collect();
    let titles = ranges
        .iter()
        .zip(&values)
        .map(|(range, &count)| format!("load {range}: {} channels", grouped(count)))
        .collect();
    let chart = Chart {
        label: format!(
            "{}: channels by load, from the least to the largest load; the table below has the numbers",
            kind.name
        ),
        height,
        categories: (first..).take(values.len()).map(|bin| (bin * width).to_string()).collect(),
        x_title,
        y_title: "channels",
        series: vec![Series { class: kind.class, name: "channels", values, titles }],
        mark: shows_bound.then(|| {
            (
                position(metrics.load_bound()),
                format!("bound on the maximum: {}", summary::load_text(metrics.load_bound())),
            )
        }),
    };
    figure(&chart, "load", &ranges, &format!("Channels by load, {}", kind.name))
}

fn kinds(compiled: &CompiledFabric) -> Option<Vec<LinkKindLoads>> {
    let topology = &compiled.topology;
    let walk = compiled.scenarios[0].metrics.routed.as_ref()?;
    let symmetry =
        compiled.scenarios[0].routed.as_ref().map_or(topology.symmetry(), |routed| &routed.tables.symmetry);
    let channels_of = |class: Option<LinkClass>| {
        let is_in_class =
            |&channel: &ChannelId| class.is_none_or(|class| topology.link(channel).class == class);
        let mut channels: Vec<(u64, ChannelId)> = topology
            .channels()
            .filter(is_in_class)
            .map(|channel| (walk.loads[topology.channel_class(symmetry, channel).index()], channel))
            .collect();
        channels.sort_by_key(|&(load, channel)| (std::cmp::Reverse(load), channel));
        channels
    };
    let [local, global] = if compiled.pod.is_some() {
        ["electrical (copper)", "optical (fiber)"]
    } else {
        ["local links", "global links"]
    };
    let kind = |name: &str, class, channels| LinkKindLoads { name: name.to_owned(), class, channels };
    let mut kinds = match compiled.pod.is_some() || has_both_classes(topology) {
        true => vec![
            kind(local, "bar one", channels_of(Some(LinkClass::Local))),
            kind(global, "bar two", channels_of(Some(LinkClass::Global))),
        ],
        false => vec![kind("all links", "bar one", channels_of(None))],
    };
    kinds.retain(|kind| !kind.channels.is_empty());
    (!kinds.is_empty()).then_some(kinds)
}

fn has_both_classes(topology: &Topology) -> bool {
    [LinkClass::Local, LinkClass::Global]
        .iter()
        .all(|class| topology.links().iter().any(|link| link.class == *class))
}
