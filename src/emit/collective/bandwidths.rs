//! Bandwidth over size of what a spec schedules in several sizes, as pictures: every point is a plan of its
//! own.

use super::super::estimate::exact;
use super::super::svg::{Sizes, Timed as Line, sizes};
use crate::compiled::Compiled;
use fabc_ir::{CollectiveOutcome, Fraction};
use fabc_model::{Collective, CollectiveAlgorithm, DeclaredCollective, MessageWays};
use std::collections::BTreeMap;

/// Colors of lines.
const COLORS: [&str; 4] = ["--accent", "--second", "--good", "--bad"];

/// A picture, and what its lines are: name, color.
pub(crate) struct Bandwidths {
    pub(crate) title: String,
    pub(crate) picture: String,
    pub(crate) key: Vec<(String, &'static str)>,
}

/// What is the same for all points of a picture: what is done, from where or between whom.
type Subject = (Collective, Vec<String>);

/// A size in bytes, kB/s, those that nothing exceeds, and the collective's name.
type Point<'a> = (u64, u128, u128, &'a str);

/// One for every kind of collective that is scheduled in two sizes or more, with the same root or ends.
pub(crate) fn over_bandwidths(compiled: &Compiled) -> Vec<Bandwidths> {
    let mut subjects: BTreeMap<Subject, BTreeMap<String, Vec<Point<'_>>>> = BTreeMap::new();
    for (declared, result) in compiled.fabric.collectives.iter().zip(&compiled.collectives) {
        let Some(outcome) = result.nominal().filter(|outcome| outcome.schedule.timed().is_some()) else {
            continue;
        };
        let Some(subject) = subject(declared) else { continue };
        subjects.entry(subject).or_default().entry(way(declared)).or_default().push(point(declared, outcome));
    }
    subjects.into_iter().filter_map(|(subject, lines)| picture(&subject, lines)).collect()
}

/// `None` of several messages, whose sizes are no one number.
fn subject(declared: &DeclaredCollective) -> Option<Subject> {
    let ends = match &declared.messages {
        Some(messages) => match &messages.all[..] {
            [one] if messages.text.is_none() => vec![one.from.clone(), one.to.clone()],
            _ => return None,
        },
        None => declared.root.iter().cloned().collect(),
    };
    Some((declared.collective, ends))
}

/// How it is asked for, beside its size.
fn way(declared: &DeclaredCollective) -> String {
    match (declared.messages.as_ref().map(|messages| messages.ways), declared.algorithm) {
        (Some(MessageWays::Any), _) => "any ways".to_owned(),
        (Some(MessageWays::Minimal), _) => "ways of fewest hops".to_owned(),
        (Some(MessageWays::Most(most)), _) => format!("at most {most} ways"),
        (None, algorithm) => algorithm.map_or("fastest", CollectiveAlgorithm::name).to_owned(),
    }
}

fn point<'a>(declared: &'a DeclaredCollective, outcome: &CollectiveOutcome) -> Point<'a> {
    let row = &outcome.row;
    let best = row.best();
    let bandwidth = row.bus_bandwidth(best);
    let kilobytes = |gigabytes: Fraction| gigabytes.times(Fraction::whole(1_000_000u32)).floor().max(1);
    (declared.size, kilobytes(bandwidth), kilobytes(bandwidth.over(row.share(best))), &declared.name)
}

fn picture((collective, ends): &Subject, lines: BTreeMap<String, Vec<Point<'_>>>) -> Option<Bandwidths> {
    let mut bounds: BTreeMap<u64, u128> = BTreeMap::new();
    let all = || lines.values().flatten();
    for &(size, _, bound, _) in all() {
        let most = bounds.entry(size).or_insert(bound);
        *most = bound.max(*most);
    }
    let (least, most) = (all().map(|point| point.1).min()?, bounds.values().copied().max()?);
    let (first, last) = (*bounds.keys().next()?, *bounds.keys().next_back()?);
    if first == last {
        return None;
    }
    let decades = || std::iter::successors(Some(1u128), |decade| decade.checked_mul(10));
    let low = decades().take_while(|decade| *decade <= least).last()?;
    let levels: Vec<u128> =
        decades().skip_while(|decade| *decade < low).take_while(|decade| *decade < most * 10).collect();
    let between = match &ends[..] {
        [from, to] => format!(" from {from} to {to}"),
        [root] => format!(" from {root}"),
        _ => String::new(),
    };
    let title = format!("bandwidth of {}{between} over size", collective.name());
    let mut key = Vec::new();
    let mut drawn = Vec::new();
    for ((name, mut points), color) in lines.into_iter().zip(COLORS.into_iter().cycle()) {
        points.sort_unstable();
        let told = |(size, bandwidth, _, of): Point<'_>| {
            (
                size as f64,
                bandwidth as f64,
                format!("{of}, {name}, {}: {} GB/s", exact(size), gigabytes(bandwidth)),
            )
        };
        drawn.push(Line { color, points: points.into_iter().map(told).collect() });
        key.push((name, color));
    }
    let picture = sizes(&Sizes {
        label: title.clone(),
        x_title: "size",
        y_title: "bandwidth, GB/s",
        lines: drawn,
        edge: bounds.iter().map(|(&size, &bound)| (size as f64, bound as f64)).collect(),
        above: true,
        ends: [first as f64, last as f64],
        ticks: ticks(first, last),
        levels: levels.into_iter().map(|level| (level as f64, decade(level))).collect(),
        marks: Vec::new(),
        dot: None,
    });
    Some(Bandwidths { title, picture, key })
}

/// The first power of two in every factor of 32.
fn ticks(first: u64, last: u64) -> Vec<(f64, String)> {
    let powers = (0..u64::BITS).step_by(5).map(|power| 1u64 << power);
    powers.filter(|size| (first..=last).contains(size)).map(|size| (size as f64, exact(size))).collect()
}

/// Of kB/s, to three digits behind the point.
fn gigabytes(kilobytes: u128) -> String {
    let thousandths = kilobytes / 1_000;
    format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000)
}

/// `100`, `0.01`: a power of ten in kB/s, in GB/s.
fn decade(kilobytes: u128) -> String {
    match kilobytes / 1_000_000 {
        0 => format!(
            "0.{:0>width$}",
            1,
            width = if kilobytes >= 100_000 { 1 } else { 6 - kilobytes.ilog10() as usize }
        ),
        whole => whole.to_string(),
    }
}
