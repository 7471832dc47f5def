//! The floor of the page, seen from above, and the distribution of cable lengths.

use crate::compiled::CompiledFabric;
use crate::floor::{floor_lines, floor_rows, trade_off};
use crate::number::tenths;
use crate::svg::{self, Curve, CurveLine, FloorPicture, Stroke};
use fabc_ir::Cable;
use fabc_model::{BoxPart, Floor};
use minijinja::{Value, context};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of lengths with a dot on the curve.
const POINTS: usize = 60;

/// Pictures and numbers of the floor; `None` without a floor.
pub(super) fn floor(compiled: &CompiledFabric) -> Option<Value> {
    let (floor, placement) = (compiled.fabric.floor.as_ref()?, compiled.placement.as_ref()?);
    let topology = &compiled.topology;
    let mut bundles: BTreeMap<[usize; 2], u64> = BTreeMap::new();
    let mut leaving = vec![(0u64, 0u64); placement.place_of.len()];
    let cables = placement.laid_cables(&compiled.fabric, floor, topology);
    for cable in &cables {
        let [from, to] = cable.ends.map(|end| placement.cabinet(end) as usize);
        if from != to {
            *bundles.entry([from.min(to), from.max(to)]).or_default() += 1;
            for cabinet in [from, to] {
                leaving[cabinet].0 += 1;
                leaving[cabinet].1 += u64::from(cable.length);
            }
        }
    }
    let (held, switches) = (placement.routers_by_cabinet(), placement.switches_by_cabinet());
    let is_pod = compiled.fabric.pod().is_some();
    let cabinet = |number: usize| {
        let ([row, column], (cables, length)) = (placement.place_of[number], leaving[number]);
        let holds = match (switches[number].len(), held[number].len()) {
            _ if compiled.fabric.boxes().is_some() => rack_text(compiled, &held[number]),
            (0, chips) if is_pod => format!("cube {number}, {chips} chips"),
            (0, routers) => format!("{routers} routers"),
            (1, _) => "1 switch".to_owned(),
            (switches, _) => format!("{switches} switches"),
        };
        let mean = tenths(length.checked_div(cables).unwrap_or(0));
        let title = format!(
            "cabinet {number}, row {row}, column {column}: {holds}, {cables} cables leave it, {mean} m on average"
        );
        ([row, column], cables, title, !switches[number].is_empty())
    };
    let picture = svg::floor_plan(&FloorPicture {
        label: format!(
            "{} cabinets on their places, the stronger their color, the more cables leave them; titles have the numbers",
            placement.place_of.len()
        ),
        rows: floor.grid[0],
        columns: floor.grid[1],
        pitch_x: floor.pitch[0],
        pitch_y: floor.pitch[1],
        cabinets: (0..placement.place_of.len()).map(cabinet).collect(),
        bundles: bundles.into_iter().collect(),
    });
    Some(
        context! { picture, curve => length_curve(compiled, floor, &cables), lines => floor_lines(compiled), rows => floor_rows(compiled), weights => trade_off_table(compiled) },
    )
}

/// What stands in a rack of a fabric of boxes: `4 boxes, 2 switches`. `parts` are the routers in it.
fn rack_text(compiled: &CompiledFabric, parts: &[u32]) -> String {
    let Some(boxes) = compiled.fabric.boxes() else { return String::new() };
    let (mut places, mut switches) = (BTreeSet::new(), 0u64);
    for &part in parts {
        match boxes.part(part).0 {
            BoxPart::Gpu { place, .. } | BoxPart::Inner { place, .. } => _ = places.insert(place),
            BoxPart::Outer { .. } => switches += 1,
        }
    }
    let counts = [(places.len() as u64, "box", "boxes"), (switches, "switch", "switches")];
    let held = counts.into_iter().filter(|(count, ..)| *count > 0);
    let texts = held.map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }));
    texts.collect::<Vec<_>>().join(", ")
}

/// The trade-off between flow and cable, as a table and a picture. `None` if the search did not weigh cables.
fn trade_off_table(compiled: &CompiledFabric) -> Option<Value> {
    let weights = trade_off(compiled);
    let chosen = weights.iter().find(|(is_chosen, ..)| *is_chosen)?;
    let mut points: Vec<(f64, f64, String)> = weights
        .iter()
        .map(|(_, [cable, share], [weight, hops, flow, ..])| {
            (*cable, *share, format!("weight {weight}: {cable:.4} m, flow {flow}, {hops} hops on average"))
        })
        .collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let picture = svg::curve(&Curve {
        label: "Flow of the graphs that are found for different weights of cable, by their average cable"
            .to_owned(),
        x_title: "average cable in order, m",
        y_title: "% of the largest flow",
        lines: vec![CurveLine { color: "--accent", points, stroke: Stroke::Bold }],
        marks: vec![(chosen.1[0], format!("weight {}", chosen.2[0].trim_end_matches(" *")))],
    });
    let rows: Vec<&[String; 5]> = weights.iter().map(|(.., row)| row).collect();
    Some(context! { picture, rows })
}

/// Draws the percentage of cables up to a length.
fn length_curve(compiled: &CompiledFabric, floor: &Floor, cables: &[Cable]) -> String {
    let mut lengths: Vec<u32> = cables.iter().map(|cable| cable.length).collect();
    lengths.sort_unstable();
    let count = lengths.len().max(1) as f64;
    let steps: Vec<(f64, f64, u32)> = {
        let last_of_length = (1..=lengths.len())
            .filter(|&count_up_to| lengths.get(count_up_to) != Some(&lengths[count_up_to - 1]));
        last_of_length
            .map(|count_up_to| {
                (
                    f64::from(lengths[count_up_to - 1]) / 10.0,
                    100.0 * count_up_to as f64 / count,
                    lengths[count_up_to - 1],
                )
            })
            .collect()
    };
    // The curve is a staircase: no cable is shorter than the shortest.
    let before = std::iter::once(0.0).chain(steps.iter().map(|&(_, percent, _)| percent));
    let stairs =
        before.zip(&steps).flat_map(|(before, &(length, percent, _))| [(length, before), (length, percent)]);
    let path = stairs.map(|(length, percent)| (length, percent, String::new())).collect();
    let title = |&(length, percent, exact): &(f64, f64, u32)| {
        (length, percent, format!("{percent:.1} % are at most {} m long", tenths(exact.into())))
    };
    let dots = steps.iter().step_by(steps.len().div_ceil(POINTS).max(1)).map(title).collect();
    let limits = floor.by_length.iter().flat_map(|by_length| &by_length.up_to);
    svg::curve(&Curve {
        label: "Percent of the cables that are at most so long".to_owned(),
        x_title: "length of a cable, m",
        y_title: "percent of the cables",
        lines: vec![
            CurveLine { color: "--accent", points: path, stroke: Stroke::Faint },
            CurveLine { color: "--accent", points: dots, stroke: Stroke::Dots },
        ],
        marks: limits
            .map(|&(link_type, longest)| {
                (f64::from(longest) / 10.0, compiled.fabric.link_types[link_type].name.clone())
            })
            .collect(),
    })
}
