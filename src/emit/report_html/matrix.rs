//! The setting of the OCSes, one matrix per group: every switch and cube for small pods, links from cube to
//! cube for larger ones.

use crate::compiled::Compiled;
use crate::emit::json::push;
use crate::emit::number::grouped;
use crate::ids::{BlockId, OcsGroupId};
use crate::model::{FacePort, Ocs};
use minijinja::{Value, context};
use std::collections::BTreeMap;

/// Groups shown; the page says how many more there are.
const GROUPS: usize = 12;
/// Largest settings matrix: OCSes and cubes.
const SETTINGS: (usize, u32) = (32, 20);
/// Largest cube-to-cube matrix with numbers.
const NUMBERED: u32 = 20;

/// What the template shows of all groups.
pub(super) fn matrices(compiled: &Compiled) -> Value {
    let groups = &compiled.of_pod().0.ocs_groups;
    let shown: Vec<Value> = groups.ids().take(GROUPS).map(|group| matrix(compiled, group)).collect();
    context! { shown, hidden => groups.len().saturating_sub(GROUPS) }
}

fn matrix(compiled: &Compiled, group: OcsGroupId) -> Value {
    let (pod, _) = compiled.of_pod();
    let count = pod.ocses.iter().filter(|ocs| ocs.group == group).count();
    let settings = count <= SETTINGS.0 && pod.cubes <= SETTINGS.1;
    let body = if settings { settings_table(compiled, group) } else { cube_matrix(compiled, group) };
    let name = &pod.ocs_groups[group].name;
    context! { name, count => grouped(count as u64), settings, body }
}

/// The two ports of every cross-connect of a switch.
fn pairs<'c>(compiled: &'c Compiled, group: OcsGroupId) -> impl Iterator<Item = (&'c Ocs, FacePort, FacePort)> + 'c {
    let of_group = compiled.of_pod().0.ocses.enumerate().filter(move |(_, ocs)| ocs.group == group);
    of_group.flat_map(move |(id, ocs)| {
        let second = if ocs.b.is_empty() { &ocs.a } else { &ocs.b };
        compiled.of_pod().1.cross_connects.settings[id]
            .iter()
            .map(move |setting| (ocs, ocs.a[setting.a as usize], second[setting.b as usize]))
    })
}

/// What a cube is joined to by a switch: the other cube, and both ports, the cube's own first.
type Joined = (BlockId, FacePort, FacePort);

/// Rows = OCSes, columns = cubes, cell = the cubes that this cube is joined to.
fn settings_table(compiled: &Compiled, group: OcsGroupId) -> String {
    let (pod, _) = compiled.of_pod();
    let mut targets: BTreeMap<(&str, BlockId), Vec<Joined>> = BTreeMap::new();
    for (ocs, a, b) in pairs(compiled, group) {
        targets.entry((&ocs.name, a.cube)).or_default().push((b.cube, a, b));
        if ocs.b.is_empty() && a.cube != b.cube {
            targets.entry((&ocs.name, b.cube)).or_default().push((a.cube, b, a));
        }
    }
    let tight = if pod.cubes > 8 { " tight" } else { "" };
    let mut out = format!("<table class=\"setting{tight}\"><thead><tr><th></th>");
    for cube in 0..pod.cubes {
        push(&mut out, format_args!("<th>{cube}</th>"));
    }
    out.push_str("</tr></thead><tbody>\n");
    for ocs in pod.ocses.iter().filter(|ocs| ocs.group == group) {
        push(&mut out, format_args!("<tr><th>{}</th>", ocs.name));
        for cube in (0..pod.cubes).map(BlockId) {
            let Some(found) = targets.get(&(ocs.name.as_str(), cube)) else {
                out.push_str("<td class=\"none\"></td>");
                continue;
            };
            let cubes: Vec<String> = found.iter().map(|(to, _, _)| to.to_string()).collect();
            let title: Vec<String> =
                found.iter().map(|&(_, a, b)| format!("{} - {}", pod.face_port_name(a), pod.face_port_name(b))).collect();
            push(
                &mut out,
                format_args!("<td style=\"--h:{}\" title=\"{}\">{}</td>", hue(found[0].0, pod.cubes), title.join(", "), cubes.join(" ")),
            );
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table>");
    out
}

/// Rows and columns = cubes, cell = links from the row's A ports to the column's B ports.
fn cube_matrix(compiled: &Compiled, group: OcsGroupId) -> String {
    let cubes = compiled.of_pod().0.cubes;
    let mut counts: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for (ocs, a, b) in pairs(compiled, group) {
        *counts.entry((a.cube.0, b.cube.0)).or_default() += 1;
        if ocs.b.is_empty() && a.cube != b.cube {
            *counts.entry((b.cube.0, a.cube.0)).or_default() += 1;
        }
    }
    let most = counts.values().copied().max().unwrap_or(1).max(1);
    let (unit, margin) = (1000.0 / f64::from(cubes), 64);
    let mut out = format!(
        "<svg class=\"matrix\" viewBox=\"-{margin} -{margin} {0} {0}\" role=\"img\" aria-label=\"links between cubes\">",
        1000 + margin + 4
    );
    // One path per count; cells are unit squares of a scaled group, so that coordinates stay short.
    let mut by_count: BTreeMap<u32, String> = BTreeMap::new();
    for (&(row, column), &count) in &counts {
        push(by_count.entry(count).or_default(), format_args!("M{column} {row}h1v1h-1z"));
    }
    push(&mut out, format_args!("<g transform=\"scale({unit:.4})\"><path class=\"frame\" d=\"M0 0h{cubes}v{cubes}h-{cubes}z\"/>"));
    for (count, path) in &by_count {
        let strength = 0.25 + 0.75 * f64::from(*count) / f64::from(most);
        push(
            &mut out,
            format_args!("<path class=\"cell\" fill-opacity=\"{strength:.2}\" d=\"{path}\"><title>{count} links</title></path>"),
        );
    }
    out.push_str("</g>");
    let every = cubes.div_ceil(8).max(1);
    for cube in (0..cubes).step_by(every as usize) {
        let middle = (f64::from(cube) + 0.5) * unit;
        push(&mut out, format_args!("<text class=\"mid\" x=\"{middle:.0}\" y=\"-10\">{cube}</text>"));
        push(&mut out, format_args!("<text class=\"end\" x=\"-8\" y=\"{middle:.0}\" dy=\"9\">{cube}</text>"));
    }
    if cubes <= NUMBERED {
        for (&(row, column), count) in &counts {
            let [x, y] = [column, row].map(|at| (f64::from(at) + 0.5) * unit);
            push(&mut out, format_args!("<text class=\"mid\" x=\"{x:.0}\" y=\"{y:.0}\" dy=\"9\">{count}</text>"));
        }
    }
    out.push_str("</svg>");
    out
}

/// Colors of cubes go once around the wheel.
fn hue(cube: BlockId, cubes: u32) -> u32 {
    (cube.0 * 360 / cubes.max(1) + 210) % 360
}
