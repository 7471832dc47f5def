//! Loads of channels: a histogram from the least to the largest one per kind of link, and the busiest
//! channels by name.

use super::figure::figure;
use crate::compiled::Compiled;
use crate::number::{fixed, grouped};
use crate::summary;
use crate::svg::{self, Chart, Series};
use fabc_base::ids::{ChannelId, Id};
use fabc_ir::{Fraction, LinkClass, Topology};
use minijinja::{Value, context};

/// Bars of a histogram.
const BINS: u64 = 32;
/// Channels of a kind that are named.
const NAMED: usize = 8;

/// Channels of links of one kind with their loads in parts, the busiest first.
struct Kind {
    name: &'static str,
    class: &'static str,
    channels: Vec<(u64, ChannelId)>,
}

/// What the template shows; `None` before routing.
pub(super) fn loads(compiled: &Compiled) -> Option<Value> {
    let of = &compiled.scenarios[0].metrics;
    let kinds = kinds(compiled)?;
    let topology = &compiled.topology;
    let floor = |load: u64| u64::try_from(of.load(load).floor()).unwrap_or(u64::MAX);
    let ends = kinds
        .iter()
        .flat_map(|kind| [kind.channels.first(), kind.channels.last()])
        .flatten()
        .map(|&(load, _)| load);
    let (least, most) = (floor(ends.clone().min()?), floor(ends.max()?));
    // The bound on the maximum is marked where it stands near the loads; a far one must not make the axis.
    let bound = u64::try_from(of.load_bound().floor()).unwrap_or(u64::MAX);
    let span = most - least + 1;
    let near = bound.saturating_add(span.saturating_mul(3)) >= least
        && bound <= most.saturating_add(span.saturating_mul(3));
    let (low, top) = if near { (least.min(bound), most.max(bound)) } else { (least, most) };
    let width = svg::round_step(top - low + 1, BINS);
    let first = low / width;
    let x_title = if of.parts == 1 { "routes over the channel" } else { "routes over capacity" };
    let place =
        |load: Fraction| (load.as_f64() + if width == 1 { 0.5 } else { 0.0 }) / width as f64 - first as f64;
    let histogram = |kind: &Kind| {
        let mut values = vec![0; (top / width - first + 1) as usize];
        for &(load, _) in &kind.channels {
            values[(floor(load) / width - first) as usize] += 1;
        }
        let range = |bin: u64| {
            if width == 1 {
                bin.to_string()
            } else {
                format!("{} to {}", bin * width, bin * width + width - 1)
            }
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
            height: if kinds.len() > 1 { 190.0 } else { 260.0 },
            categories: (first..).take(values.len()).map(|bin| (bin * width).to_string()).collect(),
            x_title,
            y_title: "channels",
            series: vec![Series { class: kind.class, name: "channels", values, titles }],
            mark: near.then(|| {
                (
                    place(of.load_bound()),
                    format!("bound on the maximum: {}", summary::load_text(of.load_bound())),
                )
            }),
        };
        figure(&chart, "load", &ranges, &format!("Channels by load, {}", kind.name))
    };
    let text = |load: u64| summary::load_text(of.load(load));
    let row = |kind: &Kind| {
        let (most, least) = (kind.channels[0].0, kind.channels[kind.channels.len() - 1].0);
        let sum: u128 = kind.channels.iter().map(|&(load, _)| u128::from(load)).sum();
        let mean = Fraction::new(sum, kind.channels.len() as u128 * u128::from(of.parts));
        let on = kind.channels.iter().take_while(|(load, _)| *load == most).count();
        let named = |&(load, channel): &(u64, ChannelId)| context! { name => topology.channel_name(channel), load => text(load) };
        context! {
            name => kind.name,
            channels => grouped(kind.channels.len() as u64),
            least => text(least),
            mean => fixed(mean, 2),
            most => text(most),
            on => grouped(on as u64),
            busiest => kind.channels.iter().take(NAMED).map(named).collect::<Vec<_>>(),
            more => (on > NAMED).then(|| grouped((on - NAMED) as u64)),
        }
    };
    let unit = if of.parts == 1 { "routes" } else { "routes over capacity" };
    let shown = |kind: &Kind| context! { name => kind.name, class => kind.class, histogram => histogram(kind), facts => row(kind) };
    Some(
        context! { unit, near, bound => summary::load_text(of.load_bound()), kinds => kinds.iter().map(shown).collect::<Vec<_>>() },
    )
}

fn kinds(compiled: &Compiled) -> Option<Vec<Kind>> {
    let topology = &compiled.topology;
    let walk = compiled.scenarios[0].metrics.routed.as_ref()?;
    let symmetry =
        compiled.scenarios[0].routed.as_ref().map_or(topology.symmetry(), |routed| &routed.tables.symmetry);
    let of = |class: Option<LinkClass>| {
        let is_of = |&channel: &ChannelId| class.is_none_or(|class| topology.link(channel).class == class);
        let mut channels: Vec<(u64, ChannelId)> = topology
            .channels()
            .filter(is_of)
            .map(|channel| (walk.loads[topology.channel_class(symmetry, channel).index()], channel))
            .collect();
        channels.sort_by_key(|&(load, channel)| (std::cmp::Reverse(load), channel));
        channels
    };
    let [local, global] = if compiled.pod.is_some() {
        ["electrical (copper)", "optical (fibre)"]
    } else {
        ["local links", "global links"]
    };
    let kind = |name, class, channels| Kind { name, class, channels };
    let mut kinds = match compiled.pod.is_some() || has_both(topology) {
        true => vec![
            kind(local, "bar one", of(Some(LinkClass::Local))),
            kind(global, "bar two", of(Some(LinkClass::Global))),
        ],
        false => vec![kind("all links", "bar one", of(None))],
    };
    kinds.retain(|kind| !kind.channels.is_empty());
    (!kinds.is_empty()).then_some(kinds)
}

fn has_both(topology: &Topology) -> bool {
    [LinkClass::Local, LinkClass::Global]
        .iter()
        .all(|class| topology.links().iter().any(|link| link.class == *class))
}
