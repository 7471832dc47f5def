//! A pod whose slices are placed: `report.txt`, and what the terminal shows.

use crate::json::push;
use crate::number::grouped;
use fabc_base::ids::BlockId;
use fabc_ir::{Mirrors, SlicePlacement};
use fabc_model::{Fabric, Pod};

/// A kind of slice as its own directory tells it.
#[derive(Clone, Debug)]
pub struct PlacedKind {
    /// Its name.
    pub name: String,
    /// Cubes of a slice.
    pub cubes: u32,
    /// Hash of its manifest, as hexadecimal digits.
    pub manifest: String,
    /// What the manifest says of its contract.
    pub contract: String,
    /// Its metrics by name, as its report writes them; those of the worst fault begin with `fault.`.
    pub metrics: Vec<(String, String)>,
    /// What its switches are set to.
    pub settings: Mirrors,
}

/// A pod whose slices are placed.
#[derive(Clone, Copy, Debug)]
pub struct PlacedPod<'a> {
    /// The fabric.
    pub fabric: &'a Fabric,
    /// The pod that it is.
    pub pod: &'a Pod,
    /// Its kinds, in their order.
    pub kinds: &'a [PlacedKind],
    /// Which slice has which cubes.
    pub placement: &'a SlicePlacement,
    /// What its switches are set to.
    pub settings: &'a Mirrors,
}

/// Metrics that have a column, with their heads.
const COLUMNS: [(&str, &str); 5] = [
    ("diameter", "diameter"),
    ("average_hops", "average hops"),
    ("concurrent_flow", "concurrent flow"),
    ("max_channel_load", "max load"),
    ("fault.max_channel_load", "worst fault"),
];

/// Columns of the widest line.
const WIDTH: usize = 100;

/// What stands where.
pub(super) struct Shape {
    /// Heads of the table of kinds, and a row for every kind.
    pub(super) kinds: (Vec<String>, Vec<Vec<String>>),
    /// `48 cubes in 20 slices`, `14 free`, ..
    pub(super) counts: Vec<String>,
}

pub(super) fn shape(placed: PlacedPod<'_>) -> Shape {
    let PlacedPod { pod, kinds, placement, settings, .. } = placed;
    let shown: Vec<_> =
        COLUMNS.iter().filter(|(name, _)| kinds.iter().any(|kind| value(kind, name).is_some())).collect();
    let heads = ["kind", "cubes", "slices", "contract"]
        .into_iter()
        .chain(shown.iter().map(|(_, head)| *head))
        .map(str::to_owned)
        .collect();
    let row = |kind: &PlacedKind| {
        let slices = placement.slices.iter().filter(|slice| slice.kind == kind.name).count();
        let fixed = [kind.name.clone(), kind.cubes.to_string(), slices.to_string(), kind.contract.clone()];
        let metrics = shown.iter().map(|(name, _)| value(kind, name).unwrap_or("-").to_owned());
        fixed.into_iter().chain(metrics).collect()
    };
    let number = |count: usize| grouped(count as u64);
    let plural =
        |count: usize, noun: &str| format!("{} {noun}{}", number(count), if count == 1 { "" } else { "s" });
    let counts = vec![
        format!(
            "{} in {}",
            plural(placement.owners().len(), "cube"),
            plural(placement.slices.len(), "slice")
        ),
        format!("{} free", number(placement.free(pod.cubes).len())),
        format!("{} spare", number(placement.spare.difference(&placement.down).count())),
        format!("{} down", number(placement.down.len())),
        plural(settings.iter().map(|set| set.len()).sum(), "cross-connect"),
    ];
    Shape { kinds: (heads, kinds.iter().map(row).collect()), counts }
}

fn value<'a>(kind: &'a PlacedKind, metric: &str) -> Option<&'a str> {
    kind.metrics.iter().find(|(name, _)| name == metric).map(|(_, value)| value.as_str())
}

/// `64 cubes of 4 x 4 x 4, 4,096 chips behind 48 OCSes`
pub(super) fn pod_line(pod: &Pod) -> String {
    let [x, y, z] = pod.cube.dims;
    let (cubes, chips, ocses) =
        (grouped(u64::from(pod.cubes)), grouped(pod.node_count() as u64), grouped(pod.ocses.len() as u64));
    format!("{cubes} cubes of {x} x {y} x {z}, {chips} chips behind {ocses} OCSes, in slices")
}

/// `0 to 7, 9`
pub(super) fn ranges<'a>(cubes: impl IntoIterator<Item = &'a BlockId>) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for BlockId(cube) in cubes {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *cube => *last = *cube,
            _ => runs.push((*cube, *cube)),
        }
    }
    let run = |(first, last): &(u32, u32)| {
        if first == last { first.to_string() } else { format!("{first} to {last}") }
    };
    let runs: Vec<String> = runs.iter().map(run).collect();
    if runs.is_empty() { "none".to_owned() } else { runs.join(", ") }
}

/// The report for people.
pub fn placed_text(placed: PlacedPod<'_>) -> String {
    let PlacedPod { fabric, pod, placement, .. } = placed;
    let Shape { kinds: (heads, rows), counts } = shape(placed);
    let mut out = format!("{}\n  {}\n  {}\n\n", fabric.name, pod_line(pod), counts.join(", "));
    let all: Vec<&Vec<String>> = std::iter::once(&heads).chain(&rows).collect();
    let widths: Vec<usize> =
        (0..heads.len()).map(|at| all.iter().map(|row| row[at].chars().count()).max().unwrap_or(0)).collect();
    for row in all {
        let cells = row.iter().zip(&widths).enumerate().map(|(at, (cell, &wide))| match at {
            0 => format!("{cell:<wide$}"),
            _ => format!("{cell:>wide$}"),
        });
        push(&mut out, format_args!("  {}\n", cells.collect::<Vec<_>>().join("  ").trim_end()));
    }
    out.push('\n');
    let others = [
        ("spare", ranges(placement.spare.difference(&placement.down))),
        ("down", ranges(&placement.down)),
        ("free", ranges(&placement.free(pod.cubes))),
    ];
    let named = placement.slices.iter().map(|slice| (slice.name.as_str(), ranges(&slice.cubes)));
    let lines: Vec<(&str, String)> = named.chain(others).collect();
    let wide = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    for (name, cubes) in lines {
        push(&mut out, format_args!("  {name:<wide$}  cubes "));
        let mut column = wide + 10;
        for (at, part) in cubes.split(", ").enumerate() {
            if at > 0 && column + part.len() + 2 > WIDTH {
                push(&mut out, format_args!(",\n{:indent$}{part}", "", indent = wide + 10));
                column = wide + 10 + part.len();
            } else {
                push(&mut out, format_args!("{}{part}", if at > 0 { ", " } else { "" }));
                column += part.len() + 2;
            }
        }
        out.push('\n');
    }
    out
}
