//! The floor from above, and how many cables are how long.

use crate::compiled::Compiled;
use crate::number::tenths;
use crate::svg::{self, Curve, FloorPicture, Line, Stroke};
use crate::{floor_lines, floor_rows, trade_off};
use fabc_ir::Cable;
use fabc_model::Floor;
use minijinja::{Value, context};
use std::collections::BTreeMap;

/// Lengths that are marked on the curve, at most.
const POINTS: usize = 60;

/// Pictures and numbers; `None` without a floor.
pub(super) fn floor(compiled: &Compiled) -> Option<Value> {
    let (floor, placement) = (compiled.fabric.floor.as_ref()?, compiled.placement.as_ref()?);
    let topology = &compiled.topology;
    let mut bundles: BTreeMap<[usize; 2], u64> = BTreeMap::new();
    let mut leaving = vec![(0u64, 0u64); placement.place_of.len()];
    let laid = placement.laid(&compiled.fabric, floor, topology);
    for cable in &laid {
        let [one, other] = cable.ends.map(|end| placement.cabinet(end) as usize);
        if one != other {
            *bundles.entry([one.min(other), one.max(other)]).or_default() += 1;
            for cabinet in [one, other] {
                leaving[cabinet].0 += 1;
                leaving[cabinet].1 += u64::from(cable.length);
            }
        }
    }
    let (held, switches) = (placement.routers(), placement.switches());
    let of_pod = compiled.fabric.pod().is_some();
    let cabinet = |number: usize| {
        let ([row, column], (cables, length)) = (placement.place_of[number], leaving[number]);
        let holds = match (switches[number].len(), held[number].len()) {
            (0, chips) if of_pod => format!("cube {number}, {chips} chips"),
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
    let picture = svg::floor(&FloorPicture {
        label: format!(
            "{} cabinets on their places, the darker the more cables leave them; titles have the numbers",
            placement.place_of.len()
        ),
        grid: floor.grid,
        pitch: floor.pitch,
        cabinets: (0..placement.place_of.len()).map(cabinet).collect(),
        bundles: bundles.into_iter().collect(),
    });
    Some(
        context! { picture, curve => curve(compiled, floor, &laid), lines => floor_lines(compiled), rows => floor_rows(compiled), weights => weights(compiled) },
    )
}

/// What flow costs in cable, as a table and a picture; `None` where cables did not weigh.
fn weights(compiled: &Compiled) -> Option<Value> {
    let all = trade_off(compiled);
    let own = all.iter().find(|(own, ..)| *own)?;
    let mut points: Vec<(f64, f64, String)> = all
        .iter()
        .map(|(_, [cable, share], [weight, hops, flow, ..])| {
            (*cable, *share, format!("weight {weight}: {cable:.4} m, flow {flow}, {hops} hops on average"))
        })
        .collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    let picture = svg::curve(&Curve {
        label: "Flow of the graphs that are found for different weights of cable, by their average cable"
            .to_owned(),
        x_title: "average cable in order, m",
        y_title: "% of the largest flow",
        lines: vec![Line { color: "--accent", points, stroke: Stroke::Bold }],
        marks: vec![(own.1[0], format!("weight {}", own.2[0].trim_end_matches(" *")))],
    });
    let rows: Vec<&[String; 5]> = all.iter().map(|(.., row)| row).collect();
    Some(context! { picture, rows })
}

/// Percent of the cables that are at most so long.
fn curve(compiled: &Compiled, floor: &Floor, laid: &[Cable]) -> String {
    let mut lengths: Vec<u32> = laid.iter().map(|cable| cable.length).collect();
    lengths.sort_unstable();
    let count = lengths.len().max(1) as f64;
    let steps: Vec<(f64, f64, u32)> = {
        let ends = (1..=lengths.len()).filter(|&at| lengths.get(at) != Some(&lengths[at - 1]));
        ends.map(|at| (f64::from(lengths[at - 1]) / 10.0, 100.0 * at as f64 / count, lengths[at - 1]))
            .collect()
    };
    // A staircase: nothing is shorter than the shortest.
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
            Line { color: "--accent", points: path, stroke: Stroke::Faint },
            Line { color: "--accent", points: dots, stroke: Stroke::Dots },
        ],
        marks: limits
            .map(|&(of, most)| (f64::from(most) / 10.0, compiled.fabric.link_types[of].name.clone()))
            .collect(),
    })
}
