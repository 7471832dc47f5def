//! The settings of the OCSes: a picture per group, and the list of all cross-connects with their ports, which
//! the page can search.

use super::grid::{self, GridCell, TableGrid};
use crate::compiled::CompiledFabric;
use crate::config_db::{CrossConnectEntry, cross_connect_entries};
use crate::json::push;
use crate::number::grouped;
use crate::svg::{self, Map, escape};
use fabc_base::ids::{BlockId, OcsGroupId, OcsId};
use fabc_model::{FacePort, Ocs, Pod};
use minijinja::{Value, context};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum groups shown. The page says how many more there are.
const GROUPS: usize = 12;
/// Maximum OCSes and cubes of a settings table.
const SETTINGS: (usize, u32) = (32, 20);
/// Numbers of cubes for which a small table counts the links of a group between every two of them.
const MATRIX: std::ops::RangeInclusive<u32> = 3..=20;
/// Maximum cubes of a map of a group.
const MAPPED: u32 = 256;
/// Maximum cross-connects listed. The page says how many switches are left out.
const LISTED: usize = 16_384;

/// The settings of all groups for the template.
pub(super) fn settings(compiled: &CompiledFabric) -> Value {
    let (pod, compiled_pod) = compiled.expect_pod();
    let groups = &pod.ocs_groups;
    let shown: Vec<Value> = groups.ids().take(GROUPS).filter_map(|group| picture(compiled, group)).collect();
    let sizes = compiled_pod.cross_connects.settings.iter().map(Vec::len);
    let fitting = sizes
        .clone()
        .scan(0, |sum, size| Some((*sum += size, *sum).1))
        .take_while(|&sum| sum <= LISTED)
        .count();
    let list: String = pod.ocses.ids().take(fitting).map(|id| switch_row(compiled, id)).collect();
    context! {
        shown,
        hidden => groups.len().saturating_sub(GROUPS),
        list,
        connects => grouped(sizes.take(fitting).sum::<usize>() as u64),
        switches => grouped(fitting as u64),
        unlisted => (pod.ocses.len() > fitting).then(|| grouped((pod.ocses.len() - fitting) as u64)),
        open => fitting <= 64,
    }
}

fn picture(compiled: &CompiledFabric, group: OcsGroupId) -> Option<Value> {
    let (pod, _) = compiled.expect_pod();
    let count = pod.ocses.iter().filter(|ocs| ocs.group == group).count();
    let name = &pod.ocs_groups[group].name;
    let settings = count <= SETTINGS.0 && pod.cubes <= SETTINGS.1;
    let caption =
        format!("{name}: {} {}", grouped(count as u64), if count == 1 { "switch" } else { "switches" });
    let joined = (settings && MATRIX.contains(&pod.cubes)).then(|| joined_table(compiled, group));
    let body = match settings {
        true => settings_table(compiled, group, caption.clone()),
        false if pod.cubes <= MAPPED => cube_map(compiled, group),
        false => return None,
    };
    Some(context! { caption, settings, body, joined })
}

/// Switch and both ports of every cross-connect of a group.
fn group_pairs<'c>(
    compiled: &'c CompiledFabric,
    group: OcsGroupId,
) -> impl Iterator<Item = (&'c Ocs, FacePort, FacePort)> + 'c {
    let of_group = compiled.expect_pod().0.ocses.enumerate().filter(move |(_, ocs)| ocs.group == group);
    of_group.flat_map(move |(id, ocs)| {
        compiled.expect_pod().1.cross_connects.settings[id].iter().map(move |setting| {
            let [a, b] = ocs.faces([setting.a, setting.b]);
            (ocs, a, b)
        })
    })
}

/// A link of a cube: the other cube, and both ports, the cube's own first.
type CubeLink = (BlockId, FacePort, FacePort);

/// A table with a row per OCS and a column per cube. A cell holds the cubes that this cube is linked to.
fn settings_table(compiled: &CompiledFabric, group: OcsGroupId, caption: String) -> String {
    let (pod, _) = compiled.expect_pod();
    let mut targets: BTreeMap<(&str, BlockId), Vec<CubeLink>> = BTreeMap::new();
    for (ocs, a, b) in group_pairs(compiled, group) {
        targets.entry((&ocs.name, a.cube)).or_default().push((b.cube, a, b));
        if ocs.b.is_empty() && a.cube != b.cube {
            targets.entry((&ocs.name, b.cube)).or_default().push((a.cube, b, a));
        }
    }
    let cell = |links: &Vec<CubeLink>| {
        let text: Vec<String> = links.iter().map(|(to, _, _)| to.to_string()).collect();
        let title: Vec<String> = links
            .iter()
            .map(|&(_, a, b)| format!("{} - {}", pod.face_port_name(a), pod.face_port_name(b)))
            .collect();
        let style = format!("--h:{}", hue(links[0].0, pod.cubes));
        GridCell { class: "c".to_owned(), style, text: text.join(" "), title: title.join(", "), to: None }
    };
    let row = |ocs: &Ocs| {
        let cells = (0..pod.cubes).map(|cube| targets.get(&(ocs.name.as_str(), BlockId(cube))).map(cell));
        (ocs.name.clone(), cells.collect())
    };
    grid::grid_table(&TableGrid {
        caption,
        class: if pod.cubes > 8 { "tight" } else { "" },
        items: Some("columns"),
        columns: (0..pod.cubes).map(|cube| cube.to_string()).collect(),
        rows: pod.ocses.iter().filter(|ocs| ocs.group == group).map(row).collect(),
    })
}

/// The links of a group from the A ports of a cube to the B ports of a cube, by both.
fn link_counts(compiled: &CompiledFabric, group: OcsGroupId) -> BTreeMap<(usize, usize), u64> {
    let mut counts: BTreeMap<(usize, usize), u64> = BTreeMap::new();
    for (ocs, a, b) in group_pairs(compiled, group) {
        *counts.entry((a.cube.0 as usize, b.cube.0 as usize)).or_default() += 1;
        if ocs.b.is_empty() && a.cube != b.cube {
            *counts.entry((b.cube.0 as usize, a.cube.0 as usize)).or_default() += 1;
        }
    }
    counts
}

/// A small table with cubes as rows and columns: which cube the switches of a group join to which, and by how
/// many links.
fn joined_table(compiled: &CompiledFabric, group: OcsGroupId) -> String {
    let cubes = compiled.expect_pod().0.cubes as usize;
    let counts = link_counts(compiled, group);
    let scale = grid::range(counts.values().map(|&links| links as f64));
    let cell = |from: usize, to: usize| {
        let &links = counts.get(&(from, to))?;
        let title = format!("cube {from} to cube {to}: {links}");
        Some(GridCell::of_scale('h', grid::step(links as f64, scale), links.to_string(), title))
    };
    grid::grid_table(&TableGrid {
        caption: "Links from cube to cube".to_owned(),
        class: if cubes > 8 { "tight" } else { "" },
        items: Some("columns"),
        columns: (0..cubes).map(|cube| cube.to_string()).collect(),
        rows: (0..cubes)
            .map(|from| (from.to_string(), (0..cubes).map(|to| cell(from, to)).collect()))
            .collect(),
    })
}

/// A map with cubes as rows and columns. A cell counts links from the row's A ports to the column's B ports.
fn cube_map(compiled: &CompiledFabric, group: OcsGroupId) -> String {
    let pod = compiled.expect_pod().0;
    let counts = link_counts(compiled, group);
    let name = &pod.ocs_groups[group].name;
    svg::map(&Map {
        label: format!(
            "Which cubes the switches {name} join to which; the list of cross-connects below has every one"
        ),
        word: "cube",
        class: "small",
        items: pod.cubes as usize,
        name: &|cube| cube.to_string(),
        counts: &counts,
    })
}

/// The face and the position of a port, without its cube: `+x[0,0]`.
fn face_label(pod: &Pod, port: FacePort) -> String {
    let name = pod.face_port_name(port);
    name.split_once('.').map_or(name.clone(), |(_, face)| face.to_owned())
}

/// A switch of the list: its name, its faces, and its cross-connects. A cross-connect has its two face ports,
/// and its port numbers in `ocs/*.config_db.json`.
fn switch_row(compiled: &CompiledFabric, id: OcsId) -> String {
    let (pod, compiled_pod) = compiled.expect_pod();
    let ocs = &pod.ocses[id];
    let faces =
        |ports: &[FacePort]| ports.iter().map(|&port| face_label(pod, port)).collect::<BTreeSet<String>>();
    let (a, b) = (faces(&ocs.a), faces(&ocs.b));
    // If each side has only one port per cube, the cube identifies the port.
    let short = a.len() <= 1 && b.len() == 1;
    let sides: Vec<String> = [&a, &b]
        .into_iter()
        .filter(|side| !side.is_empty())
        .map(|side| side.iter().cloned().collect::<Vec<_>>().join(", "))
        .collect();
    let mut out = format!(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td>",
        escape(&ocs.name),
        escape(&sides.join(" \u{2013} "))
    );
    for setting in &compiled_pod.cross_connects.settings[id] {
        let faces = ocs.faces([setting.a, setting.b]);
        let faces = faces.map(|end| if short { end.cube.to_string() } else { pod.face_port_name(end) });
        let ports: Vec<String> = cross_connect_entries(ocs, [setting.a, setting.b])
            .into_iter()
            .map(CrossConnectEntry::key)
            .collect();
        push(
            &mut out,
            format_args!("<i>{}\u{2013}{} {}</i> ", escape(&faces[0]), escape(&faces[1]), ports.join(" ")),
        );
    }
    out.push_str("</td></tr>\n");
    out
}

/// The hues of all cubes go once around the color wheel.
fn hue(cube: BlockId, cubes: u32) -> u32 {
    (cube.0 * 360 / cubes.max(1) + 210) % 360
}
