//! Writes `report.html` of a pod in slices: its cubes, colored by slice, and a row per kind and per slice.

use super::picture::{group_rows, slices_picture};
use super::text::{PlacedPod, PlacementSummary, placed_light_lines, placement_summary, pod_line, ranges};
use crate::number::grouped;
use crate::report_html::light::light;
use fabc_base::ids::BlockId;
use fabc_model::kind_files;
use minijinja::{Environment, Value, context};

/// Degrees between the hues of consecutive slices. With this angle hues of few slices never coincide.
const GOLDEN_ANGLE: f64 = 137.508;

/// Maximum cubes in a row of the map.
const MOST_IN_A_ROW: u32 = 16;

pub(super) fn slices_page(placed: PlacedPod<'_>) -> String {
    let mut environment = Environment::new();
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment
        .add_template("slices.html", include_str!("slices.html.jinja"))
        .expect("the template parses: it is compiled in");
    let template = environment.get_template("slices.html").expect("added above");
    template.render(page(placed)).expect("the template uses what `page` gives it")
}

fn page(placed: PlacedPod<'_>) -> Value {
    let PlacedPod { fabric, pod, kinds, placement, .. } = placed;
    let PlacementSummary { kinds: (heads, rows), counts } = placement_summary(placed);
    let owners = placement.owners();
    let hue = |slice: usize| format!("{:.0}", (slice as f64 * GOLDEN_ANGLE) % 360.0);
    let cube = |cube: BlockId| {
        let owner = owners.get(&cube).map(|(slice, index)| (&placement.slices[*slice], *slice, *index));
        let state = match owner {
            Some(_) => "taken",
            None if placement.down.contains(&cube) => "down",
            None if placement.spare.contains(&cube) => "spare",
            None => "free",
        };
        let title = match owner {
            Some((slice, _, index)) => format!("cube{cube}: cube {index} of {}", slice.name),
            None => format!("cube{cube}: {state}"),
        };
        context! { name => cube.to_string(), state, title, hue => owner.map(|(_, slice, _)| hue(slice)) }
    };
    let slices: Vec<Value> = placement
        .slices
        .iter()
        .enumerate()
        .map(|(index, slice)| context! { name => slice.name, kind => slice.kind, cubes => ranges(&slice.cubes), hue => hue(index) })
        .collect();
    let rows: Vec<Value> = kinds
        .iter()
        .zip(rows)
        .map(|(kind, cells)| context! { name => kind.name, link => format!("{}report.html", kind_files(&kind.name)), cells => cells[1..] })
        .collect();
    let groups: Vec<Value> = pod
        .ocs_groups
        .iter()
        .zip(group_rows(placed))
        .map(|(group, counts)| context! { name => group.name, counts => counts.map(grouped) })
        .collect();
    let broken: Vec<&str> =
        kinds.iter().filter(|kind| kind.contract == "broken").map(|kind| kind.name.as_str()).collect();
    context! {
        style => include_str!("../report_html/style.css"),
        fabric => fabric.name,
        pod => pod_line(pod),
        cards => cards(&counts),
        counts,
        heads,
        rows,
        broken,
        cubes => (0..pod.cubes).map(BlockId).map(cube).collect::<Vec<Value>>(),
        columns => square(pod.cubes).min(MOST_IN_A_ROW),
        slices,
        groups,
        picture => slices_picture(placed, &hue),
        light => placed.light.map(|budgets| light(budgets, placed_light_lines(placed))),
        spare => ranges(placement.spare.difference(&placement.down)),
        down => ranges(&placement.down),
        free => ranges(&placement.free(pod.cubes)),
    }
}

/// The smallest integer whose square is at least `count`.
fn square(count: u32) -> u32 {
    (1..).find(|side| side * side >= count).unwrap_or(1)
}

/// Counts such as `48 cubes in 20 slices`, each as a number and what it counts.
fn cards(counts: &[String]) -> Vec<Value> {
    let card = |count: &String| {
        let (number, word) = count.split_once(' ').unwrap_or((count, ""));
        context! { number, word }
    };
    counts.iter().map(card).collect()
}
