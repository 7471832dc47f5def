//! Writes the report of a pod with placed slices, for `report.txt` and the terminal.

use crate::json::push;
use crate::light::light_lines;
use crate::number::grouped;
use fabc_base::ids::BlockId;
use fabc_ir::{LightBudgets, Mirrors, SlicePlacement, face_end_name};
use fabc_model::{Fabric, Pod};

/// A kind of slice, as read from its own directory.
#[derive(Clone, Debug)]
pub struct PlacedKind {
    /// Name of the kind of slice.
    pub name: String,
    /// Number of cubes of a slice.
    pub cubes: u32,
    /// Hash of the kind's manifest, in hexadecimal digits.
    pub manifest: String,
    /// State of the contract, as in the manifest.
    pub contract: String,
    /// Metrics by name, as the kind's report writes them. Names of worst faults begin with `fault.`.
    pub metrics: Vec<(String, String)>,
    /// Settings of the kind's switches.
    pub settings: Mirrors,
}

/// A pod with placed slices.
#[derive(Clone, Copy, Debug)]
pub struct PlacedPod<'a> {
    /// The fabric whose pod is placed.
    pub fabric: &'a Fabric,
    /// The pod of the fabric.
    pub pod: &'a Pod,
    /// Kinds of slices, in the order of the spec.
    pub kinds: &'a [PlacedKind],
    /// The cubes of every slice.
    pub placement: &'a SlicePlacement,
    /// Settings of the pod's switches.
    pub settings: &'a Mirrors,
    /// The light budgets of its cross-connects; `None` where no link has light.
    pub light: Option<&'a LightBudgets>,
}

/// Metrics that have a column, with their heads.
const COLUMNS: [(&str, &str); 5] = [
    ("diameter", "diameter"),
    ("average_hops", "average hops"),
    ("concurrent_flow", "concurrent flow"),
    ("max_channel_load", "max load"),
    ("fault.max_channel_load", "worst fault"),
];

/// Maximum columns of a line.
const WIDTH: usize = 100;

/// The summary that text and page share.
pub(super) struct PlacementSummary {
    /// Heads of the table of kinds, and a row for every kind.
    pub(super) kinds: (Vec<String>, Vec<Vec<String>>),
    /// Counts such as `48 cubes in 20 slices`, `14 free`.
    pub(super) counts: Vec<String>,
}

pub(super) fn placement_summary(placed: PlacedPod<'_>) -> PlacementSummary {
    let PlacedPod { pod, kinds, placement, settings, .. } = placed;
    let shown: Vec<_> = COLUMNS
        .iter()
        .filter(|(name, _)| kinds.iter().any(|kind| metric_value(kind, name).is_some()))
        .collect();
    let heads = ["kind", "cubes", "slices", "contract"]
        .into_iter()
        .chain(shown.iter().map(|(_, head)| *head))
        .map(str::to_owned)
        .collect();
    let row = |kind: &PlacedKind| {
        let slices = placement.slices.iter().filter(|slice| slice.kind == kind.name).count();
        let fixed = [kind.name.clone(), kind.cubes.to_string(), slices.to_string(), kind.contract.clone()];
        let metrics = shown.iter().map(|(name, _)| metric_value(kind, name).unwrap_or("-").to_owned());
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
    PlacementSummary { kinds: (heads, kinds.iter().map(row).collect()), counts }
}

fn metric_value<'a>(kind: &'a PlacedKind, metric: &str) -> Option<&'a str> {
    kind.metrics.iter().find(|(name, _)| name == metric).map(|(_, value)| value.as_str())
}

/// A line such as `64 cubes of 4 x 4 x 4, 4,096 chips behind 48 OCSes`.
pub(super) fn pod_line(pod: &Pod) -> String {
    let [x, y, z] = pod.cube.dims;
    let (cubes, chips, ocses) =
        (grouped(u64::from(pod.cubes)), grouped(pod.node_count() as u64), grouped(pod.ocses.len() as u64));
    format!("{cubes} cubes of {x} x {y} x {z}, {chips} chips behind {ocses} OCSes, in slices")
}

/// Numbers of cubes as ranges: `0 to 7, 9`.
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

/// Sentences about the light of the cross-connects. None without light.
pub(super) fn placed_light_lines(placed: PlacedPod<'_>) -> Vec<String> {
    let lines = |budgets| light_lines(placed.fabric, budgets, &|end| face_end_name(placed.pod, end));
    placed.light.map_or_else(Vec::new, lines)
}

/// Writes the report for people.
pub fn placed_text(placed: PlacedPod<'_>) -> String {
    let PlacedPod { fabric, pod, placement, .. } = placed;
    let PlacementSummary { kinds: (heads, rows), counts } = placement_summary(placed);
    let mut out = format!("{}\n  {}\n  {}\n\n", fabric.name, pod_line(pod), counts.join(", "));
    let table_rows: Vec<&Vec<String>> = std::iter::once(&heads).chain(&rows).collect();
    let widths: Vec<usize> = (0..heads.len())
        .map(|column| table_rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
        .collect();
    for row in table_rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
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
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    for (name, cubes) in lines {
        push(&mut out, format_args!("  {name:<width$}  cubes "));
        let mut column = width + 10;
        for (index, part) in cubes.split(", ").enumerate() {
            if index > 0 && column + part.len() + 2 > WIDTH {
                push(&mut out, format_args!(",\n{:indent$}{part}", "", indent = width + 10));
                column = width + 10 + part.len();
            } else {
                push(&mut out, format_args!("{}{part}", if index > 0 { ", " } else { "" }));
                column += part.len() + 2;
            }
        }
        out.push('\n');
    }
    for line in placed_light_lines(placed) {
        push(&mut out, format_args!("\n  {line}"));
    }
    if placed.light.is_some() {
        out.push('\n');
    }
    out
}
