//! What the OCSes are set to: a picture per group, and the list of all cross-connects with their ports, which
//! the page can search.

use super::grid::{self, Cell, Grid};
use crate::compiled::Compiled;
use crate::config_db::{crossing_key, crossings};
use crate::json::push;
use crate::number::grouped;
use crate::svg::{self, Map, escape};
use fabc_base::ids::{BlockId, OcsGroupId, OcsId};
use fabc_model::{FacePort, Ocs, Pod};
use minijinja::{Value, context};
use std::collections::{BTreeMap, BTreeSet};

/// Groups shown; the page says how many more there are.
const GROUPS: usize = 12;
/// Largest settings matrix: OCSes and cubes.
const SETTINGS: (usize, u32) = (32, 20);
/// Most cubes of a map of a group.
const MAPPED: u32 = 256;
/// Cross-connects listed, at most; the page says how many switches are left out.
const LISTED: usize = 16_384;

/// What the template shows of all groups.
pub(super) fn settings(compiled: &Compiled) -> Value {
    let (pod, of_pod) = compiled.of_pod();
    let groups = &pod.ocs_groups;
    let shown: Vec<Value> = groups.ids().take(GROUPS).filter_map(|group| picture(compiled, group)).collect();
    let sizes = of_pod.cross_connects.settings.iter().map(Vec::len);
    let fitting = sizes
        .clone()
        .scan(0, |sum, size| Some((*sum += size, *sum).1))
        .take_while(|&sum| sum <= LISTED)
        .count();
    let list: String = pod.ocses.ids().take(fitting).map(|id| row(compiled, id)).collect();
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

fn picture(compiled: &Compiled, group: OcsGroupId) -> Option<Value> {
    let (pod, _) = compiled.of_pod();
    let count = pod.ocses.iter().filter(|ocs| ocs.group == group).count();
    let name = &pod.ocs_groups[group].name;
    let settings = count <= SETTINGS.0 && pod.cubes <= SETTINGS.1;
    let caption =
        format!("{name}: {} {}", grouped(count as u64), if count == 1 { "switch" } else { "switches" });
    let body = match settings {
        true => settings_table(compiled, group, caption.clone()),
        false if pod.cubes <= MAPPED => cube_map(compiled, group),
        false => return None,
    };
    Some(context! { caption, settings, body })
}

/// The two ports of every cross-connect of a switch.
fn pairs<'c>(
    compiled: &'c Compiled,
    group: OcsGroupId,
) -> impl Iterator<Item = (&'c Ocs, FacePort, FacePort)> + 'c {
    let of_group = compiled.of_pod().0.ocses.enumerate().filter(move |(_, ocs)| ocs.group == group);
    of_group.flat_map(move |(id, ocs)| {
        compiled.of_pod().1.cross_connects.settings[id].iter().map(move |setting| {
            let [a, b] = ocs.faces([setting.a, setting.b]);
            (ocs, a, b)
        })
    })
}

/// What a cube is joined to by a switch: the other cube, and both ports, the cube's own first.
type Joined = (BlockId, FacePort, FacePort);

/// Rows = OCSes, columns = cubes, cell = the cubes that this cube is joined to.
fn settings_table(compiled: &Compiled, group: OcsGroupId, caption: String) -> String {
    let (pod, _) = compiled.of_pod();
    let mut targets: BTreeMap<(&str, BlockId), Vec<Joined>> = BTreeMap::new();
    for (ocs, a, b) in pairs(compiled, group) {
        targets.entry((&ocs.name, a.cube)).or_default().push((b.cube, a, b));
        if ocs.b.is_empty() && a.cube != b.cube {
            targets.entry((&ocs.name, b.cube)).or_default().push((a.cube, b, a));
        }
    }
    let cell = |found: &Vec<Joined>| {
        let text: Vec<String> = found.iter().map(|(to, _, _)| to.to_string()).collect();
        let title: Vec<String> = found
            .iter()
            .map(|&(_, a, b)| format!("{} - {}", pod.face_port_name(a), pod.face_port_name(b)))
            .collect();
        let style = format!("--h:{}", hue(found[0].0, pod.cubes));
        Cell { class: "c".to_owned(), style, text: text.join(" "), title: title.join(", "), to: None }
    };
    let row = |ocs: &Ocs| {
        let cells = (0..pod.cubes).map(|cube| targets.get(&(ocs.name.as_str(), BlockId(cube))).map(cell));
        (ocs.name.clone(), cells.collect())
    };
    grid::html(&Grid {
        caption,
        class: if pod.cubes > 8 { "tight" } else { "" },
        items: Some("columns"),
        columns: (0..pod.cubes).map(|cube| cube.to_string()).collect(),
        rows: pod.ocses.iter().filter(|ocs| ocs.group == group).map(row).collect(),
    })
}

/// Rows and columns = cubes, cell = links from the row's A ports to the column's B ports.
fn cube_map(compiled: &Compiled, group: OcsGroupId) -> String {
    let pod = compiled.of_pod().0;
    let mut counts: BTreeMap<(usize, usize), u64> = BTreeMap::new();
    for (ocs, a, b) in pairs(compiled, group) {
        *counts.entry((a.cube.0 as usize, b.cube.0 as usize)).or_default() += 1;
        if ocs.b.is_empty() && a.cube != b.cube {
            *counts.entry((b.cube.0 as usize, a.cube.0 as usize)).or_default() += 1;
        }
    }
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
fn face(pod: &Pod, port: FacePort) -> String {
    let name = pod.face_port_name(port);
    name.split_once('.').map_or(name.clone(), |(_, face)| face.to_owned())
}

/// A switch of the list: its name, its faces, and its cross-connects, each as its two ends and its ports as
/// `ocs/*.config_db.json` numbers them.
fn row(compiled: &Compiled, id: OcsId) -> String {
    let (pod, of_pod) = compiled.of_pod();
    let ocs = &pod.ocses[id];
    let faces = |ports: &[FacePort]| ports.iter().map(|&port| face(pod, port)).collect::<BTreeSet<String>>();
    let (a, b) = (faces(&ocs.a), faces(&ocs.b));
    // Where a side has one port of every cube, the cube says which.
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
    for setting in &of_pod.cross_connects.settings[id] {
        let ends = ocs.faces([setting.a, setting.b]);
        let ends = ends.map(|end| if short { end.cube.to_string() } else { pod.face_port_name(end) });
        let ports: Vec<String> =
            crossings(ocs, [setting.a, setting.b]).into_iter().map(crossing_key).collect();
        push(
            &mut out,
            format_args!("<i>{}\u{2013}{} {}</i> ", escape(&ends[0]), escape(&ends[1]), ports.join(" ")),
        );
    }
    out.push_str("</td></tr>\n");
    out
}

/// Colors of cubes go once around the wheel.
fn hue(cube: BlockId, cubes: u32) -> u32 {
    (cube.0 * 360 / cubes.max(1) + 210) % 360
}
