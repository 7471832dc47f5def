//! Draws bandwidth over size for collectives that a spec schedules in several sizes. Every point is a plan of
//! its own.

use super::super::estimate::exact_size;
use super::super::svg::{SizeChart, TimeLine, size_chart};
use crate::compiled::CompiledFabric;
use fabc_ir::{CollectiveOutcome, Fraction};
use fabc_model::{Collective, CollectiveAlgorithm, DeclaredCollective, MessageWays};
use std::collections::BTreeMap;

const COLORS: [&str; 4] = ["--accent", "--second", "--good", "--bad"];

/// A picture with its key: name and color of every line.
pub(crate) struct Bandwidths {
    pub(crate) title: String,
    pub(crate) picture: String,
    pub(crate) key: Vec<(String, &'static str)>,
}

/// The common part of a picture's points: the collective, and its root or its two ends.
type CollectiveSubject = (Collective, Vec<String>);

/// Size in bytes, bandwidth in kB/s, upper bound in kB/s, and name of the collective.
type BandwidthPoint<'a> = (u64, u128, u128, &'a str);

/// One picture per kind of collective that is scheduled in two sizes or more with the same root or ends.
pub(crate) fn bandwidth_pictures(compiled: &CompiledFabric) -> Vec<Bandwidths> {
    let mut subjects: BTreeMap<CollectiveSubject, BTreeMap<String, Vec<BandwidthPoint<'_>>>> =
        BTreeMap::new();
    for (declared, result) in compiled.fabric.collectives.iter().zip(&compiled.collectives) {
        let Some(outcome) = result.nominal().filter(|outcome| outcome.schedule.timed().is_some()) else {
            continue;
        };
        let Some(subject) = subject(declared) else { continue };
        subjects
            .entry(subject)
            .or_default()
            .entry(path_choice(declared))
            .or_default()
            .push(bandwidth_point(declared, outcome));
    }
    subjects.into_iter().filter_map(|(subject, lines)| bandwidth_picture(&subject, lines)).collect()
}

/// `None` for several messages, because they have no single size.
fn subject(declared: &DeclaredCollective) -> Option<CollectiveSubject> {
    let endpoints = match &declared.messages {
        Some(messages) => match &messages.all[..] {
            [message] if messages.text.is_none() => vec![message.from.clone(), message.to.clone()],
            _ => return None,
        },
        None => declared.root.iter().cloned().collect(),
    };
    Some((declared.collective, endpoints))
}

/// The choice of paths, or of the algorithm, that the spec asks for.
fn path_choice(declared: &DeclaredCollective) -> String {
    match (declared.messages.as_ref().map(|messages| messages.ways), declared.algorithm) {
        (Some(MessageWays::Any), _) => "any ways".to_owned(),
        (Some(MessageWays::Minimal), _) => "ways of fewest hops".to_owned(),
        (Some(MessageWays::Most(most)), _) => format!("at most {most} ways"),
        (None, algorithm) => algorithm.map_or("fastest", CollectiveAlgorithm::name).to_owned(),
    }
}

fn bandwidth_point<'a>(declared: &'a DeclaredCollective, outcome: &CollectiveOutcome) -> BandwidthPoint<'a> {
    let row = &outcome.row;
    let best = row.best();
    let bandwidth = row.bus_bandwidth(best);
    let kilobytes = |gigabytes: Fraction| gigabytes.times(Fraction::integer(1_000_000u32)).floor().max(1);
    (declared.size, kilobytes(bandwidth), kilobytes(bandwidth.over(row.share(best))), &declared.name)
}

fn bandwidth_picture(
    subject: &CollectiveSubject,
    lines: BTreeMap<String, Vec<BandwidthPoint<'_>>>,
) -> Option<Bandwidths> {
    let (collective, endpoints) = subject;
    let mut bounds: BTreeMap<u64, u128> = BTreeMap::new();
    let points = || lines.values().flatten();
    for &(size, _, bound, _) in points() {
        let upper = bounds.entry(size).or_insert(bound);
        *upper = bound.max(*upper);
    }
    let (lowest, highest) = (points().map(|point| point.1).min()?, bounds.values().copied().max()?);
    let (first, last) = (*bounds.keys().next()?, *bounds.keys().next_back()?);
    if first == last {
        return None;
    }
    let decades = || std::iter::successors(Some(1u128), |decade| decade.checked_mul(10));
    let low = decades().take_while(|decade| *decade <= lowest).last()?;
    let levels: Vec<u128> =
        decades().skip_while(|decade| *decade < low).take_while(|decade| *decade < highest * 10).collect();
    let between = match &endpoints[..] {
        [from, to] => format!(" from {from} to {to}"),
        [root] => format!(" from {root}"),
        _ => String::new(),
    };
    let title = format!("bandwidth of {}{between} over size", collective.name());
    let mut key = Vec::new();
    let mut drawn = Vec::new();
    for ((name, mut points), color) in lines.into_iter().zip(COLORS.into_iter().cycle()) {
        points.sort_unstable();
        let chart_point = |(size, bandwidth, _, collective): BandwidthPoint<'_>| {
            (
                size as f64,
                bandwidth as f64,
                format!("{collective}, {name}, {}: {} GB/s", exact_size(size), gigabytes(bandwidth)),
            )
        };
        drawn.push(TimeLine { color, points: points.into_iter().map(chart_point).collect() });
        key.push((name, color));
    }
    let picture = size_chart(&SizeChart {
        label: title.clone(),
        x_title: "size",
        y_title: "bandwidth, GB/s",
        lines: drawn,
        edge: bounds.iter().map(|(&size, &bound)| (size as f64, bound as f64)).collect(),
        above: true,
        smallest: first as f64,
        largest: last as f64,
        ticks: ticks(first, last),
        levels: levels.into_iter().map(|level| (level as f64, decade_label(level))).collect(),
        marks: Vec::new(),
        dot: None,
    });
    Some(Bandwidths { title, picture, key })
}

/// Labels for the first power of two in every factor of 32.
fn ticks(first: u64, last: u64) -> Vec<(f64, String)> {
    let powers = (0..u64::BITS).step_by(5).map(|power| 1u64 << power);
    powers.filter(|size| (first..=last).contains(size)).map(|size| (size as f64, exact_size(size))).collect()
}

/// Converts kB/s to GB/s, with three digits behind the point.
fn gigabytes(kilobytes: u128) -> String {
    let thousandths = kilobytes / 1_000;
    format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000)
}

/// A power of ten in kB/s as GB/s: `100`, `0.01`.
fn decade_label(kilobytes: u128) -> String {
    match kilobytes / 1_000_000 {
        0 => format!(
            "0.{:0>width$}",
            1,
            width = if kilobytes >= 100_000 { 1 } else { 6 - kilobytes.ilog10() as usize }
        ),
        gigabytes => gigabytes.to_string(),
    }
}
