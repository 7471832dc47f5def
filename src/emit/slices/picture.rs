//! Draws the cubes of a pod on a ring, slice by slice, with the cross-connects that join them. One between
//! two slices would lead from one color to another, and there is none.

use super::text::PlacedPod;
use crate::json::push;
use crate::svg::{coordinate, escape};
use fabc_base::ids::BlockId;
use std::collections::BTreeMap;
use std::f64::consts::PI;

/// Side of the picture, and the radius of the ring.
const SIDE: f64 = 560.0;
const RADIUS: f64 = 236.0;
/// Up to this many cubes have their numbers on them.
const NUMBERED: usize = 64;
/// Maximum lines of a picture. Beyond it, the picture says too little.
const LINES: usize = 4000;

/// The picture. `hue` is that of a slice, in degrees. `None` where nothing is joined, or too much.
pub(super) fn slices_picture(placed: PlacedPod<'_>, hue: &dyn Fn(usize) -> String) -> Option<String> {
    let PlacedPod { pod, placement, settings, .. } = placed;
    let mut bundles: BTreeMap<(BlockId, BlockId), u64> = BTreeMap::new();
    for (ocs, pairs) in settings.enumerate() {
        for &pair in pairs {
            let [a, b] = pod.ocses[ocs].faces(pair).map(|face| face.cube);
            *bundles.entry((a.min(b), a.max(b))).or_default() += 1;
        }
    }
    if bundles.is_empty() || bundles.len() > LINES {
        return None;
    }
    let owners = placement.owners();
    let mut order: Vec<BlockId> = (0..pod.cubes).map(BlockId).collect();
    order.sort_by_key(|cube| (owners.get(cube).map_or(usize::MAX, |(slice, _)| *slice), *cube));
    let numbers: BTreeMap<BlockId, usize> = order.iter().copied().zip(0..).collect();
    let place = |cube: BlockId| {
        let angle = 2.0 * PI * numbers[&cube] as f64 / order.len() as f64 - PI / 2.0;
        [libm::cos(angle), libm::sin(angle)].map(|part| coordinate(RADIUS * part))
    };
    let color = |cube: BlockId| owners.get(&cube).map(|(slice, _)| hue(*slice));
    let label = format!(
        "{} cubes on a ring, slice by slice, and the bundles of cross-connects between them; the table below lists the slices",
        pod.cubes
    );
    let mut out = format!(
        "<svg class=\"network\" viewBox=\"{0} {0} {1} {1}\" role=\"img\" aria-label=\"{label}\"><title>{label}</title>",
        -SIDE / 2.0,
        SIDE
    );
    let most = bundles.values().copied().max().unwrap_or(1) as f64;
    for (&(a, b), &connects) in bundles.iter().filter(|((a, b), _)| a != b) {
        let ([ax, ay], [bx, by]) = (place(a), place(b));
        let width = 1.0 + 3.0 * connects as f64 / most;
        let style = color(a).map_or_else(String::new, |hue| format!(" style=\"--hue:{hue}\""));
        push(
            &mut out,
            format_args!(
                "<path class=\"bundle\"{style} stroke-width=\"{width:.1}\" d=\"M{ax} {ay}L{bx} {by}\"><title>cube {a} \u{2013} cube {b}: {connects} cross-connects</title></path>"
            ),
        );
    }
    let radius = if order.len() > NUMBERED { 4 } else { 11 };
    for &cube in &order {
        let [x, y] = place(cube);
        let owner = owners.get(&cube).map(|(slice, _)| escape(&placement.slices[*slice].name));
        let state = owner.unwrap_or_else(|| "in no slice".to_owned());
        let (class, style) = match color(cube) {
            Some(hue) => ("owned", format!(" style=\"--hue:{hue}\"")),
            None => ("unowned", String::new()),
        };
        push(
            &mut out,
            format_args!(
                "<circle class=\"{class}\"{style} cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"><title>cube {cube}: {state}</title></circle>"
            ),
        );
        if order.len() <= NUMBERED {
            push(
                &mut out,
                format_args!("<text class=\"tick mid\" x=\"{x}\" y=\"{y}\" dy=\"4\">{cube}</text>"),
            );
        }
    }
    out.push_str("</svg>");
    Some(out)
}

/// A row per group of switches: its name, its switches, its cross-connects, and its ports that are lit and
/// dark.
pub(super) fn group_rows(placed: PlacedPod<'_>) -> Vec<[u64; 4]> {
    let PlacedPod { pod, settings, .. } = placed;
    let row = |group| {
        let ocses = || pod.ocses.enumerate().filter(move |(_, ocs)| ocs.group == group);
        let connects: usize = ocses().map(|(id, _)| settings[id].len()).sum();
        let ports: usize = ocses().map(|(_, ocs)| ocs.a.len() + ocs.b.len()).sum();
        let lit = 2 * connects as u64;
        [ocses().count() as u64, connects as u64, lit, (ports as u64).saturating_sub(lit)]
    };
    pod.ocs_groups.ids().map(row).collect()
}
